"""How a person lives, derived from what they answered.

Every number comes from facet scores of the questionnaire and a little individual variation. With
``u = (facet score - usual) / 2``, the usual score being the default mean of the facet's domain,
and independent standard normals ``r``:

- **frequency** ``per_week = base * exp(sum of weight * u + 0.10 r)``, bases and weights in
  `RATES`; kept within 0.4 and 2.2 times the base. A week has so many hours: all eleven are then
  multiplied by ``sqrt(64 / their sum)``, which brings busy and quiet people nearer together.
- **timing** mean start ``= base + 0.8 r - 0.7 u(organization)`` hours (orderly people are early;
  half of it in working hours); spread ``= 2.6 - 0.9 u(organization)`` hours, at least 0.8.
- **weekdays** the category's own shape in `RATES`, each day times ``exp(0.15 r)``; then
  ``exp(0.25 u(energy))`` on Saturday and Sunday for everything but work.
- **regularity** ``= 0.5 + 0.25 u(organization) + 0.15 u(responsibility) - 0.10 u(volatility)
  + 0.05 r``, kept within 0.05 and 0.95: the share of weeks with the usual number of events, on
  days spread as usual.
- **conditions** ``company = 0.5 + 0.3 u(sociability) + 0.05 r``; ``indoors_when_wet = 0.6 -
  0.25 u(energy) + 0.15 u(anxiety)``; ``spend = exp(0.25 u(sociability) - 0.2 u(organization) +
  0.1 r)``; ``novelty = 0.3 + 0.15 u(curiosity) + 0.15 u(imagination)``. Shares are kept within
  0.02 and 0.98.

Correlations of this kind (social people phone more, orderly ones clean more) have the directions
that personality research reports; the sizes are ours.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from deskgym.tasks.made.inventory import facet_score
from deskgym.tasks.made.items import FACETS, KEYS, Facet
from deskgym.tasks.made.models import CATEGORIES, Answers, Category, Habits, Pattern
from deskgym.tasks.made.seeds import random_for
from deskgym.tasks.made.traits import DOMAINS, TraitModel

# Events in a usual person's week.
USUAL_WEEK = 64
EVEN = (1.0,) * 7
WORKDAYS = (1.0, 1.0, 1.0, 1.0, 0.8, 0.03, 0.03)
WEEKEND = (0.6, 0.6, 0.7, 0.7, 1.0, 1.8, 1.6)
OUTINGS = (0.4, 0.4, 0.4, 0.4, 0.7, 2.6, 2.1)


@dataclass(frozen=True)
class Rate:
    """The usual person's events a week in a category, when, and what moves the number."""

    base: float
    hour: float
    weekdays: tuple[float, ...]
    weights: Mapping[Facet, float]


RATES: Mapping[Category, Rate] = MappingProxyType(
    {
        "socialising": Rate(
            5.0, 18.2, WEEKEND, {"sociability": 0.45, "energy": 0.15, "anxiety": -0.1}
        ),
        "exercise": Rate(
            3.6, 16.5, EVEN, {"energy": 0.45, "productiveness": 0.15, "depression": -0.2}
        ),
        "work_planning": Rate(
            9.0,
            12.0,
            WORKDAYS,
            {"organization": 0.25, "productiveness": 0.2, "assertiveness": 0.15},
        ),
        "spending": Rate(
            8.0, 15.0, WEEKEND, {"organization": -0.2, "volatility": 0.15, "sociability": 0.1}
        ),
        "learning": Rate(6.0, 18.0, EVEN, {"curiosity": 0.45, "productiveness": 0.15}),
        "creative_work": Rate(
            4.0, 18.0, WEEKEND, {"imagination": 0.35, "aesthetic": 0.35, "energy": 0.1}
        ),
        "household": Rate(9.0, 17.5, EVEN, {"organization": 0.35, "responsibility": 0.15}),
        "communication": Rate(
            14.0, 14.5, EVEN, {"sociability": 0.3, "compassion": 0.15, "trust": 0.1}
        ),
        "travel": Rate(2.0, 10.5, OUTINGS, {"curiosity": 0.3, "energy": 0.2, "anxiety": -0.25}),
        "worry_and_health": Rate(
            3.6, 12.5, EVEN, {"anxiety": 0.4, "depression": 0.25, "volatility": 0.1}
        ),
        "helping": Rate(
            2.6, 15.5, WEEKEND, {"compassion": 0.4, "responsibility": 0.15, "trust": 0.1}
        ),
    }
)


def make_patterns(answers: Answers, seed: int, *names: object) -> tuple[Pattern, ...]:
    """The eleven patterns of one person, in the order of `CATEGORIES`."""
    u = _standing(answers)
    patterns = [
        _pattern(category, u, random_for(seed, "pattern", category, *names))
        for category in CATEGORIES
    ]
    room = math.sqrt(USUAL_WEEK / sum(pattern.per_week for pattern in patterns))
    return tuple(
        pattern.model_copy(update={"per_week": round(pattern.per_week * room, 3)})
        for pattern in patterns
    )


def _standing(answers: Answers) -> dict[Facet, float]:
    """``u`` of each facet: how far the person stands from the usual, in units of two steps."""
    usual = dict(zip(DOMAINS, TraitModel().means, strict=True))
    return {
        facet: (facet_score(answers, facet) - usual[domain]) / 2
        for domain, facets in FACETS.items()
        for facet in facets
    }


def _pattern(category: Category, u: Mapping[Facet, float], chance: random.Random) -> Pattern:
    rate = RATES[category]
    push = sum(weight * u[facet] for facet, weight in rate.weights.items())
    factor = min(2.2, max(0.4, math.exp(push + chance.gauss(0, 0.10))))
    early = 0.7 * u["organization"] - chance.gauss(0, 0.8)
    hour = rate.hour - (early / 2 if category == "work_planning" else early)
    days = [share * math.exp(chance.gauss(0, 0.15)) for share in rate.weekdays]
    if category != "work_planning":
        lively = math.exp(0.25 * u["energy"])
        days = [*days[:5], days[5] * lively, days[6] * lively]
    regular = 0.5 + 0.25 * u["organization"] + 0.15 * u["responsibility"]
    regular += -0.10 * u["volatility"] + chance.gauss(0, 0.05)
    spend = 0.25 * u["sociability"] - 0.2 * u["organization"] + chance.gauss(0, 0.1)
    return Pattern(
        category=category,
        per_week=round(rate.base * factor, 3),
        hours=(round(hour, 2), round(max(0.8, 2.6 - 0.9 * u["organization"]), 2)),
        weekdays=tuple(day / sum(days) for day in days),
        regularity=round(min(0.95, max(0.05, regular)), 3),
        conditions={
            "company": _share(0.5 + 0.3 * u["sociability"] + chance.gauss(0, 0.05)),
            "indoors_when_wet": _share(0.6 - 0.25 * u["energy"] + 0.15 * u["anxiety"]),
            "spend": round(math.exp(spend), 3),
            "novelty": _share(0.3 + 0.15 * u["curiosity"] + 0.15 * u["imagination"]),
        },
    )


def make_habits(answers: Answers, seed: int, *names: object) -> Habits:
    """How the person keeps files. Each is ``0.5 + 0.45 * (weighted mean of u) + 0.06 r``.

    tidy: organization 2, responsibility 1. wordy: imagination, curiosity, sociability. photos:
    aesthetic 2, energy 1. journal: imagination 1, anxiety 1, productiveness 1. prompt:
    responsibility 2, productiveness 1. warm: compassion 2, respectfulness 1, trust 1. fretful:
    anxiety 2, depression 1, volatility 1. thrifty: organization 1, productiveness 1,
    responsibility 1.
    """
    u = _standing(answers)
    chance = random_for(seed, "habits", *names)

    def habit(**weights: float) -> float:
        mean = sum(weight * u[facet] for facet, weight in _facets(weights)) / sum(weights.values())
        return _share(0.5 + 0.45 * mean + chance.gauss(0, 0.06))

    return Habits(
        tidy=habit(organization=2, responsibility=1),
        wordy=habit(imagination=1, curiosity=1, sociability=1),
        photos=habit(aesthetic=2, energy=1),
        journal=habit(imagination=1, anxiety=1, productiveness=1),
        prompt=habit(responsibility=2, productiveness=1),
        warm=habit(compassion=2, respectfulness=1, trust=1),
        fretful=habit(anxiety=2, depression=1, volatility=1),
        thrifty=habit(organization=1, productiveness=1, responsibility=1),
    )


def _facets(weights: Mapping[str, float]) -> list[tuple[Facet, float]]:
    """``weights`` with the facets' names as such."""
    return [(facet, weights[facet]) for facet in KEYS if facet in weights]


def _share(value: float) -> float:
    """``value`` kept within 0.02 and 0.98, rounded."""
    return round(min(0.98, max(0.02, value)), 3)
