"""What a read tool returns, and how it fails. Standard library only: it is imported in the desk."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Segment:
    """A stretch of a file's text, and where it stands (a locator in its text form)."""

    locator: str
    text: str


@dataclass(frozen=True)
class Media:
    """An encoded picture, sound or file taken from ``locator``.

    ``notes`` are those of `ToolResult.notes` that are about this picture alone, kept for when it
    is stored apart from its result.
    """

    mime: str
    data: bytes
    locator: str = "file"
    width: int | None = None
    height: int | None = None
    notes: tuple[str, ...] = field(default=(), compare=False)


@dataclass(frozen=True)
class ToolResult:
    """What one reading of one file gave.

    ``info`` holds plain JSON values: ``mime``, ``modality``, ``pages``, ``lines``, ``sheets``,
    ``exif`` and the like. ``notes`` says what the reader should know: what was cut, scaled or
    left out. ``next_offset`` is the ``offset`` to go on from when ``text`` was cut.
    """

    segments: tuple[Segment, ...] = ()
    media: tuple[Media, ...] = ()
    info: dict[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    next_offset: int | None = None


class ToolError(Exception):
    """A file that could not be read as asked. ``kind`` is one of `KINDS`."""

    KINDS = (
        "not_found",
        "outside_profile",
        "not_a_file",
        "unreadable",
        "empty",
        "encrypted",
        "corrupt",
        "unsupported",
        "too_large",
        "out_of_range",
        "bad_argument",
        "timeout",
        "out_of_memory",
        "switched_off",
    )

    def __init__(self, kind: str, message: str, remedy: str = "") -> None:
        if kind not in self.KINDS:
            raise ValueError(f"unknown kind of tool error: {kind}")
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.remedy = remedy
