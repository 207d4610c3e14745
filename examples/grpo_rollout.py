"""Groups of rollouts for GRPO, with a policy that is no language model.

    pip install deskgym
    python examples/grpo_rollout.py

The policy searches for the question's words and answers with one of the passages found, drawn at
random: so the goes at one question differ, and their advantages say which were better.
"""

from __future__ import annotations

import json
import random
from typing import Any

from deskgym.agents.adapters.grpo import Batch, rollout
from deskgym.agents.rag.hits import parse_hits

TASKS = ("adam-001", "adam-002", "adam-003", "adam-004")


def chooser(seed: int) -> Any:
    """A policy: search, then answer with one of the first five passages."""
    draw = random.Random(seed)

    def policy(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> dict[str, Any]:
        last = messages[-1]
        if last["role"] == "user":
            return use("search", {"query": last["content"], "top_k": 5})
        hits = parse_hits(last["content"])
        if not hits:
            return {"role": "assistant", "content": "I do not know."}
        hit = draw.choice(hits)
        cite = {"path": hit.path, "locator": str(hit.locator)}
        return use("answer", {"text": hit.text, "cites": [cite]})

    return policy


def use(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """An assistant's message that uses a tool."""
    function = {"name": name, "arguments": json.dumps(arguments)}
    call = {"id": "call", "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def main(n: int = 4, group: int = 4) -> Batch:
    """Play, and show what a trainer would be given."""
    batch = rollout(chooser(0), n, group, tasks=TASKS)
    for one, rewards, gains in zip(batch.groups, batch.rewards, batch.advantages, strict=True):
        print(one.task, "rewards", rewards.round(2), "advantages", gains.round(2))
    columns = batch.columns()
    print({name: len(values) for name, values in columns.items()})
    return batch


if __name__ == "__main__":
    main()
