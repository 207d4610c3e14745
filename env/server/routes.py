"""OpenEnv's HTTP routes: what the server is, and episodes of one call each."""

from __future__ import annotations

from importlib.metadata import version
from typing import Annotated, Any

from fastapi import APIRouter, Body, Request, Response
from pydantic import BaseModel

from deskgym.env.actions import action_schema
from deskgym.env.server.answers import problems
from deskgym.env.server.auth import caller_of
from deskgym.env.server.metrics import Metrics
from deskgym.env.server.models import (
    ENV_NAME,
    Health,
    Metadata,
    ObservationData,
    Reset,
    Schema,
    State,
    Step,
    StepResult,
)
from deskgym.env.server.served import longest
from deskgym.env.server.sessions import SessionTable
from deskgym.env.server.websocket import begin

DESCRIPTION = (
    "One person's files in a sealed container, and a question that they answer. An agent lists, "
    "searches, reads and looks at them, and answers with citations."
)
DONE = "closed"


def control_routes(table: SessionTable) -> APIRouter:
    """``POST /reset`` and ``POST /step``: each has a session of its own, which ends with it.

    A step begins its own episode first. Whoever wants more than one step opens ``WS /ws``.
    """
    router = APIRouter(tags=["episodes"])

    @router.post("/reset", response_model=StepResult, responses=problems(400, 404, 422, 503))
    async def reset(
        request: Request, wanted: Annotated[Reset, Body(default_factory=Reset)]
    ) -> Response:
        """Begin an episode and show its first observation; it is over at once."""
        session = table.open("http", caller_of(request))
        try:
            return as_json(await begin(table, session, wanted))
        finally:
            await table.end(session, DONE)

    @router.post("/step", response_model=StepResult, responses=problems(400, 404, 422, 500, 503))
    async def step(request: Request, wanted: Step) -> Response:
        """Begin an episode, do one step of it, and show what came of it; it is over at once."""
        session = table.open("http", caller_of(request))
        try:
            fields = wanted.model_dump(exclude={"action", "timeout_s", "request_id"})
            await begin(table, session, Reset(**fields))
            action = longest(wanted.action, wanted.timeout_s)
            return as_json(await table.call(session, session.env.act, action))
        finally:
            await table.end(session, DONE)

    return router


def info_routes(table: SessionTable, metrics: Metrics, max_steps: int) -> APIRouter:
    """What there is to know of the server without an episode."""
    router = APIRouter(tags=["server"])

    @router.get("/health", response_model=Health, responses={503: {"model": Health}})
    async def health() -> Response:
        """Whether new sessions are taken."""
        if table.draining:
            return as_json(Health(status="unhealthy"), 503)
        return as_json(Health(status="healthy"))

    @router.get("/metadata")
    async def metadata() -> Metadata:
        """What this environment is."""
        return Metadata(name=ENV_NAME, description=DESCRIPTION, version=version("deskgym"))

    @router.get("/schema")
    async def schema() -> Schema:
        """JSON schemas of actions, observations and states."""
        return Schema(
            action=action_schema(),
            observation=ObservationData.model_json_schema(),
            state=State.model_json_schema(),
        )

    @router.get("/state")
    async def state() -> State:
        """The state of a session that has no episode yet; that of a session is asked over it."""
        return State(max_steps=max_steps)

    @router.get("/metrics", response_class=Response, responses=_METRICS)
    def show_metrics() -> Response:
        """Prometheus's text format."""
        return Response(metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")

    return router


def as_json(model: BaseModel, status: int = 200) -> Response:
    """``model`` as an answer, made to JSON once."""
    return Response(model.model_dump_json(), status, media_type="application/json")


_METRICS: dict[int | str, dict[str, Any]] = {200: {"content": {"text/plain": {}}}}
