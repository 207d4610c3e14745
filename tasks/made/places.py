"""The places of a person's world: a town that does not exist, and what is in and around it."""

from __future__ import annotations

import random
from collections.abc import Sequence

from deskgym.tasks.made import names
from deskgym.tasks.made.models import Contact, Place

# Kind, how many, and how such places are called ("{}" is an invented name).
_IN_TOWN: tuple[tuple[str, int, tuple[str, ...]], ...] = (
    ("cafe", 4, ("Café {}", "{} Coffee", "{} Tea Room", "The {} Cup")),
    ("restaurant", 5, ("{} Kitchen", "Restaurant {}", "The {} Table", "{} & Daughters")),
    ("bar", 3, ("The {} Arms", "Bar {}", "{} Taproom")),
    ("cinema", 2, ("{} Picture House", "Cinema {}")),
    ("venue", 2, ("{} Hall", "The {} Rooms")),
    ("park", 3, ("{} Park", "{} Meadows", "{} Embankment")),
    ("gym", 1, ("{} Strength", "Gym {}")),
    ("pool", 1, ("{} Baths", "{} Swimming Pool")),
    ("studio", 2, ("Studio {}", "{} Movement")),
    ("supermarket", 3, ("{} Foods", "{} Stores", "{} Fresh")),
    ("market", 2, ("{} Market", "Market on {} Square")),
    ("clothes_shop", 3, ("{} Outfitters", "House of {}", "{} & Thread")),
    ("lunch_bar", 3, ("{} Lunch", "{} Soups", "The {} Counter")),
    ("library", 1, ("{} Library",)),
    ("museum", 3, ("{} Museum", "{} Collection", "{} Gallery")),
    ("practice", 1, ("{} Practice", "Surgery on {} Street")),
    ("clinic", 1, ("{} Clinic", "{} Hospital")),
    ("pharmacy", 2, ("{} Pharmacy",)),
    ("charity", 2, ("{} Community House", "{} Food Bank", "{} Shelter")),
    ("quarter", 7, ("{} Quarter", "{} Yards", "{} Docks", "Upper {}", "Lower {}")),
    ("new_place", 12, ("{} Bakery", "{} Noodles", "{} Ices", "{} Cellar", "{} Deli")),
)
_AROUND: tuple[tuple[str, int, tuple[str, ...]], ...] = (
    ("sight", 9, ("{} Castle", "{} Gardens", "{} Lighthouse", "{} Abbey", "{} Caves")),
    ("trail", 5, ("{} Ridge", "{} Valley Trail", "{} Head", "{} Forest Path")),
)
# A friend's, relative's or neighbour's home: by group.
_HOMES = {"friend": "friend_home", "family": "family_home", "neighbour": "neighbour_home"}


def make_places(
    seed: int,
    chance: random.Random,
    city: str,
    home_address: str,
    employer: str,
    contacts: Sequence[Contact],
    later: Sequence[tuple[str, str, str]] = (),
) -> tuple[Place, ...]:
    """Every place of a life, home first and work second; no two have the same name.

    ``later`` are places of a time to come: name, kind and address.
    """
    # Somewhere on the island of Ireland, well inland.
    centre = (chance.uniform(52.4, 53.9), chance.uniform(-8.6, -6.9))
    found: list[tuple[str, str, str, str]] = [
        (f"Home, {home_address}", "home", home_address, city),
        (employer, "work", _address(seed, chance), city),
    ]
    for kind, count, forms in _IN_TOWN:
        for form in _some(chance, forms, count):
            found.append((form.format(_word(seed, chance)), kind, _address(seed, chance), city))
    for kind, count, forms in _AROUND:
        for form in _some(chance, forms, count):
            name = names.town(seed, chance)
            found.append((form.format(_word(seed, chance)), kind, name, name))
    for contact in contacts:
        if contact.group in _HOMES and contact.relation != "partner":
            name = home_of(contact)
            found.append((name, _HOMES[contact.group], contact.address, city))
    found += [(name, kind, address, city) for name, kind, address in later]
    taken: set[str] = set()
    places: list[Place] = []
    for name, kind, address, where in found:
        if name in taken:
            continue
        taken.add(name)
        reach = 0.4 if kind in ("sight", "trail") else 0.03
        places.append(
            Place(
                id=f"p{len(places) + 1:02d}",
                name=name,
                kind=kind,
                address=address,
                city=where,
                latitude=round(centre[0] + chance.uniform(-reach, reach), 5),
                longitude=round(centre[1] + chance.uniform(-reach, reach), 5),
            )
        )
    return tuple(places)


def home_of(contact: Contact) -> str:
    """The name of the place where ``contact`` lives."""
    return f"{contact.name}'s home"


def _some(chance: random.Random, forms: tuple[str, ...], count: int) -> list[str]:
    """``count`` forms, each used once before any is used again."""
    order = list(forms)
    chance.shuffle(order)
    return [order[at % len(order)] for at in range(count)]


def _word(seed: int, chance: random.Random) -> str:
    return names.surname(seed, chance)


def _address(seed: int, chance: random.Random) -> str:
    return f"{chance.randint(1, 120)} {names.street(seed, chance)}"
