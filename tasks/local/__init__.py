"""Folders of this computer as people: nothing of them is copied or changed.

Which folder goes by which name stands in `deskgym.tasks.locations.settings_file`; the command
``deskgym profiles add`` writes it (`deskgym.tasks.local.added`). A folder is read anew by each
`LocalDataset`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Final

from deskgym.tasks.file_hashes import hashes
from deskgym.tasks.findings import Finding
from deskgym.tasks.laid_out import profile_digest
from deskgym.tasks.local.added import Added, CannotAdd, added, check, remember
from deskgym.tasks.local.questions import read_tasks
from deskgym.tasks.local.scan import Found, printable, scan
from deskgym.tasks.modalities import modality_of, type_of
from deskgym.tasks.registry import BadDataset, DatasetMissing, UnknownProfile, profile_id
from deskgym.tasks.schema import FileRecord, Profile, Task

__all__ = ["LocalDataset", "add_folder"]

_EPOCH: Final = datetime(1970, 1, 1)


class LocalDataset:
    """See `deskgym.tasks.registry.Dataset`.

    `profiles` leaves out whom the folder of is gone, so that a run over one folder does not need
    all others; `profile` says of such a one what has become of it.
    """

    name = "local"

    def __init__(self, folders: Mapping[str, Added] | None = None) -> None:
        """``folders`` by name; without, those that were added.

        Raises:
            BadDataset: the settings file is not what it should be.
        """
        known = added() if folders is None else folders
        self._added = {f"local/{name}": one for name, one in known.items()}
        self._profiles: dict[str, tuple[Profile, tuple[Finding, ...]]] = {}
        self._tasks: dict[str, tuple[Task, ...]] = {}

    @property
    def digest(self) -> str:
        lines = []
        for full in self.profiles():
            file = self._added[full].tasks
            asked = hashlib.sha256(_content(file)).hexdigest() if file else ""
            lines.append(f"{full}\0{self.profile(full).digest}\0{asked}")
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()

    def profiles(self) -> tuple[str, ...]:
        return tuple(full for full, one in self._added.items() if one.root.is_dir())

    def profile(self, name: str) -> Profile:
        """
        Raises:
            DatasetMissing: the person's folder is gone.
            BadDataset: a file cannot be read although its mode says so.
        """
        return self._load(name)[0]

    def tasks(self, name: str) -> tuple[Task, ...]:
        """
        Raises:
            BadDataset: the file of tasks is gone, or a line of it is no task.
        """
        full = self._full(name)
        if full not in self._tasks:
            file = self._added[full].tasks
            self._tasks[full] = read_tasks(file, full) if file else ()
        return self._tasks[full]

    def profile_for(self, task: Task) -> Profile:
        return self.profile(task.profile_id)

    def findings(self, name: str) -> tuple[Finding, ...]:
        profile, found = self._load(name)
        there = {record.path for record in profile.files}
        return found + tuple(
            Finding(
                rule="no-such-file",
                severity="error",
                profile_id=profile.id,
                task_id=task.id,
                field="file_path",
                value=path,
                message="the task names a file that is not in the folder; mend the file of tasks",
            )
            for task in self.tasks(profile.id)
            for path in task.files
            if path not in there
        )

    def _full(self, name: str) -> str:
        full = name if "/" in name else f"local/{name}"
        if (one := self._added.get(full)) is not None:
            if one.root.is_dir():
                return full
            short = full.partition("/")[2]
            raise DatasetMissing(
                f"the folder of {full} is gone: {one.root}; put it back, or forget it: "
                f"deskgym profiles remove {short}"
            )
        if not self._added:
            raise UnknownProfile(
                f"nobody called {name!r}: no folder was added yet; add one: "
                "deskgym profiles add DIR --name NAME"
            )
        return profile_id(self, name)

    def _load(self, name: str) -> tuple[Profile, tuple[Finding, ...]]:
        full = self._full(name)
        if full not in self._profiles:
            self._profiles[full] = read_profile(full, self._added[full])
        return self._profiles[full]


def add_folder(
    folder: Path, name: str, user: str, tasks: Path | None = None
) -> tuple[Profile, tuple[Finding, ...]]:
    """Make ``folder`` the profile ``local/<name>``: it is read once and noted, and not changed.

    Returns the profile and what `LocalDataset.findings` will say of it.

    Raises:
        CannotAdd: see `deskgym.tasks.local.added.check`; or there is no file in it that could be
            one of the profile's.
        BadDataset: a file cannot be read, or a line of ``tasks`` is no task.
    """
    one = check(name, Added(root=folder, user=user, tasks=tasks), added())
    dataset = LocalDataset({name: one})
    profile = dataset.profile(name)
    if not profile.files:
        raise CannotAdd(f"{printable(str(one.root))} holds no file that a profile can have")
    findings = dataset.findings(name)
    remember(name, one)
    return profile, findings


def read_profile(full: str, one: Added) -> tuple[Profile, tuple[Finding, ...]]:
    """The folder as the profile ``full``, and what of it a desk cannot show as it is.

    Raises:
        BadDataset: a file cannot be read although its mode says so.
    """
    seen = scan(one.root, full)
    try:
        sums = hashes(one.root, (file.path for file in seen.files))
    except OSError as error:
        name = printable(str(error.filename or one.root))
        raise BadDataset(
            f"{name} cannot be read ({error.strerror}); mend or move it, and try again"
        ) from error
    records = tuple(
        _record(number, file, sums[file.path]) for number, file in enumerate(seen.files, 1)
    )
    profile = Profile(
        id=full,
        user=one.user,
        description=printable(str(one.root)),
        root=one.root,
        files=records,
        digest=profile_digest(records),
    )
    return profile, seen.findings


def _record(number: int, file: Found, sha256: str) -> FileRecord:
    # When a file was made is not known on most file systems: no later than it was changed.
    changed = _EPOCH if file.modified is None else file.modified
    return FileRecord(
        id=number,
        path=file.path,
        type=type_of(file.path),
        modality=modality_of(file.path),
        size=file.size,
        sha256=sha256,
        created=changed,
        modified=changed,
    )


def _content(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise BadDataset(f"{file}: cannot be read ({error.strerror}); put it back") from error
