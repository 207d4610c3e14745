"""OpenEnv's task API: which tasks there are. Gold is for administrators alone."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Request, Response

from deskgym.env.server.answers import problems
from deskgym.env.server.auth import caller_of
from deskgym.env.server.models import (
    ENV_NAME,
    AtIndex,
    ErrorCode,
    InRange,
    InSplit,
    OneTask,
    ServerError,
    Split,
    TaskCount,
    TaskList,
)
from deskgym.env.server.routes import as_json
from deskgym.env.server.tasks import Tasks


def _check_env(env_name: Annotated[str, Path(max_length=255)]) -> None:
    if env_name.lower() != ENV_NAME:
        raise ServerError(ErrorCode.NOT_FOUND, f"no environment {env_name!r}; there is {ENV_NAME}")


def task_routes(tasks: Tasks) -> APIRouter:
    """The routes over ``tasks``."""
    router = APIRouter(tags=["tasks"])
    of_env = APIRouter(
        prefix="/{env_name}",
        tags=["tasks"],
        dependencies=[Depends(_check_env)],
        responses=problems(400, 404, 422),
    )

    @router.get("/list_environments")
    async def list_environments() -> list[str]:
        """The one name by which the other routes go."""
        return [ENV_NAME]

    @of_env.get("/splits")
    async def splits() -> tuple[Split, ...]:
        """The splits: all tasks, and one split for each person."""
        return tasks.splits()

    @of_env.post("/tasks", response_model=TaskList, response_model_exclude_none=True)
    def list_tasks(request: Request, wanted: InSplit) -> Response:
        """All tasks of a split."""
        _check_gold(request, wanted)
        return as_json(TaskList(tasks=tasks.some(wanted.split, gold=wanted.gold)))

    @of_env.post("/num_tasks")
    async def num_tasks(wanted: InSplit) -> TaskCount:
        """How many tasks a split has."""
        return TaskCount(num_tasks=tasks.count(wanted.split))

    @of_env.post("/task", response_model=OneTask)
    def task(request: Request, wanted: AtIndex) -> Response:
        """One task."""
        _check_gold(request, wanted)
        return as_json(OneTask(task=tasks.one(wanted.split, wanted.index, gold=wanted.gold)))

    @of_env.post("/task_range", response_model=TaskList)
    def task_range(request: Request, wanted: InRange) -> Response:
        """Some tasks of a split, as a slice."""
        _check_gold(request, wanted)
        found = tasks.some(wanted.split, wanted.start, wanted.stop, gold=wanted.gold)
        return as_json(TaskList(tasks=found))

    router.include_router(of_env)
    return router


def _check_gold(request: Request, wanted: InSplit) -> None:
    if wanted.gold and not caller_of(request).admin:
        raise ServerError(ErrorCode.FORBIDDEN, "gold is for an administrator's token")
