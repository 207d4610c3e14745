"""Pictures and sounds as parts of the page itself."""

from __future__ import annotations

import base64
import io
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from PIL import Image

from deskgym.env.run_reader import MEDIA
from deskgym.env.trajectory import MediaShown
from deskgym.report_html.escaping import escaped

MAX_SIDE: Final = 800
"""Pixels of a picture's longer side."""
MAX_PICTURE: Final = 100_000
"""Bytes; a larger picture is made a JPEG."""
MAX_SOUND: Final = 1_000_000
MAX_TOTAL: Final = 60_000_000
"""Bytes of media that one page takes."""
_MAX_PIXELS: Final = 100_000_000
_PICTURES: Final = {
    "PNG": "image/png",
    "JPEG": "image/jpeg",
    "GIF": "image/gif",
    "WEBP": "image/webp",
}
_SOUNDS: Final = {
    "audio/mpeg": "audio/mpeg",
    "audio/mp3": "audio/mpeg",
    "audio/wav": "audio/wav",
    "audio/x-wav": "audio/wav",
    "audio/wave": "audio/wav",
    "audio/vnd.wave": "audio/wav",
    "audio/ogg": "audio/ogg",
    "audio/opus": "audio/ogg",
    "audio/flac": "audio/flac",
    "audio/mp4": "audio/mp4",
    "audio/aac": "audio/aac",
    "audio/webm": "audio/webm",
}


class NotShown(Exception):
    """Why a piece of media is not on the page, as words for the reader."""


@dataclass
class Gallery:
    """What a run's steps showed, until the page is full."""

    run: Path
    taken: int = 0
    left_out: int = 0

    def shown(self, media: Iterable[MediaShown]) -> str:
        """The media of one step as HTML; what cannot be shown is said in words."""
        figures = []
        for item in media:
            caption = escaped(f"{item.path} {item.locator}")
            try:
                element = self._element(item)
            except NotShown as reason:
                element = (
                    f'<p class="none">{escaped(f"{item.mime}, {item.size:,} bytes")}: {reason}</p>'
                )
            figures.append(f"<figure>{element}<figcaption>{caption}</figcaption></figure>\n")
        return f'<div class="media">{"".join(figures)}</div>\n' if figures else ""

    def _element(self, item: MediaShown) -> str:
        kind = item.mime.partition("/")[0]
        if kind == "image":
            mime, data = picture(self._bytes(item))
            self._take(data)
            alt = escaped(f"{item.path} {item.locator}")
            return f'<img alt="{alt}" src="{_uri(mime, data)}">'
        if item.mime in _SOUNDS:
            if item.size > MAX_SOUND:
                raise NotShown("too long a sound for the page; it is in the run’s media folder")
            data = self._bytes(item)
            self._take(data)
            return f'<audio controls preload="none" src="{_uri(_SOUNDS[item.mime], data)}"></audio>'
        raise NotShown("not of a kind that a page shows; it is in the run’s media folder")

    def _bytes(self, item: MediaShown) -> bytes:
        # A damaged log must not make the page read some other file.
        if not item.sha256.isalnum():
            raise NotShown("its name in the log is damaged")
        try:
            return (self.run / MEDIA / item.sha256).read_bytes()
        except OSError as error:
            raise NotShown(f"not in the run’s media folder ({error.strerror})") from error

    def _take(self, data: bytes) -> None:
        if self.taken + len(data) > MAX_TOTAL:
            self.left_out += 1
            raise NotShown("the page is full; it is in the run’s media folder")
        self.taken += len(data)


def picture(data: bytes) -> tuple[str, bytes]:
    """The picture's type and bytes, scaled down to a JPEG if it is large.

    Raises:
        NotShown: it cannot be read.
    """
    try:
        with warnings.catch_warnings():
            # Whether it is too large is for the lines below to say.
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            with Image.open(io.BytesIO(data)) as image:
                mime = _PICTURES.get(image.format or "")
                if image.width * image.height > _MAX_PIXELS:
                    raise NotShown("too large a picture to scale down")
                if mime and len(data) <= MAX_PICTURE and max(image.size) <= MAX_SIDE:
                    image.verify()
                    return mime, data
                image.draft("RGB", (MAX_SIDE, MAX_SIDE))
                return "image/jpeg", _scaled(image)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        raise NotShown("the picture cannot be read") from error


def _scaled(image: Image.Image) -> bytes:
    small = image.convert("RGBA") if image.mode in ("P", "LA", "RGBA", "PA") else image
    small.thumbnail((MAX_SIDE, MAX_SIDE))
    if small.mode == "RGBA":
        paper = Image.new("RGB", small.size, "white")
        paper.paste(small, mask=small.getchannel("A"))
        small = paper
    out = io.BytesIO()
    small.convert("RGB").save(out, "JPEG", quality=82)
    return out.getvalue()


def _uri(mime: str, data: bytes) -> str:
    return f"data:{mime};base64,{base64.b64encode(data).decode()}"
