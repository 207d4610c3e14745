"""E-mail messages: the headers people read, the best text part, and what is attached."""

from __future__ import annotations

import email
import email.message
import email.policy
from email.errors import MessageError
from email.header import decode_header, make_header
from pathlib import Path

from deskgym.tools.cut import Request, clean, cut_lines
from deskgym.tools.decode import decode_as
from deskgym.tools.guards import damage, load
from deskgym.tools.html import to_text
from deskgym.tools.result import ToolError, ToolResult
from deskgym.tools.sniff import FileType

_SHOWN = ("From", "Sender", "To", "Cc", "Bcc", "Reply-To", "Date", "Subject", "In-Reply-To")
_MAX_DEPTH = 5  # messages forwarded inside of messages


def read(path: Path, kind: FileType, request: Request) -> ToolResult:
    """A message as text: headers, an empty line, the body, then its attachments by name.

    Raises:
        ToolError: too_large, out_of_range, bad_argument, corrupt.
    """
    request.allow("lines", "a message")
    notes: list[str] = []
    # The compat32 policy never refuses a header; what it leaves encoded is decoded below.
    try:
        message = email.message_from_bytes(load(path), policy=email.policy.compat32)
        lines, attachments = _message_lines(message, notes, 0)
    except damage(MessageError) as error:
        raise ToolError("corrupt", f"{path.name!r} is not a readable message: {error}") from error
    text = clean("\n".join(lines).rstrip("\n") + "\n")
    return cut_lines(text, request, {"attachments": attachments}, notes)


def _message_lines(
    message: email.message.Message, notes: list[str], depth: int
) -> tuple[list[str], list[str]]:
    lines = []
    for name in _SHOWN:
        for value in message.get_all(name, []):
            lines.append(f"{name}: {_header(value)}")
    body, attached = _parts(message)
    lines += ["", *(_body_text(body, notes) if body is not None else "(no text)").split("\n")]
    names: list[str] = []
    for part in attached:
        described = _described(part)
        names.append(described)
        lines += ["", f"[attachment: {described}]"]
        if part.get_content_type() == "message/rfc822" and depth < _MAX_DEPTH:
            inner = part.get_payload()
            if isinstance(inner, list) and inner:
                assert isinstance(inner[0], email.message.Message)
                inner_lines, _ = _message_lines(inner[0], notes, depth + 1)
                lines += [f"> {line}".rstrip() for line in inner_lines]
    if attached and depth == 0:
        notes.append("attachments are named only; the message's bytes (read_original) hold them")
    return lines, names


def _parts(
    message: email.message.Message,
) -> tuple[email.message.Message | None, list[email.message.Message]]:
    """The part to show as body (plain before HTML), and everything attached."""
    plain: email.message.Message | None = None
    html: email.message.Message | None = None
    attached: list[email.message.Message] = []
    stack = [message]
    while stack:
        part = stack.pop()
        kind = part.get_content_type()
        payload = part.get_payload()
        if kind.startswith("multipart/") and isinstance(payload, list):
            stack.extend(p for p in reversed(payload) if isinstance(p, email.message.Message))
        elif part.get_content_disposition() == "attachment" or part.get_filename():
            attached.append(part)
        elif kind == "text/plain" and plain is None:
            plain = part
        elif kind == "text/html" and html is None:
            html = part
        elif kind not in ("text/plain", "text/html") or not _same_place(part, message):
            attached.append(part)
    if plain is not None and (html is None or _raw(plain).strip()):
        return plain, attached
    return html, attached


def _same_place(part: email.message.Message, message: email.message.Message) -> bool:
    """Whether a second text part is another form of the body, not more of it."""
    return message.get_content_type() == "multipart/alternative" and part is not message


def _body_text(part: email.message.Message, notes: list[str]) -> str:
    charset = part.get_content_charset() or "utf-8"
    text, used = decode_as(_raw(part), charset)
    if used != charset.lower():
        notes.append(f"the message says {charset}, but its text was read as {used}")
    if part.get_content_type() == "text/html":
        notes.append("the message has no plain text; its HTML was converted")
        return to_text(text)
    return clean(text)


def _raw(part: email.message.Message) -> bytes:
    payload = part.get_payload(decode=True)
    return payload if isinstance(payload, bytes) else b""


def _header(value: object) -> str:
    """A header's text on one line, its encoded words decoded."""
    raw = str(value)
    try:
        text = str(make_header(decode_header(raw)))
    except (MessageError, LookupError, ValueError):
        text = raw
    return " ".join(text.split())


def _described(part: email.message.Message) -> str:
    """``name, type, size`` of an attachment."""
    kind = part.get_content_type()
    if kind == "message/rfc822":
        return f"forwarded message, {kind}"
    name = _header(part.get_filename() or "(no name)")
    return f"{name}, {kind}, {len(_raw(part)):,} bytes"
