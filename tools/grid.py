"""Sheets of cells, whatever their format: selecting, bounding, and cutting them to size."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from deskgym.tools.cut import Request, cut_point, markdown_row
from deskgym.tools.result import Segment, ToolError, ToolResult

MAX_ROWS = 20_000
MAX_COLUMNS = 256
_MAX_NAMED = 12  # formulas and merged ranges that a note names
_CELL = re.compile(r"\$?([A-Za-z]{1,3})\$?(\d{1,7})")


@dataclass(frozen=True)
class Box:
    """A rectangle of cells, all bounds 1-based and inclusive."""

    c0: int
    r0: int
    c1: int
    r1: int


@dataclass(frozen=True)
class Sheet:
    """A sheet's cells that hold something, as text by row; ``box`` bounds them.

    ``formulas`` are those whose result is shown in their place, by cell; ``merged`` are the
    ranges of merged cells, whose text stands in the first of them.
    """

    name: str
    hidden: bool = False
    box: Box | None = None
    rows: dict[int, list[str]] = field(default_factory=dict)
    capped: bool = False
    formulas: dict[str, str] = field(default_factory=dict)
    merged: tuple[str, ...] = ()


Rows = Iterable[tuple[int, list[str]]]
Selected = tuple[str, Box | None]


def window(wanted: Box | None) -> Box:
    """The cells to look at for a selection: never more than the caps."""
    box = wanted or Box(1, 1, MAX_COLUMNS, MAX_ROWS)
    return Box(
        box.c0,
        box.r0,
        min(box.c1, box.c0 + MAX_COLUMNS - 1),
        min(box.r1, box.r0 + MAX_ROWS - 1),
    )


def bounded(rows: Rows, wanted: Box | None) -> tuple[Box | None, dict[int, list[str]], bool]:
    """The rows of text that hold something within ``wanted``, what bounds them, and whether
    there is more beyond the caps.

    ``rows`` come in ascending order, with texts from column A on.
    """
    view = window(wanted)
    kept: dict[int, list[str]] = {}
    last_column = 0
    capped = False
    for number, texts in rows:
        if number > view.r1:
            capped = capped or wanted is None or number <= wanted.r1
            break
        if wanted is None and len(texts) > MAX_COLUMNS:
            capped = capped or any(texts[MAX_COLUMNS:])
        texts = texts[view.c0 - 1 : view.c1]
        used = [column for column, text in enumerate(texts) if text]
        if number >= view.r0 and used:
            kept[number] = texts
            last_column = max(last_column, used[-1] + 1)
    if not kept:
        return None, {}, capped
    if wanted is None:
        box = Box(1, 1, last_column, max(kept))
    else:
        last_column = view.c1 - view.c0 + 1
        box = Box(wanted.c0, wanted.r0, view.c1, min(wanted.r1, max(kept)))
    return box, {n: (t + [""] * last_column)[:last_column] for n, t in kept.items()}, capped


def read_sheets(
    names: list[str], load: Callable[[int, Box | None], Sheet], request: Request, notes: list[str]
) -> ToolResult:
    """One segment a sheet (or the selected cells), its locator naming exactly the rows returned.

    ``load`` gives the sheet at an index, or the selected part of it.

    Raises:
        ToolError: out_of_range, bad_argument, or what ``load`` raises.
    """
    selected = selection(request.cells, names) if request.cells is not None else None
    sheets = [
        load(index, selected[1] if selected and selected[0] == name else None)
        for index, name in enumerate(names)
    ]
    for sheet in sheets:
        if sheet.hidden:
            notes.append(f"sheet {sheet.name!r} is hidden")
        if sheet.capped:
            notes.append(
                f"sheet {sheet.name!r} goes on beyond {MAX_ROWS:,} rows or {MAX_COLUMNS} columns; "
                "select further cells to see them"
            )
    shown = [s for s in sheets if selected is None or s.name == selected[0]]
    for sheet in shown:
        notes += _remarks(sheet)
    if selected is not None and shown[0].box is None:
        notes.append("the selected cells are empty")
    elif not any(sheet.box for sheet in shown):
        notes.append("there is nothing in its cells")
    segments, next_offset = _cut(shown, request, notes)
    info = {"sheets": [_described(sheet) for sheet in sheets]}
    return ToolResult(segments=segments, info=info, notes=tuple(notes), next_offset=next_offset)


def _remarks(sheet: Sheet) -> list[str]:
    """Notes on what the table of a sheet does not show: formulas behind results, merged cells."""
    notes = []
    if sheet.formulas:
        named = [f"{cell} {text}" for cell, text in sheet.formulas.items()]
        notes.append(f"formulas in sheet {sheet.name!r}: {_some(named)}")
    if sheet.merged:
        notes.append(f"merged cells in sheet {sheet.name!r}: {_some(list(sheet.merged))}")
    return notes


def _some(items: list[str]) -> str:
    shown = "; ".join(item[:120] for item in items[:_MAX_NAMED])
    more = len(items) - _MAX_NAMED
    return shown if more <= 0 else f"{shown}; and {more:,} more (select fewer cells to see theirs)"


def _described(sheet: Sheet) -> dict[str, Any]:
    box = sheet.box
    what: dict[str, Any] = {
        "name": sheet.name,
        "rows": box.r1 if box else 0,
        "columns": box.c1 if box else 0,
        "hidden": sheet.hidden,
    }
    if sheet.formulas:
        what["formulas"] = len(sheet.formulas)
    if sheet.merged:
        what["merged"] = list(sheet.merged[:200])
    return what


def _cut(
    sheets: list[Sheet], request: Request, notes: list[str]
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
    sheet: Sheet, box: Box, numbers: list[int], body: str, start: int, end: int
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


def value_text(value: Any) -> str:
    """A cell's value as text: ISO dates, ``TRUE``/``FALSE``, whole numbers without a point."""
    if value is None:
        return ""
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


def column_letters(number: int) -> str:
    """``A`` for 1, ``AA`` for 27."""
    letters = ""
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


def range_name(box: Box) -> str:
    """``B2:C4`` for a rectangle of cells."""
    return f"{column_letters(box.c0)}{box.r0}:{column_letters(box.c1)}{box.r1}"


def selection(cells: str, names: list[str]) -> Selected:
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
