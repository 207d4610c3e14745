"""What is agreed of a pool, what it counts, and how it says no."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from deskgym.env.sandbox.base import EngineUnavailable, SandboxError


class PoolFull(SandboxError):
    """There is no room for one more desk. The message says what is full, and what to do."""


class PoolClosed(SandboxError):
    """The pool has been closed, or belongs to the process that this one was forked from."""


@dataclass(frozen=True)
class Terms:
    """A pool's settings; see `deskgym.env.pool.DeskPool`."""

    max_desks: int
    warm: int
    starts_at_once: int
    idle_s: float
    max_idle: int
    wait_s: float
    check_s: float
    end_unused: bool
    reserve: int | None

    def __post_init__(self) -> None:
        least = {"max_desks": 1, "starts_at_once": 1}
        for name, value in asdict(self).items():
            if value is not None and value < least.get(name, 0):
                raise ValueError(f"{name} is at least {least.get(name, 0)}, not {value}")
        if self.check_s == 0:
            raise ValueError("check_s is above 0")


@dataclass
class Counts:
    """What a pool has done since it was made."""

    started: int = 0
    start_failures: int = 0
    start_seconds: float = 0.0
    handed_warm: int = 0
    handed_cold: int = 0
    replaced: int = 0
    expired: int = 0
    refused: int = 0


def as_ours(error: Exception) -> Exception:
    """The engine's client has errors of its own for an engine that goes away meanwhile."""
    if isinstance(error, SandboxError):
        return error
    from docker.errors import DockerException
    from requests.exceptions import RequestException

    if isinstance(error, DockerException | RequestException):
        return EngineUnavailable(f"the engine no longer answers: {error}; see: deskgym doctor")
    return error
