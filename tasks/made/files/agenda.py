"""Calendars, to-do lists and the address book, and the lines that the read tool shows for them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from deskgym.tasks.demo.make.deterministic import digest
from deskgym.tasks.demo.make.mail import ics_bytes, vcf_bytes
from deskgym.tasks.demo.make.things import Event as Entry
from deskgym.tasks.locators import Lines
from deskgym.tasks.made.files.placed import Spot
from deskgym.tasks.made.records import Record
from deskgym.tasks.made.records.dates import weekday


def _blocks(records: Sequence[Record], blocks: list[list[str]]) -> list[Spot]:
    """Where the blocks of ``records`` stand, one blank line between two."""
    spots, line = [], 1
    for record, block in zip(records, blocks, strict=True):
        place = Lines(start=line, end=line + len(block) - 1)
        spots.append(Spot(record.id, place, "\n".join(block)))
        line += len(block) + 1
    return spots


def calendar_file(
    key: str, records: Sequence[Record], created: datetime, modified: datetime
) -> tuple[bytes, list[Spot]]:
    """A calendar of ``calendar`` records."""
    entries, blocks = [], []
    for record in records:
        f = {name: str(value) for name, value in record.fields.items()}
        notes = "\n".join(
            filter(None, [f"With: {f['with_names']}" if f["with_names"] else "", f["notes"]])
        )
        entries.append(Entry(f["title"], f["start"], f["end"], f["location"], notes))
        block = [f"Event: {f['title']}", f"Starts: {_day(f['start'])}", f"Ends: {_day(f['end'])}"]
        if f["location"]:
            block.append(f"Location: {f['location']}")
        if notes:
            block += f"Description: {notes}".split("\n")
        blocks.append(block)
    return ics_bytes(key, created, modified, entries), _blocks(records, blocks)


def _day(text: str) -> str:
    when = datetime.fromisoformat(text)
    return f"{weekday(when)} {when:%Y-%m-%d %H:%M}"


def list_file(key: str, records: Sequence[Record], created: datetime) -> tuple[bytes, list[Spot]]:
    """A to-do list (VTODO) of ``reminder`` records of one list."""
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//desk.example//Lists//EN"]
    lines.append(f"X-WR-CALNAME:{records[0].fields['list_name']}")
    blocks = []
    for number, record in enumerate(records, 1):
        title, due, done = (str(record.fields[n]) for n in ("title", "due", "done"))
        lines += [
            "BEGIN:VTODO",
            f"UID:{digest(f'{key}#{number}#{title}')}@desk.example",
            f"DTSTAMP:{created:%Y%m%dT%H%M%SZ}",
            f"SUMMARY:{_escaped(title)}",
            f"DUE:{_basic(due)}",
        ]
        block = [f"Task: {title}", f"Due: {_day(due)}"]
        if done:
            lines.append(f"COMPLETED:{_basic(done)}")
            block.append(f"Completed: {_day(done)}")
        lines += [f"STATUS:{'COMPLETED' if done else 'NEEDS-ACTION'}", "END:VTODO"]
        block.append(f"Status: {'COMPLETED' if done else 'NEEDS-ACTION'}")
        blocks.append(block)
    data = "".join(f"{_folded(one)}\r\n" for one in [*lines, "END:VCALENDAR"]).encode()
    return data, _blocks(records, blocks)


def _basic(text: str) -> str:
    return f"{datetime.fromisoformat(text):%Y%m%dT%H%M%S}"


def _escaped(text: str) -> str:
    return re.sub(r"([\\,;])", r"\\\1", text)


def _folded(line: str) -> str:
    """A content line in pieces of at most 60 characters, which are at most 75 octets here."""
    pieces = [line[n : n + 60] for n in range(0, len(line), 60)]
    return "\r\n ".join(pieces)


def address_book(key: str, records: Sequence[Record]) -> tuple[bytes, list[Spot]]:
    """An address book of ``contact`` records; what they are to the person is the note."""
    cards, blocks = [], []
    for record in records:
        f = {name: str(value) for name, value in record.fields.items()}
        card = {
            "name": f["name"],
            "org": f["company"],
            "title": f["role"],
            "email": f["email"],
            "phone": f["phone"],
            "birthday": f["birthday"],
            "note": f["relation"],
            "address": f["address"],
        }
        cards.append({k: v for k, v in card.items() if v})
        block = [f"Card: {f['name']}"]
        for label, value in (
            ("Organisation", f["company"]),
            ("Title", f["role"]),
            ("E-mail", f["email"]),
            ("Telephone (cell)", f["phone"]),
            ("Birthday", f["birthday"]),
            ("Note", f["relation"]),
            ("Address (home)", f["address"]),
        ):
            if value:
                block.append(f"{label}: {value}")
        blocks.append(block)
    return vcf_bytes(key, cards), _blocks(records, blocks)
