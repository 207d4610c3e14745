"""Searches beside the desk, as a run's settings say: by words, by meaning, or by both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from deskgym.agents.rag.chunks import Chunking
from deskgym.agents.rag.embed import Embedder, EmbedderConfig, embedder_config, open_embedder
from deskgym.agents.rag.fusion import RRF_K, fuse
from deskgym.agents.rag.index import Index, IndexSettings, Meta, Ranked, index_of
from deskgym.env.actions import Ranking
from deskgym.env.closing import Closing
from deskgym.env.retrieval import MakeRetriever, Passage, RetrieverError
from deskgym.tasks.schema import Modality, Profile


class BadRetrieval(ValueError):
    """Settings that no retriever can be made of. The message names the field."""


class RetrievalConfig(BaseModel):
    """How searches beside the desk work.

    ``embedder`` is a short spec or a table (`deskgym.agents.rag.embed`); without one only words are
    ranked. ``hybrid`` fuses the first ``depth`` of both rankings by reciprocal rank with ``rrf_k``;
    ``weights`` are those of words and of meaning.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    chunking: Chunking = "turn"
    embedder: EmbedderConfig | None = None
    rrf_k: int = Field(default=RRF_K, ge=0)
    depth: int = Field(default=100, ge=1)
    weights: tuple[float, float] = (1.0, 1.0)

    @field_validator("embedder", mode="before")
    @classmethod
    def _named(cls, given: Any) -> Any:
        return embedder_config(given) if isinstance(given, str | Mapping) else given

    @field_validator("weights")
    @classmethod
    def _some_weight(cls, weights: tuple[float, float]) -> tuple[float, float]:
        if min(weights) < 0 or max(weights) <= 0:
            raise ValueError("weights are not below zero, and not both zero")
        return weights


class ProfileRetriever(Closing):
    """Ranks the passages of one index. Satisfies `deskgym.env.retrieval.Retriever`.

    It may be closed, and is closed as a context manager; else it is when nobody holds it.
    """

    def __init__(self, index: Index, config: RetrievalConfig, embedder: Embedder | None) -> None:
        self._index = index
        self._config = config
        self._embedder = embedder

    def search(
        self, query: str, *, top_k: int, ranking: Ranking, modality: Modality | None
    ) -> Sequence[Passage]:
        """The best passages, best first. A score is BM25's, the cosine, or the fused one.

        Raises:
            RetrieverError: there is no embedder for this ranking, or it fails.
        """
        ranked = self._ranked(query, top_k, ranking, modality)
        found = [(self._index.chunk(number), score) for number, score in ranked]
        return [Passage(chunk.path, chunk.locator, chunk.text, score) for chunk, score in found]

    @property
    def meta(self) -> Meta:
        """What is in the index."""
        return self._index.meta

    def close(self) -> None:
        """Let go of the index's files."""
        self._index.close()

    def _ranked(
        self, query: str, top_k: int, ranking: Ranking, modality: Modality | None
    ) -> Ranked:
        if ranking in ("words", "bm25"):
            return self._index.by_words(query, top_k, modality)
        if self._embedder is None:
            raise RetrieverError(
                f"ranking {ranking!r} needs an embedder, and the run's settings name none; "
                "search with ranking 'bm25'"
            )
        if self._index.meta.chunks == 0:
            return []
        vector = self._embedder.query(query)
        if ranking == "dense":
            return self._index.by_meaning(vector, top_k, modality)
        depth = max(self._config.depth, top_k)
        rankings = (
            self._index.by_words(query, depth, modality),
            self._index.by_meaning(vector, depth, modality),
        )
        numbers = [[number for number, _ in one] for one in rankings]
        return fuse(numbers, self._config.weights, k=self._config.rrf_k)[:top_k]


def make_retriever(config: Mapping[str, Any]) -> MakeRetriever:
    """What makes a person's retriever by these settings (`RetrievalConfig`); all have defaults.

    The embedder is opened, and the index made, when a person's retriever is.

    Raises:
        BadRetrieval: the settings do not fit.
    """
    settings = retrieval_config(config)

    def make(profile: Profile) -> ProfileRetriever:
        return profile_retriever(profile, settings)

    return make


def retrieval_config(config: Mapping[str, Any]) -> RetrievalConfig:
    """The settings, checked.

    Raises:
        BadRetrieval: they do not fit.
    """
    try:
        return RetrievalConfig.model_validate(dict(config))
    except ValidationError as error:
        first = error.errors(include_input=False)[0]
        field = ".".join(("retrieval", *map(str, first["loc"])))
        raise BadRetrieval(f"{field}: {first['msg'].removeprefix('Value error, ')}") from error


def profile_retriever(profile: Profile, settings: RetrievalConfig) -> ProfileRetriever:
    """The retriever of one person.

    Raises:
        RetrieverError: the embedder cannot be opened or fails, or a library is missing.
    """
    embedder = None if settings.embedder is None else open_embedder(settings.embedder)
    index = index_of(profile, IndexSettings(settings.chunking, embedder))
    return ProfileRetriever(index, settings, embedder)
