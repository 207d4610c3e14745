"""Locators: their text form, what is refused, and which of them touch."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from deskgym.tasks.locators import (
    MAX_COLUMN,
    MAX_ROW,
    AnyLocator,
    Cells,
    Lines,
    Locator,
    Pages,
    Region,
    TimeSpan,
    Turns,
    WholeFile,
    cell_bounds,
    overlaps,
    parse_locator,
)


class Holder(BaseModel):
    locator: Locator


NUMBERS = st.integers(1, 10**9)
SECONDS = st.floats(0, allow_nan=False, allow_infinity=False)
PARTS = st.floats(0, 1)
SHEETS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=20).filter(
    lambda name: name == name.strip()
)


def _column(number: int) -> str:
    letters = ""
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


CELL = st.builds(lambda c, r: f"{_column(c)}{r}", st.integers(1, MAX_COLUMN), st.integers(1, 999))
PAIRS = st.lists(NUMBERS, min_size=2, max_size=2).map(sorted)
SPANS = st.lists(SECONDS, min_size=2, max_size=2).map(sorted)
EDGES = st.lists(PARTS, min_size=2, max_size=2, unique=True).map(sorted)
LOCATORS = st.one_of(
    st.just(WholeFile()),
    PAIRS.map(lambda p: Pages(start=p[0], end=p[1])),
    PAIRS.map(lambda p: Lines(start=p[0], end=p[1])),
    PAIRS.map(lambda p: Turns(start=p[0], end=p[1])),
    SPANS.map(lambda p: TimeSpan(start_s=p[0], end_s=p[1])),
    st.builds(
        lambda page, x, y: Region(page=page, x0=x[0], x1=x[1], y0=y[0], y1=y[1]),
        NUMBERS, EDGES, EDGES,
    ),
    st.builds(lambda s, a, b: Cells(sheet=s, range=f"{a}:{b}"), SHEETS, CELL, CELL),
)  # fmt: skip


@given(LOCATORS)
def test_every_locator_reads_back_exactly(locator: AnyLocator) -> None:
    assert parse_locator(str(locator)) == locator
    holder = Holder(locator=locator)
    assert Holder.model_validate_json(holder.model_dump_json()) == holder


@pytest.mark.parametrize(
    ("text", "locator"),
    [
        ("file", WholeFile()),
        ("page:3", Pages(start=3, end=3)),
        ("page:3-5", Pages(start=3, end=5)),
        ("lines:4-7", Lines(start=4, end=7)),
        ("turns:2", Turns(start=2, end=2)),
        ("region:2@0.1,0.2,0.5,0.6", Region(page=2, x0=0.1, y0=0.2, x1=0.5, y1=0.6)),
        ("time:8-9.5", TimeSpan(start_s=8, end_s=9.5)),
        ("cells:Rent!B2:C4", Cells(sheet="Rent", range="B2:C4")),
        ("cells:What!? (2)!$B$2", Cells(sheet="What!? (2)", range="$B$2")),
        ("cells:B2", Cells(range="B2")),
    ],
)
def test_the_forms(text: str, locator: AnyLocator) -> None:
    assert parse_locator(text) == locator
    assert parse_locator(f"  {text} ") == locator
    assert str(locator) == text


def test_numbers_are_written_without_exponents() -> None:
    assert str(TimeSpan(start_s=8.0, end_s=1_234_567.25)) == "time:8-1234567.25"
    assert str(Region(x0=0.00001, y0=0, x1=1, y1=0.5)) == "region:1@0.00001,0,1,0.5"


@pytest.mark.parametrize(
    "text",
    [
        "", "files", "file:1", "page", "page:", "page:0", "page:5-3", "page:-1", "page:1-2-3",
        "page:1e3", "page:" + "9" * 5_000, "page:1000000001", "line:3", "lines:a",
        "time:3", "time:5-3", "time:-1-3", "time:nan-3", "time:0-inf",
        "region:1", "region:1@0,0,1", "region:0@0,0,1,1", "region:1@0,0,1,1.5", "region:²@0,0,1,1",
        "region:1@0.5,0,0.5,1", "region:1@0,0.7,1,0.2", "region:1@nan,0,1,1",
        "cells:", "cells:Rent!", "cells:2B", "cells:A0", "cells:XFE1", f"cells:A{MAX_ROW + 1}",
        "cells:AAAA1", "cells:A1:B2:C3",
    ],
)  # fmt: skip
def test_what_is_no_locator_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        parse_locator(text)
    with pytest.raises(ValidationError):
        Holder(locator=text)  # type: ignore[arg-type]


def test_the_refusal_shows_the_forms() -> None:
    with pytest.raises(ValueError, match=r"not a locator: 'p\. 3'; the forms are file, page:3"):
        parse_locator("p. 3")


@given(st.text())
def test_any_text_is_a_locator_or_a_value_error(text: str) -> None:
    try:
        locator = parse_locator(text)
    except ValueError:
        return
    assert parse_locator(str(locator)) == locator


def test_what_cannot_be_written_cannot_be_made() -> None:
    with pytest.raises(ValidationError):
        TimeSpan(start_s=0, end_s=math.inf)
    with pytest.raises(ValidationError):
        Region(x0=math.nan, y0=0, x1=1, y1=1)
    with pytest.raises(ValidationError):
        Pages(start=1, end=10**12)


@pytest.mark.parametrize(
    ("cells", "bounds"),
    [
        ("B2", (2, 2, 2, 2)),
        ("b2:c4", (2, 2, 3, 4)),
        ("C4:B2", (2, 2, 3, 4)),
        ("$A$1:XFD1048576", (1, 1, MAX_COLUMN, MAX_ROW)),
        ("AA10", (27, 10, 27, 10)),
    ],
)
def test_cell_bounds(cells: str, bounds: tuple[int, int, int, int]) -> None:
    assert cell_bounds(cells) == bounds


@pytest.mark.parametrize(
    ("a", "b", "touch"),
    [
        ("file", "cells:B2", True),
        ("page:1-3", "page:3-4", True),
        ("page:1-3", "page:4", False),
        ("page:2", "region:2@0,0,1,1", True),
        ("page:1", "region:2@0,0,1,1", False),
        ("page:1", "lines:1", False),
        ("lines:1-3", "lines:2", True),
        ("lines:1-3", "turns:1-3", False),
        ("turns:1-3", "turns:3-9", True),
        ("region:1@0,0,0.5,0.5", "region:1@0.4,0.4,1,1", True),
        ("region:1@0,0,0.5,0.5", "region:1@0.5,0,1,1", False),
        ("region:1@0,0,0.5,0.5", "region:2@0,0,0.5,0.5", False),
        ("time:1-2", "time:2.4-3", True),
        ("time:1-2", "time:2.6-3", False),
        ("cells:Rent!A1:B2", "cells:rent!B2:C3", True),
        ("cells:Rent!A1:B2", "cells:Power!A1:B2", False),
        ("cells:Rent!A1:B2", "cells:A1", True),
        ("cells:Rent!A1:B2", "cells:Rent!C1", False),
        ("cells:A1", "lines:1", False),
    ],
)
def test_overlaps(a: str, b: str, touch: bool) -> None:
    assert overlaps(parse_locator(a), parse_locator(b)) is touch
    assert overlaps(parse_locator(b), parse_locator(a)) is touch


@given(LOCATORS, LOCATORS)
def test_overlap_is_mutual_and_everything_touches_itself(a: AnyLocator, b: AnyLocator) -> None:
    assert overlaps(a, b) == overlaps(b, a)
    assert overlaps(a, a)
    assert overlaps(a, WholeFile())


def test_slack_is_the_caller_s() -> None:
    a, b = parse_locator("time:1-2"), parse_locator("time:4-5")
    assert not overlaps(a, b)
    assert overlaps(a, b, slack_s=2)
