"""`deskgym bench`: that every row comes out, never how fast anything is."""

from __future__ import annotations

import io
import itertools
import json
import math
import shutil
from contextlib import ExitStack
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from docker import DockerClient
from typer.testing import CliRunner

from deskgym import bench_many
from deskgym.bench import Row, measure, take_turns
from deskgym.bench_baselines import CannotMeasure, container_run, through_docker_cli
from deskgym.bench_rows import ROWS
from deskgym.cli.bench import _table
from deskgym.cli.main import app

needs_cli = pytest.mark.skipif(shutil.which("docker") is None, reason="no docker command")


def _invoke(*arguments: str) -> Any:
    return CliRunner().invoke(app, ["bench", *arguments])


def test_two_sides_take_turns_and_ratios_are_those_of_each_round() -> None:
    order: list[str] = []
    mine, theirs = itertools.count(1), itertools.count(1)

    def ours() -> float:
        order.append("A")
        return float(next(mine))

    def baseline() -> float:
        order.append("B")
        return 10.0 * next(theirs)

    pair = take_turns(ours, baseline, rounds=2, ours_each=2, baseline_each=1)
    assert "".join(order) == "AB" + "AAB" + "AAB"
    # Rounds: medians 2.5 and 20, then 4.5 and 30; the first of each warmed up.
    assert pair.ratios == (20 / 2.5, 30 / 4.5)
    assert (pair.ours, pair.baseline) == (3.5, 25.0)


def test_an_unknown_row_is_wrong_usage_and_lists_the_known() -> None:
    result = _invoke("--only", "nothing")
    assert result.exit_code == 2
    assert all(name in result.output for name in ("nothing", *ROWS))


def test_a_row_without_a_baseline_has_neither_ratio_nor_verdict_in_the_table() -> None:
    from rich.console import Console

    console = Console(width=120, file=io.StringIO(), record=True)
    console.print(_table([Row(name="alone", what="a figure", unit="MiB", ours=7.25)]))
    text = console.export_text()
    assert "alone: a figure" in text
    assert "7.2 MiB" in text
    assert "met" not in text


def test_without_the_command_line_its_row_is_skipped_with_the_reason(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(CannotMeasure, match="no docker command"):
        through_docker_cli("any")


@pytest.mark.docker
@pytest.mark.usefixtures("desk_image")
def test_quick_json_has_every_row_with_finite_numbers() -> None:
    result = _invoke("--quick", "--json", "--desks", "12")
    assert result.exit_code == 0, result.output
    made = json.loads(result.stdout)
    assert made["quick"] is True
    rows = {row["name"]: row for row in made["rows"] if "reason" not in row}
    skipped = {row["name"] for row in made["rows"] if "reason" in row}
    # All but these two can be measured wherever there is an engine.
    assert skipped <= {"step-cli", "step-peer"}
    assert set(rows) | skipped == set(ROWS)
    for row in rows.values():
        assert set(row) == {field.name for field in fields(Row)}
        assert math.isfinite(row["ours"])
        assert row["ours"] > 0
        if row["baseline"] is not None:
            assert 0 < row["lowest"] <= row["ratio"] <= row["highest"] < math.inf
            assert row["target"]
            assert row["met"] in (True, False)
    assert {name for name in rows if rows[name]["baseline"] is None} == {"memory", "read-text"}


@pytest.mark.docker
def test_the_table_names_only_the_rows_asked_for(desk_image: str) -> None:
    result = _invoke("--quick", "--only", "memory")
    assert result.exit_code == 0, result.output
    assert "memory: " in result.stdout
    assert "<= 12 MiB" in result.stdout
    assert "step-host" not in result.stdout


@pytest.mark.docker
@needs_cli
def test_the_command_line_is_given_the_flags_of_a_desk(
    docker_client: DockerClient, desk_image: str, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The container that `docker run` makes has the settings that a desk's has."""
    from deskgym import bench_baselines
    from deskgym.env.sandbox.docker import DockerSandbox

    (tmp_path / "file").touch()
    created: list[list[str]] = []

    def create_instead(argv: list[str], **options: Any) -> Any:
        assert argv[1:3] == ["run", "--rm"]
        created.append([argv[0], "create", *argv[3:]])
        return run(created[-1], **options)

    run = bench_baselines.subprocess.run
    monkeypatch.setattr(bench_baselines.subprocess, "run", create_instead)
    start, versus = container_run(docker_client, desk_image, tmp_path)
    assert versus.startswith("docker run --rm")
    start()
    monkeypatch.undo()
    with ExitStack() as stack:
        (made,) = docker_client.containers.list(
            all=True, filters={"label": "org.deskgym=bench", "status": "created"}
        )
        stack.callback(made.remove, v=True)
        desk = stack.enter_context(DockerSandbox(tmp_path, client=docker_client))
        assert desk.container_id is not None
        theirs = docker_client.api.inspect_container(made.id)["HostConfig"]
        ours = docker_client.api.inspect_container(desk.container_id)["HostConfig"]
    same = (
        "NetworkMode", "IpcMode", "ReadonlyRootfs", "CapDrop", "SecurityOpt", "LogConfig",
        "Memory", "MemorySwap", "PidsLimit", "CpuPeriod", "CpuQuota", "ShmSize", "Tmpfs",
    )  # fmt: skip
    assert {name: theirs[name] for name in same} == {name: ours[name] for name in same}
    assert bool(theirs.get("Init")) == bool(ours.get("Init"))
    # This end of the engine writes the names out.
    assert {name.removeprefix("CAP_") for name in theirs["CapAdd"]} == set(ours["CapAdd"])
    assert len(theirs["Mounts"]) == len(ours["Mounts"]) == 1


@pytest.mark.parametrize(
    ("free_mib", "limit", "wanted", "expected", "reason"),
    [
        (100_000, 8_192, 400, 400, ""),
        (100_000, 128, 400, 120 - 20, "max_user_instances is 128; as root: sysctl -w"),
        (1_024 + 240, 8_192, 400, 10, "1264 MiB of memory are free"),
        (100_000, 128, 40, 40, ""),
    ],
)
def test_as_many_desks_as_the_machine_can_hold(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    free_mib: int,
    limit: int,
    wanted: int,
    expected: int,
    reason: str,
) -> None:
    (tmp_path / "limit").write_text(f"{limit}\n")
    monkeypatch.setattr(bench_many, "_INSTANCES", tmp_path / "limit")
    monkeypatch.setattr(bench_many, "instances_in_use", lambda: 20)
    monkeypatch.setattr(bench_many, "available", lambda: free_mib << 20)
    many, held_by = bench_many.most_alive(wanted)
    assert many == expected
    assert reason in held_by


@pytest.mark.parametrize(("before", "within"), [(128, 400 + 20 + 8), (8_192, 8_192)])
def test_a_raised_limit_is_put_back(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, before: int, within: int
) -> None:
    limit = tmp_path / "limit"
    limit.write_text(str(before))
    monkeypatch.setattr(bench_many, "_INSTANCES", limit)
    monkeypatch.setattr(bench_many, "instances_in_use", lambda: 20)
    with bench_many.raised_instances(400):
        assert int(limit.read_text()) == within
    assert int(limit.read_text()) == before


@pytest.mark.docker
def test_what_a_row_starts_is_gone_when_it_is_done(
    docker_client: DockerClient, desk_image: str
) -> None:
    measure(ROWS["step-peer"], "step-peer", docker_client, desk_image, quick=True)
    left = docker_client.containers.list(all=True, filters={"label": "org.deskgym=bench"})
    assert left == []
