"""Plain texts: who said what when, if it is a conversation, and else paragraphs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from .common import Record, place_of, text_of

_STAMP = r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4},? \d{1,2}:\d\d(?::\d\d)?(?: ?[AaPp][Mm])?"
_SAID = (
    re.compile(rf"\[(?P<time>{_STAMP})\] (?P<who>[^:\n]{{1,60}}): (?P<text>.*)"),
    re.compile(rf"(?P<time>{_STAMP}) - (?P<who>[^:\n]{{1,60}}): (?P<text>.*)"),
    re.compile(r"\*\*(?P<who>[^*:\n]{1,60}):\*\* (?P<text>.*)"),  # below the heading of a turn
)
_TURN = re.compile(r"#+ Turn \d+, (\d{4}-\d\d-\d\d \d\d:\d\d)")


def notes_or_messages(data: bytes) -> Iterator[Record]:
    """Messages, if this is a conversation; else a note for each paragraph."""
    lines = text_of(data).split("\n")
    forms = _SAID if any(map(_TURN.match, lines)) else _SAID[:-1]
    said = [(n, m) for n, line in enumerate(lines) for form in forms if (m := form.match(line))]
    # Who says something in passing makes no conversation; long messages still do.
    if len(said) >= 2 and 8 * len(said) >= sum(bool(line.strip()) for line in lines):
        yield from _messages(lines, said)
        return
    start = 0
    for n, line in enumerate([*lines, ""]):
        if line.strip():
            continue
        if text := "\n".join(lines[start:n]).strip():
            yield Record("notes", (place_of(start + 1, n), text))
        start = n + 1


def _messages(lines: list[str], said: list[tuple[int, re.Match[str]]]) -> Iterator[Record]:
    """A message reaches to the next one, or to the heading of the next turn."""
    starts = dict(said)
    turns = {n: m[1] for n, line in enumerate(lines) if (m := _TURN.match(line))}
    edges = sorted({*starts, *turns, len(lines)})
    when = ""
    for n, following in pairwise(edges):
        when = turns.get(n, when)
        if (m := starts.get(n)) is None:
            continue
        text = "\n".join([m["text"], *lines[n + 1 : following]]).rstrip()
        last = n + 1 + text.count("\n")
        yield Record(
            "messages", (place_of(n + 1, last), m.groupdict().get("time") or when, m["who"], text)
        )
