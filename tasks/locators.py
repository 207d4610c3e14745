"""Where in a file something is: locators, their text form, and whether two of them overlap.

The text form is what agents cite, what tools return and what records and logs hold:

==============================  ==================================================
``file``                        the whole file
``page:3``, ``page:3-5``        pages or slides, 1-based, inclusive
``region:2@0.1,0.2,0.5,0.6``    part of a page: left, top, right, bottom as fractions
``lines:4-7``, ``lines:4``      lines of the text that ``read_text`` returns, 1-based
``turns:4-7``                   turns of a conversation, 1-based
``time:8.0-9.5``                seconds into a sound or video
``cells:Rent!B2:C4``            cells of a sheet; the sheet's name stands before the last ``!``
==============================  ==================================================
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer, model_validator

MAX_COLUMN = 16_384
MAX_ROW = 1_048_576
MAX_NUMBER = 1_000_000_000


class _Locator(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class WholeFile(_Locator):
    """The whole file."""

    kind: Literal["file"] = "file"

    def __str__(self) -> str:
        return "file"


class _Range(_Locator):
    start: int = Field(ge=1, le=MAX_NUMBER)
    end: int = Field(ge=1, le=MAX_NUMBER)

    @model_validator(mode="after")
    def _ordered(self) -> _Range:
        if self.end < self.start:
            raise ValueError(f"a range runs upwards, not from {self.start} to {self.end}")
        return self

    def _numbers(self) -> str:
        return f"{self.start}" if self.start == self.end else f"{self.start}-{self.end}"


class Pages(_Range):
    """Pages of a document or slides of a deck, 1-based and inclusive."""

    kind: Literal["page"] = "page"

    def __str__(self) -> str:
        return f"page:{self._numbers()}"


class Lines(_Range):
    """Lines of the text that ``read_text`` returns for the file, 1-based and inclusive."""

    kind: Literal["lines"] = "lines"

    def __str__(self) -> str:
        return f"lines:{self._numbers()}"


class Turns(_Range):
    """Turns of a conversation, 1-based and inclusive."""

    kind: Literal["turns"] = "turns"

    def __str__(self) -> str:
        return f"turns:{self._numbers()}"


class Region(_Locator):
    """A rectangle on a page (an image is page 1), in fractions of its width and height."""

    kind: Literal["region"] = "region"
    page: int = Field(default=1, ge=1, le=MAX_NUMBER)
    x0: float = Field(ge=0, le=1)
    y0: float = Field(ge=0, le=1)
    x1: float = Field(ge=0, le=1)
    y1: float = Field(ge=0, le=1)

    @model_validator(mode="after")
    def _not_empty(self) -> Region:
        if self.x1 <= self.x0 or self.y1 <= self.y0:
            raise ValueError("a region's right and bottom lie beyond its left and top")
        return self

    def __str__(self) -> str:
        box = ",".join(_decimal(n) for n in (self.x0, self.y0, self.x1, self.y1))
        return f"region:{self.page}@{box}"


class TimeSpan(_Locator):
    """A stretch of a sound or video, in seconds from its start."""

    kind: Literal["time"] = "time"
    start_s: float = Field(ge=0)
    end_s: float = Field(ge=0)

    @model_validator(mode="after")
    def _ordered(self) -> TimeSpan:
        if self.end_s < self.start_s:
            raise ValueError(f"a span runs upwards, not from {self.start_s} to {self.end_s}")
        return self

    def __str__(self) -> str:
        return f"time:{_decimal(self.start_s)}-{_decimal(self.end_s)}"


class Cells(_Locator):
    """A rectangle of cells in A1 notation; without a sheet, the first one."""

    kind: Literal["cells"] = "cells"
    sheet: str = ""
    range: str

    @model_validator(mode="after")
    def _parseable(self) -> Cells:
        cell_bounds(self.range)
        return self

    def __str__(self) -> str:
        return f"cells:{self.sheet}!{self.range}" if self.sheet else f"cells:{self.range}"


def _decimal(number: float) -> str:
    """All of ``number`` (at least 0) as digits and a point, never with an exponent."""
    text = format(Decimal(repr(abs(number))), "f")
    return text.removesuffix(".0")


AnyLocator = WholeFile | Pages | Lines | Turns | Region | TimeSpan | Cells

_NUMBERS = re.compile(r"(\d+)(?:-(\d+))?")
_SPAN = re.compile(r"(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)")
_CELL = re.compile(r"\$?([A-Za-z]{1,3})\$?(\d+)")
_RANGES: dict[str, type[Pages] | type[Lines] | type[Turns]] = {
    "page": Pages,
    "lines": Lines,
    "turns": Turns,
}


def parse_locator(text: str) -> AnyLocator:
    """The locator that ``text`` stands for.

    Raises:
        ValueError: ``text`` is in none of the forms above; the message shows them.
    """
    kind, _, rest = text.strip().partition(":")
    if kind == "file" and not rest:
        return WholeFile()
    if kind in _RANGES and (m := _NUMBERS.fullmatch(rest)):
        return _RANGES[kind](start=int(m[1]), end=int(m[2] or m[1]))
    if kind == "time" and (m := _SPAN.fullmatch(rest)):
        return TimeSpan(start_s=float(m[1]), end_s=float(m[2]))
    if kind == "region":
        page, at, box = rest.partition("@")
        numbers = box.split(",")
        if at and page.isdecimal() and len(numbers) == 4:
            x0, y0, x1, y1 = (float(n) for n in numbers)
            return Region(page=int(page), x0=x0, y0=y0, x1=x1, y1=y1)
    if kind == "cells" and rest:
        sheet, _, cells = rest.rpartition("!")
        return Cells(sheet=sheet, range=cells)
    raise ValueError(
        f"not a locator: {text[:80]!r}; the forms are file, page:3, lines:4-7, turns:2, "
        "region:2@0.1,0.2,0.5,0.6, time:8.0-9.5, cells:Sheet!B2:C4"
    )


def _from_text(value: Any) -> Any:
    return parse_locator(value) if isinstance(value, str) else value


Locator = Annotated[
    AnyLocator,
    BeforeValidator(_from_text),
    PlainSerializer(str, return_type=str),
]
"""A locator as a model's field: read from its text form (or the model), written as text."""


def cell_bounds(cells: str) -> tuple[int, int, int, int]:
    """First column, first row, last column, last row (all 1-based) of an A1 range.

    Raises:
        ValueError: not a cell or a range of cells.
    """
    first, _, last = cells.partition(":")
    corners = [_CELL.fullmatch(c) for c in (first, last or first)]
    if corners[0] is None or corners[1] is None:
        raise ValueError(f"not a range of cells: {cells[:80]!r} (B2 or B2:C4)")
    (c0, r0), (c1, r1) = ((_column(m[1]), int(m[2])) for m in corners if m is not None)
    if max(c0, c1) > MAX_COLUMN or not 1 <= min(r0, r1) <= max(r0, r1) <= MAX_ROW:
        raise ValueError(f"cells outside of any sheet: {cells[:80]!r}")
    return min(c0, c1), min(r0, r1), max(c0, c1), max(r0, r1)


def _column(letters: str) -> int:
    number = 0
    for letter in letters.upper():
        number = number * 26 + ord(letter) - ord("A") + 1
    return number


def overlaps(a: AnyLocator, b: AnyLocator, *, slack_s: float = 0.5) -> bool:
    """Whether two locators in one file share something.

    The whole file overlaps everything; a page overlaps the regions on it. Locators of kinds that
    cannot be compared (lines against pages) do not overlap. Time spans may miss each other by
    ``slack_s`` seconds, since speech has no sharp borders.
    """
    match a, b:
        case (WholeFile(), _) | (_, WholeFile()):
            return True
        case (Pages(), Pages()):
            return _touch(a, b)
        case (Lines(), Lines()):
            return _touch(a, b)
        case (Turns(), Turns()):
            return _touch(a, b)
        case (Region(), Region()):
            return a.page == b.page and (
                min(a.x1, b.x1) > max(a.x0, b.x0) and min(a.y1, b.y1) > max(a.y0, b.y0)
            )
        case (Pages(), Region()):
            return a.start <= b.page <= a.end
        case (Region(), Pages()):
            return b.start <= a.page <= b.end
        case (TimeSpan(), TimeSpan()):
            return a.start_s <= b.end_s + slack_s and b.start_s <= a.end_s + slack_s
        case (Cells(), Cells()):
            if a.sheet and b.sheet and a.sheet.casefold() != b.sheet.casefold():
                return False
            ac0, ar0, ac1, ar1 = cell_bounds(a.range)
            bc0, br0, bc1, br1 = cell_bounds(b.range)
            return ac0 <= bc1 and bc0 <= ac1 and ar0 <= br1 and br0 <= ar1
    return False


def _touch(a: _Range, b: _Range) -> bool:
    return a.start <= b.end and b.start <= a.end
