"""`deskgym export`: a run for other programs."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from deskgym.env.export import Gold
    from deskgym.tasks.schema import Task


class Format(StrEnum):
    hippocamp = "hippocamp"
    parquet = "parquet"
    chat = "chat"


class Files(StrEnum):
    cited = "cited"
    touched = "touched"


def register(app: typer.Typer) -> None:
    app.command()(export)


def export(
    run: Annotated[Path, typer.Argument(help="A run's folder.")],
    format: Annotated[
        Format,
        typer.Option(
            help="hippocamp: its batch shape, as JSON; parquet: a row an episode with all scores; "
            "chat: messages as JSON lines, for fine-tuning."
        ),
    ],
    out: Annotated[Path, typer.Option(help="The file to write.")],
    agent: Annotated[str | None, typer.Option(help="This agent's episodes alone.")] = None,
    files: Annotated[
        Files, typer.Option(help="hippocamp: the agent's files are those it cites, or touched.")
    ] = Files.cited,
    media: Annotated[
        bool, typer.Option("--media", help="chat: with the pictures and sounds, encoded.")
    ] = False,
    only_correct: Annotated[
        bool, typer.Option("--only-correct", help="chat: episodes with a right answer alone.")
    ] = False,
) -> None:
    """Write a run's episodes for other programs."""
    from deskgym.env.export import export_chat, export_hippocamp
    from deskgym.env.export_table import export_parquet

    if (media or only_correct) and format is not Format.chat:
        raise typer.BadParameter("--media and --only-correct go with --format chat")
    if files is not Files.cited and format is not Format.hippocamp:
        raise typer.BadParameter("--files goes with --format hippocamp")
    if format is Format.hippocamp:
        gold = _gold_of(run)
        count = export_hippocamp(run, out, files=files.value, agent=agent, gold=gold)
    elif format is Format.parquet:
        count = export_parquet(run, out, agent=agent)
    else:
        count = export_chat(run, out, agent=agent, media=media, only_correct=only_correct)
    print(f"{count} episodes in {out}", file=sys.stderr)


def _gold_of(run: Path) -> Gold | None:
    """Where the gold evidence of the run's tasks is; None, and said so, if it cannot be had."""
    from deskgym.env.run_reader import read_config
    from deskgym.tasks.registry import BadDataset, Unknown, load_dataset

    config = read_config(run)
    try:
        dataset = load_dataset(config.dataset, **config.dataset_options)
        same = dataset.digest == config.dataset_digest
        why = "the data set has changed since the run"
    except (Unknown, BadDataset) as error:
        same, why = False, str(error)
    if not same:
        print(f"deskgym: gold evidence and rationale are left out: {why}", file=sys.stderr)
        return None
    tasks: dict[str, dict[str, Task]] = {}

    def task(profile_id: str, task_id: str) -> Task | None:
        if profile_id not in tasks:
            tasks[profile_id] = {task.id: task for task in dataset.tasks(profile_id)}
        return tasks[profile_id].get(task_id)

    return task
