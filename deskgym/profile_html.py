"""A `ProfileReport` as one page that needs nothing besides itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from deskgym.profile_report import Group, Period, ProfileReport
from deskgym.report_html.charts import bars
from deskgym.report_html.page import Section, document, scrolling_table
from deskgym.tasks.findings import Finding

_TYPES: Final = 20
_FINDINGS: Final = 500


def profile_page(report: ProfileReport, findings: Sequence[Finding]) -> str:
    """The page: numbers, plots, tables, and the first 500 of ``findings``.

    Raises:
        deskgym.report_html.figure.ChartsMissing: the library that draws is not installed.
    """
    tasks = report.tasks
    breadth = (
        ("Tasks by gold files", tasks.by_files),
        ("Tasks by modalities", tasks.by_modalities),
        ("Tasks by units of evidence", tasks.by_units),
    )
    families = bars(
        "Tasks by family",
        [one.name for one in tasks.by_family],
        [float(one.tasks) for one in tasks.by_family],
    )
    sections = [
        Section("overview", "Overview", _overview(report)),
        Section("kinds", "Kinds of files", _side_by_side(_kinds(report))),
        Section("largest", "Largest files", _largest(report)),
        Section(
            "times",
            "Times",
            _side_by_side(
                [
                    _periods("Files created", report.created),
                    _periods("Files modified", report.modified),
                ]
            ),
        ),
        Section(
            "tasks",
            "Tasks",
            _side_by_side(
                [
                    families,
                    *(
                        bars(title, [one.name for one in rows], [float(one.tasks) for one in rows])
                        for title, rows in breadth
                    ),
                ]
            ),
        ),
    ]
    if findings:
        sections.append(Section("findings", "Findings", _findings(findings)))
    return document(f"{report.user} ({report.id})", sections)


def _overview(report: ProfileReport) -> str:
    found = ", ".join(f"{count} {name}" for name, count in report.findings.items()) or "none"
    rows = [
        ("about", report.description),
        ("files", f"{report.files:,}"),
        ("size", f"{report.bytes / 1e6:,.1f} MB"),
        ("tasks", f"{report.tasks.total:,}"),
        ("findings", found),
        ("digest", report.digest),
    ]
    return scrolling_table(("", ""), rows)


def _side_by_side(charts: Sequence[str]) -> str:
    return f'<div class="charts">{"".join(charts)}</div>'


def _kinds(report: ProfileReport) -> list[str]:
    kinds: tuple[tuple[str, Sequence[Group]], ...] = (
        ("modality", report.by_modality),
        ("type", report.by_type),
    )
    parts = []
    for name, groups in kinds:
        shown = groups[:_TYPES]
        names = [group.name for group in shown]
        more = f" (the {_TYPES} most frequent)" if len(groups) > _TYPES else ""
        parts.append(bars(f"Files by {name}{more}", names, [float(g.files) for g in shown]))
        sizes = [group.bytes / 1e6 for group in shown]
        parts.append(bars(f"Size by {name}{more}", names, sizes, unit="MB"))
    return parts


def _largest(report: ProfileReport) -> str:
    rows = [
        (one.path, one.modality, f"{one.bytes / 1e6:,.2f} MB", f"{one.modified:%Y-%m-%d}")
        for one in report.largest
    ]
    return scrolling_table(("file", "modality", "size", "modified"), rows)


def _periods(title: str, periods: Sequence[Period]) -> str:
    return bars(title, [one.name for one in periods], [float(one.files) for one in periods])


def _findings(findings: Sequence[Finding]) -> str:
    rows = [
        (one.severity, one.rule, one.task_id or "", one.field, one.value[:200], one.message)
        for one in findings[:_FINDINGS]
    ]
    note = ""
    if len(findings) > _FINDINGS:
        note = f"<p>The first {_FINDINGS} of {len(findings):,}.</p>"
    header = ("severity", "rule", "task", "field", "value", "message")
    return note + scrolling_table(header, rows)
