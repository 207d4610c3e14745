"""The text of a PDF page in reading order: rows of a table side by side, columns one by one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from deskgym.tools import rtl

_PROSE = 22  # characters a line: columns of prose are at least this wide, those of tables are not
_MIN_LINES = 4


@dataclass(frozen=True)
class _Line:
    x0: float
    y0: float
    x1: float
    y1: float
    text: str

    @property
    def height(self) -> float:
        return max(self.y1 - self.y0, 1.0)


def page_text(page: Any) -> str:
    """The text of a PyMuPDF page, with filled-in form fields and comments after it."""
    import pymupdf

    # Without "preserve ligatures", "ﬁ" comes as the two letters that people search for.
    flags = pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_MEDIABOX_CLIP
    lines = _lines(page.get_text("dict", flags=flags))
    if any(rtl.is_rtl(line.text) for line in lines):
        lines = _lines(page.get_text("rawdict", flags=flags))
    text = "\n".join(_ordered(lines))
    return "\n".join(part for part in (text, *_extras(page)) if part)


def _lines(found: Any) -> list[_Line]:
    """The lines of a page's dictionary; with single characters, those of each in reading order."""
    lines = []
    for block in found["blocks"]:
        for line in block.get("lines", ()):
            text = "".join(map(_span_text, line["spans"]))
            # Text that is turned is in the order of the file: its places say nothing here.
            if "chars" in line["spans"][0] and line["dir"][0] > 0.9 and rtl.is_rtl(text):
                characters = [c for span in line["spans"] for c in span["chars"]]
                text = rtl.logical((c["c"], c["bbox"][0], c["bbox"][2]) for c in characters)
            if text.strip():
                x0, y0, x1, y1 = line["bbox"]
                lines.append(_Line(x0, y0, x1, y1, text.strip()))
    return lines


def _span_text(span: Any) -> str:
    return "".join(c["c"] for c in span["chars"]) if "chars" in span else str(span["text"])


def _extras(page: Any) -> list[str]:
    extras = []
    for field in page.widgets() or ():
        value = str(field.field_value or "").strip()
        if value and value != "Off":
            extras.append(f"[field {field.field_name}: {value}]")
    for annotation in page.annots() or ():
        if content := (annotation.info.get("content") or "").strip():
            extras.append(f"[comment: {content}]")
    return extras


def _ordered(lines: list[_Line]) -> list[str]:
    """Columns of prose one after the other, between what runs across them; the rest in rows."""
    gutter = _gutter(lines)
    if gutter is None:
        return _rows(lines)
    out: list[str] = []
    left: list[_Line] = []
    right: list[_Line] = []

    def flush() -> None:
        out.extend(_rows(left) + _rows(right))
        left.clear()
        right.clear()

    for line in sorted(lines, key=lambda n: n.y0):
        if line.x0 < gutter < line.x1:
            flush()
            out.append(line.text)
        else:
            (left if line.x1 <= gutter else right).append(line)
    flush()
    return out


def _gutter(lines: list[_Line]) -> float | None:
    """The x that parts two columns of prose, if the page has such."""
    if len(lines) < 2 * _MIN_LINES:
        return None
    lowest, highest = min(n.x0 for n in lines), max(n.x1 for n in lines)
    best: tuple[int, float] | None = None
    for x in {round(n.x0) - 2.0 for n in lines}:
        if not lowest + 0.25 * (highest - lowest) < x < lowest + 0.75 * (highest - lowest):
            continue
        left = [n for n in lines if n.x1 <= x]
        right = [n for n in lines if n.x0 >= x]
        crossing = len(lines) - len(left) - len(right)
        if crossing * 3 > len(lines) or not (_is_prose(left) and _is_prose(right)):
            continue
        # Columns stand beside each other: a right-hand address block above the text is none.
        shared = min(max(n.y1 for n in left), max(n.y1 for n in right)) - max(
            min(n.y0 for n in left), min(n.y0 for n in right)
        )
        if shared > 3 * left[0].height and (best is None or crossing < best[0]):
            best = (crossing, x)
    return best[1] if best else None


def _is_prose(lines: list[_Line]) -> bool:
    return len(lines) >= _MIN_LINES and sum(len(n.text) for n in lines) >= _PROSE * len(lines)


def _rows(lines: list[_Line]) -> list[str]:
    """Lines from top to bottom; those at one height side by side; a gap as an empty line."""
    rows: list[list[_Line]] = []
    for line in sorted(lines, key=lambda n: (n.y0, n.x0)):
        middle = (line.y0 + line.y1) / 2
        row = rows[-1] if rows else []
        # A line turned upright is tall: it would swallow the rows beside it.
        if row and row[0].y0 < middle < row[0].y1 and line.height < 2 * row[0].height:
            row.append(line)
        else:
            rows.append([line])
    out: list[str] = []
    bottom: float | None = None
    for row in rows:
        top, height = min(n.y0 for n in row), row[0].height
        if bottom is not None and top - bottom > 0.7 * height:
            out.append("")
        out.append(_side_by_side(row))
        bottom = max(n.y1 for n in row)
    return out


def _side_by_side(row: list[_Line]) -> str:
    """The lines of a row, from the right where they are mostly Arabic or Hebrew."""
    if not rtl.leads("".join(line.text for line in row)):
        return "  ".join(line.text for line in sorted(row, key=lambda n: n.x0))
    first, *rest = sorted(row, key=lambda n: -n.x1)
    text, left = first.text, first.x0
    for line in rest:
        # A number within a sentence is a line of its own, but close to its neighbours.
        text += (" " if left - line.x1 < 0.5 * line.height else "  ") + line.text
        left = line.x0
    return text
