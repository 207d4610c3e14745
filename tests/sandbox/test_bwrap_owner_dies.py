"""A desk by bubblewrap never outlives its owner, however that ends; what is left is swept."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from deskgym.env.sandbox.cgroups import hierarchies, sweep_groups
from deskgym.env.sandbox.rootfs import ensure_rootfs

pytestmark = pytest.mark.docker

BOUND_S = 2.0  # the contract's: gone within two seconds of the owner's end
OWNER = """
import os, sys, threading, time
from pathlib import Path
from deskgym.env.sandbox.base import ExecRequest
from deskgym.env.sandbox.bwrap import BwrapSandbox

desk = BwrapSandbox(Path(sys.argv[1]))
desk.start()
def say(*words):
    print(*words, flush=True)
def run(command, timeout_s=60.0):
    return desk.request(ExecRequest(command=command, timeout_s=timeout_s))
"""
READY = "say('ready', desk.runner_pid); "

Owner = Callable[[str], "tuple[subprocess.Popen[str], int]"]


@pytest.fixture
def owner(tmp_path: Path) -> Iterator[Owner]:
    """Starts a process that holds a desk and runs the given program; the process and its runner."""
    ensure_rootfs(say=print)
    tmp_path.chmod(0o755)
    (tmp_path / "a.txt").write_text("alpha\n")
    started: list[subprocess.Popen[str]] = []

    def start(program: str) -> tuple[subprocess.Popen[str], int]:
        child = subprocess.Popen(
            [sys.executable, "-c", OWNER + program, str(tmp_path)],
            stdout=subprocess.PIPE,
            text=True,
        )
        started.append(child)
        assert child.stdout is not None
        word, _, runner = child.stdout.readline().partition(" ")
        assert word == "ready"
        return child, int(runner)

    yield start
    for child in started:
        child.kill()
        child.wait()
        assert child.stdout is not None
        child.stdout.close()
    deadline = time.monotonic() + BOUND_S
    while any(groups_of(child.pid) for child in started):  # their last process may be ending yet
        sweep_groups()
        assert time.monotonic() < deadline
        time.sleep(0.02)


def is_there(pid: int) -> bool:
    try:
        return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except FileNotFoundError:
        return False


def check_gone(runner: int, *others: int) -> None:
    deadline = time.monotonic() + BOUND_S
    while left := [pid for pid in (runner, *others) if is_there(pid)]:
        assert time.monotonic() < deadline, f"still there: {left}"
        time.sleep(0.02)


def groups_of(pid: int) -> list[Path]:
    pattern = f"*-{pid}-*"
    return [f for place in hierarchies() for f in (place.folder / "deskgym").glob(pattern)]


def check_empty(pid: int) -> None:
    """What was in the desk with its runner ends a moment after it."""
    deadline = time.monotonic() + BOUND_S
    while any(_processes(group) for group in groups_of(pid)):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def _processes(group: Path) -> str:
    try:
        return (group / "cgroup.procs").read_text()
    except OSError:  # removed by another's sweep
        return ""


@pytest.mark.parametrize(
    "program",
    [
        READY + "time.sleep(100)",
        READY + "run('sleep 100')",
        READY + "run('trap \"\" TERM INT HUP PIPE; while :; do :; done')",
        READY + "run('yes')",
        READY + "[run('head -c 40000 /dev/zero') for _ in iter(int, 1)]",
        "run('b() { while :; do sleep 50 & done; }; b', 1.0); " + READY + "run('sleep 100')",
    ],
    ids=["idle", "in a command", "in a stubborn one", "in a flood", "in traffic", "after a bomb"],
)
def test_killed(owner: Owner, program: str) -> None:
    child, runner = owner(program)
    time.sleep(0.2)  # let it get into its command
    child.kill()
    child.wait()
    check_gone(runner)
    check_empty(child.pid)
    sweep_groups()  # nobody was there to remove them
    assert groups_of(child.pid) == []


def test_groups_of_a_desk_that_is_alive_are_left_alone(owner: Owner) -> None:
    child, _ = owner(READY + "time.sleep(100)")
    before = groups_of(child.pid)
    sweep_groups()
    assert groups_of(child.pid) == before != []


def test_the_first_desk_of_a_process_sweeps_what_the_dead_left(owner: Owner) -> None:
    child, runner = owner(READY + "time.sleep(100)")
    child.kill()
    child.wait()
    check_gone(runner)
    check_empty(child.pid)
    owner(READY + "time.sleep(100)")
    assert groups_of(child.pid) == []


def test_killed_while_a_forked_child_lives_on(owner: Owner) -> None:
    child, runner = owner(
        "child = os.fork()\n"
        "if child == 0:\n    os.close(1); time.sleep(100); os._exit(0)\n"
        f"{READY}say(child); run('sleep 100')"
    )
    assert child.stdout is not None
    grandchild = int(child.stdout.readline())
    try:
        child.kill()
        child.wait()
        check_gone(runner)
        os.kill(grandchild, 0)  # it does live on
    finally:
        os.kill(grandchild, signal.SIGKILL)


def test_a_forked_child_that_ends_leaves_the_desk_to_its_owner(owner: Owner) -> None:
    child, runner = owner(
        "pid = os.fork()\n"
        "if pid == 0:\n    desk.close(); sys.exit(0)\n"
        "os.waitpid(pid, 0)\n"
        f"assert run('echo on').payload == b'on\\n'\n{READY}time.sleep(100)"
    )
    assert is_there(runner)
    child.kill()
    child.wait()
    check_gone(runner)


def test_a_desk_that_a_forked_child_starts_is_the_childs(owner: Owner) -> None:
    _, runner = owner(
        "if os.fork() == 0:\n"
        "    mine = BwrapSandbox(Path(sys.argv[1])); mine.start()\n"
        "    assert mine.request(ExecRequest(command='cat a.txt')).payload == b'alpha\\n'\n"
        "    mine.close(); os._exit(0)\n"
        f"assert os.wait()[1] == 0; {READY}time.sleep(100)"
    )
    assert is_there(runner)


@pytest.mark.parametrize(
    "end",
    ["", "sys.exit(3)", "raise RuntimeError('oops')", "os.kill(os.getpid(), 15)", "os._exit(1)"],
)
def test_ended_without_closing(owner: Owner, end: str) -> None:
    child, runner = owner(f"sys.stderr = open(os.devnull, 'w')\n{READY}\n{end}")
    child.wait()
    check_gone(runner)


def test_a_thread_that_started_it_and_ended_does_not_take_it_along(owner: Owner) -> None:
    child, runner = owner(
        "other = BwrapSandbox(Path(sys.argv[1]))\n"
        "thread = threading.Thread(target=other.start); thread.start(); thread.join()\n"
        "time.sleep(0.2)\n"
        "assert other.request(ExecRequest(command='echo on')).payload == b'on\\n'\n"
        f"{READY}say(other.runner_pid); time.sleep(100)"
    )
    assert child.stdout is not None
    other = int(child.stdout.readline())
    assert is_there(other)
    child.kill()
    child.wait()
    check_gone(runner, other)
