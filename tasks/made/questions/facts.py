"""Questions about facts in free text: journals, notes, letters, mails, talks with an assistant.

Where a text lists its facts by name (``- Dish: ...``) the verifier reads them as fields. In prose
it is given all values that the fact has anywhere in the life, and finds the one that is said.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import date

from deskgym.tasks.made.models import Event
from deskgym.tasks.made.questions.draft import Draft, Source, text
from deskgym.tasks.made.questions.semantic import moment
from deskgym.tasks.made.questions.wording import day_phrase, sample
from deskgym.tasks.made.records.record import Record
from deskgym.tasks.made.verifier.forms import shown
from deskgym.tasks.made.verifier.query import Form, Query, Step, Test

_LISTED = ("note", "letter")
TALKS = ("assistant_chat", "journal")
DOCUMENTS = ("note", "letter", "mail")
_CUED = ("journal", "assistant_chat")
_WHERE: Mapping[str, tuple[str, ...]] = {
    "note": ("in the note “{title}”", "In my note “{title}”"),
    "letter": ("in the letter “{title}” ({on})",),
    "journal": (
        "in my journal {on}, in the passage with “{cue}”",
        "in what I wrote in my journal {on} about “{cue}”",
    ),
    "assistant_chat": (
        "in what I told the assistant {on} about “{cue}”",
        "in my talk with the assistant {on}, where I mentioned “{cue}”",
    ),
    "mail": ("in the mail “{subject}” {on}", "in the mail {on} with the subject “{subject}”"),
}
_ASKED = (
    "{where_first}: what is the {fact} given for the {kind}?",
    "{where_first}: which {fact} is mentioned in connection with the {kind}?",
    "Look at the {kind} {where}. What is the {fact}?",
)
_FORMS: Mapping[str, Form] = {"amount": "money", "due": "date", "next_date": "date"}
_NAMES: Mapping[str, str] = {
    "distance_km": "distance in km", "heart_rate": "heart rate", "weight_kg": "weight in kg",
    "climb_m": "climb in metres", "width_cm": "width in cm", "height_cm": "height in cm",
    "dose_mg": "dose in mg", "due": "due date", "next_date": "date of the next time",
    "brought": "thing brought along", "find": "discovery", "tried": "dish or "
    "thing tried", "agreed": "agreement", "news": "piece of news", "duty": "task there",
    "found": "thing found", "words": "number of words", "asleep_at": "time of falling asleep",
    "woke_at": "time of waking", "slept_hours": "number of hours slept", "from_page": "first page",
    "to_page": "last page", "wait_minutes": "wait in minutes", "thanks": "gift of thanks",
    "keeps": "thing that the other keeps", "audience": "number of listeners",
    "served": "number served", "tasks": "number of tasks", "hours": "number of hours",
    "kept": "number of pictures kept", "shots": "number of shots", "weeks": "number of weeks",
    "pages": "number of pages", "slides": "number of slides", "boxes": "number of boxes",
    "exercises": "number of exercises", "correct": "number of right answers",
    "rounds": "number of rounds", "items": "number of items", "lengths": "number of lengths",
    "packs": "number of packs", "servings": "number of servings", "litres": "number of litres",
    "messages": "number of messages", "breaths": "number of breaths", "loads": "number of loads",
    "places_left": "number of free places", "sets": "number of sets", "reps": "number of "
    "repetitions", "seats": "number of seats", "care": "kind of care", "spent": "amount spent",
    "owner": "person in charge",
    "left": "amount left", "score": "score in percent",
}  # fmt: skip


_KINDS: Mapping[str, str] = {
    "tradesperson": "tradesperson's visit", "plants_or_pet": "care of a plant or pet",
    "one_to_one": "one-to-one talk", "neighbour_help": "help for a neighbour",
    "messages": "exchange of messages", "mail": "exchange of mails", "book": "reading",
    "library": "visit to the library", "class": "sports class", "late_evening": "late evening at "
    "work", "new_quarter": "exploration of a quarter", "first_visit": "first visit", "gym":
    "training at the gym", "market": "shopping at the market", "clothes": "shopping for clothes",
    "pharmacy": "purchase at the pharmacy", "doctor_visit": "doctor's appointment",
    "craft": "piece of craft", "carrying": "help with moving things",
    "lending": "thing lent", "garden": "work in the garden", "measurement": "blood pressure "
    "measurement",
    "life_job_change": "new job", "life_break_up": "separation", "life_car_sold": "sale of the car",
}  # fmt: skip


def facts(
    source: Source,
    most: int,
    kind: str = "semantic",
    schemas: tuple[str, ...] = (*DOCUMENTS, *TALKS),
) -> Iterator[Draft]:
    """At most so many questions about what texts of these schemas say of events."""
    chance = source.chance("facts", kind)
    values = _values(source)
    possible = []
    for schema in schemas:
        for record in source.of(schema):
            event = source.events.get(record.event or "")
            for fact in event.facts if event else ():
                assert event is not None
                if fact == "remark":
                    continue  # it ends every telling
                if not _askable(record, event, fact, values):
                    continue
                if schema not in _CUED or cue_in(record, event, str(event.facts[fact]), source):
                    possible.append((record, event, fact))
    for record, event, fact in sample(possible, most, chance):
        yield fact_draft(record, event, fact, values[fact], source, chance, kind)


def fact_draft(
    record: Record,
    event: Event,
    fact: str,
    among: tuple[str, ...],
    source: Source,
    chance: random.Random,
    kind: str,
) -> Draft:
    """The question for a fact of an event in the text of a record."""
    name, form = fact_name(fact)
    value = event.facts[fact]
    answer = shown(value, form)
    listed = record.schema in _LISTED
    slots = {name: text(v) for name, v in record.fields.items()}
    slots["cue"] = cue = cue_in(record, event, str(value), source) if record.schema in _CUED else ""
    slots["on"] = day_phrase(date.fromisoformat(moment(record)[:10]), chance, hard=source.hard)
    where = chance.choice(_WHERE[record.schema]).format(**slots)
    where = where[0].lower() + where[1:]
    which = chance.randrange(len(_ASKED))
    question = _ASKED[which].format(
        fact=name,
        kind=kind_phrase(event.kind),
        where=where,
        where_first=where[0].upper() + where[1:],
    )
    if not listed:
        among = distinct(str(value), among)
    query = Query(
        steps=(Step(name="it", rows=record.schema, where=tuple(_tests(record, cue))),),
        of="it",
        give="value" if listed else "present",
        field=f"fact:{fact}" if listed else "text",
        form=form if listed else "text",
        among=() if listed else among,
    )
    return Draft(
        kind=kind,
        template=f"{record.schema}/fact#{which}",
        question=question,
        answer=answer,
        query=query,
        records=(record.id,),
        parts={record.id: fact},
        steps=((f"The {record.schema.replace('_', ' ')} says: {answer}.", (0,)),),
        reasoning=("lookup",),
        labels=("Fact Retrieval",),
    )


def kind_phrase(kind: str) -> str:
    """A kind of event in words: ``dinner out``."""
    return _KINDS.get(kind, kind.removeprefix("life_").replace("_", " "))


def _values(source: Source) -> dict[str, tuple[str, ...]]:
    """Every value that a fact has in the life, by the fact's name."""
    values: dict[str, dict[str, None]] = defaultdict(dict)
    for event in source.life.events:
        for name, value in event.facts.items():
            values[name][str(value)] = None
    return {name: tuple(found) for name, found in values.items()}


def _askable(
    record: Record, event: Event, fact: str, values: Mapping[str, tuple[str, ...]]
) -> bool:
    value = event.facts[fact]
    body = text(record.fields["text"])
    if record.schema in _LISTED:
        return fact in listed_in(record, event)
    if not isinstance(value, str) or len(values[fact]) < 4 or re.match(r"\d{4}-", value):
        return False
    said = re.search(rf"(?<!\w){re.escape(value.casefold())}(?!\w)", body.casefold())
    return said is not None and len(value) > 2


def fact_name(fact: str) -> tuple[str, Form]:
    """A fact's name in words, and the form of its value."""
    return _NAMES.get(fact, fact.replace("_", " ")), _FORMS.get(fact, "text")


def listed_in(record: Record, event: Event) -> list[str]:
    """The facts of an event that a note or letter lists by name."""
    body = text(record.fields["text"])
    return [
        fact
        for fact in event.facts
        if fact != "remark"
        and f"{fact.replace('_', ' ').capitalize()}{_SEPARATOR[record.schema]}" in body
    ]


_SEPARATOR = {"note": ": ", "letter": " | "}


def distinct(answer: str, among: tuple[str, ...]) -> tuple[str, ...]:
    """``among`` and the answer in one order, without those that would be said along with it."""
    low = answer.casefold()
    others = {one for one in among if one.casefold() not in low and low not in one.casefold()}
    return tuple(sorted(others | {answer}))


def cue_in(record: Record, event: Event, answer: str, source: Source) -> str:
    """What else the passage holds that tells it from others of the day: a name, a place, a fact.

    Nothing that holds the answer, or is part of it; empty if there is none.
    """
    body = text(record.fields["text"]).casefold()
    person = source.life.person
    names = [person.contact(one).name for one in event.people]
    names += [person.place(event.place).name] if event.place else []
    names += [
        str(value)
        for name, value in event.facts.items()
        if isinstance(value, str) and name != "remark" and not re.match(r"\d{4}-", value)
    ]
    low = answer.casefold()
    for name in names:
        own = name.casefold()
        if own in body and own not in low and low not in own:
            return name
    return ""


def _tests(record: Record, cue: str) -> Iterator[Test]:
    match record.schema:
        case "note":
            yield Test(field="title", value=text(record.fields["title"]))
        case "letter":
            yield Test(field="title", value=text(record.fields["title"]))
            yield Test(field="day", value=moment(record)[:10])
        case "mail":
            yield Test(field="subject", value=text(record.fields["subject"]))
            yield Test(field="day", value=moment(record)[:10])
        case _:
            yield Test(field="day", value=moment(record)[:10])
            yield Test(field="text", op="has", value=cue)
