"""For tests of agents with tools: a desk made of a function, and a brain that plays a capable model
over a demo person in any of the three forms. It knows gold, as tests may."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from endpoint import Brain, BrainReply, last_text, said, system_text, tool_names

from deskgym.agents.base import Agent, TaskView
from deskgym.env.actions import ALL_TOOLS, Action, Answer, parse_action
from deskgym.env.observations import Media, Observation
from deskgym.env.trajectory import ModelUse
from deskgym.tasks.locators import Pages, Region
from deskgym.tasks.schema import Evidence, Task

QUESTION = "When does the zinc heron sleep?"
ABSTENTION = "The files do not say."
Reply = Callable[[Action], str | tuple[str, tuple[Media, ...]]]


@dataclass
class Played:
    """One episode: what was done, the answer (None if the steps ran out), what it took."""

    actions: list[Action]
    answer: Answer | None
    uses: list[ModelUse]

    @property
    def faults(self) -> list[str]:
        return [fault for use in self.uses for fault in use.faults]

    @property
    def kinds(self) -> list[str]:
        return [fault.partition(":")[0] for fault in self.faults]

    @property
    def thought(self) -> str:
        return sum(self.uses, ModelUse()).thought


def play(
    agent: Agent,
    reply: Reply = lambda action: "nothing",
    *,
    max_steps: int = 10,
    tools: Iterable[str] = ALL_TOOLS,
) -> Played:
    """An episode of an agent at a desk that says ``reply(action)``."""
    agent.reset(TaskView("t", "demo/ann", QUESTION), frozenset(tools))
    played = Played([], None, [])
    text, media = "These are the 2 files of Ann.", ()
    for step in range(max_steps):
        observation = Observation(
            question=QUESTION, text=text, media=media, step=step, steps_left=max_steps - step
        )
        action = parse_action(agent.act(observation))
        played.uses.append(agent.take_use())  # type: ignore[attr-defined]
        played.actions.append(action)
        if isinstance(action, Answer):
            played.answer = action
            break
        told = reply(action)
        text, media = told if isinstance(told, tuple) else (told, ())
    return played


def in_turn(*replies: Any) -> Brain:
    """One after the other; the last again and again."""
    left = list(replies)
    return lambda request: left.pop(0) if len(left) > 1 else left[0]


def call(name: str, **arguments: Any) -> BrainReply:
    """A native call."""
    return BrainReply(calls=((name, arguments),))


def tag(name: str, **arguments: Any) -> BrainReply:
    """A thought and a tool in tags."""
    written = json.dumps({"name": name, "arguments": arguments})
    return BrainReply(f"<think>I look.</think>\n<tool>{written}</tool>")


def demo_brain(tasks: Iterable[Task], stated: Callable[[Task], bool]) -> Brain:
    """Reads the gold files of the ``stated`` tasks, then answers by gold with its evidence; for
    all others it searches once and abstains. It speaks the form that the request is in."""
    by_question = {task.question: task for task in tasks}

    def brain(request: dict[str, Any]) -> BrainReply:
        asked = said(request, "user").partition("Question: ")[2].partition("\n")[0]
        task = by_question[asked]
        done = [m for m in request["messages"] if m["role"] == "assistant"]
        known = json.dumps(done)
        if "no steps left" not in last_text(request):
            if not stated(task) and '"search' not in known and "search[" not in known:
                return _use(request, "search", {"query": task.question[:100]})
            for unit in task.evidence if stated(task) else ():
                if json.dumps(unit.file_path)[1:-1] not in known:
                    return _use(request, *_reading(unit))
        if stated(task) and task.answerable:
            return _answer(request, task.answer, [_cite(unit) for unit in task.evidence])
        return _answer(request, ABSTENTION, [])

    return brain


def _cite(unit: Evidence) -> dict[str, Any]:
    return {"path": unit.file_path, "locator": str(unit.locator)}


def _reading(unit: Evidence) -> tuple[str, dict[str, Any]]:
    fields: dict[str, Any] = {"path": unit.file_path}
    if unit.modality in ("audio", "video"):
        return f"read_{unit.modality}", fields
    if isinstance(unit.locator, Region):
        return "read_image", {**fields, "page": unit.locator.page}
    if isinstance(unit.locator, Pages):
        fields["pages"] = [unit.locator.start, unit.locator.end]
    return "read_text", fields


def _use(request: dict[str, Any], name: str, arguments: dict[str, Any]) -> BrainReply:
    if tool_names(request):
        return BrainReply("I look there.", calls=((name, arguments),))
    if "<tool>" in system_text(request):
        tool = json.dumps({"name": name, "arguments": arguments})
        return BrainReply(f"<think>I look there.</think><tool>{tool}</tool>")
    return BrainReply(f"Thought: I look there.\nAction: {name}[{json.dumps(arguments)}]")


def _answer(request: dict[str, Any], text: str, cites: list[dict[str, Any]]) -> BrainReply:
    if tool_names(request):
        return BrainReply(calls=(("answer", {"text": text, "cites": cites}),))
    if "<tool>" in system_text(request):
        answer = json.dumps({"answer": text, "cites": cites})
        return BrainReply(f"<think>That is it.</think><answer>{answer}</answer>")
    return _use(request, "answer", {"text": text, "cites": cites})
