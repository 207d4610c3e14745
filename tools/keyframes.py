"""The moments of a video worth a look: where the scene changes, and a regular grid."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path

from deskgym.tools import ff
from deskgym.tools.clips import frames_at
from deskgym.tools.media import Probed
from deskgym.tools.result import Media, ToolError

MAX_KEY_FRAMES = 24
_GRID_S = 5.0
_GRID_PARTS = 12
_SCENE = 0.3
_APART_S = 0.5
_WHOLE = 6e9  # pixels to decode: about ten minutes of 640x360; beyond, key frames alone are
_TIMEOUT_S = 240.0
_KEY_SCENE = 0.2
_CHANGE = re.compile(rb"pts_time:([0-9.]+)\s+lavfi\.scene_score=([0-9.]+)")
_DIFFERENCE = re.compile(
    rb"pts_time:([0-9.]+)\n(?:lavfi\.signalstats\.(?!YDIF)\w+=\S+\n)*"
    + b"".join(rb"lavfi\.signalstats\.%sDIF=([0-9.]+)\n" % plane for plane in (b"Y", b"U", b"V"))
)


def key_frames(path: Path, probed: Probed, keep: Callable[[Media], None], notes: list[str]) -> None:
    """Hand ``keep`` at most `MAX_KEY_FRAMES` pictures of the video, by time.

    Raises:
        ToolError: corrupt, timeout, out_of_memory, too_large.
    """
    frames_at(path, probed, key_times(path, probed, notes), keep)


def key_times(path: Path, probed: Probed, notes: list[str]) -> list[float]:
    """The grid's times and those of the strongest scene changes, ascending.

    Raises:
        ToolError: as `key_frames`, but a video too long to look through gives the grid alone.
    """
    step = max(_GRID_S, probed.duration_s / _GRID_PARTS)
    chosen = [round(i * step, 2) for i in range(max(1, math.ceil(probed.duration_s / step)))]
    chosen = chosen[:_GRID_PARTS]
    try:
        changes = _scene_changes(path, probed)
    except ToolError as error:
        if error.kind != "timeout":
            raise
        notes.append("too much to look through for changes of scene: key frames are regular")
        changes = []
    for _, moment in sorted(changes, key=lambda change: (-change[0], change[1])):
        if len(chosen) < MAX_KEY_FRAMES and all(abs(moment - t) >= _APART_S for t in chosen):
            chosen.append(moment)
    return sorted(chosen)


def _scene_changes(path: Path, probed: Probed) -> list[tuple[float, float]]:
    """Score and time of each change of scene."""
    track = probed.track("video")
    assert track is not None
    pixels = track["width"] * track["height"] * track.get("fps", 30.0) * probed.duration_s
    if pixels <= _WHOLE:
        source = ff.media_input(path)[str(track["index"])]
        # In colour, or red after green of the same brightness were no change.
        small = source.filter("scale", 160, 90, flags="area").filter("format", "rgb24")
        marked, pattern = small.filter("select", f"gt(scene,{_SCENE})"), _CHANGE
    else:
        # An encoder begins a new scene with a key frame, so those alone do for what is long. Each
        # may be a change then, which the filter above takes for a restless scene.
        source = ff.media_input(path, skip_frame="nokey")[str(track["index"])]
        small = source.filter("scale", 160, 90, flags="area").filter("format", "yuv444p")
        marked, pattern = small.filter("signalstats"), _DIFFERENCE
    printed = marked.filter("metadata", "print", file="pipe:1")
    argv = ff.command(printed, format="null", vsync="passthrough")
    found = ff.run(argv, path, timeout_s=_TIMEOUT_S, max_bytes=64_000_000)
    changes = []
    for mark in pattern.finditer(found):
        score = float(mark[2]) if pattern is _CHANGE else sum(map(float, mark.groups()[1:])) / 300
        # Upwards, so that the time named is never before the new scene's first frame.
        moment = math.ceil(float(mark[1]) * 100 - 0.01) / 100
        if score > (_SCENE if pattern is _CHANGE else _KEY_SCENE) and moment < probed.duration_s:
            changes.append((score, moment))
    return changes
