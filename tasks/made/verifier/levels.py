"""Who somebody is, judged from what their files show: levels of five traits from 1 to 5.

No file says it. What files show is how often somebody does what, and how much they write: the
*signs* below, each a count a week (or a mean), taken as a logarithm. A trait's score is a weighted
sum of the signs' standard scores; weights and norms stand in
`deskgym.tasks.made.verifier.level_norms` and were found by ridge regression over people made from
another seed (`deskgym.tasks.made.questions.fit_levels` makes them anew), as norms of a
questionnaire come from a sample of people.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from statistics import fmean
from typing import Final

from deskgym.tasks.made.verifier.level_norms import MEANS, SPREADS, WEIGHTS
from deskgym.tasks.made.verifier.rows import Row

TRAITS: Final[Mapping[str, str]] = {
    "o": "openness",
    "c": "conscientiousness",
    "e": "extraversion",
    "a": "agreeableness",
    "n": "negative emotionality",
}
"""The traits by the letters that the weights and the truth of a person use."""

RowsOf = Callable[[str], Iterable[Row]]

# Counts: the kind of rows, and which of them count by a field's value (all, if none is named).
# Photographs, notes, talks and visits are no signs: of long lives fewer are kept.
_COUNTS: Final[Mapping[str, tuple[str, str, frozenset[str]]]] = {
    "calls": ("call", "answered", frozenset({"yes"})),
    "messages": ("message", "", frozenset()),
    "workouts": ("workout", "", frozenset()),
    "payments": ("transaction", "", frozenset()),
    "eating_out": ("transaction", "category", frozenset({"Eating out", "Gifts"})),
    "leisure": ("transaction", "category", frozenset({"Leisure"})),
    "shopping": ("transaction", "category", frozenset({"Shopping", "Clothing"})),
    "groceries": ("transaction", "category", frozenset({"Groceries"})),
    "travel": ("transaction", "category", frozenset({"Travel", "Fuel"})),
    "health": ("transaction", "category", frozenset({"Health"})),
    "donations": ("transaction", "category", frozenset({"Donations"})),
    "appointments": ("calendar", "", frozenset()),
    "journal": ("journal", "", frozenset()),
    "reminders": ("reminder", "", frozenset()),
    "chores": (
        "habit_log",
        "activity",
        frozenset({"Cleaning", "Laundry", "Repairs", "Garden", "Cooking", "Paperwork", "Care"}),
    ),
    "crafts": (
        "habit_log",
        "activity",
        frozenset({"Painting", "Writing", "Photo walk", "Crafts", "New recipe"}),
    ),
    "plans": ("habit_log", "activity", frozenset({"Planning", "Overtime"})),
    "reading": ("habit_log", "activity", frozenset({"Reading", "Library"})),
    "worries": ("habit_log", "activity", frozenset({"Worry", "Symptom", "Bad night"})),
    "calm": ("habit_log", "activity", frozenset({"Meditation"})),
    "help": (
        "habit_log",
        "activity",
        frozenset({"Helped out", "Volunteering", "Babysitting", "Tutoring", "Lent", "Advice"}),
    ),
    "outings": (
        "habit_log",
        "activity",
        frozenset({"Explored", "Museum", "Cinema", "Concert", "Board games"}),
    ),
    "log": ("habit_log", "", frozenset()),
}


def signs(rows_of: RowsOf) -> dict[str, float]:
    """The signs that the rows show; none if the days that they cover are not known."""
    days = sorted(str(row.get("day")) for row in rows_of("steps"))
    if not days:
        return {}
    weeks = ((date.fromisoformat(days[-1]) - date.fromisoformat(days[0])).days + 1) / 7
    found = {}
    for name, (kind, field, values) in _COUNTS.items():
        count = sum(not field or row.get(field) in values for row in rows_of(kind))
        found[name] = math.log((count + 0.5) / weeks)
    ties = [row.get("contacts") for row in rows_of("social_tie")]
    met = sum(float(n) for n in ties if isinstance(n, int | float))
    found["met"] = math.log((met + 0.5) / weeks)
    for name, kind in (("journal_length", "journal"), ("mail_length", "mail")):
        lengths = [len(str(row.get("text"))) for row in rows_of(kind)]
        found[name] = math.log(fmean(lengths)) if lengths else MEANS.get(name, 5.0)
    hours = [float(row.get("hour") or 0) for row in rows_of("habit_log")]
    found["hour"] = fmean(hours) if hours else MEANS.get("hour", 15.0)
    return found


def trait_scores(rows_of: RowsOf) -> dict[str, float]:
    """The scores of the five traits, 1 to 5, that the rows speak for; by the letters of `TRAITS`.

    None if there are no days to judge by.
    """
    found = signs(rows_of)
    if not found:
        return {}
    standard = {name: (found[name] - MEANS[name]) / SPREADS[name] for name in MEANS}
    return {
        trait: weights[""] + sum(weights[name] * value for name, value in standard.items())
        for trait, weights in WEIGHTS.items()
    }


_TABLES: Final = frozenset({"transaction", "workout", "habit_log", "call"})
_MOST_TABLES: Final = 2


def tables_for(trait: str) -> tuple[str, ...]:
    """The kinds of rows whose signs say most about a trait: what its evidence consists of."""
    said: dict[str, float] = {}
    for name, weight in WEIGHTS[trait].items():
        kind = _COUNTS[name][0] if name in _COUNTS else ""
        if kind in _TABLES:
            said[kind] = said.get(kind, 0.0) + abs(weight)
    return tuple(sorted(said, key=lambda kind: (-said[kind], kind))[:_MOST_TABLES])


def level(score: float) -> int:
    """The whole level from 1 to 5 that a score is nearest to."""
    return min(5, max(1, math.floor(score + 0.5)))
