"""Subtitles that are embedded in a video, as stretches of text with their times."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from deskgym.tools import ff
from deskgym.tools.cut import time_locator
from deskgym.tools.result import Segment

TEXT = frozenset({"subrip", "srt", "mov_text", "ass", "ssa", "webvtt", "text"})
"""The codecs whose subtitles are text; the others are pictures."""

_MAX_TRACKS = 8
_MAX_BYTES = 16_000_000
_TIMEOUT_S = 40.0
_TIMES = re.compile(r"(\d+):(\d\d):(\d\d)[,.](\d{3}) --> (\d+):(\d\d):(\d\d)[,.](\d{3})")
_MARKUP = re.compile(r"</?(?:i|b|u|s|font|c|v)\b[^>]*>|\{\\[^}]*\}", re.I)


def embedded(path: Path, tracks: Iterable[dict[str, Any]]) -> tuple[Segment, ...]:
    """The text of all subtitle tracks, by time; with several, each line tells its language.

    Raises:
        ToolError: corrupt, timeout, too_large, out_of_memory.
    """
    wanted = [t for t in tracks if t["type"] == "subtitle" and t["codec"] in TEXT][:_MAX_TRACKS]
    found: list[tuple[float, int, Segment]] = []
    for number, track in enumerate(wanted):
        source = ff.media_input(path)[str(track["index"])]
        argv = ff.command(source, format="srt")
        text = ff.run(argv, path, timeout_s=_TIMEOUT_S, max_bytes=_MAX_BYTES)
        name = track.get("language") or track.get("title") or f"track {track['index']}"
        prefix = f"[{name}] " if len(wanted) > 1 else ""
        for start, end, line in parse_srt(text.decode("utf-8", "replace")):
            segment = Segment(time_locator(start, end), f"{prefix}{line}")
            found.append((start, number, segment))
    found.sort(key=lambda item: item[:2])
    return tuple(segment for _, _, segment in found)


def parse_srt(text: str) -> list[tuple[float, float, str]]:
    """Start, end and text (without markup) of each subtitle in SubRip form that says something."""
    found = []
    clean = text.replace("\r\n", "\n").replace("\r", "\n")
    marks = list(_TIMES.finditer(clean))
    for mark, following in zip(marks, [*marks[1:], None], strict=True):
        body = clean[mark.end() : following.start() if following else len(clean)]
        if following:  # the counter of the next one stands on the last line
            body = re.sub(r"\n\s*\d+\s*$", "", body)
        said = " ".join(_MARKUP.sub("", body).split())
        numbers = [int(n) for n in mark.groups()]
        start, end = (
            h * 3600 + m * 60 + s + ms / 1000 for h, m, s, ms in (numbers[:4], numbers[4:])
        )
        if said and end >= start:
            found.append((start, end, said))
    return found
