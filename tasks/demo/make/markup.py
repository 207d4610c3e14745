"""The kit's markup: headings, bullets, tables and paragraphs in plain text."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass

_SHORT = 50
"""Lines all shorter than this stay lines of their own: an address, a signature."""


@dataclass(frozen=True)
class Heading:
    """A heading of level 1 or 2."""

    level: int
    text: str


@dataclass(frozen=True)
class Bullet:
    """One item of a bulleted list."""

    text: str


@dataclass(frozen=True)
class Table:
    """Rows of cells; the first row is the header, and every row is as long as it."""

    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Paragraph:
    """Running text; its lines are to be kept apart."""

    lines: tuple[str, ...]


Block = Heading | Bullet | Table | Paragraph


def tidy(content: str) -> str:
    """``content`` without the indentation of the script and the blank lines around it."""
    return textwrap.dedent(content).strip()


def parse(content: str) -> list[Block]:
    """The blocks that ``content`` is made of.

    ``# `` and ``## `` start headings, ``- `` a bullet, ``| a | b |`` a table row (a row of dashes
    is skipped), a blank line ends a paragraph. Lines of one paragraph flow together, unless all
    of them are short, as in an address.
    """
    blocks: list[Block] = []
    lines: list[str] = []
    rows: list[tuple[str, ...]] = []

    def close() -> None:
        if lines:
            keep = len(lines) > 1 and all(len(line) < _SHORT for line in lines)
            blocks.append(Paragraph(tuple(lines) if keep else (" ".join(lines),)))
        if rows:
            width = max(len(row) for row in rows)
            blocks.append(Table(tuple(row + ("",) * (width - len(row)) for row in rows)))
        lines.clear()
        rows.clear()

    for raw in tidy(content).splitlines():
        line = raw.strip()
        if line.startswith("|") and line.endswith("|") and len(line) > 1:
            if lines:
                close()
            cells = tuple(cell.strip() for cell in line[1:-1].split("|"))
            if not all(cell and set(cell) <= set("-:") for cell in cells):
                rows.append(cells)
        elif line.startswith(("# ", "## ", "- ")):
            close()
            mark, _, text = line.partition(" ")
            blocks.append(Bullet(text) if mark == "-" else Heading(len(mark), text))
        elif not line:
            close()
        else:
            if rows:
                close()
            lines.append(line)
    close()
    return blocks
