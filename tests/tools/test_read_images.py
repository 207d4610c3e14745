"""Pictures by value: turned upright, cropped, scaled; frames; PDF pages; what the camera noted."""

from __future__ import annotations

import io
import struct
import zlib
from pathlib import Path
from typing import Any

import pymupdf
import pytest
from PIL import ExifTags, Image

from deskgym.tools.registry import info, read_image, read_text
from deskgym.tools.result import Media, ToolError


def picture(media: Media) -> Image.Image:
    image = Image.open(io.BytesIO(media.data))
    assert (media.width, media.height) == image.size
    assert media.mime == f"image/{(image.format or '').lower()}"
    return image.convert("RGB")


def halves(left: str, right: str, size: tuple[int, int] = (300, 200)) -> Image.Image:
    image = Image.new("RGB", size, left)
    image.paste(right, (size[0] // 2, 0, *size))
    return image


def test_a_drawn_picture_comes_as_png(tmp_path: Path) -> None:
    halves("red", "blue").save(tmp_path / "a.bmp")
    result = read_image(tmp_path / "a.bmp")
    [media] = result.media
    assert (media.mime, media.locator) == ("image/png", "file")
    assert picture(media).getpixel((10, 10)) == (255, 0, 0)
    assert (result.info["width"], result.info["height"]) == (300, 200)
    assert result.info["mime"] == "image/bmp"


def test_a_photograph_comes_as_jpeg_no_larger_than_asked(tmp_path: Path) -> None:
    Image.effect_noise((900, 600), 80).convert("RGB").save(tmp_path / "a.png")
    result = read_image(tmp_path / "a.png", max_side=450)
    [media] = result.media
    assert (media.mime, media.width, media.height) == ("image/jpeg", 450, 300)
    picture(media)
    assert result.notes == ("scaled down from 900 x 600; crop with region to see more",)
    assert (result.info["width"], result.info["height"]) == (900, 600)


def test_a_region_is_cropped(tmp_path: Path) -> None:
    halves("red", "blue").save(tmp_path / "a.png")
    [media] = read_image(tmp_path / "a.png", region=(0.5, 0, 1, 0.5)).media
    assert media.locator == "region:1@0.5,0,1,0.5"
    assert picture(media).getcolors() == [(150 * 100, (0, 0, 255))]


def photograph(path: Path) -> None:
    exif = Image.Exif()
    exif[ExifTags.Base.Orientation] = 6  # to be turned a quarter clockwise
    exif[ExifTags.Base.Make], exif[ExifTags.Base.Model] = "Acme", "Acme One"
    exif.get_ifd(ExifTags.IFD.Exif)[ExifTags.Base.DateTimeOriginal] = "2024:03:05 18:20:00"
    place = exif.get_ifd(ExifTags.IFD.GPSInfo)
    place[ExifTags.GPS.GPSLatitudeRef], place[ExifTags.GPS.GPSLongitudeRef] = "N", "W"
    place[ExifTags.GPS.GPSLatitude] = (51.0, 30.0, 36.0)
    place[ExifTags.GPS.GPSLongitude] = (0.0, 7.0, 30.0)
    halves("red", "blue", (320, 160)).save(path, exif=exif, quality=95)


def test_a_photograph_is_turned_upright(tmp_path: Path) -> None:
    photograph(tmp_path / "a.jpg")
    [media] = read_image(tmp_path / "a.jpg").media
    assert (media.width, media.height) == (160, 320)
    top = picture(media).getpixel((80, 20))
    assert isinstance(top, tuple)
    assert top[0] > 200
    assert top[2] < 60


def test_what_the_camera_noted(tmp_path: Path) -> None:
    photograph(tmp_path / "a.jpg")
    found = info(tmp_path / "a.jpg")
    assert found["exif"] == {
        "taken": "2024-03-05T18:20:00",
        "camera": "Acme One",
        "latitude": 51.51,
        "longitude": -0.125,
        "orientation": 6,
    }
    assert (found["width"], found["height"], found["modality"]) == (160, 320, "image")


def test_frames_are_chosen_by_page(tmp_path: Path) -> None:
    frames = [Image.new("RGB", (50, 50), c) for c in ("red", "lime", "blue")]
    frames[0].save(tmp_path / "a.gif", save_all=True, append_images=frames[1:])
    result = read_image(tmp_path / "a.gif", page=2)
    assert picture(result.media[0]).getpixel((5, 5)) == (0, 255, 0)
    assert result.media[0].locator == "page:2"
    assert result.notes == ("frame 2 of 3; choose another with page",)
    with pytest.raises(ToolError, match="there is no frame 4: the file has 3") as caught:
        read_image(tmp_path / "a.gif", page=4)
    assert caught.value.kind == "out_of_range"


@pytest.mark.parametrize(
    ("mode", "colour", "suffix", "expected"),
    [
        ("CMYK", (0, 255, 255, 0), "jpg", (254, 0, 0)),
        ("1", 1, "png", (255, 255, 255)),
        ("P", 0, "gif", (0, 0, 0)),
        ("LA", (128, 255), "png", (128, 128, 128)),
    ],
)
def test_every_colour_mode_is_shown(
    tmp_path: Path, mode: str, colour: Any, suffix: str, expected: tuple[int, int, int]
) -> None:
    path = tmp_path / f"a.{suffix}"
    Image.new(mode, (40, 40), colour).save(path)
    got = picture(read_image(path).media[0]).getpixel((5, 5))
    assert isinstance(got, tuple)
    assert all(abs(a - b) <= 3 for a, b in zip(got, expected, strict=True))


def test_sixteen_bit_greys_keep_their_contrast(tmp_path: Path) -> None:
    image = Image.new("I;16", (40, 40), 1000)
    image.paste(3000, (20, 0, 40, 40))
    image.save(tmp_path / "a.png")
    shown = picture(read_image(tmp_path / "a.png").media[0])
    assert (shown.getpixel((5, 5)), shown.getpixel((35, 5))) == ((0, 0, 0), (255, 255, 255))


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    document = pymupdf.open()
    for colour in ((1, 0, 0), (0, 0, 1)):
        page = document.new_page(width=144, height=72)
        page.draw_rect(pymupdf.Rect(72, 0, 144, 72), color=colour, fill=colour)
    document.save(tmp_path / "a.pdf")
    return tmp_path / "a.pdf"


def test_a_pdf_page_is_rendered_at_the_resolution_asked_for(plan: Path) -> None:
    result = read_image(plan, dpi=100)
    [media] = result.media
    assert (media.locator, media.width, media.height) == ("page:1", 200, 100)
    assert picture(media).getpixel((150, 50)) == (255, 0, 0)
    assert picture(media).getpixel((50, 50)) == (255, 255, 255)
    assert result.notes == ("page 1 of 2; choose another with page",)


def test_a_region_of_a_pdf_page_and_its_largest_side(plan: Path) -> None:
    result = read_image(plan, page=2, region=(0.6, 0.1, 0.9, 0.9), dpi=600, max_side=90)
    [media] = result.media
    assert media.locator == "region:2@0.6,0.1,0.9,0.9"
    assert max(media.width or 0, media.height or 0) == 90
    assert picture(media).getpixel((30, 30)) == (0, 0, 255)
    with pytest.raises(ToolError, match="there is no page 3: the file has 2"):
        read_image(plan, page=3)


def test_a_drawing_is_rendered(tmp_path: Path) -> None:
    (tmp_path / "a.svg").write_text(
        '<svg xmlns="http://www.w3.org/2000/svg" width="72" height="36">'
        '<image href="secret.png" width="72" height="36"/>'
        '<rect x="36" width="36" height="36" fill="#0000ff"/></svg>'
    )
    halves("lime", "lime").save(tmp_path / "secret.png")  # what it refers to stays out
    result = read_image(tmp_path / "a.svg", dpi=144)
    [media] = result.media
    assert (media.locator, result.info["mime"]) == ("file", "image/svg+xml")
    shown = picture(media)
    assert shown.getpixel((shown.width * 3 // 4, 10)) == (0, 0, 255)
    assert shown.getpixel((shown.width // 4, 10)) == (255, 255, 255)
    assert "use read_image" in read_text(tmp_path / "a.svg").notes[0]
    for broken in ("<svg", '<svg xmlns="http://www.w3.org/2000/svg" width="0" height="9"/>'):
        (tmp_path / "a.svg").write_text(broken)
        with pytest.raises(ToolError) as caught:
            read_image(tmp_path / "a.svg")
        assert caught.value.kind == "corrupt"


@pytest.mark.parametrize(
    "arguments",
    [
        {"page": 0},
        {"dpi": 10_000},
        {"max_side": 1},
        {"region": (0.5, 0, 0.5, 1)},
        {"region": (0, 0, 2, 1)},
        {"region": (0, 0, 1)},
    ],
)
def test_bad_arguments_are_named(plan: Path, arguments: dict[str, Any]) -> None:
    with pytest.raises(ToolError, match=next(iter(arguments))) as caught:
        read_image(plan, **arguments)
    assert caught.value.kind == "bad_argument"


def test_a_picture_has_no_text_and_says_where_to_look(tmp_path: Path) -> None:
    halves("red", "blue").save(tmp_path / "a.webp", lossless=True)
    result = read_text(tmp_path / "a.webp")
    assert result.segments == ()
    assert result.notes == ("no text layer; use read_image",)
    assert result.info["width"] == 300


def test_a_picture_of_too_many_pixels_is_refused_undecoded(tmp_path: Path) -> None:
    def chunk(kind: bytes, data: bytes) -> bytes:
        check = struct.pack(">I", zlib.crc32(kind + data))
        return struct.pack(">I", len(data)) + kind + data + check

    for side in (10_001, 60_000):
        header = struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0)
        bomb = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"0"))
        (tmp_path / "bomb.png").write_bytes(bomb + chunk(b"IEND", b""))
        with pytest.raises(ToolError) as caught:
            read_image(tmp_path / "bomb.png")
        assert caught.value.kind == "too_large"


def test_a_broken_picture(tmp_path: Path) -> None:
    Image.effect_noise((200, 200), 80).save(tmp_path / "a.png")
    whole = (tmp_path / "a.png").read_bytes()
    for cut in (20, len(whole) // 2):
        (tmp_path / "a.png").write_bytes(whole[:cut])
        with pytest.raises(ToolError) as caught:
            read_image(tmp_path / "a.png")
        assert caught.value.kind == "corrupt"
