"""What names on the command line stand for: people, a data set's people, tools."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from deskgym.tasks.registry import Dataset

DEFAULT_DATASET = "demo"
DatasetOptions = Annotated[
    list[str] | None,
    typer.Option(
        "--dataset-option",
        "-o",
        metavar="KEY=VALUE",
        help="An option of the data set (see: deskgym datasets info). Repeatable.",
    ),
]


def dataset_options(pairs: Sequence[str] | None) -> dict[str, str]:
    """The data set's options from ``KEY=VALUE`` pairs.

    Raises:
        typer.BadParameter: a pair is none.
    """
    options = {}
    for pair in pairs or ():
        key, equals, value = pair.partition("=")
        if not equals or not key:
            raise typer.BadParameter(f"--dataset-option is KEY=VALUE, not {pair!r}")
        options[key] = value
    return options


def resolve(
    ids: Sequence[str], options: Mapping[str, str] | None = None
) -> tuple[str, Dataset, tuple[str, ...]]:
    """The data set's name, the data set and the people that ``ids`` name, each once.

    An id is a person (``demo/adam``, or ``adam`` of the demo) or a data set (``demo``: all its
    people). All must be of one data set, which is given ``options``.

    Raises:
        UnknownDataset, UnknownProfile: there is none of that name.
        typer.BadParameter: they are of several data sets, or it has no such option.
    """
    from deskgym.tasks.registry import BadDataset, UnknownDataset, load_dataset, profile_id

    found: dict[str, Dataset] = {}
    people: dict[str, None] = {}

    def load(name: str) -> Dataset:
        if name not in found:
            try:
                found[name] = load_dataset(name, **(options or {}))
            except BadDataset:
                raise
            except ValueError as error:
                raise typer.BadParameter(str(error)) from error
        return found[name]

    for one in ids:
        name = one.partition("/")[0]
        if "/" in one:
            people[profile_id(load(name), one)] = None
            continue
        try:
            people.update(dict.fromkeys(load(name).profiles()))
        except UnknownDataset:
            people[profile_id(load(DEFAULT_DATASET), one)] = None
    if len(found) != 1:
        raise typer.BadParameter(f"one data set at a time, not {', '.join(found)}")
    ((name, dataset),) = found.items()
    return name, dataset, tuple(people)


def named_tools(text: str | None) -> tuple[str, ...]:
    """The tools that ``text`` names, sorted: a preset, names with commas, or None for all.

    Raises:
        typer.BadParameter: a name that is neither a preset nor a tool.
    """
    from deskgym.env.actions import PRESETS, resolve_tools

    try:
        if text is None or text in PRESETS:
            return tuple(sorted(resolve_tools(text)))
        return tuple(sorted(resolve_tools([part.strip() for part in text.split(",")])))
    except ValueError as error:
        raise typer.BadParameter(f"{error}; presets: {', '.join(PRESETS)}") from error
