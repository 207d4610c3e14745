"""A retriever that is made when it is first needed, for agents that may never search so."""

from __future__ import annotations

from collections.abc import Sequence

from deskgym.env.actions import Ranking
from deskgym.env.retrieval import Passage, Retriever
from deskgym.tasks.schema import Modality, Profile


class LateRetriever:
    """Satisfies `deskgym.env.retrieval.Retriever`, with the settings that hold by default."""

    def __init__(self, profile: Profile) -> None:
        self._profile = profile
        self._made: Retriever | None = None

    def search(
        self, query: str, *, top_k: int, ranking: Ranking, modality: Modality | None
    ) -> Sequence[Passage]:
        """The best passages, best first.

        Raises:
            RetrieverError: it cannot be made, or not rank so.
        """
        if self._made is None:
            from deskgym.agents.rag.retriever import make_retriever

            self._made = make_retriever({})(self._profile)
        return self._made.search(query, top_k=top_k, ranking=ranking, modality=modality)
