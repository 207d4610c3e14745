"""verifiers (its v1 API): the questions as a taskset, a harness that plays, our scores as rewards.

``vf-eval deskgym --env.taskset.profile adam ...``: verifiers looks for its classes in the package
that an id names, and finds these there. Every call of the model's goes through verifiers, which
records it (with tokens, where it trains); the desk is at hand, and needs no program of its own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import verifiers.v1 as vf
from verifiers.v1.envs.single_agent import SingleAgentEnv, SingleAgentEnvConfig

from deskgym.agents.adapters.chat import Message, converse
from deskgym.agents.adapters.play import DeskPlay, Outcome
from deskgym.env.desk_env import DeskEnv
from deskgym.tasks.registry import load_dataset, profile_id

__all__ = ["DeskHarness", "DeskSeatEnv", "DeskTaskset"]

_OUTCOME = "deskgym"


class DeskData(vf.TaskData):  # type: ignore[misc]
    """A task as a model may know it: no gold."""

    dataset: str
    profile: str


class DeskTasksetConfig(vf.TasksetConfig):  # type: ignore[misc]
    """``--env.taskset.*``"""

    dataset: str = "demo"
    profile: str | None = None
    """One person; None for all."""


class DeskTask(vf.Task[DeskData]):  # type: ignore[misc]
    """One question. Its reward is the environment's; the scores are metrics."""

    @property
    def key(self) -> str:
        return f"{self.data.profile}/{self.data.id}"

    @vf.reward
    async def desk_reward(self, trace: vf.Trace) -> float:
        """The reward of the episode."""
        return _outcome(trace).reward

    @vf.metric
    async def desk_scores(self, trace: vf.Trace) -> dict[str, float]:
        """The scores by name, and the steps taken."""
        outcome = _outcome(trace)
        return {**outcome.scores, "desk_steps": float(outcome.steps)}


class DeskTaskset(vf.Taskset[DeskTask, DeskTasksetConfig]):  # type: ignore[misc]
    """The questions of a data set's people, or of one of them."""

    def load(self) -> Iterator[DeskTask]:
        data = load_dataset(self.config.dataset)
        person = self.config.profile
        for name in data.profiles() if person is None else (profile_id(data, person),):
            for one in data.tasks(name):
                told = DeskData(
                    id=one.id,
                    name=one.id,
                    prompt=one.question,
                    dataset=self.config.dataset,
                    profile=name,
                )
                yield DeskTask(told, self.config.task)


class DeskHarnessConfig(vf.HarnessConfig):  # type: ignore[misc]
    """``--env.agent.harness.*``: what `DeskEnv` is made with."""

    id: str = "deskgym"
    tools: str | tuple[str, ...] | None = None
    max_steps: int = 30
    reward: str = "sparse"
    sandbox: str = "auto"


class DeskHarness(vf.Harness[DeskHarnessConfig]):  # type: ignore[misc]
    """The model with the desk's tools, until the episode ends. It runs in verifiers' process."""

    APPENDS_SYSTEM_PROMPT = True
    EXECUTES_CODE = False
    NEEDS_CONTAINER = False

    async def launch(
        self,
        ctx: vf.ModelContext,
        trace: vf.Trace,
        runtime: vf.Runtime,
        endpoint: str,
        secret: str,
        mcp_urls: dict[str, str],
        data: DeskData,
    ) -> vf.ProgramResult:
        """Play the episode of ``data``; what it came to is left in the trace's ``info``."""
        from openai import AsyncOpenAI

        config = self.config
        env = DeskEnv(
            data.dataset,
            tools=config.tools,
            max_steps=config.max_steps,
            reward=config.reward,
            sandbox=config.sandbox,
        )
        play = DeskPlay(env)
        try:
            async with AsyncOpenAI(base_url=endpoint, api_key=secret, max_retries=0) as client:

                async def complete(messages: list[Message], tools: list[Any]) -> Message:
                    body: dict[str, Any] = {"messages": messages, "tools": tools}
                    said = await client.chat.completions.create(model=ctx.model, **body)
                    told: Message = said.choices[0].message.model_dump(exclude_none=True)
                    return told

                begin = asyncio.to_thread(play.begin, profile=data.profile, task=data.id)
                await converse(play, await begin, complete)
        finally:
            trace.info[_OUTCOME] = play.outcome.model_dump(mode="json")
            await asyncio.shield(asyncio.to_thread(play.close))
        return vf.ProgramResult(exit_code=0, stdout="", stderr="")


class DeskSeatConfig(SingleAgentEnvConfig):  # type: ignore[misc]
    """The one seat plays in this process: verifiers' default is a sandbox of its maker's."""

    agent: vf.AgentConfig = vf.AgentConfig(runtime=vf.SubprocessConfig())


class DeskSeatEnv(SingleAgentEnv, vf.Env[DeskSeatConfig]):  # type: ignore[misc]
    """One model, one desk, one question."""


def _outcome(trace: vf.Trace) -> Outcome:
    """How the episode ended. One that never began has no reward, and says so."""
    told = trace.info.get(_OUTCOME)
    if told is None:
        raise ValueError("no episode was played: the harness is not deskgym's")
    return Outcome.model_validate(told)
