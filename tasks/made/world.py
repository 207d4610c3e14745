"""The person's world from day to day: whom they can meet, where they go, what is ruled out."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field
from datetime import date

from deskgym.tasks.made.kinds import KINDS, Kind
from deskgym.tasks.made.models import Constraint, Contact, Pattern, Person, Place
from deskgym.tasks.made.places import home_of
from deskgym.tasks.made.seeds import random_for

_HOMES = ("friend_home", "family_home", "neighbour_home")
_TRADES = ("plumber", "electrician")


@dataclass
class World:
    """What holds now. Constraints change it; nothing else does."""

    seed: int
    person: Person
    employer: str
    partner: str | None
    home: Place
    work: Place
    projects: tuple[str, ...]
    constraints: list[Constraint] = field(default_factory=list)
    forbidden: frozenset[str] = frozenset()
    likes: dict[str, float] = field(default_factory=dict)
    near: dict[str, float] = field(default_factory=dict)
    order: dict[str, list[Place]] = field(default_factory=dict)
    contacts: dict[str, Contact] = field(default_factory=dict)
    by_name: dict[str, Place] = field(default_factory=dict)

    @classmethod
    def of(cls, seed: int, person: Person) -> World:
        """The world of ``person`` at first, with likings of their own.

        Each kind of event and each contact has a weight ``exp(0.5 r)``, ``r`` standard normal;
        the places of a kind have an order of preference.
        """
        chance = random_for(seed, person.id, "likings")
        world = cls(
            seed=seed,
            person=person,
            employer=person.employer,
            partner=person.partner,
            home=person.place(person.home),
            work=person.place(person.work),
            projects=tuple(project.name for project in person.projects),
            likes={kind: math.exp(chance.gauss(0, 0.5)) for kind in KINDS},
            near={contact.id: math.exp(chance.gauss(0, 0.5)) for contact in person.contacts},
            contacts={contact.id: contact for contact in person.contacts},
            by_name={place.name: place for place in person.places},
        )
        for place in person.places:
            world.order.setdefault(place.kind, []).append(place)
        for places in world.order.values():
            chance.shuffle(places)
        return world

    def take(self, constraint: Constraint) -> None:
        """From now on ``constraint`` holds."""
        self.constraints.append(constraint)
        if constraint.kind == "move":
            self.home = self.order["home"][0]
            if self.home.id == self.person.home:
                self.home = self.order["home"][-1]
        elif constraint.kind == "job_change":
            self.employer = str(constraint.changes["employer"])
            self.work = self.by_name[self.employer]
            chance = random_for(self.seed, self.person.id, "new projects")
            firm = self.employer.split()[0]
            topics = chance.sample(("launch", "archive", "training", "quality", "branch"), 4)
            self.projects = tuple(f"{firm} {topic} project" for topic in topics)
        elif constraint.kind == "break_up":
            self.partner = None

    def dawn(self, day: date) -> list[Constraint]:
        """Work out what is forbidden on ``day``; the constraints that ended are returned."""
        over = [c for c in self.constraints if c.until is not None and c.until <= day]
        self.constraints = [c for c in self.constraints if c not in over]
        self.forbidden = frozenset(tag for c in self.constraints for tag in c.forbids)
        return over

    def allows(self, kind: Kind) -> bool:
        """Whether nothing forbids ``kind``, and there is somebody for it."""
        if kind.tags & self.forbidden:
            return False
        return kind.company[0] == 0 or bool(self.pool(kind))

    def pool(self, kind: Kind) -> list[Contact]:
        """Whom ``kind`` can be shared with now."""
        return [contact for contact in self.person.contacts if self._fits(kind, contact)]

    def _fits(self, kind: Kind, contact: Contact) -> bool:
        if contact.relation == "partner":
            if contact.id != self.partner or kind.name in ("family_visit", "babysitting"):
                return False
            # At home and by message one does not write to whom one lives with by mail or card.
            if kind.name in ("mail", "postcard", "video_call", "phone_call"):
                return False
            return "partner" in kind.groups or "family" in kind.groups
        if contact.group == "work" and contact.company != self.employer:
            return False
        if kind.name == "tradesperson":
            return contact.relation in _TRADES
        return contact.group in kind.groups or contact.relation in kind.groups

    def company(
        self, kind: Kind, pattern: Pattern, chance: random.Random, given: tuple[str, ...]
    ) -> tuple[Contact, ...]:
        """Who comes along: those ``given`` as far as they fit, else picked by nearness."""
        least, most = kind.company
        if most == 0:
            return ()
        kept = [self.contacts[id] for id in given if self._fits(kind, self.contacts[id])][:most]
        if len(kept) >= max(1, least):
            return tuple(kept)
        social = pattern.conditions["company"]
        count = least
        if least == 0 and chance.random() < social:
            count = 1
        while 0 < count < most and chance.random() < 0.4:
            count += 1
        pool = [contact for contact in self.pool(kind) if contact not in kept]
        while len(kept) < count and pool:
            weights = [self.near[contact.id] for contact in pool]
            picked = chance.choices(pool, weights)[0]
            pool.remove(picked)
            kept.append(picked)
        return tuple(kept)

    def where(
        self,
        kind: Kind,
        people: tuple[Contact, ...],
        pattern: Pattern,
        chance: random.Random,
        day: date,
        hour: int,
    ) -> Place | None:
        """Where it happens: home and work as they are now, people's homes by who is there."""
        options = list(kind.places)
        if "work" in options and len(options) > 1 and (day.weekday() > 4 or hour > 17):
            options.remove("work")
        name = options[0] if chance.random() < 0.65 else chance.choice(options)
        if name == "":
            return None
        if name == "home":
            return self.home
        if name == "work":
            return self.work
        if name in _HOMES:
            hosts = [self.by_name.get(home_of(contact)) for contact in people]
            return next((host for host in hosts if host is not None), None)
        places = self.order.get(name, [])
        if not places:
            return None
        if chance.random() < pattern.conditions["novelty"]:
            return chance.choice(places)
        weights = [1 / (rank + 1) ** 1.5 for rank in range(len(places))]
        return chance.choices(places, weights)[0]
