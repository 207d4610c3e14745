"""RHELM: ten people's year of chats, mails and attachments, and questions about them.

Source: the benchmark as its authors published it (folders ``QA_final``, ``conversations``,
``emails``, ``attachments``). What goes onto a desk is made from it once, into the cache:

* ``Conversations/2024-01-02.md``: a transcript a day, a heading a turn;
* ``Mail/2024-01-02 1 Subject.eml``: a message a mail; of what was published of it, the summary is
  the body;
* ``Attachments/02_notes_task_3b84b22e.md``: as they are. Their numbers count the days, so they
  are dated the day of the conversation and mails with that number.

``as_of="question"`` shows of a person what is dated up to the day on which a question is asked.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from deskgym.tasks.cache import cache_root
from deskgym.tasks.findings import Finding
from deskgym.tasks.laid_out import file_record, lay_out, link_from, profile_digest
from deskgym.tasks.locations import dataset_folder
from deskgym.tasks.registry import profile_id
from deskgym.tasks.rhelm.layout import Desk, Person, people, read_desk
from deskgym.tasks.rhelm.questions import read_records, tasks_of
from deskgym.tasks.schema import FileRecord, Profile, Task

__all__ = ["RhelmDataset"]

AS_OF = "question"


@dataclass(frozen=True)
class _Loaded:
    """All of one person. ``days`` gives the day that each file is of, by path."""

    profile: Profile
    tasks: tuple[Task, ...]
    findings: tuple[Finding, ...]
    days: Mapping[str, date]


class RhelmDataset:
    """See `deskgym.tasks.registry.Dataset`.

    Raises:
        DatasetMissing: it is not on this computer.
        BadDataset: the folder has not RHELM's layout; the methods raise it for its files.
        ValueError: ``as_of`` is neither None nor ``question``.
    """

    name = "rhelm"

    def __init__(self, path: str | Path | None = None, *, as_of: str | None = None) -> None:
        if as_of not in (None, AS_OF):
            raise ValueError(f"as_of is {AS_OF!r} or None, not {as_of!r}")
        self._as_of = as_of
        self._root = dataset_folder(self.name, path)
        self._people = {person.id: person for person in people(self._root)}
        self._loaded: dict[str, _Loaded] = {}
        self._parts: dict[tuple[str, date], Profile] = {}

    @functools.cached_property
    def digest(self) -> str:
        sha = hashlib.sha256()
        for full, person in self._people.items():
            asked = person.questions.read_bytes() if person.questions else b""
            sha.update(self.profile(full).digest.encode() + hashlib.sha256(asked).digest())
        return sha.hexdigest()

    def profiles(self) -> tuple[str, ...]:
        return tuple(self._people)

    def profile(self, name: str) -> Profile:
        return self._load(name).profile

    def tasks(self, name: str) -> tuple[Task, ...]:
        return self._load(name).tasks

    def findings(self, name: str) -> tuple[Finding, ...]:
        return self._load(name).findings

    def profile_for(self, task: Task) -> Profile:
        loaded = self._load(task.profile_id)
        if self._as_of is None or task.asked is None:
            return loaded.profile
        whole, asked = loaded.profile, task.asked
        shown = tuple(r for r in whole.files if loaded.days[r.path] <= asked)
        if len(shown) == len(whole.files):
            return whole
        # Days on which nothing is added see the same files.
        newest = max((loaded.days[r.path] for r in shown), default=asked)
        key = whole.id, newest
        if key not in self._parts:
            self._parts[key] = _part(whole, shown, newest)
        return self._parts[key]

    def _load(self, name: str) -> _Loaded:
        full = profile_id(self, name)
        if full not in self._loaded:  # asked for at every reset
            person = self._people[full]
            desk = read_desk(self._root, person)
            records = read_records(person.questions) if person.questions else ()
            tasks, findings = tasks_of(records, full, desk)
            if person.questions is None:
                findings = (_unasked(full), *findings)
            self._loaded[full] = _Loaded(
                profile=_whole(person, desk),
                tasks=tasks,
                findings=(*desk.findings, *findings),
                days={path: file.day for path, file in desk.files.items()},
            )
        return self._loaded[full]


def _whole(person: Person, desk: Desk) -> Profile:
    records = tuple(
        file_record(number, path, file.data, file.created, file.modified)
        for number, (path, file) in enumerate(sorted(desk.files.items()), 1)
    )
    digest = profile_digest(records)

    def write(record: FileRecord, file: Path) -> None:
        file.write_bytes(desk.files[record.path].data)

    days = sorted(file.day for file in desk.files.values()) or [date.min]
    return Profile(
        id=person.id,
        user=person.user,
        description=f"Chats with an assistant, mails, attachments: {days[0]} to {days[-1]}.",
        root=lay_out(_folder(f"{person.name}-{digest[:16]}"), records, write),
        files=records,
        digest=digest,
    )


def _part(whole: Profile, shown: tuple[FileRecord, ...], newest: date) -> Profile:
    """What ``whole`` held on the day ``newest``: links to its files."""
    digest = profile_digest(shown)
    target = _folder(f"{whole.name}-asof-{newest:%Y%m%d}-{digest[:16]}")
    return whole.model_copy(
        update={
            "root": lay_out(target, shown, link_from(whole.root)),
            "files": shown,
            "digest": digest,
            "part_of": whole.digest,
        }
    )


def _folder(name: str) -> Path:
    return cache_root() / "profiles" / "rhelm" / name


def _unasked(profile_id: str) -> Finding:
    return Finding(
        rule="no-questions",
        severity="warning",
        profile_id=profile_id,
        field="QA_final",
        message="there is no file of questions about this person",
    )
