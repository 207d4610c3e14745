"""What an agent is to DeskGym: something that is told the task and then acts on what it sees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from deskgym.env.actions import Action
from deskgym.env.observations import Observation


@dataclass(frozen=True)
class TaskView:
    """What an agent may know of a task: never its answer or evidence."""

    id: str
    profile_id: str
    question: str


class Agent(Protocol):
    """One agent, used for one episode after another.

    ``reset`` is called before each episode with the task and the names of the tools that are on;
    ``act`` with each observation, and returns the next action: a model, a dict or a JSON string.

    An agent that asks a language model may have a method ``take_use() -> ModelUse``, which gives
    what was taken of it since the last call. It is called after each ``reset`` and ``act``, also
    after one that raised, and logged with the step that comes of it.
    """

    name: str

    def reset(self, task: TaskView, tools: frozenset[str]) -> None: ...

    def act(self, observation: Observation) -> Action | dict[str, Any] | str: ...
