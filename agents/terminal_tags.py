"""HippoCamp's protocol of tags: ``<think>``, then ``<tool>{json}</tool>`` or ``<answer>``.

One tool a turn. The object in ``<tool>`` has the tool's name under ``name`` or ``tool``, and its
arguments under ``arguments`` or beside the name. ``<answer>`` holds an object or plain text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from deskgym.agents.answers import AnswerFault, ParsedAnswer, parse_answer
from deskgym.agents.llm import Message, Reply, ToolSpec
from deskgym.agents.model_agent import Unreadable
from deskgym.agents.prompts import fill, prompt
from deskgym.agents.tool_loop import Turn, Use, stated
from deskgym.agents.toolset import describe, tool_specs, written_use
from deskgym.env.actions import Ranking

_SHOWN = 80
_TAG = re.compile(r"<(/?)(think|tool|answer)>", re.IGNORECASE)


@dataclass(frozen=True)
class Tagged:
    """A reply by its tags. ``kind`` is None if there is neither a tool nor an answer; ``more``
    says that another tool or answer follows, which does not count."""

    thought: str
    kind: str | None
    content: str
    more: bool = False


def read_tags(text: str) -> Tagged:
    """The thoughts, and the first tool or answer outside of them.

    A tool or an answer that is never closed ends with the text, as one does that the endpoint
    stopped at; such a thought where the model does something, or with the text.
    """
    tags = [_Tag(m.start(), m.end(), m[2].lower(), bool(m[1])) for m in _TAG.finditer(text)]
    closed_until = max((n for n, tag in enumerate(tags) if tag.is_end_of("think")), default=-1)
    thoughts, at, n = [], 0, 0
    while n < len(tags):
        tag = tags[n]
        if tag.closing:
            n += 1  # it closes nothing
        elif tag.kind == "think":
            thoughts.append(text[at : tag.start])
            ends = _Tag.is_done if n > closed_until else _Tag.is_end_of_thought
            n = next((k for k in range(n + 1, len(tags)) if ends(tags[k])), len(tags))
            end = tags[n].start if n < len(tags) else len(text)
            thoughts.append(text[tag.end : end])
            closed = n < len(tags) and tags[n].closing
            at, n = (tags[n].end, n + 1) if closed else (end, n)
        else:
            thoughts.append(text[at : tag.start])
            rest = tags[n + 1 :]
            last = next((k for k, other in enumerate(rest) if other.is_end_of(tag.kind)), None)
            content = text[tag.end : len(text) if last is None else rest[last].start]
            more = last is not None and any(other.is_done() for other in rest[last:])
            return Tagged(_joined(thoughts), tag.kind, content.strip(), more)
    return Tagged(_joined([*thoughts, text[at:]]), None, "")


@dataclass(frozen=True)
class _Tag:
    start: int
    end: int
    kind: str
    closing: bool

    def is_end_of(self, kind: str) -> bool:
        return self.closing and self.kind == kind

    def is_end_of_thought(self) -> bool:
        return self.is_end_of("think")

    def is_done(self) -> bool:
        """Whether the model does something from here on."""
        return not self.closing and self.kind != "think"


class TagsForm:
    """Tags in plain text: for models and endpoints without tool calls."""

    stop: Sequence[str] = ("</tool>", "</answer>")

    def __init__(self, tools: frozenset[str], ranking: Ranking) -> None:
        self._tools = tools
        self._ranking: Ranking = ranking

    @property
    def instead(self) -> None:
        """It needs nothing of the endpoint."""
        return

    def system(self) -> str:
        """The task, the tags, the tools and how to cite."""
        specs = [spec for spec in tool_specs(self._tools) if spec.name != "answer"]
        return fill("terminal_tags", tools=describe(specs), guide=prompt("terminal_guide"))

    def offered(self) -> tuple[ToolSpec, ...]:
        """Nothing: they stand in the system's message."""
        return ()

    def read(self, reply: Reply) -> Turn:
        """The tool or the answer of a reply.

        Raises:
            Unreadable: there is neither, or it cannot be done.
        """
        tagged = read_tags(reply.text)
        if tagged.kind is None:
            raise Unreadable(
                "no_tag",
                f"neither <tool> nor <answer> in {reply.text[:_SHOWN]!r}",
                "There was neither <tool>...</tool> nor <answer>...</answer> in your reply. After "
                "the thought, write exactly one of them.",
            )
        # What a model makes up after its tool, such as the output, is not kept.
        kept = f"<think>{tagged.thought}</think>\n<{tagged.kind}>{tagged.content}</{tagged.kind}>"
        use = self._answer(tagged) if tagged.kind == "answer" else self._tool(tagged)
        faults = (AnswerFault("several", "only the first tool or answer counts"),)
        return Turn(
            Message("assistant", kept), (use,), tagged.thought, faults if tagged.more else ()
        )

    def result(self, use: Use, text: str) -> Message:
        """The output in tags, said by the user."""
        return Message("user", f"<output>\n{text}\n</output>")

    def final(self) -> str:
        """That only the answer is left."""
        return prompt("terminal_tags_last")

    def read_final(self, reply: Reply) -> ParsedAnswer:
        """What stands in ``<answer>``, or in an object without tags."""
        tagged = read_tags(reply.text)
        if tagged.kind == "answer" and tagged.content:
            return parse_answer(tagged.content)
        return (stated(reply.text) if tagged.kind is None else None) or ParsedAnswer("")

    def _tool(self, tagged: Tagged) -> Use:
        use = written_use(tagged.content, self._tools, self._ranking)
        if use is None:
            raise Unreadable(
                "malformed",
                f"no JSON with a tool's name in {tagged.content[:_SHOWN]!r}",
                "What stands in <tool> is no valid JSON object with a name. Write "
                '<tool>{"name": "...", "arguments": {...}}</tool>.',
            )
        return Use(use.action, faults=use.faults)

    def _answer(self, tagged: Tagged) -> Use:
        parsed = parse_answer(tagged.content)
        if not parsed.text or any(fault.kind == "malformed" for fault in parsed.faults):
            raise Unreadable(
                "malformed",
                f"no answer in {tagged.content[:_SHOWN]!r}",
                "There is no answer to be read in <answer>. Write <answer>"
                '{"answer": "...", "cites": [...]}</answer>.',
            )
        return Use(parsed.action(), faults=parsed.faults)


def _joined(thoughts: list[str]) -> str:
    return "\n".join(part.strip() for part in thoughts if part.strip())
