"""Records as rows: csv and json exports, and sqlite databases, a row on a line of its own."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing

from deskgym.tasks.locators import Lines, WholeFile
from deskgym.tasks.made.files.placed import Spot
from deskgym.tasks.made.records import SCHEMAS, Record, Value

_MONEY = {"amount", "balance", "price", "total"}
SHOWN_ROWS = 200
"""Rows of a table that the read tool shows; what stands below is read in the terminal only."""


def cell(name: str, value: Value) -> str:
    """A field as a csv holds it: money with two decimals, lists joined by ``; ``."""
    if isinstance(value, list):
        return "; ".join(value)
    return f"{value:.2f}" if name in _MONEY and isinstance(value, int | float) else str(value)


def csv_file(records: Sequence[Record]) -> tuple[bytes, list[Spot]]:
    """A csv of ``records`` (of one schema) with a header, and where each stands."""
    schema = SCHEMAS[records[0].schema]
    rows = [list(schema.fields)]
    rows += [[cell(name, value) for name, value in r.fields.items()] for r in records]
    lines = [_csv_line(row) for row in rows]
    spots = [
        Spot(record.id, Lines(start=n, end=n), line)
        for n, (record, line) in enumerate(zip(records, lines[1:], strict=True), 2)
    ]
    return ("\n".join(lines) + "\n").encode(), spots


def _csv_line(row: list[str]) -> str:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="").writerow([one.replace("\n", " ") for one in row])
    return buffer.getvalue()


def json_file(records: Sequence[Record]) -> tuple[bytes, list[Spot]]:
    """A json list with an object a line, and where each record stands."""
    lines = [json.dumps(dict(r.fields), ensure_ascii=False) for r in records]
    spots = [
        Spot(record.id, Lines(start=n, end=n), line)
        for n, (record, line) in enumerate(zip(records, lines, strict=True), 2)
    ]
    return ("[\n" + ",\n".join(lines) + "\n]\n").encode(), spots


def sqlite_file(table: str, records: Sequence[Record]) -> tuple[bytes, list[Spot]]:
    """A database with one table of ``records``, and where the read tool shows each."""
    names = list(SCHEMAS[records[0].schema].fields)
    types = ", ".join(
        f"{n} INTEGER" if isinstance(records[0].fields[n], int) else f"{n} TEXT" for n in names
    )
    marks = ", ".join("?" for _ in names)
    with closing(sqlite3.connect(":memory:")) as base:
        base.execute(f"CREATE TABLE {table} ({types})")
        base.executemany(
            f"INSERT INTO {table} VALUES ({marks})", [list(r.fields.values()) for r in records]
        )
        base.commit()
        data = base.serialize()
    spots = []
    for number, record in enumerate(records, 1):
        text = " | ".join(
            " ".join(str(v).replace("|", "\\|").split()) for v in record.fields.values()
        )
        # Above the first row: heading, definition, a blank, the count, the names, a rule.
        line = Lines(start=6 + number, end=6 + number)
        spots.append(Spot(record.id, line if number <= SHOWN_ROWS else WholeFile(), text))
    return data, spots
