"""HippoCamp's terminal agent: a model with a terminal and the read tools of one person's desk.

After HippoCamp (2026), whose agents work in a container with commands that return a file's text,
its pages as pictures, or the file itself. Which of these are on is the environment's matter (its
presets ``config0`` to ``config3``); the model is offered what is on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, get_args

from deskgym.agents.answers import ParsedAnswer
from deskgym.agents.llm import LLM, Message, Reply, ToolCall, ToolSpec
from deskgym.agents.model_agent import REPAIRS, Unreadable
from deskgym.agents.prompts import fill, prompt
from deskgym.agents.terminal_tags import TagsForm
from deskgym.agents.tool_loop import Form, ToolAgent, Turn, Use, stated
from deskgym.agents.toolset import read_use, tool_specs, written_use
from deskgym.env.actions import Answer, Ranking

Protocol = Literal["native", "tags"]
_SHOWN = 80


class TerminalAgent(ToolAgent):
    """Looks around with all tools that are on, and answers.

    ``protocol`` is ``native`` (the endpoint's own tool calls) or ``tags`` (HippoCamp's: a thought,
    then one tool or the answer, in tags of text). Where an endpoint refuses native tools, it goes
    over to tags. The rest is as for `ToolAgent`.
    """

    name = "terminal"

    def __init__(
        self,
        llm: Mapping[str, Any] | LLM,
        protocol: Protocol = "native",
        repairs: int = REPAIRS,
        ranking: Ranking = "words",
    ) -> None:
        """
        Raises:
            ValueError: there is no such protocol, or ``repairs`` is less than 0.
        """
        if protocol not in get_args(Protocol):
            known = " and ".join(get_args(Protocol))
            raise ValueError(f"no protocol {protocol!r}; there are {known}")
        super().__init__(llm, repairs=repairs, ranking=ranking)
        self._protocol: Protocol = protocol

    def form(self, tools: frozenset[str]) -> Form:
        """Native calls or tags."""
        if self._protocol == "native":
            return NativeForm(tools, self._ranking)
        return TagsForm(tools, self._ranking)


class NativeForm:
    """The endpoint's own tool calls, several in a reply if the model likes."""

    stop: Sequence[str] = ()

    def __init__(self, tools: frozenset[str], ranking: Ranking) -> None:
        self._tools = tools
        self._ranking: Ranking = ranking

    @property
    def instead(self) -> Form:
        """Tags, where the endpoint knows no tools."""
        return TagsForm(self._tools, self._ranking)

    def system(self) -> str:
        """The task and how to cite; the tools go with the request."""
        return fill("terminal", guide=prompt("terminal_guide"))

    def offered(self) -> tuple[ToolSpec, ...]:
        """All that is on."""
        return tool_specs(self._tools)

    def read(self, reply: Reply) -> Turn:
        """The calls in their order; one written out in the text where there are none.

        Raises:
            Unreadable: not one of them can be done.
        """
        if not reply.calls:
            return self._from_text(reply)
        uses = tuple(self._use(call) for call in reply.calls)
        problems = [use.problem for use in uses if use.problem is not None]
        if len(problems) == len(uses):
            kind = problems[0].kind
            detail = "; ".join(problem.detail for problem in problems)
            raise Unreadable(kind, detail, "\n".join(f"error: {p.remedy}" for p in problems))
        return Turn(reply.as_message(), uses)

    def result(self, use: Use, text: str) -> Message:
        """A tool's message; one of the user for what was no call."""
        if use.call_id is None:
            return Message("user", f"[tool output]\n{text}")
        return Message("tool", text, call_id=use.call_id)

    def final(self) -> str:
        """That only the answer is left."""
        return prompt("terminal_last")

    def read_final(self, reply: Reply) -> ParsedAnswer:
        """The answer in a call, or in an object of the text."""
        for call in reply.calls:
            use = self._use(call)
            if isinstance(use.action, Answer):
                return ParsedAnswer(use.action.text, use.action.cites, use.faults)
        return stated(reply.text) or ParsedAnswer("")

    def _use(self, call: ToolCall) -> Use:
        try:
            read = read_use(call.name, call.arguments, self._tools, self._ranking)
        except Unreadable as problem:
            return Use(None, call.id, problem)
        return Use(read.action, call.id, faults=read.faults)

    def _from_text(self, reply: Reply) -> Turn:
        """A use or an answer that is written where a call should be."""
        message = Message("assistant", reply.text)
        use = written_use(reply.text, self._tools, self._ranking)
        if use is not None:
            return Turn(message, (Use(use.action, faults=use.faults),))
        answer = stated(reply.text)
        if answer is not None and answer.text:
            return Turn(message, (Use(answer.action(), faults=answer.faults),))
        raise Unreadable(
            "no_call",
            f"neither a tool nor an answer in {reply.text[:_SHOWN]!r}",
            "You called no tool. Go on by calling one, or give your answer by calling answer.",
        )
