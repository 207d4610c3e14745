"""The sheet on which a person says of answers whether they are right: a CSV file.

It is made to be opened in a spreadsheet. A cell that a spreadsheet might run as a formula gets an
apostrophe in front, as does one that begins with an apostrophe; reading takes it away again.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

HUMAN: Final = "human"
HUMAN_GRADE: Final = "human_grade"
CHECK: Final = "check"
MAX_CELL: Final = 32_000
"""Characters of a cell; spreadsheets cut what is longer than 32,767."""

# The wide forms are signs of formulas too, where East Asian writing is set.
_RISKY = tuple("=+-@\t\r\n'＝＋－＠")
_YES_NO = {
    **dict.fromkeys(("yes", "y", "true", "1"), True),
    **dict.fromkeys(("no", "n", "false", "0"), False),
}


class SheetError(RuntimeError):
    """A sheet that cannot be written or read. Names the file, the line and the remedy."""


@dataclass(frozen=True)
class Filled:
    """What a person said in one row. ``check`` is the row's key."""

    line: int
    check: str
    correct: bool
    grade: int | None


def guarded(text: str) -> str:
    """``text`` as a cell that no spreadsheet runs, cut to `MAX_CELL`."""
    if len(text) > MAX_CELL:
        text = f"{text[:MAX_CELL]} [cut here; the rest is in results.jsonl]"
    return f"'{text}" if text.startswith(_RISKY) else text


def plain(cell: str) -> str:
    """The text that `guarded` made ``cell`` of."""
    return cell.removeprefix("'")


def write_sheet(file: Path, columns: Sequence[str], rows: Iterable[Mapping[str, str]]) -> None:
    """Write ``rows`` to a new file: UTF-8 with a mark, so that spreadsheets know.

    Raises:
        SheetError: the file is there already (a person may have filled it), or it cannot be
            written.
    """
    try:
        with file.open("x", encoding="utf-8-sig", newline="") as out:
            sheet = csv.writer(out)
            sheet.writerow(columns)
            for row in rows:
                sheet.writerow([guarded(row.get(column, "")) for column in columns])
    except FileExistsError as error:
        raise SheetError(
            f"{file} is there already, perhaps filled by someone; choose another --out, or "
            "delete it"
        ) from error
    except OSError as error:
        raise SheetError(f"cannot write {file}: {error.strerror or error}") from error


def read_sheet(file: Path) -> list[tuple[int, dict[str, str]]]:
    """The rows of a sheet, each with its number (the first below the header is 1).

    Commas, semicolons and tabs are taken as separators, as spreadsheets save them.

    Raises:
        SheetError: it cannot be read, is no such sheet, or holds a row twice.
    """
    try:
        with file.open(encoding="utf-8-sig", newline="") as lines:
            header = lines.readline()
            lines.seek(0)
            separator = max(",;\t", key=header.count)
            rows = list(csv.reader(lines, delimiter=separator))
    except OSError as error:
        raise SheetError(f"cannot read {file}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise SheetError(f"{file} is not UTF-8; save it as CSV in UTF-8") from error
    except csv.Error as error:
        raise SheetError(f"{file} is not CSV ({error}); save it as CSV in UTF-8") from error
    columns = [cell.strip() for cell in rows[0]] if rows else []
    for column in (CHECK, HUMAN):
        if column not in columns:
            raise SheetError(
                f"{file} has no column {column!r}; it must be a sheet made by: deskgym judge audit"
            )
    found: list[tuple[int, dict[str, str]]] = []
    seen: set[str] = set()
    for number, cells in enumerate(rows[1:], 1):
        row = dict(zip(columns, map(plain, cells), strict=False))
        check = row.get(CHECK, "").strip()
        if not any(cell.strip() for cell in cells):
            continue
        if check in seen:
            raise SheetError(f"{file}, row {number}: the answer {check!r} is there twice")
        seen.add(check)
        found.append((number, row))
    return found


def filled_rows(file: Path) -> tuple[list[Filled], int]:
    """The rows that a person has filled, and how many are still empty.

    ``human`` is yes or no (also y, n, true, false, 1, 0), ``human_grade`` 0 to 5 or empty.

    Raises:
        SheetError: as `read_sheet`, or a cell says something else.
    """
    filled: list[Filled] = []
    empty = 0
    for number, row in read_sheet(file):
        where = f"{file}, row {number}"
        word, grade = row.get(HUMAN, "").strip(), row.get(HUMAN_GRADE, "").strip()
        if not word and not grade:
            empty += 1
            continue
        if word.casefold() not in _YES_NO:
            raise SheetError(f"{where}: {HUMAN} is {word[:40]!r}; it is yes or no, or both empty")
        correct = _YES_NO[word.casefold()]
        filled.append(Filled(number, row[CHECK].strip(), correct, _grade(grade, where)))
    return filled, empty


def _grade(text: str, where: str) -> int | None:
    if not text:
        return None
    # Spreadsheets like to write 4 as 4.0 or 4,0.
    whole = text.replace(",", ".").removesuffix(".0")
    if whole not in {"0", "1", "2", "3", "4", "5"}:
        raise SheetError(f"{where}: {HUMAN_GRADE} is {text[:40]!r}; it is 0 to 5, or empty")
    return int(whole)
