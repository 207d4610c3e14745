"""`deskgym bench`: what a desk costs, beside what else one could do, in one table."""

from __future__ import annotations

import json as json_module
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.table import Table

    from deskgym.bench import Row, Skipped


WIDTH = 130


def register(app: typer.Typer) -> None:
    app.command()(bench)


def bench(
    quick: Annotated[
        bool, typer.Option("--quick", help="Few repetitions: to see that it works.")
    ] = False,
    only: Annotated[
        list[str] | None, typer.Option("--only", metavar="NAME", help="One row. Repeatable.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="For a script.")] = False,
) -> None:
    """Measure this machine's desks: each figure as a ratio to a baseline of the same run.

    A missed target is said and is no failure: other work on the machine disturbs the figures.
    """
    from deskgym.bench import ROWS, measure
    from deskgym.cli.progress import saying
    from deskgym.env.sandbox.engine import connect
    from deskgym.env.sandbox.images import ensure_image

    names = list(dict.fromkeys(only or ROWS))
    if unknown := sorted(set(names) - set(ROWS)):
        raise typer.BadParameter(f"no row {unknown[0]!r}; there are {', '.join(ROWS)}")
    client = connect()
    try:
        with saying() as say:
            image = ensure_image(client, say=say)
        with _progress(len(names)) as tell:
            rows = []
            for name in names:
                tell(name)
                rows.append(measure(client, image, name, quick=quick))
    finally:
        client.close()
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
    if unit == "1/s":
        return f"{value:,.0f}/s"
    return f"{value:.1f} {unit}"


def _ratio(row: Row) -> str:
    if row.ratio is None or row.lowest is None or row.highest is None:
        return ""
    digits = 1 if row.ratio >= 10 else 2
    spread = f"{row.lowest:.{digits}f} to {row.highest:.{digits}f}"
    return f"{row.ratio:.{digits}f} {row.means}\n({spread})"
