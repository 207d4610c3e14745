"""The command line's exit codes and messages, without an engine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from deskgym import __version__
from deskgym.env.sandbox.base import DeskDied, EngineUnavailable
from deskgym.env.sandbox.engine import connect, install_engine


@pytest.fixture
def nowhere(tmp_path: Path) -> str:
    """An engine's address at which nothing listens."""
    return f"unix://{tmp_path}/none.sock"


def _run(
    address: str, *arguments: str, path: str = os.environ["PATH"]
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "from deskgym.cli.main import main; main()", *arguments],
        env=os.environ | {"DOCKER_HOST": address, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )


def test_help_lists_the_commands_and_imports_nothing_heavy() -> None:
    program = """
import sys
from typer.testing import CliRunner
from deskgym.cli.main import app
result = CliRunner().invoke(app, ["--help"])
assert result.exit_code == 0, result.output
for command in ("setup", "doctor", "image", "clean"):
    assert command in result.output, result.output
heavy = {"docker", "requests", "pydantic", "PIL"} & set(sys.modules)
assert not heavy, heavy
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr


def test_version_is_the_packages() -> None:
    program = [sys.executable, "-m", "deskgym", "--version"]
    assert subprocess.run(program, capture_output=True, text=True).stdout.strip() == __version__


def test_no_engine_is_one_clear_message_and_code_3(nowhere: str) -> None:
    setup = ("setup", "--sandbox", "docker")
    for arguments in (("image", "info"), ("image", "build"), ("clean",), setup):
        run = _run(nowhere, *arguments)
        assert run.returncode == 3, run.stderr
        assert "Traceback" not in run.stderr
        assert nowhere in run.stderr


def test_without_either_a_run_says_what_was_tried_for_both(nowhere: str) -> None:
    run = _run(nowhere, "demo", path="/nowhere")
    assert run.returncode == 3, run.stderr
    assert nowhere in run.stderr
    assert "bubblewrap is not installed" in run.stderr
    assert "deskgym setup" in run.stderr


def test_wrong_usage_is_code_2(nowhere: str) -> None:
    assert _run(nowhere, "no-such-command").returncode == 2


def test_doctor_without_an_engine_and_without_bubblewrap_fails_and_says_what_to_do(
    nowhere: str,
) -> None:
    run = _run(nowhere, "doctor", "--json", path="/nowhere")
    assert run.returncode == 1, run.stderr
    checks = {check["name"]: check for check in json.loads(run.stdout)}
    for name in ("engine", "bwrap"):
        assert checks[name]["status"] == "fail"
        assert checks[name]["remedy"] == "deskgym setup"
    assert "bubblewrap is not installed" in checks["bwrap"]["detail"]
    assert checks["memory"]["status"] in ("ok", "warn")


def test_connect_says_what_it_tried(nowhere: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", nowhere)
    with pytest.raises(EngineUnavailable, match="no such socket") as raised:
        connect()
    assert nowhere in str(raised.value)


def test_install_leaves_an_engine_elsewhere_alone(
    nowhere: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCKER_HOST", nowhere)
    said: list[str] = []
    with pytest.raises(EngineUnavailable, match="unset DOCKER_HOST"):
        install_engine(said.append)
    assert said == []


def test_exit_codes_tell_kinds_of_error_apart() -> None:
    from deskgym.cli.main import exit_status

    assert exit_status(EngineUnavailable("x")) == 3
    assert exit_status(DeskDied("x")) == 1
    assert exit_status(ZeroDivisionError("x")) is None
