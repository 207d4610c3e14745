"""A self-contained page: style and script inline, nothing fetched, light and dark.

The page's policy lets in nothing but its own script (by its hash), inline style, and pictures and
sounds that stand in the page itself. Sections hold HTML that is safe already: text goes through
`escaping.escaped`.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.resources import files

from deskgym.report_html.escaping import escaped


@dataclass(frozen=True)
class Section:
    """A part of a page. ``id`` is what links point to; ``body`` is HTML."""

    id: str
    heading: str
    body: str


def document(title: str, sections: Iterable[Section]) -> str:
    """The whole page, for what fits in memory with ease."""
    own = list(sections)
    links = [(section.id, section.heading) for section in own]
    parts = [opening(title, links)]
    parts += [f"{section_start(s.id, s.heading)}{s.body}{SECTION_END}" for s in own]
    return "".join([*parts, closing()])


def scrolling_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table of texts whose rows are named by their first cell; no header if none has a name."""
    head = ""
    if any(header):
        cells = "".join(f'<th scope="col">{escaped(cell)}</th>' for cell in header)
        head = f"<thead><tr>{cells}</tr></thead>"
    body = "".join(
        f'<tr><th scope="row">{escaped(row[0])}</th>'
        + "".join(f"<td>{escaped(cell)}</td>" for cell in row[1:])
        + "</tr>"
        for row in rows
    )
    return f'<div class="scroll" tabindex="0"><table>{head}<tbody>{body}</tbody></table></div>'


def opening(title: str, links: Sequence[tuple[str, str]]) -> str:
    """The page up to its first section; ``links`` are the (id, heading) of those to come."""
    script = _part("script.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
        "img-src data:; media-src data:; base-uri 'none'; form-action 'none'"
    )
    shown = escaped(title)
    menu = "".join(f'<a href="#{escaped(id)}">{escaped(name)}</a>' for id, name in links)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        # Without one of its own a browser would ask the server for an icon.
        '<link rel="icon" href="data:,">\n'
        f"<title>{shown}</title>\n<style>\n{_part('style.css')}</style>\n</head>\n<body>\n"
        f'<a class="skip" href="#main">Skip to the content</a>\n'
        f'<header><h1>{shown}</h1><button type="button" id="theme" hidden>Dark</button></header>\n'
        f'<nav aria-label="Sections">{menu}</nav>\n<main id="main">\n'
    )


def section_start(id: str, heading: str) -> str:
    """The opening tags of a section; `SECTION_END` closes it."""
    key = escaped(id)
    return (
        f'<section id="{key}" aria-labelledby="{key}-h"><h2 id="{key}-h">{escaped(heading)}</h2>\n'
    )


SECTION_END = "</section>\n"


def closing() -> str:
    """The page after its last section."""
    return f"</main>\n<script>{_part('script.js')}</script>\n</body>\n</html>\n"


def _part(name: str) -> str:
    return (files("deskgym.report_html") / name).read_text(encoding="utf-8")
