"""The terminal agent and ReAct over a whole demo person, in real desks: with a capable model, and
with one that misbehaves in every way."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from endpoint import HOSTILE_KINDS, Brain, Endpoint, hostile
from tool_talks import demo_brain

from deskgym.agents.rollout import RunOutcome, RunSpec, run
from deskgym.env.run_reader import episode_path, read_episode
from deskgym.env.trajectory import ModelUse, StepEvent
from deskgym.tasks.registry import load_dataset
from deskgym.tasks.schema import Task

PERSON = "demo/adam"
pytestmark = [pytest.mark.docker, pytest.mark.usefixtures("desk_image")]
agents = pytest.mark.parametrize(
    ("agent", "settings"),
    [("terminal", {"protocol": "native"}), ("terminal", {"protocol": "tags"}), ("react", {})],
    ids=["native", "tags", "react"],
)


def stated(task: Task) -> bool:
    """Those that the model knows how to find."""
    return task.id <= "adam-028"


def over_a_person(
    brain: Brain, agent: str, settings: dict[str, Any], out: Path
) -> tuple[RunOutcome, Endpoint]:
    with Endpoint(brain) as endpoint:
        llm = {"model": "m", "base_url": endpoint.base_url, "backoff_s": 0.001}
        spec = RunSpec(
            profiles=(PERSON,),
            agents=(agent,),
            max_steps=8,
            jobs=2,
            agent_config={agent: {"llm": llm, **settings}},
        )
        return run(spec, out), endpoint


@agents
def test_with_a_capable_model_stated_tasks_are_right_with_their_evidence_cited(
    agent: str, settings: dict[str, Any], tmp_path: Path
) -> None:
    tasks = {task.id: task for task in load_dataset("demo").tasks(PERSON)}
    brain = demo_brain(tasks.values(), stated)
    outcome, endpoint = over_a_person(brain, agent, settings, tmp_path / "run")
    assert len(outcome.results) == len(tasks) == 41
    for result in outcome.results:
        assert (result.ended, result.invalid_actions) == ("answered", 0), result.reason
        assert result.use is not None
        assert result.use.faults == ()
        assert result.use.calls == result.steps
        if not stated(tasks[result.task_id]):
            continue
        assert result.scores.answer.score == 1.0, result.task_id
        if result.answerable:
            assert result.scores.files_cited is not None
            assert result.scores.files_cited.f1 == 1.0, result.task_id
            assert result.scores.evidence is not None
            assert result.scores.evidence.cited_f1 == 1.0, result.task_id
            assert set(result.gold_files) <= set(result.touched_files)
    assert endpoint.faults == []
    assert sum(r.use.calls for r in outcome.results if r.use) == len(endpoint.requests)


@agents
def test_with_a_hostile_one_no_episode_is_broken_off_and_every_fault_is_in_the_log(
    agent: str, settings: dict[str, Any], tmp_path: Path
) -> None:
    brain = hostile(demo_brain(load_dataset("demo").tasks(PERSON), stated), every=3)
    outcome, endpoint = over_a_person(brain, agent, settings, tmp_path / "run")
    assert len(outcome.results) == 41
    assert {result.ended for result in outcome.results} == {"answered"}
    assert set(endpoint.faults) == set(HOSTILE_KINDS)
    noted: Counter[str] = Counter()
    for result in outcome.results:
        events = read_episode(episode_path(tmp_path / "run", result.agent, PERSON, result.task_id))
        steps = [event for event in events if isinstance(event, StepEvent)]
        uses = [step.use or ModelUse() for step in steps]
        in_steps = [fault for use in uses for fault in use.faults]
        assert result.use is not None
        assert tuple(in_steps) == result.use.faults
        noted.update(fault.partition(":")[0] for fault in in_steps)
        noted.update(step.error for step in steps if step.error is not None)
    served = Counter(endpoint.faults)
    assert sum(noted.values()) >= sum(served.values())
    for kind, names in NOTED_AS.items():
        assert sum(noted[name] for name in names) >= served[kind], (kind, noted)


# How each kind of fault is called in the log, at least.
NOTED_AS = {
    "empty": ("empty",),
    "null_content": ("empty",),
    "unknown_tool": ("unknown_tool", "malformed"),
    "bad_arguments": ("bad_arguments", "malformed"),
    "huge": ("overlong",),
    "invented_path": ("not_found", "malformed"),
    "invented_cites": ("citation",),
}
