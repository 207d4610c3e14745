"""What ``reset`` is told of the episode to come."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


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
