"""The questionnaire: answers that fit given traits, and the traits that given answers show."""

from __future__ import annotations

from deskgym.tasks.made.items import FACETS, KEYS, Facet
from deskgym.tasks.made.models import Answers
from deskgym.tasks.made.seeds import random_for
from deskgym.tasks.made.traits import DOMAINS, Traits

ITEMS = 60
# Spread of a facet around its domain, and of a single answer around its facet, in Likert steps.
# Facets differ less than answers do, as in published questionnaires.
FACET_SPREAD = 0.45
ANSWER_SPREAD = 0.95


def keyed(answers: Answers, key: int) -> int:
    """The answer that ``key`` stands for, turned round if the key is below zero."""
    return answers.item(key) if key > 0 else 6 - answers.item(-key)


def facet_score(answers: Answers, facet: Facet) -> float:
    """The mean of the facet's four answers, 1..5, those in reverse turned round."""
    return sum(keyed(answers, key) for key in KEYS[facet]) / len(KEYS[facet])


def domain_score(answers: Answers, domain: str) -> float:
    """The mean of the domain's twelve answers, 1..5, those in reverse turned round."""
    return sum(facet_score(answers, facet) for facet in FACETS[domain]) / len(FACETS[domain])


def answer(traits: Traits, seed: int, *names: object) -> Answers:
    """Answers whose five domain scores match ``traits`` within half of 1/12 of a Likert step.

    For each domain every facet gets an offset of its own and every answer some noise; then
    answers picked at random are moved by one until the twelve add up to the whole number nearest
    to twelve times the trait. So the score is right and the way to it differs from seed to seed.
    """
    raw = [0] * ITEMS
    for domain, target in zip(DOMAINS, traits.scores(), strict=True):
        chance = random_for(seed, "answers", domain, *names)
        keys, values = [], []
        for facet in FACETS[domain]:
            middle = target + chance.gauss(0, FACET_SPREAD)
            for key in KEYS[facet]:
                keys.append(key)
                values.append(_step(chance.gauss(middle, ANSWER_SPREAD)))
        missing = round(12 * target) - sum(values)
        while missing:
            by = 1 if missing > 0 else -1
            movable = [at for at, value in enumerate(values) if 1 <= value + by <= 5]
            values[chance.choice(movable)] += by
            missing -= by
        for key, value in zip(keys, values, strict=True):
            raw[abs(key) - 1] = value if key > 0 else 6 - value
    return Answers(items=tuple(raw))


def _step(value: float) -> int:
    """The nearest point of the 1..5 scale."""
    return min(5, max(1, round(value)))
