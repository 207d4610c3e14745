"""What the verifier has read from the files: rows with fields and places."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from deskgym.tasks.locators import AnyLocator, Cells, Lines, Pages, Turns, cell_bounds

Value = str | int | float
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

TIMES = ("time", "start", "arrive", "depart", "due", "date", "week_ending")
"""The fields of which the first that a row has says when it was."""
DERIVED = ("time", "day", "month", "clock", "hour", "weekday")

Spot = tuple[str, AnyLocator]
"""A place: file and locator."""
Atom = tuple[str, str, int | str]
"""A place's smallest parts: a file, a kind of part, and which (a line, a page, a row of cells)."""


@dataclass(frozen=True)
class Row:
    """One thing that a file says. ``places`` has more than one if several files say the same."""

    schema: str
    fields: Mapping[str, Value]
    places: tuple[Spot, ...] = field(default=())

    def get(self, name: str) -> Value | None:
        """The field of that name, or what follows from the row's time; None if there is none."""
        if name in self.fields:
            return self.fields[name]
        if name not in DERIVED:
            return None
        time = next((self.fields[one] for one in TIMES if self.fields.get(one)), None)
        return _derived(name, str(time)) if time is not None else None


def _derived(name: str, time: str) -> Value | None:
    match name:
        case "time":
            return time
        case "day":
            return time[:10]
        case "month":
            return time[:7]
        case "clock":
            return time[11:16] or None
        case "hour":
            return int(time[11:13]) if len(time) > 13 else None
        case "weekday":
            return WEEKDAYS[datetime.fromisoformat(time).weekday()]
    return None


def row_of(schema: str, fields: Mapping[str, Value], path: str, locator: AnyLocator) -> Row:
    """A row that stands in one place."""
    return Row(schema, dict(fields), ((path, locator),))


def joined(rows: Iterable[Row]) -> list[Row]:
    """``rows`` with those that say the same taken together, in order of first appearance."""
    known: dict[tuple[str, tuple[tuple[str, Value], ...]], list[Spot]] = {}
    for row in rows:
        key = row.schema, tuple(sorted(row.fields.items()))
        spots = known.setdefault(key, [])
        spots += [spot for spot in row.places if spot not in spots]
    return [Row(schema, dict(items), tuple(s)) for (schema, items), s in known.items()]


def atoms(path: str, locator: AnyLocator) -> frozenset[Atom]:
    """The smallest parts of a place: what two descriptions of one evidence set have in common."""
    match locator:
        case Lines() | Pages() | Turns():
            return frozenset((path, locator.kind, n) for n in range(locator.start, locator.end + 1))
        case Cells():
            _, first, _, last = cell_bounds(locator.range)
            return frozenset((path, f"cells:{locator.sheet}", n) for n in range(first, last + 1))
    return frozenset({(path, locator.kind, str(locator))})


_SPACES = re.compile(r"\s+")


def same_text(value: Value) -> str:
    """``value`` as it is compared: no case, single blanks."""
    return _SPACES.sub(" ", str(value)).strip().casefold()
