"""Uvicorn as this server needs it: it drains on SIGTERM, and lets nobody hold a connection idle."""

from __future__ import annotations

import asyncio
import ctypes
import logging
from types import FrameType
from typing import Any

import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.h11_impl import H11Protocol

from deskgym.env.server.app import Parts
from deskgym.env.server.config import ServerConfig

log = logging.getLogger("deskgym.server")
HEAD_TIMEOUT_S = 10.0
"""How long a new connection may take until its first request has come."""
_CONNECTIONS_BESIDE_SESSIONS = 200
_SHUT_S = 10
_M_ARENA_MAX = -8  # of malloc.h


class PromptProtocol(H11Protocol):
    """HTTP over a connection on which the first request has to come soon."""

    _waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._waiting = self.loop.call_later(HEAD_TIMEOUT_S, self._late)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
        super().connection_lost(exc)

    def _late(self) -> None:
        # `scope` is what the first request's head becomes. A connection that has become a
        # WebSocket has another protocol by now.
        if self.scope is None and self.transport.get_protocol() is self:
            self.transport.close()


class Server(uvicorn.Server):
    """Ends in order: on the first signal it drains, on the second it cuts all desks and goes."""

    def __init__(self, config: uvicorn.Config, parts: Parts) -> None:
        super().__init__(config)
        self._parts = parts
        self._draining: asyncio.Task[None] | None = None

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Called by the signals that ask it to end."""
        if self._draining is None and self.started and not self.should_exit:
            self._loop.call_soon_threadsafe(self._drain)
            return
        self.should_exit = self.force_exit = True

    async def startup(self, sockets: Any = None) -> None:
        self._loop = asyncio.get_running_loop()
        await super().startup(sockets=sockets)
        log.info("listening on %s port %s", self.config.host, self.port)

    @property
    def port(self) -> int:
        """The port that it listens on."""
        port: int = self.servers[0].sockets[0].getsockname()[1]
        return port

    def _drain(self) -> None:
        if self._draining is None:
            self._draining = asyncio.create_task(self._drain_and_end())

    async def _drain_and_end(self) -> None:
        try:
            await self._parts.table.drain()
        finally:
            self.should_exit = True


def make_server(app: FastAPI, *, host: str, port: int) -> Server:
    """A server of ``app``, which is `create_app`'s; ``run()`` serves until a signal ends it."""
    parts: Parts = app.state.parts
    config: ServerConfig = parts.config
    settings = uvicorn.Config(
        app,
        host=host,
        port=port,
        http=PromptProtocol,
        ws="websockets-sansio",
        ws_max_size=config.max_message_bytes,
        ws_ping_interval=config.ping_interval_s,
        ws_ping_timeout=config.ping_timeout_s,
        ws_per_message_deflate=False,  # a small message may not become a large one
        limit_concurrency=config.max_sessions + _CONNECTIONS_BESIDE_SESSIONS,
        timeout_graceful_shutdown=_SHUT_S,
        log_config=None,
        access_log=False,  # it would write down whole addresses; `app.Requests` does it
        server_header=False,
    )
    return Server(settings, parts)


def _share_arenas() -> None:
    """Have all threads share few arenas of memory. With one for each, as glibc has it, what a
    thread frees is of no use to others, and a server of many threads grows for hours."""
    try:
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 2)
    except AttributeError:
        log.debug("this C library has no arenas")


def run(app: FastAPI, *, host: str, port: int) -> None:
    """Serve until SIGTERM or SIGINT, and leave no desk."""
    parts: Parts = app.state.parts
    _share_arenas()
    try:
        make_server(app, host=host, port=port).run()
    finally:
        # After a second signal there was no orderly end, and threads wait for their desks.
        parts.table.cut_all()
