"""What the options of `deskgym run` say about agents, put together into their settings."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import typer

SHARED: Final = "llm"
"""The table of a settings file that goes to every agent with a model."""
RETRIEVAL: Final = "retrieval"
"""The table of a settings file that says how searches beside the desk work."""
RANKINGS: Final = ("bm25", "dense", "hybrid")
CASSETTE_MODES: Final = ("auto", "record", "replay")

Settings = dict[str, Any]


@dataclass(frozen=True)
class ModelOptions:
    """Options that go to every agent with a model; None where they were not given."""

    model: str | None = None
    base_url: str | None = None
    cassette: Path | None = None
    cassette_mode: str | None = None

    def llm(self) -> Settings:
        """The settings of a model that they amount to."""
        mode = self.cassette_mode or ("auto" if self.cassette is not None else None)
        if mode is not None and mode not in CASSETTE_MODES:
            raise typer.BadParameter(f"--cassette-mode is one of {', '.join(CASSETTE_MODES)}")
        if mode is not None and self.cassette is None:
            raise typer.BadParameter("--cassette-mode goes with --cassette, which is missing")
        given = {
            "model": self.model,
            "base_url": self.base_url,
            "cassette": str(self.cassette) if self.cassette is not None else None,
            "cassette_mode": mode,
        }
        return {name: value for name, value in given.items() if value is not None}


@dataclass(frozen=True)
class FileSettings:
    """A settings file: a table for each agent, and those that all share."""

    agents: Settings = field(default_factory=dict)
    llm: Settings = field(default_factory=dict)
    retrieval: Settings = field(default_factory=dict)


def read_file(path: Path | None) -> FileSettings:
    """The settings in the TOML file at ``path``."""
    if path is None:
        return FileSettings()
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise typer.BadParameter(
            f"--agent-config: cannot read {path}: {error.strerror or error}"
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise typer.BadParameter(f"--agent-config: {path} is not TOML: {error}") from error
    for name, table in tables.items():
        if not isinstance(table, dict):
            raise typer.BadParameter(
                f"--agent-config: {path} holds {name!r} outside a table; settings stand below "
                "[agent], [llm] or [retrieval]"
            )
    return FileSettings(
        agents={n: t for n, t in tables.items() if n not in (SHARED, RETRIEVAL)},
        llm=tables.get(SHARED, {}),
        retrieval=tables.get(RETRIEVAL, {}),
    )


def read_json(text: str) -> Settings:
    """The settings by agent of ``--config``."""
    try:
        config = json.loads(text)
    except ValueError as error:
        raise typer.BadParameter(f"--config is not JSON: {error}") from error
    if not isinstance(config, dict) or not all(isinstance(v, dict) for v in config.values()):
        raise typer.BadParameter('--config is an object by agent: {"agent": {"key": value}}')
    return config


def agent_settings(
    agents: Sequence[str],
    *,
    options: ModelOptions,
    file: FileSettings,
    config: Settings,
    ranking: str | None = None,
) -> Settings:
    """The settings of each of ``agents`` that has any.

    ``config`` goes before the agent's own table in ``file``, that before the file's shared
    ``[llm]``, and that before ``options``; tables are put together key by key. ``ranking`` is how
    agents that rank passages do so, unless their settings say otherwise.
    """
    from deskgym.agents.registry import MODEL_AGENTS, UnknownAgent, check_agent_name
    from deskgym.agents.settings import KeyInSettings, check_no_key

    for name in agents:
        check_agent_name(name)
    for name in file.agents:
        try:
            check_agent_name(name)
        except UnknownAgent as error:
            raise typer.BadParameter(f"--agent-config: {error}") from error
    if strangers := [name for name in config if name not in agents]:
        raise typer.BadParameter(
            f"--config has settings of {', '.join(strangers)}, which is not among the agents "
            f"that are run: {', '.join(agents)}"
        )
    with_model = [name for name in agents if name in MODEL_AGENTS]
    if (given := options.llm()) and not with_model:
        raise typer.BadParameter(
            f"--{next(iter(given)).replace('_', '-')} goes to agents that ask a model, and none of "
            f"{', '.join(agents)} is known to; an agent of your own takes it by --config "
            '\'{"package.module:Class": {"llm": {"model": "..."}}}\''
        )
    settings: Settings = {}
    for name in agents:
        own: Settings = {"llm": merged(given, file.llm)} if name in MODEL_AGENTS else {}
        if ranking is not None and _ranks(name):
            own["ranking"] = ranking
        own = merged(merged(own, file.agents.get(name, {})), config.get(name, {}))
        if own:
            settings[name] = own
    try:
        check_no_key(settings)
    except KeyInSettings as error:
        raise typer.BadParameter(str(error)) from error
    for name in with_model:
        _check_model(name, settings[name]["llm"])
    return settings


def retrieval_settings(ranking: str | None, embedder: str | None, file: FileSettings) -> Settings:
    """How searches beside the desk work: what ``make_retriever`` takes."""
    from deskgym.agents.settings import KeyInSettings, check_no_key

    if ranking is not None and ranking not in RANKINGS:
        raise typer.BadParameter(f"--retrieval is one of {', '.join(RANKINGS)}, not {ranking!r}")
    settings = merged(file.retrieval, {"embedder": embedder} if embedder is not None else {})
    if ranking in ("dense", "hybrid") and not settings.get("embedder"):
        raise typer.BadParameter(
            f"--retrieval {ranking} ranks by meaning, which takes an embedder: give --embedder"
        )
    try:
        check_no_key(settings, RETRIEVAL)
    except KeyInSettings as error:
        raise typer.BadParameter(str(error)) from error
    if settings:
        from deskgym.agents.rag.retriever import BadRetrieval, retrieval_config

        try:
            retrieval_config(settings)
        except BadRetrieval as error:
            raise typer.BadParameter(str(error)) from error
    return settings


def check_priced(settings: Settings, budget_usd: float | None) -> None:
    """Make sure that a budget in dollars can ever be reached: some model has a price."""
    if budget_usd is None:
        return
    models = [own["llm"] for own in settings.values() if isinstance(own.get("llm"), dict)]
    unpriced = [m for m in models if not (m.get("price_in") or m.get("price_out"))]
    if unpriced or not models:
        named = ", ".join(sorted({str(m.get("model")) for m in unpriced})) or "any agent"
        raise typer.BadParameter(
            f"--budget-usd needs to know what the model of {named} costs: set price_in and "
            "price_out (USD per million tokens) below [llm] in --agent-config, or use "
            "--budget-tokens"
        )


def merged(below: Mapping[str, Any], above: Mapping[str, Any]) -> Settings:
    """``below`` with the values of ``above`` put over it, table by table."""
    result = dict(below)
    for name, value in above.items():
        old = result.get(name)
        if isinstance(old, Mapping) and isinstance(value, Mapping):
            result[name] = merged(old, value)
        else:
            result[name] = value
    return result


def _check_model(name: str, llm: object) -> None:
    from pydantic import ValidationError

    from deskgym.agents.llm_config import LLMConfig

    if not isinstance(llm, dict) or not llm.get("model"):
        raise typer.BadParameter(
            f"{name} asks a language model: name it by --model, or below [llm] in --agent-config"
        )
    try:
        LLMConfig.model_validate(llm)
    except ValidationError as error:
        wrong = "; ".join(
            f"{'.'.join(map(str, e['loc'])) or 'llm'}: {e['msg']}" for e in error.errors()
        )
        raise typer.BadParameter(f"the model's settings of {name}: {wrong}") from error


def _ranks(name: str) -> bool:
    """Whether a built-in agent has a setting ``ranking``."""
    import importlib
    import inspect

    from deskgym.agents.registry import BUILT_IN

    if name not in BUILT_IN:
        return False
    module, _, attribute = BUILT_IN[name].partition(":")
    return (
        "ranking"
        in inspect.signature(getattr(importlib.import_module(module), attribute)).parameters
    )
