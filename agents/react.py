"""ReAct: a thought, an action, an observation, and so on until the answer.

After Yao et al., "ReAct: Synergizing Reasoning and Acting in Language Models" (2023), over search,
lists, metadata and the read tools. It has no terminal.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from json import JSONDecoder
from typing import Any

from deskgym.agents.answers import AnswerFault, ParsedAnswer, parse_answer
from deskgym.agents.llm import Message, Reply, ToolSpec
from deskgym.agents.model_agent import Unreadable
from deskgym.agents.prompts import fill, prompt
from deskgym.agents.tool_loop import Form, ToolAgent, Turn, Use, stated
from deskgym.agents.toolset import describe, read_use, tool_name, tool_specs
from deskgym.env.actions import Answer, Ranking

_SHOWN = 80
_WITHOUT = frozenset({"terminal", "note"})
# Marks that models put before and around the words: bounded, as a reply may be anything.
_OBSERVATION = re.compile(r"^[^\w\n]{0,8}Observation\s{0,3}\d{0,3}\s{0,3}:", re.M | re.I)
_ACTION = re.compile(
    r"^[^\w\n]{0,8}Action\s{0,3}\d{0,3}\s{0,3}:[\s*`\"']{0,8}"
    r"(?P<name>[a-z_]{1,40}(?: answer)?)[*`]{0,4}[ \t]{0,8}",
    re.M | re.I,
)
_INPUT = re.compile(r"[\s*_`]{0,20}Action\s{1,3}Input\s{0,3}\d{0,3}\s{0,3}:[\s*`]{0,8}", re.I)
_FINAL = re.compile(r"^[^\w\n]{0,8}(?:Final\s{1,3})?Answer\s{0,3}:\s*", re.M | re.I)
_THOUGHT = re.compile(r"^[^\w\n]{0,8}Thought\s{0,3}\d{0,3}\s{0,3}:\s*", re.M | re.I)
_CLOSING = {"[": "]", "(": ")"}


class ReActAgent(ToolAgent):
    """Thinks, acts and observes in lines of text. The rest is as for `ToolAgent`."""

    name = "react"

    def form(self, tools: frozenset[str]) -> Form:
        """Lines of text."""
        return ReActForm(tools - _WITHOUT, self._ranking)


@dataclass(frozen=True)
class Acted:
    """A reply by its lines. ``tool`` is None if there is no action; ``more`` says that another one
    follows, which does not count; ``text`` is what of the reply does count."""

    thought: str
    tool: str | None
    arguments: str | Mapping[str, Any]
    text: str
    more: bool = False


def read_lines(text: str) -> Acted:
    """The thought and the first action of a reply, in any of the ways in which models write it:
    ``tool[{...}]``, ``tool({...})``, ``tool {...}``, ``tool[words]``, with ``Action Input:`` on a
    line of its own, or as a ``Final Answer:``. What follows an ``Observation:`` is made up."""
    made_up = _OBSERVATION.search(text)
    text = text[: made_up.start()] if made_up else text
    found = _ACTION.search(text)
    final = _FINAL.search(text)
    if found is None or (final is not None and final.start() < found.start()):
        if final is None:
            return Acted(_thought(text), None, "", text)
        return Acted(_thought(text[: final.start()]), "answer", text[final.end() :].strip(), text)
    arguments, end = _arguments(text, found.end())
    more = _ACTION.search(text, end) is not None
    name = tool_name(found["name"].replace(" ", "_"))
    return Acted(_thought(text[: found.start()]), name, arguments, text[:end], more)


class ReActForm:
    """Lines of text: ``Thought:``, ``Action:``, ``Observation:``."""

    stop: Sequence[str] = ("Observation:",)

    def __init__(self, tools: frozenset[str], ranking: Ranking) -> None:
        self._tools = tools
        self._ranking: Ranking = ranking

    @property
    def instead(self) -> None:
        """It needs nothing of the endpoint."""
        return

    def system(self) -> str:
        """The task, the lines, the tools and how to cite."""
        tools = describe(tool_specs(self._tools))
        return fill("react", tools=tools, guide=prompt("terminal_guide"))

    def offered(self) -> tuple[ToolSpec, ...]:
        """Nothing: they stand in the system's message."""
        return ()

    def read(self, reply: Reply) -> Turn:
        """The action of a reply.

        Raises:
            Unreadable: there is none, or it cannot be done.
        """
        acted = read_lines(reply.text)
        if acted.tool is None:
            raise Unreadable(
                "no_action",
                f"no action in {reply.text[:_SHOWN]!r}",
                "There was no action in your reply. After the thought, write one line "
                "Action: tool[{...}].",
            )
        use = self._use(acted)
        faults = (AnswerFault("several", "only the first action counts"),) if acted.more else ()
        return Turn(Message("assistant", acted.text.strip()), (use,), acted.thought, faults)

    def result(self, use: Use, text: str) -> Message:
        """The observation, said by the user."""
        return Message("user", f"Observation: {text}")

    def final(self) -> str:
        """That only the answer is left."""
        return prompt("react_last")

    def read_final(self, reply: Reply) -> ParsedAnswer:
        """The answer of an answering action, or of an object."""
        acted = read_lines(reply.text)
        if acted.tool is None:
            return stated(reply.text) or ParsedAnswer("")
        try:
            use = self._use(acted)
        except Unreadable:
            return ParsedAnswer("")
        if not isinstance(use.action, Answer):
            return ParsedAnswer("")
        return ParsedAnswer(use.action.text, use.action.cites, use.faults)

    def _use(self, acted: Acted) -> Use:
        assert acted.tool is not None
        if acted.tool == "answer" and isinstance(acted.arguments, str):
            parsed = parse_answer(acted.arguments)  # a final answer in words
            if parsed.text and not any(fault.kind == "malformed" for fault in parsed.faults):
                return Use(parsed.action(), faults=parsed.faults)
        read = read_use(acted.tool, acted.arguments, self._tools, self._ranking)
        return Use(read.action, faults=read.faults)


def _arguments(text: str, at: int) -> tuple[str | Mapping[str, Any], int]:
    """What an action is used with, and where it ends."""
    stop = _INPUT.match(text, at)
    at = stop.end() if stop else at
    opening = text[at : at + 1]
    inner = at + 1 if opening in _CLOSING and opening else at
    start = re.compile(r"\s*(?:```\w*\s*)?").match(text, inner)
    begin = start.end() if start else inner
    if text[begin : begin + 1] == "{":
        try:
            found, end = JSONDecoder().raw_decode(text, begin)
        except (ValueError, RecursionError):
            return _to_the_end(text, begin, opening)
        closing = re.compile(r"\s*(?:```)?\s*[\])]?").match(text, end)
        return found, closing.end() if closing else end
    return _to_the_end(text, inner, opening)


def _to_the_end(text: str, begin: int, opening: str) -> tuple[str, int]:
    """The rest of the text (of its line, without brackets), up to the bracket that closes it."""
    following = _ACTION.search(text, begin) or _THOUGHT.search(text, begin)
    end = following.start() if following else len(text)
    if opening in _CLOSING and opening:
        closing = text.rfind(_CLOSING[opening], begin, end)
        return (text[begin:closing], closing + 1) if closing >= 0 else (text[begin:end], end)
    line = text.find("\n", begin, end)
    end = line if line >= 0 else end
    return text[begin:end].strip(), end


def _thought(text: str) -> str:
    return _THOUGHT.sub("", text).strip()
