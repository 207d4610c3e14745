"""Answers score to the traits, in many ways."""

from __future__ import annotations

import pytest

from deskgym.tasks.made.inventory import answer, domain_score, facet_score, keyed
from deskgym.tasks.made.items import FACETS, KEYS, STATEMENTS, facet_of
from deskgym.tasks.made.models import Answers
from deskgym.tasks.made.traits import DOMAINS, HIGHEST, LOWEST, TraitModel, Traits, draw_traits

PEOPLE = 1_000


def test_the_keys_have_the_published_structure() -> None:
    numbers = sorted(abs(key) for keys in KEYS.values() for key in keys)
    assert numbers == list(range(1, 61))
    assert sorted(facet for facets in FACETS.values() for facet in facets) == sorted(KEYS)
    # Half of each facet's four statements, and half of all, count in reverse.
    assert all(sum(key < 0 for key in keys) == 2 for keys in KEYS.values())
    assert KEYS["sociability"] == (1, -16, -31, 46)
    assert facet_of(45) == ("imagination", True)
    with pytest.raises(KeyError):
        facet_of(61)


def test_there_are_sixty_different_statements_without_trait_words() -> None:
    assert len(set(STATEMENTS)) == 60
    words = " ".join(STATEMENTS).lower()
    for word in ("extraver", "introver", "conscient", "agreeab", "neurot", "openness", "sociable"):
        assert word not in words


def test_scores_equal_the_traits_of_a_thousand_people() -> None:
    model = TraitModel()
    for index in range(PEOPLE):
        traits = draw_traits(model, 3, index)
        answers = answer(traits, 3, index)
        for domain, score in zip(DOMAINS, traits.scores(), strict=True):
            # Half a Likert step is asked for; a twelfth of half a step is what can be had.
            assert abs(domain_score(answers, domain) - score) <= 0.5 / 12 + 1e-9


def test_two_seeds_of_the_same_traits_differ_in_a_third_of_the_answers() -> None:
    model = TraitModel()
    for index in range(200):
        traits = draw_traits(model, 3, index)
        one, other = answer(traits, 1, index), answer(traits, 2, index)
        assert sum(a != b for a, b in zip(one.items, other.items, strict=True)) >= 20


@pytest.mark.parametrize("edge", [LOWEST, HIGHEST])
def test_the_ends_of_the_scale_can_be_answered(edge: float) -> None:
    traits = Traits(o=edge, c=edge, e=edge, a=edge, n=edge, z=(0, 0, 0, 0, 0))
    answers = answer(traits, 0, "edge")
    assert all(1 <= item <= 5 for item in answers.items)
    assert all(abs(domain_score(answers, d) - edge) <= 0.05 for d in DOMAINS)


def test_answers_in_reverse_are_turned_round() -> None:
    answers = Answers(items=tuple([5] + [1] * 59))
    assert (keyed(answers, 1), keyed(answers, -16)) == (5, 5)
    assert facet_score(answers, "sociability") == (5 + 5 + 5 + 1) / 4
