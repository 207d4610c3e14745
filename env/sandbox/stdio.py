"""A desk over a pair of standard streams, whatever carries them: framing, timeouts, death.

A backend says how its streams are had (`_launch`), how the desk's end is told (`_exit_status`) and
seen to (`_end`). All else is the same for every backend, and is here.
"""

from __future__ import annotations

import atexit
import os
import time
import weakref
from abc import abstractmethod
from typing import Any, Protocol, Self, get_args

from pydantic import ValidationError

from deskgym.env.closing import Closing
from deskgym.env.sandbox.base import (
    CannotEnforce,
    ConfigureRequest,
    DeskDied,
    DeskTimeout,
    DeskTool,
    ExecRequest,
    PingRequest,
    Request,
    ResetRequest,
    Response,
    SandboxError,
)
from deskgym.env.sandbox.limits import DeskLimits
from deskgym.env.sandbox.wire import pack_request, read_response
from deskgym.sandbox_images.desk.framing import FrameError, FrameReader

GRACE_S = 20.0  # beyond a command's own time: ending its processes, a slow engine
TOOL_TIMEOUT_S = 150.0  # its own 65 s, after those of one that is being answered already
RESET_TIMEOUT_S = 60.0
PING_TIMEOUT_S = 10.0
_STDERR_KEPT = 4_000
SEPARATION_REMEDY = (
    "run it as root or on a container engine, or give this user ranges in /etc/subuid and "
    "/etc/subgid and install newuidmap (Debian: uidmap)"
)

# Every live desk of this process, for the two moments in which no one else can close them: the
# interpreter's end, and a fork, whose child would otherwise hold the wire open beyond our death.
_live: weakref.WeakSet[StdioSandbox] = weakref.WeakSet()


def _close_all() -> None:
    for sandbox in list(_live):
        sandbox.close()


def _let_go_in_child() -> None:
    for sandbox in list(_live):
        sandbox._let_go()


atexit.register(_close_all)
os.register_at_fork(after_in_child=_let_go_in_child)


class Carrier(Protocol):
    """Our end of a desk's standard streams."""

    def send(self, data: bytes, timeout_s: float) -> None:
        """Hand over all of ``data``; an `OSError` if that cannot be done (in time)."""
        ...

    def receive(self, timeout_s: float) -> tuple[bytes, bytes] | None:
        """What there is of standard output and of standard error; None at their end.

        Raises:
            TimeoutError: nothing came in that time.
            OSError: the connection is gone.
        """
        ...

    def close(self) -> None:
        """Close it, which a `receive` in another thread notices. Idempotent."""
        ...

    def let_go(self) -> None:
        """Close this process's copy of it alone, as a forked child must."""
        ...


class StdioSandbox(Closing):
    """One desk whose runner is spoken to over its standard streams. See `base.Sandbox`."""

    def __init__(self, limits: DeskLimits | None) -> None:
        self._limits = limits or DeskLimits()
        self._carrier: Carrier | None = None
        self._owner = os.getpid()
        self._frames, self._stderr = FrameReader(), b""
        self.image: str | None = None
        """The address of the image or root file system, once it is started."""
        self.separate = True
        """Whether runner, agent and tool worker are users of their own, once it is started."""
        self._unenforced: tuple[str, ...] = ()  # tools that are off and that commands could get at

    @abstractmethod
    def _launch(self) -> Carrier:
        """Bring the desk up as far as its streams; what was begun is left to `_end` on an error."""

    @abstractmethod
    def _exit_status(self) -> int | None:
        """The exit status of a desk whose streams have ended, if it can be had soon."""

    @abstractmethod
    def _end(self) -> None:
        """Wait until the desk, whose streams are closed, is gone, and insist. Idempotent."""

    @abstractmethod
    def end_commands(self) -> None:
        """End every process of the agent. The command under way then comes to its end, without
        waiting for its time limit. For a signal's handler, or another thread."""

    def start(self) -> None:
        """Bring the desk up and wait until its runner says so.

        Raises:
            EngineUnavailable: there is nothing here that desks of this kind can run on.
            ImageMissing: the image that this version needs is not built.
            SandboxError: the desk could not be created or started.
            DeskDied: the runner ended at once; the message holds what it said.
        """
        if self._carrier is not None:
            raise SandboxError("this desk is already running")
        self._owner = os.getpid()
        self._frames, self._stderr = FrameReader(), b""
        _live.add(self)
        try:
            self._carrier = self._launch()
        except BaseException:
            self.close()
            raise
        hello, _ = self._receive(self._limits.start_timeout_s, "start")
        if not hello.get("hello"):
            self.close()
            raise DeskDied(f"the desk said something else than hello: {hello}")
        self.separate = bool(hello.get("separate"))

    def configure(
        self, user: str, files: tuple[dict[str, Any], ...], tools: tuple[str, ...]
    ) -> None:
        """Tell the runner whose files these are, what is known of them, and which tools are on.

        Raises:
            CannotEnforce: a tool is off that commands could do the work of all the same, as this
                desk has one user only. With ``terminal`` off as well, commands are refused instead.
        """
        self.request(ConfigureRequest(user=user, files=files, tools=tools))

    def request(self, request: Request) -> Response:
        """Send one request and wait for its answer. For one thread at a time.

        Raises:
            DeskDied: the desk is gone.
            DeskTimeout: no answer in the request's time and a margin; the desk has been ended.
            CannotEnforce: as in `configure`; the desk is as it was before.
        """
        if not self.separate:
            self._check_enforced(request)
        timeout = TOOL_TIMEOUT_S
        if isinstance(request, ExecRequest):
            timeout = request.timeout_s + GRACE_S
        elif isinstance(request, ResetRequest):
            timeout = RESET_TIMEOUT_S
        elif isinstance(request, PingRequest):
            timeout = PING_TIMEOUT_S
        carrier = self._carrier
        if carrier is None:
            raise DeskDied("this desk is not running")
        try:
            carrier.send(pack_request(request), timeout)
        except OSError as error:
            raise self._died(f"cannot be reached ({error})") from error
        header, payload = self._receive(timeout, request.op)
        try:
            return read_response(header, payload)
        except ValidationError as error:
            self.close()
            raise DeskDied(f"the desk gave an answer that is none: {error}") from error

    def _check_enforced(self, request: Request) -> None:
        """In a desk with one user a command can do all that the tools can."""
        if isinstance(request, ConfigureRequest):
            off = tuple(tool for tool in get_args(DeskTool) if tool not in request.tools)
            if off and "terminal" in request.tools:
                raise CannotEnforce(_one_user(off, "switch terminal off too, or all of these on"))
            self._unenforced = off
        elif isinstance(request, ExecRequest) and self._unenforced:
            raise CannotEnforce(_one_user(self._unenforced, "no command is run"))

    def reset(self) -> None:
        """Make the desk as new, in place.

        Raises:
            DeskDied: it would not come clean, and has been ended.
        """
        response = self.request(ResetRequest())
        if not response.ok:
            self.close()
            message = response.error.message if response.error else "no reason given"
            raise DeskDied(f"the desk did not come clean: {message}")

    def _receive(self, timeout_s: float, what: str) -> tuple[dict[str, Any], bytes]:
        carrier = self._carrier
        if carrier is None:  # closed by another thread meanwhile
            raise DeskDied("this desk is not running")
        deadline = time.monotonic() + timeout_s
        try:
            while (frame := self._frames.next()) is None:
                left = deadline - time.monotonic()
                if left <= 0:
                    raise TimeoutError
                pieces = carrier.receive(left)
                if pieces is None:
                    raise self._died("ended")
                self._frames.feed(pieces[0])
                self._stderr = (self._stderr + pieces[1])[-_STDERR_KEPT:]
        except TimeoutError as error:
            self.close()
            raise DeskTimeout(
                f"the desk did not answer {what!r} within {timeout_s:g} s and was ended"
            ) from error
        except FrameError as error:
            self.close()
            raise DeskDied(f"the desk's wire is broken: {error}") from error
        except OSError as error:
            raise self._died(f"is gone ({error})") from error
        return frame

    def _died(self, how: str) -> DeskDied:
        status = self._exit_status()
        said = self._stderr.decode(errors="replace").strip()
        self.close()
        return DeskDied(
            f"the desk {how}; exit status {'unknown' if status is None else status}"
            + (f"; it said: {said}" if said else "")
        )

    def _let_go(self) -> None:
        """Close our end of the wire without ending the desk, which is another process's."""
        carrier, self._carrier = self._carrier, None
        if carrier is not None:
            carrier.let_go()
        _live.discard(self)

    def close(self) -> None:
        """End the desk and wait until it is gone. Idempotent."""
        carrier, self._carrier = self._carrier, None
        _live.discard(self)
        if carrier is not None:
            carrier.close()
        if os.getpid() == self._owner:
            self._end()

    def __enter__(self) -> Self:
        self.start()
        return self


def _one_user(off: tuple[str, ...], instead: str) -> str:
    return (
        f"this desk cannot keep commands from what is switched off ({', '.join(off)}): its runner, "
        f"its tools and its commands are one user; {instead}, or let it have users of its own: "
        f"{SEPARATION_REMEDY}"
    )
