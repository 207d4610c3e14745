"""The run loop over a stand-in environment: order, resuming, failing, stopping."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from env_fakes import FakeDataset, FakeEnv, make_task

from deskgym.agents.errors import AgentError
from deskgym.agents.registry import UnknownAgent
from deskgym.agents.rollout import (
    NoTasks,
    RunMismatch,
    RunOutcome,
    RunSpec,
    plan_episodes,
    run,
    task_seed,
)
from deskgym.env.run_reader import TrajectoryError
from deskgym.env.sandbox.base import DeskDied, EngineUnavailable
from deskgym.env.trajectory import EpisodeResult
from deskgym.env.trajectory_log import RunFolder

DATASET = FakeDataset(
    {
        "demo/ann": [make_task(1), make_task(2)],
        "demo/bob": [make_task(1, profile="demo/bob"), make_task(3, profile="demo/bob")],
    }
)
SPEC = RunSpec(profiles=("demo/ann", "demo/bob"), agents=("oracle", "null"), max_steps=6)
ORDER = [
    (agent, task)
    for agent in ("oracle", "null")
    for task in ("ann-001", "ann-002", "bob-001", "bob-003")
]


@pytest.fixture(autouse=True)
def _child_finds_the_fakes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))


class Envs:
    """Makes environments and keeps them, to be looked at afterwards."""

    def __init__(self, reply: Callable[[Any], str | Exception] = lambda action: "nothing") -> None:
        self.made: list[FakeEnv] = []
        self._reply = reply

    def __call__(self, spec: RunSpec, folder: RunFolder, agent: str) -> FakeEnv:
        env = FakeEnv(DATASET, spec, folder, agent, reply=self._reply)
        self.made.append(env)
        return env


def play(spec: RunSpec, out: Path, envs: Envs | None = None, **more: Any) -> RunOutcome:
    dataset: Any = DATASET
    return run(spec, out, dataset=dataset, make_env=envs or Envs(), **more)


def names(outcome: RunOutcome) -> list[tuple[str, str]]:
    return [(r.agent, r.task_id) for r in outcome.results]


@pytest.mark.parametrize("jobs", [1, 3])
def test_every_agent_plays_every_task_and_results_stand_in_order(tmp_path: Path, jobs: int) -> None:
    told: list[tuple[int, int, str | None]] = []
    envs = Envs()
    spec = RunSpec(**{**vars(SPEC), "jobs": jobs})
    outcome = play(
        spec,
        tmp_path / "run",
        envs,
        progress=lambda done, total, r: told.append((done, total, r.task_id if r else None)),
    )
    assert names(outcome) == ORDER
    assert not outcome.interrupted
    assert [t[:2] for t in told] == [(n, 8) for n in range(9)]
    assert all(env.closed for env in envs.made)
    scores = {r.agent: r.scores.answer.score for r in outcome.results}
    assert scores == {"oracle": 1.0, "null": 0.0}


def test_seeds_depend_on_the_task_alone(tmp_path: Path) -> None:
    envs = Envs()
    play(
        RunSpec(profiles=("demo/bob",), agents=("null",), tasks=("bob-003",)), tmp_path / "1", envs
    )
    task = DATASET.tasks("demo/bob")[1]
    assert envs.made[0].seeds == [task_seed(0, task)]
    assert task_seed(0, task) == 786_104_130  # fixed: it must be the same on every machine
    assert task_seed(5, task) == task_seed(0, task) + 5
    assert task_seed(0, task) != task_seed(0, make_task(3, id="bob-003"))


def test_tasks_are_chosen_by_id_and_glob(tmp_path: Path) -> None:
    dataset: Any = DATASET
    spec = RunSpec(**{**vars(SPEC), "agents": ("null",), "tasks": ("*-001", "bob-003")})
    assert [e.task.id for e in plan_episodes(spec, dataset)] == ["ann-001", "bob-001", "bob-003"]
    with pytest.raises(NoTasks, match=r"'bob-9'.*deskgym tasks list demo/ann"):
        plan_episodes(RunSpec(**{**vars(SPEC), "tasks": ("ann-001", "bob-9")}), dataset)
    with pytest.raises(UnknownAgent):
        plan_episodes(RunSpec(**{**vars(SPEC), "agents": ("nul",)}), dataset)


def test_a_stopped_run_resumes_and_ends_like_an_unbroken_one(tmp_path: Path) -> None:
    def stop_after_three(done: int, total: int, result: EpisodeResult | None) -> None:
        if done == 3:
            raise KeyboardInterrupt

    broken = tmp_path / "broken"
    first = play(SPEC, broken, progress=stop_after_three)
    assert first.interrupted
    assert 3 <= len(first.results) < 8
    assert first.planned == 8
    envs = Envs()
    second = play(SPEC, broken, envs, resume=True)
    assert not second.interrupted
    assert sum(len(env.seeds) for env in envs.made) == 8 - len(first.results)

    play(SPEC, tmp_path / "whole")
    assert (broken / "results.jsonl").read_bytes() == (
        tmp_path / "whole" / "results.jsonl"
    ).read_bytes()


def test_a_run_is_not_overwritten_nor_resumed_with_other_settings(tmp_path: Path) -> None:
    play(SPEC, tmp_path / "run")
    with pytest.raises(TrajectoryError, match="already holds a run"):
        play(SPEC, tmp_path / "run")
    with pytest.raises(RunMismatch, match="its max_steps was 6, now it is 7"):
        play(RunSpec(**{**vars(SPEC), "max_steps": 7}), tmp_path / "run", resume=True)


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"chunking": "chapter"}, "retrieval.chunking"),
        ({"embedder": "endpoint:m@http://me:pw@host/v1"}, "embedder holds a user or password"),
    ],
)
def test_searches_with_wrong_settings_are_refused_before_the_folder_is_made(
    tmp_path: Path, settings: dict[str, str], why: str
) -> None:
    with pytest.raises(ValueError, match=why):
        play(replace(SPEC, retrieval=settings), tmp_path / "run")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("how", "reason"), [("raise", "ZeroDivisionError: a clear cause"), ("die", "status 7")]
)
def test_an_agent_that_fails_ends_its_episode_and_not_the_run(
    tmp_path: Path, how: str, reason: str
) -> None:
    name = "agent_fakes:Misbehaving"
    spec = RunSpec(
        profiles=("demo/ann", "demo/bob"),
        agents=(name,),
        agent_config={name: {"how": how, "on": "ann-002"}},
    )
    outcome = play(spec, tmp_path / "run")
    ends = [(r.task_id, r.ended) for r in outcome.results]
    assert ends == [
        ("ann-001", "answered"),
        ("ann-002", "aborted"),
        ("bob-001", "answered"),
        ("bob-003", "answered"),
    ]
    assert reason in (outcome.results[1].reason or "")
    assert outcome.results[1].answer is None


def test_what_is_no_action_goes_to_the_environment_until_the_budget_ends(tmp_path: Path) -> None:
    name = "agent_fakes:Misbehaving"
    config = {name: {"how": "object"}}
    spec = RunSpec(profiles=("demo/ann",), agents=(name,), agent_config=config, max_steps=3)
    outcome = play(spec, tmp_path / "run")
    assert [(r.ended, r.steps) for r in outcome.results] == [("truncated", 3)] * 2


def test_an_agent_that_cannot_be_made_ends_the_run(tmp_path: Path) -> None:
    spec = RunSpec(profiles=("demo/ann",), agents=("agent_fakes:Unmade",))
    with pytest.raises(AgentError, match="no model to load"):
        play(spec, tmp_path / "run")


class DyingDesk:
    """Replies with a death ``times`` times, then works."""

    def __init__(self, times: int, error: Exception) -> None:
        self.left, self._error = times, error

    def __call__(self, action: Any) -> str | Exception:
        self.left -= 1
        return self._error if self.left >= 0 else "nothing"


def test_a_desk_that_dies_once_costs_nothing(tmp_path: Path) -> None:
    envs = Envs(DyingDesk(1, DeskDied("exit status 137")))
    outcome = play(RunSpec(profiles=("demo/ann",), agents=("oracle",)), tmp_path / "run", envs)
    assert [r.ended for r in outcome.results] == ["answered", "answered"]
    assert len(envs.made) == 2
    assert all(env.closed for env in envs.made)


def test_a_desk_that_dies_twice_aborts_the_episode_and_the_run_goes_on(tmp_path: Path) -> None:
    envs = Envs(DyingDesk(2, DeskDied("exit status 137")))
    outcome = play(RunSpec(profiles=("demo/ann",), agents=("oracle",)), tmp_path / "run", envs)
    assert [(r.ended, r.reason) for r in outcome.results] == [
        ("aborted", "DeskDied: exit status 137"),
        ("answered", None),
    ]


def test_without_an_engine_the_run_ends_with_what_is_done(tmp_path: Path) -> None:
    envs = Envs(DyingDesk(1, EngineUnavailable("no engine")))
    with pytest.raises(EngineUnavailable):
        play(RunSpec(profiles=("demo/ann",), agents=("oracle",)), tmp_path / "run", envs)
    assert all(env.closed for env in envs.made)


def test_stopping_does_not_wait_for_an_agent_that_thinks(tmp_path: Path) -> None:
    name = "agent_fakes:Misbehaving"
    spec = RunSpec(
        profiles=("demo/ann",),
        agents=(name,),
        agent_config={name: {"how": "hang", "on": "ann-002"}},
        jobs=2,
    )

    def stop(done: int, total: int, result: EpisodeResult | None) -> None:
        if done:
            raise KeyboardInterrupt

    outcome = play(spec, tmp_path / "run", progress=stop)
    assert outcome.interrupted
    assert [r.task_id for r in outcome.results] == ["ann-001"]
    assert not [t for t in threading.enumerate() if t.name.startswith("deskgym-run")]
