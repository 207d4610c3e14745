"""Makes a SQLite database of the structured records in a folder, and shows what is in it.

    PYTHONPATH=/scratch python3 -P -m dbquery_desk.build /desk records.sqlite LISTING

LISTING holds a line ``path<TAB>modality<TAB>modified`` a file and may be empty. What is printed is
the schema with a few rows of each table, after a line that begins with ``records:``.

A record's ``locator`` says where in its file it stands, in the form in which answers cite it.
"""

from __future__ import annotations

import json
import os
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from .common import MAX_BYTES, Broken, Record, Row, Value
from .letters import calendar, contacts, mail
from .sheets import comma_separated, tab_separated, workbook
from .talk import notes_or_messages

MAX_VALUE = 20_000  # characters of one value
MAX_ROWS = 300_000  # of all tables together
SECONDS = 45.0  # after which no further file is begun
SAMPLES = 2  # rows of each table that are shown
SHOWN = 60  # characters of a value that are shown
LISTED = 25  # sheets whose head is shown

TABLES = {
    "files": ("path", "type", "modality", "size", "modified"),
    "mails": ("path", "locator", "date", "sender", "recipients", "subject", "body"),
    "calendar": (
        "path", "locator", "uid", "summary", "starts", "ends", "repeats", "location", "attendees",
        "description",
    ),
    "contacts": ("path", "locator", "name", "email", "phone", "org", "note"),
    "sheets": ("path", "locator", "sheet", "row", "col", "header", "value"),
    "sheet_rows": ("path", "locator", "sheet", "row", "text"),
    "messages": ("path", "locator", "time", "sender", "text"),
    "notes": ("path", "locator", "text"),
}  # fmt: skip
_NUMBERS = ("size", "row")


def build(root: Path, database: Path, listing: dict[str, tuple[str, str]]) -> list[str]:
    """Read every file below ``root`` into ``database``; what was left out, a line each.

    ``listing`` holds what is known of a file by its path: modality and time of change.
    """
    db = sqlite3.connect(database)
    for table, columns in TABLES.items():
        typed = (f"{name} INTEGER" if name in _NUMBERS else name for name in columns)
        db.execute(f"CREATE TABLE {table} ({', '.join(typed)})")
    notes: list[str] = []
    total, until = 0, time.monotonic() + SECONDS
    for path in _paths(root):
        name = path.relative_to(root).as_posix()
        suffix = path.suffix.lower().lstrip(".")
        modality, modified = listing.get(name, (None, None))
        try:
            size = path.stat().st_size
        except OSError as error:
            notes.append(f"skipped {name}: {error.strerror}")
            continue
        _insert(db, "files", (name, suffix, modality, size, modified))
        if suffix not in READERS:
            continue
        if time.monotonic() > until or total >= MAX_ROWS:
            notes.append(f"skipped {name}: no time or room left")
            continue
        try:
            records = _read(path, suffix, size)
        except Exception as error:  # noqa: BLE001  (whatever is wrong with one file, say it)
            notes.append(f"skipped {name}: {type(error).__name__}: {error}"[:200])
            continue
        for record in records[: MAX_ROWS - total]:
            _insert(db, record.table, (name, *record.values))
        total += len(records)
    db.commit()
    db.close()
    return notes


def _paths(root: Path) -> Iterator[Path]:
    for folder, folders, names in os.walk(root):
        folders.sort()
        for name in sorted(names):
            path = Path(folder, name)
            if not path.is_symlink() and path.is_file():
                yield path


def _insert(db: sqlite3.Connection, table: str, row: Row) -> None:
    kept = [_clean(value) if isinstance(value, str) else value for value in row]
    db.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(kept))})", kept)


def _clean(text: str) -> str:
    return text[:MAX_VALUE].encode("utf-8", "replace").decode().replace("\0", "")


def _read(path: Path, suffix: str, size: int) -> list[Record]:
    if size > MAX_BYTES:
        raise Broken(f"{size} bytes")
    return list(READERS[suffix](path.read_bytes()))


READERS: dict[str, Callable[[bytes], Iterator[Record]]] = {
    "eml": mail,
    "ics": calendar,
    "vcf": contacts,
    "csv": comma_separated,
    "tsv": tab_separated,
    "xlsx": workbook,
    "xlsm": workbook,
    "txt": notes_or_messages,
    "md": notes_or_messages,
}


def describe(database: Path) -> str:
    """The tables with their columns, how many rows each has, a few of them, and the sheets."""
    db = sqlite3.connect(database)
    parts = []
    for table, columns in TABLES.items():
        count = db.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
        parts.append(f"{table}({', '.join(columns)}): {count} rows")
        rows = db.execute(f"SELECT * FROM {table} ORDER BY rowid LIMIT {SAMPLES}")
        for path, *values in rows:  # a path is of use only if it is whole
            shown = json.dumps([path, *map(_short, values)], ensure_ascii=False)
            parts.append(f"  {shown}")
    heads = db.execute(
        "SELECT path, sheet, text, count(*), min(rowid) FROM sheet_rows "
        "GROUP BY path, sheet ORDER BY path"
    ).fetchall()
    if heads:
        parts.append("sheets and their first row:")
    for path, sheet, text, count, _ in heads[:LISTED]:
        name = f"{path}!{sheet}" if sheet else path
        parts.append(f"  {name} ({count} rows): {text[:200]}")
    if len(heads) > LISTED:
        parts.append(f"  and {len(heads) - LISTED} more")
    db.close()
    return "\n".join(parts)


def _short(value: Value) -> Value:
    return f"{value[:SHOWN]}..." if isinstance(value, str) and len(value) > SHOWN else value


def main(root: str, database: str, listing: str) -> None:
    """Build and describe; see the module."""
    Path(database).unlink(missing_ok=True)
    known = {}
    for line in Path(listing).read_text(encoding="utf-8").splitlines():
        if len(fields := line.split("\t")) == 3:
            known[fields[0]] = (fields[1], fields[2])
    notes = build(Path(root), Path(database), known)
    print(f"records: {len(notes)} files skipped")
    print(describe(Path(database)))
    for note in notes[:LISTED]:
        print(f"note: {note}")


if __name__ == "__main__":
    main(*sys.argv[1:4])
