"""Workings that a model gives for a number or date that no file states: sums, spans, days.

``52750 - 51000``, ``2025-08-31 - 6 weeks``, ``11:45 - (10:52 + 10 minutes + 30 minutes)``. A
working counts only if what it starts from is known: then its result is as good as stated.

Pure functions; nothing is ever executed.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable, Set
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal, DecimalException

from deskgym.tasks.scoring.normalise import DayMonth, Fact, Value, YearMonth

MAX_LENGTH = 500
MAX_DEPTH = 20
# Numbers that need no source: what is counted, and how many there are of something in another.
COUNTS = frozenset(map(Decimal, (*range(13), 24, 30, 52, 60, 100, 365, 1000)))

_UNITS = {
    "minute": (0, 1), "minutes": (0, 1), "min": (0, 1), "mins": (0, 1),
    "hour": (0, 60), "hours": (0, 60), "h": (0, 60),
    "day": (0, 1440), "days": (0, 1440), "week": (0, 10_080), "weeks": (0, 10_080),
    "month": (1, 0), "months": (1, 0), "year": (12, 0), "years": (12, 0),
}  # fmt: skip
_TOKEN = re.compile(
    r"\s*(?:(?P<date>\d{4}-\d\d-\d\d)|(?P<time>\d{1,2}:\d\d)(?!\d)"
    r"|(?P<number>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)|(?P<unit>[a-z]+)|(?P<sign>[-+*/()]))"
)
_DECORATION = re.compile(r"[£$€%]|\b(?:GBP|USD|EUR)\b")


class BadWorking(ValueError):
    """It cannot be worked out, or starts from what is not known. The message says why."""


@dataclass(frozen=True)
class Span:
    """A stretch of time: whole months, and minutes besides."""

    months: Decimal
    minutes: Decimal


_Term = Decimal | Span | date | time


def work_out(working: str, known: Set[Value]) -> _Term:
    """The result of ``working``, each of whose numbers, dates and times is one of ``known``.

    What stands after a ``=`` is left alone. Whole numbers that count or convert (`COUNTS`) and
    lengths of time made of them need not be known; a full date is known too if its day and month
    are.

    Raises:
        BadWorking: see there.
    """
    text = _DECORATION.sub("", working.partition("=")[0]).replace("−", "-").replace("×", "*")
    if len(text) > MAX_LENGTH:
        raise BadWorking(f"a working of {len(text)} characters")
    return _Reader(text, known).result()


def explains(result: _Term, fact: Fact) -> bool:
    """Whether ``result`` is what a statement of a number, date or time says, rounded as it is."""
    return any(_same(result, value) for value in fact)


def _same(result: _Term, value: Value) -> bool:
    if isinstance(value, Decimal):
        if isinstance(result, Decimal):
            return _rounded(result, value)
        if isinstance(result, Span):
            whole = [result.minutes / Decimal(size) for size in (1, 60, 1440, 10_080)]
            counts = [result.months, result.months / 12] if result.months else whole
            return any(_rounded(count, value) for count in counts)
        return False
    if isinstance(result, date) and isinstance(value, YearMonth):
        return (result.year, result.month) == value
    if isinstance(result, date) and isinstance(value, DayMonth):
        return (result.month, result.day) == value
    return type(result) is type(value) and result == value


def _rounded(result: Decimal, value: Decimal) -> bool:
    exponent = value.as_tuple().exponent
    if not isinstance(exponent, int):
        return False
    try:
        return abs(result).quantize(Decimal(1).scaleb(min(exponent, 0))) == abs(value)
    except DecimalException:
        return False


class _Reader:
    """Reads one expression by recursive descent."""

    def __init__(self, text: str, known: Set[Value]) -> None:
        self._known = known
        self._tokens = _tokens(text)
        self._at = 0
        self._depth = 0

    def result(self) -> _Term:
        try:
            found = self._sum()
        except (DecimalException, OverflowError, ValueError) as error:
            if isinstance(error, BadWorking):
                raise
            raise BadWorking(f"cannot be worked out: {error}") from error
        if self._at < len(self._tokens):
            raise BadWorking(f"{self._tokens[self._at][1]!r} is out of place")
        return found

    def _sum(self) -> _Term:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise BadWorking("nested too deep")
        found = self._product()
        while (sign := self._sign("+", "-")) is not None:
            other = self._product()
            found = _added(found, other) if sign == "+" else _taken(found, other)
        self._depth -= 1
        return found

    def _product(self) -> _Term:
        found = self._value()
        while (sign := self._sign("*", "/")) is not None:
            found = _scaled(found, self._value(), sign)
        return found

    def _value(self) -> _Term:
        kind, text = self._next()
        if text == "(":
            found = self._sum()
            if self._sign(")") is None:
                raise BadWorking("a bracket is not closed")
            return found
        if kind == "date":
            day = date.fromisoformat(text)
            if day not in self._known and DayMonth(day.month, day.day) not in self._known:
                raise BadWorking(f"{text} is not in the opened texts")
            return day
        if kind == "time":
            hour, _, minute = text.partition(":")
            moment = time(int(hour), int(minute))
            self._check(moment, text)
            return moment
        if kind != "number":
            raise BadWorking(f"{text!r} is out of place")
        number = Decimal(text.replace(",", ""))
        if number not in COUNTS:
            self._check(number, text)
        if self._at < len(self._tokens) and self._tokens[self._at][0] == "unit":
            _, unit = self._next()
            if unit not in _UNITS:
                raise BadWorking(f"{unit!r} is no unit of time")
            months, minutes = _UNITS[unit]
            return Span(number * months, number * minutes)
        return number

    def _check(self, value: Value, text: str) -> None:
        if value not in self._known:
            raise BadWorking(f"{text} is not in the opened texts")

    def _sign(self, *signs: str) -> str | None:
        if self._at < len(self._tokens) and self._tokens[self._at][1] in signs:
            return self._next()[1]
        return None

    def _next(self) -> tuple[str, str]:
        if self._at >= len(self._tokens):
            raise BadWorking("it ends too soon")
        self._at += 1
        return self._tokens[self._at - 1]


def _tokens(text: str) -> list[tuple[str, str]]:
    found, at = [], 0
    text = text.strip().casefold()
    while at < len(text):
        m = _TOKEN.match(text, at)
        if m is None:
            raise BadWorking(f"{text[at : at + 20]!r} is no calculation")
        found.append((m.lastgroup or "", m[m.lastgroup or 0]))
        at = m.end()
    return found


def _added(a: _Term, b: _Term) -> _Term:
    match a, b:
        case Decimal(), Decimal():
            return a + b
        case Span(), Span():
            return Span(a.months + b.months, a.minutes + b.minutes)
        case (date() | time(), Span()):
            return _moved(a, b)
        case (Span(), date() | time()):
            return _moved(b, a)
    raise BadWorking("these two cannot be added")


def _taken(a: _Term, b: _Term) -> _Term:
    match a, b:
        case Decimal(), Decimal():
            return a - b
        case Span(), Span():
            return Span(a.months - b.months, a.minutes - b.minutes)
        case date(), date():
            return Span(Decimal(0), Decimal((a - b).days * 1440))
        case time(), time():
            return Span(Decimal(0), Decimal((_minutes(a) - _minutes(b)) % 1440))
        case (date() | time(), Span()):
            return _moved(a, Span(-b.months, -b.minutes))
    raise BadWorking("the one cannot be taken from the other")


def _scaled(a: _Term, b: _Term, sign: str) -> _Term:
    by: Callable[[Decimal, Decimal], Decimal]
    by = Decimal.__mul__ if sign == "*" else Decimal.__truediv__
    match a, b:
        case Decimal(), Decimal():
            return by(a, b)
        case Span(), Decimal():
            return Span(by(a.months, b), by(a.minutes, b))
        case Decimal(), Span() if sign == "*":
            return Span(a * b.months, a * b.minutes)
    raise BadWorking("these two cannot be multiplied or divided")


def _moved(start: date | time, span: Span) -> date | time:
    if isinstance(start, time):
        if span.months:
            raise BadWorking("months cannot be added to a time of day")
        total = int(_minutes(start) + span.minutes) % 1440
        return time(total // 60, total % 60)
    if span.months % 1 or span.minutes % 1440:
        raise BadWorking("a date moves by whole days")
    month = start.year * 12 + start.month - 1 + int(span.months)
    year, month = month // 12, month % 12 + 1
    day = min(start.day, calendar.monthrange(year, month)[1])
    moved = datetime(year, month, day) + timedelta(days=int(span.minutes) // 1440)
    return moved.date()


def _minutes(moment: time) -> int:
    return moment.hour * 60 + moment.minute
