"""Sound and clips: voice memos and recordings of the screen, with what is said when."""

from __future__ import annotations

import re

from deskgym.tasks.demo.make.sound import speech_bytes, video_bytes
from deskgym.tasks.demo.make.things import Mark, Scene
from deskgym.tasks.locators import TimeSpan
from deskgym.tasks.made.files.facts import Facts, parts
from deskgym.tasks.made.files.placed import Spot
from deskgym.tasks.made.models import Life
from deskgym.tasks.made.records import Record

_VOICES = {"f": ("en-gb+f2", "en-gb+f3", "en-gb+f4"), "m": ("en-gb", "en-gb+m3", "en-gb+m5")}
_COLOURS = ("#22303c", "#f5f6f8", "#2f5d50", "#fdf6e3", "#34294f")
_SCENE = re.compile(r"(.*) \[(.*)\]")
_SCENE_S = 3.0


def voice_of(life: Life) -> str:
    """The voice that the person speaks with."""
    voices = _VOICES[life.person.gender]
    return voices[life.person.birth_date.toordinal() % len(voices)]


def memo_file(path: str, record: Record, facts: Facts, voice: str) -> tuple[bytes, list[Spot]]:
    """A voice memo."""
    said = record.fields["sentences"]
    assert isinstance(said, list)  # the schema says so
    data, marks = speech_bytes(path, said, voice, 155)
    return data, _spots(record, facts, marks)


def clip_file(path: str, record: Record, facts: Facts, voice: str) -> tuple[bytes, list[Spot]]:
    """A recording of the screen, a scene after the other."""
    given = record.fields["scenes"]
    assert isinstance(given, list)  # the schema says so
    scenes = []
    for number, text in enumerate(given):
        found = _SCENE.fullmatch(text)
        assert found is not None  # `records.media` writes them so
        colour = _COLOURS[(record.time.minute + number) % len(_COLOURS)]
        scenes.append(Scene(_SCENE_S, found[1].split(" / "), colour, found[2]))
    data, marks = video_bytes(path, scenes, voice, 160)
    return data, _spots(record, facts, marks)


def _spots(record: Record, facts: Facts, marks: list[Mark]) -> list[Spot]:
    """The whole record, from the first to the last second in which something is told."""
    spans = [m.locator for m in marks if isinstance(m.locator, TimeSpan)]
    whole = TimeSpan(start_s=min(s.start_s for s in spans), end_s=max(s.end_s for s in spans))
    text = "\n".join(m.text for m in marks)
    return [
        Spot(record.id, whole, text),
        *parts(record, facts, [(m.locator, m.text) for m in marks]),
    ]
