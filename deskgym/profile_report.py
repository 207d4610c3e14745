"""What is on a person's computer and what is asked about it, in numbers.

The breakdown is that of HippoCamp's appendix A.6: files and bytes by modality and by type, the
largest files, when files were created and modified, tasks by family and by breadth of evidence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from deskgym.tasks.registry import Dataset
from deskgym.tasks.schema import FileRecord, Task
from deskgym.tasks.scoring.difficulty import task_features

_LARGEST: Final = 10
_MAX_GAPS: Final = 120
"""Periods: over a longer time those without files are left out."""


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Group(_Model):
    """Files of one kind."""

    name: str
    files: int
    bytes: int


class Large(_Model):
    path: str
    bytes: int
    modality: str
    modified: datetime


class Period(_Model):
    """A year (``2024``) or a month (``2024-05``), and how many files are of it."""

    name: str
    files: int


class Breadth(_Model):
    """How many tasks have so much evidence: ``name`` is a number or a range of them."""

    name: str
    tasks: int


class Family(_Model):
    name: str
    tasks: int


class TaskReport(_Model):
    """``by_files``: how many gold files a task has; ``by_modalities``: of how many modalities;
    ``by_units``: how many units of evidence."""

    total: int
    by_family: tuple[Family, ...]
    by_files: tuple[Breadth, ...]
    by_modalities: tuple[Breadth, ...]
    by_units: tuple[Breadth, ...]


class ProfileReport(_Model):
    """See the module."""

    format_version: Literal[1] = 1
    id: str
    user: str
    description: str
    digest: str
    files: int
    bytes: int
    by_modality: tuple[Group, ...] = Field(description="most files first")
    by_type: tuple[Group, ...] = Field(description="most files first")
    largest: tuple[Large, ...] = Field(description="ten, largest first")
    created: tuple[Period, ...]
    modified: tuple[Period, ...]
    tasks: TaskReport
    findings: dict[str, int] = Field(description="how many by severity")


def profile_report(dataset: Dataset, name: str) -> ProfileReport:
    """The report on the person of that id or bare name.

    Raises:
        UnknownProfile: there is none.
    """
    profile = dataset.profile(name)
    files = profile.files
    largest = sorted(files, key=lambda file: (-file.size, file.path))[:_LARGEST]
    return ProfileReport(
        id=profile.id,
        user=profile.user,
        description=profile.description,
        digest=profile.digest,
        files=len(files),
        bytes=sum(file.size for file in files),
        by_modality=_groups((file.modality, file.size) for file in files),
        by_type=_groups((file.type, file.size) for file in files),
        largest=tuple(
            Large(path=f.path, bytes=f.size, modality=f.modality, modified=f.modified)
            for f in largest
        ),
        created=periods([file.created for file in files]),
        modified=periods([file.modified for file in files]),
        tasks=_tasks(dataset.tasks(profile.id), files),
        findings=dict(sorted(Counter(f.severity for f in dataset.findings(profile.id)).items())),
    )


def periods(times: Sequence[datetime]) -> tuple[Period, ...]:
    """How many of ``times`` are of each year; of each month if all are within two years.

    From the first to the last, with those in between that have none.
    """
    if not times:
        return ()
    first, last = min(times), max(times)
    by_month = _month(last) - _month(first) < 24
    counts = Counter(_month(time) if by_month else time.year for time in times)
    known = sorted(counts)
    whole = range(known[0], known[-1] + 1)
    shown = whole if len(whole) <= _MAX_GAPS else known
    return tuple(
        Period(name=_month_name(at) if by_month else f"{at:04d}", files=counts[at]) for at in shown
    )


def _month(time: datetime) -> int:
    return time.year * 12 + time.month - 1


def _month_name(month: int) -> str:
    return f"{month // 12:04d}-{month % 12 + 1:02d}"


def _groups(pairs: Iterable[tuple[str, int]]) -> tuple[Group, ...]:
    files: Counter[str] = Counter()
    sizes: Counter[str] = Counter()
    for name, size in pairs:
        files[name] += 1
        sizes[name] += size
    names = sorted(files, key=lambda name: (-files[name], name))
    return tuple(Group(name=name, files=files[name], bytes=sizes[name]) for name in names)


def _tasks(tasks: Sequence[Task], files: Sequence[FileRecord]) -> TaskReport:
    known = {file.path: file for file in files}
    features = [task_features(task, known) for task in tasks]
    families = Counter(task.family for task in tasks)
    return TaskReport(
        total=len(tasks),
        by_family=tuple(
            Family(name=name, tasks=count)
            for name, count in sorted(families.items(), key=lambda item: (-item[1], item[0]))
        ),
        by_files=_breadth(int(one.evidence_files) for one in features),
        by_modalities=_breadth((int(one.modality_count) for one in features), exact=True),
        by_units=_breadth(int(one.evidence_items) for one in features),
    )


def _breadth(counts: Iterable[int], *, exact: bool = False) -> tuple[Breadth, ...]:
    """Tasks by count, in the ranges 0, 1, 2, 3-5, 6+; with ``exact`` by each number."""
    if exact:
        found = Counter(str(count) for count in counts)
        names = sorted(found, key=int)
    else:
        found = Counter(_range(count) for count in counts)
        names = [name for name in ("0", "1", "2", "3-5", "6+") if found[name]]
    return tuple(Breadth(name=name, tasks=found[name]) for name in names)


def _range(count: int) -> str:
    if count <= 2:
        return str(count)
    return "3-5" if count <= 5 else "6+"
