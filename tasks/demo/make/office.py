"""Word, Excel and PowerPoint files, as bytes."""

from __future__ import annotations

import io
from datetime import date, datetime, time
from typing import Any

import docx
import openpyxl
import pptx
from openpyxl.styles import Font
from openpyxl.utils import get_column_letter
from pptx.util import Inches, Pt

from deskgym.tasks.demo.make.deterministic import office_bytes
from deskgym.tasks.demo.make.markup import Bullet, Heading, Paragraph, Table, parse
from deskgym.tasks.demo.make.things import DeskError, Mark, Slide
from deskgym.tasks.locators import Cells, WholeFile


def docx_bytes(content: str, author: str, created: datetime, modified: datetime) -> bytes:
    """A Word file of ``content`` in the kit's markup."""
    document = docx.Document()
    _properties(document.core_properties, author, created, modified)
    for block in parse(content):
        match block:
            case Heading(level, text):
                document.add_heading(text, level)
            case Bullet(text):
                document.add_paragraph(text, style="List Bullet")
            case Paragraph(lines):
                document.add_paragraph("\n".join(lines))
            case Table(rows):
                table = document.add_table(len(rows), len(rows[0]), style="Table Grid")
                for r, row in enumerate(rows):
                    for c, cell in enumerate(row):
                        run = table.cell(r, c).paragraphs[0].add_run(cell)
                        run.bold = r == 0
                document.add_paragraph()
    buffer = io.BytesIO()
    document.save(buffer)
    return office_bytes(buffer.getvalue(), created, modified)


def xlsx_bytes(
    path: str,
    sheets: dict[str, list[list[object]]],
    author: str,
    created: datetime,
    modified: datetime,
) -> bytes:
    """A workbook whose first row in each sheet is bold; ``=`` starts a formula.

    Raises:
        DeskError: no sheets, or a cell holds what a cell cannot.
    """
    if not sheets:
        raise DeskError(f"{path}: a workbook needs at least one sheet")
    book = openpyxl.Workbook()
    book.remove(book.active)
    book.properties.creator = author
    book.properties.lastModifiedBy = author
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for r, row in enumerate(rows, 1):
            for c, value in enumerate(row, 1):
                if not isinstance(value, str | int | float | date | time | None):
                    raise DeskError(f"{path}: {title} row {r} holds a {type(value).__name__}")
                cell = sheet.cell(r, c, value)
                if r == 1:
                    cell.font = Font(bold=True)
        for c in range(1, max((len(row) for row in rows), default=0) + 1):
            longest = max(len(str(row[c - 1])) for row in rows if len(row) >= c)
            sheet.column_dimensions[get_column_letter(c)].width = min(60, max(9, longest + 2))
        sheet.freeze_panes = "A2"
    buffer = io.BytesIO()
    book.save(buffer)
    return office_bytes(buffer.getvalue(), created, modified)


def pptx_bytes(slides: list[Slide], author: str, created: datetime, modified: datetime) -> bytes:
    """A deck with a slide for each of ``slides``."""
    deck = pptx.Presentation()
    _properties(deck.core_properties, author, created, modified)
    for slide in slides:
        page = deck.slides.add_slide(deck.slide_layouts[1 if slide.bullets else 5])
        page.shapes.title.text = slide.title
        if slide.bullets:
            body = page.placeholders[1]
            body.text_frame.text = "\n".join(slide.bullets)
            for paragraph in body.text_frame.paragraphs:
                paragraph.font.size = Pt(20)
        if slide.table:
            if slide.bullets:
                body.left, body.top, body.width = Inches(0.5), Inches(1.5), Inches(9)
                body.height = Inches(2.4)
            _add_table(page, slide.table, Inches(4.1 if slide.bullets else 1.7))
        if slide.notes:
            page.notes_slide.notes_text_frame.text = slide.notes
    buffer = io.BytesIO()
    deck.save(buffer)
    return office_bytes(buffer.getvalue(), created, modified)


def _add_table(page: Any, rows: list[list[str]], top: int) -> None:
    height = Inches(0.35 * len(rows))
    width = max(len(row) for row in rows)
    frame = page.shapes.add_table(len(rows), width, Inches(0.6), top, Inches(8.8), height)
    for r, row in enumerate(rows):
        for c, text in enumerate(row):
            cell = frame.table.cell(r, c)
            cell.text = str(text)
            cell.text_frame.paragraphs[0].font.size = Pt(14)


def _properties(core: Any, author: str, created: datetime, modified: datetime) -> None:
    core.author = core.last_modified_by = author
    core.created, core.modified, core.revision = created, modified, 1
    core.title = core.comments = ""


def cell_texts(value: object) -> list[str]:
    """The ways in which a quote may write a cell's value, the likeliest first."""
    if value is None:
        return []
    if isinstance(value, bool):
        return [str(value).upper(), str(value)]
    if isinstance(value, float):
        return list(dict.fromkeys([f"{value:g}", str(value), f"{value:.2f}", f"{value:,.2f}"]))
    if isinstance(value, int):
        return list(dict.fromkeys([str(value), f"{value:,}"]))
    if isinstance(value, datetime):
        texts = [f"{value:%Y-%m-%d %H:%M}", str(value)]
        return [f"{value:%Y-%m-%d}", *texts] if value.time() == time() else texts
    return [str(value)]


def cell_rows(
    sheets: dict[str, list[list[object]]],
) -> list[list[tuple[list[str], Cells]]]:
    """Every row's cells: the ways to write each value, and where it stands."""
    return [
        [
            (cell_texts(value), Cells(sheet=title, range=f"{get_column_letter(c)}{r}"))
            for c, value in enumerate(row, 1)
        ]
        for title, rows in sheets.items()
        for r, row in enumerate(rows, 1)
    ]


def member_marks(members: list[tuple[str, bytes]]) -> list[Mark]:
    """What the members of a container say, as far as they are plain text."""
    texts = [data.decode("utf-8", "ignore") for _, data in members if b"\0" not in data]
    return [Mark(text, WholeFile()) for text in texts]
