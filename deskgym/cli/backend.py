"""What the commands that need desks have in common: which kind of desk is to be used."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from deskgym.env.sandbox.choose import Kind

SANDBOX = typer.Option(
    "--sandbox",
    help="What desks are made by: docker (or podman's Docker socket), bwrap (bubblewrap, without "
    "any engine), or auto: the first of them that works here.",
)


def checked_sandbox(sandbox: str) -> str:
    """``sandbox``, if it is one.

    Raises:
        typer.BadParameter: it is not.
    """
    from deskgym.env.sandbox.choose import check_choice

    try:
        return check_choice(sandbox)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error


def chosen_kind(sandbox: str, say: Callable[[str], None]) -> Kind:
    """The kind that ``sandbox`` stands for; of ``auto``, `say` is told which that is.

    Raises:
        EngineUnavailable: of ``auto``, none works here.
    """
    from deskgym.env.sandbox.choose import resolve_kind

    kind = resolve_kind(checked_sandbox(sandbox))
    if sandbox == "auto":
        why = "no container engine answers: " if kind == "bwrap" else ""
        say(f"{why}desks are made by {kind}")
    return kind
