"""Executions that failed, and what becomes of them (HippoCamp, D.3.2).

An execution that broke down on the way to an answer (the agent, its model or its desk failed, it
took too long, or it came to no answer at all) says nothing of what the agent can do: it may be run
again, and is counted. One that ended with an answer, right or wrong, is never run again.
"""

from __future__ import annotations

import re
from typing import Final

from deskgym.env.trajectory import EpisodeResult, ModelUse
from deskgym.env.trajectory_log import Log, Recorder

TIMED_OUT: Final = "timed_out"
MODEL_UNAVAILABLE: Final = "model_unavailable"
DESK_FAILED: Final = "desk_failed"
AGENT_FAILED: Final = "agent_failed"
MALFORMED: Final = "malformed"
EMPTY: Final = "empty"
NODE_LOST: Final = "node_lost"

DESK_TRIES: Final = 2  # one whose desk died is run once more in a new one, whatever `retries`
NODE_TRIES: Final = 3  # and one whose node was lost, on another: it may be what kills them

_MAX_DETAIL = 300
# The first word of a reason is the error's class; a child's error is told by its traceback.
_DESK_ERRORS = ("Desk", "Sandbox", "Engine", "Image")
_NO_MODEL = re.compile(r"^(?:[\w.]+\.)?(?:ModelUnavailable|CassetteMiss|BadCassette)\b", re.M)


def failure_of(result: EpisodeResult) -> str | None:
    """Why the execution that came to ``result`` failed, as ``kind: detail``; None if it did not.

    The kinds are those above. An answer of words is a finished execution, whatever it says;
    abstaining is an answer. ``malformed``: nothing that the agent did was an action; ``empty``: its
    answer is blank, or the steps ended before it gave one.
    """
    if result.ended == "aborted":
        reason = result.reason or ""
        return f"{_broken(reason)}: {_detail(reason)}"
    if result.ended == "truncated":
        if result.steps and result.invalid_actions == result.steps:
            return f"{MALFORMED}: none of {result.steps} actions could be read"
        return f"{EMPTY}: no answer within {result.steps} steps"
    if not (result.answer or "").strip():
        return f"{EMPTY}: the answer is blank"
    return None


def failure_kind(failure: str) -> str:
    """The kind of a failure, or of a fault of a model, without its detail."""
    return failure.partition(":")[0].strip()


def _broken(reason: str) -> str:
    if reason.startswith("AgentTimeout:"):
        return TIMED_OUT
    if reason.startswith("NodeLost:"):
        return NODE_LOST
    if reason.startswith(_DESK_ERRORS):
        return DESK_FAILED
    return MODEL_UNAVAILABLE if _NO_MODEL.search(reason) else AGENT_FAILED


def _detail(reason: str) -> str:
    """What is said last: of a traceback, the error itself."""
    lines = [line.strip() for line in reason.splitlines() if line.strip()]
    shown = lines[-1] if lines else "no reason given"
    if (named := _NO_MODEL.search(reason)) is not None:  # its message may have several lines
        shown = reason[named.start() :].partition("\n")[0]
    return shown if len(shown) <= _MAX_DETAIL else f"{shown[: _MAX_DETAIL - 1]}…"


class Tries:
    """The executions of one episode so far, as far as they failed, and what they took of a model.

    The environment's owner asks `again` of each execution's result, and keeps the `final` one.
    """

    def __init__(self, retries: int) -> None:
        self._retries = retries
        self._failures: list[str] = []
        self._use = ModelUse()

    def again(self, result: EpisodeResult) -> bool:
        """Whether to run it again, as the execution failed; if so, that is counted."""
        failure = failure_of(result)
        if failure is None:
            return False
        desk = failure_kind(failure) == DESK_FAILED
        most = max(self._retries, DESK_TRIES - 1) if desk else self._retries
        if len(self._failures) - self.lost >= most:
            return False
        self._count(failure, result.use or ModelUse())
        return True

    def lose(self, why: str, use: ModelUse) -> bool:
        """Whether to run it again, as its node was lost; if so, that is counted."""
        if self.lost >= NODE_TRIES - 1:
            return False
        self._count(f"{NODE_LOST}: {_detail(why)}", use)
        return True

    @property
    def lost(self) -> int:
        """Executions whose node was lost."""
        return sum(failure_kind(failure) == NODE_LOST for failure in self._failures)

    def final(self, result: EpisodeResult) -> EpisodeResult:
        """The result of the last execution, with what there is to say of those before it."""
        return result.model_copy(
            update={
                "attempts": len(self._failures) + 1,
                "failures": tuple(self._failures),
                "failed_use": self._use if self._use != ModelUse() else None,
            }
        )

    def _count(self, failure: str, use: ModelUse) -> None:
        self._failures.append(failure)
        self._use += use


class HeldBack:
    """A run's folder to an environment, but that results wait until somebody accepts them.

    Satisfies `deskgym.env.trajectory_log.Recorder`. For one thread.
    """

    def __init__(self, folder: Recorder) -> None:
        self._folder = folder
        self.result: EpisodeResult | None = None

    def episode(self, agent: str, profile_id: str, task_id: str) -> Log:
        """A new log for the episode; see `RunFolder.episode`."""
        self.result = None
        return self._folder.episode(agent, profile_id, task_id)

    def append_result(self, result: EpisodeResult) -> None:
        """Hold the result back."""
        self.result = result

    def keep_media(self, sha256: str, data: bytes) -> None:
        """Keep what an observation showed; see `RunFolder.keep_media`."""
        self._folder.keep_media(sha256, data)
