"""The environment on real desks: Gymnasium's checks, determinism, switches, gold, deaths, logs."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest
from docker import DockerClient
from gymnasium.utils.env_checker import check_env

import deskgym
from deskgym.agents.base import TaskView
from deskgym.agents.oracle import OracleAgent
from deskgym.env.desk_env import DeskEnv
from deskgym.env.run_reader import read_episode, read_results
from deskgym.env.sandbox.base import DeskDied
from deskgym.env.trajectory import EpisodeEnd, EpisodeStart, RunConfig, StepEvent
from deskgym.env.trajectory_log import RunFolder
from deskgym.tasks.schema import Task

pytestmark = [pytest.mark.docker, pytest.mark.usefixtures("desk_image")]

SCRIPT: tuple[Any, ...] = (
    {"tool": "list_files", "pattern": "*.eml"},
    {"tool": "terminal", "command": "ls -lAR --time-style=full-iso /desk; env | sort; pwd"},
    {"tool": "terminal", "command": "cd /tmp; echo kept > kept; ls; cat /desk/*/*.md | wc"},
    {"tool": "terminal", "command": "grep -rlI 2024 /desk | sort | head -5; false"},
    {"tool": "read_text", "path": "00_Inbox/README_How_I_file.md"},
    {"tool": "read_image", "path": "00_Inbox/Screenshot_2025-06-18.png", "region": [0, 0, 0.5, 1]},
    {"tool": "metadata", "path": "00_Inbox/README_How_I_file.md"},
    {"tool": "read_text", "path": "no/such/file.txt"},
    "no action at all",
    {"tool": "answer", "text": "I don't know", "cites": [{"path": "00_Inbox/To_do_2025-06.txt"}]},
)


def transcript(seed: int, env: DeskEnv | None = None) -> str:
    """All that the script shows, as text; in an environment of its own if none is given."""
    desk = env or deskgym.make(profile="adam", max_steps=60)
    shown: list[Any] = [desk.reset(seed=seed)]
    shown += [desk.step(action) for action in SCRIPT]
    if env is None:
        desk.close()
    return json.dumps(shown, default=lambda m: [m.mime, hashlib.sha256(m.data).hexdigest()])


@pytest.fixture(scope="module")
def adam() -> Iterator[DeskEnv]:
    env = deskgym.make(profile="adam", max_steps=60)
    yield env
    env.close()


# -- Gymnasium -------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [deskgym.make, lambda: gym.make(f"deskgym:{deskgym.ENV_ID}")])
def test_check_env_has_nothing_to_say(make: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = make()
        check_env(env.unwrapped, skip_render_check=False)
        env.close()


def test_gym_make_with_wrappers() -> None:
    env = gym.make(f"deskgym:{deskgym.ENV_ID}", max_steps=3)
    _, info = env.reset(options={"profile": "adam", "task": "adam-001"})
    assert (info["profile"], info["task_id"]) == ("demo/adam", "adam-001")
    observation, *_ = env.step({"tool": "terminal", "command": "ls /desk"})
    assert "00_Inbox" in observation["text"]
    env.close()


# -- determinism -----------------------------------------------------------------------------------


def test_equal_seeds_and_actions_show_the_same(adam: DeskEnv) -> None:
    first = transcript(7, adam)
    assert transcript(7, adam) == first, "in one environment, after a reset in place"
    assert transcript(7) == first, "in another environment"
    code = "import test_real_desk as t; print(t.transcript(7))"
    other = subprocess.run(
        [sys.executable, "-c", code],
        cwd=Path(__file__).parent,
        capture_output=True,
        text=True,
        check=True,
    )
    assert other.stdout.strip() == first, "in another process"
    # The script did what it is there for.
    assert first.count('"ok": true') == 8
    assert '"image/png"' in first or '"image/jpeg"' in first


def test_seeds_draw_different_tasks(adam: DeskEnv) -> None:
    drawn = [adam.reset(seed=seed)[1]["task_id"] for seed in range(8)]
    assert len(set(drawn)) > 3


# -- switches --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("preset", "off"),
    [
        ("config0", set()),
        ("config1", {"read_text", "read_image"}),
        ("config2", {"read_text"}),
        ("config3", {"read_image"}),
    ],
)
def test_what_is_off_is_off_in_the_terminal_too(preset: str, off: set[str]) -> None:
    env = deskgym.make(profile="adam", tools=preset)
    env.reset(seed=1)
    calls = {
        "read_text": ("return_txt", "00_Inbox/README_How_I_file.md"),
        "read_image": ("return_img", "00_Inbox/Screenshot_2025-06-18.png"),
        "read_original": ("return_ori", "00_Inbox/To_do_2025-06.txt"),
    }
    for tool, (command, path) in calls.items():
        info = env.step({"tool": tool, "path": path})[4]
        switch = f"set_flags --{command} 1 >/dev/null 2>&1; " if tool in off else ""
        run = f"{switch}{command} '{path}' | jq -c '[.success, .error]'"
        success, error = json.loads(env.step({"tool": "terminal", "command": run})[0]["text"])
        if tool in off:
            assert info["error"] == "switched_off"
            assert success is False
            assert "switched off" in error
        else:
            assert info["ok"]
            assert (success, error) == (True, None)
    env.close()


# -- gold ------------------------------------------------------------------------------------------


def strings(value: Any) -> Iterator[str]:
    """All text in ``value``, keys included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield str(key)
            yield from strings(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from strings(inner)


def gold_of(task: Task) -> set[str]:
    """Gold texts too long to turn up by chance, and the ids of the evidence."""
    texts = {task.answer, *(e.text for e in task.evidence), *(s.text for s in task.rationale)}
    long = {text for text in texts if len(text) >= 12 and text not in task.question}
    return long | {e.evidence_id for e in task.evidence if len(e.evidence_id) >= 6}


def test_an_episode_never_tells_the_gold(adam: DeskEnv) -> None:
    tasks = adam.dataset.tasks("adam")[::4]
    agent = OracleAgent(tasks)
    searched = 0
    for task in tasks:
        observation, info = adam.reset(task=task.id)
        told = [observation, info]
        agent.reset(TaskView(task.id, task.profile_id, task.question), adam.tools)
        ended = False
        while not ended:
            action = agent.act(observation)
            observation, _, terminated, truncated, info = adam.step(action)
            ended = terminated or truncated
            told.append(info)
            if action.tool in ("list_files", "note", "answer"):
                told.append(observation)
            # What files say may show the gold; nothing else of the observation may.
            told.append({**observation, "text": "", "media": ()})
        gold = gold_of(task)
        searched += len(gold)
        leaks = [(g, s) for s in strings(told) for g in gold if g in s]
        assert leaks == [], task.id
        # It did look: what it must not be told otherwise was there to be told.
        assert adam.result is not None
        assert adam.result.scores.answer.score == 1.0
    assert searched > len(tasks)


def test_gold_is_no_file_on_the_desk(adam: DeskEnv) -> None:
    adam.reset(seed=0)
    command = (
        "find / -xdev -not -path '/proc/*' \\( -name tasks.json -o -name person.json "
        "-o -name files.json \\) 2>/dev/null; ls -a /desk | head -3"
    )
    text = adam.step({"tool": "terminal", "command": command})[0]["text"]
    assert "json" not in text
    assert text.startswith(".\n..\n")


# -- deaths and logs -------------------------------------------------------------------------------


def test_a_killed_desk_is_told_and_replaced(docker_client: DockerClient) -> None:
    env = deskgym.make(profile="adam")
    env.reset(seed=3)
    env.step({"tool": "terminal", "command": "echo before > /tmp/before"})
    container = env._desk.carrier.container_id  # type: ignore[union-attr]
    docker_client.api.kill(container)
    with pytest.raises(DeskDied, match="exit status"):
        env.step({"tool": "terminal", "command": "echo after"})
    assert [type(event) for event in env.trajectory] == [EpisodeStart, StepEvent]
    assert env.abort("the desk died").steps == 1
    env.reset(seed=3)
    text = env.step({"tool": "terminal", "command": "ls /tmp; echo again"})[0]["text"]
    assert text == "again\n"
    assert env._desk.carrier.container_id != container  # type: ignore[union-attr]
    env.close()


def test_another_person_s_files_are_not_there() -> None:
    env = deskgym.make()
    seen = {}
    for name in ("adam", "bei", "adam"):
        env.reset(profile=name)
        text = env.step({"tool": "terminal", "command": "cd /desk; find . -type f | sort"})[0]
        paths = {line.removeprefix("./") for line in text["text"].splitlines()}
        assert paths == {r.path for r in env.dataset.profile(name).files}
        seen[name] = paths
    assert seen["adam"].isdisjoint(seen["bei"])
    env.close()


def test_the_log_of_a_real_episode(tmp_path: Path) -> None:
    config = RunConfig.model_validate(
        {
            "deskgym_version": "0", "dataset": "demo", "dataset_digest": "", "profiles": (),
            "tasks": (), "agents": (), "tools": (), "max_steps": 1, "reward": "sparse",
            "seed": 0, "sandbox": "docker", "image_digest": "", "started": "2024-01-01T00:00:00Z",
        }
    )  # fmt: skip
    readme, todo = "00_Inbox/README_How_I_file.md", "00_Inbox/To_do_2025-06.txt"
    with RunFolder.create(tmp_path / "run", config) as run:
        env = deskgym.make(profile="adam", run=run, agent="me")
        task = next(t for t in env.dataset.tasks("adam") if t.files and readme not in t.files)
        env.reset(task=task.id, seed=4)
        env.step({"tool": "read_text", "path": readme})
        env.step({"tool": "terminal", "command": f"cat /desk/{todo}; return_txt {readme}"})
        env.step({"tool": "fly"})
        cites = [{"path": readme, "locator": "lines:1", "quote": "zzz qqq vvv"}, {"path": "x"}]
        env.step({"tool": "answer", "text": task.answer, "cites": cites})
        env.close()
    events = read_episode(run.episode_path("me", "demo/adam", task.id))
    assert tuple(events) == env.trajectory
    start, read, command, invalid, _, end = events
    assert isinstance(start, EpisodeStart)
    assert (start.seed, start.agent, start.question) == (4, "me", task.question)
    assert isinstance(read, StepEvent)
    assert [str(r.locator).partition(":")[0] for r in read.returned] == ["lines"]
    assert (read.opened, read.family, read.exposed) == ((readme,), "perception", ())
    assert isinstance(command, StepEvent)
    assert {readme, todo} >= set(command.opened) >= {todo}
    assert [r.path for r in command.returned] == [readme]
    assert command.bytes_kept == command.bytes_out == len(command.text.encode())
    assert isinstance(invalid, StepEvent)
    assert (invalid.action, invalid.raw_action) == (None, '{"tool": "fly"}')
    assert isinstance(end, EpisodeEnd)
    assert [(c.exists, c.observed) for c in end.citations] == [(True, True), (False, False)]
    assert (end.citations[0].in_range, end.citations[0].quote_supported) == (True, False)
    assert end.scores.answer.score == 1.0
    (result,) = read_results(tmp_path / "run")
    assert result == env.result
    assert result.gold_answer == task.answer
    assert set(result.touched_files) == {readme, todo}
