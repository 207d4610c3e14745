"""What an agent sees after each step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypedDict


@dataclass(frozen=True)
class Media:
    """An encoded picture, sound or file: its MIME type (``image/png``, ...) and its bytes."""

    mime: str
    data: bytes


class Observation(TypedDict):
    """An element of the observation space.

    ``text`` is what the last action put out (at reset: a short welcome that names the tools).
    ``media`` holds what it showed or played. ``step`` counts the steps taken, ``steps_left`` those
    that remain before the episode is truncated.
    """

    question: str
    text: str
    media: tuple[Media, ...]
    step: int
    steps_left: int
