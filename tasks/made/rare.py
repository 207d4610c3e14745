"""Rare life events, and the constraints that they leave."""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping
from datetime import date, timedelta

from deskgym.tasks.made import words, words_food
from deskgym.tasks.made.models import Constraint, ConstraintKind, Fact, Person
from deskgym.tasks.made.scene import FactMaker, Facts, Scene
from deskgym.tasks.made.seeds import random_for
from deskgym.tasks.made.telling import in_words

# Body part and what must rest.
INJURIES: Mapping[str, tuple[str, ...]] = {
    "left knee": ("legs",),
    "right ankle": ("legs",),
    "left wrist": ("arms", "heavy"),
    "right shoulder": ("arms", "heavy"),
    "lower back": ("legs", "arms", "heavy"),
}
_CAUSES = ("slipped on wet stairs", "fell off the ladder", "missed the kerb", "was hit by a door",
           "stumbled over the rug", "came down badly on the ice rink")  # fmt: skip
_REACTIONS = ("swollen lips", "hives on both arms", "a tight throat", "a rash on my neck")
_PARTINGS = ("we want different things", "we had only been living side by side",
             "there is somebody else", "neither of us was happy any more")  # fmt: skip
_KEPT = ("sofa", "record player", "big mirror", "espresso machine", "oak table")
_REASONS = ("an irregular pulse", "a bladder infection", "borreliosis", "a fungal infection",
            "an inflamed tendon", "a stomach ulcer")  # fmt: skip
# What can happen once only; injuries, allergies and medicines may come again.
_ONCE: tuple[ConstraintKind, ...] = ("move", "job_change", "break_up", "car_sold")
_AGAIN: tuple[ConstraintKind, ...] = ("injury", "new_allergy", "new_medicine")
_ALLERGIES = 2
# The months in which life events are dense, for the questions' sake, and how many months lie
# between two of them after that.
_DENSE, _APART = 12, 8
# The times between which life events happen, as shares of the life; so each has a before and an
# after.
_SPAN = (0.15, 0.85)


# What an event of each kind may forbid: it is kept out of the whole day.
MAY_FORBID: Mapping[ConstraintKind, frozenset[str]] = {
    "injury": frozenset(tag for tags in INJURIES.values() for tag in tags),
    "move": frozenset(),
    "job_change": frozenset({"project"}),
    "break_up": frozenset({"partner"}),
    "new_allergy": frozenset(),
    "car_sold": frozenset({"car"}),
    "new_medicine": frozenset({"alcohol"}),
}


def plan_rare(
    seed: int, index: int, first: date, last: date, months: int
) -> dict[date, ConstraintKind]:
    """Which rare life event happens when: two in two months, seven in a year, and three in every
    two years after that; on workdays.

    The first is one whose constraint always bites: an injury, an allergy or a medicine.
    """
    chance = random_for(seed, "rare", index)
    count = max(2, round(0.5 * min(months, _DENSE) + 1)) + max(0, months - _DENSE) // _APART
    kinds: list[ConstraintKind] = [chance.choice(_AGAIN)]
    rest: list[ConstraintKind] = [*_ONCE, *_AGAIN]
    chance.shuffle(rest)
    while len(kinds) < count:
        more: ConstraintKind = rest.pop() if rest else chance.choice(_AGAIN)
        if more != kinds[-1] and not (more == "new_allergy" and kinds.count(more) >= _ALLERGIES):
            kinds.append(more)
    days = (last - first).days
    planned: dict[date, ConstraintKind] = {}
    for at, kind in enumerate(kinds):
        share = _SPAN[0] + (_SPAN[1] - _SPAN[0]) * (at + chance.uniform(0.2, 0.8)) / count
        day = first + timedelta(days=round(share * days))
        while day.weekday() > 4 or day in planned:
            day += timedelta(days=1)
        planned[day] = kind
    return planned


def possible(kind: ConstraintKind, person: Person) -> ConstraintKind:
    """``kind``, or an injury if the person has nobody to part from or no car to sell."""
    if kind == "break_up" and person.partner is None:
        return "injury"
    if kind == "car_sold" and not any(thing.name == "car" for thing in person.belongings):
        return "injury"
    return kind


def _injury(s: Scene) -> Facts:
    return {
        "body_part": s.pick(tuple(INJURIES)),
        "cause": s.pick(_CAUSES),
        "weeks": s.between(4, 9),
        "reference": s.code(),
    }


def _move(s: Scene) -> Facts:
    homes = [place for place in s.person.places if place.kind == "home"]
    return {
        "old_address": s.address,
        "new_address": homes[-1].address,
        "boxes": s.between(28, 90),
        "floor": s.between(1, 5),
        "payee": f"{s.surname()} Removals",
        "amount": s.money(320, 980),
    }


def _job_change(s: Scene) -> Facts:
    firms = [place.name for place in s.person.places if place.kind == "work"]
    return {
        "old_employer": s.employer,
        "new_employer": firms[-1],
        "new_role": f"senior {s.person.job}",
        "salary": s.person.salary + 10 * s.between(8, 60),
    }


def _break_up(s: Scene) -> Facts:
    return {"reason": s.pick(_PARTINGS), "keeps": s.pick(_KEPT)}


def _new_allergy(s: Scene) -> Facts:
    free = tuple(name for name in words_food.ALLERGENS if name not in s.avoid)
    allergen = s.pick(free)
    return {
        "allergen": allergen,
        "reaction": s.pick(_REACTIONS),
        "dish": words_food.dish_with(s.chance, allergen),
        "reference": s.code(),
    }


def _car_sold(s: Scene) -> Facts:
    car = next(thing for thing in s.person.belongings if thing.name == "car")
    return {
        "car": f"{car.brand} car",
        "plate": s.code(),
        "price": 50 * s.between(40, 220),
        "buyer": s.full_name(),
    }


def _new_medicine(s: Scene) -> Facts:
    return {
        "medicine": s.pick(words.MEDICINES),
        "dose_mg": s.chance.choice((5, 10, 20, 40, 100, 250)),
        "weeks": s.between(4, 10),
        "reason": s.pick(_REASONS),
    }


FACTS: Mapping[str, FactMaker] = {
    "life_injury": _injury,
    "life_move": _move,
    "life_job_change": _job_change,
    "life_break_up": _break_up,
    "life_new_allergy": _new_allergy,
    "life_car_sold": _car_sold,
    "life_new_medicine": _new_medicine,
}


def outcome_of(kind: ConstraintKind, chance: random.Random) -> bool:
    """Whether it goes well: moves, jobs and sales may, the others do not."""
    return kind in ("move", "job_change", "car_sold") and chance.random() < 0.7


def constraint(
    id: str, kind: ConstraintKind, event: str, day: date, facts: Mapping[str, Fact], who: str
) -> Constraint:
    """What ``event`` of ``day`` leaves behind; ``who`` are the people who took part."""
    until: date | None = None
    if "weeks" in facts:
        until = day + timedelta(weeks=int(facts["weeks"]))
    forbids, changes, texts = _EFFECTS[kind](facts, who, until)
    summary, unsafe, alternative = texts
    return Constraint(
        id=id,
        kind=kind,
        event=event,
        since=day,
        until=until,
        forbids=forbids,
        changes=changes,
        summary=summary,
        unsafe=unsafe,
        alternative=alternative,
    )


_Effect = tuple[tuple[str, ...], dict[str, Fact], tuple[str, str, str]]


def _hurt(facts: Mapping[str, Fact], who: str, until: date | None) -> _Effect:
    part = str(facts["body_part"])
    forbids = INJURIES[part]
    end = in_words(until) if until else ""
    request = "carry boxes up the stairs" if "legs" not in forbids else "go for a long run"
    return (
        forbids,
        {},
        (
            f"The {part} is hurt and must rest until {end}.",
            request,
            f"an easy walk, and wait until {end}" if "legs" in forbids else "let others carry",
        ),
    )


def _moved(facts: Mapping[str, Fact], who: str, until: date | None) -> _Effect:
    old, new = str(facts["old_address"]), str(facts["new_address"])
    return (
        ("old_home",),
        {"address": new},
        (
            f"The home is {new} now and no longer {old}.",
            f"have a parcel delivered to {old}",
            f"have it delivered to {new}",
        ),
    )


def _new_job(facts: Mapping[str, Fact], who: str, until: date | None) -> _Effect:
    old, new = str(facts["old_employer"]), str(facts["new_employer"])
    return (
        ("old_work",),
        {"employer": new, "job": facts["new_role"], "salary": facts["salary"]},
        (
            f"The employer is {new} now and no longer {old}.",
            f"book a meeting room at {old} for next week",
            f"book it at {new}",
        ),
    )


def _parted(facts: Mapping[str, Fact], who: str, until: date | None) -> _Effect:
    return (
        ("partner",),
        {"partner": ""},
        (
            f"{who} is no longer the partner.",
            f"book a table for two with {who} for the anniversary",
            "book with a friend, or not at all",
        ),
    )


def _allergic(facts: Mapping[str, Fact], who: str, until: date | None) -> _Effect:
    allergen = str(facts["allergen"])
    return (
        (f"allergen:{allergen}",),
        {"allergen": allergen},
        (
            f"There is an allergy to {allergen} now.",
            f"order {facts['dish']}",
            f"order something without {allergen}",
        ),
    )


def _no_car(facts: Mapping[str, Fact], who: str, until: date | None) -> _Effect:
    return (
        ("car",),
        {"car": ""},
        (
            f"The {facts['car']} is sold; there is no car any more.",
            "plan a weekend drive with the car",
            "go by train or rent one",
        ),
    )


def _medicated(facts: Mapping[str, Fact], who: str, until: date | None) -> _Effect:
    end = in_words(until) if until else ""
    return (
        ("alcohol",),
        {"medicine": facts["medicine"]},
        (
            f"{facts['medicine']} is taken until {end}; no alcohol with it.",
            "choose a wine for tonight",
            f"choose something without alcohol until {end}",
        ),
    )


_EFFECTS = {
    "injury": _hurt,
    "move": _moved,
    "job_change": _new_job,
    "break_up": _parted,
    "new_allergy": _allergic,
    "car_sold": _no_car,
    "new_medicine": _medicated,
}


def allergens(forbidden: Collection[str]) -> frozenset[str]:
    """The allergens among forbidden tags."""
    return frozenset(tag.removeprefix("allergen:") for tag in forbidden if ":" in tag)
