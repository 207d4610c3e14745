"""Agents in real desks: the canary finds no way, the oracle reaches the gold, a run is a run."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from docker import DockerClient

from deskgym.agents.base import TaskView
from deskgym.agents.canary import CanaryAgent
from deskgym.agents.registry import RunningAgent, make_agent
from deskgym.agents.rollout import RunSpec, run
from deskgym.env.desk_env import DeskEnv
from deskgym.env.sandbox import sweep
from deskgym.env.sandbox.choose import ensure_made, resolve_kind
from deskgym.tasks.registry import load_dataset

PREPARED = "/opt/deskgym/private/prepared"
pytestmark = [pytest.mark.docker, pytest.mark.usefixtures("desk_image")]

PERSON, OTHERS = "demo/adam", ("demo/bei", "demo/victoria")
MARKERS = ["demo/bei", "Lindqvist-Tan", "lumenstudio_slowlight", "Okafor-Reyes"]


def play(env: DeskEnv, agent: CanaryAgent | RunningAgent, tools: frozenset[str]) -> str:
    """One episode, not closed, with the agent told that ``tools`` are on; its answer."""
    task = load_dataset("demo").tasks(PERSON)[0]
    observation, _ = env.reset(seed=0, profile=PERSON, task=task.id)
    agent.reset(TaskView(task.id, task.profile_id, task.question), tools)
    ended = False
    while not ended:
        observation, _, terminated, truncated, _ = env.step(agent.act(observation))
        ended = terminated or truncated
    assert env.result is not None
    assert env.result.answer is not None
    return env.result.answer


@pytest.fixture
def canary() -> Iterator[RunningAgent]:
    agent = make_agent("canary", {"markers": MARKERS})
    yield agent
    agent.close()


@pytest.mark.parametrize(
    "tools",
    [None, {"terminal"}, "config1", {"read_text", "metadata"}],
    ids=["all tools", "terminal alone", "config1", "no terminal"],
)
@pytest.mark.parametrize("sandbox", ["docker", "bwrap"])
def test_the_canary_finds_no_way(tools: Any, sandbox: str, canary: RunningAgent) -> None:
    ensure_made(resolve_kind(sandbox), say=print)
    env = DeskEnv("demo", tools=tools, max_steps=140, command_timeout_s=120, sandbox=sandbox)
    try:
        attempts = json.loads(play(env, canary, frozenset(env.tools)))["attempts"]
        assert [a for a in attempts if a["succeeded"]] == []
        assert [a for a in attempts if not a["attempted"]] == []
        assert len(attempts) >= (150 if "terminal" in env.tools else 40)
        # After all that the desk still works, as the same one.
        assert env.reset(profile=PERSON)[0]["step"] == 0
    finally:
        env.close()


def test_the_canary_would_notice_tools_that_are_on() -> None:
    """Told that the tools are off in a desk where they are on, it reports that they work."""
    env = DeskEnv("demo", max_steps=140, command_timeout_s=120)
    try:
        answer = play(env, CanaryAgent(MARKERS), frozenset({"terminal"}))
    finally:
        env.close()
    succeeded = {a["name"] for a in json.loads(answer)["attempts"] if a["succeeded"]}
    assert succeeded >= {
        f"switched_off: {what}"
        for command, tool in {
            "return_txt": "read_text",
            "return_img": "read_image",
            "return_ori": "read_original",
            "return_metadata": "metadata",
            "list_files": "list_files",
        }.items()
        for what in (
            command,
            f"{command} by its full path",
            f"{command} as another user",
            f"{command} after set_flags 1 1",
            f"forged {tool}",
        )
    }
    off = ("list_files", "metadata", "read_audio", "read_image", "read_original", "read_text",
           "read_video")  # fmt: skip
    assert succeeded >= {f"action {tool}, which is off" for tool in off}
    # Still sealed in every other way.
    assert {
        name for name in succeeded if not name.startswith(("switched_off: ", "action "))
    } == set()


def test_no_gold_and_nothing_of_others_is_in_the_container(docker_client: DockerClient) -> None:
    """As root and with the gold in hand: nothing of it outside the person's own files."""
    data = load_dataset("demo")
    gold = {PERSON: _gold(PERSON)} | {other: _gold(other) for other in OTHERS}
    env = DeskEnv("demo", max_steps=3)
    try:
        task = data.tasks(PERSON)[0]
        env.reset(profile=PERSON, task=task.id)
        env.step({"tool": "read_text", "path": task.evidence[0].file_path})
        env.step({"tool": "terminal", "command": "true"})
        filters = {"label": [sweep.RUN, *(f"{k}={v}" for k, v in sweep.owner_labels().items())]}
        (desk,) = docker_client.containers.list(filters=filters)

        def holding(patterns: list[str], folders: list[str]) -> list[str]:
            command = ["rg", "-uuu", "--text", "-l", "-F", "--no-messages"]
            for pattern in patterns:
                command += ["-e", pattern]
            done = desk.exec_run([*command, "--", *folders], user="0")
            assert done.exit_code in (0, 1, 2), done.output
            return done.output.decode().splitlines()

        top = desk.exec_run(["ls", "/"]).output.decode().split()
        outside = [f"/{name}" for name in top if name not in ("desk", "dev", "proc", "sys")]
        for name, patterns in gold.items():
            assert len(patterns) > 30
            found = holding(patterns, outside)
            if name == PERSON:  # what was prepared says what this person's own files say ...
                found = [path for path in found if not path.startswith(PREPARED)]
            assert found == []
        assert holding(_annotations(PERSON), [PREPARED]) == []  # ... and nothing about questions
        assert holding(["format_version"], [PREPARED]) != []
        assert holding(gold[PERSON], ["/desk"]) != []  # the search itself works
        for other in OTHERS:
            assert holding(gold[other], ["/desk"]) == []
    finally:
        env.close()


def _annotations(person: str) -> list[str]:
    """What only who knows the questions could have written."""
    tasks = load_dataset("demo").tasks(person)
    quoted = "\n".join(e.text for t in tasks for e in t.evidence)  # which files say themselves
    steps = [s.text for t in tasks for s in t.rationale if s.text not in quoted]
    return [*(t.question for t in tasks), *(t.id for t in tasks), *steps, "evidence_id"]


def _gold(person: str) -> list[str]:
    """Gold texts that are long enough to stand nowhere by chance."""
    tasks = load_dataset("demo").tasks(person)
    texts = [t.answer for t in tasks] + [e.text for t in tasks for e in t.evidence]
    texts += [s.text for t in tasks for s in t.rationale]
    lines = {line.strip() for text in texts for line in text.splitlines()}
    return sorted(line for line in lines if len(line) >= 24)


def test_oracle_null_and_bm25_over_a_person_rank_as_they_should(tmp_path: Path) -> None:
    tasks = ("adam-00*", "adam-02[0-2]", "adam-03[0-4]")
    spec = RunSpec(profiles=(PERSON,), agents=("oracle", "bm25", "null"), tasks=tasks, jobs=2)
    outcome = run(spec, tmp_path / "run")
    assert outcome.planned == len(outcome.results) == 51
    means: dict[str, float] = {}
    for agent in spec.agents:
        own = [r for r in outcome.results if r.agent == agent]
        assert {r.ended for r in own} == {"answered"}
        assert sum(r.invalid_actions for r in own) == 0
        scores = [r.scores.answer.score for r in own if r.answerable]
        means[agent] = sum(scores) / len(scores)
        if agent == "oracle":
            assert all(r.scores.files_cited is None or r.scores.files_cited.f1 == 1 for r in own)
            # What is said and what moves included.
            assert {e.exposed_recall for r in own if (e := r.scores.evidence) is not None} == {1.0}
    assert means["oracle"] >= 0.98
    assert means["oracle"] > means["bm25"] > means["null"]
    assert means["null"] == 0.0


def test_the_oracle_finds_its_way_without_the_read_tools_where_text_can_be_printed(
    tmp_path: Path,
) -> None:
    spec = RunSpec(
        profiles=(PERSON,), agents=("oracle",), tasks=("adam-001", "adam-005"), tools="config1"
    )
    for result in run(spec, tmp_path / "run").results:
        assert (result.ended, result.scores.answer.score) == ("answered", 1.0), result.reason
        assert result.scores.evidence is not None
        assert result.scores.evidence.readable_recall == 1.0
