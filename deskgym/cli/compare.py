"""`deskgym compare`: two runs, task by task."""

from __future__ import annotations

import json as json_module
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.table import Table

    from deskgym.compare import AgentComparison, MetricRow

_FLIPS_SHOWN = 20
_QUESTION = 70


def register(app: typer.Typer) -> None:
    app.command()(compare)


def compare(
    run_a: Annotated[Path, typer.Argument(help="A run's folder.")],
    run_b: Annotated[Path, typer.Argument(help="The run that is set against it.")],
    metric: Annotated[
        list[str] | None,
        typer.Option(help="answer, correct, file_f1, evidence_recall, cited_f1, steps."),
    ] = None,
    agent_a: Annotated[str | None, typer.Option(help="Whose episodes of the first run.")] = None,
    agent_b: Annotated[str | None, typer.Option(help="Whose episodes of the second.")] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Even if they are over different data.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="For a script.")] = False,
) -> None:
    """Set two runs against each other, task by task: B less A, with 95% intervals.

    Scores are those that `deskgym score` wrote, else lexical ones made now.
    """
    from deskgym.compare import METRICS, check_same_data, pair_agents, rows_of
    from deskgym.compare import compare as compare_rows
    from deskgym.env.run_reader import read_config
    from deskgym.env.score_run import scored_results

    for name in metric or ():
        if name not in METRICS:
            raise typer.BadParameter(f"no metric {name!r}; there are {', '.join(METRICS)}")
    if not force:
        check_same_data(read_config(run_a), read_config(run_b))
    metrics = list(dict.fromkeys(metric or METRICS))
    a = rows_of(scored_results(run_a, logs=False, bleu=False), metrics)
    b = rows_of(scored_results(run_b, logs=False, bleu=False), metrics)
    compared = [
        compare_rows(a[one], b[other], metrics, agents=(one, other))
        for one, other in pair_agents(list(a), list(b), agent_a, agent_b)
    ]
    if json:
        facts = [one.model_dump(mode="json") for one in compared]
        print(
            json_module.dumps(
                {"run_a": str(run_a), "run_b": str(run_b), "comparisons": facts}, indent=2
            )
        )
    else:
        for one in compared:
            _show(one, families=metrics if metric else metrics[:1])


def _show(compared: AgentComparison, *, families: Sequence[str]) -> None:
    from deskgym.cli.wide import wide_console

    by_family = [row for row in compared.by_family if row.metric in families]
    title = f"A: {compared.agent_a}, B: {compared.agent_b}, over {compared.n} tasks"
    tables = [_table(title, compared.overall), _table("By task family", by_family)]
    console = wide_console(tables)
    for table in tables:
        console.print(table)
        console.print()
    for count, name in ((compared.only_a, "A"), (compared.only_b, "B")):
        if count:
            print(f"{count} tasks are in run {name} alone, and left out")
    print(f"right and wrong by: {', '.join(compared.judged_a)}", end="")
    if compared.judged_a != compared.judged_b:
        print(f" in A, {', '.join(compared.judged_b)} in B: score both runs with one judge", end="")
    print()
    _show_flips(compared)
    console.print(
        "B - A: mean over the pairs, with the 95% bootstrap interval; p: exact sign test over the "
        "pairs that differ",
        style="dim",
        highlight=False,
    )


def _show_flips(compared: AgentComparison) -> None:
    for right_in_a, what in ((True, "right in A, wrong in B"), (False, "wrong in A, right in B")):
        flips = [flip for flip in compared.flips if flip.right_in_a == right_in_a]
        print(f"{len(flips)} tasks {what}")
        for flip in flips[:_FLIPS_SHOWN]:
            question = " ".join(flip.question.split())
            short = question if len(question) <= _QUESTION else f"{question[: _QUESTION - 3]}..."
            print(f"  {flip.profile_id} {flip.task_id}: {short}")
        if len(flips) > _FLIPS_SHOWN:
            print(f"  and {len(flips) - _FLIPS_SHOWN} more; --json lists them all")


def _table(title: str, rows: Sequence[MetricRow]) -> Table:
    from deskgym.report_tables import plain_table

    numbers = ("n", "A", "B", "B - A", "95%", "B higher", "B lower", "equal", "p")
    table = plain_table(title, ("metric", "tasks"), numbers)
    for row in rows:
        table.add_row(row.metric, row.group, *_cells(row))
    return table


def _cells(row: MetricRow) -> list[str]:
    found = row.difference
    if found is None:
        return ["0", *["-"] * 8]
    gap = found.difference
    return [
        str(found.n),
        f"{found.mean_a:.3f}",
        f"{found.mean_b:.3f}",
        f"{gap.mean:+.3f}",
        f"[{gap.low:+.3f}, {gap.high:+.3f}]",
        str(found.wins),
        str(found.losses),
        str(found.ties),
        f"{found.p:.3f}" if found.p >= 0.001 else "<0.001",
    ]
