"""Everything that can be known of one file, once: what `prepare` stores and the desk reads.

Which perceiver a file gets is decided by its family, as in the registry. A perceiver takes the
path, the type, and the `Means`; it returns info, segments and notes, and hands each picture to
``means.keep`` as soon as it is made, so that those of a long document are never all in memory.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deskgym.tools import images, media, subtitles
from deskgym.tools.cut import listing
from deskgym.tools.documents import open_pdf
from deskgym.tools.guards import file_size
from deskgym.tools.keyframes import key_frames
from deskgym.tools.ocr import Box, Ocr, OcrLine
from deskgym.tools.registry import info, read_text
from deskgym.tools.result import Media, Segment, ToolError
from deskgym.tools.sniff import SVG, FileType, misnamed, sniff

if TYPE_CHECKING:
    from deskgym.tools.speech import Asr

WHOLE = 1_000_000_000  # characters: more than any file has
MAX_FRAMES = 8  # of an animation; the frames of a TIFF are pages, all of which count
_OCR_DPI = 160
_OCR_SIDE = 2600  # pixels
_SCANT = 120  # characters: a scanner's stamp on a page, not its text
_COVERED = 0.5  # of a page under pictures


@dataclass(frozen=True)
class Perceived:
    """What one file came to.

    ``segments`` hold the whole text with locators, ``pictures`` what `read_image` gives by
    default for each page (key frames for a video). ``error`` says why a file could not be read;
    what was found before is kept.
    """

    info: dict[str, Any]
    segments: tuple[Segment, ...] = ()
    pictures: tuple[Media, ...] = ()
    notes: tuple[str, ...] = ()
    error: ToolError | None = None


@dataclass(frozen=True)
class Means:
    """What a perceiver may use: engines (None: do without), and where its pictures go."""

    ocr: Ocr | None = None
    asr: Asr | None = None
    keep: Callable[[Media], None] = field(default=lambda media: None)


Perceiver = Callable[[Path, FileType, Means], Perceived]


def perceive(
    path: Path,
    *,
    ocr: Ocr | None,
    asr: Asr | None,
    keep: Callable[[Media], None] | None = None,
) -> Perceived:
    """Everything that can be known of the file at ``path``. Never raises for what a file holds.

    With ``keep`` each picture is handed to it as soon as it is made, and ``pictures`` is empty;
    what ``keep`` raises (a full disk) is raised. Without an engine, text in pictures
    or speech is left out.
    """
    pictures: list[Media] = []
    means = Means(ocr, asr, pictures.append if keep is None else _guarded(keep))
    try:
        kind = sniff(path)
    except ToolError as error:
        return Perceived({}, error=error)
    try:
        found = _PERCEIVERS.get(kind.family, as_text)(path, kind, means)
    except _NotKept as error:
        raise error.reason from None
    except Exception as error:  # noqa: BLE001  (whatever a library raises for a broken file)
        found = Perceived(_known(path, kind), error=_as_tool_error(error))
    return replace(found, pictures=tuple(pictures))


class _NotKept(Exception):
    """``keep`` failed, which is no fault of the file."""

    def __init__(self, reason: Exception) -> None:
        super().__init__(str(reason))
        self.reason = reason


def _guarded(keep: Callable[[Media], None]) -> Callable[[Media], None]:
    def kept(media: Media) -> None:
        try:
            keep(media)
        except Exception as error:  # passed on by perceive()
            raise _NotKept(error) from error

    return kept


def as_text(path: Path, kind: FileType, means: Means) -> Perceived:
    """The whole text as `read_text` gives it; no pictures, except of a drawing."""
    result = read_text(path, max_chars=WHOLE)
    if kind == SVG:
        for media in images.view_pdf(path, kind, images.View()).media:
            means.keep(media)
    return Perceived(result.info, result.segments, notes=result.notes)


def perceive_image(path: Path, kind: FileType, means: Means) -> Perceived:
    """The picture, or each frame, and the text in it by OCR."""
    result = read_text(path)
    notes = list(result.notes)
    total = result.info.get("frames", 1)
    numbers = list(range(1, total + 1))
    if kind.mime != "image/tiff" and total > MAX_FRAMES:
        numbers = [1 + i * (total - 1) // (MAX_FRAMES - 1) for i in range(MAX_FRAMES)]
        notes.append(f"an animation: frames {listing(numbers)} of {total} were looked at")
    segments: list[Segment] = []
    seen: set[str] = set()
    error: ToolError | None = None
    try:
        for number, picture in images.frames(path, kind, numbers):
            means.keep(images.whole(picture, number if total > 1 else None))
            lines = _read(picture, means.ocr)
            # The frames of an animation mostly repeat each other.
            fresh = [n for n in lines if kind.mime == "image/tiff" or n.text not in seen]
            seen.update(n.text for n in fresh)
            segments += (_segment(number, line) for line in fresh)
    except ToolError as caught:
        error = caught
    if segments:
        notes.append("the text in the picture was read by OCR")
    return Perceived(result.info, tuple(segments), notes=tuple(notes), error=error)


def perceive_pdf(path: Path, kind: FileType, means: Means) -> Perceived:
    """Text by page, OCR for pages that are scans, and a picture of each page."""
    result = read_text(path, max_chars=WHOLE)
    texts = {segment.locator: segment for segment in result.segments}
    segments: list[Segment] = []
    read: list[int] = []
    failed: list[int] = []
    for page in _pages(path, texts, means.ocr is not None):
        if page.media is None:
            failed.append(page.number)
            segments += page.text
            continue
        means.keep(page.media)
        known = "".join(segment.text for segment in page.text)
        lines = [] if page.scan is None else _read(page.scan, means.ocr)
        fresh = [line for line in lines if line.text not in known]
        segments += (*page.text, *(_segment(page.number, line) for line in fresh))
        if fresh:
            read.append(page.number)
    notes = list(result.notes)
    for numbers, what in ((read, "read by OCR"), (failed, "damaged and could not be rendered")):
        if numbers:
            noun, verb = ("page", "was") if len(numbers) == 1 else ("pages", "were")
            notes.append(f"{noun} {listing(numbers)} {verb} {what}")
    return Perceived(result.info, tuple(segments), notes=tuple(notes))


def perceive_media(path: Path, kind: FileType, means: Means) -> Perceived:
    """Subtitles, then what is said, and of a video its key frames."""
    probed = media.probe(path)
    wrong_name = misnamed(path, kind)
    facts, notes = dict(probed.info), [*([wrong_name] if wrong_name else []), *probed.notes]
    segments: tuple[Segment, ...] = ()
    failed: list[ToolError] = []
    if "subtitles" in facts:
        segments = subtitles.embedded(path, probed.tracks)
        notes.append(f"the first {len(segments)} segments are embedded subtitles")
    if probed.track("video"):
        try:
            key_frames(path, probed, means.keep, notes)
        except ToolError as error:
            failed.append(error)
    if probed.track("audio") and means.asr is None:
        notes.append("what is said was not transcribed: there was no speech engine")
    elif probed.track("audio") and means.asr is not None:
        facts["transcript"] = means.asr.name
        try:
            transcript = means.asr.transcribe(path)
        except ToolError as error:
            failed.append(error)
        else:
            segments += transcript.located()
            if transcript.language:
                facts["language"] = transcript.language
            heard = "was transcribed by a program" if transcript.segments else "could not be heard"
            notes.append(f"speech {heard}")
    basics = {"mime": kind.mime, "modality": kind.modality, "size": file_size(path)}
    first = failed[0] if failed else None
    return Perceived({**basics, **facts}, segments, (), tuple(notes), first)


@dataclass(frozen=True)
class _Page:
    number: int
    text: tuple[Segment, ...]
    media: Media | None = None
    scan: Any = None  # a larger picture of the page, if its text is to be read from it


def _pages(path: Path, texts: dict[str, Segment], scans: bool) -> Iterator[_Page]:
    """The pages one by one; the file is opened once only."""
    with open_pdf(path) as document:
        for number in range(1, document.page_count + 1):
            segment = texts.get(f"page:{number}")
            text = () if segment is None else (segment,)
            try:
                page = document[number - 1]
                picture, reduced = images.render(page, images.View())
                scan = None
                if scans and _is_scan(page, picture, segment.text if segment else ""):
                    scan, _ = images.render(page, images.View(dpi=_OCR_DPI, max_side=_OCR_SIDE))
            except (RuntimeError, ValueError):  # all that MuPDF raises derives from these
                yield _Page(number, text)
                continue
            yield _Page(number, text, images.whole(picture, number, notes=reduced), scan)


def _is_scan(page: Any, picture: Any, text: str) -> bool:
    """Whether what there is to read on a page stands in its pixels."""
    import pymupdf

    if not text.strip():
        return picture.getcolors(1) is None  # not just blank paper
    strange = sum(c == "\ufffd" or "\ue000" <= c <= "\uf8ff" for c in text)
    if strange * 4 > len(text):
        return True  # the fonts do not say which letters their shapes are
    if len(text.strip()) > _SCANT:
        return False
    under = [pymupdf.Rect(i["bbox"]) & page.rect for i in page.get_image_info()]
    return any(r.get_area() > _COVERED * page.rect.get_area() for r in under)


def _read(picture: Any, ocr: Ocr | None) -> list[OcrLine]:
    return [] if ocr is None else ocr.lines(picture)


def _segment(page: int, line: OcrLine) -> Segment:
    return Segment(region(page, line.box), line.text)


def region(page: int, box: Box) -> str:
    """The locator of a box on a page, in thousandths, never without an area."""
    x0, y0, x1, y1 = (min(max(n, 0.0), 1.0) for n in box)
    left, top = min(int(x0 * 1000), 999), min(int(y0 * 1000), 999)
    right, bottom = max(math.ceil(x1 * 1000), left + 1), max(math.ceil(y1 * 1000), top + 1)
    return f"region:{page}@" + ",".join(f"{n / 1000:g}" for n in (left, top, right, bottom))


def _known(path: Path, kind: FileType) -> dict[str, Any]:
    """What can be told of a file that could not be read."""
    try:
        return dict(info(path))
    except Exception as error:  # noqa: BLE001  (told as the file's problem)
        problem = _as_tool_error(error)
        return {
            "mime": kind.mime,
            "modality": kind.modality,
            "problem": f"{problem.kind}: {problem}",
        }


def _as_tool_error(error: Exception) -> ToolError:
    if isinstance(error, ToolError):
        return error
    if isinstance(error, MemoryError):
        return ToolError("out_of_memory", "the file needs more memory than there is")
    return ToolError("corrupt", f"{type(error).__name__}: {error}")


_PERCEIVERS: dict[str, Perceiver] = {
    "image": perceive_image,
    "pdf": perceive_pdf,
    "audio": perceive_media,
    "video": perceive_media,
}
