"""Key frames: changes of scene and a grid, few, in order, and the same each time."""

from __future__ import annotations

import io
import itertools
from pathlib import Path

import pytest
from av_made import ffmpeg
from PIL import Image

from deskgym.tools.keyframes import MAX_KEY_FRAMES, key_frames, key_times
from deskgym.tools.media import probe
from deskgym.tools.perceive import perceive
from deskgym.tools.result import Media

COLOURS = ("red", "green", "blue")


def scenes(path: Path, lengths: tuple[float, ...], *options: str) -> Path:
    """A video of one plain colour after the other."""
    inputs: list[str] = []
    for i, seconds in enumerate(lengths):
        inputs += ["-f", "lavfi", "-i", f"color={COLOURS[i % 3]}:s=160x90:r=10:d={seconds}"]
    joined = "".join(f"[{i}:v]" for i in range(len(lengths))) + f"concat=n={len(lengths)}"
    ffmpeg(*inputs, "-filter_complex", joined, "-c:v", "libx264", "-g", "50", *options, path)
    return path


def test_scenes_and_grid_are_found(tmp_path: Path) -> None:
    path = scenes(tmp_path / "a.mp4", (3.2, 4.1, 5.0))
    notes: list[str] = []
    assert key_times(path, probe(path), notes) == [0.0, 3.2, 5.0, 7.3, 10.0]
    kept: list[Media] = []
    key_frames(path, probe(path), kept.append, notes)
    shown = []
    for media in kept:
        pixel = Image.open(io.BytesIO(media.data)).convert("RGB").getpixel((80, 45))
        assert isinstance(pixel, tuple)
        shown.append(COLOURS[pixel.index(max(pixel))])
    assert shown == ["red", "green", "green", "blue", "blue"]
    assert [media.locator for media in kept][1] == "time:3.2-3.2"
    assert notes == []


def test_what_is_long_is_looked_through_by_its_key_frames(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = scenes(tmp_path / "a.mp4", (3.2, 4.1, 5.0), "-force_key_frames", "3.2,7.3")
    monkeypatch.setattr("deskgym.tools.keyframes._WHOLE", 0.0)
    assert key_times(path, probe(path), []) == [0.0, 3.2, 5.0, 7.3, 10.0]


def test_there_are_never_too_many(tmp_path: Path) -> None:
    path = scenes(tmp_path / "a.mp4", (0.7,) * 40)
    times = key_times(path, probe(path), [])
    assert len(times) == MAX_KEY_FRAMES
    assert times == sorted(times)
    assert all(later - sooner >= 0.49 for sooner, later in itertools.pairwise(times))
    assert times == key_times(path, probe(path), [])


def test_a_long_video_has_a_coarse_grid_and_a_short_one_its_first_frame(tmp_path: Path) -> None:
    still = tmp_path / "a.mp4"
    ffmpeg("-f", "lavfi", "-i", "color=red:s=32x32:r=1:d=240", "-c:v", "libx264", still)
    assert key_times(still, probe(still), []) == [20.0 * i for i in range(12)]
    short = tmp_path / "b.mp4"
    ffmpeg("-f", "lavfi", "-i", "color=red:s=32x32:r=10:d=0.5", "-c:v", "libx264", short)
    assert key_times(short, probe(short), []) == [0.0]


def test_perceive_keeps_key_frames_in_order(tmp_path: Path) -> None:
    path = scenes(tmp_path / "a.mp4", (3.2, 4.1))
    found = perceive(path, ocr=None, asr=None)
    assert found.error is None
    assert [p.locator for p in found.pictures] == ["time:0-0", "time:3.2-3.2", "time:5-5"]
    assert found.info["duration_s"] == pytest.approx(7.3)
