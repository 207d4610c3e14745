"""How much gold evidence rankings bring up: recall at k by words, by meaning and by both.

Of a data set with sources from outside, everything is measured twice: with them, that is all files
and all tasks that have evidence; and without, that is the files of its own kind alone and the tasks
whose evidence lies in these alone. RHELM's own are the conversations, mails and attachments come
from outside.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any, Literal

from rich.box import SIMPLE_HEAD
from rich.table import Table

from deskgym.agents.rag.chunks import profile_chunks
from deskgym.agents.rag.embed import open_embedder
from deskgym.agents.rag.recall import TaskRecall, recall_at
from deskgym.agents.rag.retriever import RetrievalConfig, profile_retriever
from deskgym.env.actions import Ranking
from deskgym.env.retrieval import Passage
from deskgym.tasks.laid_out import profile_digest
from deskgym.tasks.registry import Dataset
from deskgym.tasks.schema import Profile, Task

KS = (5, 20, 50)
ALL = "all"
SAMPLE = 64  # passages whose embedding is timed; with those of the cache there is nothing to time
OWN_FOLDERS: Mapping[str, str] = {"rhelm": "Conversations/"}
"""By data set: the folder of what is not from outside."""

Sources = Literal["with external", "without external"]


@dataclass(frozen=True)
class Recall:
    """One ranking of one person's passages, or of all people's: what came of each task.

    ``index_s`` is what the postings of all passages took when the index was made, ``query_s`` all
    queries together, with what the embedder takes for them.
    """

    group: str
    sources: Sources
    ranking: Ranking
    tasks: tuple[TaskRecall, ...]
    chunks: int
    unread: int
    index_s: float
    query_s: float

    def evidence(self, k: int) -> float | None:
        """The mean over tasks, not over people; None without a task."""
        return fmean(one.evidence[k] for one in self.tasks) if self.tasks else None

    def files(self, k: int) -> float | None:
        """As `evidence`, of the gold files."""
        return fmean(one.files[k] for one in self.tasks) if self.tasks else None

    def as_json(self, ks: Sequence[int] = KS) -> dict[str, Any]:
        """Plain values, ready for ``json.dumps``."""
        return {
            "group": self.group,
            "sources": self.sources,
            "ranking": self.ranking,
            "tasks": len(self.tasks),
            "units": sum(len(one.task.evidence) for one in self.tasks),
            "chunks": self.chunks,
            "unread": self.unread,
            "evidence_recall": {str(k): self.evidence(k) for k in ks},
            "file_recall": {str(k): self.files(k) for k in ks},
            "queries_per_s": _rate(len(self.tasks), self.query_s),
        }


def measure(
    dataset: Dataset, name: str, config: RetrievalConfig, ks: Sequence[int] = KS
) -> Iterator[Recall]:
    """The recall of each ranking that ``config`` allows, for one person.

    Raises:
        RetrieverError: a library is missing, or the embedder fails.
    """
    profile, tasks = dataset.profile(name), dataset.tasks(name)
    yield from _measure(profile, tasks, "with external", config, ks)
    if (folder := OWN_FOLDERS.get(dataset.name)) is not None:
        own = [task for task in tasks if all(e.file_path.startswith(folder) for e in task.evidence)]
        yield from _measure(_only(profile, folder), own, "without external", config, ks)


def total(rows: Sequence[Recall]) -> list[Recall]:
    """All people together, for each ranking with and without sources from outside."""
    groups: dict[tuple[str, str], Recall] = {}
    for row in rows:
        key = row.sources, row.ranking
        so_far = groups.get(key)
        groups[key] = replace(row, group=ALL) if so_far is None else _sum(so_far, row)
    return list(groups.values())


def embedding_rate(profile: Profile, config: RetrievalConfig) -> float | None:
    """Passages a second that the embedder takes, by `SAMPLE` of them from all over the profile."""
    chunks, _ = profile_chunks(profile, config.chunking)
    if config.embedder is None or not chunks:
        return None
    embedder = open_embedder(config.embedder)
    texts = [chunk.text for chunk in chunks[:: max(1, len(chunks) // SAMPLE)]][:SAMPLE]
    begun = time.perf_counter()
    embedder.passages([piece for text in texts for piece in embedder.cut(text)])
    return len(texts) / (time.perf_counter() - begun)


def rankings_of(config: RetrievalConfig) -> tuple[Ranking, ...]:
    """What can be ranked by: without an embedder only words."""
    return ("bm25",) if config.embedder is None else ("bm25", "dense", "hybrid")


def _measure(
    profile: Profile,
    tasks: Sequence[Task],
    sources: Sources,
    config: RetrievalConfig,
    ks: Sequence[int],
) -> Iterator[Recall]:
    with profile_retriever(profile, config) as retriever:
        for ranking in rankings_of(config):
            spent = 0.0

            def rank(question: str, depth: int, ranking: Ranking = ranking) -> Sequence[Passage]:
                nonlocal spent
                begun = time.perf_counter()
                found = retriever.search(question, top_k=depth, ranking=ranking, modality=None)
                spent += time.perf_counter() - begun
                return found

            found = recall_at(tasks, rank, ks)
            meta = retriever.meta
            yield Recall(
                group=profile.id,
                sources=sources,
                ranking=ranking,
                tasks=tuple(found),
                chunks=meta.chunks,
                unread=meta.unread,
                index_s=meta.words_s,
                query_s=spent,
            )


def _only(profile: Profile, folder: str) -> Profile:
    """The profile with the files of one folder."""
    files = tuple(record for record in profile.files if record.path.startswith(folder))
    changes = {"files": files, "digest": profile_digest(files), "part_of": profile.digest}
    return profile.model_copy(update=changes)


def _sum(one: Recall, other: Recall) -> Recall:
    return replace(
        one,
        tasks=one.tasks + other.tasks,
        chunks=one.chunks + other.chunks,
        unread=one.unread + other.unread,
        index_s=one.index_s + other.index_s,
        query_s=one.query_s + other.query_s,
    )


def _rate(count: int, seconds: float) -> float | None:
    return count / seconds if seconds > 0 else None


# --- what is printed ---


def table(rows: Sequence[Recall], ks: Sequence[int] = KS) -> Table:
    """Evidence recall at each k, the rankings beside each other, a line a person."""
    made = Table(
        title="Recall of evidence at k",
        title_justify="left",
        show_edge=False,
        box=SIMPLE_HEAD,  # no lines between twelve columns: they would not fit
        padding=0,
    )
    made.add_column("", no_wrap=True)
    for header in ("tasks", "chunks", "unread"):
        made.add_column(header, justify="right", no_wrap=True)
    rankings = list(dict.fromkeys(row.ranking for row in rows))
    for k in ks:
        for ranking in rankings:
            made.add_column(f"{ranking}\n@{k}", justify="right", no_wrap=True)
    several = len({row.sources for row in rows}) > 1
    for sources in dict.fromkeys(row.sources for row in rows):
        if several:
            made.add_row(f"[italic]{sources} sources[/]")
        of_kind = [row for row in rows if row.sources == sources]
        for group in dict.fromkeys(row.group for row in of_kind):
            own = {row.ranking: row for row in of_kind if row.group == group}
            first = own[rankings[0]]
            made.add_row(
                group,
                *(f"{n:,}" for n in (len(first.tasks), first.chunks, first.unread)),
                *(_share(own[ranking].evidence(k)) for k in ks for ranking in rankings),
                style="bold" if group == ALL else None,
            )
    return made


def speed_table(rows: Sequence[Recall], embedding: float | None, ks: Sequence[int] = KS) -> Table:
    """A line a ranking, over all people and files: recall of files, indexing and asking."""
    made = Table(title="By ranking, all files", title_justify="left", show_edge=False)
    made.add_column("")
    headers = [f"files\n@{k}" for k in ks]
    for header in (*headers, "indexing,\nchunks/s", "asking,\nqueries/s"):
        made.add_column(header, justify="right")
    for row in total([row for row in rows if row.sources == "with external" and row.group != ALL]):
        words = _rate(row.chunks, row.index_s)
        both = 1 / (1 / words + 1 / embedding) if words and embedding else None
        made.add_row(
            row.ranking,
            *(_share(row.files(k)) for k in ks),
            _figure({"bm25": words, "dense": embedding}.get(row.ranking, both)),
            _figure(_rate(len(row.tasks), row.query_s)),
        )
    return made


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:,.0f}" if value >= 10 else f"{value:.1f}"
