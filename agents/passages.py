"""What `read_text` showed of a file, as sentences that know their place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from deskgym.tasks.locators import (
    AnyLocator,
    Cells,
    Lines,
    WholeFile,
    cell_bounds,
    parse_locator,
)

AROUND = 5  # sentences before and after one that make its surroundings

_HEADER = re.compile(r"^\[((?:page|lines|turns|cells|time|region):.+)\]$")
NOTES = ("note: ", "there is more: ")  # how the lines begin that `read_text` adds of its own
# A full stop ends a sentence if what follows looks like the start of one.
_END = re.compile(r"(?<=[.!?])[\"'”’)]?\s+(?=[A-Z0-9\"'“‘£$€(])")
# Lines that do not continue the one before: bullets, headings, table rows, "Key: value".
_STARTS = re.compile(r"^\s*(?:[-*•>#|\[]|\d+[.)]\s|[A-Z][\w .()-]{0,30}:\s)")
_ROW = re.compile(r"^\|\s*(\d+)\s*\|")


@dataclass(frozen=True)
class Sentence:
    """A sentence, a table's row or a line, where it stands, and what stands around it."""

    path: str
    locator: AnyLocator
    text: str
    context: str


def sentences(path: str, text: str) -> Iterator[Sentence]:
    """The sentences of what was shown of ``path``.

    What `read_text` puts before the first place and its notes are not the file's; a file printed
    in the terminal has no places and is one whole.
    """
    if text.startswith("error ("):
        return
    locator: AnyLocator | None = None
    lines: list[str] = []
    for line in text.split("\n"):
        if (header := _HEADER.match(line)) and (found := shown_locator(header[1])) is not None:
            if locator is not None:
                yield from _of_segment(path, locator, lines)
            locator, lines = found, []
        elif not line.startswith(NOTES):
            lines.append(line)
    yield from _of_segment(path, locator or WholeFile(), lines)


def _of_segment(path: str, locator: AnyLocator, lines: list[str]) -> Iterator[Sentence]:
    pieces = list(_pieces(lines))
    heading = ""  # of the table that a row is in: it says what the numbers are
    for number, (first, last, text) in enumerate(pieces):
        is_row = text.startswith("|")
        if not is_row:
            heading = ""
        elif not heading:
            heading = text
        around = pieces[max(number - AROUND, 0) : number + AROUND + 1]
        context = f"{heading} {text}" if is_row else " ".join(piece for _, _, piece in around)
        yield Sentence(path, _place(locator, first, last, text), text, context)


def _place(locator: AnyLocator, first: int, last: int, text: str) -> AnyLocator:
    if isinstance(locator, Lines):
        return Lines(start=locator.start + first, end=locator.start + last)
    if isinstance(locator, Cells) and (row := _ROW.match(text)):
        left, _, right, _ = cell_bounds(locator.range)
        cells = f"{_letters(left)}{row[1]}:{_letters(right)}{row[1]}"
        return Cells(sheet=locator.sheet, range=cells)
    return locator


def _pieces(lines: list[str]) -> Iterator[tuple[int, int, str]]:
    """First line, last line (counted from 0) and text of each sentence; wrapped lines joined."""
    block: list[int] = []
    for number, line in enumerate([*lines, ""]):
        if block and (not line.strip() or _STARTS.match(line)):
            yield from _split(lines, block)
            block = []
        if line.strip():
            block.append(number)


def _split(lines: list[str], block: list[int]) -> Iterator[tuple[int, int, str]]:
    joined, starts = "", []
    for number in block:
        joined += " " if joined else ""
        starts.append((len(joined), number))
        joined += lines[number].strip()

    def line_at(position: int) -> int:
        return max(number for start, number in starts if start <= position)

    begin = 0
    ends = [(m.start(), m.end()) for m in _END.finditer(joined)] + [(len(joined), len(joined))]
    for end, following in ends:
        if sentence := joined[begin:end].strip():
            yield line_at(begin), line_at(end - 1), sentence
        begin = following


def _letters(column: int) -> str:
    letters = ""
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


def shown_locator(text: str) -> AnyLocator | None:
    """The place that a heading names; None if it only looks like a heading."""
    try:
        return parse_locator(text)
    except ValueError:
        return None  # a line of the file itself
