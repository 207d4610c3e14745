"""What pictures, clips and sounds say, told by making candidates anew and comparing.

The verifier has neither a reader of pictures nor of speech. It is told, of a sentence or sign, all
but one word or number, and several values that might stand in the gap, the right one somewhere
among them. It draws or speaks each of them with the fonts and voices of the kit and looks where in
the file the result lies best: analysis by synthesis. The value whose picture or sound fits best is
what the file says, if it fits well and clearly better than the next.

Likeness is the normalised cross-correlation (1: the same up to brightness or loudness).
"""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw

from deskgym.tasks.demo.make.drawing import STYLES, draw_centred
from deskgym.tasks.demo.make.fonts import pixel_font
from deskgym.tasks.demo.make.things import DeskError
from deskgym.tasks.locators import AnyLocator, Region, TimeSpan

Floats = npt.NDArray[np.float64]

ALIKE: Final = 0.85
"""How well the best candidate must fit."""
AHEAD: Final = 0.004
"""By how much it must fit better than the next one."""
RATE: Final = 22_050
VOICES: Final = ("en-gb", "en-gb+f2", "en-gb+f3", "en-gb+f4", "en-gb+m3", "en-gb+m5")
SPEEDS: Final = {".mp3": 155, ".mp4": 160}
_SCALE: Final = 0.5
# The spaces in which signs and scenes are lettered: width, height, and the largest type.
_SPACES: Final = {".jpg": (547, 146, 40), ".mp4": (580, 320, 44)}
_FRAMES_A_SECOND: Final = 1


@dataclass(frozen=True)
class Fit:
    """How well a candidate fits, and where."""

    likeness: float
    place: AnyLocator


class Undecided(Exception):
    """No candidate fits, or two fit equally well; or the file cannot be perceived here."""


def seen(file: Path, carrier: str, among: Sequence[str]) -> tuple[str, AnyLocator]:
    """Which of ``among`` stands in the gap ``{}`` of lettering in a picture or clip, and where.

    Lines of the lettering are separated by line breaks; a carrier that begins with ``line:`` is a
    single line of a receipt.

    Raises:
        Undecided: none fits, or no single one.
    """
    return _best([(value, _look(file, carrier.replace("{}", value))) for value in among])


def heard(file: Path, carrier: str, among: Sequence[str]) -> tuple[str, AnyLocator]:
    """Which of ``among`` is said in the gap ``{}`` of a sentence, and when.

    Raises:
        Undecided: none fits, or no single one; or espeak-ng or FFmpeg is missing.
    """
    voice = _voice(file, carrier.replace("{}", among[0]))
    fits = []
    for value in among:
        fits.append((value, _listen(file, carrier.replace("{}", value), voice)))
    return _best(fits)


def _best(fits: Sequence[tuple[str, Fit]]) -> tuple[str, AnyLocator]:
    ranked = sorted(fits, key=lambda one: -one[1].likeness)
    (value, best), rest = ranked[0], ranked[1:]
    if best.likeness < ALIKE:
        raise Undecided(f"nothing fits: the best, {value!r}, by {best.likeness:.2f}")
    if rest and best.likeness - rest[0][1].likeness < AHEAD:
        raise Undecided(f"{value!r} and {rest[0][0]!r} fit alike, by {best.likeness:.3f}")
    return value, best.place


# --- pictures ---


def _look(file: Path, text: str) -> Fit:
    if text.startswith("line:"):
        return _receipt_line(file, text.removeprefix("line:"))
    drawn = _lettering(text, file.suffix.lower())
    if file.suffix.lower() == ".jpg":
        score, box = _match(_gray(file), drawn)
        return Fit(score, Region(page=1, x0=box[0], y0=box[1], x1=box[2], y1=box[3]))
    fits = []
    for number, frame in enumerate(_frames(file)):
        score, _ = _match(frame, drawn)
        at = number / _FRAMES_A_SECOND
        fits.append(Fit(score, TimeSpan(start_s=at, end_s=at)))
    return max(fits, key=lambda fit: fit.likeness, default=Fit(0.0, TimeSpan(start_s=0, end_s=0)))


def _lettering(text: str, suffix: str) -> Floats:
    """Centred lettering as it is drawn into a space, cut out; black on white."""
    width, height, largest = _SPACES[suffix]
    image = Image.new("L", (width, height), 255)
    draw = ImageDraw.Draw(image)
    try:
        draw_centred(draw, (0, 0, width, height), text.split("\n"), "#000000", largest=largest)
    except DeskError as error:
        raise Undecided(str(error)) from error
    box = Image.eval(image, lambda value: 255 - value).getbbox()
    if box is None:
        raise Undecided(f"nothing to see of {text!r}")
    return _small(image.crop(box))


def _small(image: Image.Image) -> Floats:
    size = (max(1, round(image.width * _SCALE)), max(1, round(image.height * _SCALE)))
    return np.asarray(image.resize(size, Image.Resampling.BOX), dtype=np.float64)


@lru_cache(maxsize=4)
def _gray(file: Path) -> Floats:
    with Image.open(file) as image:
        return _small(image.convert("L"))


@lru_cache(maxsize=2)
def _frames(file: Path) -> tuple[Floats, ...]:
    size = (320, 180)
    data = _program(
        "ffmpeg", "-nostdin", "-v", "error", "-i", str(file), "-vf",
        f"fps={_FRAMES_A_SECOND},scale={size[0]}:{size[1]}:flags=area", "-f", "rawvideo",
        "-pix_fmt", "gray", "-",
    )  # fmt: skip
    frames = np.frombuffer(data, dtype=np.uint8).reshape(-1, size[1], size[0])
    return tuple(frame.astype(np.float64) for frame in frames)


def _match(picture: Floats, part: Floats) -> tuple[float, tuple[float, float, float, float]]:
    """How well ``part`` (or its negative) fits best into ``picture``, and where, in fractions."""
    height, width = part.shape
    if height > picture.shape[0] or width > picture.shape[1]:
        return 0.0, (0.0, 0.0, 1.0, 1.0)
    shape = picture.shape
    flat = part - part.mean()
    spectrum = np.conj(np.fft.rfft2(flat, shape))
    cross = np.fft.irfft2(np.fft.rfft2(picture) * spectrum, shape)
    cross = cross[: shape[0] - height + 1, : shape[1] - width + 1]
    sums, squares = _sums(picture, height, width), _sums(picture**2, height, width)
    spread = np.sqrt(np.maximum(squares - sums**2 / part.size, 1e-6))
    likeness = np.abs(cross) / (spread * np.sqrt((flat**2).sum()) + 1e-9)
    y, x = np.unravel_index(int(np.argmax(likeness)), likeness.shape)
    box = (x / shape[1], y / shape[0], (x + width) / shape[1], (y + height) / shape[0])
    return float(likeness[y, x]), box


def _sums(picture: Floats, height: int, width: int) -> Floats:
    """The sum over each window of that size."""
    total = np.zeros((picture.shape[0] + 1, picture.shape[1] + 1))
    total[1:, 1:] = picture.cumsum(0).cumsum(1)
    a, b = total[height:, width:], total[:-height, width:]
    c, d = total[height:, :-width], total[:-height, :-width]
    return np.asarray(a - b - c + d)


def _receipt_line(file: Path, line: str) -> Fit:
    """Receipts have all lines at one margin, in one type: only the height is searched."""
    look = STYLES["receipt"]
    font = pixel_font(line, look.font, look.size)
    picture = _full(file)
    width = min(round(font.getlength(line)) + 2, picture.shape[1] - look.inset)
    image = Image.new("L", (width, look.size + 8), 255)
    ImageDraw.Draw(image).text((0, 0), line, font=font, fill=0)
    part = np.asarray(image, dtype=np.float64)
    strip = picture[:, look.inset : look.inset + width]
    score, box = _match_down(strip, part)
    height, full = picture.shape
    return Fit(
        score,
        Region(
            page=1,
            x0=look.inset / full,
            y0=box / height,
            x1=(look.inset + width) / full,
            y1=min(1.0, (box + part.shape[0]) / height),
        ),
    )


@lru_cache(maxsize=4)
def _full(file: Path) -> Floats:
    with Image.open(file) as image:
        return np.asarray(image.convert("L"), dtype=np.float64)


def _match_down(strip: Floats, part: Floats) -> tuple[float, int]:
    flat = part - part.mean()
    norm = float(np.sqrt((flat**2).sum()))
    best, at = 0.0, 0
    for y in range(strip.shape[0] - part.shape[0] + 1):
        window = strip[y : y + part.shape[0]]
        spread = float(np.sqrt(((window - window.mean()) ** 2).sum()))
        if spread > 1.0:
            likeness = float((window * flat).sum()) / (spread * norm)
            if likeness > best:
                best, at = likeness, y
    return best, at


# --- sounds ---


def _voice(file: Path, sentence: str) -> str:
    """The voice that a file is spoken in, told by a sentence that is nearly said in it."""
    return max(VOICES, key=lambda voice: _listen(file, sentence, voice).likeness)


def _listen(file: Path, sentence: str, voice: str) -> Fit:
    sound, part = _sound(file), _spoken(sentence, voice, SPEEDS[file.suffix.lower()])
    if part.size > sound.size:
        return Fit(0.0, TimeSpan(start_s=0, end_s=0))
    size = 1 << (sound.size + part.size - 1).bit_length()
    cross = np.fft.irfft(np.fft.rfft(sound, size) * np.conj(np.fft.rfft(part, size)), size)
    cross = cross[: sound.size - part.size + 1]
    total = np.concatenate(([0.0], np.cumsum(sound**2)))
    energy = np.sqrt(np.maximum(total[part.size :] - total[: -part.size], 1e-3))
    likeness = cross / (energy * np.sqrt((part**2).sum()) + 1e-9)
    at = int(np.argmax(likeness))
    start = at / RATE
    return Fit(float(likeness[at]), TimeSpan(start_s=start, end_s=start + part.size / RATE))


@lru_cache(maxsize=2)
def _sound(file: Path) -> Floats:
    data = _program(
        "ffmpeg", "-nostdin", "-v", "error", "-i", str(file), "-ac", "1", "-ar", str(RATE), "-f",
        "s16le", "-",
    )  # fmt: skip
    return np.frombuffer(data, dtype="<i2").astype(np.float64)


@lru_cache(maxsize=32)
def _spoken(sentence: str, voice: str, speed: int) -> Floats:
    data = _program("espeak-ng", "-v", voice, "-s", str(speed), "--stdout", "--", sentence)
    # What comes before the samples is a wave file's header of 44 bytes.
    return np.frombuffer(data[44 : len(data) // 2 * 2], dtype="<i2").astype(np.float64)


def _program(name: str, *arguments: str) -> bytes:
    try:
        done = subprocess.run([name, *arguments], capture_output=True, check=False)
    except FileNotFoundError as error:
        raise Undecided(f"{name} is not installed") from error
    if done.returncode:
        raise Undecided(f"{name} failed: {done.stderr.decode(errors='replace')[-200:]}")
    return done.stdout
