"""What agents that retrieve have in common: looking for passages, showing them to a model, and
reading its answer with the passages that it names."""

from __future__ import annotations

import re
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from deskgym.agents.answers import parse_answer
from deskgym.agents.base import TaskView
from deskgym.agents.llm import LLM, Message, Reply
from deskgym.agents.model_agent import ModelAgent, Unreadable
from deskgym.agents.null import ABSTENTION
from deskgym.agents.passages import NOTES, shown_locator
from deskgym.agents.prompts import fill, prompt
from deskgym.agents.rag.hits import parse_hits
from deskgym.env.actions import (
    MAX_HITS,
    MAX_QUERY,
    Action,
    Answer,
    ListFiles,
    Ranking,
    Search,
    printable,
)
from deskgym.env.observations import Observation
from deskgym.tasks.locators import AnyLocator, Lines
from deskgym.tasks.scoring.answers import abstains

RANKINGS: tuple[Ranking, ...] = ("words", "bm25", "dense", "hybrid")
MIN_DATED_STEPS = 6  # a listing for the files' dates is worth a step only where there are several
CRITIQUE_TOKENS = 512
_REFUSED = "error (unsupported)"
_DATED = re.compile(r"^(.+?)  \(\w+, \d+ bytes, modified (\d{4}-\d\d-\d\d)[^)]*\)$", re.MULTILINE)
_PLACE = re.compile(r"^\[((?:file|page|lines|turns|cells|time|region)\b.*)\]$")
_WITNESS = 80  # characters of a fault's detail
_OPENING = 60  # tokens that a passage needs at least, to be shown in part

Given = TypeVar("Given")
Searching = Generator[Action, Observation, "list[Passage]"]


@dataclass(frozen=True)
class Passage:
    """A stretch of a file as it was found. ``date`` is the file's, as ``YYYY-MM-DD``, if known."""

    path: str
    locator: AnyLocator
    text: str
    date: str = ""

    @property
    def place(self) -> tuple[str, str]:
        """What tells it from others."""
        return self.path, str(self.locator)


class PassageAgent(ModelAgent):
    """A `ModelAgent` that searches and answers from what was found.

    ``k`` passages are asked for at a time, ranked by ``ranking``; where the environment cannot rank
    so, it searches for words, with a fault. ``dates`` spends a first step on the files' dates.
    All that was found in the episode is in ``found``, each place once, in that order.
    """

    def __init__(
        self,
        llm: Mapping[str, Any] | LLM,
        k: int = 10,
        ranking: Ranking = "bm25",
        dates: bool = True,
    ) -> None:
        """
        Raises:
            ValueError: ``k`` or ``ranking`` is none that a search takes.
        """
        super().__init__(llm)
        if not 1 <= k <= MAX_HITS:
            raise ValueError(f"k is 1 to {MAX_HITS}, not {k}")
        if ranking not in RANKINGS:
            raise ValueError(f"no ranking {ranking!r}; there are {', '.join(RANKINGS)}")
        self.k, self.ranking, self.dates = k, ranking, dates
        self.question = ""
        self.on: frozenset[str] = frozenset()
        self.found: list[Passage] = []
        self.steps_left = 0
        self._dates: dict[str, str] = {}
        self._refused: set[Ranking] = set()
        self._pending: Action | None = None

    def reset(self, task: TaskView, tools: frozenset[str]) -> None:
        """Forget the last episode."""
        super().reset(task, tools)
        self.question, self.on = task.question, tools
        self.found, self._dates, self._refused, self._pending = [], {}, set(), None

    def conclude(self, observation: Observation) -> Answer:
        """The answer from what has been found, with what the last step brought."""
        if isinstance(self._pending, Search):
            self._take(observation["text"])
        self._pending = None
        return self.finish()

    def finish(self) -> Answer:
        """The answer by what is known, without a further look. Methods that know more than the
        passages say so here."""
        return self.answer(self.found)

    # --- looking ---

    def begin(self, welcome: Observation) -> Generator[Action, Observation, None]:
        """To be called first: notes the steps left, and looks up the files' dates."""
        self.steps_left = welcome["steps_left"]
        if self.dates and "list_files" in self.on and self.steps_left >= MIN_DATED_STEPS:
            listing = yield from self.do(ListFiles())
            self._dates = dict(_DATED.findall(listing["text"]))

    @property
    def may_look(self) -> bool:
        """Whether a search is possible and leaves a step for the answer."""
        return "search" in self.on and self.steps_left >= 2

    def look(
        self, query: str, *, k: int | None = None, ranking: Ranking | None = None
    ) -> Searching:
        """The passages for ``query``, best first; none if there is nothing to look with."""
        query = printable(query).strip()[:MAX_QUERY]
        wanted = ranking or self.ranking
        while self.may_look and query:
            used: Ranking = "words" if wanted in self._refused else wanted
            seen = yield from self.do(Search(query=query, top_k=k or self.k, ranking=used))
            if used == "words" or not seen["text"].startswith(_REFUSED):
                return self._take(seen["text"])
            self._refused.add(used)
            self.fault("retrieval", f"no ranking {used}, so words: {seen['text']}")
        if "search" not in self.on:
            self.fault("retrieval", "search is switched off")
        return []

    def do(self, action: Action) -> Generator[Action, Observation, Observation]:
        """One step, with the books that `conclude` needs."""
        self._pending = action
        seen = yield action
        self._pending, self.steps_left = None, seen["steps_left"]
        return seen

    def _take(self, text: str) -> list[Passage]:
        passages = [
            Passage(hit.path, hit.locator, hit.text, self.date_of(hit.path))
            for hit in parse_hits(text)
        ]
        self.keep(passages)
        return passages

    def keep(self, passages: Sequence[Passage]) -> None:
        """Add to ``found`` what is not in it."""
        known = {passage.place for passage in self.found}
        self.found += [p for p in distinct(passages) if p.place not in known]

    def date_of(self, path: str) -> str:
        """The file's date, or nothing."""
        return self._dates.get(path, "")

    # --- answering ---

    def answer(
        self,
        passages: Sequence[Passage],
        *,
        question: str | None = None,
        notes: str = "",
        system: str = "passages_answer",
    ) -> Answer:
        """The model's answer from ``passages``, which cites those that it names as ``[n]``.

        ``notes`` are thoughts of its own that it is shown too. What the model leaves open is the
        abstention, which cites nothing.
        """
        messages, shown = self.showing(
            distinct(passages), system=system, question=question or self.question, notes=notes
        )
        return self.said_answer(messages, shown)

    def said_answer(self, messages: Sequence[Message], shown: Sequence[Passage]) -> Answer:
        """What the model says to ``messages``, as an answer in which ``[n]`` names the n-th of
        ``shown``."""
        uncited: list[str] = []

        def read(reply: Reply) -> str:
            parsed = parse_answer(reply.text, shown)
            if not parsed.text:
                told = f"no answer in {reply.text[:_WITNESS]!r}"
                raise Unreadable("malformed", told, prompt("passages_again"))
            if shown and not parsed.cites and not uncited and not abstains(parsed.text):
                uncited.append(reply.text)
                told = f"no passage named in {reply.text[:_WITNESS]!r}"
                raise Unreadable("uncited", told, prompt("passages_again"))
            return reply.text

        text = self.ask_until(read, messages)
        if text is not None:
            return self.read_answer(text, shown)
        if uncited:
            return self.read_answer(uncited[0], shown)
        self.fault("malformed", "no answer after all: abstains")
        return Answer(text=ABSTENTION)

    def read_answer(self, text: str, shown: Sequence[Passage]) -> Answer:
        """``text`` as an answer. An abstention cites nothing."""
        parsed = parse_answer(text, shown)
        for fault in parsed.faults:
            self.llm.fault(*fault)
        answer = parsed.action()
        if abstains(answer.text):
            return Answer(text=answer.text)
        if shown and not answer.cites:
            self.fault("uncited", f"the answer names no passage: {answer.text}")
        return answer

    def showing(
        self,
        passages: Sequence[Passage],
        *,
        system: str,
        question: str,
        notes: str = "",
        draft: str = "",
        max_tokens: int | None = None,
    ) -> tuple[list[Message], list[Passage]]:
        """The messages that put ``question`` to the model with numbered ``passages``, and those of
        them that the context has room for (the last may be cut): the n-th is ``[n]``."""
        told = Message("system", prompt(system), pinned=True)

        def asked(shown: Sequence[Passage]) -> Message:
            parts = {"question": question, "passages": listed(shown) or "(none)"}
            parts["notes"] = f"\nNotes so far:\n{indented(notes)}\n" if notes else ""
            parts["draft"] = f"\nDraft answer:\n{indented(draft)}\n" if draft else ""
            return Message("user", fill("passages", **parts), pinned=True)

        room = self.llm.room([told, asked(())], max_tokens=max_tokens)
        shown = self.fitting(passages, room)
        return [told, asked(shown)], shown

    def fitting(self, passages: Sequence[Passage], room: int) -> list[Passage]:
        """As many of ``passages`` as ``room`` tokens hold, the last of them cut if need be."""
        kept: list[Passage] = []
        for n, passage in enumerate(passages):
            size = self.llm.tokens(listed([passage])) + 2
            if size > room:
                share = (room - _OPENING) / size
                if share > 0:
                    text = passage.text[: int(len(passage.text) * share)]
                    kept.append(replace(passage, text=f"{text} ..."))
                self.fault("context", f"{len(passages) - n} passages left out or cut")
                break
            kept.append(passage)
            room -= size
        return kept

    def fault(self, kind: str, detail: str) -> None:
        """Note what went wrong, or what was done instead, in one short line."""
        self.llm.fault(kind, " ".join(detail.split())[: 2 * _WITNESS])


# --- forms -------------------------------------------------------------------------------------


def listed(passages: Sequence[Passage]) -> str:
    """Passages as a model sees them: ``[n] path, place, date`` and the text, set in so that what
    a file says cannot pass for a head of its own."""
    return "\n".join(headed(number, passage) for number, passage in enumerate(passages, 1))


def headed(number: int, passage: Passage) -> str:
    """One passage as `listed` shows it, as the one of that number."""
    dated = f", file of {passage.date}" if passage.date else ""
    return f"[{number}] {passage.path}, {passage.locator}{dated}\n{indented(passage.text)}"


def indented(text: str) -> str:
    """``text`` with four blanks before each line."""
    return "\n".join(f"    {line}" for line in text.splitlines())


def distinct(passages: Sequence[Passage]) -> list[Passage]:
    """Each place once, the first time that it comes."""
    return list({passage.place: passage for passage in reversed(passages)}.values())[::-1]


def cited_first(answer: Answer, passages: Sequence[Passage]) -> list[Passage]:
    """``passages`` with those that ``answer`` cites before the others."""
    cited = {(cite.path, str(cite.locator)) for cite in answer.cites}
    return sorted(passages, key=lambda passage: passage.place not in cited)


# --- texts in parts ------------------------------------------------------------------------------


def read_passages(path: str, text: str, date: str = "") -> list[Passage]:
    """The segments in what `read_text` shows of ``path``; none if it shows an error."""
    lines = text.split("\n")
    while lines and lines[-1].startswith(NOTES):
        lines.pop()
    found: list[tuple[AnyLocator, list[str]]] = []
    for line in lines:
        head = _PLACE.match(line)
        if head is not None and (locator := shown_locator(head[1])) is not None:
            found.append((locator, []))
        elif found:  # what stands before the first place is about the file, not of it
            found[-1][1].append(line)
    return [Passage(path, locator, "\n".join(own), date) for locator, own in found]


def pieces(passage: Passage, most_lines: int, most_chars: int) -> list[Passage]:
    """``passage`` in runs of lines. Where its place is lines, so are those of its pieces; any other
    place is that of all of them. A line beyond ``most_chars`` is a piece by itself."""
    lines = passage.text.split("\n")
    cut: list[Passage] = []
    first = 0
    while first < len(lines):
        last, size = first + 1, len(lines[first])
        while last < len(lines) and last - first < most_lines:
            size += len(lines[last]) + 1
            if size > most_chars:
                break
            last += 1
        text = "\n".join(lines[first:last])
        if text.strip():
            place = narrowed(passage.locator, first, last - 1, len(lines))
            cut.append(replace(passage, locator=place, text=text))
        first = last
    return cut


def narrowed(locator: AnyLocator, first: int, last: int, of: int) -> AnyLocator:
    """The place of lines ``first`` to ``last``, counted from 0, in a text of ``of`` lines at
    ``locator``: ``locator`` itself, unless it stands for just as many lines."""
    if isinstance(locator, Lines) and locator.end - locator.start + 1 == of:
        return Lines(start=locator.start + first, end=locator.start + last)
    return locator


def prose(reply: Reply) -> str:
    """The reply's text, if it is plain text.

    Raises:
        Unreadable: it is empty, or something for a program.
    """
    text = reply.text.strip()
    if not text or text.startswith(("{", "[", "<", "```")):
        raise Unreadable("malformed", f"no sentence: {text[:_WITNESS]!r}", prompt("plain_again"))
    return text


# --- what models say about passages --------------------------------------------------------------


def numbers(value: Any, most: int) -> list[int]:
    """The numbers from 1 to ``most`` in what a model gave as a list of them: ``[1, "2", "[3]"]``,
    ``"1, 3"``; each once, in order. Anything else in it is passed over."""
    items = value if isinstance(value, list | tuple) else [value]
    found = [
        int(digits)
        for item in items
        if not isinstance(item, bool | dict | float)
        for digits in re.findall(r"\d{1,6}", str(item))
    ]
    return list(dict.fromkeys(n for n in found if 1 <= n <= most))


def word_of(value: Any, choices: Mapping[str, Given]) -> Given | None:
    """What the first of ``choices`` that ``value`` begins with stands for, whatever its case."""
    said = str(value).strip().casefold()
    return next((meant for word, meant in choices.items() if said.startswith(word)), None)
