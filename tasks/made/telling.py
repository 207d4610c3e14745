"""The text of an event, from its facts alone: one event's does not depend on another's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime

from deskgym.tasks.made.models import Fact
from deskgym.tasks.made.seeds import random_for
from deskgym.tasks.made.tellings import TELLINGS

DATES = ("due", "next_date")
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip


def in_words(day: date) -> str:
    """``Tuesday 4 March 2025``, whatever the locale."""
    return f"{_DAYS[day.weekday()]} {day.day} {_MONTHS[day.month - 1]} {day.year}"


def names_of(people: Sequence[str]) -> str:
    """``A``, ``A and B``, ``A, B and C``."""
    if len(people) < 2:
        return "".join(people)
    return f"{', '.join(people[:-1])} and {people[-1]}"


def tell(
    seed: int,
    person_id: str,
    event_id: str,
    kind: str,
    start: datetime,
    people: Sequence[str],
    place: str,
    facts: Mapping[str, Fact],
) -> str:
    """When, what, and how it went. ``place`` is empty if it need not be said."""
    chance = random_for(seed, person_id, "telling", event_id)
    words: dict[str, str] = {name: _said(name, fact) for name, fact in facts.items()}
    who = names_of(people)
    words |= {
        "who": who or "somebody",
        "with": f" with {who}" if who else "",
        "at": f" at {place}" if place else "",
    }
    told = chance.choice(TELLINGS[kind]).format_map(words)
    told = told[0].upper() + told[1:]
    ending = words["remark"][0].upper() + words["remark"][1:]
    return f"{in_words(start.date())}, {start:%H:%M}. {told} {ending}."


def _said(name: str, fact: Fact) -> str:
    """A fact as it is said: dates in words, money with two decimals."""
    if name in DATES and isinstance(fact, str):
        return in_words(date.fromisoformat(fact))
    if name == "amount" and isinstance(fact, float):
        return f"{fact:.2f}"
    return str(fact)


def text_facts(facts: Mapping[str, Fact]) -> list[str]:
    """The facts that stand in the text word for word, but for the case of a first letter."""
    return [_said(name, fact) for name, fact in facts.items() if isinstance(fact, str)]
