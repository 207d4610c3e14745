"""Scores by the capability that a task asks for (HippoCamp, appendix D.4.3).

Each task carries labels in three families: search, perception, reasoning. A label's score is the
mean over the tasks that carry it,

    s(l) = sum of score(t) over tasks t with l / number of tasks with l,

and a family's is the plain mean over its labels, each counting the same however many tasks it has:

    S(f) = sum of s(l) over labels l of f / number of labels of f.
"""

from __future__ import annotations

from collections.abc import Iterable
from statistics import fmean
from typing import Literal

from pydantic import BaseModel, ConfigDict

from deskgym.tasks.schema import Capabilities

CapabilityFamily = Literal["search", "perception", "reasoning"]
CAPABILITY_FAMILIES: tuple[CapabilityFamily, ...] = ("search", "perception", "reasoning")


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class LabelScore(_Model):
    """The mean over the ``n`` tasks that carry a label."""

    label: str
    n: int
    mean: float


class FamilyScore(_Model):
    """The unweighted mean over a family's labels; None if no task carries any of them.

    Labels stand in the order of the alphabet.
    """

    family: CapabilityFamily
    mean: float | None
    labels: tuple[LabelScore, ...]


def label_values(
    scored: Iterable[tuple[Capabilities, float]],
) -> dict[CapabilityFamily, dict[str, list[float]]]:
    """For each family and label the scores of the tasks that carry it, in their order.

    A task that names a label twice counts once.
    """
    found: dict[CapabilityFamily, dict[str, list[float]]] = {f: {} for f in CAPABILITY_FAMILIES}
    for capabilities, score in scored:
        for family in CAPABILITY_FAMILIES:
            for label in dict.fromkeys(getattr(capabilities, family)):
                found[family].setdefault(label, []).append(score)
    return {family: dict(sorted(labels.items())) for family, labels in found.items()}


def capability_scores(scored: Iterable[tuple[Capabilities, float]]) -> tuple[FamilyScore, ...]:
    """The three families, in the order of `CAPABILITY_FAMILIES`, from each task's labels and
    score."""
    families = []
    for family, labels in label_values(scored).items():
        means = tuple(
            LabelScore(label=label, n=len(values), mean=fmean(values))
            for label, values in labels.items()
        )
        mean = fmean(label.mean for label in means) if means else None
        families.append(FamilyScore(family=family, mean=mean, labels=means))
    return tuple(families)
