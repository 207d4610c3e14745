"""Speaks with the real worker process over its pipes, and watches its memory."""

from __future__ import annotations

import os
import select
import subprocess
import sys
from pathlib import Path
from typing import Any, BinaryIO, cast

from deskgym.tools.frames import read_frame, write_frame

MEMORY = 1536 * 1024 * 1024  # resident, of the worker or of any program that it runs
LIMIT_S = 60  # the worker's own; a reply that takes longer fails the test
TIMEOUT_S = 20


class WorkerClient:
    """One worker process."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "deskgym.tools.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._requests = cast(BinaryIO, self._process.stdin)
        self._replies = cast(BinaryIO, self._process.stdout)
        self._number = 0

    def ask(self, op: str, path: Path | str, **args: Any) -> tuple[dict[str, Any], bytes]:
        """The reply to a request; the time and the memory that it took are within the caps."""
        self._number += 1
        sent = {"timeout_s": TIMEOUT_S, **args}
        write_frame(self._requests, {"id": self._number, "op": op, "path": str(path), "args": sent})
        ready, _, _ = select.select([self._replies], [], [], LIMIT_S)
        assert ready, f"{op} of {path} was not answered within {LIMIT_S} s"
        frame = read_frame(self._replies)
        assert frame is not None, f"{op} of {path} ended the worker"
        assert frame[0]["id"] == self._number
        assert self.peak() <= MEMORY, f"{op} of {path} took {self.peak():,} bytes"
        return frame

    def peak(self) -> int:
        """The most memory that the worker itself has had so far, in bytes."""
        return self._status("VmHWM")

    def addresses(self) -> int:
        """The address space that the worker has taken, which its limit is on, in bytes."""
        return self._status("VmSize")

    def _status(self, name: str) -> int:
        for line in Path(f"/proc/{self._process.pid}/status").read_text().splitlines():
            if line.startswith(f"{name}:"):
                return int(line.split()[1]) * 1024
        raise AssertionError("the worker is gone")

    def end(self) -> tuple[int, int]:
        """Its exit status, and the most that it or any program it ran has had, in bytes."""
        self._requests.close()
        _, status, used = os.wait4(self._process.pid, 0)
        self._process.returncode = os.waitstatus_to_exitcode(status)
        self._replies.close()
        return self._process.returncode, used.ru_maxrss * 1024
