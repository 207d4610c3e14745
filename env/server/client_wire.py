"""What the clients of a server share: how they say things, and what they make of the answers.

All of it is pure; `deskgym.env.server.client` carries it over a WebSocket, waiting or not.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlsplit, urlunsplit

from pydantic import BaseModel, ValidationError

from deskgym.env.observations import Media, Observation
from deskgym.env.sandbox.base import SandboxError
from deskgym.env.server.models import Error, ErrorCode, State, StepResult

MAX_MESSAGE: Final = 256 << 20
"""The most that an answer may hold, in bytes; its media are in base64."""

Info = dict[str, Any]
Stepped = tuple[Observation, float, bool, bool, Info]

INSTALL: Final = "the client needs websockets: pip install 'deskgym[client]'"


class RemoteError(SandboxError):
    """The base of what goes wrong with a desk elsewhere; ``code`` is the server's, if it spoke."""

    def __init__(self, message: str, code: str | None = None) -> None:
        super().__init__(message)
        self.code = code


class ServerUnreachable(RemoteError):
    """No server answers at the address."""


class NoDeskServer(RemoteError):
    """What answers at the address does not speak as a server of desks does."""


class Unauthorised(RemoteError):
    """The token is missing or wrong, or may not do this."""


class CapacityReached(RemoteError):
    """All desks of the server are taken. Try again later."""


class Draining(RemoteError):
    """The server is about to stop and takes no new sessions. Try another, or again later."""


class SessionLost(RemoteError):
    """The session is over: closed, too long idle, or the connection broke. `reset` begins a new
    one."""


class ServerTimeout(SessionLost):
    """The server took longer than ``timeout_s``; with that the session is given up."""


class BadRequest(RemoteError):
    """The server does not take what it was sent: an unknown person or task, or too large."""


class EpisodeFailed(RemoteError):
    """The desk died, or none could be had. `reset` begins a new episode."""


_ERRORS: dict[str, type[RemoteError]] = {
    ErrorCode.CAPACITY_REACHED: CapacityReached,
    ErrorCode.DRAINING: Draining,
    ErrorCode.UNAUTHORISED: Unauthorised,
    ErrorCode.FORBIDDEN: Unauthorised,
    ErrorCode.SESSION_ERROR: SessionLost,
    ErrorCode.EXECUTION_ERROR: EpisodeFailed,
    ErrorCode.FACTORY_ERROR: EpisodeFailed,
    ErrorCode.INVALID_JSON: BadRequest,
    ErrorCode.UNKNOWN_TYPE: BadRequest,
    ErrorCode.VALIDATION_ERROR: BadRequest,
    ErrorCode.NOT_FOUND: BadRequest,
    ErrorCode.TOO_LARGE: BadRequest,
    ErrorCode.TOO_SLOW: BadRequest,
}
_BY_STATUS = {401: Unauthorised, 403: Unauthorised, 503: CapacityReached}

CLOSE_MESSAGE: Final = json.dumps({"type": "close"})
STATE_MESSAGE: Final = json.dumps({"type": "state"})


def websocket_url(url: str) -> str:
    """The address of the WebSocket of the server at ``url`` (http, https, ws or wss).

    Raises:
        ValueError: it is no such address.
    """
    parts = urlsplit(url)
    schemes = {"http": "ws", "https": "wss", "ws": "ws", "wss": "wss"}
    if parts.scheme not in schemes or not parts.hostname:
        raise ValueError(f"a server's address is as http://127.0.0.1:8000, not {url!r}")
    path = parts.path.rstrip("/")
    path = path if path.endswith("/ws") else f"{path}/ws"
    return urlunsplit((schemes[parts.scheme], parts.netloc, path, parts.query, ""))


def headers(token: str | None) -> dict[str, str]:
    """What a connection is opened with."""
    return {} if token is None else {"Authorization": f"Bearer {token}"}


def reset_message(*, seed: int | None, profile: str | None, task: str | None) -> str:
    """Begin an episode."""
    given = {"seed": seed, "profile": profile, "task": task}
    data = {name: value for name, value in given.items() if value is not None}
    return json.dumps({"type": "reset", "data": data})


def step_message(action: Any) -> str:
    """Do ``action``: a model, a dict or a JSON string, as `DeskEnv.step` takes it.

    The wire carries objects alone. What is none goes over inside of one that is no action, so that
    the environment answers that it is none, and counts a step, as it does to who is at hand.
    """
    if isinstance(action, BaseModel):
        action = action.model_dump(mode="json")
    elif isinstance(action, str | bytes):
        try:
            action = json.loads(action)
        except (ValueError, RecursionError):
            action = action.decode("utf-8", "replace") if isinstance(action, bytes) else action
    if not isinstance(action, Mapping):
        action = {"not_an_action": action}
    return json.dumps({"type": "step", "data": dict(action)}, default=_named)


def read_answer(text: str | bytes, expected: str) -> dict[str, Any]:
    """The ``data`` of the server's answer of the type ``expected``.

    Raises:
        RemoteError: it is an error, which is raised as what it is.
        NoDeskServer: it is none of a desk's server.
    """
    try:
        message = json.loads(text)
        kind, data = message["type"], message.get("data", {})
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise NoDeskServer(f"the answer is none of a server of desks: {text[:200]!r}") from error
    if kind == "error":
        raise error_of(data)
    if kind != expected or not isinstance(data, dict):
        raise NoDeskServer(f"the server answers with {str(kind)[:80]!r} in place of {expected!r}")
    return data


def error_of(data: Any, status: int | None = None) -> RemoteError:
    """The error that the server tells of, in a message or (``status``) in place of a WebSocket."""
    try:
        told = Error.model_validate(data)
    except ValidationError:
        message = data.get("message") if isinstance(data, dict) else None
        kind = _BY_STATUS.get(status or 0, NoDeskServer if status else EpisodeFailed)
        where = f"the server answers with status {status}" if status else "the server reports"
        return kind(f"{where}: {str(message or data)[:500]}", _code(data))
    return _ERRORS.get(told.code, EpisodeFailed)(told.message, told.code)


def refused(status: int, body: bytes) -> RemoteError:
    """Why the server would not open a WebSocket."""
    try:
        data: Any = json.loads(body)
    except ValueError:
        data = body.decode("utf-8", "replace")
    return error_of(data, status)


def lost(code: int | None, reason: str) -> RemoteError:
    """What a connection that was closed stands for."""
    if code in (1002, 1007, 1009) and reason:
        return BadRequest(f"the server closed the connection: {reason}")
    why = reason or ("the server is gone" if code in (None, 1006) else f"close code {code}")
    return SessionLost(f"the session is over: {why}; reset() begins a new one")


def begun(data: Mapping[str, Any]) -> tuple[Observation, Info]:
    """What `reset` gives, of the answer's data."""
    result = _result(data)
    info = _info(result.metadata)
    info.pop("terminated", None)
    info.pop("truncated", None)
    return _observation(result), info


def stepped(data: Mapping[str, Any]) -> Stepped:
    """What `step` gives, of the answer's data."""
    result = _result(data)
    info = _info(result.metadata)
    terminated = bool(info.pop("terminated", result.done))
    truncated = bool(info.pop("truncated", False))
    return _observation(result), float(result.reward or 0.0), terminated, truncated, info


def state_of(data: Mapping[str, Any]) -> State:
    """Where the session stands."""
    try:
        return State.model_validate(data)
    except ValidationError as error:
        raise NoDeskServer(f"the server's state is none that we know: {error}") from error


def _result(data: Mapping[str, Any]) -> StepResult:
    try:
        return StepResult.model_validate(data)
    except ValidationError as error:
        raise NoDeskServer(f"the server's answer is none that we know: {error}") from error


def _observation(result: StepResult) -> Observation:
    seen = result.observation
    try:
        media = tuple(Media(m.mime, base64.b64decode(m.data, validate=True)) for m in seen.media)
    except binascii.Error as error:
        raise NoDeskServer(f"the answer's media are not in base64: {error}") from error
    return Observation(
        question=seen.question,
        text=seen.text,
        media=media,
        step=seen.step,
        steps_left=seen.steps_left,
    )


def _info(metadata: Mapping[str, Any]) -> Info:
    """An info as the environment gives it: JSON has no tuples."""
    return {k: tuple(v) if isinstance(v, list) else v for k, v in metadata.items()}


def _code(data: Any) -> str | None:
    return str(data["code"])[:80] if isinstance(data, dict) and "code" in data else None


def _named(value: Any) -> str:
    return f"<{type(value).__name__}>"
