"""`deskgym tasks`: the questions, on request their gold, and what is wrong with them."""

from __future__ import annotations

import json as json_module
from typing import TYPE_CHECKING, Annotated, Any

import typer

from deskgym.cli.ids import DatasetOptions

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from deskgym.tasks.findings import Finding
    from deskgym.tasks.schema import Task

tasks = typer.Typer(help="The questions over people's files.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    app.add_typer(tasks, name="tasks")


@tasks.command("list")
def list_tasks(
    ids: Annotated[list[str], typer.Argument(metavar="ID...", help="People, or a data set.")],
    dataset_option: DatasetOptions = None,
    gold: Annotated[bool, typer.Option("--gold", help="With answers and evidence.")] = False,
    json: Annotated[bool, typer.Option("--json", help="For a script.")] = False,
) -> None:
    """List the tasks of people, without their answers unless asked for."""
    from deskgym.cli.ids import dataset_options, resolve

    _, data, people = resolve(ids, dataset_options(dataset_option))
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


@tasks.command("validate")
def validate_tasks(
    ids: Annotated[list[str], typer.Argument(metavar="ID...", help="People, or a data set.")],
    dataset_option: DatasetOptions = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Do not compare the files' hashes.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="For a script.")] = False,
) -> None:
    """Check tasks against the files they are about; fails if there is an error.

    Every file is read, and searched for gold that an agent could find on the desk.
    """
    from deskgym.cli.ids import dataset_options
    from deskgym.cli.main import CHECK_FAILED
    from deskgym.cli.progress import saying

    with saying() as say:
        found = _findings(ids, dataset_options(dataset_option), quick=quick, say=say)
    if json:
        print(json_module.dumps([one.model_dump(mode="json") for one in found], indent=2))
    else:
        _show(found)
    if any(one.severity == "error" for one in found):
        raise typer.Exit(CHECK_FAILED)


def _findings(
    ids: Sequence[str], options: Mapping[str, str], *, quick: bool, say: Any
) -> list[Finding]:
    from deskgym.cli.ids import resolve
    from deskgym.tasks.registry import BadDataset
    from deskgym.validation import unparseable, validate

    try:
        _, data, people = resolve(ids, options)
    except BadDataset as error:
        return [unparseable(ids[0], error)]
    return list(validate(data, people, quick=quick, say=say))


def _show(found: Sequence[Finding]) -> None:
    from collections import Counter

    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    if not found:
        print("nothing is wrong")
        return
    console = Console()
    # Stacked, so that nothing is cut on a terminal of 80 columns.
    table = Table("rule, severity", "task, field, value", "message", title="findings")
    for column in table.columns:
        column.overflow = "fold"
    for one in found:
        where = [part for part in (one.task_id or one.profile_id, one.field, one.value) if part]
        table.add_row(
            Text(f"{one.rule}\n{one.severity}"), Text("\n".join(where)), Text(one.message)
        )
    console.print(table)
    totals = Table("rule", "severity", "findings", title="totals")
    counted = Counter((one.severity, one.rule) for one in found)
    for (severity, rule), number in sorted(counted.items()):
        totals.add_row(Text(rule), severity, str(number))
    console.print(totals)
    kinds = Counter(one.severity for one in found)
    print(f"errors {kinds['error']}, warnings {kinds['warning']}, repaired {kinds['repaired']}")


def _fields(task: Task, *, gold: bool) -> dict[str, Any]:
    fields = task.model_dump(mode="json")
    # What a task is about without gold; whether it can be answered is gold too.
    shown = ("id", "profile_id", "question", "qa_type", "profiling_type")
    return fields if gold else {name: fields[name] for name in shown}


def _one_line(text: str) -> str:
    joined = " ".join(text.split())
    return joined if len(joined) <= 100 else f"{joined[:99]}…"
