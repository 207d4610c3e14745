"""Calendars (ics) and address cards (vcf): a readable block for each event and each card, and
below them each time that a repeating event takes place."""

from __future__ import annotations

import quopri
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path

from deskgym.tools.cut import Request, clean, cut_lines
from deskgym.tools.decode import decode_as
from deskgym.tools.recurrence import Event, Moment, Zones, agenda, parse_length, parse_moment
from deskgym.tools.result import ToolError, ToolResult
from deskgym.tools.sniff import FileType
from deskgym.tools.text import decoded

_BLOCKS = ("VEVENT", "VTODO", "VJOURNAL", "VFREEBUSY", "VCARD")
_MOMENT = re.compile(r"(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)?(Z?))?")
_LABELS = {
    "LOCATION": "Location", "ORGANIZER": "Organiser", "ATTENDEE": "Attendee",
    "STATUS": "Status", "CATEGORIES": "Categories", "PRIORITY": "Priority", "URL": "URL",
    "PERCENT-COMPLETE": "Per cent complete", "CONTACT": "Contact", "COMMENT": "Comment",
    "DESCRIPTION": "Description", "ORG": "Organisation", "TITLE": "Title", "ROLE": "Role",
    "NICKNAME": "Nickname", "EMAIL": "E-mail", "TEL": "Telephone", "ADR": "Address",
    "BDAY": "Birthday", "ANNIVERSARY": "Anniversary", "NOTE": "Note", "RELATED": "Related",
    "IMPP": "Messaging", "X-SOCIALPROFILE": "Profile", "GENDER": "Gender", "LANG": "Language",
    "MEMBER": "Member", "TZ": "Time zone", "X-ABDATE": "Date", "X-ABRELATEDNAMES": "Related",
    "FREEBUSY": "Busy", "ATTACH": "Attached",
}  # fmt: skip
_HOW_OFTEN = {"DAILY": "day", "WEEKLY": "week", "MONTHLY": "month", "YEARLY": "year"}
_DAYS = {"MO": "Monday", "TU": "Tuesday", "WE": "Wednesday", "TH": "Thursday", "FR": "Friday",
         "SA": "Saturday", "SU": "Sunday"}  # fmt: skip


@dataclass
class _Property:
    name: str
    params: dict[str, str]
    value: str
    group: str = ""


@dataclass
class _Block:
    kind: str
    properties: list[_Property] = field(default_factory=list)
    alarms: list[str] = field(default_factory=list)
    ended: bool = False

    def first(self, name: str) -> _Property | None:
        return next((p for p in self.properties if p.name == name), None)

    def value(self, name: str) -> str:
        found = self.first(name)
        return found.value if found else ""


@dataclass
class _Source:
    """What was parsed: the blocks, and the zones that their times refer to."""

    blocks: list[_Block] = field(default_factory=list)
    zone_lines: dict[str, list[str]] = field(default_factory=dict)
    own_zone: str = ""  # the one that the calendar is kept in, if it says so

    def zones(self) -> Zones:
        return Zones({name: "\n".join(lines) for name, lines in self.zone_lines.items()})


def read(path: Path, kind: FileType, request: Request) -> ToolResult:
    """The events of a calendar, or the cards of an address book, one block each.

    Raises:
        ToolError: corrupt (no event or card in it), too_large, out_of_range, bad_argument.
    """
    what = "card" if kind.family == "vcf" else "event"
    request.allow("lines", "a calendar" if what == "event" else "an address card")
    source, info, notes = decoded(path)
    parsed = _parse(source)
    blocks, zones = parsed.blocks, parsed.zones()
    if not blocks and not re.search(r"^END:(VCALENDAR|VCARD)", source, re.I | re.M):
        raise ToolError(
            "corrupt",
            f"{path.name!r} ends before its first {what} does",
            "look at it in the terminal",
        )
    if blocks and not blocks[-1].ended:
        notes.append(f"the file breaks off inside its last {what}")
    shown = ["\n".join(_shown(block, zones, parsed.own_zone)) for block in blocks]
    if repeated := agenda(_events(blocks, zones), notes):
        shown.append("\n".join(repeated))
        info["occurrences"] = len(repeated) - 1
    text = "\n\n".join(shown)
    info |= {f"{what}s": len(blocks)}
    return cut_lines(clean(text + "\n") if text else "", request, info, notes)


def _parse(source: str) -> _Source:
    """The blocks of a file; what stands around them is left out."""
    parsed = _Source()
    blocks = parsed.blocks
    open_kinds: list[str] = []
    zone: list[str] = []
    for line in _content_lines(source):
        found = _property(line)
        if found is None:
            continue
        value = found.value.strip().upper()
        if found.name == "BEGIN":
            open_kinds.append(value)
            zone = [] if value == "VTIMEZONE" else zone
            if value in _BLOCKS:
                blocks.append(_Block(value))
        if "VTIMEZONE" in open_kinds:
            zone.append(line.strip())
            if found.name == "TZID":
                parsed.zone_lines[found.value.strip()] = zone
        if found.name == "END":
            if open_kinds and open_kinds[-1] == value:
                open_kinds.pop()
            if value in _BLOCKS and blocks:
                blocks[-1].ended = True
        elif found.name == "X-WR-TIMEZONE":
            parsed.own_zone = found.value.strip()
        elif open_kinds and open_kinds[-1] in _BLOCKS:
            blocks[-1].properties.append(found)
        elif open_kinds and open_kinds[-1] == "VALARM" and found.name == "TRIGGER" and blocks:
            blocks[-1].alarms.append(found.value)
    return parsed


def _events(blocks: list[_Block], zones: Zones) -> list[Event]:
    """The events that have a start, as far as it matters for when they take place."""
    events = []
    for block in blocks:
        starts = _moments(block, "DTSTART", zones)
        if block.kind != "VEVENT" or not starts:
            continue
        start = starts[0]
        length = parse_length(block.value("DURATION"))
        if ends := _moments(block, "DTEND", zones):
            length = max(ends[0].at(start.zone) - start.local, timedelta())
        instead = _moments(block, "RECURRENCE-ID", zones)
        title = _plain(block.value("SUMMARY")) or "(no title)"
        events.append(
            Event(
                uid=block.value("UID"),
                title=" ".join(title.split()),
                start=start,
                length=length or timedelta(),
                rules=tuple(p.value for p in block.properties if p.name == "RRULE"),
                also=tuple(_moments(block, "RDATE", zones)),
                but_not=tuple(_moments(block, "EXDATE", zones)),
                instead_of=instead[0] if instead else None,
                cancelled=block.value("STATUS").strip().upper() == "CANCELLED",
            )
        )
    return events


def _moments(block: _Block, name: str, zones: Zones) -> list[Moment]:
    values = [
        # A period (start/end) counts by its start.
        parse_moment(value.partition("/")[0], found.params.get("TZID", ""), zones)
        for found in block.properties
        if found.name == name
        for value in found.value.split(",")
    ]
    return [moment for moment in values if moment is not None]


def _content_lines(source: str) -> Iterator[str]:
    """Logical lines: a line that begins with white space continues the one before.

    Old cards continue quoted-printable values after a trailing ``=`` instead.
    """
    pending: str | None = None
    for line in source.split("\n"):
        if pending is None:
            pending = line
        elif line[:1] in (" ", "\t"):
            pending += line[1:]
        elif pending.endswith("=") and "QUOTED-PRINTABLE" in pending.partition(":")[0].upper():
            pending = pending[:-1] + line
        else:
            yield pending
            pending = line
    if pending:
        yield pending


def _property(line: str) -> _Property | None:
    """``group.NAME;PARAM=value;...:value``, a colon inside quotes being part of a parameter."""
    match = re.match(r'((?:[^":]|"[^"]*")*):(.*)', line, re.S)
    if match is None:
        return None
    name, *parts = re.findall(r'(?:[^";]|"[^"]*")+', match[1]) or [""]
    params: dict[str, str] = {}
    for part in parts:
        key, equals, value = part.partition("=")
        key, value = (key, value) if equals else ("TYPE", key)  # vCard 2.1: TEL;HOME:...
        key = key.upper()
        params[key] = f"{params[key]},{value}" if key in params else value.strip('"')
    value = match[2]
    if params.get("ENCODING", "").upper() == "QUOTED-PRINTABLE":
        raw = quopri.decodestring(value.encode("utf-8"))
        charset = params.get("CHARSET", "utf-8")
        value, _ = decode_as(raw, charset)
    group, _, name = name.rpartition(".")
    return _Property(name.strip().upper(), params, value, group.upper())


def _plain(value: str) -> str:
    """A text value with its escapes undone."""
    escapes = {"n": "\n", "N": "\n"}
    return re.sub(r"\\(.)", lambda m: escapes.get(m[1], m[1]), value).strip()


def _shown(block: _Block, zones: Zones, own_zone: str) -> list[str]:
    if block.kind == "VCARD":
        return _shown_card(block)
    title = block.first("SUMMARY")
    kind = {"VTODO": "Task", "VJOURNAL": "Journal", "VFREEBUSY": "Busy"}.get(block.kind, "Event")
    lines = [f"{kind}: {_plain(title.value) if title else '(no title)'}"]
    for name, label in (("DTSTART", "Starts"), ("DTEND", "Ends"), ("DUE", "Due"),
                        ("COMPLETED", "Completed")):  # fmt: skip
        if found := block.first(name):
            lines.append(f"{label}: {_moment(found, zones, own_zone)}")
    if found := block.first("DURATION"):
        lines.append(f"Lasts: {found.value}")
    for found in block.properties:
        if found.name == "RRULE":
            lines.append(f"Repeats: {_rule(found.value)} (RRULE:{found.value})")
        elif found.name == "EXDATE":
            lines.append(f"Except: {_moment(found)}")
        elif found.name == "RDATE":
            lines.append(f"Also on: {_moment(found)}")
        elif found.name == "RECURRENCE-ID":
            lines.append(f"Instead of the one on: {_moment(found, zones, own_zone)}")
    lines += _labelled(block)
    return lines + [f"Reminder: {trigger}" for trigger in block.alarms]


def _shown_card(block: _Block) -> list[str]:
    full = block.first("FN") or block.first("N")
    name = "(no name)"
    if full is not None:
        parts = _plain(full.value).split(";")
        # N is family;given;additional;prefix;suffix.
        name = " ".join(p for p in (*parts[1:2], *parts[:1]) if p) if len(parts) > 1 else parts[0]
    return [f"Card: {name}", *_labelled(block)]


def _labelled(block: _Block) -> list[str]:
    lines = []
    for found in block.properties:
        label = _LABELS.get(found.name)
        if label is None:
            if found.name == "PHOTO":
                lines.append("Photo: (left out)")
            continue
        named = next((p for p in block.properties if p.name == "X-ABLABEL"
                      and p.group and p.group == found.group), None)  # fmt: skip
        if named is not None:
            word = _plain(named.value)
            label += f" ({word.removeprefix('_$!<').removesuffix('>!$_')})"
        lines += _label(found, label)
    return lines


def _label(found: _Property, label: str) -> list[str]:
    value = found.value
    if found.name in ("ORG", "ADR"):
        value = ", ".join(p for p in (_plain(p) for p in re.split(r"(?<!\\);", value)) if p)
    elif found.name == "ATTACH" and "BINARY" in (found.params.get("VALUE", "").upper()):
        value = "(left out)"
    elif found.name in ("BDAY", "ANNIVERSARY", "X-ABDATE"):
        value = _moment(found)
    else:
        value = re.sub(r"^(mailto|tel):", "", _plain(value), flags=re.I)
    kinds = [k.lower() for k in found.params.get("TYPE", "").split(",") if k]
    kinds = [k for k in kinds if k not in ("pref", "internet", "voice")]
    if person := found.params.get("CN"):
        value = f"{person} <{value}>" if value else person
    if answer := found.params.get("PARTSTAT"):
        value += f" ({answer.lower()})"
    if not value:
        return []
    qualifier = f" ({', '.join(kinds)})" if kinds else ""
    return f"{label}{qualifier}: {value}".split("\n")


def _moment(found: _Property, zones: Zones | None = None, own_zone: str = "") -> str:
    """Dates and times as people read them: ``Saturday 2025-03-01 09:00 (Europe/London)``, with
    ``zones`` followed by the offset of that zone on that day."""
    shown = []
    for value in found.value.split(","):
        moment = _MOMENT.fullmatch(value.strip())
        if moment is None:
            shown.append(_plain(value))
            continue
        year, month, day, hour, minute, _, utc = moment.groups()
        text = f"{year}-{month}-{day}"
        try:
            text = f"{datetime(int(year), int(month), int(day)):%A} {text}"
        except ValueError:
            text += " (no such day)"
        if hour is not None:
            text += f" {hour}:{minute}" + (" UTC" if utc else "")
        shown.append(text)
    zone = found.params.get("TZID", "").strip('"')
    offset = ""
    if zones is not None and len(shown) == 1:
        moment_then = parse_moment(found.value, zone, zones)
        if moment_then is not None and moment_then.zone is UTC:
            offset = _own_time(moment_then, zones.get(own_zone) if own_zone else None, own_zone)
        elif moment_then is not None:
            offset = moment_then.offset()
    beside = ", ".join(part for part in (zone, offset) if part)
    return ", ".join(shown) + (f" ({beside})" if beside else "")


def _own_time(moment: Moment, zone: tzinfo | None, name: str) -> str:
    """A time in UTC as the calendar's owner has it: ``Tuesday 2025-07-01 10:00 Europe/Paris,
    UTC+02:00``."""
    if zone is None or zone is UTC:
        return ""
    local = Moment(moment.at(zone), False, zone, name)
    return f"{local.local:%A %Y-%m-%d %H:%M} {name}, {local.offset()}"


def _rule(rule: str) -> str:
    """A recurrence rule in words, as far as it is a usual one."""
    parts = dict(p.split("=", 1) for p in rule.upper().split(";") if "=" in p)
    unit = _HOW_OFTEN.get(parts.get("FREQ", ""))
    if unit is None:
        return "by rule"
    interval = parts.get("INTERVAL", "1")
    words = f"every {unit}" if interval == "1" else f"every {interval} {unit}s"
    if days := parts.get("BYDAY"):
        words += " on " + ", ".join(_DAYS.get(d, d) for d in days.split(","))
    if count := parts.get("COUNT"):
        words += f", {count} times"
    if until := parts.get("UNTIL"):
        words += f", until {_moment(_Property('UNTIL', {}, until))}"
    return words
