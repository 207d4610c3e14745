"""The ceiling: an agent that is told the gold and walks to it through the real environment.

It proves that a task can be solved with the tools that are on: every unit of gold evidence is
looked at where it stands, every step of the rationale noted, and the gold answer given with the
evidence cited. It is the one agent that is **made from gold**, and so the one that runs in the
environment's process.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from deskgym.agents.base import TaskView
from deskgym.agents.errors import OracleError
from deskgym.env.actions import (
    MAX_TEXT,
    Action,
    Answer,
    Cite,
    ListFiles,
    Metadata,
    Note,
    ReadAudio,
    ReadImage,
    ReadOriginal,
    ReadText,
    ReadVideo,
    Terminal,
)
from deskgym.env.observations import Observation
from deskgym.env.trajectory import ModelUse
from deskgym.tasks.locators import (
    AnyLocator,
    Cells,
    Lines,
    Pages,
    Region,
    TimeSpan,
    WholeFile,
)
from deskgym.tasks.schema import Evidence, Task

# What an office file says, without the read tools: the text between the tags of its XML.
_OFFICE_TEXT = (
    "import re,sys,zipfile; z=zipfile.ZipFile(sys.argv[1]); "
    "[print(re.sub(r'<[^>]+>',' ',z.read(n).decode('utf-8','replace'))) "
    "for n in sorted(z.namelist()) if n.endswith('.xml') and not n.startswith('docProps')]"
)
CLIP_S = 120.0  # no clip is longer
MAX_CLIPS = 10
_OFFICE = {".docx", ".xlsx", ".pptx"}


@dataclass(frozen=True)
class _Look:
    """An action, the texts that it should bring up, and what to do if one of them is missing."""

    action: Action
    expected: tuple[str, ...] = ()
    otherwise: tuple[Action, ...] = ()


class OracleAgent:
    """Walks the gold of ``tasks``. Its ``reset`` fails loudly if the tools cannot show the gold.

    Looking comes first, then the notes, then the answer; with too few steps left it answers with
    what it has looked at.
    """

    name = "oracle"

    def __init__(self, tasks: Iterable[Task]) -> None:
        self._tasks = {(task.profile_id, task.id): task for task in tasks}
        self._plan: list[_Look] = []
        self._last: _Look | None = None
        self._answer = Answer(text="")

    def reset(self, task: TaskView, tools: frozenset[str]) -> None:
        """Plan the walk.

        Raises:
            OracleError: the task was not among those given, or a tool that it needs is off.
        """
        try:
            gold = self._tasks[task.profile_id, task.id]
        except KeyError:
            raise OracleError(f"the oracle was not given {task.profile_id} {task.id}") from None
        cites = {e.evidence_id: _cite(e) for e in gold.evidence}
        notes = (
            Note(text=step.text[:MAX_TEXT], cites=tuple(cites[i] for i in step.evidence_ids))
            for step in gold.rationale
        )
        self._plan = [*_looks(gold, tools), *(_Look(note) for note in notes)]
        self._last = None
        self._answer = Answer(text=gold.answer, cites=tuple(cites.values()))

    def act(self, observation: Observation) -> Action:
        """The next step of the walk."""
        if (last := self._last) is not None and last.otherwise:
            seen = _words(observation["text"])
            if not all(_words(text) in seen for text in last.expected):
                self._plan[:0] = [_Look(action) for action in last.otherwise]
        if not self._plan or observation["steps_left"] <= 1:
            return self._answer
        self._last = self._plan.pop(0)
        return self._last.action

    def take_use(self) -> ModelUse:
        """It asks no model."""
        return ModelUse()

    def kill(self) -> None:
        """Nothing is held."""

    def close(self) -> None:
        """Nothing is held."""


def _looks(task: Task, tools: frozenset[str]) -> Iterator[_Look]:
    """How to look at each place of the gold evidence, each place once."""
    if not task.evidence and "list_files" in tools:
        yield _Look(ListFiles())
    places: dict[tuple[str, str], list[Evidence]] = {}
    for evidence in task.evidence:
        places.setdefault((evidence.file_path, str(evidence.locator)), []).append(evidence)
    for units in places.values():
        yield from _look_at(units, tools)


def _look_at(units: Sequence[Evidence], tools: frozenset[str]) -> Iterator[_Look]:
    path, locator, modality = units[0].file_path, units[0].locator, units[0].modality
    texts = tuple(unit.text for unit in units)
    if isinstance(locator, WholeFile):
        # A fact about the file itself: its time, its place.
        if "metadata" in tools:
            yield _Look(Metadata(path=path))
        else:
            yield _Look(_terminal(f"stat -- {_on_desk(path)}; exiftool -- {_on_desk(path)}", tools))
    if modality in ("audio", "video"):
        for action in _clips(path, locator, modality, tools):
            yield _Look(action)
    elif modality == "image" or isinstance(locator, Region):
        for action in _pictures(path, locator, modality, tools):
            yield _Look(action)
    elif "read_text" in tools:
        yield _Look(_text(path, locator), texts, tuple(_second_look(path, locator, tools)))
    else:
        yield _Look(_terminal(_print_command(path, locator), tools))


def _text(path: str, locator: AnyLocator) -> ReadText:
    if isinstance(locator, Pages):
        return ReadText(path=path, pages=(locator.start, locator.end))
    if isinstance(locator, Lines):
        return ReadText(path=path, lines=(locator.start, locator.end))
    if isinstance(locator, Cells):
        return ReadText(path=path, cells=str(locator).removeprefix("cells:"))
    return ReadText(path=path)


def _second_look(path: str, locator: AnyLocator, tools: frozenset[str]) -> Iterator[Action]:
    """What else may show a text that did not come up: a page has no text layer, say."""
    if isinstance(locator, Pages):
        if "read_image" in tools:
            for page in range(locator.start, locator.end + 1):
                yield ReadImage(path=path, page=page)
    elif not isinstance(locator, WholeFile):
        yield ReadText(path=path)


def _pictures(
    path: str, locator: AnyLocator, modality: str, tools: frozenset[str]
) -> Iterator[Action]:
    if "read_image" not in tools:
        if modality != "image" or "read_original" not in tools:
            raise OracleError(f"{path} is to be seen at {locator}, and read_image is off")
        yield ReadOriginal(path=path)
    elif isinstance(locator, Region):
        page = None if modality == "image" else locator.page
        box = (locator.x0, locator.y0, locator.x1, locator.y1)
        yield ReadImage(path=path, page=page, region=box)
    elif isinstance(locator, Pages) and modality != "image":
        for page in range(locator.start, locator.end + 1):
            yield ReadImage(path=path, page=page)
    else:
        yield ReadImage(path=path)


def _clips(
    path: str, locator: AnyLocator, modality: str, tools: frozenset[str]
) -> Iterator[Action]:
    """How to hear or watch the place, or at least to hold it."""
    start, end = (locator.start_s, locator.end_s) if isinstance(locator, TimeSpan) else (None, None)
    if modality == "video" and "read_video" in tools:
        yield ReadVideo(path=path, start_s=start, end_s=end)
    elif modality == "audio" and "read_audio" in tools:
        if start is None or end is None:
            yield ReadAudio(path=path)
            return
        for number in range(MAX_CLIPS):
            begin = start + number * CLIP_S
            # A sound of no length cannot be heard.
            stop = min(max(end, begin + 1.0), begin + CLIP_S)
            yield ReadAudio(path=path, start_s=begin, end_s=stop)
            if stop >= end:
                return
    elif "read_original" in tools:
        # For an agent that has ears and eyes of its own.
        yield ReadOriginal(path=path)
    elif "read_text" in tools:
        yield ReadText(path=path, span_s=None if start is None or end is None else (start, end))
    else:
        raise OracleError(f"{path} is to be perceived at {locator}, and no tool that can is on")


def _print_command(path: str, locator: AnyLocator) -> str:
    """What prints a file's text in a terminal in which the read tools are off."""
    suffix, file = PurePosixPath(path).suffix.lower(), _on_desk(path)
    if suffix == ".pdf":
        pages = f"-f {locator.start} -l {locator.end} " if isinstance(locator, Pages) else ""
        return f"pdftotext {pages}{file} -"
    if suffix in _OFFICE:
        return f"python3 -c {shlex.quote(_OFFICE_TEXT)} {file}"
    return f"cat -- {file}"


def _terminal(command: str, tools: frozenset[str]) -> Terminal:
    if "terminal" not in tools:
        raise OracleError(f"neither the tool that shows the gold nor terminal is on: {command}")
    return Terminal(command=command)


def _on_desk(path: str) -> str:
    return shlex.quote(f"/desk/{path}")


def _cite(evidence: Evidence) -> Cite:
    readable = evidence.modality in ("document", "text") and not isinstance(
        evidence.locator, Region | WholeFile
    )
    return Cite(
        path=evidence.file_path,
        locator=evidence.locator,
        quote=evidence.text[:MAX_TEXT] if readable else None,
    )


def _words(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))
