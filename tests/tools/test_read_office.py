"""PDF, DOCX, XLSX and PPTX: order, selection, locators, and what is noted."""

from __future__ import annotations

import datetime as dt
import io
import zipfile
from pathlib import Path
from typing import Any

import docx
import openpyxl
import pptx
import pymupdf
import pytest
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from PIL import Image
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from deskgym.tools.registry import info, read_text
from deskgym.tools.result import ToolError, ToolResult


def shown(result: ToolResult) -> list[tuple[str, str]]:
    return [(segment.locator, segment.text) for segment in result.segments]


def make_pdf(path: Path, pages: list[list[tuple[float, float, str]]]) -> Path:
    document = pymupdf.open()
    for lines in pages:
        page = document.new_page(width=595, height=842)
        for x, y, text in lines:
            page.insert_text((x, y), text, fontsize=11)
    document.set_metadata({"title": "Lease", "author": "Ann"})
    document.save(path)
    return path


@pytest.fixture
def lease(tmp_path: Path) -> Path:
    pages = [[(72.0, 72.0 + 16 * n, f"page {p} line {n}") for n in range(3)] for p in (1, 2, 3)]
    return make_pdf(tmp_path / "lease.pdf", pages)


def page(number: int) -> tuple[str, str]:
    return f"page:{number}", "\n".join(f"page {number} line {n}" for n in range(3))


def test_a_pdf_gives_a_segment_a_page(lease: Path) -> None:
    result = read_text(lease)
    assert shown(result) == [page(1), page(2), page(3)]
    assert result.info["pages"] == 3
    assert result.info["title"] == "Lease"
    assert result.notes == ()


def test_pages_are_selected(lease: Path) -> None:
    assert shown(read_text(lease, pages=(2, 2))) == [page(2)]
    result = read_text(lease, pages=(3, 9))
    assert shown(result) == [page(3)]
    assert result.notes == ("the file ends at page 3",)
    with pytest.raises(ToolError, match="there is no page 99: the file has 3") as caught:
        read_text(lease, pages=(99, 99))
    assert (caught.value.kind, caught.value.remedy) == ("out_of_range", "choose from 1 to 3")
    with pytest.raises(ToolError, match="a PDF has no lines to select"):
        read_text(lease, lines=(1, 2))


@pytest.mark.parametrize("max_chars", [1, 7, 20, 44, 60, 10_000])
def test_pieces_of_a_pdf_add_up(lease: Path, max_chars: int) -> None:
    whole = "".join(segment.text for segment in read_text(lease).segments)
    pieces: list[str] = []
    offset: int | None = 0
    while offset is not None:
        result = read_text(lease, offset=offset, max_chars=max_chars)
        piece = "".join(segment.text for segment in result.segments)
        assert 0 < len(piece) <= max_chars
        pieces.append(piece)
        offset = result.next_offset
    assert "".join(pieces) == whole
    with pytest.raises(ToolError, match="beyond the text"):
        read_text(lease, offset=len(whole))


def test_a_scanned_page_is_named(tmp_path: Path) -> None:
    path = make_pdf(tmp_path / "scan.pdf", [[(72, 72, "typed")], [], []])
    result = read_text(path)
    assert shown(result) == [("page:1", "typed")]
    assert result.notes == ("no text layer on pages 2-3; use read_image to look at them",)


def test_rows_of_a_table_stay_together_and_columns_apart(tmp_path: Path) -> None:
    # Drawn column by column, as many programs do.
    table = [(72.0, 100 + 20.0 * n, t) for n, t in enumerate(["Item", "Rent", "Heating"])]
    table += [(300.0, 100 + 20.0 * n, t) for n, t in enumerate(["Price", "900", "120"])]
    prose = [(60.0, 100 + 14.0 * n, f"left column, the line number {n}") for n in range(6)]
    prose += [(320.0, 100 + 14.0 * n, f"right column, the line number {n}") for n in range(6)]
    prose.append(
        (60, 60, "A headline that runs across both of the columns of this page, all of it")
    )
    path = make_pdf(tmp_path / "a.pdf", [table, prose])
    first, second = (segment.text for segment in read_text(path).segments)
    assert first.replace("\n\n", "\n") == "Item  Price\nRent  900\nHeating  120"
    lines = [line for line in second.split("\n") if line]
    assert lines[0].startswith("A headline")
    assert lines[1:] == [f"{c} column, the line number {n}" for c in ("left", "right")
                         for n in range(6)]  # fmt: skip


def test_form_fields_and_comments_of_a_pdf(tmp_path: Path) -> None:
    document = pymupdf.open()
    sheet = document.new_page()
    sheet.insert_text((72, 72), "Form")
    field = pymupdf.Widget()
    field.field_name, field.field_type = "iban", pymupdf.PDF_WIDGET_TYPE_TEXT
    field.rect, field.field_value = pymupdf.Rect(72, 100, 300, 120), "DE12"
    sheet.add_widget(field)
    sheet.add_text_annot((300, 72), "check this")
    document.save(tmp_path / "form.pdf")
    text = read_text(tmp_path / "form.pdf").segments[0].text
    assert "[field iban: DE12]" in text
    assert "[comment: check this]" in text


def test_docx_in_document_order(tmp_path: Path) -> None:
    document = docx.Document()
    document.add_heading("Minutes", 1)
    document.add_paragraph("Before the table.")
    table = document.add_table(rows=2, cols=2)
    for cell, text in zip(table._cells, ["Who", "What", "Ann", "keys | doors"], strict=True):
        cell.text = text
    after = document.add_paragraph("After")
    inserted = OxmlElement("w:ins")  # a tracked insertion, and a tracked deletion
    run = after.add_run(" all")
    inserted.append(run._r)
    after._p.append(inserted)
    deleted = OxmlElement("w:del")
    gone = OxmlElement("w:delText")
    gone.text = "SECRET"
    deleted.append(gone)
    after._p.append(deleted)
    document.add_paragraph("Milk", style="List Bullet")
    document.add_paragraph("Bread", style="List Bullet")
    document.sections[0].header.paragraphs[0].text = "Confidential"
    document.add_comment(document.paragraphs[1].runs, text="really?", author="Bob")
    path = tmp_path / "a.docx"
    document.save(str(path))
    result = read_text(path)
    assert shown(result) == [
        (
            "lines:1-14",
            "# Minutes\n\nBefore the table.\n\n| Who | What |\n| --- | --- |\n"
            "| Ann | keys \\| doors |\n\nAfter all\n\n- Milk\n- Bread\n"
            "[header] Confidential\n[comment 0] really?\n",
        )
    ]
    assert shown(read_text(path, lines=(7, 7))) == [("lines:7", "| Ann | keys \\| doors |\n")]


def test_docx_text_in_content_controls_and_boxes_is_found(tmp_path: Path) -> None:
    document = docx.Document()
    control, content = OxmlElement("w:sdt"), OxmlElement("w:sdtContent")
    control.append(content)
    paragraph = document.add_paragraph("In a control")
    document.element.body.insert(0, control)
    content.append(paragraph._p)
    assert control.tag == qn("w:sdt")
    document.save(str(tmp_path / "a.docx"))
    assert shown(read_text(tmp_path / "a.docx")) == [("lines:1", "In a control\n")]


@pytest.fixture
def budget(tmp_path: Path) -> Path:
    book = openpyxl.Workbook()
    rent = book.active
    rent.title = "Rent"
    rent.append(["Month", "Amount", "Paid on", "Ok"])
    rent.append([dt.date(2024, 3, 1), 950.0, dt.datetime(2024, 3, 3, 9, 30), True])
    rent.append(["April", 950.5, dt.time(8, 15), "a | b\nc"])
    rent["B6"] = "=SUM(B2:B3)"
    hidden = book.create_sheet("My notes!")
    hidden["B2"] = "x"
    hidden.sheet_state = "hidden"
    book.create_sheet("Empty")
    book.save(tmp_path / "budget.xlsx")
    return tmp_path / "budget.xlsx"


HEAD = "|  | A | B | C | D |\n| --- | --- | --- | --- | --- |\n"


def test_a_workbook_gives_a_table_a_sheet(budget: Path) -> None:
    result = read_text(budget)
    assert shown(result) == [
        (
            "cells:Rent!A1:D6",
            HEAD + "| 1 | Month | Amount | Paid on | Ok |\n"
            "| 2 | 2024-03-01 | 950 | 2024-03-03 09:30:00 | TRUE |\n"
            "| 3 | April | 950.5 | 08:15:00 | a \\| b c |\n"
            "| 6 |  | =SUM(B2:B3) |  |  |\n",
        ),
        ("cells:My notes!!A1:B2", "|  | A | B |\n| --- | --- | --- |\n| 2 |  | x |\n"),
    ]
    assert "sheet 'My notes!' is hidden" in result.notes
    assert result.info["sheets"] == [
        {"name": "Rent", "rows": 6, "columns": 4, "hidden": False},
        {"name": "My notes!", "rows": 2, "columns": 2, "hidden": True},
        {"name": "Empty", "rows": 0, "columns": 0, "hidden": False},
    ]


@pytest.mark.parametrize(
    ("cells", "locator", "row"),
    [
        ("Rent!B2:C2", "cells:Rent!B2:C2", "| 2 | 950 | 2024-03-03 09:30:00 |\n"),
        ("cells:rent!$C$2:B2", "cells:Rent!B2:C2", "| 2 | 950 | 2024-03-03 09:30:00 |\n"),
        ("A3", "cells:Rent!A3:A3", "| 3 | April |\n"),
        ("'My notes!'!B2", "cells:My notes!!B2:B2", "| 2 | x |\n"),
        ("My notes!", "cells:My notes!!A1:B2", "| 2 |  | x |\n"),
    ],
)
def test_cells_are_selected(budget: Path, cells: str, locator: str, row: str) -> None:
    [(place, text)] = shown(read_text(budget, cells=cells))
    assert place == locator
    assert text.endswith("|\n" + row)


@pytest.mark.parametrize(
    ("cells", "kind"),
    [("Nope!A1", "out_of_range"), ("Rent!", "bad_argument"), ("ZZZ1", "out_of_range")],
)
def test_cells_that_are_not_there(budget: Path, cells: str, kind: str) -> None:
    with pytest.raises(ToolError) as caught:
        read_text(budget, cells=cells)
    assert caught.value.kind == kind
    assert caught.value.remedy


def test_empty_cells_are_said_to_be_empty(budget: Path) -> None:
    result = read_text(budget, cells="Rent!F9:G10")
    assert result.segments == ()
    assert "the selected cells are empty" in result.notes


def test_pieces_of_a_workbook_add_up_and_name_their_rows(budget: Path) -> None:
    places, rows = [], []
    offset: int | None = 0
    while offset is not None:
        result = read_text(budget, cells="Rent", offset=offset, max_chars=100)
        [(place, text)] = shown(result)
        assert text.startswith(HEAD)
        places.append(place)
        rows.append(text.removeprefix(HEAD))
        offset = result.next_offset
    assert places == ["cells:Rent!A1:D2", "cells:Rent!A3:D6"]
    assert HEAD + "".join(rows) == read_text(budget).segments[0].text


def test_a_stored_result_is_shown_instead_of_its_formula(tmp_path: Path) -> None:
    xlsxwriter = pytest.importorskip("xlsxwriter")
    with xlsxwriter.Workbook(tmp_path / "a.xlsx") as book:
        book.add_worksheet("S").write_formula("A1", "=6*7", None, 42)
    assert shown(read_text(tmp_path / "a.xlsx"))[0][1].endswith("| 1 | 42 |\n")


def test_a_sheet_that_is_missing_is_missed(budget: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(budget) as whole, zipfile.ZipFile(tmp_path / "a.xlsx", "w") as torn:
        for name in whole.namelist():
            if not name.endswith("sheet1.xml"):
                torn.writestr(name, whole.read(name))
    result = read_text(tmp_path / "a.xlsx")
    assert [segment.locator for segment in result.segments] == ["cells:My notes!!A1:B2"]
    assert "the file is damaged: 1 of its sheets cannot be found" in result.notes


def test_a_huge_sheet_is_capped_with_a_note_but_can_be_selected(tmp_path: Path) -> None:
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("Log")
    for number in range(1, 20_011):
        sheet.append([number])
    book.save(tmp_path / "a.xlsx")
    result = read_text(tmp_path / "a.xlsx", max_chars=100)
    assert any("goes on beyond 20,000 rows" in note for note in result.notes)
    [(place, text)] = shown(read_text(tmp_path / "a.xlsx", cells="Log!A20008:A30000"))
    assert place == "cells:Log!A20008:A20010"
    assert text.endswith("| 20010 | 20010 |\n")


def test_slides_give_title_text_table_chart_and_notes(tmp_path: Path) -> None:
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[1])
    slide.shapes.title.text = "Plan"
    slide.placeholders[1].text_frame.text = "First"
    nested = slide.placeholders[1].text_frame.add_paragraph()
    nested.text, nested.level = "Second", 1
    box = (Inches(1), Inches(3), Inches(4), Inches(1))
    table = slide.shapes.add_table(2, 2, *box).table
    for n, text in enumerate(["Who", "When", "Ann", "May"]):
        table.cell(n // 2, n % 2).text = text
    slide.notes_slide.notes_text_frame.text = "Smile."
    second = deck.slides.add_slide(deck.slide_layouts[6])
    figures: Any = CategoryChartData()  # type: ignore[no-untyped-call]
    figures.categories = ["2023", "2024"]
    figures.add_series("Sales", (3, 4.5))
    second.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, *box, figures)
    group = second.shapes.add_group_shape()
    group.shapes.add_textbox(*box).text_frame.text = "grouped"
    third = deck.slides.add_slide(deck.slide_layouts[6])
    pixels = io.BytesIO()
    Image.new("RGB", (20, 20), "red").save(pixels, "PNG")
    third.shapes.add_picture(io.BytesIO(pixels.getvalue()), 0, 0)
    third._element.set("show", "0")
    deck.save(str(tmp_path / "a.pptx"))
    result = read_text(tmp_path / "a.pptx")
    assert shown(result) == [
        (
            "page:1",
            "# Plan\nFirst\n  Second\n\n| Who | When |\n| --- | --- |\n| Ann | May |\n\n\n"
            "Notes:\nSmile.",
        ),
        (
            "page:2",
            "\n|  | Sales |\n| --- | --- |\n| 2023 | 3 |\n| 2024 | 4.5 |\n\ngrouped",
        ),
    ]
    assert result.notes == (
        "hidden when shown: slide 3",
        "pictures, which are not in the text, on slide 3",
        "no text on slide 3",
    )
    assert shown(read_text(tmp_path / "a.pptx", pages=(2, 2)))[0][0] == "page:2"
    assert info(tmp_path / "a.pptx")["slides"] == 3
    with pytest.raises(ToolError, match="there is no slide 4"):
        read_text(tmp_path / "a.pptx", pages=(4, 4))
