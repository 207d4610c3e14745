"""What a run may take of language models, and what it has taken."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from pathlib import Path

from deskgym.env.run_reader import all_attempts, iter_results, read_episode
from deskgym.env.trajectory import EpisodeEnd, Event, ModelUse, StepEvent


class Budget:
    """A meter that all threads of a run share. A limit that is None is none.

    It counts what models were asked, whether or not it came to anything: also executions that
    failed or were broken off. What is under way when a limit is reached is not taken back, so a
    run may end a little above it: by one call of a model for each episode at a time.
    """

    def __init__(self, *, usd: float | None = None, tokens: int | None = None) -> None:
        """
        Raises:
            ValueError: a limit is not above zero.
        """
        for name, limit in (("usd", usd), ("tokens", tokens)):
            if limit is not None and not limit > 0:
                raise ValueError(f"a budget is above zero, so not {limit:g} {name}")
        self._usd, self._tokens = usd, tokens
        self._lock = threading.Lock()
        self._spent_usd, self._spent_tokens = 0.0, 0

    def take(self, use: ModelUse) -> None:
        """Count ``use``."""
        with self._lock:
            self._spent_usd += use.cost_usd
            self._spent_tokens += use.prompt_tokens + use.completion_tokens

    @property
    def spent_usd(self) -> float:
        """What has been paid, in US dollars."""
        return self._spent_usd

    @property
    def spent_tokens(self) -> int:
        """Tokens sent and received."""
        return self._spent_tokens

    def reached(self) -> str | None:
        """Which limit has been reached, in words; None while there is something left."""
        with self._lock:
            if self._tokens is not None and self._spent_tokens >= self._tokens:
                return (
                    f"the budget of {self._tokens:,} tokens is reached "
                    f"({self._spent_tokens:,} are used)"
                )
            if self._usd is not None and self._spent_usd >= self._usd:
                return f"the budget of ${self._usd:g} is reached (${self._spent_usd:.4f} are spent)"
        return None


def spent_by(run: Path) -> ModelUse:
    """What the run in the folder ``run`` took of models so far: its finished episodes, and every
    execution that was set aside.

    Raises:
        TrajectoryError: its results or a log cannot be read.
    """
    total = ModelUse()
    for result in iter_results(run):
        total += _numbers(result.use)
    for log in all_attempts(run):
        total += use_of(read_episode(log))
    return total


def use_of(events: Iterable[Event]) -> ModelUse:
    """What an execution took of models, by its log; without faults and thoughts."""
    total = ModelUse()
    for event in events:
        if isinstance(event, StepEvent | EpisodeEnd):
            total += _numbers(event.use)
    return total


def _numbers(use: ModelUse | None) -> ModelUse:
    return ModelUse() if use is None else use.model_copy(update={"faults": (), "thought": ""})
