"""The kit that makes demo desks: every writer, equal bytes on every run, quotes that are found."""

from __future__ import annotations

import io
import json
import shutil
import wave
import zipfile
from datetime import date, datetime
from pathlib import Path

import openpyxl
import pymupdf
import pytest
from PIL import Image

from deskgym.tasks.demo.make.kit import Desk, DeskError, Event, Place, Quote, Scene, Shape, Slide
from deskgym.tasks.locators import Lines, Pages, Region, TimeSpan, parse_locator
from deskgym.tasks.records import task_from_record
from deskgym.tasks.schema import FileRecord

LISBON = Place(38.7223, -9.1393, "Lisbon, Portugal")
HOME = Place(-33.8688, 151.2093, "Sydney")
WHEN = "2024-03-05 18:20"
NEEDS_SOUND = pytest.mark.skipif(
    not (shutil.which("espeak-ng") and shutil.which("ffmpeg")),
    reason="needs espeak-ng and ffmpeg",
)
PAGE = """
    # Lease of the flat
    The tenant pays a rent of £950 – that is about €1,110 – on the ’first working day’ of each
    month, and the office confirms it.

    - Deposit of £1,425

    | Month | Rent |
    | March | £950 |
    | April | £975 |
"""


def fill(desk: Desk) -> None:
    """Every writer but those that need other programs."""
    desk.text("Notes/list.md", "- Eggs\n- Milk, two pints\n\nCall Priya on Friday", created=WHEN)
    desk.text("Notes/cjk.txt", "报价单 for Mo\nsecond", created=WHEN, encoding="utf-16")
    desk.text("Notes/rows.csv", "day,item,sum\n2024-03-01,Rent,950", created=WHEN, newline="\r\n")
    desk.text("Notes/logo.svg", "<svg xmlns='http://www.w3.org/2000/svg'/>", created=WHEN)
    desk.pdf("Papers/lease.pdf", [PAGE, "## Signed\nby J. Marsh"], created=WHEN)
    desk.scan("Papers/scan.pdf", [PAGE, "## Signed\nby J. Marsh"], created=WHEN)
    desk.docx("Papers/memo.docx", PAGE, created=WHEN, modified="2024-04-01 09:00:30")
    rows: list[list[object]] = [["Month", "Rent"], ["March", 950], ["April", 975.5]]
    rows.append([])
    rows.append(["Paid", date(2024, 3, 1), "=B2+B3"])
    desk.xlsx("Papers/rent.xlsx", {"Rent": rows, "Other": [["April", "x"]]}, created=WHEN)
    slides = [
        Slide("Plan", ["Ask three firms", "Choose one"], notes="Say it slowly"),
        Slide("Prices", table=[["Firm", "Price"], ["Aster", "£120"]]),
    ]
    desk.pptx("Papers/plan.pptx", slides, created=WHEN)
    desk.eml(
        "Mail/hello.eml",
        sender="Ann <ann@example.org>",
        to="bo@example.org",
        cc="cy@example.org",
        reply_to="desk@example.org",
        subject="The boiler – again",
        body="The plumber comes on Tuesday.\nBring £40.",
        html="<p>The plumber comes on Tuesday.</p>",
        attachments=[("terms.txt", b"valid until June"), ("blob.bin", b"\0\1")],
        created=WHEN,
    )
    events = [
        Event("Football, five-a-side", "2024-03-07 19:00", "2024-03-07 20:00", "Park", "Boots"),
        Event("Holiday", "2024-04-01", "2024-04-03", rrule="FREQ=YEARLY"),
    ]
    desk.ics("cal.ics", events, created=WHEN)
    desk.vcf("people.vcf", [{"name": "J. Marsh", "org": "Marsh & Co", "note": "x"}], created=WHEN)
    for style in ("note", "receipt", "screenshot", "whiteboard", "poster", "card"):
        desk.image(f"Shots/{style}.png", ["Milk  £1.20", "Bread €2"], style=style, created=WHEN)
    for suffix in ("jpg", "webp", "gif", "bmp", "tiff"):
        desk.image(f"Shots/p.{suffix}", ["Gate 14"], style="photo", place=LISBON, created=WHEN)
    desk.chart("Shots/bars.png", "Spending", {"May": 1200, "June": 900.5}, unit="£", created=WHEN)
    desk.chart("Shots/line.png", "Weight", {"May": 72, "June": 70}, kind="line", created=WHEN)
    scene = [
        Shape("ellipse", (0.1, 0.1, 0.3, 0.3), "#cc2222", shows="a red balloon"),
        Shape("rect", (0.5, 0.5, 0.9, 0.8), "#224488", "HOTEL"),
    ]
    desk.picture("Shots/beach.jpg", scene, "Summer 2023", created=WHEN, shows="a sunny beach")
    desk.archive("old.zip", [("b.txt", b"the old code is 7718"), ("a.bin", b"\0")], created=WHEN)


def fill_media(desk: Desk) -> None:
    """The writers that need espeak-ng and FFmpeg, in every format."""
    for suffix in ("wav", "mp3", "m4a", "ogg", "flac", "opus"):
        said = ["Hello, this is Priya.", "The hearing moves to ten."]
        desk.speech(f"Voice/memo.{suffix}", said, created=WHEN)
    scenes = [
        Scene(1.5, ["Welcome", "to the flat"]),
        Scene(0.5, ["Rent £950"], say="Mind the step"),
    ]
    for suffix in ("mp4", "webm", "mov", "mkv"):
        desk.video(f"Clips/tour.{suffix}", scenes, created=WHEN)


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    made = Desk("tiny", "Tiny Tim", "A test.", tmp_path_factory.mktemp("one"), HOME)
    fill(made)
    return made


@pytest.fixture(scope="module")
def media(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    made = Desk("loud", "Loud Lou", "A test.", tmp_path_factory.mktemp("media"), HOME)
    fill_media(made)
    return made


def test_two_runs_give_equal_bytes(desk: Desk, tmp_path: Path) -> None:
    again = Desk("tiny", "Tiny Tim", "A test.", tmp_path, HOME)
    fill(again)
    first, second = contents(desk.files), contents(again.files)
    assert first.keys() == second.keys()
    assert [path for path in first if first[path] != second[path]] == []


@NEEDS_SOUND
def test_two_runs_give_equal_sound_and_video(media: Desk, tmp_path: Path) -> None:
    again = Desk("loud", "Loud Lou", "A test.", tmp_path, HOME)
    fill_media(again)
    first, second = contents(media.files), contents(again.files)
    assert len(first) == 10
    assert [path for path in first if first[path] != second[path]] == []


@pytest.mark.parametrize(
    ("path", "text", "locator"),
    [
        ("Notes/list.md", "milk, TWO pints", "lines:2"),
        ("Notes/list.md", "Milk, two pints Call Priya", "lines:2-4"),
        ("Notes/cjk.txt", "报价单 for Mo", "lines:1"),
        ("Papers/lease.pdf", "rent of £950 – that is about €1,110", "page:1"),
        ("Papers/lease.pdf", "’first working day’ of each month, and the office", "page:1"),
        ("Papers/lease.pdf", "April | £975", "page:1"),
        ("Papers/lease.pdf", "by J. Marsh", "page:2"),
        ("Papers/plan.pptx", "Choose one", "page:1"),
        ("Papers/plan.pptx", "Say it slowly", "page:1"),
        ("Papers/plan.pptx", "Aster | £120", "page:2"),
        ("Papers/rent.xlsx", "950", "cells:Rent!B2"),
        ("Papers/rent.xlsx", "April | 975.5", "cells:Rent!A3:B3"),
        ("Papers/rent.xlsx", "2024-03-01", "cells:Rent!B5"),
        ("Papers/rent.xlsx", "April | x", "cells:Other!A1:B1"),
        ("old.zip", "b.txt", "lines:1"),
        ("Notes/logo.svg", "http://www.w3.org/2000/svg", "lines:1"),
        ("old.zip", "the old code is 7718", "file"),
        ("Mail/hello.eml", "valid until June", "file"),
        ("Shots/p.jpg", "2024-03-05 18:20", "file"),
        ("Shots/p.jpg", "Lisbon, Portugal", "file"),
        ("Shots/beach.jpg", "a sunny beach", "file"),
    ],
)
def test_a_quote_is_located(desk: Desk, path: str, text: str, locator: str) -> None:
    assert str(desk.locate(path, text)) == locator


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("Notes/rows.csv", "2024-03-01,Rent,950"),
        ("Papers/memo.docx", "Deposit of £1,425"),
        ("Papers/memo.docx", "March | £950"),
        ("Mail/hello.eml", "The plumber comes on Tuesday."),
        ("Mail/hello.eml", "The boiler – again"),
        ("cal.ics", "Football, five-a-side"),
        ("people.vcf", "Marsh & Co"),
    ],
)
def test_a_quote_is_located_in_lines_of_what_the_tool_reads(
    desk: Desk, path: str, text: str
) -> None:
    found = desk.locate(path, text)
    assert isinstance(found, Lines)
    assert found.start == found.end


def region(desk: Desk, path: str, text: str) -> Region:
    found = desk.locate(path, text)
    assert isinstance(found, Region)
    return found


def test_lines_of_an_image_are_regions_from_top_to_bottom(desk: Desk) -> None:
    milk, bread = (region(desk, "Shots/note.png", t) for t in ("Milk £1.20", "Bread €2"))
    both = region(desk, "Shots/note.png", "£1.20 Bread")
    assert milk.y0 < bread.y0
    assert (both.y0, both.y1) == (milk.y0, bread.y1)


def shades(image: Image.Image, where: Region) -> tuple[int, int]:
    """The darkest and the lightest grey within ``where``."""
    left, right = round(where.x0 * image.width), round(where.x1 * image.width)
    top, bottom = round(where.y0 * image.height), round(where.y1 * image.height)
    pixels = image.convert("L").crop((left, top, right, bottom)).tobytes()
    return min(pixels), max(pixels)


def test_there_is_ink_where_a_region_says(desk: Desk) -> None:
    with Image.open(desk.files / "Shots/p.tiff") as image:
        darkest, lightest = shades(image, region(desk, "Shots/p.tiff", "Gate 14"))
    assert darkest < 60
    assert lightest > 200


def test_a_scan_has_regions_and_no_text(desk: Desk) -> None:
    deposit = region(desk, "Papers/scan.pdf", "Deposit of £1,425")
    signed = region(desk, "Papers/scan.pdf", "by J. Marsh")
    assert (deposit.page, signed.page) == (1, 2)
    with pymupdf.open(desk.files / "Papers/scan.pdf") as document:
        assert "".join(page.get_text() for page in document).strip() == ""
        pixels = document[0].get_pixmap(dpi=72, colorspace=pymupdf.csGRAY)
    page = Image.frombytes("L", (pixels.width, pixels.height), pixels.samples)
    assert shades(page, deposit)[0] < 140


def test_a_quote_over_two_pages_of_a_scan_is_located_by_page(desk: Desk) -> None:
    assert desk.locate("Papers/scan.pdf", "£975 Signed by") == Pages(start=1, end=2)


def test_a_chart_joins_label_and_value(desk: Desk) -> None:
    may, june = (region(desk, "Shots/bars.png", t) for t in ("May £1,200", "June £900.50"))
    assert may.x1 < june.x0
    assert may.y0 < june.y0  # the higher bar


def test_shapes_can_be_quoted_by_what_they_show_and_say(desk: Desk) -> None:
    balloon = region(desk, "Shots/beach.jpg", "a red balloon")
    hotel = region(desk, "Shots/beach.jpg", "HOTEL")
    caption = region(desk, "Shots/beach.jpg", "summer 2023")
    assert balloon.x1 < hotel.x0
    assert hotel.y1 < caption.y0


def span(desk: Desk, path: str, text: str) -> TimeSpan:
    found = desk.locate(path, text)
    assert isinstance(found, TimeSpan)
    return found


@NEEDS_SOUND
def test_sentences_have_their_times(media: Desk) -> None:
    first = span(media, "Voice/memo.wav", "this is Priya")
    second = span(media, "Voice/memo.wav", "The hearing moves to ten.")
    assert 0 < first.start_s < first.end_s < second.start_s < second.end_s
    with wave.open(str(media.files / "Voice/memo.wav")) as sound:
        assert second.end_s <= sound.getnframes() / sound.getframerate()


@NEEDS_SOUND
def test_scenes_have_their_times_and_wait_for_their_speech(media: Desk) -> None:
    assert str(media.locate("Clips/tour.mp4", "Welcome to the flat")) == "time:0-1.5"
    shown = span(media, "Clips/tour.mp4", "Rent £950")
    said = span(media, "Clips/tour.mp4", "mind the step")
    assert shown.start_s == 1.5 < said.start_s < said.end_s < shown.end_s
    assert shown.end_s - shown.start_s > 0.5


def test_photographs_carry_time_and_place(desk: Desk) -> None:
    with Image.open(desk.files / "Shots/p.jpg") as image:
        exif = image.getexif()
    gps = exif.get_ifd(0x8825)
    assert exif[0x0110] == "Pixel 8"
    assert exif.get_ifd(0x8769)[0x9003] == "2024:03:05 18:20:00"
    assert (gps[1], gps[3]) == ("N", "W")
    west = sum(float(part) / 60**n for n, part in enumerate(gps[4]))
    assert west == pytest.approx(9.1393, abs=1e-5)


def test_office_files_are_dated_as_told_and_start_with_their_content_types(desk: Desk) -> None:
    data = (desk.files / "Papers/memo.docx").read_bytes()
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.namelist()[0] == "[Content_Types].xml"
        assert {info.date_time for info in archive.infolist()} == {(2024, 4, 1, 9, 0, 30)}
    book = openpyxl.load_workbook(desk.files / "Papers/rent.xlsx")
    assert book.properties.created == book.properties.modified == datetime(2024, 3, 5, 18, 20)
    assert book["Rent"]["A1"].font.bold
    assert book["Rent"]["C5"].value == "=B2+B3"


def task(desk: Desk, *evidence: Quote, answer: str = "£950") -> None:
    desk.task(
        "What is the rent?",
        answer,
        kind="fact",
        evidence=list(evidence),
        steps=[("Read it.", list(range(len(evidence))))],
        search=["content"],
        perception=["text"],
        reasoning=["lookup"],
        answerable=bool(evidence),
    )


def small(tmp_path: Path) -> Desk:
    desk = Desk("small", "Small Sam", "A test.", tmp_path, HOME)
    desk.image("a.png", ["Rent £950"], created=WHEN, modified="2024-03-06 07:00")
    desk.xlsx("b.xlsx", {"S": [["Rent", 950]]}, created=WHEN, place=LISBON)
    return desk


FEW = {"files": 2, "types": 2, "tasks": 2}


def test_finish_asks_for_every_modality_and_enough_of_all(tmp_path: Path) -> None:
    desk = small(tmp_path)
    with pytest.raises(DeskError, match=r"2 files; make it 45\n2 file types; make it 16\n0 tasks"):
        desk.finish()
    with pytest.raises(DeskError, match="2 modalities; make it 5"):
        desk.finish(**FEW)


@NEEDS_SOUND
def test_finish_writes_records_that_read_back(tmp_path: Path) -> None:
    desk = small(tmp_path)
    desk.text("c.txt", "Rent: 950", created=WHEN)
    desk.speech("d.mp3", ["Rent is due."], created=WHEN)
    desk.video("e.mp4", [Scene(1, ["Rent"])], created=WHEN)
    task(desk, Quote("a.png", "£950"), Quote("b.xlsx", "Rent | 950"))
    task(desk, answer="The files do not say.")
    desk.finish(**FEW)
    folder = tmp_path / "small"
    records = json.loads((folder / "tasks.json").read_text(encoding="utf-8"))
    first, second = (task_from_record(record, "demo/small") for record in records)
    assert (first.id, second.id) == ("small-001", "small-002")
    assert [e.evidence_id for e in first.evidence] == ["small-001-e1", "small-001-e2"]
    assert [e.modality for e in first.evidence] == ["image", "document"]
    assert str(first.evidence[1].locator) == "cells:S!A1:B1"
    assert first.files == ("a.png", "b.xlsx")
    assert (second.answerable, second.evidence) == (False, ())
    rows = json.loads((folder / "files.json").read_text(encoding="utf-8"))
    files = [FileRecord.model_validate(row) for row in rows]
    assert [f.path for f in files] == ["a.png", "b.xlsx", "c.txt", "d.mp3", "e.mp4"]
    assert [f.location for f in files[:2]] == ["Sydney", "Lisbon, Portugal"]
    assert (folder / "files/a.png").stat().st_mtime == 1709708400  # 2024-03-06 07:00 UTC
    person = json.loads((folder / "person.json").read_text(encoding="utf-8"))
    assert (person["name"], person["user"]) == ("small", "Small Sam")


def test_a_missing_quote_fails_and_names_file_and_text(tmp_path: Path) -> None:
    desk = small(tmp_path)
    task(desk, Quote("a.png", "Rent £850"), Quote("b.xlsx", "Rent | 9"))
    task(desk, Quote("gone.txt", "Rent"))
    with pytest.raises(DeskError) as failure:
        desk.finish(**FEW)
    assert "small-001: a.png does not hold 'Rent £850'; the nearest it holds: 'Rent £950'" in str(
        failure.value
    )
    assert "b.xlsx does not hold 'Rent | 9'; the nearest it holds: 'Rent | 950'" in str(
        failure.value
    )
    assert "small-002: a quote from 'gone.txt', which was not written" in str(failure.value)


def test_every_locator_found_reads_back(desk: Desk) -> None:
    for path, text in (("Shots/card.png", "Bread"), ("Papers/scan.pdf", "April £975")):
        found = desk.locate(path, text)
        assert parse_locator(str(found)) == found
