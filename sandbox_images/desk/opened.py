"""Which files of the profile were opened, by whatever program: inotify over every folder."""

from __future__ import annotations

import ctypes
import os
import struct

_IN_OPEN = 0x20
_IN_Q_OVERFLOW = 0x4000
_IN_ISDIR = 0x40000000
_EVENT = struct.Struct("iIII")
_libc = ctypes.CDLL(None, use_errno=True)

# Reads that surely empty a queue as the kernel bounds it (16,384 events of at most 272 bytes).
_MAX_READS = 128
MAX_NAMES = 2_000  # a command that opens more is a walk over the whole disk


class WatchError(Exception):
    """The kernel gave no watch; the message says which limit to raise."""


class OpenedFiles:
    """Collects the files opened below ``root`` since the last `take`."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._folders: dict[int, str] = {}
        self._seen: dict[str, None] = {}
        self._overflow = False
        self._fd = _libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if self._fd < 0:
            raise WatchError(_explain("max_user_instances"))
        for folder, subfolders, _ in os.walk(root):
            subfolders[:] = [s for s in subfolders if not os.path.islink(os.path.join(folder, s))]
            watch = _libc.inotify_add_watch(self._fd, os.fsencode(folder), _IN_OPEN)
            if watch < 0:
                raise WatchError(_explain("max_user_watches"))
            self._folders[watch] = os.path.relpath(folder, root)

    def drain(self) -> None:
        """Take the events that are there into account. Never blocks, and comes to an end also
        while a process in the background opens files without pause."""
        for _ in range(_MAX_READS):
            try:
                data = os.read(self._fd, 1 << 16)
            except BlockingIOError:
                return
            at = 0
            while at < len(data):
                watch, mask, _, size = _EVENT.unpack_from(data, at)
                at += _EVENT.size
                name = data[at : at + size].rstrip(b"\0")
                at += size
                if mask & _IN_Q_OVERFLOW:
                    self._overflow = True
                elif name and not mask & _IN_ISDIR:
                    self._note(os.path.join(self._folders[watch], os.fsdecode(name)))

    def _note(self, path: str) -> None:
        path = os.path.normpath(path)
        if len(self._seen) < MAX_NAMES:
            self._seen[path] = None
        elif path not in self._seen:
            self._overflow = True

    def take(self) -> tuple[list[str], bool]:
        """The files opened since the last call, in order, and whether some may be missing."""
        self.drain()
        result = list(self._seen), self._overflow
        self._seen, self._overflow = {}, False
        return result


def _explain(limit: str) -> str:
    error = os.strerror(ctypes.get_errno())
    return (
        f"cannot watch which files are opened ({error}); raise the host's limit: "
        f"sysctl -w fs.inotify.{limit}=8192"
    )
