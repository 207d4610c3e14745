"""Rewards by name: pure functions of an episode's scores and of its evidence coverage.

=============  ==================================================================================
``sparse``     the answer's score, in [0, 1], at the end; nothing before
``grounded``   the answer's score times the F1 of its citations against the gold evidence (the
               answer's score alone where there is no gold evidence: unanswerable tasks)
``shaped``     as ``sparse``, plus at each step ``W * (phi(s') - phi(s))``, where ``phi`` is the
               share of the gold evidence exposed so far and 0 at the end. Potential-based
               shaping (Ng, Harada and Russell, 1999, with gamma 1): it sums to zero over an
               episode, and so leaves the best policy what it was
=============  ==================================================================================
"""

from __future__ import annotations

from collections.abc import Callable

from deskgym.env.trajectory import Scores

SHAPING_WEIGHT = 0.5


def _sparse(scores: Scores) -> dict[str, float]:
    return {"answer": scores.answer.score}


def _grounded(scores: Scores) -> dict[str, float]:
    grounding = 1.0 if scores.evidence is None else scores.evidence.cited_f1
    return {"answer_x_evidence_f1": scores.answer.score * grounding}


_TERMS: dict[str, Callable[[Scores], dict[str, float]]] = {
    "sparse": _sparse,
    "grounded": _grounded,
    "shaped": _sparse,
}


def check_reward(name: str) -> str:
    """``name`` itself, if it is a reward's.

    Raises:
        ValueError: it is not; the message lists them.
    """
    if name not in _TERMS:
        raise ValueError(f"no reward {name!r}; there are {', '.join(_TERMS)}")
    return name


def final_terms(name: str, scores: Scores) -> dict[str, float]:
    """The terms that the end of an episode adds."""
    return _TERMS[name](scores)


def shaping(name: str, before: float, after: float) -> float:
    """What a step adds that moves the evidence coverage from ``before`` to ``after``."""
    return SHAPING_WEIGHT * (after - before) if name == "shaped" else 0.0
