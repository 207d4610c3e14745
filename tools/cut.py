"""Which part of a file's text is asked for, and cutting it to size at line and page borders."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from deskgym.tools.result import Segment, ToolError, ToolResult

Range = tuple[int, int]


@dataclass(frozen=True)
class Request:
    """The part of a text that a reader wants: at most one selection, then an offset into it."""

    pages: Range | None = None
    lines: Range | None = None
    cells: str | None = None
    offset: int = 0
    max_chars: int = 20_000
    span_s: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        _check_range("pages", self.pages)
        _check_range("lines", self.lines)
        if self.cells is not None and not isinstance(self.cells, str):
            raise ToolError("bad_argument", "cells is text like Sheet!B2:C4")
        _check_number("offset", self.offset, 0)
        _check_number("max_chars", self.max_chars, 1)
        check_span("span_s", self.span_s)

    def allow(self, selector: str, what: str) -> None:
        """Refuse every selection but ``selector`` for ``what`` ("a PDF", "a sheet", ...).

        Raises:
            ToolError: bad_argument.
        """
        for name in ("pages", "lines", "cells", "span_s"):
            if name != selector and getattr(self, name) is not None:
                remedy = f"select with {selector}" if selector else "leave it out"
                raise ToolError("bad_argument", f"{what} has no {name} to select", remedy)


def _check_number(name: str, value: Any, least: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise ToolError("bad_argument", f"{name} is a whole number from {least}, not {value!r:.40}")


def _check_range(name: str, value: Any) -> None:
    if value is None:
        return
    if not isinstance(value, tuple) or len(value) != 2:
        raise ToolError("bad_argument", f"{name} is a first and a last number, not {value!r:.40}")
    for number in value:
        _check_number(name, number, 1)
    if value[1] < value[0]:
        raise ToolError("bad_argument", f"{name} run upwards, not from {value[0]} to {value[1]}")


def check_span(name: str, value: Any) -> None:
    """Refuse what is neither None nor two times in seconds, the first not after the second.

    Raises:
        ToolError: bad_argument.
    """
    if value is None:
        return
    if not isinstance(value, tuple) or len(value) != 2 or not all(map(is_time, value)):
        raise ToolError("bad_argument", f"{name} is a start and an end in s, not {value!r:.60}")
    if value[1] < value[0]:
        raise ToolError("bad_argument", f"{name} runs upwards, not from {value[0]} to {value[1]}")


def is_time(value: Any) -> bool:
    """Whether ``value`` is a number of seconds, at least 0."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < math.inf


def clip(selected: Range | None, total: int, what: str, notes: list[str]) -> Range:
    """The selected range, ended at ``total``; everything without a selection.

    Raises:
        ToolError: out_of_range, if the selection begins beyond ``total``.
    """
    first, last = selected or (1, total)
    if first > total:
        raise ToolError(
            "out_of_range",
            f"there is no {what} {first}: the file has {total}",
            f"choose from 1 to {total}",
        )
    if last > total:
        notes.append(f"the file ends at {what} {total}")
    return first, min(last, total)


def cut_point(text: str, start: int, stop: int, room: int) -> int:
    """Where a piece of ``text[start:stop]`` of at most ``room`` characters ends.

    That is after the last line that fits; inside of a line only if not even one fits.
    """
    if stop - start <= room:
        return stop
    newline = text.rfind("\n", start, start + room)
    return newline + 1 if newline >= 0 else start + room


def clean(text: str) -> str:
    """``text`` with ``\\n`` as its only line end and without lone surrogates."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.encode("utf-8", "replace").decode("utf-8")


def cut_lines(text: str, request: Request, info: dict[str, Any], notes: list[str]) -> ToolResult:
    """One segment ``lines:a-b`` with the requested part of ``text``.

    ``request.offset`` counts characters from the beginning of the whole text, also where lines
    are selected. The pieces that follow each other through ``next_offset`` add up to the text.

    Raises:
        ToolError: out_of_range.
    """
    total = text.count("\n") + (not text.endswith("\n"))
    info = {**info, "lines": total if text else 0, "chars": len(text)}
    if not text.strip():
        return ToolResult(info=info, notes=(*notes, "there is no text in this file"))
    first, last = clip(request.lines, total, "line", notes)
    begin, stop = _span(text, first, last)
    start = max(begin, request.offset)
    if start >= stop:
        raise ToolError(
            "out_of_range",
            f"offset {request.offset} is beyond the text, which ends at {stop}",
            "go on only while next_offset is given",
        )
    end = cut_point(text, start, stop, request.max_chars)
    a = text.count("\n", 0, start) + 1
    b = a + text.count("\n", start, end - 1)
    if end < stop:
        notes.append(
            f"cut after line {b} of {total}; go on with offset={end} and the same selection"
        )
    return ToolResult(
        segments=(Segment(f"lines:{span(a, b)}", text[start:end]),),
        info=info,
        notes=tuple(notes),
        next_offset=end if end < stop else None,
    )


def span(first: int, last: int) -> str:
    """``4-7``, or ``4`` for a single number."""
    return f"{first}" if first == last else f"{first}-{last}"


def _span(text: str, first: int, last: int) -> Range:
    """The characters of lines ``first`` to ``last``, both of which exist."""
    begin = 0
    for _ in range(first - 1):
        begin = text.index("\n", begin) + 1
    stop = begin
    for _ in range(last - first + 1):
        stop = text.find("\n", stop) + 1
        if stop == 0:
            return begin, len(text)
    return begin, stop


def cut_pages(
    pages: Iterable[tuple[int, str]], request: Request, notes: list[str]
) -> tuple[tuple[Segment, ...], int | None]:
    """Segments ``page:n`` up to the requested size, and the offset to go on from.

    ``request.offset`` counts characters over the texts of ``pages`` one after the other. Pages
    are taken from the iterable only as far as needed.

    Raises:
        ToolError: out_of_range.
    """
    segments: list[Segment] = []
    position, room = 0, request.max_chars
    for number, text in pages:
        start = max(0, request.offset - position)
        if start >= len(text):
            position += len(text)
            continue
        end = cut_point(text, start, len(text), room) if room > 0 else start
        if segments and end < len(text) and text[end - 1] != "\n":
            end = start  # not half a line for what little room is left
        if end > start:
            segments.append(Segment(f"page:{number}", text[start:end]))
            room -= end - start
        if end < len(text):
            notes.append(
                f"cut on page {number}; go on with offset={position + end} and the same pages"
            )
            return tuple(segments), position + end
        position += len(text)
    if request.offset and not segments:
        raise ToolError(
            "out_of_range",
            f"offset {request.offset} is beyond the text, which ends at {position}",
            "go on only while next_offset is given",
        )
    return tuple(segments), None


def time_locator(start_s: float, end_s: float) -> str:
    """``time:8-9.5``, in hundredths of a second."""
    return f"time:{_seconds(start_s)}-{_seconds(max(start_s, end_s))}"


def _seconds(number: float) -> str:
    return f"{number:.2f}".rstrip("0").rstrip(".")


def times_of(locator: str) -> tuple[float, float] | None:
    """Start and end of a locator ``time:a-b``; None for any other."""
    kind, _, rest = locator.partition(":")
    if kind != "time":
        return None
    start, _, end = rest.partition("-")
    return float(start), float(end)


def within(segments: Iterable[Segment], span_s: tuple[float, float]) -> tuple[Segment, ...]:
    """The segments ``time:a-b`` that share some time with ``span_s``."""
    start, end = span_s
    found = []
    for segment in segments:
        times = times_of(segment.locator)
        # Of two segments that touch at a border of the span, one lies outside; a moment has both.
        touches = times and times[0] <= end and times[1] >= start
        if times and touches and (start == end or (times[0] < end and times[1] > start)):
            found.append(segment)
    return tuple(found)


def cut_times(
    segments: Iterable[Segment], request: Request, notes: list[str]
) -> tuple[tuple[Segment, ...], int | None]:
    """Of the segments ``time:a-b`` of a whole file those asked for, and the offset to go on from.

    ``request.span_s`` selects those that share some time with it. ``request.offset`` counts
    characters over the texts of the selection one after the other. A segment is cut only if it
    is the first and too long by itself.

    Raises:
        ToolError: out_of_range.
    """
    chosen = tuple(segments) if request.span_s is None else within(segments, request.span_s)
    if not chosen and request.span_s is not None:
        notes.append("nothing is said in this span")
    pieces: list[Segment] = []
    position, room = 0, request.max_chars
    for segment in chosen:
        start, size = max(0, request.offset - position), len(segment.text)
        if start >= size:
            position += size
            continue
        end = min(size, start + room)
        if pieces and end < size:
            end = start
        if end > start:
            pieces.append(Segment(segment.locator, segment.text[start:end]))
            room -= end - start
        if end < size:
            following = position + end
            notes.append(f"cut at {segment.locator}; go on with offset={following} and this span")
            return tuple(pieces), following
        position += size
    if request.offset and not pieces:
        raise ToolError(
            "out_of_range",
            f"offset {request.offset} is beyond the text, which ends at {position}",
            "go on only while next_offset is given",
        )
    return tuple(pieces), None


def listing(numbers: list[int]) -> str:
    """``1-3, 7`` for 1, 2, 3, 7."""
    runs: list[Range] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], number)
        else:
            runs.append((number, number))
    return ", ".join(span(*run) for run in runs)


def markdown_row(cells: Iterable[str]) -> str:
    """One row of a table: bars between the cells, each cell on one line."""
    return "| " + " | ".join(" ".join(c.replace("|", "\\|").split()) for c in cells) + " |"
