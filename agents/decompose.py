"""Decomposition: one follow-up question after the other, each answered by retrieval, then all of
it composed.

Press et al., "Measuring and Narrowing the Compositionality Gap in Language Models" (self-ask),
Findings of EMNLP 2023; Khot et al., "Decomposed Prompting", ICLR 2023. The next question is asked
in the light of the answers so far; ``max_questions`` bounds them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from deskgym.agents.base import TaskView
from deskgym.agents.llm import LLM, Message
from deskgym.agents.prompts import fill, prompt
from deskgym.agents.reading import CRITIQUE_TOKENS, Passage, PassageAgent, cited_first
from deskgym.agents.steps import Play
from deskgym.env.actions import Answer, Cite, Ranking
from deskgym.env.observations import Observation

MAX_CHARS = 500  # of a follow-up question


class DecomposeAgent(PassageAgent):
    """Asks itself, looks up, and puts the answers together."""

    name = "decompose"

    def __init__(
        self,
        llm: Mapping[str, Any] | LLM,
        k: int = 6,
        ranking: Ranking = "bm25",
        dates: bool = True,
        max_questions: int = 4,
    ) -> None:
        super().__init__(llm, k, ranking, dates)
        if max_questions < 1:
            raise ValueError(f"max_questions is at least 1, not {max_questions}")
        self.max_questions = max_questions
        self.told: list[tuple[str, Answer]] = []

    def reset(self, task: TaskView, tools: frozenset[str]) -> None:
        """Forget the last episode."""
        super().reset(task, tools)
        self.told = []

    def play(self, task: TaskView, tools: frozenset[str], welcome: Observation) -> Play:
        """Follow-up questions while there are any, then the whole."""
        yield from self.begin(welcome)
        while self.may_look and len(self.told) < self.max_questions:
            question = self._next_question()
            if question is None:
                break
            passages = yield from self.look(question)
            self.told.append((question, self.answer(passages, question=question)))
        if not self.found:  # nothing to take apart: the question as it is
            yield from self.look(task.question)
        return self.finish()

    def finish(self) -> Answer:
        """The answers so far, composed. Passages that they cite come first."""
        cites: tuple[Cite, ...] = sum((answer.cites for _, answer in self.told), ())
        passages: list[Passage] = cited_first(Answer(text="", cites=cites[:100]), self.found)
        return self.answer(passages, notes=self._notes())

    def _next_question(self) -> str | None:
        """The next thing to look up; None if the model is done or says nothing of use."""
        values = {"question": self.question, "told": self._notes() or "(nothing yet)"}
        messages = [
            Message("system", prompt("decompose"), pinned=True),
            Message("user", fill("decompose_next", **values), pinned=True),
        ]
        found = self.ask_json(messages, "next", max_tokens=CRITIQUE_TOKENS)
        if found is None:
            if self.told:
                self.fault("malformed", "no next question: composes what there is")
                return None
            self.fault("malformed", "no next question: the question is looked up as it is")
            return self.question
        question = found["next"]
        if not isinstance(question, str) or not question.strip():
            return None
        question = " ".join(question.split())[:MAX_CHARS]
        if question in [asked for asked, _ in self.told]:
            self.fault("malformed", f"the same question again: {question}")
            return None
        self.llm.think(f"next: {question}")
        return question

    def _notes(self) -> str:
        return "\n".join(f"Asked: {question}\nFound: {a.text}" for question, a in self.told)
