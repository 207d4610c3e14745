"""Search-R1: reasoning that searches as it goes, in one conversation of plain text.

Jin et al., "Search-R1: Training LLMs to Reason and Leverage Search Engines with Reinforcement
Learning", COLM 2025. The model thinks in ``<think>``, searches with ``<search>``, is given
``<information>``, and ends with ``<answer>``. What it writes and what it is given count against a
token budget; once that is spent, it must answer.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from deskgym.agents.base import TaskView
from deskgym.agents.llm import LLM, Message
from deskgym.agents.model_agent import REPAIRS
from deskgym.agents.null import ABSTENTION
from deskgym.agents.prompts import fill, prompt
from deskgym.agents.reading import Passage, PassageAgent, headed
from deskgym.agents.steps import Play
from deskgym.env.actions import Answer, Ranking, Search
from deskgym.env.observations import Observation

STOPS = ("</search>", "</answer>")
REPLY_TOKENS = 700
MIN_TURN = 100  # tokens below which a further turn would come to nothing
_THOUGHT = re.compile(r"<think>(.*?)</think>", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(r"<(search|answer)>(.*?)(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_ANY_TAG = re.compile(r"</?(?:think|search|answer|information)>", re.IGNORECASE)


class SearchR1Agent(PassageAgent):
    """Thinks and searches for at most ``max_searches`` searches and ``token_budget`` tokens."""

    name = "search_r1"

    def __init__(
        self,
        llm: Mapping[str, Any] | LLM,
        k: int = 3,
        ranking: Ranking = "bm25",
        dates: bool = True,
        max_searches: int = 10,
        token_budget: int = 12_000,
    ) -> None:
        super().__init__(llm, k, ranking, dates)
        if max_searches < 1 or token_budget < MIN_TURN:
            raise ValueError(f"max_searches is at least 1, token_budget at least {MIN_TURN}")
        self.max_searches, self.token_budget = max_searches, token_budget
        self.said: list[Message] = []
        self.spent = 0

    def reset(self, task: TaskView, tools: frozenset[str]) -> None:
        """Forget the last episode."""
        super().reset(task, tools)
        self.spent = 0
        self.said = [
            Message("system", prompt("search_r1"), pinned=True),
            Message("user", fill("search_r1_question", question=task.question), pinned=True),
        ]

    def play(self, task: TaskView, tools: frozenset[str], welcome: Observation) -> Play:
        """The conversation, until it answers or must."""
        yield from self.begin(welcome)
        searches = malformed = 0
        while self.may_look and searches < self.max_searches and self._affords_a_turn:
            kind, text = self._turn()
            if kind == "answer":
                return self.read_answer(text, self.found)
            if kind == "search":
                searches += 1
                self._inform((yield from self.look(text)))
                continue
            malformed += 1
            if malformed > REPAIRS:
                break
            self.said.append(Message("user", prompt("search_r1_repair")))
        if not self._affords_a_turn:
            self.fault("budget", f"{self.spent} tokens of {self.token_budget} are spent")
        return self.finish()

    def conclude(self, observation: Observation) -> Answer:
        """The answer that the model gives when told that it is time."""
        if isinstance(self._pending, Search):
            self._inform(self._take(observation["text"]))
            self._pending = None
        return self.finish()

    def finish(self) -> Answer:
        """Asks for the answer, whatever has been found; text without tags is taken for it."""
        messages = [*self.said, Message("user", prompt("search_r1_last"), pinned=True)]
        text = self.ask_text(messages, stop=STOPS[1:], max_tokens=REPLY_TOKENS)
        if text is None:
            self.fault("malformed", "no answer after all: abstains")
            return Answer(text=ABSTENTION)
        kind, inner = read_turn(text)
        if kind != "answer":
            self.fault("malformed", f"no <answer> in {text[:60]!r}: its text is taken")
            inner = _ANY_TAG.sub("", _THOUGHT.sub("", text))
        return self.read_answer(inner, self.found)

    @property
    def _affords_a_turn(self) -> bool:
        return self.spent + MIN_TURN <= self.token_budget

    def _turn(self) -> tuple[str, str]:
        """What the model does next: ``search`` or ``answer`` with its text, or neither (``""``)."""
        left = min(REPLY_TOKENS, self.token_budget - self.spent)
        reply = self.ask(self.said, stop=STOPS, max_tokens=left)
        self.spent += self.llm.tokens(reply.text)
        kind, inner = read_turn(reply.text)
        for thought in _THOUGHT.findall(reply.text):
            self.llm.think(thought.strip())
        if kind and inner.strip():
            # Without whatever it may have made up after the tag.
            before = reply.text[: _opening(reply.text, kind)]
            self.said.append(Message("assistant", f"{before}<{kind}>{inner}</{kind}>"))
            return kind, inner
        if reply.text.strip():  # that it is empty is noted already
            self.fault("malformed", f"neither <search> nor <answer> in {reply.text[:60]!r}")
            self.said.append(Message("assistant", reply.text[: 8 * REPLY_TOKENS]))
        return "", ""

    def _inform(self, passages: Sequence[Passage]) -> None:
        """Give the model what a search found, each passage by its number in the episode."""
        room = min(self.llm.room(self.said), max(self.token_budget - self.spent, 0))
        numbers = {passage.place: number for number, passage in enumerate(self.found, 1)}
        shown = self.fitting(passages, room)
        text = "\n".join(headed(numbers[passage.place], passage) for passage in shown)
        text = fill("search_r1_information", passages=text or "(nothing found)")
        self.spent += self.llm.tokens(text)
        self.said.append(Message("user", text))


def read_turn(text: str) -> tuple[str, str]:
    """The first ``<search>`` or ``<answer>`` outside of the model's thoughts, and what it holds;
    the closing tag may be missing. Twice nothing if there is neither."""
    found = _TAG.search(_THOUGHT.sub("", text))
    return (found[1].lower(), found[2]) if found else ("", "")


def _opening(text: str, kind: str) -> int:
    """Where the tag that `read_turn` found begins in ``text``."""
    blanked = _THOUGHT.sub(lambda thought: " " * len(thought[0]), text)
    return blanked.lower().index(f"<{kind}>")
