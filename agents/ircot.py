"""IRCoT: retrieval interleaved with a chain of thought.

Trivedi et al., "Interleaving Retrieval with Chain-of-Thought Reasoning for Knowledge-Intensive
Multi-Step Questions", ACL 2023. Each new sentence of the model's reasoning is the next query; when
the reasoning says "answer is:", or after ``max_thoughts`` (8, as there), a reader answers from all
that was gathered.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from deskgym.agents.base import TaskView
from deskgym.agents.llm import LLM
from deskgym.agents.reading import PassageAgent, prose
from deskgym.agents.steps import Play
from deskgym.env.actions import Answer, Ranking
from deskgym.env.observations import Observation

THOUGHT_TOKENS = 200
MAX_THOUGHT_CHARS = 600
_DONE = re.compile(r"\banswer is\b\s*:", re.IGNORECASE)
# Not after an initial or a common abbreviation, nor inside of a number.
_END = re.compile(r"(?<!\b[A-Z])(?<!\bMr)(?<!\bMrs)(?<!\bMs)(?<!\bDr)(?<!\bNo)[.!?][\"'”’)]*(?=\s)")


class IrcotAgent(PassageAgent):
    """A sentence, a search, a sentence, ... and an answer."""

    name = "ircot"

    def __init__(
        self,
        llm: Mapping[str, Any] | LLM,
        k: int = 6,
        ranking: Ranking = "bm25",
        dates: bool = True,
        max_thoughts: int = 8,
    ) -> None:
        super().__init__(llm, k, ranking, dates)
        if max_thoughts < 1:
            raise ValueError(f"max_thoughts is at least 1, not {max_thoughts}")
        self.max_thoughts = max_thoughts
        self.thoughts: list[str] = []

    def reset(self, task: TaskView, tools: frozenset[str]) -> None:
        """Forget the last episode."""
        super().reset(task, tools)
        self.thoughts = []

    def play(self, task: TaskView, tools: frozenset[str], welcome: Observation) -> Play:
        """Interleave until the reasoning is done, then answer."""
        yield from self.begin(welcome)
        yield from self.look(task.question)
        for _ in range(self.max_thoughts):
            thought = self._next_thought()
            if thought is None:
                break
            self.thoughts.append(thought)
            if _DONE.search(thought) or not self.may_look:
                break
            yield from self.look(thought)
        return self.finish()

    def finish(self) -> Answer:
        """The reader's answer, with the reasoning for notes."""
        return self.answer(self.found, notes="\n".join(self.thoughts))

    def _next_thought(self) -> str | None:
        """The next sentence of the reasoning; None if there is none that is new."""
        messages, _ = self.showing(
            self.found,
            system="ircot",
            question=self.question,
            notes="\n".join(self.thoughts),
            max_tokens=THOUGHT_TOKENS,
        )
        text = self.ask_until(prose, messages, max_tokens=THOUGHT_TOKENS)
        if text is None:
            self.fault("malformed", "no further thought: answers from what there is")
            return None
        thought = first_sentence(text)
        self.llm.think(thought)
        if thought in self.thoughts:
            self.fault("malformed", f"the same thought again: {thought}")
            return None
        return thought


def first_sentence(text: str) -> str:
    """The first sentence of ``text``, or all of its first line if it ends nowhere before."""
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    end = _END.search(line)
    sentence = line[: end.end()] if end else line
    # What follows "answer is:" belongs to it, also where that is a sentence of its own.
    return (line if _DONE.search(line) else sentence)[:MAX_THOUGHT_CHARS]
