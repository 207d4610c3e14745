"""`read_audio` and `read_video`: what comes back is what is there at that time."""

from __future__ import annotations

import io
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from av_made import RATE, ffmpeg, save, second_of, second_video, silence
from PIL import Image

from deskgym.tools.clips import MAX_CLIP_S
from deskgym.tools.registry import read_audio, read_image, read_video
from deskgym.tools.result import Media, Segment, ToolError

SECONDS = 12


def refused(reading: object) -> ToolError:
    assert callable(reading)
    with pytest.raises(ToolError) as caught:
        reading()
    return caught.value


def decoded(media: Media) -> np.ndarray:
    argv = ["ffmpeg", "-v", "error", "-i", "pipe:0", "-ar", str(RATE), "-f", "f32le", "pipe:1"]
    done = subprocess.run(argv, input=media.data, capture_output=True, check=True, timeout=60)
    return np.frombuffer(done.stdout, "<f4")


def seconds_shown(media: tuple[Media, ...]) -> list[int]:
    seconds = []
    for medium in media:
        picture = Image.open(io.BytesIO(medium.data))
        assert (medium.mime, picture.size) == ("image/jpeg", (medium.width, medium.height))
        seconds.append(second_of(picture.convert("L").getpixel((30, 45)), SECONDS))  # type: ignore[arg-type]
    return seconds


@pytest.fixture(scope="module")
def video(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("clips")
    return second_video(folder / "a.mp4", SECONDS, "-c:v", "libx264", "-c:a", "aac")


@pytest.fixture(scope="module")
def beeps(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """130 s of silence with a beep of 100 ms at 3 s and at 125 s."""
    samples = silence(130)
    beep = 0.5 * np.sin(2 * np.pi * 1000 * np.arange(RATE // 10) / RATE)
    for at in (3, 125):
        samples[at * RATE : at * RATE + len(beep)] = beep
    return save(tmp_path_factory.mktemp("clips") / "beeps.wav", samples)


def test_a_clip_is_the_sound_of_its_span(beeps: Path) -> None:
    [media] = read_audio(beeps, start_s=2.5, end_s=4.25).media
    assert (media.mime, media.locator) == ("audio/mpeg", "time:2.5-4.25")
    heard = decoded(media)
    assert len(heard) / RATE == pytest.approx(1.75, abs=0.15)
    loud = np.flatnonzero(np.abs(heard) > 0.2) / RATE
    assert loud[0] == pytest.approx(0.5, abs=0.1)
    assert loud[-1] == pytest.approx(0.6, abs=0.1)
    [late] = read_audio(beeps, start_s=124).media
    assert late.locator == "time:124-130"
    assert np.flatnonzero(np.abs(decoded(late)) > 0.2)[0] / RATE == pytest.approx(1.0, abs=0.1)


def test_equal_clips_have_equal_bytes(beeps: Path) -> None:
    assert (
        read_audio(beeps, start_s=2, end_s=4).media == read_audio(beeps, start_s=2, end_s=4).media
    )


def test_a_long_clip_is_cut_and_says_so(beeps: Path) -> None:
    result = read_audio(beeps)
    assert result.media[0].locator == f"time:0-{MAX_CLIP_S:g}"
    assert "go on with start_s=120" in result.notes[0]
    assert len(decoded(result.media[0])) / RATE == pytest.approx(MAX_CLIP_S, abs=0.2)
    assert result.info["duration_s"] == 130.0


def test_the_sound_of_a_video_is_heard(video: Path) -> None:
    [media] = read_audio(video, start_s=1, end_s=2).media
    spectrum = np.abs(np.fft.rfft(decoded(media)[:RATE]))
    assert int(np.argmax(spectrum)) * RATE / RATE == pytest.approx(440, abs=3)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("a.mp4", ""),
        ("a.mov", "-c copy"),
        ("a.mkv", "-c copy -an"),
        ("a.ts", "-c copy -an -f mpegts"),
        ("a.avi", "-c:v mpeg4 -q:v 2 -an"),
        ("a.webm", "-c:v libvpx -b:v 1M -an"),
    ],
)
def test_second_8_shows_second_8(tmp_path: Path, video: Path, name: str, options: str) -> None:
    path = video
    if options:
        path = tmp_path / name
        ffmpeg("-i", video, *options.split(), path)
    times = [8.05, 0.05, 7.85, 3.5, 11.5]
    result = read_video(path, frames=times)
    assert [m.locator for m in result.media] == [f"time:{t:g}-{t:g}" for t in times]
    assert seconds_shown(result.media) == [8, 0, 7, 3, 11]


def test_whole_seconds_and_the_very_end_are_exact(video: Path) -> None:
    assert seconds_shown(read_video(video, frames=[0, 1.0, 8, 8.99, 12.0]).media) == [
        0,
        1,
        8,
        8,
        11,
    ]


def test_a_frame_on_show_for_seconds_is_shown_in_all_of_them(tmp_path: Path) -> None:
    slow = second_video(tmp_path / "a.mp4", SECONDS, "-c:v", "libx264", "-an", fps="1/4")
    assert seconds_shown(read_video(slow, frames=[3.9, 4.0, 7.5, 11.0]).media) == [0, 4, 4, 8]


def test_frames_are_spread_over_the_span(video: Path) -> None:
    result = read_video(video)
    assert seconds_shown(result.media) == [1, 3, 5, 7, 9, 11]
    result = read_video(video, start_s=4, end_s=8, frames=4)
    assert [m.locator for m in result.media] == [
        f"time:{t}-{t}" for t in ("4.5", "5.5", "6.5", "7.5")
    ]
    assert seconds_shown(result.media) == [4, 5, 6, 7]
    assert seconds_shown(read_video(video, start_s=8, end_s=8).media) == [8]
    assert len(read_video(video, frames=32).media) == 32


def test_a_turned_video_is_shown_upright(tmp_path: Path, video: Path) -> None:
    path = tmp_path / "a.mov"
    ffmpeg("-i", video, "-c", "copy", "-metadata:s:v", "rotate=270", path)
    [media] = read_video(path, frames=[2.5]).media
    assert (media.width, media.height) == (90, 160)
    picture = Image.open(io.BytesIO(media.data)).convert("L")
    # Turned clockwise, the grey left half is the upper one.
    assert second_of(picture.getpixel((45, 30)), SECONDS) == 2  # type: ignore[arg-type]
    assert picture.getpixel((45, 130)) > 240  # type: ignore[operator]


def test_large_pictures_are_scaled_and_say_so(tmp_path: Path) -> None:
    path = tmp_path / "a.mp4"
    ffmpeg("-f", "lavfi", "-i", "testsrc=s=1600x1200:r=5:d=1", "-c:v", "libx264", path)
    result = read_video(path, frames=1)
    assert (result.media[0].width, result.media[0].height) == (768, 576)
    assert result.notes == ("the pictures are scaled down to 768 pixels from 1600x1200",)


def test_what_is_said_in_the_span_comes_along(video: Path, beeps: Path) -> None:
    said = tuple(Segment(f"time:{t}-{t + 2}", f"at {t}") for t in (0, 2, 4, 6))
    found = read_audio(beeps, start_s=3, end_s=4, transcript=said)
    assert found.segments == said[1:2]
    assert read_video(video, start_s=3, end_s=5, transcript=said).segments == said[1:3]
    assert read_video(video, frames=[6.5], transcript=said).segments == said[3:]


def test_subtitles_of_the_span_come_along(tmp_path: Path, video: Path) -> None:
    (tmp_path / "a.srt").write_text("1\n00:00:03,000 --> 00:00:05,000\nLook left\n")
    path = tmp_path / "a.mkv"
    ffmpeg("-i", video, "-i", tmp_path / "a.srt", "-an", "-c", "copy", path)
    assert read_video(path, frames=[4]).segments == (Segment("time:3-5", "Look left"),)
    assert read_video(path, frames=[6]).segments == ()


def test_members_of_archives_are_seen_and_heard(tmp_path: Path, video: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as packed:
        packed.write(video, "trip/clip.mp4")
    member = tmp_path / "a.zip!" / "trip/clip.mp4"
    assert seconds_shown(read_video(member, frames=[8.5]).media) == [8]
    assert read_audio(member, end_s=1).media[0].locator == "time:0-1"


def test_silent_videos_sounds_and_pictures_are_told_apart(
    tmp_path: Path, video: Path, beeps: Path
) -> None:
    mute = tmp_path / "mute.mp4"
    ffmpeg("-i", video, "-c", "copy", "-an", mute)
    assert refused(lambda: read_audio(mute)).kind == "unsupported"
    assert refused(lambda: read_video(beeps)).remedy == "read_audio returns its sound"
    Image.new("RGB", (4, 4)).save(tmp_path / "a.png")
    error = refused(lambda: read_video(tmp_path / "a.png"))
    assert (error.kind, error.remedy) == ("unsupported", "read_image returns it as a picture")
    assert refused(lambda: read_image(beeps)).remedy == "read_audio returns its sound"


@pytest.mark.parametrize(
    ("args", "kind"),
    [
        ({"start_s": 200}, "out_of_range"),
        ({"start_s": -1}, "bad_argument"),
        ({"start_s": "2"}, "bad_argument"),
        ({"start_s": 5, "end_s": 4}, "bad_argument"),
        ({"start_s": float("nan")}, "bad_argument"),
        ({"start_s": 5, "end_s": float("inf")}, "bad_argument"),
    ],
)
def test_impossible_spans_are_refused(
    video: Path, beeps: Path, args: dict[str, Any], kind: str
) -> None:
    assert refused(lambda: read_audio(beeps, **args)).kind == kind
    assert refused(lambda: read_video(video, **args)).kind == kind


@pytest.mark.parametrize(
    ("frames", "kind"),
    [
        (0, "bad_argument"),
        (33, "bad_argument"),
        (True, "bad_argument"),
        ([], "bad_argument"),
        ([1.0] * 33, "bad_argument"),
        ([1, "2"], "bad_argument"),
        ([1, 13], "out_of_range"),
    ],
)
def test_impossible_frames_are_refused(video: Path, frames: list[float], kind: str) -> None:
    assert refused(lambda: read_video(video, frames=frames)).kind == kind


def test_a_clip_of_a_moment_is_refused_and_a_long_end_is_noted(beeps: Path) -> None:
    assert refused(lambda: read_audio(beeps, start_s=4, end_s=4)).kind == "bad_argument"
    result = read_audio(beeps, start_s=120, end_s=500)
    assert (result.media[0].locator, result.notes) == ("time:120-130", ("the file ends at 130 s",))
