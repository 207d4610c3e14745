"""Executions that failed are run again and counted; answers, right or wrong, never are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from costly_runs import AGENT, costly_spec, play
from test_report import result

from deskgym.agents.attempts import failure_of
from deskgym.agents.rollout import RunMismatch
from deskgym.env.run_reader import attempt_paths, episode_path, read_episode, read_results
from deskgym.env.score_run import score_run
from deskgym.env.trajectory import EpisodeEnd, EpisodeStart

TRACEBACK = 'AgentError: Traceback (most recent call last):\n  File "a.py", line 3\n'


@pytest.mark.parametrize(
    ("changes", "failure"),
    [
        ({}, None),
        ({"answer": "wrong, and that is that"}, None),
        ({"answer": "The files do not say."}, None),
        ({"answer": " \n\t"}, "empty: the answer is blank"),
        ({"answer": ""}, "empty: the answer is blank"),
        (
            {"ended": "truncated", "answer": None, "steps": 4, "invalid_actions": 3},
            "empty: no answer within 4 steps",
        ),
        (
            {"ended": "truncated", "answer": None, "steps": 4, "invalid_actions": 4},
            "malformed: none of 4 actions could be read",
        ),
        (
            {"reason": f"{TRACEBACK}KeyError: 'x'"},
            "agent_failed: KeyError: 'x'",
        ),
        ({"reason": "AgentTimeout: a took longer than 600 s to act"}, "timed_out: AgentTimeout: "),
        (
            {"reason": f"{TRACEBACK}deskgym.agents.llm_config.ModelUnavailable: no\nstart it"},
            "model_unavailable: deskgym.agents.llm_config.ModelUnavailable: no",
        ),
        ({"reason": "DeskDied: exit status 137"}, "desk_failed: DeskDied: exit status 137"),
        ({"reason": "AgentError: " + "x" * 999}, "agent_failed: AgentError: xxx"),
    ],
)
def test_what_counts_as_failed(changes: dict[str, Any], failure: str | None) -> None:
    aborted = {"ended": "aborted", "answer": None} if "reason" in changes else {}
    found = failure_of(result(0.0, **{**aborted, **changes}))
    if failure is None:
        assert found is None
    else:
        assert found is not None
        assert found.startswith(failure)
        assert len(found) < 400
        assert "\n" not in found


@pytest.mark.parametrize(
    ("how", "kind"),
    [
        ("raise", "agent_failed"),
        ("die", "agent_failed"),
        ("unavailable", "model_unavailable"),
        ("hang", "timed_out"),
        ("blank", "empty"),
        ("dither", "empty"),
        ("kill desk", "desk_failed"),
    ],
)
def test_a_failed_execution_is_run_again_with_its_seed_and_both_are_kept(
    tmp_path: Path, how: str, kind: str
) -> None:
    spec = costly_spec(tmp_path, script=[how], on="ann-002", retries=1, act_timeout_s=3.0)
    outcome = play(spec, tmp_path / "run")
    assert [(r.task_id, r.ended, r.attempts) for r in outcome.results] == [
        ("ann-001", "answered", 1),
        ("ann-002", "answered", 2),
        ("ann-003", "answered", 1),
    ]
    again = outcome.results[1]
    (failure,) = again.failures
    assert failure.startswith(f"{kind}: ")
    log = episode_path(tmp_path / "run", AGENT, "fake/ann", "ann-002")
    (earlier,) = attempt_paths(log)
    assert earlier.name == "ann-002.attempt1.jsonl"
    first, last = read_episode(earlier), read_episode(log)
    assert isinstance(first[-1], EpisodeEnd)
    assert isinstance(first[0], EpisodeStart)
    assert isinstance(last[0], EpisodeStart)
    assert first[0].seed == last[0].seed
    assert last[-1].ended == "answered"  # type: ignore[union-attr]
    # What the failed execution took is known (unless it took that with it), and told apart.
    assert again.use is not None
    assert again.use.calls == 2
    assert again.failed_use is not None
    assert again.failed_use.calls >= 1
    assert again.failed_use.faults
    assert not again.use.faults


def test_logs_of_attempts_are_taken_for_episodes_by_nobody(tmp_path: Path) -> None:
    run = tmp_path / "run"
    play(costly_spec(tmp_path, script=["raise", "blank"], on="ann-002", retries=2), run)
    scores = list(score_run(run, bleu=False))
    assert [s.task_id for s in scores] == ["ann-001", "ann-002", "ann-003"]
    assert [s.tool_uses for s in scores] == [{"answer": 1, "note": 1}] * 3
    assert [s.model_seconds for s in scores] == [0.5] * 3
    log = episode_path(run, AGENT, "fake/ann", "ann-002")
    assert len(attempt_paths(log)) == 2
    # A task with a name like that of an attempt has a log of its own.
    odd = episode_path(run, AGENT, "fake/ann", "ann-002.attempt1")
    assert odd not in attempt_paths(log)
    assert odd.parent == log.parent


@pytest.mark.parametrize("how", ["wrong", "abstain"])
def test_a_finished_answer_is_never_run_again(tmp_path: Path, how: str) -> None:
    spec = costly_spec(tmp_path, script=[how], on="ann-001", retries=5)
    first = play(spec, tmp_path / "run").results[0]
    assert (first.attempts, first.failures, first.failed_use) == (1, (), None)
    assert first.scores.answer.score < 0.5


def test_when_all_retries_fail_the_last_failure_is_the_result(tmp_path: Path) -> None:
    spec = costly_spec(tmp_path, script=["raise", "blank", "raise"], on="ann-001", retries=2)
    outcome = play(spec, tmp_path / "run")
    last = outcome.results[0]
    assert (last.ended, last.attempts) == ("aborted", 3)
    assert [failure.partition(":")[0] for failure in last.failures] == ["agent_failed", "empty"]
    assert "a clear cause" in (last.reason or "")
    assert len(read_results(tmp_path / "run")) == 3


def test_without_retries_a_failure_stands_but_a_dead_desk_is_replaced_once(tmp_path: Path) -> None:
    aborted = play(costly_spec(tmp_path / "a", script=["raise"], on="ann-001"), tmp_path / "run")
    assert (aborted.results[0].ended, aborted.results[0].attempts) == ("aborted", 1)
    died = play(
        costly_spec(tmp_path / "b", script=["kill desk"], on="ann-001"), tmp_path / "other"
    ).results[0]
    assert (died.ended, died.attempts) == ("answered", 2)
    assert died.failures[0].startswith("desk_failed: DeskDied")


def test_retries_are_part_of_a_runs_settings(tmp_path: Path) -> None:
    play(costly_spec(tmp_path, retries=1), tmp_path / "run")
    with pytest.raises(RunMismatch, match="its retries was 1, now it is 2"):
        play(costly_spec(tmp_path, retries=2), tmp_path / "run", resume=True)
