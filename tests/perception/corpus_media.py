"""Sounds and videos of the corpus, by ffmpeg and espeak-ng."""

from __future__ import annotations

import subprocess
import wave
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from av_made import ffmpeg, second_video
from corpus_case import Case, Maker

SAID = "The meeting of the garden club is on Monday morning. Please bring the keys and some water."
_TONE = ("-f", "lavfi", "-i", "sine=440:d=3")
_TAGS = ("-metadata", "title=Waltz", "-metadata", "artist=Zoë")
_SRT = "1\n00:00:00,500 --> 00:00:01,500\nMind the gap\n\n2\n00:00:02,000 --> 00:00:03,000\n你好\n"
_CHAPTERS = (
    ";FFMETADATA1\ntitle=Trip\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=2000\ntitle=Out\n"
    "[CHAPTER]\nTIMEBASE=1/1000\nSTART=2000\nEND=4000\ntitle=Home\n"
)


def tone(*options: str) -> Maker:
    """Three seconds of a tone, made by ffmpeg with ``options``."""

    def make(path: Path) -> None:
        ffmpeg(*_TONE, *options, path)

    return make


def _by_wave(path: Path) -> None:
    """16 bits, two channels, by Python: a tone for a second, then silence for one."""
    t = np.arange(44_100) / 44_100
    left = np.concatenate([np.sin(2 * np.pi * 440 * t), np.zeros(44_100)])
    with wave.open(str(path), "wb") as sound:
        sound.setnchannels(2)
        sound.setsampwidth(2)
        sound.setframerate(44_100)
        sound.writeframes((np.repeat(left, 2) * 20_000).astype("<i2").tobytes())


def _spoken(path: Path) -> None:
    raw = path.with_name("said.wav")
    subprocess.run(
        ["espeak-ng", "-v", "en-gb", "-s", "150", "-w", str(raw), "--", SAID],
        check=True,
        timeout=60,
    )
    ffmpeg("-i", raw, "-b:a", "64k", path)
    raw.unlink()


def _video(*options: str) -> Maker:
    """Four seconds, each of another grey on the left (see `second_of`)."""

    def make(path: Path) -> None:
        second_video(path, 4, *options)

    return make


def _with(side: dict[str, str], arguments: Callable[[Path, list[Path]], list[Any]]) -> Maker:
    """A video remuxed with ``side`` files (suffix to content)."""

    def make(path: Path) -> None:
        plain = second_video(path.with_name(f"{path.stem}-plain.mp4"), 4, "-c:v", "libx264")
        beside = []
        for suffix, content in side.items():
            beside.append(path.with_name(f"{path.stem}-side.{suffix}"))
            beside[-1].write_text(content, encoding="utf-8")
        ffmpeg(*arguments(plain, beside), path)
        for extra in (plain, *beside):
            extra.unlink()

    return make


_subtitled_mkv = _with(
    {"srt": _SRT, "meta": _CHAPTERS},
    lambda plain, beside: [
        "-i", plain, "-i", beside[0], "-f", "ffmetadata", "-i", beside[1], "-map", "0", "-map", "1",
        "-map_metadata", "2", "-c", "copy", "-c:s", "srt",
    ],
)  # fmt: skip
_subtitled_mp4 = _with(
    {"srt": _SRT},
    lambda plain, beside: [
        "-i", plain, "-i", beside[0], "-map", "0", "-map", "1", "-c", "copy", "-c:s", "mov_text",
    ],
)  # fmt: skip
_phone_mov = _with(
    {},
    lambda plain, _: [
        "-i", plain, "-c", "copy", "-movflags", "use_metadata_tags",
        "-metadata", "com.apple.quicktime.location.ISO6709=-33.8568+151.2153+012.000/",
        "-metadata", "com.apple.quicktime.creationdate=2024-05-04T18:30:00+1000",
        "-metadata:s:v", "rotate=270",
    ],
)  # fmt: skip


def _sound(mime: str, **more: Any) -> dict[str, Any]:
    return {"mime": f"audio/{mime}", "modality": "audio", "duration_s": 3.0, **more}


def _moving(mime: str, **more: Any) -> dict[str, Any]:
    size = {"width": 160, "height": 90}
    return {"mime": f"video/{mime}", "modality": "video", "duration_s": 4.0, **size, **more}


_TAGGED = {"tags": {"artist": "Zoë", "title": "Waltz"}}
_SAYS = ("Mind the gap", "你好")
_FF = ("ffmpeg",)
_SPOKEN = ("ffmpeg", "espeak-ng")

CASES = [
    Case("mp3", "waltz.mp3", tone(*_TAGS, "-id3v2_version", "3"), info=_sound("mpeg", **_TAGGED),
         by=_FF),
    Case("mp3", "bare.mp3", tone("-id3v2_version", "0", "-write_xing", "0"), info=_sound("mpeg"),
         by=_FF),
    Case("mp3", "spoken.mp3", _spoken, info={"mime": "audio/mpeg"}, by=_SPOKEN),
    Case("m4a", "waltz.m4a", tone(*_TAGS), info=_sound("mp4", **_TAGGED), by=_FF),
    Case("m4a", "recorder.m4a", tone("-f", "mp4", "-brand", "mp42"), info=_sound("mp4"), by=_FF),
    Case("aac", "stream.aac", tone(), info=_sound("aac"), by=_FF),
    Case("aac", "low.aac", tone("-ar", "22050", "-ac", "2", "-b:a", "48k"), info=_sound("aac"),
         by=_FF),
    Case("wav", "stereo.wav", _by_wave, info=_sound("wav", duration_s=2.0)),
    Case("wav", "float.wav", tone("-c:a", "pcm_f32le"), info=_sound("wav"), by=_FF),
    Case("flac", "waltz.flac", tone(*_TAGS), info=_sound("flac", **_TAGGED), by=_FF),
    Case("flac", "deep.flac", tone("-sample_fmt", "s32", "-ar", "96000"), info=_sound("flac"),
         by=_FF),
    Case("ogg", "vorbis.ogg", tone("-c:a", "libvorbis", *_TAGS), info=_sound("ogg", **_TAGGED),
         by=_FF),
    Case("ogg", "flac.oga", tone("-c:a", "flac", "-f", "ogg"), info=_sound("ogg"), by=_FF),
    Case("opus", "waltz.opus", tone("-c:a", "libopus", *_TAGS), info=_sound("ogg", **_TAGGED),
         by=_FF),
    Case("opus", "voice.opus", tone("-c:a", "libopus", "-b:a", "12k", "-application", "voip"),
         info=_sound("ogg"), by=_FF),
    Case("mp4", "gap.mp4", _subtitled_mp4, _SAYS, info=_moving("mp4", subtitles=True), by=_FF),
    Case("mp4", "part4.mp4", _video("-c:v", "mpeg4", "-q:v", "2", "-metadata", "title=Waltz"),
         info=_moving("mp4", tags={"title": "Waltz"}), by=_FF),
    Case("mkv", "trip.mkv", _subtitled_mkv, _SAYS, by=_FF, info=_moving(
        "x-matroska", subtitles=True, chapters=[
            {"start_s": 0.0, "end_s": 2.0, "title": "Out"},
            {"start_s": 2.0, "end_s": 4.0, "title": "Home"}])),
    Case("mkv", "vp9.mkv", _video("-c:v", "libvpx-vp9", "-crf", "30", "-deadline", "realtime",
                                  "-c:a", "libopus"), info=_moving("x-matroska"), by=_FF),
    Case("mov", "phone.mov", _phone_mov, by=_FF, info=_moving(
        "quicktime", latitude=-33.8568, longitude=151.2153, created="2024-05-04T18:30:00+1000",
        width=90, height=160)),
    Case("mov", "camera.mov", _video("-c:v", "mjpeg", "-q:v", "2", "-c:a", "pcm_s16le"),
         info=_moving("quicktime"), by=_FF),
    Case("avi", "old.avi", _video("-c:v", "mpeg4", "-q:v", "2", "-c:a", "mp3"),
         info=_moving("x-msvideo"), by=_FF),
    Case("avi", "camera.avi", _video("-c:v", "mjpeg", "-q:v", "2", "-c:a", "pcm_u8"),
         info=_moving("x-msvideo"), by=_FF),
    Case("webm", "vp8.webm", _video("-c:v", "libvpx", "-b:v", "1M", "-deadline", "realtime",
                                    "-c:a", "libvorbis"), info=_moving("webm"), by=_FF),
    Case("webm", "vp9.webm", _video("-c:v", "libvpx-vp9", "-crf", "30", "-deadline", "realtime",
                                    "-c:a", "libopus"), info=_moving("webm"), by=_FF),
]  # fmt: skip
