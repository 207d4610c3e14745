"""A model that plays its part in `verified` without fault: it drafts as it is told to, takes its
drafts apart, and judges a claim by what the places say that it is shown."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from endpoint import Brain, BrainReply, said, system_text, tool_names

from deskgym.agents.llm import LLM, Message, Reply, ToolCall, ToolSpec
from deskgym.tasks.locators import AnyLocator, parse_locator

NOT_SAID = "The files do not say."


@dataclass(frozen=True)
class Said:
    """A claim of a draft: what it says, on which of the draft's citations, counted from 1."""

    text: str
    cites: tuple[int, ...] = ()
    working: str = ""


@dataclass(frozen=True)
class Draft:
    """An answer: its text, its citations as (path, locator, quote), and the claims in it."""

    text: str
    cites: tuple[tuple[str, str, str | None], ...] = ()
    claims: tuple[Said, ...] = ()


@dataclass(frozen=True)
class Place:
    """A place as the judge is shown it."""

    path: str
    locator: AnyLocator
    text: str


Judge = Callable[[str, Sequence[Place]], bool]
"""Whether a claim, by its text, follows from these places."""


@dataclass(frozen=True)
class Scenario:
    """What the model answers to one question, draft after draft, the last one for ever.

    ``answers`` is what it writes from claims that stand, if all of the keys stand; ``looks`` are
    paths that it reads first.
    """

    drafts: tuple[Draft, ...]
    judge: Judge
    answers: Mapping[tuple[str, ...], str] = field(default_factory=dict)


ABSTAINS = Scenario((Draft(NOT_SAID),), lambda claim, places: False)


def oracle_model(scenarios: Mapping[str, Scenario], otherwise: Scenario = ABSTAINS) -> Brain:
    """A brain that knows what to say to each of the questions."""

    def brain(request: dict[str, Any]) -> BrainReply:
        asked = said(request, "user", "tool")
        scenario = next((s for q, s in scenarios.items() if q in asked), otherwise)
        told = system_text(request)
        if "take a draft answer apart" in told:
            return _claims(scenario, asked)
        if "check one claim against" in told:
            return _judgement(scenario, asked)
        if "write the final answer" in told:
            return _rewritten(scenario, asked)
        return _draft(scenario, request, asked)

    return brain


class DirectLLM(LLM):
    """A brain without a wire between: sooner asked, and with the same books of faults.

    ``requests`` are what it was asked, as an endpoint would have got it; of pictures, the types.
    """

    def __init__(self, brain: Brain) -> None:
        super().__init__({"model": "scripted", "base_url": "http://127.0.0.1:9/v1"})
        self.requests: list[dict[str, Any]] = []
        self._brain = brain

    def chat(
        self, messages: Sequence[Message], *, tools: Sequence[ToolSpec] = (), **how: Any
    ) -> Reply:
        request = {
            "messages": [
                {"role": m.role, "content": m.text, "media": [part.mime for part in m.media]}
                for m in messages
            ],
            "tools": [{"function": {"name": tool.name}} for tool in tools],
        }
        self.requests.append(request)
        reply = self._brain(request)
        assert isinstance(reply, BrainReply)
        calls = tuple(
            ToolCall(f"call_{n}", name, args if isinstance(args, str) else json.dumps(args))
            for n, (name, args) in enumerate(reply.calls)
        )
        return Reply(reply.text or "", calls)


def _draft(scenario: Scenario, request: dict[str, Any], asked: str) -> BrainReply:
    """Lists the files first, then gives as many drafts as it takes."""
    number = min(asked.count("was not accepted yet"), len(scenario.drafts) - 1)
    if "list_files" in tool_names(request) and " files\n" not in said(request, "tool"):
        return BrainReply(calls=[("list_files", {})])
    draft = scenario.drafts[number]
    cites = [{"path": p, "locator": place, "quote": quote} for p, place, quote in draft.cites]
    return BrainReply(calls=[("answer", {"text": draft.text, "cites": cites})])


def _claims(scenario: Scenario, asked: str) -> BrainReply:
    shown = re.search(r"^Draft answer: (.*?)\n\nIts citations:", asked, re.MULTILINE | re.DOTALL)
    assert shown is not None, asked
    draft = next((d for d in scenario.drafts if d.text == shown[1]), None)
    if draft is None:  # somebody else's words, such as a hostile endpoint's
        every = [int(number) for number in re.findall(r"^\[(\d+)\]", asked, re.MULTILINE)]
        return BrainReply(json.dumps({"claims": [{"claim": shown[1], "cites": every}]}))
    claims = [{"claim": c.text, "cites": list(c.cites), "working": c.working} for c in draft.claims]
    return BrainReply(json.dumps({"claims": claims}))


def _judgement(scenario: Scenario, asked: str) -> BrainReply:
    claim = re.search(r"^Claim: (.*)$", asked, re.MULTILINE)
    assert claim is not None, asked
    places = places_in(asked)
    supported = scenario.judge(claim[1], places)
    needed = [
        n
        for n in range(1, len(places) + 1)
        if supported and not scenario.judge(claim[1], places[: n - 1] + places[n:])
    ]
    return BrainReply(json.dumps({"supported": supported, "needed": needed, "why": "so it is"}))


def places_in(asked: str) -> list[Place]:
    """The places in a request to judge."""
    shown = asked.partition("What stands at the places cited")[2]
    heads = list(re.finditer(r"^\[\d+\] (.+) \[(\S.*)\]$", shown, re.MULTILINE))
    ends = [head.start() for head in heads[1:]] + [len(shown)]
    return [
        Place(head[1], parse_locator(head[2]), shown[head.end() : end])
        for head, end in zip(heads, ends, strict=True)
    ]


def _rewritten(scenario: Scenario, asked: str) -> BrainReply:
    for claims, answer in scenario.answers.items():
        if all(f"- {claim}" in asked for claim in claims):
            return BrainReply(json.dumps({"answer": answer}))
    return BrainReply('{"answer": null}')
