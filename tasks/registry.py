"""Data sets by name. Each is loaded by a function of its own, imported when it is asked for."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from deskgym.tasks.findings import Finding
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


class DatasetMissing(Unknown):
    """The data set's files are not on this computer. The message says how to get them."""


class BadDataset(ValueError):
    """A data set's file cannot be read as what it should be. Names the file and the remedy."""


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

    def profile_for(self, task: Task) -> Profile:
        """The person's computer as it is when ``task`` is asked.

        It has the id of ``task.profile_id``, and is `profile` of it unless the data set was told
        to show less (``as_of``).
        """
        ...

    def findings(self, name: str) -> tuple[Finding, ...]:
        """What loading the person of that id or bare name found wrong, and what it mended."""
        ...


def _load_demo() -> Dataset:
    from deskgym.tasks.demo import DemoDataset

    return DemoDataset()


def _load_hippocamp(path: str | None = None) -> Dataset:
    from deskgym.tasks.hippocamp import HippoCampDataset

    return HippoCampDataset(path)


def _load_rhelm(path: str | None = None, as_of: str | None = None) -> Dataset:
    from deskgym.tasks.rhelm import RhelmDataset

    return RhelmDataset(path, as_of=as_of)


def _load_local() -> Dataset:
    from deskgym.tasks.local import LocalDataset

    return LocalDataset()


def _load_made(**options: Any) -> Dataset:
    from deskgym.tasks.made.dataset import MadeDataset

    return MadeDataset(**options)


@dataclass(frozen=True)
class DatasetInfo:
    """What there is to know of a data set before it is loaded.

    ``hub`` is its id on the Hugging Face hub, None if it is not fetched from there; ``options``
    are the keywords that `load_dataset` takes for it, each with what it does.
    """

    name: str
    title: str
    about: str
    licence: str
    load: Callable[..., Dataset]
    hub: str | None = None
    options: Mapping[str, str] = field(default_factory=dict)


_PATH = "the folder that holds it, in its published layout"
DATASETS = {
    info.name: info
    for info in (
        DatasetInfo(
            "demo",
            "The demo people",
            "three invented people; ships with the package",
            "Apache-2.0",
            _load_demo,
        ),
        DatasetInfo(
            "hippocamp",
            "HippoCamp",
            "three people's computers, 581 questions: factual retention and profiling",
            "HippoCamp Research License v1: research use, no redistribution",
            _load_hippocamp,
            hub="MMMem-org/HippoCamp",
            options={"path": _PATH},
        ),
        DatasetInfo(
            "rhelm",
            "RHELM",
            "ten people's year of chats, mails and attachments, 1,305 questions of seven types",
            "MIT",
            _load_rhelm,
            hub="microsoft/RHELM",
            options={
                "path": _PATH,
                "as_of": "question: show only files dated up to the day a question is asked",
            },
        ),
        DatasetInfo(
            "made",
            "People made to order",
            "whole invented lives with questions and gold, made from a seed when asked for",
            "Apache-2.0",
            _load_made,
            options={
                "path": "a folder that deskgym generate wrote; without it people are made",
                "people": "how many (1)",
                "months": "how long a life is (2)",
                "seed": "whom chance brings (0)",
                "difficulty": "easy, mixed or hard questions (easy)",
                "setting": "setoka, rhelm or home: which kinds of questions (setoka)",
                "multimodal": "true or false: sound, pictures and clips too (true)",
            },
        ),
        DatasetInfo(
            "local",
            "Your own folders",
            "folders of this computer, added by: deskgym profiles add DIR --name NAME",
            "yours",
            _load_local,
        ),
    )
}


def dataset_names() -> tuple[str, ...]:
    """The names that `load_dataset` knows."""
    return tuple(DATASETS)


def load_dataset(name: str, **options: Any) -> Dataset:
    """The data set of that name, with the options that its `DatasetInfo` lists.

    Raises:
        UnknownDataset: there is none.
        DatasetMissing: its files are not on this computer.
        ValueError: it has no such option, or the option no such value.
    """
    if name not in DATASETS:
        raise UnknownDataset(f"no data set {name!r}{near(name, DATASETS)}")
    info = DATASETS[name]
    if unknown := sorted(set(options) - set(info.options)):
        known = ", ".join(info.options) or "none"
        raise ValueError(f"the data set {name!r} has no option {unknown[0]!r}; it has {known}")
    return info.load(**options)


def profile_id(dataset: Dataset, name: str) -> str:
    """The full id that ``name`` (an id or a bare name) stands for in ``dataset``.

    A data set may have other names for its people: ``aliases``, from bare name to bare name.

    Raises:
        UnknownProfile: nobody of that name; an id of another data set is never taken for ours.
    """
    known = dataset.profiles()
    aliases: Mapping[str, str] = getattr(dataset, "aliases", {})
    if (bare := name.removeprefix(f"{dataset.name}/")) in aliases:
        name = f"{dataset.name}/{aliases[bare]}"
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
