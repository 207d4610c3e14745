"""Times of calendars: time zones by any name, and repeating events expanded over a window."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

from deskgym.tools.guards import damage

WINDOW = timedelta(days=366)
MAX_OCCURRENCES = 400
_MOMENT = re.compile(r"(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)?(Z?))?")
_LENGTH = re.compile(r"\+?P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?")
_EXPANDED = ("DAILY", "WEEKLY", "MONTHLY", "YEARLY")  # faster ones are no events of a person


@dataclass(frozen=True)
class Moment:
    """A local time, or a day. Without a zone it is local wherever one is."""

    local: datetime
    whole_day: bool = False
    zone: tzinfo | None = None
    zone_name: str = ""

    def at(self, zone: tzinfo | None) -> datetime:
        """The local time in another zone; the same time if either has none."""
        if self.zone is None or zone is None or self.zone is zone:
            return self.local
        return self.local.replace(tzinfo=self.zone).astimezone(zone).replace(tzinfo=None)

    def moved(self, local: datetime) -> Moment:
        """The same kind of moment at another local time."""
        return Moment(local, self.whole_day, self.zone, self.zone_name)

    def offset(self) -> str:
        """``UTC+01:00``, or "" without a zone."""
        if self.zone is None or self.whole_day:
            return ""
        text = f"{self.local.replace(tzinfo=self.zone):%z}"
        return f"UTC{text[:3]}:{text[3:5]}" if text else ""

    def order(self) -> datetime:
        """What moments of several zones are sorted by."""
        return self.at(UTC)


@dataclass(frozen=True)
class Event:
    """What of an event decides when it takes place."""

    uid: str
    title: str
    start: Moment
    length: timedelta
    rules: tuple[str, ...] = ()
    also: tuple[Moment, ...] = ()
    but_not: tuple[Moment, ...] = ()
    instead_of: Moment | None = None
    cancelled: bool = False

    @property
    def repeats(self) -> bool:
        return bool(self.rules or self.also)


class Zones:
    """Time zones by the names that a calendar gives them.

    ``sources`` are the calendar's own definitions (VTIMEZONE), which decide only where the name
    says nothing: neither in the time zone database, nor after a prefix, nor in Windows.
    """

    def __init__(self, sources: dict[str, str]) -> None:
        self._sources = sources
        self._known: dict[str, tzinfo | None] = {}

    def get(self, name: str) -> tzinfo | None:
        """The zone, or None if nobody knows it."""
        if name not in self._known:
            self._known[name] = self._find(name.strip('"'))
        return self._known[name]

    def _find(self, name: str) -> tzinfo | None:
        parts = name.strip("/").split("/")
        tails = ["/".join(parts[-count:]) for count in (len(parts), 3, 2) if count <= len(parts)]
        for tail in dict.fromkeys([*tails, _windows_zone(name)]):
            if tail and (found := _database_zone(tail)) is not None:
                return found
        source = self._sources.get(name)
        return _defined_zone(source) if source else None


def _database_zone(name: str) -> tzinfo | None:
    try:
        return ZoneInfo(name)
    except (ValueError, OSError, LookupError):  # no such zone; a name that is no path; a folder
        return None


def _windows_zone(name: str) -> str:
    from icalendar.timezone.windows_to_olson import WINDOWS_TO_OLSON

    return str(WINDOWS_TO_OLSON.get(name, ""))


def _defined_zone(source: str) -> tzinfo | None:
    from dateutil.tz import tzical

    try:
        found: tzinfo | None = tzical(io.StringIO(source)).get()
    except damage():
        return None
    return found


def parse_moment(value: str, tzid: str, zones: Zones) -> Moment | None:
    """The moment that a value like ``20250301T090000Z`` stands for, or None."""
    match = _MOMENT.fullmatch(value.strip())
    if match is None:
        return None
    year, month, day, hour, minute, second, utc = match.groups()
    try:
        local = datetime(int(year), int(month), int(day), int(hour or 0), int(minute or 0))
        local += timedelta(seconds=int(second or 0))
    except (ValueError, OverflowError):
        return None
    if hour is None:
        return Moment(local, whole_day=True)
    if utc:
        return Moment(local, zone=UTC, zone_name="UTC")
    return Moment(local, zone=zones.get(tzid) if tzid else None, zone_name=tzid)


def parse_length(value: str) -> timedelta | None:
    """A duration like ``P1DT2H30M``, or None if it is none, or lasts beyond reason."""
    match = _LENGTH.fullmatch(value.strip().upper())
    if match is None or not any(match.groups()):
        return None
    weeks, days, hours, minutes, seconds = (int(n or 0) for n in match.groups())
    try:
        return timedelta(days + 7 * weeks, seconds, hours=hours, minutes=minutes)
    except OverflowError:
        return None


def agenda(events: Sequence[Event], notes: list[str]) -> list[str]:
    """Each time that a repeating event takes place, in order, below a line that states the window:
    366 days from the start of the first event of all. Empty if nothing repeats.
    """
    if not any(event.repeats for event in events):
        return []
    first = min(event.start.local for event in events).replace(hour=0, minute=0, second=0)
    try:
        end = first + WINDOW
    except OverflowError:
        return []
    found: list[tuple[datetime, str]] = []
    masters = {event.uid for event in events if event.repeats}
    moved: dict[str, list[Moment]] = {}
    for event in events:
        if event.instead_of is not None:
            moved.setdefault(event.uid, []).append(event.instead_of)
    for event in events:
        if event.instead_of is not None:
            if event.uid in masters and first <= event.start.local < end:
                what = "cancelled" if event.cancelled else "changed"
                found.append((event.start.order(), _shown(event, event.start, f" ({what})")))
        elif event.repeats:
            what = " (cancelled)" if event.cancelled else ""
            for start in occurrences(event, moved.get(event.uid, ()), end, notes):
                found.append((start.order(), _shown(event, start, what)))
    found.sort()
    if len(found) > MAX_OCCURRENCES:
        notes.append(
            f"repeating events take place {len(found)} times or more in the window; "
            f"the first {MAX_OCCURRENCES} are listed"
        )
    last = end - timedelta(days=1)
    head = f"Repeating events, each time from {first:%Y-%m-%d} to {last:%Y-%m-%d}:"
    return [head, *(line for _, line in found[:MAX_OCCURRENCES])]


def occurrences(
    event: Event, moved: Sequence[Moment], end: datetime, notes: list[str]
) -> list[Moment]:
    """When a repeating event takes place before ``end``, but for those ``moved``; one more than
    `MAX_OCCURRENCES` at most."""
    starts = {event.start.local} if event.start.local < end else set()
    for rule in event.rules:
        try:
            starts.update(_by_rule(rule, event.start, end))
        except damage() as error:
            notes.append(f"the rule {rule!r:.100} was not expanded: {error}")
    starts.update(m.at(event.start.zone) for m in event.also)
    gone_days: set[date] = set()
    for moment in (*event.but_not, *moved):
        if moment.whole_day:
            gone_days.add(moment.local.date())
        else:
            starts.discard(moment.at(event.start.zone))
    kept = sorted(s for s in starts if s < end and s.date() not in gone_days)
    return [event.start.moved(start) for start in kept[: MAX_OCCURRENCES + 1]]


def _by_rule(rule: str, start: Moment, end: datetime) -> Iterator[datetime]:
    """The times of one rule in the event's own local time.

    Raises:
        ValueError: it is no rule, or one that is not expanded.
    """
    from dateutil.rrule import rrulestr

    parts = dict(p.split("=", 1) for p in rule.strip().upper().split(";") if "=" in p)
    if parts.get("FREQ") not in _EXPANDED:
        raise ValueError("it is not daily, weekly, monthly or yearly")
    until = end - timedelta(seconds=1)
    if given := parts.pop("UNTIL", None):
        last = parse_moment(given, "", Zones({}))
        if last is None:
            raise ValueError("its end is no time")
        # A day as the end of what has hours means all of that day.
        extra = timedelta(days=1, seconds=-1) if last.whole_day else timedelta()
        until = min(until, last.at(start.zone) + extra)
    if until < start.local:
        return
    if "COUNT" not in parts:
        parts["UNTIL"] = f"{until:%Y%m%dT%H%M%S}"
    text = ";".join(f"{name}={value}" for name, value in parts.items())
    for number, found in enumerate(rrulestr(f"RRULE:{text}", dtstart=start.local)):
        if found > until or number > MAX_OCCURRENCES:
            return
        yield found


def _shown(event: Event, start: Moment, what: str) -> str:
    """``Saturday 2025-03-01 09:00 to 10:30 (Europe/London, UTC+00:00): Choir``."""
    day = f"{start.local:%A %Y-%m-%d}"
    try:
        end = start.local + event.length
    except OverflowError:
        end = start.local
    if start.whole_day:
        last = end - timedelta(days=1)
        when = day if last <= start.local else f"{day} to {last:%A %Y-%m-%d}"
        return f"{when}: {event.title}{what}"
    when = f"{day} {start.local:%H:%M}"
    if end.date() != start.local.date():
        when += f" to {end:%A %Y-%m-%d %H:%M}"
    elif end > start.local:
        when += f" to {end:%H:%M}"
    zone = ", ".join(part for part in (start.zone_name, start.offset()) if part)
    return f"{when}{f' ({zone})' if zone else ''}: {event.title}{what}"
