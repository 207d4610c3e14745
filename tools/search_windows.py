"""A file's text in pieces of a size that is worth finding: what full-text search returns.

Standard library only: it is imported in the desk.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby

from deskgym.tools.cut import span
from deskgym.tools.result import Segment

WINDOW_LINES = 12
WINDOW_CHARS = 1_500
PAGE_CHARS = 4_000
SPEECH_S = 20.0
SPEECH_CHARS = 600
HEAD_CHARS = 300  # of a sheet's first row, repeated with its later rows

_Fits = Callable[[list[Segment], Segment], bool]
_Place = Callable[[list[Segment]], str]
_CELLS = re.compile(r"([A-Z]+)\d+:([A-Z]+)\d+")
_ROW = re.compile(r"\|\s*(\d+)\s*\|")
_TIME = re.compile(r"time:([\d.]+)-([\d.]+)")
_REGION = re.compile(r"region:(\d+)@([\d.]+),([\d.]+),([\d.]+),([\d.]+)")


def windows(segments: Iterable[Segment]) -> Iterator[Segment]:
    """The pieces that ``segments``, the whole text of a file, are found by, in order.

    Lines and rows of sheets come a dozen at a time, a sheet's first row with each dozen; pages
    whole unless they are long; lines of text in a picture together; speech about 20 seconds at a
    time. No piece is blank.
    """
    for (kind, _), group in groupby(segments, key=_group):
        if kind == "region":
            yield from _joined(list(group), _regions_fit, _around)
        elif kind == "time":
            yield from _joined(list(group), _times_fit, _from_to)
        else:
            for segment in group:
                yield from _cut(kind, segment)


def _group(segment: Segment) -> tuple[str, str]:
    """Segments that may be put together: of one kind, regions of one page."""
    kind = segment.locator.partition(":")[0]
    if kind == "region" and (match := _REGION.fullmatch(segment.locator)):
        return kind, match[1]
    if kind == "time" and _TIME.fullmatch(segment.locator):
        return kind, ""
    return ("" if kind in ("region", "time") else kind), ""


# -- cutting what is long --------------------------------------------------------------------------


def _cut(kind: str, segment: Segment) -> Iterator[Segment]:
    first = re.match(r"lines:(\d+)", segment.locator)
    cells = segment.locator.rpartition("!")
    if kind == "lines" and first:
        for start, lines in _runs(segment.text.splitlines(), WINDOW_LINES, WINDOW_CHARS):
            begin = int(first[1]) + start
            yield from _piece(f"lines:{span(begin, begin + len(lines) - 1)}", lines)
    elif kind == "cells" and (columns := _CELLS.fullmatch(cells[2])):
        yield from _rows(cells[0] + cells[1], columns, segment.text.splitlines())
    else:
        whole = len(segment.text.splitlines()) + 1
        for _, lines in _runs(segment.text.splitlines(), whole, PAGE_CHARS):
            yield from _piece(segment.locator, lines)


def _rows(place: str, columns: re.Match[str], lines: list[str]) -> Iterator[Segment]:
    rows = [line for line in lines if _ROW.match(line)]
    head = rows[0][:HEAD_CHARS] if rows else ""
    for start, some in _runs(rows, WINDOW_LINES, WINDOW_CHARS):
        numbers = [match[1] for row in some if (match := _ROW.match(row))]
        locator = f"{place}{columns[1]}{numbers[0]}:{columns[2]}{numbers[-1]}"
        yield from _piece(locator, [head, *some] if start else some)


def _piece(locator: str, lines: list[str]) -> Iterator[Segment]:
    """A line that is longer than any piece comes in several, all of them at its place."""
    text = "\n".join(lines)
    for start in range(0, len(text), PAGE_CHARS):
        if (part := text[start : start + PAGE_CHARS]).strip():
            yield Segment(locator, part)


def _runs(lines: list[str], most: int, chars: int) -> Iterator[tuple[int, list[str]]]:
    """``lines`` in runs of at most ``most`` lines and, unless it is one line, ``chars``."""
    start, size = 0, 0
    for number, line in enumerate(lines):
        if number > start and (number - start >= most or size + len(line) > chars):
            yield start, lines[start:number]
            start, size = number, 0
        size += len(line) + 1
    if start < len(lines):
        yield start, lines[start:]


# -- joining what is short -------------------------------------------------------------------------


def _joined(segments: list[Segment], fits: _Fits, place: _Place) -> Iterator[Segment]:
    run: list[Segment] = []
    for segment in segments:
        if run and not fits(run, segment):
            yield from _piece(place(run), [s.text for s in run])
            run = []
        run.append(segment)
    yield from _piece(place(run), [s.text for s in run])


def _chars(run: list[Segment], more: Segment) -> int:
    return sum(len(s.text) + 1 for s in run) + len(more.text)


def _regions_fit(run: list[Segment], more: Segment) -> bool:
    return _chars(run, more) <= WINDOW_CHARS


def _times_fit(run: list[Segment], more: Segment) -> bool:
    begin, _ = _seconds(run[0])
    _, end = _seconds(more)
    return float(end) - float(begin) <= SPEECH_S and _chars(run, more) <= SPEECH_CHARS


def _seconds(segment: Segment) -> tuple[str, str]:
    match = _TIME.fullmatch(segment.locator)
    return (match[1], match[2]) if match else ("0", "0")


def _from_to(run: list[Segment]) -> str:
    if len(run) == 1:
        return run[0].locator
    ends = [_seconds(s)[1] for s in run]
    return f"time:{_seconds(run[0])[0]}-{max(ends, key=float)}"


def _around(run: list[Segment]) -> str:
    """The box around all boxes; its numbers stay as they were written."""
    if len(run) == 1:
        return run[0].locator
    boxes = [match for s in run if (match := _REGION.fullmatch(s.locator))]
    near = [min((m[n] for m in boxes), key=float) for n in (2, 3)]
    far = [max((m[n] for m in boxes), key=float) for n in (4, 5)]
    return f"region:{boxes[0][1]}@{','.join(near + far)}"
