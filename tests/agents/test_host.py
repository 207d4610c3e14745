"""The agent's own process: what crosses the border, what does not, and what failing looks like."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from env_fakes import GOLD_TEXT, make_task

from deskgym.agents.base import TaskView
from deskgym.agents.errors import AgentError
from deskgym.agents.host import AgentProcess
from deskgym.agents.null import ABSTENTION
from deskgym.env.observations import Media, Observation

TASK = TaskView("ann-001", "demo/ann", "What is it?")
TOOLS = frozenset({"terminal", "answer"})


@pytest.fixture(autouse=True)
def _child_finds_the_fakes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))


def observation(text: str = "hello", media: tuple[Media, ...] = ()) -> Observation:
    return Observation(question=TASK.question, text=text, media=media, step=0, steps_left=5)


def misbehaving(how: str, **more: Any) -> AgentProcess:
    agent = AgentProcess("agent_fakes:Misbehaving", {"how": how}, **more)
    agent.reset(TASK, TOOLS)
    return agent


@pytest.fixture
def echo() -> Iterator[AgentProcess]:
    with AgentProcess("agent_fakes:Echo", {"suffix": "end"}) as agent:
        agent.reset(TASK, TOOLS)
        yield agent


def test_question_tools_text_media_and_config_cross_and_prints_do_not(echo: AgentProcess) -> None:
    media = (Media("image/png", b"\0\xff"), Media("audio/wav", b"\x01"))
    action = echo.act(observation("tö\n\0xt", media))
    assert action == {
        "tool": "answer",
        "text": "What is it?|answer|terminal|tö\n\0xt|00ff01|end",
        "cites": [],
    }


def test_one_process_serves_many_episodes(echo: AgentProcess) -> None:
    first = echo.act(observation("one"))
    echo.reset(TASK, frozenset())
    second = echo.act(observation("two"))
    assert isinstance(first, dict)
    assert isinstance(second, dict)
    assert (first["text"], second["text"]) == (
        "What is it?|answer|terminal|one||end",
        "What is it?|two||end",
    )


def test_a_built_in_agent_runs_by_name() -> None:
    with AgentProcess("null") as agent:
        agent.reset(TASK, TOOLS)
        action = agent.act(observation())
    assert isinstance(action, dict)
    assert action["text"] == ABSTENTION


def test_an_exception_comes_over_with_its_traceback() -> None:
    with misbehaving("raise") as agent, pytest.raises(AgentError) as caught:
        agent.act(observation())
    assert "ZeroDivisionError: a clear cause" in str(caught.value)
    assert "agent_fakes.py" in str(caught.value)


def test_a_death_is_reported_with_status_and_last_words() -> None:
    with misbehaving("die") as agent, pytest.raises(AgentError) as caught:
        agent.act(observation())
    assert "status 7" in str(caught.value)
    assert "last words" in str(caught.value)


def test_an_agent_that_takes_too_long_is_ended() -> None:
    with misbehaving("hang", act_timeout_s=0.5) as agent, pytest.raises(AgentError) as caught:
        agent.act(observation())
    assert "took longer than 0.5 s to act" in str(caught.value)


def test_what_is_no_json_arrives_as_its_repr() -> None:
    with misbehaving("object") as agent:
        action = agent.act(observation())
    assert isinstance(action, str)
    assert action.startswith("<object object")


@pytest.mark.parametrize(
    ("name", "cause"),
    [
        ("agent_fakes:Unmade", "OSError: no model to load"),
        ("agent_fakes:NoAgent", "it has no method 'act'"),
        ("agent_fakes:Ecko", "did you mean Echo"),
        ("no_such_module_at_all:Agent", "no module 'no_such_module_at_all'"),
    ],
)
def test_an_agent_that_cannot_be_made_says_why(name: str, cause: str) -> None:
    with pytest.raises(AgentError) as caught:
        AgentProcess(name)
    assert cause in str(caught.value)


def test_close_ends_the_process_and_may_be_repeated(echo: AgentProcess) -> None:
    pid = echo._child.pid
    echo.close()
    echo.close()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_the_process_holds_no_gold() -> None:
    """The parent holds gold (here: a task); the child, told the question alone, does not."""
    task = make_task(1, answer=GOLD_TEXT)
    words = GOLD_TEXT.split()
    halves = (" ".join(words[:4]), " ".join(words[4:]))
    view = TaskView(task.id, task.profile_id, task.question)
    with AgentProcess("agent_fakes:Spy", {"halves": halves}) as spy:
        spy.reset(view, TOOLS)
        assert spy.act(observation()) == {"tool": "answer", "text": "found 0", "cites": []}
        # Finds it when it is told: the question then holds it.
        spy.reset(TaskView(task.id, task.profile_id, GOLD_TEXT), TOOLS)
        told = spy.act(observation())
    assert isinstance(told, dict)
    assert told["text"] != "found 0"
