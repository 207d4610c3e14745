"""`deskgym setup`: an engine that answers and the desk image, whatever is missing."""

from __future__ import annotations

import typer


def register(app: typer.Typer) -> None:
    app.command()(setup)


def setup() -> None:
    """Make this machine ready: find or install a container engine, build the desk image."""
    from deskgym.cli.progress import saying
    from deskgym.env.sandbox.base import EngineUnavailable
    from deskgym.env.sandbox.engine import connect, install_engine
    from deskgym.env.sandbox.images import ensure_image

    with saying() as say:
        try:
            client = connect()
        except EngineUnavailable as error:
            say(str(error).splitlines()[0].removesuffix("; tried:"))
            client = install_engine(say)
        tag = ensure_image(client, say=say)
    print(f"ready: engine {client.version()['Version']}, image {tag}")
    client.close()
