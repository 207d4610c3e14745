"""What a sound or a video is: length, tracks, chapters, tags, place and time, by ffprobe."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from deskgym.tools import ff, subtitles
from deskgym.tools.cut import Request, cut_times
from deskgym.tools.guards import file_size
from deskgym.tools.result import ToolError, ToolResult
from deskgym.tools.sniff import FileType

_PROBE_S = 20.0
_MEASURE_S = 40.0
_LONGEST_S = 10_000_000.0
_MAX_LISTED = 200
_MAX_TAG = 2_000
# Containers whose length is a guess from the bit rate, or whose header need not be true.
_MEASURED_UP_TO = 512 * 1024 * 1024  # bytes; beyond, a header is believed rather than checked
_UNSURE = {"mp3", "aac", "mpegts", "mpeg", "mpegvideo", "flv", "amr", "matroska,webm", "avi"}
_LOCKED = {"drms", "drmi", "enca", "encv"}
_NO_TAGS = {
    "major_brand", "minor_version", "compatible_brands", "encoder", "creation_time", "language",
    "handler_name", "vendor_id", "duration",
}  # fmt: skip
_PLACE_TAGS = ("com.apple.quicktime.location.iso6709", "location", "location-eng", "xyz")
_PLACE = re.compile(r"([+-]\d{2}(?:\.\d+)?)([+-]\d{3}(?:\.\d+)?)")
_TIME_TAGS = ("com.apple.quicktime.creationdate", "creation_time", "date_recorded")


@dataclass(frozen=True)
class Probed:
    """What `probe` found. ``start_s`` is the time stamp at which the file's second 0 lies."""

    duration_s: float
    tracks: tuple[dict[str, Any], ...]
    info: dict[str, Any]
    notes: tuple[str, ...] = ()
    start_s: float = 0.0

    def track(self, kind: str) -> dict[str, Any] | None:
        """The first track of a kind (audio, video), or None."""
        return next((track for track in self.tracks if track["type"] == kind), None)


def read(path: Path, kind: FileType, request: Request) -> ToolResult:
    """Info, and the embedded subtitles as segments ``time:a-b``.

    Raises:
        ToolError: corrupt, encrypted, timeout, out_of_memory, out_of_range, bad_argument.
    """
    request.allow("span_s", "a sound or video")
    probed = probe(path)
    notes = list(probed.notes)
    if "subtitles" not in probed.info:
        notes.append(
            "there is no transcript of its speech here; that needs the file to be prepared "
            "(deskgym prepare). read_audio returns its sound"
            + (", read_video pictures of it" if probed.track("video") else "")
        )
        return ToolResult(info=probed.info, notes=tuple(notes))
    lines = subtitles.embedded(path, probed.tracks)
    segments, following = cut_times(lines, request, notes)
    return ToolResult(segments, (), probed.info, tuple(notes), following)


def probe(path: Path) -> Probed:
    """What the file at ``path`` is.

    ``info`` has ``duration_s`` (and the same as ``duration``), ``container``, ``tracks``,
    ``chapters``, ``tags``, ``created``, ``latitude``, ``longitude``, and for a video ``width``,
    ``height`` (upright) and ``fps``: what there is of them. ``modality`` is there for what has
    no moving pictures, which is a sound though its container may be a video's.

    Raises:
        ToolError: corrupt, encrypted, timeout, out_of_memory; as `file_size`.
    """
    size = file_size(path)
    argv = ff.probe_command(path, "-show_format", "-show_streams", "-show_chapters")
    found = json.loads(ff.run(argv, path, timeout_s=_PROBE_S, max_bytes=16_000_000))
    container = found.get("format", {})
    streams = found.get("streams", [])[:_MAX_LISTED]
    if any(stream.get("codec_tag_string") in _LOCKED for stream in streams):
        raise ToolError(
            "encrypted", f"{path.name!r} is locked by copy protection", "try another file"
        )
    tracks = tuple(_track(stream) for stream in streams if "codec_type" in stream)
    if not any(track["type"] in ("audio", "video") for track in tracks):
        raise ToolError("corrupt", f"{path.name!r} holds neither sound nor moving pictures")
    notes: list[str] = []
    duration = _duration(path, container, streams, size, notes)
    info: dict[str, Any] = {
        "duration_s": duration,
        "duration": duration,
        "container": str(container.get("format_name", "")),
        "tracks": [dict(track) for track in tracks],
        **_picture(tracks),
        **_labels(container, streams),
    }
    if not any(track["type"] == "video" for track in tracks):
        info["modality"] = "audio"  # whatever the container is mostly used for
    if chapters := [_chapter(c) for c in found.get("chapters", [])[:_MAX_LISTED]]:
        info["chapters"] = chapters
    if any(track["type"] == "subtitle" and track["codec"] in subtitles.TEXT for track in tracks):
        info["subtitles"] = True
    start = max(_number(container.get("start_time")) or 0.0, 0.0)
    return Probed(duration, tracks, info, tuple(notes), start)


def _duration(
    path: Path, container: dict[str, Any], streams: list[Any], size: int, notes: list[str]
) -> float:
    """The length in seconds; measured where the header's word is missing or hard to believe."""
    said = _number(container.get("duration"))
    listed = _listed(container, streams)
    if said is not None and listed > said + max(0.02 * said, 0.2):
        notes.append(
            f"its header promises {listed:g} s, but there are only {said:g} s; the rest is missing"
        )
    rate = sum(_number(stream.get("bit_rate")) or 0.0 for stream in streams)
    believable = (
        said is not None
        and 0 < said < _LONGEST_S
        and (container.get("format_name") not in _UNSURE or size > _MEASURED_UP_TO)
        and rate * said / 8 <= 1.05 * size + 10_000  # else its end is missing
        and (said < 60 or size >= 25 * said)  # 200 bit/s
    )
    if believable:
        assert said is not None
        return round(said, 3)
    measured = _measured(path)
    if said is not None and abs(measured - said) <= max(0.02 * said, 0.2):
        return round(said, 3)
    if (
        said is not None
        and 0 < measured < said
        and container.get("format_name")
        not in (
            "mp3",
            "aac",
        )
    ):
        notes.append(
            f"its header promises {said:g} s, but there are only {measured:g} s; "
            "the rest is missing"
        )
    if measured <= 0:
        raise ToolError("corrupt", f"{path.name!r} has a header, but no sound or picture")
    return measured


def _listed(container: dict[str, Any], streams: list[Any]) -> float:
    """How long the frames last that the header of an AVI counts; 0 for other files.

    Where such a file is cut off, its duration has been reckoned from what is left of it.
    """
    if container.get("format_name") != "avi":
        return 0.0
    pictures = [stream for stream in streams if stream.get("codec_type") == "video"]
    lengths = [
        (_number(stream.get("nb_frames")) or 0.0) / rate
        for stream in pictures
        if (rate := _ratio(stream.get("r_frame_rate")))
    ]
    return round(max(lengths, default=0.0), 3)


def _measured(path: Path) -> float:
    """The time at which the last packet ends, from reading all of them without decoding."""
    source = ff.media_input(path)
    argv = ff.command(
        source,
        *("-map", "0:v:0?", "-map", "0:a:0?", "-progress", "pipe:1"),
        codec="copy",
        format="null",
    )
    # The null format writes nothing, so that the standard output holds the progress alone.
    tail = b""
    for chunk in ff.stream(argv, path, timeout_s=_MEASURE_S):
        tail = (tail + chunk)[-4_000:]
    times = re.findall(rb"out_time_us=(\d+)", tail)
    return round(int(times[-1]) / 1e6, 3) if times else 0.0


def _track(stream: dict[str, Any]) -> dict[str, Any]:
    tags, disposition = stream.get("tags", {}), stream.get("disposition", {})
    kind = stream["codec_type"]
    track: dict[str, Any] = {
        "index": stream.get("index", 0),
        "type": "cover" if disposition.get("attached_pic") else kind,
        "codec": stream.get("codec_name", "unknown"),
    }
    language = tags.get("language", "und")
    if language != "und":
        track["language"] = language
    if title := tags.get("title"):
        track["title"] = str(title)[:_MAX_TAG]
    if kind == "audio":
        track["channels"] = stream.get("channels", 0)
        track["sample_rate"] = int(_number(stream.get("sample_rate")) or 0)
    if kind == "video":
        track["width"], track["height"] = stream.get("width", 0), stream.get("height", 0)
        if fps := _ratio(stream.get("avg_frame_rate")) or _ratio(stream.get("r_frame_rate")):
            track["fps"] = round(fps, 3)
        if rotation := _rotation(stream):
            track["rotation"] = rotation
        aspect = _ratio(str(stream.get("sample_aspect_ratio", "")).replace(":", "/"))
        if aspect and not math.isclose(aspect, 1.0):
            track["pixel_aspect"] = round(aspect, 4)
    return track


def _rotation(stream: dict[str, Any]) -> int:
    """By how many degrees clockwise the picture is turned to stand upright: 0, 90, 180, 270."""
    for side in stream.get("side_data_list", []):
        if (turned := _number(side.get("rotation"))) is not None:
            return round(-turned / 90) * 90 % 360
    return round((_number(stream.get("tags", {}).get("rotate")) or 0.0) / 90) * 90 % 360


def upright(track: dict[str, Any]) -> tuple[int, int]:
    """Width and height of a video track as it is to be shown."""
    width, height = int(track["width"] * track.get("pixel_aspect", 1.0) + 0.5), track["height"]
    return (height, width) if track.get("rotation", 0) % 180 else (width, height)


def _picture(tracks: tuple[dict[str, Any], ...]) -> dict[str, Any]:
    for track in tracks:
        if track["type"] == "video":
            width, height = upright(track)
            fps = {"fps": track["fps"]} if "fps" in track else {}
            return {"width": width, "height": height, **fps}
    return {}


def _labels(container: dict[str, Any], streams: list[Any]) -> dict[str, Any]:
    """Tags, time and place. Ogg keeps the tags at its streams, the others at the file."""
    tags: dict[str, str] = {}
    sources = [*[s.get("tags", {}) for s in streams if s.get("codec_type") == "audio"]]
    if not str(container.get("format_name", "")).startswith("ogg"):
        sources = []
    for source in (*sources, container.get("tags", {})):
        tags.update({str(k).lower(): str(v)[:_MAX_TAG] for k, v in source.items()})
    labels: dict[str, Any] = {}
    for name in _TIME_TAGS:
        if created := tags.get(name):
            labels["created"] = created.replace(".000000Z", "Z")
            break
    for name in _PLACE_TAGS:
        if place := _PLACE.match(tags.get(name, "")):
            labels["latitude"], labels["longitude"] = float(place[1]), float(place[2])
            break
    used = {*_NO_TAGS, *_TIME_TAGS, *(_PLACE_TAGS if "latitude" in labels else ())}
    if rest := {name: tags[name] for name in sorted(tags) if name not in used and tags[name]}:
        labels["tags"] = dict(list(rest.items())[:_MAX_LISTED])
    return labels


def _chapter(chapter: dict[str, Any]) -> dict[str, Any]:
    start, end = (round(_number(chapter.get(k)) or 0.0, 3) for k in ("start_time", "end_time"))
    title = str(chapter.get("tags", {}).get("title", ""))[:_MAX_TAG]
    return {"start_s": start, "end_s": end, "title": title}


def _number(value: Any) -> float | None:
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if math.isfinite(number) else None


def _ratio(value: Any) -> float | None:
    try:
        return float(Fraction(str(value)))
    except (ValueError, ZeroDivisionError, OverflowError):
        return None
