"""Slide decks (pptx): a segment a slide with title, text, tables, charts' figures, and notes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from deskgym.tools.cut import Request, clean, clip, cut_pages, listing, markdown_row
from deskgym.tools.guards import check_office_zip, damage
from deskgym.tools.result import ToolError, ToolResult
from deskgym.tools.sniff import FileType


def read(path: Path, kind: FileType, request: Request) -> ToolResult:
    """The text of the slides, one segment ``page:n`` each.

    Raises:
        ToolError: encrypted, corrupt, too_large, out_of_range, bad_argument.
    """
    request.allow("pages", "a slide deck")
    check_office_zip(path)
    import pptx
    from pptx.exc import PythonPptxError

    notes: list[str] = []
    try:
        slides = list(pptx.Presentation(str(path)).slides)
        first, last = clip(request.pages, len(slides), "slide", notes)
        texts = [
            (number, clean("\n".join(_slide_lines(slides[number - 1]))))
            for number in range(first, last + 1)
        ]
        pictured = [n for n in range(first, last + 1) if _has_picture(slides[n - 1].shapes)]
        hidden = [n for n, s in enumerate(slides, 1) if s.element.get("show") in ("0", "false")]
    except damage(PythonPptxError) as error:
        raise ToolError(
            "corrupt",
            f"{path.name!r} is a damaged slide deck: {type(error).__name__}: {error}",
            "read_original returns the bytes",
        ) from error
    if hidden:
        notes.append(f"hidden when shown: slide {listing(hidden)}")
    if pictured:
        notes.append(f"pictures, which are not in the text, on slide {listing(pictured)}")
    if empty := [n for n, text in texts if not text]:
        notes.append(f"no text on slide {listing(empty)}")
    segments, next_offset = cut_pages(texts, request, notes)
    info = {"pages": len(slides), "slides": len(slides)}
    return ToolResult(segments=segments, info=info, notes=tuple(notes), next_offset=next_offset)


def _slide_lines(slide: Any) -> list[str]:
    lines = []
    title = slide.shapes.title
    if title is not None and (text := " ".join(title.text_frame.text.split())):
        lines.append(f"# {text}")
    for shape in _shapes(slide.shapes):
        if title is None or shape.shape_id != title.shape_id:
            lines += _shape_lines(shape)
    if slide.has_notes_slide:
        frame = slide.notes_slide.notes_text_frame
        if frame is not None and frame.text.strip():
            lines += ["", "Notes:", *_paragraphs(frame.text)]
    return lines


def _shapes(shapes: Any) -> Iterator[Any]:
    """All shapes, those in groups too."""
    for shape in shapes:
        if hasattr(shape, "shapes"):
            yield from _shapes(shape.shapes)
        else:
            yield shape


def _shape_lines(shape: Any) -> list[str]:
    if getattr(shape, "has_table", False):
        rows = [[cell.text for cell in row.cells] for row in shape.table.rows]
        lines = [markdown_row(row) for row in rows]
        lines.insert(1, "|" + " --- |" * max((len(row) for row in rows), default=0))
        return ["", *lines, ""]
    if getattr(shape, "has_chart", False):
        return _chart_lines(shape.chart)
    if not shape.has_text_frame:
        return []
    lines = []
    for paragraph in shape.text_frame.paragraphs:
        if paragraph.text.strip():
            lines += ["  " * paragraph.level + line for line in _paragraphs(paragraph.text)]
    return lines


def _paragraphs(text: str) -> list[str]:
    # A vertical tab is how the format writes a line break within a paragraph.
    return [line.rstrip() for line in text.replace("\v", "\n").split("\n") if line.strip()]


def _chart_lines(chart: Any) -> list[str]:
    lines = [""]
    if chart.has_title and chart.chart_title.has_text_frame:
        lines.append(f"[chart] {' '.join(chart.chart_title.text_frame.text.split())}")
    for plot in chart.plots:
        series = list(plot.series)
        lines.append(markdown_row(["", *(str(s.name) for s in series)]))
        lines.append("|" + " --- |" * (len(series) + 1))
        for index, category in enumerate(plot.categories):
            values = [s.values[index] if index < len(s.values) else None for s in series]
            row = [str(category), *("" if v is None else f"{v:g}" for v in values)]
            lines.append(markdown_row(row))
    return [*lines, ""]


def _has_picture(shapes: Any) -> bool:
    return any(hasattr(shape, "image") for shape in _shapes(shapes))
