"""Mail, calendars and contacts."""

from __future__ import annotations

import email
import email.policy
import email.utils
import html
import re
from collections.abc import Iterator
from email.message import EmailMessage

from .common import Broken, Record, text_of

# --- mail ---------------------------------------------------------------------------------------


def mail(data: bytes) -> Iterator[Record]:
    """The one record of a mail; its body as text, without what is attached."""
    message = email.message_from_bytes(data, policy=email.policy.default)
    if not isinstance(message, EmailMessage) or not (message["from"] or message["subject"]):
        raise Broken("no mail")
    people = [str(message[name]) for name in ("to", "cc") if message[name]]
    yield Record(
        "mails",
        (
            "file",
            _mail_date(str(message["date"] or "")),
            str(message["from"] or ""),
            ", ".join(people),
            str(message["subject"] or ""),
            _mail_body(message),
        ),
    )


def _mail_date(text: str) -> str:
    try:
        return email.utils.parsedate_to_datetime(text).strftime("%Y-%m-%d %H:%M")
    except ValueError:
        return text


def _mail_body(message: EmailMessage) -> str:
    part = message.get_body(("plain", "html"))
    if part is None:
        return ""
    text = str(part.get_content())
    return _untagged(text) if part.get_content_subtype() == "html" else text


def _untagged(text: str) -> str:
    text = re.sub(r"(?is)<(script|style)\b.*?</\1>", " ", text)
    text = re.sub(r"(?i)<(?:br|/p|/div|/tr|/li|/h\d)\b[^>]*>", "\n", text)
    return html.unescape(re.sub(r"<[^>]*>", " ", text))


# --- calendars and contacts ---------------------------------------------------------------------

Fields = dict[str, list[str]]


def _components(data: bytes, *names: str) -> Iterator[Fields]:
    """The values by property of each component of these names; what is nested in it is its own."""
    text = re.sub(r"\n[ \t]", "", text_of(data))  # long lines are folded
    if "BEGIN:" not in text.upper():
        raise Broken("neither a calendar nor contacts")
    stack: list[tuple[str, Fields]] = []
    for line in text.split("\n"):
        head, _, value = line.partition(":")
        name = head.partition(";")[0].strip().upper().rpartition(".")[2]
        value = value.strip()
        if name == "BEGIN":
            stack.append((value.upper(), {}))
        elif name == "END" and stack:
            kind, fields = stack.pop()
            if kind in names:
                yield fields
        elif stack and name:
            stack[-1][1].setdefault(name, []).append(_unescaped(value))


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", lambda m: "\n" if m[1] in "nN" else m[1], text)


def _joined(fields: Fields, *names: str) -> str:
    return ", ".join(value for name in names for value in fields.get(name, []))


def calendar(data: bytes) -> Iterator[Record]:
    """A record for each event, task and journal entry; a repeated one stands once."""
    for event in _components(data, "VEVENT", "VTODO", "VJOURNAL"):
        attendees = _joined(event, "ORGANIZER", "ATTENDEE").replace("mailto:", "")
        yield Record(
            "calendar",
            (
                "file",
                _joined(event, "UID"),
                _joined(event, "SUMMARY"),
                _when(_joined(event, "DTSTART")),
                _when(_joined(event, "DTEND", "DUE")),
                _joined(event, "RRULE"),
                _joined(event, "LOCATION"),
                attendees,
                _joined(event, "DESCRIPTION", "COMMENT"),
            ),
        )


def _when(text: str) -> str:
    m = re.fullmatch(r"(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)\d\d(Z?))?", text)
    if m is None:
        return text
    day = f"{m[1]}-{m[2]}-{m[3]}"
    return f"{day} {m[4]}:{m[5]}{m[6]}" if m[4] else day


def contacts(data: bytes) -> Iterator[Record]:
    """A record for each card."""
    for card in _components(data, "VCARD"):
        values = [_joined(card, name) for name in ("FN", "EMAIL", "TEL", "ORG", "NOTE")]
        values[0] = values[0] or _joined(card, "N").replace(";", " ").strip()
        yield Record("contacts", ("file", *values))
