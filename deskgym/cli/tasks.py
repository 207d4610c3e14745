"""`deskgym tasks`: the questions, and on request their gold."""

from __future__ import annotations

import json as json_module
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from deskgym.tasks.schema import Task

tasks = typer.Typer(help="The questions over people's files.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    app.add_typer(tasks, name="tasks")


@tasks.callback()
def _group() -> None:
    """Keeps `list` a subcommand although it is the only one."""


@tasks.command("list")
def list_tasks(
    ids: Annotated[list[str], typer.Argument(metavar="ID...", help="People, or a data set.")],
    gold: Annotated[bool, typer.Option("--gold", help="With answers and evidence.")] = False,
    json: Annotated[bool, typer.Option("--json", help="For a script.")] = False,
) -> None:
    """List the tasks of people, without their answers unless asked for."""
    from deskgym.cli.ids import resolve

    _, data, people = resolve(ids)
    found = [task for person in people for task in data.tasks(person)]
    if json:
        print(json_module.dumps([_fields(task, gold=gold) for task in found], indent=2))
        return
    for task in found:
        print(f"{task.id:<14} {task.profiling_type or task.qa_type:<26} {task.question}")
        if gold:
            print(f"{'':<14} {task.answer}")
            for unit in task.evidence:
                print(f"{'':<14}   {unit.file_path} {unit.locator}: {_one_line(unit.text)}")


def _fields(task: Task, *, gold: bool) -> dict[str, Any]:
    fields = task.model_dump(mode="json")
    # What a task is about without gold; whether it can be answered is gold too.
    shown = ("id", "profile_id", "question", "qa_type", "profiling_type")
    return fields if gold else {name: fields[name] for name in shown}


def _one_line(text: str) -> str:
    joined = " ".join(text.split())
    return joined if len(joined) <= 100 else f"{joined[:99]}…"
