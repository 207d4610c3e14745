"""How events change the state: the typed operations that each one brings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date

from deskgym.tasks.made.models import Constraint, Event, Fact, Op, StateChange
from deskgym.tasks.made.state import State, prune

_PAY_DAY = 28
_MOOD_STEP = 0.05
_CLOSER = 0.01


def morning(day: date, state: State, over: Iterable[Constraint]) -> list[StateChange]:
    """What the calendar brings: constraints that end, and wages on the 28th."""
    changes = [_change(day, "remove", f"status.constraints.{c.id}", None, None) for c in over]
    if day.day == _PAY_DAY:
        wage = float(state["identity"]["salary"])
        changes.append(_change(day, "increase", "status.balance", wage, None))
    return changes


def evening(day: date, state: State) -> list[StateChange]:
    """What is forgotten, on the days that are set for it."""
    return prune(state, day)


def evolve(event: Event, state: State, moved: Mapping[str, int]) -> list[StateChange]:
    """The operations of ``event``: mood, money, ties, what goes on, and what is new."""
    day, id = event.start.date(), event.id
    status = state["status"]
    good = event.outcome == "positive"
    # Halfway to the end of the scale at most: the mood stays within 0 and 1.
    by = _MOOD_STEP * (1 - status["mood"]) if good else -2 * _MOOD_STEP * status["mood"]
    changes = [_change(day, "increase", "status.mood", round(by, 4), id)]
    if "amount" in event.facts:
        paid = -float(event.facts["amount"])
        changes.append(_change(day, "increase", "status.balance", paid, id))
    for contact in event.people:
        closer = _CLOSER if good else -_CLOSER
        changes.append(_change(day, "increase", f"relationships.{contact}.closeness", closer, id))
        changes.append(_change(day, "set", f"relationships.{contact}.last", day.isoformat(), id))
    for name, steps in moved.items():
        op: Op = "increase" if name in status["progress"] else "add"
        changes.append(_change(day, op, f"status.progress.{name}", steps, id))
    if event.thread or not good:
        text = f"{day.isoformat()} {event.kind}"
        changes.append(_change(day, "add", f"status.recent.{id}", text, id))
    return changes + _news(event, state)


def _news(event: Event, state: State) -> list[StateChange]:
    """What is different after events of certain kinds."""
    day, id, facts = event.start.date(), event.id, event.facts

    def put(path: str, value: Fact) -> StateChange:
        *parts, name = path.split(".")
        holder = state
        for part in parts:
            holder = holder[part]
        return _change(day, "set" if name in holder else "add", path, value, id)

    if event.kind in ("online_order", "clothes"):
        return [put(f"belongings.{id}", str(facts["item"]))]
    if event.kind == "doctor_visit":
        return [put(f"status.health.{facts['complaint']}", str(facts["medicine"]))]
    if event.kind == "life_injury":
        return [put(f"status.health.{facts['body_part']}", "hurt")]
    if event.kind == "life_new_allergy":
        return [put("status.health.allergy", str(facts["allergen"]))]
    if event.kind == "life_new_medicine":
        return [put(f"status.health.{facts['reason']}", str(facts["medicine"]))]
    if event.kind == "life_move":
        return [put("identity.address", str(facts["new_address"]))]
    if event.kind == "life_job_change":
        return [
            put("identity.employer", str(facts["new_employer"])),
            put("identity.job", str(facts["new_role"])),
            put("identity.salary", int(facts["salary"])),
        ]
    if event.kind == "life_break_up":
        return [
            put(f"relationships.{contact}.relation", "former partner") for contact in event.people
        ]
    if event.kind == "life_car_sold":
        return _sold(event, state)
    return []


def _sold(event: Event, state: State) -> list[StateChange]:
    """The car is gone and the money is there."""
    day = event.start.date()
    price = float(event.facts["price"])
    return [
        *(
            _change(day, "remove", f"belongings.{thing}", None, event.id)
            for thing, name in state["belongings"].items()
            if name == event.facts["car"]
        ),
        _change(day, "increase", "status.balance", price, event.id),
    ]


def _change(day: date, op: Op, path: str, value: Fact | None, event: str | None) -> StateChange:
    return StateChange(day=day, op=op, path=path, value=value, event=event)
