"""Workbooks and slide decks of the corpus."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path

from corpus_case import Case, flat_odf
from office_made import ARABIC, CHINESE, HEBREW, KOREAN, odf


def rent_book(path: Path) -> None:
    """By openpyxl: formulas, a merged heading, dates, a hidden sheet."""
    import openpyxl

    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Rent"
    for row in (["Rent 2024", None, None], ["Due", "Euro", "Twice"],
                [date(2024, 3, 3), 950.5, "=B3*2"], [CHINESE, True, None]):  # fmt: skip
        sheet.append(row)
    sheet.merge_cells("A1:C1")
    hidden = book.create_sheet("Old")
    hidden.append(["secret", 7])
    hidden.sheet_state = "hidden"
    book.save(path)


def _stored_book(path: Path) -> None:
    """By XlsxWriter: results of formulas stored, a time stamp, strings inline in one sheet."""
    import xlsxwriter

    book = xlsxwriter.Workbook(str(path))
    sheet = book.add_worksheet("Überblick")
    sheet.write_row(0, 0, ["Name", "Sum"])
    sheet.write(1, 0, ARABIC)
    sheet.write_formula(1, 1, "=19+23", None, 42)
    stamp = book.add_format({"num_format": "yyyy-mm-dd hh:mm"})
    sheet.write_datetime(2, 0, datetime(2024, 3, 3, 8, 30), stamp)
    book.close()


def _cell(kind: str, attributes: str, text: str) -> str:
    return (
        f'<table:table-cell office:value-type="{kind}" {attributes}>'
        f"<text:p>{text}</text:p></table:table-cell>"
    )


def _ods(path: Path) -> None:
    rows = [
        _cell("string", "", "Due") + _cell("string", "", HEBREW),
        _cell("date", 'office:date-value="2024-03-03"', "3.3.24")
        + _cell("float", 'office:value="950.5"', "950,50"),
    ]
    inside = "".join(f"<table:table-row>{row}</table:table-row>" for row in rows)
    odf(path, "spreadsheet", f'<table:table table:name="Miete">{inside}</table:table>')


def _xls(path: Path) -> None:
    import xlwt

    book = xlwt.Workbook(encoding="utf-8")
    sheet = book.add_sheet("Plan")
    sheet.write(0, 0, KOREAN)
    sheet.write(0, 1, 12.25)
    sheet.write(1, 0, datetime(2024, 3, 3), xlwt.easyxf(num_format_str="DD.MM.YYYY"))
    sheet.write_merge(2, 2, 0, 1, "both")
    book.save(str(path))


def deck(path: Path) -> None:
    """By python-pptx: a title, levels, a table, speaker's notes, Chinese."""
    import pptx
    from pptx.util import Cm

    made = pptx.Presentation()
    slide = made.slides.add_slide(made.slide_layouts[1])
    slide.shapes.title.text = "Moving plan"
    frame = slide.placeholders[1].text_frame
    frame.text = "Book the van"
    frame.add_paragraph().text = CHINESE
    slide.notes_slide.notes_text_frame.text = "Ask Zoë first"
    second = made.slides.add_slide(made.slide_layouts[5])
    second.shapes.title.text = "Costs"
    table = second.shapes.add_table(2, 2, Cm(2), Cm(5), Cm(10), Cm(3)).table
    for n, value in enumerate(("Item", "Euro", "Van", "120")):
        table.cell(n // 2, n % 2).text = value
    made.save(str(path))


def _second_deck(path: Path) -> None:
    import pptx

    made = pptx.Presentation()
    for title, body in ((HEBREW, "Ключи у соседа"), ("Ende", KOREAN)):
        slide = made.slides.add_slide(made.slide_layouts[1])
        slide.shapes.title.text = title
        slide.placeholders[1].text_frame.text = body
    made.save(str(path))


def _odp_body() -> str:
    def frame(kind: str, text: str) -> str:
        return (
            f'<draw:frame presentation:class="{kind}" svg:width="20cm" svg:height="3cm" '
            f'svg:x="1cm" svg:y="1cm"><draw:text-box><text:p>{text}</text:p></draw:text-box>'
            "</draw:frame>"
        )

    pages = [
        frame("title", "Ausflug") + frame("outline", "Bus um 8:30")
        + f"<presentation:notes>{frame('notes', 'Brot mitnehmen')}</presentation:notes>",
        frame("title", ARABIC),
    ]  # fmt: skip
    return "".join(f'<draw:page draw:name="p{n}">{p}</draw:page>' for n, p in enumerate(pages))


def _odp(path: Path) -> None:
    odf(path, "presentation", _odp_body())


def _flat_odp(path: Path) -> None:
    flat_odf(path, "presentation", _odp_body())


CASES = [
    Case("xlsx", "rent.xlsx", rent_book,
         ("| 2 | Due | Euro | Twice |", "| 3 | 2024-03-03 | 950.5 | =B3*2 |",
          f"| 4 | {CHINESE} | TRUE |", "secret"),
         by=("package:openpyxl",), notes=("hidden",)),
    Case("xlsx", "writer.xlsx", _stored_book,
         ("| 1 | Name | Sum |", f"| 2 | {ARABIC} | 42 |", "2024-03-03 08:30"),
         by=("package:xlsxwriter",)),
    Case("xlsx", "rent-lo.xlsx", rent_book,
         ("| 2 | Due | Euro | Twice |", "| 3 | 2024-03-03 | 950.5 | 1901 |", "secret"),
         by=("soffice", "package:openpyxl"), source="xlsx", notes=("hidden", "C3 =B3*2")),
    Case("xls", "plan.xls", _xls, (f"| 1 | {KOREAN} | 12.25 |", "| 2 | 2024-03-03 |", "both"),
         by=("package:xlwt",), info={"mime": "application/vnd.ms-excel"}),
    Case("xls", "rent-lo.xls", rent_book,
         ("| 2 | Due | Euro | Twice |", "| 3 | 2024-03-03 | 950.5 | 1901 |",
          f"| 4 | {CHINESE} | TRUE |", "secret"),
         by=("soffice", "package:openpyxl"), source="xlsx", notes=("hidden",)),
    Case("ods", "miete.ods", _ods, (f"| 1 | Due | {HEBREW} |", "| 2 | 2024-03-03 | 950.5 |")),
    Case("ods", "rent-lo.ods", rent_book,
         ("| 2 | Due | Euro | Twice |", "| 3 | 2024-03-03 | 950.5 | 1901 |", "secret"),
         by=("soffice", "package:openpyxl"), source="xlsx", notes=("hidden",)),
    Case("pptx", "moving.pptx", deck,
         ("# Moving plan", "Book the van", CHINESE, "Notes:\nAsk Zoë first", "# Costs",
          "| Item | Euro |\n| --- | --- |\n| Van | 120 |"),
         info={"slides": 2, "pages": 2}, by=("package:pptx",)),
    Case("pptx", "ausflug-lo.pptx", _flat_odp, ("Ausflug", "Bus um 8:30", ARABIC),
         info={"slides": 2}, by=("soffice",), source="fodp"),
    Case("ppt", "moving.ppt", deck,
         ("Moving plan", "Book the van", CHINESE, "Ask Zoë first", "Costs", "Van"),
         info={"slides": 2, "mime": "application/vnd.ms-powerpoint"},
         by=("soffice", "package:pptx"), to_read=("soffice",), source="pptx"),
    Case("ppt", "two.ppt", _second_deck, (HEBREW, "Ключи у соседа", "Ende", KOREAN),
         info={"slides": 2}, by=("soffice", "package:pptx"), to_read=("soffice",), source="pptx"),
    Case("odp", "ausflug.odp", _odp, ("Ausflug", "Bus um 8:30", "Brot mitnehmen", ARABIC),
         info={"slides": 2}),
    Case("odp", "moving-lo.odp", deck,
         ("Moving plan", "Book the van", CHINESE, "Ask Zoë first", "Costs", "| Van | 120 |"),
         info={"slides": 2}, by=("soffice", "package:pptx"), source="pptx"),
]  # fmt: skip
