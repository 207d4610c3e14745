"""ReAct: lines as models write them, and episodes of thought, action, observation."""

from __future__ import annotations

import json
from typing import Any

import pytest
from endpoint import (
    HOSTILE_KINDS,
    Brain,
    BrainReply,
    Endpoint,
    hostile,
    last_text,
    said,
    system_text,
)
from tool_talks import QUESTION, Played, in_turn, play

from deskgym.agents.null import ABSTENTION
from deskgym.agents.react import ReActAgent, read_lines
from deskgym.env.actions import ALL_TOOLS, PRESETS, Answer, Cite, ListFiles, ReadText, Search

CITE = {"path": "notes/a.md", "locator": "lines:3", "quote": "zinc heron"}
NINE = Answer(text="At nine.", cites=(Cite(**CITE),))
ANSWER = json.dumps({"text": "At nine.", "cites": [CITE]})
FINAL = BrainReply(f"Thought: So it is.\nAction: answer[{ANSWER}]")
LIST = BrainReply("Thought: I list.\nAction: list_files[{}]")


def played(brain: Brain, **how: Any) -> tuple[Played, list[dict[str, Any]]]:
    with Endpoint(brain) as endpoint:
        agent = ReActAgent({"model": "m", "base_url": endpoint.base_url, "backoff_s": 0.001})
        return play(agent, lambda action: "notes/a.md\nit sleeps at nine", **how), endpoint.requests


# --- lines ----------------------------------------------------------------------------------------

ZINC = {"query": "zinc"}


@pytest.mark.parametrize(
    ("action", "tool", "arguments"),
    [
        ('Action: search[{"query": "zinc"}]', "search", ZINC),
        ('Action: search({"query": "zinc"})', "search", ZINC),
        ('Action: search {"query": "zinc"}', "search", ZINC),
        ('Action: search\nAction Input: {"query": "zinc"}', "search", ZINC),
        ('**Action:** `search`[{"query": "zinc"}]', "search", ZINC),
        ('Action 2: Search[\n{"query":\n "zinc"}\n]', "search", ZINC),
        ('Action: search[```json\n{"query": "zinc"}\n```]', "search", ZINC),
        ('action: search[{"query": "zinc"}', "search", ZINC),
        ("Action: search[zinc]", "search", "zinc"),
        ("Action: search[zinc [1] heron]", "search", "zinc [1] heron"),
        ("Action: search[zinc", "search", "zinc"),
        ("Action: search\nAction Input: zinc", "search", "zinc"),
        ("Action: list_files", "list_files", ""),
        ("Action: list_files[]", "list_files", ""),
        ('Action: search[{"query": "zin', "search", '{"query": "zin'),
        ("Action: Finish[At nine.]", "answer", "At nine."),
        ("Final Answer: At nine.", "answer", "At nine."),
        ("Action: Final Answer[At nine.]", "answer", "At nine."),
        ("Answer: At nine.\nSurely.", "answer", "At nine.\nSurely."),
        ("I shall search.", None, ""),
    ],
)
@pytest.mark.parametrize("thought", ["Thought: I look.\n", "Thought 1: I look.\n"])
def test_an_action_is_read_however_it_is_written(
    thought: str, action: str, tool: str | None, arguments: Any
) -> None:
    acted = read_lines(thought + action)
    assert (acted.tool, acted.arguments, acted.more) == (tool, arguments, False)
    assert acted.thought == ("I look." if tool else f"I look.\n{action}")


def test_the_action_of_thoughts_is_the_first_and_what_is_made_up_does_not_count() -> None:
    text = (
        "Thought: I look.\nAction: list_files[{}]\n"
        "Observation: 9 files\nThought: good\nAction: answer[x]"
    )
    acted = read_lines(text)
    assert (acted.tool, acted.more) == ("list_files", False)
    assert acted.text == "Thought: I look.\nAction: list_files[{}]"
    twice = read_lines("Action: list_files[{}]\nThought: and\nAction: search[zinc]")
    assert (twice.tool, twice.arguments, twice.more) == ("list_files", {}, True)


@pytest.mark.parametrize(
    "text",
    ["\n" * 16_000, "Action: " * 2_000, "Action: a[" * 1_600, "[" * 16_000, " \t" * 8_000,
     "Thought:\n" * 1_700, "Action: a[{" + '"a":{' * 3_000, "Answer\n" * 2_000],
)  # fmt: skip
def test_any_reply_is_read(text: str) -> None:
    assert read_lines(text).text.strip() == "" or read_lines(text).text in text


# --- episodes -------------------------------------------------------------------------------------


def test_it_thinks_acts_and_observes() -> None:
    brain = in_turn(
        BrainReply('Thought: I search.\nAction: search[{"query": "zinc heron"}]'),
        BrainReply("Thought: I read.\nAction: read_text[notes/a.md]"),
        FINAL,
    )
    done, requests = played(brain)
    assert done.actions == [Search(query="zinc heron"), ReadText(path="notes/a.md"), NINE]
    assert done.faults == []
    assert done.thought == "I search.\nI read.\nSo it is."
    assert last_text(requests[1]) == "Observation: notes/a.md\nit sleeps at nine"
    assert requests[0]["stop"] == ["Observation:"]
    assert "tools" not in requests[0]
    assert QUESTION in said(requests[0], "user")
    assert "never an instruction" in system_text(requests[0])


@pytest.mark.parametrize("preset", PRESETS)
def test_it_has_what_is_on_except_the_terminal(preset: str) -> None:
    _, requests = played(in_turn(FINAL), tools=PRESETS[preset])
    told = {name for name in ALL_TOOLS if f"\n- {name} {{" in system_text(requests[0])}
    assert told == PRESETS[preset] - {"terminal", "note"}


def test_a_tool_that_it_does_not_have_is_not_used() -> None:
    done, requests = played(in_turn(BrainReply("Action: terminal[ls]"), FINAL))
    assert done.actions == [NINE]
    assert done.kinds == ["unknown_tool", "citation"]
    assert "There is no tool 'terminal'" in last_text(requests[1])


@pytest.mark.parametrize(
    ("bad", "kind", "remedy"),
    [
        ("Let me think.", "no_action", "There was no action"),
        ("Action: open_everything[{}]", "unknown_tool", "There is no tool"),
        ('Action: read_text[{"file": 7}]', "bad_arguments", "path: Field required"),
        ('Action: read_text[{"path": "a', "malformed", "not valid JSON"),
        ('Action: answer[{"text": "At', "malformed", "not valid JSON"),
    ],
)
def test_a_bad_reply_is_repaired_twice_then_the_answer_is_asked_for(
    bad: str, kind: str, remedy: str
) -> None:
    done, requests = played(in_turn(LIST, BrainReply(bad), LIST, *[BrainReply(bad)] * 3, FINAL))
    assert done.actions == [ListFiles(), ListFiles(), NINE]
    assert done.kinds == [kind] * 4
    assert remedy in last_text(requests[2])
    assert "no steps left" in last_text(requests[-1])


@pytest.mark.parametrize(
    ("said_last", "cited"),
    [
        (f"Final Answer: {json.dumps({'answer': 'At nine.', 'cites': [CITE]})}", True),
        (json.dumps({"answer": "At nine.", "cites": [CITE]}), True),
        (f"Action: answer[{ANSWER}]", True),
        ("Final Answer: At nine.", False),
    ],
)
def test_the_last_word_is_read_however_it_is_written(said_last: str, cited: bool) -> None:
    done, _ = played(in_turn(BrainReply(said_last)), max_steps=1)
    assert done.answer == (NINE if cited else Answer(text="At nine."))


def test_a_model_that_never_stops_ends_by_steps() -> None:
    done, _ = played(in_turn(LIST), max_steps=4)
    assert [action.tool for action in done.actions] == ["list_files"] * 3 + ["answer"]
    assert done.answer == Answer(text=ABSTENTION)
    assert set(done.kinds) == {"malformed"}


def test_nothing_that_a_hostile_endpoint_does_ends_it_without_an_answer() -> None:
    with Endpoint(hostile(in_turn(LIST), every=2)) as endpoint:
        agent = ReActAgent({"model": "m", "base_url": endpoint.base_url, "backoff_s": 0.001})
        for _ in range(8):
            done = play(agent, lambda action: "notes/a.md", max_steps=6)
            assert done.answer is not None
            assert done.faults
    assert set(endpoint.faults) == set(HOSTILE_KINDS)
