"""Intervals and paired differences: by value, by coverage, and for the odd cases."""

from __future__ import annotations

import math
import random
import resource
import sys
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deskgym.tasks.scoring.statistics import (
    Interval,
    mean_interval,
    paired_difference,
    sign_test,
)

finite = st.floats(-1e6, 1e6, allow_nan=False)


class TestMeanInterval:
    @pytest.mark.parametrize("values", [[0.3], [0.7] * 50, [0.1] * 10])
    def test_of_one_value_or_equal_ones_it_is_the_point(self, values: list[float]) -> None:
        point = values[0]
        assert mean_interval(values) == Interval(mean=point, low=point, high=point, n=len(values))

    def test_of_two_values_it_is_what_all_draws_say(self) -> None:
        # The means of two draws from {0, 1} are 0, 1/2, 1/2 and 1: the outer quarters are 0 and 1.
        found = mean_interval([0.0, 1.0], level=0.4)
        assert (found.mean, found.low, found.high) == (0.5, 0.5, 0.5)
        wide = mean_interval([0.0, 1.0], level=0.6)
        assert (wide.low, wide.high) == (0.0, 1.0)

    def test_of_three_values_it_is_the_exact_bootstrap_distribution(self) -> None:
        values = [0.0, 1.0, 5.0]
        means = sorted(sum(draw) / 3 for draw in product(values, repeat=3))
        found = mean_interval(values, level=0.5, resamples=20_000)
        # Quantiles away from the steps of the 27 equally likely means.
        assert found.low == pytest.approx(means[27 // 4])
        assert found.high == pytest.approx(means[27 * 3 // 4])

    def test_shares_and_draws_agree_with_the_normal_approximation(self) -> None:
        shares = [1.0] * 600 + [0.0] * 400
        rng = random.Random(3)
        spread = [rng.random() for _ in range(1_000)]
        for values in (shares, spread):
            mean = sum(values) / len(values)
            error = math.sqrt(sum((v - mean) ** 2 for v in values)) / len(values)
            found = mean_interval(values, resamples=20_000)
            assert found.low == pytest.approx(mean - 1.96 * error, abs=0.1 * error)
            assert found.high == pytest.approx(mean + 1.96 * error, abs=0.1 * error)

    def test_it_covers_the_true_mean_about_as_often_as_it_says(self) -> None:
        rng = random.Random(5)
        hits = 0
        for seed in range(300):
            found = mean_interval([rng.random() for _ in range(60)], resamples=500, seed=seed)
            hits += found.low <= 0.5 <= found.high
        assert 0.90 <= hits / 300 <= 0.98

    def test_equal_arguments_give_equal_intervals(self) -> None:
        values = [0.1 * n for n in range(30)]
        assert mean_interval(values, seed=4) == mean_interval(values, seed=4)
        assert mean_interval(values, seed=4) != mean_interval(values, seed=5)

    def test_a_higher_level_is_wider(self) -> None:
        values = [float(n % 7) for n in range(100)]
        narrow, wide = mean_interval(values, level=0.8), mean_interval(values, level=0.99)
        assert wide.low < narrow.low < narrow.high < wide.high

    @given(st.lists(finite, min_size=1, max_size=40))
    @settings(deadline=None)
    def test_it_lies_within_the_values(self, values: list[float]) -> None:
        found = mean_interval(values, resamples=50)
        assert min(values) <= found.low <= found.high <= max(values)
        assert found.mean == pytest.approx(sum(values) / len(values), abs=1e-6)

    @pytest.mark.parametrize("values", [[], [float("nan")], [1.0, float("inf")]])
    def test_what_has_no_mean_is_refused(self, values: list[float]) -> None:
        with pytest.raises(ValueError, match="average"):
            mean_interval(values)

    @pytest.mark.parametrize("changes", [{"level": 0.0}, {"level": 1.0}, {"resamples": 0}])
    def test_what_is_no_interval_is_refused(self, changes: dict[str, float]) -> None:
        with pytest.raises(ValueError, match="no interval"):
            mean_interval([1.0, 2.0], **changes)  # type: ignore[arg-type]

    @pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss is in other units")
    def test_ten_thousand_values_take_little_memory(self) -> None:
        rng = random.Random(1)
        values = [rng.random() for _ in range(10_000)]
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        mean_interval(values)
        assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000


class TestPairedDifference:
    def test_by_value(self) -> None:
        found = paired_difference([0.0, 0.5, 1.0, 0.2], [1.0, 0.5, 0.5, 0.4])
        assert (found.n, found.wins, found.losses, found.ties) == (4, 2, 1, 1)
        assert found.mean_a == pytest.approx(0.425)
        assert found.mean_b == pytest.approx(0.6)
        assert found.difference.mean == pytest.approx(0.175)
        assert found.p == 1.0

    def test_a_sample_and_itself_do_not_differ(self) -> None:
        values = [0.1, 0.7, 0.3]
        found = paired_difference(values, values)
        assert found.difference == Interval(mean=0, low=0, high=0, n=3)
        assert (found.wins, found.losses, found.ties, found.p) == (0, 0, 3, 1.0)

    def test_rounding_is_no_difference(self) -> None:
        assert paired_difference([0.1 + 0.2], [0.3]).ties == 1

    @given(st.lists(st.tuples(finite, finite), min_size=1, max_size=30))
    @settings(deadline=None)
    def test_swapping_the_sides_turns_the_sign(self, pairs: list[tuple[float, float]]) -> None:
        a, b = [x for x, _ in pairs], [y for _, y in pairs]
        there, back = paired_difference(a, b, resamples=50), paired_difference(b, a, resamples=50)
        assert there.difference.mean == pytest.approx(-back.difference.mean, abs=1e-6)
        assert (there.wins, there.losses, there.p) == (back.losses, back.wins, back.p)

    def test_unequal_lengths_are_refused(self) -> None:
        with pytest.raises(ValueError, match="one length, not 1 and 2"):
            paired_difference([1.0], [1.0, 2.0])


@pytest.mark.parametrize(
    ("wins", "losses", "p"),
    [
        (0, 0, 1.0),
        (1, 0, 1.0),  # 2 * 1/2
        (5, 0, 2 / 32),
        (0, 5, 2 / 32),
        (9, 1, 2 * 11 / 1024),
        (3, 3, 1.0),
        (600, 400, 2.7e-10),
    ],
)
def test_the_sign_test_is_the_exact_binomial_one(wins: int, losses: int, p: float) -> None:
    assert sign_test(wins, losses) == pytest.approx(p, rel=0.02)
