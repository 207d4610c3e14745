"""`deskgym datasets`: what there is to play on, where it lies, and fetching it."""

from __future__ import annotations

import json as json_module
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from deskgym.datasets_fetch import Fetched, Report
    from deskgym.datasets_hub import HubFile
    from deskgym.tasks.registry import DatasetInfo

datasets = typer.Typer(help="The data sets, and fetching them.", no_args_is_help=True)
_NAME = typer.Argument(metavar="NAME", help="A data set: deskgym datasets list.")
_JSON = typer.Option("--json", help="For a script.")


def register(app: typer.Typer) -> None:
    app.add_typer(datasets, name="datasets")


@datasets.command("list")
def list_datasets(json: Annotated[bool, _JSON] = False) -> None:
    """List the data sets, and where each lies."""
    from rich.table import Table
    from rich.text import Text

    from deskgym.cli.wide import wide_console
    from deskgym.tasks.registry import DATASETS

    rows = [_state(info) for info in DATASETS.values()]
    if json:
        print(json_module.dumps(rows, indent=2))
        return
    table = Table(box=None, pad_edge=False)
    for column in ("name", "title", "people", "where", "licence"):
        table.add_column(column, justify="right" if column == "people" else "left")
    for row in rows:
        where = row["error"] or row["where"] or "not here"
        people = "" if row["people"] is None else str(len(row["people"]))
        cells = (row["name"], row["title"], people, where, row["licence"])
        table.add_row(*(Text(cell) for cell in cells))
    wide_console([table]).print(table)


@datasets.command()
def info(name: Annotated[str, _NAME], json: Annotated[bool, _JSON] = False) -> None:
    """Say what a data set is, what it takes, and what of it is here."""
    known = _known(name)
    facts = _state(known) | {
        "about": known.about,
        "source": f"https://huggingface.co/datasets/{known.hub}" if known.hub else None,
        "options": dict(known.options),
    }
    if json:
        print(json_module.dumps(facts, indent=2))
        return
    people = facts["people"]
    facts["people"] = "not known" if people is None else ", ".join(people) or "nobody"
    facts["where"] = facts["where"] or f"not here; to get it: {_remedy(known)}"
    options = facts.pop("options")
    for key, value in facts.items():
        if value is not None:
            print(f"{key:<9} {value}")
    for option, about in options.items():
        print(f"{'option':<9} {option}: {about}")


@datasets.command()
def path(
    name: Annotated[str, _NAME],
    folder: Annotated[
        Path | None, typer.Argument(metavar="DIR", help="Where it lies from now on.")
    ] = None,
    json: Annotated[bool, _JSON] = False,
) -> None:
    """Print the folder that a data set lies in; with DIR, say that it lies there."""
    from deskgym.tasks.locations import dataset_folder
    from deskgym.tasks.registry import DatasetMissing, load_dataset

    known = _with_folder(name)
    if folder is not None:
        there = Path(os.path.realpath(folder))
        if not load_dataset(known.name, path=str(there)).profiles():
            raise DatasetMissing(f"{there} holds nobody of {known.title}; the setting stays")
        _set_path(known.name, there)
    where = dataset_folder(known.name)
    print(json_module.dumps({"name": known.name, "path": str(where)}) if json else where)


@datasets.command()
def fetch(
    name: Annotated[str, _NAME],
    profile: Annotated[
        str | None, typer.Option("--profile", metavar="NAME", help="One person only.")
    ] = None,
    subset: Annotated[
        bool, typer.Option("--subset", help="The smaller set of files (hippocamp).")
    ] = False,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Do not ask: the licence is accepted.")
    ] = False,
    folder: Annotated[
        Path | None, typer.Option("--dir", metavar="DIR", help="Where to; noted for later.")
    ] = None,
    json: Annotated[bool, _JSON] = False,
) -> None:
    """Fetch a data set from the Hugging Face hub.

    Says how much there is to fetch and under which licence, and asks. It may be broken off: the
    same command goes on where it was. Every file is checked by its hash.
    """
    from deskgym.cli.main import CHECK_FAILED
    from deskgym.datasets_choice import choose
    from deskgym.datasets_fetch import check_space
    from deskgym.datasets_fetch import fetch as fetch_files
    from deskgym.datasets_hub import listing

    known = _with_folder(name)
    if known.hub is None:
        raise typer.BadParameter(f"{known.name} is not on the hub")
    if not yes and not _may_ask():
        raise typer.BadParameter(
            f"there is no terminal to ask on; --yes accepts the licence of {known.title} "
            f"({known.licence})"
        )
    there = Path(os.path.realpath(folder)) if folder else _destination(known.name)
    found = listing(known.hub)
    files = choose(known.name, found.files, profile, subset=subset)
    _announce(known, files, there)
    check_space(files, there)
    if not yes and not typer.confirm("Fetch it?", err=True):
        print("nothing was fetched", file=sys.stderr)
        raise typer.Exit(CHECK_FAILED)
    with _showing(files) as report:
        try:
            done = fetch_files(found, files, there, report)
        except KeyboardInterrupt:
            print(
                f"\nstopped; what is whole in {there} stays. The same command goes on",
                file=sys.stderr,
            )
            raise typer.Exit(CHECK_FAILED) from None
    if folder is not None:
        _set_path(known.name, there)
    _say_fetched(done, json=json)


_MADE = "made"
"""The data set that lies nowhere: its folders are named when it is used."""


def _known(name: str) -> DatasetInfo:
    from deskgym.tasks.registry import DATASETS, UnknownDataset, near

    if name not in DATASETS:
        raise UnknownDataset(f"no data set {name!r}{near(name, DATASETS)}")
    return DATASETS[name]


def _with_folder(name: str) -> DatasetInfo:
    """A data set that lies in a folder of its own."""
    known = _known(name)
    if "path" not in known.options or known.name == _MADE:
        remedy = {
            "local": "deskgym profiles add DIR --name NAME",
            _MADE: "its people are made when asked for, or: deskgym generate --out DIR",
        }.get(known.name, "it ships with the package")
        raise typer.BadParameter(f"{known.name} has no folder of its own: {remedy}")
    return known


def _remedy(known: DatasetInfo) -> str:
    if known.name == "local":
        return "deskgym profiles add DIR --name NAME"
    return f"deskgym datasets fetch {known.name}, or: deskgym datasets path {known.name} DIR"


def _state(known: DatasetInfo) -> dict[str, Any]:
    """Name, title, licence, where it lies (None: not here), its people, and what is wrong."""
    from deskgym.tasks.locations import dataset_folder, settings_file
    from deskgym.tasks.registry import BadDataset, DatasetMissing, load_dataset

    state: dict[str, Any] = {
        "name": known.name,
        "title": known.title,
        "licence": known.licence,
        "where": None,
        "people": None,
        "error": None,
    }
    try:
        if known.name == _MADE:
            state["where"] = "made when asked for"
        elif "path" in known.options:
            state["where"] = str(dataset_folder(known.name))
        people = list(load_dataset(known.name).profiles())
    except DatasetMissing:
        state["where"] = None
    except BadDataset as error:
        state["error"] = str(error)
    else:
        state["people"] = people
        if known.name == "local":
            state["where"] = str(settings_file()) if people else None
        elif state["where"] is None:
            state["where"] = "ships with the package"
    return state


def _destination(name: str) -> Path:
    """Where to fetch into: what was set, so that it is found again, else the cache."""
    from deskgym.tasks.locations import default_folder, read_settings

    paths = read_settings().get("paths")
    chosen = paths.get(name) if isinstance(paths, dict) else None
    return Path(chosen).expanduser().resolve() if chosen else default_folder(name)


def _set_path(name: str, folder: Path) -> None:
    from deskgym.tasks.locations import read_settings, write_settings

    settings = read_settings()
    paths = settings.get("paths")
    kept = dict(paths) if isinstance(paths, dict) else {}
    write_settings(settings | {"paths": kept | {name: str(folder)}})


def _may_ask() -> bool:
    return sys.stdin.isatty()


def _announce(known: DatasetInfo, files: Sequence[HubFile], folder: Path) -> None:
    from deskgym.datasets_fetch import bytes_here, is_here
    from deskgym.datasets_hub import size_of

    whole = sum(is_here(file, folder) for file in files)
    here = sum(bytes_here(file, folder) for file in files)
    total = sum(file.size for file in files)
    lines = (
        f"{known.title}: {len(files)} files, {size_of(total)}",
        f"here already: {whole} files, {size_of(here)}; to fetch: {size_of(total - here)}",
        f"from {known.hub} into {folder}",
        f"licence: {known.licence}",
    )
    print("\n".join(lines), file=sys.stderr)


@contextmanager
def _showing(files: Sequence[HubFile]) -> Iterator[Report]:
    """A bar on standard error, if that is a terminal."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
        TransferSpeedColumn,
    )

    columns = (
        BarColumn(), DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn(),
        TextColumn("{task.fields[file]}", markup=False),
    )  # fmt: skip
    console = Console(stderr=True)
    with Progress(*columns, console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task("", total=sum(file.size for file in files), file="")

        def report(path: str, count: int) -> None:
            bar.update(task, advance=count, file=path.rpartition("/")[2][:40])

        yield report


def _say_fetched(done: Fetched, *, json: bool) -> None:
    from deskgym.datasets_hub import size_of

    if json:
        print(done.model_dump_json(indent=2))
        return
    print(
        f"{done.files} files, {size_of(done.bytes)}, are whole in {done.folder}; "
        f"fetched now: {done.fetched_files} files, {size_of(done.fetched_bytes)}"
    )
