"""A baseline without a language model: finds the passage that shares most words with the question
and answers with its best sentence.

Everything it knows it reads through the environment in the same episode; nothing is kept from one
episode to the next, so that its results do not depend on the order of the tasks.
"""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from deskgym.agents.base import TaskView
from deskgym.agents.null import ABSTENTION
from deskgym.agents.ranking import BM25, terms
from deskgym.env.actions import Action, Answer, Cite, ListFiles, ReadText, Terminal
from deskgym.env.observations import Observation
from deskgym.tasks.locators import AnyLocator, Cells, Lines, WholeFile, cell_bounds, parse_locator

WINDOW = 4  # lines of a passage; the next one starts half a window further on
MAX_ANSWER_WORDS = 60
NAME_WEIGHT = 2.0  # a question's word in a file's name counts as much as two in its text

# What rg cannot look into; read_text can.
_DOCUMENTS = frozenset({".pdf", ".docx", ".xlsx", ".pptx"})
_NO_TEXT_SUFFIXES = (
    ".png .jpg .jpeg .webp .gif .bmp .tiff .tif .heic .svg .wav .mp3 .m4a .ogg .opus .flac .aac "
    ".mp4 .webm .mov .mkv .avi .zip .gz .tar .7z"
)
_NO_TEXT = frozenset(_NO_TEXT_SUFFIXES.split())
_HEADER = re.compile(
    r"^[\[(<#=\s-]*((?:page|lines|turns|cells|time|region):[^\]>)]+?)[\])>#=:\s-]*$"
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z0-9\"'£$€(])")
_ROW = re.compile(r"^\W*(\d+)\s*\|")
_TIME_WORDS = frozenset({"when", "date", "day", "time", "deadline"})
_COUNT_WORDS = frozenset({"much", "many", "cost", "price", "total", "amount", "rent", "long"})
_DATE = re.compile(
    r"\d{4}-\d\d-\d\d|\d{1,2}:\d\d|\b\d{1,2}(?:st|nd|rd|th)?\s+[A-Z][a-z]{2,8}\b"
    r"|\b[A-Z][a-z]{2,8}\s+\d{1,2}\b|\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day"
)
_NUMBER = re.compile(r"\d")


@dataclass(frozen=True)
class _Passage:
    path: str
    locator: AnyLocator
    text: str


class BM25Agent:
    """Lists the files, looks for the question's words, reads the likeliest files, answers.

    ``max_reads`` bounds the files that it reads; the steps left do so too. With ``read_text`` off
    it prints files in the terminal; with both off it abstains.
    """

    name = "bm25"

    def __init__(self, max_reads: int = 25) -> None:
        self._max_reads = max_reads
        self._question = ""
        self._tools: frozenset[str] = frozenset()
        self._paths: list[str] = []
        self._queue: list[str] = []
        self._passages: list[_Passage] = []
        self._expecting = ""  # what the next observation holds: list, hits or a file's path

    def reset(self, task: TaskView, tools: frozenset[str]) -> None:
        """Forget the last episode."""
        self._question, self._tools = task.question, tools
        self._paths, self._queue, self._passages, self._expecting = [], [], [], ""

    def act(self, observation: Observation) -> Action:
        """The next step of: list, search, read ..., answer."""
        expecting, text = self._expecting, observation["text"]
        if observation["steps_left"] <= 1:
            return self._answer()
        if not expecting:
            self._expecting = "list"
            if "list_files" in self._tools:
                return ListFiles()
            if "terminal" in self._tools:
                return Terminal(command="find . -type f -printf '%P\\n' | sort")
            return self._answer()
        if expecting == "list":
            self._paths = listed_paths(text)
            if "terminal" in self._tools:
                self._expecting = "hits"
                return Terminal(command=_count_command(self._question))
            self._queue = self._ranked({})
        elif expecting == "hits":
            self._queue = self._ranked(_hits(text))
        else:
            self._passages += passages(expecting, text)
        return self._read()

    def _read(self) -> Action:
        if not self._queue:
            return self._answer()
        self._expecting = path = self._queue.pop(0)
        if "read_text" in self._tools:
            return ReadText(path=path)
        if "terminal" in self._tools:
            file = shlex.quote(path)
            pdf = path.lower().endswith(".pdf")
            return Terminal(command=f"pdftotext -layout {file} -" if pdf else f"cat -- {file}")
        return self._answer()

    def _ranked(self, hits: dict[str, Counter[str]]) -> list[str]:
        """The files to read, likeliest first; documents, of which the search knows nothing, take
        turns with the files in which it found something."""
        wanted = set(terms(self._question))
        holding = Counter(word for counts in hits.values() for word in counts)

        def score(path: str) -> float:
            named = wanted & set(terms(path))
            found = hits.get(path, Counter[str]())
            # A word that few files hold tells more; how often it stands in one tells little.
            told = sum((1 + min(n, 4) / 4) / holding[word] for word, n in found.items())
            return told + NAME_WEIGHT * len(named) / max(len(wanted), 1)

        readable = [p for p in self._paths if PurePosixPath(p).suffix.lower() not in _NO_TEXT]
        ordered = sorted(readable, key=lambda path: (-score(path), path))
        documents = [p for p in ordered if PurePosixPath(p).suffix.lower() in _DOCUMENTS]
        others = [p for p in ordered if PurePosixPath(p).suffix.lower() not in _DOCUMENTS]
        turns: list[str] = []
        for number in range(max(len(documents), len(others))):
            turns += [*others[number : number + 1], *documents[number : number + 1]]
        return turns[: self._max_reads]

    def _answer(self) -> Answer:
        ranking = BM25([f"{p.path} {p.text}" for p in self._passages])
        scores = ranking.scores(self._question)
        if not any(scores):
            return Answer(text=ABSTENTION)
        best = self._passages[max(range(len(scores)), key=lambda n: (scores[n], -n))]
        offset, sentence = self._best_sentence(best.text, ranking)
        locator = best.locator
        if isinstance(locator, Lines):
            line = locator.start + offset
            locator = Lines(start=line, end=line)
        return Answer(text=sentence, cites=(Cite(path=best.path, locator=locator),))

    def _best_sentence(self, text: str, ranking: BM25) -> tuple[int, str]:
        """The sentence that shares most with the question, and which line of ``text`` it is on."""
        wanted = set(terms(self._question))
        asked = set(re.findall(r"[a-z]+", self._question.casefold()))
        found: list[tuple[float, int, str]] = []
        for number, line in enumerate(text.split("\n")):
            for sentence in _SENTENCE.split(line.strip()):
                if not (own := set(terms(sentence))):
                    continue
                score = sum(ranking.idf(term) for term in sorted(wanted & own))
                # What is asked for is likely to stand there in its form.
                score += 2.0 * bool(asked & _TIME_WORDS and _DATE.search(sentence))
                score += 2.0 * bool(asked & _COUNT_WORDS and _NUMBER.search(sentence))
                found.append((score, -number, sentence))
        _, negative, sentence = max(found, default=(0.0, 0, text))
        return -negative, " ".join(sentence.split()[:MAX_ANSWER_WORDS])


def listed_paths(text: str) -> list[str]:
    """The paths in what `list_files` (or ``find``) shows, one a line."""
    found = []
    for line in text.splitlines():
        path = re.split(r"\s{2,}|\t", line.strip())[0]
        if PurePosixPath(path).suffix:
            found.append(path)
    return list(dict.fromkeys(found))


def passages(path: str, text: str) -> Iterator[_Passage]:
    """Windows of lines over what `read_text` showed of a file, each with its place."""
    locator: AnyLocator = WholeFile()
    lines: list[str] = []
    for line in text.split("\n"):
        if (header := _HEADER.match(line)) and (found := _locator(header[1])) is not None:
            yield from _windows(path, locator, lines)
            locator, lines = found, []
        else:
            lines.append(line)
    yield from _windows(path, locator, lines)


def _windows(path: str, locator: AnyLocator, lines: list[str]) -> Iterator[_Passage]:
    if isinstance(locator, Cells):
        yield from _rows(path, locator, lines)
        return
    for start in range(0, max(len(lines) - WINDOW // 2, 1), WINDOW // 2):
        window = lines[start : start + WINDOW]
        if any(line.strip() for line in window):
            place = locator
            if isinstance(locator, Lines):
                first = locator.start + start
                place = Lines(start=first, end=first + len(window) - 1)
            yield _Passage(path, place, "\n".join(window))


def _rows(path: str, locator: Cells, lines: list[str]) -> Iterator[_Passage]:
    """Each row of a sheet, with its cells as the place; the sheet's first row goes along."""
    left, _, right, _ = cell_bounds(locator.range)
    heading = ""
    for line in lines:
        if row := _ROW.match(line):
            cells = f"{_letters(left)}{row[1]}:{_letters(right)}{row[1]}"
            yield _Passage(path, Cells(sheet=locator.sheet, range=cells), f"{line}\n{heading}")
            heading = heading or line


def _letters(column: int) -> str:
    letters = ""
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


def _locator(text: str) -> AnyLocator | None:
    try:
        return parse_locator(text)
    except ValueError:
        return None  # a line of the file that only looks like a heading


def _count_command(question: str) -> str:
    """Counts the question's words in every file that is text: lines of ``count path:word``."""
    words = sorted(set(terms(question))) or ["a"]
    pattern = rf"\b({'|'.join(words)})s?\b"  # words are letters and digits alone
    return (
        f"rg --hidden --only-matching --ignore-case --no-line-number --no-heading "
        f"--with-filename --sort path -e '{pattern}' . | sort | uniq -c | head -n 1500"
    )


def _hits(text: str) -> dict[str, Counter[str]]:
    found: dict[str, Counter[str]] = {}
    for line in text.splitlines():
        if match := re.fullmatch(r"\s*(\d+) (?:\./)?(.+):([^:]+)", line):
            for word in terms(match[3]):
                found.setdefault(match[2], Counter())[word] += int(match[1])
    return found
