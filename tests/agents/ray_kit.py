"""Environments that a node of a cluster can make, and a run's folder without its times."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from deskgym.agents.crew import Env, RunSpec
from deskgym.env.sandbox.base import EngineUnavailable
from deskgym.env.trajectory_log import Recorder

TIMES = {"started", "finished", "duration_s", "seconds"}


def without_engine(spec: RunSpec, recorder: Recorder, agent: str) -> Env:
    raise EngineUnavailable("no engine answers on this node")


def timeless(run: Path) -> dict[str, Any]:
    """All files of a run by name, read, without what tells of times."""
    files = {}
    for path in sorted(run.rglob("*")):
        if path.is_dir():
            continue
        name, data = path.relative_to(run).as_posix(), path.read_bytes()
        if name.endswith(".jsonl"):
            files[name] = [_without_times(json.loads(line)) for line in data.splitlines()]
        elif name.endswith(".json"):
            files[name] = _without_times(json.loads(data))
        else:
            files[name] = data
    return files


def _without_times(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _without_times(v) for k, v in value.items() if k not in TIMES}
    if isinstance(value, list):
        return [_without_times(item) for item in value]
    return value
