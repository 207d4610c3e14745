"""A person's text in chunks that know their place.

By turn: markdown is cut at its second-level headings, so that a conversation's turn is a chunk;
what is longer than `MAX_WORDS` is cut into windows that overlap, as RHELM's retrieval baselines do.
What is read from a picture or heard in a sound piece by piece is put together up to that length.

By window: a file's whole text is cut into windows of `MAX_TOKENS` that overlap, whatever stands in
it. Words and marks between them count as tokens.
"""

from __future__ import annotations

import hashlib
import json
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal

from deskgym.env.prepared import find
from deskgym.tasks.locators import (
    AnyLocator,
    Lines,
    Pages,
    Region,
    TimeSpan,
    Turns,
    WholeFile,
    parse_locator,
)
from deskgym.tasks.schema import Profile
from deskgym.tools.registry import read_text
from deskgym.tools.result import Segment, ToolError
from deskgym.tools.store import PreparedProfile, segments_of, tool_key

Chunking = Literal["turn", "window"]

MAX_WORDS = 500
MAX_TOKENS = 500
OVERLAP = 50
_MAX_CHARS = 10**9  # a file's text is taken whole
_HEADING = re.compile(r"^##? ", re.MULTILINE)
_WORD = re.compile(r"\S+")
_TOKEN = re.compile(r"\w+|[^\w\s]")


@dataclass(frozen=True)
class Chunk:
    """A stretch of one file's text, and where it stands."""

    path: str
    locator: AnyLocator
    text: str


@dataclass(frozen=True)
class Unread:
    """A file without chunks: why it gives no text."""

    path: str
    reason: str


def profile_chunks(
    profile: Profile, chunking: Chunking = "turn"
) -> tuple[list[Chunk], list[Unread]]:
    """The chunks of all of a profile's files, in their order, and the files that give none.

    Text comes from the prepared folder where there is one, else from the read tools, which need
    ``pip install 'deskgym[tools]'`` on this computer.
    """
    prepared = find(profile)
    store = PreparedProfile(prepared) if prepared is not None else None
    chunks: list[Chunk] = []
    unread: list[Unread] = []
    for record in profile.files:
        known = store.record(record.path) if store is not None else None
        try:
            if known is not None:
                segments = segments_of(known)
            else:
                segments = read_text(profile.root / record.path, max_chars=_MAX_CHARS).segments
        except ToolError as error:
            unread.append(Unread(record.path, error.message))
            continue
        found = list(_cut(record.path, segments, chunking))
        chunks += found
        if not found:
            unread.append(Unread(record.path, "it holds no text"))
    return chunks, unread


def _cut(path: str, segments: Sequence[Segment], chunking: Chunking) -> Iterator[Chunk]:
    placed = [(parse_locator(segment.locator), segment.text) for segment in segments]
    if chunking == "window":
        yield from _whole(path, placed)
        return
    for locator, text in _joined(placed):
        yield from _turns(path, locator, text)


def _joined(placed: Iterable[tuple[AnyLocator, str]]) -> Iterator[tuple[AnyLocator, str]]:
    """The segments, with what is said or stands in a picture piece by piece put together: lines of
    one page, and stretches of a sound, as far as they fit into a window."""
    held: list[tuple[AnyLocator, str]] = []
    words = 0
    for locator, text in placed:
        count = len(text.split())
        if held and (words + count > MAX_WORDS or not _goes_on(held[-1][0], locator)):
            yield _spanned([place for place, _ in held]), "\n".join(own for _, own in held)
            held, words = [], 0
        held.append((locator, text))
        words += count
    if held:
        yield _spanned([place for place, _ in held]), "\n".join(own for _, own in held)


def _goes_on(last: AnyLocator, this: AnyLocator) -> bool:
    if isinstance(last, Region) and isinstance(this, Region):
        return last.page == this.page
    return isinstance(last, TimeSpan) and isinstance(this, TimeSpan)


def _turns(path: str, locator: AnyLocator, text: str) -> Iterator[Chunk]:
    """The chunks of one segment; those of lines know their own lines."""
    sections = _sections(text) if path.endswith((".md", ".markdown")) else [(0, text)]
    for above, section in sections:
        for start, end in _windows(section, _WORD, MAX_WORDS):
            place = locator
            if isinstance(locator, Lines):
                first = locator.start + above + section.count("\n", 0, start)
                place = Lines(start=first, end=first + section.count("\n", start, end))
            yield Chunk(path, place, section[start:end])


def _sections(text: str) -> Iterable[tuple[int, str]]:
    """The pieces between headings, each with the number of lines above it."""
    starts = sorted({0, *(found.start() for found in _HEADING.finditer(text))})
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        if piece := text[start:end].rstrip("\n"):
            yield text.count("\n", 0, start), piece


def _whole(path: str, placed: Sequence[tuple[AnyLocator, str]]) -> Iterator[Chunk]:
    """The chunks of a file as a whole. Each is placed by the segments that it reaches over."""
    text = "\n".join(own for _, own in placed)
    begins = [0, *accumulate(len(own) + 1 for _, own in placed)][:-1]
    for start, end in _windows(text, _TOKEN, MAX_TOKENS):
        parts = []
        for n in range(bisect_right(begins, start) - 1, bisect_right(begins, end - 1)):
            locator, own = placed[n]
            if isinstance(locator, Lines):
                begin, stop = max(start - begins[n], 0), min(end - begins[n], len(own))
                first = locator.start + own.count("\n", 0, begin)
                locator = Lines(start=first, end=first + own.count("\n", begin, stop))
            parts.append(locator)
        yield Chunk(path, _spanned(parts), text[start:end])


def _spanned(parts: Sequence[AnyLocator]) -> AnyLocator:
    """The place that reaches over all of ``parts``: the whole file if they are of several kinds,
    or of one that has no order."""
    first = parts[0]
    if all(part == first for part in parts):
        return first
    regions = [part for part in parts if isinstance(part, Region)]
    if len(regions) == len(parts) and len({part.page for part in regions}) == 1:
        return Region(
            page=regions[0].page,
            x0=min(part.x0 for part in regions),
            y0=min(part.y0 for part in regions),
            x1=max(part.x1 for part in regions),
            y1=max(part.y1 for part in regions),
        )
    spans = [part for part in parts if isinstance(part, TimeSpan)]
    if len(spans) == len(parts):
        return TimeSpan(start_s=min(p.start_s for p in spans), end_s=max(p.end_s for p in spans))
    paged = [Pages(start=p.page, end=p.page) if isinstance(p, Region) else p for p in parts]
    for kind in (Lines, Pages, Turns):
        own = [part for part in paged if isinstance(part, kind)]
        if len(own) == len(parts):
            return kind(start=min(p.start for p in own), end=max(p.end for p in own))
    return WholeFile()


def _windows(text: str, unit: re.Pattern[str], most: int) -> Iterator[tuple[int, int]]:
    """Where windows of at most ``most`` units begin and end in ``text``."""
    units = [(found.start(), found.end()) for found in unit.finditer(text)]
    for begin in range(0, max(len(units) - OVERLAP, 1), most - OVERLAP):
        if window := units[begin : begin + most]:
            yield window[0][0], window[-1][1]


def source_mark(profile: Profile) -> str:
    """What decides the text of a profile's files besides themselves: what it was prepared with, or
    the read tools."""
    prepared = find(profile)
    if prepared is None:
        return f"read {tool_key({})}"
    manifest = PreparedProfile(prepared).manifest
    return hashlib.sha256(json.dumps(manifest, sort_keys=True).encode()).hexdigest()
