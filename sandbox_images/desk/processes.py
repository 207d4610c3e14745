"""Starting processes as another user, and ending every process of one."""

from __future__ import annotations

import os
import signal
import time


class NotClean(Exception):
    """Processes of the agent outlived every attempt to end them."""


def spawn(
    argv: list[str],
    env: dict[str, str],
    uid: int,
    fds: dict[int, int],
    *,
    cwd: str = "/",
    oom_score: int = 0,
) -> int:
    """Start ``argv`` as ``uid`` (and the group of that number, no other), in a session of its own.

    ``fds`` says which of our descriptors becomes which of the child's; all others are closed.
    Returns the process id. A child that cannot be executed exits with status 127.

    The fork is made by hand: `subprocess` waits for the child's exec, and that wait would be part
    of every command's latency.
    """
    pid = os.fork()
    if pid:
        return pid
    try:
        os.setsid()
        if oom_score:
            # Under memory pressure the kernel shall take the agent's processes, never ours.
            with open("/proc/self/oom_score_adj", "w") as file:
                file.write(str(oom_score))
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
        # Sources are moved out of the way first: one of them may be another's target.
        moved = {target: _dup_high(source) for target, source in fds.items()}
        for target, source in moved.items():
            os.dup2(source, target)
        os.chdir(cwd)
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        os.execve(argv[0], argv, env)
    except OSError as error:
        os.write(2, f"cannot start {argv[0]}: {error}\n".encode())
    finally:
        os._exit(127)


def _dup_high(fd: int) -> int:
    import fcntl

    return fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 256)


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
