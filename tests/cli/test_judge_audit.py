"""`deskgym judge audit`: what is drawn, what the sheet holds, and what comes of a filled one."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from made_runs import make_run
from typer.testing import CliRunner, Result

from deskgym.cli.main import app
from deskgym.env.run_reader import RESULTS, read_results
from deskgym.env.trajectory import EpisodeResult, EpisodeScore
from deskgym.env.trajectory_log import write_scores
from deskgym.judge_audit import AuditError, Judged, allocate, draw, judged_answers
from deskgym.judge_sheet import MAX_CELL, SheetError, guarded, plain, read_sheet, write_sheet
from deskgym.tasks.scoring.models import JudgeVerdict

Change = Callable[[int, EpisodeResult], dict[str, Any]]


def verdict(right: bool, **changes: Any) -> JudgeVerdict:
    fields: dict[str, Any] = {
        "status": "scored",
        "rubric": "graded",
        "model": "m",
        "correct": right,
        "grade": 5 if right else 1,
        "reason": "because",
    }
    return JudgeVerdict(**{**fields, **changes})


def judged_run(
    folder: Path,
    verdicts: Sequence[JudgeVerdict | None] | Callable[[int], JudgeVerdict | None],
    *,
    episodes: int = 60,
    change: Change = lambda number, result: {"answer": result.answer or "It was Tuesday."},
) -> Path:
    """A run in which every episode has an answer, scored by a judge that says ``verdicts``."""
    make_run(folder, episodes=episodes, steps=5)
    results = [
        one.model_copy(update=change(number, one))
        for number, one in enumerate(read_results(folder))
    ]
    (folder / RESULTS).write_text("".join(f"{one.model_dump_json()}\n" for one in results))
    said = verdicts if callable(verdicts) else verdicts.__getitem__
    write_scores(
        folder,
        [
            EpisodeScore(
                task_id=one.task_id,
                profile_id=one.profile_id,
                agent=one.agent,
                scores=one.scores,
                judge=said(number),
                correct=None,
            )
            for number, one in enumerate(results)
        ],
    )
    return folder


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Sixty judged answers, every third of them right."""
    return judged_run(tmp_path / "run", lambda number: verdict(number % 3 == 0))


def call(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, ["judge", "audit", *map(str, arguments)])


def fill(sheet: Path, human: Callable[[dict[str, str]], dict[str, str]]) -> Path:
    """The sheet with what a person writes into each row, saved beside it."""
    rows = [row for _, row in read_sheet(sheet)]
    target = sheet.with_name("filled.csv")
    with target.open("w", encoding="utf-8", newline="") as out:
        writer = csv.DictWriter(out, list(rows[0]))
        writer.writeheader()
        writer.writerows({**row, **human(row)} for row in rows)
    return target


# --- drawing ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sizes", "n", "given"),
    [
        ([50, 30, 20], 10, [5, 3, 2]),
        ([97, 2, 1], 10, [8, 1, 1]),
        ([1, 1, 98], 3, [1, 1, 1]),
        ([3, 3], 100, [3, 3]),
        ([10, 10, 10], 10, [4, 3, 3]),
        ([5, 1], 6, [5, 1]),
    ],
)
def test_each_stratum_gives_its_share_and_one_at_least(
    sizes: list[int], n: int, given: list[int]
) -> None:
    assert allocate(sizes, n) == given


def test_the_draw_is_proportional_by_family_and_verdict_and_the_seed_s(run: Path) -> None:
    answers = judged_answers(run)
    drawn, strata = draw(answers, 24, seed=1)
    assert len(drawn) == len({one.check for one in drawn}) == 24
    of = Counter((one.result.family, one.correct) for one in answers)
    got = Counter((one.result.family, one.correct) for one in drawn)
    assert {(s.family, s.correct): (s.answers, s.drawn) for s in strata} == {
        name: (of[name], got[name]) for name in of
    }
    assert all(abs(got[name] - 24 * of[name] / 60) <= 1 and got[name] for name in of)
    assert draw(list(reversed(answers)), 24, seed=1)[0] == drawn
    assert draw(answers, 24, seed=2)[0] != drawn


def test_the_order_of_rows_does_not_tell_the_verdict(run: Path) -> None:
    drawn, _ = draw(judged_answers(run), 60, seed=0)
    told = [one.correct for one in drawn]
    assert sorted(told) != told
    assert sorted(told, reverse=True) != told
    assert sum(a != b for a, b in pairwise(told)) > 10


def test_too_few_for_the_strata_says_how_many(run: Path) -> None:
    _, strata = draw(judged_answers(run), 60, seed=0)
    assert len(strata) > 2
    done = call(run, "--n", "2")
    assert isinstance(done.exception, AuditError)
    assert f"--n {len(strata)} or more" in str(done.exception)


def test_unscored_and_blank_answers_are_not_drawn(tmp_path: Path) -> None:
    said = [
        verdict(True),
        verdict(False, status="unscored", correct=None, grade=None, error="e"),
        verdict(False, grade=0, reason="no answer"),
        None,
    ]
    texts = ["a", "b", " ", "d"]
    run = judged_run(
        tmp_path / "run", said, episodes=4, change=lambda number, one: {"answer": texts[number]}
    )
    assert [one.result.answer for one in judged_answers(run)] == ["a"]


@pytest.mark.parametrize(
    "said", [None, verdict(True, status="unscored", correct=None, grade=None, error="e")]
)
def test_a_run_without_verdicts_says_how_to_get_them(
    said: JudgeVerdict | None, tmp_path: Path
) -> None:
    run = judged_run(tmp_path / "run", lambda number: said, episodes=4)
    done = call(run)
    assert isinstance(done.exception, AuditError)
    assert f"deskgym score {run} --judge-model" in str(done.exception)
    assert ("4 are unscored" in str(done.exception)) == (said is not None)


# --- the sheet ----------------------------------------------------------------------------------


def test_the_sheet_is_blind_unless_asked(run: Path, tmp_path: Path) -> None:
    assert call(run, "--n", "20").exit_code == 0
    blind = read_sheet(run / "audit.csv")
    assert len(blind) == 20
    assert list(blind[0][1]) == [
        *("check", "agent", "profile_id", "task_id", "family", "question", "gold", "answer"),
        *("human", "human_grade"),
    ]
    assert {row["human"] for _, row in blind} == {""}
    assert "because" not in (run / "audit.csv").read_text()
    assert call(run, "--n", "20", "--show", "--out", tmp_path / "open.csv").exit_code == 0
    shown = read_sheet(tmp_path / "open.csv")
    assert {row["judge"] for _, row in shown} == {"yes", "no"}
    assert {row["judge_reason"] for _, row in shown} == {"because"}


def test_a_sheet_that_may_be_filled_is_not_written_over(run: Path) -> None:
    assert call(run).exit_code == 0
    before = (run / "audit.csv").read_bytes()
    done = call(run, "--seed", "9")
    assert isinstance(done.exception, SheetError)
    assert "audit.csv is there already" in str(done.exception)
    assert (run / "audit.csv").read_bytes() == before


RISKY = (
    "=cmd|' /C calc'!A0",
    "+1+1",
    "-2",
    "@SUM(A1)",
    "\t=1",
    "\r\n=1",
    "\n=1",
    "＝1",
)
HARMLESS = ("'quoted'", "''", "a=1", 'He said "no";\nthen, left\r\n', "", "naïve, 日本語", "\0x")


@pytest.mark.parametrize("text", [*RISKY, *HARMLESS])
def test_cells_are_read_back_as_they_were_and_none_runs(text: str, tmp_path: Path) -> None:
    file = tmp_path / "sheet.csv"
    write_sheet(file, ["check", "answer", "human"], [{"check": "a-1", "answer": text}])
    with file.open(encoding="utf-8-sig", newline="") as lines:
        cell = list(csv.reader(lines))[1][1]
    assert not cell.startswith(tuple("=+-@\t\r\n＝＋－＠"))
    assert (cell == text) == (text not in RISKY and not text.startswith("'"))
    assert plain(guarded(text)) == text
    assert read_sheet(file) == [(1, {"check": "a-1", "answer": text, "human": ""})]


def test_a_cell_too_long_for_a_spreadsheet_is_cut_and_says_so() -> None:
    assert guarded("x" * 99_999) == "x" * MAX_CELL + " [cut here; the rest is in results.jsonl]"


# --- a filled sheet -----------------------------------------------------------------------------


def by_check(run: Path) -> dict[str, Judged]:
    return {one.check: one for one in judged_answers(run)}


def test_a_filled_sheet_is_compared_with_the_judge(run: Path) -> None:
    call(run, "--n", "20")
    known = by_check(run)
    wrong = [
        row["check"] for _, row in read_sheet(run / "audit.csv") if known[row["check"]].correct
    ]

    def human(row: dict[str, str]) -> dict[str, str]:
        one = known[row["check"]]
        if row["check"] == wrong[0]:
            return {"human": "No", "human_grade": "2"}
        return {"human": "yes" if one.correct else "n", "human_grade": str(one.verdict.grade)}

    filled = fill(run / "audit.csv", human)
    done = call(run, "--filled", filled, "--json")
    assert done.exit_code == 0, done.output
    report = json.loads(done.stdout)
    yes = len(wrong)
    assert report["judges"] == ["m (graded)"]
    assert report["empty"] == 0
    verdicts = report["verdicts"]
    assert verdicts["confusion"] == {
        "yes_yes": yes - 1, "yes_no": 1, "no_yes": 0, "no_no": 20 - yes,
    }  # fmt: skip
    assert verdicts["share"] == 0.95
    by_chance = (yes * (yes - 1) + (20 - yes) * (21 - yes)) / 400
    assert verdicts["kappa"] == pytest.approx((0.95 - by_chance) / (1 - by_chance))
    assert report["grades"]["n"] == 20
    assert report["grades"]["mean_difference"] == pytest.approx(3 / 20)
    (one,) = report["disagreements"]
    assert (one["judge"], one["human"], one["human_grade"]) == (True, False, 2)
    assert one["answer"] == known[wrong[0]].result.answer

    said = call(run, "--filled", filled).stdout
    assert "agreement: 0.950, 19 of 20" in said
    assert "judge yes, person no" in said


def test_rows_left_empty_are_counted_and_grades_are_not_asked_for(run: Path) -> None:
    call(run, "--n", "20")
    rows = iter(range(20))
    filled = fill(run / "audit.csv", lambda row: {"human": "yes" if next(rows) < 5 else " "})
    report = json.loads(call(run, "--filled", filled, "--json").stdout)
    assert (report["verdicts"]["n"], report["empty"]) == (5, 15)
    assert report["grades"] is None


def test_one_class_alone_has_no_kappa(tmp_path: Path) -> None:
    run = judged_run(tmp_path / "run", lambda number: verdict(True), episodes=12)
    call(run)
    filled = fill(run / "audit.csv", lambda row: {"human": "yes"})
    assert "kappa: - (not defined" in call(run, "--filled", filled).stdout
    assert json.loads(call(run, "--filled", filled, "--json").stdout)["verdicts"]["kappa"] is None


@pytest.mark.parametrize("separator", [";", "\t"])
def test_a_sheet_saved_with_another_separator_and_spoilt_ids_is_read(
    run: Path, separator: str
) -> None:
    call(run, "--n", "20")
    rows = [{**row, "task_id": "01.02.2024"} for _, row in read_sheet(run / "audit.csv")]
    saved = run / "saved.csv"
    with saved.open("w", encoding="utf-8-sig", newline="") as out:
        writer = csv.DictWriter(out, [*rows[0], "remark"], delimiter=separator)
        writer.writeheader()
        writer.writerows({**row, "human": "TRUE", "human_grade": "4,0"} for row in rows)
    report = json.loads(call(run, "--filled", saved, "--json").stdout)
    assert report["verdicts"]["n"] == 20
    assert report["grades"]["n"] == 20


@pytest.mark.parametrize(
    ("human", "told"),
    [
        ({"human": "maybe"}, r"row 1: human is 'maybe'; it is yes or no"),
        ({"human_grade": "4"}, r"row 1: human is ''"),
        ({"human": "yes", "human_grade": "7"}, r"row 1: human_grade is '7'; it is 0 to 5"),
        ({"human": "yes", "human_grade": "4.5"}, r"row 1: human_grade is '4.5'"),
        ({"human": "yes", "check": "a-0"}, "row 1: .* no judged answer 'a-0'.*draw a new sample"),
        ({}, r"no row of .* is filled; write yes or no"),
    ],
)
def test_a_sheet_that_says_something_else_names_the_row(
    run: Path, human: dict[str, str], told: str
) -> None:
    call(run, "--n", "20")
    rows = iter(range(20))
    filled = fill(run / "audit.csv", lambda row: human if next(rows) == 0 else {})
    done = call(run, "--filled", filled)
    assert isinstance(done.exception, SheetError | AuditError)
    with pytest.raises(type(done.exception), match=told):
        raise done.exception


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (None, "cannot read"),
        (b"", "no column 'check'"),
        (b"name,human\nx,yes\n", "no column 'check'"),
        (b"check,answer\na-1,x\n", "no column 'human'"),
        (b"check,human\na-1,yes\na-1,no\n", "row 2: .*'a-1' is there twice"),
        ("check,human,ä\n".encode("latin-1"), "not UTF-8"),
        (b'check,human\n"' + b"x" * 200_000 + b'",yes\n', "not CSV"),
    ],
)
def test_what_is_no_sheet_is_refused(
    data: bytes | None, told: str, run: Path, tmp_path: Path
) -> None:
    file = tmp_path / "other.csv"
    if data is not None:
        file.write_bytes(data)
    done = call(run, "--filled", file)
    assert isinstance(done.exception, SheetError)
    with pytest.raises(SheetError, match=told):
        raise done.exception


def test_an_answer_that_has_changed_since_is_no_longer_the_sheet_s(run: Path) -> None:
    call(run, "--n", "20")
    filled = fill(run / "audit.csv", lambda row: {"human": "yes"})
    results = (run / RESULTS).read_text().splitlines()
    changed = [json.loads(line) | {"answer": "something else"} for line in results]
    (run / RESULTS).write_text("".join(json.dumps(line) + "\n" for line in changed))
    assert "has changed since" in str(call(run, "--filled", filled).exception)


def test_what_answers_hold_cannot_speak_to_the_terminal(tmp_path: Path) -> None:
    run = judged_run(
        tmp_path / "run",
        lambda number: verdict(True),
        episodes=3,
        change=lambda number, one: {"answer": "\x1b]0;owned\x07[bold]x[/bold]"},
    )
    call(run)
    filled = fill(run / "audit.csv", lambda row: {"human": "no"})
    said = call(run, "--filled", filled).stdout
    assert "\x1b" not in said
    assert "[bold]x[/bold]" in said


def test_filling_and_drawing_do_not_go_together(run: Path, tmp_path: Path) -> None:
    assert call(run, "--filled", tmp_path / "a.csv", "--show").exit_code == 2
