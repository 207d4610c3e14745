"""Traits come from the distribution that was asked for."""

from __future__ import annotations

import numpy as np
import pytest
from pydantic import ValidationError

from deskgym.tasks.made.seeds import random_for, rng
from deskgym.tasks.made.traits import HIGHEST, LOWEST, TraitModel, draw_traits

DRAWS = 20_000


@pytest.fixture(scope="module")
def drawn() -> np.ndarray:
    model = TraitModel()
    return np.array([draw_traits(model, 11, index).scores() for index in range(DRAWS)])


def test_correlations_are_within_two_hundredths(drawn: np.ndarray) -> None:
    off = np.corrcoef(drawn.T) - np.array(TraitModel().correlations)
    assert np.abs(off).max() < 0.02


def test_means_and_spreads_are_those_asked_for(drawn: np.ndarray) -> None:
    model = TraitModel()
    assert np.allclose(drawn.mean(axis=0), model.means, atol=0.03)
    assert np.allclose(drawn.std(axis=0), model.sds, atol=0.04)
    assert drawn.min() >= LOWEST
    assert drawn.max() <= HIGHEST


def test_another_inventory_can_be_asked_for() -> None:
    flat = tuple(tuple(float(a == b) for b in range(5)) for a in range(5))
    model = TraitModel(means=(3, 3, 3, 3, 3), sds=(0.5,) * 5, correlations=flat)
    scores = np.array([draw_traits(model, 1, index).scores() for index in range(4_000)])
    assert np.allclose(scores.std(axis=0), 0.5, atol=0.03)
    assert np.abs(np.corrcoef(scores.T) - np.eye(5)).max() < 0.06


def _with(pairs: dict[tuple[int, int], float]) -> list[list[float]]:
    matrix = [list(row) for row in TraitModel().correlations]
    for (a, b), value in pairs.items():
        matrix[a][b] = value
    return matrix


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({(0, 1): 0.99, (1, 0): 0.99, (0, 4): 0.9, (4, 0): 0.9}, "not positive definite"),
        ({(0, 1): 0.5}, "symmetric"),
        ({(2, 2): 0.9}, "ones on the diagonal"),
        ({(0, 1): float("nan"), (1, 0): float("nan")}, "symmetric"),
    ],
)
def test_a_matrix_that_no_people_can_have_is_refused(
    change: dict[tuple[int, int], float], message: str
) -> None:
    with pytest.raises(ValidationError, match=message):
        TraitModel(correlations=_with(change))


@pytest.mark.parametrize("wrong", [{"sds": (0.5, 0.5, 0, 0.5, 0.5)}, {"means": (9, 3, 3, 3, 3)}])
def test_spreads_and_means_off_the_scale_are_refused(wrong: dict[str, tuple[float, ...]]) -> None:
    with pytest.raises(ValidationError, match=next(iter(wrong))):
        TraitModel(**wrong)


def test_a_person_is_the_same_whoever_was_drawn_before() -> None:
    model = TraitModel()
    alone = draw_traits(model, 5, 7)
    assert [draw_traits(model, 5, index) for index in range(8)][7] == alone
    assert draw_traits(model, 6, 7) != alone


def test_names_of_generators_do_not_run_together() -> None:
    assert random_for(1, "a", "bc").random() != random_for(1, "ab", "c").random()
    assert rng(1, "a").random() != rng(11, "a").random()
    assert random_for(1, "a").random() == random_for(1, "a").random()
