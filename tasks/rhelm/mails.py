"""The published mails: read from their files, written as messages, told apart by a reference."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from email import policy
from email.header import Header
from email.message import Message
from email.utils import format_datetime, formataddr

from deskgym.tasks.rhelm.sections import words

_RULE = re.compile(r"^={10,}[ \t]*$", re.M)
_FIELD = re.compile(r"(Sender|Recipient|Subject|Summary):[ \t]*(.*)")
_ONE = re.compile(r"([^<>]*)<([^<>]+)>")
_PARTY = re.compile(r"\b(from|to)\b:?", re.I)
_FIELDS = ("Sender", "Recipient", "Subject", "Summary")
_LONGEST = 998  # bytes of a line, says RFC 5322
_NAME_BYTES = 160
_GENERIC = frozenset({"header", "headers", "body", "email", "emails", "mail", "mails", "e"})


@dataclass(frozen=True)
class Mail:
    """One published mail. ``number`` is its place among the day's, from 1."""

    day: date
    number: int
    sender: str
    recipient: str
    subject: str
    summary: str

    @property
    def file_name(self) -> str:
        """Day, number and subject, without what file systems refuse."""
        subject = re.sub(r'[\x00-\x1f\x7f/\\:*?"<>|]+', " ", self.subject)
        subject = " ".join(subject.split()).encode()[:_NAME_BYTES].decode(errors="ignore")
        subject = subject.strip(" .") or "no subject"
        return f"{self.day.isoformat()} {self.number} {subject}.eml"

    def readable(self) -> str:
        """The mail as text: what its file shows when it is read as a message."""
        head = [
            f"From: {_shown(self.sender)}",
            f"To: {_shown(self.recipient)}",
            f"Date: {_date(self.day)}",
            f"Subject: {self.subject}",
        ]
        return "\n".join([*head, "", self.summary])


def parse_mails(text: str, day: date) -> tuple[Mail, ...]:
    """The mails of one published file, which holds those of ``day``.

    Raises:
        ValueError: a mail lacks a field, or begins with something else; the message says which.
    """
    mails: list[Mail] = []
    for part in _RULE.split(text.replace("\r\n", "\n").replace("\r", "\n")):
        if part.strip():
            number = len(mails) + 1
            given = _fields(part, number)
            if missing := [
                f for f in ("Sender", "Recipient", "Subject", "Summary") if f not in given
            ]:
                raise ValueError(f"mail {number} has no field {missing[0]!r}")
            line = {name: " ".join(value.split()) for name, value in given.items()}
            sender, recipient, subject = line["Sender"], line["Recipient"], line["Subject"]
            mails.append(Mail(day, number, sender, recipient, subject, given["Summary"].strip()))
    return tuple(mails)


def _fields(part: str, number: int) -> dict[str, str]:
    """The fields of one mail; a line that begins none goes on with the one before."""
    given: dict[str, str] = {}
    last = ""
    for line in part.strip("\n").split("\n"):
        if (found := _FIELD.match(line)) and found[1] not in given:
            last = found[1]
            given[last] = found[2]
        elif last:
            given[last] += "\n" + line
        elif line.strip():
            raise ValueError(f"mail {number} begins with {line[:40]!r}, which is no field")
    return given


def message(mail: Mail, person: str) -> bytes:
    """``mail`` as a message (RFC 5322), the same bytes everywhere; ``person`` marks its id.

    Published are a day and a summary: the time is midnight of an unknown zone, and the summary
    is the body.
    """
    made: Message[str | Header, str | Header] = Message(policy=policy.compat32)
    made["From"] = _written(mail.sender)
    made["To"] = _written(mail.recipient)
    made["Date"] = _date(mail.day)
    charset = "us-ascii" if mail.subject.isascii() else "utf-8"
    made["Subject"] = Header(mail.subject, charset, header_name="Subject")
    made["Message-ID"] = f"<{mail.day.isoformat()}.{mail.number}.{person}@rhelm.invalid>"
    made["MIME-Version"] = "1.0"
    body = mail.summary + "\n"
    if any(len(line.encode()) > _LONGEST for line in body.split("\n")):
        made.set_payload(body, "utf-8")  # in base64
    else:
        made["Content-Type"] = 'text/plain; charset="utf-8"'
        made["Content-Transfer-Encoding"] = "7bit" if body.isascii() else "8bit"
        made.set_payload(body.encode().decode("ascii", "surrogateescape"))
    return made.as_bytes(policy=policy.compat32.clone(linesep="\r\n"))


def _date(day: date) -> str:
    return format_datetime(datetime.combine(day, time()))


@dataclass(frozen=True)
class _Group:
    """Whoever stands behind one name: people by addresses, or a list without any."""

    name: str
    addresses: tuple[str, ...]


def _groups(value: str) -> list[_Group]:
    if "<" in value:
        return [
            _Group(name.strip(" ,;\"'"), tuple(re.split(r"[;,\s]+", inside.strip(" ;,"))))
            for name, inside in _ONE.findall(value)
        ]
    parts = [part.strip() for part in re.split(r"[;,]", value) if part.strip()]
    return [_Group("", (part,)) if "@" in part else _Group(part, ()) for part in parts]


def _written(value: str) -> str:
    return ", ".join(_address(group, encoded=True) for group in _groups(value))


def _shown(value: str) -> str:
    return ", ".join(_address(group, encoded=False) for group in _groups(value))


def _address(group: _Group, *, encoded: bool) -> str:
    if len(group.addresses) == 1:
        if encoded or group.name.isascii():
            return formataddr((group.name, group.addresses[0]))
        return f"{group.name} <{group.addresses[0]}>"
    name = group.name
    if not name.isascii():
        name = Header(name, "utf-8").encode() if encoded else name
    elif re.search(r"[^\w \-+]", name):
        name = '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return f"{name}: {', '.join(group.addresses)};" if group.addresses else f"{name}:;"


def meant(section: str, mails: Sequence[Mail]) -> tuple[Mail, ...] | None:
    """The mails of a day that a reference's section means; None if it tells of none of them.

    ``Email 2`` is the second; ``From: X ... To: Y``, ``Email to X``, ``Email from X`` and a
    subject are those that agree; words for any mail (``Email``, ``Header``, ``Body``) are all. A
    number that no mail has means none: an empty tuple.
    """
    said = words(section)
    if all(word in _GENERIC for word in said):
        return tuple(mails)
    if number := re.fullmatch(r"(?:header:?\s*)?(?:e-?mail\s*)?#?(\d+)", section.strip(), re.I):
        return tuple(m for m in mails if m.number == int(number[1]))
    subject = words(re.sub(r"^.*?subject:", "", section, flags=re.I | re.S))
    if alike := tuple(m for m in mails if words(m.subject) == subject):
        return alike
    parts = _PARTY.split(section)
    parties = [(kind.casefold(), name) for kind, name in zip(parts[1::2], parts[2::2], strict=True)]
    if not any(words(name) for _, name in parties):
        return None
    return tuple(m for m in mails if all(_is(kind, name, m) for kind, name in parties)) or None


def _is(kind: str, name: str, mail: Mail) -> bool:
    """Whether ``name`` is the mail's sender (``from``) or recipient: all words are the party's."""
    party = mail.sender if kind == "from" else mail.recipient
    return set(words(name)) <= set(words(party))
