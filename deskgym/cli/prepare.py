"""`deskgym prepare`: read all of a person's files once, so that reading them again is quick."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from deskgym.cli.ids import DatasetOptions

if TYPE_CHECKING:
    from deskgym.env.prepare import Outcome, Preparation, Settings
    from deskgym.tasks.schema import Profile

_SHOWN = 20  # failures


def register(app: typer.Typer) -> None:
    app.command()(prepare)


def prepare(
    ids: Annotated[list[str], typer.Argument(metavar="ID...", help="People, or a data set.")],
    dataset_option: DatasetOptions = None,
    jobs: Annotated[
        int | None, typer.Option("--jobs", min=1, max=64, help="Processes; default: one a core.")
    ] = None,
    only: Annotated[
        str | None, typer.Option("--only", metavar="GLOB", help="Only files that it fits.")
    ] = None,
    asr: Annotated[
        str,
        typer.Option(
            "--asr",
            metavar="ENGINE:MODEL",
            help="What transcribes speech: openai:NAME, faster:NAME, with a name or a path; none; "
            "auto: a model that was fetched, if any (deskgym models).",
        ),
    ] = "auto",
    ocr: Annotated[
        str, typer.Option("--ocr", help="What reads text in pictures: rapidocr, or none.")
    ] = "rapidocr",
    timeout: Annotated[
        float, typer.Option("--timeout", min=1, help="Seconds for a file, besides 60 a megabyte.")
    ] = 600.0,
    retry: Annotated[
        bool, typer.Option("--retry", help="Try again what could not be read before.")
    ] = False,
    ship: Annotated[
        Path | None,
        typer.Option(
            "--ship", metavar="DIR", help="Also write DIR/NAME/prepared: records without pictures."
        ),
    ] = None,
    status: Annotated[
        bool, typer.Option("--status", help="Say what is prepared, and do nothing.")
    ] = False,
    from_gold: Annotated[
        Path | None,
        typer.Option(
            "--from-gold",
            metavar="DIR",
            help="Take the text from HippoCamp_Gold in DIR instead of reading the files.",
        ),
    ] = None,
) -> None:
    """Read all of a person's files once: text, OCR, speech, pictures, and an index for search.

    A run that was interrupted goes on where it was; what is done costs nothing. Exit code 1 if
    some file could not be read, or, with --from-gold, has no gold text.
    """
    from deskgym.cli.ids import dataset_options, resolve
    from deskgym.cli.main import CHECK_FAILED
    from deskgym.env.prepare import Preparation
    from deskgym.env.prepared import SHIPPED
    from deskgym.env.prepared import ship as shipped

    _, dataset, people = resolve(ids, dataset_options(dataset_option))
    profiles = [dataset.profile(name) for name in people]
    if status:
        for profile in profiles:
            _say_status(profile)
        return
    if from_gold is not None:
        if [_import_gold(profile, from_gold) for profile in profiles].count(False):
            raise typer.Exit(CHECK_FAILED)
        return
    settings = _settings(asr, ocr)
    failed = False
    for profile in profiles:
        work = Preparation(profile, settings)
        if retry:
            work.forget_failures()
        outcome = _prepared(profile, work, only, jobs or os.cpu_count() or 1, timeout)
        failed |= bool(outcome.failed)
        if ship is not None:
            shipped(outcome.folder, ship / profile.name / SHIPPED)
        _say_outcome(profile, outcome)
    if failed:
        raise typer.Exit(CHECK_FAILED)


def _settings(asr: str, ocr: str) -> Settings:
    from deskgym.env.models import available, locate
    from deskgym.env.prepare import OCR_ENGINES, Settings

    if ocr not in (*OCR_ENGINES, "none"):
        raise typer.BadParameter(f"--ocr is {', '.join(OCR_ENGINES)} or none, not {ocr!r}")
    if asr == "auto":
        models = available()
        model = models[0] if models else None
        if model is None:
            print(
                "no speech model is here: what is said stays unwritten (deskgym models fetch)",
                file=sys.stderr,
            )
        else:
            print(f"speech: {model.engine}:{model.name}", file=sys.stderr)
    else:
        model = None if asr == "none" else locate(asr)
    return Settings(None if ocr == "none" else ocr, model)


def _prepared(
    profile: Profile, work: Preparation, only: str | None, jobs: int, timeout_s: float
) -> Outcome:
    todo = work.todo(only)
    if todo:
        # Not before: with nothing to do, no engine needs to answer.
        from deskgym.env.sandbox.engine import connect

        client = connect()
        try:
            with _progress(profile.id, len(todo)) as report:
                work.run(
                    todo,
                    client=client,
                    jobs=min(jobs, len(todo)),
                    timeout_s=timeout_s,
                    report=report,
                )
        finally:
            client.close()
    return work.assemble(len(todo))


@contextmanager
def _progress(title: str, total: int) -> Iterator[Callable[[str, dict[str, str] | None], None]]:
    """A bar with rate and time left on a terminal; elsewhere a line for every tenth."""
    if not sys.stderr.isatty():
        done = 0

        def count(path: str, error: dict[str, str] | None) -> None:
            nonlocal done
            done += 1
            if done * 10 // total > (done - 1) * 10 // total:
                print(f"{title}: {done} of {total} files", file=sys.stderr, flush=True)

        yield count
        return
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
        def render(self, task: Task) -> Text:
            speed = task.finished_speed or task.speed
            return Text("" if speed is None else f"{speed:.1f} files/s")

    columns = (
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), Rate(),
        TimeRemainingColumn(), TextColumn("{task.fields[file]}"),
    )  # fmt: skip
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=total, file="")

        def show(path: str, error: dict[str, str] | None) -> None:
            bar.update(task, advance=1, file=path.rpartition("/")[2][:30].replace("[", "("))

        yield show


def _import_gold(profile: Profile, folder: Path) -> bool:
    """Prepare a person from published text; whether every file has some."""
    from deskgym.env.prepared_gold import import_gold

    made = import_gold(folder, profile)
    _say_failed(made.failed)
    if made.unused:
        print(f"{len(made.unused)} gold files are of none of the person's files", file=sys.stderr)
    print(
        f"{profile.id}: {made.files - len(made.failed)} of {made.files} files have gold text; "
        f"in {made.folder}"
    )
    return not made.failed


def _say_failed(failed: Sequence[dict[str, Any]]) -> None:
    for entry in failed[:_SHOWN]:
        print(f"failed  {entry['path']}: {entry['error']['kind']}: {entry['error']['message']}")
    if len(failed) > _SHOWN:
        print(f"failed  and {len(failed) - _SHOWN} more; see the manifest")


def _say_outcome(profile: Profile, outcome: Outcome) -> None:
    _say_failed(outcome.failed)
    good = outcome.prepared - len(outcome.failed)
    parts = [f"{good} of {outcome.files} files prepared", f"{outcome.done_now} read now"]
    if outcome.failed:
        parts.append(f"{len(outcome.failed)} failed")
    print(f"{profile.id}: {', '.join(parts)}; in {outcome.folder}")


def _say_status(profile: Profile) -> None:
    from deskgym.env.prepared import find, folders_of
    from deskgym.tools.store import PreparedProfile

    folders = folders_of(profile)
    shipped = find(profile)
    if not folders and shipped is not None:
        folders = [shipped]
    if not folders:
        print(f"{profile.id}: not prepared; run: deskgym prepare {profile.id}")
    for folder in folders:
        manifest = PreparedProfile(folder).manifest
        entries = manifest["files"]
        failed = sum(entry["status"] != "ok" for entry in entries)
        asr = manifest["settings"]["asr"]
        speech = f"{asr['engine']}:{asr['model']}" if asr else "none"
        print(
            f"{profile.id}: {len(entries) - failed} of {len(profile.files)} files prepared, "
            f"{failed} failed, ocr {manifest['settings']['ocr'] or 'none'}, asr {speech}; "
            f"in {folder}"
        )
