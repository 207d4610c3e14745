"""Inspect AI evaluates a model on the demo; here its mock model, so that no other is needed.

    pip install 'deskgym[inspect]'
    python examples/inspect_demo.py [LOG_DIR]

With a real model it is one line: ``inspect eval deskgym/demo --model openai/gpt-4o``, with
``-T profile=adam`` for one person and ``--limit 5`` for five questions; ``inspect view`` shows
what was done, with pictures.
"""

from __future__ import annotations

import sys
from typing import Any

TASKS = ["adam-009", "adam-001"]
PICTURE = "01_Work/03_Litigation_Brackwater/IMG_0131_list.jpg"


def main(log_dir: str = "logs") -> dict[str, float]:
    """Evaluate; the mean of each of our scores, as they stand in the log."""
    from inspect_ai import eval as evaluate
    from inspect_ai.model import get_model

    model = get_model("mockllm/model", custom_outputs=mock)
    (log,) = evaluate(
        "deskgym/demo",
        model=model,
        task_args={"profile": "adam"},
        sample_id=TASKS,
        log_dir=log_dir,
        display="plain",
    )
    assert log.results is not None, log.error
    means = {score.name: float(score.metrics["mean"].value) for score in log.results.scores}
    print(f"{log.status}: {log.location}")
    for name, value in means.items():
        print(f"{name:24} {value:.2f}")
    return means


def mock(messages: list[Any], tools: Any, choice: Any, config: Any) -> Any:
    """What the mock model says: it looks at a photograph, answers, and knows nothing else."""
    from inspect_ai.model import ModelOutput, ModelUsage

    if "courtroom" not in messages[1].text:
        output = ModelOutput.from_content("mockllm/model", "I do not know.")
    elif all(message.role != "tool" for message in messages):
        output = ModelOutput.for_tool_call("mockllm/model", "read_image", {"path": PICTURE})
    else:
        answer = {"text": "Court 37", "cites": [{"path": PICTURE}]}
        output = ModelOutput.for_tool_call("mockllm/model", "answer", answer)
    output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return output


if __name__ == "__main__":
    main(*sys.argv[1:2])
