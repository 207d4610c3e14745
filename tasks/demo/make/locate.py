"""Finding where in a file a quote stands.

A file that holds pixels or sound has a legend: its writer knows what it put where. Any other
file is read with the read tool that an agent uses, so that a locator means what the agent sees.
"""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

from deskgym.tasks.demo.make.things import DeskError, Mark
from deskgym.tasks.locators import (
    AnyLocator,
    Cells,
    Lines,
    Pages,
    Region,
    TimeSpan,
    WholeFile,
    cell_bounds,
    parse_locator,
)
from deskgym.tools.registry import read_text
from deskgym.tools.result import ToolError

_BULLET = re.compile(r"(?m)^[ \t]*(?:[-*•>]|#{1,6})[ \t]+")
_SEPARATORS = {"csv": re.compile(r'[,;\t|"]'), "tsv": re.compile(r'[,;\t|"]')}
_BARS = re.compile(r"\|")


def normalised(text: str, suffix: str = "") -> str:
    """``text`` as quotes are compared: no case, single blanks, no bullets, no column marks."""
    text = _BULLET.sub(" ", unicodedata.normalize("NFC", text))
    text = _SEPARATORS.get(suffix, _BARS).sub(" ", text)
    return " ".join(text.casefold().split())


def find(marks: list[Mark], text: str, suffix: str = "") -> AnyLocator | None:
    """Where ``text`` first stands in ``marks``, read one after the other; it may span several.

    It is found at the borders of words and numbers only: 12 is not in 2012.
    """
    quote = normalised(text, suffix)
    if not quote:
        return None
    joined, starts, places = "", [], []
    for mark in marks:
        if words := normalised(mark.text, suffix):
            joined += " " if joined else ""
            starts.append(len(joined))
            places.append(mark.locator)
            joined += words
    before = r"(?<![a-z0-9])" if re.match(r"[a-z0-9]", quote) else ""
    after = r"(?![a-z0-9])" if re.search(r"[a-z0-9]$", quote) else ""
    found = re.search(before + re.escape(quote) + after, joined)
    if found is None:
        return None
    ends = [*starts[1:], len(joined) + 1]
    touched = [
        place
        for place, start, end in zip(places, starts, ends, strict=True)
        if start < found.end() and found.start() < end - 1
    ]
    return merged(touched)


def nearest(marks: list[Mark], text: str, count: int = 4) -> str:
    """Those of ``marks`` that share the most words with ``text``: what was meant, perhaps."""
    words = set(normalised(text).split())
    said = [mark.text.strip() for mark in marks if mark.text.strip()]
    said.sort(key=lambda one: -len(words & set(normalised(one).split())))
    return " / ".join(one[:200] for one in said[:count])


def merged(locators: list[AnyLocator]) -> AnyLocator:
    """The smallest locator that holds all of ``locators``, which are of one kind."""
    if any(isinstance(one, WholeFile) for one in locators):
        return WholeFile()
    pages = [one for one in locators if isinstance(one, Pages)]
    lines = [one for one in locators if isinstance(one, Lines)]
    spans = [one for one in locators if isinstance(one, TimeSpan)]
    regions = [one for one in locators if isinstance(one, Region)]
    cells = [one for one in locators if isinstance(one, Cells)]
    if pages:
        return Pages(start=min(p.start for p in pages), end=max(p.end for p in pages))
    if lines:
        return Lines(start=min(one.start for one in lines), end=max(one.end for one in lines))
    if spans:
        return TimeSpan(start_s=min(s.start_s for s in spans), end_s=max(s.end_s for s in spans))
    if cells:
        corners = [cell_bounds(one.range) for one in cells]
        first = cells[min(range(len(cells)), key=lambda n: corners[n])].range.partition(":")[0]
        last = cells[max(range(len(cells)), key=lambda n: corners[n])].range.rpartition(":")[2]
        return Cells(sheet=cells[0].sheet, range=first if first == last else f"{first}:{last}")
    numbers = sorted({one.page for one in regions})
    if len(numbers) > 1:
        return Pages(start=numbers[0], end=numbers[-1])
    return Region(
        page=numbers[0],
        x0=min(r.x0 for r in regions),
        y0=min(r.y0 for r in regions),
        x1=max(r.x1 for r in regions),
        y1=max(r.y1 for r in regions),
    )


def find_cells(rows: list[list[tuple[list[str], Cells]]], text: str) -> AnyLocator | None:
    """Where ``text`` stands in the cells of a workbook: one cell's value, or several of a row.

    Each cell comes with the ways in which its value may be written. A cell that is exactly the
    quote wins over one that contains it.
    """
    quote = normalised(text)
    for row in rows:
        for texts, locator in row:
            if quote and any(normalised(one) == quote for one in texts):
                return locator
    for row in rows:
        # Ways to write a cell are tried side by side: all the first, all the second, ...
        for way in range(max((len(texts) for texts, _ in row), default=0)):
            marks = [Mark(t[min(way, len(t) - 1)], at) for t, at in row if t]
            if (found := find(marks, text)) is not None:
                return found
    return None


def read_marks(path: Path) -> list[Mark]:
    """Everything that the read tool gives for ``path``, line by line or page by page.

    Raises:
        DeskError: the tool cannot read the file.
    """
    marks: list[Mark] = []
    offset: int | None = 0
    while offset is not None:
        try:
            result = read_text(path, offset=offset, max_chars=1_000_000)
        except ToolError as error:
            raise DeskError(f"the read tool cannot read {path}: {error}") from error
        for segment in result.segments:
            place = parse_locator(segment.locator)
            if isinstance(place, Lines):
                rows = segment.text.split("\n")
                marks += [
                    Mark(row, Lines(start=place.start + n, end=place.start + n))
                    for n, row in enumerate(rows)
                ]
            else:
                marks.append(Mark(segment.text, place))
        offset = result.next_offset
    return marks
