"""`deskgym setup`: what desks need on this machine, whatever is missing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from deskgym.cli.backend import SANDBOX, checked_sandbox

Say = Callable[[str], None]


def register(app: typer.Typer) -> None:
    app.command()(setup)


def setup(sandbox: Annotated[str, SANDBOX] = "auto") -> None:
    """Make this machine ready: find or install a container engine, build the desk image.

    Where no engine can be had: bubblewrap, and the image as a folder.
    """
    from deskgym.cli.progress import saying
    from deskgym.env.sandbox.base import SandboxError

    with saying() as say:
        if checked_sandbox(sandbox) == "bwrap":
            ready = _with_bwrap(say)
        else:
            try:
                ready = _with_engine(say)
            except SandboxError as error:
                if sandbox == "docker":
                    raise
                say(f"{error}\nno container engine can be had (see above): bubblewrap needs none")
                ready = _with_bwrap(say)
    print(f"ready: {ready}")


def _with_engine(say: Say) -> str:
    from deskgym.env.sandbox.base import EngineUnavailable
    from deskgym.env.sandbox.engine import connect, install_engine
    from deskgym.env.sandbox.images import ensure_image

    try:
        client = connect()
    except EngineUnavailable as error:
        say(str(error).splitlines()[0].removesuffix("; tried:"))
        client = install_engine(say)
    try:
        tag = ensure_image(client, say=say)
        return f"engine {client.version()['Version']}, image {tag}"
    finally:
        client.close()


def _with_bwrap(say: Say) -> str:
    from deskgym.env.sandbox.bwrap import install, require
    from deskgym.env.sandbox.rootfs import ensure_rootfs

    install(say)
    require()
    rootfs = ensure_rootfs(say=say)
    return f"bubblewrap, root file system {rootfs.folder.name}"
