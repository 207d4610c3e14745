"""Reading calendars, to-do lists and address books, with the lines that tools show of them.

The read tool shows a block of lines for each entry and a blank line between two.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime
from pathlib import Path
from typing import Any

from deskgym.tasks.locators import Lines
from deskgym.tasks.made.verifier.rows import Row, Value, row_of


def ics_rows(file: Path, path: str) -> Iterator[Row]:
    """The appointments and tasks of a calendar file."""
    import icalendar

    calendar = icalendar.Calendar.from_ical(file.read_bytes())
    list_name = str(calendar.get("X-WR-CALNAME", ""))
    line = 1
    for entry in calendar.subcomponents:
        if entry.name == "VEVENT":
            fields, lines = _event(entry)
            kind = "calendar"
        elif entry.name == "VTODO":
            fields, lines = _task(entry, list_name)
            kind = "reminder"
        else:
            continue
        yield row_of(kind, fields, path, Lines(start=line, end=line + lines - 1))
        line += lines + 1


def _event(entry: Any) -> tuple[dict[str, Value], int]:
    description = str(entry.get("DESCRIPTION", ""))
    with_names = ""
    notes = description
    if description.startswith("With: "):
        with_names, _, notes = description.removeprefix("With: ").partition("\n")
    location = str(entry.get("LOCATION", ""))
    lines = 3 + bool(location) + (description.count("\n") + 1 if description else 0)
    fields: dict[str, Value] = {
        "title": str(entry.get("SUMMARY", "")),
        "start": _time(entry, "DTSTART"),
        "end": _time(entry, "DTEND"),
        "location": location,
        "with_names": with_names,
        "notes": notes,
    }
    return fields, lines


def _task(entry: Any, list_name: str) -> tuple[dict[str, Value], int]:
    done = _time(entry, "COMPLETED") if entry.get("COMPLETED") else ""
    fields: dict[str, Value] = {
        "due": _time(entry, "DUE"),
        "title": str(entry.get("SUMMARY", "")),
        "list_name": list_name,
        "done": done,
    }
    return fields, 4 if done else 3


def _time(entry: Any, name: str) -> str:
    value = entry.get(name).dt
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M}"
    return value.isoformat() if isinstance(value, date) else str(value)


_LABELS = {
    "ORG": "company", "TITLE": "role", "EMAIL": "email", "TEL": "phone", "BDAY": "birthday",
    "NOTE": "relation", "ADR": "address", "FN": "name",
}  # fmt: skip


def vcf_rows(file: Path, path: str) -> Iterator[Row]:
    """The cards of an address book."""
    text = file.read_bytes().decode("utf-8").replace("\r\n", "\n")
    line = 1
    for card in text.replace("\n ", "").split("BEGIN:VCARD\n")[1:]:
        fields: dict[str, Value] = dict.fromkeys(_LABELS.values(), "")
        shown = 0
        for content in card.split("\n"):
            key, _, value = content.partition(":")
            name = _LABELS.get(key.partition(";")[0].upper())
            if name is not None and value:
                fields[name] = _plain(value, key)
                shown += 1
        yield row_of("contact", fields, path, Lines(start=line, end=line + shown - 1))
        line += shown + 1


def _plain(value: str, key: str) -> str:
    """A value without its escapes; the parts of an address joined as they are shown."""
    parts, part, escaped = [], "", False
    for sign in value:
        if escaped:
            part += "\n" if sign in "nN" else sign
            escaped = False
        elif sign == "\\":
            escaped = True
        elif sign == ";" and key.upper().startswith(("ADR", "ORG")):
            parts.append(part)
            part = ""
        else:
            part += sign
    said = ", ".join(one.strip() for one in (*parts, part) if one.strip())
    if key.upper().startswith("BDAY"):
        digits = said.replace("-", "")
        return f"{digits[:4]}-{digits[4:6]}-{digits[6:8]}"
    return said
