"""Starting processes as another user, and ending every process of one."""

from __future__ import annotations

import _posixsubprocess
import os
import signal
import time


class NotClean(Exception):
    """Processes of the agent outlived every attempt to end them."""


def spawn(
    argv: list[str],
    env: dict[str, str],
    uid: int,
    *,
    stdin: int,
    stdout: int,
    stderr: int,
    keep: tuple[int, ...] = (),
    cwd: str = "/",
) -> int:
    """Start ``argv`` as ``uid`` (and the group of that number, no other), in a session of its own.

    The child gets the three standard descriptors and those in ``keep``, under their numbers; all
    others are closed. Returns the process id, without waiting for the child's exec. A child that
    cannot be executed exits with status 255.

    This is what `subprocess.Popen` calls, called directly: Popen waits for the exec, which would
    be part of every command's latency, and a fork in Python costs twice as much as the shell.
    """
    # The child writes to one if it cannot exec, and closes the other, which Popen would read.
    complaints, unused = os.dup(2), os.dup(2)
    try:
        return _posixsubprocess.fork_exec(
            [os.fsencode(a) for a in argv],
            [os.fsencode(argv[0])],
            True,  # close_fds
            tuple(sorted((complaints, *keep))),
            cwd,
            [os.fsencode(f"{name}={value}") for name, value in env.items()],
            *(stdin, -1, -1, stdout, -1, stderr, unused, complaints),
            True,  # restore_signals
            True,  # start_new_session
            -1,  # process group
            uid,  # group
            [],  # supplementary groups: none, also not root's
            uid,
            -1,  # umask
            None,  # type: ignore[arg-type]  # no function to run before the exec
            False,  # no vfork: it would not change users
        )
    finally:
        os.close(complaints)
        os.close(unused)


def pids_of(uid: int) -> list[tuple[int, str]]:
    """Process id and state letter of every process of ``uid`` that is not a zombie.

    Read from ``status``, not from the owner of ``/proc/<pid>``: a process that made itself
    undumpable appears to belong to root there.
    """
    found = []
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/status", "rb") as file:
                status = file.read(4096)
        except (FileNotFoundError, ProcessLookupError):
            continue
        fields = dict(line.split(b":\t", 1) for line in status.splitlines() if b":\t" in line)
        state = fields[b"State"][:1].decode()
        if int(fields[b"Uid"].split()[0]) == uid and state not in "ZX":
            found.append((int(name), state))
    return found


def _signal_all(pids: list[int], number: int) -> None:
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            continue


def kill_all(uid: int, patience_s: float = 10.0) -> int:
    """End every process of ``uid`` and return how many there were.

    A fork bomb refills each freed slot faster than a list of processes can be walked. So all are
    stopped first: while they stand still none of them can fork and none frees a slot. Only when a
    walk finds no running one are they killed.

    Raises:
        NotClean: some are still there after ``patience_s`` seconds.
    """
    ended: set[int] = set()
    deadline = time.monotonic() + patience_s
    while found := pids_of(uid):
        for _ in range(100):
            running = [pid for pid, state in found if state not in "Tt"]
            if not running:
                break
            _signal_all(running, signal.SIGSTOP)
            if len(found) == len(running) == 1:
                break  # the usual case, and nothing that could race us
            found = pids_of(uid)
        _signal_all([pid for pid, _ in found], signal.SIGKILL)
        ended.update(pid for pid, _ in found)
        if time.monotonic() > deadline:
            raise NotClean(f"{len(found)} processes of uid {uid} do not end")
        time.sleep(0.001)
    return len(ended)
