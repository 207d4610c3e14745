"""The tool worker as the runner sees it: a separate process that reads files, started when needed.

Heavy libraries are imported there and never in the runner, and a hostile file can harm nothing
but a process that owns nothing. It runs as a user of its own, so that the agent can neither signal
nor read it.
"""

from __future__ import annotations

import fcntl
import os
import signal
import termios
import time
from collections.abc import Callable
from typing import Any

from .files import ToolFault
from .framing import FrameError, FrameReader, pack
from .identity import LIBRARY, PREPARED, READER_UID
from .processes import spawn

Reply = Callable[[dict[str, Any], bytes], None]

TIMEOUT_S = 60.0
MAX_PAYLOAD = 64 << 20  # a page as a picture, a file as it is: what the runner may have to hold
GRACE_S = 5.0  # the worker keeps its own time; this is for one that hangs in a library


class Worker:
    """One worker process and the queue of what it is asked. Nothing here blocks."""

    def __init__(self) -> None:
        self.pid = 0
        self._stdin = -1
        self.stdout = -1
        self._frames = FrameReader(max_payload=MAX_PAYLOAD)
        self._queue: list[tuple[dict[str, Any], Reply]] = []
        self._busy: tuple[dict[str, Any], Reply] | None = None
        self._second_try = False
        self.deadline: float | None = None
        self._serial = 0
        self.starts = 0  # changes whenever `stdout` does

    def ask(
        self, op: str, path: str, args: dict[str, Any], reply: Reply, *, urgent: bool = False
    ) -> None:
        """Queue one request; ``reply`` is called with the header and payload of its answer. An
        urgent one comes next."""
        self._serial += 1
        request = {"id": self._serial, "op": op, "path": path, "args": args}
        self._queue.insert(0 if urgent else len(self._queue), (request, reply))
        self.advance()

    def abandon(self) -> None:
        """Forget what was asked; a worker that is at it is ended."""
        self._queue.clear()
        if self._busy is not None:
            self.stop()
            self._busy, self.deadline = None, None

    def advance(self) -> None:
        """Send the next request if the worker is free, starting it if there is none."""
        if self._busy is not None or not self._queue:
            return
        self._busy = self._queue.pop(0)
        try:
            self._deliver(pack(self._busy[0]))
        except OSError as error:
            self._fail("corrupt", f"the tool worker cannot be reached: {error}")
            return
        self.deadline = time.monotonic() + TIMEOUT_S + GRACE_S

    def _deliver(self, data: bytes) -> None:
        if self.pid:
            try:
                self._send(data)
                return
            except BrokenPipeError:
                self.stop()  # it died while it had nothing to do
        self._start()
        try:
            self._send(data)
        except BrokenPipeError:
            return  # it died at once, which `readable` is told by the end of its output

    def _start(self) -> None:
        request_r, self._stdin = os.pipe()
        self.stdout, reply_w = os.pipe()
        try:
            self.pid = spawn(
                ["/usr/bin/python3", "-u", "-m", "deskgym.tools.worker"],
                {"PYTHONPATH": LIBRARY, "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "TZ": "UTC",
                 "HOME": "/nonexistent", "PYTHONDONTWRITEBYTECODE": "1",
                 "DESKGYM_PREPARED": PREPARED},
                READER_UID,
                stdin=request_r,
                stdout=reply_w,
                stderr=2,
            )  # fmt: skip
        finally:
            os.close(request_r)
            os.close(reply_w)
        os.set_blocking(self.stdout, False)
        self.starts += 1

    def _send(self, data: bytes) -> None:
        # A request is a path and a few numbers: far below what a pipe holds (64 KiB).
        view = memoryview(data)
        while view:
            view = view[os.write(self._stdin, view) :]

    def readable(self) -> None:
        """Take what the worker has written; called when ``stdout`` is, or was, readable."""
        if self.stdout < 0:
            return
        try:
            data = os.read(self.stdout, 1 << 20)
        except BlockingIOError:
            return
        if not data:
            self._ended()
            return
        self._frames.feed(data)
        try:
            frame = self._frames.next()
        except FrameError as error:
            self._fail("too_large", f"this is more than a tool returns: {error}")
            self.advance()
            return
        if frame is not None and self._busy is not None:
            (_, reply), self._busy, self.deadline = self._busy, None, None
            self._second_try = False
            header, payload = frame
            header.pop("id", None)
            reply(header, payload)
            self.advance()

    def _ended(self) -> None:
        """The worker is gone. Not over this file if it had yet to read what it was asked."""
        unread = fcntl.ioctl(self._stdin, termios.FIONREAD, bytes(4))
        if self._busy is not None and any(unread) and not self._second_try:
            self.stop()
            self._queue.insert(0, self._busy)
            self._busy, self.deadline, self._second_try = None, None, True
        else:
            self._fail("out_of_memory", "the tool worker died over this file", "")
        self.advance()

    def check_deadline(self) -> None:
        """End a worker that is over its time."""
        if self.deadline is not None and time.monotonic() > self.deadline:
            self._fail("timeout", f"reading this file took more than {TIMEOUT_S:g} s")
            self.advance()

    def _fail(self, kind: str, message: str, remedy: str = "") -> None:
        self.stop()
        asked, self._busy, self.deadline = self._busy, None, None
        self._second_try = False
        if asked is not None:
            asked[1](ToolFault(kind, message, remedy).as_reply(), b"")

    def stop(self) -> None:
        """End the process, if there is one."""
        if not self.pid:
            return
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self._stdin)
        os.close(self.stdout)
        self.pid, self._stdin, self.stdout = 0, -1, -1
        self._frames = FrameReader(max_payload=MAX_PAYLOAD)
        self.starts += 1
