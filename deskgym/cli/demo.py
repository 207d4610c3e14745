"""`deskgym demo`: the three reference agents over the demo people."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from deskgym.cli.backend import SANDBOX, checked_sandbox

AGENTS = ("oracle", "bm25", "null")


def register(app: typer.Typer) -> None:
    app.command()(demo)


def demo(
    jobs: Annotated[int, typer.Option(min=1, help="Episodes at a time.")] = 2,
    out: Annotated[
        Path | None, typer.Option(help="The run's folder. Default: a new one below runs/.")
    ] = None,
    sandbox: Annotated[str, SANDBOX] = "auto",
    json: Annotated[bool, typer.Option("--json", help="The report for a script.")] = False,
) -> None:
    """Run oracle (the ceiling), bm25 and null (the floor) over all demo people."""
    from deskgym.agents.rollout import RunSpec
    from deskgym.cli.ids import DEFAULT_DATASET, resolve
    from deskgym.cli.run import execute, new_folder

    kind = checked_sandbox(sandbox)
    name, _, people = resolve([DEFAULT_DATASET])
    spec = RunSpec(dataset=name, profiles=people, agents=AGENTS, jobs=jobs, sandbox=kind)
    execute(spec, out or new_folder("demo"), json=json)
