"""`deskgym.make_vec`: its modes, and the environments that step in threads."""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from docker import DockerClient
from fake_desk import FakeDataset, FakeDesk
from gymnasium.error import ResetNeeded
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv, VectorEnv

import deskgym
from deskgym.env.desk_env import DeskEnv
from deskgym.env.pool import process_pool
from deskgym.env.sandbox import sweep
from deskgym.env.sandbox.base import DeskDied, Request, Response
from deskgym.env.vector import ThreadVectorEnv
from deskgym.env.wrappers import DecodeMedia
from deskgym.tasks.registry import UnknownProfile
from deskgym.tasks.schema import Profile

NOTE = {"tool": "note", "text": "hm"}
LIST = {"tool": "list_files"}
ANSWER = {"tool": "answer", "text": "five green apples", "cites": [{"path": "list.txt"}]}


def vector(n: int, profile: str | None = "bob", **options: Any) -> ThreadVectorEnv:
    desk: Callable[[Profile], Any] = options.pop("sandbox", FakeDesk)
    mode = options.pop("autoreset_mode", AutoresetMode.NEXT_STEP)

    def make() -> DeskEnv:
        return DeskEnv(FakeDataset(), profile, sandbox=desk, max_steps=3, **options)

    return ThreadVectorEnv([make] * n, autoreset_mode=mode)


class Meeting(FakeDesk):
    """Answers a listing when all the others are asked for one too."""

    together = threading.Barrier(4)

    def request(self, request: Request) -> Response:
        if request.op == "tool":
            self.together.wait(timeout=20)
        return super().request(request)


def test_all_desks_are_at_work_at_the_same_time() -> None:
    envs = vector(4, sandbox=Meeting)
    envs.reset(seed=0)
    observations = envs.step((LIST,) * 4)[0]
    assert all("list.txt" in text for text in observations["text"])
    envs.close()


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_threads_show_what_one_after_the_other_shows(mode: AutoresetMode) -> None:
    def make() -> DeskEnv:
        return DeskEnv(FakeDataset(), sandbox=FakeDesk, max_steps=3)

    shown = []
    for kind in (ThreadVectorEnv, SyncVectorEnv):
        envs: VectorEnv[Any, Any, Any] = kind([make] * 3, autoreset_mode=mode)
        seen: list[Any] = [envs.reset(seed=5)]
        for number in range(2 if mode == AutoresetMode.DISABLED else 8):
            actions = tuple(ANSWER if number % 4 == n else LIST for n in range(1, 4))
            seen.append(copy.deepcopy(envs.step(actions)))
        if mode == AutoresetMode.DISABLED:
            mask = np.array([True, False, False])
            seen.append(envs.reset(options={"reset_mask": mask}))
        envs.close()
        shown.append(seen)
    np.testing.assert_equal(shown[0], shown[1])


def test_what_is_over_and_not_to_be_reset_by_itself_says_so() -> None:
    envs = vector(2, autoreset_mode=AutoresetMode.DISABLED)
    envs.reset(seed=0)
    envs.step((ANSWER, NOTE))
    with pytest.raises(ResetNeeded):
        envs.step((NOTE, NOTE))
    envs.close()


def test_when_one_desk_dies_the_others_finish_their_turn() -> None:
    desks: list[FakeDesk] = []

    def remembered(person: Profile) -> FakeDesk:
        desks.append(FakeDesk(person))
        return desks[-1]

    envs = vector(3, sandbox=remembered)
    envs.reset(seed=0)
    desks[1].kill()
    asked = [len(desk.requests) for desk in desks]
    with pytest.raises(DeskDied):
        envs.step((LIST,) * 3)
    assert [len(desk.requests) - before for desk, before in zip(desks, asked, strict=True)] == [
        1, 0, 1,
    ]  # fmt: skip
    observations, _ = envs.reset(seed=0)
    assert observations["step"].tolist() == [0, 0, 0]
    envs.step((LIST,) * 3)
    envs.close()


@pytest.mark.parametrize(
    ("do", "message"),
    [
        (lambda envs: envs.step((NOTE,)), "1 actions for 2"),
        (lambda envs: envs.reset(seed=[1]), "1 seeds for 2"),
        (lambda envs: envs.reset(options={"reset_mask": [True]}), "2 booleans"),
        (lambda envs: envs.reset(options={"reset_mask": np.zeros(2, bool)}), "one of them true"),
        (lambda envs: envs.reset(options={"reset_mask": np.array([True, False])}), "never reset"),
        (lambda envs: envs.set_attr("reward_name", ["sparse"]), "1 values for 2"),
    ],
)
def test_what_does_not_fit_the_number_is_refused(do: Any, message: str) -> None:
    envs = vector(2)
    with pytest.raises(ValueError, match=message):
        do(envs)
    envs.close()


def test_environments_of_different_spaces_do_not_go_together() -> None:
    makers = [
        lambda steps=steps: DeskEnv(FakeDataset(), sandbox=FakeDesk, max_steps=steps)
        for steps in (3, 4)
    ]
    with pytest.raises(ValueError, match="observation_spaces differ"):
        ThreadVectorEnv(makers)


def test_attributes_and_methods_of_all() -> None:
    envs = vector(2, render_mode="ansi")
    envs.reset(seed=3)
    assert envs.np_random_seed == (3, 4)
    assert envs.get_attr("max_steps") == (3, 3)
    assert all("Question 1" in text for text in envs.render())
    envs.set_attr("agent", ["a", "b"])
    assert envs.get_attr("agent") == ("a", "b")
    assert envs.call("render") == envs.render()
    envs.close()
    envs.close()


# -- make_vec --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mode", "kind"),
    [("thread", ThreadVectorEnv), ("sync", SyncVectorEnv), ("async", AsyncVectorEnv)],
)
def test_each_mode_is_a_vector_environment(mode: str, kind: type) -> None:
    envs = deskgym.make_vec(2, mode=mode, max_steps=5, wrap=DecodeMedia)
    assert type(envs) is kind
    assert envs.num_envs == 2
    assert "images" in envs.single_observation_space.spaces
    envs.close()


@pytest.mark.parametrize(
    ("n", "options", "error", "message"),
    [
        (0, {}, ValueError, "n is at least 1"),
        (1, {"mode": "fork"}, ValueError, "no mode 'fork'; there are thread, sync, async"),
        (1, {"profiles": ["adan"]}, UnknownProfile, "adam"),
        (1, {"autoreset_mode": "never"}, ValueError, "never"),
        (1, {"max_steps": 0}, ValueError, "max_steps"),
    ],
)
def test_make_vec_refuses_by_name(
    n: int, options: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        deskgym.make_vec(n, **options)


@pytest.mark.docker
@pytest.mark.usefixtures("desk_image")
@pytest.mark.parametrize("mode", ["thread", "sync", "async"])
def test_real_desks_of_several_people(mode: str, docker_client: DockerClient) -> None:
    envs = deskgym.make_vec(4, profiles=["adam", "bei"], mode=mode, max_steps=6)
    _, infos = envs.reset(seed=0)
    assert list(infos["profile"]) == ["demo/adam", "demo/bei"] * 2
    write = tuple(
        {"tool": "terminal", "command": f"echo {n} > /scratch/n; cat /scratch/n"} for n in range(4)
    )
    assert [text.strip() for text in envs.step(write)[0]["text"]] == ["0", "1", "2", "3"]
    abstain = {"tool": "answer", "text": "I don't know"}
    assert envs.step((abstain,) * 4)[2].all()
    envs.step((NOTE,) * 4)  # begins the next episodes
    look = {"tool": "terminal", "command": "test ! -e /scratch/n || echo still there"}
    assert [text.strip() for text in envs.step((look,) * 4)[0]["text"]] == [""] * 4
    envs.close()
    ours = [f"{name}={value}" for name, value in sweep.owner_labels().items()]
    assert docker_client.containers.list(all=True, filters={"label": ours}) == []
    assert process_pool().stats().total == 0


@pytest.mark.docker
@pytest.mark.usefixtures("desk_image")
def test_real_desks_run_their_commands_at_the_same_time() -> None:
    envs = deskgym.make_vec(2, profiles=["adam"], max_steps=6)
    envs.reset(seed=0)
    date = {"tool": "terminal", "command": "date +%s.%N; sleep 1; date +%s.%N"}
    spans = [[float(word) for word in text.split()] for text in envs.step((date,) * 2)[0]["text"]]
    envs.close()
    assert max(begin for begin, _ in spans) < min(end for _, end in spans)


def test_gymnasium_wrappers_go_around_it() -> None:
    envs = gym.wrappers.vector.RecordEpisodeStatistics(vector(2))
    envs.reset(seed=0)
    infos = envs.step((ANSWER, NOTE))[4]
    assert infos["episode"]["r"].tolist() == [1.0, 0.0]
    envs.close()
