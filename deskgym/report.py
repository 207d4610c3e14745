"""What a run came to: averages over its episodes, as plain values and as tables.

Averages are over instances (episodes), never over averages. Episodes without gold files or
evidence (unanswerable tasks) are left out of the file and evidence columns, as the published
benchmark does; a column with nothing to average is ``None`` and shown as a dash.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Any

from rich import box
from rich.table import Table

from deskgym.env.trajectory import EpisodeResult

JUDGE = "lexical"
ALL = "all"


@dataclass(frozen=True)
class Averages:
    """Means over ``n`` episodes; each in [0, 1] but ``steps`` and ``invalid_actions``."""

    n: int
    aborted: int
    answer: float | None
    answerable: float | None
    unanswerable: float | None
    exact_match: float | None
    file_precision: float | None
    file_recall: float | None
    file_f1: float | None
    touched_recall: float | None
    evidence_recall: float | None
    readable_recall: float | None
    cited_evidence_f1: float | None
    steps: float | None
    invalid_actions: float | None


@dataclass(frozen=True)
class Row:
    """The averages of one agent over one group of tasks: a person's, or a family's."""

    agent: str
    group: str
    averages: Averages


@dataclass(frozen=True)
class Report:
    """A run's rows by person and by task family. ``judge`` says how answers were compared."""

    judge: str
    by_person: tuple[Row, ...]
    by_family: tuple[Row, ...]

    def as_json(self) -> dict[str, Any]:
        """Plain values, ready for ``json.dumps``."""
        return {
            "judge": self.judge,
            "by_person": [_flat(row, "profile") for row in self.by_person],
            "by_family": [_flat(row, "family") for row in self.by_family],
        }

    def tables(self) -> list[Table]:
        """The two tables, ready to print."""
        note = f"judge: {self.judge}"
        return [
            _table("By person", "person", self.by_person, note),
            _table("By task family", "family", self.by_family, note),
        ]


def make_report(results: Iterable[EpisodeResult]) -> Report:
    """The report of ``results``; agents and people stand in the order of first appearance."""
    found = list(results)
    return Report(
        judge=JUDGE,
        by_person=_rows(found, lambda r: r.profile_id),
        by_family=_rows(found, family),
    )


def family(result: EpisodeResult) -> str:
    """The task family: unanswerable, factual_retention, or the subtype of profiling."""
    if not result.answerable:
        return "unanswerable"
    return result.profiling_type or result.qa_type


def averages(results: Sequence[EpisodeResult]) -> Averages:
    """The means over ``results``."""
    scores = [r.scores for r in results]
    cited = [s.files_cited for s in scores if s.files_cited is not None]
    touched = [s.files_touched for s in scores if s.files_touched is not None]
    evidence = [s.evidence for s in scores if s.evidence is not None]
    return Averages(
        n=len(results),
        aborted=sum(r.ended == "aborted" for r in results),
        answer=_mean(s.answer.score for s in scores),
        answerable=_mean(r.scores.answer.score for r in results if r.answerable),
        unanswerable=_mean(r.scores.answer.score for r in results if not r.answerable),
        exact_match=_mean(s.answer.exact_match for s in scores),
        file_precision=_mean(f.precision for f in cited),
        file_recall=_mean(f.recall for f in cited),
        file_f1=_mean(f.f1 for f in cited),
        touched_recall=_mean(f.recall for f in touched),
        evidence_recall=_mean(e.exposed_recall for e in evidence),
        readable_recall=_mean(e.readable_recall for e in evidence if e.readable_recall is not None),
        cited_evidence_f1=_mean(e.cited_f1 for e in evidence),
        steps=_mean(float(r.steps) for r in results),
        invalid_actions=_mean(float(r.invalid_actions) for r in results),
    )


def _mean(values: Iterable[float]) -> float | None:
    found = list(values)
    return fmean(found) if found else None


def _rows(
    results: Sequence[EpisodeResult], group_of: Callable[[EpisodeResult], str]
) -> tuple[Row, ...]:
    groups: dict[str, dict[str, list[EpisodeResult]]] = {}
    for result in results:
        groups.setdefault(result.agent, {}).setdefault(group_of(result), []).append(result)
    rows = []
    for agent, own in groups.items():
        rows += [Row(agent, group, averages(members)) for group, members in own.items()]
        if len(own) > 1:
            everything = [result for members in own.values() for result in members]
            rows.append(Row(agent, ALL, averages(everything)))
    return tuple(rows)


def _flat(row: Row, group_name: str) -> dict[str, Any]:
    return {"agent": row.agent, group_name: row.group, **asdict(row.averages)}


# What the tables show of the averages: header, and the cell's text.
_COLUMNS: tuple[tuple[str, Callable[[Averages], str]], ...] = (
    ("n", lambda a: str(a.n)),
    ("answer", lambda a: _share(a.answerable)),
    ("abstain", lambda a: _share(a.unanswerable)),
    ("exact", lambda a: _share(a.exact_match)),
    ("file\nP", lambda a: _share(a.file_precision)),
    ("file\nR", lambda a: _share(a.file_recall)),
    ("file\nF1", lambda a: _share(a.file_f1)),
    ("touched\nrecall", lambda a: _share(a.touched_recall)),
    ("evid.\nrecall", lambda a: _share(a.evidence_recall)),
    ("readable\nrecall", lambda a: _share(a.readable_recall)),
    ("steps", lambda a: _number(a.steps)),
    ("invalid", lambda a: _number(a.invalid_actions)),
    ("aborted", lambda a: str(a.aborted)),
)
LEGEND = (
    "answer: score on answerable tasks; abstain: score on unanswerable ones; file P, R, F1: of the "
    "files cited; touched recall: gold files opened; evid. recall: gold evidence shown; readable "
    "recall: of that which does not lie in sound or video"
)


def _table(title: str, group_name: str, rows: Sequence[Row], note: str) -> Table:
    table = Table(
        title=f"{title} ({note})",
        title_justify="left",
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        show_edge=False,
    )
    table.add_column("agent", no_wrap=True)
    table.add_column(group_name, no_wrap=True)
    for header, _ in _COLUMNS:
        table.add_column(header, justify="right", no_wrap=True)
    for index, row in enumerate(rows):
        last_of_agent = index + 1 == len(rows) or rows[index + 1].agent != row.agent
        table.add_row(
            row.agent,
            row.group,
            *(cell(row.averages) for _, cell in _COLUMNS),
            style="bold" if row.group == ALL else None,
            end_section=last_of_agent,
        )
    return table


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"
