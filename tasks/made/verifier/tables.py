"""Reading rows from csv, json and sqlite files, and cells of workbooks."""

from __future__ import annotations

import csv
import json
import re
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Final

from deskgym.tasks.locators import AnyLocator, Cells, Lines, WholeFile
from deskgym.tasks.made.records.record import SCHEMAS
from deskgym.tasks.made.verifier.rows import Row, Value, row_of

_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?")
# What a kind of rows looks like: its columns.
_BY_COLUMNS: Final[Mapping[frozenset[str], str]] = {
    frozenset(schema.fields): schema.name for schema in SCHEMAS.values()
}
SHOWN_ROWS: Final = 200
"""Rows of a database's table that the read tool shows, below six lines of heading."""


def value_of(text: str) -> Value:
    """A cell's text as a number, if it is one and loses nothing by it."""
    if _NUMBER.fullmatch(text) and len(text) < 16:
        return float(text) if "." in text else int(text)
    return text


def csv_rows(file: Path, path: str) -> Iterator[Row]:
    """The rows of a csv file whose columns are those of a kind of record."""
    with file.open(encoding="utf-8", newline="") as stream:
        reader = csv.reader(stream)
        names = next(reader, [])
        kind = _BY_COLUMNS.get(frozenset(names))
        if kind is None:
            return
        for cells in reader:
            line = Lines(start=reader.line_num, end=reader.line_num)
            fields = {n: value_of(c) for n, c in zip(names, cells, strict=True)}
            yield row_of(kind, fields, path, line)


def json_rows(file: Path, path: str) -> Iterator[Row]:
    """The rows of a json list with an object a line, which are of a kind of record."""
    rows = json.loads(file.read_text(encoding="utf-8"))
    if not isinstance(rows, list):
        return
    for number, row in enumerate(rows, 2):
        kind = _BY_COLUMNS.get(frozenset(row)) if isinstance(row, dict) else None
        if kind is not None:
            yield row_of(kind, _flat(row), path, Lines(start=number, end=number))


def sqlite_rows(file: Path, path: str) -> Iterator[Row]:
    """The rows of a database's tables whose columns are those of a kind of record."""
    with closing(
        sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro&immutable=1", uri=True)
    ) as base:
        tables = [
            name
            for (name,) in base.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
            )
        ]
        for table in tables:
            quoted = table.replace('"', '""')
            rows = base.execute(f'SELECT * FROM "{quoted}"')
            names = [column[0] for column in rows.description]
            kind = _BY_COLUMNS.get(frozenset(names))
            for number, cells in enumerate(rows if kind else (), 1):
                assert kind is not None
                spot: AnyLocator = WholeFile()
                if number <= SHOWN_ROWS:
                    spot = Lines(start=6 + number, end=6 + number)
                yield row_of(kind, _flat(dict(zip(names, cells, strict=True))), path, spot)


def xlsx_rows(file: Path, path: str) -> Iterator[Row]:
    """The rows of a workbook's sheets whose first row names the columns of a kind of record."""
    import openpyxl

    book = openpyxl.load_workbook(file, read_only=True, data_only=False)
    with closing(book):
        for sheet in book.worksheets:
            kind: str | None = None
            names: list[str] = []
            for number, cells in enumerate(sheet.iter_rows(values_only=True), 1):
                texts = ["" if cell is None else str(cell) for cell in cells]
                if kind is None:
                    names = [_name(text) for text in texts]
                    kind = _BY_COLUMNS.get(frozenset(name for name in names if name))
                    continue
                if "" in texts[:2] or len(texts) < len(names):
                    continue  # a total, or an empty row
                fields = {n: _day(t) for n, t in zip(names, texts, strict=False) if n}
                last = chr(ord("A") + len(names) - 1)
                spot = Cells(sheet=sheet.title, range=f"A{number}:{last}{number}")
                yield row_of(kind, fields, path, spot)


def _name(text: str) -> str:
    return text.strip().casefold().replace(" ", "_")


def _day(text: str) -> Value:
    return value_of(text.removesuffix(" 00:00:00"))


def _flat(row: Mapping[str, object]) -> dict[str, Value]:
    fields: dict[str, Value] = {}
    for name, value in row.items():
        if isinstance(value, list):
            fields[name] = ", ".join(map(str, value))
        elif isinstance(value, int | float):
            fields[name] = value
        else:
            fields[name] = value_of(str(value if value is not None else ""))
    return fields
