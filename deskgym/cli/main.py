"""The command line. Each command lives in its own module of this package.

A command module has a function ``register(app)`` that adds its command or sub-application. It
imports nothing heavy at its top: `deskgym --help` imports every command module.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
from typing import Annotated

import typer

import deskgym
import deskgym.cli

# Exit codes; 2, wrong usage, is the parser's own and stands for unknown names too.
CHECK_FAILED = 1
USAGE = 2
UNAVAILABLE = 3


def _show_version(wanted: bool) -> None:
    if wanted:
        print(deskgym.__version__)
        raise typer.Exit


def _options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    pass


def _application() -> typer.Typer:
    application = typer.Typer(
        name="deskgym",
        help="An environment in which an agent answers questions over one person's files.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    application.callback()(_options)
    for module in sorted(info.name for info in pkgutil.iter_modules(deskgym.cli.__path__)):
        if module != "main":
            register = getattr(importlib.import_module(f"deskgym.cli.{module}"), "register", None)
            if register is not None:
                register(application)
    return application


app = _application()


def main() -> None:
    """Run the command line; errors of ours end in one message on standard error and a code."""
    try:
        app()
    except Exception as error:
        status = exit_status(error)
        if status is None:
            raise
        # KeyError's own text is its argument's repr.
        message = error.args[0] if isinstance(error, KeyError) and error.args else error
        print(f"deskgym: {message}", file=sys.stderr)
        raise SystemExit(status) from None


def exit_status(error: Exception) -> int | None:
    """The exit code an error stands for, or None if it is a fault of the program's."""
    from docker.errors import DockerException
    from requests.exceptions import ConnectionError as EngineGone

    from deskgym.env.sandbox.base import EngineUnavailable, ImageMissing
    from deskgym.env.sandbox.base_image import AptFailed

    if isinstance(
        error, EngineUnavailable | ImageMissing | AptFailed | DockerException | EngineGone
    ):
        return UNAVAILABLE
    if not type(error).__module__.startswith("deskgym."):
        return None
    # An unknown profile, task, dataset or agent.
    return USAGE if isinstance(error, KeyError) else CHECK_FAILED
