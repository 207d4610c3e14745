"""How people live follows from what they answered."""

from __future__ import annotations

import math
from collections import Counter
from datetime import date

import numpy as np

from deskgym.tasks.made.inventory import answer, facet_score
from deskgym.tasks.made.models import CATEGORIES, Answers
from deskgym.tasks.made.patterns import RATES, make_habits, make_patterns
from deskgym.tasks.made.plan import week_slots, weeks
from deskgym.tasks.made.traits import TraitModel, draw_traits


def _answers(people: int) -> list[Answers]:
    model = TraitModel()
    return [answer(draw_traits(model, 21, index), 21, index) for index in range(people)]


def _flat(changed: dict[int, int]) -> Answers:
    return Answers(items=tuple(changed.get(number, 3) for number in range(1, 61)))


def test_everyone_has_a_pattern_for_each_category() -> None:
    for index, answers in enumerate(_answers(50)):
        patterns = make_patterns(answers, 21, index)
        assert tuple(pattern.category for pattern in patterns) == CATEGORIES
        for pattern in patterns:
            base = RATES[pattern.category].base
            assert 0.3 * base <= pattern.per_week <= 2.6 * base
            assert math.isclose(sum(pattern.weekdays), 1)
            assert 6 < pattern.hours[0] < 23


def test_more_sociable_people_socialise_more() -> None:
    everyone = _answers(300)
    sociable = [facet_score(answers, "sociability") for answers in everyone]
    organised = [facet_score(answers, "organization") for answers in everyone]
    patterns = [
        {pattern.category: pattern for pattern in make_patterns(answers, 21, index)}
        for index, answers in enumerate(everyone)
    ]
    often = [p["socialising"].per_week for p in patterns]
    clean = [p["household"].per_week for p in patterns]
    regular = [p["household"].regularity for p in patterns]
    assert np.corrcoef(sociable, often)[0, 1] > 0.7
    assert np.corrcoef(organised, clean)[0, 1] > 0.7
    assert np.corrcoef(organised, regular)[0, 1] > 0.7


def test_the_formula_of_the_frequency_holds() -> None:
    up, down = _flat({1: 5, 16: 1, 31: 1, 46: 5}), _flat({1: 1, 16: 5, 31: 5, 46: 1})
    ratios = []
    for index in range(200):
        high, low = (
            {pattern.category: pattern.per_week for pattern in make_patterns(answers, 4, index)}
            for answers in (up, down)
        )
        # Against learning, which the facet does not move: the week's room cancels out.
        ratios.append(high["socialising"] / high["learning"] * low["learning"] / low["socialising"])
    # From one end of a facet with weight .45 to the other, noise being the same: exp(.45 * 2).
    assert math.isclose(float(np.mean(ratios)), math.exp(0.9), rel_tol=0.05)


def test_weeks_are_not_too_full_for_the_busiest() -> None:
    totals = [
        sum(pattern.per_week for pattern in make_patterns(answers, 21, index))
        for index, answers in enumerate(_answers(300))
    ]
    assert 60 < float(np.mean(totals)) < 70
    assert min(totals) > 45
    assert max(totals) < 85


def test_people_of_the_same_answers_still_differ() -> None:
    answers = _flat({})
    rates = {make_patterns(answers, 4, index)[0].per_week for index in range(20)}
    assert len(rates) == 20
    assert max(rates) < 2 * min(rates)


def test_habits_follow_the_answers() -> None:
    everyone = _answers(200)
    habits = [make_habits(answers, 21, index) for index, answers in enumerate(everyone)]
    organised = [facet_score(answers, "organization") for answers in everyone]
    warm = [facet_score(answers, "compassion") for answers in everyone]
    assert np.corrcoef(organised, [h.tidy for h in habits])[0, 1] > 0.6
    assert np.corrcoef(warm, [h.warm for h in habits])[0, 1] > 0.5
    assert all(0 < value < 1 for h in habits for value in h.model_dump().values())


def test_weeks_have_as_many_slots_as_the_pattern_says_on_its_days() -> None:
    first, last = date(2023, 1, 2), date(2025, 12, 28)
    for pattern in make_patterns(_answers(1)[0], 21, 0):
        slots = [slot for m in weeks(first, last) for slot in week_slots(pattern, 21, 0, m)]
        expected = pattern.per_week * len(list(weeks(first, last)))
        # Never more spread than a Poisson number has.
        assert abs(len(slots) - expected) < 3.3 * math.sqrt(expected)
        days = Counter(day.weekday() for day, _ in slots)
        chi2 = sum(
            (days[day] - share * len(slots)) ** 2 / (share * len(slots))
            for day, share in enumerate(pattern.weekdays)
        )
        assert chi2 < 22.46  # 6 degrees of freedom, p = .001
