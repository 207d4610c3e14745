"""Rollouts in groups: questions, goes, rewards, advantages."""

from __future__ import annotations

import itertools
import json
from typing import Any

import numpy as np
import pytest
from fake_desk import FILES, FakeDataset, FakeDesk

from deskgym.agents.adapters.grpo import Batch, rollout
from deskgym.env.desk_env import DeskEnv
from deskgym.tasks.schema import Profile

OPTIONS: dict[str, Any] = {
    "dataset": FakeDataset(),
    "make_env": lambda: DeskEnv(FakeDataset(), sandbox=FakeDesk),
}


def says(*answers: str) -> Any:
    """A policy that answers with each of ``answers`` in turn."""
    turns = itertools.cycle(answers)
    return lambda messages, tools: {"role": "assistant", "content": next(turns)}


def shape(batch: Batch) -> list[tuple[str, int]]:
    return [(group.task, len(group.completions)) for group in batch.groups]


def test_each_question_is_played_as_often_as_its_group_is_large() -> None:
    batch = rollout(says("x"), 3, 2, profiles=["ann"], **OPTIONS)
    assert sorted(shape(batch)) == [("ann-001", 2), ("ann-002", 2), ("ann-003", 2)]
    assert batch.rewards.shape == batch.advantages.shape == (3, 2)


def test_more_questions_than_there_are_come_again() -> None:
    batch = rollout(says("x"), 5, 1, profiles=["bob"], **OPTIONS)
    assert shape(batch) == [("bob-001", 1)] * 5


def test_equal_seeds_draw_equal_questions() -> None:
    drawn = [shape(rollout(says("x"), 4, 1, seed=seed, **OPTIONS)) for seed in (1, 1, 2, 3, 4)]
    assert drawn[0] == drawn[1]
    assert len({tuple(one) for one in drawn}) > 1


def test_advantages_say_which_go_was_better_within_its_group() -> None:
    right = FILES["ann"]["notes/heron.txt"]
    batch = rollout(says(right, "no"), 1, 2, tasks=["ann-001"], **OPTIONS)
    assert batch.rewards.tolist() == [[1.0, 0.0]]
    assert batch.advantages == pytest.approx(np.array([[1.0, -1.0]]), abs=1e-4)
    same = rollout(says("no"), 1, 3, tasks=["ann-001"], **OPTIONS)
    assert same.advantages.tolist() == [[0.0, 0.0, 0.0]]


def test_the_columns_are_flat_and_in_group_order() -> None:
    batch = rollout(says("a", "b"), 2, 2, profiles=["ann"], **OPTIONS)
    columns = batch.columns()
    assert columns["task"] == [task for task, _ in shape(batch) for _ in range(2)]
    assert [one[0]["content"] for one in columns["completion"]] == ["a", "b", "a", "b"]
    assert [message["role"] for message in columns["prompt"][0]] == ["system", "user"]
    assert columns["reward"] == batch.rewards.ravel().tolist()
    assert json.dumps(columns)


def test_what_the_policy_puts_in_its_message_stays_there() -> None:
    def policy(messages: Any, tools: Any) -> dict[str, Any]:
        return {"role": "assistant", "content": "x", "token_ids": [1, 2], "logprobs": [-0.1, -0.2]}

    (group,) = rollout(policy, 1, 1, **OPTIONS).groups
    assert group.completions[0].messages[0]["token_ids"] == [1, 2]


def test_several_jobs_give_what_one_does() -> None:
    def policy(messages: Any, tools: Any) -> dict[str, Any]:
        return {"role": "assistant", "content": messages[1]["content"]}

    one = rollout(policy, 4, 3, **OPTIONS)
    assert rollout(policy, 4, 3, jobs=4, **OPTIONS) == one


@pytest.mark.parametrize("numbers", [(0, 1, 1), (1, 0, 1), (1, 1, 0)])
def test_numbers_below_one_are_refused(numbers: tuple[int, int, int]) -> None:
    n, group, jobs = numbers
    with pytest.raises(ValueError, match="at least 1"):
        rollout(says("x"), n, group, jobs=jobs, **OPTIONS)


def test_no_question_to_draw_is_told() -> None:
    with pytest.raises(ValueError, match="no question to draw"):
        rollout(says("x"), 1, 1, tasks=["ann-099"], **OPTIONS)


def test_what_a_policy_raises_comes_through_and_no_desk_is_left() -> None:
    desks: list[FakeDesk] = []

    def desk(person: Profile) -> FakeDesk:
        desks.append(FakeDesk(person))
        return desks[-1]

    def policy(messages: Any, tools: Any) -> dict[str, Any]:
        raise RuntimeError("out of tokens")

    def make() -> DeskEnv:
        return DeskEnv(FakeDataset(), sandbox=desk)

    with pytest.raises(RuntimeError, match="out of tokens"):
        rollout(policy, 1, 1, dataset=FakeDataset(), make_env=make)
    assert [desk.closed for desk in desks] == [True]
