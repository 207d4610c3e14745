"""`deskgym serve`: desks for clients on this and other machines."""

from __future__ import annotations

import ipaddress
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from deskgym.cli.ids import DatasetOptions

if TYPE_CHECKING:
    from deskgym.env.server.config import ServerConfig
    from deskgym.env.trajectory_log import RunFolder
    from deskgym.tasks.registry import Dataset

MISSING = "the server needs more packages: pip install 'deskgym[server]'"


class CannotServe(RuntimeError):
    """The server cannot be started so. The message says what to do."""


def register(app: typer.Typer) -> None:
    app.command()(serve)


def serve(
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes a free one.")] = 8000,
    dataset: Annotated[str, typer.Option(help="Whose people and tasks.")] = "demo",
    dataset_option: DatasetOptions = None,
    tools: Annotated[
        str | None, typer.Option(help="A preset (config0 to config3) or tools, with commas.")
    ] = None,
    max_steps: Annotated[int, typer.Option(min=1, help="Steps before an episode is cut off.")] = 30,
    reward: Annotated[str, typer.Option(help="The name of a reward.")] = "sparse",
    sandbox: Annotated[str, typer.Option(help="auto, docker or bwrap.")] = "auto",
    max_sessions: Annotated[int, typer.Option(min=1, help="Sessions, and desks, at a time.")] = 16,
    idle_timeout: Annotated[
        float, typer.Option(help="Seconds without a message until a session ends.")
    ] = 300.0,
    lease: Annotated[float, typer.Option(help="Seconds that a session may live.")] = 3600.0,
    ping: Annotated[
        float,
        typer.Option(
            help="Seconds between pings; a socket that takes as long to answer one is closed."
        ),
    ] = 20.0,
    drain: Annotated[
        float, typer.Option(help="Seconds that episodes get to end on SIGTERM.")
    ] = 30.0,
    token_env: Annotated[
        str | None, typer.Option(metavar="NAME", help="The variable that holds API tokens.")
    ] = None,
    token_file: Annotated[
        Path | None, typer.Option(help="A file of API tokens, one a line.")
    ] = None,
    admin_token_env: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The variable with tokens that may see gold too."),
    ] = None,
    insecure: Annotated[
        bool, typer.Option("--insecure", help="Serve other machines without tokens.")
    ] = False,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(help="Another name by which clients may address it. Repeatable."),
    ] = None,
    build_image: Annotated[
        bool,
        typer.Option(
            "--build-image",
            help="Build the server's own image, for docker-compose.yml, and print its name.",
        ),
    ] = False,
    run: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Log episodes to this run's folder.")
    ] = None,
) -> None:
    """Serve desks over HTTP and WebSockets: OpenEnv's protocol, and MCP.

    SIGTERM and Ctrl-C let the episodes under way end first; a second one does not wait.
    """
    if build_image:
        print(_build_image())
        return
    try:
        from deskgym.env.server import logs, serving
        from deskgym.env.server.app import create_app
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("deskgym"):
            raise
        raise CannotServe(f"{MISSING} ({error.name} is missing)") from error
    from deskgym.cli.ids import dataset_options
    from deskgym.cli.run import _reward, _tools
    from deskgym.env.sandbox.choose import check_choice

    tokens = (*_tokens_in_variable(token_env), *_tokens_in_file(token_file))
    config = _config(
        {
            "dataset": dataset,
            "dataset_options": dataset_options(dataset_option),
            "tools": _tools(tools),
            "max_steps": max_steps,
            "reward": _reward(reward),
            "sandbox": check_choice(sandbox),
            "max_sessions": max_sessions,
            "idle_timeout_s": idle_timeout,
            "lease_s": lease,
            "drain_s": drain,
            "ping_interval_s": ping,
            "ping_timeout_s": ping,
            "tokens": tokens,
            "admin_tokens": _tokens_in_variable(admin_token_env),
            "allowed_hosts": _hosts(host, allow_host or []),
        }
    )
    if not _is_loopback(host) and not tokens and not insecure:
        raise CannotServe(
            f"{host} can be reached from other machines, and there are no API tokens: give some "
            "with --token-env or --token-file, or say --insecure"
        )
    from deskgym.tasks.registry import load_dataset

    people = load_dataset(config.dataset, **config.dataset_options)
    _ready(config.sandbox)
    secrets = [token.get_secret_value() for token in (*config.tokens, *config.admin_tokens)]
    logs.log_as_json(secrets)
    folder = _run_folder(run, config, people) if run is not None else None
    try:
        serving.run(create_app(config, dataset=people, run=folder), host=host, port=port)
    finally:
        if folder is not None:
            folder.close()


def _build_image() -> str:
    from deskgym.cli.progress import saying
    from deskgym.env.sandbox.engine import connect
    from deskgym.env.server.image import ensure_server_image

    client = connect()
    with saying() as say:
        tag = ensure_server_image(client, say)
    client.close()
    return tag


def _config(settings: dict[str, Any]) -> ServerConfig:
    from pydantic import ValidationError

    from deskgym.env.server.config import ServerConfig
    from deskgym.env.server.words import explain

    try:
        return ServerConfig(**settings)
    except ValidationError as error:
        raise typer.BadParameter(explain(error)) from error


def _tokens_in_variable(name: str | None) -> tuple[str, ...]:
    from deskgym.env.server.auth import read_tokens

    if name is None:
        return ()
    if name not in os.environ:
        raise CannotServe(f"the environment variable {name}, which is to hold tokens, is not set")
    return read_tokens(os.environ[name], f"the environment variable {name}")


def _tokens_in_file(file: Path | None) -> tuple[str, ...]:
    from deskgym.env.server.auth import read_tokens

    if file is None:
        return ()
    try:
        text = file.read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise CannotServe(f"the tokens in {file} cannot be read: {error}") from error
    return read_tokens(text, str(file))


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _hosts(host: str, more: list[str]) -> tuple[str, ...] | None:
    """By which names it may be addressed without tokens: any, if it serves other machines."""
    from deskgym.env.server.config import ServerConfig

    if not _is_loopback(host):
        return None
    default: tuple[str, ...] = ServerConfig.model_fields["allowed_hosts"].default
    return (*default, host, *more)


def _ready(sandbox: str) -> None:
    """See that a desk can be had at all, before anybody asks for one."""
    from deskgym.cli.progress import saying
    from deskgym.env.sandbox.choose import resolve_kind
    from deskgym.env.sandbox.engine import connect
    from deskgym.env.sandbox.images import ensure_image

    if resolve_kind(sandbox) != "docker":
        return
    client = connect()
    with saying() as say:
        ensure_image(client, say=say)
    client.close()


def _run_folder(path: Path, config: ServerConfig, dataset: Dataset) -> RunFolder:
    """The run in ``path``, which is made if there is none."""
    from deskgym.agents.rollout import RunSpec, run_config
    from deskgym.env.run_reader import RUN
    from deskgym.env.sandbox.choose import resolve_kind
    from deskgym.env.server.app import AGENT
    from deskgym.env.trajectory_log import RunFolder

    if (path / RUN).exists():
        folder = RunFolder.open(path)
        if folder.config.dataset_digest != dataset.digest:
            folder.close()
            raise CannotServe(f"the run in {path} is of another data set: choose another --run")
        return folder
    spec = RunSpec(
        dataset=config.dataset,
        dataset_options=config.dataset_options,
        profiles=dataset.profiles(),
        agents=(AGENT,),
        tools=config.tools,
        max_steps=config.max_steps,
        reward=config.reward,
    )
    made = run_config(spec, dataset, (), "")
    tasks = tuple(task.id for person in dataset.profiles() for task in dataset.tasks(person))
    kind = resolve_kind(config.sandbox)
    return RunFolder.create(path, made.model_copy(update={"tasks": tasks, "sandbox": kind}))
