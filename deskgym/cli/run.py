"""`deskgym run`: agents over people's tasks, with a table at the end."""

from __future__ import annotations

import json as json_module
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from deskgym.cli.backend import SANDBOX, checked_sandbox, chosen_kind
from deskgym.cli.ids import DatasetOptions

if TYPE_CHECKING:
    from deskgym.agents.crew import Progress, RunSpec
    from deskgym.env.trajectory import EpisodeResult

RUNS = Path("runs")


def register(app: typer.Typer) -> None:
    app.command()(run)


def run(
    ids: Annotated[
        list[str],
        typer.Argument(metavar="ID...", help="People (demo/adam, adam), or a data set (demo)."),
    ],
    agent: Annotated[
        list[str],
        typer.Option(
            help="oracle, bm25, null, canary, one that asks a model, or package.module:Class. "
            "Repeatable."
        ),
    ],
    tasks: Annotated[
        str, typer.Option(help="Task ids or globs, separated by commas; all if left out.")
    ] = "",
    max_steps: Annotated[int, typer.Option(min=1, help="Steps before an episode is cut off.")] = 30,
    tools: Annotated[
        str | None, typer.Option(help="A preset (config0 to config3) or tools, with commas.")
    ] = None,
    reward: Annotated[str, typer.Option(help="The name of a reward.")] = "sparse",
    seed: Annotated[int, typer.Option(help="The run's seed.")] = 0,
    jobs: Annotated[
        int,
        typer.Option(
            "--jobs", "--concurrency", min=1, help="Episodes at a time; of ray, on each node."
        ),
    ] = 1,
    engine: Annotated[
        str,
        typer.Option(
            help="Where episodes are played: local (here), or ray (on all nodes of a Ray cluster)."
        ),
    ] = "local",
    address: Annotated[
        str | None,
        typer.Option(
            metavar="HOST:PORT",
            help="The Ray cluster; auto: the one that this computer belongs to. Without it, one of "
            "this computer alone.",
        ),
    ] = None,
    sandbox: Annotated[str, SANDBOX] = "auto",
    out: Annotated[
        Path | None, typer.Option(help="The run's folder. Default: a new one below runs/.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in --out.")] = False,
    config: Annotated[
        str, typer.Option(help='Settings of agents as JSON: {"agent": {"key": value}}.')
    ] = "{}",
    agent_config: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.toml",
            help="Settings of agents: a table [agent] for each, [llm] for all with a model, "
            "[retrieval]. --config goes before it.",
        ),
    ] = None,
    model: Annotated[
        str | None, typer.Option(help="The model that every agent with one asks.")
    ] = None,
    base_url: Annotated[
        str | None,
        typer.Option(help="Its OpenAI-compatible endpoint. The key stays in the environment."),
    ] = None,
    retrieval: Annotated[
        str | None,
        typer.Option(help="How agents that retrieve rank passages: bm25, dense or hybrid."),
    ] = None,
    embedder: Annotated[
        str | None, typer.Option(help="What turns text into vectors, for dense and hybrid.")
    ] = None,
    retries: Annotated[
        int,
        typer.Option(
            min=0,
            help="How often an execution that failed (broken off, timed out, no answer) is run "
            "again. A wrong answer never is.",
        ),
    ] = 0,
    budget_usd: Annotated[
        float | None, typer.Option(help="Stop when the models have cost this much.")
    ] = None,
    budget_tokens: Annotated[
        int | None, typer.Option(min=1, help="Stop when the models have taken this many tokens.")
    ] = None,
    cassette: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Keep what models say, and play it again from there."),
    ] = None,
    cassette_mode: Annotated[
        str | None,
        typer.Option(help="auto (ask what is not there), record (always ask) or replay (never)."),
    ] = None,
    dataset_option: DatasetOptions = None,
    json: Annotated[bool, typer.Option("--json", help="The report for a script.")] = False,
) -> None:
    """Run agents over people's tasks. Ends with the averages and the run's folder.

    Exit code 1 if Ctrl-C or a budget ended it before all episodes were played; --resume goes on.
    """
    from deskgym.agents.rollout import RunSpec
    from deskgym.cli import agent_options
    from deskgym.cli.ids import dataset_options, resolve

    if resume and out is None:
        raise typer.BadParameter("--resume goes on with the run in --out, which is missing")
    if budget_usd is not None and not budget_usd > 0:
        raise typer.BadParameter("--budget-usd is above zero")
    _check_engine(engine, address)
    agents = tuple(dict.fromkeys(agent))
    file = agent_options.read_file(agent_config)
    searches = agent_options.retrieval_settings(retrieval, embedder, file)
    settings = agent_options.agent_settings(
        agents,
        options=agent_options.ModelOptions(model, base_url, cassette, cassette_mode),
        file=file,
        config=agent_options.read_json(config),
        ranking=retrieval,
    )
    agent_options.check_priced(settings, budget_usd)
    options = dataset_options(dataset_option)
    name, _, people = resolve(ids, options)
    spec = RunSpec(
        dataset=name,
        dataset_options=options,
        profiles=people,
        agents=agents,
        tasks=_split(tasks),
        tools=_tools(tools),
        max_steps=max_steps,
        reward=_reward(reward),
        seed=seed,
        jobs=jobs,
        agent_config=settings,
        retrieval=searches,
        retries=retries,
        budget_usd=budget_usd,
        budget_tokens=budget_tokens,
        sandbox=checked_sandbox(sandbox),
        engine=engine,
        address=address,
    )
    execute(spec, out or new_folder("-".join(spec.agents)), resume=resume, json=json)


def execute(spec: RunSpec, out: Path, *, resume: bool = False, json: bool = False) -> None:
    """Run ``spec`` into ``out`` with a progress bar, then show the report."""
    from deskgym.agents.rollout import run as run_spec
    from deskgym.cli.progress import saying
    from deskgym.cli.report import show
    from deskgym.env.sandbox.choose import ensure_made
    from deskgym.env.sandbox.images import desk_image
    from deskgym.report import make_report

    with saying() as say:
        kind = chosen_kind(spec.sandbox, say)
        spec = replace(spec, sandbox=kind)
        # Each node of a cluster sees to its own; this computer may have none of that kind.
        image = desk_image().tag if spec.engine == "ray" else ensure_made(kind, say=say)
    # Ray says on standard output what becomes of its nodes; that is the report's.
    with _progress_bar() as progress, redirect_stdout(sys.stderr):
        outcome = run_spec(spec, out, resume=resume, progress=progress, image_digest=image)
    report = make_report(outcome.results)
    if json:
        facts = {
            "run": str(outcome.folder),
            "planned": outcome.planned,
            "interrupted": outcome.interrupted,
            "reason": outcome.reason,
            **report.as_json(),
        }
        print(json_module.dumps(facts, indent=2))
    else:
        show(report)
        print(f"\nrun folder: {outcome.folder}")
    if outcome.interrupted:
        left = outcome.planned - len(outcome.results)
        why = f": {outcome.reason}" if outcome.reason else ""
        more = " and a larger budget" if outcome.reason else ""
        print(
            f"deskgym: stopped with {left} of {outcome.planned} episodes left{why}; the same "
            f"command with --resume --out {outcome.folder}{more} goes on",
            file=sys.stderr,
        )
        raise typer.Exit(1)


def new_folder(label: str) -> Path:
    """A folder below ``runs/`` named for ``label`` and the time, that is not there yet."""
    safe = "".join(c if c.isalnum() or c in "-_." else "_" for c in label)[:60]
    base = RUNS / f"{safe}-{datetime.now():%Y%m%d-%H%M%S}"
    number, path = 1, base
    while path.exists():
        number += 1
        path = base.with_name(f"{base.name}-{number}")
    return path


def _check_engine(engine: str, address: str | None) -> None:
    from deskgym.agents.crew import ENGINES

    if engine not in ENGINES:
        raise typer.BadParameter(f"--engine is one of {', '.join(ENGINES)}, not {engine!r}")
    if address is not None and engine != "ray":
        raise typer.BadParameter("--address is that of a Ray cluster: it goes with --engine ray")


def _split(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _tools(text: str | None) -> str | tuple[str, ...] | None:
    from deskgym.env.actions import PRESETS, resolve_tools

    if text is None or text in PRESETS:
        return text
    names = _split(text)
    try:
        resolve_tools(list(names))
    except ValueError as error:
        presets = ", ".join(PRESETS)
        raise typer.BadParameter(f"{error}; presets: {presets}") from error
    return names


def _reward(name: str) -> str:
    from deskgym.env.rewards import check_reward

    try:
        return check_reward(name)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error


@contextmanager
def _progress_bar() -> Iterator[Progress]:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        Task,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.text import Text

    class Rate(ProgressColumn):
        """Episodes a second, or seconds an episode."""

        def render(self, task: Task) -> Text:
            if not task.speed:
                return Text("")
            fast = task.speed >= 1
            return Text(f"{task.speed:.1f} a second" if fast else f"{1 / task.speed:.1f} s each")

    columns = (
        TextColumn("{task.description:<24}"),
        BarColumn(),
        MofNCompleteColumn(),
        Rate(),
        TimeRemainingColumn(),
    )
    bar = Progress(*columns, console=Console(stderr=True))
    row = bar.add_task("episodes", total=None)

    def tell(done: int, total: int, result: EpisodeResult | None) -> None:
        bar.start()  # not before there is something to show: what fails at once shows no bar
        shown = f"{result.agent} {result.task_id}" if result else "episodes"
        bar.update(row, completed=done, total=total, description=shown)

    try:
        yield tell
    finally:
        bar.stop()
