"""Where records stand in files, and the files of a home before they are written."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from deskgym.tasks.laid_out import file_record
from deskgym.tasks.locators import AnyLocator
from deskgym.tasks.schema import FileRecord, relative_path


@dataclass(frozen=True)
class Placed:
    """A place at which a record stands: what is read, seen or heard there is ``text``.

    A record has its most direct place first. ``part`` is empty where the whole record stands;
    else it names the field (or fact) of a long record that this narrower place holds.
    """

    record_id: str
    file_path: str
    locator: AnyLocator
    text: str
    part: str = ""


@dataclass(frozen=True)
class Spot:
    """A `Placed` whose file is not yet named."""

    record_id: str
    locator: AnyLocator
    text: str
    part: str = ""


@dataclass(frozen=True)
class MadeFile:
    """A file with its times (local, no zone) and, for a photograph, where it was taken."""

    path: str
    data: bytes
    created: datetime
    modified: datetime
    latitude: float | None = None
    longitude: float | None = None
    location: str | None = None

    def record(self, number: int) -> FileRecord:
        """Its record in the profile, whose number is ``number``."""
        return file_record(
            number,
            self.path,
            self.data,
            self.created,
            self.modified,
            latitude=self.latitude,
            longitude=self.longitude,
            location=self.location,
        )


@dataclass
class Home:
    """A home directory in memory, being filled file by file."""

    files: dict[str, MadeFile] = field(default_factory=dict)
    placed: list[Placed] = field(default_factory=list)
    _names: set[str] = field(default_factory=set)

    def add(
        self,
        path: str,
        data: bytes,
        created: datetime,
        modified: datetime | None = None,
        spots: tuple[Spot, ...] | list[Spot] = (),
        where: tuple[float, float, str] | None = None,
    ) -> str:
        """Put a file at ``path``, or beside it if something is there; the path it got."""
        path = self._free(relative_path(path))
        self.files[path] = MadeFile(
            path, data, created, max(modified or created, created), *(where or (None, None, None))
        )
        self.placed += [Placed(s.record_id, path, s.locator, s.text, s.part) for s in spots]
        return path

    def records(self) -> tuple[FileRecord, ...]:
        """The records of all files, by path, numbered from 1."""
        return tuple(self.files[p].record(n) for n, p in enumerate(sorted(self.files), 1))

    def write(self, root: Path) -> None:
        """Write all files below ``root`` and set their times (as if local time were UTC)."""
        for path, file in sorted(self.files.items()):
            target = root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(file.data)
            seconds = file.modified.replace(tzinfo=UTC).timestamp()
            os.utime(target, (seconds, seconds))

    def _free(self, path: str) -> str:
        """``path``, or the first of ``name (2).ext``, ... that is free, whatever the case."""
        stem, dot, suffix = path.rpartition(".")
        if not dot or "/" in suffix:
            stem, dot, suffix = path, "", ""
        number, free = 1, path
        while free.casefold() in self._names:
            number += 1
            free = f"{stem} ({number}){dot}{suffix}"
        self._names.add(free.casefold())
        return free
