"""What a camera and its owner noted in a picture: time, place, camera, caption, keywords."""

from __future__ import annotations

import html
import math
import re
from collections.abc import Iterator
from typing import Any

from deskgym.tools.guards import DAMAGE

_TIME = re.compile(r"(\d{4})[:-](\d\d)[:-](\d\d)(?:[ T](\d\d:\d\d(?::\d\d)?))?")
_OFFSET = re.compile(r"[+-]\d\d:\d\d|Z")
_XMP_LIMIT = 256 * 1024
_IPTC_TITLE, _IPTC_KEYWORDS, _IPTC_CAPTION = (2, 5), (2, 25), (2, 120)
# Cameras fill the caption with their own name if their owner writes none.
_EMPTY_CAPTIONS = {"", "olympus digital camera", "sony dsc", "dcim", "ascii", "default"}


def noted(image: Any) -> dict[str, Any]:
    """``taken``, ``camera``, ``latitude``, ``longitude``, ``orientation``, ``caption``, ...

    Only what is there; degrees are signed (south and west are negative), times are ISO 8601 with
    an offset where the camera knew one. Notes that cannot be decoded leave a ``problem``: the
    picture itself may still be whole.
    """
    found: dict[str, Any] = {}
    try:
        found.update(_camera(image))
        found.update(_words(image))
    except DAMAGE as error:
        found["problem"] = f"what the camera noted is damaged: {error}"
    return found


def orientation(image: Any) -> int:
    """How the pixels of a loaded ``image`` are to be turned: 1 (not at all) to 8."""
    from PIL import ExifTags

    try:
        value = image.getexif().get(ExifTags.Base.Orientation)
    except DAMAGE:
        return 1  # noted() tells of the damage
    return value if isinstance(value, int) and 1 <= value <= 8 else 1


def _camera(image: Any) -> Iterator[tuple[str, Any]]:
    from PIL import ExifTags

    base, gps = ExifTags.Base, ExifTags.GPS
    tags = image.getexif()
    detail = tags.get_ifd(ExifTags.IFD.Exif)
    place = tags.get_ifd(ExifTags.IFD.GPSInfo)
    for time, offset in (
        (detail.get(base.DateTimeOriginal), detail.get(base.OffsetTimeOriginal)),
        (detail.get(base.DateTimeDigitized), detail.get(base.OffsetTimeDigitized)),
        (tags.get(base.DateTime), detail.get(base.OffsetTime)),
    ):
        if taken := _time(_text(time), _text(offset)):
            yield "taken", taken
            break
    maker, model = _text(tags.get(base.Make)), _text(tags.get(base.Model))
    if camera := model if model.startswith(maker) else f"{maker} {model}".strip():
        yield "camera", camera
    latitude = _degrees(place.get(gps.GPSLatitude), place.get(gps.GPSLatitudeRef), "S", 90)
    longitude = _degrees(place.get(gps.GPSLongitude), place.get(gps.GPSLongitudeRef), "W", 180)
    if latitude is not None and longitude is not None:
        yield "latitude", latitude
        yield "longitude", longitude
    turned = tags.get(base.Orientation)
    if isinstance(turned, int) and 1 <= turned <= 8:
        yield "orientation", turned


def _words(image: Any) -> Iterator[tuple[str, Any]]:
    """Caption, title and keywords from EXIF, IPTC and XMP, the first that has one."""
    from PIL import ExifTags, IptcImagePlugin

    tags = image.getexif()
    comment = tags.get_ifd(ExifTags.IFD.Exif).get(ExifTags.Base.UserComment)
    xmp = _xmp(image)
    iptc = IptcImagePlugin.getiptcinfo(image) or {}
    captions = (
        _text(tags.get(ExifTags.Base.ImageDescription)),
        _text(iptc.get(_IPTC_CAPTION)),
        " ".join(_items(xmp, "description")[:1]),
        _comment(comment),
    )
    for caption in captions:
        if caption.casefold() not in _EMPTY_CAPTIONS:
            yield "caption", caption
            break
    if title := _text(iptc.get(_IPTC_TITLE)) or " ".join(_items(xmp, "title")[:1]):
        yield "title", title
    words = iptc.get(_IPTC_KEYWORDS, [])
    listed = [_text(w) for w in (words if isinstance(words, list) else [words])]
    if keywords := listed or _items(xmp, "subject"):
        yield "keywords", keywords


def _text(value: Any) -> str:
    """A tag as text: bytes decoded, padding and control characters dropped, on one line."""
    if isinstance(value, bytes):
        try:
            value = value.decode("utf-8")
        except UnicodeDecodeError:
            value = value.decode("latin-1")
    if not isinstance(value, str):
        return ""
    try:
        value = value.encode("latin-1").decode("utf-8")  # UTF-8 that was taken for Latin-1
    except UnicodeError:
        value = value.encode("utf-8", "replace").decode("utf-8")
    return " ".join("".join(c if c.isprintable() else " " for c in value).split())


def _comment(value: Any) -> str:
    """EXIF's UserComment: eight bytes that name the encoding, then the text."""
    if not isinstance(value, bytes) or len(value) <= 8:
        return _text(value)
    if value.startswith(b"UNICODE\0"):
        body = value[8:]
        order = "utf-16-le" if body[1:2] == b"\0" else "utf-16-be"
        return _text(body.decode(order, "replace").strip("\0"))
    if value[:8] in (b"ASCII\0\0\0", b"\0" * 8):
        return _text(value[8:])
    return ""


def _time(text: str, offset: str) -> str | None:
    """ISO 8601, or None for no time (cameras whose clock was never set write zeros)."""
    match = _TIME.match(text)
    if match is None or not (1 <= int(match[2]) <= 12 and 1 <= int(match[3]) <= 31):
        return None
    if not int(match[1]):
        return None
    day = f"{match[1]}-{match[2]}-{match[3]}"
    if not match[4]:
        return day
    return f"{day}T{match[4]}{offset if _OFFSET.fullmatch(offset) else ''}"


def _degrees(parts: Any, reference: Any, negative: str, most: int) -> float | None:
    """Signed degrees from degrees, minutes and seconds; None if absent or not a place."""
    try:
        numbers = [float(p) for p in parts] if isinstance(parts, (tuple, list)) else [float(parts)]
    except (TypeError, ValueError, ZeroDivisionError):
        return None
    # 0/0 is how some cameras say "unknown"; minutes and seconds may be left out like that.
    if not numbers or not math.isfinite(numbers[0]):
        return None
    rest = [n if math.isfinite(n) else 0.0 for n in numbers[1:3]]
    value = numbers[0] + sum(n / d for n, d in zip(rest, (60.0, 3600.0), strict=False))
    if abs(value) > most:
        return None
    value = round(value, 6)
    return -value if _text(reference).upper().startswith(negative) else value


def _xmp(image: Any) -> str:
    data = image.info.get("xmp") or image.info.get("XML:com.adobe.xmp") or b""
    if isinstance(data, str):
        data = data.encode("utf-8", "replace")
    return data[:_XMP_LIMIT].decode("utf-8", "replace") if isinstance(data, bytes) else ""


def _items(xmp: str, name: str) -> list[str]:
    """The list items of a Dublin Core property, found without an XML parser: it may be hostile."""
    _, _, rest = xmp.partition(f"<dc:{name}>")
    body, end, _ = rest.partition(f"</dc:{name}>")
    if not end:
        return []
    items = [_text(html.unescape(i)) for i in re.findall(r"<rdf:li[^>]*>([^<]*)</rdf:li>", body)]
    return [item for item in items if item]
