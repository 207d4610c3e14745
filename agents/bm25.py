"""A baseline without a language model: finds the sentence that shares most with the question and
answers with it.

Everything it knows it reads through the environment in the same episode; nothing is kept from one
episode to the next, so that its results do not depend on the order of the tasks.
"""

from __future__ import annotations

import math
import re
import shlex
from collections import Counter
from pathlib import PurePosixPath

from deskgym.agents.base import TaskView
from deskgym.agents.null import ABSTENTION
from deskgym.agents.passages import Sentence, sentences
from deskgym.agents.ranking import BM25, K1, terms
from deskgym.env.actions import (
    MAX_HITS,
    MAX_QUERY,
    Action,
    Answer,
    Cite,
    ListFiles,
    ReadText,
    Search,
    Terminal,
)
from deskgym.env.observations import Observation

MAX_ANSWER_WORDS = 40
SHORT_ANSWER_WORDS = 24  # a shorter sentence is given together with what follows it, up to this
OWN_WEIGHT = 0.5  # of a sentence's own words, against those of its surroundings
NAME_WEIGHT = 2.0  # a question's word in a file's name counts as much as two in its text
MAX_CITES = 3
NEAR = 0.85  # of the best file's standing: from there on a file is cited too
FORM_FACTOR = 0.6  # what a sentence is worth that holds nothing of the kind that is asked for

# Counts words in every file that holds text, documents too: lines of "path<TAB>word<TAB>count". It
# takes the beginnings of the words, and folders are walked in order so that its output is stable.
_COUNT = r"""
import collections, os, re, subprocess, sys, zipfile
stems = sys.argv[1:]
for folder, folders, names in os.walk("."):
    folders.sort()
    for name in sorted(names):
        path = os.path.join(folder, name)[2:]
        if path.lower().endswith(MEDIA):
            continue
        try:
            if zipfile.is_zipfile(path):
                with zipfile.ZipFile(path) as z:
                    parts = [z.read(n) for n in z.namelist() if n.endswith(".xml")]
                text = re.sub(r"<[^>]*>", " ", b" ".join(parts).decode("utf-8", "replace"))
            elif path.lower().endswith(".pdf"):
                text = subprocess.run(["pdftotext", path, "-"], capture_output=True).stdout.decode()
            else:
                with open(path, encoding="utf-8", errors="replace") as file:
                    text = file.read()
        except (OSError, ValueError, zipfile.BadZipFile):
            continue  # a damaged file: the read tool will say so
        words = collections.Counter(re.findall(r"[^\W_]+", text.casefold()))
        for stem in stems:
            forms = [w for w in words if w.startswith(stem) and len(w) < len(stem) + 4]
            count = sum(words[w] for w in forms)
            if count:
                print(path, stem, count, sep="\t")
"""
_NO_TEXT_SUFFIXES = (
    ".png .jpg .jpeg .webp .gif .bmp .tiff .tif .heic .svg .wav .mp3 .m4a .ogg .opus .flac .aac "
    ".mp4 .webm .mov .mkv .avi .zip .gz .tar .7z"
)
_NO_TEXT = tuple(_NO_TEXT_SUFFIXES.split())
_HIT = re.compile(r"^\d+\. (.+?)  \[[a-z]+(?::.*)?\]  \(score ([\d.e+-]+)\)$", re.MULTILINE)
# The kind of thing that is asked for: how questions ask, and how such an answer looks.
_FORMS = (
    (r"\b(?:at|by|until) what time\b|\bwhat time\b", r"\d{1,2}[:.]\d\d|\b\d{1,2} ?(?:am|pm)\b"),
    (
        r"\bwhen\b|\b(?:what|which) (?:date|day|month|year)\b|\bon (?:what|which)\b",
        r"\d{4}-\d\d-\d\d|\b\d{1,2} [A-Z][a-z]{2,8}\b|\b[A-Z][a-z]{2,8} \d{1,2}\b"
        r"|[a-z]day\b|\b20\d\d\b",
    ),
    (r"\bhow (?:much|many|long|far|often)\b|\bwhat (?:mark|percentage|share|number)\b", r"\d"),
    (r"\bnumber\b|\bserial\b|\btelephone\b|\bphone\b", r"\d{2}"),
    (r"\b(?:cost|price|rent|fee|paid?|target|rate)\b", r"[£$€]? ?\d"),
)


class BM25Agent:
    """Searches for the question's words, reads the likeliest files, answers.

    Where there is nothing to search (the tool is off, or the files are not prepared) it lists the
    files and counts the words in the terminal. ``max_reads`` bounds the files that it reads; the
    steps left do so too. With ``read_text`` off it prints files in the terminal; with both off it
    abstains.
    """

    name = "bm25"

    def __init__(self, max_reads: int = 26) -> None:
        self._max_reads = max_reads
        self._question = ""
        self._tools: frozenset[str] = frozenset()
        self._paths: list[str] = []
        self._queue: list[str] = []
        self._found: dict[str, float] = {}
        self._sentences: list[Sentence] = []
        # What the next observation holds: found, list, counts or a file's path.
        self._expecting = ""

    def reset(self, task: TaskView, tools: frozenset[str]) -> None:
        """Forget the last episode."""
        self._question, self._tools = task.question, tools
        self._paths, self._queue, self._sentences, self._expecting = [], [], [], ""
        self._found = {}

    def act(self, observation: Observation) -> Action:
        """The next step of: search (or list and count), read ..., answer."""
        expecting, text = self._expecting, observation["text"]
        if expecting == "found":
            self._found = found_files(text)
            self._queue = list(self._found)[: self._max_reads]
        elif expecting == "list":
            self._paths = listed_paths(text)
            self._queue = self._ranked({})
        elif expecting == "counts":
            self._queue = self._ranked(_counts(text))
        elif expecting:
            self._sentences += sentences(expecting, text)
        if observation["steps_left"] <= 1:
            return self._answer()
        if not expecting and "search" in self._tools:
            self._expecting = "found"
            return Search(query=self._question[:MAX_QUERY], top_k=MAX_HITS)
        if not expecting or (expecting == "found" and not self._queue):
            return self._list()
        if expecting == "list" and "terminal" in self._tools:
            self._expecting = "counts"
            return Terminal(command=_count_command(self._question))
        return self._read()

    def _list(self) -> Action:
        self._expecting = "list"
        if "list_files" in self._tools:
            return ListFiles()
        if "terminal" in self._tools:
            return Terminal(command="find . -type f -printf '%P\\n' | sort")
        return self._answer()

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
        """The files to read, likeliest first; without a search, by their names alone."""
        wanted = set(terms(self._question))
        holding = Counter(word for counts in hits.values() for word in counts)

        def score(path: str) -> float:
            named = len(wanted & set(terms(path)))
            found = hits.get(path, Counter[str]())
            # A word that few files hold tells more; how often it stands in one tells little.
            weights = {word: math.log(1 + len(hits) / holding[word]) for word in found}
            told = sum(weights[word] * n / (n + K1) for word, n in sorted(found.items()))
            return told + NAME_WEIGHT * named / max(len(wanted), 1)

        readable = [p for p in self._paths if not p.lower().endswith(_NO_TEXT)]
        return sorted(readable, key=lambda path: (-score(path), path))[: self._max_reads]

    def _answer(self) -> Answer:
        scores = self._scores()
        if not any(scores):
            return Answer(text=ABSTENTION)
        best_of: dict[str, int] = {}  # a file's best sentence
        for n, sentence in enumerate(self._sentences):
            if scores[n] > scores[best_of.setdefault(sentence.path, n)]:
                best_of[sentence.path] = n
        standing = self._standing({path: scores[n] for path, n in best_of.items()})
        ranked = sorted(standing, key=lambda path: (-standing[path], path))
        near = [path for path in ranked if standing[path] >= NEAR * standing[ranked[0]]]
        number = max(best_of.values(), key=lambda n: (scores[n], -n))
        best = self._sentences[number]
        words = best.text.split()[:MAX_ANSWER_WORDS]
        for after in self._sentences[number + 1 :]:
            more = after.text.split()
            if after.path != best.path or len(words) + len(more) > SHORT_ANSWER_WORDS:
                break
            words += more
        paths = list(dict.fromkeys([best.path, *near]))[:MAX_CITES]
        cited = [self._sentences[best_of[path]] for path in paths]
        cites = tuple(Cite(path=s.path, locator=s.locator) for s in cited)
        return Answer(text=" ".join(words), cites=cites)

    def _standing(self, best: dict[str, float]) -> dict[str, float]:
        """Of each file, what two witnesses say: its best sentence, and the search."""
        most, most_found = max(best.values()), max(self._found.values(), default=1.0)
        return {
            path: score / most + self._found.get(path, 0.0) / (most_found or 1.0)
            for path, score in best.items()
        }

    def _scores(self) -> list[float]:
        """Of each sentence: how well its surroundings and it itself fit the question."""
        ranking = BM25([f"{s.path} {s.context}" for s in self._sentences])
        around = ranking.scores(self._question)
        own = BM25([s.text for s in self._sentences]).scores(self._question)
        question = self._question.casefold()
        forms = [re.compile(answer) for asked, answer in _FORMS if re.search(asked, question)]
        found = []
        for sentence, near, itself in zip(self._sentences, around, own, strict=True):
            fits = all(form.search(sentence.text) for form in forms)
            found.append((near + OWN_WEIGHT * itself) * (1.0 if fits else FORM_FACTOR))
        return found


def found_files(text: str) -> dict[str, float]:
    """The files in what `search` shows with the score of their best hit, in that order; none if
    there is nothing to search."""
    found: dict[str, float] = {}
    for path, score in _HIT.findall(text):
        found.setdefault(path, float(score))
    return found


def listed_paths(text: str) -> list[str]:
    """The paths in what `list_files` (or ``find``) shows, one a line."""
    found = []
    for line in text.splitlines():
        path = re.split(r"\s{2,}\(", line.strip())[0]
        if PurePosixPath(path).suffix:
            found.append(path)
    return list(dict.fromkeys(found))


def _count_command(question: str) -> str:
    words = sorted(set(terms(question)))  # letters and digits alone
    script = _COUNT.replace("MEDIA", repr(_NO_TEXT))
    return f"python3 - {' '.join(words)} <<'END'{script}END"


def _counts(text: str) -> dict[str, Counter[str]]:
    found: dict[str, Counter[str]] = {}
    for line in text.splitlines():
        if len(parts := line.split("\t")) == 3 and parts[2].isdigit():
            found.setdefault(parts[0], Counter())[parts[1]] = int(parts[2])
    return found
