"""The floor: an agent that looks at nothing and says that the files do not say."""

from __future__ import annotations

from deskgym.agents.base import TaskView
from deskgym.env.actions import Answer
from deskgym.env.observations import Observation

ABSTENTION = "I don't know: the files do not say."


class NullAgent:
    """Abstains at once, without a citation: 0 on every answerable task, 1 on the others."""

    name = "null"

    def reset(self, task: TaskView, tools: frozenset[str]) -> None:
        """Nothing is remembered."""

    def act(self, observation: Observation) -> Answer:
        """The abstention."""
        return Answer(text=ABSTENTION)
