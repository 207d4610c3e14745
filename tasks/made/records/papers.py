"""Papers: reports, letters, receipts and saved pages."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta

from deskgym.tasks.made.models import Event
from deskgym.tasks.made.records.advice import ADVICE
from deskgym.tasks.made.records.dates import long_day
from deskgym.tasks.made.records.draft import Draft, Fields, Source, stamp
from deskgym.tasks.made.records.prose import WRITTEN_UP, shown_fact, thoughts
from deskgym.tasks.made.records.stock import PAGES, SITES
from deskgym.tasks.made.records.talk import article
from deskgym.tasks.made.records.thoughts import fitting
from deskgym.tasks.made.records.titles import filled, title

_LETTERS = {
    "bill": "Invoice: {utility}",
    "tradesperson": "Invoice: {item}",
    "train_booking": "Ticket to {destination}",
    "life_injury": "Report on your {body_part}",
    "life_move": "Contract of removal",
    "life_job_change": "Contract of employment",
    "life_new_allergy": "Result of your allergy test",
    "life_car_sold": "Contract of sale: {car}",
    "life_new_medicine": "Prescription: {medicine}",
    "donation": "Receipt for your donation",
    "lecture": "Booking: {title}",
}
_SLIPS = {"groceries": 0.55, "clothes": 0.8, "pharmacy": 0.7, "market": 0.3, "dinner_out": 0.35,
          "lunch": 0.15, "coffee": 0.15, "first_visit": 0.4, "takeaway": 0.3}  # fmt: skip
_SAVED_SHARE = 0.85
_GOODS = (
    "Oat flakes", "Rye bread", "Butter", "Eggs, ten", "Apples", "Carrots", "Yoghurt", "Rice",
    "Lentils", "Olive oil", "Onions", "Soap", "Coffee beans", "Tomatoes", "Hard cheese",
    "Paper towels", "Honey", "Spinach", "Mustard", "Tea lights", "Potatoes", "Milk", "Walnuts",
)  # fmt: skip
_CHARGES = ("Water", "Bread basket", "Side salad", "Espresso", "Juice", "Cover", "Olives", "Tea")
_TO_GO = ("Rice", "Bread", "Chutney", "Side salad", "Juice", "Delivery", "Soup, small")
_SWEETS = ("Water", "Biscuit", "Slice of cake", "Juice", "Scone", "Extra milk")
# Where one thing is what the bill is about, the rest beside it is small.
_MAIN = ("dinner_out", "lunch", "takeaway", "first_visit", "clothes")
_BANKS = {
    "takeaway": _TO_GO,
    "coffee": _SWEETS,
    "groceries": _GOODS,
    "market": _GOODS,
    "clothes": ("Socks", "Bag", "Hemming", "Shoe laces", "Hanger", "Wool wash"),
    "pharmacy": ("Tissues", "Lip balm", "Cotton wool", "Plasters", "Bandage", "Mint drops"),
}


def papers(source: Source) -> Iterator[Draft]:
    """All papers of the life."""
    for event in source.life.events:
        if event.kind in WRITTEN_UP:
            yield _report(source, event)
        if event.kind in _LETTERS:
            yield _letter(source, event)
        share = _SLIPS.get(event.kind, 0.0) * (0.5 + source.life.habits.thrifty) * source.thin
        if source.chance("slip?", event.id).random() < share:
            yield _receipt(source, event)
        about = source.chance("about?", event.id).random() < source.thin
        if about and event.kind in ("new_recipe", "hike", "museum", "day_trip", "lecture"):
            yield _saved(source, event)
    day = source.life.first
    while day <= source.life.last:
        if source.chance("saved?", day).random() < _SAVED_SHARE * source.thin * source.leisure:
            yield _article(source, day)
        day += timedelta(days=1)


def _report(source: Source, event: Event) -> Draft:
    chance = source.chance("report", event.id)
    facts = event.facts
    subject = filled(
        source,
        event,
        {
            "deadline": "{deliverable}",
            "presentation": "{title}",
            "budget_check": "Budget of {project}",
        }[event.kind],
    )
    subject = subject.removeprefix("the ")
    subject = subject[0].upper() + subject[1:]
    rows = ["| Point | What we have |"]
    rows += [f"| {name} | {value} |" for name, value in _rows_of(event)]
    steps = chance.sample(ADVICE["work_planning"], 4)
    text = "\n\n".join(
        [
            f"# {subject}",
            f"{source.life.person.full_name}, {long_day(event.start)}",
            "## Summary\n" + event.detail,
            "## Figures and dates\n" + "\n".join(rows),
            "## Background\n" + paragraph(chance, 8),
            paragraph(chance, 7),
            "## What has been done\n"
            + " ".join(chance.sample(fitting(event.category, event.kind), 5)),
            paragraph(chance, 8),
            "## Next steps\n" + "\n".join(f"- {step}" for step in steps),
            "## Remarks\n" + " ".join(thoughts(source, event, chance, 3)),
            paragraph(chance, 8),
        ]
    )
    fields: Fields = {
        "date": f"{event.start:%Y-%m-%d}",
        "title": subject,
        "project": str(facts.get("project", "")),
        "text": text,
    }
    done = event.start + timedelta(minutes=event.minutes)
    return Draft("report", done, event.id, fields)


_PARTS = ("The first part", "The schedule", "The budget", "The comparison", "The second site",
          "The draft", "The list of questions", "The handover", "The survey", "The test",
          "The order of the chapters", "The cooperation with the other team")  # fmt: skip
_STATES = ("is complete and was read by two people", "took longer than foreseen",
           "has been agreed with all who are concerned", "needs another round of comments",
           "is as good as done", "was moved behind the more urgent matters",
           "rests until the missing documents arrive", "follows the same pattern as last year",
           "was shortened without loss", "has been put on a broader footing")  # fmt: skip
_CAUSES = ("because the material came late.", "since the rules had changed.", "as was planned.",
           "and no further cost is expected.", "which nobody has objected to.",
           "so that the next step can begin.", "although not all answers are in.",
           "and the result is on file as usual.", "after a short discussion.")  # fmt: skip


def paragraph(chance: random.Random, count: int) -> str:
    """Office prose that holds nothing that could be asked."""
    parts = chance.sample(_PARTS, count)
    return " ".join(f"{p} {chance.choice(_STATES)} {chance.choice(_CAUSES)}" for p in parts)


def _rows_of(event: Event) -> list[list[str]]:
    """The facts of ``event`` by name, without the person's own remark."""
    facts = event.facts.items()
    return [shown_fact(k, v).split(": ", 1) for k, v in facts if k != "remark"]


def _letter(source: Source, event: Event) -> Draft:
    chance = source.chance("letter", event.id)
    person, facts, place = source.life.person, event.facts, source.place(event)
    sender = str(facts.get("payee") or facts.get("new_employer") or (place and place.name) or "")
    if event.kind == "life_car_sold":
        sender = str(facts["buyer"])
    home = person.place(person.home)
    address = source.address(event.start)
    subject = filled(source, event, _LETTERS[event.kind])
    rows = ["| Item | Entry |", f"| Date | {long_day(event.start)} |"]
    rows += [f"| {name} | {value} |" for name, value in _rows_of(event)]
    text = "\n\n".join(
        [
            f"# {subject}",
            f"{sender}\n{person.full_name}\n{address}\n{home.city}",
            f"Dear {person.full_name},",
            " ".join(chance.sample(_LETTER_LINES, 2)),
            "\n".join(rows),
            " ".join(chance.sample(_LETTER_ENDS, 3)),
            f"Yours faithfully,\n{sender}",
        ]
    )
    fields: Fields = {
        "date": f"{event.start:%Y-%m-%d}",
        "sender": sender,
        "title": subject,
        "text": text,
    }
    when = event.start + timedelta(minutes=event.minutes)
    return Draft("letter", when, event.id, fields)


_LETTER_LINES = (
    "Please find the details below.", "We write to you about the matter named above.",
    "What follows is what we hold on file.", "This paper is for your records.",
    "We thank you for your trust.", "Kindly check that all entries are right.",
)  # fmt: skip
_LETTER_ENDS = (
    "If an entry is wrong, tell us within fourteen days.",
    "Keep this letter; it will not be sent again.",
    "Our general terms apply and may be read at our office.",
    "Questions are answered on working days between nine and four.",
    "No signature is needed for this letter to be valid.",
    "Please name the reference whenever you write to us.",
    "A copy stays with us for ten years.",
)  # fmt: skip


def _receipt(source: Source, event: Event) -> Draft:
    chance = source.chance("receipt", event.id)
    facts, place = event.facts, source.place(event)
    when = event.start + timedelta(minutes=event.minutes)
    cents = round(float(facts["amount"]) * 100)
    first = str(facts.get("item") or facts.get("dish") or facts.get("drink")
                or facts.get("tried") or "Sundries")  # fmt: skip
    first = first[0].upper() + first[1:]
    bank = _BANKS.get(event.kind, _CHARGES)
    most = int(facts.get("items", 3)) if event.kind in ("groceries", "market") else 3
    names = [first, *chance.sample(bank, min(max(most, 2), 8) - 1)]
    names = names[: max(1, min(len(names), cents // 60))]
    shares = [chance.randrange(2, 9) for _ in names]
    if event.kind in _MAIN:
        shares[0] += 5 * sum(shares)
    prices = [max(30, cents * share // sum(shares)) for share in shares]
    prices[0] += cents - sum(prices)
    fields: Fields = {
        "time": stamp(when),
        "shop": str(facts.get("payee") or (place.name if place else "")),
        "number": str(facts.get("reference") or f"{chance.randrange(10**5, 10**6)}"),
        "items": [f"{n}: {p / 100:.2f}" for n, p in zip(names, prices, strict=True)],
        "total": cents / 100,
        "paid_by": chance.choice(("card", "card", "card", "cash")),
    }
    return Draft("receipt", when, event.id, fields)


def _saved(source: Source, event: Event) -> Draft:
    """A page that the person saved before or after an event, because it is about it."""
    chance = source.chance("clipping", event.id)
    when = event.start - timedelta(minutes=chance.randrange(20, 300))
    head = title(source, event, chance)
    if event.kind == "new_recipe":
        head = f"{event.facts['dish']} with {event.facts['ingredient']}"
        head = head[0].upper() + head[1:]
    keep = {"dish", "ingredient", "servings", "route", "distance_km", "climb_m", "title",
            "destination", "sight", "speaker", "transport"}  # fmt: skip
    rows = [shown_fact(k, v) for k, v in event.facts.items() if k in keep]
    parts = [article(chance, 9), "\n".join(rows), *(article(chance, 8) for _ in range(4))]
    return _clipping(when, event.id, chance.choice(SITES), head, parts)


def _article(source: Source, day: date) -> Draft:
    chance = source.chance("article", day)
    when = datetime.combine(day, time(chance.randrange(7, 23), chance.randrange(60)))
    parts = [article(chance, chance.randrange(7, 12)) for _ in range(10)]
    # In an order of the person's own, so that nothing is saved twice for a long time.
    heads = source.chance("heads").sample(PAGES, len(PAGES))
    head = heads[(day - source.life.first).days % len(heads)]
    return _clipping(when, None, chance.choice(SITES), head, parts)


def _clipping(when: datetime, event: str | None, site: str, head: str, parts: list[str]) -> Draft:
    slug = "-".join("".join(c if c.isalnum() else " " for c in head.casefold()).split())
    fields: Fields = {
        "time": stamp(when),
        "url": f"https://{site}/{slug}",
        "title": head,
        "text": "\n\n".join(parts),
    }
    return Draft("clipping", when, event, fields)
