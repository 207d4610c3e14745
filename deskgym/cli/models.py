"""`deskgym models`: weights of speech engines, fetched once."""

from __future__ import annotations

from typing import Annotated

import typer

models = typer.Typer(help="Speech models for `deskgym prepare`.", no_args_is_help=True)
_SPEC = typer.Argument(
    metavar="ENGINE:MODEL", help="openai:NAME (or whisper:NAME), faster:NAME; or with a path."
)


def register(app: typer.Typer) -> None:
    app.add_typer(models, name="models")


@models.command(name="list")
def list_models() -> None:
    """Say which models are here, and which there are."""
    from deskgym.env.models import NAMES, available, models_dir

    found = available()
    for model in found:
        print(f"{model.engine}:{model.name}  {model.path}")
    if not found:
        print(f"none in {models_dir()}")
    print(f"to fetch: openai:NAME or faster:NAME, of {', '.join(NAMES)}")


@models.command()
def fetch(model: Annotated[str, _SPEC]) -> None:
    """Fetch a model's weights into the cache by the engine's own means, and print where they lie.

    It runs in the perception image, and needs a network.
    """
    from deskgym.env.models import ModelError, locate, parse
    from deskgym.env.models import fetch as fetch_model
    from deskgym.env.sandbox.engine import connect

    parse(model)
    try:
        print(locate(model).path)
        return
    except ModelError:
        client = connect()  # it is not here yet
    try:
        print(fetch_model(client, model).path)
    finally:
        client.close()


@models.command()
def path(model: Annotated[str, _SPEC]) -> None:
    """Print where a model lies."""
    from deskgym.env.models import locate

    print(locate(model).path)
