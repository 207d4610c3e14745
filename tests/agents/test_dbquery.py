"""The agent that knows a person by SQL alone: its commands, its conversation, whole people."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from endpoint import Brain, BrainReply, Endpoint, Fault, hostile, last_text, said

from deskgym.agents.base import TaskView
from deskgym.agents.dbquery import (
    DATABASE,
    DBQueryAgent,
    build_commands,
    known_cites,
    query_command,
)
from deskgym.agents.null import ABSTENTION
from deskgym.agents.rollout import RunOutcome, RunSpec, run
from deskgym.env.actions import ALL_TOOLS, Action, Answer, Cite, ListFiles, Terminal
from deskgym.env.observations import Observation
from deskgym.tasks.registry import load_dataset

# --- the commands ---------------------------------------------------------------------------------


def in_a_shell(command: str, tmp_path: Path) -> str:
    """What a command of the agent's prints, with the desk's folders in ``tmp_path``."""
    for folder in ("/desk", "/scratch"):
        command = re.sub(rf"{folder}\b", str(tmp_path / folder[1:]), command)
    done = subprocess.run(
        ["bash", "-c", command],
        capture_output=True,
        text=True,
        cwd=tmp_path / "desk",
        env={"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},
    )
    assert done.stderr == ""
    return done.stdout


def test_the_commands_make_the_database_and_query_it_whatever_the_files_are_called(
    tmp_path: Path,
) -> None:
    (tmp_path / "scratch").mkdir()
    (tmp_path / "desk").mkdir()
    for name in ("csv.py", "sqlite3.py", "email.py"):  # nobody's file is taken for a module
        (tmp_path / "desk" / name).write_text("raise SystemExit('taken for a module')")
    (tmp_path / "desk" / "it's $HOME `x`.csv").write_text("a\n'815'\n")
    listing = [(f"f{n}.csv", "document", "2024-01-01T00:00") for n in range(3000)]
    commands = list(
        build_commands([("it's $HOME `x`.csv", "document", "2025-05-05T09:00"), *listing])
    )
    assert len(commands) > 1
    assert max(map(len, commands)) < 100_000
    printed = [in_a_shell(command, tmp_path) for command in commands]
    assert printed[-1].startswith("records: 0 files skipped")
    assert [text for text in printed[:-1] if text] == []
    sql = (
        "SELECT path, modified, value FROM files JOIN sheets USING (path) WHERE value LIKE '%5''%'"
    )
    rows = in_a_shell(query_command(sql), tmp_path).splitlines()
    assert rows[1] == "it's $HOME `x`.csv | 2025-05-05T09:00 | '815'"
    assert DATABASE.startswith("/scratch/")


def test_citations_of_files_that_no_row_named_are_dropped() -> None:
    seen, invented = Cite(path="a/b.csv", locator="lines:2"), Cite(path="never.txt")
    kept, faults = known_cites((seen, invented), "path | text\na/b.csv | 5")
    assert kept == (seen,)
    assert [fault.kind for fault in faults] == ["citation"]


# --- the agent ------------------------------------------------------------------------------------

SCHEMA = "records: 0 files skipped\nsheets(path, locator): 1 rows"
ANSWER = '{"answer": "£815", "cites": [{"path": "rent.xlsx", "locator": "cells:R!A2:C2"}]}'


def episode(
    replies: list[str | Fault],
    *,
    tools: frozenset[str] = ALL_TOOLS,
    steps: int = 20,
    max_queries: int = 3,
    rows: str = "path | text\nrent.xlsx | 815\n1 rows",
    schema: str = SCHEMA,
) -> tuple[Answer, list[Action], tuple[str, ...], list[dict[str, Any]]]:
    """An episode against replies in turn, the last of them for ever: the answer, the actions, the
    faults, and the requests."""
    queue = list(replies)

    def brain(request: dict[str, Any]) -> BrainReply | Fault:
        reply = queue.pop(0) if len(queue) > 1 else queue[0]
        return reply if isinstance(reply, Fault) else BrainReply(reply)

    with Endpoint(brain) as endpoint:
        llm = {"model": "scripted", "base_url": endpoint.base_url, "backoff_s": 0}
        agent = DBQueryAgent(llm, max_queries=max_queries)
        agent.reset(TaskView("t", "demo/ann", "What is my rent?"), tools)
        text, actions, faults = "welcome", [], ()
        for step in range(steps):
            action = agent.act(
                Observation(question="", text=text, media=(), step=step, steps_left=steps - step)
            )
            faults += agent.take_use().faults
            actions.append(action)
            if isinstance(action, Answer):
                return action, actions, faults, endpoint.requests
            if isinstance(action, ListFiles):
                text = "1 files\nrent.xlsx  (document, 9 bytes, modified 2024-01-01T00:00)"
            else:
                assert isinstance(action, Terminal)
                text = rows if "mkdir" not in action.command else schema
    raise AssertionError("no answer")


def test_it_queries_and_answers_from_the_rows() -> None:
    answer, actions, faults, requests = episode(['{"sql": "SELECT 1;"}', ANSWER])
    assert answer.text == "£815"
    assert [(c.path, str(c.locator)) for c in answer.cites] == [("rent.xlsx", "cells:R!A2:C2")]
    assert [type(action) for action in actions] == [ListFiles, Terminal, Terminal, Answer]
    assert faults == ()
    first, second = (said(request) for request in requests)
    assert "What is my rent?" in first
    assert SCHEMA in first
    assert "rent.xlsx | 815" in second
    assert "rent.xlsx | 815" not in said(requests[1], "system")


def test_an_error_of_the_database_goes_back_to_the_model() -> None:
    answer, _, faults, requests = episode(
        ['{"sql": "SELECT x"}', ANSWER], rows="error: no such column: x"
    )
    assert "error: no such column: x" in last_text(requests[1])
    assert [fault.split(":")[0] for fault in faults] == ["sql", "citation"]  # no row named it
    assert answer.cites == ()


@pytest.mark.parametrize(
    ("bad", "kind"),
    [
        ("Sure! Let me see.", "malformed"),
        ('{"sql": 3}', "malformed"),
        ('{"sql": ""}', "malformed"),
        ('{"sql": "SELECT', "malformed"),
        (json.dumps({"sql": "x" * 12_000}), "malformed"),
        ("", "empty"),
        (Fault("empty"), "empty"),
    ],
)
def test_a_reply_that_is_neither_query_nor_answer_is_asked_for_again(
    bad: str | Fault, kind: str
) -> None:
    answer, _, faults, _ = episode([bad, "```sql\nSELECT 1\n```", ANSWER])
    assert answer.text == "£815"
    assert [fault.split(":")[0] for fault in faults] == [kind]


def test_with_nothing_but_nonsense_it_abstains() -> None:
    answer, actions, faults, _ = episode(["well well"])
    assert (answer.text, answer.cites) == (ABSTENTION, ())
    assert len(actions) == 3
    assert len(faults) == 6


@pytest.mark.parametrize(("steps", "max_queries"), [(20, 2), (5, 9)])
def test_when_queries_or_steps_run_out_it_answers_by_what_it_has_seen(
    steps: int, max_queries: int
) -> None:
    query = '{"sql": "SELECT 1"}'
    answer, actions, _, requests = episode(
        [query, query, ANSWER], steps=steps, max_queries=max_queries
    )
    assert answer.text == "£815"
    assert len(actions) == 5
    assert "rent.xlsx | 815" in said(requests[-1])
    assert "There are no queries left" in last_text(requests[-1])


@pytest.mark.parametrize(
    ("how", "fault"),
    [
        ({"tools": frozenset({"read_text", "answer"})}, "switched_off"),
        ({"schema": "bash: python3: not found\n[exit status 127]"}, "no_database"),
        ({"steps": 2}, "out_of_steps"),
    ],
)
def test_without_a_database_it_abstains_and_says_why(how: dict[str, Any], fault: str) -> None:
    answer, _, faults, requests = episode([ANSWER], **how)
    assert answer.text == ABSTENTION
    assert [text.split(":")[0] for text in faults] == [fault]
    assert requests == []


def test_it_takes_at_least_one_query() -> None:
    with pytest.raises(ValueError, match="max_queries is at least 1"):
        DBQueryAgent({"model": "m", "base_url": "http://127.0.0.1:9/v1"}, max_queries=0)


# --- a whole person -------------------------------------------------------------------------------

PERSON = "demo/adam"
# What a capable model asks the database for each of these questions, and what it answers.
KNOWN = {
    "adam-002": (
        "SELECT path, locator, date, subject, body FROM mails WHERE body LIKE '%third seat%'",
        "Helen Brockwell, in Employment",
    ),
    "adam-003": (
        "SELECT path, locator, date, body FROM mails WHERE body LIKE '%wedding%' ORDER BY date",
        "17 May 2025",
    ),
    "adam-004": (
        "SELECT path, locator, body FROM mails WHERE body LIKE '%kick-off%'",
        "20:15",
    ),
    "adam-017": (
        "SELECT path, locator, text FROM sheet_rows WHERE sheet='Rent split' AND row=2 "
        "AND path LIKE '%2024-25%'",
        "£815",
    ),
    "adam-018": (
        "SELECT path, locator, text FROM sheet_rows WHERE sheet='Guests' AND text LIKE 'Adam W%'",
        "Table 4",
    ),
}  # fmt: skip


def capable(person: str) -> Brain:
    """A model that knows what to ask of the database and cites the rows that came back."""
    by_question = {task.question: task.id for task in load_dataset("demo").tasks(person)}

    def brain(request: dict[str, Any]) -> BrainReply:
        text = said(request, "user")
        name = next(known for question, known in by_question.items() if question in text)
        rows = re.findall(r"^([^|\n]+\.\w+) \| ((?:file|lines|cells)[^|\n]*) \| (.*)$", text, re.M)
        if name not in KNOWN:
            return BrainReply('{"answer": "The files do not say.", "cites": []}')
        sql, answer = KNOWN[name]
        cites = [{"path": p, "locator": place} for p, place, _ in rows[-1:]]
        if not rows and "no queries left" not in text:
            return BrainReply(json.dumps({"sql": sql}))
        return BrainReply(json.dumps({"answer": answer, "cites": cites}))

    return brain


def run_person(brain: Brain, out: Path) -> tuple[RunOutcome, Endpoint]:
    with Endpoint(brain) as endpoint:
        llm = {"model": "scripted", "base_url": endpoint.base_url, "backoff_s": 0}
        spec = RunSpec(
            profiles=(PERSON,),
            agents=("dbquery",),
            agent_config={"dbquery": {"llm": llm, "max_queries": 3}},
            max_steps=8,
            jobs=2,
        )
        return run(spec, out), endpoint


@pytest.mark.docker
@pytest.mark.usefixtures("desk_image")
def test_a_capable_model_answers_from_the_records_of_a_whole_person(tmp_path: Path) -> None:
    outcome, endpoint = run_person(capable(PERSON), tmp_path / "run")
    assert len(outcome.results) == 41
    assert {result.ended for result in outcome.results} == {"answered"}
    assert endpoint.faults == []
    for result in outcome.results:
        assert result.use is None or result.use.faults == ()
        if result.task_id in KNOWN:
            assert result.scores.answer.score >= 0.9, result.answer
            assert result.scores.evidence is not None
            assert result.scores.evidence.cited_f1 == 1.0, result.task_id
            assert result.scores.evidence.exposed_recall == 1.0, result.task_id
        elif not result.answerable:
            assert result.scores.answer.score == 1.0


@pytest.mark.docker
@pytest.mark.usefixtures("desk_image")
def test_whatever_a_model_says_a_run_goes_on_and_every_fault_is_logged(tmp_path: Path) -> None:
    outcome, endpoint = run_person(hostile(capable(PERSON), every=2), tmp_path / "run")
    assert len(outcome.results) == 41
    assert {result.ended for result in outcome.results} == {"answered"}
    assert len(endpoint.faults) >= 20
    noted = [fault for r in outcome.results if r.use is not None for fault in r.use.faults]
    assert len(noted) >= len(endpoint.faults)


@pytest.mark.docker
@pytest.mark.usefixtures("desk_image")
def test_without_a_terminal_every_answer_is_an_abstention(tmp_path: Path) -> None:
    llm = {"model": "scripted", "base_url": "http://127.0.0.1:9/v1"}
    spec = RunSpec(
        profiles=(PERSON,),
        agents=("dbquery",),
        tasks=("adam-017",),
        tools=("read_text", "search"),
        agent_config={"dbquery": {"llm": llm}},
    )
    (result,) = run(spec, tmp_path / "run").results
    assert result.answer == ABSTENTION
    assert result.use is not None
    assert result.use.faults[0].startswith("switched_off: terminal")
