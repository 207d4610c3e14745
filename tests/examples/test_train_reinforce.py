"""The training example: a policy that learns at the desk, from the reward alone."""

from __future__ import annotations

import inspect
from types import ModuleType

import numpy as np
import pytest
from example_kit import load

from deskgym.agents.passages import Sentence
from deskgym.tasks.locators import parse_locator


@pytest.fixture(scope="module")
def script() -> ModuleType:
    return load("train_reinforce")


def choice(script: ModuleType, features: list[list[float]], taken: int) -> object:
    rows = np.array(features)
    chances = script.Policy().chances("file", rows)
    return script.Choice("file", rows, chances, taken)


def test_an_untrained_policy_draws_evenly(script: ModuleType) -> None:
    rows = np.array([[1.0, 0.0], [0.0, 5.0], [3.0, 3.0], [9.0, 9.0]])
    assert script.Policy().chances("file", rows) == pytest.approx([0.25] * 4)


def test_the_gradient_is_that_of_the_taken_choice_s_log_chance(script: ModuleType) -> None:
    rows = np.array([[1.0, 0.2], [0.1, 1.0], [0.5, 0.5]])
    weights, small = np.array([0.3, -0.7]), 1e-6
    policy = script.Policy({"file": weights})
    made = script.Choice("file", rows, policy.chances("file", rows), 1)
    for place in range(2):
        moved = weights.copy()
        moved[place] += small
        after = script.Policy({"file": moved}).chances("file", rows)
        slope = (np.log(after[1]) - np.log(made.chances[1])) / small
        assert made.gradient[place] == pytest.approx(slope, abs=1e-4)


@pytest.mark.parametrize(("reward", "sign"), [(1.0, 1), (0.0, 0)])
def test_learning_makes_a_better_than_usual_choice_likelier(
    script: ModuleType, reward: float, sign: int
) -> None:
    policy = script.Policy()
    made = choice(script, [[1.0, 0.0], [0.0, 1.0]], 0)
    script.Learner(policy).learn([("task", script.Lived((made,), reward))])
    chance = policy.chances("file", np.array([[1.0, 0.0], [0.0, 1.0]]))[0]
    assert np.sign(round(chance - 0.5, 9)) == sign


def test_a_question_s_own_mean_is_what_is_usual(script: ModuleType) -> None:
    policy = script.Policy()
    learner = script.Learner(policy)
    made = choice(script, [[1.0, 0.0], [0.0, 1.0]], 0)
    episode = script.Lived((made,), 0.5)
    learner.learn([("task", episode)])
    before = policy.weights["file"].copy()
    learner.learn([("task", episode)])  # as usual: nothing to learn
    assert policy.weights["file"] == pytest.approx(before)


def test_features_come_of_what_the_episode_shows(script: ModuleType) -> None:
    said = [
        Sentence("a.txt", parse_locator("lines:1"), "The rent is 900 pounds.", "The rent is 900."),
        Sentence("a.txt", parse_locator("lines:2"), "Nothing here:", "Nothing here:"),
    ]
    rows = script.sentence_features("How much is the rent?", said)
    assert rows.shape[0] == 2
    assert rows[0, 0] == 1.0
    assert rows[1, 0] == 0.0
    assert np.isfinite(rows).all()
    # The environment is asked for observations and rewards, and nothing of it for its gold.
    code = inspect.getsource(script.play) + inspect.getsource(script.measure)
    for gold in (".result", ".trajectory", ".answer", ".evidence", ".files"):
        assert gold not in code


@pytest.mark.docker
@pytest.mark.usefixtures("desk_image")
def test_a_trained_policy_beats_its_own_start_on_a_person_it_has_never_met(
    script: ModuleType,
) -> None:
    outcome = script.train(0, rounds=5, goes=2, say=lambda line: None)
    assert outcome.after >= 2 * outcome.before
    assert outcome.after > 0.02
    assert outcome.curve[-1] > outcome.curve[0]
