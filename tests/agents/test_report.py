"""Averages by value: over instances, with the empty left out."""

from __future__ import annotations

import io
from typing import Any

from rich.console import Console

from deskgym.env.trajectory import EpisodeResult, Scores
from deskgym.report import averages, family, make_report
from deskgym.tasks.schema import Capabilities
from deskgym.tasks.scoring import AnswerScores, EvidenceScores, FileScores
from deskgym.tasks.scoring.models import DifficultyFeatures


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
        "capabilities": Capabilities(),
        "features": DifficultyFeatures(**dict.fromkeys(DifficultyFeatures.model_fields, 1.0)),
        "family": "factual_retention" if answerable else "unanswerable",
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


def test_means_are_over_instances_and_the_empty_is_left_out() -> None:
    means = averages(
        [result(1.0), result(0.5, readable=None), result(1.0, answerable=False, steps=1)]
    )
    assert means.n == 3
    assert means.answer == 2.5 / 3
    assert means.answerable == 0.75
    assert means.unanswerable == 1.0
    assert means.exact_match == 2 / 3
    assert means.file_precision == 0.75  # the unanswerable task has no gold files
    assert means.evidence_recall == 0.5
    assert means.readable_recall == 1.0  # of one episode; the other has nothing readable
    assert means.steps == 3.0
    assert means.invalid_actions == 1.0


def test_nothing_to_average_is_none_and_not_zero() -> None:
    means = averages([result(1.0, answerable=False)])
    assert means.answerable is None
    assert means.file_f1 is None
    assert means.evidence_recall is None


def test_rows_by_agent_and_person_with_a_total_that_weighs_episodes() -> None:
    report = make_report(
        [
            result(1.0, agent="oracle"),
            result(0.0),
            result(0.0, ended="aborted", reason="x"),
            result(0.9, profile="demo/bob"),
        ]
    )
    rows = [(r.agent, r.group, r.averages.n, r.averages.answer) for r in report.by_person]
    assert rows == [
        ("oracle", "demo/ann", 1, 1.0),
        ("bm25", "demo/ann", 2, 0.0),
        ("bm25", "demo/bob", 1, 0.9),
        ("bm25", "all", 3, 0.3),
    ]
    assert [r.averages.aborted for r in report.by_person] == [0, 1, 0, 1]
    assert report.as_json()["judge"] == "lexical"
    assert report.as_json()["by_person"][0]["profile"] == "demo/ann"


def test_families() -> None:
    profiling = {"qa_type": "profiling", "profiling_type": "preferences"}
    assert family(result(1.0)) == "factual_retention"
    assert family(result(1.0, **profiling)) == "preferences"
    assert family(result(1.0, answerable=False, **profiling)) == "unanswerable"


def test_tables_say_how_answers_were_judged_and_show_a_dash_for_nothing() -> None:
    out = io.StringIO()
    console = Console(file=out, width=120)
    for table in make_report([result(1.0, answerable=False)]).tables():
        console.print(table)
    text = out.getvalue()
    assert text.count("judge: lexical") == 2
    assert "unanswerable" in text
    row = next(line for line in text.splitlines() if "demo/ann" in line)
    assert row.split() == "bm25 demo/ann 1 - 1.000 1.000 - - - - - - 4.0 1.0 0".split()  # noqa: SIM905
