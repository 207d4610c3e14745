"""Capabilities: means over the tasks of a label, and over the labels of a family."""

from __future__ import annotations

import pytest

from deskgym.tasks.schema import Capabilities
from deskgym.tasks.scoring.capabilities import FamilyScore, capability_scores, label_values


def test_a_family_is_the_plain_mean_over_its_labels() -> None:
    search, perception, reasoning = capability_scores(
        [
            (Capabilities(search=("time",), reasoning=("count", "lookup")), 1.0),
            (Capabilities(search=("time",), reasoning=("lookup",)), 0.0),
            (Capabilities(search=("time",)), 0.5),
            (Capabilities(search=("place",)), 1.0),
        ]
    )
    assert [(label.label, label.n, label.mean) for label in search.labels] == [
        ("place", 1, 1.0),
        ("time", 3, 0.5),
    ]
    # Not 2.5 / 4, the mean over tasks: each label counts the same.
    assert search.mean == 0.75
    assert perception == FamilyScore(family="perception", mean=None, labels=())
    assert [(label.label, label.mean) for label in reasoning.labels] == [
        ("count", 1.0),
        ("lookup", 0.5),
    ]
    assert reasoning.mean == 0.75


def test_a_label_named_twice_by_a_task_counts_once() -> None:
    search = capability_scores(
        [(Capabilities(search=("a", "a")), 1.0), (Capabilities(search=("a",)), 0.0)]
    )[0]
    assert (search.labels[0].n, search.labels[0].mean) == (2, 0.5)


def test_the_same_label_in_two_families_is_two_labels() -> None:
    scored = [(Capabilities(search=("time",), reasoning=("time",)), 0.25)]
    assert [family.mean for family in capability_scores(scored)] == [0.25, None, 0.25]


def test_no_tasks() -> None:
    assert [family.mean for family in capability_scores([])] == [None, None, None]


def test_the_values_of_a_label_are_at_hand_for_intervals() -> None:
    values = label_values([(Capabilities(perception=("image",)), x) for x in (0.1, 0.9)])
    assert values["perception"]["image"] == pytest.approx([0.1, 0.9])
