"""How questions name days, people and things, and in which order tasks stand."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import date
from typing import TypeVar

from deskgym.tasks.made.models import Life
from deskgym.tasks.made.verifier.forms import MONTHS, day_text
from deskgym.tasks.made.verifier.rows import WEEKDAYS

_T = TypeVar("_T")
_ORDINALS = ("first", "second", "third", "fourth", "fifth")


def day_phrase(day: date, chance: random.Random, *, hard: bool) -> str:
    """``on 5 March 2024``; where it is hard, ``on the first Tuesday of March 2024``."""
    if hard:
        which = _ORDINALS[(day.day - 1) // 7]
        return f"on the {which} {WEEKDAYS[day.weekday()]} of {MONTHS[day.month - 1]} {day.year}"
    forms = (
        f"on {day_text(day)}",
        f"on {WEEKDAYS[day.weekday()]}, {day_text(day)}",
        f"on {MONTHS[day.month - 1]} {day.day}, {day.year}",
        f"on {day.isoformat()}",
    )
    return chance.choices(forms, weights=(4, 3, 2, 3))[0]


def month_phrase(month: str) -> str:
    """A month such as 2024-03 in words: March 2024."""
    return f"{MONTHS[int(month[5:7]) - 1]} {month[:4]}"


def person_phrase(name: str, life: Life, *, hard: bool) -> str:
    """The name; where it is hard and only one person is that to them, ``my dentist``."""
    if not hard:
        return name
    known = [c for c in life.person.contacts if c.name == name]
    relations = Counter(c.relation for c in life.person.contacts)
    if len(known) == 1 and relations[known[0].relation] == 1:
        return f"my {known[0].relation}"
    return name


def quoted(said: str, words: int = 9) -> str:
    """The beginning of what was said, in quotation marks."""
    parts = said.split()
    cut = " ".join(parts[:words])
    return f"“{cut}…”" if len(parts) > words else f"“{cut}”"


def sample(things: Sequence[_T], most: int, chance: random.Random) -> list[_T]:
    """At most so many of ``things``, drawn, in their order."""
    if len(things) <= most:
        return list(things)
    chosen = sorted(chance.sample(range(len(things)), most))
    return [things[n] for n in chosen]


def alternating(things: Iterable[tuple[str, _T]], chance: random.Random) -> list[_T]:
    """Things with their templates, shuffled so that no template stands twice in a row as long as
    others are left."""
    stacks: dict[str, list[_T]] = {}
    for template, thing in things:
        stacks.setdefault(template, []).append(thing)
    for stack in stacks.values():
        chance.shuffle(stack)
    left = sum(map(len, stacks.values()))
    order: list[_T] = []
    last = ""
    while left:
        names = [name for name, stack in stacks.items() if stack and name != last]
        # The longest one must come while it still can: every other place is its.
        longest = max(names or [last], key=lambda name: len(stacks[name]))
        if len(stacks[longest]) * 2 <= left and names:
            longest = chance.choices(names, weights=[len(stacks[name]) for name in names])[0]
        order.append(stacks[longest].pop())
        last, left = longest, left - 1
    return order
