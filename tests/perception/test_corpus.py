"""Every file of the corpus is read for what it holds, by value."""

from __future__ import annotations

import io
import os
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import corpus
import pytest
from av_made import second_of, word_errors
from corpus_case import Case, Picture, missing
from PIL import Image

from deskgym.tools.registry import (
    info,
    read_audio,
    read_image,
    read_original,
    read_text,
    read_video,
)
from deskgym.tools.result import ToolResult

Made = Callable[[str], Path]
_LOCATOR = re.compile(
    r"file|(page|lines|turns):\d+(-\d+)?|time:\d+(\.\d+)?-\d+(\.\d+)?|cells:(.+!)?[A-Z]+\d+(:[A-Z]+\d+)?"
    r"|region:\d+@[0-9.,]+"
)
_NEAR = 0.12  # seconds: codecs pad their last block


def _of(*families: str) -> list[Any]:
    kinds = [kind for family in families for kind in corpus.TYPES[family].split()]
    return [pytest.param(case, id=case.name) for case in corpus.CASES if case.type in kinds]


def whole(result: ToolResult) -> str:
    """The text of all segments, one after the other."""
    return "\n".join(segment.text for segment in result.segments)


@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in corpus.CASES])
def test_the_text_and_the_facts_are_right(made: Made, case: Case) -> None:
    result = read_text(made(case.name), max_chars=1_000_000, **case.read)
    text, at = whole(result), 0
    for piece in case.text:
        found = text.find(piece, at)
        assert found >= 0, f"{piece!r} does not stand after character {at} of:\n{text}"
        at = found + len(piece)
    for piece in case.absent:
        assert piece not in text
    for locator in (segment.locator for segment in result.segments):
        assert _LOCATOR.fullmatch(locator), locator
    for note in case.notes:
        assert any(note in given for given in result.notes), result.notes
    facts = dict(case.info)
    length = facts.pop("duration_s", None)
    if length is not None:
        assert result.info["duration_s"] == pytest.approx(length, abs=_NEAR)
    places = {key: facts.pop(key) for key in ("latitude", "longitude") if key in facts}
    for key, degrees in places.items():
        assert result.info[key] == pytest.approx(degrees, abs=1e-4)
    assert {key: result.info.get(key) for key in facts} == facts
    known = info(made(case.name))
    assert {key: known[key] for key in ("mime", "modality", "size")} == {
        key: result.info[key] for key in ("mime", "modality", "size")
    }
    assert "problem" not in known


@pytest.mark.parametrize(
    ("case", "picture"),
    [
        pytest.param(case, picture, id=f"{case.name}-{number}")
        for case in corpus.CASES
        for number, picture in enumerate(case.pictures, 1)
    ],
)
def test_pictures_show_what_they_show(made: Made, case: Case, picture: Picture) -> None:
    (media,) = read_image(made(case.name), page=picture.page).media
    shown = Image.open(io.BytesIO(media.data)).convert("RGB")
    assert shown.size == (media.width, media.height)
    assert shown.size == pytest.approx(picture.size, abs=1)
    for (x, y), colour in picture.colours.items():
        seen = shown.getpixel((int(x * shown.width), int(y * shown.height)))
        assert seen == pytest.approx(colour, abs=16), (x, y)


@pytest.mark.parametrize(
    ("case", "member"),
    [
        pytest.param(case, member, id=f"{case.name}-{member[-20:]}")
        for case in corpus.CASES
        for member in case.members
    ],
)
def test_members_are_read(made: Made, case: Case, member: str) -> None:
    path = Path(f"{made(case.name)}!/{member}")
    assert whole(read_text(path)) == case.members[member]
    if not member.startswith("body."):
        assert read_original(path).media[0].data.decode() == case.members[member]


@pytest.mark.parametrize("case", _of("audio"))
def test_a_second_of_each_sound_can_be_heard(made: Made, case: Case) -> None:
    result = read_audio(made(case.name), start_s=0.5, end_s=1.5)
    (clip,) = result.media
    assert (clip.mime, clip.locator) == ("audio/mpeg", "time:0.5-1.5")
    assert 6_000 < len(clip.data) < 12_000  # a second at 64 kbit/s


@pytest.mark.parametrize("case", _of("video"))
def test_each_video_shows_the_second_that_is_asked_for(made: Made, case: Case) -> None:
    result = read_video(made(case.name), frames=[0.5, 1.5, 3.5])
    assert [media.locator for media in result.media] == [
        "time:0.5-0.5",
        "time:1.5-1.5",
        "time:3.5-3.5",
    ]
    for media, second in zip(result.media, (0, 1, 3), strict=True):
        shown = Image.open(io.BytesIO(media.data)).convert("L")
        turned = case.info.get("width") == 90
        at = (
            (shown.width // 2, shown.height // 4)
            if turned
            else (shown.width // 4, shown.height // 2)
        )
        level = shown.getpixel(at)
        assert isinstance(level, int)
        assert second_of(level, 4) == second


def test_subtitles_have_their_times(made: Made) -> None:
    for name in ("gap.mp4", "trip.mkv"):
        segments = read_text(made(name), span_s=(1.6, 2.5)).segments
        assert [segment.text for segment in segments] == ["你好"]
        start, end = segments[0].locator.removeprefix("time:").split("-")
        assert (float(start), float(end)) == pytest.approx((2, 3), abs=_NEAR)


def test_cells_are_cited_by_their_places(made: Made) -> None:
    for name in ("rent.xlsx", "rent-lo.xls", "rent-lo.ods"):
        (segment,) = read_text(made(name), cells="Rent!A3:B3").segments
        assert segment.locator == "cells:Rent!A3:B3"
        assert "| 3 | 2024-03-03 | 950.5 |" in segment.text


@pytest.mark.parametrize("name", ["scan.pdf"])
def test_scanned_pages_are_read_by_ocr(made: Made, name: str) -> None:
    if missing(("package:rapidocr", "package:onnxruntime")):
        pytest.skip("rapidocr or onnxruntime is not installed, so NO OCR WAS TESTED")
    from deskgym.tools.ocr import RapidOcr
    from deskgym.tools.perceive import perceive

    found = perceive(made(name), ocr=RapidOcr(), asr=None)
    assert found.error is None
    said = {segment.text: segment.locator for segment in found.segments}
    assert list(said) == ["The meter reads 48213"]
    box = [float(n) for n in said["The meter reads 48213"].partition("@")[2].split(",")]
    # Drawn at 150, 200 of 1240 x 1754 pixels, in letters 40 high.
    assert box[:2] == pytest.approx([150 / 1240, 200 / 1754], abs=0.02)
    assert 0.01 < box[3] - box[1] < 0.05


def test_what_is_said_is_heard(made: Made) -> None:
    root = Path(__file__).parents[2]
    shared = Path(os.environ.get("DESKGYM_SHARED", root.parent / "shared"))
    model = shared / "models/whisper/tiny.en.pt"
    if missing(("package:whisper",)) or not model.is_file():
        pytest.skip("openai-whisper or its model is not here, so NO SPEECH WAS TESTED")
    from corpus_media import SAID

    from deskgym.tools.perceive import perceive
    from deskgym.tools.speech import openai_whisper

    found = perceive(made("spoken.mp3"), ocr=None, asr=openai_whisper(model))
    assert found.error is None
    heard = whole(ToolResult(segments=found.segments))
    assert word_errors(SAID, heard) <= 0.25, heard
    assert all(segment.locator.startswith("time:") for segment in found.segments)


def test_the_corpus_covers_every_type(corpus_folder: tuple[Path, dict[str, str]]) -> None:
    """The table: files a type, two at least; 90 in all."""
    files = Counter(case.type for case in corpus.CASES)
    names = [case.name for case in corpus.CASES]
    folder, absent = corpus_folder
    print(*(f"{family:18} " + ", ".join(f"{k} {files[k]}" for k in kinds.split())
            for family, kinds in corpus.TYPES.items()), sep="\n")  # fmt: skip
    assert sorted(files) == sorted(corpus.all_types())
    assert min(files.values()) >= 2
    assert len(names) == len(set(names)) >= 90
    lying = {path.name for path in folder.iterdir() if path.is_file()}
    assert lying | set(absent) == set(names)
