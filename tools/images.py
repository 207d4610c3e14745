"""Pictures: size, camera, time and place; upright, cropped, and scaled; PDF pages rendered."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from deskgym.tools.cut import Request
from deskgym.tools.documents import open_pdf
from deskgym.tools.exif import noted, orientation
from deskgym.tools.guards import DAMAGE, load
from deskgym.tools.packages import refuse_entities
from deskgym.tools.result import Media, ToolError, ToolResult
from deskgym.tools.sniff import SVG, FileType

Box = tuple[float, float, float, float]
MAX_PIXELS = 100_000_000
_FLAT_COLOURS = 1024  # a picture of at most so many colours is drawn, not photographed
_SMALL = 200 * 200  # pixels


@dataclass(frozen=True)
class View:
    """How a picture is wanted: which page (or frame), what part of it, and how large."""

    page: int | None = None
    region: Box | None = None
    dpi: int = 150
    max_side: int = 1600

    def __post_init__(self) -> None:
        for name, value, least, most in (
            ("page", 1 if self.page is None else self.page, 1, 1_000_000),
            ("dpi", self.dpi, 20, 600),
            ("max_side", self.max_side, 16, 8000),
        ):
            if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
                raise ToolError(
                    "bad_argument", f"{name} is a whole number from {least} to {most}, not {value}"
                )
        if self.region is not None:
            _check_region(self.region)


def _check_region(region: Any) -> None:
    numbers = isinstance(region, tuple) and len(region) == 4
    if numbers and all(isinstance(n, (int, float)) and 0 <= n <= 1 for n in region):
        x0, y0, x1, y1 = region
        if x0 < x1 and y0 < y1:
            return
    raise ToolError(
        "bad_argument",
        f"not a region: {region!r:.60}",
        "give left, top, right, bottom as fractions from 0 to 1 of the width and height",
    )


def read(path: Path, kind: FileType, request: Request) -> ToolResult:
    """No text, but what is known of the picture.

    Raises:
        ToolError: corrupt, unsupported, too_large, bad_argument.
    """
    request.allow("", "a picture")
    with _opened(path, kind) as image:
        info = _info(image)
    return ToolResult(info=info, notes=("no text layer; use read_image",))


def view_image(path: Path, kind: FileType, view: View) -> ToolResult:
    """The picture (or a frame of it) upright, cropped and scaled as wanted.

    Raises:
        ToolError: corrupt, unsupported, too_large, out_of_range.
    """
    notes: list[str] = []
    with _opened(path, kind) as image:
        info = _info(image)
        total = info.get("frames", 1)
        page = view.page or 1
        if page > total:
            raise _no_page(page, total, "frame")
        if total > 1:
            notes.append(f"frame {page} of {total}; choose another with page")
        picture = _frame(path, image, page)
    if view.region is not None:
        picture = picture.crop(_pixels(view.region, picture.width, picture.height))
    media = _encoded(picture, _locator(view, page if total > 1 else None), view.max_side, notes)
    return ToolResult(media=(media,), info=info, notes=tuple(notes))


def frames(path: Path, kind: FileType, numbers: Iterable[int]) -> Iterator[tuple[int, Any]]:
    """The frames named (1-based, upwards), each upright with eight bits a channel.

    Raises:
        ToolError: corrupt, unsupported, too_large; the frames before were given.
    """
    with _opened(path, kind) as image:
        for number in numbers:
            yield number, _frame(path, image, number)


def whole(
    picture: Any, page: int | None, max_side: int = View.max_side, notes: Iterable[str] = ()
) -> Media:
    """What `view_image` or `view_pdf` return, unless told otherwise, for a picture in memory.

    ``notes`` are those of rendering it.
    """
    said = list(notes)
    media = _encoded(picture, _locator(View(), page), max_side, said)
    return replace(media, notes=tuple(said))


def _frame(path: Path, image: Any, number: int) -> Any:
    image.seek(number - 1)
    if image.width * image.height > MAX_PIXELS:  # each frame of a TIFF has a size of its own
        raise _huge(path, f"{image.width} x {image.height} pixels")
    image.load()
    return _eight_bit(_upright(image))


def _upright(image: Any) -> Any:
    from PIL.Image import Transpose

    turns = {
        2: Transpose.FLIP_LEFT_RIGHT,
        3: Transpose.ROTATE_180,
        4: Transpose.FLIP_TOP_BOTTOM,
        5: Transpose.TRANSPOSE,
        6: Transpose.ROTATE_270,
        7: Transpose.TRANSVERSE,
        8: Transpose.ROTATE_90,
    }
    turn = turns.get(orientation(image))
    return image if turn is None else image.transpose(turn)


def view_pdf(path: Path, kind: FileType, view: View) -> ToolResult:
    """A page of a PDF (the first, if none is named), or an SVG drawing, or part of it, rendered.

    Raises:
        ToolError: encrypted, corrupt (also for a drawing with entities that grow), out_of_range.
    """
    notes: list[str] = []
    drawing = kind == SVG
    if drawing:
        refuse_entities(load(path), path)
    with open_pdf(path, drawing=drawing) as document:
        total = document.page_count
        number = view.page or 1
        if number > total:
            raise _no_page(number, total, "page")
        if view.page is None and total > 1:
            notes.append(f"page 1 of {total}; choose another with page")
        picture, reduced = render(document[number - 1], view)
        notes += reduced
    media = _encoded(picture, _locator(view, None if drawing else number), view.max_side, notes)
    info = {} if drawing else {"pages": total}
    return ToolResult(media=(media,), info=info, notes=tuple(notes))


def render(page: Any, view: View) -> tuple[Any, list[str]]:
    """A PyMuPDF page, or the region of it, as a picture; and a note if ``dpi`` was too much.

    Raises:
        ValueError, RuntimeError: the page is damaged or has no area.
    """
    import pymupdf
    from PIL import Image

    notes: list[str] = []
    clip = page.rect
    if view.region is not None:
        x0, y0, x1, y1 = view.region
        clip = pymupdf.Rect(
            clip.x0 + x0 * clip.width,
            clip.y0 + y0 * clip.height,
            clip.x0 + x1 * clip.width,
            clip.y0 + y1 * clip.height,
        )
    scale = view.dpi / 72
    # Huge pages are rendered at the final size at once, not first at theirs.
    fitting = view.max_side / max(clip.width, clip.height, 1e-6)
    if fitting < scale:
        notes.append(f"rendered at {fitting * 72:.0f} dpi to fit {view.max_side} pixels")
        scale = fitting
    pixmap = page.get_pixmap(matrix=pymupdf.Matrix(scale, scale), clip=clip, alpha=False)
    if pixmap.width * pixmap.height == 0:
        raise ValueError("the page has no area")
    return Image.frombytes("RGB", (pixmap.width, pixmap.height), pixmap.samples), notes


def _no_page(page: int, total: int, what: str) -> ToolError:
    return ToolError(
        "out_of_range",
        f"there is no {what} {page}: the file has {total}",
        f"choose page from 1 to {total}",
    )


@contextmanager
def _opened(path: Path, kind: FileType) -> Iterator[Any]:
    """The picture at ``path``, its pixels not yet decoded.

    Raises:
        ToolError: unsupported, too_large, corrupt (also for what fails inside the block).
    """
    from PIL import Image, UnidentifiedImageError

    if kind.mime == "image/heic":
        _learn_heic()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # its warnings repeat the check of pixels below
            with Image.open(path) as image:
                if image.width * image.height > MAX_PIXELS:
                    raise _huge(path, f"{image.width} x {image.height} pixels")
                yield image
    except Image.DecompressionBombError as error:
        raise _huge(path, str(error)) from error
    except UnidentifiedImageError as error:
        raise _broken(path, error) from error
    except DAMAGE as error:
        raise _broken(path, error) from error


def _learn_heic() -> None:
    try:
        from pillow_heif import register_heif_opener
    except ImportError as error:
        raise ToolError(
            "unsupported",
            "pictures of type image/heic cannot be decoded here",
            "install pillow-heif; read_original returns the bytes",
        ) from error
    register_heif_opener()


def _huge(path: Path, size: str) -> ToolError:
    return ToolError(
        "too_large", f"{path.name!r} is too large to decode: {size}; the limit is {MAX_PIXELS:,}"
    )


def _broken(path: Path, error: Exception) -> ToolError:
    return ToolError(
        "corrupt", f"{path.name!r} is a damaged picture: {error}", "read_original has its bytes"
    )


def _info(image: Any) -> dict[str, Any]:
    """Size as seen (upright), frames, and what the camera noted."""
    exif = noted(image)
    # The size of a TIFF is that of the turned picture already.
    turned = exif.get("orientation", 1) in (5, 6, 7, 8) and image.format != "TIFF"
    width, height = (image.height, image.width) if turned else (image.width, image.height)
    info: dict[str, Any] = {"width": width, "height": height}
    # The further pictures of an MPO are a camera's own: depth, brightness, a preview.
    if (frames := getattr(image, "n_frames", 1)) > 1 and image.format != "MPO":
        info["frames"] = frames
    if exif:
        info["exif"] = exif
    return info


def _eight_bit(image: Any) -> Any:
    """RGB, grey, or RGBA with eight bits a channel."""
    if image.mode.startswith("I;16"):
        image = image.convert("I")  # Pillow cannot measure the big-endian kind
    if image.mode in ("I", "F"):
        low, high = image.getextrema()
        scale = 255 / (high - low) if high > low else 1.0
        return image.convert("F").point(lambda v: (v * scale) - low * scale).convert("L")
    if image.mode == "LAB":
        from PIL import ImageCms

        lab, rgb = ImageCms.createProfile("LAB"), ImageCms.createProfile("sRGB")
        return ImageCms.profileToProfile(image, lab, rgb, outputMode="RGB")
    if image.mode in ("1", "L"):
        return image.convert("L")
    if "A" in image.mode or "transparency" in image.info:
        return image.convert("RGBA")
    return image.convert("RGB")


def _pixels(region: Box, width: int, height: int) -> tuple[int, int, int, int]:
    x0, y0 = min(int(region[0] * width), width - 1), min(int(region[1] * height), height - 1)
    x1 = max(x0 + 1, round(region[2] * width))
    return x0, y0, x1, max(y0 + 1, round(region[3] * height))


def _locator(view: View, page: int | None) -> str:
    if view.region is not None:
        return f"region:{page or 1}@{','.join(f'{n:g}' for n in view.region)}"
    return "file" if page is None else f"page:{page}"


def _encoded(picture: Any, locator: str, max_side: int, notes: list[str]) -> Media:
    """PNG where that is small (few colours, few pixels) or needed (transparency), else JPEG."""
    # Scaling blends colours, so that a drawing is told from a photograph before it.
    drawn = picture.getcolors(_FLAT_COLOURS) is not None
    if max(picture.size) > max_side:
        notes.append(
            f"scaled down from {picture.width} x {picture.height}; crop with region to see more"
        )
        scale = max_side / max(picture.size)
        size = tuple(max(1, round(n * scale)) for n in picture.size)
        picture = picture.resize(size, resample=3)  # bicubic
    pixels = picture.width * picture.height
    if drawn or picture.mode == "RGBA" or pixels <= _SMALL:
        data = _saved(picture, "PNG")
        # A grey photograph has few colours too, but packs badly.
        if picture.mode == "RGBA" or pixels <= _SMALL or len(data) * 2 <= pixels:
            return Media("image/png", data, locator, picture.width, picture.height)
    data = _saved(picture, "JPEG", quality=85)
    return Media("image/jpeg", data, locator, picture.width, picture.height)


def _saved(picture: Any, form: str, **options: Any) -> bytes:
    out = io.BytesIO()
    picture.save(out, form, **options)
    return out.getvalue()
