"""An HTML page as lines of markdown: what it shows, with its headings, items and rows."""

from __future__ import annotations

import re
from html.parser import HTMLParser

_HEADING = re.compile(r"h([1-6])")
_HIDDEN = frozenset({"head", "script", "style", "template", "title"})
_BLOCKS = frozenset(
    {"address", "article", "aside", "blockquote", "body", "caption", "dd", "details", "div", "dl",
     "dt", "figcaption", "figure", "footer", "form", "header", "hr", "html", "main", "nav", "ol",
     "p", "pre", "section", "summary", "table", "ul"}
)  # fmt: skip


def page_lines(source: str) -> list[str]:
    """What the page ``source`` shows: headings begin with ``#``, items with ``- ``, rows with
    ``| ``; an empty line parts what stands apart."""
    reader = _Page()
    reader.feed(source)
    reader.close()
    reader.end_line()
    return reader.lines


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.lines: list[str] = []
        self._parts: list[str] = []
        self._mark = ""
        self._hidden = 0
        self._row: list[str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _HIDDEN:
            self._hidden += 1
        elif tag == "tr":
            self.end_line()
            self._row = []
        elif tag in ("td", "th"):
            self._end_cell()
        elif self._row is not None:
            if tag in _BLOCKS or tag in ("br", "li"):
                self._parts.append(" ")
        elif tag == "br":
            self._next_line()
        elif tag == "li":
            self.end_line()
            self._mark = "- "
        elif found := _HEADING.fullmatch(tag):
            self._apart()
            self._mark = "#" * int(found[1]) + " "
        elif tag in _BLOCKS:
            self._apart()

    def handle_endtag(self, tag: str) -> None:
        if tag in _HIDDEN:
            self._hidden = max(0, self._hidden - 1)
        elif tag in ("td", "th"):
            self._end_cell()
        elif tag in ("tr", "table"):
            self._end_row()
            if tag == "table":
                self._apart()
        elif self._row is not None:
            if tag in _BLOCKS or tag == "li":
                self._parts.append(" ")
        elif tag == "li":
            self.end_line()
        elif tag in _BLOCKS or _HEADING.fullmatch(tag):
            self._apart()

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self._parts.append(data)

    def end_line(self) -> None:
        """Put what was gathered on a line of its own."""
        self._end_row()
        self._next_line()
        self._mark = ""

    def _next_line(self) -> None:
        text = self._text()
        if text:
            self.lines.append(self._mark + text)
            self._mark = ""

    def _apart(self) -> None:
        mark = self._mark if not "".join(self._parts).strip() else ""
        self.end_line()
        if mark == "- ":
            self._mark = mark  # an item whose text stands in a paragraph
        elif self.lines and self.lines[-1]:
            self.lines.append("")

    def _text(self) -> str:
        text = " ".join("".join(self._parts).split())
        self._parts = []
        return text

    def _end_cell(self) -> None:
        text = self._text()
        if self._row is not None and text:
            self._row.append(text)
        elif text:
            self._parts = [text]

    def _end_row(self) -> None:
        if self._row is None:
            return
        self._end_cell()
        if self._row:
            self.lines.append("| " + " | ".join(self._row) + " |")
        self._row = None
