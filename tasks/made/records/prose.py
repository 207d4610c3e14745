"""Free text about what happened: journal, notes, talks with an assistant, voice memos."""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta

from deskgym.tasks.made.models import Event
from deskgym.tasks.made.records.advice import (
    ADVICE,
    CLOSERS,
    FOLLOW_UPS,
    OPENERS,
    TOPICS,
    USER_TURNS,
    counsel,
)
from deskgym.tasks.made.records.dates import day_month, month, weekday
from deskgym.tasks.made.records.draft import Draft, Fields, Source, stamp
from deskgym.tasks.made.records.phrases import BADLY, LINKS, NOTE_LINES, WELL
from deskgym.tasks.made.records.thoughts import fitting
from deskgym.tasks.made.records.titles import title

WRITTEN_UP = ("deadline", "presentation", "budget_check")
"""Kinds that leave a report behind."""
_NOTED = {"meeting": 0.8, "one_to_one": 0.8, "planning": 0.9, "course_module": 0.5,
          "language_lesson": 0.35, "lecture": 0.9, "paperwork": 0.4, "worry": 0.4,
          "doctor_visit": 0.9, "new_recipe": 0.8, "museum": 0.4, "podcast": 0.3, "advice": 0.5,
          "symptom": 0.4, "writing": 0.4, "photo_walk": 0.3, "hike": 0.4, "tutoring": 0.4,
          "life_injury": 1.0, "life_new_allergy": 1.0, "life_job_change": 1.0,
          "life_move": 1.0, "life_break_up": 1.0, "life_car_sold": 1.0,
          "life_new_medicine": 1.0}  # fmt: skip
_CHAT_SHARE = {"setoka": 0.55, "home": 0.45, "rhelm": 0.6}
_MEMO_SHARE = 0.17
_LATEST = time(22, 30)  # the end of the last event that a talk of the day is about
_TOLD_SHARE = 0.28  # of the events of a day with a journal entry


def prose(source: Source) -> Iterator[Draft]:
    """The free text of the life, day by day."""
    by_day: dict[date, list[Event]] = defaultdict(list)
    share = (0.55 + 0.2 * source.life.habits.prompt) * source.leisure * source.thin
    talks = _CHAT_SHARE[source.spec.setting]
    if source.spec.setting != "rhelm":
        talks *= 0.4 + 0.6 * source.thin
    for event in source.life.events:
        rare = event.kind.startswith("life_")
        by_day[event.start.date()].append(event)
        if source.chance("note?", event.id).random() < _NOTED.get(event.kind, 0.0) * (
            1 if rare else share
        ):
            yield _note(source, event)
    for day, events in sorted(by_day.items()):
        # Life-changing events are always told.
        rare = any(e.kind.startswith("life_") for e in events)
        if rare or source.chance("journal?", day).random() < source.life.habits.journal:
            yield from _journal(source, day, events)
        if rare or source.chance("talk?", day).random() < talks:
            yield from _session(source, day, events)
        memo = source.chance("memo?", day).random()
        if memo < _MEMO_SHARE * source.thin or day == source.life.first:
            yield _memo(source, source.chance("memo", day).choice(events))


def thoughts(source: Source, event: Event, chance: random.Random, count: int) -> list[str]:
    """What the person makes of ``event``: ``count`` sentences, the last one on how it went."""
    fits = fitting(event.category, event.kind)
    made = chance.sample(fits, min(count - 1, 8, len(fits))) if count > 1 else []
    return [*made, chance.choice(WELL if event.outcome == "positive" else BADLY)]


def _length(source: Source, chance: random.Random) -> int:
    return 4 + round(source.life.habits.wordy * 3 + chance.random() * 2)


def _journal(source: Source, day: date, events: list[Event]) -> Iterator[Draft]:
    for number, event in enumerate(events):
        chance = source.chance("journal", event.id)
        if chance.random() > _TOLD_SHARE * source.leisure and not event.kind.startswith("life_"):
            continue
        link = f"{chance.choice(LINKS)} " if number and chance.random() < 0.3 else ""
        told = thoughts(source, event, chance, _length(source, chance))
        text = f"{link}{_of_the_day(event)} {' '.join(told)}"
        written = datetime.combine(day, time(22, min(59, number)))
        yield Draft("journal", written, event.id, {"date": f"{day}", "text": text})


def _note(source: Source, event: Event) -> Draft:
    chance = source.chance("note", event.id)
    when = event.start + timedelta(minutes=event.minutes + chance.randrange(1, 30))
    facts = [f"- {shown_fact(name, value)}" for name, value in event.facts.items()]
    people = ", ".join(one.name for one in source.contacts(event))
    parts = [f"- With: {people}"] if people else []
    body = [*parts, *facts]
    if chance.random() < 0.3 + 0.6 * source.life.habits.wordy:
        body += ["", event.detail, "", chance.choice(NOTE_LINES)]
    else:
        body += ["", chance.choice(NOTE_LINES)]
    fields: Fields = {
        "time": stamp(when),
        "title": f"{title(source, event, chance)}, {day_month(event.start)}",
        "text": "\n".join(body),
    }
    return Draft("note", when, event.id, fields)


def shown_fact(name: str, value: object) -> str:
    """A fact as a line of a list: ``Distance km: 7.4``, ``Amount: 12.50``."""
    text = f"{value:.2f}" if name == "amount" and isinstance(value, float) else str(value)
    return f"{name.replace('_', ' ').capitalize()}: {text}"


def _kind_of_talk(event: Event, chance: random.Random) -> str:
    if event.kind in WRITTEN_UP:
        return "attachment_consultation"
    if "due" in event.facts or "next_date" in event.facts:
        return chance.choice(("scheduling", "scheduling", "status_update"))
    if event.outcome == "negative":
        return chance.choice(("advice_seeking", "advice_seeking", "status_update"))
    return chance.choice(("information_sharing", "information_sharing", "status_update"))


def _session(source: Source, day: date, events: list[Event]) -> Iterator[Draft]:
    """One evening's talk with an assistant about one to three matters of the day.

    It is over by midnight, so that the day of its heading is that of all its turns: of what ends
    late, and of what there is no time left for, nothing is told.
    """
    chance = source.chance("talk", day)
    rare = [e for e in events if e.kind.startswith("life_")]
    others = [e for e in events if e not in rare and _end(e) <= datetime.combine(day, _LATEST)]
    chosen = [*rare, *chance.sample(others, min(len(others), chance.randrange(1, 4)))]
    if not chosen:
        return
    chosen.sort(key=lambda e: (e not in rare, e.start, e.id))
    clock = max(map(_end, chosen)) + timedelta(minutes=chance.randrange(5, 40))
    for event in chosen:
        own = source.chance("talk", event.id)
        topic = _kind_of_talk(event, own)
        assert topic in TOPICS
        turns, after = _turns(source, event, topic, clock, own)
        if after.date() > day:
            break
        fields: Fields = {
            "time": stamp(clock),
            "session": f"chat-{day}",
            "topic": topic,
            "turns": len(turns),
            "text": "\n\n".join(turns),
        }
        yield Draft("assistant_chat", clock, event.id, fields)
        clock = after + timedelta(minutes=own.randrange(1, 6))


def _of_the_day(event: Event) -> str:
    """What is told of an event where its day is clear: its hour, and then what happened."""
    return event.detail.partition(", ")[2]


def _end(event: Event) -> datetime:
    return event.start + timedelta(minutes=event.minutes)


def _turns(
    source: Source, event: Event, topic: str, clock: datetime, chance: random.Random
) -> tuple[list[str], datetime]:
    """Turns, the person's and the assistant's by turns, each headed by who and when."""
    pairs = chance.randrange(3, 6)
    advice = chance.sample(ADVICE[event.category], 6) + counsel(chance, 19)
    turns = []
    for number in range(pairs):
        if number == 0:
            opening = chance.choice(USER_TURNS[topic])
            told = thoughts(source, event, chance, 1 + _length(source, chance))
            said = f"{opening} Today, {_of_the_day(event)} {' '.join(told)}"
        else:
            said = (
                f"{chance.choice(FOLLOW_UPS)} {chance.choice(fitting(event.category, event.kind))}"
            )
        answer = [chance.choice(OPENERS), *advice[number::pairs]]
        if number == pairs - 1:
            answer.append(chance.choice(CLOSERS))
        turns.append(f"**Me, {clock:%H:%M}**\n{said}")
        clock += timedelta(minutes=1)
        turns.append(f"**Assistant, {clock:%H:%M}**\n{' '.join(answer)}")
        clock += timedelta(minutes=chance.randrange(1, 5))
    return turns, clock


_SENTENCE = re.compile(r"(?<=[.!?]) (?=[A-Z\"“‘'])")


def sentences(text: str) -> list[str]:
    """``text`` cut into sentences."""
    return [one.strip() for one in _SENTENCE.split(text) if one.strip()]


def _memo(source: Source, event: Event) -> Draft:
    chance = source.chance("memo", event.id)
    when = event.start + timedelta(minutes=event.minutes + chance.randrange(2, 25))
    start = chance.choice(
        (
            f"Note to myself, {day_month(when)}.", f"Voice memo, {weekday(when)} the {when.day}.",
            f"It is {weekday(when)}, {day_month(when)}.",
        )
    )  # fmt: skip
    said = [start, *sentences(_of_the_day(event)), thoughts(source, event, chance, 1)[0]]
    name = chance.choice(("Memo", "Voice note", "Recording", "Thought"))
    fields: Fields = {
        "time": stamp(when),
        "title": f"{name} {when.day} {month(when)[:3]}, {when:%H.%M}",
        "sentences": said,
    }
    return Draft("voice_memo", when, event.id, fields)
