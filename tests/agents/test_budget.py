"""A run stops when its models have taken what they may, and goes on with a larger budget."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from costly_runs import AGENT, costly_spec, play

from deskgym.agents.budget import Budget, spent_by
from deskgym.agents.rollout import RunOutcome
from deskgym.env.run_reader import all_attempts, episode_path, read_config
from deskgym.env.trajectory import EpisodeResult, ModelUse

EPISODE = 200  # tokens: one look and the answer, 100 each
BOTH = ("fake/ann", "fake/bob")  # four tasks
WHOLE = 4 * EPISODE


def use(tokens: int, usd: float = 0.0) -> ModelUse:
    return ModelUse(calls=1, prompt_tokens=tokens, cost_usd=usd)


def answered(outcome: RunOutcome) -> list[str]:
    return [r.task_id for r in outcome.results if r.ended == "answered"]


def test_a_budget_is_reached_by_tokens_or_by_dollars_whichever_comes_first() -> None:
    budget = Budget(usd=0.5, tokens=100)
    budget.take(use(60, 0.1))
    assert budget.reached() is None
    budget.take(ModelUse(completion_tokens=40))
    assert budget.reached() == "the budget of 100 tokens is reached (100 are used)"
    dear = Budget(usd=0.5, tokens=100)
    dear.take(use(1, 0.6))
    assert dear.reached() == "the budget of $0.5 is reached ($0.6000 are spent)"
    endless = Budget()
    endless.take(use(10**9, 10**6))
    assert endless.reached() is None


@pytest.mark.parametrize("limits", [{"tokens": 0}, {"usd": -1.0}, {"usd": float("nan")}])
def test_a_budget_of_nothing_is_refused(limits: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="above zero"):
        Budget(**limits)


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize(
    ("limit", "price"), [({"budget_tokens": 300}, 0.0), ({"budget_usd": 0.3}, 0.1)]
)
def test_when_it_is_reached_nothing_new_begins_and_a_larger_one_goes_on(
    tmp_path: Path, limit: dict[str, Any], price: float, jobs: int
) -> None:
    spec = costly_spec(tmp_path, profiles=BOTH, jobs=jobs, usd=price, **limit)
    outcome = play(spec, tmp_path / "run")
    assert outcome.interrupted
    assert outcome.reason is not None
    assert outcome.reason.startswith("the budget of")
    assert len(outcome.results) < outcome.planned == 4
    spent = spent_by(tmp_path / "run").prompt_tokens + 10 * spent_by(tmp_path / "run").calls
    assert spent <= 300 + jobs * 100  # a call at a time is under way when it is reached

    # The same budget is spent already: nothing is played, nothing is asked.
    again = play(spec, tmp_path / "run", resume=True)
    assert again.interrupted
    assert again.results == outcome.results

    larger = costly_spec(tmp_path, profiles=BOTH, usd=price)
    done = play(larger, tmp_path / "run", resume=True)
    assert not done.interrupted
    assert done.reason is None
    assert answered(done) == ["ann-001", "ann-002", "ann-003", "bob-001"]


def test_what_was_broken_off_is_paid_for_too(tmp_path: Path) -> None:
    # The third call reaches it, in mid-episode: that episode's call is lost, but not forgotten.
    first = play(costly_spec(tmp_path, budget_tokens=300), tmp_path / "run")
    assert answered(first) == ["ann-001"]
    assert all_attempts(tmp_path / "run") == []
    second = play(costly_spec(tmp_path, budget_tokens=500), tmp_path / "run", resume=True)
    assert [log.name for log in all_attempts(tmp_path / "run")] == ["ann-002.attempt1.jsonl"]
    # 300 were spent before, 200 on the second task: nothing is left for the third.
    assert answered(second) == ["ann-001", "ann-002"]
    assert second.interrupted
    assert spent_by(tmp_path / "run").calls == 5
    # It was broken off and did not fail.
    assert [r.attempts for r in second.results] == [1, 1]


def test_failed_executions_count_towards_it(tmp_path: Path) -> None:
    spec = costly_spec(tmp_path, script=["raise"] * 9, on="ann-001", retries=8, budget_tokens=500)
    outcome = play(spec, tmp_path / "run")
    assert outcome.interrupted
    assert outcome.results == ()
    use = spent_by(tmp_path / "run")
    assert use.prompt_tokens + use.completion_tokens >= 400


def test_an_episode_that_answers_with_its_last_tokens_is_kept(tmp_path: Path) -> None:
    outcome = play(costly_spec(tmp_path, budget_tokens=WHOLE - EPISODE), tmp_path / "run")
    assert answered(outcome) == ["ann-001", "ann-002", "ann-003"]
    assert not outcome.interrupted  # all that was planned is played: the budget took nothing


def test_budgets_are_no_part_of_a_runs_settings(tmp_path: Path) -> None:
    play(costly_spec(tmp_path, budget_tokens=100, budget_usd=5.0), tmp_path / "run")
    assert not [name for name in read_config(tmp_path / "run").model_dump() if "budget" in name]


def test_a_stopped_run_with_a_model_keeps_the_books_of_what_it_broke_off(tmp_path: Path) -> None:
    run = tmp_path / "run"
    spec = costly_spec(tmp_path, script=["hang"], on="ann-002")
    log = episode_path(run, AGENT, "fake/ann", "ann-002")

    def stop(done: int, total: int, result: EpisodeResult | None) -> None:
        if done == 1:
            limit = time.monotonic() + 60
            while not (log.exists() and b'"event":"step"' in log.read_bytes()):
                assert time.monotonic() < limit
                time.sleep(0.01)
            raise KeyboardInterrupt  # in the middle of its second call

    outcome = play(spec, run, progress=stop)
    assert outcome.interrupted
    assert outcome.reason is None  # it was not the budget
    done = play(spec, run, resume=True)
    assert answered(done) == ["ann-001", "ann-002", "ann-003"]
    assert [file.name for file in all_attempts(run)] == ["ann-002.attempt1.jsonl"]
    assert spent_by(run).calls == 1 + 3 * 2
