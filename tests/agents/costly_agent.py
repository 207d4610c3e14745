"""An agent that says what it took of a model, and fails as its script says. Made in a child."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

from deskgym.agents.base import TaskView
from deskgym.agents.llm import ModelUnavailable
from deskgym.env.observations import Observation
from deskgym.env.trajectory import ModelUse


class Costly:
    """Notes something ``looks`` times, then answers.

    Each act takes ``tokens`` and ``usd`` of a model. On the task whose id ends with ``on`` the
    executions go by ``script``, one word each; what comes after its end answers. Which execution
    it is, is counted in the folder ``memory``, as an agent that broke is made anew.
    """

    name = "costly"

    def __init__(
        self,
        memory: str = "",
        script: tuple[str, ...] = (),
        on: str = "",
        looks: int = 1,
        tokens: int = 100,
        usd: float = 0.0,
    ) -> None:
        self._memory, self._script, self._on = memory, tuple(script), on
        self._looks, self._tokens, self._usd = looks, tokens, usd
        self._use = ModelUse()
        self._how = "answer"

    def reset(self, task: TaskView, tools: frozenset[str]) -> None:
        self._how, self._seen = "answer", 0
        if self._script and task.id.endswith(self._on):
            count = Path(self._memory) / task.id
            number = int(count.read_text()) if count.exists() else 0
            count.write_text(str(number + 1))
            self._how = self._script[number] if number < len(self._script) else "answer"

    def act(self, observation: Observation) -> Any:
        self._use += ModelUse(
            calls=1,
            prompt_tokens=self._tokens - 10,
            completion_tokens=10,
            cost_usd=self._usd,
            seconds=0.25,
            faults=("malformed: no JSON",) if self._how != "answer" else (),
            thought=f"thinking of step {observation['step'] + 1}",
        )
        self._seen += 1
        if self._seen <= self._looks:
            return {"tool": "note", "text": "hm"}
        match self._how:
            case "raise":
                raise ZeroDivisionError("a clear cause")
            case "unavailable":
                raise ModelUnavailable("http://nowhere/v1 does not answer\nstart it")
            case "die":
                os._exit(7)
            case "hang":
                time.sleep(600)
            case "blank":
                return {"tool": "answer", "text": " \n"}
            case "dither":
                return {"tool": "note", "text": "hm"}
            case "babble":
                return "no action"
            case "kill desk":
                return {"tool": "terminal", "command": "shutdown"}
            case "abstain":
                return {"tool": "answer", "text": "The files do not say."}
            case "wrong":
                return {"tool": "answer", "text": "fifteen red herrings"}
        return {"tool": "answer", "text": "the zinc heron sleeps at quarter past nine"}

    def take_use(self) -> ModelUse:
        use, self._use = self._use, ModelUse()
        return use
