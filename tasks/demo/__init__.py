"""The demo people: three desks that ship with the package, files, tasks and gold evidence.

The script that makes them is `deskgym.tasks.demo.make`.
"""

from __future__ import annotations

import functools
import hashlib
import json
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from deskgym.tasks.cache import cache_root
from deskgym.tasks.findings import Finding
from deskgym.tasks.laid_out import lay_out, profile_digest
from deskgym.tasks.records import task_from_record
from deskgym.tasks.registry import profile_id
from deskgym.tasks.schema import FileRecord, Profile, Task

PEOPLE = ("adam", "bei", "victoria")
_RECORDS: TypeAdapter[tuple[FileRecord, ...]] = TypeAdapter(tuple[FileRecord, ...])


class DemoDataset:
    """See `deskgym.tasks.registry.Dataset`."""

    name = "demo"

    def __init__(self) -> None:
        self._tasks: dict[str, tuple[Task, ...]] = {}
        self._profiles: dict[str, Profile] = {}

    @functools.cached_property
    def digest(self) -> str:
        parts = [profile_digest(_records(name)) + _read(name, "tasks.json") for name in PEOPLE]
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()

    def profiles(self) -> tuple[str, ...]:
        return tuple(f"demo/{name}" for name in PEOPLE)

    def profile(self, name: str) -> Profile:
        full = profile_id(self, name)
        self._profiles[full] = made = self._made(full)
        return made

    def _made(self, full: str) -> Profile:
        short = full.partition("/")[2]
        person = json.loads(_read(short, "person.json"))
        records = _records(short)
        digest = profile_digest(records)
        return Profile(
            id=full,
            user=person["user"],
            description=person["description"],
            root=_laid_out(short, records, digest),
            files=records,
            digest=digest,
        )

    def tasks(self, name: str) -> tuple[Task, ...]:
        full = profile_id(self, name)
        if full not in self._tasks:  # asked for at every reset
            records: list[dict[str, Any]] = json.loads(_read(full.partition("/")[2], "tasks.json"))
            self._tasks[full] = tuple(task_from_record(record, full) for record in records)
        return self._tasks[full]

    def profile_for(self, task: Task) -> Profile:
        # Asked for at every reset: the files were looked through when the person was.
        return self._profiles.get(task.profile_id) or self.profile(task.profile_id)

    def findings(self, name: str) -> tuple[Finding, ...]:
        profile_id(self, name)
        return ()


def _read(person: str, name: str) -> str:
    return (files(__package__) / "data" / person / name).read_text(encoding="utf-8")


def _records(person: str) -> tuple[FileRecord, ...]:
    return _RECORDS.validate_json(_read(person, "files.json"))


def _laid_out(person: str, records: tuple[FileRecord, ...], digest: str) -> Path:
    """The person's files with their times, in the cache.

    A copy: packages and checkouts keep no file times, and in the package the gold lies beside the
    files.
    """
    target = cache_root() / "profiles" / "demo" / f"{person}-{digest[:16]}"
    with as_file(files(__package__) / "data" / person / "files") as source:
        return lay_out(target, records, lambda record, file: _copy(source, record, file))


def _copy(source: Path, record: FileRecord, file: Path) -> None:
    data = (source / record.path).read_bytes()
    if hashlib.sha256(data).hexdigest() != record.sha256:
        raise ValueError(
            f"{source / record.path} is not the file that was shipped; reinstall deskgym"
        )
    file.write_bytes(data)
