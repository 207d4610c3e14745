"""What agents that ask a model have in common: books, repair, prompts."""

from __future__ import annotations

import string
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from endpoint import Brain, BrainReply, Endpoint, Fault, said

from deskgym.agents.base import TaskView
from deskgym.agents.llm import LLM, Message, Reply
from deskgym.agents.model_agent import ModelAgent, Unreadable, corrected
from deskgym.agents.prompts import PromptError, fill, prompt
from deskgym.agents.steps import Play
from deskgym.env.actions import Answer
from deskgym.env.observations import Observation

ASKED = [Message("system", "Be brief."), Message("user", "How many?", pinned=True)]
TASK = TaskView("t", "p", "How many?")
WELCOME = Observation(question="How many?", text="", media=(), step=0, steps_left=5)


class Counter(ModelAgent):
    """Asks the model for a number and answers with it."""

    name = "counter"

    def play(self, task: TaskView, tools: frozenset[str], welcome: Observation) -> Play:
        found = self.ask_json(ASKED, "count")
        return Answer(text=str(found["count"]) if found else "unknown")
        yield  # a generator that looks at nothing

    def conclude(self, observation: Observation) -> Answer:
        return Answer(text="unknown")


def in_turn(*replies: BrainReply | Fault) -> Brain:
    left = list(replies)
    return lambda request: left.pop(0) if len(left) > 1 else left[0]


def with_agent(brain: Brain, do: Callable[[Counter], Any]) -> tuple[Any, list[str], Endpoint]:
    """What it comes to, the faults, and the endpoint with what was asked of it."""
    with Endpoint(brain) as endpoint:
        agent = Counter({"model": "m", "base_url": endpoint.base_url, "backoff_s": 0})
        agent.reset(TASK, frozenset())
        result = do(agent)
    return result, list(agent.take_use().faults), endpoint


def kinds(faults: list[str]) -> list[str]:
    return [fault.partition(":")[0] for fault in faults]


def test_an_episode_is_played_and_its_use_can_be_taken() -> None:
    with Endpoint(in_turn(BrainReply('{"count": 3}', usage=(9, 2)))) as endpoint:
        agent = Counter({"model": "m", "base_url": endpoint.base_url})
        agent.reset(TASK, frozenset())
        assert agent.act(WELCOME) == Answer(text="3")
    use = agent.take_use()
    assert (use.calls, use.prompt_tokens, use.completion_tokens) == (1, 9, 2)
    assert agent.take_use().calls == 0


def test_a_model_may_be_shared() -> None:
    llm = LLM({"model": "m"})
    assert Counter(llm).llm is llm


def test_a_reply_that_will_not_do_is_asked_for_again_with_the_reason() -> None:
    brain = in_turn(BrainReply("Three, I'd say."), BrainReply('Well: {"count": 3}'))
    found, faults, endpoint = with_agent(brain, lambda agent: agent.ask_json(ASKED, "count"))
    assert found == {"count": 3}
    assert faults == ["""malformed: no JSON with "count" in "Three, I'd say.\""""]
    again = endpoint.requests[1]
    assert said(again, "assistant") == "Three, I'd say."
    assert 'one JSON object that holds "count"' in said(again, "user")
    assert said(again, "system") == "Be brief."


def test_after_so_many_repairs_it_goes_on_without() -> None:
    brain = in_turn(BrainReply("no"))
    found, faults, endpoint = with_agent(
        brain, lambda agent: agent.ask_json(ASKED, "count", repairs=1)
    )
    assert found is None
    assert kinds(faults) == ["malformed"] * 2
    assert len(endpoint.requests) == 2


def test_the_conversation_does_not_grow_with_repairs() -> None:
    _, _, endpoint = with_agent(
        in_turn(BrainReply("no")), lambda agent: agent.ask_json(ASKED, "count", repairs=4)
    )
    assert [len(r["messages"]) for r in endpoint.requests] == [2, 4, 4, 4, 4]


@pytest.mark.parametrize(
    ("fault", "noted"),
    [("empty", "empty"), ("null_content", "empty"), ("no_choices", "bad_response")],
)
def test_an_empty_reply_is_noted_once_and_asked_for_again(fault: str, noted: str) -> None:
    brain = in_turn(*[Fault(fault)] * (1 if noted == "empty" else 6), BrainReply("three"))
    text, faults, _ = with_agent(brain, lambda agent: agent.ask_text(ASKED))
    assert text == "three"
    assert set(kinds(faults)) - {"no_usage"} == {noted}
    assert kinds(faults).count("empty") == (noted == "empty")


def test_nothing_at_all_is_none() -> None:
    text, faults, _ = with_agent(in_turn(Fault("empty")), lambda agent: agent.ask_text(ASKED))
    assert text is None
    assert kinds(faults) == ["empty"] * 3


def test_any_reading_can_be_insisted_on() -> None:
    def number(reply: Reply) -> int:
        if not reply.text.isdigit():
            raise Unreadable("malformed", f"no number: {reply.text}", "Say a number.")
        return int(reply.text)

    brain = in_turn(BrainReply("many"), BrainReply("12"))
    found, faults, endpoint = with_agent(brain, lambda agent: agent.ask_until(number, ASKED))
    assert found == 12
    assert faults == ["malformed: no number: many"]
    assert "Say a number." in said(endpoint.requests[1], "user")


def test_every_call_that_will_not_do_is_told_so() -> None:
    with Endpoint(in_turn(BrainReply(calls=[("a", {}), ("b", {})]))) as endpoint:
        reply = LLM({"model": "m", "base_url": endpoint.base_url}).chat(ASKED)
    own, *results = corrected(reply, "There is no such tool.")
    assert own.calls == reply.calls
    assert [(m.role, m.call_id) for m in results] == [("tool", c.id) for c in reply.calls]


# --- prompts -------------------------------------------------------------------------------------


@pytest.fixture
def prompts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("deskgym.agents.prompts.files", lambda package: tmp_path)
    return tmp_path


def test_a_prompt_is_a_file_filled_with_values(prompts: Path) -> None:
    (prompts / "ask_user.txt").write_text("Q: $question\nIt costs $$5 in ${place}s.\n")
    assert prompt("ask_user") == "Q: $question\nIt costs $$5 in ${place}s."
    filled = fill("ask_user", question="$place ${question} $$", place="desk")
    assert filled == "Q: $place ${question} $$\nIt costs $5 in desks."


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ({}, r"missing \['question'\]"),
        ({"question": "x", "other": 1}, r"without a place \['other'\]"),
    ],
)
def test_values_and_places_match(prompts: Path, values: dict[str, Any], why: str) -> None:
    (prompts / "ask.txt").write_text("Q: $question")
    with pytest.raises(PromptError, match=why):
        fill("ask", **values)


@pytest.mark.parametrize("name", ["nothing", "../errors", "Ask", "", "ask.txt"])
def test_a_prompt_that_there_is_none_of_is_named(prompts: Path, name: str) -> None:
    (prompts / "ask.txt").write_text("Q")
    with pytest.raises(PromptError, match=f"no prompt {name!r}"):
        prompt(name)


def test_a_stray_dollar_sign_is_found(prompts: Path) -> None:
    (prompts / "ask.txt").write_text("It costs $5.")
    with pytest.raises(PromptError, match=r"written \$\$"):
        fill("ask")


def test_every_prompt_that_is_shipped_can_be_filled() -> None:
    names = [
        file.name.removesuffix(".txt")
        for file in files("deskgym.agents.prompts").iterdir()
        if file.name.endswith(".txt")
    ]
    for name in names:
        values = string.Template(prompt(name)).get_identifiers()
        assert fill(name, **dict.fromkeys(values, "x"))
