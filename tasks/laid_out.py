"""A person's files laid out in the cache: whole, with their times, and never half there."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from deskgym.tasks.modalities import modality_of, type_of
from deskgym.tasks.schema import FileRecord

Write = Callable[[FileRecord, Path], None]
"""Makes the file of a record at a path, whose folder is there."""


def file_record(
    number: int,
    path: str,
    data: bytes,
    created: datetime,
    modified: datetime,
    *,
    latitude: float | None = None,
    longitude: float | None = None,
    location: str | None = None,
) -> FileRecord:
    """The record of a file of which name, content, times and perhaps a place are given."""
    return FileRecord(
        id=number,
        path=path,
        type=type_of(path),
        modality=modality_of(path),
        size=len(data),
        sha256=hashlib.sha256(data).hexdigest(),
        created=created,
        modified=modified,
        latitude=latitude,
        longitude=longitude,
        location=location,
    )


def profile_digest(records: Iterable[FileRecord]) -> str:
    """SHA-256 over the paths, contents, times and places of a profile's files."""
    lines = sorted(
        f"{r.path}\0{r.sha256}\0{r.created}\0{r.modified}\0{r.latitude}\0{r.longitude}\0{r.location}"
        for r in records
    )
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def lay_out(target: Path, records: tuple[FileRecord, ...], write: Write) -> Path:
    """``target``, holding the files of ``records`` with their times and nothing else.

    What is there already and intact stays. Otherwise it is made aside and moved into place whole,
    so that no other process sees half of it.

    Raises:
        OSError: it cannot be written.
        Exception: whatever ``write`` raises.
    """
    if intact(target, records):
        return target
    if target.exists():
        shutil.rmtree(target)
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".new-") as new:
        made = Path(new) / "files"
        made.mkdir()
        for record in records:
            file = made / record.path
            file.parent.mkdir(parents=True, exist_ok=True)
            write(record, file)
            file.chmod(0o644)
            seconds = _seconds(record.modified)
            os.utime(file, (seconds, seconds))
        _date_folders(made)
        try:
            made.rename(target)
        except OSError:
            # Another process was faster; what it made is the same.
            if not intact(target, records):
                raise
    return target


def link_from(whole: Path) -> Write:
    """How `lay_out` has the files of another laid-out folder: as links, or as copies where the
    file system has no links."""

    def write(record: FileRecord, file: Path) -> None:
        source = whole / record.path
        with suppress(OSError):
            file.hardlink_to(source)
            return
        shutil.copyfile(source, file)

    return write


def intact(root: Path, records: tuple[FileRecord, ...]) -> bool:
    """Whether ``root`` is a folder of these files with these sizes and times, and nothing else."""
    if not root.is_dir():
        return False
    if {p.relative_to(root).as_posix() for p in root.rglob("*") if not p.is_dir()} != {
        r.path for r in records
    }:
        return False
    stats = [((root / r.path).stat(), r) for r in records]
    return all(s.st_size == r.size and s.st_mtime == _seconds(r.modified) for s, r in stats)


def _date_folders(top: Path) -> None:
    """Each folder gets the newest time of what is in it: listings are then the same everywhere."""
    for folder, _, _ in os.walk(top, topdown=False):
        times = [entry.stat().st_mtime for entry in Path(folder).iterdir()]
        Path(folder).chmod(0o755)
        newest = max(times, default=0.0)
        os.utime(folder, (newest, newest))


def _seconds(local: datetime) -> float:
    return local.replace(tzinfo=UTC).timestamp()
