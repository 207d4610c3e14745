"""Spreadsheets (xlsx): a table a sheet, with column letters and row numbers to cite cells by."""

from __future__ import annotations

import datetime as dt
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from deskgym.tools.cut import Request, cut_point, markdown_row
from deskgym.tools.guards import check_office_zip, damage
from deskgym.tools.result import Segment, ToolError, ToolResult
from deskgym.tools.sniff import FileType

MAX_ROWS = 20_000
MAX_COLUMNS = 256
_WORKBOOK = "xl/workbook.xml"
_LISTED = re.compile(rb"<(?:\w+:)?sheet\s")
_CELL = re.compile(r"\$?([A-Za-z]{1,3})\$?(\d{1,7})")


@dataclass(frozen=True)
class Box:
    """A rectangle of cells, all bounds 1-based and inclusive."""

    c0: int
    r0: int
    c1: int
    r1: int


@dataclass(frozen=True)
class _Sheet:
    """A sheet's cells that hold something, as text by row; ``box`` bounds them."""

    name: str
    hidden: bool
    box: Box | None
    rows: dict[int, list[str]]
    capped: bool


def read(path: Path, kind: FileType, request: Request) -> ToolResult:
    """One segment a sheet (or the selected cells), its locator naming exactly the rows returned.

    Raises:
        ToolError: encrypted, corrupt, too_large, out_of_range, bad_argument.
    """
    request.allow("cells", "a workbook")
    check_office_zip(path)
    notes: list[str] = []
    selected: tuple[str, Box | None] | None = None
    with _opened(path) as (values, formulas):
        names = [sheet.title for sheet in values.worksheets]
        _check_complete(path, values, notes)
        if request.cells is not None:
            selected = _selection(request.cells, names)
        sheets = [
            _load(v, f, selected[1] if selected and selected[0] == v.title else None)
            for v, f in zip(values.worksheets, formulas.worksheets, strict=True)
        ]
    info = {"sheets": [_described(sheet) for sheet in sheets]}
    for sheet in sheets:
        if sheet.hidden:
            notes.append(f"sheet {sheet.name!r} is hidden")
        if sheet.capped:
            notes.append(
                f"sheet {sheet.name!r} goes on beyond {MAX_ROWS:,} rows or {MAX_COLUMNS} columns; "
                "select further cells to see them"
            )
    shown = [s for s in sheets if selected is None or s.name == selected[0]]
    if selected is not None and shown[0].box is None:
        notes.append("the selected cells are empty")
    elif not any(sheet.box for sheet in shown):
        notes.append("there is nothing in its cells")
    segments, next_offset = _cut(shown, request, notes)
    return ToolResult(segments=segments, info=info, notes=tuple(notes), next_offset=next_offset)


def _check_complete(path: Path, book: Any, notes: list[str]) -> None:
    """openpyxl passes over sheets whose part is missing, which must not go unnoticed.

    Raises:
        ToolError: corrupt, if not one sheet is left.
    """
    missing = 0
    with zipfile.ZipFile(path) as archive:
        if _WORKBOOK in archive.namelist():
            listed = len(_LISTED.findall(archive.read(_WORKBOOK)))
            missing = max(0, listed - len(book.sheetnames))
    if not book.sheetnames:
        raise ToolError("corrupt", f"{path.name!r} is a damaged workbook: it holds no sheet")
    if missing:
        notes.append(f"the file is damaged: {missing} of its sheets cannot be found")


class _opened:  # noqa: N801 - used like a function
    """A workbook twice: with the values that were stored, and with its formulas."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stream: BinaryIO | None = None
        self._books: list[Any] = []

    def __enter__(self) -> tuple[Any, Any]:
        import openpyxl

        try:
            # Given a stream, openpyxl does not judge the file by its suffix.
            self._stream = self._path.open("rb")
            for data_only in (True, False):
                # Read-only mode streams: memory stays flat, whatever size a sheet has.
                book = openpyxl.load_workbook(self._stream, read_only=True, data_only=data_only)
                self._books.append(book)
        except _failures() as error:
            self._close()
            raise self._damaged(error) from error
        return self._books[0], self._books[1]

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        self._close()
        if isinstance(error, _failures()):
            raise self._damaged(error) from error

    def _close(self) -> None:
        for book in self._books:
            book.close()
        if self._stream is not None:
            self._stream.close()

    def _damaged(self, error: BaseException) -> ToolError:
        return ToolError(
            "corrupt",
            f"{self._path.name!r} is a damaged workbook: {type(error).__name__}: {error}",
            "read_original returns the bytes",
        )


def _failures() -> tuple[type[Exception], ...]:
    from openpyxl.utils.exceptions import InvalidFileException

    return damage(InvalidFileException)


def _load(values: Any, formulas: Any, wanted: Box | None) -> _Sheet:
    """The cells of ``wanted``, or of the whole sheet up to the caps."""
    for sheet in (values, formulas):
        sheet.reset_dimensions()  # what a file says of its sheets' sizes is often wrong
    box = wanted or Box(1, 1, MAX_COLUMNS, MAX_ROWS)
    last_row = min(box.r1, box.r0 + MAX_ROWS - 1)
    rows: dict[int, list[str]] = {}
    last_column, first_column = 0, MAX_COLUMNS
    capped = False
    for number, cells in _rows(values, formulas, box.r0):
        if number > last_row:
            capped = capped or wanted is None or number <= box.r1
            break
        texts = [_shown(value, formula) for value, formula in cells]
        if wanted is None and len(texts) > MAX_COLUMNS:
            capped = capped or any(texts[MAX_COLUMNS:])
        texts = texts[box.c0 - 1 : box.c1]
        used = [column for column, text in enumerate(texts) if text]
        if used:
            rows[number] = texts
            first_column, last_column = min(first_column, used[0]), max(last_column, used[-1] + 1)
    hidden = values.sheet_state != "visible"
    if not rows:
        return _Sheet(values.title, hidden, None, {}, capped)
    if wanted is None:
        bounds = Box(1, 1, last_column, max(rows))
        rows = {n: (t + [""] * last_column)[:last_column] for n, t in rows.items()}
    else:
        width = min(wanted.c1, wanted.c0 + MAX_COLUMNS - 1) - wanted.c0 + 1
        bounds = Box(wanted.c0, wanted.r0, wanted.c0 + width - 1, min(wanted.r1, max(rows)))
        rows = {n: (t + [""] * width)[:width] for n, t in rows.items()}
    return _Sheet(values.title, hidden, bounds, rows, capped)


def _rows(values: Any, formulas: Any, first: int) -> Iterator[tuple[int, list[tuple[Any, Any]]]]:
    pairs = zip(
        values.iter_rows(min_row=first, values_only=True),
        formulas.iter_rows(min_row=first, values_only=True),
        strict=False,
    )
    for number, (stored, written) in enumerate(pairs, first):
        yield number, list(zip(stored, written, strict=False))


def _shown(value: Any, formula: Any) -> str:
    """A cell's text; a formula whose result was never stored is shown as the formula."""
    if value is None:
        # Array formulas come as objects that hold their text.
        formula = getattr(formula, "text", formula)
        return "" if formula is None else str(formula)
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, dt.datetime):
        midnight = value.time() == dt.time()
        return value.date().isoformat() if midnight else value.isoformat(sep=" ")
    if isinstance(value, (dt.date, dt.time)):
        return value.isoformat()
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value)


def _described(sheet: _Sheet) -> dict[str, Any]:
    box = sheet.box
    return {
        "name": sheet.name,
        "rows": box.r1 if box else 0,
        "columns": box.c1 if box else 0,
        "hidden": sheet.hidden,
    }


def _cut(
    sheets: list[_Sheet], request: Request, notes: list[str]
) -> tuple[tuple[Segment, ...], int | None]:
    """Segments up to the requested size; a table's head comes on top and is not counted."""
    segments: list[Segment] = []
    position, room = 0, request.max_chars
    for sheet in sheets:
        if sheet.box is None:
            continue
        numbers = list(sheet.rows)
        body = "".join(markdown_row([str(n), *t]) + "\n" for n, t in sheet.rows.items())
        start = max(0, request.offset - position)
        if start < len(body):
            end = cut_point(body, start, len(body), room) if room > 0 else start
            if segments and end < len(body) and body[end - 1] != "\n":
                end = start
            if end > start:
                segments.append(_segment(sheet, sheet.box, numbers, body, start, end))
                room -= end - start
            if end < len(body):
                notes.append(
                    f"cut in sheet {sheet.name!r}; go on with offset={position + end} "
                    "and the same cells"
                )
                return tuple(segments), position + end
        position += len(body)
    if request.offset and not segments:
        raise ToolError(
            "out_of_range",
            f"offset {request.offset} is beyond the text, which ends at {position}",
            "go on only while next_offset is given",
        )
    return tuple(segments), None


def _segment(
    sheet: _Sheet, box: Box, numbers: list[int], body: str, start: int, end: int
) -> Segment:
    first = body.count("\n", 0, start)
    last = first + body.count("\n", start, end - 1)
    # Empty rows are not shown; those at the edges of the whole sheet still belong to it.
    top = box.r0 if start == 0 else numbers[first]
    bottom = box.r1 if end == len(body) else numbers[last]
    letters = [column_letters(c) for c in range(box.c0, box.c1 + 1)]
    table_head = markdown_row(["", *letters]) + "\n|" + " --- |" * (len(letters) + 1) + "\n"
    place = f"{letters[0]}{top}:{letters[-1]}{bottom}"
    return Segment(f"cells:{sheet.name}!{place}", table_head + body[start:end])


def column_letters(number: int) -> str:
    """``A`` for 1, ``AA`` for 27."""
    letters = ""
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


def _selection(cells: str, names: list[str]) -> tuple[str, Box | None]:
    """The sheet and the cells that ``Sheet!B2:C4``, ``B2``, or a sheet's name alone select.

    Raises:
        ToolError: bad_argument, or out_of_range if there is no such sheet.
    """
    text = cells.strip().removeprefix("cells:")
    by_name = {name.casefold(): name for name in names}
    if text.casefold() in by_name:
        return by_name[text.casefold()], None
    sheet, bang, place = text.rpartition("!")
    sheet = sheet.strip().strip("'")
    if bang and sheet.casefold() not in by_name:
        raise ToolError("out_of_range", f"there is no sheet {sheet!r}", f"there are {names}")
    first, _, last = place.partition(":")
    corners = [_CELL.fullmatch(corner.strip()) for corner in (first, last or first)]
    if not names or corners[0] is None or corners[1] is None:
        raise ToolError(
            "bad_argument",
            f"not a range of cells: {cells[:80]!r}",
            f"write Sheet!B2:C4; the sheets are {names}",
        )
    columns = [_number(m[1]) for m in corners if m]
    rows = [int(m[2]) for m in corners if m]
    if max(columns) > 16_384 or not 1 <= min(rows) <= max(rows) <= 1_048_576:
        raise ToolError("out_of_range", f"{place} lies outside of any sheet", "A1 to XFD1048576")
    name = by_name[sheet.casefold()] if bang else names[0]
    return name, Box(min(columns), min(rows), max(columns), max(rows))


def _number(letters: str) -> int:
    number = 0
    for letter in letters.upper():
        number = number * 26 + ord(letter) - ord("A") + 1
    return number
