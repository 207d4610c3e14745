"""What crosses the wire between the server and its clients: OpenEnv's messages, with our contents.

Over HTTP and over WebSockets the same shapes are used. None of them holds gold, but `TaskInfo.gold`
for whoever has an administrator's token.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

ENV_NAME = "deskgym"
ALL_TASKS = "all"
"""The split that holds everybody's tasks; the others are named for the people."""

Name = Annotated[str, Field(min_length=1, max_length=255)]
Index = Annotated[int, Field(ge=0, le=2**31 - 1)]


class ErrorCode(StrEnum):
    """What went wrong: OpenEnv's codes, then those of ours."""

    INVALID_JSON = "INVALID_JSON"
    UNKNOWN_TYPE = "UNKNOWN_TYPE"
    VALIDATION_ERROR = "VALIDATION_ERROR"
    EXECUTION_ERROR = "EXECUTION_ERROR"
    CAPACITY_REACHED = "CAPACITY_REACHED"
    FACTORY_ERROR = "FACTORY_ERROR"
    SESSION_ERROR = "SESSION_ERROR"
    DRAINING = "DRAINING"
    UNAUTHORISED = "UNAUTHORISED"
    FORBIDDEN = "FORBIDDEN"
    NOT_FOUND = "NOT_FOUND"
    TOO_LARGE = "TOO_LARGE"
    TOO_SLOW = "TOO_SLOW"


class _Wire(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Error(_Wire):
    """Why there is no answer: the body of an HTTP error, and ``data`` of an error message."""

    message: str
    code: ErrorCode


class Reset(_Wire):
    """Begin an episode. What is not named is drawn with ``seed``.

    A task is named by ``task``, or, as the task API counts them, by ``split`` and ``index``.
    """

    seed: int | None = Field(default=None, ge=0, le=2**63 - 1)
    episode_id: Name | None = Field(default=None, description="the episode's name in `State`")
    profile: Name | None = Field(default=None, description="a person: demo/adam, or adam")
    task: Name | None = Field(default=None, description="the id of one of the person's tasks")
    split: Name | None = Field(default=None, description="a split of the task API")
    index: Index | None = Field(default=None, description="a task's place in the split")


class Step(Reset):
    """One step of an episode of its own: what `Reset` says, then ``action``."""

    action: dict[str, Any] = Field(description="see `action` of GET /schema")
    timeout_s: float | None = Field(
        default=None, gt=0, le=600, description="the most that a command may take"
    )
    request_id: Name | None = None


class MediaData(_Wire):
    """An encoded picture, sound or file."""

    mime: str
    data: str = Field(description="base64")


class ObservationData(_Wire):
    """What an agent sees after a step. ``metadata`` is repeated beside the observation."""

    question: str
    text: str
    media: tuple[MediaData, ...]
    step: int = Field(ge=0)
    steps_left: int = Field(ge=0)
    metadata: dict[str, Any] = Field(default_factory=dict)


class StepResult(_Wire):
    """The answer to `Reset` and to a step.

    ``metadata`` is the environment's ``info``, and besides whether the episode was ``terminated``
    or ``truncated``; ``done`` is either.
    """

    observation: ObservationData
    reward: float | None = Field(default=None, description="None after a reset")
    done: bool = False
    metadata: dict[str, Any] = Field(default_factory=dict)


class State(_Wire):
    """Where a session stands; of a session without an episode all is empty."""

    episode_id: str | None = None
    step_count: int = Field(default=0, ge=0)
    profile: str | None = None
    task_id: str | None = None
    max_steps: int = Field(ge=1)
    done: bool = False


class Health(_Wire):
    """``unhealthy`` (with status 503) while the server is draining."""

    status: Literal["healthy", "unhealthy"]


class Metadata(_Wire):
    """What this environment is."""

    name: str
    description: str
    version: str
    readme_content: str | None = None
    author: str | None = None
    documentation_url: str | None = None


class Schema(_Wire):
    """JSON schemas of what is sent and received."""

    action: dict[str, Any]
    observation: dict[str, Any]
    state: dict[str, Any]


class Split(_Wire):
    """A set of tasks: one person's, or everybody's."""

    name: str
    type: Literal["train", "validation", "test"] = "test"


class InSplit(_Wire):
    """Which split is meant, and whether gold is wanted, for which it takes an admin token."""

    split: Name
    gold: bool = False


class AtIndex(InSplit):
    """One task of a split."""

    index: Index


class InRange(InSplit):
    """The tasks ``start`` to ``stop`` of a split, without ``stop``, as a slice has them."""

    start: int | None = Field(default=None, ge=-(2**31), le=2**31 - 1)
    stop: int | None = Field(default=None, ge=-(2**31), le=2**31 - 1)


class TaskInfo(_Wire):
    """A task as an agent may know it. ``gold``: the whole record, for administrators."""

    id: str
    split: str
    index: int
    profile: str
    question: str
    gold: dict[str, Any] | None = None


class OneTask(_Wire):
    """Answer to ``/task``."""

    task: TaskInfo


class TaskList(_Wire):
    """Answer to ``/tasks`` and ``/task_range``."""

    tasks: tuple[TaskInfo, ...]
    env_name: str = ENV_NAME


class TaskCount(_Wire):
    """Answer to ``/num_tasks``."""

    num_tasks: int = Field(ge=0)


class ServerError(Exception):
    """Something that a client is told with a code of ours; ``str()`` is what it is told."""

    def __init__(self, code: ErrorCode, message: str) -> None:
        super().__init__(message)
        self.code = code

    def told(self) -> Error:
        """What goes over the wire."""
        return Error(message=str(self), code=self.code)
