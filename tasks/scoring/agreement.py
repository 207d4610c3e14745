"""How far two raters agree. Pure functions over pairs of ratings.

Every measure is None where it is not defined: with no pairs, or where the raters leave nothing to
tell apart (both always say the same one thing).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from math import sqrt
from statistics import NormalDist, fmean
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, Field

from deskgym.tasks.scoring.models import Score

T = TypeVar("T", bound=Hashable)


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Confusion(_Model):
    """How often which rater said yes: the judge's word first, then the person's."""

    yes_yes: int = Field(ge=0)
    yes_no: int = Field(ge=0, description="the judge says yes, the person no")
    no_yes: int = Field(ge=0, description="the judge says no, the person yes")
    no_no: int = Field(ge=0)


class Agreement(_Model):
    """Agreement on yes and no. ``low`` and ``high`` are Wilson's 95 % interval of ``share``."""

    n: int = Field(ge=0)
    share: Score | None
    low: Score | None
    high: Score | None
    kappa: float | None = Field(ge=-1, le=1, description="Cohen's")
    confusion: Confusion


class GradeAgreement(_Model):
    """Agreement on grades."""

    n: int = Field(ge=0)
    share: Score | None = Field(description="of pairs with the very same grade")
    mean_difference: float | None = Field(description="the judge's grade less the person's")
    quadratic_kappa: float | None = Field(ge=-1, le=1)
    spearman: float | None = Field(ge=-1, le=1)


def agreement(pairs: Sequence[tuple[bool, bool]]) -> Agreement:
    """Agreement of pairs (the judge's word, the person's)."""
    counts = Counter(pairs)
    interval = wilson(sum(a == b for a, b in pairs), len(pairs))
    return Agreement(
        n=len(pairs),
        share=_same(pairs),
        low=interval[0] if interval else None,
        high=interval[1] if interval else None,
        kappa=cohen_kappa(pairs),
        confusion=Confusion(
            yes_yes=counts[True, True],
            yes_no=counts[True, False],
            no_yes=counts[False, True],
            no_no=counts[False, False],
        ),
    )


def grade_agreement(pairs: Sequence[tuple[int, int]]) -> GradeAgreement:
    """Agreement of pairs (the judge's grade, the person's)."""
    return GradeAgreement(
        n=len(pairs),
        share=_same(pairs),
        mean_difference=fmean(a - b for a, b in pairs) if pairs else None,
        quadratic_kappa=quadratic_kappa(pairs),
        spearman=spearman(pairs),
    )


def wilson(hits: int, n: int, level: float = 0.95) -> tuple[float, float] | None:
    """Wilson's score interval of a share of ``hits`` in ``n`` (Wilson, 1927).

    With z the normal quantile of (1 + level) / 2 and p = hits / n:
    (p + z²/2n ± z sqrt(p (1 - p)/n + z²/4n²)) / (1 + z²/n).

    Raises:
        ValueError: ``hits`` does not lie in 0..n.
    """
    if not 0 <= hits <= n:
        raise ValueError(f"{hits} of {n} is no share")
    if n == 0:
        return None
    z = NormalDist().inv_cdf((1 + level) / 2)
    p, z2 = hits / n, z * z / n
    middle = p + z2 / 2
    reach = z * sqrt(p * (1 - p) / n + z2 / (4 * n))
    # The ends of 0 and of n hits are 0 and 1 but for rounding.
    low = 0.0 if hits == 0 else max(0.0, (middle - reach) / (1 + z2))
    high = 1.0 if hits == n else min(1.0, (middle + reach) / (1 + z2))
    return low, high


def cohen_kappa(pairs: Sequence[tuple[T, T]]) -> float | None:
    """Cohen's kappa (Cohen, 1960): (p_o - p_e) / (1 - p_e).

    p_o is the share of pairs that agree, p_e the share that would by chance: the sum over classes
    of the product of both raters' shares.
    """
    return _kappa(pairs, lambda a, b: float(a != b))


def quadratic_kappa(pairs: Sequence[tuple[int, int]]) -> float | None:
    """Cohen's weighted kappa (Cohen, 1968) with squared differences as weights.

    One less the mean squared difference of the pairs over that of all pairs of one rater's
    ratings with the other's. It does not depend on how many grades there are.
    """
    return _kappa(pairs, lambda a, b: float((a - b) ** 2))


def spearman(pairs: Sequence[tuple[float, float]]) -> float | None:
    """Spearman's rank correlation (Spearman, 1904): Pearson's of the ranks, ties at their mean."""
    first = _ranks([a for a, _ in pairs])
    second = _ranks([b for _, b in pairs])
    if len(set(first)) < 2 or len(set(second)) < 2:
        return None
    mean = (len(pairs) + 1) / 2
    both = sum((a - mean) * (b - mean) for a, b in zip(first, second, strict=True))
    spread = sqrt(sum((a - mean) ** 2 for a in first) * sum((b - mean) ** 2 for b in second))
    return max(-1.0, min(1.0, both / spread))


def _kappa(pairs: Sequence[tuple[T, T]], weight: Callable[[T, T], float]) -> float | None:
    """One less observed over expected disagreement; equal to the usual form of kappa."""
    n = len(pairs)
    first, second = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    expected = sum(k * m * weight(a, b) for a, k in first.items() for b, m in second.items())
    if not expected:
        return None
    return 1 - n * sum(weight(a, b) for a, b in pairs) / expected


def _same(pairs: Sequence[tuple[T, T]]) -> float | None:
    return sum(a == b for a, b in pairs) / len(pairs) if pairs else None


def _ranks(values: Sequence[float]) -> list[float]:
    places: dict[float, list[int]] = {}
    for place, value in enumerate(sorted(values), 1):
        places.setdefault(value, []).append(place)
    return [fmean(places[value]) for value in values]
