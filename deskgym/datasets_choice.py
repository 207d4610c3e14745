"""Which of a data set's files on the hub belong to a person, or to a subset."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePosixPath

from deskgym.datasets_hub import FetchError, HubFile
from deskgym.tasks.registry import DATASETS, UnknownProfile, near
from deskgym.tasks.rhelm.layout import CONVERSATIONS, short_name

_GOLD = "HippoCamp_Gold"
_TOP = "HippoCamp"
_SUBSET = "_subset"


class NoSubset(FetchError):
    """The data set has no subset."""


def choose(
    name: str, files: Sequence[HubFile], profile: str | None = None, *, subset: bool = False
) -> tuple[HubFile, ...]:
    """Those of ``files`` that the data set ``name`` needs for a person, or for all.

    ``profile`` is a person's id or bare name. With ``subset`` it is the smaller set of files, which
    HippoCamp has (``adam_subset`` is short for both).

    Raises:
        UnknownProfile: nobody of that name is in the list.
        NoSubset: the data set has no subset.
        FetchError: the list holds nothing of the kind.
    """
    person = profile
    if person is not None and "/" in person:
        other, _, person = person.partition("/")
        if other != name:
            raise UnknownProfile(f"{profile!r} is not of the data set {name!r}")
    if name == "hippocamp":
        chosen = _hippocamp(files, person, subset=subset)
    elif subset:
        raise NoSubset(f"{DATASETS[name].title} has no subset; leave out --subset")
    elif name == "rhelm":
        chosen = _rhelm(files, person)
    else:
        chosen = tuple(files)
    if not chosen:
        raise FetchError(
            f"the hub lists {len(files)} files for {DATASETS[name].title}, and none of these"
        )
    return chosen


def _hippocamp(
    files: Sequence[HubFile], person: str | None, *, subset: bool
) -> tuple[HubFile, ...]:
    if person is not None and person.casefold().endswith(_SUBSET):
        person, subset = person[: -len(_SUBSET)], True
    scope = "Subset" if subset else "Fullset"
    placed = [(file, _parts(file)) for file in files]
    people = {p[0] for _, p in placed if len(p) > 2 and p[1] in ("Fullset", "Subset")}
    wanted = _wanted("hippocamp", person, {one.casefold(): one for one in people})
    return tuple(
        file
        for file, parts in placed
        if len(parts) == 1
        or (parts[0] in wanted and parts[1] == scope)
        or (parts[0] == _GOLD and parts[1] in wanted)
    )


def _parts(file: HubFile) -> tuple[str, ...]:
    """The parts of a path, without the folder that may hold the whole data set."""
    parts = PurePosixPath(file.path).parts
    return parts[1:] if parts[0] == _TOP and len(parts) > 1 else parts


def _rhelm(files: Sequence[HubFile], person: str | None) -> tuple[HubFile, ...]:
    """A person's files lie in folders of that name, and the questions in a file that holds it."""
    placed = [(file, PurePosixPath(file.path).parts) for file in files]
    folders = {
        parts[at + 1]
        for _, parts in placed
        for at, part in enumerate(parts[:-2])
        if part == CONVERSATIONS
    }
    wanted = _wanted("rhelm", person, {short_name(one): one for one in folders})
    return tuple(
        file for file, parts in placed if not (whose := _owners(parts, folders)) or whose & wanted
    )


def _owners(parts: tuple[str, ...], folders: set[str]) -> set[str]:
    named = folders.intersection(parts[:-1])
    return named or {
        one for one in folders if re.search(rf"(?:^|_){re.escape(one)}(?:_|\.|$)", parts[-1])
    }


def _wanted(name: str, person: str | None, people: dict[str, str]) -> set[str]:
    """The folder of ``person``, or all; ``people`` are the folders by bare name."""
    if person is None:
        return set(people.values())
    if person.casefold() not in people:
        raise UnknownProfile(
            f"nobody called {person!r} in {DATASETS[name].title}{near(person, sorted(people))}"
        )
    return {people[person.casefold()]}
