"""verifiers evaluates a model on the demo; here a scripted one, so that no other is needed.

    pip install 'deskgym[verifiers]'
    python examples/verifiers_eval.py [OUTPUT_DIR]

It runs what one would type, with an endpoint of one's own, and shows the rewards in the traces::

    vf-eval deskgym --env.taskset.profile adam --model NAME --client.base-url URL --no-push
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from scripted_model import TASK, serving

TASKS = [TASK, "adam-001"]


def main(output: str = "outputs") -> dict[str, Any]:
    """Evaluate; the trace of each task by its id."""
    from verifiers.v1.cli.eval.main import main as vf_eval

    with serving() as base_url:
        vf_eval(
            [
                "deskgym",
                *("--env.taskset.profile", "adam"),
                *("--select.include.ids", json.dumps(TASKS)),
                *("--model", "scripted", "--client.base-url", base_url),
                *("--client.api-key-var", "SCRIPTED_API_KEY"),
                *("--no-push", "--no-rich", "--output-dir", output, "--run.dir", "demo"),
            ]
        )
    lines = (Path(output) / "demo" / "traces.jsonl").read_text(encoding="utf-8").splitlines()
    traces = [trace for line in lines for trace in json.loads(line)["traces"]]
    for trace in traces:
        rewards = {name: reward["score"] for name, reward in trace["rewards"].items()}
        print(trace["task"]["data"]["id"], rewards, trace["metrics"])
    return {trace["task"]["data"]["id"]: trace for trace in traces}


if __name__ == "__main__":
    main(*sys.argv[1:2])
