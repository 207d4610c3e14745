"""`deskgym image`: build the desk image, or say which one this version needs."""

from __future__ import annotations

import json as json_module
from typing import Annotated

import typer

image = typer.Typer(help="The desk image.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    app.add_typer(image, name="image")


@image.command()
def build(
    force: Annotated[bool, typer.Option("--force", help="Build it even if it is there.")] = False,
) -> None:
    """Build the desk image that this version needs, if the engine does not have it."""
    from deskgym.cli.progress import saying
    from deskgym.env.sandbox.engine import connect
    from deskgym.env.sandbox.images import ensure_image

    client = connect()
    with saying() as say:
        tag = ensure_image(client, force=force, say=say)
    client.close()
    print(tag)


@image.command()
def info(
    json: Annotated[bool, typer.Option("--json", help="For a script.")] = False,
) -> None:
    """Say which image this version needs, whether the engine has it, and which it has besides."""
    from deskgym.env.sandbox.engine import connect
    from deskgym.env.sandbox.images import desk_image, has_image, old_images

    client = connect()
    wanted = desk_image(client.info()["Architecture"])
    present = client.images.get(wanted.tag) if has_image(client, wanted.tag) else None
    old = old_images(client)
    client.close()
    if json:
        facts = {
            "tag": wanted.tag,
            "machine": wanted.machine,
            "id": present.id if present else None,
            "bytes": present.attrs["Size"] if present else None,
            "old": old,
            "inputs": wanted.inputs,
        }
        print(json_module.dumps(facts, indent=2))
        return
    print(f"image    {wanted.tag} ({wanted.machine}, from {len(wanted.inputs)} files)")
    if present:
        print(f"present  yes, {present.attrs['Size'] / 1e6:,.0f} MB")
    else:
        print("present  no; build it: deskgym image build")
    if old:
        print(f"old      {', '.join(old)}; remove: deskgym clean --images")
