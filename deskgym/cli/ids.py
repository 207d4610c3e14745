"""What the IDs of the command line name: people, or a data set's people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from deskgym.tasks.registry import Dataset

DEFAULT_DATASET = "demo"


def resolve(ids: Sequence[str]) -> tuple[str, Dataset, tuple[str, ...]]:
    """The data set's name, the data set and the people that ``ids`` name, each once.

    An id is a person (``demo/adam``, or ``adam`` of the demo) or a data set (``demo``: all its
    people). All must be of one data set.

    Raises:
        UnknownDataset, UnknownProfile: there is none of that name.
        typer.BadParameter: they are of several data sets.
    """
    from deskgym.tasks.registry import UnknownDataset, load_dataset

    found: dict[str, Dataset] = {}
    people: dict[str, None] = {}
    for one in ids:
        name = one.partition("/")[0]
        if "/" in one:
            dataset = load_dataset(name)
            people[dataset.profile(one).id] = None
        else:
            try:
                dataset = load_dataset(name)
                people.update(dict.fromkeys(dataset.profiles()))
            except UnknownDataset:
                name, dataset = DEFAULT_DATASET, load_dataset(DEFAULT_DATASET)
                people[dataset.profile(one).id] = None
        found[name] = dataset
    if len(found) != 1:
        raise typer.BadParameter(f"one data set at a time, not {', '.join(found)}")
    ((name, dataset),) = found.items()
    return name, dataset, tuple(people)
