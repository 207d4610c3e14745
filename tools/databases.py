"""Databases (sqlite) and column files (parquet): the schema and the first rows of each table."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote

from deskgym.tools.cut import Request, clean, cut_lines, markdown_row
from deskgym.tools.grid import value_text
from deskgym.tools.guards import damage
from deskgym.tools.result import ToolError, ToolResult
from deskgym.tools.sniff import FileType

MAX_TABLES = 200
MAX_ROWS = 200
MAX_COLUMNS = 100
_MAX_CELL = 300
_MAX_COUNT = 1_000_000
_STEPS = 100_000  # instructions of SQLite's machine between looks at the clock
_MAX_LOOKS = 500
_MAX_VALUE = 10_000_000  # bytes of one value


def read_sqlite(path: Path, kind: FileType, request: Request) -> ToolResult:
    """For each table its definition, its number of rows, and the first of them.

    Raises:
        ToolError: corrupt, too_large, out_of_range, bad_argument.
    """
    request.allow("lines", "a database")
    notes: list[str] = []
    # "immutable" keeps SQLite from looking for, or making, any file beside it.
    address = f"file:{quote(str(path.absolute()))}?mode=ro&immutable=1"
    try:
        with closing(sqlite3.connect(address, uri=True)) as database:
            _restrict(database)
            lines, info = _database_lines(database, notes)
    except sqlite3.OperationalError as error:
        if "interrupted" in str(error):
            raise ToolError(
                "too_large",
                f"{path.name!r} takes too long to go through",
                "query it in the terminal: sqlite3 -readonly",
            ) from error
        raise _damaged(path, error) from error
    except damage(sqlite3.Error) as error:
        raise _damaged(path, error) from error
    log = path.with_name(path.name + "-wal")
    if log.is_file() and log.stat().st_size:
        notes.append(f"the newest changes may be in {log.name!r}, which is not read")
    text = clean("\n".join(lines).rstrip("\n") + "\n") if lines else ""
    return cut_lines(text, request, info, notes)


def _damaged(path: Path, error: Exception) -> ToolError:
    return ToolError(
        "corrupt",
        f"{path.name!r} is a damaged database: {error}",
        "read_original returns the bytes",
    )


def _restrict(database: sqlite3.Connection) -> None:
    """Trust nothing that the file defines, and bound what a query may take."""
    database.text_factory = lambda raw: raw.decode("utf-8", "replace")
    database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MAX_VALUE)
    looks = iter(range(_MAX_LOOKS))
    database.set_progress_handler(lambda: next(looks, None) is None, _STEPS)
    for setting in ("trusted_schema = OFF", "cell_size_check = ON", "query_only = ON"):
        database.execute(f"PRAGMA {setting}")


def _database_lines(
    database: sqlite3.Connection, notes: list[str]
) -> tuple[list[str], dict[str, Any]]:
    found = database.execute(
        "SELECT type, name, sql FROM sqlite_master WHERE type IN ('table', 'view')"
        " AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid LIMIT ?",
        (MAX_TABLES + 1,),
    ).fetchall()
    if len(found) > MAX_TABLES:
        notes.append(f"only the first {MAX_TABLES} tables are shown")
    lines: list[str] = []
    tables: dict[str, int] = {}
    more = False
    for kind, name, definition in found[:MAX_TABLES]:
        lines += [f"## {kind} {name}", *str(definition or "").split("\n"), ""]
        # What a view or a virtual table does when it is read is up to the file.
        if kind != "table" or str(definition).upper().startswith("CREATE VIRTUAL"):
            continue
        quoted = '"' + name.replace('"', '""') + '"'
        count = database.execute(
            f"SELECT count(*) FROM (SELECT 1 FROM {quoted} LIMIT {_MAX_COUNT + 1})"
        ).fetchone()[0]
        tables[name] = min(count, _MAX_COUNT)
        rows = database.execute(f"SELECT * FROM {quoted} LIMIT {MAX_ROWS}")
        heads = [column[0] for column in rows.description]
        how_many = f"more than {_MAX_COUNT:,}" if count > _MAX_COUNT else f"{count:,}"
        shown = f", the first {MAX_ROWS}" if count > MAX_ROWS else ""
        more = more or count > MAX_ROWS
        lines += [f"{how_many} rows{shown}:", *_table(heads, rows), ""]
    if more:
        notes.append(f"{MAX_ROWS} rows a table are shown; sqlite3 in the terminal has them all")
    return lines, {"tables": tables}


def read_parquet(path: Path, kind: FileType, request: Request) -> ToolResult:
    """The columns with their types, the number of rows, and the first of them.

    Raises:
        ToolError: unsupported (without pyarrow), corrupt, out_of_range, bad_argument.
    """
    request.allow("lines", "a column file")
    # Its own allocator sets aside more addresses than a capped process has left.
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise ToolError(
            "unsupported",
            f"{path.name!r} is a Parquet file, which needs to be prepared",
            "run: deskgym prepare ID",
        ) from error
    try:
        with pyarrow.parquet.ParquetFile(path) as table:
            schema = table.schema_arrow
            total = table.metadata.num_rows
            columns = schema.names[:MAX_COLUMNS]
            rows: list[list[Any]] = []
            for batch in table.iter_batches(MAX_ROWS, columns=columns, use_threads=False):
                rows += [list(row.values()) for row in batch.to_pylist()]
                if len(rows) >= MAX_ROWS:
                    break
    except damage(pyarrow.ArrowException) as error:
        raise ToolError(
            "corrupt",
            f"{path.name!r} is a damaged Parquet file: {error}",
            "read_original returns the bytes",
        ) from error
    shown = f", the first {MAX_ROWS}" if total > MAX_ROWS else ""
    lines = [f"{f.name}: {f.type}" for f in schema]
    lines += ["", f"{total:,} rows{shown}:", *_table(columns, rows[:MAX_ROWS])]
    info = {"rows": total, "columns": len(schema.names)}
    return cut_lines(clean("\n".join(lines) + "\n"), request, info, [])


def _table(heads: list[str], rows: Iterable[Iterable[Any]]) -> Iterator[str]:
    yield markdown_row(heads[:MAX_COLUMNS])
    yield "|" + " --- |" * len(heads[:MAX_COLUMNS])
    for row in rows:
        yield markdown_row([_cell(value) for value in list(row)[:MAX_COLUMNS]])


def _cell(value: Any) -> str:
    if isinstance(value, bytes):
        return f"<{len(value):,} bytes>"
    text = value_text(value)
    return text if len(text) <= _MAX_CELL else f"{text[:_MAX_CELL]}... ({len(text):,} characters)"
