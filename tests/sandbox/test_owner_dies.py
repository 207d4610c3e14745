"""A desk never outlives its owner, however that ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from docker import DockerClient

from deskgym.env.sandbox import sweep

pytestmark = pytest.mark.docker

BOUND_S = 2.0  # the contract's: gone within two seconds of the owner's end

OWNER = """
import os, sys, time
from pathlib import Path
from deskgym.env.sandbox.base import ExecRequest
from deskgym.env.sandbox.docker import DockerSandbox

desk = DockerSandbox(Path(sys.argv[1]), run_id=sys.argv[2])
desk.start()
def say(word):
    print(word, flush=True)
def run(command, timeout_s=60.0):
    return desk.request(ExecRequest(command=command, timeout_s=timeout_s))
"""

Owner = Callable[[str], "subprocess.Popen[str]"]


@pytest.fixture
def run_id() -> str:
    return f"owner-{os.urandom(6).hex()}"


@pytest.fixture
def owner(desk_image: str, tmp_path: Path, run_id: str) -> Iterator[Owner]:
    """Starts a process that holds a desk and runs the given program, and waits for its word."""
    tmp_path.chmod(0o755)
    started: list[subprocess.Popen[str]] = []

    def start(program: str) -> subprocess.Popen[str]:
        child = subprocess.Popen(
            [sys.executable, "-c", OWNER + program, str(tmp_path), run_id],
            stdout=subprocess.PIPE,
            text=True,
        )
        started.append(child)
        assert child.stdout is not None
        assert child.stdout.readline().startswith("ready")
        return child

    yield start
    for child in started:
        child.kill()
        child.wait()
        assert child.stdout is not None
        child.stdout.close()


def desks(client: DockerClient, run_id: str) -> list[str]:
    label = f"{sweep.RUN}={run_id}"
    found = client.containers.list(all=True, filters={"label": label}, ignore_removed=True)
    return [str(desk.id) for desk in found]


def volumes(client: DockerClient) -> set[str]:
    return {str(v.name) for v in client.volumes.list(filters={"label": sweep.ANY})}


def check_gone(client: DockerClient, run_id: str, patience_s: float = BOUND_S) -> None:
    deadline = time.monotonic() + patience_s
    while left := desks(client, run_id):
        assert time.monotonic() < deadline, f"still there: {left}"
        time.sleep(0.05)


@pytest.mark.parametrize(
    "program",
    [
        "say('ready'); time.sleep(100)",
        "say('ready'); run('sleep 100')",
        "say('ready'); run('trap \"\" TERM INT HUP PIPE; while :; do :; done')",
        "say('ready'); run('yes')",
        "say('ready'); [run('head -c 40000 /dev/zero') for _ in iter(int, 1)]",
        "run('b() { while :; do sleep 50 & done; }; b', 1.0); say('ready'); run('sleep 100')",
    ],
    ids=["idle", "in a command", "in a stubborn one", "in a flood", "in traffic", "after a bomb"],
)
def test_killed(owner: Owner, docker_client: DockerClient, run_id: str, program: str) -> None:
    before = volumes(docker_client)
    child = owner(program)
    assert len(desks(docker_client, run_id)) == 1
    time.sleep(0.2)  # let it get into its command
    child.kill()
    child.wait()
    check_gone(docker_client, run_id)
    label = f"{sweep.OWNER_PID}={child.pid}"
    mine = docker_client.volumes.list(filters={"label": label})
    assert {str(v.name) for v in mine} <= before


def test_killed_while_a_forked_child_lives_on(
    owner: Owner, docker_client: DockerClient, run_id: str
) -> None:
    child = owner(
        "child = os.fork()\n"
        "if child == 0:\n    os.close(1); time.sleep(100); os._exit(0)\n"
        "say('ready'); say(child); run('sleep 100')"
    )
    assert child.stdout is not None
    grandchild = int(child.stdout.readline())
    try:
        child.kill()
        child.wait()
        check_gone(docker_client, run_id)
        os.kill(grandchild, 0)  # it does live on
    finally:
        os.kill(grandchild, signal.SIGKILL)


def test_a_forked_child_that_ends_leaves_the_desk_to_its_owner(
    owner: Owner, docker_client: DockerClient, run_id: str
) -> None:
    child = owner(
        "pid = os.fork()\n"
        "if pid == 0:\n    desk.close(); sys.exit(0)\n"
        "os.waitpid(pid, 0)\n"
        "assert run('echo on').payload == b'on\\n'\nsay('ready'); time.sleep(100)"
    )
    assert len(desks(docker_client, run_id)) == 1
    child.kill()
    child.wait()
    check_gone(docker_client, run_id)


def test_a_desk_made_before_a_fork_and_started_after_it_is_the_childs(
    owner: Owner, docker_client: DockerClient, run_id: str
) -> None:
    child = owner(
        "desk.close()\n"
        "desk = DockerSandbox(Path(sys.argv[1]), run_id=sys.argv[2])\n"
        "if os.fork() == 0:\n    desk.start(); desk.close(); os._exit(0)\n"
        "os.wait(); say('ready'); time.sleep(100)"
    )
    assert desks(docker_client, run_id) == []  # close waits until it is gone
    child.kill()


@pytest.mark.parametrize(
    "end",
    ["", "sys.exit(3)", "raise RuntimeError('oops')", "os.kill(os.getpid(), 15)", "os._exit(1)"],
)
def test_ended_without_closing(
    owner: Owner, docker_client: DockerClient, run_id: str, end: str
) -> None:
    child = owner(f"sys.stderr = open(os.devnull, 'w')\nsay('ready')\n{end}")
    child.wait()
    check_gone(docker_client, run_id)
