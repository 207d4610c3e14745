"""Runs on a Ray cluster of one node: whatever happens, it is as in a local run."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from costly_runs import AGENT, costly_spec, play
from ray_kit import timeless, without_engine
from typer.testing import CliRunner

from deskgym.agents.budget import spent_by
from deskgym.agents.engines import node
from deskgym.agents.engines.cluster import ClusterUnavailable, RayMissing, joined
from deskgym.agents.engines.node import Facts, NodeUnfit
from deskgym.agents.errors import AgentError
from deskgym.agents.rollout import RunSpec, run
from deskgym.cli.main import app
from deskgym.env.run_reader import episode_path
from deskgym.env.sandbox.base import EngineUnavailable
from deskgym.env.trajectory import EpisodeResult

BOTH = ("fake/ann", "fake/bob")  # four tasks
TESTS = Path(__file__).parent.parent
KITS = [str(TESTS / folder) for folder in ("agents", "env")]


@pytest.fixture(scope="module", autouse=True)
def cluster() -> Iterator[Any]:
    """A cluster of this machine alone, which all runs here use; its nodes find the kits."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join(KITS))
        with joined() as ray:
            yield ray


def on_ray(memory: Path, **changes: Any) -> RunSpec:
    return costly_spec(memory, **{"engine": "ray", **changes})


@pytest.mark.parametrize("script", [[], ["raise"], ["kill desk"], ["babble", "blank"]])
@pytest.mark.parametrize("jobs", [1, 3])
def test_its_folder_is_that_of_a_local_run(tmp_path: Path, script: list[str], jobs: int) -> None:
    more: dict[str, Any] = {"profiles": BOTH, "script": script, "on": "ann-002", "retries": 1}
    memory, local, ray = (tmp_path / name for name in ("memory", "local", "ray"))
    play(costly_spec(memory, jobs=jobs, **more), local)
    for count in memory.iterdir():
        count.unlink()
    play(on_ray(memory, jobs=jobs, **more), ray)
    # The script is told by files of the same names, so that even the settings are the same.
    assert timeless(ray) == timeless(local)
    assert (ray / "results.jsonl").read_bytes() == (local / "results.jsonl").read_bytes()


@pytest.mark.parametrize(
    ("limit", "price"), [({"budget_tokens": 300}, 0.0), ({"budget_usd": 0.3}, 0.1)]
)
def test_a_budget_ends_it_and_a_larger_one_goes_on(
    tmp_path: Path, limit: dict[str, Any], price: float
) -> None:
    memory, out = tmp_path / "memory", tmp_path / "run"
    spec = on_ray(memory, profiles=BOTH, usd=price, looks=3, **limit)
    outcome = play(spec, out)
    assert outcome.interrupted
    assert (outcome.reason or "").startswith("the budget of")
    assert len(outcome.results) < outcome.planned == 4
    # The episode under way may still answer, as it hears of it a moment later; no other begins.
    assert 300 <= 100 * spent_by(out).calls <= 400
    again = play(spec, out, resume=True)
    assert again.results == outcome.results  # nothing is left of it
    done = play(on_ray(memory, profiles=BOTH, usd=price, looks=3), out, resume=True)
    assert not done.interrupted
    assert [r.ended for r in done.results] == ["answered"] * 4


def test_ctrl_c_does_not_wait_for_an_agent_that_thinks(tmp_path: Path) -> None:
    memory, out = tmp_path / "memory", tmp_path / "run"
    log = episode_path(out, AGENT, "fake/ann", "ann-002")

    def stop(done: int, total: int, result: EpisodeResult | None) -> None:
        if done == 1:
            limit = time.monotonic() + 60
            while not (log.exists() and b'"step"' in log.read_bytes()):
                assert time.monotonic() < limit
                time.sleep(0.01)
            raise KeyboardInterrupt

    spec = on_ray(memory, script=["hang"], on="ann-002")
    outcome = play(spec, out, progress=stop)
    assert outcome.interrupted
    assert [r.task_id for r in outcome.results] == ["ann-001"]
    assert not [t for t in threading.enumerate() if t.name.startswith("deskgym-run")]
    done = play(spec, out, resume=True)
    assert [(r.task_id, r.ended, r.attempts) for r in done.results] == [
        (f"ann-00{n}", "answered", 1) for n in (1, 2, 3)
    ]


def test_an_error_of_whoever_watches_ends_it(tmp_path: Path) -> None:
    def fall(done: int, total: int, result: EpisodeResult | None) -> None:
        if done:
            raise ZeroDivisionError("a clear cause")

    with pytest.raises(ZeroDivisionError, match="a clear cause"):
        play(on_ray(tmp_path / "memory"), tmp_path / "run", progress=fall)


def test_an_agent_that_cannot_be_made_ends_it_with_its_cause(tmp_path: Path) -> None:
    spec = on_ray(tmp_path / "memory", nonsense=1)
    with pytest.raises(AgentError, match="unexpected keyword argument 'nonsense'"):
        play(spec, tmp_path / "run")


def test_when_no_node_can_have_a_desk_it_ends_with_their_cause(tmp_path: Path) -> None:
    with pytest.raises(EngineUnavailable, match="no engine answers on this node"):
        play(on_ray(tmp_path / "memory"), tmp_path / "run", make_env=without_engine)


def test_a_node_with_another_data_set_does_not_take_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Facts(deskgym_version="0", desk="desk:0", dataset_digest="0")
    monkeypatch.setattr(node, "facts_of", lambda dataset: other)  # here, and not on the node
    with pytest.raises(NodeUnfit, match="install the same version of deskgym on all nodes"):
        play(on_ray(tmp_path / "memory"), tmp_path / "run")


def test_a_finished_run_needs_no_node(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    memory, out = tmp_path / "memory", tmp_path / "run"
    first = play(costly_spec(memory), out)
    monkeypatch.setitem(sys.modules, "ray", None)
    assert play(on_ray(memory), out, resume=True).results == first.results


def test_without_ray_it_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(RayMissing, match=r"pip install 'deskgym\[ray\]'"):
        play(on_ray(tmp_path / "memory"), tmp_path / "run")


def test_a_client_address_is_refused(cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "is_initialized", lambda: False)
    with pytest.raises(ClusterUnavailable, match="--address auto"), joined("ray://host:10001"):
        pass


def test_there_is_no_other_engine(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no engine 'slurm'; there are local, ray"):
        run(RunSpec(profiles=("demo/adam",), agents=("null",), engine="slurm"), tmp_path / "run")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--engine", "slurm"], "--engine is one of local, ray"),
        (["--address", "auto"], "it goes with --engine ray"),
    ],
)
def test_the_command_refuses_what_makes_no_sense(options: list[str], said: str) -> None:
    done = CliRunner().invoke(app, ["run", "demo/adam", "--agent", "null", *options])
    assert done.exit_code == 2
    assert said in done.output


@pytest.mark.docker
def test_with_real_desks_and_pictures_too(tmp_path: Path, desk_image: str) -> None:
    local, ray = tmp_path / "local", tmp_path / "ray"
    for engine, out in (("local", local), ("ray", ray)):
        spec = RunSpec(
            profiles=("demo/adam", "demo/bei"),
            agents=("oracle", "bm25"),
            tasks=("*-00[1-6]",),
            jobs=2,
            engine=engine,
        )
        assert len(run(spec, out, image_digest=desk_image).results) == 24
    assert list((ray / "media").iterdir())
    assert timeless(ray) == timeless(local)
