"""Speech and video: espeak-ng speaks, FFmpeg encodes, and every span of time is known."""

from __future__ import annotations

import math
import shutil
import subprocess
import tempfile
import wave
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from PIL import Image, ImageDraw

from deskgym.tasks.demo.make.drawing import contrast, draw_centred
from deskgym.tasks.demo.make.things import DeskError, Mark, Scene
from deskgym.tasks.locators import TimeSpan

RATE = 22_050
"""Samples a second, as espeak-ng makes them: 16 bits, one channel."""

_GAP = 0.35
_LEAD = 0.3
_FRAMES = 10
_SIZE = (640, 360)

_AUDIO = {
    "wav": ["-c:a", "pcm_s16le"],
    "mp3": ["-c:a", "libmp3lame", "-b:a", "40k"],
    "m4a": ["-c:a", "aac", "-b:a", "40k"],
    "aac": ["-c:a", "aac", "-b:a", "40k"],
    "ogg": ["-c:a", "libvorbis", "-q:a", "1"],
    "flac": ["-c:a", "flac"],
    "opus": ["-c:a", "libopus", "-b:a", "24k", "-ar", "24000"],
}
_H264 = ["-c:v", "libx264", "-preset", "medium", "-crf", "26", "-pix_fmt", "yuv420p"]
_VIDEO = {
    "mp4": [*_H264, *_AUDIO["m4a"]],
    "mov": [*_H264, *_AUDIO["m4a"]],
    "mkv": [*_H264, *_AUDIO["m4a"]],
    "avi": ["-c:v", "mpeg4", "-q:v", "4", *_AUDIO["mp3"]],
    "webm": [
        *("-c:v", "libvpx", "-crf", "12", "-b:v", "500k", "-deadline", "good", "-cpu-used", "3"),
        *("-pix_fmt", "yuv420p", *_AUDIO["opus"]),
    ],
}


@dataclass(frozen=True)
class _Track:
    """Samples as bytes, two a sample."""

    data: bytes

    @property
    def seconds(self) -> float:
        return len(self.data) / 2 / RATE


def _silence(seconds: float) -> bytes:
    return bytes(2 * round(seconds * RATE))


def _program(name: str, package: str) -> str:
    found = shutil.which(name)
    if found is None:
        raise DeskError(f"{name} is not installed; run: apt-get install {package}")
    return found


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise DeskError(f"{Path(command[0]).name} failed: {done.stderr.strip()[-600:]}")


def _spoken(text: str, voice: str, speed: int, folder: Path) -> _Track:
    target = folder / "spoken.wav"
    speaker = _program("espeak-ng", "espeak-ng")
    _run([speaker, "-v", voice, "-s", str(speed), "-w", str(target), "--", text])
    with wave.open(str(target)) as sound:
        if (sound.getframerate(), sound.getsampwidth(), sound.getnchannels()) != (RATE, 2, 1):
            raise DeskError(f"espeak-ng's voice {voice!r} is not {RATE} Hz mono; take another")
        return _Track(sound.readframes(sound.getnframes()))


def _save_wave(target: Path, data: bytes) -> None:
    with wave.open(str(target), "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(RATE)
        sound.writeframes(data)


def _encode(inputs: list[str], outputs: list[str], target: Path) -> bytes:
    """What FFmpeg makes of ``inputs``, with no trace of when, where and by which version."""
    exact = ["-map_metadata", "-1", "-fflags", "+bitexact", "-flags", "+bitexact", "-threads", "1"]
    command = [_program("ffmpeg", "ffmpeg"), "-nostdin", "-v", "error", "-y", *inputs]
    _run([*command, *outputs, *exact, str(target)])
    return target.read_bytes()


def _codec(path: str, known: dict[str, list[str]], what: str) -> tuple[str, list[str]]:
    suffix = PurePosixPath(path).suffix.lstrip(".").casefold()
    if suffix not in known:
        raise DeskError(f"{path}: {what} is written as one of {', '.join(known)}")
    return suffix, known[suffix]


def _span(start: float, end: float) -> TimeSpan:
    return TimeSpan(start_s=round(start, 1), end_s=round(end, 1))


def speech_bytes(
    path: str, sentences: list[str], voice: str, speed: int
) -> tuple[bytes, list[Mark]]:
    """``sentences`` spoken one after the other, and when each is heard."""
    suffix, options = _codec(path, _AUDIO, "speech")
    data = _silence(_LEAD)
    marks = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for sentence in sentences:
            start = _Track(data).seconds
            data += _spoken(sentence, voice, speed, folder).data
            marks.append(Mark(sentence, _span(start, _Track(data).seconds)))
            data += _silence(_GAP)
        _save_wave(folder / "in.wav", data)
        target = folder / f"out.{suffix}"
        return _encode(["-i", str(folder / "in.wav")], options, target), marks


def video_bytes(path: str, scenes: list[Scene], voice: str, speed: int) -> tuple[bytes, list[Mark]]:
    """``scenes`` one after the other with what is said in each, and when each is to be seen."""
    suffix, options = _codec(path, _VIDEO, "video")
    if not scenes:
        raise DeskError(f"{path}: a video needs at least one scene")
    marks, sound, inputs, clock = [], b"", [], 0.0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for number, scene in enumerate(scenes):
            said = _spoken(scene.say, voice, speed, folder) if scene.say else _Track(b"")
            needed = max(scene.seconds, said.seconds + 2 * _LEAD if scene.say else 0.0)
            seconds = math.ceil(needed * _FRAMES) / _FRAMES  # whole frames
            shown = _span(clock, clock + seconds)
            marks += [Mark(line, shown) for line in scene.lines]
            if scene.say:
                start = clock + _LEAD
                marks.append(Mark(scene.say, _span(start, start + said.seconds)))
            track = _silence(_LEAD) + said.data
            sound += (track + _silence(seconds))[: 2 * round(seconds * RATE)]
            still = folder / f"{number}.png"
            _still(scene).save(still)
            inputs += ["-loop", "1", "-framerate", str(_FRAMES), "-t", f"{seconds:.2f}"]
            inputs += ["-i", str(still)]
            clock += seconds
        joined = "".join(f"[{n}:v]" for n in range(len(scenes)))
        outputs = ["-filter_complex", f"{joined}concat=n={len(scenes)}:v=1:a=0[v]", "-map", "[v]"]
        if any(scene.say for scene in scenes):
            _save_wave(folder / "in.wav", sound)
            inputs += ["-i", str(folder / "in.wav")]
            outputs += ["-map", f"{len(scenes)}:a"]
        return _encode(inputs, [*outputs, *options], folder / f"out.{suffix}"), marks


def _still(scene: Scene) -> Image.Image:
    image = Image.new("RGB", _SIZE, scene.colour)
    draw_centred(
        ImageDraw.Draw(image),
        (30, 20, _SIZE[0] - 30, _SIZE[1] - 20),
        scene.lines,
        contrast(scene.colour),
        largest=44,
    )
    return image
