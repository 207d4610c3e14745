"""HippoCamp: three people's computers and 581 questions about them, from its published layout.

Source: "HippoCamp: Benchmarking Contextual Agents on Personal Computers" (2026). Each person comes
in two scopes: ``hippocamp/adam`` is the full set (``adam_fullset`` is another name of it),
``hippocamp/adam_subset`` the subset. Files are used where they lie and never copied; their times
and places are those of the metadata sheets, not of the file system.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from pydantic import ValidationError

from deskgym.tasks.file_hashes import hashes
from deskgym.tasks.findings import Finding, Severity
from deskgym.tasks.hippocamp.annotations import (
    CannotRewrite,
    Record,
    read_records,
    style_of,
    write_annotations,
)
from deskgym.tasks.hippocamp.layout import (
    Config,
    Listing,
    PathFinder,
    all_configs,
    find_configs,
    is_junk,
    list_files,
)
from deskgym.tasks.hippocamp.questions import read_tasks, record_of
from deskgym.tasks.hippocamp.sheets import Row, Sheet, read_sheet
from deskgym.tasks.laid_out import profile_digest
from deskgym.tasks.locations import dataset_folder
from deskgym.tasks.modalities import modality_of, type_of
from deskgym.tasks.registry import BadDataset, UnknownProfile, profile_id
from deskgym.tasks.schema import FileRecord, Profile, Task

__all__ = ["CannotRewrite", "HippoCampDataset", "record_of", "write_annotations"]


class HippoCampDataset:
    """See `deskgym.tasks.registry.Dataset`.

    Raises:
        DatasetMissing: there is no copy at ``path`` (None: where `dataset_folder` says), or it
            holds nobody.
    """

    name = "hippocamp"

    def __init__(self, path: str | Path | None = None) -> None:
        self.folder = dataset_folder(self.name, path)
        self._configs = {f"{self.name}/{c.name}": c for c in find_configs(self.folder)}
        self.aliases = {
            c.published: c.name for c in self._configs.values() if c.published != c.name
        }
        wholes = {c.user: full for full, c in self._configs.items() if c.scope != "Subset"}
        self.part_of = {
            full: wholes[c.user]
            for full, c in self._configs.items()
            if c.scope == "Subset" and c.user in wholes
        }
        self._profiles: dict[str, tuple[Profile, tuple[Finding, ...]]] = {}
        self._tasks: dict[str, tuple[tuple[Task, ...], tuple[Finding, ...]]] = {}

    @functools.cached_property
    def digest(self) -> str:
        """SHA-256 over annotations and sheets, and over each raw file's path and size.

        Not over the raw files' contents, which are in each profile's own digest: 42 GB take
        longer to read than most runs last.
        """
        digest = hashlib.sha256()
        for full, config in sorted(self._configs.items()):
            digest.update(f"{full}\0".encode())
            for file in (config.annotations, config.sheet):
                content = file.read_bytes() if file.is_file() else b""
                digest.update(hashlib.sha256(content).digest())
            for path in list_files(config.root).paths:
                digest.update(f"{path}\0{(config.root / path).stat().st_size}\n".encode())
        return digest.hexdigest()

    def profiles(self) -> tuple[str, ...]:
        return tuple(self._configs)

    def profile(self, name: str) -> Profile:
        """See `deskgym.tasks.registry.Dataset`. The first time, every file is hashed.

        Raises:
            UnknownProfile: there is none, or not in this copy.
            BadDataset: the sheet is missing or cannot be read, or a file cannot.
        """
        return self._loaded(self._full(name))[0]

    def tasks(self, name: str) -> tuple[Task, ...]:
        """See `deskgym.tasks.registry.Dataset`.

        Raises:
            UnknownProfile: there is none, or not in this copy.
            BadDataset: the annotations are missing or cannot be read; it names record and field.
        """
        return self._asked(self._full(name))[0]

    def profile_for(self, task: Task) -> Profile:
        return self.profile(task.profile_id)

    def findings(self, name: str) -> tuple[Finding, ...]:
        full = self._full(name)
        return self._loaded(full)[1] + self._asked(full)[1]

    def annotations(self, name: str, tasks: Sequence[Task] | None = None) -> bytes:
        """The content of the person's annotation file with ``tasks`` in place of its own.

        Without ``tasks``, or with those that `tasks` gave, it is the file's content byte for byte.

        Raises:
            CannotRewrite: the file's style of JSON cannot be reproduced.
        """
        full = self._full(name)
        file = self._configs[full].annotations
        data = _content(file)
        style = style_of(data, read_records(data, str(file)), str(file))
        chosen = self._asked(full)[0] if tasks is None else tasks
        return write_annotations([record_of(task) for task in chosen], style)

    def _full(self, name: str) -> str:
        """The id that a name stands for."""
        try:
            return profile_id(self, name)
        except UnknownProfile:
            short = name.removeprefix(f"{self.name}/")
            if not any(short in (c.name, c.published) for c in all_configs(self.folder)):
                raise
            raise UnknownProfile(
                f"{self.name}/{short} is not in the copy at {self.folder}, which has "
                f"{', '.join(self._configs)}; get it: deskgym datasets fetch hippocamp"
            ) from None

    def _loaded(self, full: str) -> tuple[Profile, tuple[Finding, ...]]:
        if full not in self._profiles:  # asked for at every reset
            self._profiles[full] = _load_profile(full, self._configs[full])
        return self._profiles[full]

    def _asked(self, full: str) -> tuple[tuple[Task, ...], tuple[Finding, ...]]:
        if full not in self._tasks:  # asked for at every reset
            config = self._configs[full]
            file = config.annotations
            records: list[Record] = read_records(_content(file), str(file))
            names = (config.root.name, config.user, "HippoCamp")
            self._tasks[full] = read_tasks(records, self._loaded(full)[0], names, str(file))
        return self._tasks[full]


def _content(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except FileNotFoundError as error:
        raise BadDataset(
            f"the annotations {file} are missing; get them: deskgym datasets fetch hippocamp"
        ) from error
    except OSError as error:
        raise BadDataset(f"{file} cannot be read ({error.strerror}); mend its mode") from error


def _load_profile(full: str, config: Config) -> tuple[Profile, tuple[Finding, ...]]:
    sheet = read_sheet(config.sheet)
    listing = list_files(config.root)
    findings = _Findings(full)
    rows = _matched(config, listing, sheet, findings)
    try:
        sha256 = hashes(config.root, listing.paths)
    except OSError as error:
        raise BadDataset(
            f"{error.filename} cannot be read ({error.strerror}); mend its mode"
        ) from error
    records = []
    for number, path in enumerate(listing.paths, 1):
        row = rows.get(path)
        if row is None and not is_junk(path):
            findings.add(
                "file-not-in-sheet", "warning", path, "",
                f"{config.sheet.name} does not list it; its times are the file system's",
            )  # fmt: skip
        records.append(_record(number, config.root / path, path, row, sha256[path]))
    profile = Profile(
        id=full,
        user=config.user,
        description=f"HippoCamp's {config.user}, {config.scope.lower()}",
        root=config.root,
        files=tuple(records),
        digest=profile_digest(records),
    )
    return profile, tuple(findings.found)


class _Findings:
    """What is wrong with one person's files."""

    def __init__(self, profile: str) -> None:
        self._profile = profile
        self.found: list[Finding] = []

    def add(self, rule: str, severity: Severity, field: str, value: str, message: str) -> None:
        self.found.append(
            Finding(
                rule=rule,
                severity=severity,
                profile_id=self._profile,
                field=field,
                value=value,
                message=message,
            )
        )


def _matched(config: Config, listing: Listing, sheet: Sheet, findings: _Findings) -> dict[str, Row]:
    """Each file's row. Reported are rows without a file or for one that has a row already, files
    that cannot be the profile's, and cells that cannot be read."""
    finder = PathFinder(listing.paths, (config.root.name, config.user))
    exact = set(listing.paths)
    # Rows that name a file in full come first: a bare name must not take another's place.
    rows: dict[str, Row] = {}
    for row in sorted(sheet.rows, key=lambda row: row.path not in exact):
        path = finder.find(row.path)
        if path is None:
            if not is_junk(row.path):
                findings.add(
                    "row-without-file", "warning", f"{config.sheet.name}, row {row.number}",
                    row.path, "no such file lies in the person's folder",
                )  # fmt: skip
        elif path in rows:
            findings.add(
                "repeated-row", "warning", f"{config.sheet.name}, row {row.number}", row.path,
                f"row {rows[path].number} is of the same file, and counts",
            )  # fmt: skip
        else:
            rows[path] = row
    for cell in sheet.bad:
        findings.add(
            "bad-cell", "warning", f"{config.sheet.name}, row {cell.row}, {cell.column}",
            cell.value, f"it cannot be read, so that nothing is said of {cell.path}",
        )  # fmt: skip
    for path, reason in listing.left_out:
        findings.add("file-left-out", "error", path, "", f"{reason}; it is in no task's reach")
    return rows


def _record(number: int, file: Path, path: str, row: Row | None, sha256: str) -> FileRecord:
    stat = file.stat()
    written = datetime.fromtimestamp(int(stat.st_mtime), UTC).replace(tzinfo=None)
    created = row.created if row else None
    modified = row.modified if row else None
    try:
        return FileRecord(
            id=number,
            path=path,
            type=type_of(path),
            modality=modality_of(path),
            size=stat.st_size,
            sha256=sha256,
            created=created or modified or written,
            modified=modified or created or written,
            latitude=row.latitude if row else None,
            longitude=row.longitude if row else None,
            location=row.location if row else None,
        )
    except ValidationError as error:
        raise BadDataset(f"{file}: {error}") from error
