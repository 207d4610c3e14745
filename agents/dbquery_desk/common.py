"""What all readers share."""

from __future__ import annotations

from typing import NamedTuple

MAX_BYTES = 20_000_000  # of one file, or of one part of a packed one

Value = str | int | float | None
Row = tuple[Value, ...]


class Record(NamedTuple):
    """A row of ``table``, without its path."""

    table: str
    values: Row


class Broken(ValueError):
    """A file that is not what its name says, or too large."""


def text_of(data: bytes) -> str:
    """``data`` as text with plain line ends.

    Raises:
        Broken: it is no text.
    """
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16")
    text = data.decode("utf-8-sig", "replace")
    if "\0" in text[:1000]:
        raise Broken("not a text file")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def place_of(first: int, last: int) -> str:
    """The locator of these lines, both counted from 1."""
    return f"lines:{first}" if first == last else f"lines:{first}-{last}"
