"""Several environments at once, through Gymnasium's vector environments."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import gymnasium as gym
import pytest
from fake_desk import FakeDataset, FakeDesk
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv, VectorEnv

import deskgym
from deskgym.env.desk_env import DeskEnv
from deskgym.env.vector import ThreadVectorEnv
from deskgym.env.wrappers import DecodeMedia

NOTE = {"tool": "note", "text": "hm"}
ANSWER = {"tool": "answer", "text": "five green apples", "cites": [{"path": "list.txt"}]}
COMMAND = {"tool": "terminal", "command": "echo hi"}


def fake_env(profile: str | None = None, **options: Any) -> DeskEnv:
    return DeskEnv(FakeDataset(), profile, sandbox=FakeDesk, **options)


def real_env(profile: str) -> gym.Env[Any, Any]:
    return gym.make(f"deskgym:{deskgym.ENV_ID}", profile=profile, max_steps=5)


def in_one_process(envs: list[Callable[[], gym.Env[Any, Any]]], **options: Any) -> VectorEnv:
    return SyncVectorEnv(envs, **options)


def in_processes(envs: list[Callable[[], gym.Env[Any, Any]]], **options: Any) -> VectorEnv:
    return AsyncVectorEnv(envs, shared_memory=False, **options)


def in_threads(envs: list[Callable[[], gym.Env[Any, Any]]], **options: Any) -> VectorEnv:
    return ThreadVectorEnv(envs, **options)


ALL = pytest.mark.parametrize("vector", [in_one_process, in_processes, in_threads])


@ALL
def test_infos_of_different_actions_go_together(vector: Callable[..., VectorEnv]) -> None:
    """A command has an exit status and a note has none; one task has evidence and one none."""
    envs = vector([fake_env] * 3)
    envs.reset(options={"profile": "ann"})
    _, _, _, _, infos = envs.step((COMMAND, NOTE, "no action"))
    assert infos["exit_status"].tolist() == [0, 0, 0]
    assert infos["_exit_status"].tolist() == [True, False, False]
    assert list(infos["tool"]) == ["terminal", "note", None]
    assert infos["invalid_action"].tolist() == [False, False, True]
    envs.close()

    envs = vector([functools.partial(fake_env, "ann"), functools.partial(fake_env, "bob")] * 2)
    envs.reset(seed=2)  # of ann's tasks one is unanswerable
    _, _, terminated, _, infos = envs.step((ANSWER,) * 4)
    assert terminated.all()
    assert infos["scores"]["answer"]["score"][1] == 1.0
    envs.close()


@pytest.mark.parametrize("order", [("ann-001", "ann-003"), ("ann-003", "ann-001")])
def test_ends_with_and_without_evidence_go_together(order: tuple[str, str]) -> None:
    envs = SyncVectorEnv([fake_env] * 2)
    envs.reset()
    for env, task in zip(envs.envs, order, strict=True):
        env.reset(profile="ann", task=task)  # type: ignore[call-arg]
    infos = envs.step((ANSWER, ANSWER))[4]
    has_gold = [task == "ann-001" for task in order]
    assert infos["scores"]["files_cited"]["_f1"].tolist() == has_gold
    envs.close()


@ALL
def test_next_step_autoreset(vector: Callable[..., VectorEnv]) -> None:
    make = functools.partial(fake_env, "bob", max_steps=3)
    envs = vector([make, make], autoreset_mode=AutoresetMode.NEXT_STEP)
    observations, _ = envs.reset(seed=0)
    assert envs.observation_space.contains(observations)
    observations, rewards, terminated, truncated, infos = envs.step((ANSWER, NOTE))
    assert rewards.tolist() == [1.0, 0.0]
    assert (terminated.tolist(), truncated.tolist()) == ([True, False], [False, False])
    assert list(infos["ended"]) == ["answered", None]
    observations, rewards, terminated, _, _ = envs.step((NOTE, NOTE))
    assert observations["step"].tolist() == [0, 2]
    assert observations["text"][0].startswith("These are the 1 files of Bob")
    assert (rewards.tolist(), terminated.tolist()) == ([0.0, 0.0], [False, False])
    envs.close()


@ALL
def test_same_step_autoreset(vector: Callable[..., VectorEnv]) -> None:
    make = functools.partial(fake_env, "bob", max_steps=3)
    envs = vector([make, make], autoreset_mode=AutoresetMode.SAME_STEP)
    envs.reset(seed=0)
    observations, rewards, terminated, _, infos = envs.step((ANSWER, NOTE))
    assert (rewards.tolist(), terminated.tolist()) == ([1.0, 0.0], [True, False])
    assert observations["step"].tolist() == [0, 1]
    assert infos["final_obs"][0]["step"] == 1
    assert infos["final_info"]["ended"][0] == "answered"
    envs.close()


@ALL
def test_no_autoreset(vector: Callable[..., VectorEnv]) -> None:
    make = functools.partial(fake_env, "bob", max_steps=3)
    envs = vector([make, make], autoreset_mode=AutoresetMode.DISABLED)
    envs.reset(seed=0)
    for _ in range(2):
        envs.step((NOTE, NOTE))
    _, _, _, truncated, _ = envs.step((NOTE, NOTE))
    assert truncated.tolist() == [True, True]
    observations, _ = envs.reset(seed=1)
    assert observations["step"].tolist() == [0, 0]
    envs.close()


@ALL
def test_the_decoding_wrapper_in_a_vector(vector: Callable[..., VectorEnv]) -> None:
    envs = vector([lambda: DecodeMedia(fake_env("bob"))] * 2)
    observations, _ = envs.reset(seed=0)
    assert observations["images"] == ((), ())
    assert envs.observation_space.contains(observations)
    envs.close()


def test_batched_samples_are_actions() -> None:
    envs = SyncVectorEnv([functools.partial(fake_env, "ann")] * 2)
    envs.reset(seed=0)
    envs.action_space.seed(0)
    for _ in range(10):
        observations, _, _, _, infos = envs.step(envs.action_space.sample())
        assert envs.observation_space.contains(observations)
        assert not infos.get("invalid_action", [False])[0]
    envs.close()


@pytest.mark.docker
@pytest.mark.usefixtures("desk_image")
@ALL
def test_two_real_desks(vector: Callable[..., VectorEnv]) -> None:
    envs = vector([functools.partial(real_env, name) for name in ("adam", "bei")])
    observations, infos = envs.reset(seed=0)
    assert list(infos["profile"]) == ["demo/adam", "demo/bei"]
    observations, _, _, _, infos = envs.step(('{"tool": "list_files"}', COMMAND))
    assert "00_Inbox" in observations["text"][0]
    assert observations["text"][1] == "hi\n"
    assert observations["step"].tolist() == [1, 1]
    abstain = {"tool": "answer", "text": "I don't know"}
    _, _, terminated, _, infos = envs.step((abstain, abstain))
    assert terminated.tolist() == [True, True]
    observations, *_ = envs.step((abstain, abstain))
    assert observations["step"].tolist() == [0, 0]
    envs.close()
