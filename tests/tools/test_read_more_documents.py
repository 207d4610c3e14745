"""Rich text, books, notebooks, and what PDF and workbooks tell besides their text."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import docx
import openpyxl
import pymupdf
import pytest
from office_made import SCRIPTS, epub

from deskgym.tools.registry import info, read_text, sniff
from deskgym.tools.result import ToolError, ToolResult


def put(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def only(path: Path) -> str:
    [segment] = read_text(path, max_chars=1_000_000).segments
    return segment.text


def shown(result: ToolResult) -> list[tuple[str, str]]:
    return [(segment.locator, segment.text) for segment in result.segments]


def refused(path: Path) -> ToolError:
    with pytest.raises(ToolError) as caught:
        read_text(path)
    return caught.value


RICH = rb"""{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fswiss\fcharset0 Arial;}{\f1\fnil\fcharset204
{\*\falt Times}Cyr;}{\f2\fnil\fcharset128 Gothic;}}{\colortbl;\red0\green0\blue0;}
{\*\generator Writer 1.0;}{\info{\title The lease}{\author Ann}}
{\header\pard Confidential\par}
\pard\b Caf\'e9\b0  \endash  rent\par
\f1\'cf\'f0\'e8\'e2\'e5\'f2\f0\par
\f2\'93\'fa\'96\'7b\'96\{\f0\par
\u8364?5 \uc2\u960ab\uc1 done \u-10179?\u-8704?\par
{\field{\*\fldinst HYPERLINK "http://example.org"}{\fldrslt the link}}{\v secret}
{\pict 89504e47}\par
\{braces\} a\~b\tab c\line d{\footnote\pard a note}\par
{\listtext\bullet\tab}\pard\ls1 first\par {\listtext\bullet\tab}second\par
\pard\plain after\par
\trowd\cellx1000\cellx2000\pard\intbl Item\cell Cost\cell\row
\trowd\cellx1000\cellx2000\pard\intbl Ren|t\par flat\cell 950\cell\row
\pard end\par}"""


def test_rich_text_becomes_lines(tmp_path: Path) -> None:
    path = put(tmp_path / "a.rtf", RICH)
    assert only(path) == (
        "Café – rent\nПривет\n日本本\n€5 πdone 😀\nthe link\n{braces} a\u00a0b\tc\nd\n"
        "- first\n- second\nafter\n\n"
        "| Item | Cost |\n| --- | --- |\n| Ren\\|t flat | 950 |\n\nend\n"
        "[header] Confidential\n[footnote] a note\n"
    )
    assert info(path)["title"] == "The lease"
    assert info(path)["mime"] == "application/rtf"
    assert sniff(put(tmp_path / "nameless", RICH)).family == "rtf"


@pytest.mark.parametrize("script", SCRIPTS)
def test_every_script_survives(tmp_path: Path, script: str) -> None:
    escaped = "".join(f"\\u{ord(c)}?" if c > "\x7f" else c for c in script)
    rich = put(tmp_path / "a.rtf", "{\\rtf1\\ansi " + escaped + "\\par}")
    assert only(rich) == script + "\n"
    document = docx.Document()
    document.add_paragraph(script)
    document.save(str(tmp_path / "a.docx"))
    assert only(tmp_path / "a.docx") == script + "\n"
    book = epub(tmp_path / "a.epub", {"c.xhtml": f"<p>{script}</p>"})
    assert only(book) == script + "\n"
    cells = {"cells": [{"cell_type": "markdown", "source": [script]}], "nbformat": 4}
    notebook = put(tmp_path / "a.ipynb", json.dumps(cells))
    assert only(notebook) == f"[markdown 1]\n{script}\n"


@pytest.mark.parametrize("codepage", ["cp1256", "cp1255", "gb18030", "cp949"])
def test_rich_text_in_old_code_pages(tmp_path: Path, codepage: str) -> None:
    script = dict(zip(["cp1256", "cp1255", "gb18030", "cp949"], SCRIPTS, strict=True))[codepage]
    script = script.translate({ord(c): str(n) for n, c in enumerate("٠١٢٣٤٥٦٧٨٩")})
    charset = {"cp1256": 178, "cp1255": 177, "gb18030": 134, "cp949": 129}[codepage]
    escaped = "".join(f"\\'{byte:02x}" for byte in script.encode(codepage))
    fonts = f"{{\\fonttbl{{\\f0 Any;}}{{\\f7\\fcharset{charset} Local;}}}}"
    path = put(tmp_path / "a.rtf", f"{{\\rtf1\\ansi{fonts}\\f7 {escaped}\\par}}")
    assert only(path) == script + "\n"


def test_rich_text_that_breaks_off(tmp_path: Path) -> None:
    result = read_text(put(tmp_path / "a.rtf", RICH[:600]))
    assert result.segments[0].text.startswith("Café – rent\n")
    assert "the file breaks off; its end is missing" in result.notes
    assert refused(put(tmp_path / "b.rtf", RICH[:100])).kind == "corrupt"
    assert refused(put(tmp_path / "c.rtf", b"{\\rtf1" + b"{" * 100_000)).kind == "corrupt"
    assert refused(put(tmp_path / "d.rtf", b"")).kind == "empty"
    wrong = read_text(put(tmp_path / "e.rtf", b"plain\n"))
    assert (wrong.segments[0].text, "read as what it is" in wrong.notes[0]) == ("plain\n", True)


CHAPTERS = {
    "one.xhtml": "<h1>Start</h1><p>Up the hill.</p>",
    "a%20b.xhtml": "<p>Down again.</p><table><tr><td>km</td><td>7</td></tr></table>",
    "pic.xhtml": "<img src='x.png'/>",
}
TOC = (
    '<!DOCTYPE ncx PUBLIC "-//NISO//DTD ncx 2005-1//EN" "http://www.daisy.org/ncx.dtd">'
    '<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap><navPoint><navLabel>'
    '<text>Downhill</text></navLabel><content src="a%20b.xhtml#x"/></navPoint></navMap></ncx>'
)


def test_a_book_gives_a_segment_a_chapter_in_reading_order(tmp_path: Path) -> None:
    path = epub(tmp_path / "a.epub", CHAPTERS, {"OEBPS/toc.ncx": TOC})
    result = read_text(path)
    assert shown(result) == [
        ("page:1", "# Start\n\nUp the hill.\n"),
        ("page:2", "Down again.\n\n| km | 7 |\n| --- | --- |\n"),
    ]
    assert result.notes == (
        "the pages are the book's chapters",
        "no text in chapter 3; pictures are not in the text",
    )
    assert shown(read_text(path, pages=(2, 2)))[0][0] == "page:2"
    about = info(path)
    assert (about["title"], about["author"], about["language"], about["pages"]) == (
        "Walks", "Ann Lee", "en", 3,
    )  # fmt: skip
    assert about["outline"] == [{"title": "Downhill", "page": 2}]


def locks(algorithm: str) -> dict[str, str]:
    method = f'<e:EncryptionMethod xmlns:e="urn:e" Algorithm="{algorithm}"/>'
    return {"META-INF/encryption.xml": f"<encryption>{method}</encryption>"}


def test_broken_books(tmp_path: Path) -> None:
    path = tmp_path / "a.epub"
    assert refused(epub(path, CHAPTERS, locks("urn:aes128"))).kind == "encrypted"
    fonts = epub(path, CHAPTERS, locks("http://www.idpf.org/2008/embedding"))
    assert shown(read_text(fonts))[0][0] == "page:1"
    whole = epub(path, CHAPTERS).read_bytes()
    torn = put(tmp_path / "torn.epub", whole[:900])
    assert (refused(torn).kind, sniff(torn).family) == ("corrupt", "epub")
    assert refused(epub(path, {})).message.endswith("it names no chapter")
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("mimetype", "application/epub+zip")
    assert refused(path).kind == "corrupt"
    less = tmp_path / "less.epub"
    both = epub(path, {"a": "A", "b": "B"})
    with zipfile.ZipFile(both) as source, zipfile.ZipFile(less, "w") as packed:
        for name in source.namelist():
            if name != "OEBPS/a":
                packed.writestr(name, source.read(name))
    result = read_text(less)
    assert shown(result) == [("page:2", "B\n")]
    assert "the file is damaged: chapter 1 is missing" in result.notes
    bomb = '<!DOCTYPE a [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]><a>&b;</a>'
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("mimetype", "application/epub+zip")
        packed.writestr("META-INF/container.xml", bomb)
    assert "made to expand" in refused(path).message


NOTEBOOK: dict[str, Any] = {
    "nbformat": 4,
    "metadata": {"kernelspec": {"language": "python"}},
    "cells": [
        {"cell_type": "markdown", "source": ["# Costs\n", "per month"]},
        {
            "cell_type": "code",
            "source": "print(950)\n1 / 0",
            "outputs": [
                {"output_type": "stream", "text": ["950\n"]},
                {"output_type": "display_data", "data": {"image/png": "iVBO", "text/plain": "fig"}},
                {"output_type": "execute_result", "data": {"text/html": ["<b>7</b>"]}},
                {"output_type": "error", "traceback": ["\x1b[31mZeroDivisionError\x1b[0m", "why"]},
            ],
        },
    ],
}
NOTEBOOK_LINES = (
    "[markdown 1]\n# Costs\nper month\n\n[code 2]\nprint(950)\n1 / 0\n[output]\n950\n"
    "[output]\n[picture: image/png]\nfig\n[output]\n7\n[error]\nZeroDivisionError\nwhy\n"
)


def test_a_notebook_gives_cells_and_outputs(tmp_path: Path) -> None:
    path = put(tmp_path / "a.ipynb", json.dumps(NOTEBOOK))
    result = read_text(path)
    assert only(path) == NOTEBOOK_LINES
    assert result.notes == ("1 pictures in the outputs are named only",)
    assert (result.info["cells"], result.info["language"]) == (2, "python")
    assert sniff(put(tmp_path / "nameless", json.dumps(NOTEBOOK))).family == "notebook"


def test_an_old_notebook_and_broken_ones(tmp_path: Path) -> None:
    old = {"nbformat": 3, "worksheets": [{"cells": [{
        "cell_type": "code", "input": ["x = 1"],
        "outputs": [{"output_type": "pyout", "text": ["1"]}],
    }, 7]}]}  # fmt: skip
    assert only(put(tmp_path / "a.ipynb", json.dumps(old))) == "[code 1]\nx = 1\n[output]\n1\n"
    odd = read_text(put(tmp_path / "b.ipynb", '{"cells": 5}'))
    assert odd.segments[0].text == '{"cells": 5}'
    assert "shown as its source" in odd.notes[0]
    torn = read_text(put(tmp_path / "c.ipynb", json.dumps(NOTEBOOK)[:200]))
    assert "text/plain" in torn.notes[0]


def test_the_outline_and_attachments_of_a_pdf(tmp_path: Path) -> None:
    document = pymupdf.open()
    for number in range(12):
        document.new_page().insert_text((72, 72), f"page {number}")
    heads = [[1, "Lease", 1], [2, "Rent", 2], *([1, f"Part {n}", n] for n in range(3, 13))]
    document.set_toc(heads)
    document.embfile_add("plan.txt", b"hello")
    document.save(tmp_path / "a.pdf")
    result = read_text(tmp_path / "a.pdf", pages=(1, 1))
    assert result.info["outline"][:2] == [
        {"level": 1, "title": "Lease", "page": 1},
        {"level": 2, "title": "Rent", "page": 2},
    ]
    assert result.info["attachments"] == ["plan.txt"]
    assert result.notes[0].startswith("outline: Lease (page 1); Rent (page 2); Part 3 (page 3);")
    assert result.notes[0].endswith("Part 8 (page 8); and 4 more in metadata")
    assert result.notes[1] == "1 files are attached to it, and not in its text"


def test_chinese_and_korean_of_a_pdf(tmp_path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 72), SCRIPTS[2], fontname="china-s")
    page.insert_text((72, 102), SCRIPTS[3], fontname="korea")
    document.save(tmp_path / "a.pdf")
    assert only(tmp_path / "a.pdf").replace("\n\n", "\n").split("\n") == SCRIPTS[2:]


def test_formulas_and_merged_cells_of_a_workbook(tmp_path: Path) -> None:
    xlsxwriter = pytest.importorskip("xlsxwriter")
    with xlsxwriter.Workbook(tmp_path / "a.xlsx") as book:
        sheet = book.add_worksheet("Rent")
        sheet.merge_range("A1:B1", "Costs")
        for row in range(1, 20):
            sheet.write_formula(row, 0, f"=6*{row}", None, 6 * row)
        book.add_worksheet("Plain").write("A1", "x")
    result = read_text(tmp_path / "a.xlsx")
    assert "| 1 | Costs |\n| 2 | 6 |\n| 3 | 12 |\n" in result.segments[0].text
    formulas, merged = result.notes
    assert formulas.startswith("formulas in sheet 'Rent': A2 =6*1; A3 =6*2; ")
    assert formulas.endswith("A13 =6*12; and 7 more (select fewer cells to see theirs)")
    assert merged == "merged cells in sheet 'Rent': A1:B1"
    assert result.info["sheets"] == [
        {"name": "Rent", "rows": 20, "columns": 1, "hidden": False, "formulas": 19,
         "merged": ["A1:B1"]},
        {"name": "Plain", "rows": 1, "columns": 1, "hidden": False},
    ]  # fmt: skip
    part = read_text(tmp_path / "a.xlsx", cells="Rent!A20")
    assert part.notes[0] == "formulas in sheet 'Rent': A20 =6*19"


def test_merged_cells_are_found_across_pieces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("deskgym.tools.sheets._PIECE", 64)
    book = openpyxl.Workbook()
    book.active["A1"] = "x"
    wanted = [f"A{n}:C{n}" for n in range(1, 40)]
    for cells in wanted:
        book.active.merge_cells(cells)
    book.save(tmp_path / "a.xlsx")
    sheets = read_text(tmp_path / "a.xlsx").info["sheets"]
    assert sorted(sheets[0]["merged"]) == sorted(wanted)
