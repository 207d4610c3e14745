"""Where in its file a published piece of evidence stands.

A published locator is text in any words (``Page 3``, ``slide 2``, ``00:12-00:20``,
``Sheet "Rent", cells B2:C4``), a list or an object, and often empty.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Final, Literal

from pydantic import ValidationError

from deskgym.tasks.hippocamp.layout import plain_path
from deskgym.tasks.hippocamp.sources import FILE_KEYS, flat, is_text, unpacked
from deskgym.tasks.locators import (
    AnyLocator,
    Cells,
    Lines,
    Pages,
    Region,
    TimeSpan,
    Turns,
    WholeFile,
    parse_locator,
)
from deskgym.tasks.schema import Modality

_TABLES: Final = frozenset({"xlsx", "xls", "xlsm", "csv", "tsv", "ods"})
_PAGED: Final = frozenset({"pdf", "docx", "doc", "pptx", "ppt", "odt", "odp", "rtf"})
_MOST: Final = 10**9  # pages, or seconds
_LAST_COLUMN: Final = "XFD"
_WHOLE: Final = re.compile(r"(?:the )?(?:whole|full|entire) (?:file|document|text|image)", re.I)

PlaceState = Literal["found", "none given", "not understood"]


@dataclass(frozen=True)
class FoundPlace:
    """A place, the whole file unless ``state`` is ``found``."""

    locator: AnyLocator
    state: PlaceState


_DASH: Final = r"\s*(?:-|–|—|~|to|until|and|through|&)\s*"
_AFTER: Final = r"(?![a-z])\.?\s*(?:no\.?|numbers?)?\s*[:#=]?\s*"  # a keyword
_ONE: Final = rf"(\d{{1,9}}\b(?:{_DASH}\d{{1,9}}\b)?)"
_MANY: Final = rf"(\d{{1,9}}\b(?:(?:{_DASH}|\s*,\s*)\d{{1,9}}\b)*)"


def _counted(singular: str, plural: str) -> re.Pattern[str]:
    """What finds ``page 3``, ``page 3-4`` and ``pages 3, 5 and 7``; the numbers are a group."""
    return re.compile(rf"\b(?:(?:{plural}){_AFTER}{_MANY}|(?:{singular}){_AFTER}{_ONE})", re.I)


_PAGE: Final = _counted("page|pg|p|slide", "pages|pgs|pp|slides")
_TURN: Final = _counted("turn", "turns")
_LINE: Final = _counted("line", "lines")
_L_LINE: Final = re.compile(rf"\bL(\d{{1,9}})\b(?:{_DASH}L?(\d{{1,9}})\b)?")
_ROW: Final = _counted("row", "rows")
_SHEET: Final = re.compile(
    r"\b(?:sheet|tab|worksheet)\b\s*(?:name)?\s*[:=]?\s*"
    r"""(?:["'“‘]([^"'”’]+)["'”’]|([\w.\-]+(?: [\w.\-]+)*?))"""
    r"(?=\s*(?:[,;!]|\bcells?\b|\brows?\b|\brange\b|$))",
    re.I,
)
_CELL: Final = re.compile(
    r"(?<![\w.])\$?([A-Za-z]{1,3})\$?(\d{1,7})"
    r"(?:\s*[:\-–]\s*\$?([A-Za-z]{1,3})\$?(\d{1,7}))?(?![\w.]*\w)"
)
_BANG: Final = re.compile(r"""(?:'([^']+)'|([^\s!,;:'"]+))!(?=\$?[A-Za-z])""")
_CLOCK: Final = re.compile(r"(?<![\d:])(?:(\d{1,2}):)?(\d{1,3}):(\d{2}(?:[.,]\d+)?)(?![\d:])")
_SECONDS: Final = re.compile(r"(\d+(?:\.\d+)?)\s*(?:s|secs?|seconds?)\b", re.I)
_NUMBER: Final = re.compile(r"(?<![\d.])(\d+(?:\.\d+)?)(?![\d.])")


def place_of(evidence: Mapping[str, Any], path: str, modality: Modality) -> FoundPlace:
    """Where in the file at ``path`` a piece of evidence stands, as its locator says.

    Nothing given (no locator, an empty one, or ``page`` and the like missing too) means the whole
    file; so does what is not understood, and ``state`` tells the two apart.
    """
    kind = _Kind(PurePosixPath(path).suffix.lstrip(".").casefold(), modality)
    said = unpacked(evidence.get("evidence_locator"))
    parts = [part for part in flat(said) if not _says_nothing(part, path)]
    if not parts:
        beside = _from_object(evidence, kind)
        return FoundPlace(beside or WholeFile(), "found" if beside else "none given")
    found = _from_numbers(parts, kind) or _hull(
        [
            _from_object(p, kind) if isinstance(p, Mapping) else _from_text(p, path, kind)
            for p in parts
        ]
    )
    if found is not None:
        return FoundPlace(found, "found")
    return FoundPlace(WholeFile(), "not understood")


@dataclass(frozen=True)
class _Kind:
    suffix: str
    modality: Modality

    @property
    def plays(self) -> bool:
        return self.modality in ("audio", "video")


def _from_numbers(parts: Sequence[Any], kind: _Kind) -> AnyLocator | None:
    """What bare numbers mean: pages of a document, seconds of a sound or video, a box (fractions
    of a picture's sides)."""
    if not all(map(_is_number, parts)):
        return None
    if kind.plays and len(parts) <= 2:
        return _span(float(parts[0]), float(parts[-1]))
    if kind.modality == "image" and len(parts) == 4:
        return _box(1, parts)
    if kind.suffix in _PAGED and all(float(p).is_integer() for p in parts):
        return _made(Pages, min(parts), max(parts))
    return None


def _from_object(value: Mapping[str, Any], kind: _Kind) -> AnyLocator | None:
    """What the fields of an object say: ``page``, ``start`` and ``end``, ``lines``, ``cells``."""

    def first(*keys: str) -> Any:
        return next((value[key] for key in keys if value.get(key) not in (None, "", [])), None)

    pages = list(_numbers(first("page", "pages", "page_number", "page_numbers", "slide", "slides")))
    if (box := first("bbox", "region", "box")) is not None:
        return _box(pages[0] if pages else 1, list(flat(box)))
    if pages:
        return _made(Pages, min(pages), max(pages))
    start = seconds(first("start", "start_time", "start_s", "from", "begin"))
    end = seconds(first("end", "end_time", "end_s", "to"))
    if kind.plays and (start is not None or end is not None):
        return _span(start or 0.0, start or 0.0 if end is None else end)
    if (time := first("timestamp", "time", "time_range", "timestamps")) is not None and kind.plays:
        return _hull([_times(str(part)) or _bare_times(str(part)) for part in flat(time)])
    if cells := first("cell", "cells", "range", "cell_range"):
        sheet = str(first("sheet", "sheet_name", "tab") or "")
        found = _cells(str(cells))
        return found and Cells(sheet=found.sheet or sheet, range=found.range)
    if (text := first("locator", "location", "position", "description")) is not None:
        return _from_text(text, "", kind) if is_text(text) else None
    lines = list(_numbers(first("line", "lines", "line_number", "line_start", "start_line")))
    lines += _numbers(first("line_end", "end_line"))
    return _made(Lines, min(lines), max(lines)) if lines else None


def _from_text(value: Any, path: str, kind: _Kind) -> AnyLocator | None:
    """What a text says, in our own form or in words."""
    text = str(value).strip()
    try:
        return parse_locator(text)
    except ValueError:
        pass  # not in our form: words
    if _WHOLE.fullmatch(text):
        return WholeFile()
    for name in (path, PurePosixPath(path).name):
        if name:
            text = re.sub(re.escape(name), " ", text, flags=re.I)
    if kind.plays:
        return _times(text) or _bare_times(text)
    if kind.suffix in _TABLES and (cells := _cells(text)):
        return cells
    for pattern, made in ((_PAGE, Pages), (_TURN, Turns), (_LINE, Lines), (_L_LINE, Lines)):
        ranges = [_range(m) for m in pattern.finditer(text)]
        if ranges:
            return _made(made, min(a for a, _ in ranges), max(b for _, b in ranges))
    bare = text.strip(" []().#:")
    if kind.suffix in _PAGED and re.fullmatch(r"\d{1,9}", bare):
        return _made(Pages, int(bare), int(bare))
    return None


def _range(match: re.Match[str]) -> tuple[int, int]:
    numbers = [int(n) for group in match.groups() if group for n in re.findall(r"\d+", group)]
    return min(numbers), max(numbers)


def _cells(text: str) -> Cells | None:
    sheet = ""
    if bang := _BANG.search(text):
        sheet, text = bang[1] or bang[2], text[bang.end() :]
    elif named := _SHEET.search(text):
        sheet, text = named[1] or named[2], text[: named.start()] + text[named.end() :]
    for match in _CELL.finditer(text):
        corner = f"{match[1]}{match[2]}"
        cells = f"{corner}:{match[3]}{match[4]}" if match[3] else corner
        try:
            return Cells(sheet=sheet, range=cells.upper())
        except ValidationError:
            continue  # outside of any sheet: another word with a number
    if row := _ROW.search(text):
        first, last = _range(row)
        try:
            return Cells(sheet=sheet, range=f"A{first}:{_LAST_COLUMN}{last}")
        except ValidationError:
            return None
    return None


def seconds(value: Any) -> float | None:
    """Seconds from a number or a clock's ``MM:SS`` or ``HH:MM:SS``; None if it is neither."""
    if _is_number(value):
        return float(value) if value >= 0 else None
    if isinstance(value, bool) or value is None:
        return None
    text = str(value).strip().casefold().removesuffix("s").strip()
    if match := _CLOCK.fullmatch(text):
        return _clock(match)
    return float(text) if _NUMBER.fullmatch(text) else None


def _is_number(value: Any) -> bool:
    """Whether a value is a number of a size that places have."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _MOST


def _clock(match: re.Match[str]) -> float:
    hours, minutes, rest = match.groups()
    return int(hours or 0) * 3600 + int(minutes) * 60 + float(rest.replace(",", "."))


def _times(text: str) -> AnyLocator | None:
    """The stretch from the first to the last time in ``text``, on a clock or in seconds."""
    found = [_clock(m) for m in _CLOCK.finditer(text)]
    if not found and re.search(r"\d\s*(?:s|secs?|seconds?)\b", text, re.I):
        found = [float(m[1]) for m in _SECONDS.finditer(text)]
        # "12-20 s": the unit stands behind the last alone.
        if len(found) == 1:
            found = [float(m[1]) for m in _NUMBER.finditer(_SECONDS.sub(r" \1 ", text))][-2:]
    return _span(min(found), max(found)) if found else None


def _bare_times(text: str) -> AnyLocator | None:
    """The seconds in a text that is nothing but one number or two."""
    match = re.fullmatch(rf"\W*(\d+(?:\.\d+)?)(?:{_DASH}(\d+(?:\.\d+)?))?\W*", text)
    return _span(float(match[1]), float(match[2] or match[1])) if match else None


def _span(start: float, end: float) -> TimeSpan | None:
    return TimeSpan(start_s=start, end_s=end) if 0 <= start <= end < math.inf else None


def _box(page: float, box: Sequence[Any]) -> Region | None:
    try:
        x0, y0, x1, y1 = (float(side) for side in box)
        return Region(page=int(page), x0=x0, y0=y0, x1=x1, y1=y1)
    except (ValueError, TypeError):
        return None  # in pixels, of a picture whose size is not told


def _made(
    kind: type[Pages] | type[Lines] | type[Turns], first: float, last: float
) -> AnyLocator | None:
    try:
        return kind(start=int(first), end=int(last))
    except ValidationError:
        return None  # a page 0


def _numbers(value: Any) -> Iterator[int]:
    for part in flat(value):
        if _is_number(part):
            yield int(part)
        else:
            yield from (int(number) for number in re.findall(r"\d{1,9}", str(part)))


def _hull(found: Sequence[AnyLocator | None]) -> AnyLocator | None:
    """The smallest place that holds all of ``found``; None if they are not of one kind."""
    places = [place for place in found if place is not None]
    if len(places) < len(found) or not places:
        return None
    if len(set(map(str, places))) == 1:
        return places[0]
    first = places[0]
    for kind in (Pages, Lines, Turns):
        if isinstance(first, kind) and all(isinstance(p, kind) for p in places):
            ranges = [p for p in places if isinstance(p, kind)]
            return kind(start=min(p.start for p in ranges), end=max(p.end for p in ranges))
    spans = [p for p in places if isinstance(p, TimeSpan)]
    if len(spans) == len(places):
        return _span(min(p.start_s for p in spans), max(p.end_s for p in spans))
    return None


def _says_nothing(part: Any, path: str) -> bool:
    """Whether a part of a locator is empty, or says the file's name and nothing else."""
    if isinstance(part, Mapping):
        return all(key in FILE_KEYS or value in (None, "", []) for key, value in part.items())
    if not is_text(part):
        return False
    said, whole = plain_path(part.strip(" []()\"'")).casefold(), plain_path(path).casefold()
    return not said or said == whole or whole.endswith(f"/{said}") or said.endswith(f"/{whole}")
