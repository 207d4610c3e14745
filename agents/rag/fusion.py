"""One ranking out of several, by rank alone.

G. Cormack, C. Clarke and S. Buettcher, "Reciprocal Rank Fusion Outperforms Condorcet and Individual
Rank Learning Methods", SIGIR 2009: an item's score is the sum, over the rankings that hold it, of
1 / (k + its rank), ranks from 1, with k = 60.
"""

from __future__ import annotations

from collections.abc import Sequence

RRF_K = 60


def fuse(
    rankings: Sequence[Sequence[int]], weights: Sequence[float] = (), *, k: int = RRF_K
) -> list[tuple[int, float]]:
    """The items of ``rankings`` (each best first) with their scores, best first.

    ``weights`` multiply what each ranking gives; without any, all count alike. Of equal items the
    one that stands higher in any ranking comes first, then the one with the lower number.
    """
    scores: dict[int, float] = {}
    best: dict[int, int] = {}
    for ranking, weight in zip(rankings, weights or [1.0] * len(rankings), strict=True):
        for rank, item in enumerate(ranking, 1):
            scores[item] = scores.get(item, 0.0) + weight / (k + rank)
            best[item] = min(rank, best.get(item, rank))
    return sorted(scores.items(), key=lambda pair: (-pair[1], best[pair[0]], pair[0]))
