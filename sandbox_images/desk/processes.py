"""Starting processes as another user, and ending every process of one."""

from __future__ import annotations

import _posixsubprocess
import os
import resource
import signal
import time


class NotClean(Exception):
    """Processes of the agent outlived every attempt to end them."""


class Crowd:
    """How near the desk is to its limit of processes, where there is one.

    Control groups count threads too. Where there are none, the limit is that of each user, and what
    counts is all that this pid namespace shows.
    """

    FOLDERS = ("/sys/fs/cgroup", "/sys/fs/cgroup/pids")  # version 2 and 1

    def __init__(self) -> None:
        self._current = -1
        self._bearable = 0
        for folder in self.FOLDERS:
            try:
                with open(f"{folder}/pids.max") as file:
                    limit = file.read().strip()
                if limit.isdigit():
                    self._bearable = int(limit) * 3 // 4
                    self._current = os.open(f"{folder}/pids.current", os.O_RDONLY)
                    return
            except FileNotFoundError:
                continue
        most, _ = resource.getrlimit(resource.RLIMIT_NPROC)
        if most != resource.RLIM_INFINITY:
            self._bearable = most * 3 // 4

    def is_full(self) -> bool:
        """Whether more than three quarters of what is allowed are there."""
        if self._current >= 0:
            return int(os.pread(self._current, 32, 0)) > self._bearable
        return 0 < self._bearable < sum(name.isdigit() for name in os.listdir("/proc"))

    def wait(self, patience_s: float = 2.0) -> None:
        """Wait until those that were ended are gone: init has yet to take note of each."""
        deadline = time.monotonic() + patience_s
        while self.is_full() and time.monotonic() < deadline:
            time.sleep(0.001)


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

    This is what `subprocess.Popen` calls, called directly: Popen cannot start a program as another
    user without copying this process's memory map, which costs as much as the shell itself.
    """
    # A child that shares our memory until its exec (vfork) must have its user from us, so for that
    # moment we are that user ourselves, save for the way back. Others may then send us signals, but
    # the first process of a pid namespace takes none from within it that it has no handler for.
    # It cannot be traced meanwhile, for which all its ids would have to match.
    alone = uid == os.getuid()  # one user only: there is nobody to become
    share = os.getpid() == 1 and not alone
    # The child writes to one if it cannot exec, and closes the other, which Popen would read.
    complaints, unused = os.dup(2), os.dup(2)
    try:
        if share:
            os.setgroups([])
            os.setresgid(uid, uid, 0)
            os.setresuid(uid, uid, 0)
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
            # Group, supplementary groups (none, also not root's), user.
            *((None, None, None) if share or alone else (uid, [], uid)),
            -1,  # umask
            None,  # type: ignore[arg-type]  # no function to run before the exec
            share or alone,
        )
    finally:
        if share:
            os.setresuid(0, 0, 0)
            os.setresgid(0, 0, 0)
        os.close(complaints)
        os.close(unused)


def scheduling() -> tuple[int, int, frozenset[int]]:
    """How this process is scheduled: policy, niceness, and on which processors.

    The agent can change that in the moments in which `spawn` takes on its user, and it would stay.
    """
    nice = os.getpriority(os.PRIO_PROCESS, 0)
    return os.sched_getscheduler(0), nice, frozenset(os.sched_getaffinity(0))


def ended_child() -> int:
    """The id of a child that has ended and still waits to be asked for; 0 if there is none."""
    try:
        ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return 0
    return ended.si_pid if ended is not None else 0


def pids_of(uid: int, *, sparing: int = 0) -> list[tuple[int, str]]:
    """Process id and state letter of every process of ``uid`` that is not a zombie, not this one,
    and not in the session ``sparing``.

    Read from ``status``, not from the owner of ``/proc/<pid>``: a process that made itself
    undumpable appears to belong to root there.
    """
    found = []
    for name in os.listdir("/proc"):
        if not name.isdigit() or int(name) == os.getpid():
            continue
        try:
            with open(f"/proc/{name}/status", "rb") as file:
                status = file.read(4096)
            session = os.getsid(int(name)) if sparing else -1
        except (FileNotFoundError, ProcessLookupError):
            continue
        fields = dict(line.split(b":\t", 1) for line in status.splitlines() if b":\t" in line)
        state = fields[b"State"][:1].decode()
        if int(fields[b"Uid"].split()[0]) == uid and state not in "ZX" and session != sparing:
            found.append((int(name), state))
    return found


def _signal_all(pids: list[int], number: int) -> None:
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            continue


def kill_all(uid: int, patience_s: float = 10.0, *, sparing: int = 0) -> int:
    """End every process of ``uid``, but for those in the session ``sparing``, and return how many
    there were.

    A fork bomb refills each freed slot faster than a list of processes can be walked. So all are
    stopped first: while they stand still none of them can fork and none frees a slot. Only when a
    walk finds no running one are they killed.

    Raises:
        NotClean: some are still there after ``patience_s`` seconds.
    """
    ended: set[int] = set()
    deadline = time.monotonic() + patience_s
    while found := pids_of(uid, sparing=sparing):
        for _ in range(100):
            running = [pid for pid, state in found if state not in "Tt"]
            if not running:
                break
            _signal_all(running, signal.SIGSTOP)
            if len(found) == len(running) == 1:
                break  # the usual case, and nothing that could race us
            found = pids_of(uid, sparing=sparing)
        _signal_all([pid for pid, _ in found], signal.SIGKILL)
        ended.update(pid for pid, _ in found)
        if time.monotonic() > deadline:
            raise NotClean(f"{len(found)} processes of uid {uid} do not end")
        time.sleep(0.001)
    return len(ended)
