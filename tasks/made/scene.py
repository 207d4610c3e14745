"""What is known of an event before its facts: who, where, when, and how it will go."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta

from deskgym.tasks.made import names, words_food
from deskgym.tasks.made.models import Contact, Fact, Person, Place
from deskgym.tasks.made.seeds import random_for

Facts = dict[str, Fact]


@dataclass
class Scene:
    """The frame that the facts of one event are drawn in.

    ``running`` counts what goes on from event to event (pages read, lessons done); `move` notes
    how far this event takes it. ``avoid`` are allergens.
    """

    seed: int
    chance: random.Random
    person: Person
    where: Place | None
    people: tuple[Contact, ...]
    start: datetime
    minutes: int
    good: bool
    spend: float
    address: str
    employer: str
    projects: tuple[str, ...]
    running: Mapping[str, int]
    avoid: frozenset[str] = frozenset()
    moved: dict[str, int] = field(default_factory=dict)

    def pick(self, options: tuple[str, ...]) -> str:
        """One of ``options``."""
        return self.chance.choice(options)

    def money(self, low: float, high: float) -> float:
        """A price in euros, dearer for who spends more freely."""
        return round(self.chance.uniform(low, high) * self.spend, 2)

    def between(self, low: int, high: int) -> int:
        """A whole number, both ends included."""
        return self.chance.randint(low, high)

    def few(self, low: int, high: int) -> int:
        """A whole number, both ends included, the small ones far more often."""
        return min(self.between(low, high) for _ in range(3))

    def rating(self) -> int:
        """The person's own mark, 1..10: 6 or more if the event went well."""
        return self.between(6, 10) if self.good else self.between(1, 5)

    def percent(self) -> int:
        """A score: 70 or more if the event went well."""
        return self.between(70, 99) if self.good else self.between(31, 64)

    def later(self, low: int, high: int) -> str:
        """The ISO date of a workday ``low`` to ``high`` days ahead."""
        day = self.start.date() + timedelta(days=self.between(low, high))
        while day.weekday() > 4:
            day += timedelta(days=1)
        return day.isoformat()

    def surname(self) -> str:
        """An invented name, for makers and firms."""
        return names.surname(self.seed, self.chance)

    def full_name(self) -> str:
        """Somebody the person does not know."""
        return f"{names.first_name(self.chance.choice('fm'), self.chance)} {self.surname()}"

    def title(self) -> str:
        """The title of a work."""
        return names.title(self.chance)

    def code(self) -> str:
        """A reference number."""
        return names.code(self.chance)

    def dish(self) -> str:
        """Something to eat that the person may eat."""
        return words_food.dish(self.chance, self.avoid)

    def food(self, options: tuple[str, ...]) -> str:
        """One of ``options`` that the person may eat."""
        return words_food.food(self.chance, options, self.avoid)

    def ingredient(self) -> str:
        """Something to cook with that the person may eat."""
        return words_food.ingredient(self.chance, self.avoid)

    def bar_drink(self) -> str:
        """Something to drink of an evening."""
        return self.pick(words_food.BAR_DRINKS)

    def project(self) -> str:
        """One of the projects at work, the first most of the time."""
        return self.chance.choices(self.projects, (5, 3, 2, 1)[: len(self.projects)])[0]

    def at(self, name: str) -> int:
        """How far the running count ``name`` has come."""
        return self.running.get(name, 0)

    def move(self, name: str, by: int) -> None:
        """This event takes the running count ``name`` on by ``by``."""
        self.moved[name] = self.moved.get(name, 0) + by

    def serial(self, name: str, number: int) -> random.Random:
        """The generator of a thing that several events share: the third book, the second course."""
        return random_for(self.seed, self.person.id, "serial", name, number)

    @property
    def day(self) -> date:
        """The day of the event."""
        return self.start.date()


FactMaker = Callable[[Scene], Facts]
