"""OpenDocument texts, sheets and slides: order, tables, values, notes, and what is refused."""

from __future__ import annotations

import zipfile
from pathlib import Path

import openpyxl
import pytest
from office_made import SCRIPTS, converted, odf, odf_part

from deskgym.tools.registry import info, read_text, sniff
from deskgym.tools.result import ToolError, ToolResult


def shown(result: ToolResult) -> list[tuple[str, str]]:
    return [(segment.locator, segment.text) for segment in result.segments]


def refused(path: Path) -> ToolError:
    with pytest.raises(ToolError) as caught:
        read_text(path)
    return caught.value


LETTER = """
<text:tracked-changes><text:changed-region><text:deletion><text:p>gone</text:p></text:deletion>
</text:changed-region></text:tracked-changes>
<text:h text:outline-level="2">The   lease</text:h>
<text:p>Rent:<text:s text:c="3"/>950<text:tab/>a month<text:line-break/>paid <text:span>on the
 3rd</text:span><text:note text:note-class="footnote"><text:note-citation>1</text:note-citation>
<text:note-body><text:p>or the 4th</text:p></text:note-body></text:note>.<office:annotation>
<dc:creator>Bo</dc:creator><text:p>really?</text:p></office:annotation></text:p>
<text:list><text:list-item><text:p>keys</text:p><text:list><text:list-item><text:p>two</text:p>
</text:list-item></text:list></text:list-item><text:list-item><text:p>lamp</text:p>
</text:list-item></text:list>
<table:table><table:table-header-rows><table:table-row><table:table-cell><text:p>Item</text:p>
</table:table-cell><table:table-cell><text:p>Cost</text:p></table:table-cell></table:table-row>
</table:table-header-rows><table:table-row><table:table-cell table:number-columns-spanned="2">
<text:p>a | b</text:p><text:p>c</text:p></table:table-cell><table:covered-table-cell/>
</table:table-row></table:table>
<text:section><text:p>inside<draw:frame><draw:text-box><text:p>boxed</text:p></draw:text-box>
</draw:frame></text:p></text:section>
"""
STYLES = odf_part(
    "document-styles",
    "<office:master-styles><style:master-page><style:header><text:p>Confidential</text:p>"
    "</style:header><style:footer><text:p>Page <text:page-number>1</text:page-number></text:p>"
    "</style:footer></style:master-page></office:master-styles>",
)
META = odf_part(
    "document-meta",
    "<office:meta><dc:title>Lease</dc:title><meta:initial-creator>Ann</meta:initial-creator>"
    "</office:meta>",
)


def test_a_text_in_document_order(tmp_path: Path) -> None:
    path = odf(tmp_path / "a.odt", "text", LETTER, parts={"styles.xml": STYLES, "meta.xml": META})
    [(locator, text)] = shown(read_text(path))
    assert locator == "lines:1-21"
    assert text == (
        "## The lease\n\nRent:   950\ta month\npaid on the 3rd.\n\n"
        "- keys\n  - two\n- lamp\n\n"
        "| Item | Cost |\n| --- | --- |\n| a \\| b c |  |\n\n"
        "inside\n\nboxed\n\n"
        "[header] Confidential\n[footer] Page 1\n[footnote 1] or the 4th\n[comment by Bo] really?\n"
    )
    about = info(path)
    assert (about["title"], about["author"], about["modality"]) == ("Lease", "Ann", "document")


@pytest.mark.parametrize("script", SCRIPTS)
def test_every_script_survives(tmp_path: Path, script: str) -> None:
    body = f"<text:p>{script}</text:p>"
    assert shown(read_text(odf(tmp_path / "a.odt", "text", body)))[0][1] == script + "\n"
    cell = f'<table:table-cell office:value-type="string">{body}</table:table-cell>'
    table = f'<table:table table:name="{script}"><table:table-row>{cell}</table:table-row>'
    path = odf(tmp_path / "a.ods", "spreadsheet", table + "</table:table>")
    [(locator, text)] = shown(read_text(path))
    assert locator == f"cells:{script}!A1:A1"
    assert text.endswith(f"| 1 | {script} |\n")


SHEETS = """
<table:table table:name="Rent"><table:table-column/><table:table-row>
<table:table-cell office:value-type="string" table:number-columns-spanned="2"><text:p>Month</text:p>
<office:annotation><text:p>not in the cell</text:p></office:annotation></table:table-cell>
<table:covered-table-cell/><table:table-cell table:number-columns-repeated="16382"/>
</table:table-row><table:table-row-group><table:table-row table:number-rows-repeated="2">
<table:table-cell office:value-type="date" office:date-value="2024-03-01"><text:p>1/3</text:p>
</table:table-cell>
<table:table-cell office:value-type="date" office:date-value="2024-03-03T09:30:00"/>
<table:table-cell office:value-type="time" office:time-value="PT08H15M00S"/>
<table:table-cell office:value-type="currency" office:value="950"><text:p>£950.00</text:p>
</table:table-cell><table:table-cell office:value-type="percentage" office:value="0.25"/>
<table:table-cell office:value-type="boolean" office:boolean-value="true"/></table:table-row>
</table:table-row-group><table:table-row table:number-rows-repeated="3"><table:table-cell/>
</table:table-row><table:table-row><table:table-cell table:number-columns-repeated="3"/>
<table:table-cell office:value-type="float" office:value="1900"
 table:formula="of:=SUM([.D2:.D3])+[$Old.B2]"/></table:table-row>
<table:table-row table:number-rows-repeated="1048570"><table:table-cell/></table:table-row>
</table:table>
<table:table table:name="Old" table:style-name="ta2"><table:table-row><table:table-cell/>
</table:table-row><table:table-row><table:table-cell/>
<table:table-cell office:value-type="string"><text:p>x</text:p></table:table-cell>
</table:table-row></table:table>
"""
HIDDEN_TABLE = (
    '<style:style style:name="ta2" style:family="table">'
    '<style:table-properties table:display="false"/></style:style>'
)


@pytest.fixture
def rent(tmp_path: Path) -> Path:
    return odf(tmp_path / "rent.ods", "spreadsheet", SHEETS, styles=HIDDEN_TABLE)


def test_a_sheet_gives_values_dates_and_formulas(rent: Path) -> None:
    result = read_text(rent)
    row = "2024-03-01 | 2024-03-03 09:30:00 | 08:15:00 | 950 | 0.25 | TRUE |\n"
    (place, text), (other, hidden) = shown(result)
    assert (place, other) == ("cells:Rent!A1:F7", "cells:Old!A1:B2")
    assert text.split("\n", 2)[2] == (
        f"| 1 | Month |  |  |  |  |  |\n| 2 | {row}| 3 | {row}| 7 |  |  |  | 1900 |  |  |\n"
    )
    assert hidden.endswith("| 2 |  | x |\n")
    assert result.notes == (
        "sheet 'Old' is hidden",
        "formulas in sheet 'Rent': D7 =SUM(D2:D3)+Old!B2",
        "merged cells in sheet 'Rent': A1:B1",
    )
    assert result.info["sheets"] == [
        {"name": "Rent", "rows": 7, "columns": 6, "hidden": False, "formulas": 1,
         "merged": ["A1:B1"]},
        {"name": "Old", "rows": 2, "columns": 2, "hidden": True},
    ]  # fmt: skip


def test_cells_of_a_sheet_are_selected(rent: Path) -> None:
    result = read_text(rent, cells="Rent!C3:D7")
    [(place, text)] = shown(result)
    assert place == "cells:Rent!C3:D7"
    assert text.endswith("| 3 | 08:15:00 | 950 |\n| 7 |  | 1900 |\n")
    assert shown(read_text(rent, cells="old!B2")) == [
        ("cells:Old!B2:B2", "|  | B |\n| --- | --- |\n| 2 | x |\n")
    ]
    with pytest.raises(ToolError, match="there is no sheet 'Nope'"):
        read_text(rent, cells="Nope!A1")


def test_a_row_repeated_without_end_is_capped(tmp_path: Path) -> None:
    cell = '<table:table-cell office:value-type="float" office:value="7"/>'
    row = f'<table:table-row table:number-rows-repeated="1048576">{cell}</table:table-row>'
    table = f'<table:table table:name="S">{row}</table:table>'
    result = read_text(odf(tmp_path / "a.ods", "spreadsheet", table), max_chars=100)
    assert result.info["sheets"] == [{"name": "S", "rows": 20_000, "columns": 1, "hidden": False}]
    assert any("goes on beyond 20,000 rows" in note for note in result.notes)


SLIDES = """
<draw:page draw:style-name="dp1"><draw:frame><draw:text-box><text:list><text:list-item>
<text:p>first point</text:p></text:list-item></text:list></draw:text-box></draw:frame>
<draw:frame presentation:class="title"><draw:text-box><text:p>The <text:span>plan</text:span>
</text:p></draw:text-box></draw:frame><draw:g><draw:custom-shape><text:p>in a group</text:p>
</draw:custom-shape></draw:g><presentation:notes><draw:frame><draw:image/></draw:frame><draw:frame>
<draw:text-box><text:p>say it slowly</text:p></draw:text-box></draw:frame></presentation:notes>
</draw:page>
<draw:page draw:style-name="dp2"><draw:frame><table:table><table:table-row><table:table-cell>
<text:p>Day</text:p></table:table-cell></table:table-row><table:table-row><table:table-cell>
<text:p>Friday</text:p></table:table-cell></table:table-row></table:table></draw:frame></draw:page>
<draw:page><draw:frame><draw:image><text:p/></draw:image><svg:desc>a beach</svg:desc></draw:frame>
</draw:page>
"""
HIDDEN_SLIDE = (
    '<style:style style:name="dp2" style:family="drawing-page">'
    '<style:drawing-page-properties presentation:visibility="hidden"/></style:style>'
)


def test_slides_with_titles_tables_and_notes(tmp_path: Path) -> None:
    path = odf(tmp_path / "a.odp", "presentation", SLIDES, styles=HIDDEN_SLIDE)
    result = read_text(path)
    assert shown(result) == [
        ("page:1", "# The plan\n- first point\nin a group\n\nNotes:\nsay it slowly"),
        ("page:2", "| Day |\n| --- |\n| Friday |\n"),
        ("page:3", "[image: a beach]"),
    ]
    assert result.info["slides"] == 3
    assert result.notes == (
        "hidden when shown: slide 2",
        "pictures, which are not in the text, on slide 3",
    )
    assert [s.locator for s in read_text(path, pages=(2, 2)).segments] == ["page:2"]


LOCKED = '<m><file-entry full-path="content.xml"><encryption-data/></file-entry></m>'
BOMB = '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]><a>&b;</a>'
OUTSIDE = '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY a SYSTEM "file:///etc/passwd">]><a>&a;</a>'


@pytest.mark.parametrize(
    ("suffix", "kind"), [("odt", "text"), ("ods", "spreadsheet"), ("odp", "presentation")]
)
def test_what_cannot_be_read_says_why(tmp_path: Path, suffix: str, kind: str) -> None:
    path = tmp_path / f"a.{suffix}"
    assert refused(odf(path, kind, "", manifest=LOCKED)).kind == "encrypted"
    assert "encrypted" in str(info(path)["problem"])
    whole = odf(path, kind, "<text:p>hello</text:p>" * 50).read_bytes()
    assert sniff(path).family == suffix
    path.write_bytes(whole[: len(whole) // 2])
    assert refused(path).kind == "corrupt"
    assert sniff(path).family == suffix
    path.write_bytes(b"")
    assert refused(path).kind == "empty"
    for content in (BOMB, OUTSIDE, "<not closed"):
        with zipfile.ZipFile(path, "w") as packed:
            packed.writestr("mimetype", f"application/vnd.oasis.opendocument.{kind}")
            packed.writestr("content.xml", content)
        assert refused(path).kind == "corrupt"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("mimetype", f"application/vnd.oasis.opendocument.{kind}")
        packed.writestr("content.xml", b" " * 30_000_000)
    assert refused(path).kind == "too_large"
    other = "spreadsheet" if kind == "text" else "text"
    wrong = odf(tmp_path / "wrong.docx", other, "<text:p>hello</text:p>")
    assert "read as what it is" in (read_text(wrong).notes or ("",))[0]


def test_an_open_document_without_its_body_is_corrupt(tmp_path: Path) -> None:
    path = odf(tmp_path / "a.odt", "text", "")
    mixed = tmp_path / "b.odt"
    with zipfile.ZipFile(path) as source, zipfile.ZipFile(mixed, "w") as packed:
        packed.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        packed.writestr("content.xml", source.read("content.xml"))
    error = refused(mixed)
    assert (error.kind, error.message) == (
        "corrupt",
        "'b.odt' is a damaged OpenDocument file: there is no spreadsheet in it",
    )


def test_what_libreoffice_writes_is_read(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active.title = "Rent"
    book.active.append(["Month", 950.5, "Ok"])
    book.active["B2"] = "=B1*2"
    book.active.merge_cells("A3:B3")
    book.create_sheet("Old").sheet_state = "hidden"
    book["Old"]["A1"] = "x"
    book.save(tmp_path / "rent.xlsx")
    result = read_text(converted(tmp_path / "rent.xlsx", "ods"))
    assert shown(result)[0] == (
        "cells:Rent!A1:C2",
        "|  | A | B | C |\n| --- | --- | --- | --- |\n| 1 | Month | 950.5 | Ok |\n"
        "| 2 |  | 1901 |  |\n",
    )
    assert "sheet 'Old' is hidden" in result.notes
    assert "formulas in sheet 'Rent': B2 =B1*2" in result.notes
