"""Pictures of the corpus, by Pillow, ffmpeg, libheif, and byte by byte."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path
from typing import Any

from av_made import ffmpeg
from corpus_case import Case, Picture, written

RED, GREEN, BLUE = (255, 0, 0), (0, 128, 0), (0, 0, 255)
_HALVES = {(0.25, 0.5): RED, (0.75, 0.5): BLUE}
# 50 degrees 56' 28.6", 6 degrees 57' 29.81".
_NOTED = {
    "taken": "2024-03-03T08:30:15+01:00", "camera": "Canon EOS R5",
    "latitude": 50.941278, "longitude": 6.958281,
}  # fmt: skip


def halves(size: tuple[int, int] = (80, 40), left: Any = RED, right: Any = BLUE) -> Any:
    """A picture, red on the left and blue on the right."""
    from PIL import Image

    made = Image.new("RGB", size, right)
    made.paste(left, (0, 0, size[0] // 2, size[1]))
    return made


def _exif(orientation: int, south: bool = False) -> Any:
    from PIL import ExifTags, Image

    base, gps = ExifTags.Base, ExifTags.GPS
    exif = Image.Exif()
    exif[base.Make], exif[base.Model] = "Canon", "Canon EOS R5"
    exif[base.Orientation] = orientation
    exif.get_ifd(ExifTags.IFD.Exif).update(
        {base.DateTimeOriginal: "2024:03:03 08:30:15", base.OffsetTimeOriginal: "+01:00"}
    )
    exif.get_ifd(ExifTags.IFD.GPSInfo).update(
        {gps.GPSLatitudeRef: "S" if south else "N", gps.GPSLatitude: (50.0, 56.0, 28.6),
         gps.GPSLongitudeRef: "E", gps.GPSLongitude: (6.0, 57.0, 29.81)}
    )  # fmt: skip
    return exif


def _photo(path: Path) -> None:
    # Stored lying on its side (6: turn clockwise to see it), so that red is on top when upright.
    halves().save(path, "JPEG", quality=95, exif=_exif(6))


def _heic(path: Path, **options: Any) -> None:
    import pillow_heif

    pillow_heif.register_heif_opener()
    halves((160, 80)).save(path, "HEIF", quality=95, **options)


def _noted_heic(path: Path) -> None:
    _heic(path, exif=_exif(1, south=True).tobytes())


def _saved(kind: str, **options: Any) -> Any:
    def make(path: Path) -> None:
        halves().save(path, kind, **options)

    return make


def _frames(kind: str, **options: Any) -> Any:
    """Three frames: red, green, blue."""

    def make(path: Path) -> None:
        from PIL import Image

        first, *rest = (Image.new("RGB", (60, 30), colour) for colour in (RED, GREEN, BLUE))
        first.save(path, kind, save_all=True, append_images=rest, **options)

    return make


def _by_ffmpeg(*options: str) -> Any:
    def make(path: Path) -> None:
        from PIL import Image  # ffmpeg reads what Pillow made

        source = path.with_name(f"source-of-{path.name}.png")
        halves().save(source)
        assert Image.open(source).size == (80, 40)
        ffmpeg("-i", source, "-frames:v", "1", *options, path)
        source.unlink()

    return make


def png_chunk(kind: bytes, data: bytes) -> bytes:
    """One chunk of a PNG with its length and check sum."""
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _png_16(path: Path) -> None:
    """16 bits a colour and a text chunk, as scientific programs write."""
    row = b"\0" + struct.pack(">3H", 65535, 0, 0) * 4 + struct.pack(">3H", 0, 0, 65535) * 4
    path.write_bytes(
        b"\x89PNG\r\n\x1a\n"
        + png_chunk(b"IHDR", struct.pack(">IIBBBBB", 8, 4, 16, 2, 0, 0, 0))
        + png_chunk(b"tEXt", b"Comment\0by hand")
        + png_chunk(b"IDAT", zlib.compress(row * 4))
        + png_chunk(b"IEND", b"")
    )


def _bmp_8(path: Path) -> None:
    """A palette of two colours, rows from top to bottom, as Windows writes icons' pictures."""
    head = struct.pack("<IiiHHIIiiII", 40, 8, -4, 1, 8, 0, 32, 2835, 2835, 2, 2)
    palette = bytes((0, 0, 255, 0)) + bytes((255, 0, 0, 0))  # red, blue
    body = (b"\0" * 4 + b"\1" * 4) * 4
    start = 14 + len(head) + len(palette)
    path.write_bytes(
        b"BM" + struct.pack("<IHHI", start + len(body), 0, 0, start) + head + palette + body
    )


def _tiff_big_endian(path: Path) -> None:
    """Big-endian and uncompressed, as scanners of the nineties write."""
    pixels = bytes((*RED, *RED, *BLUE, *BLUE)) * 2
    tags = [(256, 3, 1, 4 << 16), (257, 3, 1, 2 << 16), (258, 3, 1, 8 << 16), (259, 3, 1, 1 << 16),
            (262, 3, 1, 2 << 16), (273, 4, 1, 8), (277, 3, 1, 3 << 16), (278, 3, 1, 2 << 16),
            (279, 4, 1, len(pixels))]  # fmt: skip
    entries = b"".join(struct.pack(">HHII", *tag) for tag in tags)
    path.write_bytes(
        b"MM\0*" + struct.pack(">I", 8 + len(pixels)) + pixels
        + struct.pack(">H", len(tags)) + entries + bytes(4)
    )  # fmt: skip


_SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="80" height="40"><rect width="40" height="40" '
    'fill="#f00"/><rect x="40" width="40" height="40" fill="#00f"/><text x="2" y="20" '
    'font-size="8">Küche</text></svg>'
)
_INKSCAPE = (
    '<?xml version="1.0" encoding="UTF-8" standalone="no"?>\n<!-- Created with Inkscape -->\n'
    f"{_SVG.replace('Küche', '厨房')}"
)
_TWO = (Picture((80, 40), _HALVES),)
_THREE = (
    Picture((60, 30), {(0.5, 0.5): RED}, page=1), Picture((60, 30), {(0.5, 0.5): GREEN}, page=2),
    Picture((60, 30), {(0.5, 0.5): BLUE}, page=3),
)  # fmt: skip
_SIZE = {"width": 80, "height": 40}
_PIL = ("package:PIL",)
_FF = ("ffmpeg", "package:PIL")
_HEIF = ("package:pillow_heif",)


def info(mime: str, **more: Any) -> dict[str, Any]:
    """Info of a picture of this type."""
    return {"mime": f"image/{mime}", "modality": "image", **more}


CASES = [
    Case("png", "halves.png", _saved("PNG"), info=info("png", **_SIZE), pictures=_TWO, by=_PIL),
    Case("png", "deep.png", _png_16, info=info("png", width=8, height=4),
         pictures=(Picture((8, 4), _HALVES),)),
    Case("jpg", "photo.jpg", _photo, by=_PIL, pictures=(
        Picture((40, 80), {(0.5, 0.25): RED, (0.5, 0.75): BLUE}),),
        info=info("jpeg", exif=_NOTED | {"orientation": 6})),
    Case("jpg", "ffmpeg.jpeg", _by_ffmpeg("-q:v", "1"), info=info("jpeg", **_SIZE), pictures=_TWO,
         by=_FF),
    Case("gif", "moving.gif", _frames("GIF", duration=100, loop=0), info=info("gif", frames=3),
         pictures=_THREE, by=_PIL),
    Case("gif", "ffmpeg.gif", _by_ffmpeg(), info=info("gif", **_SIZE), pictures=_TWO, by=_FF),
    Case("webp", "lossless.webp", _saved("WEBP", lossless=True), info=info("webp", **_SIZE),
         pictures=_TWO, by=_PIL),
    Case("webp", "moving.webp", _frames("WEBP", lossless=True), info=info("webp", frames=3),
         pictures=_THREE, by=_PIL),
    Case("tiff", "pages.tif", _frames("TIFF", compression="tiff_lzw"),
         info=info("tiff", frames=3), pictures=_THREE, by=_PIL),
    Case("tiff", "scanner.tiff", _tiff_big_endian, info=info("tiff", width=4, height=2),
         pictures=(Picture((4, 2), _HALVES),)),
    Case("bmp", "paint.bmp", _saved("BMP"), info=info("bmp", **_SIZE), pictures=_TWO, by=_PIL),
    Case("bmp", "palette.bmp", _bmp_8, info=info("bmp", width=8, height=4),
         pictures=(Picture((8, 4), _HALVES),)),
    Case("svg", "plan.svg", written(_SVG), ("<text", "Küche"), info=info("svg+xml"),
         pictures=(Picture((167, 84), _HALVES),)),
    Case("svg", "inkscape.svg", written(_INKSCAPE), ("厨房",), info=info("svg+xml"),
         pictures=(Picture((167, 84), _HALVES),)),
    Case("heic", "phone.heic", _noted_heic, by=_HEIF, to_read=_HEIF,
         pictures=(Picture((160, 80), _HALVES),),
         info=info("heic", exif=_NOTED | {"latitude": -50.941278, "orientation": 1})),
    Case("heic", "plain.heif", _heic, by=_HEIF, to_read=_HEIF,
         info=info("heic", width=160, height=80), pictures=(Picture((160, 80), _HALVES),)),
]  # fmt: skip
