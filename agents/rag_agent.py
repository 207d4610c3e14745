"""RAG: look once with the question as it is, then answer from what was found.

Lewis et al., "Retrieval-Augmented Generation for Knowledge-Intensive NLP Tasks", NeurIPS 2020. As
RHELM's retrieval baselines do, the model is not trained for it but shown the passages.
"""

from __future__ import annotations

from deskgym.agents.base import TaskView
from deskgym.agents.reading import PassageAgent
from deskgym.agents.steps import Play
from deskgym.env.observations import Observation


class RagAgent(PassageAgent):
    """Searches for the question, answers from the ``k`` best passages."""

    name = "rag"

    def play(self, task: TaskView, tools: frozenset[str], welcome: Observation) -> Play:
        """One search, one request to the model."""
        yield from self.begin(welcome)
        passages = yield from self.look(task.question)
        return self.answer(passages)
