"""Charts as HTML: an SVG whose colours are the page's, and its numbers as a table.

Every chart is a ``<figure>`` of its own, safe to put into any page that `page.document` makes:
labels are escaped, ids are unique to the figure, and colours are CSS variables, so that light and
dark are a matter of the page's style. Equal data gives equal bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from deskgym.report_html.figure import (
    INK,
    LINE,
    MUTED,
    PAPER,
    SERIES,
    as_html,
    axes,
    label,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Interval = tuple[float, float]
Point = tuple[float, float, float, float, int]
"""x, mean, low, high, and how many values the mean is of."""

_BAR: Final = 0.27
"""Inches that one bar takes."""
_DASHES: Final = ("-", (0, (5, 2)), (0, (1, 1.5)), (0, (6, 2, 1, 2)))
_ROOM_FOR_COUNTS: Final = 12
"""With more points than this, how many values each is of stands in the table alone."""


def bars(
    title: str,
    labels: Sequence[str],
    values: Sequence[float | None],
    *,
    intervals: Sequence[Interval | None] | None = None,
    unit: str = "",
    upto: float | None = None,
) -> str:
    """Horizontal bars from the top down, each with its value, and its interval as a whisker.

    ``None`` is a bar that there is no value for. ``upto`` is where the axis ends, at least; up to 1
    are shares, all with three decimals.

    Raises:
        ValueError: ``labels``, ``values`` and ``intervals`` differ in length.
    """
    spans = intervals if intervals is not None else [None] * len(values)
    if not len(labels) == len(values) == len(spans):
        raise ValueError(f"{title}: {len(labels)} labels, {len(values)} values, {len(spans)} spans")
    header = ["", f"value ({unit})" if unit else "value"]
    shown = _share if upto == 1 else number
    table = [[name, shown(value)] for name, value in zip(labels, values, strict=True)]
    if any(spans):
        header += ["low", "high"]
        for row, span in zip(table, spans, strict=True):
            row += [shown(span[0]), shown(span[1])] if span else ["", ""]
    if not labels:
        return as_html(title, None, header, table)
    highs = [span[1] for span in spans if span] + [v for v in values if v is not None]
    reach = max([*highs, upto or 0.0]) or 1.0

    def draw(ax: Axes) -> None:
        for at, (value, span) in enumerate(zip(values, spans, strict=True)):
            ax.barh(at, value or 0.0, height=0.62, color=SERIES[0])
            if span and span[0] < span[1]:
                ax.plot(span, (at, at), color=INK, linewidth=1)
            end = max(value or 0.0, span[1] if span else 0.0)
            ax.annotate(
                shown(value), (end, at), (4, 0), textcoords="offset points",
                va="center", color=INK, fontsize=9,
            )  # fmt: skip
        _category_axis(ax, labels)
        ax.set_xlim(0, reach * 1.14)
        if upto is not None and reach == upto:
            ax.set_xticks([upto * part / 4 for part in range(5)])
        if unit:
            ax.set_xlabel(label(unit))

    return as_html(title, axes(draw, height=_tall(len(labels))), header, table)


def stacked(title: str, labels: Sequence[str], series: Mapping[str, Sequence[float]]) -> str:
    """Horizontal bars from the top down, each of one part a series; a legend names the series.

    Raises:
        ValueError: a series has not one value a label.
    """
    for name, own in series.items():
        if len(own) != len(labels):
            raise ValueError(f"{title}: {name} has {len(own)} values for {len(labels)} labels")
    header = ("", *series)
    table = [
        (name, *(number(own[at]) for own in series.values())) for at, name in enumerate(labels)
    ]
    if not labels or not series:
        return as_html(title, None, header, table)

    def draw(ax: Axes) -> None:
        left = [0.0] * len(labels)
        for (name, own), colour in zip(series.items(), _colours(len(series)), strict=True):
            ax.barh(
                range(len(labels)), own, left=left, height=0.62, label=label(name),
                color=colour, edgecolor=PAPER, linewidth=0.8,
            )  # fmt: skip
            left = [a + b for a, b in zip(left, own, strict=True)]
        _category_axis(ax, labels)
        ax.set_xlim(0, (max(left) or 1.0) * 1.02)
        _legend(ax)

    height = _tall(len(labels)) + 0.22 * ((len(series) + 1) // 2)
    return as_html(title, axes(draw, height=height), header, table)


def histogram(title: str, values: Sequence[float], *, unit: str = "") -> str:
    """How many of ``values`` lie in each of 20 equal bins (fewer where there are few values)."""
    header = (f"from ({unit})" if unit else "from", "to", "count")
    if not values:
        return as_html(title, None, header, [])
    edges, counts = _binned(values)
    table = [
        (number(low), number(high), str(count))
        for low, high, count in zip(edges, edges[1:], counts, strict=False)
    ]

    def draw(ax: Axes) -> None:
        from matplotlib.ticker import MaxNLocator

        width = edges[1] - edges[0]
        ax.bar(
            edges[:-1], counts, width=width, align="edge",
            color=SERIES[0], edgecolor=PAPER, linewidth=0.8,
        )  # fmt: skip
        ax.set_xlim(edges[0], edges[-1])
        ax.set_ylabel("count")
        ax.yaxis.set_major_locator(MaxNLocator(integer=True))
        _grid(ax, "y")
        if unit:
            ax.set_xlabel(label(unit))

    return as_html(title, axes(draw), header, table)


def curves(
    title: str,
    lines: Mapping[str, Sequence[tuple[float, float]]],
    x_label: str,
    y_label: str,
    *,
    upto: float | None = None,
) -> str:
    """One line a name through its (x, y), with a legend if there are several."""
    header = (x_label, *lines)
    by_x: dict[float, dict[str, float]] = {}
    for name, points_of in lines.items():
        for x, y in points_of:
            by_x.setdefault(x, {})[name] = y
    table = [(number(x), *(number(by_x[x].get(name)) for name in lines)) for x in sorted(by_x)]
    if not by_x:
        return as_html(title, None, header, table)

    def draw(ax: Axes) -> None:
        for at, ((name, own), colour) in enumerate(
            zip(lines.items(), _colours(len(lines)), strict=True)
        ):
            ax.plot(
                [x for x, _ in own], [y for _, y in own], label=label(name), color=colour,
                linestyle=_DASHES[at // len(SERIES) % len(_DASHES)], linewidth=1.8,
                marker="o" if len(own) == 1 else None, markersize=4,
            )  # fmt: skip
        _value_axes(ax, x_label, y_label, upto)
        if len(lines) > 1:
            _legend(ax)

    height = 2.8 + (0.22 * ((len(lines) + 1) // 2) if len(lines) > 1 else 0)
    return as_html(title, axes(draw, height=height), header, table)


def points(
    title: str,
    values: Sequence[Point],
    x_label: str,
    y_label: str,
    *,
    upto: float | None = None,
    across: Interval | None = None,
) -> str:
    """Means with their intervals, and above each how many values it is of.

    ``across`` are the ends of the x axis, ``upto`` the end of the y axis.
    """
    header = (x_label, y_label, "low", "high", "n")
    table = [
        (number(x), number(mean), number(low), number(high), str(n))
        for x, mean, low, high, n in values
    ]
    if not values:
        return as_html(title, None, header, table)

    def draw(ax: Axes) -> None:
        for x, mean, low, high, n in values:
            ax.plot((x, x), (low, high), color=MUTED, linewidth=1.2)
            ax.plot(x, mean, "o", color=SERIES[0], markersize=5)
            if len(values) <= _ROOM_FOR_COUNTS:
                ax.annotate(
                    str(n), (x, high), (0, 3), textcoords="offset points",
                    ha="center", color=MUTED, fontsize=8,
                )  # fmt: skip
        _value_axes(ax, x_label, y_label, upto)
        if upto is not None:
            ax.set_ylim(0, upto * 1.12)  # room for the count above a point at the top
        if across is not None:
            ax.set_xlim(*across)

    return as_html(title, axes(draw), header, table)


def number(value: float | None) -> str:
    """A value as the charts and their tables show it: three digits that matter, or a dash."""
    if value is None:
        return "–"
    if float(value).is_integer():
        return f"{value:.0f}"
    return f"{value:.3g}" if abs(value) >= 1 else f"{value:.3f}"


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _binned(values: Sequence[float]) -> tuple[list[float], list[int]]:
    low, high = min(values), max(values)
    if low == high:
        low, high = low - 0.5, high + 0.5
    bins = min(20, max(5, round(len(values) ** 0.5)))
    width = (high - low) / bins
    counts = [0] * bins
    for value in values:
        counts[min(int((value - low) / width), bins - 1)] += 1
    return [low + width * at for at in range(bins + 1)], counts


def _colours(count: int) -> list[str]:
    return [SERIES[at % len(SERIES)] for at in range(count)]


def _tall(count: int) -> float:
    return max(1.3, 0.55 + _BAR * count)


def _category_axis(ax: Axes, labels: Sequence[str]) -> None:
    """One bar a label, the first at the top."""
    ax.set_yticks(range(len(labels)), [label(name) for name in labels])
    ax.set_ylim(len(labels) - 0.5, -0.5)
    ax.tick_params(axis="y", length=0)
    _grid(ax, "x")


def _value_axes(ax: Axes, x_label: str, y_label: str, upto: float | None) -> None:
    ax.set_xlabel(label(x_label))
    ax.set_ylabel(label(y_label))
    if upto is not None:
        ax.set_ylim(0, upto * 1.03)
        ax.set_yticks([upto * part / 4 for part in range(5)])
    _grid(ax, "y")


def _grid(ax: Axes, axis: str) -> None:
    draw: Callable[..., None] = ax.grid
    draw(True, axis=axis, color=LINE, linewidth=0.8)
    ax.set_axisbelow(True)


def _legend(ax: Axes) -> None:
    ax.figure.legend(
        loc="outside lower left", ncols=2, frameon=False, labelcolor=INK,
        fontsize=9, handlelength=1.4, columnspacing=1.2, borderaxespad=0.2,
    )  # fmt: skip
