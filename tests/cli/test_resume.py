"""A run that is killed goes on where it was, and ends as if nothing had happened."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest
from docker import DockerClient

from deskgym.env.sandbox import sweep

pytestmark = pytest.mark.docker

TASKS = "adam-00*"
PATIENCE_S = 120.0


def start_run(out: Path, *more: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "deskgym", "run", "demo/adam"]
    command += ["--agent", "oracle", "--agent", "bm25", "--tasks", TASKS, "--out", str(out), *more]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def finish_run(out: Path, *more: str) -> str:
    said, _ = (run := start_run(out, *more)).communicate(timeout=PATIENCE_S)
    assert run.returncode == 0, said.decode()
    return said.decode()


def lines(out: Path) -> int:
    results = out / "results.jsonl"
    return results.read_bytes().count(b"\n") if results.exists() else 0


def desks_of(client: DockerClient, pid: int) -> list[str]:
    label = f"{sweep.OWNER_PID}={pid}"
    found = client.containers.list(all=True, filters={"label": label}, ignore_removed=True)
    return [desk.short_id for desk in found]


def test_a_killed_run_resumes_to_the_same_results_and_leaves_no_desk(
    tmp_path: Path, desk_image: str, docker_client: DockerClient
) -> None:
    unbroken, broken = tmp_path / "unbroken", tmp_path / "broken"
    finish_run(unbroken)
    planned = lines(unbroken)
    assert planned == 18

    run = start_run(broken)
    deadline = time.monotonic() + PATIENCE_S
    while lines(broken) < planned // 3:
        assert run.poll() is None, run.communicate()[0].decode()
        assert time.monotonic() < deadline
        time.sleep(0.01)
    run.kill()
    run.communicate()
    assert lines(broken) < planned
    with (broken / "results.jsonl").open("ab") as file:
        file.write(b'{"format_version":1,"task_id":"adam-0')  # as a crash in mid-write leaves it

    deadline = time.monotonic() + 2
    while (left := desks_of(docker_client, run.pid)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not left

    finish_run(broken, "--resume")
    assert (broken / "results.jsonl").read_bytes() == (unbroken / "results.jsonl").read_bytes()
