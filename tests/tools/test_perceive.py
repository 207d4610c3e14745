"""Everything of a file at once: text, OCR where there is none, pictures as `read_image` has."""

from __future__ import annotations

import dataclasses
import random
from pathlib import Path
from typing import Any

import docx
import openpyxl
import pymupdf
import pytest
from PIL import Image, ImageDraw, ImageFont

from deskgym.tasks.locators import parse_locator
from deskgym.tools.ocr import OcrLine, RapidOcr
from deskgym.tools.perceive import Perceived, perceive, region
from deskgym.tools.registry import read_image, read_text
from deskgym.tools.result import Media, Segment


@dataclasses.dataclass
class FakeOcr:
    """Says the same of each picture, and remembers which it was shown."""

    found: list[OcrLine] = dataclasses.field(
        default_factory=lambda: [OcrLine("Locker 4711", (0.1, 0.2, 0.5, 0.25), 0.9)]
    )
    shown: list[Any] = dataclasses.field(default_factory=list)

    def lines(self, image: Any) -> list[OcrLine]:
        self.shown.append(image)
        return self.found


def look(path: Path, ocr: FakeOcr | RapidOcr | None = None) -> Perceived:
    return perceive(path, ocr=ocr, asr=None)


def locators(found: Perceived) -> list[str]:
    return [segment.locator for segment in found.segments]


def sign(*lines: str, size: tuple[int, int] = (600, 300)) -> Image.Image:
    image = Image.new("RGB", size, "white")
    pen, font = ImageDraw.Draw(image), ImageFont.load_default(28)
    for i, text in enumerate(lines):
        pen.text((30, 30 + 60 * i), text, font=font, fill="black")
    return image


def pdf(path: Path, *pages: str | Image.Image | None) -> Path:
    """A page of text, of a scan, or of nothing, for each of ``pages``."""
    document = pymupdf.open()
    for content in pages:
        page = document.new_page(width=400, height=200)
        if isinstance(content, str):
            page.insert_textbox((20, 20, 380, 180), content)
        elif content is not None:
            file = path.with_suffix(".scan.png")
            content.save(file)
            page.insert_image(page.rect, filename=str(file), keep_proportion=False)
            file.unlink()
    document.save(path)
    return path


def test_a_picture_gives_its_text_with_boxes_and_itself(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    sign().save(path)
    ocr = FakeOcr()
    found = look(path, ocr)
    assert found.segments == (Segment("region:1@0.1,0.2,0.5,0.25", "Locker 4711"),)
    assert found.pictures == read_image(path).media
    assert found.info == read_text(path).info
    assert found.error is None
    assert any("OCR" in note for note in found.notes)
    assert [image.size for image in ocr.shown] == [(600, 300)]


def test_ocr_sees_a_picture_upright(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    sign().save(tmp_path / "a.jpg", exif=exif)
    ocr = FakeOcr()
    look(tmp_path / "a.jpg", ocr)
    assert [image.size for image in ocr.shown] == [(300, 600)]


def test_without_an_engine_there_is_no_text_and_no_word_of_any(tmp_path: Path) -> None:
    sign("Locker 4711").save(tmp_path / "a.png")
    found = look(tmp_path / "a.png")
    assert found.segments == ()
    assert not any("OCR" in note for note in found.notes)
    assert len(found.pictures) == 1


def test_each_frame_of_a_tiff_is_a_page(tmp_path: Path) -> None:
    path = tmp_path / "fax.tif"
    pages = [Image.new("RGB", (60 + i, 40), (9 * i, 0, 0)) for i in range(12)]
    pages[0].save(path, save_all=True, append_images=pages[1:])
    found = look(path, FakeOcr())
    assert locators(found) == [f"region:{n}@0.1,0.2,0.5,0.25" for n in range(1, 13)]
    assert found.pictures == tuple(read_image(path, page=n).media[0] for n in range(1, 13))


def test_an_animation_is_sampled_and_says_no_line_twice(tmp_path: Path) -> None:
    path = tmp_path / "a.gif"
    frames = [Image.new("RGB", (30, 30), (5 * i, 255 - 5 * i, 0)) for i in range(40)]
    frames[0].save(path, save_all=True, append_images=frames[1:])
    found = look(path, FakeOcr())
    assert locators(found) == ["region:1@0.1,0.2,0.5,0.25"]
    assert [m.locator for m in found.pictures] == [
        f"page:{n}" for n in (1, 6, 12, 17, 23, 28, 34, 40)
    ]
    assert found.pictures[3] == read_image(path, page=17).media[0]
    assert "an animation: frames 1, 6, 12, 17, 23, 28, 34, 40 of 40 were looked at" in found.notes


def test_only_the_pages_of_a_pdf_that_have_no_text_are_read_by_ocr(tmp_path: Path) -> None:
    path = pdf(tmp_path / "a.pdf", "The first page.", sign("x"), None, "The last page.")
    ocr = FakeOcr()
    found = look(path, ocr)
    assert locators(found) == ["page:1", "region:2@0.1,0.2,0.5,0.25", "page:4"]
    assert [s for s in found.segments if s.locator.startswith("page")] == list(
        read_text(path).segments
    )
    assert len(ocr.shown) == 1
    assert ocr.shown[0].width == pytest.approx(400 / 72 * 160, abs=1)
    assert "page 2 was read by OCR" in found.notes
    assert found.pictures == tuple(read_image(path, page=n).media[0] for n in (1, 2, 3, 4))
    assert found.info["pages"] == 4


def test_a_scanners_stamp_does_not_pass_for_the_text_of_its_page(tmp_path: Path) -> None:
    path = pdf(tmp_path / "a.pdf", sign("x"))
    with pymupdf.open(path) as document:
        document[0].insert_text((20, 190), "Scanned with PocketScan")
        document.save(tmp_path / "b.pdf")
    stamp = OcrLine("Scanned with PocketScan", (0.1, 0.9, 0.4, 0.95), 0.9)
    found = look(tmp_path / "b.pdf", FakeOcr([*FakeOcr().found, stamp]))
    assert [s.text.strip() for s in found.segments] == ["Scanned with PocketScan", "Locker 4711"]


def test_a_page_of_text_with_a_small_picture_is_not_read_by_ocr(tmp_path: Path) -> None:
    path = pdf(tmp_path / "a.pdf", "A letter with a logo.")
    sign("x").save(tmp_path / "logo.png")
    with pymupdf.open(path) as document:
        document[0].insert_image((300, 10, 380, 50), filename=str(tmp_path / "logo.png"))
        document.save(tmp_path / "b.pdf")
    assert locators(look(tmp_path / "b.pdf", FakeOcr())) == ["page:1"]


def test_office_files_give_their_whole_text_and_no_pictures(tmp_path: Path) -> None:
    document = docx.Document()
    words = random.Random(1)
    lines = [f"paragraph {i}: {words.random()}" for i in range(3000)]
    for text in lines:
        document.add_paragraph(text)
    document.save(str(tmp_path / "a.docx"))
    found = look(tmp_path / "a.docx", FakeOcr())
    whole = "".join(segment.text for segment in found.segments)
    assert [n for n in whole.split("\n") if n] == lines
    book = openpyxl.Workbook()
    for i in range(2000):
        book.active.append([i, f"entry {i}"])
    book.save(tmp_path / "a.xlsx")
    sheet = look(tmp_path / "a.xlsx", FakeOcr())
    assert sheet.segments == read_text(tmp_path / "a.xlsx", max_chars=10**8).segments
    assert "entry 1999" in "".join(segment.text for segment in sheet.segments)
    assert found.pictures == sheet.pictures == ()


def test_a_drawing_gives_its_picture(tmp_path: Path) -> None:
    path = tmp_path / "a.svg"
    path.write_text('<svg xmlns="http://www.w3.org/2000/svg" width="72" height="36"><text/></svg>')
    found = look(path, FakeOcr())
    assert found.pictures == read_image(path).media
    assert found.error is None


def test_what_cannot_be_read_says_why(tmp_path: Path) -> None:
    locked = tmp_path / "locked.pdf"
    with pymupdf.open(pdf(tmp_path / "a.pdf", "secret")) as document:
        document.save(locked, encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="x", owner_pw="y")
    (tmp_path / "empty.txt").write_bytes(b"")
    (tmp_path / "torn.png").write_bytes(b"\x89PNG\r\n\x1a\n" + b"\0" * 50)
    for name, kind in {
        "locked.pdf": "encrypted",
        "empty.txt": "empty",
        "torn.png": "corrupt",
        "absent.txt": "not_found",
    }.items():
        found = look(tmp_path / name, FakeOcr())
        assert found.error is not None, name
        assert found.error.kind == kind
        assert (found.segments, found.pictures) == ((), ())
    assert look(locked).info["mime"] == "application/pdf"


def test_the_frames_before_a_broken_one_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.tif"
    pages = [Image.effect_noise((90, 90), 50) for _ in range(2)]
    pages[0].save(path, save_all=True, append_images=pages[1:])
    data = path.read_bytes()
    with Image.open(path) as image:
        image.seek(1)
        [offset] = image.tag_v2[273]  # where the second frame's pixels begin
        image.tag_v2[273] = (len(data) + 9,)
    at = data.index((273).to_bytes(2, "little"), data.index(b"\x11\x01", 8) + 12)
    assert int.from_bytes(data[at + 8 : at + 12], "little") == offset
    path.write_bytes(data[: at + 8] + (len(data) + 9).to_bytes(4, "little") + data[at + 12 :])
    found = look(path, FakeOcr())
    assert found.error is not None
    assert found.error.kind == "corrupt"
    assert locators(found) == ["region:1@0.1,0.2,0.5,0.25"]
    assert [m.locator for m in found.pictures] == ["page:1"]


class Clumsy:
    def lines(self, image: Any) -> list[OcrLine]:
        raise KeyError("a fault in the engine")


def test_an_engine_that_fails_makes_an_error_not_a_crash(tmp_path: Path) -> None:
    sign().save(tmp_path / "a.png")
    found = perceive(tmp_path / "a.png", ocr=Clumsy(), asr=None)
    assert found.error is not None
    assert "a fault in the engine" in found.error.message
    assert found.info["width"] == 600


def test_pictures_can_be_handed_over_one_by_one(tmp_path: Path) -> None:
    path = pdf(tmp_path / "a.pdf", "one", "two", "three")
    kept: list[Media] = []
    found = perceive(path, ocr=None, asr=None, keep=kept.append)
    assert found.pictures == ()
    assert tuple(kept) == look(path).pictures
    assert len(kept) == 3


def test_a_full_disk_is_no_fault_of_the_file(tmp_path: Path) -> None:
    def full(media: Media) -> None:
        raise OSError(28, "No space left on device")

    for path in (pdf(tmp_path / "a.pdf", "one"), tmp_path / "a.png"):
        sign().save(tmp_path / "a.png")
        with pytest.raises(OSError, match="No space left"):
            perceive(path, ocr=None, asr=None, keep=full)


@pytest.mark.parametrize(
    ("box", "text"),
    [
        ((0.1, 0.2, 0.5, 0.25), "region:3@0.1,0.2,0.5,0.25"),
        ((0.12345, 0.2, 0.5001, 0.9999), "region:3@0.123,0.2,0.501,1"),
        ((0, 0, 1, 1), "region:3@0,0,1,1"),
        ((-0.2, 0.9999, 0.00001, 1.7), "region:3@0,0.999,0.001,1"),
        ((1.0, 1.0, 1.0, 1.0), "region:3@0.999,0.999,1,1"),
    ],
)
def test_boxes_become_locators_that_parse(box: Any, text: str) -> None:
    assert region(3, box) == text
    assert str(parse_locator(text)) == text


def test_a_scanned_letter_is_read_by_the_real_engine(tmp_path: Path) -> None:
    pytest.importorskip("rapidocr", reason="rapidocr is not installed: no scan is read")
    scan = sign("Dear Ms Park", "your deposit is 1,850.00", "paid on 3 May 2024", size=(800, 400))
    path = pdf(tmp_path / "a.pdf", scan)
    found = look(path, RapidOcr())
    assert [s.text for s in found.segments] == [
        "Dear Ms Park",
        "your deposit is 1,850.00",
        "paid on 3 May 2024",
    ]
    first = parse_locator(found.segments[0].locator)
    [media] = read_image(path, region=(first.x0, first.y0, first.x1, first.y1)).media  # type: ignore[union-attr]
    assert media.locator == found.segments[0].locator
