"""What a run came to: averages over its episodes, as plain values.

Averages are over instances (episodes), never over averages, and come with a bootstrap interval.
Episodes without gold files or evidence (unanswerable tasks) are left out of the file and evidence
columns, as the published benchmark does; so are answers that a judge left unscored out of what it
says. What has nothing to average is ``None``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from deskgym.env.trajectory import EpisodeResult, EpisodeScore
from deskgym.report_cases import LEXICAL, Case, judge_line, make_cases
from deskgym.report_levels import LevelRow, TraitRow, level_rows, trait_rows
from deskgym.report_parts import (
    Capability,
    DiagnosisRow,
    DifficultyBin,
    Latency,
    ToolUse,
    capability_rows,
    coverage_curves,
    diagnosis_rows,
    difficulty_bins,
    latency_rows,
    tool_rows,
)
from deskgym.report_use import (
    AttemptRow,
    FaultRow,
    InjectionRow,
    ModelRow,
    attempt_rows,
    fault_rows,
    injection_rows,
    model_rows,
)
from deskgym.tasks.scoring.statistics import Interval, mean_interval

ALL: Final = "all"

Measure = Callable[[Case], float | None]


def _part(part: str, name: str) -> Measure:
    """A value of a part of the scores that not every episode has."""

    def measure(case: Case) -> float | None:
        own = getattr(case.scores, part)
        return None if own is None else getattr(own, name)

    return measure


MEASURES: Final[Mapping[str, Measure]] = {
    "answer": lambda c: c.scores.answer.score,
    "answerable": lambda c: c.scores.answer.score if c.answerable else None,
    "unanswerable": lambda c: None if c.answerable else c.scores.answer.score,
    "accuracy": lambda c: _right(c),
    "accuracy_answerable": lambda c: _right(c) if c.answerable else None,
    "accuracy_unanswerable": lambda c: None if c.answerable else _right(c),
    "grade": lambda c: None if c.judge is None or c.judge.grade is None else float(c.judge.grade),
    "exact_match": lambda c: c.scores.answer.exact_match,
    "token_f1": lambda c: c.scores.answer.token_f1,
    "rouge_l": lambda c: c.scores.answer.rouge_l,
    "bleu": lambda c: c.bleu,
    "file_precision": _part("files_cited", "precision"),
    "file_recall": _part("files_cited", "recall"),
    "file_f1": _part("files_cited", "f1"),
    "touched_recall": _part("files_touched", "recall"),
    "evidence_recall": _part("evidence", "exposed_recall"),
    "readable_recall": _part("evidence", "readable_recall"),
    "cited_evidence_f1": _part("evidence", "cited_f1"),
    "steps": lambda c: float(c.steps),
    "invalid_actions": lambda c: float(c.invalid_actions),
}
"""What is averaged, by name; ``None`` where an episode has no part in it. All lie in [0, 1] but
``grade`` (0 to 5), ``steps`` and ``invalid_actions``."""


@dataclass(frozen=True)
class Averages:
    """Means over ``n`` episodes by the names of `MEASURES`, each with its interval.

    ``unscored`` counts the answers that a judge left out.
    """

    n: int
    aborted: int
    unscored: int
    means: Mapping[str, Interval | None]

    def __getitem__(self, name: str) -> float | None:
        """The mean of that name."""
        interval = self.means[name]
        return None if interval is None else interval.mean

    def as_json(self) -> dict[str, Any]:
        """Counts and means, and the intervals as [low, high] below ``intervals``."""
        return {
            "n": self.n,
            "aborted": self.aborted,
            "unscored": self.unscored,
            **{name: self[name] for name in self.means},
            "intervals": {
                name: [own.low, own.high] for name, own in self.means.items() if own is not None
            },
        }


@dataclass(frozen=True)
class Row:
    """The averages of one agent over one group of tasks: a person's, a family's, a label's."""

    agent: str
    group: str
    averages: Averages


@dataclass(frozen=True)
class Report:
    """All that is said of a run. ``judge`` says how answers were compared.

    What needs scores (capabilities and below) is empty if the run has none.
    """

    judge: str
    unscored: int
    by_person: tuple[Row, ...]
    by_family: tuple[Row, ...]
    by_label: tuple[Row, ...]
    capabilities: tuple[Capability, ...]
    difficulty: tuple[DifficultyBin, ...]
    diagnosis: tuple[DiagnosisRow, ...]
    tools: tuple[ToolUse, ...]
    latency: tuple[Latency, ...]
    coverage: Mapping[str, tuple[float, ...]]
    models: tuple[ModelRow, ...] = ()
    attempts: tuple[AttemptRow, ...] = ()
    faults: tuple[FaultRow, ...] = ()
    injected: tuple[InjectionRow, ...] = ()
    levels: tuple[LevelRow, ...] = ()
    traits: tuple[TraitRow, ...] = ()

    @property
    def judged(self) -> bool:
        """Whether a language model compared the answers."""
        return self.judge != LEXICAL

    def as_json(self) -> dict[str, Any]:
        """Plain values, ready for ``json.dumps``."""
        return {
            "judge": self.judge,
            "unscored": self.unscored,
            "by_person": [_flat(row, "profile") for row in self.by_person],
            "by_family": [_flat(row, "family") for row in self.by_family],
            "by_label": [_flat(row, "label") for row in self.by_label],
            "capabilities": [row.as_json() for row in self.capabilities],
            "difficulty": [row.as_json() for row in self.difficulty],
            "diagnosis": [row.as_json() for row in self.diagnosis],
            "tools": [row.as_json() for row in self.tools],
            "latency": [row.as_json() for row in self.latency],
            "models": [row.as_json() for row in self.models],
            "attempts": [row.as_json() for row in self.attempts],
            "faults": [row.as_json() for row in self.faults],
            "injected": [row.as_json() for row in self.injected],
            "levels": [row.as_json() for row in self.levels],
            "traits": [row.as_json() for row in self.traits],
            "coverage": {agent: list(curve) for agent, curve in self.coverage.items()},
        }


def make_report(
    results: Iterable[EpisodeResult], scores: Iterable[EpisodeScore] | None = None
) -> Report:
    """The report of ``results`` and of what was derived of them.

    Raises:
        ReportError: there are scores, but not exactly one for each result.
    """
    return report_of(make_cases(results, scores))


def report_of(cases: Sequence[Case]) -> Report:
    """The report of ``cases``; agents and groups stand in the order of first appearance."""
    judge = judge_line(cases)
    scored = [case for case in cases if case.has_score]

    def mark(case: Case) -> float | None:
        return case.scores.answer.score if judge == LEXICAL else _right(case)

    return Report(
        judge=judge,
        unscored=sum(case.unscored for case in cases),
        by_person=_rows(cases, lambda c: (c.profile,), total=True),
        by_family=_rows(cases, lambda c: (c.family,), total=True),
        by_label=_rows(cases, lambda c: c.labels, total=False),
        capabilities=capability_rows(scored, mark),
        difficulty=difficulty_bins(scored, mark),
        diagnosis=diagnosis_rows(scored),
        tools=tool_rows(scored),
        latency=latency_rows(scored),
        coverage=coverage_curves(cases),
        models=model_rows(cases),
        attempts=attempt_rows(cases),
        faults=fault_rows(cases),
        injected=injection_rows(cases),
        levels=level_rows(cases, mark),
        traits=trait_rows(cases),
    )


def averages(cases: Collection[Case]) -> Averages:
    """The means over ``cases``."""
    means: dict[str, Interval | None] = {}
    for name, measure in MEASURES.items():
        values = [value for value in map(measure, cases) if value is not None]
        means[name] = mean_interval(values) if values else None
    return Averages(
        n=len(cases),
        aborted=sum(c.ended == "aborted" for c in cases),
        unscored=sum(c.unscored for c in cases),
        means=means,
    )


def _right(case: Case) -> float | None:
    return None if case.correct is None else float(case.correct)


def _rows(
    cases: Iterable[Case], groups_of: Callable[[Case], tuple[str, ...]], *, total: bool
) -> tuple[Row, ...]:
    """A row for each agent and group, and with ``total`` one over each agent's groups."""
    groups: dict[str, dict[str, list[Case]]] = {}
    for case in cases:
        for group in groups_of(case):
            groups.setdefault(case.agent, {}).setdefault(group, []).append(case)
    rows = []
    for agent, own in groups.items():
        rows += [Row(agent, group, averages(members)) for group, members in own.items()]
        if total and len(own) > 1:
            everything = [case for members in own.values() for case in members]
            rows.append(Row(agent, ALL, averages(everything)))
    return tuple(rows)


def _flat(row: Row, group_name: str) -> dict[str, Any]:
    return {"agent": row.agent, group_name: row.group, **row.averages.as_json()}
