"""The demo people: three desks that ship with the package, files, tasks and gold evidence.

The script that makes them is `deskgym.tasks.demo.make`.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import shutil
import tempfile
from datetime import UTC, datetime
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from deskgym.tasks.cache import cache_root
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

    @functools.cached_property
    def digest(self) -> str:
        parts = [profile_digest(_records(name)) + _read(name, "tasks.json") for name in PEOPLE]
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()

    def profiles(self) -> tuple[str, ...]:
        return tuple(f"demo/{name}" for name in PEOPLE)

    def profile(self, name: str) -> Profile:
        full = profile_id(self, name)
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


def profile_digest(records: tuple[FileRecord, ...]) -> str:
    """SHA-256 over the paths, contents, times and places of a profile's files."""
    lines = sorted(
        f"{r.path}\0{r.sha256}\0{r.created}\0{r.modified}\0{r.latitude}\0{r.longitude}\0{r.location}"
        for r in records
    )
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _read(person: str, name: str) -> str:
    return (files(__package__) / "data" / person / name).read_text(encoding="utf-8")


def _records(person: str) -> tuple[FileRecord, ...]:
    return _RECORDS.validate_json(_read(person, "files.json"))


def _laid_out(person: str, records: tuple[FileRecord, ...], digest: str) -> Path:
    """The person's files with their times, in the cache.

    A copy: packages and checkouts keep no file times, and in the package the gold lies beside the
    files. It is made aside and moved into place whole, so that no other process sees half of it.
    """
    target = cache_root() / "profiles" / "demo" / f"{person}-{digest[:16]}"
    if _intact(target, records):
        return target
    if target.exists():
        shutil.rmtree(target)
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".new-") as new:
        made = Path(new) / "files"
        with as_file(files(__package__) / "data" / person / "files") as source:
            for record in records:
                _lay(source / record.path, made / record.path, record)
        _date_folders(made)
        try:
            made.rename(target)
        except OSError:
            # Another process was faster; what it made is the same.
            if not _intact(target, records):
                raise
    return target


def _lay(source: Path, copy: Path, record: FileRecord) -> None:
    data = source.read_bytes()
    if hashlib.sha256(data).hexdigest() != record.sha256:
        raise ValueError(f"{source} is not the file that was shipped; reinstall deskgym")
    copy.parent.mkdir(parents=True, exist_ok=True)
    copy.write_bytes(data)
    copy.chmod(0o644)
    seconds = _seconds(record.modified)
    os.utime(copy, (seconds, seconds))


def _date_folders(top: Path) -> None:
    """Each folder gets the newest time of what is in it: listings are then the same everywhere."""
    for folder, _, _ in os.walk(top, topdown=False):
        newest = max(entry.stat().st_mtime for entry in Path(folder).iterdir())
        Path(folder).chmod(0o755)
        os.utime(folder, (newest, newest))


def _intact(root: Path, records: tuple[FileRecord, ...]) -> bool:
    """Whether ``root`` holds these files with these sizes and times, and nothing else."""
    if {p.relative_to(root).as_posix() for p in root.rglob("*") if not p.is_dir()} != {
        r.path for r in records
    }:
        return False
    stats = [((root / r.path).stat(), r) for r in records]
    return all(s.st_size == r.size and s.st_mtime == _seconds(r.modified) for s, r in stats)


def _seconds(local: datetime) -> float:
    return local.replace(tzinfo=UTC).timestamp()
