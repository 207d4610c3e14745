"""Which file a published piece of evidence is from.

Published evidence has no path of its own. Its locator may name the file; if not, the texts that
are published beside it (``file_text``, ``evidence_text_joined``) tell.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Final

from deskgym.tasks.hippocamp.layout import PathFinder, plain_path
from deskgym.tasks.schema import Modality

FILE_KEYS: Final = ("file_path", "file_name", "file", "path", "source", "evidence_file")
_LONGEST_HEADER: Final = 4_200  # characters: a path, brackets and a few line breaks
MODALITY_KEYS: Final = ("modality", "evidence_modality", "file_modality", "modality_type")


@dataclass(frozen=True)
class Candidate:
    """A file in which a task's evidence may lie.

    ``text`` is what is published of it, if anything, with single spaces.
    """

    path: str
    modality: Modality
    text: str = ""


@dataclass(frozen=True)
class FoundFile:
    """The file of a piece of evidence, and whether it is known or just the likeliest."""

    path: str
    sure: bool


def file_of(
    evidence: Mapping[str, Any], candidates: Sequence[Candidate], joined: str
) -> FoundFile | None:
    """Which of ``candidates`` a piece of evidence is in; None if there are none.

    ``joined`` is the task's ``evidence_text_joined``: each piece behind its file's name in
    brackets. The first that tells it counts: a path in the evidence or its locator, there being
    one file, a name in the locator, ``joined``, the files' texts, the modality. Otherwise it is
    the first candidate (of the modality, if there is one), and not sure.
    """
    if not candidates:
        return None
    if len(candidates) == 1:
        return FoundFile(candidates[0].path, sure=True)
    ways = (_by_field, _by_mention, _by_header, _by_text, _by_modality)
    for way in ways:
        found = list(dict.fromkeys(way(evidence, candidates, joined)))
        if len(found) == 1:
            return FoundFile(found[0], sure=True)
    alike = list(_by_modality(evidence, candidates, joined))
    return FoundFile((alike or [candidates[0].path])[0], sure=False)


def _by_field(
    evidence: Mapping[str, Any], candidates: Sequence[Candidate], joined: str
) -> Iterator[str]:
    finder = PathFinder(tuple(c.path for c in candidates), ())
    locator = unpacked(evidence.get("evidence_locator"))
    places = [evidence, *(part for part in flat(locator) if isinstance(part, Mapping))]
    for place in places:
        for key in FILE_KEYS:
            for written in flat(place.get(key)):
                if isinstance(written, str) and (path := finder.find(written)):
                    yield path


def _by_mention(
    evidence: Mapping[str, Any], candidates: Sequence[Candidate], joined: str
) -> Iterator[str]:
    """The candidates that the locator names, the longest name first: a.pdf is in data.pdf."""
    said = " ".join(part for part in flat(evidence.get("evidence_locator")) if is_text(part))
    said = said.replace("\\", "/").casefold()
    for names in (_full, _name):
        for candidate in sorted(candidates, key=lambda c: -len(names(c))):
            if (name := names(candidate)) in said:
                yield candidate.path
                said = said.replace(name, " ")


def _by_header(
    evidence: Mapping[str, Any], candidates: Sequence[Candidate], joined: str
) -> Iterator[str]:
    """The candidates whose name, in brackets, the text stands behind in ``joined``."""
    text = _text(evidence)
    headers = [
        (candidate.path, (f"[{candidate.path}]", f"[{PurePosixPath(candidate.path).name}]"))
        for candidate in candidates
    ]
    at = joined.find(text) if text else -1
    while at >= 0:
        before = joined[max(0, at - _LONGEST_HEADER) : at].rstrip()
        yield from (path for path, names in headers if before.endswith(names))
        at = joined.find(text, at + 1)


def _by_text(
    evidence: Mapping[str, Any], candidates: Sequence[Candidate], joined: str
) -> Iterator[str]:
    text = " ".join(_text(evidence).split())
    for candidate in candidates if text else ():
        if text in candidate.text:
            yield candidate.path


def _by_modality(
    evidence: Mapping[str, Any], candidates: Sequence[Candidate], joined: str
) -> Iterator[str]:
    wanted = modality_in(evidence)
    return (c.path for c in candidates if c.modality == wanted)


def modality_in(evidence: Mapping[str, Any]) -> Modality | None:
    """The modality that a piece of evidence states, or None."""
    for key in MODALITY_KEYS:
        for value in flat(evidence.get(key)):
            match str(value).strip().casefold():
                case "document" | "image" | "text" | "audio" | "video" as modality:
                    return modality
    return None


def _text(evidence: Mapping[str, Any]) -> str:
    return str(evidence.get("evidence_text") or "").strip()


def _full(candidate: Candidate) -> str:
    return plain_path(candidate.path).casefold()


def _name(candidate: Candidate) -> str:
    return PurePosixPath(candidate.path).name.casefold()


def flat(value: Any) -> Iterator[Any]:
    if isinstance(value, list | tuple):
        for part in value:
            yield from flat(part)
    elif value is not None:
        yield value


def is_text(value: Any) -> bool:
    return isinstance(value, str)


def unpacked(value: Any) -> Any:
    """A locator, of which a text that is JSON is read."""
    if is_text(value) and value.strip()[:1] in ("{", "["):
        try:
            return json.loads(value)
        except ValueError:
            return value  # a text that begins with a bracket
    return value
