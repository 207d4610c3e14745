"""Running a query over the rows that were read from the files."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from statistics import fmean, median
from typing import Final, TypeVar

from deskgym.tasks.made.verifier.forms import listed, shown
from deskgym.tasks.made.verifier.levels import level, trait_scores
from deskgym.tasks.made.verifier.query import Give, Query, Ref, Scalar, Step, Test
from deskgym.tasks.made.verifier.rows import Row, Value, same_text

_K = TypeVar("_K", str, float)

MARGIN: Final = 0.05
"""By how much of the earlier mean a trend must rise or fall to be one."""


class NoAnswer(Exception):
    """A query that the files do not answer; ``reason`` is a short kind, the message says more."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(f"{reason}: {message}")
        self.reason = reason


@dataclass(frozen=True)
class Found:
    """What a query came to: the answer as text, and the rows that it rests on."""

    text: str
    rows: tuple[Row, ...]


class Desk:
    """Rows of one person's files by kind, with those of a field's value found fast."""

    def __init__(self, rows: Iterable[Row], root: Path | None = None) -> None:
        self.root = root
        self._rows: dict[str, list[Row]] = defaultdict(list)
        for row in rows:
            self._rows[row.schema].append(row)
        self._index: dict[tuple[str, str], dict[str, list[Row]]] = {}
        self._scores: dict[str, float] | None = None

    def kinds(self) -> Mapping[str, int]:
        """How many rows there are of each kind."""
        return {kind: len(rows) for kind, rows in self._rows.items()}

    def of(self, kind: str) -> Sequence[Row]:
        """All rows of a kind."""
        return self._rows.get(kind, [])

    def trait_scores(self) -> Mapping[str, float]:
        """What the rows say of the person's traits (`deskgym.tasks.made.verifier.levels`)."""
        if self._scores is None:
            self._scores = trait_scores(self.of)
        return self._scores

    def having(self, kind: str, field: str, value: Scalar) -> Sequence[Row]:
        """The rows of a kind whose ``field`` is ``value``, compared as ``is`` does."""
        key = kind, field
        if key not in self._index:
            index: dict[str, list[Row]] = defaultdict(list)
            for row in self.of(kind):
                if (own := row.get(field)) is not None:
                    index[_plain(own)].append(row)
            self._index[key] = index
        return self._index[key].get(_plain(value), [])


def run(query: Query, desk: Desk) -> Found:
    """What the query comes to.

    Raises:
        NoAnswer: a step finds no row, or several where there must be one; or values are missing.
    """
    taken: dict[str, list[Row]] = {}
    for step in query.steps:
        may_be_none = step.name == query.of and query.give in ("nothing", "absent", "count")
        taken[step.name] = _take(step, desk, taken, may_be_none=may_be_none)
    rows = taken[query.of]
    if query.give in ("seen", "heard"):
        return _perceived(query, rows, desk)
    text = _level(query, desk) if query.give == "level" else _give(query, rows)
    # In the order of the steps; a row that two steps took supports the answer once.
    support = {id(row): row for step in query.steps if step.evidence for row in taken[step.name]}
    return Found(text, tuple(support.values()))


def _take(
    step: Step, desk: Desk, taken: Mapping[str, list[Row]], *, may_be_none: bool
) -> list[Row]:
    tests = [(test, _wanted(test, taken)) for test in step.where]
    rows = _likely(step, desk, tests)
    rows = [row for row in rows if all(_holds(row, test, value) for test, value in tests)]
    if not rows:
        if may_be_none:
            return []
        raise NoAnswer("nothing-found", f"no {step.rows} for step {step.name!r}")
    match step.take:
        case "all":
            return sorted(rows, key=_time)
        case "one":
            if len(rows) > 1:
                raise NoAnswer("not-unique", f"{len(rows)} {step.rows} for step {step.name!r}")
            return rows
        case "first" | "last":
            return [_extreme(rows, _time, step, largest=step.take == "last")]
    return [_extreme(rows, lambda row: _number(row, step.by), step, largest=step.take == "most")]


def _likely(
    step: Step, desk: Desk, tests: Sequence[tuple[Test, tuple[Scalar, ...]]]
) -> Sequence[Row]:
    """The rows that can pass all tests, by the test that fewest pass."""
    found = [desk.having(step.rows, t.field, v[0]) for t, v in tests if t.op == "is"]
    return min(found, key=len) if found else desk.of(step.rows)


def _wanted(test: Test, taken: Mapping[str, list[Row]]) -> tuple[Scalar, ...]:
    if not isinstance(test.value, Ref):
        return test.value if isinstance(test.value, tuple) else (test.value,)
    rows = taken[test.value.step]
    values = [row.get(test.value.field) for row in rows]
    if len(values) != 1 or values[0] is None:
        raise NoAnswer("missing-field", f"step {test.value.step!r} gives no {test.value.field!r}")
    return (values[0],)


def _holds(row: Row, test: Test, wanted: tuple[Scalar, ...]) -> bool:
    own = row.get(test.field)
    if own is None:
        return False
    return _TESTS[test.op](own, wanted)


def _plain(value: Scalar) -> str:
    if isinstance(value, int | float):
        return f"{float(value):.4f}"
    return same_text(value)


def _is(own: Value, wanted: tuple[Scalar, ...]) -> bool:
    return any(_plain(own) == _plain(one) for one in wanted)


def _has(own: Value, wanted: tuple[Scalar, ...]) -> bool:
    return any(same_text(one) in same_text(own) for one in wanted)


def _less(a: Value, b: Value) -> bool:
    if isinstance(a, str) or isinstance(b, str):
        return str(a) < str(b)
    return a < b


def _until(own: Value, wanted: tuple[Scalar, ...]) -> bool:
    one = wanted[0]
    # A day is over at midnight, not when it begins.
    if isinstance(own, str) and isinstance(one, str):
        return own[: len(one)] <= one
    return not _less(one, own)


def _inside(own: Value, wanted: tuple[Scalar, ...]) -> bool:
    return any(same_text(own) in same_text(one) for one in wanted)


def _day_off(days: int) -> Callable[[Value, tuple[Scalar, ...]], bool]:
    def holds(own: Value, wanted: tuple[Scalar, ...]) -> bool:
        later, earlier = (date.fromisoformat(str(v)[:10]) for v in (own, wanted[0]))
        return (later - earlier).days == days

    return holds


_TESTS: Final[Mapping[str, Callable[[Value, tuple[Scalar, ...]], bool]]] = {
    "is": _is,
    "is_not": lambda own, wanted: not _is(own, wanted),
    "in": _is,
    "has": _has,
    "has_not": lambda own, wanted: not _has(own, wanted),
    "from": lambda own, wanted: not _less(own, wanted[0]),
    "until": _until,
    "above": lambda own, wanted: _less(wanted[0], own),
    "below": lambda own, wanted: _less(own, wanted[0]),
    "inside": _inside,
    "after": lambda own, wanted: _less(wanted[0], own),
    "next_day": _day_off(1),
    "day_before": _day_off(-1),
}


def _time(row: Row) -> str:
    return str(row.get("time") or "")


def _number(row: Row, field: str) -> float:
    value = row.get(field)
    if value is None or isinstance(value, str):
        raise NoAnswer("missing-field", f"a {row.schema} has no number {field!r}")
    return float(value)


def _extreme(rows: list[Row], key: Callable[[Row], _K], step: Step, *, largest: bool) -> Row:
    best = max(map(key, rows)) if largest else min(map(key, rows))
    found = [row for row in rows if key(row) == best]
    if len(found) > 1:
        raise NoAnswer("not-unique", f"{len(found)} {step.rows} tie in step {step.name!r}")
    return found[0]


def _give(query: Query, rows: list[Row]) -> str:
    give, field = query.give, query.field
    if give == "nothing":
        if rows:
            raise NoAnswer("found-after-all", f"{len(rows)} {rows[0].schema}")
        return ""
    if give == "count":
        return shown(len(rows), "whole")
    if give == "absent":
        said = {same_text(_value(row, field)) for row in rows}
        left = [name for name in query.among if same_text(name) not in said]
        if len(left) != 1:
            raise NoAnswer("not-unique", f"{len(left)} of {len(query.among)} are absent")
        return left[0]
    if give == "present":
        text = " ".join(same_text(_value(row, field)) for row in rows)
        there = [name for name in query.among if _stands_in(same_text(name), text)]
        if len(there) != 1:
            raise NoAnswer("not-unique", f"{len(there)} of {len(query.among)} are said")
        return there[0]
    values = [_value(row, field) for row in rows]
    if give == "value":
        distinct = list(dict.fromkeys(shown(value, query.form) for value in values))
        if len(distinct) > 1:
            raise NoAnswer("not-unique", f"{len(distinct)} values of {field!r}")
        return distinct[0]
    if give == "order":
        return listed([shown(value, query.form) for value in values])
    if give in ("mode", "least_common"):
        return shown(_common(values, give), query.form)
    if give == "count_distinct":
        return shown(len({same_text(value) for value in values}), "whole")
    if give == "span_days":
        days = sorted(date.fromisoformat(str(value)[:10]) for value in values)
        return shown((days[-1] - days[0]).days, "whole")
    numbers = [_number(row, field) for row in rows]
    if give == "trend":
        return _trend(numbers)
    if give == "difference":
        return shown(abs(numbers[-1] - numbers[0]), query.form)
    return shown(_NUMBERS[give](numbers), query.form)


_NUMBERS: Final[Mapping[str, Callable[[list[float]], float]]] = {
    "sum": sum,
    "mean": fmean,
    "median": median,
}


def _value(row: Row, field: str) -> Value:
    value = row.get(field)
    if value is None or value == "":
        raise NoAnswer("missing-field", f"a {row.schema} has no {field!r}")
    return value


def _perceived(query: Query, rows: Sequence[Row], desk: Desk) -> Found:
    """What is seen or heard in the one file of ``rows``, and where in it."""
    if len(rows) != 1 or desk.root is None:
        raise NoAnswer("not-unique", f"{len(rows)} files to look at")
    from deskgym.tasks.made.verifier.media import Undecided, heard, seen

    path = rows[0].places[0][0]
    perceive = seen if query.give == "seen" else heard
    try:
        value, place = perceive(desk.root / path, query.field, query.among)
    except Undecided as error:
        raise NoAnswer("undecided", f"{path}: {error}") from error
    row = Row(rows[0].schema, rows[0].fields, ((path, place),))
    return Found(value.strip(), (row,))


def _level(query: Query, desk: Desk) -> str:
    scores = desk.trait_scores()
    if query.field not in scores:
        raise NoAnswer("nothing-found", "there are no days to judge by")
    return shown(level(scores[query.field]), query.form)


def _stands_in(name: str, text: str) -> bool:
    at = text.find(name)
    while at >= 0:
        around = text[at - 1 : at] + text[at + len(name) : at + len(name) + 1]
        if not any(sign.isalnum() or sign == "_" for sign in around):
            return True
        at = text.find(name, at + 1)
    return False


def _common(values: list[Value], give: Give) -> Value:
    first = {same_text(value): value for value in reversed(values)}
    counts = Counter(map(same_text, values)).most_common()
    wanted = counts[0][1] if give == "mode" else counts[-1][1]
    found = [value for value, count in counts if count == wanted]
    if len(found) > 1:
        raise NoAnswer("not-unique", f"{len(found)} values are equally common")
    return first[found[0]]


def _trend(numbers: list[float]) -> str:
    half = len(numbers) // 2
    if half < 2:
        raise NoAnswer("missing-field", "too few numbers for a trend")
    before, after = fmean(numbers[:half]), fmean(numbers[-half:])
    if abs(after - before) < MARGIN * abs(before):
        raise NoAnswer("not-unique", "the two halves hardly differ")
    return "rose" if after > before else "fell"
