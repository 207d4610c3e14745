"""The rows of `deskgym bench`, in the order of its table."""

from __future__ import annotations

from collections.abc import Callable

from deskgym.bench import (
    Bench,
    Row,
    cold_start,
    memory,
    read_text,
    step_cli,
    step_host,
    step_peer,
    warm_reset,
)
from deskgym.bench_many import parallel, pool_take, scale, step_docker_py, vector

ROWS: dict[str, Callable[[Bench], Row]] = {
    "step-cli": step_cli,
    "step-docker-py": step_docker_py,
    "step-peer": step_peer,
    "step-host": step_host,
    "parallel": parallel,
    "vector": vector,
    "reset": warm_reset,
    "pool": pool_take,
    "cold-start": cold_start,
    "scale": scale,
    "memory": memory,
    "read-text": read_text,
}
