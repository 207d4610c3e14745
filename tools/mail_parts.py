"""What a message is made of: decoded headers, which parts are its body, and attachments by name.

`email` is lenient but old: it gives up on headers in raw 8-bit, on encoded words that are cut in
the middle of a character, and on charsets by the names that mail programs give them. So headers
are decoded here.
"""

from __future__ import annotations

import base64
import binascii
import quopri
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from email.message import Message
from typing import TypeAlias

from deskgym.tools.cut import clean
from deskgym.tools.decode import decode, decode_as
from deskgym.tools.html import to_text
from deskgym.tools.sniff import SUFFIXES

Mail: TypeAlias = "Message[str, str]"

_WORD = re.compile(r"=\?([^?*\s]+)(?:\*[^?\s]*)?\?([bBqQ])\?([^?]*)\?=")
# Charsets under the names that mail uses, and those that hold all of a smaller one.
_CHARSETS = {
    "gb2312": "gb18030", "gbk": "gb18030", "x-gbk": "gb18030", "hz-gb-2312": "hz",
    "ks_c_5601-1987": "cp949", "euc-kr": "cp949", "iso-2022-kr": "iso2022_kr",
    "shift_jis": "cp932", "shift-jis": "cp932", "x-sjis": "cp932", "sjis": "cp932",
    "big5": "big5hkscs", "iso-8859-8-i": "iso-8859-8", "unicode-1-1-utf-7": "utf-7",
    "windows-31j": "cp932", "cp-850": "cp850", "x-mac-roman": "mac-roman",
}  # fmt: skip
_SAFE = {"hz", "iso2022_kr", "big5hkscs", "utf-7", "iso-2022-jp"}
_EXTENSIONS = {kind.mime: suffix for suffix, kind in reversed(SUFFIXES.items())}
_MAX_NAME = 150
_OPEN, _CLOSE = "\ue0f0", "\ue0f1"  # stand for the ends of a quotation while HTML is converted
_QUOTATION = re.compile(r"<(/?)blockquote\b[^>]*>", re.I)


@dataclass
class Layout:
    """A message's parts: what is shown in order, other forms of that, and everything attached."""

    bodies: list[Mail] = field(default_factory=list)
    forms: list[Mail] = field(default_factory=list)
    attached: list[Mail] = field(default_factory=list)


@dataclass(frozen=True)
class Attachment:
    """A part under the name by which it can be read as a member; unique in its message."""

    name: str
    part: Mail
    inline: bool

    @property
    def message(self) -> Mail | None:
        """The message, if that is what is attached."""
        return inner_message(self.part)

    @property
    def described(self) -> str:
        """``name, type, size``."""
        kind = self.part.get_content_type()
        if self.message is not None:
            return f"{self.name}, forwarded message, {kind}"
        return f"{self.name}, {kind}, {len(raw(self.part)):,} bytes"

    def data(self) -> bytes:
        """Its bytes; of a message its source."""
        message = self.message
        return raw(self.part) if message is None else message.as_bytes()


def lay_out(message: Mail) -> Layout:
    """Sort a message's parts. Of alternatives, plain text is shown if it is not blank."""
    layout = Layout()
    _visit(message, layout)
    shown = [part for part in layout.bodies if raw(part).strip()]
    layout.bodies = shown or layout.bodies[:1]
    return layout


def _visit(part: Mail, layout: Layout) -> None:
    kind = part.get_content_type()
    payload = part.get_payload()
    if kind == "multipart/alternative" and isinstance(payload, list):
        _choose([p for p in payload if isinstance(p, Message)], layout)
    elif kind.startswith("multipart/") and isinstance(payload, list):
        for inner in payload:
            if isinstance(inner, Message):
                _visit(inner, layout)
    elif part.get_content_disposition() == "attachment" or file_name(part):
        layout.attached.append(part)
    elif kind in ("text/plain", "text/html"):
        layout.bodies.append(part)
    else:
        layout.attached.append(part)


def _choose(alternatives: list[Mail], layout: Layout) -> None:
    found = [Layout() for _ in alternatives]
    for part, each in zip(alternatives, found, strict=True):
        _visit(part, each)
    worded = [f for f in found if any(raw(part).strip() for part in f.bodies)]
    plain = [f for f in worded if all(p.get_content_type() == "text/plain" for p in f.bodies)]
    best = next(iter(plain or worded or [f for f in found if f.bodies]), None)
    for each in found:
        (layout.bodies if each is best else layout.forms).extend(each.bodies)
        layout.forms.extend(each.forms)
        layout.attached.extend(each.attached)


def attachments(layout: Layout) -> list[Attachment]:
    """Everything attached, and the HTML forms of the body, each under a name of its own."""
    found: list[Attachment] = []
    taken: set[str] = set()
    for number, part in enumerate(layout.attached, 1):
        inline = part.get_content_disposition() == "inline" or "Content-ID" in part
        inline = inline and part.get_content_maintype() == "image"
        message = inner_message(part) is not None
        made = f"forwarded-{number}.eml" if message else f"part-{number}.{_extension(part)}"
        name = _unique(safe_name(file_name(part)) or made, taken)
        found.append(Attachment(name, part, inline))
    return found


def html_forms(layout: Layout, taken: set[str]) -> list[Attachment]:
    """The body's HTML, whether it is what is shown or not, as members ``body.html``."""
    forms = [p for p in layout.bodies + layout.forms if p.get_content_type() == "text/html"]
    return [Attachment(_unique("body.html", taken), part, True) for part in forms]


def inner_message(part: Mail) -> Mail | None:
    """The message in a part of type message/rfc822, if there is one."""
    if part.get_content_type() not in ("message/rfc822", "message/global"):
        return None
    payload = part.get_payload()
    if not (isinstance(payload, list) and payload and isinstance(payload[0], Message)):
        return None
    inner = payload[0]
    if part.get("Content-Transfer-Encoding", "").strip().lower() == "base64" and not inner.keys():
        # Not allowed, but done: the whole message in base64, which the parser took for a body.
        import email.policy

        try:
            source = base64.b64decode(str(inner.get_payload()), validate=False)
        except (binascii.Error, ValueError):
            return inner
        return email.message_from_bytes(source, policy=email.policy.compat32)
    return inner


def safe_name(name: str) -> str:
    """A name that is one part of a path, or "" if nothing is left of it."""
    name = "".join(c if c.isprintable() and c not in "/\\" else "_" for c in clean(name)).strip()
    if len(name) > _MAX_NAME:
        stem, dot, suffix = name.rpartition(".")
        name = stem[:_MAX_NAME] + dot + suffix[:20] if dot else name[:_MAX_NAME]
    return "" if set(name) <= {".", "_", " "} else name


def _unique(name: str, taken: set[str]) -> str:
    stem, dot, suffix = name.rpartition(".")
    stem, suffix = (stem, dot + suffix) if stem else (name, "")
    made, count = name, 1
    while made.casefold() in taken:
        count += 1
        made = f"{stem} ({count}){suffix}"
    taken.add(made.casefold())
    return made


def _extension(part: Mail) -> str:
    return _EXTENSIONS.get(part.get_content_type(), "bin")


def raw(part: Mail) -> bytes:
    """A part's bytes, its transfer encoding undone."""
    payload = part.get_payload(decode=True)
    return payload if isinstance(payload, bytes) else b""


def body_text(part: Mail, notes: list[str]) -> str:
    """A text part as readable text; quotations in HTML are marked with ``>`` as in plain text."""
    charset = part.get_content_charset() or "utf-8"
    text, used = in_charset(raw(part), charset)
    if used != charset.lower():
        notes.append(f"the message says {charset}, but its text was read as {used}")
    if part.get_content_type() == "text/html":
        return _quoting(to_text(_QUOTATION.sub(_marker, text)))
    return clean(text)


def _marker(tag: re.Match[str]) -> str:
    return f"<p>{_CLOSE if tag[1] else _OPEN}</p>"


def _quoting(text: str) -> str:
    lines: list[str] = []
    depth = 0
    for line in text.split("\n"):
        if line.strip() == _OPEN:
            depth += 1
        elif line.strip() == _CLOSE:
            depth = max(0, depth - 1)
        else:
            line = line.replace(_OPEN, "").replace(_CLOSE, "")
            lines.append(f"{'>' * depth} {line}".rstrip() if depth else line)
    shown = "\n".join(lines)
    # The markers stood in paragraphs of their own; an empty line on either side is enough.
    shown = re.sub(r"\n(?:[> ]*\n){2,}(?=>)", lambda m: "\n" + m[0].split("\n")[-2] + "\n", shown)
    return re.sub(r"\n{3,}", "\n\n", shown).strip("\n") + ("\n" if shown.strip() else "")


def in_charset(data: bytes, charset: str) -> tuple[str, str]:
    """``data`` decoded, and the charset: the given one if it is known and fits, else a guess."""
    said = charset.strip().strip("'\"").lower()
    codec = _CHARSETS.get(said, said)
    if codec in _SAFE:
        try:
            return data.decode(codec), said
        except UnicodeError:
            return decode(data)
    text, used = decode_as(data, codec)
    return text, said if used == codec else used


def fields(message: Mail) -> Iterator[tuple[str, str]]:
    """The headers as they are written: names, and values on one line with all words decoded."""
    for name, value in message.raw_items():
        yield name, " ".join(decoded_words(_unescaped(str(value))).split())


def _unescaped(value: str) -> str:
    """A raw header, of which the parser has put 8-bit characters aside, as text."""
    try:
        return decode(value.encode("utf-8", "surrogateescape"))[0]
    except UnicodeEncodeError:
        return clean(value)


def decoded_words(value: str) -> str:
    """``value`` with its encoded words (RFC 2047) decoded.

    Words that follow each other in one charset are decoded together, for some programs cut them
    in the middle of a character.
    """
    out: list[str] = []
    pending, pending_charset, end = b"", "", 0
    for word in _WORD.finditer(value):
        data = _word_bytes(word[2], word[3])
        if data is None:
            continue
        charset, between = word[1].lower(), value[end : word.start()]
        if end and between.isspace():
            between = ""  # it only parts two words
        if pending and (between or charset != pending_charset):
            out.append(in_charset(pending, pending_charset)[0])
            pending = b""
        out.append(between)
        pending, pending_charset, end = pending + data, charset, word.end()
    if pending:
        out.append(in_charset(pending, pending_charset)[0])
    return "".join(out) + value[end:]


def _word_bytes(encoding: str, text: str) -> bytes | None:
    if encoding in "qQ":
        return quopri.decodestring(text.replace("_", " ").encode("utf-8"), header=True)
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4))
    except (binascii.Error, ValueError):
        return None


def file_name(part: Mail) -> str:
    """The file name that a part gives itself (RFC 2231, RFC 2047, or raw), or ""."""
    for name, value in part.raw_items():
        if name.lower() in ("content-disposition", "content-type"):
            # Parsed anew, for in the part itself raw 8-bit characters are lost.
            probe: Mail = Message()
            probe[name] = " ".join(_unescaped(str(value)).split())
            if found := probe.get_filename():
                return decoded_words(found).strip()
    return ""
