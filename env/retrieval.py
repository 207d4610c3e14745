"""Search beside the desk: what an environment asks of a retriever, and how it answers for it.

A retriever ranks passages of one person's text on the host, by words or by meaning. It is made for
a profile and never sees a task. What it returns is a step like any other: logged, and held against
the gold evidence.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from deskgym.env.actions import Ranking, Search
from deskgym.env.sandbox.base import DeskError, Response
from deskgym.tasks.locators import AnyLocator
from deskgym.tasks.schema import Modality, Profile


@dataclass(frozen=True)
class Passage:
    """A stretch of a file's text that was found, the better the higher its score."""

    path: str
    locator: AnyLocator
    text: str
    score: float


class RetrieverError(RuntimeError):
    """It cannot rank that way: no embedder, or one that fails. The message says what to do."""


class Retriever(Protocol):
    """Ranks the passages of one profile. Used by one thread at a time."""

    def search(
        self, query: str, *, top_k: int, ranking: Ranking, modality: Modality | None
    ) -> Sequence[Passage]:
        """The best passages, best first.

        Raises:
            RetrieverError: see there.
        """
        ...


MakeRetriever = Callable[[Profile], Retriever]


def search_beside(action: Search, retriever: Retriever | None) -> Response:
    """The answer to a search that the desk itself cannot do."""
    if retriever is None:
        return _refused(
            f"ranking {action.ranking!r} needs a retriever, and there is none; "
            "search with ranking 'words'"
        )
    try:
        found = retriever.search(
            action.query, top_k=action.top_k, ranking=action.ranking, modality=action.modality
        )
    except RetrieverError as error:
        return _refused(str(error))
    hits = [
        {
            "path": passage.path,
            "locator": str(passage.locator),
            "snippet": passage.text,
            "score": round(passage.score, 6),
        }
        for passage in found
    ]
    return Response(ok=True, info={"hits": hits})


def _refused(message: str) -> Response:
    return Response(ok=False, error=DeskError(kind="unsupported", message=message))
