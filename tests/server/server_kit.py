"""What the server's tests are written in: servers in threads and in processes, plain clients."""

from __future__ import annotations

import base64
import json
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import requests
from docker import DockerClient
from websockets.sync.client import ClientConnection, connect

from deskgym.env.sandbox.sweep import OWNER_PID
from deskgym.env.server.app import Parts, create_app
from deskgym.env.server.config import ServerConfig
from deskgym.env.server.serving import make_server
from deskgym.env.trajectory import RunConfig
from deskgym.env.trajectory_log import RunFolder

TOKEN = "a-token-of-the-tests-0001"
ADMIN = "an-administrators-token-0001"
PATIENCE_S = 30.0


def until(holds: Callable[[], bool], what: str, patience_s: float = PATIENCE_S) -> None:
    """Wait until ``holds``."""
    deadline = time.monotonic() + patience_s
    while not holds():
        assert time.monotonic() < deadline, f"in vain: {what}"
        time.sleep(0.02)


class Talker:
    """A plain WebSocket client of ``/ws``: a message, its answer."""

    def __init__(self, url: str, token: str | None = None) -> None:
        headers = {"Authorization": f"Bearer {token}"} if token else None
        self._stack = ExitStack()
        self.socket: ClientConnection = self._stack.enter_context(
            connect(url, additional_headers=headers, proxy=None, max_size=100_000_000)
        )

    def hear(self) -> dict[str, Any]:
        """The next message."""
        heard: dict[str, Any] = json.loads(self.socket.recv(timeout=90))
        return heard

    def say(self, text: str) -> dict[str, Any]:
        """Send ``text`` as it is, and hear the answer."""
        self.socket.send(text)
        return self.hear()

    def ask(self, kind: str, **data: Any) -> dict[str, Any]:
        """The ``data`` of the answer, which must be of the kind that belongs to ``kind``."""
        answer = self.say(json.dumps({"type": kind, "data": data}))
        assert answer["type"] == {"state": "state", "mcp": "mcp"}.get(kind, "observation"), answer
        told: dict[str, Any] = answer["data"]
        return told

    def error(self, kind: str, **data: Any) -> str:
        """The code of the error with which the message is answered."""
        return error_code(self.say(json.dumps({"type": kind, "data": data})))

    def step(self, **action: Any) -> dict[str, Any]:
        """The answer to an action."""
        return self.ask("step", **action)

    def shell(self, command: str, **options: Any) -> str:
        """What a command prints."""
        text: str = self.step(tool="terminal", command=command, **options)["observation"]["text"]
        return text

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()


def error_code(message: dict[str, Any]) -> str:
    """The code of an error message, which it must be."""
    assert message["type"] == "error", message
    assert message["data"]["message"]
    code: str = message["data"]["code"]
    return code


@dataclass
class Served:
    """A server that runs."""

    port: int
    token: str | None = None
    parts: Parts | None = None
    process: subprocess.Popen[str] | None = None
    lines: list[str] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def ws(self) -> str:
        return f"ws://127.0.0.1:{self.port}/ws"

    def talk(self, token: str | None = None) -> Talker:
        """A client, with a session of its own."""
        return Talker(self.ws, token or self.token)

    def ask(self, method: str, path: str, **options: Any) -> requests.Response:
        """The answer to an HTTP request."""
        headers = dict(options.pop("headers", {}))
        if self.token and "Authorization" not in headers:
            headers["Authorization"] = f"Bearer {self.token}"
        return requests.request(method, self.url + path, headers=headers, timeout=60, **options)

    def metrics(self) -> dict[str, float]:
        """The server's metrics by name and labels."""
        text = self.ask("GET", "/metrics").text
        lines = [line.rpartition(" ") for line in text.splitlines() if not line.startswith("#")]
        return {name: float(value) for name, _, value in lines}

    def sessions(self) -> float:
        """How many sessions are open."""
        figures = self.metrics()
        return sum(v for n, v in figures.items() if n.startswith("deskgym_sessions{"))

    @property
    def log(self) -> str:
        """What the server's process has logged."""
        return "".join(self.lines)


@contextmanager
def in_thread(
    config: ServerConfig | None = None, *, token: str | None = None, **options: Any
) -> Iterator[Served]:
    """A server in a thread of this process; ``options`` are `create_app`'s."""
    app = create_app(config or ServerConfig(), **options)
    server = make_server(app, host="127.0.0.1", port=0)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        until(lambda: server.started or not thread.is_alive(), "the server starts")
        yield Served(server.port, token, parts=app.state.parts)
    finally:
        server.should_exit = True
        thread.join(60)
        assert not thread.is_alive(), "the server does not end"


@contextmanager
def in_process(*options: str, token: str | None = None, env: Any = None) -> Iterator[Served]:
    """``deskgym serve`` as a process, ended in good order unless it has ended before."""
    command = [sys.executable, "-m", "deskgym", "serve", "--port", "0", *options]
    process = subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, env={**os.environ, **(env or {})}
    )
    served = Served(0, token, process=process)

    def read() -> None:
        assert process.stderr is not None
        for line in process.stderr:
            served.lines.append(line)

    reader = threading.Thread(target=read)
    reader.start()
    try:
        until(lambda: "listening" in served.log or process.poll() is not None, "it listens", 120)
        found = re.search(r"listening on \S+ port (\d+)", served.log)
        assert found, served.log
        served.port = int(found[1])
        yield served
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                process.kill()
                raise
        reader.join()
        assert process.stderr is not None
        process.stderr.close()


def desks_of(client: DockerClient, process: int) -> list[str]:
    """The containers of a process."""
    found = client.containers.list(
        all=True, filters={"label": f"{OWNER_PID}={process}"}, ignore_removed=True
    )
    return [container.name or container.short_id for container in found]


class DeafClient:
    """Opens a session and is not heard of again: its end of the connection stays open, but takes
    and sends nothing any more. Like a machine that has lost its network."""

    def __init__(self, port: int, message: dict[str, Any], token: str | None = None) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port))
        key = base64.b64encode(os.urandom(16)).decode()
        head = [
            "GET /ws HTTP/1.1",
            f"Host: 127.0.0.1:{port}",
            "Upgrade: websocket",
            "Connection: Upgrade",
            "Sec-WebSocket-Version: 13",
            f"Sec-WebSocket-Key: {key}",
            *([f"Authorization: Bearer {token}"] if token else []),
        ]
        self.socket.sendall("\r\n".join([*head, "", ""]).encode())
        answer = b""
        while b"\r\n\r\n" not in answer:
            answer += self.socket.recv(4_096)
        assert b" 101 " in answer, answer
        self.socket.sendall(frame(json.dumps(message).encode()))

    def hear(self) -> None:
        """Wait for the beginning of the answer."""
        assert self.socket.recv(64)

    def close(self) -> None:
        """Let go."""
        self.socket.close()


def frame(payload: bytes, *, claims: int | None = None) -> bytes:
    """A text frame as a client sends it; ``claims`` is the length that it says it has."""
    mask = b"\1\2\3\4"
    masked = bytes(byte ^ mask[place % 4] for place, byte in enumerate(payload))
    return b"\x81\xff" + struct.pack(">Q", claims or len(payload)) + mask + masked


def made_run(folder: Path) -> RunFolder:
    """A run that has just been begun."""
    config = RunConfig(
        deskgym_version="0",
        dataset="fake",
        dataset_digest="d" * 64,
        profiles=(),
        tasks=(),
        agents=("served",),
        tools=(),
        max_steps=30,
        reward="sparse",
        seed=0,
        sandbox="docker",
        image_digest="",
        started=datetime(2024, 5, 1),
    )
    return RunFolder.create(folder, config)


def run_of(folder: Path) -> list[dict[str, Any]]:
    """The results in a run's folder."""
    lines = (folder / "results.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]
