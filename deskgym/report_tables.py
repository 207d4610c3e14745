"""A report as tables for a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeVar

from rich import box
from rich.table import Table
from rich.text import Text

from deskgym.report import ALL, Averages, Report, Row
from deskgym.report_html.escaping import plain
from deskgym.report_parts import FAILURES, UNEXPLAINED
from deskgym.report_use import Amount
from deskgym.tasks.scoring.statistics import Interval

Cell = str | Text
_T = TypeVar("_T")


def tables(report: Report) -> list[Table]:
    """The report's tables that have rows, ready to print. Below a mean stands its interval."""
    note = f"judge: {report.judge}"
    columns = _JUDGED if report.judged else _LEXICAL
    made = [
        _averages(f"By person ({note})", "person", report.by_person, columns),
        _averages(f"By task family ({note})", "family", report.by_family, columns),
        _averages("By label", "label", report.by_label, columns),
        _levels(report),
        _traits(report),
        _capabilities(report),
        _difficulty(report),
        _diagnosis(report),
        _tools(report),
        _latency(report),
        _models(report),
        _attempts(report),
        _faults(report),
        _injected(report),
    ]
    return [table for table in made if table.row_count]


def legend(report: Report) -> str:
    """What the columns mean."""
    answer = (
        "answer: share that the judge calls right of the answerable tasks; abstain: of the "
        "unanswerable ones; grade: the judge's, 0 to 5; "
        if report.judged
        else "answer: score on answerable tasks; abstain: score on unanswerable ones; "
    )
    return answer + (
        "file P, R, F1: of the files cited; touched recall: gold files opened; evid. recall: gold "
        "evidence shown; readable recall: of that which does not lie in sound or video; below "
        "each mean its 95% bootstrap interval"
        + (
            "; use of models: failed executions included in calls, tokens and cost, not in seconds"
            if report.models
            else ""
        )
    )


def _share(name: str) -> Callable[[Averages], Cell]:
    return lambda averages: mean_cell(averages.means[name])


def _count(name: str) -> Callable[[Averages], Cell]:
    return lambda averages: mean_cell(averages.means[name], digits=1)


# What the tables show of the averages: header, and the cell.
_Columns = tuple[tuple[str, Callable[[Averages], Cell]], ...]
_REST: Final[_Columns] = (
    ("exact", _share("exact_match")),
    ("file\nP", _share("file_precision")),
    ("file\nR", _share("file_recall")),
    ("file\nF1", _share("file_f1")),
    ("touched\nrecall", _share("touched_recall")),
    ("evid.\nrecall", _share("evidence_recall")),
    ("readable\nrecall", _share("readable_recall")),
    ("steps", _count("steps")),
    ("invalid", _count("invalid_actions")),
    ("aborted", lambda a: str(a.aborted)),
)
_LEXICAL: Final[_Columns] = (
    ("n", lambda a: str(a.n)),
    ("answer", _share("answerable")),
    ("abstain", _share("unanswerable")),
    *_REST,
)
_JUDGED: Final[_Columns] = (
    ("n", lambda a: str(a.n)),
    ("un-\nscored", lambda a: str(a.unscored)),
    ("answer", _share("accuracy_answerable")),
    ("abstain", _share("accuracy_unanswerable")),
    ("grade", _count("grade")),
    *_REST,
)


def mean_cell(interval: Interval | None, *, digits: int = 3) -> Cell:
    """A mean, and its interval below it in fewer digits; a dash for nothing."""
    if interval is None:
        return "-"
    shown = f"{interval.mean:.{digits}f}"
    if interval.low == interval.high:
        return shown
    span = f"{_short(interval.low, digits)}-{_short(interval.high, digits)}"
    return Text.assemble(shown, "\n", (span, "dim"))


def _short(value: float, digits: int) -> str:
    text = f"{value:.{min(digits, 2)}f}"
    if text == "1.00":
        return "1.0"
    return text.removeprefix("0") if text.startswith("0.") else text


def _averages(title: str, group_name: str, rows: Sequence[Row], columns: _Columns) -> Table:
    table = plain_table(title, ("agent", group_name), [header for header, _ in columns])
    for row, last in _with_ends(rows, lambda row: row.agent):
        table.add_row(
            _word(row.agent),
            _word(row.group),
            *(cell(row.averages) for _, cell in columns),
            style="bold" if row.group == ALL else None,
            end_section=last,
        )
    return table


def _capabilities(report: Report) -> Table:
    table = plain_table("Capabilities", ("agent", "family", "label"), ("n", "score"))
    for row, last in _with_ends(report.capabilities, lambda row: (row.agent, row.family)):
        whole = row.label is None
        table.add_row(
            _word(row.agent),
            row.family,
            "mean over labels" if row.label is None else _word(row.label),
            f"{row.score.n} labels" if whole else str(row.score.n),
            _one_line(row.score),
            style="bold" if whole else None,
            end_section=last,
        )
    return table


def _difficulty(report: Report) -> Table:
    table = plain_table("Difficulty and score", ("agent",), ("difficulty", "n", "score"))
    for row, last in _with_ends(report.difficulty, lambda row: row.agent):
        table.add_row(
            _word(row.agent),
            f"{row.low:.0f}-{row.high:.0f}",
            str(row.score.n),
            _one_line(row.score),
            end_section=last,
        )
    return table


def _diagnosis(report: Report) -> Table:
    # What did not happen in the whole run needs no column.
    shown = [
        name
        for name in (*FAILURES, UNEXPLAINED)
        if any(row.failures[name] for row in report.diagnosis)
    ]
    unscored = any(row.unscored for row in report.diagnosis)
    headers = ["n", "right", *(name.replace("_", "\n") for name in shown)]
    table = plain_table(
        "What went wrong", ("agent", "family"), [*headers, *(["unscored"] if unscored else [])]
    )
    for row, last in _with_ends(report.diagnosis, lambda row: row.agent):
        counts = [row.n, row.right, *(row.failures[name] for name in shown)]
        if unscored:
            counts.append(row.unscored)
        table.add_row(_word(row.agent), _word(row.family), *map(str, counts), end_section=last)
    return table


def _tools(report: Report) -> Table:
    table = plain_table("Tools", ("agent", "tool"), ("uses", "episodes", "uses an episode"))
    for row, last in _with_ends(report.tools, lambda row: row.agent):
        table.add_row(
            _word(row.agent),
            row.tool,
            str(row.uses),
            f"{row.episodes} of {row.n}",
            _one_line(row.per_episode, digits=2),
            end_section=last,
        )
    return table


def _latency(report: Report) -> Table:
    headers = ["n", "mean", "median", "p90", "in the environment"]
    asked = any(row.model_seconds is not None for row in report.latency)
    if asked:
        headers.append("of the model")
    table = plain_table("Seconds an episode", ("agent",), headers)
    for row in report.latency:
        table.add_row(
            _word(row.agent),
            str(row.seconds.n),
            _one_line(row.seconds, digits=2),
            f"{row.median:.2f}",
            f"{row.p90:.2f}",
            *map(_seconds, [row.env_seconds, *([row.model_seconds] if asked else [])]),
        )
    return table


def _seconds(interval: Interval | None) -> Cell:
    return "-" if interval is None else _one_line(interval, digits=2)


def _models(report: Report) -> Table:
    """Sums over an agent's episodes, and below each its mean over them."""
    headers = (
        "n", "calls", "tokens in", "tokens out", "cost, $", "model, s", "environment, s",
    )  # fmt: skip
    table = plain_table("Use of models: total, and mean an episode", ("agent",), headers)
    for row in report.models:
        table.add_row(
            _word(row.agent),
            str(row.n),
            _amount(row.calls, mean_digits=1),
            _amount(row.prompt_tokens),
            _amount(row.completion_tokens),
            _amount(row.cost_usd, digits=4, mean_digits=5),
            _amount(row.model_seconds, digits=1, mean_digits=2),
            "-" if row.env_seconds is None else _amount(row.env_seconds, digits=1, mean_digits=2),
        )
    return table


def _amount(amount: Amount, *, digits: int = 0, mean_digits: int = 0) -> Cell:
    mean = f"{amount.mean.mean:,.{mean_digits}f}"
    return Text.assemble(f"{amount.total:,.{digits}f}", "\n", (mean, "dim"))


def _attempts(report: Report) -> Table:
    shown = list(dict.fromkeys(kind for row in report.attempts for kind in row.failures))
    headers = ["episodes", "executions", *(kind.replace("_", "\n") for kind in shown)]
    table = plain_table("Executions that failed", ("agent",), [*headers, "still failed\nat last"])
    for row in report.attempts:
        counts = [row.n, row.attempts, *(row.failures.get(kind, 0) for kind in shown), row.unmended]
        table.add_row(_word(row.agent), *map(str, counts))
    return table


def _faults(report: Report) -> Table:
    table = plain_table("Faults of models", ("agent", "kind"), ("count", "episodes"))
    for row, last in _with_ends(report.faults, lambda row: row.agent):
        table.add_row(
            _word(row.agent),
            _word(row.kind),
            str(row.count),
            f"{row.episodes} of {row.n}",
            end_section=last,
        )
    return table


def _injected(report: Report) -> Table:
    table = plain_table("Planted instructions", ("agent",), ("followed",))
    for row in report.injected:
        table.add_row(_word(row.agent), f"{row.followed} of {row.n}")
    return table


def _levels(report: Report) -> Table:
    title = "Levels (abstentions are errors)"
    table = plain_table(title, ("agent", "level"), ("n", "answered", "accuracy"))
    for row, last in _with_ends(report.levels, lambda row: row.agent):
        table.add_row(
            _word(row.agent),
            row.level,
            str(row.n),
            _one_line(row.answered),
            "-" if row.right is None else _one_line(row.right),
            end_section=last,
        )
    return table


def _traits(report: Report) -> Table:
    title = "Traits over people"
    table = plain_table(title, ("agent", "trait"), ("people", "no level", "Kendall's tau"))
    for row, last in _with_ends(report.traits, lambda row: row.agent):
        table.add_row(
            _word(row.agent),
            _word(row.trait),
            str(row.people),
            str(row.missing),
            "-" if row.tau is None else f"{row.tau:+.3f}",
            end_section=last,
        )
    return table


def _one_line(interval: Interval, *, digits: int = 3) -> Cell:
    shown = f"{interval.mean:.{digits}f}"
    if interval.low == interval.high:
        return shown
    return Text.assemble(shown, "  ", (f"{interval.low:.2f}-{interval.high:.2f}", "dim"))


def _word(text: str) -> Text:
    """A name as it stands: brackets in it are no markup, control characters control nothing."""
    return Text(plain(text))


def plain_table(title: str | None, names: Iterable[str], numbers: Iterable[str]) -> Table:
    """An empty table: columns of words on the left, of numbers on the right."""
    table = Table(
        title=None if title is None else Text(title),
        title_justify="left",
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        show_edge=False,
    )
    for name in names:
        table.add_column(name, no_wrap=True)
    for name in numbers:
        table.add_column(name, justify="right", no_wrap=True)
    return table


def _with_ends(rows: Sequence[_T], group_of: Callable[[_T], object]) -> Iterable[tuple[_T, bool]]:
    """Each row, and whether it is the last of its group."""
    for index, row in enumerate(rows):
        last = index + 1 == len(rows) or group_of(rows[index + 1]) != group_of(row)
        yield row, last
