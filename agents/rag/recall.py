"""How much of the gold evidence a ranking brings up: recall at k."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from deskgym.tasks.locators import AnyLocator, WholeFile, overlaps
from deskgym.tasks.schema import Evidence, Task
from deskgym.tasks.scoring.evidence import LOCATED_THRESHOLD, exposure_by_text


class Placed(Protocol):
    """A stretch of a file's text, and where it stands."""

    @property
    def path(self) -> str: ...

    @property
    def locator(self) -> AnyLocator: ...

    @property
    def text(self) -> str: ...


@dataclass(frozen=True)
class TaskRecall:
    """Of one task: the share of its evidence units, and of its files, among the first k chunks."""

    task: Task
    evidence: Mapping[int, float]
    files: Mapping[int, float]


Rank = Callable[[str, int], Sequence[Placed]]
"""The best chunks for a question, best first, and no more than that many."""


def recall_at(tasks: Iterable[Task], rank: Rank, ks: Sequence[int]) -> list[TaskRecall]:
    """Recall at each k of ``rank`` with the question as it is.

    Tasks without evidence are left out. A unit is found if a chunk of its file overlaps its
    place; where the unit's place is the whole file, if most of the one's words stand in the
    other in order.
    """
    recalls = []
    for task in tasks:
        if not task.evidence:
            continue
        top = rank(task.question, max(ks))
        first = {unit.evidence_id: _first_rank(unit, top) for unit in task.evidence}
        evidence, files = {}, {}
        for k in ks:
            found = sum(rank is not None and rank < k for rank in first.values())
            evidence[k] = found / len(first)
            files[k] = len({chunk.path for chunk in top[:k]} & set(task.files)) / len(task.files)
        recalls.append(TaskRecall(task, evidence, files))
    return recalls


def _first_rank(unit: Evidence, top: Sequence[Placed]) -> int | None:
    for rank, chunk in enumerate(top):
        if chunk.path == unit.file_path and _meets(unit, chunk):
            return rank
    return None


def _meets(unit: Evidence, chunk: Placed) -> bool:
    if not isinstance(unit.locator, WholeFile) and not isinstance(chunk.locator, WholeFile):
        return overlaps(unit.locator, chunk.locator)
    # A section can be longer than a chunk, or a chunk longer than a section.
    return any(
        exposure_by_text(one, other, threshold=LOCATED_THRESHOLD) >= LOCATED_THRESHOLD
        for one, other in ((unit.text, chunk.text), (chunk.text, unit.text))
    )
