"""What is said to a model and by it, whatever the wire makes of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from deskgym.env.observations import Media

Role = Literal["system", "user", "assistant", "tool"]


@dataclass(frozen=True)
class ToolCall:
    """A tool that the model wants used. ``arguments`` is the text as the model wrote it: JSON, if
    all is well."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True)
class ToolSpec:
    """A tool that the model is offered. ``parameters`` is the JSON schema of its arguments."""

    name: str
    description: str
    parameters: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Message:
    """One message of a conversation.

    ``calls`` belong to an assistant's message; ``call_id`` to a tool's: the id of the call that it
    answers. A pinned message is never shortened or left out to make room.
    """

    role: Role
    text: str = ""
    media: tuple[Media, ...] = ()
    calls: tuple[ToolCall, ...] = ()
    call_id: str | None = None
    pinned: bool = False


@dataclass(frozen=True)
class Reply:
    """What the model said: nothing of it is checked. ``text`` may be empty.

    ``finish`` is the endpoint's word (``stop``, ``length``, ``tool_calls``, ...), or ``refused``
    (it would not answer this request) or ``bad_response`` (what came was no reply).
    """

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    finish: str = "stop"

    def as_message(self) -> Message:
        """The reply as the next message of the conversation."""
        return Message("assistant", self.text, calls=self.calls)
