"""Calendars (ics) and address cards (vcf): a readable block for each event and each card."""

from __future__ import annotations

import quopri
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from deskgym.tools.cut import Request, clean, cut_lines
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
    "IMPP": "Messaging", "X-SOCIALPROFILE": "Profile",
}  # fmt: skip
_HOW_OFTEN = {"DAILY": "day", "WEEKLY": "week", "MONTHLY": "month", "YEARLY": "year"}
_DAYS = {"MO": "Monday", "TU": "Tuesday", "WE": "Wednesday", "TH": "Thursday", "FR": "Friday",
         "SA": "Saturday", "SU": "Sunday"}  # fmt: skip


@dataclass
class _Property:
    name: str
    params: dict[str, str]
    value: str


@dataclass
class _Block:
    kind: str
    properties: list[_Property] = field(default_factory=list)
    alarms: list[str] = field(default_factory=list)
    ended: bool = False

    def first(self, name: str) -> _Property | None:
        return next((p for p in self.properties if p.name == name), None)


def read(path: Path, kind: FileType, request: Request) -> ToolResult:
    """The events of a calendar, or the cards of an address book, one block each.

    Raises:
        ToolError: corrupt (no event or card in it), too_large, out_of_range, bad_argument.
    """
    what = "card" if kind.family == "vcf" else "event"
    request.allow("lines", "a calendar" if what == "event" else "an address card")
    source, info, notes = decoded(path)
    blocks = _parse(source)
    if not blocks and not re.search(r"^END:(VCALENDAR|VCARD)", source, re.I | re.M):
        raise ToolError(
            "corrupt",
            f"{path.name!r} ends before its first {what} does",
            "look at it in the terminal",
        )
    if blocks and not blocks[-1].ended:
        notes.append(f"the file breaks off inside its last {what}")
    text = "\n\n".join("\n".join(_shown(block)) for block in blocks)
    info |= {f"{what}s": len(blocks)}
    return cut_lines(clean(text + "\n") if text else "", request, info, notes)


def _parse(source: str) -> list[_Block]:
    """The blocks of a file; time zones and what else stands around them is left out."""
    blocks: list[_Block] = []
    open_kinds: list[str] = []
    for line in _content_lines(source):
        found = _property(line)
        if found is None:
            continue
        value = found.value.strip().upper()
        if found.name == "BEGIN":
            open_kinds.append(value)
            if value in _BLOCKS:
                blocks.append(_Block(value))
        elif found.name == "END":
            if open_kinds and open_kinds[-1] == value:
                open_kinds.pop()
            if value in _BLOCKS and blocks:
                blocks[-1].ended = True
        elif open_kinds and open_kinds[-1] in _BLOCKS:
            blocks[-1].properties.append(found)
        elif open_kinds and open_kinds[-1] == "VALARM" and found.name == "TRIGGER" and blocks:
            blocks[-1].alarms.append(found.value)
    return blocks


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
        value = raw.decode("latin-1" if charset.lower() == "iso-8859-1" else "utf-8", "replace")
    return _Property(name.rpartition(".")[2].strip().upper(), params, value)


def _plain(value: str) -> str:
    """A text value with its escapes undone."""
    escapes = {"n": "\n", "N": "\n"}
    return re.sub(r"\\(.)", lambda m: escapes.get(m[1], m[1]), value).strip()


def _shown(block: _Block) -> list[str]:
    if block.kind == "VCARD":
        return _shown_card(block)
    title = block.first("SUMMARY")
    kind = {"VTODO": "Task", "VJOURNAL": "Journal", "VFREEBUSY": "Busy"}.get(block.kind, "Event")
    lines = [f"{kind}: {_plain(title.value) if title else '(no title)'}"]
    for name, label in (("DTSTART", "Starts"), ("DTEND", "Ends"), ("DUE", "Due"),
                        ("COMPLETED", "Completed")):  # fmt: skip
        if found := block.first(name):
            lines.append(f"{label}: {_moment(found)}")
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
            lines.append(f"Instead of the one on: {_moment(found)}")
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
        lines += _label(found, label)
    return lines


def _label(found: _Property, label: str) -> list[str]:
    value = found.value
    if found.name in ("ORG", "ADR"):
        value = ", ".join(p for p in (_plain(p) for p in re.split(r"(?<!\\);", value)) if p)
    elif found.name in ("BDAY", "ANNIVERSARY"):
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


def _moment(found: _Property) -> str:
    """Dates and times as people read them: ``Saturday 2025-03-01 09:00 (Europe/London)``."""
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
    zone = found.params.get("TZID")
    return ", ".join(shown) + (f" ({zone})" if zone else "")


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
