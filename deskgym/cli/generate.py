"""`deskgym generate`: people made to order, with questions, gold and the verifier's word."""

from __future__ import annotations

import json as json_module
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from deskgym.tasks.made.spec import MadeSpec
    from deskgym.tasks.made.stored import MadePerson


class Difficulty(StrEnum):
    easy = "easy"
    mixed = "mixed"
    hard = "hard"


class Setting(StrEnum):
    setoka = "setoka"
    rhelm = "rhelm"
    home = "home"


class Engine(StrEnum):
    processes = "processes"
    ray = "ray"


def register(app: typer.Typer) -> None:
    app.command()(generate)


def generate(
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where to write the people.")],
    people: Annotated[int, typer.Option(min=1, help="How many.")] = 1,
    months: Annotated[int, typer.Option(min=1, max=60, help="How long each life is.")] = 2,
    seed: Annotated[int, typer.Option(min=0, help="Equal seeds make equal people.")] = 0,
    difficulty: Annotated[Difficulty, typer.Option(help="Of the questions.")] = Difficulty.easy,
    setting: Annotated[
        Setting, typer.Option(help="Kinds of questions: four levels, seven types, or two families.")
    ] = Setting.setoka,
    text_only: Annotated[
        bool, typer.Option("--text-only", help="No sound, pictures and clips.")
    ] = False,
    jobs: Annotated[int, typer.Option(min=1, help="Processes at a time.")] = 1,
    engine: Annotated[
        Engine, typer.Option(help="What runs the processes: this machine's own, or Ray.")
    ] = Engine.processes,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with DIR: people who are whole stay.")
    ] = False,
    llm: Annotated[
        str | None,
        typer.Option(
            metavar="MODEL", help="A model that tells journals and talks anew, facts pinned."
        ),
    ] = None,
    base_url: Annotated[
        str | None,
        typer.Option(help="Its OpenAI-compatible endpoint. The key stays in the environment."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="What was made, for a script.")] = False,
) -> None:
    """Make people: their files, questions about them, and gold answers with evidence.

    Each question is checked by a verifier that sees the files alone; what it cannot confirm is
    dropped. To use them: deskgym run made -o path=DIR --agent oracle.
    """
    from deskgym.generate import generate_people
    from deskgym.tasks.made.spec import MadeSpec

    spec = MadeSpec(
        people=people,
        months=months,
        seed=seed,
        difficulty=difficulty.value,
        setting=setting.value,
        multimodal=not text_only,
    )
    if base_url is not None and llm is None:
        raise typer.BadParameter("--base-url goes with --llm MODEL")
    settings = None
    if llm is not None:
        settings = {"model": llm} | ({"base_url": base_url} if base_url else {})
    _check_target(out, spec, resume=resume)
    made: list[MadePerson] = []
    with _bar(people) as advance:
        for person in generate_people(
            spec, out, jobs=jobs, engine=engine.value, resume=resume, llm=settings
        ):
            made.append(person)
            advance()
    made.sort(key=lambda person: person.name)
    if json:
        print(json_module.dumps(_summary(out, spec, made), indent=2))
    else:
        _print(out, made)


def _check_target(out: Path, spec: MadeSpec, *, resume: bool) -> None:
    """Raises BadParameter if ``out`` holds something that this order does not go on with."""
    from deskgym.tasks.made.stored import SET_FILE, MadeSet, read_model

    if not out.exists() or (out.is_dir() and not any(out.iterdir())):
        return
    if not (out / SET_FILE).is_file():
        raise typer.BadParameter(f"--out: {out} is not empty and holds no made people")
    if not resume:
        raise typer.BadParameter(
            f"--out: {out} holds made people already; --resume goes on with them"
        )
    if read_model(out / SET_FILE, MadeSet).spec != spec:
        raise typer.BadParameter(f"--resume: {out} was made to another order; choose another --out")


def _summary(out: Path, spec: MadeSpec, made: list[MadePerson]) -> dict[str, Any]:
    return {
        "out": str(out),
        "spec": spec.model_dump(mode="json", exclude={"inventory"}),
        "proposed": sum(p.counts.proposed for p in made),
        "tasks": sum(p.counts.tasks for p in made),
        "retained": _retained(made),
        "people": [
            {"name": p.name, "user": p.user, **p.counts.model_dump(), "digest": p.digest}
            for p in made
        ],
    }


def _retained(made: list[MadePerson]) -> float:
    proposed = sum(p.counts.proposed for p in made)
    return round(sum(p.counts.tasks for p in made) / proposed, 4) if proposed else 0.0


def _print(out: Path, made: list[MadePerson]) -> None:
    from collections import Counter

    from deskgym.cli.wide import wide_console
    from deskgym.report_tables import plain_table

    numbers = ("files", "records", "schemas", "events", "proposed", "tasks", "retained")
    table = plain_table(None, ("person", "name"), numbers)
    for person in made:
        counts = person.counts
        table.add_row(
            person.name,
            person.user,
            *map(str, (counts.files, counts.records, counts.schemas, counts.events)),
            *map(str, (counts.proposed, counts.tasks)),
            f"{counts.retained:.0%}",
        )
    wide_console([table]).print(table)
    kinds: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    for person in made:
        kinds.update(person.counts.by_kind)
        reasons.update(person.counts.rejected)
    print("tasks: " + ", ".join(f"{kind} {n}" for kind, n in sorted(kinds.items())))
    print(
        f"the verifier kept {_retained(made):.1%}; refused: "
        + (", ".join(f"{reason} {n}" for reason, n in reasons.most_common()) or "none")
    )
    if told := sum(person.counts.rewritten for person in made):
        lost = sum(person.counts.rewrites_dropped for person in made)
        print(f"told anew by a model: {told} texts; dropped, as a fact was lost: {lost}")
    print(f"in {out}; to play: deskgym run made -o path={out} --agent oracle")


@contextmanager
def _bar(total: int) -> Iterator[Any]:
    """A bar on standard error, if that is a terminal; gives what to call for each person."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, disable=not sys.stderr.isatty()) as progress:
        task = progress.add_task("people", total=total)
        yield lambda: progress.advance(task)
