"""Rows that everyday doings leave behind: payments, calendar, diary, workouts, visits, trips."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, time, timedelta

from deskgym.tasks.made.models import Event
from deskgym.tasks.made.records.dates import month
from deskgym.tasks.made.records.draft import Draft, Fields, Source, stamp
from deskgym.tasks.made.records.titles import CALENDAR, LOGGED, filled, title

CARD_CATEGORY = {
    "groceries": "Groceries", "market": "Groceries", "clothes": "Clothing",
    "online_order": "Shopping", "bill": "Utilities", "subscription": "Subscriptions",
    "takeaway": "Eating out", "lunch": "Eating out", "dinner_out": "Eating out",
    "coffee": "Eating out", "drinks": "Eating out", "date_evening": "Eating out",
    "first_visit": "Eating out", "party": "Gifts", "postcard": "Post", "film": "Leisure",
    "concert": "Leisure", "swim": "Sport", "class": "Sport", "lecture": "Learning",
    "repair": "Household", "tradesperson": "Household", "day_trip": "Travel",
    "car_trip": "Fuel", "train_booking": "Travel", "museum": "Leisure", "pharmacy": "Health",
    "donation": "Donations", "life_move": "Household",
}  # fmt: skip
"""The bank's category of what a kind costs."""

WORKOUTS = {
    "run": "Running", "gym": "Strength", "swim": "Swimming", "cycle": "Cycling",
    "class": "Class", "walk": "Walking", "hike": "Hiking", "stretching": "Stretching",
}  # fmt: skip
_BURN = {"run": 11, "gym": 7, "swim": 9, "cycle": 8, "class": 7, "walk": 4, "hike": 6,
         "stretching": 3}  # fmt: skip
_LOCATED = 0.2  # how often the phone knows where it is
_AT_ONCE = {"online_order", "bill", "subscription", "train_booking", "donation", "takeaway"}


def event_rows(source: Source, event: Event) -> Iterator[Draft]:
    """All rows that ``event`` alone decides; payments are made by `payments`."""
    if event.kind in CALENDAR:
        yield _calendar(source, event)
    if event.kind in LOGGED:
        yield _logged(source, event)
    if event.kind in WORKOUTS:
        yield _workout(source, event)
    if event.kind == "measurement":
        fields: Fields = {name: event.facts[name] for name in ("systolic", "diastolic", "pulse")}
        yield Draft("measurement", event.start, event.id, {"time": stamp(event.start), **fields})
    if event.kind in ("online_order", "clothes", "train_booking"):
        yield _order(source, event)
    if event.kind in ("bill", "subscription", "tradesperson", "life_move"):
        yield _bill(event)
    if (
        source.away(event) is not None
        and source.chance("on?", event.id).random() < _LOCATED * source.leisure
    ):
        yield _visit(source, event)
    if event.kind in ("day_trip", "car_trip", "hike", "life_move"):
        yield from _trips(source, event)
    yield from _reminders(source, event)


def _calendar(source: Source, event: Event) -> Draft:
    chance = source.chance("calendar", event.id)
    place = source.place(event)
    notes = [
        "",
        "Bring the papers",
        "Ring before",
        "Confirmed",
        "Leave on time",
        "Ask about parking",
    ]
    return Draft(
        "calendar",
        event.start,
        event.id,
        {
            "title": title(source, event, chance),
            "start": stamp(event.start),
            "end": stamp(event.start + timedelta(minutes=event.minutes)),
            "location": located(place.name, place.address) if place else "",
            "with_names": ", ".join(one.name for one in source.contacts(event)),
            "notes": chance.choice(notes),
        },
    )


def located(inner: str, outer: str) -> str:
    """``inner, outer``; what the first says already is not said twice."""
    return inner if inner.endswith(outer) else f"{inner}, {outer}"


def _logged(source: Source, event: Event) -> Draft:
    activity, detail = (filled(source, event, text) for text in LOGGED[event.kind])
    return Draft(
        "habit_log",
        event.start,
        event.id,
        {
            "time": stamp(event.start),
            "activity": activity,
            "minutes": event.minutes,
            "detail": detail,
            "went": "well" if event.outcome == "positive" else "badly",
        },
    )


def _workout(source: Source, event: Event) -> Draft:
    chance = source.chance("workout", event.id)
    place = source.place(event)
    pulse = event.facts.get("heart_rate") or 80 + 5 * _BURN[event.kind] + chance.randrange(-8, 9)
    # What is told of the place: its name, or the route where it is none.
    where = event.facts.get("route") or (place.name if place else "")
    return Draft(
        "workout",
        event.start,
        event.id,
        {
            "time": stamp(event.start),
            "sport": WORKOUTS[event.kind],
            "minutes": event.minutes,
            "km": event.facts.get("distance_km", 0),
            "kcal": event.minutes * _BURN[event.kind] + chance.randrange(-9, 10),
            "pulse": pulse,
            "place": where,
            "rating": "good" if event.outcome == "positive" else "tough",
        },
    )


def _order(source: Source, event: Event) -> Draft:
    facts = event.facts
    arrives = event.start + timedelta(days=source.chance("order", event.id).randrange(2, 6))
    place = source.place(event)
    item = facts.get("item") or f"Train to {facts['destination']}"
    due = facts.get("due")
    online = event.kind == "online_order"
    return Draft(
        "order",
        event.start,
        event.id,
        {
            "number": facts["reference"],
            "time": stamp(event.start),
            "shop": facts.get("payee") or (place.name if place else ""),
            "item": item,
            "price": facts["amount"],
            "status": ("delivered" if event.outcome == "positive" else "delivered late")
            if online
            else ("booked" if event.kind == "train_booking" else "collected"),
            "arrived": str(due) if due else f"{(arrives if online else event.start):%Y-%m-%d}",
        },
    )


def _bill(event: Event) -> Draft:
    facts = event.facts
    item = facts.get("utility") or facts.get("title") or facts.get("item") or "Removal"
    return Draft(
        "bill",
        event.start,
        event.id,
        {
            "date": f"{event.start:%Y-%m-%d}",
            "supplier": facts["payee"],
            "item": str(item),
            "amount": facts["amount"],
            "reference": str(facts.get("reference", "")),
        },
    )


def _visit(source: Source, event: Event) -> Draft:
    place = source.place(event)
    assert place is not None  # `event_rows` asks for visits away from home only
    chance = source.chance("visit", event.id)
    arrive = event.start + timedelta(minutes=chance.randrange(0, 4))
    return Draft(
        "visit",
        arrive,
        event.id,
        {
            "arrive": stamp(arrive),
            "leave": stamp(event.start + timedelta(minutes=event.minutes)),
            "place": place.name,
            "kind": place.kind,
            "address": located(place.address, place.city),
        },
    )


def _trips(source: Source, event: Event) -> Iterator[Draft]:
    chance = source.chance("trip", event.id)
    person, facts = source.life.person, event.facts
    home, place = person.place(person.home), source.place(event)
    there = str(facts.get("destination") or facts.get("new_address") or (place and place.name))
    mode = str(facts.get("transport") or {"hike": "bus", "life_move": "van"}.get(event.kind, "car"))
    far = (2, 8) if event.kind == "life_move" else (12, 96)
    km = float(facts.get("distance_km", 0)) if event.kind == "car_trip" else chance.randrange(*far)
    lasts = timedelta(minutes=max(20, round(km * 0.9)))
    depart = event.start - lasts
    yield Draft(
        "trip",
        depart,
        event.id,
        {
            "depart": stamp(depart),
            "arrive": stamp(event.start),
            "mode": mode,
            "origin": home.city,
            "destination": there,
            "km": km,
            "reference": f"T{chance.randrange(10**7, 10**8)}",
        },
    )


_REMINDED = 0.25
_LISTS = {
    "meeting": ("Work", "{owner}: {decision}"),
    "deadline": ("Work", "{deliverable}, {pages} pages"),
    "one_to_one": ("Work", "{action}"),
    "online_order": ("Home", "Parcel from {payee}: {item}"),
    "bill": ("Home", "{payee} {reference}"),
    "subscription": ("Home", "{title}: renew or cancel"),
    "library": ("Books", "Return {title}"),
    "mail": ("Work", "{subject}: {agreed}"),
    "train_booking": ("Travel", "Train to {destination}, carriage {carriage}, seat {seat}"),
    "doctor_visit": ("Health", "Back to {with}: {complaint}"),
    "lending": ("Home", "{with} returns {item}"),
}


def _reminders(source: Source, event: Event) -> Iterator[Draft]:
    day = event.facts.get("due") or event.facts.get("next_date")
    chance = source.chance("reminder", event.id)
    if event.kind not in _LISTS or day is None or chance.random() > _REMINDED * source.leisure:
        return
    name, text = _LISTS[event.kind]
    due = datetime.combine(datetime.fromisoformat(str(day)), time(chance.choice((8, 9, 12, 18))))
    late = timedelta(days=0 if event.outcome == "positive" else chance.randrange(1, 4))
    ticked = time(chance.randrange(due.hour, 22), chance.randrange(1, 60))
    done = datetime.combine(due.date() + late, ticked)
    known = done.date() <= source.life.last
    named = filled(source, event, text)
    fields: Fields = {
        "due": stamp(due),
        "title": named[0].upper() + named[1:],
        "list_name": name,
        "done": stamp(done) if known else "",
    }
    yield Draft("reminder", event.start + timedelta(minutes=event.minutes), event.id, fields)


def payments(source: Source) -> Iterator[Draft]:
    """All payments of the life in time order, wages and rent among them, with the balance."""
    life, person = source.life, source.life.person
    chance = source.chance("payments")
    planned: list[tuple[datetime, str, str, float, str, str | None]] = []
    for event in life.events:
        if "amount" in event.facts and event.kind in CARD_CATEGORY:
            wait = 0 if event.kind in _AT_ONCE else event.minutes
            place = source.place(event)
            payee = str(event.facts.get("payee") or (place.name if place else "Cash"))
            amount = -float(event.facts["amount"])
            ref = str(event.facts.get("reference", ""))
            when = event.start + timedelta(minutes=wait)
            planned.append((when, payee, CARD_CATEGORY[event.kind], amount, ref, event.id))
        if event.kind == "life_car_sold":
            buyer, price = str(event.facts["buyer"]), float(event.facts["price"])
            planned.append((event.start, buyer, "Income", price, "car", event.id))
    employer, wage = person.employer, float(person.salary)
    changes = {e.start.date(): e for e in life.events if e.kind == "life_job_change"}
    rent = round(wage * chance.uniform(0.24, 0.33), 0)
    day = life.first
    while day <= life.last:
        if day in changes:
            employer = str(changes[day].facts["new_employer"])
            wage = float(changes[day].facts["salary"])
        if day.day == 1:
            at = datetime.combine(day, time(6, 5))
            planned.append((at, "Rent", "Housing", -rent, f"{month(day)[:3]} rent", None))
        if day.day == 26:
            at = datetime.combine(day, time(7, 30))
            planned.append((at, employer, "Income", wage, f"{month(day)[:3]} pay", None))
        day += timedelta(days=1)
    balance = round(wage * chance.uniform(0.8, 2.4), 2)
    planned.sort(key=lambda one: (one[0], one[5] or ""))
    for number, (when, payee, category, amount, ref, event_id) in enumerate(planned, 1):
        balance = round(balance + amount, 2)
        fields: Fields = {
            "time": stamp(when),
            "payee": payee,
            "category": category,
            "amount": amount,
            "balance": balance,
            "reference": ref or f"C{chance.randrange(100, 1000)}{number:05d}",
        }
        yield Draft("transaction", when, event_id, fields)
