"""Stretches of a sound and moments of a video: what `read_audio` and `read_video` return."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from deskgym.tools import ff, subtitles
from deskgym.tools.cut import check_span, is_time, time_locator, within
from deskgym.tools.media import Probed, probe, upright
from deskgym.tools.result import Media, Segment, ToolError, ToolResult
from deskgym.tools.sniff import FileType

MAX_CLIP_S = 120.0
MAX_FRAMES = 32
MAX_SIDE = 768
_FRAMES = 6
_CLIP_TIMEOUT_S = 50.0
_FRAME_TIMEOUT_S = 30.0
_PACKET = re.compile(rb"pts_time=([^|]+)\|dts_time=([^|]+)\|flags=(\w+)")
_CLOCK_S = 0.0099  # times are hundredths: a frame that begins before the next one is on show
_NO_INDEX = {"mpegts", "mpeg", "mpegvideo"}
_LEAD_S = 12.0
_EDGE_S = 0.05  # how far behind its end a file may be asked: lengths are rounded everywhere


def audio_clip(
    path: Path,
    kind: FileType,
    start_s: float | None,
    end_s: float | None,
    transcript: Sequence[Segment] = (),
) -> ToolResult:
    """The sound from ``start_s`` to ``end_s`` as one mono MP3 of at most `MAX_CLIP_S`.

    ``transcript`` is that of the whole file; what is said in the clip comes as segments.

    Raises:
        ToolError: unsupported for what has no sound, out_of_range, bad_argument, corrupt,
            encrypted, timeout, too_large, out_of_memory.
    """
    probed = _probed(path, kind)
    if probed.track("audio") is None:
        raise ToolError("unsupported", f"{path.name!r} has no sound", "read_video returns pictures")
    notes = list(probed.notes)
    start, end = _span(probed, start_s, end_s, notes)
    if end - start > MAX_CLIP_S:
        end = start + MAX_CLIP_S
        notes.append(
            f"a clip is at most {MAX_CLIP_S:g} s long: this one ends at {end:g} s of "
            f"{probed.duration_s:g} s; go on with start_s={end:g}"
        )
    if end - start < 0.01:
        raise ToolError(
            "bad_argument", "a clip of no length cannot be heard", "give an end_s after start_s"
        )
    source = ff.media_input(path, ss=f"{start:.3f}")
    argv = ff.command(
        source.audio,
        **{"t": f"{end - start:.3f}", "ac": 1, "ar": 44100, "b:a": "64k", "acodec": "libmp3lame"},
        **{"format": "mp3", "write_xing": 0, "id3v2_version": 0, "map_chapters": -1},
    )
    sound = ff.run(argv, path, timeout_s=_CLIP_TIMEOUT_S, max_bytes=4_000_000)
    if not sound:
        raise ToolError(
            "corrupt", f"{path.name!r} has no sound from {start:g} s on", "ask for an earlier span"
        )
    return ToolResult(
        segments=_said(path, probed, (start, end), transcript, notes),
        media=(Media("audio/mpeg", sound, time_locator(start, end)),),
        info=probed.info,
        notes=tuple(notes),
    )


def video_frames(
    path: Path,
    kind: FileType,
    start_s: float | None,
    end_s: float | None,
    frames: int | Sequence[float] | None,
    transcript: Sequence[Segment] = (),
) -> ToolResult:
    """Pictures of a video: ``frames`` evenly spread over the span, or at the times it lists.

    Each shows what a player shows at its time, upright, at most `MAX_SIDE` pixels wide and high.

    Raises:
        ToolError: as `audio_clip`.
    """
    probed = _probed(path, kind)
    if probed.track("video") is None:
        raise ToolError(
            "unsupported", f"{path.name!r} has no moving pictures", "read_audio returns its sound"
        )
    notes = list(probed.notes)
    if isinstance(frames, (list, tuple)):
        if start_s is not None or end_s is not None:
            raise ToolError("bad_argument", "give either frames at times, or a span", "not both")
        times = _listed(probed, frames)
        span = (min(times), max(times))
    else:
        span = _span(probed, start_s, end_s, notes)
        times = _spread(span, frames)
    pictures: list[Media] = []
    frames_at(path, probed, times, pictures.append)
    wide, high = upright(probed.track("video") or {})
    if max(wide, high) > MAX_SIDE:
        notes.append(f"the pictures are scaled down to {MAX_SIDE} pixels from {wide}x{high}")
    return ToolResult(
        segments=_said(path, probed, span, transcript, notes),
        media=tuple(pictures),
        info=probed.info,
        notes=tuple(notes),
    )


def frames_at(
    path: Path,
    probed: Probed,
    times: Sequence[float],
    keep: Callable[[Media], None],
    max_side: int = MAX_SIDE,
) -> None:
    """Hand ``keep`` the picture that a player shows at each of ``times`` (ascending or not).

    Raises:
        ToolError: corrupt, timeout, out_of_memory, too_large.
    """
    track = probed.track("video")
    assert track is not None
    width, height = _fitted(*upright(track), max_side)
    begins = _begins(path, track, probed, times)
    for moment in times:
        # FFmpeg gives the first frame that begins after a time; the one on show began before it,
        # so FFmpeg is sent to that one's very time stamp.
        shown = begins[moment]
        goal = max(shown - 0.002, 0.0)
        early = max(goal - _lead(probed), 0.0) if _lead(probed) else goal
        source = ff.media_input(path, ss=f"{early:.6f}")[str(track["index"])]
        picture = source.filter("scale", width, height, flags="area").filter("setsar", 1)
        argv = ff.command(
            picture,
            **({"ss": f"{goal - early:.6f}"} if goal > early else {}),
            **{"frames:v": 1, "q:v": 3, "pix_fmt": "yuvj420p", "vcodec": "mjpeg"},
            format="image2pipe",
        )
        data = ff.run(argv, path, timeout_s=_FRAME_TIMEOUT_S, max_bytes=8_000_000)
        if not data:
            raise ToolError(
                "corrupt", f"{path.name!r} has no picture at {moment:g} s", "ask for another time"
            )
        keep(Media("image/jpeg", data, time_locator(moment, moment), width, height))


def _begins(
    path: Path, track: dict[str, Any], probed: Probed, times: Sequence[float]
) -> dict[float, float]:
    """For each of ``times`` when the frame on show then begins, in seconds from the file's start.

    Nothing is decoded for this: the packets from the key frame before each time on are listed.
    """
    zero, lead = probed.start_s, _lead(probed)
    intervals = ",".join(
        f"{max(moment - lead, 0) + zero:.3f}%{moment + zero + 0.5:.3f}"
        for moment in sorted(set(times))
    )
    argv = ff.probe_command(
        path,
        *("-select_streams", str(track["index"]), "-read_intervals", intervals),
        *("-show_entries", "packet=pts_time,dts_time,flags"),
        form="compact=p=0",
    )
    first: float | None = None
    begins: dict[float, float] = {}
    rest = b""
    for data in ff.stream(argv, path, timeout_s=_FRAME_TIMEOUT_S):
        *lines, rest = (rest + data).split(b"\n")
        for packet in filter(None, map(_PACKET.match, lines)):
            # Packets without one, as AVI has them, are in the order in which they are shown.
            stamp = packet[1] if packet[1] != b"N/A" else packet[2]
            if stamp == b"N/A" or b"D" in packet[3]:
                continue
            begin = float(stamp) - zero
            first = begin if first is None else min(first, begin)
            for moment in times:
                if begins.get(moment, -math.inf) < begin <= moment + _CLOCK_S:
                    begins[moment] = begin
    return {moment: begins.get(moment, first or 0.0) for moment in times}


def _lead(probed: Probed) -> float:
    """By how many seconds to begin early in containers without an index, where seeking is rough."""
    return _LEAD_S if probed.info["container"] in _NO_INDEX else 0.0


def _fitted(width: int, height: int, max_side: int) -> tuple[int, int]:
    scale = min(1.0, max_side / max(width, height, 1))
    return max(2, round(width * scale)), max(2, round(height * scale))


def _probed(path: Path, kind: FileType) -> Probed:
    if kind.family not in ("audio", "video"):
        raise ToolError(
            "unsupported",
            f"{path.name!r} ({kind.mime}) is neither a sound nor a video",
            "read_image returns it as a picture" if kind.family == "image" else "try read_text",
        )
    return probe(path)


def _span(
    probed: Probed, start_s: float | None, end_s: float | None, notes: list[str]
) -> tuple[float, float]:
    """The span asked for, ended at the file's end."""
    total = probed.duration_s
    start = 0.0 if start_s is None else start_s
    if not is_time(start):
        raise ToolError("bad_argument", f"start_s is a time in seconds, not {start!r:.40}")
    end = max(total, start) if end_s is None else end_s
    check_span("start_s to end_s", (start, end))
    if start > total + _EDGE_S or (start >= total and end > start):
        raise _beyond(start, total)
    if end > total + _EDGE_S:
        notes.append(f"the file ends at {total:g} s")
    return min(start, total), min(end, total)


def _listed(probed: Probed, times: Sequence[Any]) -> list[float]:
    if not 1 <= len(times) <= MAX_FRAMES or not all(map(is_time, times)):
        raise ToolError(
            "bad_argument", f"frames lists 1 to {MAX_FRAMES} times in seconds from 0 on"
        )
    for moment in times:
        if moment > probed.duration_s + _EDGE_S:
            raise _beyond(moment, probed.duration_s)
    return [round(float(moment), 2) for moment in times]


def _spread(span: tuple[float, float], count: Any) -> list[float]:
    """The middles of ``count`` equal parts of the span; one moment if it has no length."""
    if count is None:
        count = _FRAMES
    if not isinstance(count, int) or isinstance(count, bool) or not 1 <= count <= MAX_FRAMES:
        raise ToolError(
            "bad_argument", f"frames is a number from 1 to {MAX_FRAMES}, or a list of times"
        )
    start, end = span
    times = [round(start + (i + 0.5) * (end - start) / count, 2) for i in range(count)]
    return list(dict.fromkeys(times))


def _beyond(moment: float, total: float) -> ToolError:
    return ToolError(
        "out_of_range",
        f"{moment:g} s is beyond the end: the file is {total:g} s long",
        f"choose times from 0 to {total:g}",
    )


def _said(
    path: Path,
    probed: Probed,
    span: tuple[float, float],
    transcript: Sequence[Segment],
    notes: list[str],
) -> tuple[Segment, ...]:
    """What is said in the span: from the transcript if there is one, else from subtitles."""
    if not transcript and "subtitles" in probed.info:
        try:
            transcript = subtitles.embedded(path, probed.tracks)
        except ToolError as error:  # no reason to withhold sound and pictures
            notes.append(f"its subtitles cannot be read: {error}")
    return within(transcript, span)
