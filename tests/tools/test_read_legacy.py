"""Office files from before 2007."""

from __future__ import annotations

import datetime as dt
import shutil
from pathlib import Path

import docx
import pptx
import pytest
from docx.document import Document
from office_made import SCRIPTS, converted

from deskgym.tools import legacy
from deskgym.tools.registry import info, read_text, sniff
from deskgym.tools.result import ToolError

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
needs_office = pytest.mark.skipif(
    shutil.which("soffice") is None,
    reason="LibreOffice (soffice) is not installed: doc and ppt are not tested",
)


def refused(path: Path) -> ToolError:
    with pytest.raises(ToolError) as caught:
        read_text(path)
    return caught.value


def ole(path: Path, stream: str, content: bytes = b"") -> Path:
    """Something that looks like an old office file from afar."""
    path.write_bytes((OLE + stream.encode("utf-16-le")).ljust(1024, b"\0") + content)
    return path


@pytest.fixture
def rent(tmp_path: Path) -> Path:
    xlwt = pytest.importorskip("xlwt", reason="xlwt is not installed: xls is not tested")
    book = xlwt.Workbook(encoding="utf-8")
    sheet = book.add_sheet("Rent")
    date = xlwt.easyxf(num_format_str="yyyy-mm-dd")
    sheet.write_merge(0, 0, 0, 1, "Costs | all")
    sheet.write(1, 0, dt.date(2024, 3, 1), date)
    sheet.write(1, 1, dt.datetime(2024, 3, 3, 9, 30), date)
    sheet.write(1, 2, dt.time(8, 15), xlwt.easyxf(num_format_str="hh:mm"))
    for column, value in enumerate([950, 950.5, True]):
        sheet.write(3, column, value)
    for row, script in enumerate(SCRIPTS, 4):
        sheet.write(row, 0, script)
    old = book.add_sheet("Old")
    old.write(1, 1, "x")
    old.visibility = 1
    book.save(str(tmp_path / "rent.xls"))
    return tmp_path / "rent.xls"


def test_an_old_workbook_gives_values_and_dates(rent: Path) -> None:
    result = read_text(rent)
    first, second = result.segments
    assert (first.locator, second.locator) == ("cells:Rent!A1:C8", "cells:Old!A1:B2")
    assert first.text.split("\n")[2:] == [
        "| 1 | Costs \\| all |  |  |",
        "| 2 | 2024-03-01 | 2024-03-03 09:30:00 | 08:15:00 |",
        "| 4 | 950 | 950.5 | TRUE |",
        *(f"| {n} | {script} |  |  |" for n, script in enumerate(SCRIPTS, 5)),
        "",
    ]
    assert result.notes == (
        "sheet 'Old' is hidden",
        "merged cells in sheet 'Rent': A1:B1",
    )
    [part] = read_text(rent, cells="Rent!B4:C4").segments
    assert (part.locator, part.text.split("\n")[2]) == ("cells:Rent!B4:C4", "| 4 | 950.5 | TRUE |")


def test_broken_old_workbooks(rent: Path, tmp_path: Path) -> None:
    whole = rent.read_bytes()
    torn = tmp_path / "torn.xls"
    torn.write_bytes(whole[:1500])
    assert refused(torn).kind == "corrupt"
    assert refused(ole(tmp_path / "b.xls", "Workbook")).kind == "corrupt"
    nothing = tmp_path / "c.xls"
    nothing.write_bytes(b"")
    assert refused(nothing).kind == "empty"
    wrong = tmp_path / "wrong.doc"
    wrong.write_bytes(whole)
    assert read_text(wrong).notes[0].startswith("named .doc, but its content is application/vnd.ms")
    # A FILEPASS record after the beginning of the workbook's stream says that it is locked.
    begin = whole.index(b"\x09\x08\x10\x00")
    after = begin + 20
    mark = b"\x2f\x00\x36\x00\x01\x00\x01\x00\x01\x00"
    locked = tmp_path / "locked.xls"
    locked.write_bytes(whole[:after] + mark + whole[after + len(mark) :])
    assert refused(locked).kind == "encrypted"


def letter() -> Document:
    document = docx.Document()
    document.add_heading("The lease", 1)
    for script in SCRIPTS:
        document.add_paragraph(script)
    table = document.add_table(2, 2)
    for row, texts in zip(table.rows, [("Item", "Cost"), ("Rent", "950")], strict=True):
        for cell, text in zip(row.cells, texts, strict=True):
            cell.text = text
    document.add_paragraph("end")
    return document


@needs_office
def test_an_old_word_document(tmp_path: Path) -> None:
    letter().save(str(tmp_path / "a.docx"))
    path = converted(tmp_path / "a.docx", "doc")
    assert sniff(path).family == "doc"
    result = read_text(path)
    [segment] = result.segments
    assert segment.locator.startswith("lines:1-")
    lines = [line for line in segment.text.split("\n") if line]
    assert lines == [
        "# The lease", *SCRIPTS, "| Item | Cost |", "| --- | --- |", "| Rent | 950 |", "end",
    ]  # fmt: skip
    assert result.notes == ("an old Word document, converted to be read",)
    assert result.info["mime"] == "application/msword"


@needs_office
@pytest.mark.parametrize(("suffix", "head"), [("odt", "# "), ("rtf", ""), ("epub", "")])
def test_the_same_letter_in_the_formats_that_libreoffice_writes(
    tmp_path: Path, suffix: str, head: str
) -> None:
    letter().save(str(tmp_path / "a.docx"))
    result = read_text(converted(tmp_path / "a.docx", suffix))
    [segment] = result.segments
    assert [line for line in segment.text.split("\n") if line] == [
        f"{head}The lease", *SCRIPTS, "| Item | Cost |", "| --- | --- |", "| Rent | 950 |", "end",
    ]  # fmt: skip


@needs_office
def test_an_old_slide_deck(tmp_path: Path) -> None:
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[1])
    slide.shapes.title.text = "The plan"
    slide.placeholders[1].text = SCRIPTS[1]
    slide.notes_slide.notes_text_frame.text = "say it slowly"
    deck.save(str(tmp_path / "a.pptx"))
    path = converted(tmp_path / "a.pptx", "ppt")
    assert sniff(path).family == "ppt"
    [segment] = read_text(path).segments
    assert segment.locator == "page:1"
    assert segment.text == f"# The plan\n{SCRIPTS[1]}\n\nNotes:\nsay it slowly"
    [segment] = read_text(converted(tmp_path / "a.pptx", "odp")).segments
    assert segment.locator == "page:1"
    assert segment.text == f"# The plan\n- {SCRIPTS[1]}\n\nNotes:\nsay it slowly"


@needs_office
def test_what_libreoffice_cannot_read_is_corrupt(tmp_path: Path) -> None:
    path = ole(tmp_path / "a.ppt", "PowerPoint Document", b"\1" * 5000)
    error = refused(path)
    assert (error.kind, error.message) == (
        "corrupt",
        "'a.ppt' is damaged: LibreOffice cannot read it",
    )


@pytest.mark.parametrize(
    ("name", "stream", "what"),
    [
        ("a.doc", "WordDocument", "an old Word document"),
        ("a.ppt", "PowerPoint Document", "an old slide deck"),
    ],
)
def test_without_libreoffice_it_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, stream: str, what: str
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    path = ole(tmp_path / name, stream)
    error = refused(path)
    assert (error.kind, error.message, error.remedy) == (
        "unsupported",
        f"{name!r} is {what}, which needs to be prepared",
        "run: deskgym prepare ID",
    )
    assert "problem" not in info(path)


def test_locked_documents_are_known_without_opening_them(tmp_path: Path) -> None:
    word = b"\xec\xa5\xc1\x00" + bytes(7) + b"\1" + bytes(500)
    assert refused(ole(tmp_path / "a.doc", "WordDocument", word)).kind == "encrypted"
    deck = b"\x00\x00\xf6\x0f\x20\0\0\0\x14\0\0\0\xdf\xc4\xd1\xf3"
    assert refused(ole(tmp_path / "a.ppt", "PowerPoint Document", deck)).kind == "encrypted"


def test_a_conversion_that_hangs_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "soffice"
    program.write_text("#!/bin/sh\nsleep 1000 & wait\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr(legacy, "_TIMEOUT_S", 0.2)
    error = refused(ole(tmp_path / "a.doc", "WordDocument"))
    assert (error.kind, error.message) == ("timeout", "'a.doc' was not converted within 0.2 s")
