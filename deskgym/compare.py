"""Two runs over the same tasks, set against each other task by task. Pure: no files in here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from pydantic import BaseModel, ConfigDict

from deskgym.env.trajectory import EpisodeResult, EpisodeScore, RunConfig
from deskgym.tasks.scoring.statistics import PairedDifference, paired_difference

ALL: Final = "all"
LEXICAL: Final = "lexical"
Pair = tuple[EpisodeResult, EpisodeScore]


class CompareError(ValueError):
    """Two runs that cannot be compared as asked; the message says why and what to do."""


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class MetricRow(_Model):
    """One metric over the tasks of one family, or over all of both runs.

    Only tasks that have a value in both runs count; ``difference`` is None if none has.
    """

    metric: str
    group: str
    difference: PairedDifference | None


class Flip(_Model):
    """A task that one run has right and the other wrong."""

    profile_id: str
    task_id: str
    question: str
    right_in_a: bool


class AgentComparison(_Model):
    """What two agents made of the ``n`` tasks that both were given.

    ``only_a`` and ``only_b`` count the tasks that one run alone has; ``judged_a`` and
    ``judged_b`` say by whom the answers were found right or wrong.
    """

    agent_a: str
    agent_b: str
    n: int
    only_a: int
    only_b: int
    judged_a: tuple[str, ...]
    judged_b: tuple[str, ...]
    overall: tuple[MetricRow, ...]
    by_family: tuple[MetricRow, ...]
    flips: tuple[Flip, ...]


class Row(_Model):
    """What a comparison needs of an episode: the metrics' values, None where there is none."""

    family: str
    question: str
    correct: bool | None
    judged: str
    values: dict[str, float | None]


Rows = Mapping[str, Mapping[tuple[str, str], Row]]
"""By agent, then by profile id and task id."""

Metric = Callable[[EpisodeResult, EpisodeScore], float | None]
METRICS: Final[dict[str, Metric]] = {
    "answer": lambda _, s: s.scores.answer.score,
    "correct": lambda _, s: None if s.correct is None else float(s.correct),
    "file_f1": lambda _, s: s.scores.files_cited.f1 if s.scores.files_cited else None,
    "evidence_recall": lambda _, s: s.scores.evidence.exposed_recall if s.scores.evidence else None,
    "cited_f1": lambda _, s: s.scores.evidence.cited_f1 if s.scores.evidence else None,
    "steps": lambda r, _: float(r.steps),
}
"""The metrics by name. Of ``steps`` alone, more is not better."""


def check_same_data(a: RunConfig, b: RunConfig) -> None:
    """Make sure that two runs are over the same data set.

    Raises:
        CompareError: their data sets have other digests.
    """
    if a.dataset_digest != b.dataset_digest:
        raise CompareError(
            f"the runs are over different data: {a.dataset} {a.dataset_digest[:12]} and "
            f"{b.dataset} {b.dataset_digest[:12]}; --force compares the tasks of equal ids anyway"
        )


def rows_of(episodes: Iterable[Pair], metrics: Sequence[str]) -> Rows:
    """The rows of a run's episodes.

    Raises:
        CompareError: a metric of that name is not known.
    """
    for name in metrics:
        if name not in METRICS:
            raise CompareError(f"no metric {name!r}; there are {', '.join(METRICS)}")
    rows: dict[str, dict[tuple[str, str], Row]] = {}
    for result, score in episodes:
        rows.setdefault(result.agent, {})[(result.profile_id, result.task_id)] = Row(
            family=result.family,
            question=result.question,
            correct=score.correct,
            judged=_judged(score),
            values={name: METRICS[name](result, score) for name in metrics},
        )
    return rows


def pair_agents(
    a: Sequence[str], b: Sequence[str], agent_a: str | None, agent_b: str | None
) -> list[tuple[str, str]]:
    """Which agent of the one run is set against which of the other.

    Those that are named; if one is, and the other run has one agent, that one, or else that of
    the same name. If none is named: the only one of each, or all names that both runs have.

    Raises:
        CompareError: a run has no such agent, or it is not clear which is meant.
    """
    for name, agents, run in ((agent_a, a, "first"), (agent_b, b, "second")):
        if name is not None and name not in agents:
            raise CompareError(
                f"the {run} run has no agent {name!r}; it has {', '.join(agents) or 'none'}"
            )
    if not a or not b:
        raise CompareError(f"the {'second' if a else 'first'} run has no episodes")
    from_a, from_b = [agent_a] if agent_a else list(a), [agent_b] if agent_b else list(b)
    if len(from_a) == len(from_b) == 1:
        return [(from_a[0], from_b[0])]
    same = [(name, name) for name in from_a if name in from_b]
    if not same:
        raise CompareError(
            f"the runs have no agent in common ({', '.join(a)} and {', '.join(b)}); name one of "
            "each with --agent-a and --agent-b"
        )
    return same


def compare(
    a: Mapping[tuple[str, str], Row],
    b: Mapping[tuple[str, str], Row],
    metrics: Sequence[str],
    *,
    agents: tuple[str, str],
) -> AgentComparison:
    """One agent's rows against another's, paired by profile and task; the difference is B - A.

    Families are those that the first run names, in the order of first appearance.

    Raises:
        CompareError: they have no task in common.
    """
    shared = [key for key in a if key in b]
    if not shared:
        raise CompareError(
            f"{agents[0]} and {agents[1]} were given no task in common; compare runs over the "
            "same people"
        )
    families: dict[str, list[tuple[str, str]]] = {}
    for key in shared:
        families.setdefault(a[key].family, []).append(key)
    return AgentComparison(
        agent_a=agents[0],
        agent_b=agents[1],
        n=len(shared),
        only_a=len(a) - len(shared),
        only_b=len(b) - len(shared),
        judged_a=tuple(dict.fromkeys(a[key].judged for key in shared)),
        judged_b=tuple(dict.fromkeys(b[key].judged for key in shared)),
        overall=tuple(_row(a, b, shared, metric, ALL) for metric in metrics),
        by_family=tuple(
            _row(a, b, keys, metric, family)
            for metric in metrics
            for family, keys in families.items()
        ),
        flips=tuple(_flips(a, b, shared)),
    )


def _judged(score: EpisodeScore) -> str:
    return f"{score.judge.model} ({score.judge.rubric})" if score.judge else LEXICAL


def _row(
    a: Mapping[tuple[str, str], Row],
    b: Mapping[tuple[str, str], Row],
    keys: Sequence[tuple[str, str]],
    metric: str,
    group: str,
) -> MetricRow:
    pairs = [(a[key].values[metric], b[key].values[metric]) for key in keys]
    both = [(x, y) for x, y in pairs if x is not None and y is not None]
    difference = paired_difference([x for x, _ in both], [y for _, y in both]) if both else None
    return MetricRow(metric=metric, group=group, difference=difference)


def _flips(
    a: Mapping[tuple[str, str], Row],
    b: Mapping[tuple[str, str], Row],
    keys: Sequence[tuple[str, str]],
) -> Iterable[Flip]:
    for key in keys:
        before, after = a[key].correct, b[key].correct
        if before is not None and after is not None and before != after:
            profile_id, task_id = key
            yield Flip(
                profile_id=profile_id,
                task_id=task_id,
                question=a[key].question,
                right_in_a=before,
            )
