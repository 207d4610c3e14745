"""`deskgym run` with agents that ask a model: its report, its files, its end by budget or hand."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from endpoint import BrainReply, Endpoint, Fault, tool_names
from stand_in import Answer, StandIn, completion
from typer.testing import CliRunner, Result

from deskgym.cli.main import app
from deskgym.env.actions import Search
from deskgym.env.run_reader import (
    all_attempts,
    episode_path,
    read_config,
    read_episode,
    read_results,
)
from deskgym.env.trajectory import StepEvent

KEY = "sk-very-secret-0123456789"
TASKS = "adam-001,adam-002"
THOUGHT = "I have seen <enough> of it."


def command(*arguments: str) -> Result:
    return CliRunner().invoke(app, arguments)


def said_of(result: Result) -> str:
    return " ".join(result.output.replace("│", " ").split())


def brain(request: dict[str, Any]) -> BrainReply:
    """Looks once, then answers, in the words of its tools."""
    assert "answer" in tool_names(request)
    if not any(message["role"] == "tool" for message in request["messages"]):
        return BrainReply("First I look.", calls=(("list_files", {}),), usage=(900, 100))
    return BrainReply(THOUGHT, calls=(("answer", {"text": "It is so."}),), usage=(900, 100))


def run_adam(out: Path, base_url: str, *more: str, agent: str = "terminal") -> Result:
    arguments = ["run", "adam", "--agent", agent, "--tasks", TASKS, "--out", str(out)]
    return command(*arguments, "--model", "m1", "--base-url", base_url, *more)


@pytest.mark.docker
def test_a_run_says_what_its_models_took_and_never_the_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, desk_image: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    out = tmp_path / "run"
    prices = json.dumps({"terminal": {"llm": {"price_in": 1.0, "price_out": 10.0}}})
    with Endpoint(brain) as endpoint:
        shown = run_adam(
            out, endpoint.base_url, "--concurrency", "2", "--config", prices, "--budget-usd", "9"
        )
        assert shown.exit_code == 0, shown.output
        assert all(KEY in headers["authorization"] for headers in endpoint.headers)
    for word in ("Use of models", "tokens in", "cost, $", "model, s", "environment, s"):
        assert word in shown.output
    results = read_results(out)
    assert [r.ended for r in results] == ["answered", "answered"]
    for result in results:
        assert result.use is not None
        assert (result.use.calls, result.use.prompt_tokens) == (2, 1800)
        assert result.use.completion_tokens == 200
        assert result.use.cost_usd == pytest.approx(1800e-6 + 200 * 10e-6)
        assert result.use.seconds > 0

    as_json = json.loads(command("report", str(out), "--json").output)
    (row,) = as_json["models"]
    assert (row["agent"], row["n"]) == ("terminal", 2)
    assert (row["calls"]["total"], row["calls"]["mean"]) == (4, 2)
    assert row["prompt_tokens"]["total"] == 3600
    assert row["cost_usd"]["mean"] == pytest.approx(0.0038)
    assert row["model_seconds"]["total"] > 0
    assert row["env_seconds"]["total"] > 0
    (time_row,) = as_json["latency"]
    inside = time_row["model_seconds"]["mean"] + time_row["env_seconds"]["mean"]
    assert inside <= time_row["seconds"]["mean"]

    pytest.importorskip("matplotlib", reason="matplotlib is missing: NO PAGE WAS WRITTEN")
    assert command("report", str(out), "--html").exit_code == 0
    page = (out / "report.html").read_text()
    assert "I have seen &lt;enough&gt; of it." in page
    assert "1 call, 900 tokens in, 100 out" in page
    assert "<h3>Use of models</h3>" in page
    files = [file for file in out.rglob("*") if file.is_file()]
    assert len(files) >= 5
    assert not [file for file in files if KEY.encode() in file.read_bytes()]


@pytest.mark.docker
@pytest.mark.parametrize("ranking", ["bm25", "hybrid"])
def test_agents_that_retrieve_rank_as_the_run_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, desk_image: str, ranking: str
) -> None:
    monkeypatch.setenv("DESKGYM_CACHE", str(tmp_path / "cache"))

    def served(body: dict[str, Any]) -> Answer:
        if "input" not in body:
            return Answer(200, completion("It is so [1]."))
        texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
        vectors = [[1.0, float(len(text) % 7), float(text.count("e") % 5)] for text in texts]
        data = [{"index": n, "embedding": v, "object": "embedding"} for n, v in enumerate(vectors)]
        return Answer(200, {"object": "list", "data": data, "model": "e1", "usage": {}})

    out = tmp_path / "run"
    with StandIn(served) as endpoint:
        more = ["--retrieval", ranking]
        if ranking == "hybrid":
            more += ["--embedder", f"endpoint:e1@{endpoint.base_url}"]
        done = run_adam(out, endpoint.base_url, *more, agent="rag")
        assert done.exit_code == 0, done.output
        assert any(path.endswith("/embeddings") for path in endpoint.paths) == (ranking == "hybrid")
    results = read_results(out)
    assert [len(r.cited_files) for r in results] == [1, 1]
    assert not [fault for r in results if r.use for fault in r.use.faults]
    for result in results:
        log = read_episode(episode_path(out, "rag", result.profile_id, result.task_id))
        searches = [
            event.action
            for event in log
            if isinstance(event, StepEvent) and isinstance(event.action, Search) and event.ok
        ]
        assert [search.ranking for search in searches] == [ranking]
    config = read_config(out)
    assert bool(config.retrieval) == (ranking == "hybrid")
    assert config.agent_config["rag"]["ranking"] == ranking


@pytest.mark.docker
def test_a_budget_ends_a_run_with_code_1_and_a_larger_one_goes_on(
    tmp_path: Path, desk_image: str
) -> None:
    out = tmp_path / "run"
    with Endpoint(brain) as endpoint:
        short = run_adam(out, endpoint.base_url, "--budget-tokens", "1500", "--json")
        assert short.exit_code == 1, short.output
        assert "the budget of 1,500 tokens is reached (2,000 are used)" in said_of(short)
        assert "1 of 2 episodes left" in said_of(short)
        assert "--resume" in short.output
        asked = len(endpoint.requests)
        assert asked == 2
        again = run_adam(out, endpoint.base_url, "--budget-tokens", "1500", "--resume")
        assert again.exit_code == 1
        assert len(endpoint.requests) == asked
        larger = run_adam(out, endpoint.base_url, "--budget-tokens", "9000", "--resume")
        assert larger.exit_code == 0, larger.output
    assert [r.ended for r in read_results(out)] == ["answered", "answered"]


@pytest.mark.docker
def test_failed_executions_and_faults_of_the_model_are_in_the_report(
    tmp_path: Path, desk_image: str
) -> None:
    served = iter([Fault("429"), Fault("500"), None, Fault("404")])

    def overloaded(request: dict[str, Any]) -> BrainReply | Fault:
        return next(served, None) or brain(request)

    out = tmp_path / "run"
    with Endpoint(overloaded) as endpoint:
        shown = run_adam(out, endpoint.base_url, "--retries", "2")
    assert shown.exit_code == 0, shown.output
    first, second = read_results(out)
    assert (first.attempts, second.attempts) == (2, 1)
    (failure,) = first.failures
    assert failure.startswith("model_unavailable: ")
    assert "404" in failure
    assert len(all_attempts(out)) == 1
    made = json.loads(command("report", str(out), "--json").output)
    assert made["attempts"] == [
        {
            "agent": "terminal",
            "n": 2,
            "attempts": 3,
            "failures": {"model_unavailable": 1},
            "unmended": 0,
        }
    ]
    faults = {row["kind"]: (row["count"], row["episodes"]) for row in made["faults"]}
    assert {"rate_limited": (1, 1), "server_error": (1, 1)}.items() <= faults.items()
    assert "Executions that failed" in shown.output
    assert "Faults of models" in shown.output


@pytest.mark.docker
def test_ctrl_c_in_the_middle_of_a_call_stops_at_once_and_the_run_goes_on(
    tmp_path: Path, desk_image: str
) -> None:
    out = tmp_path / "run"
    held = [True]

    def slow(request: dict[str, Any]) -> BrainReply | Fault:
        looked = any(message["role"] == "tool" for message in request["messages"])
        if held[0] and looked:
            return Fault("slow", seconds=100)
        return brain(request)

    with Endpoint(slow) as endpoint:
        arguments = ["run", "adam", "--agent", "terminal", "--tasks", TASKS, "--out", str(out)]
        arguments += ["--model", "m1", "--base-url", endpoint.base_url, "--jobs", "2"]
        run = subprocess.Popen(
            [sys.executable, "-m", "deskgym", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**os.environ, "OPENAI_API_KEY": KEY},
        )
        limit = time.monotonic() + 90
        while len(endpoint.requests) < 4:
            assert run.poll() is None, run.communicate()[0].decode()
            assert time.monotonic() < limit
            time.sleep(0.02)
        run.send_signal(signal.SIGINT)
        said = run.communicate(timeout=60)[0].decode()
        assert run.returncode == 1, said
        assert "2 of 2 episodes left" in said
        assert "Traceback" not in said
        assert read_results(out) == []

        held[0] = False
        done = run_adam(out, endpoint.base_url, "--resume")
        assert done.exit_code == 0, done.output
    assert [r.ended for r in read_results(out)] == ["answered", "answered"]
    assert [r.attempts for r in read_results(out)] == [1, 1]
    # What was paid for and lost is kept.
    assert [log.name for log in all_attempts(out)] == [
        "adam-001.attempt1.jsonl",
        "adam-002.attempt1.jsonl",
    ]
