"""Mails: single eml files, and mailboxes for what comes in bulk."""

from __future__ import annotations

from collections.abc import Sequence
from email.utils import format_datetime

from deskgym.tasks.demo.make.mail import eml_bytes
from deskgym.tasks.made.files.facts import Facts, line_spots
from deskgym.tasks.made.files.placed import Spot
from deskgym.tasks.made.records import Record
from deskgym.tasks.made.records.dates import month, weekday


def eml_file(key: str, record: Record, facts: Facts) -> tuple[bytes, list[Spot]]:
    """A mail as a file of its own."""
    return _bytes(key, record), line_spots(record, facts, _lines(record), 1)


def mbox_file(key: str, records: Sequence[Record], facts: Facts) -> tuple[bytes, list[Spot]]:
    """A mailbox of ``records`` in order."""
    pieces, spots, line = [], [], 1
    for number, record in enumerate(records, 1):
        mail = _bytes(f"{key}#{number}", record).rstrip(b"\n")
        mail = mail.replace(b"\nFrom ", b"\n>From ")
        sender = str(record.fields["sender"]).rpartition("<")[2].rstrip(">")
        when = record.time
        day = f"{weekday(when)[:3]} {month(when)[:3]} {when:%d %H:%M:%S %Y}"
        pieces.append(f"From {sender} {day}\n".encode() + mail + b"\n\n")
        lines = _lines(record)
        spots += line_spots(record, facts, lines, line + 1)
        line += 1 + len(lines) + 1
    return b"".join(pieces), spots


def _bytes(key: str, record: Record) -> bytes:
    f = {name: str(value) for name, value in record.fields.items()}
    return eml_bytes(
        key,
        record.time,
        sender=f["sender"],
        to=f["to"],
        subject=f["subject"],
        body=f["text"],
        attachments=[],
    )


def _lines(record: Record) -> list[str]:
    """The lines that the read tool shows for the mail."""
    f = {name: str(value) for name, value in record.fields.items()}
    date = format_datetime(record.time)
    head = [f"From: {f['sender']}", f"To: {f['to']}", f"Date: {date}", f"Subject: {f['subject']}"]
    return [*head, "", *f["text"].split("\n")]
