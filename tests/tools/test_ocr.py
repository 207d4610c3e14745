"""Reading text in pictures: what is read, where it stands, in which order, and what is not."""

from __future__ import annotations

import random
import sys
from typing import Any

import pymupdf
import pytest
from PIL import Image, ImageDraw, ImageFont
from PIL.Image import Transpose

from deskgym.tools.ocr import Ocr, OcrLine, RapidOcr, reading_order
from deskgym.tools.result import ToolError

_TEXT = (
    "the tenancy began on Monday and the rent of 1,284.50 is due each month before noon while "
    "Mr Okafor, who lives upstairs, keeps a spare key in flat 17B; please call +44 20 7946 0018 or "
    "write to office@harrow-lettings.example by 12 March 2024 with invoice INV-00417 (VAT at 20%)"
)
WORDS = _TEXT.split()


@pytest.fixture(scope="module")
def ocr() -> RapidOcr:
    pytest.importorskip("rapidocr", reason="rapidocr is not installed: no OCR is tested")
    return RapidOcr()


def page_of(text: str, font: str = "helv", size: int = 10, dpi: int = 150) -> Image.Image:
    page = pymupdf.open().new_page()
    assert page.insert_textbox((50, 50, 545, 790), text, fontname=font, fontsize=size) >= 0
    pixmap = page.get_pixmap(dpi=dpi)
    return Image.frombytes("RGB", (pixmap.width, pixmap.height), pixmap.samples)


def note(*lines: str, size: int = 24, fill: str = "black", paper: Any = "white") -> Image.Image:
    image = Image.new("RGBA" if isinstance(paper, tuple) else "RGB", (520, 60 * len(lines)), paper)
    pen = ImageDraw.Draw(image)
    for i, line in enumerate(lines):
        pen.text((20, 60 * i + 12), line, font=ImageFont.load_default(size), fill=fill)
    return image


def distance(a: str, b: str) -> int:
    """Levenshtein's."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        last, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            last, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, last + (x != y))
    return row[-1]


def texts(lines: list[OcrLine]) -> list[str]:
    return [line.text for line in lines]


@pytest.mark.parametrize(
    ("font", "size"), [("helv", 10), ("tiro", 11), ("cour", 9), ("hebo", 12), ("tiit", 10)]
)
def test_the_character_error_on_a_page_at_150_dpi_is_at_most_5_percent(
    ocr: RapidOcr, font: str, size: int
) -> None:
    words = random.Random(f"{font}{size}").choices(WORDS, k=160)
    lines = [" ".join(words[i : i + 8]) for i in range(0, len(words), 8)]
    found = " ".join(texts(ocr.lines(page_of("\n".join(lines), font, size))))
    true = " ".join(words)
    assert distance(found, true) / len(true) <= 0.05


def test_a_line_says_where_it_stands(ocr: RapidOcr) -> None:
    image = Image.new("RGB", (1000, 500), "white")
    pen = ImageDraw.Draw(image)
    font = ImageFont.load_default(30)
    pen.text((600, 400), "Gate B42", font=font, fill="black")
    [line] = ocr.lines(image)
    assert line.text == "Gate B42"
    assert 0.9 < line.score <= 1
    true = pen.textbbox((600, 400), "Gate B42", font=font)
    for got, want, side in zip(line.box, true, (1000, 500) * 2, strict=True):
        assert got == pytest.approx(want / side, abs=0.02)


def test_chinese_and_japanese_and_accents(ocr: RapidOcr) -> None:
    page = pymupdf.open().new_page(width=400, height=140)
    lines = {
        "china-s": "租金每月三千五百元",
        "japan": "打ち合わせは金曜日の午後三時",
        "helv": "Müller, Straße 5, café à Zürich, señor",
    }
    for i, (font, text) in enumerate(lines.items()):
        page.insert_text((20, 30 + 40 * i), text, fontname=font, fontsize=13)
    pixmap = page.get_pixmap(dpi=150)
    image = Image.frombytes("RGB", (pixmap.width, pixmap.height), pixmap.samples)
    assert texts(ocr.lines(image)) == list(lines.values())


@pytest.mark.parametrize("mode", ["L", "1", "P", "CMYK", "RGBA"])
def test_pictures_of_every_mode_are_read(ocr: RapidOcr, mode: str) -> None:
    assert texts(ocr.lines(note("Locker 4711").convert(mode))) == ["Locker 4711"]


@pytest.mark.parametrize("ink", ["white", "black"])
def test_ink_on_transparent_paper_stands_out(ocr: RapidOcr, ink: str) -> None:
    image = note("Locker 4711", fill=ink, paper=(0, 0, 0, 0))
    assert texts(ocr.lines(image)) == ["Locker 4711"]
    assert ocr.lines(Image.new("RGBA", (90, 90), (0, 0, 0, 0))) == []


def test_light_on_dark_is_read(ocr: RapidOcr) -> None:
    image = note("Departs 18:45", "Platform 9", fill="white", paper="black")
    assert texts(ocr.lines(image)) == ["Departs 18:45", "Platform 9"]


def test_small_print_is_enlarged(ocr: RapidOcr) -> None:
    image = Image.new("RGB", (260, 30), "white")
    font = ImageFont.load_default(9)
    ImageDraw.Draw(image).text((5, 8), "Total due 1284 EUR", font=font, fill="black")
    assert texts(ocr.lines(image)) == ["Total due 1284 EUR"]


def test_a_large_photograph_is_reduced(ocr: RapidOcr) -> None:
    image = note("Wi-Fi harbour-guest", "Password kestrel", size=30).resize((5200, 1200))
    lines = ocr.lines(image)
    assert texts(lines) == ["Wi-Fi harbour-guest", "Password kestrel"]
    assert lines[0].box[3] < 0.5 < lines[1].box[1]


def test_a_long_screenshot_is_read_line_by_line_once(ocr: RapidOcr) -> None:
    image = Image.new("RGB", (500, 4200), "white")
    pen, font = ImageDraw.Draw(image), ImageFont.load_default(26)
    said = [f"Message {n} of the chat" for n in range(60)]
    for i, text in enumerate(said):
        pen.text((20, 15 + 70 * i), text, font=font, fill="black")
    lines = ocr.lines(image)
    assert texts(lines) == said
    for i, line in enumerate(lines):
        assert (line.box[1] + line.box[3]) / 2 == pytest.approx((30 + 70 * i) / 4200, abs=0.004)


@pytest.mark.parametrize("size", [(3000, 30), (1, 1), (1, 900), (12_000, 40)])
def test_odd_shapes_are_no_trouble(ocr: RapidOcr, size: tuple[int, int]) -> None:
    image = Image.new("RGB", size, "white")
    if size == (3000, 30):
        font = ImageFont.load_default(20)
        ImageDraw.Draw(image).text((9, 3), "A strip of words", font=font, fill="black")
    assert texts(ocr.lines(image)) == (["A strip of words"] if size == (3000, 30) else [])


def test_no_text_is_invented(ocr: RapidOcr) -> None:
    noise = random.Random(7)
    grain = Image.frombytes("L", (600, 400), noise.randbytes(600 * 400))
    gradient = Image.linear_gradient("L").resize((700, 500))
    for image in (grain, gradient, Image.new("RGB", (800, 600), "white")):
        assert ocr.lines(image) == []


def test_equal_pictures_give_equal_lines(ocr: RapidOcr) -> None:
    image = page_of(" ".join(WORDS), "tiro")
    assert ocr.lines(image) == RapidOcr().lines(image)


def test_a_page_upside_down_still_says_its_words(ocr: RapidOcr) -> None:
    image = page_of("Boarding closes at 18:45 sharp", size=16).transpose(Transpose.ROTATE_180)
    assert texts(ocr.lines(image)) == ["Boarding closes at 18:45 sharp"]


def test_without_the_package_the_error_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rapidocr", None)
    with pytest.raises(ToolError, match="needs to be prepared") as caught:
        RapidOcr()
    assert (caught.value.kind, caught.value.remedy) == ("unsupported", "run: deskgym prepare ID")


def line(text: str, x0: float, y0: float, x1: float) -> OcrLine:
    return OcrLine(text, (x0, y0, x1, y0 + 0.02), 1.0)


def test_columns_of_prose_are_read_one_by_one_between_what_runs_across() -> None:
    left = [line(f"the left column, line {i}", 0.1, 0.2 + 0.03 * i, 0.45) for i in range(6)]
    right = [line(f"the right column, line {i}", 0.55, 0.205 + 0.03 * i, 0.9) for i in range(6)]
    title = line("A title that runs across both of the columns", 0.1, 0.1, 0.9)
    foot = line("A footnote that runs across both of the columns", 0.1, 0.5, 0.9)
    mixed = [foot, *right, *left, title]
    random.Random(3).shuffle(mixed)
    assert reading_order(mixed) == [title, *left, *right, foot]


def test_tables_are_read_row_by_row() -> None:
    rows = [
        [line(f"item {i}", 0.1, 0.1 + 0.05 * i, 0.3), line(f"{i}.50", 0.6, 0.104 + 0.05 * i, 0.7)]
        for i in range(6)
    ]
    mixed = [cell for row in rows for cell in row]
    random.Random(5).shuffle(mixed)
    assert reading_order(mixed) == [cell for row in rows for cell in row]


def test_the_engine_is_an_ocr(ocr: RapidOcr) -> None:
    engine: Ocr = ocr
    assert callable(engine.lines)
