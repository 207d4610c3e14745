"""`deskgym image`: build an image, or say which one this version needs."""

from __future__ import annotations

import json as json_module
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from deskgym.env.sandbox.images import Recipe

image = typer.Typer(help="The desk image, and the perception image.", no_args_is_help=True)
_PERCEPTION = typer.Option("--perception", help="The one that `deskgym prepare` works in.")
_WITHOUT = typer.Option(
    "--without",
    metavar="ENGINE",
    help="A speech engine to leave out: openai-whisper or faster-whisper.",
)


def register(app: typer.Typer) -> None:
    app.add_typer(image, name="image")


@image.command()
def build(
    force: Annotated[bool, typer.Option("--force", help="Build it even if it is there.")] = False,
    perception: Annotated[bool, _PERCEPTION] = False,
    without: Annotated[list[str] | None, _WITHOUT] = None,
) -> None:
    """Build the desk image that this version needs, if the engine does not have it.

    The perception image takes about 600 MB of downloads and 3 GB on the engine.
    """
    from deskgym.cli.progress import saying
    from deskgym.env.sandbox.engine import connect
    from deskgym.env.sandbox.images import ensure_image

    recipe = _recipe(perception, without)
    client = connect()
    with saying() as say:
        tag = ensure_image(client, recipe, force=force, say=say)
    client.close()
    print(tag)


@image.command()
def info(
    json: Annotated[bool, typer.Option("--json", help="For a script.")] = False,
    perception: Annotated[bool, _PERCEPTION] = False,
    without: Annotated[list[str] | None, _WITHOUT] = None,
) -> None:
    """Say which image this version needs, whether the engine has it, and which it has besides."""
    from deskgym.env.sandbox.engine import connect
    from deskgym.env.sandbox.images import has_image, image_of, old_images

    recipe = _recipe(perception, without)
    client = connect()
    wanted = image_of(recipe, client.info()["Architecture"])
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
        print(f"present  no; build it: {recipe.command}")
    if old:
        print(f"old      {', '.join(old)}; remove: deskgym clean --images")


def _recipe(perception: bool, without: list[str] | None) -> Recipe:
    from deskgym.env.sandbox.images import DESK, perception_recipe

    if not perception:
        if without:
            raise typer.BadParameter("--without goes with --perception")
        return DESK
    try:
        return perception_recipe(without or ())
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error
