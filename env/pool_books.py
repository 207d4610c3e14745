"""Who has which desk, who waits for one, and what is to be done next: the books of a pool.

Bookkeeping alone: nothing here starts, asks or ends a desk. All of it is called with the pool's
lock held.
"""

from __future__ import annotations

import threading
import weakref
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from deskgym.env.sandbox.base import Sandbox
from deskgym.env.sandbox.limits import DeskLimits
from deskgym.tasks.schema import Profile


@dataclass(frozen=True)
class Key:
    """What makes two desks interchangeable: the same files, prepared alike, under the same caps.

    One process uses one image of each kind: its own version's.
    """

    kind: str
    root: Path
    digest: str
    prepared: Path | None
    limits: DeskLimits | None


@dataclass(eq=False)
class Unit:
    """A desk of the pool's that runs. ``since`` it is idle, ``well`` is when that was last known;
    both in seconds of the monotonic clock."""

    key: Key
    person: Profile
    desk: Sandbox
    since: float
    well: float


@dataclass(eq=False)
class Ticket:
    """Somebody who waits for a desk. ``ready`` is set when there is one, or an error."""

    key: Key
    person: Profile
    ready: threading.Event = field(default_factory=threading.Event)
    unit: Unit | None = None
    error: BaseException | None = None
    lacks_room: bool = False

    def serve(self, unit: Unit) -> None:
        self.unit = unit
        self.ready.set()

    def fail(self, error: BaseException) -> None:
        self.error = error
        self.ready.set()


@dataclass
class Moves:
    """What the pool is to do: desks to start, and idle ones to end."""

    start: list[tuple[Key, Profile]] = field(default_factory=list)
    end: list[Unit] = field(default_factory=list)


class Books:
    """The state of a pool. ``out`` holds its desks weakly: one that nobody holds any more ends by
    itself, and is then no longer counted."""

    def __init__(self) -> None:
        self.idle: dict[Key, list[Unit]] = {}
        self.out: weakref.WeakSet[Unit] = weakref.WeakSet()
        self.waiting: deque[Ticket] = deque()
        self.starting: Counter[Key] = Counter()
        self.returning: Counter[Key] = Counter()
        self.ending = 0
        self.wanted: dict[Key, tuple[Profile, int]] = {}

    @property
    def idle_count(self) -> int:
        return sum(map(len, self.idle.values()))

    @property
    def total(self) -> int:
        """All desks that there are, or are about to be, or are not gone yet."""
        return self.idle_count + len(self.out) + self.busy + self.ending

    @property
    def busy(self) -> int:
        """Desks that the pool itself has in hand: being started, made as new, or looked after."""
        return self.starting.total() + self.returning.total()

    def take_all_idle(self) -> list[Unit]:
        """The idle desks, which are idle no more."""
        taken = [unit for units in self.idle.values() for unit in units]
        self.idle.clear()
        return taken

    def put(self, unit: Unit) -> None:
        """``unit`` is idle."""
        self.idle.setdefault(unit.key, []).append(unit)

    def drop(self, unit: Unit) -> None:
        """``unit`` is idle no more."""
        units = self.idle[unit.key]
        units.remove(unit)
        if not units:
            del self.idle[unit.key]

    def plan(
        self, *, starts: int, spare: int, keep: bool, room_for: Callable[[Key, int], bool]
    ) -> Moves:
        """Serve who can be served, and say what to start and what to end for the rest.

        Who came first is served first; a desk that is idle goes to the first who wants just that.
        ``starts`` is how many may be under way at once; ``spare``, how many idle ones there are to
        be beside those in use; with ``keep``, what is to be kept warm is started too.
        ``room_for(key, n)`` tells whether ``n`` desks fit beside those that there are.
        """
        moves = Moves()
        self._serve()
        left = starts - self.starting.total()
        coming = self.starting + self.returning
        uncovered = []
        for ticket in self.waiting:
            if coming[ticket.key] > 0:
                coming[ticket.key] -= 1
                ticket.lacks_room = False
            else:
                uncovered.append(ticket)
        # Desks that are about to make room: gone soon, or soon idle and then to be ended.
        planned, leaving = 0, self.ending + coming.total()
        for ticket in uncovered:
            ticket.lacks_room = not room_for(ticket.key, planned + 1)
            if ticket.lacks_room:
                # A desk that somebody may want again makes room for one that is wanted now.
                if leaving > 0:
                    leaving -= 1
                    ticket.lacks_room = False
                elif victim := self._oldest():
                    self.drop(victim)
                    self.ending += 1
                    moves.end.append(victim)
                    ticket.lacks_room = False
                continue
            planned += 1
            if left > 0:
                left -= 1
                moves.start.append((ticket.key, ticket.person))
        for key, (person, count) in (self._to_keep(spare) if keep else {}).items():
            missing = count - len(self.idle.get(key, ())) - max(0, coming[key])
            while missing > 0 and left > 0 and room_for(key, planned + 1):
                missing, left, planned = missing - 1, left - 1, planned + 1
                moves.start.append((key, person))
        self.starting.update(key for key, _ in moves.start)
        return moves

    def surplus(self, now: float, *, idle_s: float, most: int, spare: int) -> list[Unit]:
        """Take out the idle desks that have waited for too long, or are too many: the ones that
        have waited longest. Those that are to be kept warm stay."""
        free = self._free(spare)
        taken = [
            unit
            for number, unit in enumerate(free)
            if number < len(free) - most or unit.since + idle_s <= now
        ]
        for unit in taken:
            self.drop(unit)
        self.ending += len(taken)
        return taken

    def next_expiry(self, idle_s: float, spare: int) -> float:
        """When the next idle desk will have waited for too long."""
        free = self._free(spare)
        return free[0].since + idle_s if free else float("inf")

    def unseen(self, before: float) -> list[Unit]:
        """Take out the idle desks of which nothing has been heard since ``before``; they count as
        returning."""
        found = [u for units in self.idle.values() for u in units if u.well < before]
        for unit in found:
            self.drop(unit)
            self.returning[unit.key] += 1
        return found

    def _serve(self) -> None:
        for ticket in list(self.waiting):
            if units := self.idle.get(ticket.key):
                unit = units[-1]  # the one used last: what it needs is in memory still
                self.drop(unit)
                self.out.add(unit)
                self.waiting.remove(ticket)
                ticket.serve(unit)

    def _free(self, spare: int) -> list[Unit]:
        """The idle desks that are not to be kept warm, by how long they have waited."""
        keep = {key: count for key, (_, count) in self._to_keep(spare).items()}
        free = [
            unit
            for key, units in self.idle.items()
            for unit in units[: max(0, len(units) - keep.get(key, 0))]
        ]
        return sorted(free, key=lambda unit: unit.since)

    def _oldest(self) -> Unit | None:
        idle = (unit for units in self.idle.values() for unit in units)
        return min(idle, key=lambda unit: unit.since, default=None)

    def _to_keep(self, spare: int) -> dict[Key, tuple[Profile, int]]:
        """How many idle desks there are to be of each key: those asked for, and the spare ones of
        what is in use."""
        keep = {}
        if spare:
            keep = {unit.key: (unit.person, spare) for unit in self.out}
        for key, (person, count) in self.wanted.items():
            keep[key] = (person, max(count, keep[key][1] if key in keep else 0))
        return keep
