"""Rollouts for group-relative policy optimisation: the same question several times over.

`rollout` is a plain function that knows of no trainer. What it gives has the shapes that GRPO
wants: ``n`` prompts, a group of completions for each, and their rewards; `Batch.columns` is the
same as flat lists in group order, which is what TRL's trainers and reward functions take.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from deskgym.agents.adapters.chat import Message, converse
from deskgym.agents.adapters.play import DeskPlay, MakeEnv, Outcome
from deskgym.env.desk_env import DeskEnv
from deskgym.tasks.registry import Dataset, load_dataset
from deskgym.tasks.schema import Task

Policy = Callable[[list[Message], list[dict[str, Any]]], Message]
"""The conversation so far and the tools, to the next message of the assistant's. Called from
several threads if ``jobs`` is above 1. Keys besides the wire's (token ids, log probabilities) stay
with the message."""

_PROMPT = 2  # messages: what it is told, and the question
_EPSILON = 1e-6


@dataclass(frozen=True)
class Completion:
    """One episode: ``messages`` are those after the prompt, of the policy and of the tools."""

    messages: tuple[Message, ...]
    reward: float
    outcome: Outcome


@dataclass(frozen=True)
class Group:
    """One question, and what came of each go at it."""

    profile: str
    task: str
    prompt: tuple[Message, ...]
    completions: tuple[Completion, ...]


@dataclass(frozen=True)
class Batch:
    """``n`` groups of one size."""

    groups: tuple[Group, ...]

    @property
    def rewards(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        """Of shape (n, group)."""
        return np.array([[one.reward for one in group.completions] for group in self.groups])

    @property
    def advantages(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        """Of shape (n, group): rewards less their group's mean, by its standard deviation. Where
        all are equal there is nothing to learn: 0."""
        rewards = self.rewards
        centred = rewards - rewards.mean(axis=1, keepdims=True)
        scaled: np.ndarray[Any, np.dtype[np.float64]] = centred / (
            rewards.std(axis=1, keepdims=True) + _EPSILON
        )
        return scaled

    def columns(self) -> dict[str, list[Any]]:
        """The n x group completions as flat lists: ``prompt``, ``completion``, ``reward``,
        ``advantage``, ``profile``, ``task``."""
        each = [(group, one) for group in self.groups for one in group.completions]
        return {
            "prompt": [list(group.prompt) for group, _ in each],
            "completion": [list(one.messages) for _, one in each],
            "reward": [one.reward for _, one in each],
            "advantage": [float(value) for value in self.advantages.ravel()],
            "profile": [group.profile for group, _ in each],
            "task": [group.task for group, _ in each],
        }


def rollout(
    policy: Policy,
    n: int,
    group: int,
    *,
    dataset: str | Dataset = "demo",
    profiles: Sequence[str] | None = None,
    tasks: Collection[str] | None = None,
    seed: int = 0,
    jobs: int = 1,
    make_env: MakeEnv | None = None,
) -> Batch:
    """Play ``n`` questions, ``group`` times each.

    Args:
        policy: what plays.
        n: how many questions, drawn with ``seed``; without repetition while there are any.
        group: episodes of each question.
        dataset: whose questions.
        profiles: of these people alone.
        tasks: these questions alone, by id.
        seed: the same one draws the same questions.
        jobs: episodes at a time, each at a desk of its own.
        make_env: makes what is played in, such as a `DeskClient`; by default a `DeskEnv`.

    Raises:
        ValueError: a number below 1, or no question left to draw.
        SandboxError, and whatever the policy raises.
    """
    if min(n, group, jobs) < 1:
        raise ValueError(f"n, group and jobs are at least 1, not {n}, {group}, {jobs}")
    data = load_dataset(dataset) if isinstance(dataset, str) else dataset
    make = make_env or (lambda: DeskEnv(data))
    chosen = _draw(data, n, profiles, tasks, seed)
    goes = [task for task in chosen for _ in range(group)]
    with ThreadPoolExecutor(jobs) as crew:
        played = list(crew.map(lambda task: _episode(policy, make, task), goes))
    groups = []
    for place, task in enumerate(chosen):
        own = played[place * group : (place + 1) * group]
        prompt = own[0][0]
        completions = tuple(completion for _, completion in own)
        groups.append(Group(task.profile_id, task.id, prompt, completions))
    return Batch(tuple(groups))


def _draw(
    data: Dataset, n: int, profiles: Sequence[str] | None, tasks: Collection[str] | None, seed: int
) -> list[Task]:
    people = data.profiles() if profiles is None else [data.profile(name).id for name in profiles]
    pool = [task for person in people for task in data.tasks(person)]
    if tasks is not None:
        pool = [task for task in pool if task.id in set(tasks)]
    if not pool:
        raise ValueError(f"no question to draw: none of {list(people)} is among the tasks given")
    random = np.random.default_rng(seed)
    order: list[int] = []
    while len(order) < n:
        order += random.permutation(len(pool)).tolist()
    return [pool[place] for place in order[:n]]


def _episode(policy: Policy, make: MakeEnv, task: Task) -> tuple[tuple[Message, ...], Completion]:
    async def complete(messages: list[Message], tools: list[dict[str, Any]]) -> Message:
        return policy(messages, tools)

    with DeskPlay(make()) as play:
        told = play.begin(profile=task.profile_id, task=task.id)
        messages = asyncio.run(converse(play, told, complete))
        outcome = play.outcome
    completion = Completion(tuple(messages[_PROMPT:]), outcome.reward, outcome)
    return tuple(messages[:_PROMPT]), completion
