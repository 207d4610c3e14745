"""What a working comes to, and what it may start from."""

from __future__ import annotations

import re

import pytest

from deskgym.agents.workings import BadWorking, explains, work_out
from deskgym.tasks.scoring.normalise import facts, stated


@pytest.mark.parametrize(
    ("working", "source", "claim"),
    [
        ("52,750 - 51,000", "£51,000 a year, then £52,750", "£1,750 more"),
        ("£52,750 - £51,000 = £1,750", "£51,000 a year, then £52,750", "£1,750 more"),
        ("28500 / 12", "£28,500 a year", "£2,375"),
        ("(1 + 1 + 1 + 1 + 1 + 1) * 7", "£7 a head", "£42 in all"),
        ("54102 − 48217", "48217 on the first day, 54102 on the last", "5,885 kWh"),
        ("2025-08-31 - 6 weeks", "The renewed term ends on 31 August 2025.", "20 July 2025"),
        ("2024-06-28 + 4 months", "COMPLETION Fri 28 June 2024", "28 October 2024"),
        ("2024-06-28 + 4 months", "COMPLETION Fri 28 June", "28 October"),
        ("2024-01-31 + 1 month", "31 January 2024", "29 February 2024"),
        ("11:45 - (10:52 + 10 minutes + 30 minutes)", "arrives 10:52, doors 11:45", "13 minutes"),
        ("2024-11-28 - 2024-11-26", "due 2024-11-28, mine 2024-11-26", "two days"),
        ("18:30 + 2 hours", "begins at 6.30 pm", "until 20:30"),
        ("100 / 12", "none", "8.33 each"),
        ("23:30 + 1 hour", "leaves 23:30", "there at 00:30"),
    ],
)
def test_a_working_from_known_values_gives_the_claims_value(
    working: str, source: str, claim: str
) -> None:
    result = work_out(working, stated(source))
    assert all(explains(result, fact) for fact in facts(claim))


@pytest.mark.parametrize(
    ("working", "source", "said"),
    [
        ("52750 - 51000", "£52,750", "51000 is not in the opened texts"),
        ("2025-08-31 - 6 weeks", "ends on 30 August 2025", "2025-08-31 is not in the opened"),
        ("10:52 + 10 minutes", "at 10:53", "10:52 is not in the opened texts"),
        ("100 / 0", "", "cannot be worked out"),
        ("six weeks before", "6 weeks", "is out of place"),
        ("import os", "", "is out of place"),
        ("3 apples", "", "is no unit of time"),
        ("2 ** 9", "", "is out of place"),
        ("(" * 40 + "1", "", "nested too deep"),
        ("(2 + 3", "", "a bracket is not closed"),
        ("2 +", "", "it ends too soon"),
        ("", "", "it ends too soon"),
        ("1 2", "", "is out of place"),
        ("2025-02-31 + 1 day", "", "cannot be worked out"),
        ("2025-02-01 + 2025-02-02", "2025-02-01 2025-02-02", "cannot be added"),
        ("2025-02-01 * 2", "2025-02-01", "cannot be multiplied"),
        ("5 - 2 days", "", "cannot be taken"),
        ("10:00 + 1 month", "10:00", "months cannot be added to a time of day"),
        ("2025-02-01 + 2 hours", "2025-02-01", "a date moves by whole days"),
        ("1 + " * 200, "", "a working of 800 characters"),
        ("2 @ 3", "", "is no calculation"),
    ],
)
def test_a_bad_working_says_what_is_wrong(working: str, source: str, said: str) -> None:
    with pytest.raises(BadWorking, match=re.escape(said)):
        work_out(working, stated(source))


@pytest.mark.parametrize(
    ("working", "claim"),
    [("2 + 3", "6 of them"), ("9 / 7", "1.3"), ("10 / 3", "3.3"), ("1 day", "14 hours")],
)
def test_a_result_explains_only_its_own_value_as_it_is_rounded(working: str, claim: str) -> None:
    (fact,) = facts(claim)
    expected = claim in ("1.3", "3.3")
    assert explains(work_out(working, set()), fact) is expected
