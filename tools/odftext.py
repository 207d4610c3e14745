"""The running text of OpenDocument XML as lines: paragraphs, lists, tables, boxes, notes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree.ElementTree import Element

from deskgym.tools.cut import markdown_row

_NS = "{urn:oasis:names:tc:opendocument:xmlns:%s:1.0}"
OFFICE = _NS % "office"
TEXT = _NS % "text"
TABLE = _NS % "table"
DRAW = _NS % "drawing"
STYLE = _NS % "style"
PRESENTATION = _NS % "presentation"
_SVG = "{urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0}"

# What holds no text of the document: declarations, deleted text, forms, the macro's events.
_SKIPPED = {
    TEXT + "tracked-changes", TEXT + "sequence-decls", TEXT + "variable-decls",
    TEXT + "user-field-decls", OFFICE + "forms", OFFICE + "event-listeners",
    DRAW + "glue-point", TEXT + "ruby-text",
}  # fmt: skip
_ROW_GROUPS = {TABLE + name for name in ("table-rows", "table-row-group", "table-header-rows")}
_SPACE = re.compile(r"[ \t\r\n]+")  # no-break and ideographic spaces are text
_MAX_SPACES = 1000
_MAX_REPEATED = 256


class Writer:
    """Writes elements as lines, and collects footnotes, endnotes and comments in ``notes``."""

    def __init__(self, *, spaced: bool = True) -> None:
        self._spaced = spaced
        self.notes: list[str] = []

    def blocks(self, parent: Element) -> Iterator[str]:
        """The lines of everything in ``parent``."""
        for child in parent:
            yield from self.block(child)

    def block(self, element: Element) -> Iterator[str]:
        """The lines of one element."""
        tag = element.tag
        if tag in _SKIPPED or element.get(PRESENTATION + "class") == "page-number":
            return
        if tag in (TEXT + "h", TEXT + "p"):
            yield from self._paragraph(element)
        elif tag == TEXT + "list":
            yield from self._list(element, 0)
            if self._spaced:
                yield ""
        elif tag == TABLE + "table":
            yield from self._table(element)
            yield ""
        elif tag == OFFICE + "annotation":
            self._comment(element)
        elif tag == _SVG + "desc" or tag == _SVG + "title":
            if text := " ".join("".join(element.itertext()).split()):
                yield f"[image: {text}]"
        else:
            yield from self.blocks(element)

    def _paragraph(self, element: Element) -> Iterator[str]:
        text, boxes = self._inline(element)
        if text.strip():
            if element.tag == TEXT + "h":
                level = element.get(f"{TEXT}outline-level", "1")
                depth = int(level) if level.isdecimal() and len(level) < 3 else 1
                yield "#" * min(max(depth, 1), 10) + " " + " ".join(text.split("\n"))
            else:
                yield from text.split("\n")
            if self._spaced:
                yield ""
        for box in boxes:
            yield from self.block(box)

    def _list(self, element: Element, depth: int) -> Iterator[str]:
        for item in element:
            for part in item:
                if part.tag == TEXT + "list":
                    yield from self._list(part, depth + 1)
                elif part.tag in (TEXT + "p", TEXT + "h"):
                    text, boxes = self._inline(part)
                    if text.strip():
                        yield "  " * depth + "- " + text
                    for box in boxes:
                        yield from self.block(box)
                else:
                    yield from self.block(part)

    def _table(self, table: Element) -> Iterator[str]:
        rows = [self._cells(row) for row in table_rows(table)]
        rows = [row for row in rows if any(row)]
        width = max((len(row) for row in rows), default=0)
        for number, row in enumerate(rows):
            yield markdown_row(row + [""] * (width - len(row)))
            if number == 0:
                yield "|" + " --- |" * width

    def _cells(self, row: Element) -> list[str]:
        cells: list[str] = []
        for cell in row:
            if cell.tag in (TABLE + "table-cell", TABLE + "covered-table-cell"):
                repeated = cell.get(TABLE + "number-columns-repeated", "1")
                times = int(repeated) if repeated.isdecimal() and len(repeated) < 8 else 1
                text = "\n".join(self.blocks(cell))
                cells += [text] * min(times, _MAX_REPEATED)
        while cells and not cells[-1]:
            cells.pop()
        return cells

    def _inline(self, element: Element) -> tuple[str, list[Element]]:
        """A paragraph's own text, and the boxes anchored in it."""
        parts: list[str] = []
        boxes: list[Element] = []

        def walk(node: Element) -> None:
            parts.append(_one_space(node.text))
            for child in node:
                tag = child.tag
                if tag == TEXT + "s":
                    count = child.get(TEXT + "c", "1")
                    parts.append(" " * min(int(count) if count.isdecimal() else 1, _MAX_SPACES))
                elif tag == TEXT + "tab":
                    parts.append("\t")
                elif tag == TEXT + "line-break":
                    parts.append("\n")
                elif tag == TEXT + "note":
                    self._note(child)
                elif tag == OFFICE + "annotation":
                    self._comment(child)
                elif tag.startswith(DRAW) and tag != DRAW + "a":
                    boxes.append(child)
                elif tag not in _SKIPPED:
                    walk(child)
                parts.append(_one_space(child.tail))

        walk(element)
        return "".join(parts).strip(" "), boxes

    def _note(self, note: Element) -> None:
        label = note.get(TEXT + "note-class", "footnote")
        citation = note.find(TEXT + "note-citation")
        mark = "" if citation is None else "".join(citation.itertext()).strip()
        body = note.find(TEXT + "note-body")
        if body is not None:
            # The place is kept first: a note may hold others.
            place = len(self.notes)
            text = " ".join(" ".join(self.blocks(body)).split())
            if text:
                self.notes.insert(place, f"[{label} {mark}] {text}")

    def _comment(self, comment: Element) -> None:
        who = comment.findtext("{http://purl.org/dc/elements/1.1/}creator") or ""
        said = [child for child in comment if child.tag.startswith(TEXT)]
        text = " ".join(" ".join(line for part in said for line in self.block(part)).split())
        if text:
            self.notes.append(f"[comment{' by ' + who.strip() if who.strip() else ''}] {text}")


def shown(cell: Element) -> str:
    """The text of a sheet's cell, a line a paragraph, without its comments."""
    lines: list[str] = []
    for paragraph in cell:
        if paragraph.tag in (TEXT + "p", TEXT + "h"):
            lines += Writer(spaced=False).block(paragraph)
    return "\n".join(lines)


def table_rows(part: Element) -> Iterator[Element]:
    """The rows of a table, also those in groups and headings, but not those of tables inside."""
    for child in part:
        if child.tag == TABLE + "table-row":
            yield child
        elif child.tag in _ROW_GROUPS:
            yield from table_rows(child)


def _one_space(text: str | None) -> str:
    """White space as the format reads it: any run of it is one space."""
    return _SPACE.sub(" ", text or "")
