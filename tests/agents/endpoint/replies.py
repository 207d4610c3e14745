"""What a brain can say, and in which ways a reply can go wrong."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

CUT, MALFORMED_BODY, SLOW = "cut", "malformed_body", "slow"
_STATUSES = ("401", "403", "404", "429", "500", "503")
# Of the wire: the client sees no reply, or none that it can read.
_WIRE = (*_STATUSES, CUT, MALFORMED_BODY, "bad_shape", "no_choices", SLOW)
# Of the model: a reply that is whole and useless.
_MODEL = ("empty", "null_content", "huge", "cut_reply", "no_usage")
KINDS = (*_WIRE, *_MODEL)
HUGE_TOKENS = 100_000
MEDIA_TOKENS = 765
_ENCODED = re.compile(r"(?<=base64,)[A-Za-z0-9+/=]+|(?<=\"data\": \")[A-Za-z0-9+/=]{100,}")


@dataclass(frozen=True)
class BrainReply:
    """One reply. ``calls`` are (name, arguments), the latter a dict or the text as it is sent.

    ``ids`` are the calls' ids if they are not to be made up; ``usage`` is (prompt, completion)
    tokens, by default a quarter of the characters, and a fixed number for a picture or sound.
    """

    text: str | None = ""
    calls: tuple[tuple[str, dict[str, Any] | str], ...] | list[tuple[str, Any]] = ()
    usage: tuple[int, int] | None = None
    finish: str | None = None
    ids: tuple[str | None, ...] | None = None
    kind: str | None = None  # how it was spoilt, for `Endpoint.served`


@dataclass(frozen=True)
class Fault:
    """No reply but a fault of one of `KINDS`; a number is an HTTP status.

    ``retry_after`` goes with 429 and 503; ``seconds`` is how long ``slow`` waits before ``reply``.
    """

    kind: str
    retry_after: str | None = "0"
    seconds: float = 1.0
    reply: BrainReply = BrainReply("late")

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"no fault {self.kind!r}; there are {', '.join(KINDS)}")

    @property
    def status(self) -> int | None:
        return int(self.kind) if self.kind in _STATUSES else None

    def as_reply(self) -> BrainReply:
        """The reply that a fault of the model is."""
        if self.kind == "empty":
            return BrainReply("")
        if self.kind == "null_content":
            return BrainReply(None)
        if self.kind == "huge":
            return BrainReply("well " * HUGE_TOKENS, usage=(100, HUGE_TOKENS), finish="length")
        if self.kind == "cut_reply":
            return BrainReply("I think that the ans", finish="length")
        return self.reply


Brain = Callable[[dict[str, Any]], BrainReply | Fault]


def completion(reply: BrainReply, request: dict[str, Any], number: int) -> dict[str, Any]:
    """``reply`` as the body of a chat completion."""
    calls = [
        {
            "id": reply.ids[n] if reply.ids is not None else f"call_{number}_{n}",
            "type": "function",
            "function": {
                "name": name,
                "arguments": args if isinstance(args, str) else json.dumps(args),
            },
        }
        for n, (name, args) in enumerate(reply.calls)
    ]
    message: dict[str, Any] = {"role": "assistant", "content": reply.text}
    if calls:
        message["tool_calls"] = calls
    finish = reply.finish or ("tool_calls" if calls else "stop")
    prompt, said = reply.usage or (_tokens(request), _tokens(message))
    return {
        "id": f"chatcmpl-{number}",
        "object": "chat.completion",
        "created": 0,
        "model": request.get("model", ""),
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": {
            "prompt_tokens": prompt,
            "completion_tokens": said,
            "total_tokens": prompt + said,
        },
    }


def _tokens(value: Any) -> int:
    """A quarter of the characters; what is encoded in base64 counts as `MEDIA_TOKENS`."""
    text = json.dumps(value)
    short = _ENCODED.sub("", text)
    return len(short) // 4 + MEDIA_TOKENS * len(_ENCODED.findall(text))
