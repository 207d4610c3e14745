"""The server: a desk for whoever opens a session, over OpenEnv's protocol and over MCP."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI, WebSocket
from starlette.middleware import Middleware

from deskgym.env.actions import resolve_tools
from deskgym.env.desk_env import DeskEnv
from deskgym.env.pool import DeskPool
from deskgym.env.rewards import check_reward
from deskgym.env.sandbox.choose import check_choice
from deskgym.env.server.answers import add_handlers
from deskgym.env.server.auth import Gate
from deskgym.env.server.config import ServerConfig
from deskgym.env.server.limits import Bounds
from deskgym.env.server.mcp_routes import mcp_routes
from deskgym.env.server.metrics import Metrics
from deskgym.env.server.record import Recording
from deskgym.env.server.routes import DESCRIPTION, control_routes, info_routes
from deskgym.env.server.served import Leash, MakeDesk, ServedEnv
from deskgym.env.server.sessions import SessionTable
from deskgym.env.server.tasks import Tasks
from deskgym.env.server.tasks_api import task_routes
from deskgym.env.server.websocket import Door
from deskgym.env.trajectory_log import RunFolder
from deskgym.tasks.registry import Dataset, load_dataset

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

log = logging.getLogger("deskgym.server")
API_VERSION = "1.0.0"
"""Of OpenEnv's HTTP standard, which the OpenAPI document names."""
AGENT = "served"
"""Under which the episodes of clients are logged."""
_WAIT_FOR_ROOM_S = 10.0


@dataclass(frozen=True)
class Parts:
    """What an application is made of; ``app.state.parts``."""

    config: ServerConfig
    table: SessionTable
    metrics: Metrics
    tasks: Tasks


def create_app(
    config: ServerConfig,
    *,
    dataset: Dataset | None = None,
    run: RunFolder | None = None,
    make_desk: MakeDesk | None = None,
) -> FastAPI:
    """The ASGI application of ``config``. Its desks come from a pool of its own.

    ``dataset`` stands in for the one that the configuration names; ``run`` is where episodes are
    logged, and stays its owner's to close; ``make_desk`` stands in for the pool.

    Raises:
        UnknownDataset, DatasetMissing, BadDataset: as their names say.
        ValueError: an unknown tool, reward or sandbox.
    """
    resolve_tools(config.tools)
    check_reward(config.reward)
    check_choice(config.sandbox)
    if dataset is None:
        dataset = load_dataset(config.dataset, **config.dataset_options)
    tasks, metrics = Tasks(dataset), Metrics()
    pool = None
    if make_desk is None:
        pool = DeskPool(
            sandbox=config.sandbox,
            max_desks=config.max_sessions + 4,  # those that are on their way out
            wait_s=_WAIT_FOR_ROOM_S,
        )
        make_desk = pool.desk
        metrics.watch_desks(pool_figures(pool))
    make_served = _maker(config, tasks, metrics, make_desk, run)
    table = SessionTable(config, make_served, metrics)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        watching = asyncio.create_task(table.watch())
        try:
            yield
        finally:
            watching.cancel()
            with suppress(asyncio.CancelledError):
                await watching
            await table.close()
            if pool is not None:
                await asyncio.to_thread(pool.close)

    app = FastAPI(
        title="DeskGym",
        description=DESCRIPTION,
        version=API_VERSION,
        lifespan=lifespan,
        docs_url=None,  # its page loads scripts from elsewhere
        redoc_url=None,
        middleware=[
            Middleware(Requests),
            Middleware(Gate, config=config),
            Middleware(Bounds, config=config),
        ],
    )
    app.state.parts = Parts(config, table, metrics, tasks)
    add_handlers(app, metrics)
    app.include_router(control_routes(table))
    app.include_router(info_routes(table, metrics, config.max_steps))
    app.include_router(mcp_routes(table))
    app.include_router(task_routes(tasks))
    door = Door(config, table, metrics)

    @app.websocket("/ws")
    async def ws(socket: WebSocket) -> None:
        await door.ws(socket)

    @app.websocket("/mcp")
    async def mcp(socket: WebSocket) -> None:
        await door.mcp(socket)

    return app


def _maker(
    config: ServerConfig,
    tasks: Tasks,
    metrics: Metrics,
    make_desk: MakeDesk,
    run: RunFolder | None,
) -> Callable[[], tuple[ServedEnv, Leash]]:
    recording = Recording(run) if run is not None else None

    def make() -> tuple[ServedEnv, Leash]:
        leash = Leash(make_desk)
        env = DeskEnv(
            tasks.dataset,
            tools=config.tools,
            max_steps=config.max_steps,
            reward=config.reward,
            sandbox=leash.take,
            command_timeout_s=config.command_timeout_s,
            max_output_bytes=config.max_output_bytes,
            run=recording.recorder() if recording is not None else None,
            agent=AGENT,
        )
        return ServedEnv(env, tasks, metrics, config.max_steps), leash

    return make


def pool_figures(pool: DeskPool) -> Callable[[], dict[str, float]]:
    """What of a pool's statistics is a number."""

    def figures() -> dict[str, float]:
        stats: dict[str, Any] = pool.stats().model_dump()
        return {n: float(v) for n, v in stats.items() if isinstance(v, int | float)}

    return figures


class Requests:
    """Logs each HTTP request: its path without the query, its status, its time."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started, status = time.perf_counter(), 500

        async def noting(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, noting)
        finally:
            seconds = round(time.perf_counter() - started, 4)
            level = logging.DEBUG if scope["path"] in ("/health", "/metrics") else logging.INFO
            told = {"method": scope["method"], "path": scope["path"][:200], "status": status}
            log.log(level, "request", extra={**told, "seconds": seconds})
