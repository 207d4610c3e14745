"""HyDE: look with a passage that would answer the question, had somebody written it.

Gao et al., "Precise Zero-Shot Dense Retrieval without Relevance Labels", ACL 2023. The paper
averages the embeddings of several such passages and of the question; here the question and the
passages are one query, which serves rankings by words as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from deskgym.agents.base import TaskView
from deskgym.agents.llm import LLM, Message
from deskgym.agents.prompts import fill, prompt
from deskgym.agents.reading import PassageAgent, prose
from deskgym.agents.steps import Play
from deskgym.env.actions import MAX_QUERY, Ranking
from deskgym.env.observations import Observation

DRAFT_TOKENS = 256


class HydeAgent(PassageAgent):
    """Has the model imagine ``drafts`` passages, searches with them, answers from what is found.

    The imagined passages are never shown when it answers.
    """

    name = "hyde"

    def __init__(
        self,
        llm: Mapping[str, Any] | LLM,
        k: int = 10,
        ranking: Ranking = "bm25",
        dates: bool = True,
        drafts: int = 1,
    ) -> None:
        super().__init__(llm, k, ranking, dates)
        if not 1 <= drafts <= 8:
            raise ValueError(f"drafts is 1 to 8, not {drafts}")
        self.drafts = drafts

    def play(self, task: TaskView, tools: frozenset[str], welcome: Observation) -> Play:
        """Imagine, search, answer."""
        yield from self.begin(welcome)
        passages = yield from self.look(self._imagined(task.question) if self.may_look else "")
        return self.answer(passages)

    def _imagined(self, question: str) -> str:
        """The query: the question, then as much of each imagined passage as there is room for."""
        messages = [
            Message("system", prompt("hyde"), pinned=True),
            Message("user", fill("hyde_question", question=question), pinned=True),
        ]
        question = question[: MAX_QUERY // 2]
        share = (MAX_QUERY - len(question)) // self.drafts - 1
        parts = [question]
        for _ in range(self.drafts):
            text = self.ask_until(prose, messages, max_tokens=DRAFT_TOKENS)
            if text is None:
                self.fault("malformed", "no passage imagined: searched with the question alone")
                break
            self.llm.think(f"imagined: {text}")
            parts.append(" ".join(text.split())[:share])
        return " ".join(parts)
