"""An agent of the OpenAI Agents SDK at a desk; here with a scripted model, so that none is needed.

    pip install 'deskgym[openai-agents]'
    python examples/openai_agents_desk.py [TASK]

With a real one: ``run_episode(deskgym.make(), profile="adam", model="gpt-4o")``.
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any

from scripted_model import TASK, serving

import deskgym


async def main(task: str = TASK) -> Any:
    """Play one episode; its outcome."""
    from openai import AsyncOpenAI

    from agents import OpenAIChatCompletionsModel, RunConfig
    from deskgym.agents.adapters.openai_agents import run_episode

    with serving() as base_url:
        async with AsyncOpenAI(base_url=base_url, api_key="none") as client:
            outcome = await run_episode(
                deskgym.make(),
                profile="adam",
                task=task,
                model=OpenAIChatCompletionsModel(model="scripted", openai_client=client),
                run_config=RunConfig(tracing_disabled=True),
            )
    print(outcome.model_dump_json(indent=1))
    return outcome


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:2]))
