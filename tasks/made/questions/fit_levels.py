"""``python -m deskgym.tasks.made.questions.fit_levels``: makes the norms that traits are judged by.

People of a seed of their own are made, the signs of their records set against their traits, and
the result written as `deskgym.tasks.made.verifier.level_norms`. To be run again when lives or
records change.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from deskgym.tasks.made.life import make_life
from deskgym.tasks.made.records import make_records
from deskgym.tasks.made.records.record import Record
from deskgym.tasks.made.spec import MadeSpec
from deskgym.tasks.made.verifier import levels
from deskgym.tasks.made.verifier.evaluate import Desk
from deskgym.tasks.made.verifier.rows import Row

SEED = 2**40
PEOPLE = 160
RIDGE = 12.0
"""What large weights cost: about as much as a dozen more people who are like the mean."""

_HEAD = '''"""Norms of the signs and weights of the traits; made by
`deskgym.tasks.made.questions.fit_levels`, not by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final
'''


def rows_of(records: Sequence[Record]) -> Desk:
    """Records as the rows that the verifier would read of them."""
    return Desk(
        Row(
            record.schema,
            {
                name: ", ".join(value) if isinstance(value, list) else value
                for name, value in record.fields.items()
            },
        )
        for record in records
    )


def fit(
    people: Sequence[tuple[Mapping[str, float], Sequence[float]]],
) -> tuple[dict[str, float], dict[str, float], dict[str, dict[str, float]]]:
    """Means and spreads of the signs, and each trait's weights; ``""`` names the constant."""
    names = list(people[0][0])
    signs = np.array([[one[name] for name in names] for one, _ in people])
    traits = np.array([scores for _, scores in people])
    means, spreads = signs.mean(axis=0), signs.std(axis=0) + 1e-9
    standard = (signs - means) / spreads
    middle = traits.mean(axis=0)
    gram = standard.T @ standard + RIDGE * np.eye(len(names))
    weights = np.linalg.solve(gram, standard.T @ (traits - middle))
    made = {
        trait: {"": round(float(middle[k]), 4)}
        | {name: round(float(w), 4) for name, w in zip(names, weights[:, k], strict=True)}
        for k, trait in enumerate(levels.TRAITS)
    }
    as_dict = [
        {name: round(float(v), 4) for name, v in zip(names, values, strict=True)}
        for values in (means, spreads)
    ]
    return as_dict[0], as_dict[1], made


def measured(months: int, count: int, seed: int) -> list[tuple[dict[str, float], list[float]]]:
    """The signs and the traits of so many people."""
    spec = MadeSpec(seed=seed, months=months, multimodal=False)
    people = []
    for index in range(count):
        life = make_life(spec, index)
        desk = rows_of(make_records(life, spec))
        people.append((levels.signs(desk.of), list(life.traits.scores())))
    return people


def main() -> int:
    """Write the norms; the exit code."""
    means, spreads, weights = fit(measured(3, PEOPLE, SEED))
    target = Path(levels.__file__).with_name("level_norms.py")
    parts = [
        f"MEANS: Final[Mapping[str, float]] = {means}",
        f"SPREADS: Final[Mapping[str, float]] = {spreads}",
        f"WEIGHTS: Final[Mapping[str, Mapping[str, float]]] = {weights}",
    ]
    target.write_text("\n".join([_HEAD, *parts]) + "\n", encoding="utf-8")
    print(f"{target} is written; run ruff format on it")
    return 0


if __name__ == "__main__":
    sys.exit(main())
