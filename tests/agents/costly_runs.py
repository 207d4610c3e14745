"""Runs of `costly_agent.Costly` over a person whose desk needs no engine, through the real
environment: so the logs are real ones."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from fake_desk import FakeDataset, FakeDesk

from deskgym.agents.crew import Env
from deskgym.agents.rollout import RunOutcome, RunSpec, run
from deskgym.env.desk_env import DeskEnv
from deskgym.env.sandbox.base import ExecRequest, Request, Response
from deskgym.env.trajectory_log import Recorder

AGENT = "costly_agent:Costly"
FOLDER = Path(__file__).parent


class MortalDesk(FakeDesk):
    """Dies of the command ``shutdown``."""

    def request(self, request: Request) -> Response:
        if isinstance(request, ExecRequest) and request.command == "shutdown":
            self.kill()
        return super().request(request)


def make_env(spec: RunSpec, recorder: Recorder, agent: str) -> Env:
    return DeskEnv(
        FakeDataset(), max_steps=spec.max_steps, sandbox=MortalDesk, run=recorder, agent=agent
    )


def costly_spec(
    memory: Path, *, profiles: tuple[str, ...] = ("fake/ann",), **changes: Any
) -> RunSpec:
    """A run of the costly agent; what is no field of `RunSpec` is the agent's."""
    memory.mkdir(exist_ok=True)
    own = {name: changes.pop(name) for name in [*changes] if name not in RunSpec.__annotations__}
    return RunSpec(
        profiles=profiles,
        agents=(AGENT,),
        agent_config={AGENT: {"memory": str(memory), **own}},
        **{"max_steps": 4, **changes},
    )


def play(spec: RunSpec, out: Path, **more: Any) -> RunOutcome:
    """Run ``spec``; the agents' processes find the module of the costly agent."""
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = str(FOLDER)
    try:
        dataset: Any = FakeDataset()
        return run(spec, out, dataset=dataset, **{"make_env": make_env, **more})
    finally:
        if before is None:
            del os.environ["PYTHONPATH"]
        else:
            os.environ["PYTHONPATH"] = before
