"""SIGKILL of one part of a run while 16 episodes are played, four at a time: every episode ends
well elsewhere or is reported with its cause, nothing is left, and a resumed run is as if nothing
had happened."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest
from chaos_kit import EPISODES, Run, busy_desk, check_gone, family, kill, those, told_apart, until
from docker import DockerClient

from deskgym.agents.attempts import DESK_FAILED, NODE_LOST, NODE_TRIES, failure_kind
from deskgym.env.run_reader import attempt_paths, episode_path
from deskgym.env.trajectory import EpisodeResult

pytestmark = pytest.mark.docker

ENGINES = pytest.mark.parametrize("engine", ["local", "ray"])
AGENT_PROCESS = "deskgym.agents.host"
RAY_WORKER = "ray::NodePool"


def failures(results: list[EpisodeResult]) -> list[str]:
    return [failure_kind(failure) for result in results for failure in result.failures]


def check_set_aside(run: Run) -> None:
    """Of every execution that failed, the log is kept."""
    for result in run.results():
        log = episode_path(run.out, result.agent, result.profile_id, result.task_id)
        assert len(attempt_paths(log)) <= len(result.failures)
        assert log.exists()


@ENGINES
def test_a_killed_desk_costs_an_execution_and_no_result(
    tmp_path: Path, engine: str, expected: list[EpisodeResult], docker_client: DockerClient
) -> None:
    run = Run(tmp_path / "run", "--engine", engine)
    run.await_results(2)
    before = family(run.process.pid)
    docker_client.api.kill(busy_desk(docker_client, run, hold=True))
    run.end()
    results = run.results()
    assert failures(results) == [DESK_FAILED]
    assert [told_apart(result) for result in results] == expected
    check_set_aside(run)
    check_gone(docker_client, before)


@ENGINES
@pytest.mark.parametrize("retries", [0, 1])
def test_a_killed_agent_is_reported_and_played_again_if_asked_for(
    tmp_path: Path,
    engine: str,
    retries: int,
    expected: list[EpisodeResult],
    docker_client: DockerClient,
) -> None:
    run = Run(tmp_path / "run", "--engine", engine, "--retries", str(retries))
    run.await_results(2)
    before = family(run.process.pid)
    kill(those(run.process.pid, AGENT_PROCESS)[0])
    run.end()
    results = run.results()
    assert len(results) == EPISODES
    if retries:
        assert failures(results) == ["agent_failed"]
        assert [told_apart(result) for result in results] == expected
    else:
        (broken,) = [result for result in results if result.ended == "aborted"]
        assert f"status {-signal.SIGKILL}" in (broken.reason or "")
        assert [r for r in results if r is not broken] == [
            r for r in expected if r.task_id != broken.task_id
        ]
    check_gone(docker_client, before)


def test_a_killed_ray_worker_is_replaced_and_its_episodes_are_played_again(
    tmp_path: Path, expected: list[EpisodeResult], docker_client: DockerClient
) -> None:
    run = Run(tmp_path / "run", "--engine", "ray", "--json")
    run.await_results(2)
    busy_desk(docker_client, run)
    before = family(run.process.pid)
    (worker,) = those(run.process.pid, RAY_WORKER)
    kill(worker)
    assert "is played again" in run.end()
    assert json.loads(run.printed())["planned"] == EPISODES  # and nothing else stands there
    results = run.results()
    assert set(failures(results)) == {NODE_LOST}
    assert 1 <= len(failures(results)) <= 4
    assert [told_apart(result) for result in results] == expected
    check_set_aside(run)
    check_gone(docker_client, before)


def test_an_episode_that_goes_down_with_every_worker_is_reported_with_its_cause(
    tmp_path: Path, expected: list[EpisodeResult], docker_client: DockerClient
) -> None:
    run = Run(tmp_path / "run", "--engine", "ray", "--jobs", "1")
    killed: set[int] = set()
    for _ in range(NODE_TRIES):
        # The first episode has no result before the last of its workers is gone.
        until(lambda: bool(set(those(run.process.pid, RAY_WORKER)) - killed))
        (worker,) = set(those(run.process.pid, RAY_WORKER)) - killed
        busy_desk(docker_client, run)
        killed.add(worker)
        kill(worker)
    before = family(run.process.pid)
    run.end()
    results = run.results()
    (broken,) = [result for result in results if result.ended == "aborted"]
    assert broken.attempts == NODE_TRIES
    assert (broken.reason or "").startswith("NodeLost: ")
    assert [r for r in results if r is not broken] == [
        r for r in expected if r.task_id != broken.task_id
    ]
    check_gone(docker_client, before)


@ENGINES
def test_a_killed_run_leaves_nothing_and_resumes_to_the_same_results(
    tmp_path: Path, engine: str, undisturbed: Path, docker_client: DockerClient
) -> None:
    run = Run(tmp_path / "run", "--engine", engine)
    run.await_results(3)
    busy_desk(docker_client, run)
    before = family(run.process.pid)
    run.kill()
    assert 3 <= len(run.results()) < EPISODES
    check_gone(docker_client, before)
    again = Run(run.out, "--engine", engine, "--resume")
    again.end()
    check_same_file(again.out, undisturbed)
    check_gone(docker_client, before)


@ENGINES
def test_ctrl_c_leaves_nothing_and_resumes_to_the_same_results(
    tmp_path: Path, engine: str, undisturbed: Path, docker_client: DockerClient
) -> None:
    run = Run(tmp_path / "run", "--engine", engine)
    run.await_results(3)
    before = family(run.process.pid)
    os.killpg(run.process.pid, signal.SIGINT)  # as a terminal does: to all that run in it
    said = run.end(status=1)
    assert "goes on" in said
    assert "Traceback" not in said
    assert all(result.ended == "answered" for result in run.results())
    check_gone(docker_client, before)
    # A run may go on by another engine.
    Run(run.out, "--engine", "local", "--resume").end()
    check_same_file(run.out, undisturbed)


def check_same_file(one: Path, other: Path) -> None:
    assert (one / "results.jsonl").read_bytes() == (other / "results.jsonl").read_bytes()
