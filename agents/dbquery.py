"""A model that knows a person only through SQL: the baseline without a memory.

Setoka compares memories with a system that has none and asks a database of the person's structured
records instead. Here the database is made in the desk, by programs of `dbquery_desk` that run as
the agent's user, and asked there; the rows that a query returns are an observation like any other.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

from deskgym.agents.answers import AnswerFault, find_object, parse_answer
from deskgym.agents.base import TaskView
from deskgym.agents.llm import LLM, Message, Reply
from deskgym.agents.model_agent import ModelAgent, Unreadable
from deskgym.agents.null import ABSTENTION
from deskgym.agents.prompts import fill, prompt
from deskgym.agents.steps import Play
from deskgym.env.actions import Action, Answer, Cite, ListFiles, Terminal
from deskgym.env.observations import Observation

DATABASE = "/scratch/records.sqlite"
MAX_SQL = 10_000
_PROGRAMS = "dbquery_desk"
_LISTING = "/scratch/listing.tsv"
_END = "END_OF_DESKGYM"
_RUN = f"PYTHONPATH=/scratch python3 -P -m {_PROGRAMS}"  # -P: no file of the person's is imported
_CHUNK = 60_000  # characters of the listing in one command
_BUILD_S, _QUERY_S = 60.0, 30.0
_LISTED = re.compile(r"^(.+)  \((\w+), \d+ bytes, modified (\S+)\)$", re.MULTILINE)
_SCHEMA_SHOWN = 14_000
_FENCED_SQL = re.compile(r"```sql\s*\n(.+?)```", re.DOTALL | re.IGNORECASE)


@dataclass
class _Seen:
    """One episode's conversation, and all that queries have returned so far."""

    messages: list[Message] = field(default_factory=list)
    rows: str = ""
    waiting: bool = False  # whether the next observation is what a query returned


@dataclass(frozen=True)
class _Query:
    sql: str


class DBQueryAgent(ModelAgent):
    """Writes SQL, one SELECT at a time and at most ``max_queries``, then answers from the rows.

    It needs the terminal; without it, and where no database can be made, it abstains and says so as
    a fault. With ``list_files`` on, the database also knows when files were changed.
    """

    name = "dbquery"

    def __init__(self, llm: Mapping[str, Any] | LLM, max_queries: int = 8) -> None:
        """
        Raises:
            ValueError: ``max_queries`` is less than 1.
        """
        if max_queries < 1:
            raise ValueError(f"max_queries is at least 1, not {max_queries}")
        super().__init__(llm)
        self._max_queries = max_queries
        self._seen = _Seen()

    def play(self, task: TaskView, tools: frozenset[str], welcome: Observation) -> Play:
        """Make the database, query it until the model answers."""
        self._seen = seen = _Seen()
        if "terminal" not in tools:
            self.llm.fault("switched_off", "terminal: there is no database without it")
            return Answer(text=ABSTENTION)
        schema = yield from self._built(tools)
        if schema is None:
            return Answer(text=ABSTENTION)
        left = self._max_queries
        seen.messages = [
            Message("system", prompt("dbquery"), pinned=True),
            Message(
                "user",
                fill("dbquery_question", question=task.question, schema=schema, queries=left),
                pinned=True,
            ),
        ]
        while left:
            step = self.ask_until(self._step, seen.messages, json=True)
            if step is None:
                break
            if isinstance(step, Answer):
                return step
            left -= 1
            seen.messages.append(
                Message("assistant", json.dumps({"sql": step.sql}, ensure_ascii=False))
            )
            seen.waiting = True
            observation = yield Terminal(command=query_command(step.sql), timeout_s=_QUERY_S)
            self._take(observation, left)
        return self._last_word()

    def conclude(self, observation: Observation) -> Answer:
        """The model's answer by the rows so far; the abstention if there is no database yet."""
        if not self._seen.messages:
            self.llm.fault("out_of_steps", "before there was a database")
            return Answer(text=ABSTENTION)
        self._take(observation, 0)
        return self._last_word()

    # --- the database ---

    def _built(self, tools: frozenset[str]) -> Generator[Action, Observation, str | None]:
        """Have the database made; its description, None if there is none."""
        listing: list[tuple[str, ...]] = []
        if "list_files" in tools:
            observation = yield ListFiles()
            listing = _LISTED.findall(observation["text"])
        shown = ""
        for command in build_commands(listing):
            observation = yield Terminal(command=command, timeout_s=_BUILD_S)
            shown = observation["text"]
        if not shown.startswith("records:"):
            self.llm.fault("no_database", shown[-300:])
            return None
        self._seen.rows = shown
        return shown[:_SCHEMA_SHOWN]

    def _take(self, observation: Observation, left: int) -> None:
        """Put what a query returned into the conversation."""
        if not self._seen.waiting:
            return
        self._seen.waiting = False
        rows = observation["text"].strip() or "error: nothing came back"
        if rows.startswith("error"):
            self.llm.fault("sql", rows[:200])
        self._seen.rows += f"\n{rows}"
        self._seen.messages.append(Message("user", fill("dbquery_rows", rows=rows, queries=left)))

    # --- the model ---

    def _step(self, reply: Reply) -> _Query | Answer:
        """The query or the answer in a reply; an answer comes first.

        Raises:
            Unreadable: it holds neither.
        """
        found = find_object(reply.text, "answer", "sql")
        fenced = _FENCED_SQL.search(reply.text)
        if found is not None and "answer" in found:
            return self._answer(reply.text)
        sql = found["sql"] if found is not None else fenced[1] if fenced is not None else None
        if not isinstance(sql, str) or not sql.strip():
            raise Unreadable(
                "malformed",
                f"neither a query nor an answer in {reply.text[:80]!r}",
                'That was no JSON object with "sql" or "answer". Reply with exactly one of: '
                '{"sql": "SELECT ..."} or {"answer": "...", "cites": [...]}.',
            )
        if len(sql) > MAX_SQL:
            raise Unreadable(
                "malformed",
                f"a query of {len(sql)} characters",
                f"A query has at most {MAX_SQL} characters. Write a shorter one.",
            )
        return _Query(sql.strip().rstrip(";").replace("\0", ""))

    def _last_word(self) -> Answer:
        """The answer without a further query; the abstention if the model gives none."""
        messages = [*self._seen.messages, Message("user", prompt("dbquery_last"), pinned=True)]
        return self.ask_until(self._only_answer, messages, json=True) or Answer(text=ABSTENTION)

    def _only_answer(self, reply: Reply) -> Answer:
        if find_object(reply.text, "answer") is None:
            raise Unreadable(
                "malformed",
                f"no answer in {reply.text[:80]!r}",
                'That was no JSON object with "answer". Reply with {"answer": "...", '
                '"cites": [...]} and nothing else.',
            )
        return self._answer(reply.text)

    def _answer(self, text: str) -> Answer:
        parsed = parse_answer(text)
        cites, faults = known_cites(parsed.cites, self._seen.rows)
        for fault in (*parsed.faults, *faults):
            self.llm.fault(*fault)
        if not parsed.text:
            return Answer(text=ABSTENTION)
        return Answer(text=parsed.text, cites=cites)


def known_cites(
    cites: Sequence[Cite], rows: str
) -> tuple[tuple[Cite, ...], tuple[AnswerFault, ...]]:
    """The citations whose file stands in what queries returned, and a fault for each other one."""
    kept = tuple(cite for cite in cites if cite.path in rows)
    faults = tuple(
        AnswerFault("citation", f"in no row: {cite.path[:80]!r}")
        for cite in cites
        if cite not in kept
    )
    return kept, faults


def build_commands(listing: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """Commands that put the programs into the desk and make the database; the last one prints what
    is in it. ``listing`` holds path, modality and time of change of each file."""
    chunk = ""
    append = f"cat >> {_LISTING} <<'{_END}'\n"
    for record in listing:
        line = "\t".join(record) + "\n"
        if len(chunk) + len(line) > _CHUNK:
            yield f"{append}{chunk}{_END}"
            chunk = ""
        chunk += line
    parts = [f"mkdir -p /scratch/{_PROGRAMS}"]
    for file in sorted(files("deskgym.agents").joinpath(_PROGRAMS).iterdir(), key=lambda f: f.name):
        if file.name.endswith(".py"):
            text = file.read_text(encoding="utf-8").rstrip("\n")
            parts.append(f"cat > /scratch/{_PROGRAMS}/{file.name} <<'{_END}'\n{text}\n{_END}")
    parts.append(f"{append}{chunk}{_END}")
    parts.append(f"{_RUN}.build /desk {DATABASE} {_LISTING}")
    yield "\n".join(parts)


def query_command(sql: str) -> str:
    """The command that runs ``sql`` in the desk."""
    return f"{_RUN}.query {DATABASE} {shlex.quote(sql)}"
