"""Messages to and from the shapes of OpenAI's chat completions.

What goes out is always well-formed, whatever an agent or a model put into the conversation: every
call has its result and every result its call, ids are numbered anew, arguments are JSON, text is
valid Unicode. What comes in may be anything: `reply_of` takes what can be taken of it.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

from deskgym.agents.messages import Message, Reply, ToolCall, ToolSpec
from deskgym.agents.pictures import BadPicture, shrink
from deskgym.env.observations import Media

MAX_CALLS = 32  # of one reply
_AUDIO = {
    "audio/mpeg": "mp3",
    "audio/mp3": "mp3",
    "audio/wav": "wav",
    "audio/x-wav": "wav",
    "audio/wave": "wav",
}
_NO_RESULT = "[this call was not carried out]"
_BAD_NAME = re.compile(r"[^A-Za-z0-9_-]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")

Note = Callable[[str, str], None]
"""Told of a fault: its kind, and what was seen."""


@dataclass(frozen=True)
class Takes:
    """What the endpoint can be sent besides text."""

    tools: bool = True
    system: bool = True
    images: bool = True
    audio: bool = False


class MediaParts:
    """Media as parts of a message. Keeps what it has encoded: a picture is sent again and again."""

    def __init__(self, max_image_side: int) -> None:
        self._side = max_image_side
        self._kept: dict[bytes, str] = {}

    def clear(self) -> None:
        """Forget what was kept."""
        self._kept = {}

    def part(self, media: Media, takes: Takes) -> dict[str, Any]:
        """``media`` as the endpoint takes it, or a text that says what is left out and why."""
        if media.mime.startswith("image/"):
            return self._picture(media) if takes.images else _left_out(media, "it takes none")
        if form := _AUDIO.get(media.mime):
            if not takes.audio:
                return _left_out(media, "it takes none")
            sound = {"data": base64.b64encode(media.data).decode("ascii"), "format": form}
            return {"type": "input_audio", "input_audio": sound}
        return _left_out(media, "no model takes this kind")

    def _picture(self, media: Media) -> dict[str, Any]:
        key = hashlib.sha256(media.data).digest()
        if key not in self._kept:
            try:
                small = shrink(media, self._side)
            except BadPicture as error:
                return _text(f"[{media.mime}: cannot be shown: {error}]")
            encoded = base64.b64encode(small.data).decode("ascii")
            self._kept[key] = f"data:{small.mime};base64,{encoded}"
        return {"type": "image_url", "image_url": {"url": self._kept[key]}}


def to_wire(messages: Sequence[Message], takes: Takes, parts: MediaParts) -> list[dict[str, Any]]:
    """``messages`` as an endpoint that ``takes`` so much accepts them.

    A tool's media follow its text in a message of the user. Without tools, calls and results are
    told in words.
    """
    wire: list[dict[str, Any]] = []
    ids = (f"call{number:05}" for number in count(1))  # nine letters and digits: all take these
    at = 0
    while at < len(messages):
        message = messages[at]
        at += 1
        if message.role == "assistant" and message.calls and takes.tools:
            end = at
            while end < len(messages) and messages[end].role == "tool":
                end += 1
            wire += _exchange(
                message, messages[at:end], takes, parts, [next(ids) for _ in message.calls]
            )
            at = end
        else:
            wire.append(_lone(message, takes, parts))
    return _joined(wire if takes.system else _without_system(wire))


def clean(text: str) -> str:
    """``text`` as valid Unicode without NUL."""
    return _SURROGATE.sub("\ufffd", text).replace("\x00", "\ufffd")


def tools_to_wire(tools: Sequence[ToolSpec]) -> list[dict[str, Any]]:
    """The tools as a request's ``tools``."""
    return [
        {
            "type": "function",
            "function": {
                "name": tool.name,
                "description": tool.description,
                "parameters": tool.parameters or {"type": "object", "properties": {}},
            },
        }
        for tool in tools
    ]


def _exchange(
    message: Message,
    results: Sequence[Message],
    takes: Takes,
    parts: MediaParts,
    ids: list[str],
) -> list[dict[str, Any]]:
    """An assistant's message with calls, their results in order, and what belongs to no call."""
    waiting = list(zip([call.id for call in message.calls], ids, strict=True))
    told: dict[str, str] = {}
    shown: list[dict[str, Any]] = []
    for result in results:
        number = next((n for n, (own, _) in enumerate(waiting) if own == result.call_id), None)
        if number is None:
            shown += _content(_retold(result), takes, parts)
            continue
        new = waiting.pop(number)[1]
        told[new] = clean(result.text)
        if result.media:
            shown.append(_text(f"[media of {new}]"))
            shown += [parts.part(media, takes) for media in result.media]
    calls = [_call(call, new) for call, new in zip(message.calls, ids, strict=True)]
    wire: list[dict[str, Any]] = [
        {"role": "assistant", "content": clean(message.text) or None, "tool_calls": calls}
    ]
    for new in ids:
        wire.append({"role": "tool", "tool_call_id": new, "content": told.get(new, _NO_RESULT)})
    if shown:
        wire.append({"role": "user", "content": shown})
    return wire


def _call(call: ToolCall, new: str) -> dict[str, Any]:
    arguments = clean(call.arguments)
    try:
        sound = isinstance(json.loads(arguments), dict)
    except (ValueError, RecursionError):
        sound = False
    if not sound:  # some servers read them again and refuse the conversation if they cannot
        arguments = json.dumps({"malformed": arguments})
    name = _BAD_NAME.sub("_", call.name)[:64] or "unnamed"
    return {"id": new, "type": "function", "function": {"name": name, "arguments": arguments}}


def _lone(message: Message, takes: Takes, parts: MediaParts) -> dict[str, Any]:
    message = _retold(message)
    if not message.media:
        return {"role": message.role, "content": clean(message.text)}
    if message.role != "user":
        takes = Takes(images=False)  # only a user can show things
    content = _content(message, takes, parts)
    if all(part["type"] == "text" for part in content):
        return {"role": message.role, "content": "\n".join(part["text"] for part in content)}
    return {"role": message.role, "content": content}


def _retold(message: Message) -> Message:
    """Calls, and a result without a call, in words."""
    if message.role == "tool":
        return Message("user", f"[tool output]\n{message.text}", message.media)
    if not message.calls:
        return message
    used = "\n".join(f"[used {call.name} with {call.arguments}]" for call in message.calls)
    return Message(message.role, f"{message.text}\n{used}".strip(), message.media)


def _content(message: Message, takes: Takes, parts: MediaParts) -> list[dict[str, Any]]:
    said = [_text(clean(message.text))] if message.text else []
    return said + [parts.part(media, takes) for media in message.media]


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _left_out(media: Media, why: str) -> dict[str, Any]:
    size = f"{len(media.data):,} bytes"
    return _text(f"[{media.mime}, {size}: not shown to this model, {why}]")


def _without_system(wire: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{**m, "role": "user"} if m["role"] == "system" else m for m in wire]


def _joined(wire: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The user's messages one after another as one: some templates insist on taking turns."""
    joined: list[dict[str, Any]] = []
    for message in wire:
        if joined and message["role"] == joined[-1]["role"] == "user":
            joined[-1] = {"role": "user", "content": _both(joined[-1], message)}
        else:
            joined.append(message)
    return joined


def _both(first: dict[str, Any], second: dict[str, Any]) -> str | list[dict[str, Any]]:
    one, two = first["content"], second["content"]
    if isinstance(one, str) and isinstance(two, str):
        return f"{one}\n\n{two}"
    return [
        part for told in (one, two) for part in ([_text(told)] if isinstance(told, str) else told)
    ]


# --- what comes back ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Usage:
    """Tokens as the endpoint counted them; None where it did not say."""

    prompt: int | None
    completion: int | None


def reply_of(body: Any, max_chars: int, note: Note) -> Reply | None:
    """The reply that ``body``, a decoded response, holds; None if it is no chat completion.

    Text and arguments are cut at ``max_chars``; ``note`` is told of all that was amiss.
    """
    try:
        choice = body["choices"][0]
        message = choice["message"]
        finish = choice.get("finish_reason")
        content, calls = message.get("content"), message.get("tool_calls")
    except (LookupError, TypeError, AttributeError):
        return None
    text = _said(content)
    if not text and isinstance(message.get("refusal"), str):
        text = message["refusal"]
        note("refused", text)
    made = _calls_of(calls, note)
    whole = sum(len(part) for part in (text, *(call.arguments for call in made)))
    if whole > max_chars:
        note("overlong", f"{whole:,} characters, cut at {max_chars:,}")
        made = tuple(ToolCall(c.id, c.name, c.arguments[:max_chars]) for c in made)
        text = text[:max_chars]
    if _SURROGATE.search(text):
        note("unicode", "the reply held halves of characters")
    return Reply(clean(text), made, finish if isinstance(finish, str) and finish else "stop")


def thought_of(body: Any) -> str:
    """What the model thought aloud, where the endpoint keeps it apart from the reply."""
    try:
        message = body["choices"][0]["message"]
        thought = message.get("reasoning_content") or message.get("reasoning") or ""
    except (LookupError, TypeError, AttributeError):
        return ""
    return clean(thought) if isinstance(thought, str) else ""


def usage_of(body: Any) -> Usage:
    """The tokens that ``body`` says were used."""
    usage = body.get("usage") if isinstance(body, dict) else None
    found = [
        usage.get(f"{kind}_tokens") if isinstance(usage, dict) else None
        for kind in ("prompt", "completion")
    ]
    prompt, completion = (n if type(n) is int and n >= 0 else None for n in found)
    return Usage(prompt, completion)


def _said(content: Any) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, list):  # parts, as some servers send
        return "".join(
            part["text"]
            for part in content
            if isinstance(part, dict) and isinstance(part.get("text"), str)
        )
    return ""


def _calls_of(calls: Any, note: Note) -> tuple[ToolCall, ...]:
    """The calls that are told well enough, with ids of their own."""
    if not isinstance(calls, list):
        return ()
    if len(calls) > MAX_CALLS:
        note("overlong", f"{len(calls)} calls at once, {MAX_CALLS} kept")
    made: list[ToolCall] = []
    for number, call in enumerate(calls[:MAX_CALLS], 1):
        function = call.get("function") if isinstance(call, dict) else None
        if not isinstance(function, dict):
            note("malformed", f"call {number} names no function")
            continue
        name, arguments = function.get("name"), function.get("arguments")
        if not isinstance(arguments, str):  # an object where its text should be
            arguments = json.dumps({} if arguments is None else arguments)
        wanted = call.get("id")
        own = clean(wanted) if isinstance(wanted, str) else ""
        taken = {other.id for other in made}
        if not own or own in taken:
            note("tool_ids", f"call {number} has {'the id of another' if own else 'no id'}")
            own = next(new for n in count(number) if (new := f"{own or 'call'}_{n}") not in taken)
        told = name if isinstance(name, str) else ""
        made.append(ToolCall(own, clean(told), clean(arguments)))
    return tuple(made)
