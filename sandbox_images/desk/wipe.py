"""Removing all that the agent left in the places it can write to.

The runner is root without any capability over files, so it takes on the agent's user id for the
agent's files: nothing here can touch what the agent itself could not.
"""

from __future__ import annotations

import contextlib
import ctypes
import itertools
import os
import stat
from collections.abc import Iterator

from .identity import AGENT_UID, READER_UID, WIPED

_libc = ctypes.CDLL(None, use_errno=True)


@contextlib.contextmanager
def as_user(uid: int) -> Iterator[None]:
    """Act as ``uid`` (effective ids alone: the agent cannot signal or trace us meanwhile)."""
    if uid == os.geteuid():
        yield
        return
    os.setegid(uid)
    os.seteuid(uid)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(0)


def empty_folder(top: str) -> None:
    """Remove everything below ``top``, however deep, oddly named or locked.

    Trees are flattened: each folder's subfolders are moved up to ``top``, so that no path ever
    grows beyond what the kernel takes and nothing recurses. What belongs to somebody else stays.
    """
    top_bytes = os.fsencode(top)
    stuck: set[bytes] = set()
    numbers = itertools.count(1)
    while True:
        with os.scandir(top_bytes) as entries:
            names = [e.name for e in entries if e.name not in stuck]
        if not names:
            return
        for name in names:
            path = os.path.join(top_bytes, name)
            try:
                if stat.S_ISDIR(os.lstat(path).st_mode):
                    _open_up(path)
                    _flatten(path, top_bytes, numbers)
                    os.rmdir(path)
                else:
                    os.unlink(path)
            except OSError:
                stuck.add(name)


def _flatten(folder: bytes, top: bytes, numbers: Iterator[int]) -> None:
    """Unlink the files in ``folder`` and move its subfolders up to ``top``, as far as they go."""
    with os.scandir(folder) as entries:
        children = [(e.path, e.is_dir(follow_symlinks=False)) for e in entries]
    for child, is_folder in children:
        with contextlib.suppress(PermissionError):  # another user's, whose turn is another
            if not is_folder:
                os.unlink(child)
                continue
            _open_up(child)
            target = os.path.join(top, b".wipe-%d" % next(numbers))
            while os.path.lexists(target):  # a name that the agent had taken
                target = os.path.join(top, b".wipe-%d" % next(numbers))
            os.rename(child, target)


def _open_up(folder: bytes) -> None:
    with contextlib.suppress(PermissionError):  # another user's, which may be open all the same
        os.chmod(folder, 0o777)


def _remove_ipc() -> None:
    """Remove the agent's System V shared memory, semaphores and queues: they outlive processes."""
    for kind, remove in (("shm", _libc.shmctl), ("sem", _libc.semctl), ("msg", _libc.msgctl)):
        for row in _ipc_rows(kind):
            # IPC_RMID is 0; semctl's further argument, a semaphore's number, is not used for it.
            identifier = int(row.split()[1])
            remove(identifier, 0, 0) if kind != "sem" else remove(identifier, 0, 0, 0)


def _ipc_rows(kind: str) -> list[str]:
    with open(f"/proc/sysvipc/{kind}") as table:
        return table.read().splitlines()[1:]


def leftovers() -> list[str]:
    """What still lies in the places the agent can write to."""
    left = []
    for place in (*WIPED, "/dev/mqueue"):
        if os.path.isdir(place):
            with os.scandir(place) as entries:
                left += [e.path for e in entries]
    for kind in ("shm", "sem", "msg"):
        left += [f"sysv {kind}" for _ in _ipc_rows(kind)]
    return left


def wipe() -> list[str]:
    """Empty every writable place; returns what would not go."""
    if leftovers():
        # Twice: what one of them has emptied, another can remove.
        for uid in (AGENT_UID, READER_UID, os.getuid()) * 2:
            with as_user(uid):
                for place in (*WIPED, "/dev/mqueue"):
                    if os.path.isdir(place):
                        empty_folder(place)
                _remove_ipc()
            if not leftovers():
                break
    return leftovers()
