"""What a search puts out, read back as passages."""

from __future__ import annotations

import re
from dataclasses import dataclass

from deskgym.env.render import INDENT
from deskgym.tasks.locators import AnyLocator, WholeFile, parse_locator

_COUNT = re.compile(r"\d+ hits")
_HEAD = re.compile(r"(\d+)\. (.+)\]  \(score (-?[\d.e+-]+)\)", re.DOTALL)
_NOTE = "note: "
_GAP = "  ["


@dataclass(frozen=True)
class Hit:
    """A passage that a search found: its file, its place, its text, and how well it fits."""

    path: str
    locator: AnyLocator
    text: str
    score: float


def parse_hits(text: str) -> list[Hit]:
    """The hits in an observation's text, in order, with their passages as they were; none if it
    shows an error.

    Only what stands at the beginning of a line is a hit's head: passages are indented. A place in
    no known form is the whole file.
    """
    first, *lines = text.split("\n")
    if not _COUNT.fullmatch(first):
        return []
    hits: list[Hit] = []
    head: list[str] = []  # a file's name may hold a line's end
    passage: list[str] = []
    for line in [*lines, _NOTE]:
        if line.startswith(INDENT) and head:
            passage.append(line.removeprefix(INDENT))
            continue
        if passage:
            hits += _hit("\n".join(head), "\n".join(passage))
            head, passage = [], []
        head.append(line)
    return hits


def _hit(head: str, passage: str) -> list[Hit]:
    found = _HEAD.fullmatch(head)
    if found is None:
        return []
    try:
        score = float(found[3])
    except ValueError:
        return []
    # A name may hold what looks like the gap before a place, and so may the name of a sheet: the
    # last gap after which a place stands is it.
    path, gap, place = found[2].rpartition(_GAP)
    while gap:
        try:
            return [Hit(path, parse_locator(place), passage, score)]
        except ValueError:
            path, gap, more = path.rpartition(_GAP)
            place = f"{more}{_GAP}{place}"
    path, gap, _ = found[2].partition(_GAP)
    return [Hit(path, WholeFile(), passage, score)] if gap else []
