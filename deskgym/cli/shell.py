"""`deskgym shell`: a person at the desk, through the same runner that an agent's commands take."""

from __future__ import annotations

import re
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, BinaryIO

import typer

from deskgym.cli.backend import SANDBOX, chosen_kind

if TYPE_CHECKING:
    from deskgym.env.sandbox.base import Response, Sandbox
    from deskgym.tasks.schema import Profile

TIMEOUT_S = 3600.0
MAX_OUTPUT = 1_000_000
INTERRUPTED = 130  # what a shell says of a program that Ctrl-C ended
_EXIT = re.compile(r"\s*(exit|logout)(\s+\d+)?\s*;?\s*")

Prompt = Callable[[], str]


def register(app: typer.Typer) -> None:
    app.command()(shell)


def shell(
    id: Annotated[str, typer.Argument(metavar="ID", help="A person (demo/adam, adam).")],
    tools: Annotated[
        str | None,
        typer.Option(help="What is on in the desk: config0 to config3, or tools, with commas."),
    ] = None,
    sandbox: Annotated[str, SANDBOX] = "auto",
) -> None:
    """Work at a person's desk as an agent would: each line is a command.

    The folder and exported variables carry over. Ctrl-C ends the command under way; `exit` or
    Ctrl-D leaves, and the desk is gone. Lines may also be piped in.
    """
    from deskgym.cli.ids import named_tools
    from deskgym.cli.progress import saying
    from deskgym.env.sandbox.choose import ensure_made, make_desk

    person, on = _person(id), named_tools(tools)
    with saying() as say:
        kind = chosen_kind(sandbox, say)
        ensure_made(kind, say=say)
    with make_desk(person, sandbox=kind) as desk:
        records = tuple(record.model_dump(mode="json") for record in person.files)
        desk.configure(person.user, records, on)
        interactive = sys.stdin.isatty()
        lines = _typed(lambda: _prompt(desk, person.name)) if interactive else iter(sys.stdin)
        status = converse(
            desk,
            lines,
            sys.stdout.buffer,
            end_command=desk.end_commands,
            interactive=interactive,
        )
    raise typer.Exit(status)


def converse(
    desk: Sandbox,
    lines: Iterator[str],
    out: BinaryIO,
    *,
    end_command: Callable[[], None],
    interactive: bool,
) -> int:
    """Run each line in the desk and write what it printed to ``out``; returns an exit code.

    Ctrl-C calls ``end_command``, which makes the command under way come to its end. It ends the
    whole conversation too if nobody is there to go on with it.
    """
    interrupted = False

    def end() -> None:
        nonlocal interrupted
        interrupted = True
        end_command()

    for line in lines:
        if _EXIT.fullmatch(line):
            return 0
        if not line.strip():
            continue
        with _at_interrupt(end):
            response = _run(desk, line.rstrip("\n"))
        _show(response, out, interactive=interactive)
        if interrupted and not interactive:
            return INTERRUPTED
    return 0


@contextmanager
def _at_interrupt(do: Callable[[], None]) -> Iterator[None]:
    """Have Ctrl-C call ``do`` and go on with what it broke into: a request that is left in the
    middle leaves its answer on the wire, to be taken for the next one's."""
    before = signal.signal(signal.SIGINT, lambda number, frame: do())
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _run(desk: Sandbox, command: str) -> Response:
    from deskgym.env.sandbox.base import ExecRequest

    return desk.request(ExecRequest(command=command, timeout_s=TIMEOUT_S, max_bytes=MAX_OUTPUT))


def _show(response: Response, out: BinaryIO, *, interactive: bool) -> None:
    out.write(response.payload)
    if interactive and response.payload and not response.payload.endswith(b"\n"):
        out.write(b"\n")
    out.flush()
    if response.error is not None:
        print(f"deskgym: {response.error.message}", file=sys.stderr)
    elif interactive and response.exit_status:
        print(f"[exit status {response.exit_status}]", file=sys.stderr)


def _typed(prompt: Prompt) -> Iterator[str]:
    """Lines from a person at a terminal, until Ctrl-D."""
    import readline  # noqa: F401  # gives `input` its line editing and history

    while True:
        try:
            yield input(prompt())
        except KeyboardInterrupt:
            print("^C")  # the line that was begun is dropped
        except EOFError:
            print()
            return


def _prompt(desk: Sandbox, name: str) -> str:
    with _at_interrupt(lambda: None):
        folder = _run(desk, "pwd").payload.decode(errors="replace").rstrip("\n")
    return f"{name}:{folder if folder.isprintable() else ascii(folder)}$ "


def _person(name: str) -> Profile:
    from deskgym.cli.ids import resolve

    _, dataset, people = resolve([name])
    if len(people) != 1:
        raise typer.BadParameter(f"one person at a time: {', '.join(people)}")
    return dataset.profile(people[0])
