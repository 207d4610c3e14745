"""What ``reset`` is told of the episode to come."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from deskgym.tasks.registry import Dataset, UnknownTask, find_task
from deskgym.tasks.schema import Task


def named(
    options: Mapping[str, Any] | None, profile: str | None, task: str | None
) -> tuple[str | None, str | None]:
    """The profile and the task that are named, by argument or in ``options``; None: neither.

    Raises:
        ValueError: ``options`` has other keys, a value that is no name, or contradicts the
            arguments.
    """
    chosen: dict[str, str | None] = {"profile": profile, "task": task}
    for name, value in (options or {}).items():
        if name not in chosen:
            raise ValueError(f"no option {name!r}; there are profile and task")
        if value is None:
            continue
        if not isinstance(value, str):
            raise ValueError(f"the option {name} is a name, not {value!r}")
        if chosen[name] not in (None, value):
            raise ValueError(f"{name} is {chosen[name]!r} and, in options, {value!r}")
        chosen[name] = value
    return chosen["profile"], chosen["task"]


def draw_profile(dataset: Dataset, random: np.random.Generator) -> str:
    """One of the data set's people."""
    people = dataset.profiles()
    return people[int(random.integers(len(people)))]


def draw_task(
    dataset: Dataset, profile_id: str, name: str | None, random: np.random.Generator
) -> Task:
    """The person's task of that name, or one of them.

    Raises:
        UnknownTask: there is none.
    """
    if name is not None:
        return find_task(dataset, profile_id, name)
    tasks = dataset.tasks(profile_id)
    if not tasks:
        raise UnknownTask(f"{profile_id} has no tasks; choose another profile")
    return tasks[int(random.integers(len(tasks)))]
