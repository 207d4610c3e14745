"""`deskgym clean`: remove what owners that ended badly have left on the engine."""

from __future__ import annotations

from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    app.command()(clean)


def clean(
    images: Annotated[
        bool, typer.Option("--images", help="Also desk images of other versions.")
    ] = False,
    everything: Annotated[
        bool, typer.Option("--all", help="Also desks whose owner still runs.")
    ] = False,
) -> None:
    """Remove desks whose owner no longer lives, and volumes of ours that nothing uses."""
    from deskgym.env.sandbox.engine import connect
    from deskgym.env.sandbox.images import remove_old_images
    from deskgym.env.sandbox.sweep import sweep

    client = connect()
    removed = sweep(client, everything=everything)
    if images:
        removed += [f"image {tag}" for tag in remove_old_images(client)]
    client.close()
    for line in removed:
        print(f"removed {line}")
    if not removed:
        print("nothing to remove")
