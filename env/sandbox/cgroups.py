"""What holds a desk without an engine to its limits: control groups, where they can be made.

A desk's groups are named for their owner, so that `sweep_groups` knows those of the dead.
"""

from __future__ import annotations

import errno
import os
import time
import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from deskgym.env.sandbox.limits import DeskLimits
from deskgym.env.sandbox.sweep import process_lives, space_of_pids, start_ticks

CONTROLLERS = ("memory", "pids", "cpu")
_PARENT = "deskgym"
_PERIOD_US = 100_000


@dataclass(frozen=True)
class Hierarchy:
    """A place where groups can be made, and the controllers that it has. ``version`` is 1 or 2."""

    folder: Path
    version: int
    controllers: frozenset[str]


@dataclass(frozen=True)
class Groups:
    """A desk's groups: the folder of each controller."""

    folders: dict[str, Path]

    @property
    def held(self) -> frozenset[str]:
        """Which of `CONTROLLERS` hold the desk."""
        return frozenset(self.folders)

    def views(self) -> list[tuple[Path, str]]:
        """What of it is shown in the desk, and where below /sys: the usual places."""
        unified = {folder for folder in self.folders.values() if (folder / "cgroup.type").exists()}
        if unified:  # version 2 has one group for all controllers
            return [(folder, "fs/cgroup") for folder in unified]
        return [(folder, f"fs/cgroup/{name}") for name, folder in self.folders.items()]

    def remove(self, patience_s: float = 2.0) -> None:
        """Remove them, once the last process in them is gone. What then still stands is left to
        the sweep."""
        deadline = time.monotonic() + patience_s
        for folder in set(self.folders.values()):
            while not _remove(folder) and time.monotonic() < deadline:
                time.sleep(0.005)


def hierarchies(mounts: Path = Path("/proc/self/mounts")) -> list[Hierarchy]:
    """Where this process may make groups, as far as its user is concerned."""
    found = []
    try:
        lines = mounts.read_text().splitlines()
    except FileNotFoundError:
        return []
    for line in lines:
        _, folder, kind, options, *_ = line.split(" ")
        place = Path(folder)
        if kind == "cgroup":
            names = frozenset(CONTROLLERS).intersection(options.split(","))
        elif kind == "cgroup2":
            names = frozenset(CONTROLLERS).intersection(_words(place / "cgroup.controllers"))
        else:
            continue
        if names and os.access(place, os.W_OK):
            found.append(Hierarchy(place, 1 if kind == "cgroup" else 2, names))
    return found


def make_groups(limits: DeskLimits, places: Iterable[Hierarchy] | None = None) -> Groups:
    """Groups that hold a desk to ``limits``, of as many controllers as can be had."""
    name = f"{space_of_pids()}-{os.getpid()}-{start_ticks(os.getpid())}-{uuid.uuid4().hex[:12]}"
    folders: dict[str, Path] = {}
    for place in hierarchies() if places is None else places:
        folder = place.folder / _PARENT / name
        try:
            usable = _prepare(place)
            folder.mkdir()
        except OSError:
            continue  # not this user's to make, which `held` tells
        for controller in usable - folders.keys():
            try:
                for file, value in settings_of(controller, place.version, limits).items():
                    _set(folder / file, value)
            except OSError:
                continue
            folders[controller] = folder
        if folder not in folders.values():
            _remove(folder)
    return Groups(folders)


def sweep_groups() -> list[str]:
    """Remove groups whose owner is gone, and in which no process is. A line for each."""
    removed = []
    for place in hierarchies():
        parent = place.folder / _PARENT
        for folder in parent.iterdir() if parent.is_dir() else ():
            parts = folder.name.split("-")
            if len(parts) != 4 or not folder.is_dir() or not parts[1].isdigit():
                continue
            if not process_lives(parts[0], int(parts[1]), parts[2]) and _remove(folder):
                removed.append(f"control group {folder} (owner: process {parts[1]})")
    return removed


def _prepare(place: Hierarchy) -> frozenset[str]:
    """Make the folder of all desks; returns the controllers that its children get."""
    parent = place.folder / _PARENT
    parent.mkdir(exist_ok=True)
    if place.version == 1:
        return place.controllers
    for folder in (place.folder, parent):
        for controller in place.controllers - set(_words(folder / "cgroup.subtree_control")):
            try:
                (folder / "cgroup.subtree_control").write_text(f"+{controller}")
            except OSError:
                continue  # where processes live beside groups, say; see what is returned
    return place.controllers.intersection(_words(parent / "cgroup.subtree_control"))


def settings_of(controller: str, version: int, limits: DeskLimits) -> dict[str, str]:
    """A group's files that hold a desk to ``limits``, and their values. One that is named with a
    question mark may be missing."""
    memory, quota = str(limits.memory), int(limits.cpus * _PERIOD_US)
    if controller == "pids":
        return {"pids.max": str(limits.pids)}
    if version == 2:
        if controller == "memory":
            return {"memory.max": memory, "memory.swap.max?": "0"}
        return {"cpu.max": f"{quota} {_PERIOD_US}"}
    if controller == "memory":
        return {"memory.limit_in_bytes": memory, "memory.memsw.limit_in_bytes?": memory}
    return {"cpu.cfs_period_us": str(_PERIOD_US), "cpu.cfs_quota_us": str(quota)}


def _set(file: Path, value: str) -> None:
    if file.name.endswith("?"):
        file = file.with_name(file.name[:-1])
        if not file.exists():  # no accounting of swap
            return
    file.write_text(value)


def _remove(folder: Path) -> bool:
    """Whether it is gone now."""
    try:
        folder.rmdir()
    except FileNotFoundError:
        return True
    except OSError as error:
        if error.errno in (errno.EBUSY, errno.ENOTEMPTY):
            return False
        raise
    return True


def _words(file: Path) -> list[str]:
    try:
        return file.read_text().split()
    except OSError:
        return []
