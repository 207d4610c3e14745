"""The state of a life: six parts, a strict schema, changed by typed operations only.

`RULES` says which paths there are, which operations each allows, and what its values are. `apply`
refuses everything else, so a state can always be had again by playing its changes back.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from types import MappingProxyType
from typing import Any

from deskgym.tasks.made.models import Op, Person, StateChange
from deskgym.tasks.made.traits import DOMAINS, Traits

PARTS = ("identity", "personality", "traits", "relationships", "belongings", "status")

# How long what just happened is kept in mind, and how often it is pruned.
KEPT_DAYS, PRUNED_EVERY = 14, 7

State = dict[str, Any]


class StateError(ValueError):
    """An operation that the schema does not allow; the message names the path."""


@dataclass(frozen=True)
class Rule:
    """What may be done at a path."""

    ops: frozenset[Op]
    kind: type[str] | type[int] | type[float]


def _rule(kind: type[str] | type[int] | type[float], *ops: Op) -> Rule:
    return Rule(frozenset(ops), kind)


# ``*`` stands for one name that can be added and removed.
RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "identity.name": _rule(str),
        "identity.born": _rule(str),
        "identity.address": _rule(str, "set"),
        "identity.employer": _rule(str, "set"),
        "identity.job": _rule(str, "set"),
        "identity.salary": _rule(int, "set"),
        "personality.*": _rule(str, "set", "add"),
        "traits.*": _rule(float),
        "relationships.*.relation": _rule(str, "set"),
        "relationships.*.closeness": _rule(float, "increase"),
        "relationships.*.last": _rule(str, "set"),
        "belongings.*": _rule(str, "set", "add", "remove"),
        "status.mood": _rule(float, "increase"),
        "status.balance": _rule(float, "increase"),
        "status.progress.*": _rule(int, "add", "increase"),
        "status.health.*": _rule(str, "set", "add", "remove"),
        "status.constraints.*": _rule(str, "add", "remove"),
        "status.recent.*": _rule(str, "add", "remove"),
    }
)


def begin(person: Person, traits: Traits) -> State:
    """The state of ``person`` on the first morning."""
    return {
        "identity": {
            "name": person.full_name,
            "born": person.birth_date.isoformat(),
            "address": person.place(person.home).address,
            "employer": person.employer,
            "job": person.job,
            "salary": person.salary,
        },
        "personality": dict(person.tastes),
        "traits": dict(zip(DOMAINS, traits.scores(), strict=True)),
        "relationships": {
            contact.id: {"relation": contact.relation, "closeness": 0.5, "last": ""}
            for contact in person.contacts
        },
        "belongings": {thing.id: f"{thing.brand} {thing.name}" for thing in person.belongings},
        "status": {
            "mood": 0.5,
            "balance": float(person.salary),
            "progress": {},
            "health": {},
            "constraints": {},
            "recent": {},
        },
    }


def apply(state: State, change: StateChange) -> None:
    """Do one operation on ``state``, in place.

    Raises:
        StateError: the schema has no such path, or does not allow the operation or the value
            there; or what is to be added exists, or what is to be changed does not.
    """
    parts = change.path.split(".")
    rule = _rule_for(parts)
    if change.op not in rule.ops:
        raise StateError(f"{change.path}: {change.op} is not allowed; allowed: {sorted(rule.ops)}")
    if change.op != "remove" and type(change.value) is not rule.kind:
        raise StateError(
            f"{change.path}: {change.value!r} is not of type {rule.kind.__name__}; convert it"
        )
    holder: Any = state
    for part in parts[:-1]:
        if part not in holder:
            raise StateError(f"{change.path}: there is no {part}")
        holder = holder[part]
    name = parts[-1]
    if change.op == "add" and name in holder:
        raise StateError(f"{change.path}: is there already; set it")
    if change.op != "add" and name not in holder:
        raise StateError(f"{change.path}: is not there; add it")
    if change.op == "remove":
        del holder[name]
    elif change.op == "increase":
        holder[name] = _sum(holder[name], change.value)
    else:
        holder[name] = change.value


def replay(person: Person, traits: Traits, changes: Iterable[StateChange]) -> State:
    """The state after ``changes``."""
    state = begin(person, traits)
    for change in changes:
        apply(state, change)
    return state


def prune(state: State, day: date) -> list[StateChange]:
    """What to forget on the evening of ``day``: every seventh day, what is two weeks old."""
    if day.toordinal() % PRUNED_EVERY:
        return []
    oldest = (day - timedelta(days=KEPT_DAYS)).isoformat()
    return [
        StateChange(day=day, op="remove", path=f"status.recent.{event}", value=None, event=None)
        for event, text in state["status"]["recent"].items()
        if text[:10] < oldest
    ]


def _rule_for(parts: list[str]) -> Rule:
    for candidate in (parts, [*parts[:1], "*", *parts[2:]], [*parts[:-1], "*"]):
        rule = RULES.get(".".join(candidate))
        if rule is not None and all(parts):
            return rule
    raise StateError(f"{'.'.join(parts)}: the state has no such path; its parts are {PARTS}")


def _sum(old: float, by: Any) -> float:
    """Whole numbers stay whole; others keep two decimals (money) and no more."""
    total: float = old + by
    return total if isinstance(total, int) else round(total, 4)
