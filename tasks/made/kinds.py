"""The kinds of events there are, and the facts that each one carries.

Facts that mean the same have the same name in all kinds:

- ``amount``: money the person paid, in euros with two decimals; ``payee`` is who got it, if that
  is not the event's place. A kind with ``amount`` leaves a payment behind.
- ``distance_km``, ``rating`` (1..10 of the person's own), ``score`` (percent), ``due``
  and ``next_date`` (ISO dates), ``topic`` (what was talked about), ``title``, ``item``,
  ``reference`` (an order, booking or invoice number; unique in the life).
- ``remark``, which every event has besides the facts of its kind: what went well or badly.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from deskgym.tasks.made.models import Category

FactType = Literal["str", "int", "float"]


@dataclass(frozen=True)
class Kind:
    """One kind of event.

    ``weight`` is its share within the category; ``hours`` the first and last hour at which it
    may start; ``minutes`` its shortest and longest duration; ``places`` the kinds of place where
    it happens ("home", "work" and "" for nowhere in particular among them); ``groups`` whom it
    is shared with (groups of contacts, or the relations partner, manager and doctor) and
    ``company`` how many of them at least and at most; ``tags`` what a constraint may forbid. A
    kind of weight 0 happens as a rare life event only.
    """

    name: str
    category: Category
    weight: float
    hours: tuple[int, int]
    minutes: tuple[int, int]
    places: tuple[str, ...]
    groups: tuple[str, ...]
    company: tuple[int, int]
    facts: Mapping[str, FactType]
    tags: frozenset[str]


_TYPES: dict[str, FactType] = {"s": "str", "i": "int", "f": "float"}


def _kind(
    category: Category,
    name: str,
    weight: float,
    hours: tuple[int, int],
    minutes: tuple[int, int],
    places: str,
    company: str,
    facts: str,
    tags: str = "",
) -> Kind:
    """A row of the tables below: ``company`` is "groups least most", facts are "name:type"."""
    *groups, least, most = company.split() if company else ["0", "0"]
    return Kind(
        name=name,
        category=category,
        weight=weight,
        hours=hours,
        minutes=minutes,
        places=tuple(places.split()) or ("",),
        groups=tuple(groups),
        company=(int(least), int(most)),
        facts=MappingProxyType(
            {fact.split(":")[0]: _TYPES[fact.split(":")[1]] for fact in facts.split()}
        ),
        tags=frozenset(tags.split()),
    )


# category, name, weight, start hours, minutes, places, company, facts, tags
_ROWS: tuple[Kind, ...] = (
    _kind("socialising", "dinner_out", 4, (18, 20), (75, 150), "restaurant", "friend family 1 3",
          "dish:s amount:f topic:s", "food"),
    _kind("socialising", "coffee", 5, (9, 17), (30, 75), "cafe", "friend work 1 1",
          "drink:s amount:f topic:s"),
    _kind("socialising", "party", 1, (19, 20), (150, 240), "friend_home", "friend 2 5",
          "occasion:s gift:s amount:f guests:i payee:s", "alcohol"),
    _kind("socialising", "board_games", 2, (18, 20), (90, 180), "home", "friend neighbour 2 4",
          "title:s winner:s rounds:i"),
    _kind("socialising", "film", 2, (17, 20), (100, 150), "cinema", "friend family 0 2",
          "title:s amount:f rating:i screen:i seat:s"),
    _kind("socialising", "family_visit", 3, (11, 17), (90, 240), "family_home", "family 1 3",
          "dish:s topic:s brought:s", "food"),
    _kind("socialising", "drinks", 3, (17, 20), (60, 150), "bar", "work friend 1 4",
          "drink:s amount:f rounds:i topic:s", "alcohol"),
    _kind("socialising", "concert", 1, (19, 20), (120, 180), "venue", "friend family 0 2",
          "band:s amount:f seat:s rating:i"),
    _kind("socialising", "date_evening", 2, (18, 20), (60, 150), "restaurant", "partner 1 1",
          "dish:s amount:f topic:s", "partner food"),
    _kind("exercise", "run", 5, (6, 19), (25, 80), "park", "friend 0 1",
          "route:s distance_km:f pace:s heart_rate:i", "outdoor legs"),
    _kind("exercise", "gym", 4, (7, 20), (40, 80), "gym", "friend 0 1",
          "exercise:s weight_kg:i sets:i reps:i", "legs arms"),
    _kind("exercise", "swim", 3, (7, 19), (35, 70), "pool", "friend family 0 1",
          "lengths:i distance_km:f amount:f lane:i", "arms"),
    _kind("exercise", "cycle", 3, (8, 17), (45, 150), "", "friend family 0 1",
          "route:s distance_km:f climb_m:i", "outdoor legs arms"),
    _kind("exercise", "class", 3, (8, 19), (45, 75), "studio", "friend 0 1",
          "title:s teacher:s amount:f places_left:i", "legs arms"),
    _kind("exercise", "walk", 4, (7, 19), (30, 90), "park", "friend family neighbour 0 1",
          "route:s distance_km:f steps:i", "outdoor"),
    _kind("exercise", "stretching", 2, (7, 20), (15, 40), "home", "",
          "title:s rounds:i"),
    _kind("work_planning", "meeting", 6, (9, 16), (30, 75), "work", "work 1 4",
          "project:s topic:s decision:s owner:s due:s", "project"),
    _kind("work_planning", "deadline", 2, (9, 16), (60, 180), "work", "work 0 1",
          "project:s deliverable:s pages:i due:s", "project"),
    _kind("work_planning", "planning", 3, (8, 16), (20, 50), "work home", "",
          "tasks:i priority:s hours:i"),
    _kind("work_planning", "one_to_one", 2, (9, 16), (30, 60), "work", "manager 1 1",
          "topic:s action:s next_date:s"),
    _kind("work_planning", "presentation", 1, (10, 15), (45, 90), "work", "work 2 5",
          "project:s title:s slides:i audience:i", "project"),
    _kind("work_planning", "budget_check", 2, (9, 16), (30, 75), "work", "work 0 1",
          "project:s spent:i left:i supplier:s", "project"),
    _kind("work_planning", "late_evening", 1, (18, 20), (60, 150), "work home", "",
          "project:s reason:s hours:f", "project"),
    _kind("spending", "groceries", 6, (9, 19), (25, 60), "supermarket", "",
          "amount:f items:i item:s reference:s", "food"),
    _kind("spending", "market", 2, (9, 13), (30, 75), "market", "family friend 0 1",
          "item:s stall:s amount:f", "food"),
    _kind("spending", "clothes", 2, (10, 18), (30, 90), "clothes_shop", "friend family 0 1",
          "item:s colour:s size:s amount:f reference:s"),
    _kind("spending", "online_order", 4, (8, 20), (10, 25), "home", "",
          "item:s payee:s amount:f reference:s due:s"),
    _kind("spending", "bill", 2, (8, 20), (10, 20), "home", "",
          "utility:s payee:s amount:f reference:s due:s"),
    _kind("spending", "takeaway", 3, (18, 20), (30, 60), "home", "family friend 0 1",
          "dish:s payee:s amount:f wait_minutes:i", "food"),
    _kind("spending", "subscription", 1, (8, 20), (5, 15), "home", "",
          "title:s payee:s amount:f next_date:s"),
    _kind("spending", "lunch", 4, (12, 13), (20, 45), "lunch_bar", "work 0 2",
          "dish:s amount:f", "food"),
    _kind("learning", "language_lesson", 4, (8, 20), (25, 60), "home", "",
          "language:s unit:i words:i score:i topic:s"),
    _kind("learning", "course_module", 3, (9, 20), (40, 90), "home work", "",
          "title:s module:i score:i platform:s"),
    _kind("learning", "book", 5, (7, 20), (25, 80), "home cafe", "",
          "title:s author:s from_page:i to_page:i"),
    _kind("learning", "podcast", 4, (7, 19), (25, 60), "", "",
          "title:s episode:i topic:s guest:s"),
    _kind("learning", "lecture", 1, (17, 19), (60, 100), "venue library", "friend 0 1",
          "title:s speaker:s seats:i amount:f"),
    _kind("learning", "library", 2, (10, 18), (20, 50), "library", "",
          "title:s author:s due:s shelf:s"),
    _kind("creative_work", "painting", 3, (9, 19), (45, 150), "home studio", "",
          "title:s medium:s width_cm:i height_cm:i"),
    _kind("creative_work", "music_practice", 4, (8, 20), (25, 75), "home", "friend 0 1",
          "instrument:s title:s tempo:i", "arms"),
    _kind("creative_work", "writing", 3, (7, 20), (30, 100), "home cafe", "",
          "title:s words:i chapter:i"),
    _kind("creative_work", "photo_walk", 3, (8, 18), (40, 120), "park quarter", "friend 0 1",
          "subject:s shots:i kept:i lens:s", "outdoor"),
    _kind("creative_work", "craft", 2, (9, 19), (45, 150), "home", "",
          "item:s material:s colour:s piece:i"),
    _kind("creative_work", "new_recipe", 3, (17, 19), (45, 100), "home", "family friend 0 2",
          "dish:s ingredient:s servings:i rating:i", "food"),
    _kind("household", "cleaning", 5, (8, 19), (25, 90), "home", "",
          "room:s chore:s found:s"),
    _kind("household", "laundry", 4, (7, 20), (15, 40), "home", "",
          "loads:i programme:s temperature:i"),
    _kind("household", "repair", 2, (9, 18), (30, 120), "home", "neighbour 0 1",
          "item:s fault:s part:s amount:f payee:s"),
    _kind("household", "garden", 3, (8, 18), (25, 90), "home", "family neighbour 0 1",
          "plant:s number:i spot:s", "outdoor heavy"),
    _kind("household", "cooking", 6, (17, 19), (30, 70), "home", "family 0 1",
          "dish:s servings:i ingredient:s", "food"),
    _kind("household", "paperwork", 3, (8, 20), (20, 70), "home", "",
          "paper:s folder:s pages:i"),
    _kind("household", "plants_or_pet", 3, (7, 20), (15, 40), "home", "",
          "name:s care:s number:i"),
    _kind("household", "tradesperson", 1, (9, 16), (45, 120), "home", "service 1 1",
          "item:s fault:s amount:f payee:s reference:s"),
    _kind("communication", "phone_call", 5, (9, 20), (8, 45), "", "family friend service 1 1",
          "topic:s news:s agreed:s"),
    _kind("communication", "messages", 8, (7, 20), (5, 20), "", "friend family work neighbour 1 1",
          "topic:s messages:i agreed:s"),
    _kind("communication", "mail", 6, (8, 20), (8, 25), "work home",
          "work friend family service 1 1", "subject:s topic:s agreed:s due:s"),
    _kind("communication", "video_call", 2, (17, 20), (25, 80), "home", "family friend 1 3",
          "topic:s news:s agreed:s"),
    _kind("communication", "postcard", 1, (9, 19), (15, 30), "home", "family friend 1 1",
          "motif:s topic:s amount:f payee:s"),
    _kind("communication", "group_chat", 3, (8, 20), (5, 25), "", "friend family 2 5",
          "group:s topic:s messages:i agreed:s"),
    _kind("travel", "day_trip", 3, (8, 10), (240, 420), "sight", "friend family 0 2",
          "destination:s transport:s amount:f payee:s sight:s", "outdoor"),
    _kind("travel", "car_trip", 2, (8, 11), (180, 360), "sight", "friend family 0 2",
          "destination:s distance_km:f litres:f amount:f payee:s", "car"),
    _kind("travel", "hike", 2, (8, 10), (150, 360), "trail", "friend 0 2",
          "route:s distance_km:f climb_m:i", "outdoor legs"),
    _kind("travel", "train_booking", 2, (8, 20), (10, 25), "home", "",
          "destination:s reference:s amount:f payee:s carriage:i seat:s due:s"),
    _kind("travel", "museum", 2, (10, 16), (75, 150), "museum", "friend family 0 2",
          "title:s amount:f room:i favourite:s"),
    _kind("travel", "new_quarter", 3, (10, 18), (40, 120), "quarter", "friend 0 1",
          "find:s street:s tried:s rating:i", "outdoor"),
    _kind("travel", "first_visit", 3, (10, 19), (40, 90), "new_place", "friend family 0 2",
          "tried:s amount:f rating:i", "food"),
    _kind("worry_and_health", "doctor_visit", 2, (8, 16), (30, 75), "practice", "doctor 1 1",
          "complaint:s medicine:s dose_mg:i next_date:s"),
    _kind("worry_and_health", "symptom", 3, (8, 20), (20, 120), "home work", "",
          "complaint:s severity:i remedy:s"),
    _kind("worry_and_health", "bad_night", 3, (6, 8), (10, 25), "home", "",
          "cause:s slept_hours:f woke_at:s"),
    _kind("worry_and_health", "worry", 4, (8, 20), (15, 50), "home", "friend family 0 1",
          "topic:s level:i plan:s"),
    _kind("worry_and_health", "meditation", 2, (7, 20), (10, 30), "home", "",
          "title:s breaths:i"),
    _kind("worry_and_health", "pharmacy", 2, (9, 18), (10, 25), "pharmacy", "",
          "item:s amount:f packs:i reference:s"),
    _kind("worry_and_health", "measurement", 2, (7, 20), (5, 15), "home", "",
          "systolic:i diastolic:i pulse:i"),
    _kind("helping", "neighbour_help", 3, (9, 19), (20, 90), "neighbour_home", "neighbour 1 1",
          "task:s thanks:s"),
    _kind("helping", "volunteering", 2, (9, 17), (90, 180), "charity", "friend 0 1",
          "organisation:s duty:s served:i"),
    _kind("helping", "lending", 2, (9, 20), (10, 25), "home", "friend neighbour work 1 1",
          "item:s due:s"),
    _kind("helping", "donation", 2, (8, 20), (5, 15), "home", "",
          "payee:s amount:f reference:s cause:s"),
    _kind("helping", "babysitting", 1, (16, 19), (90, 200), "friend_home", "friend family 1 1",
          "child:s game:s asleep_at:s"),
    _kind("helping", "tutoring", 2, (16, 19), (40, 80), "home library",
          "neighbour friend family 1 1", "topic:s exercises:i correct:i"),
    _kind("helping", "carrying", 1, (9, 17), (60, 180), "friend_home", "friend 1 1",
          "item:s boxes:i floor:i", "heavy legs arms"),
    _kind("helping", "advice", 3, (8, 20), (15, 50), "", "friend family work 1 1",
          "topic:s advice:s"),
    _kind("worry_and_health", "life_injury", 0, (8, 17), (120, 240), "clinic", "",
          "body_part:s cause:s weeks:i reference:s"),
    _kind("household", "life_move", 0, (8, 9), (300, 480), "", "friend 1 3",
          "old_address:s new_address:s boxes:i floor:i payee:s amount:f"),
    _kind("work_planning", "life_job_change", 0, (9, 11), (60, 120), "", "",
          "old_employer:s new_employer:s new_role:s salary:i"),
    _kind("socialising", "life_break_up", 0, (17, 20), (60, 150), "home", "partner 1 1",
          "reason:s keeps:s"),
    _kind("worry_and_health", "life_new_allergy", 0, (9, 15), (45, 90), "clinic", "doctor 1 1",
          "allergen:s reaction:s dish:s reference:s"),
    _kind("spending", "life_car_sold", 0, (10, 16), (45, 90), "", "",
          "car:s plate:s price:i buyer:s"),
    _kind("worry_and_health", "life_new_medicine", 0, (9, 15), (30, 60), "practice", "doctor 1 1",
          "medicine:s dose_mg:i weeks:i reason:s"),
)  # fmt: skip

KINDS: Mapping[str, Kind] = MappingProxyType({kind.name: kind for kind in _ROWS})


def kinds_of(category: Category) -> tuple[Kind, ...]:
    """The everyday kinds of a category, in the order of the table."""
    return tuple(kind for kind in _ROWS if kind.category == category and kind.weight > 0)
