"""Narrow places: which lines of a long record hold which fact of its event."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date

from deskgym.tasks.locators import AnyLocator, Lines
from deskgym.tasks.made.files.placed import Spot
from deskgym.tasks.made.models import Fact, Life
from deskgym.tasks.made.records import Record
from deskgym.tasks.made.records.dates import long_day

Facts = Mapping[str, Mapping[str, Fact]]
"""The facts of each event, by the event's id."""


def facts_of(life: Life) -> Facts:
    """The facts of all events of ``life``."""
    return {event.id: event.facts for event in life.events}


def ways(value: Fact) -> tuple[str, ...]:
    """How texts write ``value``."""
    if isinstance(value, float):
        return tuple(dict.fromkeys((f"{value:.2f}", f"{value:,.2f}", f"{value:g}", str(value))))
    text = str(value)
    if re.fullmatch(r"\d{4}-\d\d-\d\d", text):
        day = date.fromisoformat(text)
        return text, long_day(day)
    return (text,)


def says(text: str, value: Fact) -> bool:
    """Whether ``text`` holds ``value`` at the borders of words and numbers."""
    return any(
        way in text and re.search(rf"(?<![\w.]){re.escape(way)}(?![\w]|\.\d)", text)
        for way in ways(value)
    )


def parts(record: Record, facts: Facts, marks: Iterable[tuple[AnyLocator, str]]) -> list[Spot]:
    """A spot for each fact of the record's event that one of ``marks`` holds, the first one."""
    wanted = facts.get(record.event or "", {})
    found: dict[str, Spot] = {}
    for locator, text in marks:
        for name, value in wanted.items():
            if name not in found and says(text, value):
                found[name] = Spot(record.id, locator, text.strip(), name)
    return [found[name] for name in wanted if name in found]


def line_spots(record: Record, facts: Facts, lines: Sequence[str], first: int) -> list[Spot]:
    """The spots of a record whose ``lines`` stand from line ``first`` on: the whole, the facts.

    Blank lines at the end do not belong to it.
    """
    last = len(lines)
    while last > 1 and not lines[last - 1].strip():
        last -= 1
    whole = Lines(start=first, end=first + last - 1)
    marks = [
        (Lines(start=first + n, end=first + n), line)
        for n, line in enumerate(lines[:last])
        if line.strip()
    ]
    text = "\n".join(lines[:last]).strip()
    return [Spot(record.id, whole, text), *parts(record, facts, marks)]
