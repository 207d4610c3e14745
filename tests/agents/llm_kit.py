"""What the tests of the client of models share."""

from __future__ import annotations

import random
from typing import Any

from endpoint import Brain, BrainReply, Fault

from deskgym.agents.llm import LLM, Message, ToolSpec
from deskgym.env.trajectory import ModelUse

KEY = "sk-very-secret"
ASKED = [Message("system", "Be brief."), Message("user", "Who?", pinned=True)]
LOOK = ToolSpec("look", "Look at a file.", {"type": "object", "properties": {"path": {}}})


def a_model(base_url: str, sleeps: list[float] | None = None, **config: Any) -> LLM:
    """A model that waits for nothing but notes in ``sleeps`` how long it would have."""
    waits = [] if sleeps is None else sleeps
    full = {"model": "m", "base_url": base_url, **config}
    return LLM(full, sleep=waits.append, rng=random.Random(0))


def in_turn(*replies: BrainReply | Fault) -> Brain:
    """One after the other; the last again and again."""
    left = list(replies)
    return lambda request: left.pop(0) if len(left) > 1 else left[0]


def kinds(use: ModelUse) -> list[str]:
    """The faults' kinds, in order."""
    return [fault.partition(":")[0] for fault in use.faults]
