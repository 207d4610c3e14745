"""`deskgym mcp`: a desk as a server of the Model Context Protocol, over standard input/output."""

from __future__ import annotations

import os
import signal
import sys
from typing import TYPE_CHECKING, Annotated, BinaryIO

import typer

if TYPE_CHECKING:
    from types import FrameType


def register(app: typer.Typer) -> None:
    app.command()(mcp)


def mcp(
    id: Annotated[str, typer.Argument(metavar="ID", help="A person (demo/adam, adam).")],
    task: Annotated[
        str | None, typer.Option(help="One of their tasks; without, one is drawn.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="What the task is drawn with.")] = None,
    tools: Annotated[
        str | None, typer.Option(help="What is on: config0 to config3, or tools, with commas.")
    ] = None,
    max_steps: Annotated[int, typer.Option(min=1, help="Uses of tools in the episode.")] = 30,
) -> None:
    """Serve one episode at a person's desk to a client of the Model Context Protocol.

    Made to be started by that client, as in {"command": "deskgym", "args": ["mcp", "adam"]}. It
    ends when the client closes the standard input.
    """
    from deskgym.cli.ids import named_tools, resolve
    from deskgym.env.desk_env import DeskEnv
    from deskgym.env.mcp import McpSession, serve_lines
    from deskgym.tasks.registry import find_task

    on = named_tools(tools)
    _, dataset, people = resolve([id])
    if len(people) != 1:
        raise typer.BadParameter(f"one person at a time: {', '.join(people)}")
    if task is not None:
        find_task(dataset, people[0], task)
    answers = _own_stdout()
    signal.signal(signal.SIGTERM, _leave)

    def write(line: str) -> None:
        answers.write(line.encode("utf-8"))
        answers.flush()

    env = DeskEnv(dataset, people[0], tools=on, max_steps=max_steps, agent="mcp")
    try:
        session = McpSession(env, reset={"task": task, "seed": seed})
        serve_lines(session, sys.stdin.buffer, write)
    except KeyboardInterrupt:
        raise typer.Exit(130) from None
    finally:
        env.close()


def _own_stdout() -> BinaryIO:
    """The standard output for answers alone: what else is printed goes to the standard error."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return answers


def _leave(number: int, frame: FrameType | None) -> None:
    raise SystemExit(128 + number)
