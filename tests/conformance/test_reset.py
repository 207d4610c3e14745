"""Reset: nothing of one episode is there in the next."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from desk_kit import (
    RUNNER,
    TOOLS,
    Backend,
    answer,
    check_works,
    configure,
    run,
    running,
    shown,
    use,
)

from deskgym.env.sandbox.base import Sandbox

pytestmark = pytest.mark.docker

IPC = """
import ctypes, ctypes.util, os
libc = ctypes.CDLL(None)
assert libc.shmget(7, 4096, 0o1600) >= 0
assert libc.semget(7, 3, 0o1600) >= 0
assert libc.msgget(7, 0o1600) >= 0
open("/dev/shm/mine", "w").write("x")
libc.mq_open.restype = ctypes.c_int
assert libc.mq_open(b"/mine", os.O_CREAT | os.O_RDWR, 0o600, None) >= 0
"""


def places(desk: Sandbox) -> str:
    folders = "/scratch /scratch/output /tmp /dev/shm /dev/mqueue"
    return shown(desk, f"ls -A {folders}; tail -qn+2 /proc/sysvipc/*")


RUNS = "desk.runner"  # what the runner's command line says
EMPTY = "/dev/mqueue:\n\n/dev/shm:\n\n/scratch:\noutput\n\n/scratch/output:\n\n/tmp:\n"


def test_no_file_and_no_shared_memory_is_left(desk: Sandbox) -> None:
    assert places(desk) == EMPTY
    shown(desk, f"python3 - <<'E'\n{IPC}E")
    shown(desk, "echo x | tee /scratch/output/a /tmp/b /scratch/.c; mkdir -p /tmp/d/e; ipcs")
    for left in ("mine", "output:\na\n", "\nb\n"):
        assert left in places(desk)
    desk.reset()
    assert places(desk) == EMPTY


def test_no_process_is_left(backend: Backend, desk: Sandbox) -> None:
    shown(desk, "sleep 100 & setsid -f sleep 100; nohup sleep 100 >/dev/null & kill -STOP $!")
    desk.reset()
    assert shown(desk, "pgrep -u 1000 sleep || echo none") == "none\n"
    agents = agents_processes(backend, desk)
    deadline = time.monotonic() + 10
    while any(RUNS in line for line in agents) and time.monotonic() < deadline:
        agents = agents_processes(backend, desk)  # it had the agent's ids, as it started a shell
    assert all("bash-static" in line for line in agents), agents  # the shells that wait
    assert len(agents) <= 2


def agents_processes(backend: Backend, desk: Sandbox) -> list[str]:
    _, table = backend.inside(desk, "ps", "-eo", "user:20=,args=")
    return [line for line in table.splitlines() if line.startswith("desk ")]


def test_folder_variables_and_limits_are_back(desk: Sandbox) -> None:
    before = shown(desk, "pwd; env | sort; ulimit -a; umask; cat /proc/self/oom_score_adj")
    assert before.startswith("/desk\n")
    shown(desk, "cd /tmp; export A=1 PATH=$PATH:/x; unset LANG; ulimit -n 64; umask 0")
    assert shown(desk, "pwd; echo $A") == "/tmp\n1\n"
    desk.reset()
    assert shown(desk, "pwd; env | sort; ulimit -a; umask; cat /proc/self/oom_score_adj") == before


def test_flags_that_the_agent_set_are_back(desk: Sandbox) -> None:
    assert answer(desk, "set_flags 0 0")["data"] == {"return_txt": False, "return_img": False}
    assert not answer(desk, "return_txt a.txt")["success"]
    assert not use(desk, "read_text", path="a.txt").ok
    desk.reset()
    assert answer(desk, "return_txt a.txt")["success"]
    assert use(desk, "read_text", path="a.txt").ok


def test_what_was_opened_before_is_not_told_after(desk: Sandbox) -> None:
    shown(desk, "(sleep 0.2; cat /desk/a.txt) >/dev/null 2>&1 & cat /desk/folder/b.txt")
    shown(desk, "wait; sleep 0.4")
    desk.reset()
    assert run(desk, "true").opened == ()


def test_switches_of_the_environment_outlive_a_reset(desk: Sandbox, files: Path) -> None:
    configure(desk, files, ("list_files",))
    desk.reset()
    assert not use(desk, "read_text", path="a.txt").ok
    configure(desk, files, TOOLS)
    assert use(desk, "read_text", path="a.txt").ok


def test_what_root_left_from_outside_goes_too(backend: Backend, desk: Sandbox) -> None:
    shown(desk, "mkdir -m 1777 /scratch/theirs; chmod 700 /scratch/output; touch /scratch/theirs/x")
    shown(desk, "chmod 1777 /scratch/output")
    command = (
        "mkdir -m 700 /scratch/output/r /scratch/theirs/r /tmp/r; "
        "echo x | tee /tmp/r/f /scratch/theirs/r/f /scratch/output/f; chmod 0 /tmp/r/f"
    )
    assert backend.inside(desk, "sh", "-c", command) == (0, "x\n")
    desk.reset()
    assert places(desk) == EMPTY


@pytest.mark.parametrize("times", [50])
def test_many_resets_in_a_row_leave_the_desk_as_it_was(
    backend: Backend, files: Path, times: int
) -> None:
    with running(backend, files) as desk:
        desk.reset()
        check_works(desk)
        # The fewest of some looks: when it starts a shell it has more, and the agent's ids.
        look = f"sleep 0.1; pid=$(pgrep {' '.join(RUNNER)}) && ls /proc/$pid/fd | wc -l"
        command = f"for _ in 1 2 3 4 5; do {look}; done | sort -n | head -n 1"
        count = backend.inside(desk, "sh", "-c", command)
        assert count[1].strip().isdigit(), count
        for _ in range(times):
            shown(desk, "touch /scratch/x")
            desk.reset()
        check_works(desk)
        assert backend.inside(desk, "sh", "-c", command) == count
