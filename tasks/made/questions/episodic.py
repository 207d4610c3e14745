"""Questions about linked records, named by partial cues (Setoka's episodic level).

A cue names a record without its day: what happened only once, or went farthest. From the record
the question leads on to another one: of the same day, the next one, the same person or place.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import partial

from deskgym.tasks.made.questions.draft import Draft, Source, text
from deskgym.tasks.made.questions.fields import grouped, number, sentence, texts
from deskgym.tasks.made.questions.links import links
from deskgym.tasks.made.questions.semantic import moment, scalar
from deskgym.tasks.made.questions.wording import sample
from deskgym.tasks.made.records.record import Record
from deskgym.tasks.made.verifier.forms import shown
from deskgym.tasks.made.verifier.query import Form, Query, Ref, Step, Test


@dataclass(frozen=True)
class Cue:
    """A record named without its day: ``phrase`` is a clause, ``step`` finds it."""

    record: Record
    phrase: str
    step: Step
    family: str


@dataclass(frozen=True)
class _Kind:
    """How records of a schema are named: by fields that together stand once in the life."""

    schema: str
    fields: tuple[str, ...]
    phrases: tuple[str, ...]


_ONCE: tuple[_Kind, ...] = (
    _Kind("calendar", ("title",), ("the day with “{title}” in my calendar",
                                   "the day of the appointment “{title}”")),
    _Kind("trip", ("destination",), ("the day I travelled to {destination}",
                                     "the day of my trip to {destination}")),
    _Kind("transaction", ("payee",), ("the day I paid {payee}",
                                      "the day with a payment to {payee} on my account")),
    _Kind("order", ("item",), ("the day I ordered “{item}”",
                               "the day on which I placed the order for “{item}”")),
    _Kind("media_play", ("title",), ("the day I played “{title}”",
                                     "the day with “{title}” in my listening history")),
    _Kind("mail", ("subject",), ("the day of the mail “{subject}”",
                                 "the day on which the mail “{subject}” was sent")),
    _Kind("note", ("title",), ("the day I wrote the note “{title}”",
                               "the day of my note “{title}”")),
    _Kind("report", ("title",), ("the day that the report “{title}” is of",
                                 "the date of my report “{title}”")),
    _Kind("visited_page", ("title",), ("the day I looked at the page “{title}”",
                                       "the day I read “{title}” on the web")),
    _Kind("visit", ("place",), ("the day of my only visit to {place}", "the day I was at {place}")),
    _Kind("call", ("name",), ("the day of my only call with {name}",
                              "the day I was on the phone with {name}")),
    _Kind("photo", ("file",), ("the day I took the photo {file}",
                               "the day on which {file} was taken")),
    _Kind("habit_log", ("detail",), ("the day of “{activity}: {detail}” in my activity "
                                     "log", "the day I noted “{detail}” "
                                     "under {activity}")),
    _Kind("bill", ("supplier",), ("the day of the only bill from {supplier}",)),
)  # fmt: skip
_FARTHEST: tuple[tuple[str, str, str, str, str], ...] = (
    (
        "workout",
        "sport",
        "km",
        "the day of my longest workout of the kind “{sport}” by distance",
        "far",
    ),
    (
        "workout",
        "sport",
        "kcal",
        "the day on which a workout of the kind “{sport}” burnt the most energy",
        "kcal",
    ),
    ("workout", "sport", "minutes", "the day of my longest workout of the kind “{sport}”", "long"),
    ("call", "name", "seconds", "the day of my longest call with {name}", "call"),
    (
        "app_use",
        "app",
        "minutes",
        "the Sunday that ended the week in which I spent the most time in {app}",
        "app",
    ),
)


@dataclass(frozen=True)
class _Day:
    """What can be asked of a day: a field of its only record of a kind."""

    schema: str
    field: str
    form: Form
    wordings: tuple[str, ...]
    by: str = ""
    next_day: bool = False


_DAYS: tuple[_Day, ...] = (
    _Day("steps", "steps", "whole", ("How many steps did I walk on {cue}?",
                                     "Think of {cue}: how many steps did my counter show?")),
    _Day("steps", "floors", "whole", ("How many floors did I climb on {cue}?",)),
    _Day("steps", "km", "number", ("How many kilometres did the step counter show on {cue}?",)),
    _Day("sleep", "hours", "number", ("How many hours had I slept by the morning of {cue}?",)),
    _Day("sleep", "hours", "number", ("How many hours did I sleep in the night after {cue}?",
                                      "{cue}: how long, in hours, was the night that followed?"),
         next_day=True),
    _Day("sleep", "up", "clock", ("At what time did I get up on {cue}?",)),
    _Day("sleep", "up", "clock", ("At what time did I get up on the morning after {cue}?",),
         next_day=True),
    _Day("sleep", "resting_pulse", "whole", ("What was my resting pulse on {cue}?",)),
    _Day("workout", "sport", "text", ("Which sport did I do on {cue}?",)),
    _Day("workout", "minutes", "whole", ("For how many minutes did I work out on {cue}?",)),
    _Day("workout", "place", "text", ("Where did I work out on {cue}?",)),
    _Day("transaction", "amount", "money", ("What did I pay {payee} on {cue}?",), by="payee"),
    _Day("trip", "destination", "text", ("Where did I travel on {cue}?",)),
    _Day("media_play", "title", "text", ("What did I play on {cue}?",)),
    _Day("call", "name", "text", ("With whom was I on the phone on {cue}?",)),
    _Day("visit", "leave", "clock", ("At what time did I leave {place} on {cue}?",),
         by="place"),
    _Day("bill", "supplier", "text", ("From whom is the bill of {cue}?",)),
)  # fmt: skip


def episodic(source: Source, most: int) -> Iterator[Draft]:
    """At most so many questions, those of days and those of people and places in turn."""
    chance = source.chance("episodic")
    cues = cues_of(source, chance)
    days = _of_days(source, cues, chance)
    linked = links(source, chance)
    for make in (*sample(linked, most // 2, chance), *sample(days, most - most // 2, chance)):
        yield make()


def cues_of(source: Source, chance: random.Random) -> list[Cue]:
    """All records that can be named without their day."""
    cues = []
    for kind in _ONCE:
        records = [r for r in source.of(kind.schema) if all(r.fields[f] for f in kind.fields)]
        known = Counter(_key(record, kind.fields) for record in records)
        for record in records:
            if known[_key(record, kind.fields)] == 1:
                tests = [Test(field=f, value=scalar(record.fields[f])) for f in kind.fields]
                step = Step(name="cue", rows=kind.schema, where=tuple(tests))
                phrase = chance.choice(kind.phrases).format(**texts(record))
                cues.append(Cue(record, phrase, step, kind.schema))
    for schema, by, field, phrase, family in _FARTHEST:
        for name, records in grouped(source.of(schema), by).items():
            values = [number(record, field) for record in records]
            best = max(values)
            if len(records) > 2 and best > 0 and values.count(best) == 1:
                step = Step(
                    name="cue", rows=schema, where=(Test(field=by, value=name),), take="most",
                    by=field,
                )  # fmt: skip
                record = records[values.index(best)]
                cues.append(Cue(record, phrase.format(**texts(record)), step, family))
    return cues


def _of_days(
    source: Source, cues: Sequence[Cue], chance: random.Random
) -> list[Callable[[], Draft]]:
    """Questions about days; each is made when called."""
    by_day: dict[tuple[str, str], list[Record]] = defaultdict(list)
    for asked in _DAYS:
        if (asked.schema, "") not in by_day:
            by_day[asked.schema, ""] = []
            for record in source.of(asked.schema):
                by_day[asked.schema, moment(record)[:10]].append(record)
    made: list[Callable[[], Draft]] = []
    for cue in cues:
        for asked in _DAYS:
            if asked.schema == cue.record.schema:
                continue
            day = date.fromisoformat(moment(cue.record)[:10]) + timedelta(days=asked.next_day)
            found = by_day[asked.schema, day.isoformat()]
            if asked.by:
                names = Counter(text(record.fields[asked.by]) for record in found)
                found = [r for r in found if names[text(r.fields[asked.by])] == 1]
                found = [chance.choice(found)] if found else []
            if asked.form == "money":
                found = [r for r in found if number(r, asked.field) < 0]
            if len(found) == 1 and found[0].fields[asked.field] not in ("", []):
                which = chance.randrange(len(asked.wordings))
                made.append(partial(_of_day, cue, asked, found[0], day, which))
    return made


def _of_day(cue: Cue, asked: _Day, record: Record, day: date, which: int) -> Draft:
    value = record.fields[asked.field]
    answer = shown(scalar(value), asked.form)
    tests = [
        Test(
            field="day",
            op="next_day" if asked.next_day else "is",
            value=Ref(step="cue", field="day"),
        )
    ]
    if asked.by:
        tests.append(Test(field=asked.by, value=scalar(record.fields[asked.by])))
    query = Query(
        steps=(cue.step, Step(name="it", rows=asked.schema, where=tuple(tests))),
        of="it",
        field=asked.field,
        form=asked.form,
    )
    question = asked.wordings[which].format(**{**texts(record), "cue": cue.phrase})
    return Draft(
        kind="episodic",
        template=f"{cue.family}>{asked.schema}/{asked.field}#{which}",
        question=question[0].upper() + question[1:],
        answer=answer,
        query=query,
        records=(cue.record.id, record.id),
        steps=(
            (f"{sentence(cue.phrase)} is {moment(cue.record)[:10]}.", (0,)),
            (f"For {day.isoformat()} the {asked.schema.replace('_', ' ')} gives {answer}.", (1,)),
        ),
        reasoning=("temporal", "lookup"),
        labels=("Implicit Temporal Lookup",),
    )


def _key(record: Record, fields: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(text(record.fields[f]).casefold() for f in fields)
