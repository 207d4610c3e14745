"""`deskgym profiles`: whose desks there are, what is on one, and adding a folder as one."""

from __future__ import annotations

import json as json_module
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from rich.table import Table

    from deskgym.profile_report import ProfileReport
    from deskgym.tasks.findings import Finding
    from deskgym.tasks.registry import Dataset
    from deskgym.tasks.schema import Profile

profiles = typer.Typer(help="The people and their files.", no_args_is_help=True)
_SHOWN = 20  # findings
_TYPES = 15


def register(app: typer.Typer) -> None:
    app.add_typer(profiles, name="profiles")


@profiles.command("list")
def list_profiles(
    dataset: Annotated[
        str | None, typer.Argument(help="A data set; without: the demo and your own folders.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="For a script.")] = False,
) -> None:
    """List a data set's people."""
    from deskgym.cli.ids import DEFAULT_DATASET, resolve
    from deskgym.tasks.registry import load_dataset

    rows = []
    if dataset in (None, "local"):
        local = load_dataset("local")
        rows = [_summary(local, person) for person in local.profiles()]
        for name, folder in _gone():
            print(
                f"local/{name}: its folder is gone: {folder}; put it back, or: "
                f"deskgym profiles remove {name}",
                file=sys.stderr,
            )
    if dataset != "local":
        _, data, people = resolve([dataset or DEFAULT_DATASET])
        rows = [_summary(data, person) for person in people] + rows
    if json:
        print(json_module.dumps(rows, indent=2))
        return
    wide = max((len(row["id"]) for row in rows), default=0)
    for row in rows:
        size = f"{row['bytes'] / 1e6:.1f} MB"
        print(
            f"{row['id']:<{max(wide, 16)}} {row['user']:<20} {row['files']:>4} files {size:>9} "
            f"{row['tasks']:>4} tasks  {row['description']}"
        )
    if not rows:
        print("no folder was added yet; add one: deskgym profiles add DIR --name NAME")


@profiles.command()
def info(
    id: Annotated[str, typer.Argument(help="A person: demo/adam, or adam.")],
    html: Annotated[
        Path | None,
        typer.Option("--html", metavar="FILE", help="Write a page with plots, and no tables here."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="For a script, with all files.")] = False,
) -> None:
    """Say what is on a person's desk: kinds, sizes and times of files, tasks by family and breadth.

    Times by month if all files are of two years, else by year.
    """
    from deskgym.cli.ids import resolve
    from deskgym.profile_report import profile_report

    _, data, people = resolve([id])
    if len(people) != 1:
        raise typer.BadParameter(f"one person, not the {len(people)} of {id}")
    report = profile_report(data, people[0])
    findings = data.findings(people[0])
    if html is not None:
        from deskgym.profile_html import profile_page

        html.write_text(profile_page(report, findings), encoding="utf-8")
    if json:
        print(json_module.dumps(_everything(data, report, findings), indent=2))
    elif html is not None:
        print(html)
    else:
        _show(report)


@profiles.command()
def add(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder of this computer.")],
    name: Annotated[str, typer.Option("--name", help="It becomes local/NAME.")],
    user: Annotated[
        str | None, typer.Option("--user", help="The person's name, as agents are told it.")
    ] = None,
    tasks: Annotated[
        Path | None,
        typer.Option(
            "--tasks",
            metavar="FILE.jsonl",
            help='A record a line: {"id": .., "question": .., "answer": .., "file_path": ..}.',
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="For a script.")] = False,
) -> None:
    """Make a folder a person's desk. Nothing is copied, and nothing in it is changed.

    Says what a desk cannot show as it is: what its users may not read, links out of the folder,
    odd names. The file of tasks holds the answers, so it may not lie in the folder.
    """
    from deskgym.tasks.local import add_folder

    profile, findings = add_folder(folder, name, user or name, tasks)
    if json:
        facts = {
            "id": profile.id,
            "root": str(profile.root),
            "files": len(profile.files),
            "bytes": sum(file.size for file in profile.files),
            "findings": [one.model_dump(mode="json") for one in findings],
        }
        print(json_module.dumps(facts, indent=2))
        return
    _say_added(profile, findings)


@profiles.command()
def remove(
    name: Annotated[str, typer.Argument(help="A folder that was added: me, or local/me.")],
    json: Annotated[bool, typer.Option("--json", help="For a script.")] = False,
) -> None:
    """Forget a folder that was added. Its files stay as they are."""
    from deskgym.tasks.local.added import forget

    short = name.removeprefix("local/")
    root = forget(short)
    if json:
        print(json_module.dumps({"id": f"local/{short}", "root": root}, indent=2))
    else:
        print(f"local/{short} is forgotten; its files stay in {root}")


def _gone() -> list[tuple[str, Path]]:
    """Folders that were added and are not there now."""
    from deskgym.tasks.local.added import added

    return [(name, one.root) for name, one in added().items() if not one.root.is_dir()]


def _summary(data: Dataset, person: str) -> dict[str, Any]:
    profile = data.profile(person)
    return {
        "id": profile.id,
        "user": profile.user,
        "description": profile.description,
        "files": len(profile.files),
        "bytes": sum(f.size for f in profile.files),
        "tasks": len(data.tasks(profile.id)),
    }


def _everything(
    data: Dataset, report: ProfileReport, findings: Sequence[Finding]
) -> dict[str, Any]:
    """The summary, the report, and each file and finding."""
    profile = data.profile(report.id)
    times = sorted(f.modified for f in profile.files)
    return _summary(data, report.id) | {
        "modalities": dict(Counter(f.modality for f in profile.files).most_common()),
        "types": dict(Counter(f.type for f in profile.files).most_common()),
        "first_modified": times[0].isoformat() if times else None,
        "last_modified": times[-1].isoformat() if times else None,
        "digest": profile.digest,
        "root": str(profile.root),
        "report": report.model_dump(mode="json"),
        "findings": [one.model_dump(mode="json") for one in findings],
        "file_records": [f.model_dump(mode="json") for f in profile.files],
    }


def _say_added(profile: Profile, findings: Sequence[Finding]) -> None:
    from deskgym.datasets_hub import size_of

    for one in findings[:_SHOWN]:
        what = f"task {one.task_id}: {one.value}" if one.task_id else one.field
        print(f"{one.severity}  {what}: {one.message}")
    if len(findings) > _SHOWN:
        print(f"and {len(findings) - _SHOWN} more; --json has all: deskgym profiles info")
    size = size_of(sum(file.size for file in profile.files))
    print(f"{profile.id}: {len(profile.files)} files, {size}, in {profile.description}")


def _show(report: ProfileReport) -> None:
    from deskgym.cli.wide import wide_console

    groups = ("files", "bytes")
    breadth = [
        (what, one.name, one.tasks)
        for what, rows in (
            ("gold files", report.tasks.by_files),
            ("modalities", report.tasks.by_modalities),
            ("units of evidence", report.tasks.by_units),
        )
        for one in rows
    ]
    types, rest = report.by_type[:_TYPES], report.by_type[_TYPES:]
    by_type = [(one.name, one.files, f"{one.bytes:,}") for one in types]
    if rest:
        other = sum(one.files for one in rest), f"{sum(one.bytes for one in rest):,}"
        by_type.append((f"{len(rest)} others", *other))
    tables = [
        _table(
            ("modality", *groups),
            [(one.name, one.files, f"{one.bytes:,}") for one in report.by_modality],
        ),
        _table(("type", *groups), by_type),
        _table(
            ("largest", "modified", "bytes"),
            [(f.path, f"{f.modified:%Y-%m-%d}", f"{f.bytes:,}") for f in report.largest],
        ),
        _table(("created", "files"), [(one.name, one.files) for one in report.created]),
        _table(("modified", "files"), [(one.name, one.files) for one in report.modified]),
        _table(("family", "tasks"), [(one.name, one.tasks) for one in report.tasks.by_family]),
        _table(("breadth", "number", "tasks"), breadth),
    ]
    console = wide_console(tables)
    found = ", ".join(f"{count} {severity}" for severity, count in report.findings.items())
    for name, value in (
        ("id", report.id),
        ("user", report.user),
        ("description", report.description),
        ("files", f"{report.files:,}, {report.bytes:,} bytes"),
        ("tasks", f"{report.tasks.total:,}"),
        ("findings", found or "none"),
        ("digest", report.digest),
    ):
        print(f"{name:<12} {value}")
    for table in tables:
        if table.row_count:
            console.print()
            console.print(table)


def _table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> Table:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    for number, name in enumerate(header):
        table.add_column(name, justify="right" if number else "left")
    for row in rows:
        table.add_row(*(Text(str(cell)) for cell in row))
    return table
