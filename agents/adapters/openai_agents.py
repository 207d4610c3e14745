"""The OpenAI Agents SDK: the actions as function tools, bound to one episode.

    play = DeskPlay(deskgym.make())
    told = play.begin(profile="adam")
    result = await Runner.run(desk_agent(play, told, model="gpt-4o"), play.question)

Pictures go to the model with the Responses API; of a tool's result, Chat Completions carries the
text alone.
"""

from __future__ import annotations

import asyncio
from typing import Any

from agents import (
    Agent,
    FunctionTool,
    Runner,
    ToolOutputImage,
    ToolOutputText,
    ToolsToFinalOutputResult,
)
from deskgym.agents.adapters.play import DeskPlay, Outcome, PlayEnv, Shown, data_url
from deskgym.agents.messages import ToolSpec

SPARE_TURNS = 2
"""Turns beside the steps: a model may say something and use no tool."""


def desk_tools(play: DeskPlay) -> list[FunctionTool]:
    """The tools of the episode, for any agent of the SDK's. After its end they say that it is
    over."""
    return [_tool(play, spec) for spec in play.specs]


def desk_agent(play: DeskPlay, told: str, *, model: Any = None, **options: Any) -> Agent[Any]:
    """An agent with the tools of the episode that `DeskPlay.begin` has begun (``told`` is what it
    returned). It stops with the episode. ``options`` are those of `agents.Agent`."""

    def stop(context: Any, results: Any) -> ToolsToFinalOutputResult:
        answer = play.outcome.answer
        return ToolsToFinalOutputResult(is_final_output=play.over, final_output=answer or "")

    return Agent(
        name="desk",
        instructions=told,
        tools=list(desk_tools(play)),
        tool_use_behavior=stop,
        model=model,
        **options,
    )


async def run_episode(
    env: PlayEnv,
    *,
    profile: str | None = None,
    task: str | None = None,
    seed: int | None = None,
    model: Any = None,
    run_config: Any = None,
    **options: Any,
) -> Outcome:
    """One episode of an agent of the SDK's, from reset to answer; it leaves ``env`` closed.

    What the model says in the end without the tool ``answer`` is its answer.

    Raises:
        agents.AgentsException: as the SDK's runner.
        UnknownProfile, UnknownTask, SandboxError: as `DeskEnv.reset` and `DeskEnv.step`.
    """
    play = DeskPlay(env)
    try:
        begin = asyncio.to_thread(play.begin, profile=profile, task=task, seed=seed)
        agent = desk_agent(play, await begin, model=model, **options)
        turns = play.steps_left + SPARE_TURNS
        result = await Runner.run(agent, play.question, max_turns=turns, run_config=run_config)
        if not play.over:
            await asyncio.to_thread(play.say, str(result.final_output))
        return play.outcome
    finally:
        await asyncio.shield(asyncio.to_thread(play.close))


def _tool(play: DeskPlay, spec: ToolSpec) -> FunctionTool:
    async def use(context: Any, arguments: str) -> Any:
        return _output(await asyncio.to_thread(play.use, spec.name, arguments))

    return FunctionTool(
        name=spec.name,
        description=spec.description,
        params_json_schema={"additionalProperties": False, **spec.parameters},
        on_invoke_tool=use,
        # Strict schemas make every argument required; most of ours need not be given.
        strict_json_schema=False,
    )


def _output(shown: Shown) -> list[Any]:
    pictures = [ToolOutputImage(image_url=data_url(picture)) for picture in shown.pictures]
    return [ToolOutputText(text=shown.text), *pictures]
