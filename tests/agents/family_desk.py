"""A desk of a few short texts, and an episode at it, for agents that retrieve."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from endpoint import Brain, BrainReply, Endpoint, Fault, system_text

from deskgym.agents.base import TaskView
from deskgym.agents.prompts import prompt
from deskgym.agents.reading import PassageAgent
from deskgym.env.actions import Action, Answer, ListFiles, Note, ReadText, Search, parse_action
from deskgym.env.observations import Observation
from deskgym.env.render import observation_text, refusal
from deskgym.env.sandbox.base import Response, WireSegment
from deskgym.env.trajectory import ModelUse

TOOLS = frozenset({"search", "list_files", "read_text", "note", "answer"})
QUESTION = "At what time does the heron sleep?"
FILES = {
    "birds/heron.txt": ("2024-03-01", "The heron sleeps at nine.\nIt wakes at five."),
    "birds/heron_new.txt": ("2024-05-02", "From May the heron sleeps at ten."),
    "boats/ferry.txt": ("2023-01-09", "The ferry sails at noon."),
}


@dataclass
class FakeDesk:
    """Answers as the environment does: text for text, made by the environment's own renderer."""

    files: dict[str, tuple[str, str]]
    rankings: Collection[str] = ("words", "bm25")

    def do(self, action: Action) -> str:
        """What an agent is told of ``action``."""
        if isinstance(action, Note):
            return "noted"
        if isinstance(action, Search):
            if action.ranking not in self.rankings:
                return refusal("unsupported", f"ranking {action.ranking!r} needs a retriever")[1]
            return observation_text(action, Response(ok=True, info={"hits": self._hits(action)}))
        if isinstance(action, ListFiles):
            end = (action.pattern or "*").lstrip("*")
            records = [
                {"path": path, "modality": "text", "size": len(text), "modified": f"{date}T10:00"}
                for path, (date, text) in self.files.items()
                if path.endswith(end)
            ]
            return observation_text(action, Response(ok=True, info={"files": records}))
        assert isinstance(action, ReadText)
        text = self.files[action.path][1]
        segment = WireSegment(locator=_whole(text), text=text)
        info = {"path": action.path, "mime": "text/plain"}
        return observation_text(action, Response(ok=True, info=info, segments=(segment,)))

    def _hits(self, action: Search) -> list[dict[str, Any]]:
        asked = set(re.findall(r"\w+", action.query.casefold()))
        scores = {
            path: len(asked & set(re.findall(r"\w+", text.casefold())))
            for path, (_, text) in self.files.items()
        }
        best = sorted((p for p in scores if scores[p]), key=lambda p: (-scores[p], p))
        return [
            {"path": p, "locator": _whole(t), "snippet": t, "score": scores[p]}
            for p in best[: action.top_k]
            for t in [self.files[p][1]]
        ]


def _whole(text: str) -> str:
    return f"lines:1-{len(text.splitlines())}"


@dataclass(frozen=True)
class Played:
    """What an agent did in an episode, up to its answer, and what it took of the model."""

    actions: tuple[Action, ...]
    answer: Answer
    use: ModelUse

    @property
    def queries(self) -> list[str]:
        return [action.query for action in self.actions if isinstance(action, Search)]

    @property
    def cites(self) -> list[str]:
        return [f"{cite.path} {cite.locator}" for cite in self.answer.cites]

    def faults(self, kind: str) -> list[str]:
        return [fault for fault in self.use.faults if fault.startswith(f"{kind}:")]


def play(
    agent: PassageAgent,
    *,
    files: dict[str, tuple[str, str]] = FILES,
    rankings: Collection[str] = ("words", "bm25"),
    tools: frozenset[str] = TOOLS,
    question: str = QUESTION,
    max_steps: int = 12,
) -> Played:
    """One episode to its answer; fails if the agent does not answer within its steps."""
    desk = FakeDesk(files, rankings)
    agent.reset(TaskView("t", "p", question), tools)
    text, actions = "welcome", []
    for step in range(max_steps):
        seen = Observation(
            question=question, text=text, media=(), step=step, steps_left=max_steps - step
        )
        action = parse_action(agent.act(seen))
        if isinstance(action, Answer):
            return Played(tuple(actions), action, agent.take_use())
        assert action.tool in tools
        actions.append(action)
        text = desk.do(action)
    raise AssertionError(f"no answer in {max_steps} steps: {actions}")


class Script:
    """A brain that has replies for each prompt, in order; the last one stays."""

    def __init__(self, **replies: list[str | Fault]) -> None:
        self._replies = replies
        self.asked: list[tuple[str, dict[str, Any]]] = []

    def __call__(self, request: dict[str, Any]) -> BrainReply | Fault:
        system = system_text(request)
        name = next(name for name in self._replies if system == prompt(name))
        self.asked.append((name, request))
        left = self._replies[name]
        said = left.pop(0) if len(left) > 1 else left[0]
        return said if isinstance(said, Fault) else BrainReply(said)

    @property
    def names(self) -> list[str]:
        """The prompts that were used, in order."""
        return [name for name, _ in self.asked]

    def request(self, name: str, number: int = 0) -> dict[str, Any]:
        """The request with the prompt of that name, counted from 0."""
        return [request for asked, request in self.asked if asked == name][number]


def llm(endpoint: Endpoint, **more: Any) -> dict[str, Any]:
    """A model's settings for the scripted endpoint."""
    return {"model": "scripted", "base_url": endpoint.base_url, "backoff_s": 0, **more}


def play_with(
    make: type[PassageAgent], brain: Brain, settings: dict[str, Any] | None = None, **how: Any
) -> Played:
    """One episode of ``make(llm, **settings)`` with the model that ``brain`` is."""
    with Endpoint(brain) as endpoint:
        return play(make(llm(endpoint), **(settings or {})), **how)
