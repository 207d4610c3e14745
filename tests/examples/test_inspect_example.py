"""Inspect AI: its mock model plays the demo, and the log carries our scores."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from example_kit import needs, run_example

pytestmark = [pytest.mark.docker, pytest.mark.usefixtures("inspect_is_here", "desk_image")]


@pytest.fixture(scope="module")
def inspect_is_here() -> None:
    needs("inspect-ai", "'deskgym[inspect]'")


@pytest.fixture(scope="module")
def log(inspect_is_here: None, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The log that the example writes."""
    from inspect_ai.log import list_eval_logs, read_eval_log

    folder = tmp_path_factory.mktemp("logs")
    run_example("inspect_demo", str(folder), cwd=folder)
    (written,) = list_eval_logs(str(folder))
    assert written.name.endswith(".eval")
    return read_eval_log(written)


def sample(log: Any, name: str) -> Any:
    return next(one for one in log.samples if one.id == name)


def test_the_log_carries_our_scores(log: Any) -> None:
    assert (log.status, log.eval.task) == ("success", "deskgym/demo")
    means = {score.name: score.metrics["mean"].value for score in log.results.scores}
    assert means == {
        "answer": 0.5,
        "files_cited_f1": 0.5,
        "files_touched_recall": 0.5,
        "evidence_exposed_recall": 0.5,
        "reward": 0.5,
    }
    (score,) = sample(log, "adam-009").scores.values()
    assert score.answer == "Court 37"
    assert score.metadata["ended"] == "answered"
    assert score.metadata["scores"]["files_cited_precision"] == 1.0


def test_what_a_model_says_without_a_tool_is_its_answer(log: Any) -> None:
    (score,) = sample(log, "adam-001").scores.values()
    assert score.answer == "I do not know."
    assert score.metadata["scores"]["abstained"] == 1.0


def test_the_model_sees_the_picture_and_no_gold(log: Any) -> None:
    messages = sample(log, "adam-009").messages
    pieces = [piece.type for m in messages if m.role != "system" for piece in _pieces(m)]
    assert "image" in pieces
    said = next(number for number, m in enumerate(messages) if m.role == "assistant")
    told = " ".join(message.text for message in messages[: said + 1])
    assert "In which courtroom" in told
    assert "Court 37" not in told


def _pieces(message: Any) -> list[Any]:
    return [] if isinstance(message.content, str) else list(message.content)


def test_the_command_finds_the_task_by_its_entry_point(tmp_path: Path) -> None:
    command = [sys.executable, "-P", "-m", "inspect_ai", "eval", "deskgym/demo"]
    command += ["--model", "mockllm/model", "--limit", "2", "-T", "profile=bei"]
    command += ["--display", "plain", "--log-dir", str(tmp_path)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
    told = "".join((run.stdout + run.stderr).split())
    if "o200k_base.tiktoken" in told:
        pytest.skip("the mock model counts tokens with a file of tiktoken's that is not here")
    assert run.returncode == 0, run.stderr[-2000:]
    assert "evidence_expos" in told
    assert len(list(tmp_path.glob("*.eval"))) == 1
