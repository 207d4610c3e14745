"""A command's output under a cap: head and tail are kept, the whole goes to a file if it can."""

from __future__ import annotations

import os

from .identity import AGENT_UID, SCRATCH
from .wipe import as_user


class Output:
    """Takes output piece by piece and keeps at most ``max_bytes`` of it, plus a file of it all."""

    def __init__(self, max_bytes: int, serial: int) -> None:
        self._half = max_bytes // 2
        self._max = max_bytes
        self._kept = bytearray()  # everything, until there is too much
        self._tail = bytearray()
        self._serial = serial
        self._cut = False
        self._spool = -1
        self._spool_error: str | None = None
        self.spool_path: str | None = None
        self.total = 0

    def add(self, data: bytes) -> None:
        self.total += len(data)
        if self.total <= self._max:
            self._kept += data
            return
        if not self._cut:
            self._cut = True
            self._open_spool()
            data = bytes(self._kept) + data
            self._kept = bytearray(data[: self._half])
            self._write_spool(data)
            data = data[self._half :]
        else:
            self._write_spool(data)
        self._tail += data
        if len(self._tail) > 4 * self._half:
            del self._tail[: -self._half]

    def _open_spool(self) -> None:
        path = f"{SCRATCH}/.output-{self._serial}"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            with as_user(AGENT_UID):
                self._spool = os.open(path, flags, 0o600)
            self.spool_path = path
        except OSError as error:
            self._spool_error = error.strerror

    def _write_spool(self, data: bytes) -> None:
        if self._spool < 0:
            return
        view = memoryview(data)
        try:
            while view:
                view = view[os.write(self._spool, view) :]
        except OSError as error:
            self._spool_error = error.strerror
            os.close(self._spool)
            self._spool = -1

    def finish(self) -> bytes:
        """The output as the agent shall see it; closes the file."""
        if self._spool >= 0:
            os.close(self._spool)
        if self.total <= self._max:
            return bytes(self._kept)
        tail = bytes(self._tail[-self._half :])
        missing = self.total - len(self._kept) - len(tail)
        if self._spool_error is None:
            where = f"the whole output is in {self.spool_path}"
        elif self.spool_path is None:
            where = f"it could not be kept in {SCRATCH}: {self._spool_error}"
        else:
            where = f"its beginning is in {self.spool_path}, then: {self._spool_error}"
        line = f"\n[... {missing} bytes left out; {where} ...]\n"
        return bytes(self._kept) + line.encode() + tail
