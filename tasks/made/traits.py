"""Who somebody is: five broad traits, drawn together from a multivariate normal distribution.

The default correlations are those between the five factors corrected for unreliability in the
meta-analysis of van der Linden, te Nijenhuis and Bakker (2010; K = 212, N = 144,117). Means and
standard deviations on the 1..5 scale are round figures of ours.
"""

from __future__ import annotations

from typing import Self

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, model_validator

from deskgym.tasks.made.seeds import rng

DOMAINS = ("o", "c", "e", "a", "n")
# Beyond these a questionnaire answered on 1..5 leaves next to no room for different answers.
LOWEST, HIGHEST = 1.2, 4.8

Row = tuple[float, float, float, float, float]
_CORRELATIONS: tuple[Row, Row, Row, Row, Row] = (
    # o     c      e      a      n
    (1.00, 0.20, 0.43, 0.21, -0.17),
    (0.20, 1.00, 0.29, 0.43, -0.43),
    (0.43, 0.29, 1.00, 0.26, -0.36),
    (0.21, 0.43, 0.26, 1.00, -0.36),
    (-0.17, -0.43, -0.36, -0.36, 1.00),
)


class TraitModel(BaseModel):
    """The distribution that people's traits come from, in the order o, c, e, a, n.

    Raises:
        ValidationError: a spread is not positive, or the correlations are not symmetric with
            ones on the diagonal, or not positive definite.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    means: Row = (3.6, 3.4, 3.2, 3.6, 2.9)
    sds: Row = (0.65, 0.70, 0.75, 0.65, 0.75)
    correlations: tuple[Row, Row, Row, Row, Row] = _CORRELATIONS

    @model_validator(mode="after")
    def _is_a_distribution(self) -> Self:
        if not all(LOWEST <= mean <= HIGHEST for mean in self.means):
            raise ValueError(f"means must lie in {LOWEST}..{HIGHEST}, got {self.means}")
        if not all(0 < sd < 4 for sd in self.sds):
            raise ValueError(f"sds must be above 0 and below 4, got {self.sds}")
        matrix = np.array(self.correlations)
        if not np.isfinite(matrix).all() or not np.array_equal(matrix, matrix.T):
            raise ValueError("correlations must be symmetric: write each pair twice, equal")
        if not (np.diag(matrix) == 1).all():
            raise ValueError("correlations must have ones on the diagonal")
        smallest = float(np.linalg.eigvalsh(matrix)[0])
        if smallest <= 1e-9:
            raise ValueError(
                "correlations are not positive definite (smallest eigenvalue "
                f"{smallest:.3g}): no people can be so; weaken the strongest ones"
            )
        return self


class Traits(BaseModel):
    """One person's traits on the 1..5 scale, and as standard scores (``z``) of the model."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    o: float = Field(ge=1, le=5)
    c: float = Field(ge=1, le=5)
    e: float = Field(ge=1, le=5)
    a: float = Field(ge=1, le=5)
    n: float = Field(ge=1, le=5)
    z: Row

    def scores(self) -> Row:
        """The five scores in the order of `DOMAINS`."""
        return (self.o, self.c, self.e, self.a, self.n)


def draw_traits(model: TraitModel, seed: int, index: int) -> Traits:
    """The traits of person ``index``: standard scores ``z``, and ``mean + sd z`` kept in range.

    ``z`` is ``L`` times five independent standard normals, ``L`` the Cholesky factor of the
    correlations. Scores are kept within `LOWEST` and `HIGHEST`; ``z`` is left as drawn.
    """
    factor = np.linalg.cholesky(np.array(model.correlations))
    z = factor @ rng(seed, "traits", index).standard_normal(len(DOMAINS))
    scores = np.clip(np.array(model.means) + np.array(model.sds) * z, LOWEST, HIGHEST)
    o, c, e, a, n = (round(float(score), 4) for score in scores)
    zo, zc, ze, za, zn = (float(value) for value in z)
    return Traits(o=o, c=c, e=e, a=a, n=n, z=(zo, zc, ze, za, zn))
