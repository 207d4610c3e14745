"""How often things happen, counted in the files, is what the person's patterns say."""

from __future__ import annotations

from collections import Counter

import pytest

from deskgym.tasks.made.files import make_home
from deskgym.tasks.made.life import make_life
from deskgym.tasks.made.models import CATEGORIES, Life
from deskgym.tasks.made.records import make_records
from deskgym.tasks.made.spec import MadeSpec

# The chi-square value that 55 degrees of freedom exceed once in a thousand times.
CRITICAL = 93.17


def statistic(told: Life, patterns: Life) -> float:
    """How far what happens in one life is from the patterns of another, or its own."""
    counts = Counter(e.category for e in told.events)
    weeks = ((told.last - told.first).days + 1) / 7
    rates = {p.category: p.per_week * weeks for p in patterns.patterns}
    assert list(rates) == list(CATEGORIES)
    return sum((counts[c] - rate) ** 2 / rate for c, rate in rates.items())


def test_frequencies_in_the_files_match_the_patterns() -> None:
    lives = []
    for seed in range(30, 35):
        spec = MadeSpec(seed=seed, months=1, multimodal=False)
        life = make_life(spec, 0)
        records = make_records(life, spec)
        there = {place.record_id for place in make_home(life, records, spec).placed}
        told = {r.event for r in records if r.id in there and r.event is not None}
        # Even without sound and pictures every event stands in some file.
        assert told == {event.id for event in life.events}
        lives.append(life)
    assert sum(statistic(life, life) for life in lives) < CRITICAL
    # Nobody else's patterns fit.
    others = [*lives[1:], lives[0]]
    assert sum(statistic(a, b) for a, b in zip(lives, others, strict=True)) > CRITICAL


@pytest.mark.parametrize("setting", ["setoka", "rhelm", "home"])
def test_every_setting_makes_a_home(setting: str) -> None:
    spec = MadeSpec.model_validate({"months": 1, "setting": setting, "multimodal": False})
    life = make_life(spec, 0)
    home = make_home(life, make_records(life, spec), spec)
    assert len(home.files) > 80
