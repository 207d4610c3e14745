"""Which folders were added, in the settings file; adding one, and forgetting it."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from deskgym.tasks.cache import cache_root
from deskgym.tasks.locations import read_settings, settings_file, write_settings
from deskgym.tasks.registry import BadDataset, UnknownProfile, near

# As `Profile.id` has it; a dot in front would make it a hidden folder of a run, or `..`.
_NAME = re.compile(r"[a-z0-9_-][a-z0-9_.-]*")


class CannotAdd(ValueError):
    """The folder cannot be a profile. The message says why, and what to do."""


class Added(BaseModel):
    """A folder as a profile: where it is, whose it is, and where its tasks are, if it has any."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    root: Path
    user: str
    tasks: Path | None = None


def added() -> dict[str, Added]:
    """The folders that were added, by name, in the order of names.

    Raises:
        BadDataset: the settings file is not what it should be.
    """
    profiles = read_settings().get("profiles", {})
    if not isinstance(profiles, dict):
        raise BadDataset(f"{settings_file()}: profiles is not an object; mend or delete the file")
    found = {}
    for name, value in sorted(profiles.items()):
        try:
            found[name] = Added.model_validate(value)
        except ValidationError as error:
            fault = error.errors()[0]
            where = ".".join(str(part) for part in ("profiles", name, *fault["loc"]))
            raise BadDataset(
                f"{settings_file()}: {where}: {fault['msg']}; mend it, or: "
                f"deskgym profiles remove {name}"
            ) from error
        if _NAME.fullmatch(name) is None:
            raise BadDataset(
                f"{settings_file()}: {name!r} cannot be a profile's name; mend it, or: "
                f"deskgym profiles remove {name}"
            )
    return found


def check(name: str, new: Added, others: Mapping[str, Added]) -> Added:
    """``new`` with its paths made absolute, if it may be added beside ``others`` under ``name``.

    Raises:
        CannotAdd: the name cannot be one or is taken; the folder is none, is empty, is the whole
            computer or holds our cache; a file of tasks, its own or another's, lies in it.
    """
    if _NAME.fullmatch(name) is None:
        raise CannotAdd(
            f"{name!r} cannot be a profile's name: small letters, digits, _ . - (no dot in front)"
        )
    if name in others:
        raise CannotAdd(
            f"local/{name} is {others[name].root} already; choose another name, or first: "
            f"deskgym profiles remove {name}"
        )
    root = _resolved(new.root)
    _check_folder(root)
    tasks = _resolved(new.tasks) if new.tasks else None
    if tasks is not None and not tasks.is_file():
        raise CannotAdd(f"{tasks} is not a file; --tasks names one with a task a line")
    gold = [tasks, *(other.tasks for other in others.values())]
    for file in gold:
        if file is not None and _resolved(file).is_relative_to(root):
            raise CannotAdd(
                f"{file} lies in {root}, so its answers would be on the desk; move it elsewhere"
            )
    for other, theirs in others.items():
        if tasks is not None and tasks.is_relative_to(_resolved(theirs.root)):
            raise CannotAdd(
                f"{tasks} lies in the folder of local/{other}, so its answers would be on that "
                "desk; move it elsewhere"
            )
    return Added(root=root, user=new.user, tasks=tasks)


def _resolved(path: Path) -> Path:
    try:
        str(path).encode()
    except UnicodeEncodeError:
        raise CannotAdd(f"{str(path)!a} is not UTF-8; rename it, or a folder above it") from None
    return Path(os.path.realpath(path))  # `resolve` fails on links that go in circles


def _check_folder(root: Path) -> None:
    if not root.is_dir():
        raise CannotAdd(f"{root} is not a folder")
    if root == Path(root.anchor):
        raise CannotAdd(f"{root} is the whole computer; add a folder of it")
    for ours, what in ((cache_root(), "cache"), (settings_file().parent, "settings")):
        if ours.resolve().is_relative_to(root):
            raise CannotAdd(f"{root} is, or holds, deskgym's own {what} ({ours}); add another")
    try:
        with os.scandir(root) as entries:
            if next(entries, None) is None:
                raise CannotAdd(f"{root} is empty; add a folder with files")
    except OSError as error:
        raise CannotAdd(f"{root} cannot be read ({error.strerror})") from error


def remember(name: str, one: Added) -> None:
    """Put a folder that `check` has let through into the settings file."""
    settings = read_settings()
    profiles = settings.get("profiles")
    kept = dict(profiles) if isinstance(profiles, dict) else {}
    write_settings(settings | {"profiles": kept | {name: one.model_dump(mode="json")}})


def forget(name: str) -> str:
    """Take a folder out of the settings file and return where it is; its files stay.

    Raises:
        UnknownProfile: no folder of that name was added.
    """
    settings = read_settings()
    profiles = settings.get("profiles")
    kept = dict(profiles) if isinstance(profiles, dict) else {}
    if name not in kept:
        raise UnknownProfile(f"no folder was added as {name!r}{near(name, kept)}")
    was = kept.pop(name)
    write_settings(settings | {"profiles": kept})
    return str(was.get("root", "")) if isinstance(was, dict) else ""
