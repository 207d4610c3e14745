"""A page's tables: some columns of words on the left, of numbers on the right."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from deskgym.report_html.escaping import escaped
from deskgym.tasks.scoring.statistics import Interval


def numbered(
    title: str,
    names: Sequence[str],
    numbers: Sequence[str],
    rows: Iterable[tuple[Sequence[str], Sequence[str]]],
    *,
    note: str = "",
) -> str:
    """A table; the first cells of a row are text, the others HTML that is safe already."""
    body = "".join(
        '<tr><th scope="row">'
        + '</th><td class="text">'.join(escaped(word) for word in words)
        + ("</td>" if len(words) > 1 else "</th>")
        + "".join(f"<td>{cell}</td>" for cell in cells)
        + "</tr>\n"
        for words, cells in rows
    )
    if not body:
        return ""
    top = "".join(f'<th scope="col" class="text">{name}</th>' for name in names)
    top += "".join(f'<th scope="col">{name}</th>' for name in numbers)
    below = f'<p class="note">{note}</p>\n' if note else ""
    return (
        f"<h3>{title}</h3>\n"
        f'<div class="scroll" role="region" aria-label="{title}" tabindex="0"><table>'
        f"<thead><tr>{top}</tr></thead>\n<tbody>{body}</tbody></table></div>\n{below}"
    )


def mean_cell(interval: Interval | None) -> str:
    """A mean with its interval below it, as safe HTML; a dash for nothing."""
    if interval is None:
        return "–"
    shown = f"{interval.mean:.3f}"
    if interval.low == interval.high:
        return shown
    return f"{shown}<small>{interval.low:.2f}–{interval.high:.2f}</small>"
