"""What is said between people: chats, calls and mails."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta

from deskgym.tasks.made.models import Contact, Event
from deskgym.tasks.made.records.dates import long_day, weekday
from deskgym.tasks.made.records.draft import Draft, Fields, Source, stamp
from deskgym.tasks.made.records.phrases import (
    CHAT_LINES,
    GREETINGS,
    MAIL_BODY,
    MAIL_CLOSERS,
    MAIL_OPENERS,
)
from deskgym.tasks.made.records.prose import shown_fact
from deskgym.tasks.made.records.stock import PAGES
from deskgym.tasks.made.records.titles import filled, title

_ARRANGED_SHARE = 0.12
_PLANNED = {"dinner_out", "coffee", "party", "board_games", "film", "drinks", "concert", "hike",
            "family_visit", "day_trip", "walk", "cycle", "carrying", "babysitting"}  # fmt: skip


def talk(source: Source) -> Iterator[Draft]:
    """All messages, calls and mails of the life."""
    for event in source.life.events:
        if event.kind in ("messages", "group_chat"):
            yield from _chat(source, event)
        elif event.kind in ("phone_call", "video_call"):
            yield _call(source, event)
        elif event.kind == "mail":
            yield _mail(source, event)
        elif event.kind in _PLANNED and event.people:
            yield from _arranged(source, event)
        elif event.kind in _CONFIRMED:
            yield _confirmation(source, event)
    yield from _bulk(source)
    yield from _missed_calls(source)


def _chat(source: Source, event: Event) -> Iterator[Draft]:
    """All messages of a chat: the topic comes first, what is agreed last."""
    chance = source.chance("chat", event.id)
    people = [one.name for one in source.contacts(event)]
    thread = str(event.facts.get("group") or people[0])
    count = int(event.facts["messages"])
    topic, agreed = event.facts["topic"], event.facts["agreed"]
    first = chance.choice(
        (
            f"I am writing about {topic}.", f"Any news about {topic}?",
            f"I wanted to ask you about {topic}", f"About {topic}: do you have a moment?",
            f"What do we do about {topic}?",
        )
    )  # fmt: skip
    last = chance.choice(
        (f"So we agree {agreed}.", f"Right: {agreed}.", f"Settled then: {agreed}.",
         f"Good, we agree {agreed}")
    )  # fmt: skip
    middle = chance.sample(CHAT_LINES, count - 2)
    step = max(1, event.minutes * 60 // count)
    speakers = ["me", *people]
    for number, text in enumerate([first, *middle, last]):
        when = event.start + timedelta(seconds=step * number)
        sender = speakers[(number + event.minutes) % len(speakers)]
        yield _message(when, event.id, thread, sender, text)


def _message(when: datetime, event: str | None, thread: str, sender: str, text: str) -> Draft:
    fields: Fields = {"time": stamp(when), "thread": thread, "sender": sender, "text": text}
    return Draft("message", when, event, fields)


def _arranged(source: Source, event: Event) -> Iterator[Draft]:
    """The messages before a meeting, and sometimes the thanks after it."""
    chance = source.chance("arranged", event.id)
    if chance.random() > _ARRANGED_SHARE * source.leisure:
        return
    other = source.contacts(event)[0].name
    place = source.place(event)
    at = f" at {place.name}" if place and source.away(event) else ""
    day, clock = weekday(event.start), f"{event.start:%H:%M}"
    ask = chance.choice(
        (
            f"Are you free on {day}, {clock}{at}?", f"{day} at {clock}{at}, shall we?",
            f"How about {day}{at}? I would say {clock}.", f"{clock} on {day}{at}, does that work?",
        )
    )  # fmt: skip
    yes = chance.choice(
        ("Yes, gladly.", "I will be there.", "Works for me!", "Perfect, see you then.",
         "Count me in", "Yes. I may be five minutes late.")
    )  # fmt: skip
    days_before = timedelta(days=chance.randrange(1, 4))
    before = datetime.combine(event.start.date() - days_before, time(chance.randrange(8, 20), 5))
    speakers = chance.sample(["me", other], 2)
    if before.date() >= source.life.first:
        yield _message(before, event.id, other, speakers[0], ask)
        later = before + timedelta(minutes=chance.randrange(2, 180))
        yield _message(later, event.id, other, speakers[1], yes)
    if chance.random() < 0.35:
        after = event.start + timedelta(minutes=event.minutes + chance.randrange(20, 200))
        thanks = ["Thank you for today.", "That was good. Again soon?", "Home safely.",
                  "Left my scarf, I think?"]  # fmt: skip
        if after.date() > event.start.date():  # late, so it waits for the morning
            after = datetime.combine(after.date(), time(8, chance.randrange(10, 60)))
            thanks = ["Thank you for yesterday.", "Slept well? Thank you again.",
                      "That was good yesterday. Again soon?"]  # fmt: skip
        yield _message(after, event.id, other, chance.choice(["me", other]), chance.choice(thanks))


def _call(source: Source, event: Event) -> Draft:
    chance = source.chance("call", event.id)
    other = source.contacts(event)[0]
    return _call_row(
        event.start, event.id, other, chance, event.minutes * 60 - chance.randrange(0, 50)
    )


def _call_row(
    when: datetime, event: str | None, other: Contact, chance: random.Random, seconds: int
) -> Draft:
    fields: Fields = {
        "time": stamp(when),
        "name": other.name,
        "number": other.phone,
        "direction": chance.choice(("incoming", "outgoing")),
        "seconds": seconds,
        "answered": "yes" if seconds else "no",
    }
    return Draft("call", when, event, fields)


def _missed_calls(source: Source) -> Iterator[Draft]:
    """Calls that nobody took: some every month, from anybody."""
    day = source.life.first
    while day <= source.life.last:
        chance = source.chance("missed", day)
        if chance.random() < 0.12 * source.leisure:
            other = chance.choice(source.life.person.contacts)
            when = datetime.combine(day, time(chance.randrange(8, 21), chance.randrange(60)))
            yield _call_row(when, None, other, chance, 0)
        day += timedelta(days=1)


def _address(name: str, email: str) -> str:
    return f"{name} <{email}>"


def _mail(source: Source, event: Event) -> Draft:
    """A mail of the person's, or one to them; which, is chance."""
    chance = source.chance("mail", event.id)
    person, other, facts = source.life.person, source.contacts(event)[0], event.facts
    own = person.work_email if other.group == "work" else person.email
    me, them = _address(person.full_name, own), _address(other.name, other.email)
    sent = chance.random() < 0.55
    first_name = other.name.split()[0] if sent else person.first_name
    due = date.fromisoformat(str(facts["due"]))
    core = [
        f"It is about {facts['topic']}.",
        f"We agreed {facts['agreed']}.",
        f"The date for it is {long_day(due)}.",
    ]
    body = prose_mail(source, event, core, chance)
    signed = person.full_name if sent else other.name
    greeting = chance.choice(GREETINGS).format(to=first_name)
    text = "\n\n".join([greeting, *body, f"{chance.choice(MAIL_CLOSERS)}\n{signed}"])
    fields: Fields = {
        "time": stamp(event.start),
        "sender": me if sent else them,
        "to": them if sent else me,
        "subject": str(facts["subject"]),
        "folder": "sent" if sent else "inbox",
        "text": text,
    }
    return Draft("mail", event.start, event.id, fields)


def prose_mail(
    source: Source, event: Event, core: list[str], chance: random.Random
) -> tuple[str, ...]:
    """Paragraphs of a mail around the sentences ``core``; how many, is the writer's habit."""
    length = 2 + round(4 * source.life.habits.wordy)
    around = chance.sample(MAIL_BODY, length + 2)
    half = len(around) // 2
    opening = f"{chance.choice(MAIL_OPENERS)} {core[0]}"
    middle = " ".join([*core[1:2], *around[:half]])
    rest = " ".join([*around[half:], *core[2:]])
    return opening, middle, rest


_CONFIRMED = {"online_order", "train_booking", "donation", "life_injury", "life_job_change",
              "life_new_allergy", "tradesperson", "presentation", "meeting"}  # fmt: skip


def _confirmation(source: Source, event: Event) -> Draft:
    """What a shop, an office or a colleague writes about an event."""
    chance = source.chance("confirmation", event.id)
    person, facts, place = source.life.person, event.facts, source.place(event)
    after = event.start + timedelta(minutes=event.minutes + chance.randrange(3, 90))
    work = event.category == "work_planning" and event.kind != "life_job_change"
    if work and event.people:
        other = source.contacts(event)[0]
        sender, address = other.name, other.email
        to = _address(person.full_name, person.work_email)
    else:
        sender = str(facts.get("payee") or facts.get("new_employer") or (place and place.name))
        slug = "".join(c for c in sender.casefold() if c.isascii() and c.isalnum()) or "office"
        address = f"service@{slug}.example"
        to = _address(person.full_name, person.email)
    table = [shown_fact(name, value) for name, value in facts.items() if name != "remark"]
    intro = (
        "Here are the points of today, as I took them down."
        if work
        else "Thank you. These are the details that we hold; please keep this mail."
    )
    lines = [
        f"Dear {person.first_name}," if work else f"Dear {person.full_name},",
        intro,
        "\n".join([f"Date: {long_day(event.start)}, {event.start:%H:%M}", *table]),
        " ".join(chance.sample(MAIL_BODY if work else _FORMAL, 3)),
        f"{chance.choice(MAIL_CLOSERS)}\n{sender}",
    ]
    fields: Fields = {
        "time": stamp(after),
        "sender": _address(sender, address),
        "to": to,
        "subject": _subject(source, event, chance, work),
        "folder": "inbox",
        "text": "\n\n".join(lines),
    }
    return Draft("mail", after, event.id, fields)


_SUBJECTS = {
    "online_order": "Your order: {item}",
    "train_booking": "Your ticket to {destination}",
    "donation": "Your gift to {payee}",
    "subscription": "{payee}: renewed",
}


def _subject(source: Source, event: Event, chance: random.Random, work: bool) -> str:
    if event.kind in _SUBJECTS:
        return filled(source, event, _SUBJECTS[event.kind])
    return ("Notes: " if work else "Confirmation: ") + title(source, event, chance)


_FORMAL = (
    "If anything is not as it should be, please answer within fourteen days.",
    "This message was made by a machine and is valid without a signature.",
    "Please quote the reference in every letter.",
    "Our office is open from Monday to Friday between nine and four.",
    "We keep your data for as long as the law requires.",
    "You will hear from us again if something changes.",
    "Questions are answered by the service desk.",
    "We are glad that you chose us.",
)


def _bulk(source: Source) -> Iterator[Draft]:
    """Newsletters: long, regular, and without anything about the person."""
    person = source.life.person
    chance = source.chance("bulk")
    senders = chance.sample(_NEWSLETTERS, 5)
    day = source.life.first
    while day <= source.life.last:
        for number, (name, host, issued) in enumerate(senders):
            if day.weekday() == issued or (number == 0 and day.day == 15):
                yield _newsletter(source, day, name, host, _address(person.full_name, person.email))
        day += timedelta(days=1)


_NEWSLETTERS = (
    ("The Daily Fold", "dailyfold.example", 0), ("Slow Kitchen", "slowkitchen.example", 4),
    ("City Notes", "citynotes.example", 3), ("Paper Garden", "papergarden.example", 5),
    ("Workshop Wall", "workshopwall.example", 1), ("Long Reads", "longreads.example", 6),
    ("Night Trains", "nighttrains.example", 2), ("The Common Bench", "commonbench.example", 2),
)  # fmt: skip


def _newsletter(source: Source, day: date, name: str, host: str, to: str) -> Draft:
    chance = source.chance("newsletter", name, day)
    when = datetime.combine(day, time(5, chance.randrange(60)))
    heads = chance.sample(PAGES, 8)
    parts = [f"{name}, {long_day(day)}"]
    for head in heads:
        parts += [head.upper(), article(chance, 9)]
    parts.append(f"You get this because you signed up at {host}. Unsubscribe at any time.")
    fields: Fields = {
        "time": stamp(when),
        "sender": _address(name, f"news@{host}"),
        "to": to,
        "subject": f"{name}: {heads[0]}",
        "folder": "bulk",
        "text": "\n\n".join(parts),
    }
    return Draft("mail", when, None, fields)


_WHO = ("Most people", "Our readers", "Those who have tried it", "Experts", "Old hands",
        "Beginners", "Neighbours", "Shopkeepers", "Librarians", "Gardeners", "Cooks",
        "Commuters", "Careful owners", "Grandparents", "The patient ones")  # fmt: skip
_DO = ("agree that", "will tell you that", "have found that", "used to believe that",
       "are surprised to hear that", "say, with a shrug, that", "insist that",
       "learnt the hard way that", "have long suspected that", "admit that")  # fmt: skip
_WHAT = ("the simplest method", "a little patience", "the right tool", "warm water", "good light",
         "a steady hand", "the second attempt", "a dry cloth", "an early start", "plain paper",
         "the cheapest version", "a list on the door", "a sharp pencil", "cold storage",
         "a change of place", "the old way", "a short pause", "a careful measurement")  # fmt: skip
_IS = ("makes all the difference", "is half of the work", "is rarely a mistake",
       "saves more than it costs", "does no harm", "works better than it sounds",
       "is what one forgets first", "decides how long it lasts", "is worth the trouble",
       "beats any gadget", "cannot be replaced", "is underrated")  # fmt: skip
_BUT = ("if it is done at the right time.", "as long as nobody hurries.", "on most days.",
        "in small rooms above all.", "whatever the season.", "though it looks like nothing.",
        "and it costs next to nothing.", "once the dust has settled.", "at least in our climate.",
        "provided that the surface is clean.", "and there is a reason for it.",
        "even where space is short.", "when two people share it.")  # fmt: skip
_EXTRA = (
    "Try it in a corner first.", "The difference shows after a week.",
    "Take your time with the second step.", "It is a matter of taste, of course.",
    "Measure twice, as the saying goes.", "There is no need to buy anything for it.",
    "A photograph before you begin helps afterwards.", "Children can help with it.",
    "We tested it on three rainy afternoons.", "Write to us if you know a better way.",
    "In the old days it was done outdoors.", "The smell goes after a while.",
    "More about it in the next issue.", "Keep the rest in a jar.",
)  # fmt: skip


def article(chance: random.Random, sentences: int) -> str:
    """A paragraph of a magazine that says nothing about anybody."""
    said = []
    for number in range(sentences):
        if number % 3 == 2:
            said.append(chance.choice(_EXTRA))
        else:
            parts = (chance.choice(one) for one in (_WHO, _DO, _WHAT, _IS, _BUT))
            said.append(" ".join(parts))
    return " ".join(said)
