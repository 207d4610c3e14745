"""Agents that misbehave, made in a child by their import path. Nothing here knows any gold."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import time
from typing import Any

from deskgym.agents.base import TaskView
from deskgym.env.actions import Answer
from deskgym.env.observations import Observation


class Echo:
    """Answers with what it was given: question, tools, text and bytes of media."""

    name = "echo"

    def __init__(self, suffix: str = "") -> None:
        self._suffix = suffix
        self._tools: list[str] = []

    def reset(self, task: TaskView, tools: frozenset[str]) -> None:
        self._tools = sorted(tools)

    def act(self, observation: Observation) -> Answer:
        print("this must not reach the frames")
        subprocess.run(["echo", "nor must this"], check=True)
        data = b"".join(m.data for m in observation["media"]).hex()
        parts = [observation["question"], *self._tools, observation["text"], data, self._suffix]
        return Answer(text="|".join(parts))


class Misbehaving:
    """Does what its config says on the task whose id ends with ``on``; answers all others."""

    name = "misbehaving"

    def __init__(self, how: str = "raise", on: str = "") -> None:
        self._how, self._on = how, on
        self._bad = False

    def reset(self, task: TaskView, tools: frozenset[str]) -> None:
        self._bad = task.id.endswith(self._on)

    def act(self, observation: Observation) -> Any:
        if not self._bad:
            return {"tool": "answer", "text": "It is 111"}
        if self._how == "raise":
            raise ZeroDivisionError("a clear cause")
        if self._how == "die":
            print("last words", file=sys.stderr, flush=True)
            os._exit(7)
        if self._how == "hang":
            time.sleep(600)
        return object()  # no action at all


class Unmade:
    def __init__(self) -> None:
        raise OSError("no model to load")


class NoAgent:
    """Has no act."""

    def reset(self, task: TaskView, tools: frozenset[str]) -> None:
        raise AssertionError("never called")


class Spy:
    """Answers whether ``needle``, given in two halves, is anywhere in this process."""

    name = "spy"

    def __init__(self, halves: tuple[str, str]) -> None:
        self._halves = halves

    def reset(self, task: TaskView, tools: frozenset[str]) -> None:
        self._task = task

    def act(self, observation: Observation) -> Answer:
        needle = " ".join(self._halves)
        found = [
            text
            for holder in gc.get_objects()
            for text in gc.get_referents(holder)
            if isinstance(text, str) and needle in text and text is not needle
        ]
        found += [v for v in (*os.environ.values(), *sys.argv) if needle in v]
        return Answer(text=f"found {len(found)}")
