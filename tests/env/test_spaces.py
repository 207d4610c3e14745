"""The spaces: samples are contained, the rest is told apart, and they survive pickling."""

from __future__ import annotations

import json
import pickle
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector.utils import batch_space, concatenate, create_empty_array, iterate

from deskgym.env.actions import ALL_TOOLS, Note, Terminal, parse_action
from deskgym.env.observations import Media
from deskgym.env.spaces import ActionSpace, ImagesSpace, MediaSpace, Unicode, observation_space

SPACES: list[gym.Space[Any]] = [
    Unicode(),
    Unicode(3),
    MediaSpace(),
    MediaSpace(1),
    ImagesSpace(),
    ImagesSpace(1, 16),
    ActionSpace(ALL_TOOLS),
    ActionSpace(frozenset({"note", "answer"})),
]


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray):
        return np.array_equal(a, b)
    if isinstance(a, tuple):
        return len(a) == len(b) and all(map(_same, a, b))
    return bool(a == b)


@pytest.mark.parametrize("space", SPACES, ids=repr)
def test_samples_are_contained_and_follow_the_seed(space: gym.Space[Any]) -> None:
    space.seed(7)
    first = [space.sample() for _ in range(30)]
    assert all(space.contains(s) for s in first)
    space.seed(7)
    assert _same(tuple(first), tuple(space.sample() for _ in range(30)))
    space.seed(8)
    assert not _same(tuple(first), tuple(space.sample() for _ in range(30)))


@pytest.mark.parametrize("space", SPACES, ids=repr)
def test_a_pickled_space_is_equal_and_goes_on_alike(space: gym.Space[Any]) -> None:
    space.seed(3)
    copy = pickle.loads(pickle.dumps(space))
    assert copy == space
    assert hash(copy) == hash(space)
    assert _same(space.sample(), copy.sample())


def test_no_two_spaces_are_equal() -> None:
    for i, a in enumerate(SPACES):
        assert [b for j, b in enumerate(SPACES) if a == b and i != j] == []


def test_observation_space_survives_pickling() -> None:
    space = observation_space(5)
    assert pickle.loads(pickle.dumps(space)) == space
    assert space != observation_space(6)
    assert space.contains(space.sample())


@pytest.mark.parametrize("value", ["", "Grüße, 北京 \x00 🦉", "a" * 1_000])
def test_unicode_holds_any_text(value: str) -> None:
    assert Unicode().contains(value)


@pytest.mark.parametrize("value", [None, b"x", 1, ["x"], "abcd"])
def test_unicode_of_three_holds_nothing_else(value: Any) -> None:
    assert not Unicode(3).contains(value)


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        [Media("image/png", b"")],
        (b"",),
        (Media("png", b""),),
        (Media("image/png", "text"),),  # type: ignore[arg-type]
        (Media("image/png", b""),) * 2,
    ],
)
def test_media_space_holds_nothing_else(value: Any) -> None:
    assert not MediaSpace(1).contains(value)


@pytest.mark.parametrize(
    "array",
    [
        np.zeros((2, 2, 3), np.float32),
        np.zeros((2, 2), np.uint8),
        np.zeros((2, 2, 4), np.uint8),
        np.zeros((0, 2, 3), np.uint8),
        np.zeros((5, 4, 3), np.uint8),
        [[[0, 0, 0]]],
    ],
)
def test_images_space_holds_nothing_else(array: Any) -> None:
    space = ImagesSpace(2, 16)
    assert space.contains((np.zeros((4, 4, 3), np.uint8),))
    assert not space.contains((array,))


def test_action_space_holds_what_stands_for_an_action() -> None:
    space = ActionSpace(frozenset({"terminal", "note", "answer"}))
    action = {"tool": "terminal", "command": "ls"}
    assert space.contains(action)
    assert space.contains(json.dumps(action))
    assert space.contains(Terminal(command="ls"))
    assert space.contains(Note(text=""))
    assert not space.contains({"tool": "list_files"})  # switched off
    assert not space.contains({"tool": "terminal"})
    assert not space.contains("ls")
    assert not space.contains(None)


def test_action_samples_keep_to_the_tools_that_are_on() -> None:
    space = ActionSpace(frozenset({"note", "answer"}))
    space.seed(0)
    assert {parse_action(space.sample()).tool for _ in range(60)} == {"note", "answer"}


@pytest.mark.parametrize("space", [*SPACES, observation_space(4)], ids=repr)
def test_spaces_can_be_batched(space: gym.Space[Any]) -> None:
    batched = batch_space(space, 3)
    items = [space.sample() for _ in range(3)]
    out = concatenate(space, items, create_empty_array(space, 3))
    assert batched.contains(out)
    assert all(space.contains(item) for item in iterate(batched, out))
    assert batched.contains(batched.sample())
