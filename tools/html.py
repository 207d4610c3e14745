"""HTML as readable text: headings, lists, links, and tables as rows; scripts and styles dropped."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path

from deskgym.tools.cut import Request, clean, cut_lines, markdown_row
from deskgym.tools.result import ToolResult
from deskgym.tools.sniff import FileType
from deskgym.tools.text import decoded

_DROPPED = {"script", "style", "template", "noscript", "svg", "iframe", "object"}
_BLOCKS = {
    "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details",
    "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "header", "html",
    "legend", "main", "nav", "ol", "option", "p", "pre", "section", "summary", "title", "ul",
    "h1", "h2", "h3", "h4", "h5", "h6", "hr",
}  # fmt: skip
_SPACED = {"p", "ul", "ol", "blockquote", "pre", "title", "h1", "h2", "h3", "h4", "h5", "h6"}
_CELLS = {"td", "th"}
# Declarations within a document type, which the parser would take the end of for text.
_DECLARATIONS = re.compile(r"\A\s*(?:<\?[^>]*>\s*)*<!DOCTYPE[^>\[]*\[.*?\]\s*>", re.S | re.I)


def read(path: Path, kind: FileType, request: Request) -> ToolResult:
    """The lines of the text that a browser would show for an HTML file.

    Raises:
        ToolError: too_large, out_of_range, bad_argument.
    """
    request.allow("lines", "an HTML file")
    source, info, notes = decoded(path, markup=True)
    return cut_lines(to_text(source), request, info, notes)


def to_text(source: str) -> str:
    """Readable text for HTML source, however broken; ends with a newline unless empty."""
    parser = _Reader()
    parser.feed(_DECLARATIONS.sub("", source, count=1))
    parser.close()
    return parser.text()


@dataclass
class _Table:
    rows: list[list[str]] = field(default_factory=list)
    cell: list[str] | None = None
    holds_blocks: bool = False


class _Reader(HTMLParser):
    """Collects text; an open table cell collects its own, so that rows can be put together."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._out: list[str] = []
        self._tables: list[_Table] = []
        self._dropped: list[str] = []
        self._links: list[tuple[str, int]] = []
        self._lists: list[int | None] = []
        self._pre = 0

    def text(self) -> str:
        while self._tables:  # tables that the source never closes
            self._end_table()
        lines = [line.rstrip() for line in clean("".join(self._out)).split("\n")]
        text = re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n")
        return text + "\n" if text else ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._dropped:
            if tag == self._dropped[-1]:
                self._dropped.append(tag)
            return
        values = {name: value or "" for name, value in attrs}
        if tag in _DROPPED:
            self._dropped.append(tag)
        elif tag in ("table", "tr", *_CELLS):
            self._start_table_part(tag)
        elif tag == "br":
            self._put("\n")
        elif tag == "li":
            self._break(1)
            self._put("  " * max(0, len(self._lists) - 1) + self._bullet())
        elif tag == "a":
            self._links.append((values.get("href", ""), len(self._target())))
        elif tag == "img":
            if alt := values.get("alt", "").strip():
                self._put(f"[image: {alt}]")
        elif tag == "input" and values.get("type", "text") not in ("hidden", "password"):
            self._put(f" [{values.get('value', '')}] ")
        elif tag in _BLOCKS:
            self._break(2 if tag in _SPACED else 1)
            if tag[0] == "h" and tag[1:].isdigit():
                self._put("#" * int(tag[1]) + " ")
            elif tag in ("ul", "ol"):
                self._lists.append(0 if tag == "ol" else None)
            self._pre += tag == "pre"

    def handle_endtag(self, tag: str) -> None:
        if self._dropped:
            if tag == self._dropped[-1]:
                self._dropped.pop()
            return
        if tag == "a" and self._links:
            self._end_link()
        elif tag == "table" and self._tables:
            self._end_table()
        elif tag in _CELLS and self._tables:
            self._end_cell()
        elif tag in _BLOCKS:
            self._pre = max(0, self._pre - (tag == "pre"))
            if tag in ("ul", "ol") and self._lists:
                self._lists.pop()
            self._break(2 if tag in _SPACED else 1)

    def handle_data(self, data: str) -> None:
        if self._dropped:
            return
        if self._pre:
            self._put(data)
            return
        text = re.sub(r"[ \t\n\r\f\v\xa0]+", " ", data)
        # A space at the beginning of a line, or after another, shows nowhere.
        if text.startswith(" ") and self._last() in ("", " ", "\n"):
            text = text[1:]
        if self._tables and self._tables[-1].cell is None and not text.strip():
            return
        self._put(text)

    def _target(self) -> list[str]:
        if self._tables and (cell := self._tables[-1].cell) is not None:
            return cell
        return self._out if not self._tables else self._outer()

    def _outer(self) -> list[str]:
        """Where text goes that stands inside a table but in none of its cells."""
        for table in reversed(self._tables[:-1]):
            if table.cell is not None:
                return table.cell
        return self._out

    def _put(self, text: str) -> None:
        if text:
            self._target().append(text)

    def _last(self) -> str:
        target = self._target()
        return target[-1][-1] if target else ""

    def _break(self, newlines: int) -> None:
        """At least this many line ends, but none at the beginning."""
        target = self._target()
        tail = "".join(target[-3:])
        if tail.strip(" "):
            have = len(tail) - len(tail.rstrip("\n"))
            target.append("\n" * max(0, newlines - have) or "")
            if not target[-1]:
                target.pop()

    def _bullet(self) -> str:
        if not self._lists or self._lists[-1] is None:
            return "- "
        self._lists[-1] += 1
        return f"{self._lists[-1]}. "

    def _end_link(self) -> None:
        href, start = self._links.pop()
        target = self._target()
        label = "".join(target[start:])
        shown = label.strip()
        address = href.removeprefix("mailto:").removeprefix("tel:").strip()
        if not shown or not address or address.startswith(("#", "javascript:", "data:")):
            return
        if address.rstrip("/") in (shown.rstrip("/"), "http://" + shown, "https://" + shown):
            return
        target.append(f" ({address})")

    def _start_table_part(self, tag: str) -> None:
        if tag == "table":
            if self._tables and self._tables[-1].cell is not None:
                self._tables[-1].holds_blocks = True
            self._break(2)
            self._tables.append(_Table())
            return
        if not self._tables:
            self._break(1)  # a row or cell without a table
            return
        self._end_cell()
        table = self._tables[-1]
        if tag == "tr":
            table.rows.append([])
        else:
            if not table.rows:
                table.rows.append([])
            table.cell = []

    def _end_cell(self) -> None:
        table = self._tables[-1]
        if table.cell is not None:
            table.rows[-1].append("".join(table.cell).strip())
            table.cell = None

    def _end_table(self) -> None:
        self._end_cell()
        table = self._tables.pop()
        rows = [row for row in table.rows if any(row)]
        # A table around tables, or of a single column, is layout: its cells are blocks.
        if table.holds_blocks or all(len(row) == 1 for row in rows):
            lines = [cell for row in rows for cell in row if cell]
        else:
            width = max(len(row) for row in rows)
            lines = [markdown_row(row + [""] * (width - len(row))) for row in rows]
            lines.insert(1, "|" + " --- |" * width)
        if lines:
            self._break(2)
            self._put("\n".join(lines) + "\n")
            self._break(2)
