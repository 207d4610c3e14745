"""Full context: all of a person's files at once, in time order, as far as the model can take them.

A baseline of RHELM. What does not fit is left out by whole files, and the model and the log are
told how many and which.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Generator, Mapping
from typing import Any, Literal

from deskgym.agents.base import TaskView
from deskgym.agents.full_context_script import MAX_SHOWN, SCRIPT
from deskgym.agents.llm import LLM, Message
from deskgym.agents.null import ABSTENTION
from deskgym.agents.prompts import fill, prompt
from deskgym.agents.reading import Passage, PassageAgent, indented, narrowed, pieces, read_passages
from deskgym.agents.steps import Play
from deskgym.env.actions import Action, Answer, ListFiles, Note, ReadText, Terminal
from deskgym.env.observations import Observation
from deskgym.tasks.locators import parse_locator

PIECE_LINES = 10
PIECE_CHARS = 1_200
CHARS_PER_TOKEN = 4  # at the most, so that reading never ends short of what fits
MAX_LISTED = 60_000  # bytes of paths that one command may hold
NAMED = 20  # files left out that are named; the others are counted
RESERVED = 2  # steps for the note and the answer
READ_TIMEOUT_S = 60.0
_LISTED = re.compile(r"^(.+?)  \(\w+, \d+ bytes, modified ([\d:T-]{10,16})\)$", re.MULTILINE)
_FOUND = re.compile(r"^(\S+)\t(.+)$", re.MULTILINE)
_FIND = "find . -type f -printf '%TY-%Tm-%TdT%TH:%TM\\t%P\\n' | sort"
_FILE = "/tmp/full_context.jsonl"

Steps = Generator[Action, Observation, None]


class FullContextAgent(PassageAgent):
    """Reads everything, newest first, shows it oldest first, and asks once.

    ``keep`` says which files stay where not all fit: the ``newest`` or the ``oldest``. Texts are
    read by commands in the terminal where it is on, else one file a step.
    """

    name = "full_context"

    def __init__(
        self, llm: Mapping[str, Any] | LLM, keep: Literal["newest", "oldest"] = "newest"
    ) -> None:
        super().__init__(llm, dates=False)
        if keep not in ("newest", "oldest"):
            raise ValueError(f"keep is newest or oldest, not {keep!r}")
        self.keep_end = keep
        self.times: dict[str, str] = {}
        self.texts: dict[str, list[Passage]] = {}
        self.silent: set[str] = set()  # read, and without text

    def reset(self, task: TaskView, tools: frozenset[str]) -> None:
        """Forget the last episode."""
        super().reset(task, tools)
        self.times, self.texts, self.silent = {}, {}, set()

    def play(self, task: TaskView, tools: frozenset[str], welcome: Observation) -> Play:
        """List, read, note what is left out, answer."""
        yield from self.begin(welcome)
        yield from self._list()
        if "terminal" in self.on:
            yield from self._read_by_script()
        elif "read_text" in self.on:
            yield from self._read_by_file()
        if self.steps_left >= RESERVED:
            _, left_out = self._fitted()
            yield from self.do(Note(text=self._stated(left_out)))
        return self.finish()

    def conclude(self, observation: Observation) -> Answer:
        """The answer from what has been read."""
        return self.finish()

    def finish(self) -> Answer:
        """The answer from as much as fits."""
        if not self.times:
            self.fault("retrieval", "no file could be listed: abstains")
            return Answer(text=ABSTENTION)
        shown, left_out = self._fitted()
        if left_out:
            self.fault("context", self._stated(left_out))
        return self.said_answer(self._messages(shown, left_out), shown)

    # --- reading ---

    def _list(self) -> Steps:
        if self.steps_left <= RESERVED:
            return
        if "list_files" in self.on:
            seen = yield from self.do(ListFiles())
            self.times = dict(_LISTED.findall(seen["text"]))
        elif "terminal" in self.on:
            seen = yield from self.do(Terminal(command=_FIND))
            self.times = {path: time for time, path in _FOUND.findall(seen["text"])}

    def _in_order(self) -> list[str]:
        """The files as they are to be read: those that are to stay come first."""
        ordered = sorted(self.times, key=lambda path: (self.times[path], path))
        return ordered[::-1] if self.keep_end == "newest" else ordered

    def _room(self) -> int:
        return self.llm.room(self._messages([], list(self.times)))

    def _read_by_script(self) -> Steps:
        """Print the files' texts with their places, in parts that an observation holds."""
        paths, size = [], 0
        for path in self._in_order():
            size += len(path.encode()) + 1
            if size > MAX_LISTED:
                break
            paths.append(path)
        budget = self._room() * CHARS_PER_TOKEN
        begin = 0
        while begin < len(paths) and budget > 0 and self.steps_left > RESERVED + 1:
            # At least one step for showing; the rest of what is read waits in a file.
            budget = min(budget, (self.steps_left - RESERVED - 1) * MAX_SHOWN // 2)
            told = yield from self._run("read", str(budget), "\n".join(paths[begin:]))
            try:
                head = json.loads(told.splitlines()[0])
                done, lines, chars = int(head["done"]), int(head["lines"]), int(head["chars"])
            except (ValueError, LookupError, TypeError):
                self.fault("retrieval", f"the files could not be read: {told[:200]}")
                return
            shown = 1
            while shown <= lines and self.steps_left > RESERVED:
                printed = yield from self._run("show", str(shown), "")
                taken = self._take_lines(printed)
                if not taken:
                    self.fault("retrieval", f"the texts could not be shown: {printed[:200]}")
                    return
                shown += taken
            begin, budget = begin + done, budget - chars
            if not done:
                return

    def _run(self, *arguments: str) -> Generator[Action, Observation, str]:
        what, number, paths = arguments
        script, texts = shlex.quote(SCRIPT), shlex.quote(paths)
        command = f"printf %s {texts} | python3 -c {script} {what} {number} {_FILE}"
        seen = yield from self.do(Terminal(command=command, timeout_s=READ_TIMEOUT_S))
        return seen["text"]

    def _take_lines(self, printed: str) -> int:
        """Keep what ``printed`` shows of files; how many lines of it could be read."""
        taken = 0
        for line in printed.splitlines():
            try:
                piece = json.loads(line)
                path, text = str(piece["path"]), str(piece["text"])
                first, of = int(piece["first"]), int(piece["of"])
                place = parse_locator(str(piece["locator"]))
            except (ValueError, LookupError, TypeError):
                break
            taken += 1
            if path not in self.times:
                continue
            lines = text.split("\n")
            locator = narrowed(place, first, first + len(lines) - 1, of)
            self._keep_text(Passage(path, locator, text, self.times[path][:10]))
        return taken

    def _read_by_file(self) -> Steps:
        room = self._room()
        for path in self._in_order():
            if room <= 0 or self.steps_left <= RESERVED:
                break
            seen = yield from self.do(ReadText(path=path))
            self._keep_text(Passage(path, parse_locator("file"), ""))
            for passage in read_passages(path, seen["text"], self.times[path][:10]):
                self._keep_text(passage)
            room -= self.llm.tokens(seen["text"])

    def _keep_text(self, passage: Passage) -> None:
        kept = self.texts.setdefault(passage.path, [])
        kept += pieces(passage, PIECE_LINES, PIECE_CHARS)

    # --- showing ---

    def _fitted(self) -> tuple[list[Passage], list[str]]:
        """What is shown, oldest first, and the files that are left out, in that order too."""
        room = self._room()
        kept: set[str] = set()
        for path in self._in_order():
            if path not in self.texts:
                continue
            room -= self.llm.tokens(_shown(self.texts[path], 1_000))
            if room < 0:
                break
            kept.add(path)
        ordered = sorted(self.times, key=lambda path: (self.times[path], path))
        shown = [piece for path in ordered if path in kept for piece in self.texts[path]]
        return shown, [path for path in ordered if path not in kept]

    def _messages(self, shown: list[Passage], left_out: list[str]) -> list[Message]:
        values = {
            "question": self.question,
            "files": _shown(shown) or "(none)",
            "left_out": self._stated(left_out),
        }
        return [
            Message("system", prompt("full_context"), pinned=True),
            Message("user", fill("full_context_question", **values), pinned=True),
        ]

    def _stated(self, left_out: list[str]) -> str:
        if not left_out:
            return f"All {len(self.times)} files are shown."
        named = ", ".join(left_out[:NAMED])
        more = f", and {len(left_out) - NAMED} more" if len(left_out) > NAMED else ""
        return f"Left out of {len(self.times)} files: {len(left_out)}: {named}{more}."


def _shown(passages: list[Passage], first: int = 1) -> str:
    """Numbered pieces below their files' names; a file's text is set in, so that it cannot pass
    for either."""
    parts: list[str] = []
    path = None
    for number, passage in enumerate(passages, first):
        if passage.path != path:
            path = passage.path
            parts.append(f"=== {path} (file of {passage.date})")
        parts.append(f"[{number}] {passage.locator}\n{indented(passage.text)}")
    return "\n".join(parts)
