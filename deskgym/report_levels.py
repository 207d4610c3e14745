"""Levels of understanding (Setoka): accuracy beside answer rate, and traits ranked over people.

A level is a kind of question: *semantic* (one record), *episodic* (linked records), *behaviour*
(the history added up), *trait* (who somebody is). Abstaining is an error, and is reported apart.
Traits are compared over people by Kendall's tau-b (Kendall, "The Treatment of Ties in Ranking
Problems", Biometrika, 1945), since what counts is who has more of a trait than whom.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from deskgym.report_cases import Case
from deskgym.report_parts import Mark, by_agent, interval_json
from deskgym.tasks.scoring.levels import TRAIT, kendall_tau
from deskgym.tasks.scoring.statistics import Interval, mean_interval

LEVELS: Final = ("semantic", "episodic", "behaviour", TRAIT)


@dataclass(frozen=True)
class LevelRow:
    """An agent's answers to the ``n`` questions of a level.

    ``answered`` is the share that were answered at all; ``right`` that of right answers, among all
    ``n`` (an abstention is wrong; None: a judge left all unscored).
    """

    agent: str
    level: str
    n: int
    answered: Interval
    right: Interval | None

    def as_json(self) -> dict[str, Any]:
        return {
            "agent": self.agent,
            "level": self.level,
            "n": self.n,
            "answered": interval_json(self.answered),
            "right": None if self.right is None else interval_json(self.right),
        }


@dataclass(frozen=True)
class TraitRow:
    """How an agent's levels of a trait rank ``people`` against how they are.

    ``tau`` is None where it has no meaning: fewer than two people, or all alike. ``missing`` people
    got no level; they are no part of ``tau``.
    """

    agent: str
    trait: str
    people: int
    missing: int
    tau: float | None

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def level_rows(cases: Iterable[Case], mark: Mark) -> tuple[LevelRow, ...]:
    """A row for each agent and level, from semantic to trait; none for other kinds of task."""
    rows = []
    for agent, own in by_agent(cases).items():
        for level in LEVELS:
            asked = [case for case in own if case.family == level]
            if not asked:
                continue
            marks = [value for value in map(mark, asked) if value is not None]
            rows.append(
                LevelRow(
                    agent=agent,
                    level=level,
                    n=len(asked),
                    answered=mean_interval([float(not _abstained(case)) for case in asked]),
                    right=mean_interval(marks) if marks else None,
                )
            )
    return tuple(rows)


def trait_rows(cases: Iterable[Case]) -> tuple[TraitRow, ...]:
    """A row for each agent and trait, the trait being the first label of its questions.

    Several questions about one trait of a person count as one, by the mean of their levels.
    """
    rows = []
    for agent, own in by_agent(cases).items():
        traits: dict[str, dict[str, list[tuple[float, float | None]]]] = {}
        for case in own:
            if case.family == TRAIT and case.trait is not None and case.labels:
                people = traits.setdefault(case.labels[0], {})
                people.setdefault(case.profile, []).append(case.trait)
        for trait, people in traits.items():
            pairs = [_mean(levels) for levels in people.values()]
            whole = [(gold, said) for gold, said in pairs if said is not None]
            tau = kendall_tau([gold for gold, _ in whole], [said for _, said in whole])
            rows.append(TraitRow(agent, trait, len(pairs), len(pairs) - len(whole), tau))
    return tuple(rows)


def _abstained(case: Case) -> bool:
    return case.scores.answer.abstained


def _mean(levels: Sequence[tuple[float, float | None]]) -> tuple[float, float | None]:
    golds = [gold for gold, _ in levels]
    said = [level for _, level in levels if level is not None]
    return sum(golds) / len(golds), sum(said) / len(said) if said else None
