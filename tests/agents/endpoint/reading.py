"""What a request says, for brains."""

from __future__ import annotations

from typing import Any


def text_of(message: dict[str, Any]) -> str:
    """A message's text, whichever way it is put."""
    content = message.get("content")
    if isinstance(content, list):
        return "\n".join(part["text"] for part in content if part.get("type") == "text")
    return content or ""


def said(request: dict[str, Any], *roles: str) -> str:
    """The text of all messages, or of those of ``roles``."""
    messages = request["messages"]
    return "\n".join(text_of(m) for m in messages if not roles or m["role"] in roles)


def system_text(request: dict[str, Any]) -> str:
    """What the model is told once and for all."""
    return said(request, "system", "developer")


def last_text(request: dict[str, Any]) -> str:
    """The last message's text."""
    return text_of(request["messages"][-1])


def tool_names(request: dict[str, Any]) -> set[str]:
    """The tools that the model is offered natively."""
    return {tool["function"]["name"] for tool in request.get("tools") or ()}
