"""From months to weeks to days: how many events of each category a day has room for.

The week is where the patterns live: its number of events is drawn from the frequency, its days
from the weekday shares. A month sets out which stories begin.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import accumulate

from deskgym.tasks.made.models import Category, Pattern
from deskgym.tasks.made.seeds import random_for
from deskgym.tasks.made.stories import STORIES, Thread

# Stories that begin in a month.
STORIES_A_MONTH = 30


@dataclass(frozen=True)
class Slot:
    """Room for one event of ``category``, at about ``hour`` if nothing is in the way."""

    category: Category
    hour: float
    tries: int = 0


def calendar(seed: int, index: int, months: int) -> tuple[date, date]:
    """First and last day of a life of ``months`` calendar months that ends in 2025."""
    last_month = 2025 * 12 + random_for(seed, "calendar", index).randrange(12)
    first_month = last_month - months + 1
    last = date((last_month + 1) // 12, (last_month + 1) % 12 + 1, 1) - timedelta(days=1)
    return date(first_month // 12, first_month % 12 + 1, 1), last


def weeks(first: date, last: date) -> Iterator[date]:
    """The Mondays of the weeks that ``first`` to ``last`` touch."""
    monday = first - timedelta(days=first.weekday())
    while monday <= last:
        yield monday
        monday += timedelta(days=7)


def week_slots(pattern: Pattern, seed: int, index: int, monday: date) -> list[tuple[date, Slot]]:
    """The slots of one category in the week of ``monday``.

    Their number has the mean ``per_week``: in a regular week the whole number below or above it,
    in any other a Poisson number. Their days follow the weekday shares: evenly in a regular week,
    each for itself in any other.
    """
    chance = random_for(seed, "week", index, pattern.category, monday.isoformat())
    regular = chance.random() < pattern.regularity
    if regular:
        count = math.floor(pattern.per_week + chance.random())
        offset = chance.random()
        points = [(at + offset) / count for at in range(count)]
    else:
        count = _poisson(pattern.per_week, chance)
        points = [chance.random() for _ in range(count)]
    bounds = list(accumulate(pattern.weekdays))
    mean, spread = pattern.hours
    slots = []
    for point in points:
        weekday = next((at for at, bound in enumerate(bounds) if point < bound), 6)
        slots.append(
            (monday + timedelta(days=weekday), Slot(pattern.category, chance.gauss(mean, spread)))
        )
    return slots


def month_stories(seed: int, index: int, month: date, last: date) -> list[Thread]:
    """The stories that begin in the month of ``month``, spread over it."""
    chance = random_for(seed, "stories", index, month.isoformat()[:7])
    threads = []
    for at in range(STORIES_A_MONTH):
        begins = month.replace(day=1) + timedelta(days=chance.randrange(28))
        story = chance.choice(STORIES)
        known = story.begin(seed, chance)
        if begins <= last:
            id = f"t{month:%y%m}{at + 1:02d}"
            threads.append(Thread(id=id, story=story, earliest=begins, known=known))
    return threads


def _poisson(mean: float, chance: random.Random) -> int:
    """A Poisson number (Knuth's product of uniforms; means here are small)."""
    limit, product, count = math.exp(-mean), chance.random(), 0
    while product > limit:
        product *= chance.random()
        count += 1
    return count
