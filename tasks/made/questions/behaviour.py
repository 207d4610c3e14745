"""Questions that add up what happened over a stretch of time (Setoka's behaviour level)."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from statistics import fmean

from deskgym.tasks.made.questions.draft import MAX_UNITS, Draft, Source, text, units_of
from deskgym.tasks.made.questions.semantic import moment
from deskgym.tasks.made.questions.wording import month_phrase, person_phrase
from deskgym.tasks.made.records.record import Record
from deskgym.tasks.made.verifier.forms import day_text, shown
from deskgym.tasks.made.verifier.query import Form, Give, Query, Step, Take, Test
from deskgym.tasks.made.verifier.rows import WEEKDAYS


@dataclass(frozen=True)
class _Sum:
    """What is added up: of a schema, grouped by a field (or all together), over windows.

    ``{it}`` is the group's name, ``{when}`` the window.
    """

    schema: str
    by: str
    window: str
    give: Give
    field: str
    form: Form
    wordings: tuple[str, ...]
    take: Take = "all"
    least: int = 3


_SUMS: tuple[_Sum, ...] = (
    _Sum("call", "name", "month", "count", "", "whole",
         ("How many times was I on the phone with {it} {when}?",
          "How many calls with {it} does my phone list {when}?")),
    _Sum("call", "name", "month", "sum", "seconds", "whole",
         ("For how many seconds altogether did I talk to {it} on the phone {when}?",)),
    _Sum("call", "", "week", "mode", "name", "text",
         ("With whom was I on the phone most often {when}?",
          "Who was the other side of most of my calls {when}?")),
    _Sum("call", "", "week", "count_distinct", "name", "whole",
         ("With how many different people was I on the phone {when}?",)),
    _Sum("message", "sender", "week", "count", "", "whole",
         ("How many messages did {it} write {when}?",
          "How many chat messages are from {it} {when}?")),
    _Sum("message", "", "week", "mode", "thread", "text",
         ("In which chat was most written {when}?", "Which chat was the busiest {when}?")),
    _Sum("transaction", "payee", "month", "sum", "amount", "money",
         ("How much did I pay {it} altogether {when}?",
          "What do my payments to {it} {when} add up to?"), least=2),
    _Sum("transaction", "payee", "all", "count", "", "whole",
         ("How many payments to {it} are on my account in all that time?",
          "How often did I pay {it} over the whole time?")),
    _Sum("transaction", "payee", "all", "mean", "amount", "money",
         ("What did I pay {it} on average?", "How much is my usual payment to {it}, as a mean?")),
    _Sum("transaction", "category", "week", "sum", "amount", "money",
         ("How much did I spend {when} under the bank's category “{it}”?",
          "What did payments in the bank's category “{it}” come to {when}?"), least=2),
    _Sum("transaction", "category", "month", "count", "", "whole",
         ("How many payments did my bank book under “{it}” {when}?",)),
    _Sum("transaction", "", "week", "value", "payee", "text",
         ("To whom did my largest single payment {when} go?",
          "Who received the most money in one payment {when}?"), take="least"),
    _Sum("app_use", "app", "month", "sum", "minutes", "whole",
         ("How many minutes did I spend in {it} in the weeks that ended {when}?",
          "How much time, in minutes, went into {it} in the weeks that ended {when}?")),
    _Sum("app_use", "app", "all", "mean", "minutes", "number",
         ("In the weeks for which my screen times list it, how many minutes a week was I in {it} "
          "on average?",)),
    _Sum("app_use", "app", "month", "sum", "opens", "whole",
         ("How many times did I open {it} in the weeks that ended {when}?",)),
    _Sum("app_use", "app", "all", "value", "day", "date",
         ("On which day did the week end in which I spent the most minutes in {it}?",),
         take="most"),
    _Sum("sleep", "", "week", "mean", "hours", "number",
         ("How many hours a night did I sleep on average {when}?",
          "What was my mean night {when}, in hours?")),
    _Sum("sleep", "", "month", "mean", "hours", "number",
         ("How many hours a night did I sleep on average {when}?",)),
    _Sum("sleep", "", "week", "value", "day", "date",
         ("On the morning of which day {when} had I slept least?",), take="least"),
    _Sum("sleep", "", "month", "trend", "hours", "text",
         ("Did my hours of sleep rise or fall from the first half to the second {when}?",)),
    _Sum("sleep", "", "week", "mean", "resting_pulse", "number",
         ("What was my mean resting pulse {when}?",)),
    _Sum("sleep", "", "week", "sum", "awake", "whole",
         ("How many times did I wake up at night altogether {when}?",)),
    _Sum("steps", "", "week", "sum", "steps", "whole",
         ("How many steps did I walk {when}, all days together?",
          "What do my steps add up to {when}?")),
    _Sum("steps", "", "week", "mean", "steps", "whole",
         ("How many steps a day did I average {when}?",)),
    _Sum("steps", "", "week", "value", "day", "date",
         ("On which day {when} did I walk the most steps?",), take="most"),
    _Sum("steps", "", "week", "value", "weekday", "weekday",
         ("On which day of the week did I walk least {when}?",), take="least"),
    _Sum("steps", "", "week", "sum", "floors", "whole",
         ("How many floors did I climb {when}?",)),
    _Sum("steps", "", "month", "mean", "steps", "whole",
         ("How many steps a day did I walk on average {when}?",)),
    _Sum("steps", "", "month", "trend", "steps", "text",
         ("Did I walk more or less as time went on: did my daily steps rise or fall {when}?",)),
    _Sum("workout", "sport", "month", "count", "", "whole",
         ("How often does my workout log have “{it}” {when}?", "How many workouts of the kind "
          "“{it}” did I log {when}?"), least=2),
    _Sum("workout", "sport", "all", "sum", "km", "number",
         ("How many kilometres do my workouts of the kind “{it}” add up to?",)),
    _Sum("workout", "sport", "month", "sum", "minutes", "whole",
         ("How many minutes did my workouts of the kind “{it}” take {when}?",), least=2),
    _Sum("workout", "sport", "all", "mode", "weekday", "weekday",
         ("On which day of the week do I most often log “{it}” as a workout?", "Which weekday is "
          "my usual day for workouts of the kind “{it}”?"), least=4),
    _Sum("workout", "sport", "all", "mean", "pulse", "number",
         ("What is my mean pulse over all workouts of the kind “{it}”?",)),
    _Sum("workout", "", "week", "sum", "kcal", "whole",
         ("How many kcal did my workouts burn {when}?",)),
    _Sum("workout", "", "month", "mode", "sport", "text",
         ("Which sport did I do most often {when}?",), least=4),
    _Sum("visit", "place", "month", "count", "", "whole",
         ("How many times was I at {it} {when}?", "How often does my location history show {it} "
          "{when}?"), least=2),
    _Sum("visit", "place", "all", "mode", "weekday", "weekday",
         ("On which day of the week am I most often at {it}?",), least=4),
    _Sum("visit", "kind", "month", "count", "", "whole",
         ("How many visits to a place of the kind “{it}” does my location history list {when}?",)),
    _Sum("visit", "", "week", "count_distinct", "place", "whole",
         ("How many different places did I visit {when}?",)),
    _Sum("media_play", "creator", "all", "count", "", "whole",
         ("How many times did I play something by {it}?",
          "How often does {it} come up in my listening and watching history?"), least=2),
    _Sum("media_play", "kind", "month", "sum", "minutes", "whole",
         ("How many minutes did I play of what my history calls “{it}” {when}?",)),
    _Sum("media_play", "", "month", "mode", "creator", "text",
         ("Whose work did I play most often {when}?",), least=4),
    _Sum("trip", "mode", "all", "count", "", "whole",
         ("How many trips did I make by {it}?",), least=2),
    _Sum("trip", "", "month", "sum", "km", "number",
         ("How many kilometres did I travel on trips {when}?",), least=2),
    _Sum("order", "shop", "all", "sum", "price", "money",
         ("How much did I spend on orders from {it}?",), least=2),
    _Sum("order", "", "month", "count", "", "whole",
         ("How many orders did I place {when}?",), least=2),
    _Sum("order", "", "month", "value", "item", "text",
         ("Which was the most expensive thing I ordered {when}?",), take="most"),
    _Sum("bill", "supplier", "all", "sum", "amount", "money",
         ("What do the bills from {it} add up to?",), least=2),
    _Sum("bill", "", "month", "value", "supplier", "text",
         ("Who sent the highest bill {when}?",), take="most"),
    _Sum("photo", "place", "all", "count", "", "whole",
         ("How many photos did I take at {it}?",), least=2),
    _Sum("photo", "", "week", "count", "", "whole",
         ("How many photos did I take {when}?",)),
    _Sum("visited_page", "", "week", "sum", "seconds", "whole",
         ("For how many seconds was I on web pages {when}, all visits together?",)),
    _Sum("visited_page", "", "week", "count_distinct", "url", "whole",
         ("How many different web pages did I visit {when}?",)),
    _Sum("reminder", "list_name", "month", "count", "", "whole",
         ("How many reminders on the list “{it}” were due {when}?",), least=2),
    _Sum("habit_log", "activity", "month", "count", "", "whole",
         ("How often did I note “{it}” in my activity log {when}?",
          "How many entries “{it}” has my diary of activities {when}?"), least=2),
    _Sum("habit_log", "activity", "all", "mode", "weekday", "weekday",
         ("On which day of the week do I most often do “{it}”?",
          "Which weekday is my usual one for “{it}”?"), least=4),
    _Sum("habit_log", "activity", "month", "sum", "minutes", "whole",
         ("How many minutes went into “{it}” {when}, by my activity log?",), least=2),
    _Sum("habit_log", "", "week", "mode", "activity", "text",
         ("Which activity did I log most often {when}?",)),
    _Sum("measurement", "", "all", "mean", "systolic", "number",
         ("What is my mean systolic blood pressure over all measurements?",)),
    _Sum("calendar", "", "week", "count", "", "whole",
         ("How many appointments did I have {when}?",)),
    _Sum("calendar", "location", "all", "count", "", "whole",
         ("How many appointments did I have at {it}?",), least=2),
)  # fmt: skip


@dataclass(frozen=True)
class _Window:
    phrase: str
    first: str
    last: str


def behaviour(source: Source, most: int) -> Iterator[Draft]:
    """At most so many questions about sums, means, extremes and habits."""
    chance = source.chance("behaviour")
    possible: list[tuple[_Sum, str, _Window, list[Record]]] = []
    for asked in _SUMS:
        groups = _groups(source.all_of(asked.schema), asked.by)
        for window in _windows(source, asked.window):
            for name, records in groups.items():
                inside = [r for r in records if window.first <= moment(r)[:10] <= window.last]
                if len(inside) >= asked.least and (name or not asked.by):
                    possible.append((asked, name, window, inside))
    chance.shuffle(possible)
    made = 0
    for asked, name, window, inside in possible:
        if made == most:
            return
        draft = _draft(asked, name, window, inside, source, chance)
        if draft is not None:
            made += 1
            yield draft


def _draft(
    asked: _Sum,
    name: str,
    window: _Window,
    inside: Sequence[Record],
    source: Source,
    chance: random.Random,
) -> Draft | None:
    paid = asked.schema == "transaction" and asked.take == "all"
    if paid and any(float(text(r.fields["amount"])) >= 0 for r in inside):
        return None  # what came in is not what was paid
    by = "amount" if asked.schema == "transaction" else _BY.get(asked.schema, "")
    answer, used = _answer(asked, inside, by)
    if answer in (None, "0", "€0.00") or not all(map(source.shown, used)):
        return None
    assert answer is not None
    if units_of([r.id for r in used], source) > MAX_UNITS:
        return None
    which = chance.randrange(len(asked.wordings))
    if name == "me":  # the person's own messages: "did me write" is no English
        which = len(asked.wordings) - 1
    it = person_phrase(name, source.life, hard=source.hard)
    tests = [Test(field=asked.by, value=name)] if asked.by else []
    if asked.window != "all":
        tests += [
            Test(field="day", op="from", value=window.first),
            Test(field="day", op="until", value=window.last),
        ]
    query = Query(
        steps=(
            Step(
                name="all",
                rows=asked.schema,
                where=tuple(tests),
                take=asked.take,
                by=by if asked.take in ("most", "least") else "",
            ),
        ),
        of="all",
        give=asked.give,
        field=asked.field,
        form=asked.form,
    )
    question = asked.wordings[which].format(it=it, when=window.phrase)
    ids = tuple(r.id for r in used)
    kind = asked.schema.replace("_", " ")
    step = f"The {kind} records of that time number {len(inside)}; they give {answer}."
    return Draft(
        kind="behaviour",
        template=f"{asked.schema}/{asked.by}/{asked.give}/{asked.field}/{asked.take}#{which}",
        question=question[0].upper() + question[1:],
        answer=answer,
        query=query,
        records=ids,
        steps=((step, tuple(range(len(ids)))),),
        reasoning=("aggregation", "comparison" if asked.take != "all" else "arithmetic"),
        labels=(_LABELS.get(asked.give, "Conditional Counting"),),
    )


_BY = {"app_use": "minutes", "sleep": "hours", "steps": "steps", "order": "price", "bill": "amount"}
_LABELS = {"trend": "Comparative Trend Analysis", "value": "Extreme Value", "mode": "Extreme Value"}


def _answer(asked: _Sum, inside: Sequence[Record], by: str) -> tuple[str | None, Sequence[Record]]:
    """The answer, None if there is no single one, and the records that it rests on."""
    if asked.take in ("most", "least"):
        values = [float(text(r.fields[by])) for r in inside]
        best = max(values) if asked.take == "most" else min(values)
        if values.count(best) > 1:
            return None, ()
        record = inside[values.index(best)]
        return shown(_field(record, asked.field), asked.form), [record]
    if asked.give == "count":
        return shown(len(inside), "whole"), inside
    values_of = [_field(record, asked.field) for record in inside]
    if "" in values_of:
        return None, ()
    if asked.give == "count_distinct":
        return shown(len({str(v).casefold() for v in values_of}), "whole"), inside
    if asked.give == "mode":
        ranked = Counter(map(str, values_of)).most_common(2)
        if len(ranked) > 1 and ranked[0][1] == ranked[1][1]:
            return None, ()
        return ranked[0][0], inside
    numbers = [float(v) for v in values_of]
    if asked.give == "sum":
        return shown(sum(numbers), asked.form), inside
    if asked.give == "trend":
        half = len(numbers) // 2
        if half < 2:
            return None, ()
        before, after = fmean(numbers[:half]), fmean(numbers[-half:])
        if abs(after - before) < 0.05 * before:
            return None, ()
        return ("rose" if after > before else "fell"), inside
    return shown(fmean(numbers), asked.form), inside


def _field(record: Record, field: str) -> str | int | float:
    if field == "weekday":
        return WEEKDAYS[date.fromisoformat(moment(record)[:10]).weekday()]
    if field == "day":
        return moment(record)[:10]
    value = record.fields[field]
    return text(value) if isinstance(value, list | bool) else value


def _groups(records: Sequence[Record], by: str) -> Mapping[str, list[Record]]:
    groups: dict[str, list[Record]] = defaultdict(list)
    for record in records:
        groups[text(record.fields[by]) if by else ""].append(record)
    return groups


def _windows(source: Source, kind: str) -> list[_Window]:
    first, last = source.life.first, source.life.last
    if kind == "all":
        return [_Window("", "0000", "9999")]
    windows = []
    if kind == "month":
        months = sorted(
            {(first + timedelta(days=n)).isoformat()[:7] for n in range((last - first).days + 1)}
        )
        return [_Window(f"in {month_phrase(m)}", f"{m}-01", f"{m}-31") for m in months]
    monday = first + timedelta(days=-first.weekday() % 7)
    while monday + timedelta(days=6) <= last:
        sunday = monday + timedelta(days=6)
        phrase = f"in the week from {day_text(monday)} to {day_text(sunday)}"
        windows.append(_Window(phrase, monday.isoformat(), sunday.isoformat()))
        monday += timedelta(days=7)
    return windows
