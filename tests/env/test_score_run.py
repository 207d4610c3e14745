"""A run scored again: equal to what it was, from its files alone, and never all in memory."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest
from made_runs import OUTCOMES, make_run

from deskgym.env import score_run as module
from deskgym.env.run_reader import (
    TrajectoryError,
    episode_path,
    iter_results,
    read_results,
    read_scores,
)
from deskgym.env.score_run import CORRECT_FROM, score_run, scored_results
from deskgym.env.trajectory import EpisodeResult
from deskgym.env.trajectory_log import write_scores
from deskgym.tasks.scoring.models import JudgeVerdict


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_run(tmp_path_factory.mktemp("made") / "run", episodes=120, agents=("a", "b"))


def own_copy(tmp_path: Path, episodes: int = 6) -> Path:
    return make_run(tmp_path / "run", episodes=episodes)


def verdict(correct: bool | None) -> JudgeVerdict:
    if correct is None:
        return JudgeVerdict(status="unscored", rubric="strict", model="m", error="timed out")
    return JudgeVerdict(status="scored", rubric="strict", model="m", correct=correct)


def test_scores_are_in_the_order_of_the_results_and_equal_to_theirs(run: Path) -> None:
    results, scores = read_results(run), list(score_run(run))
    assert [(s.agent, s.profile_id, s.task_id) for s in scores] == [
        (r.agent, r.profile_id, r.task_id) for r in results
    ]
    assert [s.scores for s in scores] == [r.scores for r in results]


def test_what_was_scored_wrong_is_scored_anew_from_the_texts(tmp_path: Path) -> None:
    run = own_copy(tmp_path)
    file = run / "results.jsonl"
    before = [score.scores for score in score_run(run)]
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    for line in lines:
        line["scores"]["answer"] |= {"score": 0.123, "token_f1": 0.5}
        if line["scores"]["files_cited"] is not None:
            line["scores"]["files_cited"]["f1"] = 0.5
        if line["scores"]["evidence"] is not None:
            line["scores"]["evidence"]["exposed_recall"] = 0.0
    spoilt = "".join(json.dumps(line) + "\n" for line in lines)
    file.write_text(spoilt, encoding="utf-8")
    assert [score.scores for score in score_run(run)] == before
    assert file.read_text(encoding="utf-8") == spoilt  # and the results stay as they are


def test_right_is_what_reaches_the_threshold(run: Path) -> None:
    scores = list(score_run(run))
    assert {s.correct for s in scores} == {True, False}
    assert all(s.correct == (s.scores.answer.score >= CORRECT_FROM) for s in scores)


def test_latency_and_tool_use_come_from_the_log(run: Path) -> None:
    for score in score_run(run):
        assert score.seconds is not None
        assert score.env_seconds is not None
        assert 0 < score.env_seconds < score.seconds
        assert sum(score.tool_uses.values()) == 8
        assert list(score.tool_uses) == sorted(score.tool_uses)


def test_difficulty_bleu_and_diagnosis_are_there(run: Path) -> None:
    scores = list(score_run(run))
    assert all(s.difficulty is not None and s.bleu is not None for s in scores)
    assert all(s.bleu == 0 for s in scores if not s.correct and s.scores.answer.token_f1 == 0)
    failures = {s.diagnosis.failure for s in scores if s.diagnosis is not None}
    assert failures >= {None, *OUTCOMES[:6]}
    assert all((s.diagnosis.failure is None) == s.correct for s in scores if s.diagnosis)


def test_without_logs_or_bleu_their_values_are_left_out(run: Path) -> None:
    bare = list(score_run(run, logs=False, bleu=False))
    assert all(s.bleu is s.seconds is s.env_seconds is s.diagnosis is None for s in bare)
    assert all(s.tool_uses == {} and s.difficulty is not None for s in bare)
    assert [s.scores for s in bare] == [s.scores for s in score_run(run)]


def test_a_missing_log_leaves_its_values_out(tmp_path: Path) -> None:
    run = own_copy(tmp_path)
    first = next(iter_results(run))
    episode_path(run, first.agent, first.profile_id, first.task_id).unlink()
    scores = list(score_run(run))
    assert (scores[0].seconds, scores[0].diagnosis) == (None, None)
    assert scores[0].scores == first.scores
    assert scores[1].seconds is not None


@pytest.mark.parametrize("damage", ["end", "line"])
def test_a_damaged_log_is_named(tmp_path: Path, damage: str) -> None:
    run = own_copy(tmp_path)
    first = next(iter_results(run))
    log = episode_path(run, first.agent, first.profile_id, first.task_id)
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join(lines[:-1] if damage == "end" else [b"{}\n", *lines[1:]]))
    with pytest.raises(TrajectoryError, match=log.name):
        list(score_run(run))


def test_no_run(tmp_path: Path) -> None:
    with pytest.raises(TrajectoryError, match="there is no run"):
        list(score_run(tmp_path))


class TestJudge:
    def test_its_word_counts_and_not_the_lexical_score(self, run: Path) -> None:
        words = [True, False, None]

        def judge(results: Sequence[EpisodeResult]) -> Iterable[JudgeVerdict]:
            return [verdict(words[n % 3]) for n in range(len(results))]

        scores = list(score_run(run, judge=judge, logs=False))
        assert [s.correct for s in scores] == [words[n % 3] for n in range(len(scores))]
        assert all(s.judge is not None and s.judge.model == "m" for s in scores)

    def test_what_it_left_unscored_is_not_diagnosed(self, run: Path) -> None:
        scores = list(score_run(run, judge=lambda results: [verdict(None)] * len(results)))
        assert all(s.correct is None and s.diagnosis is None for s in scores)

    def test_it_is_asked_in_batches_in_order(
        self, run: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(module, "_BATCH", 50)
        asked: list[list[str]] = []

        def judge(results: Sequence[EpisodeResult]) -> Iterable[None]:
            asked.append([f"{r.agent} {r.task_id}" for r in results])
            return [None] * len(results)

        scores = list(score_run(run, judge=judge, logs=False))
        assert [len(batch) for batch in asked] == [50, 50, 20]
        assert [key for batch in asked for key in batch] == [
            f"{s.agent} {s.task_id}" for s in scores
        ]

    def test_too_few_verdicts_are_an_error(self, run: Path) -> None:
        with pytest.raises(ValueError, match="zip"):
            list(score_run(run, judge=lambda results: [None], logs=False))


class TestScoredResults:
    def test_without_scores_they_are_made(self, tmp_path: Path) -> None:
        run = own_copy(tmp_path)
        pairs = list(scored_results(run))
        assert [score for _, score in pairs] == list(score_run(run))
        assert not (run / "scores.jsonl").exists()

    def test_written_scores_are_used(self, tmp_path: Path) -> None:
        run = own_copy(tmp_path)
        judge = [verdict(True)] * 6
        write_scores(run, reversed(list(score_run(run, judge=lambda results: judge))))
        pairs = list(scored_results(run))
        assert [result for result, _ in pairs] == read_results(run)
        assert all(score.correct and result.task_id == score.task_id for result, score in pairs)
        assert len(read_scores(run)) == 6

    def test_scores_of_an_older_state_are_refused(self, tmp_path: Path) -> None:
        run = own_copy(tmp_path)
        write_scores(run, list(score_run(run))[:-1])
        with pytest.raises(TrajectoryError, match=r"played since; run: deskgym score"):
            list(scored_results(run))
