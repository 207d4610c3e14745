"""HippoCamp's metadata sheets: when and where each file was made and changed.

The first sheet of a workbook, with a row for each file or folder and these columns, in any order
and case: ``FilePath, FileType, creation_date, modification_date, latitude, longitude, location``.
Others are passed over. Dates are text (``2024/03/05 14:30``), or dates of the spreadsheet.
"""

from __future__ import annotations

import math
import re
import zipfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from deskgym.tasks.registry import BadDataset

_COLUMNS: Final = {
    "path": ("filepath", "path", "file", "relativepath"),
    "type": ("filetype", "type"),
    "created": ("creationdate", "creationtime", "created", "createdat", "createddate"),
    "modified": (
        "modificationdate", "modificationtime", "modified", "modifiedat", "modifieddate",
        "lastmodified",
    ),
    "latitude": ("latitude", "lat"),
    "longitude": ("longitude", "lon", "lng", "long"),
    "location": ("location", "place", "address"),
}  # fmt: skip
_NEEDED: Final = ("path", "created", "modified")
_NOTHING: Final = frozenset({"", "n/a", "na", "none", "null", "nan", "-", "unknown"})
_DATE: Final = re.compile(
    r"(\d{4})[/.\-](\d{1,2})[/.\-](\d{1,2})"
    r"(?:[ T]+(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?)?\s*(?:Z|UTC|[+-]\d{2}:?\d{2})?"
)
_HEADER_ROWS: Final = 10  # a title may stand above the header


@dataclass(frozen=True)
class Row:
    """What a sheet says of one file. ``path`` is as written; None: nothing, or nothing legible."""

    number: int
    path: str
    created: datetime | None
    modified: datetime | None
    latitude: float | None
    longitude: float | None
    location: str | None


@dataclass(frozen=True)
class BadCell:
    """A cell that cannot be read as what its column holds."""

    row: int
    path: str
    column: str
    value: str


@dataclass(frozen=True)
class Sheet:
    """The rows of the files (not of the folders), in their order, and the cells that are wrong."""

    rows: tuple[Row, ...]
    bad: tuple[BadCell, ...]


def read_sheet(file: Path) -> Sheet:
    """The metadata sheet in the workbook ``file``.

    Raises:
        BadDataset: it is missing, no workbook, or has not the columns; or openpyxl is missing.
    """
    table = _cells(file)
    header = next(
        (n for n, cells in enumerate(table[:_HEADER_ROWS]) if "path" in _columns(cells)), -1
    )
    if header < 0:
        raise BadDataset(f"{file} has no column FilePath; it is not a metadata sheet of HippoCamp")
    columns = _columns(table[header])
    if missing := [name for name in _NEEDED if name not in columns]:
        wanted = ", ".join(
            {"created": "creation_date"}.get(m, "modification_date") for m in missing
        )
        raise BadDataset(f"{file} has no column {wanted}; fetch the sheet again")
    rows: list[Row] = []
    bad: list[BadCell] = []
    for at, cells in enumerate(table[header + 1 :], header + 2):
        if row := _row(at, {name: _at(cells, column) for name, column in columns.items()}, bad):
            rows.append(row)
    return Sheet(tuple(rows), tuple(bad))


def _cells(file: Path) -> list[tuple[Any, ...]]:
    """The values of the first sheet, row by row."""
    try:
        import openpyxl
    except ImportError as error:
        raise BadDataset(
            f"reading {file} needs openpyxl; install it: pip install 'deskgym[tools]'"
        ) from error
    try:
        book = openpyxl.load_workbook(file, read_only=True, data_only=True)
        try:
            rows = list(book.worksheets[0].iter_rows(values_only=True))
        finally:
            book.close()
    except FileNotFoundError as error:
        raise BadDataset(
            f"the metadata sheet {file} is missing; get it: deskgym datasets fetch hippocamp"
        ) from error
    except (
        OSError, ValueError, KeyError, IndexError, TypeError, AttributeError, SyntaxError,
        zipfile.BadZipFile, zipfile.LargeZipFile, openpyxl.utils.exceptions.InvalidFileException,
    ) as error:  # fmt: skip
        raise BadDataset(
            f"{file} cannot be read as a workbook ({error}); fetch it again"
        ) from error
    return rows


def _columns(cells: Iterable[Any]) -> dict[str, int]:
    """Which of our columns stands where, by a header's cells; the first of a name counts."""
    names = [re.sub(r"[^a-z]", "", str(cell or "").casefold()) for cell in cells]
    found: dict[str, int] = {}
    for ours, aliases in _COLUMNS.items():
        places = [names.index(alias) for alias in aliases if alias in names]
        if places:
            found[ours] = places[0]
    return found


def _at(cells: tuple[Any, ...], column: int) -> Any:
    return cells[column] if column < len(cells) else None


def _row(number: int, cells: dict[str, Any], bad: list[BadCell]) -> Row | None:
    path = str(cells["path"] or "").strip()
    kind = str(cells.get("type") or "").strip().casefold()
    if not path or kind in ("folder", "directory", "dir") or path.endswith(("/", "\\")):
        return None

    def read(column: str, reader: Callable[[Any], Any]) -> Any:
        value = cells.get(column)
        if value is None or str(value).strip().casefold() in _NOTHING:
            return None
        try:
            return reader(value)
        except ValueError:
            bad.append(BadCell(number, path, column, str(value)[:80]))
            return None

    return Row(
        number=number,
        path=path,
        created=read("created", parse_date),
        modified=read("modified", parse_date),
        latitude=read("latitude", lambda value: _degrees(value, 90)),
        longitude=read("longitude", lambda value: _degrees(value, 180)),
        location=read("location", lambda value: str(value).strip()),
    )


def parse_date(value: Any) -> datetime:
    """The local time in a cell, without a zone.

    A number is a date of Excel's 1900 system, in days.

    Raises:
        ValueError: it is none.
    """
    if isinstance(value, datetime):
        return value.replace(tzinfo=None)
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day)
    if isinstance(value, int | float) and not isinstance(value, bool):
        from openpyxl.utils.datetime import from_excel

        try:
            found = from_excel(value)
        except (OverflowError, TypeError) as error:
            raise ValueError(f"not a date: {value}") from error
        if not isinstance(found, datetime):
            raise ValueError(f"not a date: {value}")
        return (found + timedelta(microseconds=500_000)).replace(microsecond=0)
    if match := _DATE.fullmatch(str(value).strip()):
        year, month, day, hour, minute, second = (int(part or 0) for part in match.groups())
        return datetime(year, month, day, hour, minute, second)
    raise ValueError(f"not a date: {str(value)[:80]!r}")


def _degrees(value: Any, most: float) -> float:
    number = float(value)
    if not math.isfinite(number) or abs(number) > most:
        raise ValueError(f"not between -{most} and {most}: {value}")
    return number
