"""The sessions of a server: each owns one environment and at most one desk, and all of them end.

A session ends when its client says so or leaves, when it was idle or lived too long, and with the
server. What it does blocks, so it is done in threads; the event loop only keeps the books.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from deskgym.env.mcp import McpSession
from deskgym.env.observations import Observation
from deskgym.env.server.auth import Caller
from deskgym.env.server.config import ServerConfig
from deskgym.env.server.metrics import Metrics
from deskgym.env.server.models import ErrorCode, Reset, ServerError
from deskgym.env.server.served import Leash, ServedEnv

log = logging.getLogger("deskgym.server")
T = TypeVar("T")
Kind = Literal["ws", "mcp", "http"]
MakeServed = Callable[[], tuple[ServedEnv, Leash]]
_LOOK_S = 1.0  # how often idle sessions and leases are looked at, at the most


@dataclass(eq=False)
class Session:
    """One client's session. ``ended`` is set, with its ``cause``, as soon as it is to end."""

    id: str
    kind: Kind
    caller: Caller
    env: ServedEnv
    leash: Leash
    born: float
    used: float
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    gone: asyncio.Event = field(default_factory=asyncio.Event)
    cause: str = ""
    busy: int = 0
    attached: bool = False
    tell: list[Callable[[], None]] = field(default_factory=list)
    wanted: Reset = field(default_factory=Reset)
    _mcp: McpSession | None = None
    _mcp_first: Observation | None = None

    def hang_up(self) -> None:
        """Have the sockets of this session close."""
        for tell in self.tell:
            tell()

    def over(self) -> ServerError:
        """What its client is told once it has ended."""
        draining = self.cause.startswith("draining")
        code = ErrorCode.DRAINING if draining else ErrorCode.SESSION_ERROR
        return ServerError(code, self.cause)

    def speak_mcp(self, message: Any) -> dict[str, Any] | None:
        """Answer one message of MCP: of the episode under way, else of one that it begins.

        That one is what ``wanted`` says. Blocks.
        """
        first = self.env.first if self.env.under_way else None
        if self._mcp is None or (first is not None and first is not self._mcp_first):
            profile, task = self.env.tasks.named(self.wanted)
            reset = {"profile": profile, "task": task, "seed": self.wanted.seed}
            self._mcp = McpSession(self.env, observation=first, reset=reset)
        answer = self._mcp.handle(message)
        self._mcp_first = self.env.first
        return answer


class SessionTable:
    """The sessions that are open. Its methods belong to the event loop, but `cut_all`."""

    def __init__(self, config: ServerConfig, make: MakeServed, metrics: Metrics) -> None:
        self._config = config
        self._make = make
        self._metrics = metrics
        self._sessions: dict[str, Session] = {}
        self._endings: set[asyncio.Task[None]] = set()
        # A session's own calls wait for each other, so this is one thread a session; what ends
        # desks has threads of its own, so that it never waits behind what it is to end.
        self._hands = ThreadPoolExecutor(config.max_sessions, thread_name_prefix="deskgym-session")
        self._ends = ThreadPoolExecutor(8, thread_name_prefix="deskgym-end")
        self.draining = False

    def __len__(self) -> int:
        return len(self._sessions)

    def open(self, kind: Kind, caller: Caller, wanted: Reset | None = None) -> Session:
        """A new session, without an episode; ``wanted`` is the one that MCP begins.

        Raises:
            ServerError: there are as many as there may be, or the server is draining.
        """
        self._check_open()
        if len(self._sessions) >= self._config.max_sessions:
            most = self._config.max_sessions
            raise ServerError(
                ErrorCode.CAPACITY_REACHED, f"all {most} sessions are taken; try again later"
            )
        env, leash = self._make()
        now = time.monotonic()
        session = Session(secrets.token_urlsafe(18), kind, caller, env, leash, now, now)
        session.wanted = wanted or session.wanted
        self._sessions[session.id] = session
        self._metrics.sessions.labels(kind).inc()
        log.info("session opened", extra=_who(session))
        return session

    def find(self, session_id: str, caller: Caller) -> Session:
        """The open session of that id, if it is this caller's.

        Raises:
            ServerError: there is none.
        """
        session = self._sessions.get(session_id)
        if session is None or session.caller.key != caller.key or session.ended.is_set():
            raise ServerError(ErrorCode.SESSION_ERROR, "no such session: it may have ended")
        return session

    async def call(self, session: Session, act: Callable[..., T], *args: Any) -> T:
        """Run ``act``, which blocks, when it is this session's turn.

        Raises:
            ServerError: the session has ended, now or meanwhile.
            Exception: what ``act`` raises.
        """
        session.busy += 1
        try:
            async with session.turn:
                if session.ended.is_set():
                    raise session.over()
                done = await asyncio.get_running_loop().run_in_executor(self._hands, act, *args)
        except Exception as error:
            if session.ended.is_set():  # which is why it failed
                raise session.over() from error
            raise
        finally:
            session.busy -= 1
            session.used = time.monotonic()
        return done

    def check_new_episode(self) -> None:
        """Raises `ServerError` if the server is draining: what runs may end, no more begins."""
        self._check_open()

    async def end(self, session: Session, cause: str) -> None:
        """End ``session``, whatever it is doing, and wait until its desk is gone. Idempotent."""
        if session.ended.is_set():
            await session.gone.wait()
            return
        session.cause = cause
        session.ended.set()
        session.hang_up()
        loop = asyncio.get_running_loop()
        try:
            if session.busy:
                await loop.run_in_executor(self._ends, session.leash.cut)
            async with session.turn:
                await loop.run_in_executor(self._ends, session.env.close, cause)
        except Exception:
            # Nobody waits for this session any more who could be told.
            log.exception("a session did not end cleanly", extra=_who(session))
            self._metrics.desk_failures.labels("close").inc()
        finally:
            self._sessions.pop(session.id, None)
            self._metrics.sessions.labels(session.kind).dec()
            self._metrics.sessions_ended.labels(cause.partition(":")[0]).inc()
            session.gone.set()
            log.info("session ended", extra={**_who(session), "cause": cause})

    def end_soon(self, session: Session, cause: str) -> None:
        """`end` without waiting for it."""
        task = asyncio.get_running_loop().create_task(self.end(session, cause))
        self._endings.add(task)
        task.add_done_callback(self._endings.discard)

    async def watch(self) -> None:
        """End sessions that are idle for too long or have lived too long. Until cancelled."""
        config = self._config
        pause = min(_LOOK_S, config.idle_timeout_s / 4, config.lease_s / 4)
        while True:
            await asyncio.sleep(pause)
            now = time.monotonic()
            for session in list(self._sessions.values()):
                if session.ended.is_set():
                    continue
                if now - session.born > config.lease_s:
                    self.end_soon(session, f"lease over: a session lives {config.lease_s:g} s")
                elif not session.busy and now - session.used > config.idle_timeout_s:
                    self.end_soon(session, f"idle: for {config.idle_timeout_s:g} s")

    async def drain(self) -> None:
        """Take no new sessions and episodes; give those under way their time, then end them."""
        self.draining = True
        self._metrics.draining.set(1)
        deadline = time.monotonic() + self._config.drain_s
        log.info("draining", extra={"seconds": self._config.drain_s})
        while self._sessions:
            late = time.monotonic() >= deadline
            for session in list(self._sessions.values()):
                at_rest = not session.busy and not session.env.under_way
                if (late or at_rest) and not session.ended.is_set():
                    self.end_soon(session, "draining: the server is going down")
            await asyncio.sleep(0.05)

    async def close(self) -> None:
        """End all sessions, and with them every desk. No session opens any more."""
        self.draining = True
        await asyncio.gather(
            *(self.end(session, "draining: the server is going down") for session in self._all())
        )
        self._hands.shutdown(wait=False)
        self._ends.shutdown(wait=False)

    def cut_all(self) -> None:
        """End every desk at once. Blocks; for a server that is ended by force, from any thread."""
        for session in self._all():
            session.leash.cut()

    def _all(self) -> list[Session]:
        return list(self._sessions.values())

    def _check_open(self) -> None:
        if self.draining:
            raise ServerError(ErrorCode.DRAINING, "the server is going down: no new episodes")


def _who(session: Session) -> dict[str, Any]:
    return {"session": session.id[:8], "kind": session.kind, "caller": session.caller.key}
