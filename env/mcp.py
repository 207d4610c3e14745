"""A desk over the Model Context Protocol: its actions as tools, one episode a session.

`McpSession` turns one JSON-RPC 2.0 message into its answer and knows nothing of transports:
standard input and output (`serve_lines`), HTTP and WebSockets carry it alike.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterable, Mapping
from importlib.metadata import version
from typing import Any, Final, Protocol

from gymnasium.error import ResetNeeded

from deskgym.env.observations import Media, Observation
from deskgym.env.run_reader import TrajectoryError
from deskgym.env.sandbox.base import SandboxError
from deskgym.env.tool_schemas import TOLD, offered, parameters
from deskgym.tasks.registry import Unknown

PROTOCOLS: Final = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""The revisions that are spoken, the oldest first. One without audio gets sounds as resources."""

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
NO_METHOD: Final = -32601
INVALID_PARAMS: Final = -32602
INTERNAL_ERROR: Final = -32603
NO_DESK: Final = -32000

META: Final = "deskgym/step"
"""The key of a result's ``_meta`` with what its text does not say: reward, end, scores."""

Message = dict[str, Any]


class McpEnv(Protocol):
    """What a session asks of an environment; `DeskEnv` and the clients of a server have it."""

    @property
    def tools(self) -> frozenset[Any]: ...

    def reset(
        self, *, seed: int | None = None, profile: str | None = None, task: str | None = None
    ) -> tuple[Observation, dict[str, Any]]: ...

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]: ...


class McpSession:
    """One client's session with one environment. One message at a time; `handle` blocks.

    ``observation`` is that of an episode that is under way. Without one the session begins an
    episode itself, with ``reset`` (``profile``, ``task``, ``seed``), once the client initialises
    or uses a tool. The question stands in the ``instructions``, in the description of the tool
    ``answer``, and in the prompt ``task``. With the answer the episode is over, and with it the
    session's use; the environment stays its owner's to close.
    """

    def __init__(
        self,
        env: McpEnv,
        *,
        observation: Observation | None = None,
        reset: Mapping[str, Any] | None = None,
    ) -> None:
        self._env = env
        self._first = observation
        self._reset = dict(reset or {})
        self._over: str | None = None
        self._protocol = PROTOCOLS[-1]
        self._methods: dict[str, Callable[[Message], Message]] = {
            "initialize": self._initialize,
            "ping": lambda params: {},
            "tools/list": self._list_tools,
            "tools/call": self._call_tool,
            "prompts/list": self._list_prompts,
            "prompts/get": self._get_prompt,
        }

    def handle(self, message: Any) -> Message | None:
        """The answer to ``message``; None to a notification.

        It never raises for what a client sends: what is no request, or cannot be done, is answered
        with an error of JSON-RPC, also where no desk can be had.
        """
        if not isinstance(message, Mapping) or message.get("jsonrpc") != "2.0":
            return _error(None, INVALID_REQUEST, 'a message is an object with "jsonrpc": "2.0"')
        request = message.get("id")
        method, params = message.get("method"), message.get("params", {})
        if "id" in message and (isinstance(request, bool) or not isinstance(request, str | int)):
            return _error(None, INVALID_REQUEST, "id is a text or a whole number")
        if not isinstance(method, str):
            if "id" in message and ("result" in message or "error" in message):
                return None  # an answer to a request that was never made
            return _error(request, INVALID_REQUEST, "method is missing: a text such as tools/list")
        if "id" not in message:
            return None  # notifications/initialized, notifications/cancelled: nothing to do
        if not isinstance(params, dict):
            return _error(request, INVALID_PARAMS, "params is an object")
        if method not in self._methods:
            return _error(request, NO_METHOD, f"no method {method[:80]!r}")
        try:
            return {"jsonrpc": "2.0", "id": request, "result": self._methods[method](params)}
        except _BadParams as error:
            return _error(request, INVALID_PARAMS, str(error))
        except TrajectoryError as error:
            return _error(request, INTERNAL_ERROR, f"the step could not be logged: {error}")
        except (SandboxError, Unknown) as error:
            return _error(request, NO_DESK, f"no episode can begin: {error}")

    def handle_text(self, text: str | bytes) -> str | None:
        """`handle` for a message that is still JSON; so is its answer, on one line."""
        try:
            message = json.loads(text)
        except (ValueError, RecursionError) as error:
            answer: Message | None = _error(None, PARSE_ERROR, f"the message is not JSON: {error}")
        else:
            answer = self.handle(message)
        return None if answer is None else json.dumps(answer, separators=(",", ":"))

    @property
    def over(self) -> bool:
        """Whether the episode has come to its end."""
        return self._over is not None

    # -- the methods -----------------------------------------------------------------------------

    def _initialize(self, params: Message) -> Message:
        wanted = params.get("protocolVersion")
        self._protocol = wanted if wanted in PROTOCOLS else PROTOCOLS[-1]
        return {
            "protocolVersion": self._protocol,
            "capabilities": {"tools": {"listChanged": False}, "prompts": {"listChanged": False}},
            "serverInfo": {"name": "deskgym", "version": version("deskgym")},
            "instructions": self._instructions(),
        }

    def _list_tools(self, params: Message) -> Message:
        tools = []
        for name in offered(self._env.tools):
            told = TOLD[name]
            if name == "answer" and self._first is not None:
                told += f" The question is: {self._first['question']}"
            reading = name not in ("terminal", "note", "answer")
            tools.append(
                {
                    "name": name,
                    "description": told,
                    "inputSchema": parameters(name),
                    "annotations": {"readOnlyHint": reading, "openWorldHint": False},
                }
            )
        return {"tools": tools}

    def _call_tool(self, params: Message) -> Message:
        name, arguments = params.get("name"), params.get("arguments") or {}
        if not isinstance(name, str) or name not in offered(self._env.tools):
            there = ", ".join(offered(self._env.tools))
            raise _BadParams(f"no tool {str(name)[:80]!r}; there are {there}")
        if not isinstance(arguments, dict):
            raise _BadParams(f"the arguments of {name} are an object")
        if self._over is not None:
            return _said(f"the episode is over ({self._over}): begin a new session", failed=True)
        self._begin()
        try:
            seen, reward, terminated, truncated, info = self._env.step({**arguments, "tool": name})
        except (SandboxError, ResetNeeded) as error:
            self._over = "aborted"
            return _said(f"this episode cannot go on: {error}", failed=True)
        text = seen["text"]
        if terminated or truncated:
            self._over = str(info["ended"])
            end = "The answer is taken." if terminated else "That was the last step."
            text = "\n".join(part for part in (text, f"{end} The episode is over.") if part)
        content = [{"type": "text", "text": text}]
        content += [content_of(m, audio=self._protocol != PROTOCOLS[0]) for m in seen["media"]]
        told = {"step": seen["step"], "steps_left": seen["steps_left"], "reward": float(reward)}
        told |= {"terminated": terminated, "truncated": truncated}
        told |= {key: info[key] for key in ("ended", "scores", "rewards", "error") if key in info}
        return {"content": content, "isError": not info["ok"], "_meta": {META: told}}

    def _list_prompts(self, params: Message) -> Message:
        return {"prompts": [{"name": "task", "description": "The question to be answered."}]}

    def _get_prompt(self, params: Message) -> Message:
        if params.get("name") != "task":
            raise _BadParams(f"no prompt {str(params.get('name'))[:80]!r}; there is task")
        said = {"role": "user", "content": {"type": "text", "text": self._instructions()}}
        return {"description": "The question to be answered.", "messages": [said]}

    def _begin(self) -> Observation:
        if self._first is None:
            self._first, _ = self._env.reset(**self._reset)
        return self._first

    def _instructions(self) -> str:
        return briefing(self._begin())


def briefing(first: Observation) -> str:
    """What a player is told at the start of an episode: ``first`` is what `reset` shows."""
    return (
        f"{first['text']}\nThere are {first['steps_left']} steps; each use of a tool is one. "
        f"Finish with the tool answer, citing the places it rests on.\n"
        f"Question: {first['question']}"
    )


def content_of(media: Media, *, audio: bool = True) -> Message:
    """A picture, a sound or any file as a piece of a tool's result."""
    data = base64.b64encode(media.data).decode("ascii")
    kind = media.mime.partition("/")[0]
    if kind == "image" or (kind == "audio" and audio):
        return {"type": kind, "data": data, "mimeType": media.mime}
    resource = {"uri": "desk:///file", "mimeType": media.mime, "blob": data}
    return {"type": "resource", "resource": resource}


def serve_lines(
    session: McpSession, lines: Iterable[str | bytes], write: Callable[[str], object]
) -> None:
    """Answer each line of ``lines`` with one line, until there are no more: the stdio transport."""
    for line in lines:
        if line.strip() and (answer := session.handle_text(line)) is not None:
            write(f"{answer}\n")


class _BadParams(ValueError):
    """A request's parameters do not fit; the message says which and what fits."""


def _said(text: str, *, failed: bool) -> Message:
    return {"content": [{"type": "text", "text": text}], "isError": failed}


def _error(request: Any, code: int, message: str) -> Message:
    return {"jsonrpc": "2.0", "id": request, "error": {"code": code, "message": message}}
