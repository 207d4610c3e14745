"""The items of an answer that can be right or wrong by themselves, and where a text has them.

An item is a number, a date, a time of day, or a name. Names are told by their capitals; in scripts
without capitals (Chinese, Japanese, Korean) whatever the compared texts do not share counts as one.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import time
from decimal import Decimal
from typing import Final, Literal

from deskgym.tasks.scoring.answers import contains_run
from deskgym.tasks.scoring.normalise import (
    DayMonth,
    Fact,
    Value,
    YearMonth,
    facts,
    folded,
    stated,
    tokens,
)

Kind = Literal["number", "date", "time", "name"]

SHORT_NUMBER: Final = 100
"""A whole number below this stands in nearly every text: it is found there only beside a word
that it stands beside in the answer too."""
MAX_PLACES: Final = 20
"""Places of a text that are looked at closely for one item."""
_AROUND = 24  # characters; the longest date in words fits

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_WORD = re.compile(r"[^\W_](?:[\w'\u2019.&-]*[^\W_])?")
_TITLE = re.compile(r"\b(?:Mrs?|Ms|Mx|Dr|Prof|Sir)\b\.?\s+")
_SENTENCE_START = re.compile(r"(?:^|[.!?:;\n])[\s\"'(\[*\u2018\u201c-]*$")
_CJK_RUN = re.compile(
    r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af\U00020000-\U0003ffff]{2,}"
)
# Capitalised, and yet no names: words that begin sentences, and parts of dates.
_COMMON = (
    "a about according after all also although an and answer any are as at based because before "
    "both but by can during each final for from had has have he her hers his how however i if "
    "i'd i'll i'm i've in is it its january february march april may june july august september "
    "october november december jan feb mar apr jun jul aug sep sept oct nov dec monday tuesday "
    "wednesday thursday friday saturday sunday mon tue wed thu fri sat sun my n/a no none not of "
    "on one or our she since so some than that the their then there these they this those to "
    "until was we were what when where which while who why will with yes you your am pm"
)
_NO_NAMES = frozenset(_COMMON.split())


@dataclass(frozen=True)
class Item:
    """One item. ``readings`` is empty for names; ``beside`` holds the pairs of neighbouring
    tokens, one of which has to stand in a text that is to have a short number."""

    kind: Kind
    text: str
    readings: Fact = frozenset()
    beside: tuple[tuple[str, str], ...] = ()


def foreign_items(text: str, *known: str) -> list[Item]:
    """The items of ``text`` that none of the ``known`` texts has, in its order by kind."""
    there = set().union(*map(stated, known))
    words = tokens(text)
    found = [_item(fact, words) for fact in facts(text) if fact.isdisjoint(there)]
    known_words = set().union(*map(tokens, known))
    found += [
        Item("name", name) for name in _names(text) if not known_words.issuperset(tokens(name))
    ]
    found += [Item("name", piece) for piece in _cjk_pieces(text, " ".join(map(folded, known)))]
    return list(dict.fromkeys(found))


def places(item: Item, text: str) -> Iterator[int]:
    """Where ``text`` has ``item``, as offsets, in order; at most `MAX_PLACES` are looked at.

    Names are found as they are written, numbers, dates and times in all usual forms in digits.
    """
    if item.kind == "name":
        yield from _name_places(item.text, text)
        return
    starts: dict[int, int] = {}
    for value in item.readings:
        for number, match in enumerate(_pattern(value).finditer(text)):
            if number == MAX_PLACES:
                break
            starts.setdefault(match.start(), match.end())
    for start, end in sorted(starts.items())[:MAX_PLACES]:
        window = _window(text, start, end)
        if item.readings.isdisjoint(stated(window)):
            continue
        if item.beside:
            words = tokens(window)
            if not any(contains_run(words, pair) for pair in item.beside):
                continue
        yield start


def _item(fact: Fact, words: Sequence[str]) -> Item:
    value = sorted(fact, key=str)[0]
    match value:
        case Decimal():
            plain = f"{value.normalize():f}"
            if any(isinstance(v, Decimal) and _is_short(v) for v in fact):
                # Without a word beside it, there is nothing to know it by.
                return Item("number", plain, fact, _pairs(plain, words) or ((plain, ""),))
            return Item("number", plain, fact)
        case time():
            return Item("time", f"{value:%H:%M}", fact)
        case YearMonth():
            return Item("date", f"{_MONTHS[value.month - 1]} {value.year}", fact)
        case DayMonth():
            return Item("date", f"{value.day} {_MONTHS[value.month - 1]}", fact)
    return Item("date", value.isoformat(), fact)


def _is_short(value: Decimal) -> bool:
    return abs(value) < SHORT_NUMBER and value == value.to_integral_value()


def _pairs(number: str, words: Sequence[str]) -> tuple[tuple[str, str], ...]:
    pairs = [pair for pair in itertools.pairwise(words) if number in pair]
    return tuple(
        (a, b) for a, b in pairs if not {a, b} - {number} <= _NO_NAMES and not (a + b).isdigit()
    )


def _names(text: str) -> Iterator[str]:
    text = _TITLE.sub("", text)
    run: list[str] = []
    at = end = 0
    for word in [*_WORD.finditer(text), None]:
        named = word is not None and (word[0][0].isupper() or _is_code(word[0]))
        if run and not (named and word is not None and text[end : word.start()] == " "):
            if (name := _trimmed(run, text[:at], text[end:])) and not _CJK_RUN.search(name):
                yield name
            run = []
        if named and word is not None:
            at, end = (at if run else word.start()), word.end()
            run.append(word[0])


def _trimmed(run: list[str], before: str, after: str) -> str:
    """The name in a run of capitalised words; empty if it has a capital by its place alone.

    A single word at the beginning of a sentence is none, unless it is all that the text says.
    """
    first = _SENTENCE_START.search(before) is not None
    words = list(run)
    while words and words[0].casefold().replace("\u2019", "'") in _NO_NAMES:
        words, first = words[1:], False
    while words and words[-1].casefold() in _NO_NAMES:
        words.pop()
    whole_text = not re.search(r"\w", before + after)
    if len(words) == 1 and first and not _is_code(words[0]) and not whole_text:
        return ""
    return re.sub(r"['\u2019]s$", "", " ".join(words))


def _is_code(word: str) -> bool:
    """Whether a word is written as no common word is: B12, INV-204, iPhone, NASA."""
    return any(c.isupper() for c in word[1:]) or (
        any(c.isdigit() for c in word) and any(c.isupper() for c in word)
    )


def _cjk_pieces(text: str, known: str) -> Iterator[str]:
    """Stretches of two and more characters of which no two neighbours stand in ``known``."""
    for run in _CJK_RUN.findall(text):
        shared = [False] * len(run)
        for at in range(len(run) - 1):
            if run[at : at + 2] in known:
                shared[at] = shared[at + 1] = True
        piece = ""
        for char, is_shared in zip([*run, ""], [*shared, True], strict=True):
            if not is_shared:
                piece += char
                continue
            if len(piece) > 1:
                yield piece
            piece = ""


def _name_places(name: str, text: str) -> Iterator[int]:
    words = name.split()
    if not all(word in text for word in words):  # quick, and nearly always the end of it
        return
    if _CJK_RUN.fullmatch(name):
        pattern = re.escape(name)
    else:
        pattern = r"(?<!\w)" + r"\s+".join(map(re.escape, words)) + r"(?!\w)"
    for number, match in enumerate(re.finditer(pattern, text)):
        if number == MAX_PLACES:
            return
        yield match.start()


def _window(text: str, start: int, end: int) -> str:
    """What stands around, cut at spaces, so that no number is cut in two."""
    left = text.rfind(" ", max(0, start - 3 * _AROUND), max(0, start - _AROUND)) + 1
    left = left or max(0, start - _AROUND)
    right = text.find(" ", end + _AROUND, end + 3 * _AROUND)
    return text[left : right if right >= 0 else end + _AROUND]


def _pattern(value: Value) -> re.Pattern[str]:
    """Finds the places that may state ``value``; whether they do is for `stated` to say."""
    match value:
        case Decimal():
            return re.compile(_number_pattern(abs(value)))
        case time():
            hours = {value.hour, value.hour % 12 or 12}
            either = "|".join(f"0?{hour}" for hour in sorted(hours))
            return re.compile(rf"(?<!\d)(?:{either})(?:[:.]\d\d|\s*[aApP]\.?[mM])")
        case YearMonth():
            year, month, name = value.year, value.month, _month(value.month)
            return re.compile(
                rf"{name}[a-z]*\.?,?\s+{year}|{year}-0?{month}(?!\d)|(?<!\d)0?{month}[./-]{year}"
                rf"|{name}[a-z]*\.?\s+\d{{1,2}}(?:st|nd|rd|th)?,?\s+{year}"
            )
    day, name, number = value.day, _month(value.month), value.month
    return re.compile(
        rf"(?<!\d)0?{day}(?:st|nd|rd|th)?(?:\s+of)?[\s./-]+(?:{name}|0?{number}(?!\d))"
        rf"|(?:{name}[a-z]*\.?\s+|(?<!\d)0?{number}[./-])0?{day}(?!\d)"
    )


def _month(number: int) -> str:
    name = _MONTHS[number - 1]
    return f"(?:{name}|{name.upper()}|{name.lower()})"


def _number_pattern(value: Decimal) -> str:
    """The digits as they may be grouped, and shortened by thousands (1.2m)."""
    forms = []
    for power in (0, 3, 6, 9):
        scaled = (value / Decimal(10) ** power).normalize()
        plain = f"{scaled:f}"
        if power and (scaled < 1 or len(plain) > 5):
            continue
        whole, _, fraction = plain.partition(".")
        groups = re.sub(r"(?<=\d)(?=(?:\d{3})+$)", r"[,.'\\u00a0\\u202f]?", whole)
        forms.append(f"0*{groups}" + (f"[.,]{fraction}" if fraction else ""))
    return rf"(?<!\d)(?:{'|'.join(forms)})(?!\d)"
