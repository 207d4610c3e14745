"""The facts of events outside the home: company, sport and travel."""

from __future__ import annotations

from collections.abc import Mapping

from deskgym.tasks.made import names, words, words_food
from deskgym.tasks.made.scene import FactMaker, Facts, Scene


def _dinner(s: Scene) -> Facts:
    return {"dish": s.dish(), "amount": s.money(17, 58), "topic": words.topic(s.chance)}


def _coffee(s: Scene) -> Facts:
    favourite = s.chance.random() < 0.4
    drink = s.person.tastes["drink"] if favourite else s.pick(words_food.DRINKS)
    return {"drink": drink, "amount": s.money(3.2, 11), "topic": words.topic(s.chance)}


def _party(s: Scene) -> Facts:
    return {
        "occasion": s.pick(words.OCCASIONS),
        "gift": s.pick(words.GIFTS),
        "amount": s.money(9, 45),
        "guests": s.between(8, 40),
        "payee": f"{s.surname()} Gifts",
    }


def _board_games(s: Scene) -> Facts:
    mine = s.chance.random() < 0.4
    winner = s.chance.choice([s.person.first_name, *(c.name.split()[0] for c in s.people)])
    title = s.person.tastes["game"] if mine else s.pick(words.GAMES)
    return {"title": title, "winner": winner, "rounds": s.between(2, 7)}


def _film(s: Scene) -> Facts:
    return {
        "title": s.title(),
        "amount": s.money(8, 16),
        "rating": s.rating(),
        "screen": s.between(1, 9),
        "seat": _seat(s),
    }


def _family_visit(s: Scene) -> Facts:
    return {"dish": s.dish(), "topic": words.topic(s.chance), "brought": s.pick(words.GIFTS)}


def _drinks(s: Scene) -> Facts:
    rounds = s.between(2, 4)
    return {
        "drink": s.bar_drink(),
        "amount": s.money(4.2 * rounds, 7.5 * rounds),
        "rounds": rounds,
        "topic": words.topic(s.chance),
    }


def _concert(s: Scene) -> Facts:
    band = s.chance.choice((f"The {s.surname()} Quartet", f"{s.surname()} Parade", s.full_name()))
    return {"band": band, "amount": s.money(18, 65), "seat": _seat(s), "rating": s.rating()}


def _run(s: Scene) -> Facts:
    pace = s.chance.uniform(5.0, 7.2) + (0 if s.good else 0.5)
    distance = round(s.minutes / pace, 1)
    seconds = round(s.minutes * 60 / distance)
    s.move("runs", 1)
    return {
        "route": _route(s),
        "distance_km": distance,
        "pace": f"{seconds // 60}:{seconds % 60:02d}",
        "heart_rate": s.between(132, 174),
    }


def _gym(s: Scene) -> Facts:
    stronger = s.at("gym") // 8
    s.move("gym", 1)
    return {
        "exercise": s.pick(words.EXERCISES),
        "weight_kg": s.between(16, 60) + 2 * stronger,
        "sets": s.between(3, 6),
        "reps": s.between(5, 14),
    }


def _swim(s: Scene) -> Facts:
    lengths = 2 * s.between(10, 38)
    return {
        "lengths": lengths,
        "distance_km": round(lengths * 0.025, 2),
        "amount": s.money(3.5, 7.5),
        "lane": s.between(1, 8),
    }


def _cycle(s: Scene) -> Facts:
    return {
        "route": _route(s),
        "distance_km": round(s.minutes / 60 * s.chance.uniform(15, 24), 1),
        "climb_m": s.between(20, 640),
    }


def _class(s: Scene) -> Facts:
    return {
        "title": s.pick(words.CLASSES),
        "teacher": s.full_name(),
        "amount": s.money(8, 18),
        "places_left": s.between(0, 9),
    }


def _walk(s: Scene) -> Facts:
    distance = round(s.minutes / 60 * s.chance.uniform(3.8, 5.6), 1)
    return {
        "route": _route(s),
        "distance_km": distance,
        "steps": round(distance * s.chance.uniform(1280, 1450)),
    }


def _stretching(s: Scene) -> Facts:
    return {"title": s.pick(words.CALMING), "rounds": s.between(2, 9)}


def _day_trip(s: Scene) -> Facts:
    transport = s.pick(words.TRANSPORT)
    return {
        "destination": _destination(s),
        "transport": transport,
        "amount": s.money(9, 42),
        "payee": f"{s.surname()} {transport.title()}s",
        "sight": s.pick(words.SIGHTS),
    }


def _car_trip(s: Scene) -> Facts:
    litres = round(s.chance.uniform(14, 46), 1)
    return {
        "destination": _destination(s),
        "distance_km": round(s.chance.uniform(38, 260), 1),
        "litres": litres,
        "amount": round(litres * s.chance.uniform(1.62, 1.89), 2),
        "payee": f"{s.surname()} Fuel",
    }


def _hike(s: Scene) -> Facts:
    return {
        "route": s.where.name if s.where else _route(s),
        "distance_km": round(s.minutes / 60 * s.chance.uniform(2.8, 4.2), 1),
        "climb_m": s.between(120, 980),
    }


def _train_booking(s: Scene) -> Facts:
    return {
        "destination": names.town(s.seed, s.chance),
        "reference": s.code(),
        "amount": s.money(12, 88),
        "payee": f"{s.surname()} Rail",
        "carriage": s.between(1, 12),
        "seat": _seat(s),
        "due": s.later(5, 40),
    }


def _museum(s: Scene) -> Facts:
    return {
        "title": s.title(),
        "amount": s.money(5, 16),
        "room": s.between(1, 24),
        "favourite": f"{s.pick(words.MEDIA)} of {s.pick(words.SUBJECTS)}",
    }


def _new_quarter(s: Scene) -> Facts:
    return {
        "find": s.pick(words.QUARTER_FINDS),
        "street": names.street(s.seed, s.chance),
        "tried": s.food(words.SNACKS),
        "rating": s.rating(),
    }


def _first_visit(s: Scene) -> Facts:
    return {"tried": s.dish(), "amount": s.money(5, 34), "rating": s.rating()}


def _seat(s: Scene) -> str:
    return f"{s.between(1, 24)}{s.pick(('A', 'B', 'C', 'D', 'E', 'F'))}"


def _route(s: Scene) -> str:
    """A round by way of two streets or, now and then, the usual one."""
    if s.chance.random() < 0.3:
        return f"the usual round by {names.street(s.seed, s.serial('usual round', 0))}"
    return f"by {names.street(s.seed, s.chance)} and {names.street(s.seed, s.chance)}"


def _destination(s: Scene) -> str:
    return s.where.city if s.where else names.town(s.seed, s.chance)


FACTS: Mapping[str, FactMaker] = {
    "dinner_out": _dinner,
    "coffee": _coffee,
    "party": _party,
    "board_games": _board_games,
    "film": _film,
    "family_visit": _family_visit,
    "drinks": _drinks,
    "concert": _concert,
    "date_evening": _dinner,
    "run": _run,
    "gym": _gym,
    "swim": _swim,
    "cycle": _cycle,
    "class": _class,
    "walk": _walk,
    "stretching": _stretching,
    "day_trip": _day_trip,
    "car_trip": _car_trip,
    "hike": _hike,
    "train_booking": _train_booking,
    "museum": _museum,
    "new_quarter": _new_quarter,
    "first_visit": _first_visit,
}
