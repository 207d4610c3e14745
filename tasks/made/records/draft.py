"""A record before it has its number, and what all makers of records are given."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from deskgym.tasks.made.models import Contact, Event, Life, Place
from deskgym.tasks.made.records.record import SCHEMAS, Record, Value
from deskgym.tasks.made.seeds import random_for
from deskgym.tasks.made.spec import MadeSpec

_USUAL = 9.5  # events a day
Fields = dict[str, Value]
"""What a record says, by field."""


@dataclass(frozen=True)
class Draft:
    """A record to be: ``time`` decides its number."""

    schema: str
    time: datetime
    event: str | None
    fields: Mapping[str, Value]


@dataclass(frozen=True)
class Source:
    """The life that records come from, and its chance."""

    life: Life
    spec: MadeSpec

    def chance(self, *names: object) -> random.Random:
        """The generator for what is named; the same for the same life whatever else was made."""
        return random_for(self.spec.seed, self.life.person.id, "records", *names)

    @cached_property
    def leisure(self) -> float:
        """What is left for writing things down, 1 at most: less in a life with more events a day.

        It keeps the number of records of busy people near that of others.
        """
        days = (self.life.last - self.life.first).days + 1
        return float(min(1.0, _USUAL / (len(self.life.events) / days)) ** 3)

    @property
    def thin(self) -> float:
        """The share of what a short life has a file for that a long one has, 1 at most.

        Nobody keeps two years of slips and snapshots: 24 months come to some 2,000 files.
        """
        return max(0.25, min(1.0, 6 / self.spec.months))

    def contacts(self, event: Event) -> list[Contact]:
        """The people of ``event``."""
        return [self.life.person.contact(one) for one in event.people]

    def place(self, event: Event) -> Place | None:
        """Where ``event`` takes place; None if nowhere in particular."""
        return self.life.person.place(event.place) if event.place else None

    def address(self, when: datetime) -> str:
        """The street that the person lives in at that time."""
        moved = [e for e in self._moves if e.start <= when]
        if moved:
            return str(moved[-1].facts["new_address"])
        return self.life.person.place(self.life.person.home).address

    @cached_property
    def _moves(self) -> list[Event]:
        return [event for event in self.life.events if event.kind == "life_move"]

    def away(self, event: Event) -> Place | None:
        """Where ``event`` takes place if that is neither at home nor at work."""
        at_home = (self.life.person.home, self.life.person.work)
        return None if event.place in at_home else self.place(event)


def stamp(when: datetime) -> str:
    """A time as fields hold it: ``2025-03-01 09:30``."""
    return f"{when:%Y-%m-%d %H:%M}"


def euros(amount: Value) -> str:
    """An amount as prose has it: ``€1,250.50``."""
    return f"€{float(str(amount)):,.2f}"


def numbered(drafts: Iterable[Draft]) -> tuple[Record, ...]:
    """The records of ``drafts`` in time order, each numbered within its schema."""
    order = list(SCHEMAS)
    in_time = sorted(drafts, key=lambda d: (d.time, order.index(d.schema), d.event or ""))
    counts: Counter[str] = Counter()
    made = []
    for draft in in_time:
        counts[draft.schema] += 1
        made.append(
            Record(
                id=f"{draft.schema}-{counts[draft.schema]:04d}",
                schema=draft.schema,
                model=SCHEMAS[draft.schema].model,
                time=draft.time,
                event=draft.event,
                fields=dict(draft.fields),
            )
        )
    return tuple(made)
