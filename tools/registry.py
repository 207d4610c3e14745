"""The read tools: which module reads a file is decided by its content.

Standard library only; the libraries that read a format are imported when one of its files is.
"""

from __future__ import annotations

import wave
from collections.abc import Callable
from pathlib import Path
from typing import Any

from deskgym.tools import (
    archives,
    calendar,
    data,
    documents,
    html,
    images,
    mail,
    original,
    sheets,
    slides,
    text,
)
from deskgym.tools.cut import Range, Request
from deskgym.tools.guards import damage, file_size
from deskgym.tools.result import ToolError, ToolResult
from deskgym.tools.sniff import SVG, FileType, misnamed, sniff

__all__ = ["FileType", "info", "read_image", "read_original", "read_text", "sniff"]

Reader = Callable[[Path, FileType, Request], ToolResult]


def _sound_or_video(path: Path, kind: FileType, request: Request) -> ToolResult:
    request.allow("", "a sound or video")
    info: dict[str, Any] = {}
    if kind.mime == "audio/wav":
        try:
            with wave.open(str(path), "rb") as sound:
                info["duration"] = round(sound.getnframes() / sound.getframerate(), 3)
        except damage(wave.Error) as error:
            raise ToolError("corrupt", f"{path.name!r} is a damaged sound: {error}") from error
    note = "sound and video are not transcribed; read_original returns the bytes"
    return ToolResult(info=info, notes=(note,))


def _nothing(path: Path, kind: FileType, request: Request) -> ToolResult:
    raise ToolError(
        "unsupported",
        f"{path.name!r} is of type {kind.mime}, which has no reader",
        "read_original returns the bytes",
    )


_READERS: dict[str, Reader] = {
    "text": text.read,
    "json": data.read_json,
    "csv": data.read_table,
    "html": html.read,
    "eml": mail.read,
    "ics": calendar.read,
    "vcf": calendar.read,
    "pdf": documents.read_pdf,
    "docx": documents.read_docx,
    "xlsx": sheets.read,
    "pptx": slides.read,
    "image": images.read,
    "audio": _sound_or_video,
    "video": _sound_or_video,
    "archive": archives.read,
    "binary": _nothing,
}


def read_text(
    path: Path,
    *,
    pages: Range | None = None,
    lines: Range | None = None,
    cells: str | None = None,
    offset: int = 0,
    max_chars: int = 20_000,
) -> ToolResult:
    """The text of the file at ``path``, or the selected part of it, with locators.

    Text-like files (plain text, data, HTML, mail, calendars, Word) give one segment
    ``lines:a-b`` of the extracted text; ``lines`` selects. PDFs and slide decks give a segment a
    page; ``pages`` selects. Workbooks give one a sheet; ``cells`` ("Sheet!B2:C4") selects.
    At most ``max_chars`` characters come back, cut at a line's end where there is one;
    ``next_offset`` is the ``offset`` to go on from with the same selection. A picture, sound or
    video has no segments, but ``info`` and a note.

    Raises:
        ToolError: any kind but outside_profile and switched_off; the message says why.
    """
    request = Request(pages, lines, cells, offset, max_chars)
    kind = sniff(path)
    return _with_basics(path, kind, _READERS[kind.family](path, kind, request))


def read_image(
    path: Path,
    *,
    page: int | None = None,
    region: tuple[float, float, float, float] | None = None,
    dpi: int = 150,
    max_side: int = 1600,
) -> ToolResult:
    """One picture of the file at ``path``: an image (or a frame of it), or a PDF's page.

    ``region`` crops: left, top, right, bottom as fractions of the upright picture. ``dpi`` is
    for PDFs; ``max_side`` bounds width and height in pixels.

    Raises:
        ToolError: unsupported for what cannot be shown; otherwise as `read_text`.
    """
    view = images.View(page, region, dpi, max_side)
    kind = sniff(path)
    if kind.family == "image":
        result = images.view_image(path, kind, view)
    elif kind.family == "pdf" or kind == SVG:
        result = images.view_pdf(path, kind, view)
    else:
        raise ToolError(
            "unsupported",
            f"{path.name!r} ({kind.mime}) is not shown as a picture",
            "read_original returns the bytes"
            if kind.family in ("audio", "video", "binary", "archive")
            else "read_text returns its text",
        )
    return _with_basics(path, kind, result)


def read_original(path: Path, *, max_bytes: int = 8_000_000) -> ToolResult:
    """The bytes of the file at ``path`` as one medium.

    Raises:
        ToolError: too_large, or the file is not there, not a file, empty, or unreadable.
    """
    kind = sniff(path)
    return _with_basics(path, kind, original.read(path, kind, max_bytes))


def info(path: Path) -> dict[str, object]:
    """What is known about the file at ``path``: ``mime``, ``modality``, ``size``, and more by type.

    A file that is there but cannot be read (encrypted, corrupt, ...) has a ``problem`` as well.

    Raises:
        ToolError: not_found, not_a_file, unreadable, or empty.
    """
    kind = sniff(path)
    try:
        result = _READERS[kind.family](path, kind, Request(max_chars=1))
    except ToolError as error:
        problem = {} if error.kind == "unsupported" else {"problem": f"{error.kind}: {error}"}
        result = ToolResult(info=problem)
    return _with_basics(path, kind, result).info


def _with_basics(path: Path, kind: FileType, result: ToolResult) -> ToolResult:
    basics = {"mime": kind.mime, "modality": kind.modality, "size": file_size(path)}
    note = misnamed(path, kind)
    return ToolResult(
        segments=result.segments,
        media=result.media,
        info={**basics, **result.info},
        notes=(note, *result.notes) if note else result.notes,
        next_offset=result.next_offset,
    )
