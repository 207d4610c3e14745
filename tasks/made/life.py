"""A whole life: planned by month, week and day, rolled out, and told.

`make_life` walks through the days. Each day is planned from the week's slots and the stories
under way, rolled out event by event (positive with probability .7), and the state evolves by the
operations that the events bring. The texts come last, each from its own event alone.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date, timedelta

from deskgym.tasks.made import facts_home, facts_mind, facts_out, rare
from deskgym.tasks.made.day import DayPlan, Planned, fill, put_rare
from deskgym.tasks.made.evolve import evening, evolve, morning
from deskgym.tasks.made.inventory import answer
from deskgym.tasks.made.models import (
    Category,
    Constraint,
    ConstraintKind,
    Contact,
    Event,
    Fact,
    Life,
    Pattern,
    Person,
    Place,
    StateChange,
)
from deskgym.tasks.made.patterns import make_habits, make_patterns
from deskgym.tasks.made.people import make_person
from deskgym.tasks.made.plan import Slot, calendar, month_stories, week_slots, weeks
from deskgym.tasks.made.remarks import remark
from deskgym.tasks.made.scene import Scene
from deskgym.tasks.made.seeds import random_for
from deskgym.tasks.made.spec import MadeSpec
from deskgym.tasks.made.state import State, apply, begin
from deskgym.tasks.made.stories import Thread
from deskgym.tasks.made.telling import names_of, tell
from deskgym.tasks.made.traits import Traits, draw_traits
from deskgym.tasks.made.words_food import NOT_EATEN, holds
from deskgym.tasks.made.world import World

FACTS = {**facts_out.FACTS, **facts_home.FACTS, **facts_mind.FACTS, **rare.FACTS}

# Of every ten events three go badly, in an order of their own: p = .7 for each, and little
# difference between lives.
_BLOCK, _BAD = 10, 3
# Days that an event may be put off if its day is full.
_PUT_OFF = 3
_WET = 0.35
# Kinds whose place is clear without being said.
_UNSAID = ("home", "work")


@dataclass
class _Making:
    """A life while it is being made."""

    seed: int
    index: int
    person: Person
    patterns: dict[Category, Pattern]
    world: World
    state: State
    rare: dict[date, ConstraintKind]
    slots: dict[date, list[Slot]]
    last: date
    threads: list[Thread] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    constraints: list[Constraint] = field(default_factory=list)
    changes: list[StateChange] = field(default_factory=list)
    outcomes: list[bool] = field(default_factory=list)
    everyday: int = 0

    def do(self, changes: Iterable[StateChange]) -> None:
        """Apply operations and keep them."""
        for change in changes:
            apply(self.state, change)
            self.changes.append(change)


def make_life(spec: MadeSpec, index: int) -> Life:
    """The life of person ``index`` (from 0): a pure function of ``spec`` and ``index``.

    It depends on ``seed``, ``months`` and ``inventory`` only; the other fields concern what is
    made of the life.
    """
    seed = spec.seed
    traits = draw_traits(spec.inventory, seed, index)
    answers = answer(traits, seed, index)
    first, last = calendar(seed, index, spec.months)
    ahead = rare.plan_rare(seed, index, first, last, spec.months)
    person = make_person(seed, index, answers, first, tuple(ahead.values()))
    patterns = make_patterns(answers, seed, index)
    making = _begin(seed, index, person, traits, patterns, ahead, first, last)
    day = first
    while day <= last:
        if day == first or day.day == 1:
            making.threads += month_stories(seed, index, day, last)
        _live(making, day)
        day += timedelta(days=1)
    return Life(
        person=person,
        traits=traits,
        answers=answers,
        habits=make_habits(answers, seed, index),
        patterns=patterns,
        events=tuple(making.events),
        constraints=tuple(making.constraints),
        changes=tuple(making.changes),
        first=first,
        last=last,
    )


def _begin(
    seed: int,
    index: int,
    person: Person,
    traits: Traits,
    patterns: tuple[Pattern, ...],
    ahead: dict[date, ConstraintKind],
    first: date,
    last: date,
) -> _Making:
    """Everything that is settled before the first day."""
    slots: dict[date, list[Slot]] = defaultdict(list)
    for monday in weeks(first, last):
        for pattern in patterns:
            for day, slot in week_slots(pattern, seed, index, monday):
                slots[day].append(slot)
    return _Making(
        seed=seed,
        index=index,
        person=person,
        patterns={pattern.category: pattern for pattern in patterns},
        world=World.of(seed, person),
        state=begin(person, traits),
        rare={day: rare.possible(kind, person) for day, kind in ahead.items()},
        slots=slots,
        last=last,
    )


def _live(making: _Making, day: date) -> None:
    """One day: plan, roll out, evolve, prune."""
    making.do(morning(day, making.state, making.world.dawn(day)))
    chance = random_for(making.seed, making.person.id, "day", day.isoformat())
    plan = _plan(making, day, chance)
    for planned in sorted(plan.planned, key=lambda planned: planned.start):
        _happen(making, planned)
    making.threads = [thread for thread in making.threads if thread.next is not None]
    making.do(evening(day, making.state))


def _plan(making: _Making, day: date, chance: random.Random) -> DayPlan:
    """Fill the day's slots in the order of their hours; what finds no room is put off."""
    plan = DayPlan(day=day, wet=chance.random() < _WET, mood=making.state["status"]["mood"])
    if day in making.rare:
        put_rare(plan, making.rare[day], chance)
        making.world.forbidden |= rare.MAY_FORBID[making.rare[day]]
    waiting = [thread for thread in making.threads if thread.earliest <= day]
    for slot in sorted(making.slots.pop(day, []), key=lambda slot: (slot.hour, slot.category)):
        pattern = making.patterns[slot.category]
        if not fill(plan, slot, making.world, pattern, waiting, chance):
            later = day + timedelta(days=1)
            if slot.tries < _PUT_OFF and later <= making.last:
                put_off = Slot(slot.category, slot.hour, slot.tries + 1)
                making.slots.setdefault(later, []).append(put_off)
    return plan


def _happen(making: _Making, planned: Planned) -> None:
    """Roll one event out: people, place, outcome, facts, text, and what it changes."""
    world, kind, thread = making.world, planned.kind, planned.thread
    id = f"e{len(making.events) + 1:05d}"
    chance = random_for(making.seed, making.person.id, "event", id)
    pattern = making.patterns[kind.category]
    step = thread.next if thread else None
    given = thread.people if thread and step and step.same else ()
    people = world.company(kind, pattern, chance, given)
    hour = planned.start.hour
    where = world.where(kind, people, pattern, chance, planned.start.date(), hour)
    carried = thread.given() if thread else {}
    if "destination" in carried:
        where = None
    good = _outcome(making, planned, chance)
    scene = Scene(
        seed=making.seed,
        chance=chance,
        person=making.person,
        where=where,
        people=people,
        start=planned.start,
        minutes=planned.minutes,
        good=good,
        spend=pattern.conditions["spend"],
        address=making.state["identity"]["address"],
        employer=world.employer,
        projects=world.projects,
        running=making.state["status"]["progress"],
        avoid=rare.allergens(world.forbidden),
    )
    facts: dict[str, Fact] = {**FACTS[kind.name](scene), **_edible(carried, scene.avoid)}
    facts["remark"] = remark(kind, "positive" if good else "negative", chance)
    event = _event(making, id, planned, people, where, facts, good)
    making.events.append(event)
    making.do(evolve(event, making.state, scene.moved))
    if thread and step:
        following = thread.story.steps[thread.step + 1 :]
        gap = chance.randint(*following[0].gap) if following else 0
        ids = tuple(contact.id for contact in people)
        thread.advance(id, event.start.date(), facts, ids, gap)
    if planned.rare:
        _constrain(making, planned.rare, event)


def _edible(carried: dict[str, Fact], avoid: frozenset[str]) -> dict[str, Fact]:
    """``carried`` without an ingredient that nobody eats, or that has become unsafe since."""
    return {
        name: fact
        for name, fact in carried.items()
        if name != "ingredient" or not (holds(str(fact)) & avoid or fact in NOT_EATEN)
    }


def _event(
    making: _Making,
    id: str,
    planned: Planned,
    people: tuple[Contact, ...],
    where: Place | None,
    facts: dict[str, Fact],
    good: bool,
) -> Event:
    said = where.name if where and where.kind not in _UNSAID else ""
    names = [contact.name for contact in people]
    kind, thread = planned.kind, planned.thread
    return Event(
        id=id,
        category=kind.category,
        kind=kind.name,
        start=planned.start,
        minutes=planned.minutes,
        people=tuple(contact.id for contact in people),
        place=where.id if where else None,
        facts=facts,
        outcome="positive" if good else "negative",
        parent=thread.parent if thread else None,
        thread=thread.id if thread else None,
        detail=tell(
            making.seed, making.person.id, id, kind.name, planned.start, names, said, facts
        ),
    )


def _outcome(making: _Making, planned: Planned, chance: random.Random) -> bool:
    """Whether it goes well."""
    if planned.rare:
        return rare.outcome_of(planned.rare, chance)
    at = making.everyday % _BLOCK
    if at == 0:
        block = making.everyday // _BLOCK
        making.outcomes = [False] * _BAD + [True] * (_BLOCK - _BAD)
        random_for(making.seed, making.person.id, "outcomes", block).shuffle(making.outcomes)
    making.everyday += 1
    return making.outcomes[at]


def _constrain(making: _Making, kind: ConstraintKind, event: Event) -> None:
    """The rare ``event`` leaves its constraint."""
    who = names_of([making.person.contact(id).name for id in event.people])
    left = rare.constraint(
        f"k{len(making.constraints) + 1}", kind, event.id, event.start.date(), event.facts, who
    )
    making.constraints.append(left)
    making.world.take(left)
    making.world.dawn(event.start.date())
    making.do(
        [
            StateChange(
                day=event.start.date(),
                op="add",
                path=f"status.constraints.{left.id}",
                value=left.summary,
                event=event.id,
            )
        ]
    )
