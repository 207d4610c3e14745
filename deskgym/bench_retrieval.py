"""How much gold evidence ranking by words brings up, by person: recall at k of BM25."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from rich.table import Table

from deskgym.agents.rag.chunks import profile_chunks
from deskgym.agents.rag.recall import TaskRecall, recall_at
from deskgym.tasks.registry import Dataset

KS = (5, 20, 50)
ALL = "all"


@dataclass(frozen=True)
class Recall:
    """The means over a group's tasks that have evidence; ``unread`` files gave no text."""

    group: str
    tasks: int
    units: int
    chunks: int
    unread: int
    evidence: dict[int, float]
    files: dict[int, float]

    def as_json(self) -> dict[str, Any]:
        """Plain values, ready for ``json.dumps``."""
        return {
            "group": self.group,
            "tasks": self.tasks,
            "units": self.units,
            "chunks": self.chunks,
            "unread": self.unread,
            "evidence_recall": {str(k): value for k, value in self.evidence.items()},
            "file_recall": {str(k): value for k, value in self.files.items()},
        }


def measure(dataset: Dataset, people: Sequence[str], ks: Sequence[int] = KS) -> Iterator[Recall]:
    """The recall of each of ``people``, and of all together where there are several.

    Means are over tasks, not over people.
    """
    every: list[TaskRecall] = []
    chunks_of_all = unread_of_all = 0
    for name in people:
        chunks, unread = profile_chunks(dataset.profile(name))
        found = recall_at(dataset.tasks(name), chunks, ks)
        yield _mean(name, found, len(chunks), len(unread), ks)
        every += found
        chunks_of_all += len(chunks)
        unread_of_all += len(unread)
    if len(people) > 1:
        yield _mean(ALL, every, chunks_of_all, unread_of_all, ks)


def _mean(
    group: str, found: Sequence[TaskRecall], chunks: int, unread: int, ks: Sequence[int]
) -> Recall:
    return Recall(
        group=group,
        tasks=len(found),
        units=sum(len(one.task.evidence) for one in found),
        chunks=chunks,
        unread=unread,
        evidence={k: fmean(one.evidence[k] for one in found) for k in ks} if found else {},
        files={k: fmean(one.files[k] for one in found) for k in ks} if found else {},
    )


def table(rows: Sequence[Recall], ks: Sequence[int] = KS) -> Table:
    """The rows, ready to print."""
    made = Table(title="BM25: recall at k", title_justify="left", show_edge=False)
    made.add_column("", no_wrap=True)
    for header in ("tasks", "units", "chunks", "unread"):
        made.add_column(header, justify="right")
    for k in ks:
        made.add_column(f"evidence\n@{k}", justify="right")
    for k in ks:
        made.add_column(f"files\n@{k}", justify="right")
    for row in rows:
        shares = [row.evidence.get(k) for k in ks] + [row.files.get(k) for k in ks]
        made.add_row(
            row.group,
            *(f"{n:,}" for n in (row.tasks, row.units, row.chunks, row.unread)),
            *("-" if share is None else f"{share:.3f}" for share in shares),
            style="bold" if row.group == ALL else None,
        )
    return made
