"""Questions about pictures, sounds and clips, and the verifier that tells what they say."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw

from deskgym.tasks.demo.make.drawing import draw_centred, text_image
from deskgym.tasks.demo.make.sound import speech_bytes, video_bytes
from deskgym.tasks.demo.make.things import Scene
from deskgym.tasks.locators import Region, TimeSpan, overlaps
from deskgym.tasks.made.making import make_person
from deskgym.tasks.made.spec import MadeSpec
from deskgym.tasks.made.stored import read_lines
from deskgym.tasks.made.verifier.media import Undecided, heard, seen
from deskgym.tasks.schema import Task

needs_sound = pytest.mark.skipif(
    not (shutil.which("espeak-ng") and shutil.which("ffmpeg")),
    reason="espeak-ng and FFmpeg are not installed",
)


def sign(path: Path, words: str, ground: str, ink: str) -> Region:
    """A picture with a board, as photographs have it; where the words stand."""
    image = Image.new("RGB", (760, 520), "#9cc3dd")
    draw = ImageDraw.Draw(image)
    box = (90.4, 312.0, 637.6, 457.6)
    draw.ellipse((300, 60, 420, 190), "#f4e3a1")
    draw.rectangle(box, ground)
    x0, y0, x1, y1 = draw_centred(draw, box, [words], ink, largest=40)
    image.save(path, "JPEG", quality=80)
    return Region(page=1, x0=x0 / 760, y0=y0 / 520, x1=x1 / 760, y1=y1 / 520)


@pytest.mark.parametrize(("ground", "ink"), [("#fbf7ea", "#101010"), ("#22303c", "#ffffff")])
def test_a_sign_is_told_from_like_ones_and_found(tmp_path: Path, ground: str, ink: str) -> None:
    place = sign(tmp_path / "p.jpg", "pickled chicken with rice", ground, ink)
    among = ["pickled turnips with rice", "pickled chicken with rice", "glazed chicken with rice"]
    value, found = seen(tmp_path / "p.jpg", "{}", among)
    assert value == "pickled chicken with rice"
    assert isinstance(found, Region)
    assert overlaps(found, place)
    assert abs(found.x0 - place.x0) < 0.05
    assert abs(found.y0 - place.y0) < 0.05


def test_what_is_on_no_sign_is_undecided(tmp_path: Path) -> None:
    sign(tmp_path / "p.jpg", "pickled chicken with rice", "#fbf7ea", "#101010")
    with pytest.raises(Undecided, match="nothing fits"):
        seen(tmp_path / "p.jpg", "{}", ["the watch tower", "tulip bulbs"])
    blank = Image.fromarray(np.full((520, 760, 3), 200, dtype=np.uint8))
    blank.save(tmp_path / "blank.jpg")
    with pytest.raises(Undecided):
        seen(tmp_path / "blank.jpg", "{}", ["the watch tower", "tulip bulbs"])


@pytest.mark.parametrize("total", ["    12.50", "     2.50", "   112.56"])
def test_the_sum_of_a_receipt_is_read_to_the_cent(tmp_path: Path, total: str) -> None:
    lines = ["Bar Moor", "2024-03-05 18:20", "No. 1234", "", f"{'Soup':<25}{'2.56':>9}", "",
             f"{'TOTAL EUR':<25}{total}", "Paid by card"]  # fmt: skip
    image, marks = text_image("r.jpg", lines, "receipt", None)
    image.save(tmp_path / "r.jpg", "JPEG", quality=80)
    among = ["    12.50", "    12.56", "     2.50", "   112.56"]
    value, found = seen(tmp_path / "r.jpg", f"line:{'TOTAL EUR':<25}{{}}", among)
    assert value == total
    (place,) = [mark.locator for mark in marks if mark.text.startswith("TOTAL")]
    assert overlaps(found, place)


@needs_sound
def test_a_word_is_heard_in_whatever_voice_it_is_said(tmp_path: Path) -> None:
    said = ["It is Monday, 5 March.", "Met Ada at Bar Moor for a green tea.", "Worth it."]
    data, marks = speech_bytes("m.mp3", said, "en-gb+f3", 155)
    (tmp_path / "m.mp3").write_bytes(data)
    among = ["black coffee", "green tea", "red tea"]
    value, found = heard(tmp_path / "m.mp3", "Met Ada at Bar Moor for a {}.", among)
    assert value == "green tea"
    assert isinstance(found, TimeSpan)
    assert overlaps(found, marks[1].locator, slack_s=0.0)
    assert abs(found.start_s - marks[1].locator.start_s) < 0.2
    with pytest.raises(Undecided):
        heard(tmp_path / "m.mp3", "Met Leo at the harbour for a {}.", among)


@needs_sound
def test_a_line_of_a_clip_is_read_at_its_second(tmp_path: Path) -> None:
    scenes = [
        Scene(3.0, ["Vale Shop", "Basket: lamp"], "#22303c", "First the beginning."),
        Scene(3.0, ["Order BZ-658903", "To pay: €12.50"], "#f5f6f8", "There."),
    ]
    data, _ = video_bytes("c.mp4", scenes, "en-gb", 160)
    (tmp_path / "c.mp4").write_bytes(data)
    among = ["BZ-658903", "BZ-558903", "QA-370383"]
    value, found = seen(tmp_path / "c.mp4", "Order {}\nTo pay: €12.50", among)
    assert value == "BZ-658903"
    assert overlaps(found, TimeSpan(start_s=3.0, end_s=6.0), slack_s=0.0)


@needs_sound
def test_a_multimodal_person_is_asked_about_what_is_seen_and_heard(tmp_path: Path) -> None:
    spec = MadeSpec(months=1, seed=3, setting="home")
    person = make_person(spec, 0, tmp_path)
    tasks = read_lines(tmp_path / person.name / "tasks.jsonl", Task)
    kinds = Counter(unit.modality for task in tasks for unit in task.evidence)
    assert kinds["image"] >= 3
    assert kinds["audio"] >= 2
    assert person.counts.rejected.get("undecided", 0) <= 0.1 * person.counts.tasks
    regions = [u for t in tasks for u in t.evidence if isinstance(u.locator, Region | TimeSpan)]
    assert regions
