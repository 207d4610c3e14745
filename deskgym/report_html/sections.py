"""What stands above the episodes: the run's facts, its averages, its charts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from typing import Any, Final, TypeVar

from deskgym.env.trajectory import RunConfig
from deskgym.report import ALL, Report, Row
from deskgym.report_cases import Case
from deskgym.report_html import charts, levels, use
from deskgym.report_html.escaping import escaped
from deskgym.report_html.page import Section
from deskgym.report_parts import FAILURES, UNEXPLAINED, by_agent
from deskgym.tasks.scoring.statistics import Interval

_T = TypeVar("_T")

_MANY_NAMES: Final = 12
_ANSWERS: Final = (("answer", "answerable", 3), ("abstain", "unanswerable", 3))
_JUDGED: Final = (
    ("answer", "accuracy_answerable", 3),
    ("abstain", "accuracy_unanswerable", 3),
    ("grade", "grade", 1),
)
_REST: Final = (
    ("exact", "exact_match", 3),
    ("file P", "file_precision", 3),
    ("file R", "file_recall", 3),
    ("file F1", "file_f1", 3),
    ("touched recall", "touched_recall", 3),
    ("evidence recall", "evidence_recall", 3),
    ("cited evidence F1", "cited_evidence_f1", 3),
    ("steps", "steps", 1),
    ("invalid", "invalid_actions", 1),
)


def summary(config: RunConfig, report: Report, cases: Sequence[Case]) -> list[Section]:
    """The sections of a run, in the order of the page; those with nothing to say are left out."""
    what = "share of right answers" if report.judged else "answer score"
    made = [
        Section("run", "Run", _facts(config, report, cases)),
        Section("scores", "Scores", _scores(report)),
        Section("levels", "Levels", levels.tables(report)),
        Section("capabilities", "Capabilities", _capabilities(report, what)),
        Section("difficulty", "Difficulty", _difficulty(report, what)),
        Section("evidence", "Evidence", _evidence(report)),
        Section("diagnosis", "Diagnosis", _diagnosis(report)),
        Section("tools", "Tools", _tools(report)),
        Section("time", "Time", _time(report, cases)),
        Section("models", "Models", use.tables(report)),
    ]
    return [section for section in made if section.body]


def _facts(config: RunConfig, report: Report, cases: Sequence[Case]) -> str:
    planned = len(config.tasks) * len(config.agents)
    facts = {
        "episodes": f"{len(cases):,} finished of {planned:,} planned",
        "judge": report.judge,
        "data set": _with_options(config.dataset, config.dataset_options),
        "people": _names(config.profiles),
        "agents": _names(config.agents),
        "agent settings": _with_options("", config.agent_config),
        "retrieval": _with_options("", config.retrieval),
        "retries": str(config.retries) if config.retries else "",
        "tools": _names(config.tools, most=len(config.tools)),
        "steps at most": str(config.max_steps),
        "reward": config.reward,
        "seed": str(config.seed),
        "started": f"{config.started:%Y-%m-%d %H:%M %Z}".strip(),
        "deskgym": config.deskgym_version,
        "sandbox": f"{config.sandbox}, image {config.image_digest}",
        "data set digest": config.dataset_digest,
    }
    rows = "".join(
        f"<dt>{name}</dt><dd>{escaped(value)}</dd>" for name, value in facts.items() if value
    )
    return f'<dl class="facts">{rows}</dl>\n'


def _scores(report: Report) -> str:
    return (
        _averages("By person", "person", report.by_person, report)
        + _averages("By task family", "family", report.by_family, report)
        + _averages("By label", "label", report.by_label, report)
        + '<p class="note">'
        + (
            "Answer and abstain: share that the judge calls right of the answerable and of the "
            "unanswerable tasks; grade: the judge’s, 0 to 5. What it left unscored is in no "
            "average of its own. "
            if report.judged
            else "Answer and abstain: score on answerable and on unanswerable tasks. "
        )
        + "File P, R, F1: of the files cited. Touched recall: gold files opened. Evidence recall: "
        "gold evidence shown. Small figures: 95% bootstrap interval.</p>\n"
    )


def _averages(title: str, group_name: str, rows: Sequence[Row], report: Report) -> str:
    if not rows:
        return ""
    columns = (*(_JUDGED if report.judged else _ANSWERS), *_REST)
    counts = ("n", "unscored", "aborted") if report.judged else ("n", "aborted")
    header = ["agent", group_name, counts[0], *(name for name, _, _ in columns), *counts[1:]]
    top = "".join(
        f'<th scope="col"{_TEXT if at < 2 else ""}>{name}</th>' for at, name in enumerate(header)
    )
    body = []
    for at, row in enumerate(rows):
        own = row.averages
        last = at + 1 < len(rows) and rows[at + 1].agent != row.agent
        style = " ".join([*(["all"] if row.group == ALL else []), *(["last"] if last else [])])
        cells = [f"<td>{own.n}</td>"]
        cells += [_mean(own.means[name], digits) for _, name, digits in columns]
        cells += [f"<td>{own.unscored}</td>"] if report.judged else []
        cells += [f"<td>{own.aborted}</td>"]
        body.append(
            f'<tr class="{style}"><td class="text">{escaped(row.agent)}</td>'
            f'<th scope="row">{escaped(row.group)}</th>{"".join(cells)}</tr>\n'
        )
    return (
        f"<h3>{title}</h3>\n"
        f'<div class="scroll" role="region" aria-label="{title}" tabindex="0"><table>'
        f"<thead><tr>{top}</tr></thead>\n<tbody>{''.join(body)}</tbody></table></div>\n"
    )


_TEXT: Final = ' class="text"'


def _mean(interval: Interval | None, digits: int) -> str:
    if interval is None:
        return '<td class="muted">–</td>'
    span = ""
    if interval.low != interval.high:
        few = min(digits, 2)
        span = f"<small>{interval.low:.{few}f}–{interval.high:.{few}f}</small>"
    return f"<td>{interval.mean:.{digits}f}{span}</td>"


def _capabilities(report: Report, what: str) -> str:
    figures = []
    for agent, rows in _grouped(report.capabilities, lambda row: row.agent):
        ordered = []
        for _, own in _grouped(rows, lambda row: row.family):
            # A family's own bar stands above those of its labels.
            ordered += sorted(own, key=lambda row: row.label is not None)
        figures.append(
            charts.bars(
                f"{agent}: {what} by capability",
                [row.family if row.label is None else f"– {row.label}" for row in ordered],
                [row.score.mean for row in ordered],
                intervals=[(row.score.low, row.score.high) for row in ordered],
                upto=1.0,
            )
        )
    return _figures(
        figures, "A family’s value is the plain mean over its labels, whatever their counts."
    )


def _difficulty(report: Report, what: str) -> str:
    figures = [
        charts.points(
            f"{agent}: {what} by difficulty",
            [
                (
                    (row.low + row.high) / 2,
                    row.score.mean,
                    row.score.low,
                    row.score.high,
                    row.score.n,
                )
                for row in rows
            ],
            "difficulty",
            what,
            upto=1.0,
            across=(0, 100),
        )
        for agent, rows in _grouped(report.difficulty, lambda row: row.agent)
    ]
    return _figures(
        figures, "Means over bins of 5 points, with their intervals; above them the tasks’ number."
    )


def _evidence(report: Report) -> str:
    if not report.coverage:
        return ""
    longest = max(len(curve) for curve in report.coverage.values())
    lines = {
        agent: list(enumerate((*curve, *[curve[-1]] * (longest - len(curve)))))
        for agent, curve in report.coverage.items()
    }
    figure = charts.curves(
        "Gold evidence shown by step", lines, "step", "mean share shown", upto=1.0
    )
    return _figures([figure], "An episode that has ended keeps its last value.")


def _diagnosis(report: Report) -> str:
    figures = []
    for agent, rows in _grouped(report.diagnosis, lambda row: row.agent):
        parts = {
            "right": [float(row.right) for row in rows],
            **{
                name: [float(row.failures[name]) for row in rows]
                for name in (*FAILURES, UNEXPLAINED)
            },
            "unscored": [float(row.unscored) for row in rows],
        }
        # A series keeps its colour whichever others there are.
        figures.append(
            charts.stacked(
                f"{agent}: what became of the answers",
                [row.family for row in rows],
                {name: own for name, own in parts.items() if any(own) or name in FAILURES},
            )
        )
    return _figures(figures, "Episodes by task family: right, or the first failure that holds.")


def _tools(report: Report) -> str:
    figures = [
        charts.bars(
            f"{agent}: uses of a tool an episode",
            [row.tool for row in rows],
            [row.per_episode.mean for row in rows],
            intervals=[(row.per_episode.low, row.per_episode.high) for row in rows],
        )
        for agent, rows in _grouped(report.tools, lambda row: row.agent)
    ]
    return _figures(figures)


def _time(report: Report, cases: Sequence[Case]) -> str:
    inside = {row.agent: row.env_seconds for row in report.latency}
    whole = {row.agent: row for row in report.latency}
    figures, notes = [], []
    for agent, own in by_agent(cases).items():
        seconds = [case.seconds for case in own if case.seconds is not None]
        if not seconds:
            continue
        figures.append(charts.histogram(f"{agent}: seconds an episode", seconds, unit="s"))
        row, part = whole[agent], inside[agent]
        notes.append(
            f"{agent}: mean {row.seconds.mean:.2f} s, median {row.median:.2f} s, "
            f"90% within {row.p90:.2f} s"
            + ("" if part is None else f"; {part.mean:.2f} s of it in the environment")
            + (
                ""
                if row.model_seconds is None
                else f", {row.model_seconds.mean:.2f} s waiting for the model"
            )
        )
    return _figures(figures, ". ".join(notes) + ".") if figures else ""


def _figures(figures: Sequence[str], note: str = "") -> str:
    if not figures:
        return ""
    below = f'<p class="note">{escaped(note)}</p>\n' if note else ""
    return f'<div class="charts">\n{"".join(figures)}</div>\n{below}'


def _grouped(rows: Sequence[_T], key: Callable[[_T], str]) -> list[tuple[str, list[_T]]]:
    """Runs of neighbouring rows with one key."""
    return [(name, list(own)) for name, own in groupby(rows, key)]


def _names(names: Sequence[str], *, most: int = _MANY_NAMES) -> str:
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")


def _with_options(name: str, options: Mapping[str, Any]) -> str:
    shown = ", ".join(f"{key} {value}" for key, value in options.items())
    return f"{name} ({shown})" if name and shown else name or shown
