"""Mails, calendars and address books, as bytes."""

from __future__ import annotations

import mimetypes
import re
from datetime import datetime, timedelta
from email.message import EmailMessage
from email.utils import format_datetime

from deskgym.tasks.demo.make.deterministic import digest
from deskgym.tasks.demo.make.markup import tidy
from deskgym.tasks.demo.make.things import DeskError, Event

_DOMAIN = "desk.example"
_CARD_KEYS = {
    "org": "ORG",
    "title": "TITLE",
    "email": "EMAIL;TYPE=INTERNET",
    "phone": "TEL;TYPE=CELL",
    "url": "URL",
    "birthday": "BDAY",
    "note": "NOTE",
}


def eml_bytes(
    key: str,
    when: datetime,
    *,
    sender: str,
    to: str,
    subject: str,
    body: str,
    cc: str = "",
    reply_to: str | None = None,
    html: str | None = None,
    attachments: list[tuple[str, bytes]],
) -> bytes:
    """A mail dated ``when``; ``key`` makes its message id and boundaries."""
    mail = EmailMessage()
    mail["Date"] = format_datetime(when)  # a naive time is written as -0000: zone not known
    mail["From"] = sender
    mail["To"] = to
    if cc:
        mail["Cc"] = cc
    if reply_to:
        mail["Reply-To"] = reply_to
    mail["Subject"] = subject
    mail["Message-ID"] = f"<{digest(key)}@{_DOMAIN}>"
    mail.set_content(tidy(body) + "\n")
    if html is not None:
        mail.add_alternative(tidy(html) + "\n", subtype="html")
    # An own table: the module's functions also read whatever the machine has in /etc.
    known = mimetypes.MimeTypes()
    for name, data in attachments:
        kind = known.guess_type(name)[0] or "application/octet-stream"
        main, _, sub = kind.partition("/")
        mail.add_attachment(data, maintype=main, subtype=sub, filename=name)
    for number, part in enumerate(p for p in mail.walk() if p.is_multipart()):
        part.set_boundary(f"=_{digest(f'{key}#{number}')}")
    return mail.as_bytes()


def moment(text: str) -> datetime:
    """The time that ``2025-03-01 09:00`` (or with seconds, or a bare date) stands for.

    Raises:
        DeskError: it is in none of these forms, or has a zone.
    """
    try:
        when = datetime.fromisoformat(text)
    except ValueError as error:
        raise DeskError(f"not a time: {text!r}; write it as 2025-03-01 09:00") from error
    if when.tzinfo is not None:
        raise DeskError(f"a time with a zone: {text!r}; times are local, leave the zone out")
    return when


def ics_bytes(key: str, created: datetime, modified: datetime, events: list[Event]) -> bytes:
    """A calendar of ``events``, in floating local time."""
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", f"PRODID:-//{_DOMAIN}//Calendar//EN"]
    for number, event in enumerate(events, 1):
        if moment(event.end) < moment(event.start):
            raise DeskError(f"{key}: the event {event.title!r} ends before it starts")
        all_day = len(event.start) == 10
        # An all-day entry's DTEND is the first day that is no longer part of it.
        last = moment(event.end) + timedelta(days=1 if all_day else 0)
        lines += [
            "BEGIN:VEVENT",
            f"UID:{digest(f'{key}#{number}#{event.title}')}@{_DOMAIN}",
            f"DTSTAMP:{created:%Y%m%dT%H%M%SZ}",
            f"LAST-MODIFIED:{modified:%Y%m%dT%H%M%SZ}",
            _stamp("DTSTART", moment(event.start), all_day),
            _stamp("DTEND", last, all_day),
            f"SUMMARY:{_escaped(event.title)}",
        ]
        if event.rrule:
            lines.append(f"RRULE:{event.rrule.removeprefix('RRULE:')}")
        if event.location:
            lines.append(f"LOCATION:{_escaped(event.location)}")
        if event.notes:
            lines.append(f"DESCRIPTION:{_escaped(tidy(event.notes))}")
        lines.append("END:VEVENT")
    return _folded([*lines, "END:VCALENDAR"])


def vcf_bytes(key: str, cards: list[dict[str, str]]) -> bytes:
    """An address book (vCard 3.0) with the fields name, org, title, email, phone, note."""
    lines = []
    for card in cards:
        if unknown := sorted(set(card) - {"name", "address"} - set(_CARD_KEYS)):
            known = ", ".join(["name", "address", *_CARD_KEYS])
            raise DeskError(f"{key}: a card cannot hold {unknown}; it can hold {known}")
        if not card.get("name"):
            raise DeskError(f"{key}: a card without a name: {card}")
        given, _, family = card["name"].rpartition(" ")
        lines += ["BEGIN:VCARD", "VERSION:3.0", f"FN:{_escaped(card['name'])}"]
        lines.append(f"N:{_escaped(family)};{_escaped(given)};;;")
        lines += [f"{name}:{_escaped(card[k])}" for k, name in _CARD_KEYS.items() if card.get(k)]
        if card.get("address"):
            lines.append(f"ADR;TYPE=HOME:;;{_escaped(card['address'])};;;;")
        lines.append("END:VCARD")
    return _folded(lines)


def _stamp(name: str, when: datetime, all_day: bool) -> str:
    return f"{name};VALUE=DATE:{when:%Y%m%d}" if all_day else f"{name}:{when:%Y%m%dT%H%M%S}"


def _escaped(text: str) -> str:
    return re.sub(r"([\\,;])", r"\\\1", text).replace("\n", "\\n")


def _folded(lines: list[str]) -> bytes:
    """Lines of at most 75 octets; what is longer goes on after a line break and a space."""
    out = []
    for line in lines:
        rest, width = line, 75
        while len(rest.encode()) > width:
            cut = width
            while len(rest[:cut].encode()) > width:
                cut -= 1
            out.append(rest[:cut])
            rest = " " + rest[cut:]
        out.append(rest)
    return ("\r\n".join(out) + "\r\n").encode()
