"""BM25 over short passages, and the words that it counts.

S. Robertson and H. Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond",
Foundations and Trends in Information Retrieval 3(4), 2009.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

K1, B = 1.2, 0.75

_STOP_WORDS = (
    "a about after all am an and any are as at be been before being but by can could did do does "
    "doing for from had has have having he her hers him his how i if in into is it its just me "
    "more most my of on only or our out over she should so some such than that the their them "
    "then there these they this those through to too under until up us was we were what when "
    "where which who whom whose why will with would you your"
)
STOP_WORDS = frozenset(_STOP_WORDS.split())
_WORD = re.compile(r"[^\W_]+")


def terms(text: str) -> list[str]:
    """The words of ``text`` that carry meaning, in order: lower case, without the commonest
    endings."""
    words = (word.casefold() for word in _WORD.findall(text))
    return [_stem(word) for word in words if word not in STOP_WORDS]


def _stem(word: str) -> str:
    for ending in ("ing", "ed", "s"):
        if word.endswith(ending) and len(word) >= len(ending) + 4 and not word.endswith("ss"):
            return word[: -len(ending)]
    return word


class BM25:
    """Scores of passages for a query. Fixed once made; equal input gives equal scores."""

    def __init__(self, passages: Sequence[str]) -> None:
        counts = [Counter(terms(passage)) for passage in passages]
        self._lengths = [sum(words.values()) for words in counts]
        self._mean_length = (sum(self._lengths) / len(self._lengths)) if self._lengths else 0.0
        self._postings: dict[str, list[tuple[int, int]]] = {}
        for number, words in enumerate(counts):
            for word, times in words.items():
                self._postings.setdefault(word, []).append((number, times))

    def idf(self, term: str) -> float:
        """How much a term tells: the rarer, the more; above 0 for any term."""
        holding = len(self._postings.get(term, ()))
        return math.log(1 + (len(self._lengths) - holding + 0.5) / (holding + 0.5))

    def scores(self, query: str) -> list[float]:
        """The score of each passage, in order; 0 for one without any of the query's terms."""
        found = [0.0] * len(self._lengths)
        for term in sorted(set(terms(query))):
            weight = self.idf(term)
            for number, times in self._postings.get(term, ()):
                norm = K1 * (1 - B + B * self._lengths[number] / self._mean_length)
                found[number] += weight * times * (K1 + 1) / (times + norm)
        return found
