"""From what an agent gave as its action to what the desk is asked."""

from __future__ import annotations

from typing import Any, NamedTuple

from deskgym.env.actions import (
    Action,
    InvalidAction,
    Terminal,
    ToolName,
    parse_action,
    raw_action,
)
from deskgym.env.render import refusal
from deskgym.env.sandbox.base import ExecRequest, Request, Response, ToolRequest


class Done(NamedTuple):
    """What came of an action. ``action`` is None if it was none; ``raw`` is then what it was."""

    action: Action | None
    raw: str | None
    response: Response
    text: str
    flags: tuple[str, ...]


def parsed(action: Any, tools: frozenset[ToolName]) -> Action | Done:
    """The action, or the refusal of what is none, or is switched off."""
    try:
        made = parse_action(action)
    except InvalidAction as error:
        return Done(
            None, raw_action(action), *refusal("invalid_action", str(error)), ("invalid_action",)
        )
    if made.tool not in tools:
        message = f"{made.tool} is switched off; on are {', '.join(sorted(tools))}"
        return Done(made, None, *refusal("switched_off", message), ("switched_off",))
    return made


def request_of(action: Action, *, timeout_s: float, max_bytes: int) -> Request:
    """What the desk is asked for ``action``; a command within these bounds."""
    if isinstance(action, Terminal):
        return ExecRequest(
            command=action.command,
            timeout_s=min(action.timeout_s, timeout_s),
            max_bytes=max_bytes,
        )
    fields = action.model_dump(mode="json", exclude_none=True, exclude={"ranking"})
    return ToolRequest(tool=fields.pop("tool"), args=fields)
