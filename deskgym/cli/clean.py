"""`deskgym clean`: remove what owners that ended badly have left."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    app.command()(clean)


def clean(
    images: Annotated[
        bool, typer.Option("--images", help="Also desk images of other versions.")
    ] = False,
    everything: Annotated[
        bool, typer.Option("--all", help="Also containers whose owner still runs.")
    ] = False,
) -> None:
    """Remove desks whose owner no longer lives, and volumes of ours that nothing uses.

    Of desks by bubblewrap, control groups are all that may be left.
    """
    from deskgym.env.sandbox.base import EngineUnavailable
    from deskgym.env.sandbox.cgroups import sweep_groups
    from deskgym.env.sandbox.engine import connect
    from deskgym.env.sandbox.images import remove_old_images
    from deskgym.env.sandbox.rootfs import remove_old_rootfs
    from deskgym.env.sandbox.sweep import sweep

    removed = sweep_groups()
    if images:
        removed += [f"root file system {name}" for name in remove_old_rootfs()]
    try:
        client = connect()
    except EngineUnavailable as error:
        if os.environ.get("DOCKER_HOST"):
            raise  # there is one, and what is left on it stays
        print(f"deskgym: {str(error).splitlines()[0].removesuffix('; tried:')}", file=sys.stderr)
    else:
        removed += sweep(client, everything=everything)
        if images:
            removed += [f"image {tag}" for tag in remove_old_images(client)]
        client.close()
    for line in removed:
        print(f"removed {line}")
    if not removed:
        print("nothing to remove")
