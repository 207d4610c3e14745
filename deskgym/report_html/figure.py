"""From a drawing to HTML: matplotlib's SVG made part of a page.

Colours are drawn as placeholders and replaced by CSS variables (``--ink``, ``--c1``, ...). Text
stays text, in the page's font. What matplotlib puts in for a file of its own (header, metadata, a
style that would hold for the whole page, ids that nothing points to) is left out.
"""

from __future__ import annotations

import hashlib
import io
import re
import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final
from xml.etree import ElementTree

from deskgym.report_html.escaping import escaped, plain
from deskgym.report_html.page import scrolling_table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH: Final = 4.3
"""Inches. Two figures stand side by side on a screen, one fits a phone."""
_HEIGHT: Final = 2.8
_MAX_LABEL: Final = 28

INK: Final = "#010101"
MUTED: Final = "#020202"
LINE: Final = "#030303"
PAPER: Final = "#fefefe"
SERIES: Final = tuple(f"#0{n}0a0a" for n in range(1, 10))
_VARIABLES: Final = {
    INK: "--ink",
    MUTED: "--muted",
    LINE: "--line",
    PAPER: "--card",
    **{colour: f"--c{n}" for n, colour in enumerate(SERIES, 1)},
}
_COLOUR: Final = re.compile("|".join(_VARIABLES))
_REFERENCE: Final = re.compile(r"url\(#([^)]+)\)")
_FONT: Final = re.compile(r"font: (?:(\d+) )?([\d.]+px) [^;]+")
_FAMILY: Final = re.compile(r"font-family: [^;]+;? ?")
_HREF: Final = "{http://www.w3.org/1999/xlink}href"


class ChartsMissing(ImportError):
    """The library that draws is not installed; the message says how to install it."""


def label(text: str) -> str:
    """``text`` as a label: without what cannot be drawn, and cut where it is too long."""
    text = plain(text.replace("\n", " ")).replace("_", " ")
    return text if len(text) <= _MAX_LABEL else f"{text[: _MAX_LABEL - 1]}…"


def axes(draw: Callable[[Axes], None], *, height: float = _HEIGHT) -> ElementTree.Element:
    """The SVG of what ``draw`` draws into one pair of axes; ``height`` in inches.

    Raises:
        ChartsMissing: matplotlib is not installed.
    """
    try:
        import matplotlib as mpl
        from matplotlib.backends.backend_svg import FigureCanvasSVG
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ChartsMissing("charts need matplotlib; run: pip install 'deskgym[report]'") from error
    # The settings are the library's own only within this block.
    with mpl.rc_context(_SETTINGS), warnings.catch_warnings():
        # The page's fonts have what the font that text is measured with has not.
        warnings.filterwarnings("ignore", message=r"Glyph \d+")
        figure = Figure(figsize=(WIDTH, height), layout="constrained")
        FigureCanvasSVG(figure)
        ax = figure.add_subplot()
        for side in ("top", "right", "left"):
            ax.spines[side].set_visible(False)
        draw(ax)
        out = io.BytesIO()
        figure.savefig(out, format="svg", transparent=True, metadata={"Date": None})
    return ElementTree.fromstring(out.getvalue())


_SETTINGS: Final[Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "deskgym",
    "font.size": 9.5,
    "text.parse_math": False,
    "text.color": INK,
    "axes.labelcolor": MUTED,
    "axes.edgecolor": LINE,
    "axes.labelsize": 9.5,
    "xtick.color": LINE,
    "ytick.color": LINE,
    "xtick.labelcolor": MUTED,
    "ytick.labelcolor": MUTED,
    "figure.constrained_layout.w_pad": 0.04,
    "figure.constrained_layout.h_pad": 0.04,
}


def as_html(
    title: str,
    svg: ElementTree.Element | None,
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
) -> str:
    """The figure: caption, picture (none: a word that there is nothing to show), and table."""
    shown = escaped(title)
    if svg is None:
        return (
            f'<figure class="chart"><figcaption>{shown}</figcaption>'
            '<p class="none">Nothing to show.</p></figure>\n'
        )
    table = scrolling_table(header, rows)
    key = "f" + hashlib.sha256(f"{title}\0{table}".encode("utf-8", "replace")).hexdigest()[:10]
    _adopt(svg, key)
    head = "".join(
        f"<{tag} id='{key}-{tag}'>{text}</{tag}>"
        for tag, text in (
            ("title", shown),
            ("desc", f"A chart of the {len(rows)} rows in the table below it."),
        )
    )
    picture = ElementTree.tostring(svg, encoding="unicode")
    opening, _, rest = picture.partition(">")
    return (
        f'<figure class="chart"><figcaption>{shown}</figcaption>{opening}>{head}{rest}'
        f"<details><summary>Numbers</summary>{table}</details></figure>\n"
    )


def _adopt(svg: ElementTree.Element, key: str) -> None:
    """Make a whole SVG file's root element one that can stand in a page."""
    pointed_to = {
        name
        for element in svg.iter()
        for value in element.attrib.values()
        for name in [*_REFERENCE.findall(value), value[1:] if value.startswith("#") else ""]
    }
    for parent in list(svg.iter()):
        for child in list(parent):
            if child.tag.endswith(("}metadata", "}style")):
                parent.remove(child)
    for element in svg.iter():
        element.tag = element.tag.rpartition("}")[2]
        old = dict(element.attrib)
        element.attrib.clear()
        for name, value in old.items():
            if name == "id":
                if value in pointed_to:
                    element.set("id", f"{key}-{value}")
            elif name == _HREF:
                element.set("href", f"#{key}-{value[1:]}")
            else:
                element.set(name, _styled(value, key))
    for name in ("width", "height", "version"):
        svg.attrib.pop(name, None)
    svg.set("role", "img")
    svg.set("aria-labelledby", f"{key}-title {key}-desc")


def _styled(value: str, key: str) -> str:
    value = _COLOUR.sub(lambda m: f"var({_VARIABLES[m[0]]})", value)
    value = _REFERENCE.sub(lambda m: f"url(#{key}-{m[1]})", value)
    value = _FONT.sub(lambda m: f"font-size: {m[2]}", value)
    return _FAMILY.sub("", value)
