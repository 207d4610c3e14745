"""`deskgym report`: what a run came to, as tables or as a page."""

from __future__ import annotations

import json as json_module
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from deskgym.report import Report

PAGE = "report.html"


def register(app: typer.Typer) -> None:
    app.command()(report)


def report(
    run: Annotated[Path, typer.Argument(help="A run's folder.")],
    file: Annotated[
        Path | None, typer.Argument(help=f"With --html: where to. Default: RUN/{PAGE}.")
    ] = None,
    html: Annotated[
        bool, typer.Option("--html", help="Write a page with charts and every episode's steps.")
    ] = False,
    episodes: Annotated[
        int,
        typer.Option(min=0, help="With --html: how many episodes show their steps, wrong first."),
    ] = 300,
    json: Annotated[bool, typer.Option("--json", help="For a script.")] = False,
) -> None:
    """Show a run's averages, and what became of its answers.

    Without scores in the run ('deskgym score' puts them there), they are made for the occasion.
    """
    from deskgym.report import report_of
    from deskgym.report_cases import read_cases

    if file is not None and not html:
        raise typer.BadParameter("a file to write goes with --html", param_hint="FILE")
    cases = read_cases(run)
    if html:
        from deskgym.report_html import write_html

        out = file or run / PAGE
        write_html(run, out, cases=cases, episodes=episodes)
        if json:
            print(json_module.dumps({"run": str(run), "page": str(out)}))
        else:
            print(f"page: {out}")
        return
    made = report_of(cases)
    if json:
        print(json_module.dumps({"run": str(run), **made.as_json()}, indent=2))
    else:
        show(made)
        if not cases:
            print(f"deskgym: {run} has no finished episode yet", file=sys.stderr)


def show(made: Report) -> None:
    """Print a report's tables."""
    from deskgym.cli.wide import wide_console
    from deskgym.report_tables import legend, tables

    made_tables = tables(made)
    if not made_tables:
        return
    console = wide_console(made_tables)
    for table in made_tables:
        console.print(table)
        console.print()
    console.print(legend(made), style="dim", highlight=False)
