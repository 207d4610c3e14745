"""Lines in Arabic and Hebrew, put back into the order in which they are read."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

Glyph = tuple[str, float, float]
"""A character with its left and right edge on the page."""

_LETTERS = ("R", "AL")
_RTL = ("R", "AL", "AN")
_LTR = ("L", "EN", "AN")
_BETWEEN_NUMBERS = ("ES", "CS", "ET")


def is_rtl(text: str) -> bool:
    """Whether any of ``text`` is written from right to left, or in the digits used there."""
    return any(unicodedata.bidirectional(c) in _RTL for c in text)


def leads(text: str) -> bool:
    """Whether most letters of ``text`` are written from right to left."""
    kinds = [unicodedata.bidirectional(c) for c in text]
    return sum(kind in _LETTERS for kind in kinds) > sum(kind == "L" for kind in kinds)


def logical(glyphs: Iterable[Glyph]) -> str:
    """The text of one line in the order of reading, from where its characters stand.

    Characters without width of their own are marks, or the later parts of a ligature: they follow
    the character that they stand on. Numbers and Latin words run from left to right.
    """
    ordered = sorted(glyphs, key=lambda glyph: -glyph[1])
    for at in range(len(ordered) - 1):
        (_, left, right), (_, below, above) = ordered[at], ordered[at + 1]
        if right - left < 0.01 and below < left <= above + 0.1:
            ordered[at], ordered[at + 1] = ordered[at + 1], ordered[at]
    text = [character for character, _, _ in ordered]
    kinds = [unicodedata.bidirectional(character) for character in text]
    at = 0
    while at < len(text):
        end = _run_end(kinds, at)
        text[at:end] = text[at:end][::-1]
        at = max(end, at + 1)
    return "".join(text)


def _run_end(kinds: list[str], start: int) -> int:
    """The end of the run from left to right that begins at ``start``; ``start`` if none does."""
    end = start
    while end < len(kinds):
        if kinds[end] not in _LTR and not (end > start and _joins(kinds, end)):
            break
        end += 1
    return end


def _joins(kinds: list[str], at: int) -> bool:
    """Whether a character stands within a number, or is the space beside a Latin word."""
    before, after = kinds[at - 1], kinds[at + 1] if at + 1 < len(kinds) else ""
    if kinds[at] == "WS":
        return "L" in (before, after) and before in _LTR and after in _LTR
    return kinds[at] in _BETWEEN_NUMBERS and after in _LTR
