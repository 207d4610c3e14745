"""Spreadsheets (xlsx): a table a sheet, with column letters and row numbers to cite cells by."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from deskgym.tools.cut import Request
from deskgym.tools.grid import (
    Box,
    Sheet,
    bounded,
    column_letters,
    read_sheets,
    value_text,
    window,
)
from deskgym.tools.guards import check_office_zip, damage
from deskgym.tools.result import ToolError, ToolResult
from deskgym.tools.sniff import FileType

_WORKBOOK = "xl/workbook.xml"
_LISTED = re.compile(rb"<(?:\w+:)?sheet\s")
_MERGED = re.compile(rb"<(?:\w+:)?mergeCell\s+ref=[\"']([A-Z]{1,3}\d+:[A-Z]{1,3}\d+)[\"']")
_PIECE = 1024 * 1024
_MAX_MERGED = 10_000


def read(path: Path, kind: FileType, request: Request) -> ToolResult:
    """One segment a sheet (or the selected cells), its locator naming exactly the rows returned.

    Cells show their values; a formula whose result was never stored is shown as the formula.

    Raises:
        ToolError: encrypted, corrupt, too_large, out_of_range, bad_argument.
    """
    request.allow("cells", "a workbook")
    check_office_zip(path)
    notes: list[str] = []
    with _opened(path) as (values, formulas):
        names = [sheet.title for sheet in values.worksheets]
        _check_complete(path, values, notes)

        def load(index: int, wanted: Box | None) -> Sheet:
            return _load(path, values.worksheets[index], formulas.worksheets[index], wanted)

        return read_sheets(names, load, request, notes)


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


def _load(path: Path, values: Any, formulas: Any, wanted: Box | None) -> Sheet:
    """The cells of ``wanted``, or of the whole sheet up to the caps."""
    for sheet in (values, formulas):
        sheet.reset_dimensions()  # what a file says of its sheets' sizes is often wrong
    view = window(wanted)
    written: dict[str, str] = {}

    def rows() -> Iterator[tuple[int, list[str]]]:
        for number, cells in _rows(values, formulas, view.r0):
            yield number, [_shown(value, formula) for value, formula in cells]
            if number > view.r1:
                return
            for column, (value, formula) in enumerate(cells[: view.c1], 1):
                text = getattr(formula, "text", formula)
                is_formula = isinstance(text, str) and text[:1] == "=" and text != value
                if is_formula and value is not None and column >= view.c0:
                    written[f"{column_letters(column)}{number}"] = text

    box, kept, capped = bounded(rows(), wanted)
    return Sheet(
        name=values.title,
        hidden=values.sheet_state != "visible",
        box=box,
        rows=kept,
        capped=capped,
        formulas=written,
        merged=_merged(path, values._worksheet_path),
    )


def _merged(path: Path, part: str) -> tuple[str, ...]:
    """The ranges of merged cells, which openpyxl does not tell when it streams a sheet."""
    found: list[str] = []
    with zipfile.ZipFile(path) as archive, archive.open(part) as stream:
        rest = b""
        while piece := stream.read(_PIECE):
            text = rest + piece
            end = 0
            for match in _MERGED.finditer(text):
                found.append(match[1].decode("ascii"))
                end = match.end()
            rest = text[max(end, len(text) - 100) :]
            if len(found) >= _MAX_MERGED:
                break
    return tuple(found)


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
        return value_text(getattr(formula, "text", formula))
    return value_text(value)
