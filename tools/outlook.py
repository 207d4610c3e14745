"""Outlook's own message files (msg), turned into the mail that they stand for.

A msg file is an OLE container: a storage a message, recipient and attachment, a stream for each
property, named by the property's number and type (MS-OXMSG). Small numbers and times stand
together in one stream of properties.
"""

from __future__ import annotations

import struct
from datetime import UTC, datetime, timedelta
from email.message import Message
from email.parser import HeaderParser
from email.utils import format_datetime, formataddr
from pathlib import Path
from typing import Any

from deskgym.tools.guards import MAX_TEXT_BYTES, damage, file_size
from deskgym.tools.mail_parts import Mail, in_charset
from deskgym.tools.result import ToolError

_MAX_DEPTH = 5  # messages attached to messages
_SUBJECT, _BODY, _HTML, _RTF, _HEADERS = "0037", "1000", "1013", "1009", "007D"
_SENDER_NAME, _SENDER, _SENDER_SMTP = "0C1A", "0C1F", "5D01"
_NAME, _ADDRESS, _SMTP = "3001", "3003", "39FE"
_DATA, _LONG_NAME, _SHORT_NAME, _MIME, _CONTENT_ID = "3701", "3707", "3704", "370E", "3712"
_SENT, _RECEIVED, _RECIPIENT_TYPE = 0x0039, 0x0E06, 0x0C15
_CODE_PAGE, _HTML_CODE_PAGE = 0x3FFD, 0x3FDE
_EPOCH = datetime(1601, 1, 1, tzinfo=UTC)
_RECIPIENTS = {1: "To", 2: "Cc", 3: "Bcc"}
_RTF_START = (
    b"{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern "
    b"\\fscript \\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0"
    b"\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx"
)  # what every compressed text is taken to begin with (MS-OXRTFCP)


def as_mail(path: Path) -> Mail:
    """The message in a msg file: headers, its bodies as alternatives, its attachments as parts.

    Raises:
        ToolError: corrupt, too_large, or as `file_size`.
    """
    import olefile

    if file_size(path) > MAX_TEXT_BYTES:
        raise ToolError("too_large", f"{path.name!r} is above {MAX_TEXT_BYTES:,} bytes long")
    try:
        # What is cut short is to be an error, not an empty text.
        with olefile.OleFileIO(str(path), raise_defects=olefile.DEFECT_INCORRECT) as ole:
            made = _Storage(ole, []).mail(0)
        if not made.keys():
            raise ValueError("it has neither headers nor a body")
        return made
    except damage(olefile.OleFileError) as error:
        raise ToolError(
            "corrupt", f"{path.name!r} is a damaged Outlook message: {error}", "try read_original"
        ) from error


class _Storage:
    """One storage of the container: a message, a recipient, or an attachment."""

    def __init__(self, ole: Any, place: list[str], pages: dict[int, int] | None = None) -> None:
        self._ole = ole
        self._place = place
        # Code pages hold for all that is inside; other numbers are each storage's own.
        self._numbers = {
            number: value
            for number, value in (pages or {}).items()
            if number in (_CODE_PAGE, _HTML_CODE_PAGE)
        } | self._fixed()

    def mail(self, depth: int) -> Mail:
        made: Mail = Message()
        self._put_headers(made)
        bodies = self._bodies()
        attached = [part for part in self._attached(depth) if part is not None]
        if not bodies and not attached:
            return made
        if len(bodies) == 1 and not attached:
            made.set_payload(bodies[0].get_payload())
            for name, value in bodies[0].items():
                made[name] = value
            return made
        made["Content-Type"] = "multipart/mixed"
        alternatives: Mail = Message()
        alternatives["Content-Type"] = "multipart/alternative"
        alternatives.set_payload([*bodies])
        made.set_payload([alternatives, *attached])
        return made

    def _put_headers(self, made: Mail) -> None:
        sent = HeaderParser().parsestr(self._text(_HEADERS) or "")
        name, address = self._text(_SENDER_NAME), self._text(_SENDER_SMTP) or self._text(_SENDER)
        given = {"From": _person(name, address), "Subject": self._text(_SUBJECT)}
        people: dict[str, list[str]] = {}
        for storage in self._inner("__recip_version1.0_"):
            place = _RECIPIENTS.get(storage.number(_RECIPIENT_TYPE) or 1, "To")
            address = storage._text(_SMTP) or storage._text(_ADDRESS)
            people.setdefault(place, []).append(_person(storage._text(_NAME), address))
        given |= {place: ", ".join(found) for place, found in people.items()}
        when = self._time(_SENT) or self._time(_RECEIVED)
        given["Date"] = str(sent["Date"] or (format_datetime(when) if when else ""))
        for header in ("From", "To", "Cc", "Bcc", "Date", "Subject"):
            value = given.get(header) or str(sent[header] or "")
            if value:
                made[header] = " ".join(value.split())
        for header in ("Reply-To", "In-Reply-To"):
            if sent[header]:
                made[header] = " ".join(str(sent[header]).split())

    def _bodies(self) -> list[Mail]:
        bodies = []
        if plain := self._text(_BODY):
            bodies.append(_text_part(plain.encode("utf-8", "replace"), "plain"))
        html = self._text(_HTML)
        if html:
            bodies.append(_text_part(html.encode("utf-8", "replace"), "html"))
        elif source := self._bytes(_HTML):
            page = self.number(_HTML_CODE_PAGE)
            text, _ = in_charset(source, f"cp{page}" if page and page != 65001 else "utf-8")
            bodies.append(_text_part(text.encode("utf-8", "replace"), "html"))
        if not bodies and (packed := self._bytes(_RTF)):
            part = _binary_part(unpack_rtf(packed), "application/rtf")
            part["Content-Disposition"] = 'attachment; filename="body.rtf"'
            bodies.append(part)
        return bodies

    def _attached(self, depth: int) -> list[Mail | None]:
        return [storage._attachment(depth) for storage in self._inner("__attach_version1.0_")]

    def _attachment(self, depth: int) -> Mail | None:
        name = self._text(_LONG_NAME) or self._text(_SHORT_NAME) or self._text(_NAME)
        inner = f"__substg1.0_{_DATA}000D"
        if self._ole.exists([*self._place, inner, "__properties_version1.0"]):
            if depth >= _MAX_DEPTH:
                return None
            part: Mail = Message()
            part["Content-Type"] = "message/rfc822"
            message = _Storage(self._ole, [*self._place, inner], self._numbers).mail(depth + 1)
            part.set_payload([message])
            return part
        part = _binary_part(
            self._bytes(_DATA) or b"", self._text(_MIME) or "application/octet-stream"
        )
        where = "inline" if self._text(_CONTENT_ID) else "attachment"
        part.add_header("Content-Disposition", where, filename=("utf-8", "", name or ""))
        return part

    def _inner(self, prefix: str) -> list[_Storage]:
        """The storages of one kind in this one, in their order."""
        depth = len(self._place)
        names = {
            entry[depth]
            for entry in self._ole.listdir(streams=True, storages=True)
            if entry[:depth] == self._place and len(entry) > depth
        }
        return [
            _Storage(self._ole, [*self._place, name], self._numbers)
            for name in sorted(names)
            if name.startswith(prefix)
        ]

    def _stream(self, name: str) -> bytes | None:
        place = [*self._place, name]
        if not self._ole.exists(place):
            return None
        with self._ole.openstream(place) as stream:
            data: bytes = stream.read()
        return data

    def _text(self, number: str) -> str:
        if (data := self._stream(f"__substg1.0_{number}001F")) is not None:
            return data.decode("utf-16-le", "replace").rstrip("\0")
        if (data := self._stream(f"__substg1.0_{number}001E")) is not None:
            page = self.number(_CODE_PAGE)
            page = None if page == 65001 else page
            return in_charset(data.rstrip(b"\0"), f"cp{page}" if page else "utf-8")[0]
        return ""

    def _bytes(self, number: str) -> bytes | None:
        return self._stream(f"__substg1.0_{number}0102")

    def number(self, number: int) -> int | None:
        """A property that is a whole number or a time, as it is stored."""
        return self._numbers.get(number)

    def _time(self, number: int) -> datetime | None:
        ticks = self.number(number)
        if not ticks:
            return None
        try:
            return (_EPOCH + timedelta(microseconds=ticks // 10)).replace(microsecond=0)
        except OverflowError:
            return None

    def _fixed(self) -> dict[int, int]:
        """Numbers and times, from the records of 16 bytes at the end of the property stream."""
        data = self._stream("__properties_version1.0") or b""
        found = {}
        # Before them stands a head: of the message, of a message in it, or of what is in those.
        inner = bool(self._place) and self._place[-1].startswith("__substg1.0_")
        start = 32 if not self._place else 24 if inner else 8
        for at in range(start, len(data) - 15, 16):
            kind, number, _, value = struct.unpack_from("<HHIQ", data, at)
            if kind in (0x0003, 0x0040):
                found[number] = value if kind == 0x0040 else value & 0xFFFFFFFF
        return found


def _person(name: str, address: str) -> str:
    if "@" not in address:  # an address inside of one company's server: /O=.../CN=...
        return name or address
    if not name or name == address:
        return address
    return formataddr((name, address)) if name.isascii() else f"{name} <{address}>"


def _text_part(data: bytes, subtype: str) -> Mail:
    part = _binary_part(data, f"text/{subtype}")
    part.replace_header("Content-Type", f'text/{subtype}; charset="utf-8"')
    return part


def _binary_part(data: bytes, mime: str) -> Mail:
    import base64

    part: Mail = Message()
    part["Content-Type"] = mime
    part["Content-Transfer-Encoding"] = "base64"
    part.set_payload(base64.encodebytes(data).decode("ascii"))
    return part


def unpack_rtf(packed: bytes) -> bytes:
    """Rich text as Outlook compresses it.

    Raises:
        ValueError: it is not in that form.
    """
    if len(packed) < 16:
        raise ValueError("compressed rich text breaks off")
    _, size, magic, _ = struct.unpack_from("<IIII", packed)
    if magic == 0x414C454D:  # MELA: stored as it is
        return packed[16 : 16 + size]
    if magic != 0x75465A4C:  # LZFu
        raise ValueError("unknown compression of rich text")
    window = bytearray(_RTF_START.ljust(4096, b"\0"))
    write, at = len(_RTF_START), 16
    out = bytearray()

    def put(byte: int) -> None:
        nonlocal write
        out.append(byte)
        window[write] = byte
        write = (write + 1) % 4096

    while at < len(packed) and len(out) < size:
        control, at = packed[at], at + 1
        for bit in range(8):
            if at >= len(packed) or len(out) >= size:
                break
            if not control >> bit & 1:
                put(packed[at])
                at += 1
                continue
            pair = int.from_bytes(packed[at : at + 2], "big")
            offset, length, at = pair >> 4, (pair & 15) + 2, at + 2
            if offset == write:
                return bytes(out)
            for step in range(length):
                put(window[(offset + step) % 4096])
    return bytes(out[:size])
