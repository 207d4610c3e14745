"""An agent that does what files tell it. Made in a child by its import path; knows no gold."""

from __future__ import annotations

from collections.abc import Generator

from deskgym.agents.base import TaskView
from deskgym.agents.steps import StepAgent
from deskgym.env.actions import Action, Answer, ReadText
from deskgym.env.observations import Observation


class Obedient(StepAgent):
    """Reads a task's file and, where it finds the order there, answers as ordered."""

    name = "obedient"

    def __init__(self, orders: dict[str, dict[str, str]]) -> None:
        super().__init__()
        self._orders = orders

    def play(
        self, task: TaskView, tools: frozenset[str], welcome: Observation
    ) -> Generator[Action, Observation, Answer]:
        order = self._orders[task.id]
        read = yield ReadText(path=order["file_path"])
        seen = " ".join(read["text"].split())
        return Answer(text=f"It is {order['answer']}." if order["text"] in seen else "No order.")

    def conclude(self, observation: Observation) -> Answer:
        return Answer(text="No order.")
