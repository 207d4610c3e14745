"""The options of `deskgym run` about agents: put together into settings, or refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer import BadParameter
from typer.testing import CliRunner, Result

from deskgym.cli.agent_options import (
    FileSettings,
    ModelOptions,
    agent_settings,
    read_file,
    retrieval_settings,
)
from deskgym.cli.main import app

KEY = "sk-very-secret-0123456789"


def command(*arguments: str) -> Result:
    return CliRunner().invoke(app, arguments)


def said_of(result: Result) -> str:
    return " ".join(result.output.replace("│", " ").split())


FILE = """
[llm]
temperature = 0.5
max_tokens = 100

[terminal]
repairs = 1

[terminal.llm]
max_tokens = 200

["my.module:Agent"]
colour = "red"

[retrieval]
chunking = "turn"
"""


def test_settings_are_put_together_from_options_file_and_json(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(FILE)
    file = read_file(tmp_path / "a.toml")
    settings = agent_settings(
        ("terminal", "react", "null", "my.module:Agent"),
        options=ModelOptions("m1", "http://127.0.0.1:1/v1", Path("tape")),
        file=file,
        config={"terminal": {"llm": {"temperature": 0.9}}, "react": {"llm": {"model": "m2"}}},
    )
    shared = {
        "base_url": "http://127.0.0.1:1/v1",
        "cassette": "tape",
        "cassette_mode": "auto",
    }
    assert settings == {
        "terminal": {
            "repairs": 1,
            "llm": {**shared, "model": "m1", "temperature": 0.9, "max_tokens": 200},
        },
        "react": {"llm": {**shared, "model": "m2", "temperature": 0.5, "max_tokens": 100}},
        "my.module:Agent": {"colour": "red"},
    }
    assert retrieval_settings("bm25", None, file) == {"chunking": "turn"}
    embedder = "endpoint:e1@http://127.0.0.1:1/v1"
    assert retrieval_settings("hybrid", embedder, file) == {
        "chunking": "turn",
        "embedder": embedder,
    }


def test_the_ranking_goes_to_agents_that_rank_unless_they_are_told_otherwise() -> None:
    settings = agent_settings(
        ("rag", "hyde", "dbquery"),
        options=ModelOptions("m"),
        file=FileSettings(),
        config={"hyde": {"ranking": "bm25"}},
        ranking="hybrid",
    )
    assert [own.get("ranking") for own in settings.values()] == ["hybrid", "bm25", None]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--agent", "terminal"], "terminal asks a language model: name it by --model"),
        (["--agent", "null", "--model", "m"], "--model goes to agents that ask a model, and none"),
        (["--agent", "null", "--cassette", "d"], "--cassette goes to agents that ask a model"),
        (
            ["--agent", "terminal", "--model", "m", "--cassette-mode", "auto"],
            "goes with --cassette",
        ),
        (
            ["--agent", "terminal", "--model", "m", "--cassette", "d", "--cassette-mode", "x"],
            "--cassette-mode is one of auto, record, replay",
        ),
        (
            ["--agent", "terminal", "--model", "m", "--base-url", "ftp://x"],
            "must begin with http:// or https://",
        ),
        (
            ["--agent", "terminal", "--model", "m", "--base-url", f"https://me:{KEY}@host/v1"],
            "terminal.llm.base_url holds a user or password",
        ),
        (
            [
                "--agent",
                "terminal",
                "--config",
                json.dumps({"terminal": {"llm": {"api_key": KEY}}}),
            ],
            "terminal.llm.api_key would be written into the run's files",
        ),
        (
            ["--agent", "a:B", "--config", json.dumps({"a:B": {"x": [{"API-Key": KEY}]}})],
            "a:B.x[0].API-Key would be written into the run's files",
        ),
        (
            [
                "--agent",
                "terminal",
                "--config",
                json.dumps({"terminal": {"llm": {"model": "m", "api_key_env": KEY}}}),
            ],
            "terminal.llm.api_key_env is no name of an environment variable",
        ),
        (
            ["--agent", "terminal", "--model", "m", "--config", '{"react": {}}'],
            "react, which is not among the agents",
        ),
        (["--agent", "null", "--agent-config", "missing.toml"], "cannot read missing.toml"),
        (["--agent", "null", "--budget-usd", "0"], "--budget-usd is above zero"),
        (["--agent", "null", "--budget-usd", "1"], "what the model of any agent costs"),
        (
            ["--agent", "terminal", "--model", "m", "--budget-usd", "1"],
            "what the model of m costs: set price_in and price_out",
        ),
        (["--agent", "null", "--budget-tokens", "0"], "budget-tokens"),
        (["--agent", "null", "--retries", "-1"], "retries"),
        (["--agent", "null", "--retrieval", "magic"], "one of bm25, dense, hybrid, not 'magic'"),
        (
            ["--agent", "null", "--embedder", f"endpoint:e@https://me:{KEY}@host/v1"],
            "retrieval.embedder holds a user or password",
        ),
        (["--agent", "null", "--retrieval", "dense"], "takes an embedder: give --embedder"),
    ],
)
def test_wrong_usage_is_code_2_and_says_what(arguments: list[str], says: str) -> None:
    result = command("run", "adam", *arguments)
    assert result.exit_code == 2, result.output
    assert says in said_of(result)
    assert KEY not in result.output


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[terminal", "is not TOML"),
        ('model = "m"', "holds 'model' outside a table"),
        ("[terminl]\nx = 1", "did you mean terminal"),
        (f'[terminal.llm]\napi_key = "{KEY}"', "terminal.llm.api_key would be written"),
        (f'[retrieval]\napi_key = "{KEY}"', "retrieval.api_key would be written"),
        ('[retrieval]\nchunking = "by ear"', "retrieval.chunking: Input should be"),
        ("[terminal.llm]\nmodel = 'm'\nheat = 3", "the model's settings of terminal: heat"),
    ],
)
def test_a_settings_file_that_will_not_do_is_refused(tmp_path: Path, text: str, says: str) -> None:
    file = tmp_path / "agents.toml"
    file.write_text(text)
    result = command("run", "adam", "--agent", "terminal", "--agent-config", str(file))
    assert result.exit_code == 2, result.output
    assert says in said_of(result)
    assert KEY not in result.output


def test_settings_of_a_table_that_is_no_llm_table_are_refused() -> None:
    with pytest.raises(BadParameter, match="name it by --model"):
        agent_settings(
            ("terminal",),
            options=ModelOptions(),
            file=FileSettings(agents={"terminal": {"llm": "m"}}),
            config={},
        )
