"""Runs one SELECT on a SQLite database, which it cannot change, and prints the rows.

    PYTHONPATH=/scratch python3 -P -m dbquery_desk.query records.sqlite "SELECT ..."

The database is opened read-only, and an authorizer refuses all that is not reading from its
tables: no ATTACH, no PRAGMA, no extension. Rows, characters and time are capped.
What goes wrong is printed as ``error: ...``.
"""

from __future__ import annotations

import sqlite3
import sys
import time
from collections.abc import Iterable
from pathlib import Path

MAX_ROWS = 50
MAX_VALUE = 600  # characters of one value
MAX_OUT = 12_000  # characters in all
MAX_MADE = 2_000_000  # bytes of one value that a function may make
SECONDS = 10.0

_ALLOWED = frozenset(
    {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
)


def select(database: Path, sql: str, *, seconds: float = SECONDS) -> str:
    """The rows that ``sql`` finds, a line each, after a line with the columns' names.

    Never raises for what stands in ``sql``: the text then begins with ``error:``.
    """
    db = sqlite3.connect(f"{database.absolute().as_uri()}?mode=ro", uri=True)
    db.set_authorizer(_authorise)
    db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_MADE)
    until = time.monotonic() + seconds
    db.set_progress_handler(lambda: int(time.monotonic() > until), 10_000)
    try:
        found = db.execute(sql)
        if found.description is None:
            return "error: no SELECT"
        names = [column[0] for column in found.description]
        return _table(names, found.fetchmany(MAX_ROWS + 1))
    except (sqlite3.Error, sqlite3.Warning, ValueError, MemoryError) as error:
        if "interrupted" in str(error):
            return f"error: the query took longer than {seconds:g} s"
        return f"error: {error}"
    finally:
        db.close()


def _authorise(action: int, first: str | None, second: str | None, *_: str | None) -> int:
    if action not in _ALLOWED:
        return sqlite3.SQLITE_DENY
    if action == sqlite3.SQLITE_FUNCTION and second == "load_extension":
        return sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_OK


def _table(names: list[str], rows: list[tuple[object, ...]]) -> str:
    if not rows:
        return f"{' | '.join(names)}\n0 rows"
    lines = [" | ".join(names)]
    size = 0
    for shown, row in enumerate(rows[:MAX_ROWS]):
        line = " | ".join(_plain(row))
        size += len(line)
        if size > MAX_OUT:
            return "\n".join([*lines, f"cut: {shown} rows shown, more were found"])
        lines.append(line)
    more = "cut: the first " if len(rows) > MAX_ROWS else ""
    return "\n".join([*lines, f"{more}{min(len(rows), MAX_ROWS)} rows"])


def _plain(row: Iterable[object]) -> list[str]:
    values = []
    for value in row:
        text = "NULL" if value is None else str(value)
        text = " / ".join(line.strip() for line in text.splitlines() if line.strip())
        values.append(text if len(text) <= MAX_VALUE else f"{text[:MAX_VALUE]}...")
    return values


if __name__ == "__main__":
    sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr]  # a text stream it is
    print(select(Path(sys.argv[1]), sys.argv[2]))
