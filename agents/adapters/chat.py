"""An episode as a chat with tools, in the messages that OpenAI-compatible endpoints speak."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from deskgym.agents.adapters.play import DeskPlay, Shown, data_url
from deskgym.agents.messages import ToolSpec

Message = dict[str, Any]
Complete = Callable[[list[Message], list[dict[str, Any]]], Awaitable[Message]]
"""A model: the conversation and the tools it is offered, to its next message."""


async def converse(play: DeskPlay, told: str, complete: Complete) -> list[Message]:
    """Let a model play the episode that `DeskPlay.begin` has begun; the whole conversation.

    It ends with the episode, or with a message without a use of a tool, which is the answer.
    """
    messages: list[Message] = [
        {"role": "system", "content": told},
        {"role": "user", "content": play.question},
    ]
    tools = tool_definitions(play.specs)
    while not play.over:
        said = await complete(messages, tools)
        messages.append(said)
        calls = said.get("tool_calls") or ()
        if not calls:
            await asyncio.to_thread(play.say, said.get("content") or "")
        looks: list[Message] = []
        for call in calls:
            function = call["function"]
            shown = await asyncio.to_thread(play.use, function["name"], function["arguments"])
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": shown.text})
            looks += look(shown)
        messages += looks
    return messages


def tool_definitions(specs: Iterable[ToolSpec]) -> list[dict[str, Any]]:
    """The tools as an endpoint takes them."""
    return [
        {
            "type": "function",
            "function": {
                "name": spec.name,
                "description": spec.description,
                "parameters": spec.parameters,
            },
        }
        for spec in specs
    ]


def look(shown: Shown) -> list[Message]:
    """The message with the pictures, if there are any: an answer of a tool holds text alone."""
    pictures = [
        {"type": "image_url", "image_url": {"url": data_url(picture)}} for picture in shown.pictures
    ]
    return [{"role": "user", "content": pictures}] if pictures else []
