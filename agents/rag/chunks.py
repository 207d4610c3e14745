"""A person's text in chunks that know their place.

Markdown is cut at its second-level headings, so that a conversation's turn is a chunk; what is
longer than `MAX_WORDS` is cut into windows that overlap, as RHELM's retrieval baselines do.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from deskgym.env.prepared import find
from deskgym.tasks.locators import AnyLocator, Lines, parse_locator
from deskgym.tasks.schema import Profile
from deskgym.tools.registry import read_text
from deskgym.tools.result import ToolError
from deskgym.tools.store import PreparedProfile, segments_of

MAX_WORDS = 500
OVERLAP = 50
_MAX_CHARS = 10**9  # a file's text is taken whole
_HEADING = re.compile(r"^##? ", re.MULTILINE)


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


def profile_chunks(profile: Profile) -> tuple[list[Chunk], list[Unread]]:
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
                segments = [(s.locator, s.text) for s in segments_of(known)]
            else:
                result = read_text(profile.root / record.path, max_chars=_MAX_CHARS)
                segments = [(s.locator, s.text) for s in result.segments]
        except ToolError as error:
            unread.append(Unread(record.path, error.message))
            continue
        found = [
            chunk
            for locator, text in segments
            for chunk in _cut(record.path, parse_locator(locator), text)
        ]
        chunks += found
        if not found:
            unread.append(Unread(record.path, "it holds no text"))
    return chunks, unread


def _cut(path: str, locator: AnyLocator, text: str) -> Iterator[Chunk]:
    """The chunks of one segment; those of lines know their own lines."""
    sections = _sections(text) if path.endswith((".md", ".markdown")) else [(0, text)]
    for above, section in sections:
        for first, last, window in _windows(section):
            place = locator
            if isinstance(locator, Lines):
                start = locator.start + above
                place = Lines(start=start + first, end=start + last)
            yield Chunk(path, place, window)


def _sections(text: str) -> Iterable[tuple[int, str]]:
    """The pieces between headings, each with the number of lines above it."""
    starts = sorted({0, *(found.start() for found in _HEADING.finditer(text))})
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        if piece := text[start:end].rstrip("\n"):
            yield text.count("\n", 0, start), piece


def _windows(text: str) -> Iterator[tuple[int, int, str]]:
    """Windows of at most `MAX_WORDS` words, with their first and last line, counted from 0."""
    words = [(found.start(), found.end()) for found in re.finditer(r"\S+", text)]
    for begin in range(0, max(len(words) - OVERLAP, 1), MAX_WORDS - OVERLAP):
        window = words[begin : begin + MAX_WORDS]
        if not window:
            return
        start, end = window[0][0], window[-1][1]
        first = text.count("\n", 0, start)
        yield first, first + text.count("\n", start, end), text[start:end]
