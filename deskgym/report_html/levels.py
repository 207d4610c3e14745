"""Levels of understanding and traits over people: the page's tables."""

from __future__ import annotations

from deskgym.report import Report
from deskgym.report_html.tabled import mean_cell, numbered


def tables(report: Report) -> str:
    """The body of the section on levels; empty for a run without such questions."""
    return numbered(
        "Accuracy and answer rate",
        ("agent", "level"),
        ("n", "answered", "accuracy"),
        [
            ((row.agent, row.level), (f"{row.n:,}", mean_cell(row.answered), mean_cell(row.right)))
            for row in report.levels
        ],
        note="From one record up to who somebody is. Answered: share of the questions that got "
        "an answer at all; accuracy is of all of them, so an abstention is an error. Small "
        "figures: 95% bootstrap interval.",
    ) + numbered(
        "Traits over people",
        ("agent", "trait"),
        ("people", "no level", "Kendall’s tau"),
        [
            (
                (row.agent, row.trait),
                (
                    f"{row.people:,}",
                    f"{row.missing:,}",
                    "–" if row.tau is None else f"{row.tau:+.3f}",
                ),
            )
            for row in report.traits
        ],
        note="How an agent’s levels rank the people against how they are (tau-b): 1 for the same "
        "order, 0 for chance, –1 for the reverse; a dash where fewer than two people, or only "
        "equal ones, got a level.",
    )
