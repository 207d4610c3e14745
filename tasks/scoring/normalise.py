"""Text made comparable: tokens, and the numbers, dates and times of day that a text states."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from datetime import date, time
from decimal import Decimal
from typing import NamedTuple


class YearMonth(NamedTuple):
    """A month of a year, with no day said."""

    year: int
    month: int


class DayMonth(NamedTuple):
    """A day of a month, with no year said."""

    month: int
    day: int


Value = Decimal | date | time | YearMonth | DayMonth
Fact = frozenset[Value]
"""One statement of a number, date or time: all its readings (``12/03/2024`` has two)."""

_CURRENCY = r"$£¥¢\u20a0-\u20cf"
_CJK = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af\U00020000-\U0003ffff"
_ARTICLES = frozenset({"a", "an", "the"})
_WORDS = {
    word: str(number)
    for number, word in enumerate(
        (
            *("zero", "one", "two", "three", "four", "five", "six"),
            *("seven", "eight", "nine", "ten", "eleven", "twelve"),
        )
    )
}

# The minus sign in front of a number is kept: -5 is not 5. A hyphen between two things is none.
_SIGN = r"(?:(?<![\w)\]%-])-)"
_TOKEN = re.compile(
    rf"(?P<number>{_SIGN}?(?<!\w)(?<!\d[.,])(?:\d{{1,3}}(?:,\d{{3}})+|\d+)(?:\.\d+)?(?!\w|[.,]\d))"
    rf"|[{_CJK}]|(?:(?![{_CJK}])[^\W_])+"
)


def _plain(text: str) -> str:
    """Compatibility forms folded, one kind of dash and apostrophe, digits grouped by commas."""
    text = re.sub("(?<=\\d)[\u00a0\u2009\u202f](?=\\d{3}(?!\\d))", ",", text)
    text = unicodedata.normalize("NFKC", text)
    text = re.sub("[\u2010-\u2015\u2212]", "-", text)
    return re.sub("[\u2018\u2019\u02bc]", "'", text)


def _apart(text: str) -> str:
    """``text`` with a space wherever a digit meets a CJK character: ``为1,070元`` states 1,070."""
    return re.sub(rf"(?<=[{_CJK}])(?=-?\d)|(?<=\d)(?=[{_CJK}])", " ", text)


def folded(text: str) -> str:
    """``text`` without differences of case, compatibility form, dash or apostrophe."""
    return unicodedata.normalize("NFKC", _plain(text).casefold())


def tokens(text: str) -> list[str]:
    """The words and numbers of ``text``, made comparable.

    Case, punctuation, currency signs and English articles go; a CJK character is a token of its
    own; ``1,050.00`` becomes ``1050``, ``%`` becomes ``percent`` and ``three`` becomes ``3``.
    A text of articles alone keeps them, and one of signs alone is a single token, so that
    only blank text has no tokens.
    """
    text = _apart(folded(text))
    text = re.sub(rf"(?<=\w)[{_CURRENCY}]", " ", text)
    text = re.sub(rf"[{_CURRENCY}]", "", text) if re.search(r"\w", text) else text
    text = re.sub(r"(?<=\w)'(?=\w)", "", text)
    text = re.sub(r"\bper cent\b|(?<=\d)\s?%", " percent ", text)
    found = [
        _canonical(m[0]) if m["number"] else _WORDS.get(m[0], m[0]) for m in _TOKEN.finditer(text)
    ]
    kept = [token for token in found if token not in _ARTICLES] or found
    return kept or ["".join(text.split())] * bool(text.strip())


def _canonical(number: str) -> str:
    number = number.replace(",", "")
    return number.rstrip("0").rstrip(".") if "." in number else number


def normalise(text: str) -> str:
    """The tokens of ``text``, joined by single spaces."""
    return " ".join(tokens(text))


# --- numbers, dates and times -------------------------------------------------------------------

_MONTH_NAMES = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_MONTHS = {name: n for n, name in enumerate(_MONTH_NAMES, 1)}
_MONTHS |= {name[:3]: n for name, n in _MONTHS.items()} | {"sept": 9}
# "may" in lower case is nearly always the verb.
_MONTH = (
    r"(?P<m>(?-i:May|MAY)|"
    + "|".join(sorted(_MONTHS.keys() - {"may"}, key=len, reverse=True))
    + r")\b\.?"
)
_DAY = r"(?P<d>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<y>\d{4})"
_NOT_AFTER_DIGIT = r"(?<!\d)(?<!\d[./:-])"

_SCALES = {
    "k": 3, "thousand": 3, "m": 6, "mn": 6, "mio": 6, "million": 6, "bn": 9, "billion": 9,
    "tn": 12, "trillion": 12, "万": 4, "萬": 4, "만": 4, "亿": 8, "億": 8, "억": 8,
}  # fmt: skip
_CJK_SCALES = "".join(name for name in _SCALES if not name.isascii())
_WORD_SCALES = "|".join(sorted(filter(str.isascii, _SCALES), key=len, reverse=True))
_MONEY = rf"(?:[{_CURRENCY}]|\b(?:eur|usd|gbp|chf|jpy|sek|nok|dkk|pln|cny)(?=\d|\b))"
_NUMBER = (
    rf"{_SIGN}?(?:(?P<before>{_MONEY}\s?)|(?<![^\W_]))(?:"
    r"(?P<english>\d{1,3}(?:,\d{3})+(?:\.\d+)?)(?![\d])"
    r"|(?P<comma>\d{1,3}(?:\.\d{3})+,\d{1,2}|\d{1,3}(?:\.\d{3}){2,}|(?<!\d,)\d+,\d{1,2})(?!\d|,\d)"
    r"|(?P<plain>\d+(?:'\d{3})*(?:\.\d+)?))(?:(?:st|nd|rd|th)\b)?"
    rf"(?:(?P<gap>\s?)(?P<scale>(?:{_WORD_SCALES})(?=s?\b)|[{_CJK_SCALES}])s?)?"
    rf"(?P<after>\s?(?:{_MONEY}|\b(?:euros?|dollars?|pounds?)\b))?"
)


def _date(year: str, month: int, day: str) -> tuple[Value, ...]:
    try:
        return (date(int(year), month, int(day)),)
    except ValueError:  # there is no such day
        return ()


def _full_date(m: re.Match[str]) -> tuple[Value, ...]:
    return _date(m["y"], _month(m), m["d"])


def _month(m: re.Match[str]) -> int:
    name = m["m"].casefold()
    return _MONTHS[name] if name in _MONTHS else int(name)


def _slashed_date(m: re.Match[str]) -> tuple[Value, ...]:
    year = m["y"] if len(m["y"]) == 4 else f"20{m['y']}"
    readings = _date(year, int(m["b"]), m["a"])
    # Dots are European and put the day first; the other signs are used both ways.
    if m["sep"] == "." or m["a"] == m["b"]:
        return readings
    return readings + _date(year, int(m["a"]), m["b"])


def _year_month(m: re.Match[str]) -> tuple[Value, ...]:
    month = _month(m)
    return (YearMonth(int(m["y"]), month),) if 1 <= month <= 12 else ()


def _day_month(m: re.Match[str]) -> tuple[Value, ...]:
    # 2000 is a leap year: 29 February is a day.
    return (DayMonth(_month(m), int(m["d"])),) if _date("2000", _month(m), m["d"]) else ()


def _time(m: re.Match[str]) -> tuple[Value, ...]:
    hour, minute, second = int(m["h"]), int(m["min"] or 0), int(m["s"] or 0)
    if half := m.groupdict().get("half"):
        if not 1 <= hour <= 12:
            return ()
        hour = hour % 12 + (12 if half.casefold() == "p" else 0)
    return (time(hour, minute, second),) if hour < 24 and max(minute, second) < 60 else ()


def _cjk_time(m: re.Match[str]) -> tuple[Value, ...]:
    hour, minute = int(m["h"]), 30 if m["mid"] else int(m["min"] or 0)
    if m["late"] and hour < 12:
        hour += 12
    return (time(hour, minute),) if hour < 24 and minute < 60 else ()


def _magnitude(m: re.Match[str]) -> list[Decimal]:
    """The readings of a number without its factor."""
    if m["english"]:
        readings = [Decimal(m["english"].replace(",", ""))]
    elif m["comma"]:
        readings = [Decimal(m["comma"].replace(".", "").replace(",", "."))]
    else:
        plain = m["plain"].replace("'", "")
        readings = [Decimal(plain)]
        if re.fullmatch(r"[1-9]\d{0,2}\.\d{3}", plain):
            readings.append(Decimal(plain.replace(".", "")))
    # copy_negate does not round, as the minus operator does.
    return [n.copy_negate() for n in readings] if m[0].startswith("-") else readings


def _number(m: re.Match[str]) -> tuple[Value, ...]:
    readings = _magnitude(m)
    if scale := m["scale"]:
        scaled = [n.scaleb(_SCALES[scale.casefold()]) for n in readings]
        if scale.casefold() not in {"k", "m"} or m["before"] or m["after"]:
            readings = scaled
        elif not m["gap"]:  # 5m may be metres or millions, 4k a resolution or thousands
            readings += scaled
    return tuple(readings)


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


_Reader = Callable[[re.Match[str]], tuple[Value, ...]]
# In this order: what one reads, the later ones no longer see.
_READERS: tuple[tuple[re.Pattern[str], _Reader], ...] = (
    (
        _compiled(
            rf"{_NOT_AFTER_DIGIT}{_YEAR}(?P<sep>[-/.])(?P<m>\d{{1,2}})(?P=sep){_DAY}"
            r"(?!\d)(?:T(?=\d))?"
        ),
        _full_date,
    ),
    (_compiled(rf"{_YEAR}\s?年\s?(?P<m>\d{{1,2}})\s?月\s?{_DAY}\s?[日号]"), _full_date),
    (_compiled(rf"{_YEAR}\s?年\s?(?P<m>\d{{1,2}})\s?月"), _year_month),
    (_compiled(rf"(?P<m>\d{{1,2}})\s?月\s?{_DAY}\s?[日号]"), _day_month),
    (_compiled(rf"\b{_DAY}(?:\s+of)?[\s-]+{_MONTH},?[\s-]+{_YEAR}\b"), _full_date),
    (_compiled(rf"\b{_MONTH}\s+{_DAY},?\s+{_YEAR}\b"), _full_date),
    (
        _compiled(
            rf"{_NOT_AFTER_DIGIT}(?P<a>\d{{1,2}})(?P<sep>[./-])(?P<b>\d{{1,2}})(?P=sep)"
            r"(?P<y>\d{4}|\d{2})(?!\d|[./-]\d)"
        ),
        _slashed_date,
    ),
    (_compiled(rf"\b{_MONTH},?\s+{_YEAR}\b"), _year_month),
    (_compiled(rf"(?<![\w-]){_YEAR}-(?P<m>0[1-9]|1[0-2])(?!\d|-\d)"), _year_month),
    (_compiled(rf"{_NOT_AFTER_DIGIT}(?P<m>0?[1-9]|1[0-2])/{_YEAR}(?!\d|/)"), _year_month),
    (_compiled(rf"\b{_DAY}(?:\s+of)?[\s-]+{_MONTH}"), _day_month),
    (_compiled(rf"\b{_MONTH}\s+{_DAY}\b(?![:.,]?\d)"), _day_month),
    (
        # A stretch of hours (3時間) is no time of day.
        _compiled(
            r"(?:(?P<late>下午|晚上|午後|오후)\s?)?(?<!\d)(?P<h>\d{1,2})\s?[点點时時시](?![間间])"
            r"(?:\s?(?P<min>\d{1,2})\s?[分분]|(?P<mid>半))?"
        ),
        _cjk_time,
    ),
    (
        _compiled(
            r"(?<![\d:.])(?P<h>\d{1,2})(?:[:.](?P<min>\d{2})(?::(?P<s>\d{2}))?)?"
            r"\s*(?P<half>[ap])\.?m\b"
        ),
        _time,
    ),
    (
        _compiled(r"(?<![\d:.])(?P<h>\d{1,2}):(?P<min>\d{2})(?::(?P<s>\d{2}))?(?![\d:])"),
        _time,
    ),
    (_compiled(_NUMBER), _number),
)


def facts(text: str) -> list[Fact]:
    """The numbers, dates and times that ``text`` states, each with all its readings.

    What belongs to a date or a time is not a number besides. Number words count from *two* to
    *twelve*; *one* and *zero* are too often something else.
    """
    return [frozenset(found.readings) for found in _find(_digits(text, ("zero", "one")))]


def stated(text: str) -> set[Value]:
    """All that a reader may take from ``text``: every reading, and what dates imply.

    A full date also states its month, its day and its year; *one* and *zero* count here.
    """
    values = {value for found in _find(_digits(text, ())) for value in found.readings}
    return values.union(*map(_implied, values))


def canonical(text: str) -> str:
    """``text`` with every number, date and time rewritten to one form, currency dropped.

    So ``12 March 2024`` and ``2024-03-12`` have the same tokens, and so have ``18:30`` and
    ``6.30 pm``, ``EUR 1.2m`` and ``1,200,000 euros``. Where a date has two readings, the day
    stands first. A number whose unit may be a factor (``5m``) stays as it is.
    """
    text = _digits(text, ())
    parts, done = [], 0
    for found in sorted(_find(text), key=lambda f: f.start):
        parts += [text[done : found.start], f" {found.form or text[found.start : found.end]} "]
        done = found.end
    return "".join([*parts, text[done:]])


class _Found(NamedTuple):
    start: int
    end: int
    readings: tuple[Value, ...]
    form: str | None


def _digits(text: str, not_numbers: Iterable[str]) -> str:
    """``text`` in plain characters, its number words as digits."""
    words = sorted(_WORDS.keys() - set(not_numbers))
    return re.sub(
        rf"\b(?:{'|'.join(words)})\b",
        lambda m: _WORDS[m[0].casefold()],
        _apart(_plain(text)),
        flags=re.IGNORECASE,
    )


def _find(text: str) -> list[_Found]:
    found: list[_Found] = []
    for pattern, read in _READERS:
        chunks, done = [], 0
        for m in pattern.finditer(text):
            if readings := read(m):
                found.append(_Found(m.start(), m.end(), readings, _form(m, readings)))
                # Filled up to the same length, so that positions stay true for later readers.
                chunks += [text[done : m.start()], "|" * (m.end() - m.start())]
                done = m.end()
        text = "".join([*chunks, text[done:]])
    return found


def _form(m: re.Match[str], readings: tuple[Value, ...]) -> str | None:
    value = readings[0]
    if isinstance(value, Decimal):
        groups = m.groupdict()
        scaled = groups["scale"] and (len(readings) > 1 or value == _magnitude(m)[0])
        if scaled or re.fullmatch(r"0\d+", groups["plain"] or ""):
            return None  # a unit or a factor, who knows; or an identifier such as 0042
        return f"{value:f}"
    match value:
        case time():
            return f"time{value:%H%M%S}"
        case YearMonth():
            return f"month{value.year:04}{value.month:02}"
        case DayMonth():
            return f"day{value.month:02}{value.day:02}"
    return f"date{value.year:04}{value.month:02}{value.day:02}"


def _implied(value: Value) -> tuple[Value, ...]:
    match value:
        case date():
            month = YearMonth(value.year, value.month)
            return month, DayMonth(value.month, value.day), Decimal(value.year)
        case YearMonth():
            return (Decimal(value.year),)
        case time() if value.second:
            return (value.replace(second=0),)
    return ()


def numbers(text: str) -> set[Decimal]:
    """The numbers in ``text`` outside of dates and times; ``1,050.00`` equals ``1050``."""
    return {v for fact in facts(text) for v in fact if isinstance(v, Decimal)}


def dates(text: str) -> set[date | YearMonth | DayMonth]:
    """The dates in ``text``: days, months of a year, and days with no year said."""
    return {v for f in facts(text) for v in f if isinstance(v, date | YearMonth | DayMonth)}


def times(text: str) -> set[time]:
    """The times of day in ``text``; ``18:30`` equals ``6.30 pm``."""
    return {v for fact in facts(text) for v in fact if isinstance(v, time)}
