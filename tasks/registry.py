"""Data sets by name. Each is loaded by a function of its own, imported when it is asked for."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable
from typing import Protocol

from deskgym.tasks.schema import Profile, Task


class Unknown(KeyError):
    """A name that stands for nothing. The message lists near ones and what to do."""

    def __str__(self) -> str:
        return str(self.args[0])


class UnknownDataset(Unknown):
    """No data set of that name."""


class UnknownProfile(Unknown):
    """No such person in the data set."""


class UnknownTask(Unknown):
    """No such task of the person."""


class Dataset(Protocol):
    """People and their tasks."""

    @property
    def name(self) -> str: ...

    @property
    def digest(self) -> str:
        """SHA-256 over all that scores depend on: files, times, tasks."""
        ...

    def profiles(self) -> tuple[str, ...]:
        """The ids (``demo/adam``) of all people, in the data set's order."""
        ...

    def profile(self, name: str) -> Profile:
        """The person of that id or bare name, with files that lie ready on the host.

        Raises:
            UnknownProfile: there is none, or the id is of another data set.
        """
        ...

    def tasks(self, name: str) -> tuple[Task, ...]:
        """The tasks of the person of that id or bare name, in the data set's order."""
        ...


def _load_demo() -> Dataset:
    from deskgym.tasks.demo import DemoDataset

    return DemoDataset()


_LOADERS: dict[str, Callable[[], Dataset]] = {"demo": _load_demo}


def dataset_names() -> tuple[str, ...]:
    """The names that `load_dataset` knows."""
    return tuple(_LOADERS)


def load_dataset(name: str) -> Dataset:
    """The data set of that name.

    Raises:
        UnknownDataset: there is none.
    """
    if name not in _LOADERS:
        raise UnknownDataset(f"no data set {name!r}{near(name, _LOADERS)}")
    return _LOADERS[name]()


def profile_id(dataset: Dataset, name: str) -> str:
    """The full id that ``name`` (an id or a bare name) stands for in ``dataset``.

    Raises:
        UnknownProfile: nobody of that name; an id of another data set is never taken for ours.
    """
    known = dataset.profiles()
    if name in known:
        return name
    full = f"{dataset.name}/{name}"
    if "/" not in name and full in known:
        return full
    other = name.partition("/")[0]
    if "/" in name and other != dataset.name:
        raise UnknownProfile(
            f"{name!r} is of the data set {other!r}, and this is {dataset.name!r}; "
            f"ask for dataset={other!r}"
        )
    alike = known if "/" in name else [one.partition("/")[2] for one in known]
    raise UnknownProfile(f"nobody called {name!r} in {dataset.name!r}{near(name, alike)}")


def find_task(dataset: Dataset, profile: str, task_id: str) -> Task:
    """The task of that id.

    Raises:
        UnknownTask: the person has none of that id.
    """
    tasks = {task.id: task for task in dataset.tasks(profile)}
    if task_id not in tasks:
        raise UnknownTask(f"{profile} has no task {task_id!r}{near(task_id, tasks)}")
    return tasks[task_id]


def near(name: str, known: Iterable[str]) -> str:
    """How a message goes on after an unknown name: the names near it, or some of all."""
    names = list(known)
    close = difflib.get_close_matches(name, names, n=3, cutoff=0.5)
    if close:
        return "; did you mean " + " or ".join(repr(n) for n in close) + "?"
    shown = ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
    return f"; there are {shown}" if names else ""
