"""Edges: who knows whom, who works for whom, who belongs to what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import datetime, time

from deskgym.tasks.made.records.draft import Draft, Fields, Source


def graphs(source: Source) -> Iterator[Draft]:
    """All edges of the life, as they are on its last day, and the address book."""
    life, person = source.life, source.life.person
    begin, end = datetime.combine(life.first, time()), datetime.combine(life.last, time(23, 59))
    me = person.full_name
    for contact in person.contacts:
        card: Fields = {
            "name": contact.name,
            "relation": contact.relation,
            "phone": contact.phone,
            "email": contact.email,
            "birthday": f"{contact.birthday}",
            "address": contact.address,
            "company": contact.company,
            "role": contact.role,
        }
        yield Draft("contact", begin, None, card)
        met = [e for e in life.events if contact.id in e.people]
        tie: Fields = {
            "source": me,
            "target": contact.name,
            "relation": contact.relation,
            "contacts": len(met),
            "last": f"{met[-1].start:%Y-%m-%d}" if met else "",
        }
        yield Draft("social_tie", end, None, tie)
    yield from _organisation(source, begin)
    yield from _memberships(source, end)


def _organisation(source: Source, begin: datetime) -> Iterator[Draft]:
    person = source.life.person
    manager = person.contact(person.manager)
    own = (person.full_name, manager.name, "reports_to", person.job)
    edges = [own]
    for contact in person.contacts:
        if contact.group == "work" and contact.id != manager.id:
            bound = "reports_to" if contact.company == person.employer else "works_with"
            edges.append((contact.name, manager.name, bound, contact.role))
    for name, target, bound, role in edges:
        fields: Fields = {
            "source": name,
            "target": target,
            "relation": bound,
            "role": role,
            "unit": person.employer,
        }
        yield Draft("organisation", begin, None, fields)


_CIRCLE = 4
"""Meetings that make a circle."""
_CIRCLES = {"project": "takes part", "group": "writes in", "organisation": "volunteers"}


def _memberships(source: Source, end: datetime) -> Iterator[Draft]:
    """Who took part in which project, group chat or society, since the first event that says so."""
    since: dict[tuple[str, str], tuple[str, str]] = {}
    met: Counter[str] = Counter()
    for event in source.life.events:
        for fact, part in _CIRCLES.items():
            if fact not in event.facts:
                continue
            circle = str(event.facts[fact])
            met[circle] += 1
            names = [source.life.person.full_name, *(c.name for c in source.contacts(event))]
            for name in names:
                since.setdefault((name, circle), (part, f"{event.start:%Y-%m-%d}"))
    for (name, circle), (part, day) in since.items():
        if met[circle] < _CIRCLE:
            continue
        fields: Fields = {"source": name, "target": circle, "relation": part, "since": day}
        yield Draft("membership", end, None, fields)
