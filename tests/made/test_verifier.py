"""The verifier: what it reads, what queries come to, and what it refuses."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from deskgym.tasks.locators import Lines, WholeFile
from deskgym.tasks.made.life import make_life
from deskgym.tasks.made.records import make_records
from deskgym.tasks.made.verifier.check import check
from deskgym.tasks.made.verifier.evaluate import Desk, NoAnswer, run
from deskgym.tasks.made.verifier.query import Asked, Query
from deskgym.tasks.made.verifier.read import read_desk
from deskgym.tasks.made.verifier.rows import Row, joined, row_of
from deskgym.tasks.schema import Evidence, Task

LUNCHES = [
    ("2024-03-04 12:10", "Bar Moor", -9.5),
    ("2024-03-05 12:20", "Bar Moor", -12.0),
    ("2024-03-11 18:40", "Cafe Vale", -30.25),
    ("2024-03-26 07:30", "Employer", 2500.0),
]


def desk(*more: Row) -> Desk:
    rows = [
        row_of(
            "transaction",
            {"time": time, "payee": payee, "amount": amount},
            "bank.csv",
            Lines(start=n, end=n),
        )
        for n, (time, payee, amount) in enumerate(LUNCHES, 2)
    ]
    return Desk([*rows, *more])


def query(*steps: dict[str, Any], **give: Any) -> Query:
    named = [{"rows": "transaction", "name": f"s{n}", **step} for n, step in enumerate(steps)]
    return Query.model_validate({"steps": named, "of": named[-1]["name"], **give})


def is_(field: str, value: Any, op: str = "is") -> dict[str, Any]:
    return {"field": field, "op": op, "value": value}


@pytest.mark.parametrize(
    ("step", "give", "answer"),
    [
        ({"where": [is_("day", "2024-03-05")]}, {"field": "amount", "form": "money"}, "€12.00"),
        ({"where": [is_("payee", "bar moor")], "take": "all"}, {"give": "count"}, "2"),
        (
            {"where": [is_("payee", "Bar Moor")], "take": "all"},
            {"give": "sum", "field": "amount", "form": "money"},
            "€21.50",
        ),
        (
            {"where": [is_("amount", 0, "below")], "take": "all"},
            {"give": "mean", "field": "amount", "form": "number"},
            "-17.25",
        ),
        ({"take": "least", "by": "amount"}, {"field": "payee"}, "Cafe Vale"),
        ({"take": "most", "by": "amount"}, {"field": "weekday", "form": "weekday"}, "Tuesday"),
        ({"take": "last"}, {"field": "time", "form": "time"}, "26 March 2024, 07:30"),
        ({"take": "all"}, {"give": "mode", "field": "payee"}, "Bar Moor"),
        ({"take": "all"}, {"give": "count_distinct", "field": "payee"}, "3"),
        ({"take": "all"}, {"give": "span_days", "field": "day"}, "22"),
        (
            {"take": "all"},
            {"give": "absent", "field": "payee", "among": ["Bar Moor", "Cafe Vale", "Inn"]},
            "Inn",
        ),
        (
            {"where": [is_("month", "2024-03"), is_("payee", "Moor", "has")], "take": "first"},
            {"field": "clock", "form": "clock"},
            "12:10",
        ),
        (
            {"where": [is_("day", "2024-03-05", "until")], "take": "all"},
            {"give": "order", "field": "clock", "form": "clock"},
            "12:10 and 12:20",
        ),
        ({"where": [is_("payee", "Nobody")], "take": "all"}, {"give": "count"}, "0"),
    ],
)
def test_a_query_comes_to_what_it_says(
    step: dict[str, Any], give: dict[str, Any], answer: str
) -> None:
    assert run(query(step, **give), desk()).text == answer


def test_a_later_step_refers_to_an_earlier_one() -> None:
    night = row_of("sleep", {"date": "2024-03-12", "hours": 6.5}, "s.json", Lines(start=2, end=2))
    found = run(
        query(
            {"where": [is_("payee", "Cafe Vale")]},
            {
                "rows": "sleep",
                "where": [is_("day", {"step": "s0", "field": "day"}, "next_day")],
            },
            field="hours",
            form="number",
        ),
        desk(night),
    )
    assert found.text == "6.5"
    assert [row.schema for row in found.rows] == ["transaction", "sleep"]


@pytest.mark.parametrize(
    ("step", "give", "reason"),
    [
        ({"where": [is_("payee", "Bar Moor")]}, {"field": "amount"}, "not-unique"),
        ({"where": [is_("payee", "Nobody")]}, {"field": "amount"}, "nothing-found"),
        ({"take": "last"}, {"field": "colour"}, "missing-field"),
        (
            {"where": [is_("payee", "Employer", "is_not")], "take": "all"},
            {"give": "mode", "field": "day"},
            "not-unique",
        ),
        ({"take": "most", "by": "payee"}, {"field": "day"}, "missing-field"),
        ({"take": "all"}, {"give": "nothing"}, "found-after-all"),
    ],
)
def test_what_has_no_single_answer_is_refused(
    step: dict[str, Any], give: dict[str, Any], reason: str
) -> None:
    with pytest.raises(NoAnswer) as caught:
        run(query(step, **give), desk())
    assert caught.value.reason == reason


def test_one_of_many_candidates_is_found_in_a_text() -> None:
    row = row_of("journal", {"date": "2024-03-05", "text": "We had goulash."}, "j.md", WholeFile())
    asked = query({"rows": "journal"}, give="present", field="text", among=["soup", "goulash"])
    assert run(asked, Desk([row])).text == "goulash"
    with pytest.raises(NoAnswer, match="2 of 2"):
        run(asked.model_copy(update={"among": ("goulash", "we")}), Desk([row]))
    # A part of a word is not said.
    with pytest.raises(NoAnswer, match="0 of 1"):
        run(asked.model_copy(update={"among": ("lash",)}), Desk([row]))


def test_a_query_cannot_refer_forward() -> None:
    with pytest.raises(ValueError, match="come no earlier"):
        query({"where": [is_("day", {"step": "s1", "field": "day"})]}, {})


def test_what_stands_twice_is_one_row_with_two_places() -> None:
    one = row_of("note", {"title": "a"}, "a.md", WholeFile())
    other = row_of("note", {"title": "a"}, "copy/a.md", WholeFile())
    (row,) = joined([one, other])
    assert [path for path, _ in row.places] == ["a.md", "copy/a.md"]


# --- verdicts ---

ASKED = Asked(
    id="t",
    query=query({"where": [is_("payee", "Bar Moor")], "take": "all"}, give="count"),
    answer="{} times",
)


def task(answer: str, *lines: tuple[int, int]) -> Task:
    evidence = tuple(
        Evidence(
            evidence_id=f"e{n}",
            file_path="bank.csv",
            modality="text",
            locator=Lines(start=a, end=b),
            text="x",
        )
        for n, (a, b) in enumerate(lines)
    )
    return Task(
        id="t",
        profile_id="made/x",
        question="?",
        answer=answer,
        qa_type="factual_retention",
        files=("bank.csv",),
        evidence=evidence,
    )


@pytest.mark.parametrize(
    ("gold", "reason"),
    [
        (task("2 times", (2, 3)), ""),
        (task("2 times", (2, 2), (3, 3)), ""),
        (task("3 times", (2, 3)), "other-answer"),
        (task("2 times", (2, 2)), "missing-evidence"),
        (task("2 times", (2, 4)), "superfluous-evidence"),
        (task("2 times", (2, 3), (5, 5)), "superfluous-evidence"),
    ],
)
def test_gold_is_held_against_what_the_files_say(gold: Task, reason: str) -> None:
    assert check(Path("unread"), [ASKED], {"t": gold}, desk())["t"].reason == reason


def test_a_premise_that_holds_is_refused() -> None:
    true = query({"where": [is_("payee", "Bar Moor"), is_("day", "2024-03-04")]}, field="amount")
    false = query({"where": [is_("payee", "Bar Moor"), is_("day", "2024-03-06")]}, field="amount")
    gold = {"t": task("2 times", (2, 3))}
    for premise, reason in ((true, "premise-holds"), (false, "")):
        asked = ASKED.model_copy(update={"premise": premise})
        assert check(Path("unread"), [asked], gold, desk())["t"].reason == reason


# --- files ---


def test_what_is_read_from_the_files_is_what_the_records_are(setoka) -> None:
    life = make_life(setoka.spec, 0)
    records = make_records(life, setoka.spec)
    read = read_desk(setoka.files)
    for schema in ("transaction", "call", "sleep", "visit", "calendar", "contact", "bill",
                   "message", "order", "reminder", "habit_log", "social_tie"):  # fmt: skip
        wanted = [record.fields for record in records if record.schema == schema]
        found = [dict(row.fields) for row in read.of(schema)]
        keys = list(wanted[0])

        def plain(fields: Any, keys: list[str] = keys) -> tuple[str, ...]:
            texts = [fields[key] for key in keys]
            return tuple(f"{t:.2f}" if isinstance(t, int | float) else str(t) for t in texts)

        def numeric(text: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(t.removesuffix(".00") for t in text)

        assert {numeric(plain(row)) for row in found} == {numeric(plain(f)) for f in wanted}, schema


def test_all_that_ships_is_confirmed_by_the_separate_program(setoka, rhelm, home) -> None:
    for made in (setoka, rhelm, home):
        done = subprocess.run(
            [sys.executable, "-m", "deskgym.tasks.made.verifier", str(made.root)],
            capture_output=True,
            text=True,
            check=False,
        )
        count = len(made.tasks)
        assert f"{count} of {count} tasks agree" in done.stdout
        assert done.returncode == 0, done.stdout


def test_a_file_that_is_changed_costs_its_tasks(home, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(home.root, copy)
    folder = copy / home.person.name
    victim = next(p for p in sorted(folder.rglob("*.csv")) if "transactions" in p.name)
    lines = victim.read_text().splitlines()
    victim.write_text("\n".join([lines[0], *reversed(lines[1:])]) + "\n")
    tasks = {one.id: one for one in home.tasks}
    wrong = {
        name
        for name, verdict in check(folder / "files", home.asked, tasks).items()
        if not verdict.ok
    }
    path = victim.relative_to(folder / "files").as_posix()
    in_it = {name for name, one in tasks.items() if path in one.files}
    assert wrong
    assert wrong <= in_it


def test_the_verifier_is_told_no_answers(setoka) -> None:
    asked = (setoka.folder / "asked.jsonl").read_text().splitlines()
    tasks = {one.id: one for one in setoka.tasks}
    for line in asked:
        own = json.loads(line)
        if own["answer"] == "{}":
            wanted = tasks[own["id"]].answer
            # An answer may be one of the candidates, and is then among several.
            among = own["query"].pop("among")
            assert wanted not in among or len(among) > 1
            assert wanted not in [
                test["value"] for step in own["query"]["steps"] for test in step["where"]
            ]


def test_refusals_say_why(setoka) -> None:
    assert setoka.rejected
    assert all(one.reason and one.detail for one in setoka.rejected)
    assert setoka.person.counts.proposed == len(setoka.tasks) + len(setoka.rejected)
    assert 0.4 < setoka.person.counts.retained < 1
