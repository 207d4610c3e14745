"""The environment: how episodes begin, go on and end. On a desk that needs no engine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest
from fake_desk import FILES, FakeDataset, FakeDesk
from gymnasium.error import ResetNeeded

import deskgym
from deskgym.env import desk_env
from deskgym.env.desk_env import DeskEnv
from deskgym.env.run_reader import read_episode, read_results
from deskgym.env.sandbox.base import DeskDied, SandboxError
from deskgym.env.trajectory import EpisodeEnd, EpisodeStart, RunConfig, StepEvent
from deskgym.env.trajectory_log import RunFolder
from deskgym.tasks.registry import UnknownDataset, UnknownProfile, UnknownTask
from deskgym.tasks.schema import Profile

NOTE = {"tool": "note", "text": "hm"}
ANSWER = {"tool": "answer", "text": "five green apples", "cites": [{"path": "list.txt"}]}


class Desks:
    """Makes fake desks and remembers them."""

    def __init__(self) -> None:
        self.made: list[FakeDesk] = []

    def __call__(self, person: Profile) -> FakeDesk:
        self.made.append(FakeDesk(person))
        return self.made[-1]


@pytest.fixture
def desks() -> Desks:
    return Desks()


@pytest.fixture
def env(desks: Desks) -> DeskEnv:
    return DeskEnv(FakeDataset(), max_steps=4, sandbox=desks)


def test_an_episode(env: DeskEnv) -> None:
    observation, info = env.reset(profile="bob")
    assert observation["question"] == "Question 1 about list.txt?"
    assert observation["text"].startswith("These are the 1 files of Bob, read-only in /desk.")
    assert (observation["step"], observation["steps_left"], observation["media"]) == (0, 4, ())
    assert info == {"profile": "fake/bob", "task_id": "bob-001", "tools": tuple(sorted(env.tools))}
    observation, reward, terminated, truncated, info = env.step(NOTE)
    assert (observation["step"], observation["steps_left"]) == (1, 3)
    assert (reward, terminated, truncated) == (0.0, False, False)
    assert "ended" not in info
    assert env.result is None
    observation, reward, terminated, truncated, info = env.step(ANSWER)
    assert (observation["step"], observation["steps_left"]) == (2, 2)
    assert (reward, terminated, truncated) == (1.0, True, False)
    assert (info["ended"], info["rewards"]) == ("answered", {"answer": 1.0})
    assert env.result is not None
    assert env.result.answer == "five green apples"
    assert [type(event) for event in env.trajectory] == [
        EpisodeStart, StepEvent, StepEvent, EpisodeEnd,
    ]  # fmt: skip


def test_truncation_ends_an_episode_with_no_answer(env: DeskEnv) -> None:
    env.reset(profile="bob")
    ends = [env.step(NOTE)[2:4] for _ in range(4)]
    assert ends == [(False, False)] * 3 + [(False, True)]
    assert env.result is not None
    assert (env.result.ended, env.result.answer, env.result.steps) == ("truncated", None, 4)


def test_an_answer_at_the_last_step_terminates(env: DeskEnv) -> None:
    env.reset(profile="bob")
    for _ in range(3):
        env.step("no action at all")
    assert env.step(ANSWER)[2:4] == (True, False)
    assert env.result is not None
    assert env.result.invalid_actions == 3


def test_no_step_outside_of_an_episode(env: DeskEnv) -> None:
    with pytest.raises(ResetNeeded):
        env.step(NOTE)
    with pytest.raises(ResetNeeded):
        env.abort("why not")
    env.reset(profile="bob")
    env.step(ANSWER)
    with pytest.raises(ResetNeeded):
        env.step(NOTE)
    with pytest.raises(ResetNeeded):
        env.abort("too late")
    env.reset(profile="bob")
    env.close()
    with pytest.raises(ResetNeeded):
        env.step(NOTE)


def test_abort(env: DeskEnv) -> None:
    env.reset(profile="bob")
    env.step(NOTE)
    result = env.abort("the agent gave up")
    assert (result.ended, result.reason, result.steps) == ("aborted", "the agent gave up", 1)
    assert result == env.result
    assert result.scores.answer.score == 0.0


def test_close_is_idempotent_and_reset_opens_again(env: DeskEnv, desks: Desks) -> None:
    env.close()
    env.reset(profile="bob")
    env.close()
    env.close()
    assert desks.made[0].closed
    env.reset(profile="bob")
    assert env.step(NOTE)[0]["text"] == "noted"
    assert len(desks.made) == 2


def test_the_same_person_s_desk_is_reset_in_place_if_it_was_used(
    env: DeskEnv, desks: Desks
) -> None:
    env.reset(profile="ann")
    env.step(NOTE)
    env.reset(profile="ann")
    assert desks.made[0].resets == 0
    env.step({"tool": "terminal", "command": "true"})
    env.reset(profile="fake/ann")
    assert (len(desks.made), desks.made[0].resets) == (1, 1)


def test_another_person_gets_another_desk(env: DeskEnv, desks: Desks) -> None:
    for name in ("ann", "bob", "ann"):
        env.reset(profile=name)
        text = env.step({"tool": "list_files"})[0]["text"]
        assert all(path in text for path in FILES[name])
    assert [d.closed for d in desks.made] == [True, True, False]


def test_a_desk_that_dies_ends_the_step_and_not_the_trajectory(env: DeskEnv, desks: Desks) -> None:
    env.reset(profile="bob")
    env.step({"tool": "list_files"})
    desks.made[0].kill()
    for _ in range(2):  # and again, as long as nobody resets
        with pytest.raises(DeskDied):
            env.step({"tool": "terminal", "command": "ls"})
    assert [type(event) for event in env.trajectory] == [EpisodeStart, StepEvent]
    assert desks.made[0].closed
    result = env.abort("the desk died")
    assert (result.ended, result.steps) == ("aborted", 1)
    env.reset(profile="bob")
    assert env.step({"tool": "list_files"})[4]["ok"]
    assert len(desks.made) == 2


def test_a_desk_that_does_not_come_clean_is_replaced(env: DeskEnv, desks: Desks) -> None:
    env.reset(profile="bob")
    env.step({"tool": "list_files"})
    desks.made[0].kill()
    env.reset(profile="bob")
    assert env.step({"tool": "list_files"})[4]["ok"]
    assert [d.closed for d in desks.made] == [True, False]


def test_a_desk_that_cannot_be_told_whose_it_is_is_closed() -> None:
    made: list[FakeDesk] = []

    def broken(person: Profile) -> FakeDesk:
        made.append(FakeDesk(person))
        made[-1].kill()
        return made[-1]

    env = DeskEnv(FakeDataset(), sandbox=broken)
    with pytest.raises(SandboxError):
        env.reset()
    assert made[0].closed


# -- what is asked for -----------------------------------------------------------------------------


def test_options_and_arguments_name_the_same(env: DeskEnv) -> None:
    for chosen in (
        {"profile": "ann", "task": "ann-002"},
        {"options": {"profile": "fake/ann", "task": "ann-002"}},
        {"profile": "ann", "options": {"profile": None, "task": "ann-002"}},
    ):
        assert env.reset(**chosen)[1]["task_id"] == "ann-002"  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("chosen", "says"),
    [
        ({"options": {"person": "ann"}}, "no option 'person'; there are profile and task"),
        ({"options": {"profile": 3}}, "the option profile is a name, not 3"),
        ({"profile": "ann", "options": {"profile": "bob"}}, "'ann' and, in options, 'bob'"),
    ],
)
def test_bad_options_are_refused(env: DeskEnv, chosen: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        env.reset(**chosen)


def test_unknown_names_are_refused_with_near_ones(env: DeskEnv) -> None:
    with pytest.raises(UnknownProfile, match=r"nobody called 'anne' in 'fake'; did you mean 'ann'"):
        env.reset(profile="anne")
    with pytest.raises(UnknownTask, match=r"fake/ann has no task 'ann-02'.*'ann-002'"):
        env.reset(profile="ann", task="ann-02")
    with pytest.raises(UnknownProfile, match="is of the data set 'demo', and this is 'fake'"):
        env.reset(profile="demo/adam")
    with pytest.raises(UnknownProfile):
        DeskEnv(FakeDataset(), "nobody", sandbox=FakeDesk)
    with pytest.raises(UnknownDataset, match="no data set 'dmeo'; did you mean 'demo'"):
        deskgym.make("dmeo")


def test_a_refused_reset_leaves_the_episode_alone(env: DeskEnv) -> None:
    env.reset(profile="bob")
    with pytest.raises(UnknownProfile):
        env.reset(profile="nobody")
    assert env.step(ANSWER)[2]


def test_a_person_without_tasks_is_told(desks: Desks) -> None:
    class Idle(FakeDataset):
        def tasks(self, name: str) -> tuple[Any, ...]:
            return ()

    with pytest.raises(UnknownTask, match="fake/bob has no tasks"):
        DeskEnv(Idle(), "bob", sandbox=desks).reset()


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"max_steps": 0}, "max_steps is at least 1"),
        ({"render_mode": "rgb_array"}, "no render mode"),
        ({"tools": "config7"}, "no preset"),
    ],
)
def test_bad_settings_are_refused(options: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        DeskEnv(FakeDataset(), sandbox=FakeDesk, **options)


def test_the_seed_draws_person_and_task(env: DeskEnv) -> None:
    def drawn(seed: int) -> tuple[str, str]:
        info = env.reset(seed=seed)[1]
        return info["profile"], info["task_id"]

    seeds = range(20)
    assert [drawn(s) for s in seeds] == [drawn(s) for s in seeds]
    assert {drawn(s)[1] for s in seeds} == {"ann-001", "ann-002", "ann-003", "bob-001"}
    env.reset(seed=1)
    follow = [env.reset()[1]["task_id"] for _ in range(12)]
    assert len(set(follow)) > 1
    env.reset(seed=1)
    assert [env.reset()[1]["task_id"] for _ in range(12)] == follow


# -- tools -----------------------------------------------------------------------------------------


def test_a_tool_that_is_off_never_reaches_the_desk(desks: Desks) -> None:
    env = DeskEnv(FakeDataset(), "bob", tools=["list_files"], sandbox=desks)
    text = env.reset()[0]["text"]
    assert text.endswith("Tools: answer, list_files, note.")
    asked = len(desks.made[0].requests)
    for action in (
        {"tool": "terminal", "command": "ls"},
        {"tool": "read_text", "path": "list.txt"},
        {"tool": "read_original", "path": "list.txt"},
    ):
        observation, _, _, _, info = env.step(action)
        assert (info["tool"], info["error"]) == (action["tool"], "switched_off")
        assert not info["invalid_action"]
        assert (
            f"{action['tool']} is switched off; on are answer, list_files, note"
            in (observation["text"])
        )
    assert len(desks.made[0].requests) == asked
    event = env.trajectory[-1]
    assert isinstance(event, StepEvent)
    assert event.flags == ("switched_off",)


def test_a_command_s_time_is_capped(desks: Desks) -> None:
    env = DeskEnv(FakeDataset(), "bob", command_timeout_s=5, max_output_bytes=2_000, sandbox=desks)
    env.reset()
    env.step({"tool": "terminal", "command": "sleep 9", "timeout_s": 600})
    env.step({"tool": "terminal", "command": "x", "timeout_s": 2})
    asked = [(r.timeout_s, r.max_bytes) for r in desks.made[0].requests if r.op == "exec"]
    assert asked == [(5, 2_000), (2, 2_000)]


# -- rendering, logging ----------------------------------------------------------------------------


def test_render_ansi(desks: Desks) -> None:
    env = DeskEnv(FakeDataset(), "bob", render_mode="ansi", max_steps=3, sandbox=desks)
    assert env.render() == "(no episode yet)"
    env.reset()
    env.step(NOTE)
    assert env.render() == "fake/bob | Question 1 about list.txt?\n--- step 1 of 3\nnoted"


def test_render_human(desks: Desks, capsys: pytest.CaptureFixture[str]) -> None:
    env = DeskEnv(FakeDataset(), "bob", render_mode="human", max_steps=3, sandbox=desks)
    env.reset()
    env.step(NOTE)
    assert env.render() is None
    assert capsys.readouterr().out.endswith("--- step 1 of 3\nnoted\n")


def test_nothing_is_rendered_without_a_mode(
    env: DeskEnv, capsys: pytest.CaptureFixture[str]
) -> None:
    env.reset()
    env.step(NOTE)
    assert env.render() is None
    assert capsys.readouterr().out == ""


def test_a_run_s_folder_gets_finished_episodes_only(desks: Desks, tmp_path: Path) -> None:
    config = RunConfig.model_validate(
        {
            "deskgym_version": "0", "dataset": "fake", "dataset_digest": "", "profiles": (),
            "tasks": (), "agents": (), "tools": (), "max_steps": 1, "reward": "sparse",
            "seed": 0, "sandbox": "fake", "image_digest": "", "started": "2024-01-01T00:00:00Z",
        }
    )  # fmt: skip
    with RunFolder.create(tmp_path / "run", config) as run:
        env = DeskEnv(FakeDataset(), sandbox=desks, run=run, agent="me")
        env.reset(profile="ann", task="ann-001")
        env.step(NOTE)  # and is left for another episode
        env.reset(profile="bob", seed=5)
        env.step(ANSWER)
        env.close()
    assert [r.task_id for r in read_results(tmp_path / "run")] == ["bob-001"]
    left = read_episode(run.episode_path("me", "fake/ann", "ann-001"))
    done = read_episode(run.episode_path("me", "fake/bob", "bob-001"))
    assert [event.event for event in left] == ["start", "step"]
    assert tuple(done) == env.trajectory
    assert isinstance(done[0], EpisodeStart)
    assert (done[0].seed, done[0].agent) == (5, "me")


def test_the_id_is_registered_under_one_name() -> None:
    assert desk_env.ENV_ID == deskgym.ENV_ID
    assert gym.spec(deskgym.ENV_ID).entry_point == "deskgym.env.desk_env:DeskEnv"
    assert DeskEnv is deskgym.DeskEnv


def test_the_spec_makes_another_of_the_kind(desks: Desks) -> None:
    env = DeskEnv(FakeDataset(), "bob", max_steps=7, tools="config1", sandbox=desks)
    assert env.spec is not None
    twin = env.spec.make(render_mode="ansi").unwrapped
    assert isinstance(twin, DeskEnv)
    assert (twin.max_steps, twin.tools, twin.render_mode) == (7, env.tools, "ansi")
    assert twin.reset()[1] == env.reset()[1]
