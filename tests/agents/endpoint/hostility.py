"""A brain that is spoilt now and then, as weak models and overloaded servers are."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from typing import Any

from endpoint.reading import said, tool_names
from endpoint.replies import Brain, BrainReply, Fault

UNKNOWN_TOOL = "open_everything"
INVENTED_PATH = "invented/never_was.txt"
_BROKEN_JSON = '{"answer": "it is, I beli'
_READ = {"path": INVENTED_PATH}
_CITES = [
    {"path": INVENTED_PATH, "locator": "page:99", "quote": "nobody ever wrote this"},
    {"path": INVENTED_PATH, "locator": "chapter seven"},
]
_ANSWER = {"answer": "It was all made up.", "cites": _CITES}

Act = Callable[[dict[str, Any], str, Any], BrainReply]


def _as_asked(request: dict[str, Any], tool: str, arguments: dict[str, Any] | str) -> str:
    """A tool's use in the words of whatever protocol the request is about."""
    written = arguments if isinstance(arguments, str) else json.dumps(arguments)
    if "<tool>" in said(request):
        return f'<tool>{{"name": "{tool}", "arguments": {written}}}</tool>'
    if "Action:" in said(request):
        return f"Thought: I use it.\nAction: {tool}[{written}]"
    return written


def _use(request: dict[str, Any], tool: str, arguments: dict[str, Any] | str) -> BrainReply:
    if tool_names(request):
        return BrainReply(calls=((tool, arguments),))
    return BrainReply(_as_asked(request, tool, arguments))


def _malformed(request: dict[str, Any]) -> BrainReply:
    return _use(request, "read_text" if tool_names(request) else "answer", _BROKEN_JSON)


def _invented_cites(request: dict[str, Any]) -> BrainReply:
    if tool_names(request):
        return _use(request, "answer", {"text": _ANSWER["answer"], "cites": _CITES})
    if "<answer>" in said(request):
        return BrainReply(f"<answer>{json.dumps(_ANSWER)}</answer>")
    if "Action:" in said(request):
        return _use(request, "answer", {"text": _ANSWER["answer"], "cites": _CITES})
    return BrainReply(json.dumps(_ANSWER))


def _odd_ids(request: dict[str, Any], ids: tuple[str | None, ...]) -> BrainReply:
    if not tool_names(request):
        return BrainReply("I would call two tools, but which?")
    calls = (("list_files", {"pattern": "*.md"}), ("list_files", {"pattern": "*.txt"}))
    return BrainReply(calls=calls, ids=ids)


# What makes each kind; a name alone is a fault of the wire or of the model (`replies.KINDS`).
_MADE: dict[str, Callable[[dict[str, Any]], BrainReply]] = {
    "malformed_json": _malformed,
    "unknown_tool": lambda request: _use(request, UNKNOWN_TOOL, {"everything": True}),
    "bad_arguments": lambda request: _use(request, "read_text", {"file": 7, "pages": "all"}),
    "invented_path": lambda request: _use(request, "read_text", _READ),
    "invented_cites": _invented_cites,
    "missing_ids": lambda request: _odd_ids(request, (None, "")),
    "duplicate_ids": lambda request: _odd_ids(request, ("same", "same")),
    "chatter": lambda request: BrainReply("Sure! Let me think about that for a while."),
}
HOSTILE_KINDS: tuple[str, ...] = (
    "empty", "malformed_json", "unknown_tool", "invented_path", "429", "cut", "huge", "500",
    "bad_arguments", "null_content", "malformed_body", "missing_ids", "bad_shape", "cut_reply",
    "duplicate_ids", "no_choices", "chatter", "503", "invented_cites",
)  # fmt: skip


def spoilt(kind: str, request: dict[str, Any]) -> BrainReply | Fault:
    """What a request gets instead of a good reply."""
    if kind not in _MADE:
        return Fault(kind)
    made = _MADE[kind](request)
    return BrainReply(made.text, made.calls, made.usage, made.finish, made.ids, kind)


def hostile(
    brain: Brain, every: int = 3, seed: int = 0, kinds: Sequence[str] = HOSTILE_KINDS
) -> Brain:
    """``brain``, but every so many requests something goes wrong: all ``kinds`` in turn.

    A brain goes by the request alone: it is not asked when something else goes wrong. ``every=1``
    never gets to it. The kinds' order is shuffled by ``seed``, anew each time
    that all have had their turn.
    """
    rng = random.Random(seed)
    asked, queue = 0, []

    def spoiling(request: dict[str, Any]) -> BrainReply | Fault:
        nonlocal asked, queue
        asked += 1
        if asked % every:
            return brain(request)
        if not queue:
            queue = rng.sample(list(kinds), len(kinds))
        return spoilt(queue.pop(), request)

    return spoiling
