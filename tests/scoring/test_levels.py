"""Levels of traits in answers, Kendall's tau, and the levels of understanding in a report."""

from __future__ import annotations

import math
import re

import pytest

from deskgym.env.trajectory import Scores
from deskgym.report import report_of
from deskgym.report_cases import Case
from deskgym.report_html.levels import tables as page_tables
from deskgym.report_levels import level_rows, trait_rows
from deskgym.tasks.schema import Capabilities
from deskgym.tasks.scoring.answers import score_answer
from deskgym.tasks.scoring.levels import kendall_tau, level_in


@pytest.mark.parametrize(
    ("answer", "level"),
    [
        ("4", 4.0),
        ("Level 4 out of 5.", 4.0),
        ("On a scale from 1 to 5, I would say 3", 3.0),
        ("3/5", 3.0),
        ("3.5", 3.5),
        ("about 2,5", 2.5),
        ("two", 2.0),
        ("In 2024 it was 12 times, so 5.", 5.0),
        ("7", None),
        ("I don't know: the files do not say.", None),
        ("", None),
        (None, None),
    ],
)
def test_the_level_in_an_answer(answer: str | None, level: float | None) -> None:
    assert level_in(answer) == level


@pytest.mark.parametrize(
    ("a", "b", "tau"),
    [
        ([1, 2, 3, 4], [1, 2, 3, 4], 1.0),
        ([1, 2, 3, 4], [4, 3, 2, 1], -1.0),
        ([1, 2, 3], [1, 3, 2], 1 / 3),
        # Ties: 4 concordant, 0 discordant; 5 pairs untied in a, 5 in b.
        ([1, 1, 2, 3], [1, 2, 2, 3], 4 / 5),
        ([1, 1, 1], [1, 2, 3], None),
        ([1], [1], None),
        ([], [], None),
    ],
)
def test_kendalls_tau_b(a: list[float], b: list[float], tau: float | None) -> None:
    found = kendall_tau(a, b)
    assert found is tau if tau is None else math.isclose(found or 0.0, tau)


def test_tau_needs_pairs() -> None:
    with pytest.raises(ValueError, match="one length"):
        kendall_tau([1, 2], [1])


def case(profile: str, family: str, gold: str, answer: str, trait: str = "") -> Case:
    levels = (float(gold), level_in(answer)) if trait else None
    return Case(
        task_id=f"{family}-1",
        profile=profile,
        agent="a",
        family=family,
        labels=(trait,) if trait else (),
        capabilities=Capabilities(),
        answerable=True,
        ended="answered",
        steps=1,
        invalid_actions=0,
        question="?",
        coverage=(),
        scores=Scores(
            answer=score_answer(answer, gold, answerable=True),
            files_cited=None,
            files_touched=None,
            evidence=None,
        ),
        trait=levels,
    )


def test_levels_have_an_answer_rate_beside_accuracy() -> None:
    cases = [
        case("made/p1", "semantic", "blue", "blue"),
        case("made/p1", "semantic", "green", "I don't know"),
        case("made/p1", "episodic", "blue", "red"),
        case("made/p1", "preferences", "blue", "blue"),
    ]
    rows = level_rows(cases, lambda c: c.scores.answer.score)
    assert [(r.level, r.n, r.answered.mean, r.right.mean if r.right else None) for r in rows] == [
        ("semantic", 2, 0.5, 0.5),
        ("episodic", 1, 1.0, 0.0),
    ]


def test_traits_are_ranked_over_people() -> None:
    said = {"p1": ("2", "1"), "p2": ("3", "3 of 5"), "p3": ("4", "5"), "p4": ("1", "no idea")}
    cases = [case(f"made/{p}", "trait", *pair, trait="warmth") for p, pair in said.items()]
    # A second question about the same person's trait counts with the first.
    cases.append(case("made/p1", "trait", "2", "2", trait="warmth"))
    cases.append(case("made/p1", "trait", "2", "2", trait="order"))
    warmth, order = trait_rows(cases)
    assert (warmth.trait, warmth.people, warmth.missing, warmth.tau) == ("warmth", 4, 1, 1.0)
    assert (order.people, order.tau) == (1, None)


def cells(html: str) -> list[list[str]]:
    rows = re.findall(r"<tr>(.*?)</tr>", html)
    return [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in rows]


def test_the_page_shows_what_the_terminal_shows_of_levels_and_traits() -> None:
    said = {"p1": ("2", "1"), "p2": ("3", "3"), "p3": ("4", "5"), "p4": ("1", "no idea")}
    cases = [case(f"made/{p}", "trait", *pair, trait="<warmth>") for p, pair in said.items()]
    cases += [case("made/p1", "semantic", "blue", "blue")] * 3
    cases += [case("made/p1", "episodic", "green", "I don't know")]
    page = page_tables(report_of(cases))
    assert "Accuracy and answer rate" in page
    assert "Traits over people" in page
    rows = cells(page)
    assert rows[0] == ["agent", "level", "n", "answered", "accuracy"]
    assert rows[1] == ["a", "semantic", "3", "1.000", "1.000"]
    assert rows[2] == ["a", "episodic", "1", "0.000", "0.000"]
    assert rows[3][:3] == ["a", "trait", "4"]
    assert rows[4] == ["agent", "trait", "people", "no level", "Kendall’s tau"]
    assert rows[5] == ["a", "&lt;warmth&gt;", "4", "1", "+1.000"]


def test_a_tau_without_meaning_is_a_dash_on_the_page() -> None:
    page = page_tables(report_of([case("made/p1", "trait", "2", "2", trait="warmth")]))
    assert cells(page)[-1] == ["a", "warmth", "1", "0", "–"]


def test_the_page_says_nothing_of_levels_that_were_not_asked() -> None:
    assert page_tables(report_of([case("p", "preferences", "blue", "blue")])) == ""
