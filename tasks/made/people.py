"""A person and everyone and everything around them, as the life begins."""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import date, timedelta

from deskgym.tasks.made import names, words, words_food
from deskgym.tasks.made.inventory import facet_score
from deskgym.tasks.made.models import (
    Answers,
    Belonging,
    ConstraintKind,
    Contact,
    Group,
    Person,
    Pet,
    Project,
)
from deskgym.tasks.made.places import make_places
from deskgym.tasks.made.seeds import random_for

# What the person does, what the firm's name ends in, and what its projects are about.
JOBS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("project engineer", "Instruments", ("sensor", "gauge", "calibration", "test bench")),
    ("editor", "Press", ("reader", "yearbook", "guide", "anthology")),
    ("landscape planner", "Open Spaces", ("riverside", "playground", "cemetery", "cycleway")),
    ("data analyst", "Research", ("survey", "forecast", "dashboard", "panel")),
    ("buyer", "Trading", ("catalogue", "supplier", "packaging", "import")),
    ("physiotherapist", "Health", ("rehab", "gait", "posture", "home-visit")),
    ("events manager", "Events", ("congress", "gala", "roadshow", "open-air")),
    ("building surveyor", "Surveys", ("façade", "attic", "school", "bridge")),
    ("software developer", "Systems", ("ticketing", "archive", "booking", "metering")),
    ("museum educator", "Heritage", ("workshop", "audio", "school", "exhibition")),
    ("logistics planner", "Freight", ("cold-chain", "depot", "route", "container")),
    ("energy adviser", "Energy", ("heat-pump", "retrofit", "solar", "district")),
    ("graphic designer", "Design", ("signage", "label", "poster", "brochure")),
    ("lab technician", "Laboratories", ("water", "soil", "pollen", "fibre")),
    ("insurance clerk", "Mutual", ("claims", "flood", "travel", "fleet")),
    ("teacher trainer", "Academy", ("reading", "maths", "mentor", "mobile")),
)
_ROLES = (
    "accountant", "designer", "technician", "assistant", "lawyer", "controller", "trainee",
    "head of sales", "receptionist", "analyst", "buyer", "press officer", "developer",
)  # fmt: skip
_FRIEND_ROLES = (
    "nurse", "carpenter", "chemist", "cook", "translator", "bus driver", "architect", "florist",
    "optician", "musician", "baker", "teacher", "dentist's assistant", "gardener", "paramedic",
    "potter", "journalist", "forester", "electrician", "librarian",
)  # fmt: skip
_TRADES = ("Works", "Brothers", "Services", "Partners", "Studio", "Group", "Bureau", "Supplies")
_SERVICES = (
    ("doctor", "general practitioner", "Practice"),
    ("dentist", "dentist", "Dental"),
    ("landlord", "property manager", "Lettings"),
    ("hairdresser", "hairdresser", "Hair"),
    ("plumber", "plumber", "Plumbing"),
    ("electrician", "electrician", "Electrics"),
    ("bank adviser", "adviser", "Savings Bank"),
    ("insurance agent", "agent", "Insurance"),
)
_PETS = (
    ("cat", ("tabby", "British shorthair", "tortoiseshell")),
    ("dog", ("spaniel", "whippet", "terrier", "mongrel")),
    ("rabbit", ("Dutch", "lop-eared")),
    ("tortoise", ("Greek", "marginated")),
)
_PET_NAMES = names.words_of(
    "Biscuit Pepper Momo Juno Pickle Otis Tofu Nori Waffle Bramble Ziggy Olive Sprout Miso "
    "Pirate Poppy Rumpel Socks Truffle Vasco"
)
# Name, kind, lowest and highest price, and the share of people who own one.
_THINGS: tuple[tuple[str, str, int, int, float], ...] = (
    ("laptop", "electronics", 600, 1900, 1.0),
    ("phone", "electronics", 250, 1100, 1.0),
    ("bicycle", "vehicle", 300, 1800, 1.0),
    ("car", "vehicle", 6000, 19000, 0.75),
    ("camera", "electronics", 350, 1500, 1.0),
    ("dining table", "furniture", 200, 900, 1.0),
    ("washing machine", "appliance", 350, 900, 1.0),
    ("tent", "outdoor", 120, 500, 0.6),
    ("sewing machine", "appliance", 150, 600, 0.4),
    ("drill", "tool", 60, 220, 0.8),
    ("watch", "jewellery", 90, 900, 0.7),
    ("tablet", "electronics", 200, 800, 0.5),
)
INSTRUMENTS = ("guitar", "piano", "cello", "clarinet", "accordion", "ukulele", "violin", "flute")
LANGUAGES = ("Portuguese", "Finnish", "Italian", "Polish", "Japanese", "Greek", "Czech", "Welsh")
_TASTES: dict[str, tuple[str, ...]] = {
    "drink": words_food.DRINKS,
    "music": ("jazz", "folk", "baroque", "synth pop", "blues", "choral music", "ska"),
    "film_genre": ("westerns", "documentaries", "comedies", "thrillers", "animation", "noir"),
    "colour": words.COLOURS,
    "sport": ("rowing", "handball", "cycling", "snooker", "athletics", "curling", "hockey"),
    "season": ("early spring", "late spring", "high summer", "autumn", "winter"),
    "instrument": INSTRUMENTS,
    "language": LANGUAGES,
    "medium": words.MEDIA,
    "game": words.GAMES,
    "ingredient": words_food.INGREDIENTS,
}


@dataclass
class _Circle:
    """Contacts as they are thought up."""

    seed: int
    chance: random.Random
    town: str
    first: date
    age: int
    contacts: list[Contact] = field(default_factory=list)
    taken: set[str] = field(default_factory=set)

    def add(
        self,
        relation: str,
        group: Group,
        *,
        family_name: str | None = None,
        gender: str | None = None,
        age: tuple[float, float] = (24, 66),
        company: str = "",
        role: str = "",
        address: str = "",
    ) -> Contact:
        chance = self.chance
        name = ""
        while not name or name in self.taken:
            first = names.first_name(gender or chance.choice("fm"), chance)
            name = f"{first} {family_name or names.surname(self.seed, chance)}"
            if family_name and name in self.taken:
                family_name = None if len(self.taken) > 60 else family_name
        self.taken.add(name)
        if not address:
            address = f"{chance.randint(1, 120)} {names.street(self.seed, chance)}, {self.town}"
        contact = Contact(
            id=f"c{len(self.contacts) + 1:02d}",
            name=name,
            relation=relation,
            group=group,
            phone=phone(chance),
            email=f"{slug(name)}@{_mailbox(company, chance)}",
            birthday=_born(chance, self.first, age),
            address=address,
            company=company,
            role=role,
        )
        self.contacts.append(contact)
        return contact


def make_person(
    seed: int, index: int, answers: Answers, first: date, ahead: Collection[ConstraintKind] = ()
) -> Person:
    """Person ``index`` of ``seed``, as they are on ``first``.

    For the life events ``ahead`` that need them, contacts and places include those of the time
    after: a second home, a second employer with colleagues and a manager.
    """
    chance = random_for(seed, "person", index)
    gender = chance.choice("fm")
    first_name, last_name = names.person_name(seed, index, gender)
    town = names.town(seed, chance)
    job, trade, subjects = chance.choice(JOBS)
    employer = f"{names.surname(seed, chance)} {trade}"
    age = chance.randint(26, 58)
    address = f"{chance.randint(1, 120)} {names.street(seed, chance)}"
    circle = _Circle(seed, chance, town, first, age, taken={f"{first_name} {last_name}"})
    partner = _family(circle, gender, last_name, f"{address}, {town}")
    friends = 6 + round(facet_score(answers, "sociability"))
    manager = _others(circle, employer, friends)
    later = []
    if "job_change" in ahead:
        next_employer = f"{names.surname(seed, chance)} {trade}"
        _colleagues(circle, next_employer, 4)
        next_office = f"{chance.randint(1, 120)} {names.street(seed, chance)}"
        later.append((next_employer, "work", next_office))
    if "move" in ahead:
        next_address = f"{chance.randint(1, 120)} {names.street(seed, chance)}"
        later.append((f"Home, {next_address}", "home", next_address))
    places = make_places(seed, chance, town, address, employer, circle.contacts, later)
    me = slug(f"{first_name} {last_name}")
    return Person(
        id=me.replace(".", "_"),
        first_name=first_name,
        last_name=last_name,
        gender="f" if gender == "f" else "m",
        birth_date=_born(chance, first, (age, age + 0.99)),
        email=f"{me}@{_mailbox('', chance)}",
        work_email=f"{me}@{_mailbox(employer, chance)}",
        phone=phone(chance),
        home=places[0].id,
        work=places[1].id,
        city=town,
        country="Ireland",
        currency="EUR",
        job=job,
        employer=employer,
        salary=chance.randrange(2100, 4300, 10),
        iban=f"IE{chance.randint(10, 98)} ZZ{_letters(chance)} {_digits(chance)} {_digits(chance)}",
        partner=partner.id if partner else None,
        manager=manager.id,
        doctor=next(c.id for c in circle.contacts if c.relation == "doctor"),
        contacts=tuple(circle.contacts),
        places=places,
        pets=_pets(chance, first),
        belongings=_belongings(seed, chance, first),
        projects=_projects(seed, chance, first, subjects),
        tastes=_tastes(seed, chance),
    )


def _family(circle: _Circle, gender: str, last_name: str, home: str) -> Contact | None:
    """Adds the family; the partner, if there is one, comes first."""
    chance = circle.chance
    age, partner = circle.age, None
    if chance.random() < 0.65:
        other = "m" if (gender == "f") == (chance.random() < 0.9) else "f"
        partner = circle.add(
            "partner",
            "family",
            gender=other,
            age=(max(24, age - 5), age + 5),
            company=_firm(circle),
            role=_friend_role(chance),
            address=home,
        )
    circle.add("mother", "family", family_name=last_name, gender="f", age=(age + 21, age + 32))
    circle.add("father", "family", family_name=last_name, gender="m", age=(age + 22, age + 34))
    for _ in range(chance.randint(1, 2)):
        sex = chance.choice("fm")
        circle.add(
            "sister" if sex == "f" else "brother",
            "family",
            family_name=last_name,
            gender=sex,
            age=(max(20, age - 8), age + 8),
            company=_firm(circle),
            role=_friend_role(chance),
        )
    circle.add("aunt", "family", gender="f", age=(age + 19, age + 30))
    circle.add("cousin", "family", age=(20, 55), company=_firm(circle), role=_friend_role(chance))
    return partner


def _others(circle: _Circle, employer: str, friends: int) -> Contact:
    """Adds friends, colleagues, neighbours and services; the manager is returned."""
    chance = circle.chance
    for _ in range(friends):
        circle.add("friend", "friend", company=_firm(circle), role=_friend_role(chance))
    manager = _colleagues(circle, employer, chance.randint(5, 7))
    for _ in range(chance.randint(3, 4)):
        circle.add("neighbour", "neighbour", age=(22, 88))
    for relation, role, trade in _SERVICES:
        company = f"{names.surname(circle.seed, chance)} {trade}"
        circle.add(relation, "service", company=company, role=role)
    return manager


def _colleagues(circle: _Circle, employer: str, count: int) -> Contact:
    """Adds a manager, who is returned, and ``count`` colleagues."""
    manager = circle.add("manager", "work", age=(35, 64), company=employer, role="head of unit")
    for role in circle.chance.sample(_ROLES, count):
        circle.add("colleague", "work", company=employer, role=role)
    return manager


def _pets(chance: random.Random, first: date) -> tuple[Pet, ...]:
    count = chance.choice((0, 0, 1, 1, 2))
    pets = []
    for name in chance.sample(_PET_NAMES, count):
        species, breeds = chance.choice(_PETS)
        born = _born(chance, first, (1, 12))
        pets.append(Pet(name=name, species=species, breed=chance.choice(breeds), born=born))
    return tuple(pets)


def _belongings(seed: int, chance: random.Random, first: date) -> tuple[Belonging, ...]:
    owned: list[Belonging] = []
    for name, kind, low, high, share in _THINGS:
        if chance.random() >= share:
            continue
        owned.append(
            Belonging(
                id=f"b{len(owned) + 1:02d}",
                name=name,
                kind=kind,
                brand=names.surname(seed, chance),
                serial=names.code(chance, 3, 7),
                price=chance.randint(low, high) - 0.01,
                acquired=first - timedelta(days=chance.randint(40, 2600)),
            )
        )
    return tuple(owned)


def _projects(
    seed: int, chance: random.Random, first: date, subjects: tuple[str, ...]
) -> tuple[Project, ...]:
    return tuple(
        Project(
            name=f"{names.surname(seed, chance)} {subject} project",
            client=f"{names.surname(seed, chance)} {chance.choice(_TRADES)}",
            budget=chance.randrange(20_000, 400_000, 500),
            due=first + timedelta(days=chance.randint(45, 400)),
        )
        for subject in chance.sample(subjects, len(subjects))
    )


def _tastes(seed: int, chance: random.Random) -> dict[str, str]:
    tastes = {name: chance.choice(options) for name, options in _TASTES.items()}
    author = f"{names.first_name(chance.choice('fm'), chance)} {names.surname(seed, chance)}"
    team = f"{names.town(seed, chance)} {chance.choice(('Rovers', 'Harriers', 'Athletic'))}"
    return {**tastes, "dish": words_food.dish(chance), "author": author, "team": team}


def slug(name: str) -> str:
    """``name`` in lower-case ASCII, words joined by dots."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode("ascii")
    kept = "".join(letter if letter.isalnum() else " " for letter in plain.lower())
    return ".".join(kept.split())


def phone(chance: random.Random) -> str:
    """A number out of a range that is kept free for fiction."""
    return f"+353 20 91{chance.randrange(10)} {chance.randrange(10_000):04d}"


def _born(chance: random.Random, first: date, age: tuple[float, float]) -> date:
    return first - timedelta(days=round(365.25 * chance.uniform(*age)))


def _mailbox(company: str, chance: random.Random) -> str:
    if company:
        return f"{slug(company).replace('.', '-')}.example"
    return chance.choice(("postbox.example", "letterbox.example", "home-mail.example"))


def _firm(circle: _Circle) -> str:
    return f"{names.surname(circle.seed, circle.chance)} {circle.chance.choice(_TRADES)}"


def _friend_role(chance: random.Random) -> str:
    return chance.choice(_FRIEND_ROLES)


def _letters(chance: random.Random) -> str:
    return "".join(chance.choice("ABCDEFGHJKLMNPRSTUVWXYZ") for _ in range(2))


def _digits(chance: random.Random) -> str:
    return f"{chance.randrange(10_000_000):07d}"
