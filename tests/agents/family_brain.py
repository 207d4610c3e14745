"""A capable model for the agents that retrieve, as a brain of the scripted endpoint.

It knows of each question what the gold says, as a test may, but plays by what it is shown: it
answers only once passages of all the files that the answer needs are in front of it, and cites
those that hold the evidence.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from endpoint import BrainReply, last_text, said, system_text

from deskgym.agents.null import ABSTENTION
from deskgym.agents.prompts import prompt
from deskgym.tasks.schema import Task

_HEAD = re.compile(
    r"^\[(\d+)\] (.+?), ((?:file|page|lines|turns|cells|time|region)\b.*?)(?:, file of .*)?$"
)
_FILE = re.compile(r"^=== (.+) \(file of .*\)$")
_PIECE = re.compile(r"^\[(\d+)\] \S.*$")


@dataclass(frozen=True)
class Shown:
    """A numbered passage as the model sees it."""

    number: int
    path: str
    text: str


class FamilyBrain:
    """Plays a capable model that knows ``tasks``; of any other question it knows nothing."""

    def __init__(self, tasks: Sequence[Task]) -> None:
        self._tasks = tasks

    def __call__(self, request: dict[str, Any]) -> BrainReply:
        task = self._task(request)
        system = system_text(request)
        for name, play in _ROLES.items():
            if system == prompt(name):
                return BrainReply(play(task, request))
        raise AssertionError(f"no such prompt: {system[:80]}")

    def _task(self, request: dict[str, Any]) -> Task | None:
        text = said(request, "user")
        asked = [task for task in self._tasks if task.question in text]
        # The longest, as one question may be part of another.
        return max(asked, key=lambda task: len(task.question), default=None)


def passages(text: str) -> list[Shown]:
    """The numbered passages in what the model is shown."""
    found: list[Shown] = []
    path = ""
    for line in text.splitlines():
        if head := _HEAD.match(line):
            found.append(Shown(int(head[1]), head[2], ""))
        elif file := _FILE.match(line):
            path = file[1]
        elif path and (piece := _PIECE.match(line)):
            found.append(Shown(int(piece[1]), path, ""))
        elif found and line.startswith("    "):
            found[-1] = Shown(found[-1].number, found[-1].path, f"{found[-1].text} {line.strip()}")
    return found


def telling(task: Task, shown: Sequence[Shown]) -> list[Shown]:
    """Of each piece of evidence the passage of its file that has most words with it in common."""
    chosen = []
    for unit in task.evidence:
        own = [passage for passage in shown if passage.path == unit.file_path]
        words = _words(unit.text)
        if own:
            chosen.append(max(own, key=lambda p: (len(words & _words(p.text)), -p.number)))
    return chosen


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold()))


def _wanted(task: Task) -> str:
    """Words that the files use, as somebody might guess who knows such files."""
    return " ".join(unit.text for unit in task.evidence) or task.question


def _answer(task: Task | None, request: dict[str, Any]) -> str:
    return _from(task, passages(last_text(request)))


def _from(task: Task | None, shown: Sequence[Shown]) -> str:
    if task is None or not task.answerable:
        return ABSTENTION
    chosen = telling(task, shown)
    if {passage.path for passage in chosen} != set(task.files):
        return ABSTENTION
    marks = "".join(f"[{number}]" for number in sorted({p.number for p in chosen}))
    return f"{task.answer} {marks}"


def _subquestion(task: Task | None, request: dict[str, Any]) -> str:
    told = " ".join(last_text(request).split())
    sought = [" ".join(unit.text.split()) for unit in task.evidence] if task is not None else []
    left = [text for text in sought if text not in told]
    if not left and "(nothing yet)" in told:
        return json.dumps({"next": "What do the files say of it?"})
    return json.dumps({"next": f"What is said of: {left[0]}" if left else None})


def _turn(task: Task | None, request: dict[str, Any]) -> str:
    shown = passages(said(request, "user"))
    answer = _from(task, shown)
    searches = said(request, "assistant").count("<search>")
    if answer != ABSTENTION or task is None or searches > len(task.evidence):
        return f"<think>That settles it.</think>\n<answer>{answer}</answer>"
    sought = (*(unit.text for unit in task.evidence), task.question)[searches]
    return f"<think>I have to look for it.</think>\n<search>{sought}</search>"


def _relevant(task: Task | None, request: dict[str, Any]) -> list[int]:
    shown = passages(last_text(request))
    return [p.number for p in shown if task is not None and p.path in task.files]


def _grades(task: Task | None, request: dict[str, Any]) -> str:
    good = _relevant(task, request)
    shown = passages(last_text(request))
    whole = task is not None and {p.path for p in shown} >= set(task.files) and bool(task.files)
    grade = "correct" if whole else "ambiguous"
    return json.dumps(
        {"grades": {str(p.number): grade if p.number in good else "wrong" for p in shown}}
    )


def _support(task: Task | None, request: dict[str, Any]) -> str:
    drafted = last_text(request).partition("Draft answer:")[2].partition("Passages from")[0]
    if task is None or not task.answerable:
        return json.dumps({"support": "fully", "useful": 4, "missing": ""})
    if task.answer in " ".join(drafted.split()):
        return json.dumps({"support": "fully", "useful": 5, "missing": ""})
    return json.dumps({"support": "no", "useful": 1, "missing": _wanted(task)})


def _rewrite(task: Task | None, request: dict[str, Any]) -> str:
    if task is None or not task.files:
        return json.dumps({"query": "something else", "files": ""})
    name = PurePosixPath(task.files[-1]).name
    return json.dumps({"query": _wanted(task), "files": f"*{name}"})


def _thought(task: Task | None, request: dict[str, Any]) -> str:
    answer = _answer(task, request)
    notes = last_text(request).partition("Notes so far:")[2].partition("Passages from")[0]
    if task is None or answer != ABSTENTION:
        return f"So the answer is: {answer.partition('[')[0].strip()}"
    left = [unit.text for unit in task.evidence if _flat(unit.text) not in _flat(notes)]
    return f"It may say {_flat(left[0])}" if left else "So the answer is: not to be found."


def _flat(text: str) -> str:
    """Without what would end a sentence."""
    return " ".join(re.sub(r"[.!?]", " ", text).split())


_ROLES = {
    "passages_answer": _answer,
    "full_context": _answer,
    "search_r1": _turn,
    "ircot": _thought,
    "decompose": _subquestion,
    "hyde": lambda task, request: _wanted(task) if task is not None else "Nothing of the kind.",
    "self_rag_retrieve": lambda task, request: json.dumps(
        {"retrieve": True, "query": _wanted(task) if task is not None else ""}
    ),
    "self_rag_relevance": lambda task, request: json.dumps({"relevant": _relevant(task, request)}),
    "self_rag_support": _support,
    "corrective_rag_grade": _grades,
    "corrective_rag_refine": lambda task, request: json.dumps({"keep": _relevant(task, request)}),
    "corrective_rag_rewrite": _rewrite,
}
