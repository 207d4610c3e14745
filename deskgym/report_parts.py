"""The parts of a report besides its averages: capabilities, difficulty, diagnosis, tools, time.

All are pure functions of cases. ``mark`` says what an answer scored; ``None`` leaves it out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean, median
from typing import Any, Final, get_args

import numpy as np

from deskgym.report_cases import Case
from deskgym.tasks.scoring.capabilities import capability_scores, label_values
from deskgym.tasks.scoring.models import Failure
from deskgym.tasks.scoring.statistics import Interval, mean_interval

BIN: Final = 5
"""Points of difficulty that a bin spans."""
FAILURES: Final[tuple[str, ...]] = get_args(Failure)
UNEXPLAINED: Final = "unexplained"
"""A wrong answer without a diagnosis: there is no log to tell from."""

Mark = Callable[[Case], float | None]


@dataclass(frozen=True)
class Capability:
    """The mean over the tasks with a label; with ``label`` None, that of a family's labels.

    ``n`` of the interval counts tasks for a label, labels for a family.
    """

    agent: str
    family: str
    label: str | None
    score: Interval

    def as_json(self) -> dict[str, Any]:
        return {
            "agent": self.agent,
            "family": self.family,
            "label": self.label,
            **interval_json(self.score),
        }


@dataclass(frozen=True)
class DifficultyBin:
    """The mean score of the tasks whose difficulty lies in [low, high)."""

    agent: str
    low: float
    high: float
    score: Interval

    def as_json(self) -> dict[str, Any]:
        return {
            "agent": self.agent,
            "from": self.low,
            "to": self.high,
            **interval_json(self.score),
        }


@dataclass(frozen=True)
class DiagnosisRow:
    """What became of an agent's answers to a family's tasks: counts that add up to ``n``."""

    agent: str
    family: str
    n: int
    right: int
    unscored: int
    failures: Mapping[str, int]

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class ToolUse:
    """How often an agent used a tool, in how many of its ``n`` episodes, and the mean of each."""

    agent: str
    tool: str
    uses: int
    episodes: int
    n: int
    per_episode: Interval

    def as_json(self) -> dict[str, Any]:
        own = {"agent": self.agent, "tool": self.tool, "uses": self.uses}
        return {**own, "episodes": self.episodes, "per_episode": interval_json(self.per_episode)}


@dataclass(frozen=True)
class Latency:
    """How long an agent's episodes took, in seconds: from start to end, and of it in the
    environment and waiting for a model (None: it asked none)."""

    agent: str
    seconds: Interval
    median: float
    p90: float
    env_seconds: Interval | None
    model_seconds: Interval | None = None

    def as_json(self) -> dict[str, Any]:
        return {
            "agent": self.agent,
            "seconds": interval_json(self.seconds),
            "median": self.median,
            "p90": self.p90,
            "env_seconds": None if self.env_seconds is None else interval_json(self.env_seconds),
            "model_seconds": (
                None if self.model_seconds is None else interval_json(self.model_seconds)
            ),
        }


def capability_rows(cases: Iterable[Case], mark: Mark) -> tuple[Capability, ...]:
    """Each agent's labels, after each family's the mean over them (HippoCamp, D.4.3)."""
    rows: list[Capability] = []
    for agent, own in by_agent(cases).items():
        scored = [(c.capabilities, value) for c in own if (value := mark(c)) is not None]
        values = label_values(scored)
        for family in capability_scores(scored):
            labels = values[family.family]
            rows += [
                Capability(agent, family.family, label, mean_interval(found))
                for label, found in labels.items()
            ]
            if family.mean is not None:
                low, high = _family_interval(
                    [(frozenset(getattr(c, family.family)), value) for c, value in scored],
                    tuple(labels),
                )
                whole = Interval(mean=family.mean, low=low, high=high, n=len(labels))
                rows.append(Capability(agent, family.family, None, whole))
    return tuple(rows)


def difficulty_bins(cases: Iterable[Case], mark: Mark) -> tuple[DifficultyBin, ...]:
    """Each agent's bins that are not empty, upwards. 99, the most, is in the last one."""
    rows = []
    for agent, own in by_agent(cases).items():
        bins: dict[int, list[float]] = {}
        for case in own:
            value = mark(case)
            if case.difficulty is not None and value is not None:
                bins.setdefault(int(case.difficulty // BIN), []).append(value)
        rows += [
            DifficultyBin(agent, at * BIN, (at + 1) * BIN, mean_interval(bins[at]))
            for at in sorted(bins)
        ]
    return tuple(rows)


def diagnosis_rows(cases: Iterable[Case]) -> tuple[DiagnosisRow, ...]:
    """A row for each agent and family, in the order of first appearance."""
    groups: dict[tuple[str, str], list[Case]] = {}
    for case in cases:
        groups.setdefault((case.agent, case.family), []).append(case)
    order = list(dict.fromkeys(agent for agent, _ in groups))
    rows = []
    for (agent, family), own in sorted(groups.items(), key=lambda item: order.index(item[0][0])):
        counts = Counter(_failure(case) for case in own if case.correct is False)
        rows.append(
            DiagnosisRow(
                agent=agent,
                family=family,
                n=len(own),
                right=sum(case.correct is True for case in own),
                unscored=sum(case.correct is None for case in own),
                failures={name: counts[name] for name in (*FAILURES, UNEXPLAINED)},
            )
        )
    return tuple(rows)


def tool_rows(cases: Iterable[Case]) -> tuple[ToolUse, ...]:
    """Each agent's tools, the most used first; over the episodes whose log tells of any."""
    rows = []
    for agent, own in by_agent(cases).items():
        logged = [dict(case.tool_uses) for case in own if case.tool_uses]
        totals: Counter[str] = Counter()
        for uses in logged:
            totals.update(uses)
        rows += [
            ToolUse(
                agent=agent,
                tool=tool,
                uses=total,
                episodes=sum(tool in uses for uses in logged),
                n=len(logged),
                per_episode=mean_interval([float(uses.get(tool, 0)) for uses in logged]),
            )
            for tool, total in totals.most_common()
        ]
    return tuple(rows)


def latency_rows(cases: Iterable[Case]) -> tuple[Latency, ...]:
    """A row for each agent that has episodes whose time is known."""
    rows = []
    for agent, own in by_agent(cases).items():
        seconds = [c.seconds for c in own if c.seconds is not None]
        inside = [c.env_seconds for c in own if c.env_seconds is not None]
        asking = [
            c.model_seconds for c in own if c.seconds is not None and c.model_seconds is not None
        ]
        if seconds:
            rows.append(
                Latency(
                    agent=agent,
                    seconds=mean_interval(seconds),
                    median=median(seconds),
                    p90=float(np.quantile(seconds, 0.9)),
                    env_seconds=mean_interval(inside) if inside else None,
                    model_seconds=mean_interval(asking) if asking else None,
                )
            )
    return tuple(rows)


def coverage_curves(cases: Iterable[Case]) -> dict[str, tuple[float, ...]]:
    """For each agent the mean share of gold evidence that was shown by the end of each step.

    Item 0 is before the first step. An episode that has ended keeps its last value. Episodes of
    tasks without gold evidence are left out.
    """
    found = {}
    for agent, own in by_agent(c for c in cases if c.scores.evidence is not None).items():
        longest = max(len(case.coverage) for case in own)
        found[agent] = tuple(
            fmean(_held(case.coverage, step) for case in own) for step in range(longest + 1)
        )
    return found


def by_agent(cases: Iterable[Case]) -> dict[str, list[Case]]:
    """The cases of each agent; agents in the order of first appearance."""
    found: dict[str, list[Case]] = {}
    for case in cases:
        found.setdefault(case.agent, []).append(case)
    return found


def _held(coverage: Sequence[float], step: int) -> float:
    if step == 0 or not coverage:
        return 0.0
    return coverage[min(step, len(coverage)) - 1]


def _failure(case: Case) -> str:
    if case.diagnosis is None or case.diagnosis.failure is None:
        return UNEXPLAINED
    return case.diagnosis.failure


def interval_json(interval: Interval) -> dict[str, float]:
    """An interval as plain values."""
    return {
        "mean": interval.mean,
        "low": interval.low,
        "high": interval.high,
        "n": interval.n,
    }


def _family_interval(
    scored: Sequence[tuple[frozenset[str], float]],
    labels: tuple[str, ...],
    *,
    resamples: int = 2_000,
    seed: int = 0,
) -> tuple[float, float]:
    """The 95% bootstrap interval of the plain mean over labels of their mean scores.

    Tasks are drawn with replacement, and a task counts towards each label that it carries, so
    that labels of the same tasks vary together. A label that no drawn task carries is left out of
    that draw.
    """
    scored = [(own, value) for own, value in scored if own]
    carries = np.array([[label in own for label in labels] for own, _ in scored], dtype=np.float64)
    values = np.array([value for _, value in scored])
    both = np.hstack((carries, carries * values[:, None]))
    rng = np.random.default_rng(seed)
    means = []
    for _ in range(resamples):
        drawn = np.bincount(rng.integers(len(scored), size=len(scored)), minlength=len(scored))
        sums = drawn @ both
        counts, totals = sums[: len(labels)], sums[len(labels) :]
        there = counts > 0
        means.append(float((totals[there] / counts[there]).mean()))
    low, high = np.quantile(means, (0.025, 0.975)).tolist()
    return low, high
