"""What a person's script hands to the kit: places, slides, scenes, quotes, and how it fails."""

from __future__ import annotations

from dataclasses import dataclass, field

from deskgym.tasks.locators import AnyLocator


class DeskError(Exception):
    """A demo desk that cannot be made as asked; the message says what to change."""


@dataclass(frozen=True)
class Place:
    """Somewhere on earth, in degrees, and what it is called."""

    latitude: float
    longitude: float
    name: str


@dataclass(frozen=True)
class Slide:
    """One slide: a title, bullets, speaker's notes and, if given, a table with a header row."""

    title: str
    bullets: list[str] = field(default_factory=list)
    notes: str = ""
    table: list[list[str]] | None = None


@dataclass(frozen=True)
class Event:
    """One calendar entry. Times read ``2025-03-01 09:00``; a bare date is an all-day entry."""

    title: str
    start: str
    end: str
    location: str = ""
    notes: str = ""
    rrule: str = ""


@dataclass(frozen=True)
class Scene:
    """One still scene of a video: lines on a coloured ground, and what is said meanwhile.

    A scene whose ``say`` lasts longer than ``seconds`` is held until it has been said.
    """

    seconds: float
    lines: list[str] = field(default_factory=list)
    colour: str = "#203040"
    say: str = ""


@dataclass(frozen=True)
class Shape:
    """One shape of a picture; ``box`` is left, top, right, bottom as fractions.

    ``kind`` is rect, ellipse, line, polygon (a triangle that fills the box) or text. ``text`` is
    drawn in the middle of the box. ``shows`` is never drawn: it says in words what the shape
    stands for ("a red kayak"), so that a `Quote` may point at something that has no letters.
    """

    kind: str
    box: tuple[float, float, float, float]
    fill: str = "#404040"
    text: str = ""
    shows: str = ""


@dataclass(frozen=True)
class Quote:
    """What a file says, shows or sounds somewhere; the kit finds where."""

    path: str
    text: str


@dataclass(frozen=True)
class Mark:
    """What a writer put at a place in its file."""

    text: str
    locator: AnyLocator
