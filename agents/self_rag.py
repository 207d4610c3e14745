"""Self-RAG: retrieve on demand, and criticise passages and drafts.

Asai et al., "Self-RAG: Learning to Retrieve, Generate, and Critique through Self-Reflection", ICLR
2024. The paper's reflection tokens (retrieve, relevant, supported, useful) are questions to the
model here. Passages are judged all at once instead of one by one. Drafts are ranked as there:
support counts 1, usefulness from -1 to 1 with half the weight.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from deskgym.agents.base import TaskView
from deskgym.agents.llm import LLM, Message
from deskgym.agents.prompts import fill, prompt
from deskgym.agents.reading import (
    CRITIQUE_TOKENS,
    Passage,
    PassageAgent,
    distinct,
    numbers,
    word_of,
)
from deskgym.agents.steps import Play
from deskgym.env.actions import Answer, Ranking
from deskgym.env.observations import Observation

USEFUL_FROM = 4  # of 5: a draft that is supported and this useful is the answer
_SUPPORT = {"full": 1.0, "part": 0.5, "no": 0.0}


@dataclass(frozen=True)
class Critique:
    """What a draft is worth: support in [0, 1], usefulness 1 to 5, what should be looked for."""

    support: float
    useful: int
    missing: str = ""

    @property
    def settled(self) -> bool:
        """Nothing is left to do."""
        return self.support == 1.0 and self.useful >= USEFUL_FROM

    @property
    def worth(self) -> float:
        """By which drafts are ranked."""
        return self.support + 0.5 * (self.useful - 3) / 2


class SelfRagAgent(PassageAgent):
    """Looks, drafts, criticises, and goes on for at most ``max_rounds`` drafts."""

    name = "self_rag"

    def __init__(
        self,
        llm: Mapping[str, Any] | LLM,
        k: int = 10,
        ranking: Ranking = "bm25",
        dates: bool = True,
        max_rounds: int = 3,
    ) -> None:
        super().__init__(llm, k, ranking, dates)
        if max_rounds < 1:
            raise ValueError(f"max_rounds is at least 1, not {max_rounds}")
        self.max_rounds = max_rounds
        self.best: tuple[Answer, Critique] | None = None
        self.relevant: list[Passage] = []

    def reset(self, task: TaskView, tools: frozenset[str]) -> None:
        """Forget the last episode."""
        super().reset(task, tools)
        self.best, self.relevant = None, []

    def play(self, task: TaskView, tools: frozenset[str], welcome: Observation) -> Play:
        """Rounds of looking, drafting and criticising; the best draft is the answer."""
        yield from self.begin(welcome)
        query, notes = self._first_query(), ""
        for _ in range(self.max_rounds):
            if query:
                passages = yield from self.look(query)
                self.relevant = distinct([*self.relevant, *self._relevant(passages)])
            draft = self.answer(self.relevant, notes=notes)
            critique = self._critique(draft)
            if self.best is None or critique.worth > self.best[1].worth:
                self.best = draft, critique
            if critique.settled:
                break
            # Partly supported and nothing missing: the same passages, another draft.
            query = critique.missing or ("" if query and critique.support else task.question)
            notes = _hint(draft, critique)
            if query and not self.may_look:
                break
        return self.finish()

    def finish(self) -> Answer:
        """The best draft; without one, an answer from what was found."""
        return self.best[0] if self.best else self.answer(self.relevant or self.found)

    def _first_query(self) -> str:
        """What to look for; nothing if the model can do without."""
        messages = [
            Message("system", prompt("self_rag_retrieve"), pinned=True),
            Message("user", fill("self_rag_question", question=self.question), pinned=True),
        ]
        said = self.ask_json(messages, "retrieve", max_tokens=CRITIQUE_TOKENS)
        if said is None:
            self.fault("malformed", "decision unreadable: retrieves")
            return self.question
        if said["retrieve"] is False or word_of(said["retrieve"], {"no": True, "false": True}):
            return ""
        query = said.get("query")
        return query if isinstance(query, str) and query.strip() else self.question

    def _relevant(self, passages: Sequence[Passage]) -> list[Passage]:
        """Those of ``passages`` that the model calls relevant."""
        if not passages:
            return []
        messages, shown = self.showing(
            passages,
            system="self_rag_relevance",
            question=self.question,
            max_tokens=CRITIQUE_TOKENS,
        )
        said = self.ask_json(messages, "relevant", max_tokens=CRITIQUE_TOKENS)
        if said is None:
            self.fault("malformed", "critique unreadable: all taken as relevant")
            return shown
        return [shown[n - 1] for n in numbers(said["relevant"], len(shown))]

    def _critique(self, draft: Answer) -> Critique:
        cited = ", ".join(f"{cite.path} {cite.locator}" for cite in draft.cites) or "nothing"
        messages, _ = self.showing(
            self.relevant,
            system="self_rag_support",
            question=self.question,
            draft=f"{draft.text}\nIt cites: {cited}",
            max_tokens=CRITIQUE_TOKENS,
        )
        said = self.ask_json(messages, "support", max_tokens=CRITIQUE_TOKENS)
        support = None if said is None else word_of(said["support"], _SUPPORT)
        if said is None or support is None:
            self.fault("malformed", "critique unreadable: draft taken as supported")
            return Critique(1.0, USEFUL_FROM)
        useful = numbers(said.get("useful"), 5)
        missing = said.get("missing")
        critique = Critique(
            support=support,
            useful=useful[0] if useful else 3,
            missing=missing.strip() if isinstance(missing, str) else "",
        )
        self.llm.think(f"draft: {draft.text}; support {critique.support}, useful {critique.useful}")
        return critique


def _hint(draft: Answer, critique: Critique) -> str:
    how = {1.0: "supported", 0.5: "supported only in part"}.get(critique.support, "not supported")
    return f"An earlier draft was {how} by the passages: {draft.text}"
