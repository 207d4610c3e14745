"""How a citation is opened again: the actions that show what stands at its place."""

from __future__ import annotations

import re
import shlex
from pathlib import PurePosixPath
from typing import Literal

from deskgym.agents.claims import Opened, body, quote_stands
from deskgym.env.actions import (
    Action,
    Cite,
    Metadata,
    ReadAudio,
    ReadImage,
    ReadText,
    ReadVideo,
    Terminal,
)
from deskgym.env.observations import Observation
from deskgym.tasks.locators import AnyLocator, Cells, Lines, Pages, Region, TimeSpan, WholeFile

MAX_PARTS = 3  # of a long text that is read on for a quote
FRAMES = 4
CLIP_S = 120.0  # no clip is longer
AROUND_S = 0.5  # speech has no sharp borders
_PRINTED = 20_000

Kind = Literal["image", "audio", "video", "text"]
_SUFFIXES: dict[Kind, str] = {
    "image": "png jpg jpeg webp gif bmp tif tiff heic svg",
    "audio": "wav mp3 m4a ogg opus flac aac",
    "video": "mp4 webm mov mkv avi m4v",
}
_KINDS: dict[str, Kind] = {
    suffix: kind for kind, suffixes in _SUFFIXES.items() for suffix in suffixes.split()
}
_FAILED = re.compile(r"\[exit status \d+\]\s*\Z")
_MORE = re.compile(r"^there is more: go on with offset=(\d+)$", re.MULTILINE)


def kind_of(path: str) -> Kind:
    """What a file is, as its suffix says."""
    return _KINDS.get(PurePosixPath(path).suffix.lower().lstrip("."), "text")


def looks(cite: Cite, tools: frozenset[str]) -> tuple[Action, ...]:
    """What to do, one after the other, until something shows what ``cite`` quotes.

    Only ``tools`` are used; none may be left. Without ``read_text`` a text is printed in the
    terminal, where its lines are not those that are cited: so it is printed whole.
    """
    found = [
        action
        for action in _looks(cite.path, cite.locator, kind_of(cite.path))
        if action.tool in tools
    ]
    is_text = kind_of(cite.path) == "text"
    if is_text and "read_text" not in tools and "terminal" in tools:
        found.insert(0, Terminal(command=_print_command(cite.path, cite.locator)))
    return tuple(found)


def _looks(path: str, locator: AnyLocator, kind: Kind) -> tuple[Action, ...]:
    match locator:
        case Region():
            page = None if kind == "image" else locator.page
            box = (locator.x0, locator.y0, locator.x1, locator.y1)
            text = ReadText(path=path)
            if kind != "image":
                text = ReadText(path=path, pages=(locator.page, locator.page))
            return ReadImage(path=path, page=page, region=box), text
        case Pages() if kind == "image":
            return ReadImage(path=path), ReadText(path=path)
        case Pages():
            pages = (locator.start, locator.end)
            return ReadText(path=path, pages=pages), ReadImage(path=path, page=locator.start)
        case TimeSpan():
            start, end = max(0.0, locator.start_s - AROUND_S), locator.end_s + AROUND_S
            end = min(end, start + CLIP_S)
            text = ReadText(path=path, span_s=(start, end))
            if kind == "video":
                return ReadVideo(path=path, start_s=start, end_s=end, frames=FRAMES), text
            return ReadAudio(path=path, start_s=start, end_s=end), text
        case Lines():
            return (ReadText(path=path, lines=(locator.start, locator.end)),)
        case Cells():
            cells = f"{locator.sheet}!{locator.range}" if locator.sheet else locator.range
            return (ReadText(path=path, cells=cells),)
    whole: dict[Kind, Action] = {
        "image": ReadImage(path=path),
        "audio": ReadAudio(path=path),
        "video": ReadVideo(path=path, frames=FRAMES),
        "text": ReadText(path=path),
    }
    return whole[kind], Metadata(path=path)


def next_part(action: Action, observation: Observation) -> Action | None:
    """The action that reads on where ``action`` stopped, if there is more."""
    more = _MORE.search(observation["text"])
    if more is None or not isinstance(action, ReadText):
        return None
    return action.model_copy(update={"offset": int(more[1])})


def enough(opened: Opened) -> bool:
    """Whether no further look is needed: its place shows something, and what is quoted.

    What a file's record says is looked at too where a whole picture or sound is cited: it may be
    about when and where that was made.
    """
    cite = opened.cite
    if isinstance(cite.locator, WholeFile) and kind_of(cite.path) != "text":
        return False
    if not opened.is_there:
        return False
    return not cite.quote or quote_stands(cite.quote, opened.text)


def joined(opened: Opened, action: Action, observation: Observation) -> Opened:
    """``opened`` with what one more look has shown."""
    seen = observation["text"]
    if seen.startswith("error (") or _FAILED.search(seen):
        return Opened(opened.cite, opened.text, opened.media, opened.problem or seen[:200])
    own = seen if isinstance(action, Metadata | Terminal) else body(seen)
    text = "\n".join(part for part in (opened.text, own.strip()) if part)
    media = (*opened.media, *observation["media"])
    return Opened(opened.cite, text, media, opened.problem)


def _print_command(path: str, locator: AnyLocator) -> str:
    file = shlex.quote(f"./{path}" if path.startswith("-") else path)
    if path.lower().endswith(".pdf"):
        pages = f" -f {locator.start} -l {locator.end}" if isinstance(locator, Pages) else ""
        return f"pdftotext -layout{pages} {file} -"
    return f"head -c {_PRINTED} -- {file}"
