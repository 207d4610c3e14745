"""Averages with their uncertainty, and the difference of two paired samples.

The bootstrap follows Efron ("Bootstrap Methods: Another Look at the Jackknife", Annals of
Statistics, 1979), the sign test is the exact binomial one (Dixon and Mood, 1946).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict

_CHUNK = 1_000_000
"""Values that are drawn at a time: 8 MB an array."""
_MULTINOMIAL_GAIN = 10
"""Drawing a count costs about as much as drawing this many indices."""
_SAME = 1e-12
"""Two values of a pair that differ by no more than this are equal."""

Floats = npt.NDArray[np.float64]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Interval(_Model):
    """A mean over ``n`` values and the ends of its confidence interval."""

    mean: float
    low: float
    high: float
    n: int


class PairedDifference(_Model):
    """Two samples of the same ``n`` things, ``a`` and ``b``, set against each other.

    ``difference`` is the mean of ``b - a`` with its bootstrap interval over the pairs; ``wins``
    counts the pairs in which ``b`` is greater, ``losses`` those in which it is less. ``p`` is of
    the exact two-sided sign test: how likely a split of the untied pairs at least this uneven is
    if both ways are equally likely. It is 1 where all pairs are tied.
    """

    n: int
    mean_a: float
    mean_b: float
    difference: Interval
    wins: int
    losses: int
    ties: int
    p: float


def mean_interval(
    values: Sequence[float], *, level: float = 0.95, resamples: int = 2_000, seed: int = 0
) -> Interval:
    """The mean of ``values`` with its percentile bootstrap interval (Efron, 1979).

    ``resamples`` times as many values as there are are drawn from them with replacement; the
    interval runs from the ``(1 - level) / 2`` to the ``(1 + level) / 2`` quantile of the means of
    these draws. It is the point itself for one value, or several that are equal. Equal arguments
    give equal intervals.

    Raises:
        ValueError: there are no values, one is not finite, ``level`` is not between 0 and 1, or
            ``resamples`` is not positive.
    """
    if not 0 < level < 1 or resamples < 1:
        raise ValueError(f"no interval of level {level} from {resamples} resamples")
    sample = np.asarray(values, dtype=np.float64)
    if sample.ndim != 1 or sample.size == 0:
        raise ValueError("no values to average")
    if not np.isfinite(sample).all():
        raise ValueError("a value to average is not finite")
    mean = math.fsum(sample.tolist()) / sample.size
    distinct, counts = np.unique(sample, return_counts=True)
    if distinct.size == 1:
        point = float(distinct[0])
        return Interval(mean=point, low=point, high=point, n=int(sample.size))
    rng = np.random.default_rng(seed)
    if distinct.size * _MULTINOMIAL_GAIN <= sample.size:
        means = _means_of_counts(distinct, counts, resamples, rng)
    else:
        means = _means_of_draws(sample, resamples, rng)
    low, high = np.quantile(means, ((1 - level) / 2, (1 + level) / 2)).tolist()
    # Sums in floating point may end a hair outside of what they are sums of.
    least, most = float(distinct[0]), float(distinct[-1])
    return Interval(mean=mean, low=max(low, least), high=min(high, most), n=int(sample.size))


def _means_of_counts(
    distinct: Floats, counts: npt.NDArray[np.intp], resamples: int, rng: np.random.Generator
) -> Floats:
    """Means of resamples, drawn as how often each distinct value comes up: the same
    distribution as drawing the values, and cheaper where few are distinct (0 and 1)."""
    shares = counts / counts.sum()
    rows = max(1, _CHUNK // distinct.size)
    means = np.empty(resamples)
    for start in range(0, resamples, rows):
        stop = min(start + rows, resamples)
        drawn = rng.multinomial(int(counts.sum()), shares, size=stop - start)
        means[start:stop] = drawn @ distinct / counts.sum()
    return means


def _means_of_draws(sample: Floats, resamples: int, rng: np.random.Generator) -> Floats:
    rows = max(1, _CHUNK // sample.size)
    means = np.empty(resamples)
    for start in range(0, resamples, rows):
        stop = min(start + rows, resamples)
        drawn = rng.integers(sample.size, size=(stop - start, sample.size), dtype=np.uint32)
        means[start:stop] = sample[drawn].mean(axis=1)
    return means


def paired_difference(
    a: Sequence[float],
    b: Sequence[float],
    *,
    level: float = 0.95,
    resamples: int = 2_000,
    seed: int = 0,
) -> PairedDifference:
    """How ``b`` differs from ``a``, where ``a[i]`` and ``b[i]`` are of the same thing.

    Raises:
        ValueError: they are not equally long, or as in `mean_interval`.
    """
    if len(a) != len(b):
        raise ValueError(f"pairs need two samples of one length, not {len(a)} and {len(b)}")
    gaps = [y - x for x, y in zip(a, b, strict=True)]
    gaps = [0.0 if abs(gap) <= _SAME else gap for gap in gaps]
    wins, losses = sum(gap > 0 for gap in gaps), sum(gap < 0 for gap in gaps)
    difference = mean_interval(gaps, level=level, resamples=resamples, seed=seed)
    return PairedDifference(
        n=len(gaps),
        mean_a=math.fsum(a) / len(gaps),
        mean_b=math.fsum(b) / len(gaps),
        difference=difference,
        wins=wins,
        losses=losses,
        ties=len(gaps) - wins - losses,
        p=sign_test(wins, losses),
    )


def sign_test(wins: int, losses: int) -> float:
    """The exact two-sided p-value of a split into ``wins`` and ``losses``; 1 if there are none.

    Twice the probability that a fair coin falls at most ``min(wins, losses)`` times in
    ``wins + losses`` throws on one side, and never more than 1.
    """
    n, term, tail = wins + losses, 1, 0
    for k in range(min(wins, losses) + 1):
        tail += term
        term = term * (n - k) // (k + 1)
    return min(1.0, 2 * tail / (1 << n))
