"""A cluster whose nodes come and go while a run is under way. Two nodes are two sets of Ray's
processes on this machine; the third, which only leads, has no processors for episodes."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from chaos_kit import (
    EPISODES,
    HELPS,
    Run,
    busy_desk_of,
    check_gone,
    family,
    those,
    told_apart,
    until,
)
from docker import DockerClient

from deskgym.agents.attempts import NODE_LOST, failure_kind
from deskgym.env.trajectory import EpisodeResult

pytestmark = pytest.mark.docker

SMALL = {"object_store_memory": 80 << 20, "include_dashboard": False}
WORKER = "ray::NodePool"


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A cluster that has no node to play on yet."""
    from ray.cluster_utils import Cluster

    monkeypatch.setenv("PYTHONPATH", str(HELPS))  # the nodes' agents find the slow one
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    with tempfile.TemporaryDirectory(prefix="dg-") as folder:  # a short path: sockets lie in it
        monkeypatch.setenv("RAY_TMPDIR", folder)
        made = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, **SMALL})
        yield made
        made.shutdown()


def start(cluster: Any, out: Path, *more: str) -> Run:
    return Run(out, "--engine", "ray", "--address", cluster.address, "--jobs", "2", *more)


def add_node(cluster: Any) -> Any:
    return cluster.add_node(num_cpus=1, **SMALL)


def raylet(node: Any) -> int:
    (info,) = node.all_processes["raylet"]
    return int(info.process.pid)


def test_nodes_share_the_work_and_the_loss_of_one_costs_no_result(
    cluster: Any, tmp_path: Path, expected: list[EpisodeResult], docker_client: DockerClient
) -> None:
    doomed, other = add_node(cluster), add_node(cluster)
    run = start(cluster, tmp_path / "run")
    for pid in (raylet(doomed), raylet(other)):
        busy_desk_of(docker_client, partial(family, pid))
    before = family(raylet(doomed))
    run.await_results(2)
    busy_desk_of(docker_client, lambda: family(raylet(doomed)))
    cluster.remove_node(doomed, allow_graceful=False)
    run.end()
    results = run.results()
    assert [told_apart(result) for result in results] == expected
    failures = [failure_kind(failure) for result in results for failure in result.failures]
    assert set(failures) == {NODE_LOST}
    assert 1 <= len(failures) <= 2
    check_gone(docker_client, before)
    until(lambda: not those(raylet(other), WORKER), "the pool outlives its run")


def test_a_node_that_joins_takes_part(
    cluster: Any, tmp_path: Path, expected: list[EpisodeResult], docker_client: DockerClient
) -> None:
    add_node(cluster)
    run = start(cluster, tmp_path / "run")
    run.await_results(1)
    late = add_node(cluster)
    before = family(raylet(late))
    busy_desk_of(docker_client, lambda: family(raylet(late)))
    run.end()
    assert [told_apart(result) for result in run.results()] == expected
    check_gone(docker_client, before - family(raylet(late)))


def test_a_run_killed_on_a_cluster_leaves_no_desk_there_and_resumes(
    cluster: Any, tmp_path: Path, undisturbed: Path, docker_client: DockerClient
) -> None:
    node = add_node(cluster)
    run = start(cluster, tmp_path / "run")
    run.await_results(3)
    busy_desk_of(docker_client, lambda: family(raylet(node)))
    before = {process for process in family(raylet(node)) if WORKER in process.line}
    run.kill()
    assert 3 <= len(run.results()) < EPISODES
    check_gone(docker_client, before)
    start(cluster, run.out, "--resume").end()
    results = "results.jsonl"
    assert (run.out / results).read_bytes() == (undisturbed / results).read_bytes()


def test_when_the_last_node_is_lost_the_run_says_so_and_goes_on_later(
    cluster: Any, tmp_path: Path, undisturbed: Path, docker_client: DockerClient
) -> None:
    node = add_node(cluster)
    run = start(cluster, tmp_path / "run")
    run.await_results(3)
    before = family(raylet(node))
    cluster.remove_node(node, allow_graceful=False)
    assert "no node of the cluster is left to play on" in run.end(status=1)
    check_gone(docker_client, before)
    add_node(cluster)
    start(cluster, run.out, "--resume").end()
    results = "results.jsonl"
    assert (run.out / results).read_bytes() == (undisturbed / results).read_bytes()


def test_a_cluster_without_processors_is_refused(cluster: Any, tmp_path: Path) -> None:
    said = start(cluster, tmp_path / "run").end(status=1)
    assert "no node of the cluster has a processor" in said
