"""An agent written as one function that runs from question to answer.

The environment asks an agent for one action at a time. `StepAgent` turns that around: `play` is a
generator that yields an action wherever it wants to see something and gets the observation in
return, so that a method reads as its paper tells it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator

from deskgym.agents.base import TaskView
from deskgym.env.actions import Action, Answer
from deskgym.env.observations import Observation

Play = Generator[Action, Observation, Answer]
Look = Generator[Action, Observation, Observation]


class StepAgent(ABC):
    """Implements ``reset`` and ``act`` of `deskgym.agents.base.Agent`."""

    name: str

    def __init__(self) -> None:
        self._task: TaskView | None = None
        self._tools: frozenset[str] = frozenset()
        self._play: Play | None = None

    @abstractmethod
    def play(self, task: TaskView, tools: frozenset[str], welcome: Observation) -> Play:
        """One episode: yield actions, return the answer. ``welcome`` is the first observation."""

    @abstractmethod
    def conclude(self, observation: Observation) -> Answer:
        """The answer by what is known so far. Asked for when only one step is left."""

    def reset(self, task: TaskView, tools: frozenset[str]) -> None:
        """Forget the last episode."""
        self._task, self._tools, self._play = task, tools, None

    def act(self, observation: Observation) -> Action:
        """The next action of `play`; on the last step the answer of `conclude`."""
        if self._task is None:
            raise RuntimeError("act() before reset()")
        if observation["steps_left"] <= 1 and self._play is not None:
            return self.conclude(observation)
        try:
            if self._play is None:
                self._play = self.play(self._task, self._tools, observation)
                return next(self._play)
            return self._play.send(observation)
        except StopIteration as done:
            answer: Answer = done.value
            return answer
