"""E-mail (eml, msg, mbox): the headers people read, every text part, and what is attached."""

from __future__ import annotations

import email
import email.policy
import re
from collections.abc import Iterator
from email.errors import MessageError
from pathlib import Path
from typing import Any

from deskgym.tools import outlook
from deskgym.tools.cut import Request, clean, cut_lines, listing
from deskgym.tools.guards import damage, load
from deskgym.tools.mail_parts import (
    Attachment,
    Layout,
    Mail,
    attachments,
    body_text,
    fields,
    html_forms,
    lay_out,
)
from deskgym.tools.result import ToolError, ToolResult
from deskgym.tools.sniff import FileType

_SHOWN = ("From", "Sender", "To", "Cc", "Bcc", "Reply-To", "Date", "Subject", "In-Reply-To")
_MAX_DEPTH = 5  # messages forwarded inside of messages
_MAX_MAILS = 10_000
_HISTORY = re.compile(
    r"-{2,} ?(Original Message|Forwarded message|Ursprüngliche Nachricht|Message d'origine"
    r"|Mensaje original|原始邮件|转发邮件) ?-{2,}|Begin forwarded message:|_{20,}",
    re.I,
)
_OUTLOOK_HEAD = re.compile(r"(From|Von|De|发件人|보낸 사람)\s?[:：]\s?\S")
_OUTLOOK_NEXT = re.compile(r"(Sent|Date|Gesendet|Envoyé|Enviado|发送时间|보낸 날짜)\s?[:：]")
_ENCLOSING = ("application/pkcs7-mime", "application/x-pkcs7-mime", "multipart/encrypted")


def read(path: Path, kind: FileType, request: Request) -> ToolResult:
    """A message as text: headers, an empty line, the body, then its attachments by name. Of a
    mailbox, all messages one after the other.

    Raises:
        ToolError: too_large, out_of_range, bad_argument, corrupt, unsupported.
    """
    request.allow("lines", "a message")
    notes: list[str] = []
    try:
        text, info = _mailbox(path, notes) if kind.family == "mbox" else _single(path, kind, notes)
    except damage(MessageError) as error:
        raise ToolError("corrupt", f"{path.name!r} is not a readable message: {error}") from error
    notes = list(dict.fromkeys(notes))
    quoted = _quoted(text)
    if quoted:
        info["quoted_lines"] = listing(quoted)
        lines = text.split("\n")
        if kind.family != "mbox" and any(lines[n - 1][:1] != ">" for n in quoted):
            notes.append(f"quoted from earlier mail: lines {info['quoted_lines']}")
    return cut_lines(text, request, info, notes)


class Enclosed:
    """What a message or mailbox holds, as members: attachments, forwarded messages, the HTML form
    of the body; of a mailbox its messages as ``1.eml``, ``2.eml``.

    Raises:
        ToolError: too_large, corrupt, unsupported.
    """

    def __init__(self, path: Path, kind: FileType) -> None:
        self._path = path
        self._mails: dict[str, bytes] = {}
        self._parts: dict[str, Attachment] = {}
        if kind.family == "mbox":
            mails = enumerate(split_mailbox(load(path)), 1)
            self._mails = {f"{number}.eml": source for number, source in mails}
            return
        with_faults = damage(MessageError)
        try:
            layout = lay_out(_message(path, kind))
            found = attachments(layout)
            found += html_forms(layout, {part.name.casefold() for part in found})
        except with_faults as error:
            raise ToolError(
                "corrupt", f"{path.name!r} is not a readable message: {error}"
            ) from error
        self._parts = {part.name: part for part in found}

    def names(self) -> list[str]:
        """The members by the names that `read` takes."""
        return [*self._mails, *self._parts]

    def read(self, name: str) -> bytes:
        """The bytes of the member ``name``.

        Raises:
            ToolError: corrupt.
        """
        if name in self._mails:
            return self._mails[name]
        try:
            return self._parts[name].data()
        except damage(MessageError) as error:
            raise ToolError(
                "corrupt", f"{name!r} in {self._path.name!r} is damaged: {error}"
            ) from error


def split_mailbox(source: bytes) -> Iterator[bytes]:
    """The messages of a mailbox, without the ``From `` lines that part them.

    Such a line stands at the beginning or after an empty line, and before a header. Lines that
    look alike inside of a message have a ``>`` in front, which is taken away.
    """
    current: list[bytes] | None = None
    lines = source.replace(b"\r\n", b"\n").split(b"\n")
    for number, line in enumerate(lines):
        if line.startswith(b"From ") and (number == 0 or not lines[number - 1].strip()):
            following = lines[number + 1] if number + 1 < len(lines) else b""
            if re.match(rb"[A-Za-z][A-Za-z0-9-]*:|>?From ", following):
                if current is not None:
                    yield b"\n".join(current).rstrip(b"\n") + b"\n"
                current = []
                continue
        if current is not None:
            current.append(line[1:] if re.match(rb">+From ", line) else line)
    if current is not None:
        yield b"\n".join(current).rstrip(b"\n") + b"\n"


def _message(path: Path, kind: FileType) -> Mail:
    if kind.family == "msg":
        return outlook.as_mail(path)
    # The compat32 policy never refuses a header; what it leaves encoded is decoded later.
    return email.message_from_bytes(load(path), policy=email.policy.compat32)


def _single(path: Path, kind: FileType, notes: list[str]) -> tuple[str, dict[str, Any]]:
    message = _message(path, kind)
    lines, named = _message_lines(message, notes, 0)
    layout = lay_out(message)
    if named:
        notes.append(f"attachments are read as {path.name}!/NAME")
    if html_forms(layout, set()):
        notes.append(f"the message's HTML is read as {path.name}!/body.html")
    return clean("\n".join(lines).rstrip("\n") + "\n"), {"attachments": named}


def _mailbox(path: Path, notes: list[str]) -> tuple[str, dict[str, Any]]:
    lines: list[str] = []
    mails = list(split_mailbox(load(path)))
    if len(mails) > _MAX_MAILS:
        notes.append(f"only the first {_MAX_MAILS:,} of {len(mails):,} messages are shown")
    for number, source in enumerate(mails[:_MAX_MAILS], 1):
        message = email.message_from_bytes(source, policy=email.policy.compat32)
        head = f"=== message {number} of {len(mails)}: {number}.eml ==="
        shown, _ = _message_lines(message, notes, 0)
        lines += [head, *"\n".join(shown).rstrip("\n").split("\n"), ""]
    notes.append(f"each message is read by itself as {path.name}!/1.eml, and so on")
    return clean("\n".join(lines).rstrip("\n") + "\n"), {"messages": len(mails)}


def _message_lines(message: Mail, notes: list[str], depth: int) -> tuple[list[str], list[str]]:
    """A message's lines, and its attachments as described."""
    given = list(fields(message))
    lines = [
        f"{shown}: {value}"
        for shown in _SHOWN
        for name, value in given
        if name.lower() == shown.lower()
    ]
    layout = lay_out(message)
    lines += ["", *_body(layout, notes).split("\n")]
    if message.get_content_type() in _ENCLOSING:
        notes.append("the message is encrypted or sealed; its text cannot be shown")
    names: list[str] = []
    for attached in attachments(layout):
        names.append(attached.described)
        what = "inline" if attached.inline else "attachment"
        lines += ["", f"[{what}: {attached.described}]"]
        inner = attached.message
        if inner is not None and depth < _MAX_DEPTH:
            inner_lines, _ = _message_lines(inner, notes, depth + 1)
            lines += [f"> {line}".rstrip() for line in inner_lines]
    return lines, names


def _body(layout: Layout, notes: list[str]) -> str:
    if not layout.bodies:
        return "(no text)"
    kinds = {part.get_content_type() for part in layout.bodies}
    if kinds == {"text/html"}:
        notes.append("the message has no plain text; its HTML was converted")
    text = "\n".join(body_text(part, notes) for part in layout.bodies)
    if kinds == {"text/plain"}:
        # "Your mail program cannot show this message" is no alternative.
        for form in layout.forms:
            if form.get_content_type() == "text/html":
                full = body_text(form, [])
                if len(full.split()) > 2 * len(text.split()) + 20:
                    text = f"{text.rstrip()}\n\n[its HTML form says more:]\n{full}"
    return text


def _quoted(text: str) -> list[int]:
    """The lines that repeat earlier mail: marked with ``>``, or below a head that says so."""
    found: list[int] = []
    in_head, below = True, False
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        if line.startswith("=== message "):
            in_head, below = True, False
        elif line.startswith(("[attachment: ", "[inline: ")):
            below = False
        elif not line:
            in_head = False
        elif not in_head and _begins_history(lines[number - 1 : number + 2]):
            below = True
        if line and (below or line.startswith(">")):
            found.append(number)
    return found


def _begins_history(lines: list[str]) -> bool:
    """Whether a line like ``-----Original Message-----`` stands here, or what Outlook puts above
    a quotation: ``From: ...``, and ``Sent: ...`` in one of the next two lines."""
    if _HISTORY.match(lines[0]):
        return True
    return bool(_OUTLOOK_HEAD.match(lines[0])) and any(map(_OUTLOOK_NEXT.match, lines[1:]))
