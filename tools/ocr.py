"""Text in pictures: an engine behind one interface, lines in reading order with their places.

The engine is RapidOCR. Its memory grows with the picture, so each is first brought to a size at
which letters are large enough and memory is bounded, whatever came from a camera, a scanner or a
chat program. Its models know Latin letters, Chinese and Japanese.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from deskgym.tools.result import ToolError

Box = tuple[float, float, float, float]
_Found = tuple[str, Box, float]  # text, corners in pixels, score

_PIXELS = 2_400_000  # at once: a page of A4 at 157 dpi, in about 600 MB of memory
_LONG = 9000
_MARGIN = 24  # the network overlooks what touches the edge
_SMALL = 1000  # pictures are at least doubled up to here: icons and thumbnails hold small print
_BAND, _OVERLAP = 1600, 240  # of a tall picture, such as a chat as one long screenshot
_TALL = 2.5
_BANDS = 60
_SCORE = 0.6  # below, what was read is a guess
_DOUBT = 0.8  # below on average, the picture may stand on its head
_PROSE = 18  # characters a line: columns of prose are at least this wide, those of tables are not
_MIN_LINES = 4


@dataclass(frozen=True)
class OcrLine:
    """One line of text; ``box`` is left, top, right, bottom as fractions of the picture."""

    text: str
    box: Box
    score: float


class Ocr(Protocol):
    """What reads text from pictures."""

    def lines(self, image: Any) -> list[OcrLine]:
        """The lines of an upright Pillow ``image``, in reading order."""
        ...


class RapidOcr:
    """OCR with the PP-OCR models that the package `rapidocr` carries: no network, no state.

    Equal pictures give equal lines: it computes in one thread. ``lines`` is not to be called from
    two threads at once.

    Raises:
        ToolError: unsupported, where `rapidocr` is not installed.
    """

    def __init__(self) -> None:
        try:
            from rapidocr import RapidOCR
        except ImportError as error:
            raise ToolError(
                "unsupported", "text in pictures needs to be prepared", "run: deskgym prepare ID"
            ) from error
        self._engine: Any = RapidOCR(
            params={
                "Global.log_level": "error",
                # Sizes are settled here, not there.
                "Global.max_side_len": 2 * _LONG,
                "Det.limit_type": "max",
                "Det.limit_side_len": 2 * _LONG,
                # Lines in one batch are padded to the longest: more memory, and slower.
                "Rec.rec_batch_num": 1,
                "Global.width_height_ratio": -1,
                "EngineConfig.onnxruntime.intra_op_num_threads": 1,
                "EngineConfig.onnxruntime.inter_op_num_threads": 1,
            }
        )

    def lines(self, image: Any) -> list[OcrLine]:
        """The lines of an upright Pillow ``image``, in reading order; none is no error."""
        picture = _sized(_flat(image))
        found: list[OcrLine] = []
        for top, bottom, begin, end in _bands(picture.width, picture.height):
            for text, (x0, y0, x1, y1), score in self._look(picture, top, bottom):
                middle = (y0 + y1) / 2
                # A line in the overlap of two bands belongs to the one that has more around it.
                if begin <= middle < end:
                    box = (
                        x0 / picture.width,
                        y0 / picture.height,
                        x1 / picture.width,
                        y1 / picture.height,
                    )
                    found.append(OcrLine(text, box, round(score, 4)))
        return reading_order(found)

    def _look(self, picture: Any, top: int, bottom: int) -> Iterator[_Found]:
        """Text, box in pixels of ``picture``, and score of what is between top and bottom."""
        import numpy

        pixels = numpy.asarray(picture)[top:bottom, :, ::-1]
        height, width = pixels.shape[:2]
        paper = numpy.median(pixels.reshape(-1, 3)[:: max(1, height * width // 10_000)], axis=0)
        canvas = numpy.empty((height + 2 * _MARGIN, width + 2 * _MARGIN, 3), numpy.uint8)
        canvas[:] = paper.astype(numpy.uint8)
        canvas[_MARGIN : _MARGIN + height, _MARGIN : _MARGIN + width] = pixels
        found = self._run(canvas)
        if found and _trust(found) < _DOUBT * len(found):
            turned = self._run(numpy.ascontiguousarray(canvas[::-1, ::-1]))
            if _trust(turned) > 1.2 * _trust(found):
                across, down = canvas.shape[1], canvas.shape[0]
                found = [
                    (text, (across - x1, down - y1, across - x0, down - y0), score)
                    for text, (x0, y0, x1, y1), score in turned
                ]
        for text, (x0, y0, x1, y1), score in found:
            x0, y0 = max(x0 - _MARGIN, 0.0), max(y0 - _MARGIN, 0.0)
            x1, y1 = min(x1 - _MARGIN, width), min(y1 - _MARGIN, height)
            # Where a network sees no letters it may take the whole picture for one.
            blotch = len(text) <= 2 and (x1 - x0) * (y1 - y0) > 0.8 * width * height
            sure = score >= _SCORE and not (blotch and score < _DOUBT)
            if text and sure and x0 < x1 and y0 < y1:
                yield text, (x0, top + y0, x1, top + y1), score

    def _run(self, canvas: Any) -> list[_Found]:
        # Its own judge of upside-down lines is not asked: it is wrong on lines of thin letters.
        result = self._engine(canvas, use_cls=False, text_score=0.0)
        if result.txts is None:
            return []
        found: list[_Found] = []
        for text, box, score in zip(result.txts, result.boxes, result.scores, strict=True):
            (x0, y0), (x1, y1) = box.min(axis=0), box.max(axis=0)
            found.append((text.strip(), (float(x0), float(y0), float(x1), float(y1)), float(score)))
        return found


def _trust(found: list[_Found]) -> float:
    return sum(score for _, _, score in found)


def reading_order(lines: list[OcrLine]) -> list[OcrLine]:
    """Columns of prose one after the other, between what runs across them; the rest in rows."""
    gutter = _gutter(lines)
    if gutter is None:
        return _rows(lines)
    out: list[OcrLine] = []
    left: list[OcrLine] = []
    right: list[OcrLine] = []

    def flush() -> None:
        out.extend(_rows(left) + _rows(right))
        left.clear()
        right.clear()

    for line in sorted(lines, key=lambda n: (n.box[1], n.box[0])):
        if line.box[0] < gutter < line.box[2]:
            flush()
            out.append(line)
        else:
            (left if line.box[2] <= gutter else right).append(line)
    flush()
    return out


def _rows(lines: list[OcrLine]) -> list[OcrLine]:
    """From top to bottom; lines at one height from left to right."""
    rows: list[list[OcrLine]] = []
    for line in sorted(lines, key=lambda n: (n.box[1] + n.box[3], n.box[0])):
        first = rows[-1][0].box if rows else None
        middle = (line.box[1] + line.box[3]) / 2
        if first and first[1] < middle < first[3] and _height(line) < 2 * (first[3] - first[1]):
            rows[-1].append(line)
        else:
            rows.append([line])
    return [line for row in rows for line in sorted(row, key=lambda n: n.box[0])]


def _height(line: OcrLine) -> float:
    return line.box[3] - line.box[1]


def _gutter(lines: list[OcrLine]) -> float | None:
    """The x that parts two columns of prose with the fewest lines across it, if there is one."""
    if len(lines) < 2 * _MIN_LINES:
        return None
    low, high = min(n.box[0] for n in lines), max(n.box[2] for n in lines)
    best: tuple[int, float] | None = None
    for x in sorted({n.box[0] - 0.002 for n in lines}):
        if not low + 0.25 * (high - low) < x < low + 0.75 * (high - low):
            continue
        left = [n for n in lines if n.box[2] <= x]
        right = [n for n in lines if n.box[0] >= x]
        crossing = len(lines) - len(left) - len(right)
        if crossing * 3 > len(lines) or not (_is_prose(left) and _is_prose(right)):
            continue
        # Columns stand beside each other: a right-hand address block above the text is none.
        shared = min(max(n.box[3] for n in left), max(n.box[3] for n in right)) - max(
            min(n.box[1] for n in left), min(n.box[1] for n in right)
        )
        if shared > 3 * _height(left[0]) and (best is None or crossing < best[0]):
            best = (crossing, x)
    return best[1] if best else None


def _is_prose(lines: list[OcrLine]) -> bool:
    return len(lines) >= _MIN_LINES and sum(len(n.text) for n in lines) >= _PROSE * len(lines)


def _flat(image: Any) -> Any:
    """RGB; what is transparent gets the paper from which its ink stands out."""
    from PIL import Image, ImageStat

    if image.mode not in ("RGBA", "LA", "PA") and "transparency" not in image.info:
        return image.convert("RGB")
    layered = image.convert("RGBA")
    alpha = layered.getchannel("A")
    ink = ImageStat.Stat(layered.convert("L"), mask=alpha.point(lambda a: 255 * (a > 127)))
    dark = not ink.count[0] or ink.mean[0] < 128
    paper = Image.new("RGBA", layered.size, "white" if dark else "black")
    return Image.alpha_composite(paper, layered).convert("RGB")


def _sized(picture: Any) -> Any:
    """Small pictures enlarged, large ones reduced, so that letters can be read in bounded memory.

    A tall picture is read in bands, so that its width alone counts.
    """
    from PIL.Image import Resampling

    width, height = picture.size
    scale = min(4.0, max(2.0, _SMALL / max(width, height))) if max(width, height) < _SMALL else 1.0
    if height > _TALL * width:
        scale = min(scale, 1600 / width, _BANDS * _BAND / height)
    else:
        scale = min(scale, (_PIXELS / (width * height)) ** 0.5, _LONG / width)
    if scale == 1.0:
        return picture
    size = max(1, round(width * scale)), max(1, round(height * scale))
    return picture.resize(size, Resampling.BICUBIC)


def _bands(width: int, height: int) -> Iterator[tuple[int, int, float, float]]:
    """Top and bottom of each band to look at, and between which heights its lines count."""
    if height <= _TALL * width or height <= _BAND:
        yield 0, height, 0, float("inf")
        return
    top, begin = 0, 0.0
    while top + _BAND < height:
        end = top + _BAND - _OVERLAP / 2
        yield top, top + _BAND, begin, end
        top, begin = top + _BAND - _OVERLAP, end
    yield top, height, begin, float("inf")
