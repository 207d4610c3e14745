"""A day's plan: which kind of event fills each slot, and when, so that nothing overlaps."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from datetime import date, datetime, time

from deskgym.tasks.made.kinds import KINDS, Kind, kinds_of
from deskgym.tasks.made.models import Category, ConstraintKind, Pattern
from deskgym.tasks.made.plan import Slot
from deskgym.tasks.made.stories import Thread
from deskgym.tasks.made.world import World

# The working day, in minutes since midnight; what may happen in it besides work.
WORK = (9 * 60, 17 * 60)
_IN_WORK_TIME = frozenset(
    {
        "lunch",
        "online_order",
        "bill",
        "subscription",
        "doctor_visit",
        "tradesperson",
        "train_booking",
        "advice",
        "measurement",
        "donation",
        "lending",
        "pharmacy",
    }
)
# What may well happen more than once a day; nobody has lunch twice or makes two weekly plans.
_REPEATED = frozenset({"meeting", "messages", "mail", "phone_call", "group_chat", "coffee"})
# Dinner, of which there is one a day.
_DINNERS = frozenset({"dinner_out", "date_evening", "takeaway", "cooking", "new_recipe"})
# A story's event is taken up with this probability when there is room for it.
_TAKEN_UP = 0.9
_STEP = 5


@dataclass
class Planned:
    """An event that will happen: its kind and time, and the story or life event it belongs to."""

    kind: Kind
    start: datetime
    minutes: int
    thread: Thread | None = None
    rare: ConstraintKind | None = None


@dataclass
class DayPlan:
    """What is planned for a day so far."""

    day: date
    wet: bool
    mood: float
    planned: list[Planned] = field(default_factory=list)
    busy: list[tuple[int, int]] = field(default_factory=list)

    def put(
        self,
        kind: Kind,
        start: int,
        minutes: int,
        thread: Thread | None = None,
        rare: ConstraintKind | None = None,
    ) -> None:
        """Fix an event at ``start`` minutes since midnight."""
        at = datetime.combine(self.day, time(start // 60, start % 60))
        self.planned.append(Planned(kind, at, minutes, thread, rare))
        self.busy.append((start, start + minutes))
        self.busy.sort()


def fill(
    plan: DayPlan,
    slot: Slot,
    world: World,
    pattern: Pattern,
    threads: list[Thread],
    chance: random.Random,
) -> bool:
    """Plan an event for ``slot``; False if the day has no room for any of its category.

    A story that waits for such an event goes first, then kinds in the order of a weighted draw.
    """
    under_way = {planned.thread.id for planned in plan.planned if planned.thread}
    for thread in threads:
        kind = _next_kind(thread)
        if (
            kind is not None
            and kind.category == slot.category
            and thread.earliest <= plan.day
            and thread.id not in under_way
            and not _done(plan, kind)
            and world.allows(kind)
            and chance.random() < _TAKEN_UP
            and _fit(plan, kind, slot, chance, thread)
        ):
            return True
    return any(
        _fit(plan, kind, slot, chance)
        for kind in _ranked(slot.category, plan, world, pattern, chance)
    )


def put_rare(plan: DayPlan, rare: ConstraintKind, chance: random.Random) -> None:
    """Plan the rare life event of the day, before everything else."""
    kind = KINDS[f"life_{rare}"]
    start = 60 * kind.hours[0] + _STEP * chance.randrange(0, 12)
    plan.put(kind, start, _minutes(kind, chance), rare=rare)


def _next_kind(thread: Thread) -> Kind | None:
    step = thread.next
    return KINDS[step.kind] if step else None


def _ranked(
    category: Category, plan: DayPlan, world: World, pattern: Pattern, chance: random.Random
) -> list[Kind]:
    """The kinds that may happen, drawn one after another by weight without putting back.

    The weight is the kind's own, times the person's liking; on a wet day outdoor kinds are given
    up as often as the pattern says, and bad nights and worries come with a low mood.
    """
    scored = []
    for kind in kinds_of(category):
        if not world.allows(kind) or _done(plan, kind):
            continue
        weight = kind.weight * world.likes[kind.name]
        if plan.wet and "outdoor" in kind.tags:
            weight *= 1 - pattern.conditions["indoors_when_wet"]
        if kind.name in ("worry", "bad_night"):
            weight *= 1.5 - plan.mood
        # Exponential waiting times: the order is a weighted draw without putting back.
        scored.append((chance.expovariate(1) / max(weight, 1e-6), kind))
    scored.sort(key=lambda pair: pair[0])
    return [kind for _, kind in scored]


def _done(plan: DayPlan, kind: Kind) -> bool:
    """Whether the day has had what happens once a day."""
    alike = _DINNERS if kind.name in _DINNERS else {kind.name} - _REPEATED
    return any(planned.kind.name in alike for planned in plan.planned)


def _fit(
    plan: DayPlan, kind: Kind, slot: Slot, chance: random.Random, thread: Thread | None = None
) -> bool:
    """Put ``kind`` where the day is free, as near to the slot's hour as can be."""
    minutes = _minutes(kind, chance)
    low, high = 60 * kind.hours[0], 60 * kind.hours[1] + 55
    wanted = min(high, max(low, round(60 * slot.hour / _STEP) * _STEP))
    best: int | None = None
    for start, end in _gaps(plan, kind):
        first, last = max(start, low), min(end - minutes, high)
        if first > last:
            continue
        at = min(last, max(first, wanted))
        if best is None or abs(at - wanted) < abs(best - wanted):
            best = at
    if best is None:
        return False
    plan.put(kind, best, minutes, thread)
    return True


def _gaps(plan: DayPlan, kind: Kind) -> list[tuple[int, int]]:
    """The free stretches of the day for ``kind``: not during work, unless it belongs there."""
    taken = list(plan.busy)
    at_work = "work" in kind.places or kind.category == "communication"
    if plan.day.weekday() < 5 and not at_work and kind.name not in _IN_WORK_TIME:
        taken.append(WORK)
        taken.sort()
    gaps, at = [], 6 * 60
    for start, end in taken:
        if start > at:
            gaps.append((at, start))
        at = max(at, end)
    gaps.append((at, 24 * 60 - _STEP))
    return gaps


def _minutes(kind: Kind, chance: random.Random) -> int:
    low, high = kind.minutes
    return _STEP * chance.randint(-(-low // _STEP), high // _STEP)
