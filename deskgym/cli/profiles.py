"""`deskgym profiles`: whose desks there are, and what is on one."""

from __future__ import annotations

import json as json_module
from collections import Counter
from typing import Annotated, Any

import typer

profiles = typer.Typer(help="The people and their files.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    app.add_typer(profiles, name="profiles")


@profiles.command("list")
def list_profiles(
    dataset: Annotated[str, typer.Argument(help="A data set.")] = "demo",
    json: Annotated[bool, typer.Option("--json", help="For a script.")] = False,
) -> None:
    """List a data set's people."""
    from deskgym.cli.ids import resolve

    _, data, people = resolve([dataset])
    rows = [_summary(data, person) for person in people]
    if json:
        print(json_module.dumps(rows, indent=2))
        return
    for row in rows:
        size = f"{row['bytes'] / 1e6:.1f} MB"
        print(
            f"{row['id']:<16} {row['user']:<20} {row['files']:>4} files {size:>9} "
            f"{row['tasks']:>4} tasks  {row['description']}"
        )


@profiles.command()
def info(
    id: Annotated[str, typer.Argument(help="A person: demo/adam, or adam.")],
    json: Annotated[bool, typer.Option("--json", help="For a script, with all files.")] = False,
) -> None:
    """Say what is on a person's desk."""
    from deskgym.cli.ids import resolve

    _, data, people = resolve([id])
    if len(people) != 1:
        raise typer.BadParameter(f"one person, not the {len(people)} of {id}")
    profile = data.profile(people[0])
    facts = _summary(data, profile.id)
    facts["modalities"] = dict(Counter(f.modality for f in profile.files).most_common())
    facts["types"] = dict(Counter(f.type for f in profile.files).most_common())
    times = sorted(f.modified for f in profile.files)
    facts["first_modified"] = times[0].isoformat() if times else None
    facts["last_modified"] = times[-1].isoformat() if times else None
    facts["digest"] = profile.digest
    if json:
        facts["root"] = str(profile.root)
        facts["file_records"] = [f.model_dump(mode="json") for f in profile.files]
        print(json_module.dumps(facts, indent=2))
        return
    for name, value in facts.items():
        shown = (
            ", ".join(f"{k} {n}" for k, n in value.items()) if isinstance(value, dict) else value
        )
        print(f"{name:<15} {shown}")


def _summary(data: Any, person: str) -> dict[str, Any]:
    profile = data.profile(person)
    return {
        "id": profile.id,
        "user": profile.user,
        "description": profile.description,
        "files": len(profile.files),
        "bytes": sum(f.size for f in profile.files),
        "tasks": len(data.tasks(profile.id)),
    }
