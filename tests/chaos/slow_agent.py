"""An agent that takes its time at the desk and always does the same."""

from __future__ import annotations

from typing import Any

from deskgym.agents.base import TaskView
from deskgym.env.observations import Observation


class Slow:
    """``steps`` commands of ``seconds`` each, then an answer that says what the last one showed."""

    name = "slow"

    def __init__(self, steps: int = 3, seconds: float = 0.3) -> None:
        self._steps, self._seconds = steps, seconds

    def reset(self, task: TaskView, tools: frozenset[str]) -> None:
        self._number = int(task.id.rpartition("-")[2])

    def act(self, observation: Observation) -> dict[str, Any]:
        if observation["step"] == self._steps:
            return {"tool": "answer", "text": f"It is {observation['text'].split()[-1]}."}
        nth = self._number + observation["step"]
        pick = f"find /desk -type f | sort | sed -n {nth}p"
        return {
            "tool": "terminal",
            "command": f"sleep {self._seconds}; {pick} | xargs -d '\\n' md5sum | cut -c-8",
        }
