"""The facts of events at home and in shops: money, learning, making things, the household."""

from __future__ import annotations

from collections.abc import Mapping

from deskgym.tasks.made import names, words, words_food
from deskgym.tasks.made.scene import FactMaker, Facts, Scene


def _groceries(s: Scene) -> Facts:
    count = s.between(4, 38)
    return {
        "amount": s.money(2.1 * count, 3.6 * count),
        "items": count,
        "item": s.food(words_food.GOODS),
        "reference": s.code(),
    }


def _market(s: Scene) -> Facts:
    return {
        "item": s.food(words_food.STALL_GOODS),
        "stall": f"{s.surname()}'s stall",
        "amount": s.money(3, 26),
    }


def _clothes(s: Scene) -> Facts:
    return {
        "item": s.pick(words.CLOTHES),
        "colour": s.pick(words.COLOURS),
        "size": s.pick(("S", "M", "L", "38", "40", "42", "44")),
        "amount": s.money(18, 140),
        "reference": s.code(),
    }


def _online_order(s: Scene) -> Facts:
    return {
        "item": s.pick(words.ONLINE_GOODS),
        "payee": f"{s.surname()} {s.pick(('Direct', 'Online', 'Mail Order', 'Depot'))}",
        "amount": s.money(8, 58),
        "reference": s.code(),
        "due": s.later(2, 9),
    }


def _bill(s: Scene) -> Facts:
    # One after another: nobody is billed for water twice in three weeks.
    first = s.serial("utilities", 0).randrange(len(words.UTILITIES))
    utility = words.UTILITIES[(first + s.at("bills")) % len(words.UTILITIES)]
    s.move("bills", 1)
    return {
        "utility": utility,
        "payee": f"{names.surname(s.seed, s.serial(utility, 0))} {utility.title()}",
        "amount": s.money(24, 180),
        "reference": s.code(),
        "due": s.later(4, 20),
    }


def _takeaway(s: Scene) -> Facts:
    return {
        "dish": s.dish(),
        "payee": f"{s.surname()} to Go",
        "amount": s.money(11, 46),
        "wait_minutes": s.between(15, 35) if s.good else s.between(40, 95),
    }


def _subscription(s: Scene) -> Facts:
    title = s.pick(words.SERVICES)
    return {
        "title": title,
        "payee": f"{names.surname(s.seed, s.serial(title, 0))} {title.title()}",
        "amount": s.money(3, 24),
        "next_date": s.later(26, 34),
    }


def _lunch(s: Scene) -> Facts:
    return {"dish": s.dish(), "amount": s.money(6, 16)}


def _language_lesson(s: Scene) -> Facts:
    s.move("lessons", 1)
    return {
        "language": s.person.tastes["language"],
        "unit": 1 + s.at("lessons"),
        "words": s.between(8, 45),
        "score": s.percent(),
        "topic": s.pick(words.LANGUAGE_TOPICS),
    }


def _course_module(s: Scene) -> Facts:
    course, module = divmod(s.at("modules"), 12)
    s.move("modules", 1)
    chance = s.serial("course", course)
    return {
        "title": chance.choice(words.COURSES),
        "module": module + 1,
        "score": s.percent(),
        "platform": f"{names.surname(s.seed, chance)} Academy",
    }


def _book(s: Scene) -> Facts:
    number, page = s.at("books"), s.at("page")
    chance = s.serial("book", number)
    title, last = names.title(chance), chance.randrange(180, 460)
    author = f"{names.first_name(chance.choice('fm'), chance)} {names.surname(s.seed, chance)}"
    to = min(last, page + max(8, round(s.minutes * s.chance.uniform(0.5, 0.9))))
    if to == last:
        s.move("books", 1)
        s.move("page", -page)
    else:
        s.move("page", to - page)
    return {"title": title, "author": author, "from_page": page + 1, "to_page": to}


def _podcast(s: Scene) -> Facts:
    return {
        "title": s.title(),
        "episode": s.between(3, 240),
        "topic": s.pick(words.PODCAST_TOPICS),
        "guest": s.full_name(),
    }


def _lecture(s: Scene) -> Facts:
    return {
        "title": f"{s.pick(words.PODCAST_TOPICS).capitalize()}: {s.title()}",
        "speaker": s.full_name(),
        "seats": s.between(40, 320),
        "amount": s.money(4, 15),
    }


def _library(s: Scene) -> Facts:
    return {
        "title": s.title(),
        "author": s.full_name(),
        "due": s.later(20, 30),
        "shelf": f"{s.pick(('A', 'B', 'C', 'D', 'E'))}{s.between(1, 48)}",
    }


def _painting(s: Scene) -> Facts:
    mine = s.chance.random() < 0.5
    s.move("pictures", 1)
    return {
        "title": s.title(),
        "medium": s.person.tastes["medium"] if mine else s.pick(words.MEDIA),
        "width_cm": 5 * s.between(3, 20),
        "height_cm": 5 * s.between(3, 20),
    }


def _music_practice(s: Scene) -> Facts:
    piece = s.at("practice") // 5
    s.move("practice", 1)
    return {
        "instrument": s.person.tastes["instrument"],
        "title": names.title(s.serial("piece", piece)),
        "tempo": 2 * s.between(28, 70),
    }


def _writing(s: Scene) -> Facts:
    story, chapter = divmod(s.at("chapters"), 14)
    s.move("chapters", 1)
    return {
        "title": names.title(s.serial("story", story)),
        "words": s.between(420, 1600) if s.good else s.between(40, 380),
        "chapter": chapter + 1,
    }


def _photo_walk(s: Scene) -> Facts:
    shots = s.between(24, 260)
    return {
        "subject": s.pick(words.SUBJECTS),
        "shots": shots,
        "kept": s.between(2, max(3, shots // 6)),
        "lens": s.pick(("24 mm", "35 mm", "50 mm", "85 mm", "macro")),
    }


def _craft(s: Scene) -> Facts:
    item, material = s.chance.choice(words.CRAFTS)
    s.move("pieces", 1)
    return {
        "item": item,
        "material": material,
        "colour": s.pick(words.COLOURS),
        "piece": 1 + s.at("pieces"),
    }


def _new_recipe(s: Scene) -> Facts:
    return {
        "dish": s.dish(),
        "ingredient": s.ingredient(),
        "servings": s.between(2, 8),
        "rating": s.rating(),
    }


def _cleaning(s: Scene) -> Facts:
    return {
        "room": s.pick(words.ROOMS),
        "chore": s.pick(words.CHORES),
        "found": s.pick(words.FINDS),
    }


def _laundry(s: Scene) -> Facts:
    return {
        "loads": s.between(2, 3),
        "programme": s.pick(("cotton", "wool", "easy care", "short wash", "sports wear")),
        "temperature": s.chance.choice((30, 40, 60, 90)),
    }


def _repair(s: Scene) -> Facts:
    item, fault, part = s.chance.choice(words.REPAIRS)
    return {
        "item": item,
        "fault": fault,
        "part": part,
        "amount": s.money(3, 48),
        "payee": f"{s.surname()} Hardware",
    }


def _garden(s: Scene) -> Facts:
    return {
        "plant": s.pick(words.PLANTS),
        "number": s.between(2, 40),
        "spot": s.pick(words.SPOTS),
    }


def _cooking(s: Scene) -> Facts:
    favourite, dish = s.person.tastes["dish"], s.dish()
    if s.chance.random() < 0.25 and not words_food.holds(favourite) & s.avoid:
        dish = favourite
    return {"dish": dish, "servings": s.between(2, 6), "ingredient": s.ingredient()}


def _paperwork(s: Scene) -> Facts:
    return {
        "paper": s.pick(words.PAPERS),
        "folder": s.pick(words.FOLDERS),
        "pages": s.between(2, 34),
    }


def _plants_or_pet(s: Scene) -> Facts:
    pets = [pet.name for pet in s.person.pets]
    name = s.chance.choice(pets or ["the monstera", "the ficus", "the orchid"])
    care = s.pick(words.PET_CARE if pets else words.PLANT_CARE)
    return {"name": name, "care": care, "number": s.between(2, 12)}


def _tradesperson(s: Scene) -> Facts:
    item, fault, _ = s.chance.choice(words.REPAIRS)
    firm = s.people[0].company if s.people and s.people[0].company else f"{s.surname()} Repairs"
    return {
        "item": item,
        "fault": fault,
        "amount": s.money(65, 390),
        "payee": firm,
        "reference": s.code(),
    }


FACTS: Mapping[str, FactMaker] = {
    "groceries": _groceries,
    "market": _market,
    "clothes": _clothes,
    "online_order": _online_order,
    "bill": _bill,
    "takeaway": _takeaway,
    "subscription": _subscription,
    "lunch": _lunch,
    "language_lesson": _language_lesson,
    "course_module": _course_module,
    "book": _book,
    "podcast": _podcast,
    "lecture": _lecture,
    "library": _library,
    "painting": _painting,
    "music_practice": _music_practice,
    "writing": _writing,
    "photo_walk": _photo_walk,
    "craft": _craft,
    "new_recipe": _new_recipe,
    "cleaning": _cleaning,
    "laundry": _laundry,
    "repair": _repair,
    "garden": _garden,
    "cooking": _cooking,
    "paperwork": _paperwork,
    "plants_or_pet": _plants_or_pet,
    "tradesperson": _tradesperson,
}
