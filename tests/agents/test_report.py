"""What is said of a run, by value: over instances, with the empty and the unscored left out."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from rich.console import Console

from deskgym.env.trajectory import EpisodeResult, EpisodeScore, ModelUse, Scores
from deskgym.report import Report, averages, make_report
from deskgym.report_cases import Case, ReportError, make_cases
from deskgym.report_parts import coverage_curves, difficulty_bins
from deskgym.report_tables import tables
from deskgym.tasks.schema import Capabilities
from deskgym.tasks.scoring import AnswerScores, EvidenceScores, FileScores
from deskgym.tasks.scoring.models import Diagnosis, DifficultyFeatures, JudgeVerdict

FEATURES = DifficultyFeatures(
    evidence_files=1, modality_count=1, file_type_count=1, evidence_items=1, reasoning_steps=1,
    question_tokens=1, answer_tokens=1, time_span_days=0,
)  # fmt: skip


def result(
    score: float,
    *,
    agent: str = "bm25",
    profile: str = "demo/ann",
    answerable: bool = True,
    readable: float | None = 1.0,
    **changes: Any,
) -> EpisodeResult:
    files = FileScores(precision=score, recall=1.0, f1=score) if answerable else None
    evidence = EvidenceScores(
        exposed_recall=0.5, cited_precision=1, cited_recall=1, cited_f1=1, readable_recall=readable
    )
    fields: dict[str, Any] = {
        "task_id": "t",
        "profile_id": profile,
        "agent": agent,
        "qa_type": "factual_retention",
        "profiling_type": None,
        "answerable": answerable,
        "family": "factual_retention" if answerable else "unanswerable",
        "capabilities": Capabilities(),
        "features": FEATURES,
        "ended": "answered",
        "steps": 4,
        "invalid_actions": 1,
        "question": "?",
        "answer": "!",
        "gold_answer": "!",
        "cited_files": (),
        "touched_files": (),
        "gold_files": (),
        "coverage": (),
        "rewards": {},
        "scores": Scores(
            answer=AnswerScores(
                score=score,
                exact_match=float(score == 1),
                token_f1=score,
                rouge_l=score,
                number_match=None,
                abstained=False,
            ),
            files_cited=files,
            files_touched=files,
            evidence=evidence if answerable else None,
        ),
    }
    return EpisodeResult(**{**fields, **changes})


def results(*scores: float, **changes: Any) -> list[EpisodeResult]:
    """One result a score, of tasks t0, t1, ..."""
    return [result(score, task_id=f"t{at}", **changes) for at, score in enumerate(scores)]


def score_of(one: EpisodeResult, **changes: Any) -> EpisodeScore:
    fields: dict[str, Any] = {
        "task_id": one.task_id,
        "profile_id": one.profile_id,
        "agent": one.agent,
        "scores": one.scores,
        "correct": one.scores.answer.score >= 0.5,
    }
    return EpisodeScore(**{**fields, **changes})


def verdict(correct: bool | None, grade: int | None = None) -> JudgeVerdict:
    status = "unscored" if correct is None else "scored"
    return JudgeVerdict(status=status, rubric="graded", model="m1", correct=correct, grade=grade)


def printed(report: Report) -> str:
    out = io.StringIO()
    console = Console(file=out, width=200)
    for table in tables(report):
        console.print(table)
    return out.getvalue()


def row_of(text: str, *words: str) -> list[str]:
    """The cells of the first line that holds all the words."""
    return next(line for line in text.splitlines() if all(w in line for w in words)).split()


def cases(*made: EpisodeResult) -> list[Case]:
    return [Case.of(one) for one in made]


def test_means_are_over_instances_and_the_empty_is_left_out() -> None:
    means = averages(
        cases(result(1.0), result(0.5, readable=None), result(1.0, answerable=False, steps=1))
    )
    assert means.n == 3
    assert means["answer"] == pytest.approx(2.5 / 3)
    assert means["answerable"] == 0.75
    assert means["unanswerable"] == 1.0
    assert means["exact_match"] == pytest.approx(2 / 3)
    assert means["file_precision"] == 0.75  # the unanswerable task has no gold files
    assert means["evidence_recall"] == 0.5
    assert means["readable_recall"] == 1.0  # of one episode; the other has nothing readable
    assert means["steps"] == 3.0
    assert means["invalid_actions"] == 1.0


def test_nothing_to_average_is_none_and_not_zero() -> None:
    means = averages(cases(result(1.0, answerable=False)))
    assert means["answerable"] is None
    assert means["file_f1"] is None
    assert means["evidence_recall"] is None
    assert means["accuracy"] is None  # nobody said whether it is right


def test_every_average_has_an_interval_around_it() -> None:
    means = averages(cases(*results(0.0, 1.0, 1.0, 1.0)))
    own = means.means["answer"]
    assert own is not None
    assert own.n == 4
    assert own.low < own.mean == 0.75 < own.high
    assert means.as_json()["intervals"]["answer"] == [own.low, own.high]
    assert set(means.as_json()["intervals"]) == {k for k, v in means.means.items() if v}


def test_rows_by_agent_and_person_with_a_total_that_weighs_episodes() -> None:
    report = make_report(
        [
            result(1.0, agent="oracle"),
            result(0.0),
            result(0.0, task_id="u", ended="aborted", reason="x"),
            result(0.9, profile="demo/bob"),
        ]
    )
    rows = [(r.agent, r.group, r.averages.n, r.averages["answer"]) for r in report.by_person]
    assert rows == [
        ("oracle", "demo/ann", 1, 1.0),
        ("bm25", "demo/ann", 2, 0.0),
        ("bm25", "demo/bob", 1, 0.9),
        ("bm25", "all", 3, pytest.approx(0.3)),
    ]
    assert [r.averages.aborted for r in report.by_person] == [0, 1, 0, 1]
    assert report.as_json()["judge"] == "lexical"
    assert report.as_json()["by_person"][0]["profile"] == "demo/ann"


def test_a_task_counts_towards_each_of_its_labels_and_labels_have_no_total() -> None:
    report = make_report(
        [
            result(1.0, task_id="a", labels=("noise", "update")),
            result(0.0, task_id="b", labels=("noise",)),
            result(0.0, task_id="c"),
        ]
    )
    rows = [(row.group, row.averages.n, row.averages["answer"]) for row in report.by_label]
    assert rows == [("noise", 2, 0.5), ("update", 1, 1.0)]
    assert "By label" in printed(report)
    assert "By label" not in printed(make_report(results(1.0)))


def test_without_scores_the_report_has_its_averages_alone() -> None:
    report = make_report(results(1.0, 0.0))
    assert report.capabilities == report.difficulty == report.diagnosis == ()
    assert report.tools == report.latency == ()
    text = printed(report)
    assert "By person" in text
    assert "What went wrong" not in text


def test_a_judge_speaks_for_the_answers_and_what_it_left_unscored_is_counted_apart() -> None:
    made = results(1.0, 1.0, 0.0, 0.0)
    verdicts = [verdict(False, 1), verdict(True, 5), verdict(True, 4), verdict(None)]
    scores = [
        score_of(one, judge=said, correct=said.correct)
        for one, said in zip(made, verdicts, strict=True)
    ]
    report = make_report(made, scores)
    assert report.judge == "m1 (graded), 1 unscored"
    assert report.unscored == 1
    (row,) = report.by_person
    assert row.averages["accuracy"] == pytest.approx(2 / 3)
    assert row.averages["grade"] == pytest.approx(10 / 3)
    assert row.averages.unscored == 1
    assert row.averages["answer"] == 0.5  # the lexical score is kept as it is
    cells = row_of(printed(report), "bm25", "demo/ann")
    assert cells[:7] == ["bm25", "demo/ann", "4", "1", "0.667", "-", "3.3"]


def test_a_capability_family_is_the_plain_mean_over_its_labels() -> None:
    one = Capabilities(search=("time", "keyword"))
    other = Capabilities(search=("keyword",), reasoning=("lookup",))
    made = [
        result(1.0, task_id="a", capabilities=one),
        result(0.0, task_id="b", capabilities=other),
        result(0.0, task_id="c", capabilities=other),
    ]
    report = make_report(made, map(score_of, made))
    rows = [(r.family, r.label, r.score.n, r.score.mean) for r in report.capabilities]
    assert rows == [
        ("search", "keyword", 3, pytest.approx(1 / 3)),
        ("search", "time", 1, 1.0),
        ("search", None, 2, pytest.approx(2 / 3)),  # not 2 / 4, which weighs tasks
        ("reasoning", "lookup", 2, 0.0),
        ("reasoning", None, 1, 0.0),
    ]
    whole = report.capabilities[2].score
    assert 0 <= whole.low <= whole.mean <= whole.high <= 1


@pytest.mark.parametrize(
    ("difficulty", "low", "high"), [(1, 0, 5), (4.99, 0, 5), (5, 5, 10), (99, 95, 100)]
)
def test_a_bin_holds_its_lower_end_and_not_its_upper_one(
    difficulty: float, low: float, high: float
) -> None:
    case = Case.of(result(0.5)).scored(score_of(result(0.5), difficulty=difficulty))
    (own,) = difficulty_bins([case], lambda c: c.scores.answer.score)
    assert (own.low, own.high, own.score.mean, own.score.n) == (low, high, 0.5, 1)


def test_bins_rise_and_leave_out_what_has_no_difficulty_or_mark() -> None:
    made = results(1.0, 0.0, 0.5, 0.25)
    scored = [
        Case.of(one).scored(score_of(one, difficulty=at))
        for one, at in zip(made, (62, 12, 63, None), strict=True)
    ]
    bins = difficulty_bins(scored, lambda c: c.scores.answer.score)
    assert [(b.low, b.score.mean, b.score.n) for b in bins] == [(10, 0.0, 1), (60, 0.75, 2)]
    assert difficulty_bins(scored, lambda c: None) == ()


def test_the_coverage_curve_starts_at_nothing_and_holds_what_an_ended_episode_had() -> None:
    curves = coverage_curves(
        cases(
            result(1.0, coverage=(0.0, 1.0)),
            result(1.0, coverage=(0.5, 0.5, 0.5, 1.0)),
            result(1.0, coverage=()),  # aborted before its first step
            result(1.0, coverage=(0.0, 0.0), answerable=False),  # has no gold evidence
            result(1.0, agent="oracle", coverage=(1.0,)),
        )
    )
    assert curves["bm25"] == pytest.approx((0.0, 0.5 / 3, 1.5 / 3, 1.5 / 3, 2 / 3))
    assert curves["oracle"] == (0.0, 1.0)


def test_diagnoses_add_up_by_agent_and_family() -> None:
    made = results(1.0, 0.0, 0.0, 0.0, 0.0)
    made[4] = result(0.0, task_id="t4", family="temporal")
    found: list[dict[str, Any]] = [
        {},
        {"diagnosis": Diagnosis(failure="retrieval_mismatch")},
        {},  # wrong, and there is no log to tell why
        {"correct": None},
        {"diagnosis": Diagnosis(failure="retrieval_mismatch")},
    ]
    report = make_report(made, [score_of(one, **own) for one, own in zip(made, found, strict=True)])
    first, second = report.diagnosis
    assert (first.family, first.n, first.right, first.unscored) == ("factual_retention", 4, 1, 1)
    assert {name: n for name, n in first.failures.items() if n} == {
        "retrieval_mismatch": 1,
        "unexplained": 1,
    }
    assert (second.family, second.failures["retrieval_mismatch"]) == ("temporal", 1)


def test_tools_and_time_are_of_the_episodes_that_tell_of_them() -> None:
    made = results(1.0, 1.0, 1.0)
    report = make_report(
        made,
        [
            score_of(made[0], tool_uses={"search": 3, "answer": 1}, seconds=1, env_seconds=0.5),
            score_of(made[1], tool_uses={"answer": 1}, seconds=3, env_seconds=1.5),
            score_of(made[2]),
        ],
    )
    tools = [(t.tool, t.uses, t.episodes, t.n, t.per_episode.mean) for t in report.tools]
    assert tools == [("search", 3, 1, 2, 1.5), ("answer", 2, 2, 2, 1.0)]
    (time,) = report.latency
    assert (time.seconds.mean, time.median, time.p90) == (2.0, 2.0, pytest.approx(2.8))
    assert time.env_seconds is not None
    assert time.env_seconds.mean == 1.0


@pytest.mark.parametrize(
    ("scored", "says"),
    [
        ([0], "1 of 2 episodes have a score"),
        ([0, 1, 1], "a score too many"),
        ([0, 5], "a score too many, of bm25 on demo/ann, task t5"),
    ],
)
def test_scores_that_are_not_of_the_results_are_refused(scored: list[int], says: str) -> None:
    known = results(1.0, 0.0)
    scores = [score_of(result(1.0, task_id=f"t{at}")) for at in scored]
    with pytest.raises(ReportError, match=says) as caught:
        make_cases(known, scores)
    assert "deskgym score" in str(caught.value)


def test_tables_say_how_answers_were_judged_and_show_a_dash_for_nothing() -> None:
    text = printed(make_report([result(1.0, answerable=False)]))
    assert text.count("judge: lexical") == 2
    assert "unanswerable" in text
    cells = row_of(text, "demo/ann")
    assert cells == "bm25 demo/ann 1 - 1.000 1.000 - - - - - - 4.0 1.0 0".split()  # noqa: SIM905


def test_names_in_tables_are_no_markup_and_control_nothing() -> None:
    text = printed(make_report([result(1.0, family="[/red] x", agent="a\x1b[31mb")]))
    assert "[/red] x" in text
    assert "\x1b" not in text


def test_the_json_holds_plain_values() -> None:
    made = results(
        1.0,
        0.0,
        labels=("noise",),
        capabilities=Capabilities(search=("time",)),
        use=ModelUse(calls=1, faults=("malformed: x",)),
        failures=("empty: x",),
        attempts=2,
        injected=True,
    )
    report = make_report(
        made, [score_of(one, difficulty=50, seconds=1, tool_uses={"answer": 1}) for one in made]
    )
    data = json.loads(json.dumps(report.as_json()))
    assert {key for key, value in data.items() if not value} == {"unscored", "levels", "traits"}
    assert data["by_family"][0]["answer"] == 0.5
    assert data["by_label"][0]["label"] == "noise"
    assert data["capabilities"][0]["label"] == "time"
    assert data["difficulty"][0] | {"mean": 0.5, "from": 50, "to": 55} == data["difficulty"][0]
    assert data["coverage"] == {"bm25": [0.0]}
