"""One session's environment: its desk on a leash, its errors fit to be told, its steps counted.

All of it blocks and is called from the session's thread, but `Leash.cut`.
"""

from __future__ import annotations

import base64
import logging
import threading
import time
import uuid
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from gymnasium.error import ResetNeeded

from deskgym.env.actions import Terminal
from deskgym.env.observations import Observation
from deskgym.env.run_reader import TrajectoryError
from deskgym.env.sandbox.base import DeskDied, DeskTimeout, Sandbox, SandboxError
from deskgym.env.server.metrics import Metrics
from deskgym.env.server.models import (
    ErrorCode,
    MediaData,
    ObservationData,
    Reset,
    ServerError,
    State,
    StepResult,
)
from deskgym.env.server.tasks import Tasks
from deskgym.tasks.registry import Unknown
from deskgym.tasks.schema import Profile

log = logging.getLogger("deskgym.server")
UNLOGGED = "it could not be logged, and is not done; the server's log says why"
MakeDesk = Callable[[Profile], Sandbox]
Lived = tuple[Observation, float, bool, bool, dict[str, Any]]


class Leash:
    """The desks that one environment takes, so that another thread can end the one in use."""

    def __init__(self, make: MakeDesk) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._desk: Sandbox | None = None
        self._cut = False

    def take(self, person: Profile) -> Sandbox:
        """A desk for the environment: its ``sandbox``.

        Raises:
            DeskDied: the session is over.
        """
        desk = self._make(person)
        with self._lock:
            if self._cut:
                raise DeskDied("the session is over")
            self._desk = desk
        return desk

    def cut(self) -> None:
        """End the desk in use, whatever it is doing, and give no other. From any thread."""
        with self._lock:
            self._cut = True
            desk = self._desk
        if desk is not None:
            desk.close()  # in the midst of a request, which no desk outlives


class Env(Protocol):
    """What of `DeskEnv` a session needs."""

    @property
    def tools(self) -> frozenset[Any]: ...

    def reset(
        self, *, seed: int | None = None, profile: str | None = None, task: str | None = None
    ) -> tuple[Observation, dict[str, Any]]: ...

    def step(self, action: Any) -> Lived: ...

    def abort(self, reason: str) -> Any: ...

    def close(self) -> None: ...


class ServedEnv:
    """What a session plays in. It has what `deskgym.env.mcp.McpSession` asks of an environment.

    Errors are `SandboxError` without what concerns the host alone, and `ServerError`.
    """

    def __init__(self, env: Env, tasks: Tasks, metrics: Metrics, max_steps: int) -> None:
        self._env = env
        self.tasks = tasks
        self._metrics = metrics
        self._max_steps = max_steps
        self._state = State(max_steps=max_steps)
        self.first: Observation | None = None
        self.under_way = False

    @property
    def tools(self) -> frozenset[Any]:
        """The tools that are on."""
        return self._env.tools

    @property
    def state(self) -> State:
        """Where the session stands. From any thread."""
        return self._state

    def begin(self, wanted: Reset) -> StepResult:
        """Begin the episode that ``wanted`` asks for.

        Raises:
            ServerError: it cannot begin; the one that was under way is over.
        """
        profile, task = self.tasks.named(wanted)
        observation, info = self.reset(
            seed=wanted.seed, profile=profile, task=task, episode_id=wanted.episode_id
        )
        return as_result(observation, None, done=False, info=info)

    def reset(
        self,
        *,
        seed: int | None = None,
        profile: str | None = None,
        task: str | None = None,
        episode_id: str | None = None,
    ) -> tuple[Observation, dict[str, Any]]:
        """As `DeskEnv.reset`."""
        self.leave("the client began another episode")
        started = time.perf_counter()
        try:
            observation, info = self._env.reset(seed=seed, profile=profile, task=task)
        except SandboxError as error:
            raise self._fit(error, "no desk can be had") from error
        self._metrics.resets.observe(time.perf_counter() - started)
        self.first, self.under_way = observation, True
        self._state = State(
            episode_id=episode_id or str(uuid.uuid4()),
            profile=info["profile"],
            task_id=info["task_id"],
            max_steps=self._max_steps,
        )
        self._metrics.episodes_begun.inc()
        return observation, info

    def act(self, action: Mapping[str, Any]) -> StepResult:
        """Do ``action``, an object as the wire has it. What is no action is an observation too.

        Raises:
            ServerError: no episode is under way, or the desk is gone and the episode over.
        """
        # OpenEnv's own classes of actions all have a field of this name.
        fields = {name: value for name, value in action.items() if name != "metadata"}
        try:
            observation, reward, terminated, truncated, info = self.step(fields)
        except ResetNeeded as error:
            raise ServerError(
                ErrorCode.EXECUTION_ERROR, "no episode is under way: send a reset"
            ) from error
        except SandboxError as error:
            raise ServerError(ErrorCode.EXECUTION_ERROR, str(error)) from error
        except TrajectoryError as error:
            log.exception("a step could not be logged")
            raise ServerError(ErrorCode.EXECUTION_ERROR, UNLOGGED) from error
        told = {**info, "terminated": terminated, "truncated": truncated}
        return as_result(observation, reward, done=terminated or truncated, info=told)

    def step(self, action: Any) -> Lived:
        """As `DeskEnv.step`."""
        started = time.perf_counter()
        try:
            lived = self._env.step(action)
        except SandboxError as error:
            fit = self._fit(error, "the desk is gone, and with it this episode: send a reset")
            self.leave(f"{type(error).__name__}: {error}")
            raise fit from error
        info = lived[4]
        tool = str(info["tool"] or "none")
        self._metrics.steps.labels(tool).observe(time.perf_counter() - started)
        done = lived[2] or lived[3]
        self._state = self._state.model_copy(update={"step_count": lived[0]["step"], "done": done})
        if done:
            self.under_way = False
            self._metrics.episodes_ended.labels(info["ended"]).inc()
        return lived

    def leave(self, reason: str) -> None:
        """End an episode that is under way as broken off; its log says why."""
        if not self.under_way:
            return
        self.under_way = False
        self._state = self._state.model_copy(update={"done": True})
        self._metrics.episodes_ended.labels("aborted").inc()
        try:
            self._env.abort(reason)
        except TrajectoryError:
            # The run's folder cannot be written; a client that left cannot be told so.
            log.exception("the end of an episode could not be logged")

    def close(self, reason: str) -> None:
        """End the episode that may be under way, and the desk."""
        try:
            self.leave(reason)
        finally:
            self._env.close()

    def _fit(self, error: SandboxError, message: str) -> SandboxError:
        """The same without what the engine said, which may tell of the host."""
        log.warning("desk: %s: %s", type(error).__name__, error)
        self._metrics.desk_failures.labels(type(error).__name__).inc()
        if isinstance(error, DeskDied | DeskTimeout):
            return type(error)(message)
        return type(error)(f"{message} ({type(error).__name__}); the server's log says why")


def told_of_reset(error: Exception) -> ServerError:
    """What a client is told where no episode could begin."""
    if isinstance(error, SandboxError):
        full = type(error).__name__ == "PoolFull"
        code = ErrorCode.CAPACITY_REACHED if full else ErrorCode.FACTORY_ERROR
        return ServerError(code, str(error))
    if isinstance(error, TrajectoryError):
        log.error("an episode could not be logged", exc_info=error)
        return ServerError(ErrorCode.FACTORY_ERROR, UNLOGGED)
    if isinstance(error, Unknown | ValueError):
        return ServerError(ErrorCode.VALIDATION_ERROR, str(error))
    raise error


def longest(action: Mapping[str, Any], timeout_s: float | None) -> dict[str, Any]:
    """``action`` with a command's time cut to ``timeout_s``."""
    fields = dict(action)
    if timeout_s is not None and fields.get("tool") == "terminal":
        given = fields.get("timeout_s", Terminal.model_fields["timeout_s"].default)
        if isinstance(given, int | float):
            fields["timeout_s"] = min(given, timeout_s)
    return fields


def as_result(
    observation: Observation, reward: float | None, *, done: bool, info: Mapping[str, Any]
) -> StepResult:
    """An observation of the environment's as it goes over the wire."""
    told = dict(info)
    return StepResult(
        observation=ObservationData(
            question=observation["question"],
            text=observation["text"],
            media=tuple(
                MediaData(mime=media.mime, data=base64.b64encode(media.data).decode("ascii"))
                for media in observation["media"]
            ),
            step=observation["step"],
            steps_left=observation["steps_left"],
            metadata=told,
        ),
        reward=reward,
        done=done,
        metadata=told,
    )
