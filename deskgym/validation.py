"""Validating people and their tasks: files are read, hashed, and searched for gold."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from deskgym.env.prepared import find
from deskgym.tasks.findings import Finding
from deskgym.tasks.locators import parse_locator
from deskgym.tasks.registry import Dataset, Unknown
from deskgym.tasks.schema import Evidence, Profile, Task
from deskgym.tasks.validate import (
    Contents,
    DiskFile,
    disk_findings,
    finding,
    gold_findings,
    in_order,
    place_findings,
    task_findings,
)
from deskgym.tools.members import SEPARATOR, container
from deskgym.tools.registry import read_text
from deskgym.tools.result import ToolError
from deskgym.tools.store import PreparedProfile, error_of, segments_of

MAX_CHARS: Final = 1_000_000_000  # more than any file has
MAX_MEMBERS: Final = 1_000
"""Members of one archive or mail that are searched for gold."""


def validate(
    dataset: Dataset,
    people: Sequence[str],
    *,
    quick: bool = False,
    say: Callable[[str], None] = lambda line: None,
) -> Iterator[Finding]:
    """All that is wrong with ``people`` and their tasks, by the rules of `deskgym.tasks.validate`
    and as the data set's own loader found it.

    A person who cannot be loaded is a finding too (``unparseable``). ``quick`` does not compare
    the files' hashes with the profile's. ``say`` is told of each person.

    Raises:
        Unknown: there is no such person, or the data set is not on this computer.
    """
    for person in people:
        say(f"validating {person}")
        try:
            profile, tasks = dataset.profile(person), dataset.tasks(person)
            own = dataset.findings(person)
        except Unknown:
            raise
        except (ValueError, KeyError, OSError) as error:
            yield unparseable(person, error)
            continue
        found = [*task_findings(profile, tasks, dataset.profile_for)]
        found += disk_findings(profile, _on_disk(profile, hashed=not quick))
        found += _in_files(profile, tasks)
        yield from in_order([*own, *_news(found, own)], tasks)


def _news(found: Sequence[Finding], own: Sequence[Finding]) -> list[Finding]:
    """``found`` without warnings that the loader has given already, in words of its own."""

    def mark(one: Finding) -> tuple[str, str | None, str]:
        return one.rule, one.task_id, one.field if one.task_id is None else ""

    given = {mark(one) for one in own}
    return [one for one in found if one.severity != "warning" or mark(one) not in given]


def unparseable(person: str, error: Exception) -> Finding:
    """The finding of a person or data set that could not be loaded at all."""
    reason = f"there is no field {error}" if type(error) is KeyError else str(error)
    name = str(getattr(error, "filename", None) or "")
    return finding("unparseable", "error", person, None, name, "", reason)


def contents_reader(profile: Profile) -> Callable[[str], Contents]:
    """Gives what is in a file of ``profile``, from its prepared folder if there is one, else by
    the read tools."""
    folder = find(profile)
    store = PreparedProfile(folder) if folder is not None else None

    def read(path: str) -> Contents:
        record = store.record(path) if store is not None else None
        return _read_now(profile.root / path) if record is None else _as_prepared(path, record)

    return read


def _read_now(file: Path) -> Contents:
    try:
        result = read_text(file, max_chars=MAX_CHARS)
    except ToolError as error:
        return Contents(problem=f"{error.kind}: {error.message}")
    return Contents(
        info=result.info,
        segments=tuple((parse_locator(s.locator), s.text) for s in result.segments),
    )


def _as_prepared(path: str, record: dict[str, Any]) -> Contents:
    error = error_of(record, path)
    return Contents(
        info=record["info"],
        segments=tuple((parse_locator(s.locator), s.text) for s in segments_of(record)),
        problem=f"{error.kind}: {error.message}" if error is not None else "",
    )


def _in_files(profile: Profile, tasks: Sequence[Task]) -> Iterator[Finding]:
    """Each file is read once, for its evidence and for gold that it should not hold."""
    units: dict[str, list[tuple[Task, Evidence]]] = {}
    for task in tasks:
        for unit in task.evidence:
            units.setdefault(unit.file_path, []).append((task, unit))
    read = contents_reader(profile)
    for path in _below(profile.root):
        contents = read(path)
        yield from place_findings(profile, path, contents, units.get(path, ()))
        yield from gold_findings(profile, path, contents.text, tasks)
        for member, text in _members(profile.root / path):
            yield from gold_findings(profile, f"{path}{SEPARATOR}{member}", text, tasks)


def _members(file: Path) -> Iterator[tuple[str, str]]:
    """The text of what is inside of an archive or a mail, by name; what cannot be read says none.

    An agent can read no more of it either.
    """
    try:
        names = container(file).names()[:MAX_MEMBERS]
    except ToolError:  # it holds no other files
        return
    for name in names:
        text = _read_now(Path(f"{file}{SEPARATOR}{name}")).text
        if text:
            yield name, text


def _on_disk(profile: Profile, *, hashed: bool) -> dict[str, DiskFile]:
    """What lies below the profile's root; ``hashed``: with the hashes of what the profile lists."""
    listed = {record.path for record in profile.files} if hashed else set()
    return {path: _disk_file(profile.root / path, path in listed) for path in _below(profile.root)}


def _disk_file(file: Path, hashed: bool) -> DiskFile:
    size = file.stat().st_size
    try:
        return DiskFile(size, _sha256(file) if hashed else None)
    except OSError as error:
        return DiskFile(size, problem=error.strerror or str(error))


def _below(root: Path) -> Iterator[str]:
    """The files below ``root``, as relative paths in order."""
    for folder, folders, names in os.walk(root):
        folders.sort()
        for name in sorted(names):
            file = Path(folder) / name
            if file.is_file():
                yield file.relative_to(root).as_posix()


def _sha256(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
