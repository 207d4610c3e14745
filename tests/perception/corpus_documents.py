"""Documents of the corpus: PDF, Word, OpenDocument, RTF, books, web pages."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

from corpus_case import Case, Picture, flat_odf, written
from office_made import ARABIC, CHINESE, HEBREW, KOREAN, epub, odf

_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
RENT_TABLE = ("| Month | Rent |", "| --- | --- |", "| March | 950 € |")


def letter(path: Path) -> None:
    """A letter by python-docx in English, German, Chinese and Arabic, with a table."""
    import docx

    made = docx.Document()
    made.core_properties.title = "Rent"
    made.add_heading("Your flat in Köln", 1)
    made.add_paragraph("Dear Zoë, the rent rises on 3 March.")
    made.add_paragraph("Keys: two", style="List Bullet")
    table = made.add_table(rows=2, cols=2)
    for cell, value in zip(table._cells, ("Month", "Rent", "March", "950 €"), strict=True):
        cell.text = value
    made.add_paragraph(CHINESE)
    made.add_paragraph(ARABIC)
    made.sections[0].header.paragraphs[0].text = "Miller & Sons"
    made.save(str(path))


def _hebrew_letter(path: Path) -> None:
    import docx

    made = docx.Document()
    made.add_paragraph(HEBREW)
    made.add_paragraph(KOREAN)
    made.add_paragraph("Płacę 1 250,50 zł – до 3 марта")
    made.save(str(path))


_GARDEN = (
    '<text:h text:outline-level="1">Garden club</text:h>'
    f"<text:p>We meet on 9 May.</text:p><text:p>{HEBREW}</text:p>"
    '<table:table><table:table-column table:number-columns-repeated="2"/>'
    "<table:table-row><table:table-cell><text:p>Plant</text:p></table:table-cell>"
    "<table:table-cell><text:p>Beds</text:p></table:table-cell></table:table-row>"
    "<table:table-row><table:table-cell><text:p>Leek</text:p></table:table-cell>"
    "<table:table-cell><text:p>12</text:p></table:table-cell></table:table-row></table:table>"
)


def _odt_letter(path: Path) -> None:
    odf(path, "text", _GARDEN)


def _flat_letter(path: Path) -> None:
    flat_odf(path, "text", _GARDEN)


GARDEN = ("Garden club", "We meet on 9 May.", HEBREW, "| Plant | Beds |", "| Leek | 12 |")


def _word_like(path: Path) -> None:
    """As Word writes it: runs split by spelling marks, a tracked change, a field, a text box."""
    body = (
        f'<w:p><w:pPr><w:bidi/></w:pPr><w:r><w:rPr><w:rtl/></w:rPr><w:t>{ARABIC}</w:t></w:r></w:p>'
        '<w:p><w:r><w:t xml:space="preserve">The dep</w:t></w:r><w:proofErr w:type="spellStart"/>'
        '<w:r><w:t>osit is </w:t></w:r>'
        '<w:del w:id="1"><w:r><w:delText>800</w:delText></w:r></w:del>'
        '<w:ins w:id="2"><w:r><w:t>900</w:t></w:r></w:ins><w:r><w:t xml:space="preserve"> euro'
        "</w:t></w:r></w:p>"
    )  # fmt: skip
    types = (
        '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        '<Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-'
        'officedocument.wordprocessingml.document.main+xml"/></Types>'
    )
    rels = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        '<Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/'
        'relationships/officeDocument" Target="word/document.xml"/></Relationships>'
    )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("[Content_Types].xml", types)
        packed.writestr("_rels/.rels", rels)
        packed.writestr(
            "word/document.xml",
            f'<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<w:document xmlns:w="{_W}">'
            f"<w:body>{body}</w:body></w:document>",
        )


def lease(path: Path) -> None:
    """A PDF by PyMuPDF: two pages, an outline, a comment, a filled form field."""
    import pymupdf

    with pymupdf.open() as made:
        made.new_page()
        made.new_page()
        first, second = made[0], made[1]
        first.insert_text((72, 72), "Lease of the flat")
        first.insert_text((72, 100), "The deposit is 1,900 euro.")
        first.add_text_annot((300, 100), "Ask Ann about this")
        field = pymupdf.Widget()
        field.field_type = pymupdf.PDF_WIDGET_TYPE_TEXT
        field.field_name, field.field_value = "tenant", "Zoë Lang"
        field.rect = pymupdf.Rect(72, 120, 200, 140)
        first.add_widget(field)
        second.insert_text((72, 72), "押金一千九百欧元", fontname="china-s")
        second.draw_rect(pymupdf.Rect(0, 421, 595, 842), fill=(1, 0, 0), color=(1, 0, 0))
        made.set_toc([[1, "Deposit", 1], [1, "中文", 2]])
        made.set_metadata({"title": "Lease 2024", "author": "Miller"})
        made.save(path)


def _hand_pdf(path: Path) -> None:
    """PDF 1.3 as an old program writes it: one font, Windows' letters, octal escapes."""
    text = rb"BT /F1 12 Tf 72 700 Td (Stra\337e 7, K\366ln) Tj 0 -20 Td (Paid 42.50) Tj ET"
    bodies = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 800] /Contents 4 0 R "
        b"/Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(text), text),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    data, places = b"%PDF-1.3\n", []
    for number, body in enumerate(bodies, 1):
        places.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    path.write_bytes(
        data + b"xref\n0 6\n0000000000 65535 f \n" + table
        + b"trailer << /Size 6 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % len(data)
    )  # fmt: skip


def _scan(path: Path) -> None:
    from PIL import Image, ImageDraw, ImageFont

    page = Image.new("L", (1240, 1754), 255)
    font = ImageFont.load_default(40)
    ImageDraw.Draw(page).text((150, 200), "The meter reads 48213", font=font, fill=0)
    page.save(path, "PDF", resolution=150)


def _rtf(path: Path) -> None:
    path.write_bytes(
        rb"{\rtf1\ansi\ansicpg936\deff0{\fonttbl{\f0\fcharset134 SimSun;}}"
        rb"\pard\f0 " + "".join(f"\\'{b:02x}" for b in "房租五千元".encode("gbk")).encode()
        + rb"\par {\b Due}: 3 March\par \u8364? 950\par"
        rb"\trowd\cellx2000\cellx4000 A\cell 1\cell\row"
        rb"\trowd\cellx2000\cellx4000 B\cell 2\cell\row}"
    )  # fmt: skip


def _epub(path: Path) -> None:
    epub(
        path,
        {
            "one.xhtml": "<h1>The Weir</h1><p>Turn left at the mill &amp; go on.</p>",
            "two.xhtml": f"<h1>La crue</h1><p>{CHINESE}</p>",
        },
    )


def _picture() -> bytes:
    from PIL import Image

    held = io.BytesIO()
    Image.new("RGB", (4, 4), "red").save(held, "PNG")
    return held.getvalue()


def page_with_picture(path: Path) -> None:
    """A PDF that holds a picture only."""
    import pymupdf

    with pymupdf.open() as made:
        page = made.new_page(width=100, height=100)
        page.insert_image(page.rect, stream=_picture())
        made.save(path)


_HTML = (
    "<!DOCTYPE html><html lang=ru><head><meta http-equiv=Content-Type "
    'content="text/html; charset=windows-1251"><title>Дача</title><script>let x="нет";</script>'
    "</head><body><h1>Дача</h1><p>Ключи у соседа.<table><tr><th>Месяц<th>Плата"
    "<tr><td>Май<td>120</table></body></html>"
)
_ARTICLE = (
    '<!doctype html>\n<html><head><meta charset="utf-8"><style>p{}</style></head><body>'
    "<h2>Recipes</h2><ol><li>Boil &frac12; l water<li>Add 3 eggs</ol>"
    f'<p dir="rtl">{ARABIC}</p></body></html>'
)
_LO = ("soffice", "package:docx")

CASES = [
    Case("pdf", "lease.pdf", lease,
         ("Lease of the flat", "The deposit is 1,900 euro.", "[field tenant: Zoë Lang]",
          "[comment: Ask Ann about this]", "押金一千九百欧元"),
         info={"pages": 2, "title": "Lease 2024", "author": "Miller",
               "mime": "application/pdf", "outline": [
                   {"level": 1, "title": "Deposit", "page": 1},
                   {"level": 1, "title": "中文", "page": 2}]},
         pictures=(Picture((1131, 1600), page=2, colours={(0.5, 0.8): (255, 0, 0)}),),
         by=("package:pymupdf",)),
    Case("pdf", "letter-lo.pdf", letter,
         ("Your flat in Köln", "Dear Zoë, the rent rises on 3 March.", "950 €", CHINESE, ARABIC),
         info={"pages": 1}, by=_LO, source="docx"),
    Case("pdf", "old.pdf", _hand_pdf, ("Straße 7, Köln", "Paid 42.50"), info={"pages": 1},
         pictures=(Picture((600, 1600)),)),
    Case("pdf", "scan.pdf", _scan, info={"pages": 1}, notes=("no text layer on page 1",),
         by=("package:PIL",)),
    Case("docx", "letter.docx", letter,
         ("# Your flat in Köln", "Dear Zoë, the rent rises on 3 March.", "- Keys: two",
          *RENT_TABLE, CHINESE, ARABIC, "[header] Miller & Sons"), by=("package:docx",)),
    Case("docx", "garden-lo.docx", _flat_letter, GARDEN, by=("soffice",), source="fodt"),
    Case("docx", "word.docx", _word_like, (ARABIC, "The deposit is 900 euro"), absent=("800",)),
    Case("doc", "letter.doc", letter,
         ("Your flat in Köln", "Dear Zoë, the rent rises on 3 March.", "| March | 950 € |",
          CHINESE, ARABIC), by=_LO, to_read=("soffice",), source="docx",
         info={"mime": "application/msword"}),
    Case("doc", "hebrew.doc", _hebrew_letter, (HEBREW, KOREAN, "1 250,50 zł – до 3 марта"),
         by=_LO, to_read=("soffice",), source="docx"),
    Case("odt", "garden.odt", _odt_letter, ("# Garden club", *GARDEN[1:])),
    Case("odt", "letter-lo.odt", letter,
         ("# Your flat in Köln", "Dear Zoë, the rent rises on 3 March.", "| March | 950 € |",
          CHINESE, ARABIC), by=_LO, source="docx"),
    Case("rtf", "chinese.rtf", _rtf,
         ("房租五千元", "Due: 3 March", "€ 950", "| A | 1 |", "| B | 2 |")),
    Case("rtf", "letter-lo.rtf", letter,
         ("Your flat in Köln", "Dear Zoë, the rent rises on 3 March.", "| March | 950 € |",
          CHINESE, ARABIC), by=_LO, source="docx"),
    Case("epub", "walks.epub", _epub,
         ("The Weir", "Turn left at the mill & go on.", "La crue", CHINESE),
         info={"title": "Walks"}),
    Case("epub", "letter-lo.epub", letter,
         ("Your flat in Köln", "Dear Zoë, the rent rises on 3 March.", CHINESE), by=_LO,
         source="docx"),
    Case("html", "dacha.html", written(_HTML, "cp1251"),
         ("# Дача", "Ключи у соседа.", "| Месяц | Плата |", "| Май | 120 |"), absent=("нет",)),
    Case("html", "recipes.html", written(_ARTICLE),
         ("## Recipes", "Boil ½ l water", "Add 3 eggs", ARABIC)),
    Case("html", "letter-lo.html", letter,
         ("Your flat in Köln", "Dear Zoë, the rent rises on 3 March.", "| March | 950 € |",
          CHINESE), by=_LO, source="docx", filter="html:HTML (StarWriter)"),
]  # fmt: skip
