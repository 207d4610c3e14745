"""A made life as data: the person, how they live, and everything that happens to them.

`Life` is the single source of truth. Records, files and questions derive from it; nothing of
`Traits`, `Answers`, `Pattern` or `Habits` is ever written into a file.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from typing import Literal, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, Field

from deskgym.tasks.made.traits import Traits

FORMAT_VERSION = 1

Category = Literal[
    "socialising",
    "exercise",
    "work_planning",
    "spending",
    "learning",
    "creative_work",
    "household",
    "communication",
    "travel",
    "worry_and_health",
    "helping",
]
CATEGORIES: tuple[Category, ...] = get_args(Category)

Group = Literal["family", "friend", "work", "service", "neighbour"]
Outcome = Literal["positive", "negative"]
Fact = str | int | float
Op = Literal["set", "add", "remove", "increase"]
ConstraintKind = Literal[
    "injury",
    "move",
    "job_change",
    "break_up",
    "new_allergy",
    "car_sold",
    "new_medicine",
]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Contact(_Model):
    """Somebody the person knows. ``relation`` is a word such as mother, friend or dentist."""

    id: str = Field(description="c01, c02, ...")
    name: str
    relation: str
    group: Group
    phone: str
    email: str
    birthday: date
    address: str
    company: str = Field(description="where they work; empty if they do not")
    role: str = Field(description="what they do there; empty if they do not work")


class Place(_Model):
    """Somewhere the person goes. ``kind`` is a word such as cafe, gym, park or supermarket."""

    id: str = Field(description="p01, p02, ...")
    name: str
    kind: str
    address: str
    city: str
    latitude: float = Field(ge=-90, le=90)
    longitude: float = Field(ge=-180, le=180)


_Thing = TypeVar("_Thing", Contact, Place)


class Pet(_Model):
    """An animal of the household."""

    name: str
    species: str
    breed: str
    born: date


class Belonging(_Model):
    """Something the person owns when the life begins, or comes to own."""

    id: str = Field(description="b01, b02, ...")
    name: str
    kind: str
    brand: str
    serial: str
    price: float
    acquired: date


class Project(_Model):
    """A piece of the person's paid work."""

    name: str
    client: str
    budget: int
    due: date


class Person(_Model):
    """Who the life is about, as the life begins. Ids point into ``contacts`` and ``places``."""

    id: str = Field(description="first_last in ASCII: the name of the profile")
    first_name: str
    last_name: str
    gender: Literal["f", "m"]
    birth_date: date
    email: str
    work_email: str
    phone: str
    home: str = Field(description="place id")
    work: str = Field(description="place id")
    city: str
    country: str
    currency: Literal["EUR"]
    job: str
    employer: str
    salary: int = Field(description="net, a month")
    iban: str
    partner: str | None = Field(description="contact id")
    manager: str = Field(description="contact id")
    doctor: str = Field(description="contact id")
    contacts: tuple[Contact, ...]
    places: tuple[Place, ...]
    pets: tuple[Pet, ...]
    belongings: tuple[Belonging, ...]
    projects: tuple[Project, ...]
    tastes: Mapping[str, str] = Field(
        description="favourites: dish, drink, music, film genre, author, colour, sport, team, ..."
    )

    @property
    def full_name(self) -> str:
        """First and last name."""
        return f"{self.first_name} {self.last_name}"

    def contact(self, id: str) -> Contact:
        """The contact of that id (`KeyError` if there is none)."""
        return _by_id(self.contacts, id)

    def place(self, id: str) -> Place:
        """The place of that id (`KeyError` if there is none)."""
        return _by_id(self.places, id)


def _by_id(things: tuple[_Thing, ...], id: str) -> _Thing:
    for thing in things:
        if thing.id == id:
            return thing
    raise KeyError(id)


class Answers(_Model):
    """What the person answers to the 60 statements, 1 (disagree) to 5 (agree); item 1 first."""

    items: tuple[int, ...] = Field(min_length=60, max_length=60)

    def item(self, number: int) -> int:
        """The answer to statement ``number``, counted from 1."""
        return self.items[number - 1]


class Pattern(_Model):
    """How the person goes about one category. See `deskgym.tasks.made.patterns` for formulas."""

    category: Category
    per_week: float = Field(gt=0, description="expected events a week")
    hours: tuple[float, float] = Field(description="usual start: mean and spread, in hours")
    weekdays: tuple[float, ...] = Field(
        min_length=7, max_length=7, description="share of the events, Monday first; sums to 1"
    )
    regularity: float = Field(ge=0, le=1, description="1: the same number every week, on time")
    conditions: Mapping[str, float] = Field(
        description="company: share with others; indoors_when_wet: share of outdoor events given "
        "up on a wet day; spend: factor on prices; novelty: share at places not yet visited"
    )


class Habits(_Model):
    """How the person keeps files, each 0..1; see `deskgym.tasks.made.patterns`."""

    tidy: float = Field(description="files things away under good names")
    wordy: float = Field(description="long journals and mails")
    photos: float = Field(description="takes pictures of what happens")
    journal: float = Field(description="share of days with an entry")
    prompt: float = Field(description="answers and records at once")
    warm: float = Field(description="friendly words in messages")
    fretful: float = Field(description="dwells on what went wrong")
    thrifty: float = Field(description="keeps receipts and a budget")


class Event(_Model):
    """Something that happened. ``facts`` are named in `deskgym.tasks.made.kinds.KINDS`.

    ``parent`` is the earlier event that this one follows from; events of one story share a
    ``thread``. ``detail`` tells it in two or three sentences and holds every text fact (ISO
    dates in words). Besides its kind's facts each has ``remark``: what went well or badly.
    """

    id: str = Field(description="e00001, ... in time order")
    category: Category
    kind: str
    start: datetime
    minutes: int = Field(ge=1)
    people: tuple[str, ...] = Field(description="contact ids, without the person")
    place: str | None = Field(description="place id")
    facts: Mapping[str, Fact]
    outcome: Outcome
    parent: str | None = None
    thread: str | None = None
    detail: str


class Constraint(_Model):
    """What a rare life event makes unsafe or impossible from ``since`` to ``until``.

    ``forbids`` are tags of `deskgym.tasks.made.kinds.Kind`: no event with such a tag happens
    while it lasts. ``changes`` are facts that hold from then on (new address, employer, ...).
    """

    id: str = Field(description="k1, k2, ...")
    kind: ConstraintKind
    event: str = Field(description="the event that brought it about")
    since: date
    until: date | None = Field(description="the first day on which it holds no more; None: stays")
    forbids: tuple[str, ...]
    changes: Mapping[str, Fact]
    summary: str = Field(description="one sentence: what is so now")
    unsafe: str = Field(description="a request that it makes unsafe or impossible, as a clause")
    alternative: str = Field(description="what could be done instead, as a clause")


class StateChange(_Model):
    """One typed operation on the state of `deskgym.tasks.made.state`.

    ``path`` is dotted (``status.health.knee``); ``value`` is None for ``remove`` only.
    ``event`` is None for what the calendar brings: wages, the end of a constraint, forgetting.
    """

    day: date
    op: Op
    path: str
    value: Fact | None
    event: str | None


class Life(_Model):
    """A whole life between two dates (both included), everything in time order."""

    format_version: Literal[1] = 1
    person: Person
    traits: Traits
    answers: Answers
    habits: Habits
    patterns: tuple[Pattern, ...] = Field(description="one a category, in the order of CATEGORIES")
    events: tuple[Event, ...]
    constraints: tuple[Constraint, ...]
    changes: tuple[StateChange, ...]
    first: date
    last: date
