"""Pictures for a model: small enough, the right way up, and untouched where they fit already."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image

from deskgym.agents.pictures import BadPicture, shrink
from deskgym.env.observations import Media


def encoded(image: Image.Image, form: str = "PNG", **options: object) -> Media:
    out = io.BytesIO()
    image.save(out, form, **options)
    return Media(f"image/{form.lower()}", out.getvalue())


def decoded(picture: Media) -> Image.Image:
    image = Image.open(io.BytesIO(picture.data))
    image.load()
    assert picture.mime == f"image/{(image.format or '').lower()}"
    return image


def noise(width: int, height: int) -> Image.Image:
    pixels = np.random.default_rng(0).integers(0, 256, (height, width, 3), dtype=np.uint8)
    return Image.fromarray(pixels)


@pytest.mark.parametrize("form", ["PNG", "JPEG", "WEBP"])
def test_a_picture_that_fits_stays_byte_for_byte(form: str) -> None:
    picture = encoded(Image.new("RGB", (64, 32), "red"), form)
    assert shrink(picture, 64) == picture


@pytest.mark.parametrize(
    ("size", "side", "expected"),
    [((400, 200), 100, (100, 50)), ((200, 400), 100, (50, 100)), ((1000, 2), 100, (100, 1))],
)
def test_a_large_picture_is_made_smaller_in_proportion(
    size: tuple[int, int], side: int, expected: tuple[int, int]
) -> None:
    small = decoded(shrink(encoded(Image.new("RGB", size, "blue")), side))
    assert small.size == expected
    assert small.getpixel((0, 0)) == (0, 0, 255)


def test_a_picture_of_many_bytes_goes_as_jpeg() -> None:
    picture = encoded(noise(300, 300))
    small = shrink(picture, 1024, max_bytes=100_000)
    assert small.mime == "image/jpeg"
    assert decoded(small).size == (300, 300)
    assert len(small.data) < len(picture.data)


def test_what_is_clear_stays_clear_as_png_and_is_white_as_jpeg() -> None:
    clear = Image.new("RGBA", (200, 200), (0, 0, 0, 0))
    as_png = decoded(shrink(encoded(clear), 100))
    assert as_png.getpixel((50, 50)) == (0, 0, 0, 0)
    as_jpeg = decoded(shrink(encoded(clear), 100, max_bytes=0))
    assert as_jpeg.getpixel((50, 50)) == (255, 255, 255)


def test_a_photo_is_turned_the_right_way_up() -> None:
    photo = Image.new("RGB", (200, 100), "white")
    exif = Image.Exif()
    exif[0x0112] = 6  # to be turned by a quarter
    assert decoded(shrink(encoded(photo, "JPEG", exif=exif), 100)).size == (50, 100)


@pytest.mark.parametrize("form", ["GIF", "BMP", "TIFF"])
def test_other_kinds_become_png(form: str) -> None:
    picture = Media("image/x", encoded(Image.new("RGB", (8, 8), "lime"), form).data)
    small = decoded(shrink(picture, 64))
    assert (small.format, small.convert("RGB").getpixel((3, 3))) == ("PNG", (0, 255, 0))


@pytest.mark.parametrize("mode", ["1", "L", "P", "LA", "CMYK", "I;16", "F", "YCbCr"])
def test_every_mode_can_be_shown(mode: str) -> None:
    image = Image.new(mode, (40, 40))
    picture = encoded(image, "PNG" if mode in ("1", "L", "P", "LA", "I;16") else "TIFF")
    assert max(decoded(shrink(picture, 20)).size) == 20


def test_deep_grey_keeps_its_range() -> None:
    ramp = np.linspace(1000, 5000, 10_000, dtype=np.uint16).reshape(100, 100)
    small = np.asarray(decoded(shrink(encoded(Image.fromarray(ramp)), 50)))
    assert small.min() < 10
    assert small.max() > 245


def test_of_a_moving_picture_the_first_frame_is_left() -> None:
    frames = [Image.new("RGB", (8, 8), colour) for colour in ("red", "blue")]
    moving = encoded(frames[0], "GIF", save_all=True, append_images=frames[1:])
    assert decoded(shrink(moving, 64)).convert("RGB").getpixel((0, 0)) == (255, 0, 0)


@pytest.mark.parametrize(
    ("data", "why"),
    [(b"", "no picture"), (b"hello", "no picture"), (encoded(noise(50, 50)).data[:300], r".")],
    ids=["nothing", "text", "cut off"],
)
def test_what_is_no_picture_is_said_to_be_none(data: bytes, why: str) -> None:
    with pytest.raises(BadPicture, match=why):
        shrink(Media("image/png", data), 64)


def test_a_bomb_is_not_set_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 100)
    with pytest.raises(BadPicture, match="too many pixels"):
        shrink(encoded(Image.new("L", (15, 15))), 64)
