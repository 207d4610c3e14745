"""Rows that every day leaves behind whatever happens: sleep, steps, screen time, music, pages."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta

from deskgym.tasks.made.models import Event
from deskgym.tasks.made.records.draft import Draft, Fields, Source, stamp
from deskgym.tasks.made.records.stock import APPS, BANDS, PAGES, SITES, SONG_NOUNS, SONG_WORDS
from deskgym.tasks.made.records.titles import filled

_ON_FOOT = {"run": 1250, "walk": 1350, "hike": 1400}
_PAGES_A_DAY = 0.3
_LOOKED_UP_SHARE = 0.3


def daily_rows(source: Source) -> Iterator[Draft]:
    """The rows of every day of the life."""
    by_day: dict[date, list[Event]] = defaultdict(list)
    for event in source.life.events:
        by_day[event.start.date()].append(event)
    day = source.life.first
    while day <= source.life.last:
        events = by_day[day]
        yield _sleep(source, day, events, by_day[day - timedelta(days=1)])
        yield _steps(source, day, events)
        if day.weekday() == 6:
            yield from _apps(source, day)
        yield from _plays(source, day)
        yield from _pages(source, day)
        day += timedelta(days=1)
    for event in source.life.events:
        yield from _event_media(source, event)


def _sleep(source: Source, day: date, events: list[Event], eve: list[Event]) -> Draft:
    chance = source.chance("sleep", day)
    earliest = min((e.start for e in events), default=datetime.combine(day, time(9)))
    up = min(
        datetime.combine(day, time(6, 10)) + timedelta(minutes=chance.randrange(0, 100)),
        earliest - timedelta(minutes=15),
    )
    bad = next((e for e in events if e.kind == "bad_night"), None)
    hours = float(bad.facts["slept_hours"]) if bad else round(chance.gauss(7.2, 0.55), 1)
    awake = chance.randrange(3, 7) if bad else chance.randrange(0, 3)
    bed = up - timedelta(minutes=round(hours * 60) + 12 * awake + chance.randrange(5, 25))
    home = max((e.start + timedelta(minutes=e.minutes) for e in eve), default=bed)
    if bed < home + timedelta(minutes=15):
        # A late evening: less sleep, unless the night's story says how much there was.
        bed, awake = home + timedelta(minutes=chance.randrange(15, 40)), min(awake, 1)
        lain = (up - bed).total_seconds() / 60 - 12 * awake - 8
        hours = hours if bad else round(lain / 60, 1)
    fields: Fields = {
        "date": f"{day}",
        "bed": stamp(bed),
        "up": stamp(up),
        "hours": hours,
        "awake": awake,
        "resting_pulse": chance.randrange(52, 67),
    }
    return Draft("sleep", up, bad.id if bad else None, fields)


def _steps(source: Source, day: date, events: list[Event]) -> Draft:
    chance = source.chance("steps", day)
    hours = {hour: chance.choice((0, 40, 120, 260, 410)) + chance.randrange(0, 90)
             for hour in range(6, 23)}  # fmt: skip
    for event in events:
        if (per_km := _ON_FOOT.get(event.kind)) is not None:
            own = event.facts.get("steps") or float(event.facts["distance_km"]) * per_km
            hours[min(max(event.start.hour, 6), 22)] += round(float(own))
        elif event.place and source.away(event):
            hours[min(max(event.start.hour, 6), 22)] += chance.randrange(200, 1100)
    total = sum(hours.values())
    fields: Fields = {
        "date": f"{day}",
        "steps": total,
        "km": round(total * 0.00074, 2),
        "floors": chance.randrange(1, 19),
        "by_hour": "/".join(str(hours[hour]) for hour in sorted(hours)),
    }
    return Draft("steps", datetime.combine(day, time(23, 50)), None, fields)


def _apps(source: Source, day: date) -> Iterator[Draft]:
    usual = source.chance("apps").sample(APPS, 6)
    chance = source.chance("apps", day)
    for app in chance.sample(usual, 3):
        minutes = chance.randrange(20, 420)
        fields: Fields = {
            "week_ending": f"{day}",
            "app": app,
            "minutes": minutes,
            "opens": max(1, minutes // chance.randrange(3, 9)),
        }
        yield Draft("app_use", datetime.combine(day, time(23, 55)), None, fields)


def _plays(source: Source, day: date) -> Iterator[Draft]:
    usual = source.chance("plays").sample(BANDS, 9)
    chance = source.chance("plays", day)
    for _ in range(chance.choice((0, 0, 0, 1))):
        when = datetime.combine(day, time(chance.randrange(7, 23), chance.randrange(60)))
        fields: Fields = {
            "time": stamp(when),
            "kind": "song",
            "title": f"{chance.choice(SONG_WORDS)} {chance.choice(SONG_NOUNS)}",
            "creator": chance.choice(usual),
            "minutes": chance.randrange(2, 6),
        }
        yield Draft("media_play", when, None, fields)


def _pages(source: Source, day: date) -> Iterator[Draft]:
    chance = source.chance("pages", day)
    if chance.random() < _PAGES_A_DAY * source.leisure:
        when = datetime.combine(day, time(chance.randrange(7, 23), chance.randrange(60)))
        name = chance.choice(PAGES)
        yield _page(when, None, chance.choice(SITES), name, chance.randrange(20, 400))


def _page(when: datetime, event: str | None, site: str, name: str, seconds: int) -> Draft:
    slug = "-".join("".join(c if c.isalnum() else " " for c in name.casefold()).split())
    fields: Fields = {
        "time": stamp(when),
        "url": f"https://{site}/{slug}",
        "title": name,
        "seconds": seconds,
    }
    return Draft("visited_page", when, event, fields)


_LOOKED_UP = {
    "online_order": ("{payee}", "{item} | {payee}"),
    "train_booking": ("{payee}", "{destination}: tickets"),
    "course_module": ("{platform}", "{title}, module {module}"),
    "film": ("{at}", "{title}: times and seats"),
    "concert": ("{at}", "{band}: tickets"),
    "museum": ("{at}", "{title}"),
    "first_visit": ("{at}", "Menu at {at}"),
    "new_recipe": ("recipes", "{dish} with {ingredient}"),
    "day_trip": ("trips", "{sight} in {destination}"),
    "lecture": ("{at}", "{speaker}: {title}"),
    "repair": ("repairs", "{item}: {fault}"),
    "hike": ("trails", "{route}: map"),
    "life_injury": ("health", "{body_part} injury: how long to rest"),
    "life_new_allergy": ("health", "Living without {allergen}"),
}


def _event_media(source: Source, event: Event) -> Iterator[Draft]:
    chance = source.chance("media", event.id)
    if event.kind == "podcast":
        fields: Fields = {
            "time": stamp(event.start),
            "kind": "podcast",
            "title": filled(source, event, "{title} #{episode}: {topic}"),
            "creator": str(event.facts["guest"]),
            "minutes": event.minutes,
        }
        yield Draft("media_play", event.start, event.id, fields)
    if event.kind in _LOOKED_UP and chance.random() < _LOOKED_UP_SHARE * source.leisure:
        site, name = (filled(source, event, text) for text in _LOOKED_UP[event.kind])
        host = "".join(c for c in site.casefold() if c.isascii() and c.isalnum()) or "shop"
        when = event.start - timedelta(minutes=chance.randrange(3, 40))
        yield _page(when, event.id, f"{host}.example", name, chance.randrange(40, 600))
