"""The read tools: which module reads a file is decided by its content.

Standard library only; the libraries that read a format are imported when one of its files is.
Every function takes the paths of members too: ``folder/a.zip!/inner/b.txt``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from deskgym.tools import (
    archives,
    calendar,
    clips,
    data,
    databases,
    documents,
    epub,
    html,
    images,
    legacy,
    mail,
    media,
    notebooks,
    opendocument,
    original,
    rtf,
    sheets,
    slides,
    text,
)
from deskgym.tools.cut import Range, Request
from deskgym.tools.guards import file_size
from deskgym.tools.members import through_members
from deskgym.tools.result import Segment, ToolError, ToolResult
from deskgym.tools.sniff import SVG, FileType, misnamed, sniff

__all__ = [
    "FileType",
    "info",
    "read_audio",
    "read_image",
    "read_original",
    "read_text",
    "read_video",
    "sniff",
]

Reader = Callable[[Path, FileType, Request], ToolResult]


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
    "msg": mail.read,
    "mbox": mail.read,
    "ics": calendar.read,
    "vcf": calendar.read,
    "pdf": documents.read_pdf,
    "docx": documents.read_docx,
    "xlsx": sheets.read,
    "pptx": slides.read,
    "odt": opendocument.read_text,
    "ods": opendocument.read_sheet,
    "odp": opendocument.read_slides,
    "doc": legacy.read_doc,
    "xls": legacy.read_xls,
    "ppt": legacy.read_ppt,
    "rtf": rtf.read,
    "epub": epub.read,
    "notebook": notebooks.read,
    "sqlite": databases.read_sqlite,
    "parquet": databases.read_parquet,
    "image": images.read,
    "audio": media.read,
    "video": media.read,
    "archive": archives.read,
    "binary": _nothing,
}

# What to do with what is not shown as a picture.
_OTHERWISE = {
    "audio": "read_audio returns its sound",
    "video": "read_video returns pictures of it",
    "binary": "read_original returns the bytes",
    "archive": "read_original returns the bytes",
}


@through_members
def read_text(
    path: Path,
    *,
    pages: Range | None = None,
    lines: Range | None = None,
    cells: str | None = None,
    span_s: tuple[float, float] | None = None,
    offset: int = 0,
    max_chars: int = 20_000,
) -> ToolResult:
    """The text of the file at ``path``, or the selected part of it, with locators.

    Text-like files (plain text, data, HTML, mail, calendars, Word) give one segment
    ``lines:a-b`` of the extracted text; ``lines`` selects. PDFs and slide decks give a segment a
    page; ``pages`` selects. Workbooks give one a sheet; ``cells`` ("Sheet!B2:C4") selects.
    Videos give their subtitles, a segment ``time:a-b`` each; ``span_s`` selects, in seconds.
    At most ``max_chars`` characters come back, cut at a line's end where there is one;
    ``next_offset`` is the ``offset`` to go on from with the same selection. A picture, a sound,
    or a video without subtitles has no segments, but ``info`` and a note.

    Raises:
        ToolError: any kind but outside_profile and switched_off; the message says why.
    """
    request = Request(pages, lines, cells, offset, max_chars, span_s)
    kind = sniff(path)
    return _with_basics(path, kind, _READERS[kind.family](path, kind, request))


@through_members
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
            _OTHERWISE.get(kind.family, "read_text returns its text"),
        )
    return _with_basics(path, kind, result)


@through_members
def read_audio(
    path: Path,
    *,
    start_s: float | None = None,
    end_s: float | None = None,
    transcript: Sequence[Segment] = (),
) -> ToolResult:
    """The sound of the file at ``path`` from ``start_s`` to ``end_s`` (without them: all of it).

    One mono MP3 of at most 120 s with a locator ``time:a-b``; a note says what is left out.
    Of ``transcript`` (the whole file's), or else of its subtitles, what is said in the span comes
    as segments. Of a video it is the first sound track.

    Raises:
        ToolError: unsupported for what has no sound; otherwise as `read_text`.
    """
    kind = sniff(path)
    return _with_basics(path, kind, clips.audio_clip(path, kind, start_s, end_s, transcript))


@through_members
def read_video(
    path: Path,
    *,
    start_s: float | None = None,
    end_s: float | None = None,
    frames: int | Sequence[float] | None = None,
    transcript: Sequence[Segment] = (),
) -> ToolResult:
    """Pictures of the video at ``path``: ``frames`` (6) spread over the span, or at given times.

    JPEG, upright, at most 768 pixels wide and high, at most 32 of them, each as a player shows
    it at the time of its locator ``time:t-t``. Of ``transcript`` (the whole file's), or else of its
    subtitles, what is said in the span comes as segments.

    Raises:
        ToolError: unsupported for what has no moving pictures; otherwise as `read_text`.
    """
    kind = sniff(path)
    result = clips.video_frames(path, kind, start_s, end_s, frames, transcript)
    return _with_basics(path, kind, result)


@through_members
def read_original(path: Path, *, max_bytes: int = 8_000_000) -> ToolResult:
    """The bytes of the file at ``path`` as one medium.

    Raises:
        ToolError: too_large, or the file is not there, not a file, empty, or unreadable.
    """
    kind = sniff(path)
    return _with_basics(path, kind, original.read(path, kind, max_bytes))


@through_members
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
