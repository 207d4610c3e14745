"""verifiers, the OpenAI Agents SDK, GRPO rollouts: each example runs, offline, at a real desk."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from example_kit import load, needs, run_example

pytestmark = [pytest.mark.docker, pytest.mark.usefixtures("desk_image")]
ANSWER = "Court 37"


def test_verifiers_records_what_was_played_and_our_rewards(tmp_path: Path) -> None:
    needs("verifiers", "'deskgym[verifiers]'")
    run_example("verifiers_eval", str(tmp_path), cwd=tmp_path)
    lines = (tmp_path / "demo" / "traces.jsonl").read_text().splitlines()
    episodes = [json.loads(line) for line in lines]
    assert all(episode["ok"] for episode in episodes)
    traces = {one["task"]["data"]["id"]: one for e in episodes for one in e["traces"]}
    right, wrong = traces["adam-009"], traces["adam-001"]
    assert right["rewards"]["desk_reward"] == {"score": 1.0, "weight": 1.0}
    assert right["metrics"]["files_cited_f1"] == 1.0
    assert right["info"]["deskgym"]["answer"] == ANSWER
    assert wrong["rewards"]["desk_reward"]["score"] == 0.0
    assert wrong["metrics"]["abstained"] == 1.0
    shown = json.dumps([node["message"].get("content") for node in right["nodes"]])
    assert "data:image/jpeg;base64," in shown
    assert ANSWER not in json.dumps(right["task"])


def test_an_agent_of_the_openai_sdk_plays_an_episode(tmp_path: Path) -> None:
    needs("openai-agents", "'deskgym[openai-agents]'")
    outcome = json.loads(run_example("openai_agents_desk", cwd=tmp_path))
    assert (outcome["answer"], outcome["reward"], outcome["ended"]) == (ANSWER, 1.0, "answered")
    assert outcome["scores"]["evidence_exposed_recall"] == 1.0


def test_what_such_an_agent_says_without_a_tool_is_its_answer(tmp_path: Path) -> None:
    needs("openai-agents", "'deskgym[openai-agents]'")
    outcome = json.loads(run_example("openai_agents_desk", "adam-001", cwd=tmp_path))
    assert (outcome["answer"], outcome["reward"]) == ("I do not know.", 0.0)
    assert outcome["scores"]["abstained"] == 1.0


def test_the_rollouts_of_the_grpo_example_have_the_shapes_of_grpo() -> None:
    batch = load("grpo_rollout").main(n=3, group=4)
    assert batch.rewards.shape == batch.advantages.shape == (3, 4)
    assert abs(batch.advantages.sum(axis=1)).max() < 1e-6
    columns: dict[str, list[Any]] = batch.columns()
    assert {len(values) for values in columns.values()} == {12}
    assert columns["task"][:4] == [batch.groups[0].task] * 4
    assert columns["completion"][0][0]["tool_calls"][0]["function"]["name"] == "search"
