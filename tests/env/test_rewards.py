"""Rewards by name: what they add, and that shaping changes no episode's sum."""

from __future__ import annotations

from typing import Any

import pytest
from fake_desk import FILES, FakeDataset, FakeDesk

from deskgym.env.desk_env import DeskEnv
from deskgym.env.rewards import SHAPING_WEIGHT, check_reward, final_terms, shaping
from deskgym.env.trajectory import EpisodeEnd, StepEvent

HERON = {"path": "notes/heron.txt", "locator": "lines:1"}
LOOK = {"tool": "read_text", "path": "notes/heron.txt"}
NOTE = {"tool": "note", "text": "hm"}
RIGHT = {"tool": "answer", "text": FILES["ann"]["notes/heron.txt"], "cites": [HERON]}
WRONG = {"tool": "answer", "text": "no idea whatever"}


def play(reward: str, *actions: Any, task: str = "ann-001", max_steps: int = 6) -> DeskEnv:
    """Play ``actions`` and return the environment with its trajectory."""
    env = DeskEnv(FakeDataset(), "ann", reward=reward, max_steps=max_steps, sandbox=FakeDesk)
    env.reset(task=task)
    env.rewards = [env.step(action)[1] for action in actions]  # type: ignore[attr-defined]
    env.close()
    return env


def rewards(env: DeskEnv) -> list[float]:
    return list(env.rewards)  # type: ignore[attr-defined]


def test_sparse_is_the_answer_s_score_at_the_end() -> None:
    assert rewards(play("sparse", LOOK, NOTE, RIGHT)) == [0.0, 0.0, 1.0]
    env = play("sparse", WRONG)
    assert rewards(env) == [env.result.scores.answer.score] == [0.0]


def test_grounded_pays_for_citations() -> None:
    assert rewards(play("grounded", LOOK, RIGHT))[-1] == 1.0
    bare = {"tool": "answer", "text": RIGHT["text"]}
    assert rewards(play("grounded", LOOK, bare))[-1] == 0.0
    elsewhere = {**bare, "cites": [HERON, {"path": "notes/lamp.txt"}]}
    half_right = rewards(play("grounded", LOOK, elsewhere))[-1]
    assert half_right == pytest.approx(2 / 3)


def test_grounded_asks_for_no_evidence_where_there_is_none() -> None:
    abstention = {"tool": "answer", "text": "I don't know: the files do not say."}
    assert rewards(play("grounded", abstention, task="ann-003")) == [1.0]


def test_shaped_pays_for_new_evidence_once_and_takes_it_back() -> None:
    assert rewards(play("shaped", NOTE, LOOK, LOOK, RIGHT)) == [
        0.0,
        SHAPING_WEIGHT,
        0.0,
        1.0 - SHAPING_WEIGHT,
    ]


@pytest.mark.parametrize("last", [RIGHT, WRONG, NOTE], ids=["right", "wrong", "truncated"])
@pytest.mark.parametrize("before", [(), (NOTE,), (LOOK,), (LOOK, LOOK)])
def test_shaped_sums_to_sparse(before: tuple[Any, ...], last: Any) -> None:
    actions = (*before, last)
    sums = [sum(rewards(play(r, *actions, max_steps=len(actions)))) for r in ("shaped", "sparse")]
    assert sums[0] == pytest.approx(sums[1], abs=1e-12)


def test_shaping_terms_are_in_the_trajectory() -> None:
    env = play("shaped", LOOK, RIGHT)
    steps = [event.reward for event in env.trajectory if isinstance(event, StepEvent)]
    end = env.trajectory[-1]
    assert steps == [SHAPING_WEIGHT, 0.0]
    assert isinstance(end, EpisodeEnd)
    assert end.rewards == {"answer": 1.0, "shaping": 0.0}
    assert env.result is not None
    assert env.result.rewards == end.rewards


def test_only_shaped_shapes() -> None:
    assert shaping("shaped", 0.25, 0.75) == SHAPING_WEIGHT / 2
    assert shaping("shaped", 0.75, 0.0) < 0
    assert shaping("sparse", 0.0, 1.0) == shaping("grounded", 0.0, 1.0) == 0.0


def test_terms_have_names() -> None:
    env = play("sparse", LOOK, RIGHT)
    assert env.result is not None
    scores = env.result.scores
    assert final_terms("grounded", scores) == {"answer_x_evidence_f1": 1.0}
    assert final_terms("shaped", scores) == final_terms("sparse", scores) == {"answer": 1.0}


def test_an_unknown_reward_is_refused_with_the_list() -> None:
    with pytest.raises(ValueError, match=r"no reward 'dense'; there are sparse, grounded, shaped"):
        check_reward("dense")
    with pytest.raises(ValueError, match="no reward"):
        DeskEnv(FakeDataset(), reward="dense", sandbox=FakeDesk)
