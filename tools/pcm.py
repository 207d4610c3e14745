"""Sound as samples for speech recognition: decoded in bounded pieces, cut where it is quiet."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deskgym.tools import ff
from deskgym.tools.media import Probed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Samples = NDArray[np.float32]
    Levels = NDArray[np.float64]

RATE = 16_000
MAX_SOUND_S = 12 * 3600.0
WINDOW_S = 600.0
CHUNK_S = 28.0  # the models listen to 30 s at a time
_SEARCH_S = 8.0  # where in its last seconds a piece may be cut
_FRAME = RATE // 50
_FLOOR_DB = -60.0  # of full scale: below is silence, however quiet the rest
_BELOW_LOUD_DB = 35.0
_GAP_S = 3.0  # a pause of this length ends a chunk
_PAD_S = 0.2
_HOURS_S = 6 * 3600.0


def windows(
    path: Path, probed: Probed, *, window_s: float = WINDOW_S
) -> Iterator[tuple[float, Samples]]:
    """The first sound track at `RATE`, mono, in pieces of at most ``window_s`` with their starts.

    No more than one piece is in memory; pieces are cut where it is quietest. What goes on beyond
    the file's stated length, or beyond `MAX_SOUND_S`, is left out.

    Raises:
        ToolError: corrupt, timeout, out_of_memory.
    """
    import numpy as np

    # A damaged packet in the middle must not cost what follows it: FFmpeg goes on by itself.
    longest = min(probed.duration_s + 60.0, MAX_SOUND_S)
    argv = ff.command(
        ff.media_input(path).audio,
        **{"t": f"{longest:.3f}", "ac": 1, "ar": RATE, "acodec": "pcm_f32le", "format": "f32le"},
        af="aresample=async=1:first_pts=0",
    )
    size = int(window_s * RATE) * 4
    held = bytearray()
    start = 0
    for data in ff.stream(argv, path, timeout_s=_HOURS_S):
        held += data
        while len(held) >= size:
            samples = np.frombuffer(bytes(held[:size]), dtype="<f4")
            cut = quiet_cut(samples, min(30.0, window_s / 2))
            yield start / RATE, samples[:cut]
            del held[: cut * 4]
            start += cut
    rest = len(held) // 4
    if rest:
        yield start / RATE, np.frombuffer(bytes(held[: rest * 4]), dtype="<f4")


def chunks(samples: Samples) -> list[tuple[int, int]]:
    """The stretches of ``samples`` in which something sounds, each at most `CHUNK_S` long."""
    found: list[tuple[int, int]] = []
    pad, gap, most = int(_PAD_S * RATE), int(_GAP_S * RATE), int(CHUNK_S * RATE)
    for first, last in _islands(samples):
        begin, end = max(first - pad, 0), min(last + pad, len(samples))
        if found and begin - found[-1][1] < gap and end - found[-1][0] <= most:
            found[-1] = (found[-1][0], end)
            continue
        if found:
            begin = max(begin, found[-1][1])
        while end - begin > most:
            cut = begin + quiet_cut(samples[begin : begin + most], _SEARCH_S)
            found.append((begin, cut))
            begin = cut
        found.append((begin, end))
    return found


def quiet_cut(samples: Samples, search_s: float) -> int:
    """The index of the quietest moment in the last ``search_s`` of ``samples``."""
    import numpy as np

    levels = _levels(samples)
    span = min(len(levels), max(1, int(search_s * RATE / _FRAME)))
    if len(levels) < 2:
        return len(samples)
    tail = np.convolve(levels[-span:], np.ones(9) / 9, mode="same")
    tail[: min(5, span // 2)] = tail[-min(5, span // 2) or None :] = np.inf
    best = len(levels) - span + int(np.argmin(tail))
    return max(1, best) * _FRAME


def _islands(samples: Samples) -> list[tuple[int, int]]:
    """First and last sample of each run of frames that are not silent, pauses of 0.4 s bridged."""
    import numpy as np

    levels = _levels(samples)
    if not len(levels):
        return []
    threshold = max(_FLOOR_DB, float(np.percentile(levels, 98)) - _BELOW_LOUD_DB)
    # Of five frames at least three: a click is no word.
    loud = np.flatnonzero(np.convolve(levels > threshold, np.ones(5), mode="same") >= 3)
    if not len(loud):
        return []
    breaks = np.flatnonzero(np.diff(loud) > 20)
    firsts = loud[np.concatenate(([0], breaks + 1))]
    lasts = loud[np.concatenate((breaks, [len(loud) - 1]))]
    return [
        (int(a) * _FRAME, min((int(b) + 1) * _FRAME, len(samples)))
        for a, b in zip(firsts, lasts, strict=True)
    ]


def _levels(samples: Samples) -> Any:
    """The level of each 20 ms in decibels of full scale."""
    import numpy as np

    frames = samples[: len(samples) // _FRAME * _FRAME].reshape(-1, _FRAME).astype(np.float64)
    power = np.mean(np.square(np.nan_to_num(frames)), axis=1)
    return 10 * np.log10(power + 1e-12)
