"""A stand-in for an OpenAI-compatible endpoint, on loopback, that says what a brain tells it to.

    def brain(request: dict) -> BrainReply | Fault: ...

    with Endpoint(brain) as endpoint:
        llm = {"model": "scripted", "base_url": endpoint.base_url}

``request`` is the body as the client sent it: `said`, `system_text`, `last_text` and `tool_names`
read it. A brain is asked one request at a time. `hostile(brain)` makes a brain whose replies are
spoilt now and then, in every way of `HOSTILE_KINDS` in turn.
"""

from __future__ import annotations

from endpoint.hostility import HOSTILE_KINDS, INVENTED_PATH, UNKNOWN_TOOL, hostile
from endpoint.reading import last_text, said, system_text, text_of, tool_names
from endpoint.replies import KINDS, Brain, BrainReply, Fault
from endpoint.serve import Endpoint

__all__ = [
    "HOSTILE_KINDS",
    "INVENTED_PATH",
    "KINDS",
    "UNKNOWN_TOOL",
    "Brain",
    "BrainReply",
    "Endpoint",
    "Fault",
    "hostile",
    "last_text",
    "said",
    "system_text",
    "text_of",
    "tool_names",
]
