"""The program inside the desk: takes requests over standard input, answers over standard output.

Standard library only. It runs as root without capabilities but SETUID, SETGID and KILL; every
command runs as the agent's user with none. (Where a desk has one user only, all are that one, and
the greeting says so.) When standard input ends, whoever owned this desk is gone, and so is the
desk.
"""

from __future__ import annotations

import os
import selectors
import signal
import sys
import time
from collections.abc import Callable
from typing import Any, TypeVar

from .framing import FrameReader, pack_readable
from .identity import AGENT_UID, DESK, OUTPUT, SEPARATE, SOCKET
from .local_api import LocalApi
from .opened import OpenedFiles
from .output import Output
from .processes import Crowd, ended_child, kill_all, scheduling
from .seal import hide, seal
from .service import Service
from .shell import MAX_STATE, Nursery, Shell, first_state
from .wipe import as_user, leftovers, wipe

FORMAT_VERSION = 1
MAX_TOOL_USES = 500
MAKING_ROOM_S = 5.0
T = TypeVar("T")


class OwnerGone(Exception):
    """Standard input has ended."""


class Runner:
    """One desk. A single thread and one loop over all that can become readable."""

    def __init__(self, wire_in: int, wire_out: int) -> None:
        self._in = wire_in
        self._out = wire_out
        self._frames = FrameReader()
        self._selector = selectors.DefaultSelector()
        self._service = Service()
        self._tool_uses: list[dict[str, Any]] = []
        self._shown: dict[str, None] = {}  # files that the tools used showed something of
        self._commands = 0
        self._shells = Nursery()
        self._crowd = Crowd()
        self._scheduling = scheduling()
        self._worker_start = 0
        self._worker_fd = -1
        self._prepare_scratch()
        self._opened = OpenedFiles(DESK)
        self._api = LocalApi(SOCKET, self._service, self._selector, self._note_tool_use)

    # -- the loop ------------------------------------------------------------------------------

    def serve(self) -> None:
        """Answer requests, until `OwnerGone` is raised: also in the middle of a command."""
        self._refill()
        hello = {"format_version": FORMAT_VERSION, "ok": True, "hello": True, "separate": SEPARATE}
        self._reply(hello, b"")
        self._selector.register(self._in, selectors.EVENT_READ, self._readable)
        while True:
            request = self._frames.next()
            if request is None:
                self._turn(None)
                continue
            self._handle(request[0])
            self._refill()  # after the answer: starting a shell costs the caller nothing

    def _readable(self) -> None:
        data = os.read(self._in, 1 << 20)
        if not data:
            raise OwnerGone
        self._frames.feed(data)

    def _turn(self, patience_s: float | None) -> None:
        """Wait until something is readable and deal with it."""
        worker = self._service.worker
        self._watch_worker()
        if worker.deadline is not None:
            left = max(0.0, worker.deadline - time.monotonic())
            patience_s = left if patience_s is None else min(left, patience_s)
        for key, _ in self._selector.select(patience_s):
            key.data()
            self._watch_worker()
        self._bury()
        worker.check_deadline()
        self._watch_worker()

    def _watch_worker(self) -> None:
        """Follow the worker's coming and going. At once: a closed descriptor's number is used
        again, and must not stand in the selector under its old meaning."""
        worker = self._service.worker
        if worker.starts == self._worker_start:
            return
        if self._worker_fd >= 0:
            self._selector.unregister(self._worker_fd)
        self._worker_start, self._worker_fd = worker.starts, worker.stdout
        if self._worker_fd >= 0:
            self._selector.register(self._worker_fd, selectors.EVENT_READ, worker.readable)

    def _reply(self, header: dict[str, Any], payload: bytes) -> None:
        view = memoryview(pack_readable(header, payload))
        while view:
            view = view[os.write(self._out, view) :]

    # -- requests ------------------------------------------------------------------------------

    def _handle(self, request: dict[str, Any]) -> None:
        started = time.monotonic()
        handlers: dict[str, Callable[[dict[str, Any]], tuple[dict[str, Any], bytes]]] = {
            "exec": self._exec,
            "tool": self._tool,
            "configure": self._configure,
            "reset": self._reset,
            "ping": lambda request: ({"ok": True}, b""),
        }
        header, payload = handlers[request["op"]](request)
        header["duration_s"] = round(time.monotonic() - started, 6)
        self._reply(header, payload)

    def _configure(self, request: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
        self._service.configure(request["user"], request["files"], request["tools"])
        return {"ok": True}, b""

    def _tool(self, request: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
        answers: list[tuple[dict[str, Any], bytes]] = []
        self._service.handle(
            request["tool"],
            request["args"],
            lambda header, payload: answers.append((header, payload)),
            urgent=True,
        )
        while not answers:
            self._turn(None)
        self._opened.take()  # the worker's own opening, which the answer already names
        return answers[0]

    def _exec(self, request: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
        try:
            command = request["command"].encode(errors="surrogateescape")
        except UnicodeEncodeError:
            return _fault("bad_argument", "a command holds no half of a surrogate pair"), b""
        if b"\0" in command:
            return _fault("bad_argument", "a command holds no NUL byte"), b""
        self._opened.take()
        self._commands += 1
        self._tool_uses, self._shown = [], {}
        deadline = time.monotonic() + request["timeout_s"]
        output = Output(request["max_bytes"], self._commands)
        state = bytearray()
        notes = []
        for attempt in range(3):
            shell = self._tell(command)
            timed_out = self._follow(shell, output, state, deadline)
            if timed_out:
                kill_all(AGENT_UID)
            status = shell.reap()
            self._drain(shell.output, output.add)
            taken = shell.took_command()
            shell.close()
            if not taken and (timed_out or attempt == 1):
                # Not the first shell that never gets to its command: what it begins with is bad.
                self._shells.remember(first_state())
                notes.append("the folder and the exported variables could not be brought back")
            if taken or timed_out:
                break
            self._make_room()  # something goes about and ends shells
        if timed_out:
            notes.append(f"timed out after {request['timeout_s']:g} s; all processes ended")
        elif status < 0:
            # Out of memory, or `kill -9 -1`: what does that in the background would do it again.
            self._make_room()
            notes.append("the shell was killed; all processes ended")
        elif len(state) > MAX_STATE:
            notes.append("exported variables are over 100 kB and were not carried over")
        elif state.endswith(b"\n") and b"\0" not in state:  # the agent can write to it, too
            self._shells.remember(state.decode(errors="surrogateescape"))
        opened, overflow = self._opened.take()
        # What is read from the prepared copy of a file opens nothing in the profile.
        opened = list(dict.fromkeys([*opened, *self._shown]))
        header: dict[str, Any] = {
            "ok": True,
            # A shell ended by a signal has no status; 128 + n is what a shell would say of it.
            "exit_status": None if timed_out else status if status >= 0 else 128 - status,
            "timed_out": timed_out,
            "bytes_out": output.total,
            "opened": opened,
            "opened_overflow": overflow,
            "tool_uses": self._tool_uses,
        }
        payload = output.finish()
        header["spool"] = output.spool_path
        payload += "".join(f"\n[{note}]\n" for note in notes).encode()
        return header, payload

    def _tell(self, command: bytes) -> Shell:
        """A shell that has been given ``command``."""
        if self._crowd.is_full():
            self._make_room()
            self._crowd.wait()
        return self._with_room(lambda: self._shells.told(command))

    def _follow(self, shell: Shell, output: Output, state: bytearray, deadline: float) -> bool:
        """Collect a command's output until its shell ends; True if it ran out of time."""
        done = False

        def keep(data: bytes) -> None:
            if len(state) <= MAX_STATE:
                state.extend(data)

        look = 0.0  # at how many processes there are: not with every piece of output

        def ended() -> None:
            nonlocal done
            done = True

        watched: dict[int, Callable[[], object]] = {
            shell.output: lambda: self._take(shell.output, output.add),
            shell.pidfd: ended,
        }
        if shell.untold:
            watched[shell.command] = lambda: self._tell_more(shell)
        for fd, callback in watched.items():
            writes = fd == shell.command
            event = selectors.EVENT_WRITE if writes else selectors.EVENT_READ
            self._selector.register(fd, event, callback)
        try:
            while not done:
                now = time.monotonic()
                left = deadline - now
                if left <= 0:
                    return True
                if now >= look:
                    look = now + 0.1
                    if self._crowd.is_full():
                        # By what commands before left behind, and this one cannot start any.
                        self._make_room(sparing=shell.pid)
                # Woken up regularly, as the kernel's queue of opened files is bounded.
                self._turn(min(left, 0.05))
                self._opened.drain()
                # Not waited for: the shell writes it line by line, and would wake us for each.
                self._drain(shell.state, keep)
            return False
        finally:
            for fd in watched:
                if fd in self._selector.get_map():
                    self._selector.unregister(fd)

    def _tell_more(self, shell: Shell) -> None:
        try:
            more = shell.tell_more()
        except BrokenPipeError:
            more = False  # it has ended, as its `pidfd` is about to say
        if not more:
            self._selector.unregister(shell.command)

    def _take(self, fd: int, sink: Callable[[bytes], object]) -> bool:
        """One piece of what ``fd`` holds; False once there is none."""
        try:
            data = os.read(fd, 1 << 16)
        except BlockingIOError:
            return False
        if not data:
            if fd in self._selector.get_map():
                self._selector.unregister(fd)
            return False
        sink(data)
        return True

    def _drain(self, fd: int, sink: Callable[[bytes], object]) -> None:
        """What the shell has left in the pipe. A child that goes on writing does not hold us up."""
        for _ in range(64):
            if not self._take(fd, sink):
                return

    # -- a clean desk --------------------------------------------------------------------------

    def _reset(self, request: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
        self._api.drop_all()
        self._service.worker.abandon()
        self._watch_worker()
        if self._commands == 0 and not leftovers_beyond_ours():
            self._service.forget_flags()
            return {"ok": True, "clean": True}, b""
        self._shells.empty()  # first: then there is, mostly, nothing left to look for
        kill_all(AGENT_UID)
        left = wipe()
        if scheduling() != self._scheduling:
            left.append("the runner's scheduling, which the agent has changed")
        if left:
            what = f"{len(left)} things would not go, the first {left[0]!r}"
            return _fault("not_clean", what) | {"clean": False}, b""
        self._shells.remember(first_state())
        self._commands = 0
        self._service.forget_flags()
        self._prepare_scratch()
        self._opened.take()
        return {"ok": True, "clean": True}, b""

    def _prepare_scratch(self) -> None:
        with as_user(AGENT_UID):
            os.mkdir(OUTPUT)
            os.chmod(OUTPUT, 0o1777)

    def _refill(self) -> None:
        self._with_room(self._shells.refill)

    def _with_room(self, start: Callable[[], T]) -> T:
        """What ``start`` gives, once there is room for the process that it starts. Those that were
        ended take theirs until each has been taken note of."""
        deadline = time.monotonic() + MAKING_ROOM_S
        while True:
            try:
                return start()
            except OSError:
                if time.monotonic() > deadline:
                    raise
                self._make_room()
                time.sleep(0.002)

    def _make_room(self, sparing: int = 0) -> None:
        """Background processes may outlive their command, but not at the price of the next one."""
        kill_all(AGENT_UID, sparing=sparing)
        self._shells.empty()
        self._bury()

    def _bury(self) -> None:
        """Take note of the ends of orphans: the first process inherits them, and must."""
        while pid := ended_child():
            if pid in (self._shells.running, self._service.worker.pid):
                return  # asked for in a moment, by those who want to know how it ended
            if not self._shells.bury(pid):
                os.waitpid(pid, 0)

    def _note_tool_use(self, use: dict[str, Any], shown: list[str]) -> None:
        if len(self._tool_uses) < MAX_TOOL_USES:
            self._tool_uses.append(use)
            self._shown.update(dict.fromkeys(shown))


def leftovers_beyond_ours() -> bool:
    return leftovers() != [OUTPUT]


def _fault(kind: str, message: str) -> dict[str, Any]:
    return {"ok": False, "error": {"kind": kind, "message": message, "remedy": ""}}


def main() -> None:
    # Descriptors 0 and 1 are put out of reach: nothing that prints can get into the wire.
    wire_in, wire_out = os.dup(0), os.dup(1)
    devnull = os.open(os.devnull, os.O_RDONLY)
    os.dup2(devnull, 0, inheritable=False)
    os.dup2(2, 1, inheritable=False)
    # Python's own handler would be one that the agent could call.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    seal()
    if not SEPARATE:
        hide()
    try:
        Runner(wire_in, wire_out).serve()
    except OwnerGone:
        sys.exit(0)
