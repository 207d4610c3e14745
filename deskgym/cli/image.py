"""`deskgym image`: build an image, or say which one this version needs."""

from __future__ import annotations

import json as json_module
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from deskgym.env.sandbox.images import Recipe

Say = Callable[[str], None]

image = typer.Typer(help="The desk image, and the perception image.", no_args_is_help=True)
_PERCEPTION = typer.Option("--perception", help="The one that `deskgym prepare` works in.")
_WITHOUT = typer.Option(
    "--without",
    metavar="ENGINE",
    help="A speech engine to leave out: openai-whisper or faster-whisper.",
)
_ROOTFS = typer.Option("--rootfs", help="The desk image as a folder, for desks without an engine.")


def register(app: typer.Typer) -> None:
    app.add_typer(image, name="image")


@image.command()
def build(
    force: Annotated[bool, typer.Option("--force", help="Build it even if it is there.")] = False,
    perception: Annotated[bool, _PERCEPTION] = False,
    without: Annotated[list[str] | None, _WITHOUT] = None,
    rootfs: Annotated[bool, _ROOTFS] = False,
    source: Annotated[
        Path | None,
        typer.Option(
            "--from",
            metavar="FILE.tar",
            help="With --rootfs: unpack what --to wrote, or `docker export` of a desk, here.",
        ),
    ] = None,
    target: Annotated[
        Path | None,
        typer.Option(
            "--to",
            metavar="FILE.tar",
            help="With --rootfs: also write it as an archive, for other machines and users.",
        ),
    ] = None,
) -> None:
    """Build the desk image that this version needs, if the engine does not have it.

    The perception image takes about 600 MB of downloads and 3 GB on the engine. With --rootfs no
    engine is needed: mmdebstrap and bubblewrap make the desk image's files a folder of the cache.
    """
    from deskgym.cli.progress import saying
    from deskgym.env.sandbox.engine import connect
    from deskgym.env.sandbox.images import ensure_image

    if rootfs and perception:
        raise typer.BadParameter("--rootfs is of the desk image; --perception needs an engine")
    if (source or target) and not rootfs:
        raise typer.BadParameter("--from and --to go with --rootfs")
    recipe = _recipe(perception, without)
    with saying() as say:
        if rootfs:
            print(_build_rootfs(force, source, target, say))
            return
        client = connect()
        tag = ensure_image(client, recipe, force=force, say=say)
    client.close()
    print(tag)


def _build_rootfs(force: bool, source: Path | None, target: Path | None, say: Say) -> Path:
    from deskgym.env.sandbox.bwrap import install
    from deskgym.env.sandbox.rootfs import ensure_rootfs, save_rootfs

    if source is not None and not os.access(source, os.R_OK):
        raise typer.BadParameter(f"there is no file {source}, or it may not be read")
    install(say)
    made = ensure_rootfs(force=force, source=source, say=say)
    if target is not None:
        say(f"writing {target}")
        save_rootfs(made, target.resolve())
    return made.folder


@image.command()
def info(
    json: Annotated[bool, typer.Option("--json", help="For a script.")] = False,
    perception: Annotated[bool, _PERCEPTION] = False,
    without: Annotated[list[str] | None, _WITHOUT] = None,
    rootfs: Annotated[bool, _ROOTFS] = False,
) -> None:
    """Say which image this version needs, whether the engine has it, and which it has besides."""
    from deskgym.env.sandbox.engine import connect
    from deskgym.env.sandbox.images import has_image, image_of, old_images

    if rootfs:
        _show_rootfs(json)
        return
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


def _show_rootfs(json: bool) -> None:
    from deskgym.env.sandbox.images import desk_image
    from deskgym.env.sandbox.rootfs import (
        ROOTFS_COMMAND,
        find_rootfs,
        old_rootfs,
        rootfs_folder,
    )

    found, wanted, old = find_rootfs(), desk_image(), [path.name for path in old_rootfs()]
    if json:
        facts = {
            "tag": wanted.tag,
            "machine": wanted.machine,
            "folder": str(rootfs_folder()),
            "present": found is not None,
            "old": old,
        }
        print(json_module.dumps(facts, indent=2))
        return
    print(f"rootfs   {rootfs_folder()} ({wanted.machine}, of {wanted.tag})")
    print(f"present  {'yes' if found else f'no; build it: {ROOTFS_COMMAND}'}")
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
