"""Questions that lead from a record to a person, a payment or the next message."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from deskgym.tasks.made.questions.draft import Draft, Source, text
from deskgym.tasks.made.questions.fields import grouped, number, sentence, texts
from deskgym.tasks.made.questions.semantic import fragment, moment, scalar
from deskgym.tasks.made.questions.wording import person_phrase, quoted
from deskgym.tasks.made.records.record import Record
from deskgym.tasks.made.verifier.forms import shown
from deskgym.tasks.made.verifier.query import Form, Query, Ref, Step, Test


def links(source: Source, chance: random.Random) -> list[Callable[[], Draft]]:
    """Questions that lead from a record to a person or a payment; each is made when called."""
    made: list[Callable[[], Draft]] = []
    contacts = {text(r.fields["name"]): r for r in source.of("contact")}
    said = Counter(fragment(record) for record in source.all_of("message"))
    for schema, field, phrases in _MEETINGS:
        for record in source.of(schema):
            name = text(record.fields[field])
            if (contact := contacts.get(name)) is None or not moment(record)[11:16]:
                continue
            if schema == "message" and said[fragment(record)] > 1:
                continue
            for asked, form, wordings in _ABOUT:
                if contact.fields[asked]:
                    made.append(
                        _Link(
                            source,
                            record,
                            field,
                            contact,
                            asked,
                            form,
                            wordings,
                            phrases,
                            chance.random(),
                        )
                    )
    made += _payments(source, chance)
    made += _replies(source, chance)
    return made


_MEETINGS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("call", "name", ("the person on the phone on {day} at {clock}",
                      "whoever I spoke to on the phone on {day} at {clock}")),
    ("calendar", "with_names", ("the person I met for “{title}” on {day}",
                                "whoever was with me at “{title}” on {day}")),
    ("photo", "people", ("the person in my photo {file}", "whoever is in the photo {file}")),
    ("message", "sender", ("whoever wrote to me {quote}", "the person who wrote {quote}")),
)  # fmt: skip
_ABOUT: tuple[tuple[str, Form, tuple[str, ...]], ...] = (
    (
        "phone",
        "text",
        ("What is the phone number of {them}?", "Which number do I have for {them}?"),
    ),
    ("birthday", "date", ("When was {them} born?", "What is the date of birth of {them}?")),
    ("company", "text", ("For which company does {them} work?", "Where does {them} work?")),
    ("role", "text", ("What is the job of {them}?",)),
    ("address", "text", ("At which address does {them} live?",)),
    ("email", "text", ("What is the mail address of {them}?",)),
)


@dataclass(frozen=True)
class _Link:
    """A question about somebody whom a record names."""

    source: Source
    record: Record
    field: str
    contact: Record
    asked: str
    form: Form
    wordings: tuple[str, ...]
    phrases: tuple[str, ...]
    draw: float

    def __call__(self) -> Draft:
        record, time = self.record, moment(self.record)
        slots = {**texts(record), "day": time[:10], "clock": time[11:16]}
        if record.schema == "message":
            slots["quote"] = quoted(slots["text"])
            tests = [Test(field="text", op="has", value=fragment(record))]
        elif record.schema == "photo":
            tests = [Test(field="file", value=slots["file"])]
        elif record.schema == "calendar":
            tests = [Test(field="title", value=slots["title"]), Test(field="day", value=time[:10])]
        else:
            tests = [Test(field="day", value=time[:10]), Test(field="clock", value=time[11:16])]
        which = int(self.draw * len(self.wordings))
        them = self.phrases[int(self.draw * 7919) % len(self.phrases)].format(**slots)
        name = text(self.contact.fields["name"])
        answer = shown(scalar(self.contact.fields[self.asked]), self.form)
        query = Query(
            steps=(
                Step(name="cue", rows=record.schema, where=tuple(tests)),
                Step(
                    name="it",
                    rows="contact",
                    where=(Test(field="name", value=Ref(step="cue", field=self.field)),),
                ),
            ),
            of="it",
            field=self.asked,
            form=self.form,
        )
        return Draft(
            kind="episodic",
            template=f"{record.schema}>contact/{self.asked}#{which}",
            question=self.wordings[which].format(them=them),
            answer=answer,
            query=query,
            records=(record.id, self.contact.id),
            steps=(
                (f"{sentence(them)} is {name}.", (0,)),
                (f"The address book gives {answer} for {name}.", (1,)),
            ),
            reasoning=("entity_resolution", "lookup"),
            labels=("Multi-Hop Traversal",),
        )


def _payments(source: Source, chance: random.Random) -> list[Callable[[], Draft]]:
    """What was paid at a place that a visit or an appointment names."""
    by_key: dict[tuple[str, str], list[Record]] = defaultdict(list)
    for record in source.of("transaction"):
        by_key[moment(record)[:10], text(record.fields["payee"])].append(record)
    made: list[Callable[[], Draft]] = []
    for schema, field, wordings in _PAID:
        for record in source.of(schema):
            # A calendar's location has the address behind the name.
            place, day = text(record.fields[field]).partition(", ")[0], moment(record)[:10]
            found = by_key.get((day, place), [])
            if len(found) == 1 and number(found[0], "amount") < 0:
                made.append(_Paid(record, field, found[0], wordings, chance.random()))
    return made


_PAID: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("visit", "place", ("How much did I pay at the place where I arrived on {day} at {clock}?",
                        "On {day} at {clock} I got somewhere: what did I pay there?")),
    ("calendar", "location", ("How much did I pay where “{title}” took place on {day}?",
                              "What went from my account at the place of “{title}” on "
                              "{day}?")),
    ("photo", "place", ("How much did I pay that day at the place of the photo {file}?",)),
)  # fmt: skip


@dataclass(frozen=True)
class _Paid:
    record: Record
    field: str
    payment: Record
    wordings: tuple[str, ...]
    draw: float

    def __call__(self) -> Draft:
        record, time = self.record, moment(self.record)
        slots = {**texts(record), "day": time[:10], "clock": time[11:16]}
        which = int(self.draw * len(self.wordings))
        answer = shown(number(self.payment, "amount"), "money")
        tests = [Test(field="day", value=time[:10])]
        if record.schema == "photo":
            tests = [Test(field="file", value=slots["file"])]
        elif record.schema == "visit":
            tests.append(Test(field="clock", value=time[11:16]))
        else:
            tests.append(Test(field="title", value=slots["title"]))
        query = Query(
            steps=(
                Step(name="cue", rows=record.schema, where=tuple(tests)),
                Step(
                    name="it",
                    rows="transaction",
                    where=(
                        Test(field="day", value=Ref(step="cue", field="day")),
                        Test(field="payee", op="inside", value=Ref(step="cue", field=self.field)),
                    ),
                ),
            ),
            of="it",
            field="amount",
            form="money",
        )
        return Draft(
            kind="episodic",
            template=f"{record.schema}>transaction/amount#{which}",
            question=self.wordings[which].format(**slots),
            answer=answer,
            query=query,
            records=(record.id, self.payment.id),
            steps=(
                (f"The place is {text(record.fields[self.field])}.", (0,)),
                (f"The bank lists {answer} for it on {time[:10]}.", (1,)),
            ),
            reasoning=("entity_resolution", "lookup"),
            labels=("Multi-Hop Traversal",),
        )


def _replies(source: Source, chance: random.Random) -> list[Callable[[], Draft]]:
    """When the next message of a chat came, or the next call after a message."""
    made: list[Callable[[], Draft]] = []
    for thread, messages in grouped(source.all_of("message"), "thread").items():
        for before, after in pairwise(messages):
            told = len(text(before.fields["text"]).split()) > 2
            shown_both = source.shown(before) and source.shown(after)
            if told and shown_both and moment(before) != moment(after):
                made.append(_Reply(source, thread, before, after, chance.random()))
    return made


@dataclass(frozen=True)
class _Reply:
    source: Source
    thread: str
    before: Record
    after: Record
    draw: float

    def __call__(self) -> Draft:
        said = text(self.before.fields["text"])
        who = person_phrase(self.thread, self.source.life, hard=self.source.hard)
        wordings = (
            f"In the chat with {who}, when did the message come that followed {quoted(said)}?",
            f"On which day and at what time was the next message after {quoted(said)} in the chat "
            f"with {who}?",
        )
        which = int(self.draw * len(wordings))
        answer = shown(moment(self.after), "time")
        query = Query(
            steps=(
                Step(
                    name="cue",
                    rows="message",
                    where=(
                        Test(field="thread", value=self.thread),
                        Test(field="text", op="has", value=fragment(self.before)),
                    ),
                ),
                Step(
                    name="it",
                    rows="message",
                    where=(
                        Test(field="thread", value=self.thread),
                        Test(field="time", op="after", value=Ref(step="cue", field="time")),
                    ),
                    take="first",
                ),
            ),
            of="it",
            field="time",
            form="time",
        )
        return Draft(
            kind="episodic",
            template=f"message>message#{which}",
            question=wordings[which],
            answer=answer,
            query=query,
            records=(self.before.id, self.after.id),
            steps=(
                ("The chat holds the message.", (0,)),
                (f"The next one in it is of {answer}.", (1,)),
            ),
            reasoning=("temporal",),
            labels=("Sequence Comprehension",),
        )
