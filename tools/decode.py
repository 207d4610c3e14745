"""From bytes to text: byte order marks, UTF-8, UTF-16, the old encodings, at last Latin-1."""

from __future__ import annotations

import codecs
import re

from deskgym.tools.charsets import likely

# UTF-32's little-endian mark begins with UTF-16's, so it is tried first.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_DECLARED = re.compile(rb"""(?:charset\s*=\s*["']?|encoding\s*=\s*["'])([A-Za-z0-9_.:-]+)""", re.I)
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\r\f\x08\x1b"))
# What a declaration may name: other codecs (zlib, rot13, idna, ...) are no encodings of text.
_ALLOWED = re.compile(
    r"(utf[-_]?(8|16|32)|us-ascii|ascii|latin-?1|iso-?8859-?\d+|(windows-?|cp)\d+|koi8-[ru]"
    r"|gb2312|gbk|gb18030|big5|shift[-_]?jis|euc[-_](jp|kr)|iso-2022-jp|macroman|mac-roman)",
    re.I,
)


def decode(data: bytes, *, markup: bool = False) -> tuple[str, str]:
    """The text in ``data`` and the encoding that it was read in.

    With ``markup``, a charset that the first bytes declare is tried after the byte order mark.
    Never fails: Latin-1 takes any bytes.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark) and (text := attempt(data, encoding)) is not None:
            return text, encoding
    if markup and (found := _DECLARED.search(data[:2048])):
        name = found[1].decode("ascii")
        if _ALLOWED.fullmatch(name) and (text := attempt(data, name)) is not None:
            return text, name.lower()
    if wide := _unmarked_utf16(data):
        text = attempt(data, wide)
        if text is not None:
            return text, wide
    if (text := attempt(data, "utf-8")) is not None:
        return text, "utf-8"
    if (old := likely(data)) and (text := attempt(data, old)) is not None:
        return text, old
    for encoding in ("gb18030", "cp1252"):
        if encoding == "gb18030" and not _looks_chinese(data):
            continue
        if (text := attempt(data, encoding)) is not None:
            return text, encoding
    return data.decode("latin-1"), "latin-1"


def decode_as(data: bytes, charset: str) -> tuple[str, str]:
    """The text in ``data``, read in ``charset`` if that is known and fits, else as `decode`."""
    if _ALLOWED.fullmatch(charset.strip()):
        text = attempt(data, charset.strip())
        if text is not None:
            return text, charset.lower()
    return decode(data)


def attempt(data: bytes, encoding: str) -> str | None:
    """``data`` decoded strictly, or None if it is not in that encoding."""
    try:
        return data.decode(encoding)
    except (UnicodeError, LookupError):
        return None


def is_text(start: bytes) -> bool:
    """Whether the first bytes of a file look like text in some encoding."""
    if start.startswith(tuple(mark for mark, _ in _MARKS)) or _unmarked_utf16(start):
        return True
    if b"\0" in start:
        return False
    controls = len(start) - len(start.translate(None, _CONTROLS))
    return controls * 50 <= len(start)


def newline_style(text: str) -> str:
    """``lf``, ``crlf``, ``cr``, ``mixed`` or ``none``."""
    crlf = text.count("\r\n")
    counts = {"crlf": crlf, "lf": text.count("\n") - crlf, "cr": text.count("\r") - crlf}
    used = [name for name, count in counts.items() if count]
    return "none" if not used else used[0] if len(used) == 1 else "mixed"


def _unmarked_utf16(data: bytes) -> str | None:
    """Text of mostly Latin letters in UTF-16 has a NUL in nearly every second byte."""
    sample = data[:4096]
    half = len(sample) // 2
    if half < 2 or (len(data) % 2 and len(data) <= len(sample)):
        return None
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    if odd * 10 >= half * 6 and even * 20 <= half:
        return "utf-16-le"
    if even * 10 >= half * 6 and odd * 20 <= half:
        return "utf-16-be"
    return None


def _looks_chinese(data: bytes) -> bool:
    """Whether bytes that are not UTF-8 are likely GB18030 rather than a Western encoding.

    Almost any bytes decode as GB18030. Real Chinese consists mostly of the 3,755 common
    characters (lead bytes B0 to D7); accented Western letters decode to rare ones.
    """
    text = attempt(data, "gb18030")
    if text is None:
        return False
    foreign = [c for c in text[:200_000] if c > "\x7f"]
    common = 0
    for character in foreign:
        pair = character.encode("gb18030")
        common += len(pair) == 2 and pair[1] >= 0xA1 and (0xB0 <= pair[0] <= 0xD7)
        # Punctuation and full-width forms (A1 to A3) count for neither side.
    marks = sum(1 for c in foreign if c in "，。、；：？！“”‘’（）《》·—…　" or "０" <= c <= "ｚ")
    return common > 0 and common * 10 >= (len(foreign) - marks) * 7
