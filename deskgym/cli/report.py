"""`deskgym report`: the tables of a run."""

from __future__ import annotations

import json as json_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from deskgym.report import Report


def register(app: typer.Typer) -> None:
    app.command()(report)


def report(
    run: Annotated[Path, typer.Argument(help="A run's folder.")],
    json: Annotated[bool, typer.Option("--json", help="For a script.")] = False,
) -> None:
    """Show a run's averages by agent and person, and by task family."""
    from deskgym.env.trajectory_log import read_config, read_results
    from deskgym.report import make_report

    read_config(run)  # says so if this is no run
    made = make_report(read_results(run))
    if json:
        print(json_module.dumps({"run": str(run), **made.as_json()}, indent=2))
    else:
        show(made)


def show(made: Report) -> None:
    """Print a report's tables."""
    from rich.console import Console
    from rich.measure import Measurement

    from deskgym.report import LEGEND

    console = Console()
    tables = made.tables()
    # On a narrow terminal a wrapped line still reads better than cells that are cut off.
    roomy = Console(width=1_000).options
    widest = max(Measurement.get(console, roomy, table).maximum for table in tables)
    if console.width < widest:
        console = Console(width=widest)
    for table in tables:
        console.print(table)
        console.print()
    console.print(LEGEND, style="dim", highlight=False)
