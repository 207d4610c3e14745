"""HippoCamp's two families: factual retention, and profiling with its five subtypes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from datetime import date

from deskgym.tasks.made.questions.behaviour import behaviour
from deskgym.tasks.made.questions.draft import Draft, Source, text
from deskgym.tasks.made.questions.episodic import episodic
from deskgym.tasks.made.questions.facts import facts
from deskgym.tasks.made.questions.perceived import perceived
from deskgym.tasks.made.questions.semantic import moment, semantic
from deskgym.tasks.made.questions.wording import day_phrase, sample
from deskgym.tasks.made.records.record import Record
from deskgym.tasks.made.verifier.forms import listed
from deskgym.tasks.made.verifier.query import Query, Step, Test
from deskgym.tasks.schema import ProfilingType

_FACTS = 90
_EACH = 18
"""Questions a life of two months has of each profiling subtype."""


def home(source: Source) -> Iterator[Draft]:
    """All questions of a life in this setting."""
    grown = min(source.spec.months, 12) / 2
    number = round(_FACTS * grown)
    for draft in (
        *semantic(source, number // 3),
        *facts(source, number // 3),
        *perceived(source, number // 3, "retention"),
        *episodic(source, number - 2 * (number // 3)),
    ):
        yield replace(draft, kind="retention")
    left: dict[str, int] = defaultdict(lambda: round(_EACH * grown))
    for draft in behaviour(source, 10_000):
        subtype = _subtype(draft)
        if subtype is not None and left[subtype]:
            left[subtype] -= 1
            yield replace(draft, kind="profile", profiling=subtype)
    yield from _workflows(source, round(_EACH * grown))


def _subtype(draft: Draft) -> ProfilingType | None:
    """The subtype that a sum belongs to, by what it gives of what."""
    schema, by, give, field, take = draft.template.partition("#")[0].split("/")
    if schema in ("calendar", "reminder"):
        return "scheduling"
    if give == "trend" or take in ("most", "least"):
        return "retrospective_reflections"
    if give == "mode" and field in ("weekday", "activity"):
        return "behavioural_patterns"
    if give == "mode" or (give == "count" and by in ("place", "creator", "sport", "payee")):
        return "preferences"
    return "behavioural_patterns" if give in ("mean", "count") else None


_ORDERS = (
    "In which order did I do the things that my activity diary lists {on}?",
    "List the activities of my diary {on}, from the first to the last.",
    "What came first, what next, and so on: how did my logged activities follow each other {on}?",
)


def _workflows(source: Source, most: int) -> Iterator[Draft]:
    """The order in which the things of a day were done."""
    chance = source.chance("workflows")
    days: dict[str, list[Record]] = defaultdict(list)
    for record in source.of("habit_log"):
        days[moment(record)[:10]].append(record)
    possible = [
        (day, rows)
        for day, rows in days.items()
        if 3 <= len(rows) <= 6 and len({moment(row) for row in rows}) == len(rows)
    ]
    for day, rows in sample(possible, most, chance):
        which = chance.randrange(len(_ORDERS))
        on = day_phrase(date.fromisoformat(day), chance, hard=source.hard)
        answer = listed([text(row.fields["activity"]) for row in rows])
        step = Step(name="all", rows="habit_log", where=(Test(field="day", value=day),), take="all")
        yield Draft(
            kind="profile",
            template=f"habit_log/order#{which}",
            question=_ORDERS[which].format(on=on),
            answer=answer,
            query=Query(steps=(step,), of="all", give="order", field="activity"),
            records=tuple(row.id for row in rows),
            steps=(("The diary gives a time for each.", tuple(range(len(rows)))),),
            reasoning=("temporal",),
            profiling="workflows",
        )
