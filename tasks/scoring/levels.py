"""Levels on a scale of 1 to 5: reading one from an answer, and comparing two rankings."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Final

TRAIT: Final = "trait"
"""The kind of the questions whose answer is a level of a trait."""


def kendall_tau(a: Sequence[float], b: Sequence[float]) -> float | None:
    """Kendall's tau-b of two equally long samples, in [-1, 1]; None if one of them is all ties.

    ``(C - D) / sqrt((P - A) (P - B))``: concordant and discordant pairs, all pairs, and those tied
    in ``a`` and in ``b``.

    Raises:
        ValueError: they are not equally long.
    """
    if len(a) != len(b):
        raise ValueError(f"tau needs two samples of one length, not {len(a)} and {len(b)}")
    score = untied_a = untied_b = 0
    for i in range(len(a)):
        for j in range(i):
            way_a, way_b = _sign(a[i] - a[j]), _sign(b[i] - b[j])
            score += way_a * way_b
            untied_a += way_a != 0
            untied_b += way_b != 0
    if not untied_a or not untied_b:
        return None
    return score / math.sqrt(untied_a * untied_b)


_SCALE = re.compile(
    r"\bout of (?:5|five)\b|/ ?5\b|\b(?:from |of )?(?:1|one) ?(?:to|-|\u2013) ?(?:5|five)\b"
    r"|\b1 ?\.\. ?5\b"
)
_LEVEL = re.compile(r"(?<![\d.,])([1-5](?:[.,]\d+)?)(?![\d%]|[.,]\d)")
_WORDS: Final[Mapping[str, float]] = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5}


def level_in(answer: str | None) -> float | None:
    """The first level from 1 to 5 that an answer states; the scale itself ("out of 5") is none."""
    said = _SCALE.sub(" ", (answer or "").casefold())
    if found := _LEVEL.search(said):
        level = float(found[1].replace(",", "."))
        return level if level <= 5 else None
    words = [word for word in re.findall(r"[a-z]+", said) if word in _WORDS]
    return _WORDS[words[0]] if words else None


def _sign(value: float) -> int:
    return (value > 0) - (value < 0)
