"""The data set ``made``: people that `deskgym generate` wrote, or made when they are asked for.

With ``path`` it is what lies in that folder. Without, ``people``, ``months``, ``seed`` and so on
say whom to make; each is made the first time somebody asks for them, and kept in the cache.
"""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from deskgym.tasks.cache import cache_root
from deskgym.tasks.findings import Finding
from deskgym.tasks.made.spec import MadeSpec
from deskgym.tasks.made.stored import SET_FILE, MadePerson, MadeSet, profile_of, read_lines
from deskgym.tasks.made.stored import read_model as read
from deskgym.tasks.registry import DatasetMissing, profile_id
from deskgym.tasks.schema import Profile, Task

MAKER: Final = 2
"""Changes whenever equal orders give other people: the cache then makes them anew."""
OPTIONS: Final = ("people", "months", "seed", "difficulty", "setting", "multimodal")


class MadeDataset:
    """See `deskgym.tasks.registry.Dataset`.

    Raises:
        DatasetMissing: there is no set in ``path``.
        BadDataset: what is there is no set; the methods raise it for its files.
        ValueError: an option has no such value, or goes with ``path`` and is not needed.
    """

    name = "made"

    def __init__(self, path: str | Path | None = None, **options: Any) -> None:
        if path is None:
            spec = order(**options)
            self._root = cache_root() / "made" / _key(spec)
            self._set = MadeSet(spec=spec, people=_names(spec))
        else:
            if options:
                raise ValueError(
                    f"path: a folder of made people says itself what they are; leave out "
                    f"{', '.join(sorted(options))}"
                )
            self._root = Path(path).expanduser().resolve()
            if not (self._root / SET_FILE).is_file():
                raise DatasetMissing(
                    f"no made people in {self._root}; make some: "
                    f"deskgym generate --people 2 --out {path}"
                )
            self._set = read(self._root / SET_FILE, MadeSet)
        self._made = path is None
        self._people: dict[str, tuple[MadePerson, Profile]] = {}
        self._tasks: dict[str, tuple[Task, ...]] = {}

    @functools.cached_property
    def digest(self) -> str:
        """Of people made when asked for, that of the order: it says all that they will be."""
        if self._made:
            return hashlib.sha256(
                f"{MAKER}\0{self._set.spec.model_dump_json()}".encode()
            ).hexdigest()
        parts = [self._load(name)[0].digest for name in self.profiles()]
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()

    @property
    def spec(self) -> MadeSpec:
        """What was ordered."""
        return self._set.spec

    def profiles(self) -> tuple[str, ...]:
        return tuple(f"made/{name}" for name in self._set.people)

    def profile(self, name: str) -> Profile:
        return self._load(profile_id(self, name))[1]

    def tasks(self, name: str) -> tuple[Task, ...]:
        full = profile_id(self, name)
        if full not in self._tasks:  # asked for at every reset
            self._load(full)
            self._tasks[full] = read_lines(self._folder(full) / "tasks.jsonl", Task)
        return self._tasks[full]

    def profile_for(self, task: Task) -> Profile:
        return self.profile(task.profile_id)

    def findings(self, name: str) -> tuple[Finding, ...]:
        self._load(profile_id(self, name))
        return ()

    def _folder(self, full: str) -> Path:
        return self._root / full.partition("/")[2]

    def _load(self, full: str) -> tuple[MadePerson, Profile]:
        if full not in self._people:
            folder = self._folder(full)
            if self._made and not (folder / "person.json").is_file():
                from deskgym.tasks.made.making import make_person

                make_person(self.spec, self._set.people.index(folder.name), self._root)
            person = read(folder / "person.json", MadePerson)
            self._people[full] = person, profile_of(person, folder)
        return self._people[full]


def order(**options: Any) -> MadeSpec:
    """The order that options stand for; numbers may be given as text.

    Raises:
        ValueError: there is no such option or value; the message names it.
    """
    if unknown := sorted(set(options) - set(OPTIONS)):
        raise ValueError(f"{unknown[0]}: no such option; there are {', '.join(OPTIONS)} and path")
    try:
        return MadeSpec(**options)
    except ValidationError as error:
        first = error.errors()[0]
        raise ValueError(f"{first['loc'][0]}: {first['msg']}, not {first['input']!r}") from error


def _names(spec: MadeSpec) -> tuple[str, ...]:
    return tuple(f"s{spec.seed}-p{n:04d}" for n in range(1, spec.people + 1))


def _key(spec: MadeSpec) -> str:
    # Person n of an order does not depend on how many are ordered.
    alone = spec.model_copy(update={"people": 1})
    return hashlib.sha256(f"{MAKER}\0{alone.model_dump_json()}".encode()).hexdigest()[:16]
