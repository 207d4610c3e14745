"""Measures of agreement, against values worked out by hand."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskgym.tasks.scoring.agreement import (
    Confusion,
    agreement,
    cohen_kappa,
    grade_agreement,
    quadratic_kappa,
    spearman,
    wilson,
)

Y, N = True, False


def table(yy: int, yn: int, ny: int, nn: int) -> list[tuple[bool, bool]]:
    return [(Y, Y)] * yy + [(Y, N)] * yn + [(N, Y)] * ny + [(N, N)] * nn


@pytest.mark.parametrize(
    ("pairs", "kappa"),
    [
        # p_o = .7, p_e = .5 * .6 + .5 * .4 = .5
        (table(20, 5, 10, 15), 0.4),
        # p_o = .6, p_e = .7 * .6 + .3 * .4 = .54
        (table(45, 25, 15, 15), 0.06 / 0.46),
        # p_o = 0, p_e = .5
        (table(0, 5, 5, 0), -1.0),
        (table(3, 0, 0, 4), 1.0),
        # p_o = .25, p_e = .75 * 0 + .25 * 1: no better than chance
        (table(0, 3, 0, 1), 0.0),
        # three classes: p_o = 3/4, p_e = (2*1 + 1*2 + 1*1)/16 = 5/16
        ([("a", "a"), ("a", "b"), ("b", "b"), ("c", "c")], (3 / 4 - 5 / 16) / (11 / 16)),
    ],
)
def test_cohens_kappa(pairs: Any, kappa: float) -> None:
    assert cohen_kappa(pairs) == pytest.approx(kappa)


@pytest.mark.parametrize("pairs", [[], table(9, 0, 0, 0), table(0, 0, 0, 1)])
def test_kappa_is_undefined_where_both_always_say_the_same_one_thing(pairs: Any) -> None:
    assert cohen_kappa(pairs) is None
    found = agreement(pairs)
    assert found.kappa is None
    assert found.share == (1.0 if pairs else None)


@pytest.mark.parametrize(
    ("hits", "n", "low", "high"),
    [
        # z = 1.959964, z² = 3.841459; z²/n = .3841459 at n = 10
        (5, 10, 0.236593, 0.763407),  # (.69207 -+ 1.96 * sqrt(.025 + .0096036)) / 1.38415
        (0, 10, 0.0, 0.277533),  # high: z²/n / (1 + z²/n)
        (10, 10, 0.722467, 1.0),
        (45, 50, 0.786398, 0.956524),
        (1, 1, 0.206549, 1.0),
    ],
)
def test_wilsons_interval(hits: int, n: int, low: float, high: float) -> None:
    assert wilson(hits, n) == pytest.approx((low, high), abs=2e-5)


@pytest.mark.parametrize(("hits", "n"), [(-1, 3), (4, 3), (1, 0)])
def test_no_share_no_interval(hits: int, n: int) -> None:
    assert wilson(0, 0) is None
    with pytest.raises(ValueError, match=f"{hits} of {n}"):
        wilson(hits, n)


@pytest.mark.parametrize(
    ("pairs", "kappa"),
    [
        ([(0, 0), (5, 5)], 1.0),
        # observed (0 + 1 + 0)/3; by chance 0, 1, 2 meets 0, 2, 2: (8 + 3 + 4)/9 = 5/3
        ([(0, 0), (1, 2), (2, 2)], 0.8),
        ([(0, 5), (5, 0)], -1.0),
        # one grade apart weighs little: observed 1; by chance (1 + 25 + 9 + 1)/4 = 9
        ([(5, 4), (1, 0)], 8 / 9),
    ],
)
def test_quadratic_kappa(pairs: list[tuple[int, int]], kappa: float) -> None:
    assert quadratic_kappa(pairs) == pytest.approx(kappa)


@pytest.mark.parametrize(
    ("pairs", "rho"),
    [
        ([(1, 10), (2, 20), (3, 90)], 1.0),
        ([(1, 3), (2, 2), (3, 1)], -1.0),
        # ranks 1 2 3 4 5 and 2 1 4 3 5: 1 - 6 * 4 / (5 * 24)
        ([(1, 2), (2, 1), (3, 4), (4, 3), (5, 5)], 0.8),
        # ranks 1.5 1.5 3 and 1 2 3: 1.5 / sqrt(1.5 * 2)
        ([(0, 1), (0, 2), (4, 3)], 1.5 / 3**0.5),
    ],
)
def test_spearman(pairs: list[tuple[float, float]], rho: float) -> None:
    assert spearman(pairs) == pytest.approx(rho)


@pytest.mark.parametrize("pairs", [[], [(3, 3)], [(3, 1), (3, 2)]])
def test_ranks_that_do_not_differ_have_no_correlation(pairs: list[tuple[float, float]]) -> None:
    assert spearman(pairs) is None


def test_agreement_counts_who_said_what() -> None:
    found = agreement(table(20, 5, 10, 15))
    assert found.confusion == Confusion(yes_yes=20, yes_no=5, no_yes=10, no_no=15)
    assert (found.n, found.share, found.kappa) == (50, 0.7, pytest.approx(0.4))
    assert (found.low, found.high) == wilson(35, 50)


def test_grades_agree_by_share_lean_and_order() -> None:
    found = grade_agreement([(0, 0), (1, 2), (2, 2)])
    assert found.n == 3
    assert found.share == pytest.approx(2 / 3)
    assert found.mean_difference == pytest.approx(-1 / 3)
    assert found.quadratic_kappa == pytest.approx(0.8)
    assert found.spearman == pytest.approx(1.5 / 3**0.5)
    assert grade_agreement([]).share is None


@given(st.lists(st.tuples(st.booleans(), st.booleans()), max_size=40))
def test_measures_do_not_mind_order_nor_who_is_first(pairs: list[tuple[bool, bool]]) -> None:
    found, turned = agreement(pairs), agreement([(b, a) for a, b in reversed(pairs)])
    assert turned.kappa == (None if found.kappa is None else pytest.approx(found.kappa))
    assert (turned.share, turned.low, turned.high) == (found.share, found.low, found.high)
    if found.share is not None:
        assert found.low is not None
        assert found.high is not None
        assert 0 <= found.low <= found.share <= found.high <= 1


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=30))
def test_grade_measures_lie_in_their_range(pairs: list[tuple[int, int]]) -> None:
    found = grade_agreement(pairs)  # its fields check the ranges
    if pairs and all(a == b for a, b in pairs) and len(set(pairs)) > 1:
        assert found.quadratic_kappa == 1
        assert found.spearman == pytest.approx(1)
