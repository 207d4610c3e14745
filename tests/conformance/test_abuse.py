"""Abuse: each attack gives the observation it should, and the next command works."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from desk_kit import Backend, check_works, run, running, shown

from deskgym.env.sandbox.base import DeskDied, Sandbox

pytestmark = pytest.mark.docker


@pytest.mark.parametrize("round_", range(5))
def test_a_fork_bomb_that_goes_to_the_background(desk: Sandbox, round_: int) -> None:
    run(desk, ":(){ :|:& };:", timeout_s=5)
    check_works(desk)


def test_a_fork_bomb_that_time_must_end(desk: Sandbox) -> None:
    response = run(desk, "b() { while :; do b & done; }; b", timeout_s=1.5)
    assert response.timed_out
    check_works(desk)


def test_sleepers_that_take_every_process_there_is(desk: Sandbox) -> None:
    run(desk, "for i in $(seq 245); do sleep 300 & done")
    check_works(desk)
    run(desk, "for i in $(seq 400); do sleep 300 & done", timeout_s=2)
    check_works(desk)


def test_more_orphans_than_there_may_be_processes(desk: Sandbox) -> None:
    command = "for i in $(seq 700); do (setsid -f true &); done; echo done"
    response = run(desk, command, timeout_s=60)
    assert response.payload == b"done\n"
    check_works(desk)
    assert shown(desk, "sleep 0.2; ps -eo stat= | grep -c Z || true") == "0\n"


def test_a_flood_of_output_until_time_is_up(desk: Sandbox) -> None:
    response = run(desk, "yes", timeout_s=1, max_bytes=10_000)
    assert response.timed_out
    assert response.bytes_out > 1_000_000
    assert 10_000 <= len(response.payload) < 10_500
    assert b"bytes left out" in response.payload
    check_works(desk)


def test_a_flood_of_errors_from_the_background(desk: Sandbox) -> None:
    run(desk, "yes >&2 & yes & yes &", timeout_s=20)
    check_works(desk)


def test_two_gigabytes_of_memory(desk: Sandbox) -> None:
    response = run(desk, "python3 -c 'x = bytearray(2 << 30); print(len(x))'", timeout_s=60)
    assert response.exit_status == 137
    assert b"2147483648" not in response.payload
    assert b"Killed" in response.payload
    check_works(desk)


def test_memory_taken_by_the_shell_itself(desk: Sandbox) -> None:
    response = run(desk, "x=$(yes | head -c 2000000000); echo ${#x}", timeout_s=60)
    assert response.exit_status != 0
    check_works(desk)


def test_a_full_disk(desk: Sandbox) -> None:
    response = run(desk, "dd if=/dev/zero of=/scratch/fill bs=1M", timeout_s=60)
    assert response.exit_status == 1
    assert b"No space left on device" in response.payload
    check_works(desk)
    many = run(desk, "seq 100000", max_bytes=1_000)
    assert many.exit_status == 0
    assert many.payload.startswith(b"1\n2\n")
    assert many.payload.endswith(b"\n100000\n")
    assert b"No space left on device" in many.payload
    shown(desk, "rm /scratch/fill")
    assert run(desk, "seq 100000", max_bytes=1_000).spool is not None


def test_a_disk_without_room_for_one_more_name(desk: Sandbox) -> None:
    run(desk, "cd /scratch && seq -f f%.0f 400000 | xargs touch", timeout_s=20)
    check_works(desk)
    assert run(desk, "seq 100000", max_bytes=1_000).exit_status == 0


def test_kill_everything(desk: Sandbox) -> None:
    assert run(desk, "kill -9 -1; echo survived").payload == b"survived\n"
    check_works(desk)
    response = run(desk, "(kill -9 -1); sleep 5")
    assert response.exit_status == 137
    assert b"the shell was killed" in response.payload
    check_works(desk)


@pytest.mark.parametrize("signal", ["KILL", "STOP", "TERM"])
def test_a_loop_that_kills_everything_for_ever(desk: Sandbox, signal: str) -> None:
    run(desk, f"while true; do kill -{signal} -1; done & sleep 1", timeout_s=2)
    run(desk, "true", timeout_s=2)  # what is left of the loop may take this one with it
    check_works(desk)


def test_everything_is_stopped_with_the_shells_that_wait(desk: Sandbox) -> None:
    shown(desk, "sleep 100 & kill -STOP -1")
    check_works(desk)
    shown(desk, "kill -STOP -1")
    text = shown(desk, f"echo {'x' * 90_000}", max_bytes=100_000)
    assert len(text) == 90_001


def test_everything_is_removed(desk: Sandbox) -> None:
    shown(desk, "touch /scratch/mine /tmp/mine")
    response = run(desk, "rm -rf / --no-preserve-root", timeout_s=60)
    assert response.exit_status == 1
    assert b"Read-only file system" in response.payload
    assert shown(desk, "ls -A /scratch /tmp") == "/scratch:\n\n/tmp:\n"
    listing = shown(desk, "cd /desk; find . -type f | sort; cat a.txt folder/b.txt")
    assert listing.split("\n")[-3:] == ["alpha", "beta", ""]
    assert listing.count("\n") == 6
    check_works(desk)


def test_a_hung_command(desk: Sandbox) -> None:
    response = run(desk, "trap '' TERM INT HUP; while :; do :; done", timeout_s=1)
    assert response.timed_out
    check_works(desk)


@pytest.mark.parametrize("source", ["/dev/zero", "/dev/urandom"])
def test_ten_megabytes_of_binary_output(desk: Sandbox, source: str) -> None:
    response = run(desk, f"head -c 10000000 {source}", max_bytes=20_000)
    assert (response.exit_status, response.bytes_out) == (0, 10_000_000)
    assert 20_000 <= len(response.payload) < 20_300
    assert shown(desk, f"stat -c %s {response.spool}") == "10000000\n"
    whole = run(desk, f"head -c 10000000 {source}", max_bytes=10_000_000)
    assert len(whole.payload) == 10_000_000
    check_works(desk)


DEEP = """
import os
os.chdir("/scratch")
for level in range(10_000):
    os.mkdir("d")
    os.chdir("d")
open("bottom", "w").close()
"""
ODD = """
import os
os.chdir(b"/scratch")
names = [b"new\\nline", b"\\xff\\xfe", b"-rf", b"--", b" ", b"x" * 255, b"*", b"\\x01\\x1b[2J",
         b"..."]
for name in names:
    os.mkdir(name)
    open(os.path.join(name, name), "w").close()
    os.mkdir(os.path.join(name, b"locked"))
    open(os.path.join(name, b"locked", b"in"), "w").close()
    os.chmod(os.path.join(name, b"locked"), 0)
    os.chmod(name, 0)
os.symlink("/desk", "to-desk")
os.symlink("/", "to-root")
os.symlink("loop", "loop")
os.mkfifo("pipe")
os.mkdir(".wipe-1")
open(".wipe-2", "w").close()
"""


def test_a_deep_and_oddly_named_tree(desk: Sandbox) -> None:
    shown(desk, f"python3 - <<'E'\n{DEEP}{ODD}E", timeout_s=60)
    check_works(desk)
    desk.reset()
    assert shown(desk, "ls -A /scratch; cat /desk/a.txt") == "output\nalpha\n"


@pytest.mark.parametrize(
    "junk",
    [
        "echo 'exit 5' >&199; exec true",
        "echo 'sleep 1000' >&199; exec true",
        "echo 'kill -9 $$' >&199; exec true",
        "head -c 90000 /dev/urandom >&199; echo >&199; exec true",
        "export POSIXLY_CORRECT=1 TMOUT=1 SHELLOPTS; readonly PWD HOME; set -eu",
        "export BASH_ENV=/scratch/x PS4='$(exit)' IFS=x PATH=/nowhere; PWD=/nowhere",
        "exec <&- >&- 2>&-",
        "exec 199>&- 198>&-",
    ],
)
def test_junk_in_what_is_carried_over(desk: Sandbox, junk: str) -> None:
    run(desk, junk)
    run(desk, "true", timeout_s=1)  # such a state may cost one command
    assert run(desk, "export PATH=/usr/bin:/bin; unset IFS", timeout_s=5).exit_status == 0
    check_works(desk)


def test_what_could_not_be_carried_over_is_told(desk: Sandbox) -> None:
    run(desk, "echo 'exit 5' >&199; exec true")
    response = run(desk, "echo here")
    assert response.exit_status == 0
    assert re.fullmatch(rb"here\n\n\[.*could not be brought back\]\n", response.payload)


def test_children_that_leave_their_session_end_with_the_reset(desk: Sandbox) -> None:
    shown(desk, "for i in 1 2 3; do setsid -f sleep 300; done; setsid -f sh -c 'exec yes >/tmp/y'")
    check_works(desk)
    desk.reset()
    assert shown(desk, "pgrep -c -u 1000 'sleep|yes' || true") == "0\n"


HAMMER = """
import os, signal, time
until = time.monotonic() + 8
calls = [
    *(lambda n=n: os.kill(1, n) for n in (signal.SIGKILL, signal.SIGSTOP, signal.SIGTERM, 35)),
    lambda: os.sched_setscheduler(1, os.SCHED_IDLE, os.sched_param(0)),
    lambda: os.setpriority(os.PRIO_PROCESS, 1, 19),
    lambda: os.sched_setaffinity(1, {0}),
]
while time.monotonic() < until:
    for call in calls:
        try:
            call()
        except OSError:
            continue
"""


def test_the_runner_is_hammered_while_it_starts_shells(backend: Backend, files: Path) -> None:
    """It takes on the agent's user for a moment then; what that lets through must not last."""
    with running(backend, files) as desk:
        before = scheduling_of_runner(backend, desk)
        run(desk, f"setsid python3 -c '{HAMMER}' >/dev/null 2>&1 &")
        for number in range(60):
            assert run(desk, f"echo {number}").payload == f"{number}\n".encode()
        refused = None
        try:
            desk.reset()
        except DeskDied as error:
            refused = str(error)
        if refused is None:
            check_works(desk)
            assert scheduling_of_runner(backend, desk) == before
        else:
            assert "scheduling" in refused


def scheduling_of_runner(backend: Backend, desk: Sandbox) -> str:
    asked = ("sched_getscheduler(1)", "getpriority(os.PRIO_PROCESS, 1)", "sched_getaffinity(1)")
    script = f"import os; print({', '.join(f'os.{call}' for call in asked)})"
    status, said = backend.inside(desk, "python3", "-c", script)
    assert status == 0, said
    return said
