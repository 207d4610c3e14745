"""Answering read requests from what was prepared, with the same result as reading the file.

The whole text and the pictures of a file lie in its record (`deskgym.tools.store`). A selection
is cut from them by the functions with which the readers cut; what a record does not hold (a crop,
cells, another resolution, a file that was not prepared) is left to the readers. Beyond the
readers' own results a record holds what only preparing gives: text read by OCR, and transcripts.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from deskgym.tools.cut import (
    Request,
    clip,
    cut_lines,
    cut_pages,
    cut_point,
    cut_times,
    times_of,
)
from deskgym.tools.documents import bare_note
from deskgym.tools.images import View
from deskgym.tools.registry import read_audio, read_image, read_original, read_text, read_video
from deskgym.tools.result import Segment, ToolError, ToolResult
from deskgym.tools.search_index import query_index
from deskgym.tools.sniff import PDF, PPTX
from deskgym.tools.store import PreparedProfile, error_of, segments_of

_KEPT = 8  # records: an agent reads on in one file, or compares a few
_MISNAMED = "named ."


class Reading:
    """The read tools over one profile, quick where it was prepared.

    Args:
        desk: the folder of the files, to which the prepared paths are relative.
        prepared: the prepared folder; None, or a folder without a manifest, for none.
    """

    def __init__(self, desk: Path, prepared: Path | None) -> None:
        self._desk = desk
        there = prepared is not None and (prepared / "manifest.json").is_file()
        self._store = PreparedProfile(prepared) if prepared is not None and there else None
        self._record = functools.lru_cache(maxsize=_KEPT)(self._loaded)

    def search(self, query: str, *, top_k: int = 10, modality: str | None = None) -> ToolResult:
        """See `deskgym.tools.search_index.query_index`."""
        return query_index(self._store.index if self._store else None, query, top_k, modality)

    def read_text(self, path: Path, **args: Any) -> ToolResult:
        """See `deskgym.tools.registry.read_text`."""
        record = self._known(path)
        if record is not None:
            request = Request(**args)
            if (answer := _text(path, record, request)) is not None:
                return answer
        return read_text(path, **args)

    def read_image(self, path: Path, **args: Any) -> ToolResult:
        """See `deskgym.tools.registry.read_image`."""
        record = self._known(path)
        if record is not None and (answer := self._image(path, record, View(**args))) is not None:
            return answer
        return read_image(path, **args)

    def read_audio(self, path: Path, **args: Any) -> ToolResult:
        """See `deskgym.tools.registry.read_audio`; with what is said in the clip."""
        return read_audio(path, **args, transcript=self._said(path))

    def read_video(self, path: Path, **args: Any) -> ToolResult:
        """See `deskgym.tools.registry.read_video`; with what is said in the span."""
        return read_video(path, **args, transcript=self._said(path))

    read_original = staticmethod(read_original)

    def _said(self, path: Path) -> tuple[Segment, ...]:
        record = self._known(path)
        return tuple(s for s in segments_of(record or {"segments": []}) if times_of(s.locator))

    def _known(self, path: Path) -> dict[str, Any] | None:
        try:
            return self._record(path.relative_to(self._desk).as_posix())
        except ValueError:  # it lies elsewhere
            return None

    def _loaded(self, path: str) -> dict[str, Any] | None:
        return self._store.record(path) if self._store is not None else None

    def _image(self, path: Path, record: dict[str, Any], view: View) -> ToolResult | None:
        if view != View(view.page):
            return None
        info, total = dict(record["info"]), int(record["info"].get("frames", 1))
        mime, page = info.get("mime"), view.page or 1
        notes = _misnamed(record)
        if mime == PDF.mime:
            locator = f"page:{page}"
            info = {k: info[k] for k in ("mime", "modality", "size", "pages")}
            if view.page is None and info["pages"] > 1:
                notes.append(f"page 1 of {info['pages']}; choose another with page")
        elif info.get("modality") == "image" and mime != "image/svg+xml":
            locator = f"page:{page}" if total > 1 else "file"
            if page > total:
                return None
            if total > 1:
                notes.append(f"frame {page} of {total}; choose another with page")
        else:
            return None
        found = next((p for p in record["pictures"] if p["locator"] == locator), None)
        if found is None or self._store is None:
            return None
        media = self._store.picture(path.relative_to(self._desk).as_posix(), found)
        return ToolResult(media=(media,), info=info, notes=(*notes, *media.notes))


def _text(path: Path, record: dict[str, Any], request: Request) -> ToolResult | None:
    """What the record answers; None where only the file itself does."""
    selected = [n for n in ("pages", "lines", "cells", "span_s") if getattr(request, n) is not None]
    segments = segments_of(record)
    if (error := error_of(record, path.name)) is not None:
        if selected or segments:
            return None
        raise error
    if not segments:
        return None
    whole = sum(len(s.text) for s in segments) <= request.max_chars
    if not selected and request.offset == 0 and whole:
        return ToolResult(segments, (), dict(record["info"]), tuple(record["notes"]))
    for selector, cut in _CUTS:
        if set(selected) <= {selector} and (answer := cut(record, segments, request)) is not None:
            return answer
    return None


Cut = Callable[[dict[str, Any], Sequence[Segment], Request], ToolResult | None]


def _lines(record: dict[str, Any], segments: Sequence[Segment], request: Request) -> Any:
    """A text that is one run of lines."""
    text = segments[0].text
    one = len(segments) == 1 and segments[0].locator.startswith("lines:1")
    if not one or record["info"].get("chars") != len(text):
        return None
    return cut_lines(text, request, record["info"], list(record["notes"]))


def _times(record: dict[str, Any], segments: Sequence[Segment], request: Request) -> Any:
    """What is said, or shown as a subtitle."""
    if not all(times_of(segment.locator) for segment in segments):
        return None
    notes = list(record["notes"])
    pieces, following = cut_times(segments, request, notes)
    return ToolResult(pieces, (), dict(record["info"]), tuple(notes), following)


def _pages(record: dict[str, Any], segments: Sequence[Segment], request: Request) -> Any:
    """Pages of a PDF, or slides, each with what OCR found on it."""
    info, plain = record["info"], all(s.locator.startswith("page:") for s in segments)
    if info.get("mime") == PPTX.mime and plain and request.pages is None:
        return _paged(info, segments, request, list(record["notes"]), [])
    if info.get("mime") != PDF.mime:
        return None
    total = info["pages"]
    by_page: dict[int, list[Segment]] = {}
    for segment in segments:
        by_page.setdefault(_page_of(segment.locator), []).append(segment)
    bare = [n for n in range(1, total + 1) if n not in by_page]
    missing = [n for n in range(1, total + 1) if f"page:{n}" not in {s.locator for s in segments}]
    notes = _misnamed(record)
    first, last = clip(request.pages, total, "page", notes)
    notes += [n for n in record["notes"][len(_misnamed(record)) :] if n != bare_note(missing)]
    if plain:
        return _paged(info, segments, request, notes, bare, (first, last))
    chosen = [s for n in range(first, last + 1) for s in by_page.get(n, ())]
    pieces, following = _cut(chosen, request, notes)
    if empty := [n for n in bare if first <= n <= last and following is None]:
        notes.append(bare_note(empty))
    return ToolResult(pieces, (), dict(info), tuple(notes), following)


def _paged(
    info: dict[str, Any],
    segments: Sequence[Segment],
    request: Request,
    notes: list[str],
    bare: list[int],
    pages: tuple[int, int] | None = None,
) -> ToolResult:
    """Plain pages, read on as far as needed; of those seen, the bare ones are named."""
    texts = {_page_of(s.locator): s.text for s in segments}
    first, last = pages or (1, info["pages"])
    seen: list[int] = []

    def one_by_one() -> Any:
        for number in range(first, last + 1):
            if number in bare:
                seen.append(number)
            yield number, texts.get(number, "")

    pieces, following = cut_pages(one_by_one(), request, notes)
    if seen:
        notes.append(bare_note(seen))
    return ToolResult(pieces, (), dict(info), tuple(notes), following)


def _regions(record: dict[str, Any], segments: Sequence[Segment], request: Request) -> Any:
    """The lines that OCR found in a picture."""
    if not all(segment.locator.startswith("region:") for segment in segments):
        return None
    notes = list(record["notes"])
    pieces, following = _cut(segments, request, notes)
    return ToolResult(pieces, (), dict(record["info"]), tuple(notes), following)


def _cut(
    segments: Sequence[Segment], request: Request, notes: list[str]
) -> tuple[tuple[Segment, ...], int | None]:
    """Segments up to the requested size, as `cut_pages` does it, whatever their locators.

    Raises:
        ToolError: out_of_range.
    """
    pieces: list[Segment] = []
    position, room = 0, request.max_chars
    for segment in segments:
        text, start = segment.text, max(0, request.offset - position)
        if start >= len(text):
            position += len(text)
            continue
        end = cut_point(text, start, len(text), room) if room > 0 else start
        if pieces and end < len(text):
            end = start
        if end > start:
            pieces.append(Segment(segment.locator, text[start:end]))
            room -= end - start
        if end < len(text):
            following = position + end
            notes.append(
                f"cut at {segment.locator}; go on with offset={following} and the same selection"
            )
            return tuple(pieces), following
        position += len(text)
    if request.offset and not pieces:
        raise ToolError(
            "out_of_range",
            f"offset {request.offset} is beyond the text, which ends at {position}",
            "go on only while next_offset is given",
        )
    return tuple(pieces), None


_CUTS: tuple[tuple[str, Cut], ...] = (
    ("lines", _lines),
    ("span_s", _times),
    ("pages", _pages),
    ("", _regions),
)


def _page_of(locator: str) -> int:
    """The page of ``page:3`` or ``region:3@0,0,1,1``."""
    return int(locator.partition(":")[2].partition("@")[0])


def _misnamed(record: dict[str, Any]) -> list[str]:
    """The note that the file's name does not fit; the readers put it first."""
    return [n for n in record["notes"][:1] if n.startswith(_MISNAMED)]
