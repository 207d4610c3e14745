"""Images: lines of text in several looks, charts, pictures made of shapes; and their EXIF."""

from __future__ import annotations

import io
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any

from PIL import Image, ImageColor, ImageDraw
from PIL.TiffImagePlugin import IFDRational

from deskgym.tasks.demo.make.deterministic import generator
from deskgym.tasks.demo.make.fonts import BOLD, MONO, REGULAR, pixel_font
from deskgym.tasks.demo.make.pages import fraction_region
from deskgym.tasks.demo.make.things import DeskError, Mark, Place, Shape
from deskgym.tasks.locators import Region, WholeFile

SMALLEST = 22
"""Pixels: type below this is not read reliably by OCR."""

Box = tuple[float, float, float, float]
_FORMATS: dict[str, tuple[str, dict[str, Any]]] = {
    "png": ("PNG", {"optimize": True}),
    "jpg": ("JPEG", {"quality": 80, "optimize": True}),
    "jpeg": ("JPEG", {"quality": 80, "optimize": True}),
    "webp": ("WEBP", {"quality": 80}),
    "gif": ("GIF", {"optimize": True}),
    "bmp": ("BMP", {}),
    "tif": ("TIFF", {"compression": "tiff_adobe_deflate"}),
    "tiff": ("TIFF", {"compression": "tiff_adobe_deflate"}),
}


@dataclass(frozen=True)
class _Style:
    """How a look sets its lines: ``inset`` is the space around them, ``top`` what lies above."""

    width: int
    font: str
    size: int
    ink: str
    ground: str
    inset: int = 50
    top: int = 50
    centred: bool = False
    title_scale: float = 1.0


STYLES = {
    "note": _Style(900, REGULAR, 34, "#1a2a6c", "#fff6c8"),
    "receipt": _Style(640, MONO, 26, "#202020", "#fafaf7", inset=36, top=44),
    "screenshot": _Style(1100, REGULAR, 28, "#202124", "#ffffff", inset=40, top=90),
    "whiteboard": _Style(1200, REGULAR, 42, "#0b3d91", "#f4f6f5", inset=80, top=80),
    "poster": _Style(900, BOLD, 40, "#fff8e7", "#7a1f3d", 60, 80, centred=True, title_scale=1.7),
    "card": _Style(900, REGULAR, 32, "#222222", "#fdfdfb", 60, 70, title_scale=1.4),
    "photo": _Style(1100, REGULAR, 34, "#222222", "#fbfaf5", inset=150, top=150),
}


def text_image(
    path: str, lines: list[str], style: str, size: tuple[int, int] | None
) -> tuple[Image.Image, list[Mark]]:
    """``lines`` drawn one below the other in the look ``style``, and where each stands.

    A long line is wrapped. Without ``size`` the image is as tall as its lines need; with it the
    type shrinks until all fits.

    Raises:
        DeskError: no such style, or the lines need type too small to read.
    """
    if style not in STYLES:
        raise DeskError(f"{path}: no style {style!r}; there are {', '.join(STYLES)}")
    look = STYLES[style]
    width = size[0] if size else look.width
    type_size = look.size
    while True:
        rows = _wrapped(lines, look, type_size, width - 2 * look.inset)
        height = look.top + sum(round(s * 1.5) for _, s in rows) + look.inset
        if size is None or height <= size[1]:
            break
        type_size -= 2
        if type_size < SMALLEST:
            raise DeskError(f"{path}: {len(lines)} lines do not fit on {size}; make it larger")
    full = size or (width, max(height, width // 3))
    image = _ground(path, style, look, full)
    draw = ImageDraw.Draw(image)
    marks, y = [], look.top
    for text, row_size in rows:
        font = pixel_font(text, BOLD if row_size > type_size else look.font, row_size)
        x = (full[0] - font.getlength(text)) / 2 if look.centred else look.inset
        if text:
            marks.append(Mark(text, _draw(draw, (x, y), text, font, look.ink, full)))
        y += round(row_size * 1.5)
    return image, marks


def _draw(
    draw: ImageDraw.ImageDraw,
    at: tuple[float, float],
    text: str,
    font: object,
    ink: str,
    size: tuple[int, int],
    anchor: str = "la",
) -> Region:
    draw.text(at, text, font=font, fill=ink, anchor=anchor)  # type: ignore[arg-type]
    box = draw.textbbox(at, text, font=font, anchor=anchor)  # type: ignore[arg-type]
    return fraction_region(box, size, pad=8)


def _wrapped(lines: list[str], look: _Style, size: int, width: float) -> list[tuple[str, int]]:
    rows = []
    for number, line in enumerate(lines):
        row_size = round(size * look.title_scale) if number == 0 else size
        name = BOLD if row_size > size else look.font
        rows += [(row, row_size) for row in wrap(line, name, row_size, width) or [""]]
    return rows


def wrap(text: str, font: str, size: int, width: float) -> list[str]:
    """``text`` in rows no wider than ``width`` pixels, broken between words where it can be.

    Runs of blanks inside a line are kept while it fits, since receipts align columns with them.
    """
    measure = pixel_font(text, font, size).getlength
    if measure(text) <= width:
        return [text] if text.strip() else []
    rows, row = [], ""
    for word in text.split():
        if row and measure(f"{row} {word}") > width:
            rows.append(row)
            row = word
        else:
            row = f"{row} {word}" if row else word
        while measure(row) > width and len(row) > 1:
            cut = next(n for n in range(len(row) - 1, 0, -1) if n == 1 or measure(row[:n]) <= width)
            rows.append(row[:cut])
            row = row[cut:]
    return [*rows, row]


def _ground(path: str, style: str, look: _Style, size: tuple[int, int]) -> Image.Image:
    image = Image.new("RGB", size, look.ground)
    draw = ImageDraw.Draw(image)
    width, height = size
    match style:
        case "note":
            for y in range(look.top + look.size + 10, height - 10, round(look.size * 1.5)):
                draw.line((20, y, width - 20, y), fill="#e6dca8", width=2)
            draw.rectangle((0, 0, width, 14), fill="#f0dd8a")
        case "receipt":
            for x in range(0, width, 24):
                draw.polygon([(x, height), (x + 12, height - 12), (x + 24, height)], "#d8d8d4")
        case "screenshot":
            draw.rectangle((0, 0, width, 56), fill="#dfe3e8")
            for n, colour in enumerate(("#ff5f57", "#febc2e", "#28c840")):
                draw.ellipse((20 + 32 * n, 18, 40 + 32 * n, 38), fill=colour)
            draw.rectangle((0, 0, width - 1, height - 1), outline="#b8bec6", width=2)
        case "whiteboard":
            draw.rectangle((0, 0, width - 1, height - 1), outline="#9aa3a8", width=18)
        case "poster":
            draw.rectangle((18, 18, width - 19, height - 19), outline=look.ink, width=4)
        case "card":
            draw.rectangle((0, 0, 18, height), fill="#2a6f6b")
            draw.rectangle((0, 0, width - 1, height - 1), outline="#c9c9c4", width=3)
        case "photo":
            _table_top(path, draw, size)
            draw.rectangle((96, 106, width - 84, height - 84), fill="#4a3423")  # its shadow
            draw.rectangle((90, 96, width - 90, height - 90), fill=look.ground)
    return image


def _table_top(path: str, draw: ImageDraw.ImageDraw, size: tuple[int, int]) -> None:
    chance = generator(path)
    for y in range(0, size[1], 6):
        shade = chance.randrange(-10, 11)
        draw.rectangle((0, y, size[0], y + 6), fill=(134 + shade, 98 + shade, 66 + shade))


def contrast(ground: str) -> str:
    """Black or white, whichever is read more easily on ``ground``."""
    red, green, blue = ImageColor.getrgb(ground)[:3]
    return "#101010" if red * 0.3 + green * 0.59 + blue * 0.11 > 140 else "#ffffff"


def draw_centred(
    draw: ImageDraw.ImageDraw, box: Box, lines: list[str], ink: str, *, largest: int
) -> Box:
    """Draw ``lines`` in the middle of ``box`` in the largest type that fits; where they stand.

    Raises:
        DeskError: they do not fit in type that can be read.
    """
    x0, y0, x1, y1 = box
    for size in range(largest, SMALLEST - 1, -2):
        rows = [row for line in lines for row in wrap(line, BOLD, size, x1 - x0) or [""]]
        height = len(rows) * size * 1.35
        if height <= y1 - y0:
            break
    else:
        raise DeskError(f"too much text for its space: {' / '.join(lines)[:120]!r}; use less")
    y = (y0 + y1 - height) / 2
    drawn: Box = ((x0 + x1) / 2, y, (x0 + x1) / 2 + 1, y + height)
    for row in rows:
        font = pixel_font(row, BOLD, size)
        left = (x0 + x1 - font.getlength(row)) / 2
        draw.text((left, y), row, font=font, fill=ink)
        drawn = (min(drawn[0], left), drawn[1], max(drawn[2], x0 + x1 - left), drawn[3])
        y += size * 1.35
    return drawn


def chart_image(
    path: str, title: str, values: dict[str, float], kind: str, unit: str
) -> tuple[Image.Image, list[Mark]]:
    """A bar or line chart; each label stands below its value, and a quote may join the two."""
    if kind not in ("bar", "line") or not values:
        raise DeskError(f"{path}: a chart has values and is of the kind bar or line")
    size = (max(900, 110 * len(values) + 120), 620)
    image = Image.new("RGB", size, "#ffffff")
    draw = ImageDraw.Draw(image)
    marks = []
    y = 24
    for row in wrap(title, BOLD, 34, size[0] - 120):
        font = pixel_font(row, BOLD, 34)
        marks.append(Mark(row, _draw(draw, (60, y), row, font, "#202020", size)))
        y += 46
    low, high = min(values.values()), max(values.values())
    if kind == "bar":
        low, high = min(0.0, low), max(0.0, high)
    # Bars stand on zero; a line has the whole height for its own range.
    base = 0.0 if kind == "bar" else low
    top, left = y + 60, 70
    bottom = size[1] - (150 if low < base or kind == "line" else 110)
    scale = (bottom - top) / ((high - low) or 1)
    zero = bottom - (base - low) * scale
    step = (size[0] - left - 50) / len(values)
    xs = [left + step * (number + 0.5) for number in range(len(values))]
    tips = [zero - (value - base) * scale for value in values.values()]
    if kind == "line":
        draw.line(list(zip(xs, tips, strict=True)), fill="#b5442e", width=4)
    for x, tip, (label, value) in zip(xs, tips, values.items(), strict=True):
        if kind == "bar":
            ends = sorted((tip, zero))
            draw.rectangle((x - step * 0.32, ends[0], x + step * 0.32, ends[1]), "#3b6ea5")
        else:
            draw.ellipse((x - 7, tip - 7, x + 7, tip + 7), fill="#b5442e")
        marks += _chart_texts(draw, label, amount(value, unit), x, tip, step, size, zero)
    floor = zero if kind == "bar" else size[1] - 110
    draw.line((left, floor, size[0] - 50, floor), fill="#606060", width=2)
    return image, marks


def _chart_texts(
    draw: ImageDraw.ImageDraw,
    label: str,
    value: str,
    x: float,
    tip: float,
    step: float,
    size: tuple[int, int],
    zero: float,
) -> list[Mark]:
    marks = []
    y = size[1] - 96
    for row in wrap(label, REGULAR, 24, step - 6):
        font = pixel_font(row, REGULAR, 24)
        marks.append(Mark(row, _draw(draw, (x, y), row, font, "#202020", size, "ma")))
        y += 28
    font = pixel_font(value, BOLD, 24)
    # Above a bar that points up, below one that points down.
    at, anchor = ((x, tip - 14), "md") if tip <= zero else ((x, tip + 10), "ma")
    # A white plate keeps a chart's line from running through its numbers.
    draw.rectangle(draw.textbbox(at, value, font=font, anchor=anchor), fill="#ffffff")
    marks.append(Mark(value, _draw(draw, at, value, font, "#202020", size, anchor)))
    return marks


def amount(value: float, unit: str) -> str:
    """A chart's number as it is drawn: ``£1,250``, ``£12.50``, ``12.5%``, ``38 kg``."""
    number = f"{abs(value):,.2f}"
    sign = "-" if value < 0 else ""
    if unit in ("£", "€", "$", "¥", "S$"):
        return sign + unit + number.removesuffix(".00")
    number = sign + number.rstrip("0").rstrip(".")
    return number + (unit if unit == "%" or not unit else f" {unit}")


def picture_image(
    path: str, scene: list[Shape], caption: str, size: tuple[int, int]
) -> tuple[Image.Image, list[Mark]]:
    """The shapes of ``scene``, first to last, with ``caption`` drawn in a band below them."""
    image = Image.new("RGB", size, "#eef2f5")
    draw = ImageDraw.Draw(image)
    marks = []
    band = 70 if caption else 0
    for shape in scene:
        x0, y0, x1, y1 = shape.box
        # A line may rise, so only other boxes must run down and to the right.
        upright = shape.kind == "line" or (x0 < x1 and y0 < y1)
        if not (upright and all(0 <= n <= 1 for n in shape.box)):
            raise DeskError(f"{path}: a box holds fractions from left-top to right-bottom: {shape}")
        box = (x0 * size[0], y0 * (size[1] - band), x1 * size[0], y1 * (size[1] - band))
        _draw_shape(path, draw, shape, box)
        if shape.text:
            ink = shape.fill if shape.kind == "text" else contrast(shape.fill)
            drawn = draw_centred(draw, box, [shape.text], ink, largest=40)
            marks.append(Mark(shape.text, fraction_region(drawn, size, pad=8)))
        if shape.shows:
            around = (min(box[::2]), min(box[1::2]), max(box[::2]), max(box[1::2]))
            marks.append(Mark(shape.shows, fraction_region(around, size, pad=4)))
    if caption:
        space = (20, size[1] - band, size[0] - 20, size[1])
        draw.rectangle((0, size[1] - band, *size), fill="#ffffff")
        drawn = draw_centred(draw, space, [caption], "#202020", largest=30)
        marks.append(Mark(caption, fraction_region(drawn, size, pad=8)))
    return image, marks


def _draw_shape(path: str, draw: ImageDraw.ImageDraw, shape: Shape, box: Box) -> None:
    x0, y0, x1, y1 = box
    match shape.kind:
        case "rect":
            draw.rectangle(box, fill=shape.fill)
        case "ellipse":
            draw.ellipse(box, fill=shape.fill)
        case "line":
            draw.line(box, fill=shape.fill, width=5)
        case "polygon":
            draw.polygon([((x0 + x1) / 2, y0), (x1, y1), (x0, y1)], fill=shape.fill)
        case "text":
            if not shape.text:
                raise DeskError(f"{path}: a text shape without text")
        case _:
            raise DeskError(
                f"{path}: no shape {shape.kind!r}; there are rect, ellipse, line, polygon, text"
            )


def described(text: str) -> list[Mark]:
    """A mark for what a whole image shows, put in words that are not drawn."""
    return [Mark(text, WholeFile())] if text else []


def encoded(
    path: str, image: Image.Image, when: datetime, model: str, place: Place | None
) -> bytes:
    """``image`` in the format of the suffix; a JPEG says when, with what and where it was taken.

    Raises:
        DeskError: the suffix is not one of an image format that the kit writes.
    """
    suffix = PurePosixPath(path).suffix.lstrip(".").casefold()
    if suffix not in _FORMATS:
        raise DeskError(f"{path}: images are written as one of {', '.join(_FORMATS)}")
    name, options = _FORMATS[suffix]
    if name in ("GIF", "BMP"):
        image = image.quantize(64, dither=Image.Dither.NONE)
    extra = {"exif": _exif(when, model, place)} if name == "JPEG" else {}
    buffer = io.BytesIO()
    image.save(buffer, name, **options, **extra)
    return buffer.getvalue()


def _exif(when: datetime, model: str, place: Place | None) -> Image.Exif:
    exif = Image.Exif()
    stamp = f"{when:%Y:%m:%d %H:%M:%S}"
    exif[0x0110] = model
    exif[0x0132] = stamp
    exif.get_ifd(0x8769)[0x9003] = stamp  # DateTimeOriginal
    if place is not None:
        gps = exif.get_ifd(0x8825)
        gps[1] = "N" if place.latitude >= 0 else "S"
        gps[2] = _degrees(place.latitude)
        gps[3] = "E" if place.longitude >= 0 else "W"
        gps[4] = _degrees(place.longitude)
    return exif


def _degrees(value: float) -> tuple[IFDRational, IFDRational, IFDRational]:
    hundredths = round(abs(value) * 360_000)
    minutes, seconds = divmod(hundredths, 6_000)
    degrees, minutes = divmod(minutes, 60)
    return IFDRational(degrees), IFDRational(minutes), IFDRational(seconds, 100)
