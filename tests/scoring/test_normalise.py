"""What counts as the same word, number, date and time."""

from datetime import date, time
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deskgym.tasks.scoring.normalise import (
    DayMonth,
    YearMonth,
    canonical,
    dates,
    normalise,
    numbers,
    times,
    tokens,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The Lease, signed!", ["lease", "signed"]),
        ("ＦＵＬＬ　ｗｉｄｔｈ", ["full", "width"]),
        ("Straße", ["strasse"]),
        ("Adam's", ["adams"]),
        ("Adam’s", ["adams"]),
        ("full-time", ["full", "time"]),
        ("三月 rent", ["三", "月", "rent"]),
        ("£1,050.00", ["1050"]),
        ("10.50", ["10.5"]),
        ("three drafts", ["3", "drafts"]),
        ("5 per cent", ["5", "percent"]),
        ("5%", ["5", "percent"]),
        ("-5", ["-5"]),
        ("10-20", ["10", "20"]),
        ("1.2.3", ["1", "2", "3"]),
        ("The", ["the"]),
        ("€", ["€"]),
        (" \n ", []),
    ],
)
def test_tokens(text: str, expected: list[str]) -> None:
    assert tokens(text) == expected


@given(st.text())
@settings(deadline=None)
def test_only_blank_text_has_no_tokens(text: str) -> None:
    assert bool(tokens(text)) == bool(text.strip())


@given(st.text(alphabet=st.characters(codec="ascii")))
@settings(deadline=None)
def test_case_and_outer_space_do_not_matter(text: str) -> None:
    assert normalise(text) == normalise(f"  {text.upper()}\t")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1,050.00", {1050}),
        ("1 050 kr", {1, 50}),
        ("1\u202f050 kr", {1050}),
        ("1'050 CHF", {1050}),
        ("1.050,50 EUR", {Decimal("1050.5")}),
        ("12,5", {Decimal("12.5")}),
        ("1.050", {1050, Decimal("1.05")}),
        ("rooms 1,2,3", {1, 2, 3}),
        ("€1.2 million", {1_200_000}),
        ("EUR 412m", {412_000_000}),
        ("EUR412m", {412_000_000}),
        ("$3bn", {3_000_000_000}),
        ("12k", {12, 12_000}),
        ("$12k", {12_000}),
        ("5 m", {5}),
        ("three million", {3_000_000}),
        ("12%", {12}),
        ("5kg", {5}),
        ("the 3rd floor", {3}),
        ("-€5", {-5}),
        ("10-20", {10, 20}),
        ("INV-2024-0042", {2024, 42}),
        ("model B2", set()),
        ("the one she sent", set()),
        ("on 12 March 2024 at 18:30", set()),
    ],
)
def test_numbers(text: str, expected: set[Decimal]) -> None:
    assert numbers(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "2024-03-12",
        "2024-03-12T18:30:00",
        "IMG_2024-03-12.jpg",
        "2024/3/12",
        "12 March 2024",
        "12th of March, 2024",
        "12-Mar-2024",
        "March 12, 2024",
        "Mar. 12th 2024",
        "12.03.2024",
        "12.3.24",
        "2024年3月12日",
    ],
)
def test_ways_to_write_a_date(text: str) -> None:
    assert dates(text) == {date(2024, 3, 12)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("12/03/2024", {date(2024, 3, 12), date(2024, 12, 3)}),
        ("13/03/2024", {date(2024, 3, 13)}),
        ("31/02/2024", set()),
        ("March 2024", {YearMonth(2024, 3)}),
        ("2024-03", {YearMonth(2024, 3)}),
        ("03/2024", {YearMonth(2024, 3)}),
        ("2024-25", set()),
        ("12 May", {DayMonth(5, 12)}),
        ("May 12", {DayMonth(5, 12)}),
        ("you may 12 times", set()),
        ("29 February", {DayMonth(2, 29)}),
        ("10.0.0.1", set()),
        ("version 1.2.3", set()),
    ],
)
def test_dates(text: str, expected: set[date]) -> None:
    assert dates(text) == expected


@pytest.mark.parametrize("text", ["18:30", "6.30 pm", "6:30pm", "6:30 p.m.", "18:30:00"])
def test_ways_to_write_a_time(text: str) -> None:
    assert times(text) == {time(18, 30)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("6:30", {time(6, 30)}),
        ("12 am", {time(0)}),
        ("12 pm", {time(12)}),
        ("13 pm", set()),
        ("25:10", set()),
        ("6.30", set()),
    ],
)
def test_times(text: str, expected: set[time]) -> None:
    assert times(text) == expected


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("on 12 March 2024", "on 2024-03-12"),
        ("at 6.30 pm", "at 18:30"),
        ("EUR 1.2m", "1,200,000 euros"),
        ("12/03/2024", "12 March 2024"),
    ],
)
def test_canonical_text_has_one_form(a: str, b: str) -> None:
    assert normalise(canonical(a)) == normalise(canonical(b))


@pytest.mark.parametrize(("a", "b"), [("PIN 0042", "PIN 42"), ("5m", "5"), ("1 Dec", "11 Feb")])
def test_canonical_text_keeps_apart(a: str, b: str) -> None:
    assert normalise(canonical(a)) != normalise(canonical(b))


@given(st.dates(date(1900, 1, 1), date(2099, 12, 31)))
@settings(deadline=None)
def test_any_date_is_read_back(day: date) -> None:
    for text in (f"{day:%Y-%m-%d}", f"{day:%d %B %Y}", f"{day:%B %d, %Y}", f"{day:%d.%m.%Y}"):
        assert dates(f"It ends on {text}.") == {day}


@given(st.integers(0, 10**12))
@settings(deadline=None)
def test_any_grouping_of_a_number_is_the_same(n: int) -> None:
    assert numbers(f"{n:,}.00") == numbers(str(n)) == {n}
