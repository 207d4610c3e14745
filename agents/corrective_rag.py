"""Corrective RAG: grade what was retrieved, keep what tells, and look elsewhere where it fails.

Yan et al., "Corrective Retrieval Augmented Generation", 2024. Passages are graded correct,
ambiguous or wrong. If any is correct, the good ones are refined: cut into strips, of which those
that tell are kept. If all are wrong, the query is rewritten and the search done otherwise; between
the two, both are done. The paper then searches the web; here there is none, so the desk's own
search for words is used, and files whose names look promising are read.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from deskgym.agents.base import TaskView
from deskgym.agents.bm25 import listed_paths
from deskgym.agents.llm import LLM, Message
from deskgym.agents.prompts import fill, prompt
from deskgym.agents.reading import (
    CRITIQUE_TOKENS,
    Passage,
    PassageAgent,
    Searching,
    numbers,
    pieces,
    read_passages,
    word_of,
)
from deskgym.agents.steps import Play
from deskgym.env.actions import MAX_PATH, Action, Answer, ListFiles, Ranking, ReadText, printable
from deskgym.env.observations import Observation

Grade = Literal["correct", "ambiguous", "wrong"]

STRIP_LINES = 4
STRIP_CHARS = 400
MAX_READS = 2  # files that are read because of their names
_GRADES: dict[str, Grade] = {
    "correct": "correct",
    "ambiguous": "ambiguous",
    "wrong": "wrong",
    "incorrect": "wrong",
}


class CorrectiveRagAgent(PassageAgent):
    """Searches, grades, corrects once, refines, answers."""

    name = "corrective_rag"

    def __init__(
        self,
        llm: Mapping[str, Any] | LLM,
        k: int = 10,
        ranking: Ranking = "bm25",
        dates: bool = True,
    ) -> None:
        super().__init__(llm, k, ranking, dates)
        self.knowledge: list[Passage] = []

    def reset(self, task: TaskView, tools: frozenset[str]) -> None:
        """Forget the last episode."""
        super().reset(task, tools)
        self.knowledge = []

    def play(self, task: TaskView, tools: frozenset[str], welcome: Observation) -> Play:
        """Retrieve, grade, correct, answer."""
        yield from self.begin(welcome)
        passages = yield from self.look(task.question)
        graded = self._graded(passages)
        verdict: Grade = next((g for g in ("correct", "ambiguous") if graded[g]), "wrong")
        self.llm.think(f"retrieval: {verdict}")
        if verdict != "wrong":
            self.knowledge = self._refined(graded["correct"] + graded["ambiguous"])
        if verdict != "correct":
            others = yield from self._elsewhere()
            self.knowledge += self._refined(others)
        return self.finish()

    def finish(self) -> Answer:
        """The answer from what was kept; if nothing was, from all that was found."""
        return self.answer(self.knowledge or self.found)

    # --- grading ---

    def _graded(self, passages: Sequence[Passage]) -> dict[Grade, list[Passage]]:
        """``passages`` by their grades. One without a grade counts as ambiguous."""
        graded: dict[Grade, list[Passage]] = {"correct": [], "ambiguous": [], "wrong": []}
        if not passages:
            return graded
        messages, shown = self.showing(
            passages,
            system="corrective_rag_grade",
            question=self.question,
            max_tokens=CRITIQUE_TOKENS,
        )
        said = self.ask_json(messages, "grades", max_tokens=CRITIQUE_TOKENS)
        grades = said["grades"] if said is not None else None
        if not isinstance(grades, dict):
            self.fault("malformed", "grades unreadable: all taken as ambiguous")
            grades = {}
        for number, passage in enumerate(shown, 1):
            grade = word_of(grades.get(str(number), ""), _GRADES)
            graded[grade or "ambiguous"].append(passage)
        return graded

    def _refined(self, passages: Sequence[Passage]) -> list[Passage]:
        """What of ``passages`` tells: the strips that the model keeps, those of one place joined.

        All of them, if it says nothing of use."""
        if not passages:
            return []
        strips = [strip for passage in passages for strip in _strips(passage)]
        messages, shown = self.showing(
            strips,
            system="corrective_rag_refine",
            question=self.question,
            max_tokens=CRITIQUE_TOKENS,
        )
        said = self.ask_json(messages, "keep", max_tokens=CRITIQUE_TOKENS)
        if said is None:
            self.fault("malformed", "refinement unreadable: all strips kept")
            return list(passages)
        return _joined([shown[n - 1] for n in sorted(numbers(said["keep"], len(shown)))])

    # --- looking elsewhere ---

    def _elsewhere(self) -> Searching:
        """What another query to the desk's own search and the files' names bring."""
        if not self.may_look:
            return []
        query, pattern = self._rewritten()
        passages = yield from self.look(query, ranking="words")
        if pattern:
            passages = passages + (yield from self._by_name(pattern))
        return passages

    def _rewritten(self) -> tuple[str, str]:
        """Another query, and a pattern of file names or nothing."""
        messages = [
            Message("system", prompt("corrective_rag_rewrite"), pinned=True),
            Message("user", fill("corrective_rag_question", question=self.question), pinned=True),
        ]
        said = self.ask_json(messages, "query", max_tokens=CRITIQUE_TOKENS)
        query = said["query"] if said is not None else None
        if said is None or not isinstance(query, str) or not query.strip():
            self.fault("malformed", "no other query: the question is looked up once more")
            return self.question, ""
        pattern = said.get("files")
        return query, printable(pattern)[:MAX_PATH] if isinstance(pattern, str) else ""

    def _by_name(self, pattern: str) -> Generator[Action, Observation, list[Passage]]:
        if "list_files" not in self.on or "read_text" not in self.on or self.steps_left < 3:
            return []
        listing = yield from self.do(ListFiles(pattern=pattern))
        read: list[Passage] = []
        for path in listed_paths(listing["text"])[:MAX_READS]:
            if self.steps_left < 2:
                break
            shown = yield from self.do(ReadText(path=path))
            read += read_passages(path, shown["text"], self.date_of(path))
        self.keep(read)
        return read


def _strips(passage: Passage) -> list[Passage]:
    """``passage`` in strips, each with a place of its own, if only for the time being."""
    return pieces(passage, STRIP_LINES, STRIP_CHARS)


def _joined(strips: Sequence[Passage]) -> list[Passage]:
    texts: dict[tuple[str, str], list[str]] = {}
    for strip in strips:
        texts.setdefault(strip.place, []).append(strip.text)
    whole = {strip.place: strip for strip in reversed(strips)}
    return [replace(whole[place], text="\n".join(text)) for place, text in texts.items()]
