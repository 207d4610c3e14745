"""Sounds and videos for tests, made by ffmpeg and espeak-ng, in which every second is known."""

from __future__ import annotations

import os
import shutil
import subprocess
import wave
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

RATE = 16_000
FPS = 10
_ROOT = Path(__file__).parents[2]


def ffmpeg(*arguments: str | Path) -> None:
    """Run ffmpeg, overwriting; a failure of it fails the test."""
    argv = ["ffmpeg", "-nostdin", "-v", "error", "-y", *map(str, arguments)]
    done = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr


def second_video(path: Path, seconds: int, *options: str, fps: str = str(FPS)) -> Path:
    """A video of 160x90 whose grey tells the second (see `second_of`), with a tone.

    Its left half is that grey, its right half white: so that a turn shows.
    """
    grey = f"if(lt(X,80),floor(T+0.001)*{_step(seconds)},255)"
    ffmpeg(
        *("-f", "lavfi", "-i", f"color=black:s=160x90:r={fps}:d={seconds}"),
        *("-f", "lavfi", "-i", f"sine=440:d={seconds}"),
        *("-vf", f"format=rgb24,geq=r='{grey}':g='{grey}':b='{grey}',format=yuv420p", "-g", "100"),
        *options,
        path,
    )
    return path


def second_of(level: int, seconds: int) -> int:
    """The second that a grey of `second_video` (0 to 255) stands for."""
    return round(level / _step(seconds))


def _step(seconds: int) -> int:
    return 240 // seconds


def save(path: Path, samples: np.ndarray) -> Path:
    """Samples in -1 to 1 as a WAV at `RATE`, mono."""
    with wave.open(str(path), "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(RATE)
        sound.writeframes((np.clip(samples, -1, 1) * 32_000).astype("<i2").tobytes())
    return path


def spoken(text: str, folder: Path) -> np.ndarray:
    """``text`` as espeak-ng says it, at `RATE`, without silence around it."""
    if shutil.which("espeak-ng") is None:
        pytest.skip("espeak-ng is not installed, so NO SPEECH WAS TESTED")
    raw, resampled = folder / "raw.wav", folder / "resampled.wav"
    subprocess.run(
        ["espeak-ng", "-v", "en-gb", "-s", "150", "-w", str(raw), "--", text], check=True
    )
    ffmpeg("-i", raw, "-ar", str(RATE), "-ac", "1", resampled)
    with wave.open(str(resampled)) as sound:
        data = np.frombuffer(sound.readframes(sound.getnframes()), "<i2") / 32_768
    loud = np.flatnonzero(np.abs(data) > 0.01)
    return np.asarray(data[loud[0] : loud[-1]])


def silence(seconds: float) -> np.ndarray:
    return np.zeros(round(seconds * RATE))


def shared(relative: str) -> Path | None:
    """A file of the shared test data, if it is there."""
    folder = Path(os.environ.get("DESKGYM_SHARED", _ROOT.parent / "shared"))
    found = folder / relative
    return found if found.exists() else None


def word_errors(said: str, heard: str) -> float:
    """The word error rate: the fewest insertions, deletions and swaps for each word said."""
    a, b = _words(said), _words(heard)
    row = list(range(len(b) + 1))
    for i, word in enumerate(a, 1):
        last, row[0] = row[0], i
        for j, other in enumerate(b, 1):
            last, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, last + (word != other))
    return row[-1] / len(a)


def _words(text: str) -> Sequence[str]:
    return "".join(c if c.isalnum() or c == "'" else " " for c in text.lower()).split()
