"""Pictures as cameras, phones and scanners leave them: kinds, colours, notes, and damage."""

from __future__ import annotations

import io
import struct
import sys
import zlib
from pathlib import Path
from typing import Any

import pytest
from PIL import ExifTags, Image, TiffImagePlugin

from deskgym.tools.registry import info, read_image, read_text
from deskgym.tools.result import Media, ToolError

Rational = TiffImagePlugin.IFDRational
BASE, GPS = ExifTags.Base, ExifTags.GPS


def shown(media: Media) -> Image.Image:
    return Image.open(io.BytesIO(media.data)).convert("RGB")


def near(image: Image.Image, at: tuple[int, int], colour: tuple[int, int, int]) -> bool:
    got = image.getpixel(at)
    assert isinstance(got, tuple)
    return all(abs(a - b) <= 12 for a, b in zip(got, colour, strict=True))


def halves(size: tuple[int, int] = (320, 160)) -> Image.Image:
    image = Image.new("RGB", size, "red")
    image.paste("blue", (size[0] // 2, 0, *size))
    return image


@pytest.mark.parametrize(
    ("suffix", "mime"),
    [
        ("png", "image/png"),
        ("jpg", "image/jpeg"),
        ("gif", "image/gif"),
        ("webp", "image/webp"),
        ("tiff", "image/tiff"),
        ("bmp", "image/bmp"),
        ("avif", "image/avif"),
    ],
)
def test_every_kind_is_shown(tmp_path: Path, suffix: str, mime: str) -> None:
    path = tmp_path / f"a.{suffix}"
    halves().save(path)
    result = read_image(path)
    assert result.info["mime"] == mime
    picture = shown(result.media[0])
    assert picture.size == (320, 160)
    assert near(picture, (20, 80), (255, 0, 0))
    assert near(picture, (300, 80), (0, 0, 255))


def heic(path: Path, exif: Image.Exif | None = None) -> None:
    pillow_heif = pytest.importorskip("pillow_heif", reason="pillow-heif is missing: no HEIC test")
    heif = pillow_heif.from_pillow(halves())
    heif.save(str(path), quality=90, exif=exif.tobytes() if exif else b"")


def test_a_phones_heic_is_shown_with_its_notes(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[BASE.Make], exif[BASE.Model] = "Apple", "iPhone 15"
    exif.get_ifd(ExifTags.IFD.Exif)[BASE.DateTimeOriginal] = "2024:06:01 09:15:00"
    exif.get_ifd(ExifTags.IFD.Exif)[BASE.OffsetTimeOriginal] = "+08:00"
    heic(tmp_path / "a.heic", exif)
    result = read_image(tmp_path / "a.heic")
    assert result.info["mime"] == "image/heic"
    assert result.info["exif"]["taken"] == "2024-06-01T09:15:00+08:00"
    assert result.info["exif"]["camera"] == "Apple iPhone 15"
    picture = shown(result.media[0])
    assert picture.size == (320, 160)
    assert near(picture, (20, 80), (255, 0, 0))
    whole = (tmp_path / "a.heic").read_bytes()
    (tmp_path / "a.heic").write_bytes(whole[: len(whole) * 2 // 3])
    with pytest.raises(ToolError) as caught:
        read_image(tmp_path / "a.heic")
    assert caught.value.kind == "corrupt"


def test_heic_without_its_decoder_is_said_to_be_unsupported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.heic").write_bytes(b"\0\0\0\x18ftypheic\0\0\0\0mif1heic" + b"\0" * 64)
    monkeypatch.setitem(sys.modules, "pillow_heif", None)
    with pytest.raises(ToolError, match="heic cannot be decoded") as caught:
        read_image(tmp_path / "a.heic")
    assert caught.value.kind == "unsupported"


# Where the top left pixel of the stored picture is seen, for each orientation.
CORNERS = {1: "tl", 2: "tr", 3: "br", 4: "bl", 5: "tl", 6: "tr", 7: "br", 8: "bl"}


@pytest.mark.parametrize("suffix", ["jpg", "tiff", "png", "webp"])
@pytest.mark.parametrize("turn", list(CORNERS))
def test_every_orientation_is_turned_upright(tmp_path: Path, turn: int, suffix: str) -> None:
    image = Image.new("RGB", (320, 160), "white")
    image.paste("red", (0, 0, 80, 40))
    exif = Image.Exif()
    exif[BASE.Orientation] = turn
    path = tmp_path / f"a.{suffix}"
    image.save(path, exif=exif, **({"quality": 95} if suffix in ("jpg", "webp") else {}))
    result = read_image(path)
    size = (320, 160) if turn < 5 else (160, 320)
    assert (result.info["width"], result.info["height"]) == size
    picture = shown(result.media[0])
    assert picture.size == size
    for corner in ("tl", "tr", "bl", "br"):
        x = 12 if corner[1] == "l" else size[0] - 12
        y = 12 if corner[0] == "t" else size[1] - 12
        red = corner == CORNERS[turn]
        assert near(picture, (x, y), (255, 0, 0) if red else (255, 255, 255)), corner


def photograph(path: Path, place: dict[int, Any] | None = None, **detail: Any) -> dict[str, Any]:
    exif = Image.Exif()
    notes = exif.get_ifd(ExifTags.IFD.Exif)
    for name, value in detail.items():
        (exif if name in ("ImageDescription", "DateTime", "Make") else notes)[BASE[name]] = value
    exif.get_ifd(ExifTags.IFD.GPSInfo).update(place or {})
    halves().save(path, exif=exif)
    found = info(path).get("exif", {})
    assert isinstance(found, dict)
    return found


def degrees(north: Any, east: Any, refs: str = "NE") -> dict[int, Any]:
    return {
        GPS.GPSLatitudeRef: refs[0],
        GPS.GPSLatitude: north,
        GPS.GPSLongitudeRef: refs[1],
        GPS.GPSLongitude: east,
    }


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        (degrees((51.0, 30.0, 36.0), (0.0, 7.0, 30.0), "NW"), (51.51, -0.125)),
        (degrees((33.0, 51.0, 54.0), (151.0, 12.0, 36.0), "SE"), (-33.865, 151.21)),
        (degrees((34.5, 0.0, 0.0), (58.25, 0.0, 0.0), "SW"), (-34.5, -58.25)),
        # Minutes with a fraction, and seconds of 0/0.
        (
            degrees((1.0, 17.4, Rational(0, 0)), (103.0, 51.0, Rational(0, 0))),
            (1.29, 103.85),
        ),
        (degrees((Rational(0, 0),) * 3, (Rational(0, 0),) * 3), None),
        (degrees((91.0, 0.0, 0.0), (10.0, 0.0, 0.0)), None),
        (degrees((10.0, 0.0, 0.0), (181.0, 0.0, 0.0)), None),
        ({GPS.GPSLatitudeRef: "N", GPS.GPSLatitude: (51.0, 30.0, 36.0)}, None),
    ],
)
def test_where_it_was_taken(
    tmp_path: Path, place: dict[int, Any], expected: tuple[float, float] | None
) -> None:
    found = photograph(tmp_path / "a.jpg", place)
    if expected is None:
        assert "latitude" not in found
        assert "longitude" not in found
    else:
        assert (found["latitude"], found["longitude"]) == pytest.approx(expected, abs=1e-6)
    assert "problem" not in found


@pytest.mark.parametrize(
    ("notes", "expected"),
    [
        ({"DateTimeOriginal": "2024:03:05 18:20:00"}, "2024-03-05T18:20:00"),
        (
            {"DateTimeOriginal": "2024:03:05 18:20:00", "OffsetTimeOriginal": "-05:00"},
            "2024-03-05T18:20:00-05:00",
        ),
        (
            {"DateTimeOriginal": "2024:03:05 18:20:00", "OffsetTimeOriginal": "   :  "},
            "2024-03-05T18:20:00",
        ),
        ({"DateTimeOriginal": "0000:00:00 00:00:00"}, None),
        ({"DateTimeOriginal": "    :  :     :  :  "}, None),
        (
            {"DateTimeOriginal": "0000:00:00 00:00:00", "DateTime": "2021:12:31 23:59:58"},
            "2021-12-31T23:59:58",
        ),
        ({"DateTimeOriginal": "2024:03:05"}, "2024-03-05"),
    ],
)
def test_when_it_was_taken(tmp_path: Path, notes: dict[str, str], expected: str | None) -> None:
    assert photograph(tmp_path / "a.jpg", **notes).get("taken") == expected


@pytest.mark.parametrize(
    ("notes", "expected"),
    [
        ({"ImageDescription": "Nan's 80th birthday"}, "Nan's 80th birthday"),
        ({"ImageDescription": "OLYMPUS DIGITAL CAMERA  "}, None),
        ({"UserComment": b"ASCII\0\0\0The leak below the sink\0"}, "The leak below the sink"),
        ({"UserComment": b"UNICODE\0" + "漏水的水槽".encode("utf-16-be")}, "漏水的水槽"),
        ({"UserComment": b"UNICODE\0" + "A leak".encode("utf-16-le")}, "A leak"),
        ({"UserComment": b"\0" * 40}, None),
    ],
)
def test_what_its_owner_wrote(tmp_path: Path, notes: dict[str, Any], expected: str | None) -> None:
    assert photograph(tmp_path / "a.jpg", **notes).get("caption") == expected


def test_xmp_and_iptc_captions(tmp_path: Path) -> None:
    xmp = (
        '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF><rdf:Description><dc:description><rdf:Alt>'
        '<rdf:li xml:lang="x-default">Tea &amp; cake at Bo\'s</rdf:li></rdf:Alt></dc:description>'
        "<dc:subject><rdf:Bag><rdf:li>family</rdf:li><rdf:li>2024</rdf:li></rdf:Bag></dc:subject>"
        "</rdf:Description></rdf:RDF></x:xmpmeta>"
    )
    halves().save(tmp_path / "a.jpg", xmp=xmp.encode())
    halves().save(tmp_path / "a.webp", xmp=xmp.encode())
    for name in ("a.jpg", "a.webp"):
        found = info(tmp_path / name)["exif"]
        assert found == {"caption": "Tea & cake at Bo's", "keywords": ["family", "2024"]}

    def record(number: int, text: str) -> bytes:
        data = text.encode()
        return b"\x1c\x02" + bytes([number]) + struct.pack(">H", len(data)) + data

    iptc = record(5, "Café") + record(120, "Zoë at the café") + record(25, "a") + record(25, "b")
    resource = b"8BIM\x04\x04\0\0" + struct.pack(">I", len(iptc)) + iptc + b"\0" * (len(iptc) % 2)
    segment = b"Photoshop 3.0\0" + resource
    plain = io.BytesIO()
    halves().save(plain, "JPEG")
    data = plain.getvalue()
    marker = b"\xff\xed" + struct.pack(">H", len(segment) + 2) + segment
    (tmp_path / "b.jpg").write_bytes(data[:2] + marker + data[2:])
    assert info(tmp_path / "b.jpg")["exif"] == {
        "caption": "Zoë at the café",
        "title": "Café",
        "keywords": ["a", "b"],
    }


def test_damaged_notes_do_not_take_the_picture_with_them(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[BASE.Model] = "Acme"
    plain = io.BytesIO()
    halves().save(plain, "JPEG", exif=exif)
    whole = plain.getvalue()
    start = whole.index(b"Exif\0\0") + 6
    for bad in (b"\xff" * 20, b"II*\0\xff\xff\xff\x7f" + b"\0" * 12, b"MM\0*\0\0\0\x08\xff\xff"):
        (tmp_path / "a.jpg").write_bytes(whole[:start] + bad + whole[start + len(bad) :])
        result = read_image(tmp_path / "a.jpg")
        assert near(shown(result.media[0]), (20, 80), (255, 0, 0))


def test_all_frames_of_a_tiff_are_pages_of_their_own_size(tmp_path: Path) -> None:
    pages = [Image.new("RGB", (40 + 10 * i, 30), c) for i, c in enumerate(("red", "lime", "blue"))]
    pages[0].save(tmp_path / "fax.tif", save_all=True, append_images=pages[1:])
    assert info(tmp_path / "fax.tif")["frames"] == 3
    for i, colour in enumerate([(255, 0, 0), (0, 255, 0), (0, 0, 255)]):
        [media] = read_image(tmp_path / "fax.tif", page=i + 1).media
        assert (media.locator, media.width) == (f"page:{i + 1}", 40 + 10 * i)
        assert near(shown(media), (5, 5), colour)


@pytest.mark.parametrize("suffix", ["webp", "png"])
def test_the_frames_of_animations(tmp_path: Path, suffix: str) -> None:
    frames = [Image.new("RGB", (50, 50), c) for c in ("red", "lime", "blue")]
    path = tmp_path / f"a.{suffix}"
    options = {"lossless": True} if suffix == "webp" else {}
    frames[0].save(path, save_all=True, append_images=frames[1:], duration=100, **options)
    assert info(path)["frames"] == 3
    assert near(shown(read_image(path, page=3).media[0]), (5, 5), (0, 0, 255))


def test_a_phones_second_picture_is_no_second_page(tmp_path: Path) -> None:
    halves().save(tmp_path / "a.jpg", "MPO", save_all=True, append_images=[halves((160, 80))])
    with Image.open(tmp_path / "a.jpg") as image:
        assert (image.format, getattr(image, "n_frames", 1)) == ("MPO", 2)
    result = read_image(tmp_path / "a.jpg")
    assert "frames" not in result.info
    assert (result.media[0].locator, result.media[0].width) == ("file", 320)


def test_transparent_palettes_stay_transparent(tmp_path: Path) -> None:
    image = Image.new("P", (40, 40), 0)
    image.putpalette([255, 0, 0, 0, 255, 0] + [0] * 750)
    image.paste(1, (20, 0, 40, 40))
    image.save(tmp_path / "a.png", transparency=0)
    [media] = read_image(tmp_path / "a.png").media
    picture = Image.open(io.BytesIO(media.data))
    assert picture.mode == "RGBA"
    assert picture.getpixel((35, 5)) == (0, 255, 0, 255)
    seen = picture.getpixel((5, 5))
    assert isinstance(seen, tuple)
    assert seen[3] == 0


@pytest.mark.parametrize("mode", ["LAB", "F", "I", "YCbCr", "I;16B"])
def test_rare_colour_modes_are_shown(tmp_path: Path, mode: str) -> None:
    if mode == "LAB":
        image = Image.new("LAB", (40, 40), (200, 128, 128))
    elif mode == "YCbCr":
        image = Image.new("RGB", (40, 40), (196, 196, 196)).convert("YCbCr")
    else:
        image = Image.new(mode, (40, 40), 0)
        image.paste(9000, (0, 0, 20, 40))
    image.save(tmp_path / "a.tiff")
    light = shown(read_image(tmp_path / "a.tiff").media[0]).getpixel((5, 20))
    assert isinstance(light, tuple)
    assert min(light) > 180
    assert max(light) - min(light) < 12


def test_the_frame_of_a_tiff_that_is_too_large_is_refused(tmp_path: Path) -> None:
    pages = [Image.new("1", (10, 10)), Image.new("1", (10, 10))]
    pages[0].save(tmp_path / "a.tif", save_all=True, append_images=pages[1:])
    data = bytearray((tmp_path / "a.tif").read_bytes())
    width = struct.pack("<HHI", 256, 4, 1)
    second = data.rindex(width)
    for tag in (256, 257):
        at = data.index(struct.pack("<HHI", tag, 4, 1), second)
        data[at + 8 : at + 12] = struct.pack("<I", 60_000)
    (tmp_path / "a.tif").write_bytes(data)
    assert read_image(tmp_path / "a.tif", page=1).media[0].width == 10
    with pytest.raises(ToolError) as caught:
        read_image(tmp_path / "a.tif", page=2)
    assert caught.value.kind == "too_large"


@pytest.mark.parametrize("suffix", ["jpg", "gif", "webp", "tiff", "bmp"])
def test_a_torn_picture_is_corrupt_and_its_type_is_known(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"a.{suffix}"
    Image.effect_noise((300, 200), 80).convert("RGB").save(path)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ToolError) as caught:
        read_image(path)
    assert caught.value.kind == "corrupt"
    assert str(info(path)["mime"]).startswith("image/")


def test_bytes_behind_a_pictures_head_that_mean_nothing(tmp_path: Path) -> None:
    for head in (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff\xe0", b"GIF89a", b"II*\0", b"BM"):
        (tmp_path / "a.bin").write_bytes(head + b"\0" * 200)
        with pytest.raises(ToolError) as caught:
            read_text(tmp_path / "a.bin")
        assert caught.value.kind == "corrupt", head


def test_a_note_that_unpacks_without_an_end_is_not_unpacked(tmp_path: Path) -> None:
    def chunk(kind: bytes, data: bytes) -> bytes:
        check = struct.pack(">I", zlib.crc32(kind + data))
        return struct.pack(">I", len(data)) + kind + data + check

    bomb = zlib.compress(b"0" * 200_000_000, 9)
    plain = io.BytesIO()
    halves().save(plain, "PNG")
    data = plain.getvalue()
    text = chunk(b"zTXt", b"Comment\0\0" + bomb)
    (tmp_path / "a.png").write_bytes(data[:33] + text + data[33:])
    with pytest.raises(ToolError) as caught:
        read_image(tmp_path / "a.png")
    assert caught.value.kind == "corrupt"
