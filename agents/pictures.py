"""Pictures made to fit a model's eye."""

from __future__ import annotations

import io
import warnings

from PIL import Image, ImageOps, UnidentifiedImageError

from deskgym.env.observations import Media

_SENT_AS_THEY_ARE = {"PNG": "image/png", "JPEG": "image/jpeg", "WEBP": "image/webp"}
MAX_BYTES = 1_000_000  # beyond which a picture goes as JPEG
_JPEG_QUALITY = 85


class BadPicture(ValueError):
    """The bytes are no picture that can be read, or a bomb."""


def shrink(picture: Media, max_side: int, max_bytes: int = MAX_BYTES) -> Media:
    """``picture`` with no side longer than ``max_side`` pixels: PNG, JPEG or WebP.

    It stays as it is, byte for byte, if it fits already. Otherwise it is turned the right way up,
    made smaller in proportion, and encoded as PNG; as JPEG on white where the PNG would hold more
    than ``max_bytes``, or where it was a JPEG. Of a moving picture the first frame is left.

    Raises:
        BadPicture: it cannot be read.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(io.BytesIO(picture.data)) as image:
                return _fitted(image, picture, max_side, max_bytes)
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise BadPicture("too many pixels") from error
    except UnidentifiedImageError as error:
        raise BadPicture("no picture of a known kind") from error
    except (OSError, ValueError, SyntaxError, EOFError) as error:  # as Pillow's decoders raise
        raise BadPicture(str(error) or type(error).__name__) from error


def _fitted(image: Image.Image, picture: Media, max_side: int, max_bytes: int) -> Media:
    form = image.format or ""
    still = getattr(image, "n_frames", 1) == 1
    small = max(image.size) <= max_side and len(picture.data) <= max_bytes
    if small and still and form in _SENT_AS_THEY_ARE:
        image.load()  # what cannot be decoded here cannot be there
        return Media(_SENT_AS_THEY_ARE[form], picture.data)
    plain = _plain(ImageOps.exif_transpose(image))
    if max(plain.size) > max_side:
        share = max_side / max(plain.size)
        width, height = (max(1, round(side * share)) for side in plain.size)
        plain = plain.resize((width, height), Image.Resampling.LANCZOS)
    if form != "JPEG":
        data = _encoded(plain, "PNG", optimize=True)
        if len(data) <= max_bytes:
            return Media("image/png", data)
    return Media("image/jpeg", _encoded(_on_white(plain), "JPEG", quality=_JPEG_QUALITY))


def _plain(image: Image.Image) -> Image.Image:
    """The same in a mode that resizes well and that PNG knows."""
    if image.mode in ("L", "RGB", "RGBA"):
        return image
    if image.mode.startswith("I") or image.mode == "F":
        return _grey(image)
    clear = image.mode in ("LA", "PA", "La", "RGBa") or "transparency" in image.info
    return image.convert("RGBA" if clear else "RGB")


def _grey(image: Image.Image) -> Image.Image:
    """Sixteen bits and more to eight, by the range that is there: `convert` would clip them."""
    deep = image.convert("F")
    low, high = deep.getextrema()
    if not isinstance(low, float) or not isinstance(high, float) or high <= low:
        return image.convert("L")
    scale = 255.0 / (high - low)
    return deep.point(lambda value: value * scale - low * scale).convert("L")


def _on_white(image: Image.Image) -> Image.Image:
    if image.mode != "RGBA":
        return image
    ground = Image.new("RGB", image.size, "white")
    ground.paste(image, mask=image.getchannel("A"))
    return ground


def _encoded(image: Image.Image, form: str, **options: object) -> bytes:
    out = io.BytesIO()
    image.save(out, form, **options)
    return out.getvalue()
