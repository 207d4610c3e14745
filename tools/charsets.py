"""Which of the old encodings a text without a declaration is likely in, by its bytes."""

from __future__ import annotations

import re

_SAMPLE = 64 * 1024
_FEWEST = 4  # characters beyond ASCII, below which nothing can be told
_PAIR = re.compile(rb"([\xa1-\xfe])[\xa1-\xfe]")
_EUC = re.compile(rb"(?:[\x00-\x7f]|[\xa1-\xfe][\xa1-\xfe])*[\xa1-\xfe]?")
_WORD = re.compile(rb"[A-Za-z\x80-\xff]+")
# The letters that make up most of any text in these scripts.
_FREQUENT = {
    "cp1251": "оеаинтсрвлкмдпуя",
    "koi8-r": "оеаинтсрвлкмдпуя",
    "cp1253": "αοιετσνηυρπκμλςάίέόήύώ",
    "cp1255": "יוהלאמרבתשנםכד",
    "cp1256": "المينوهبرتدعكسفحةق",
}


def likely(data: bytes) -> str | None:
    """The encoding of text that is not UTF-8, or None where it is Western or cannot be told.

    Knows Korean (cp949), Japanese (cp932, euc-jp), traditional Chinese (big5), Cyrillic (cp1251,
    koi8-r), Greek, Hebrew and Arabic (cp1253, cp1255, cp1256).
    """
    sample = data[:_SAMPLE]
    high = sum(byte > 0x7F for byte in sample)
    if high < _FEWEST:
        return None
    return _euc(sample) or _japanese_or_big5(sample) or _single_byte(sample, high)


def _euc(sample: bytes) -> str | None:
    """Korean and Japanese in pairs of high bytes; simplified Chinese is left to its own test."""
    if not _EUC.fullmatch(sample):
        return None
    leads = [match[1][0] for match in _PAIR.finditer(sample)]
    kana = sum(lead in (0xA4, 0xA5) for lead in leads)
    if kana * 5 >= len(leads):
        return "euc-jp"
    words = [lead for lead in leads if lead >= 0xB0]
    hangul = sum(lead <= 0xC8 for lead in words)
    # Chinese uses the pairs above as well, for almost every second character.
    return "cp949" if len(words) >= _FEWEST and hangul * 20 >= len(words) * 19 else None


def _japanese_or_big5(sample: bytes) -> str | None:
    text = _decoded(sample, "cp932")
    if text is not None:
        foreign = [c for c in text if c > "\x7f"]
        kana = sum("\u3040" <= c <= "\u30ff" for c in foreign)
        narrow = sum("\uff61" <= c <= "\uff9f" for c in foreign)
        if kana * 5 >= len(foreign) and narrow * 10 <= len(foreign):
            return "cp932"
    text = _decoded(sample, "big5")
    if text is not None:
        foreign = [c for c in text if c >= "\u4e00"]
        common = sum(0xA4 <= c.encode("big5", "replace")[0] <= 0xC6 for c in foreign)
        # A second byte below 0x80 is what simplified Chinese never has.
        if (
            len(foreign) >= _FEWEST
            and common * 10 >= len(foreign) * 9
            and not _EUC.fullmatch(sample)
        ):
            return "big5"
    return None


def _single_byte(sample: bytes, high: int) -> str | None:
    """Scripts with an alphabet of their own: words of high bytes only."""
    foreign = [word for word in _WORD.findall(sample) if any(byte > 0x7F for byte in word)]
    letters = sum(map(len, foreign))
    if sum(byte > 0x7F for word in foreign for byte in word) * 10 < letters * 8:
        return None  # accents in Latin words
    best, score = None, 0.5
    for encoding, frequent in _FREQUENT.items():
        text = _decoded(sample, encoding)
        share = sum(c in frequent for c in text) / high if text is not None else 0.0
        if share > score:
            best, score = encoding, share
    return best


def _decoded(sample: bytes, encoding: str) -> str | None:
    """The sample as text; its last character may be cut in two."""
    for end in (len(sample), len(sample) - 1):
        try:
            return sample[:end].decode(encoding)
        except UnicodeDecodeError:
            continue
    return None
