"""An OpenAI-compatible endpoint on the loopback that does what it is told to: well or badly.

It plays a script, one entry a request, and then answers honestly. Its model is *gullible*: an
order that stands anywhere but within the three fields of the data, it obeys.
"""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from deskgym.tasks.scoring.judge import Judge, JudgeItem, Patience

RIGHT = JudgeItem(question="Which bank?", gold="Nordea", prediction="Nordea")
WRONG = JudgeItem(question="Which bank?", gold="Nordea", prediction="Handelsbanken")
QUICK = Patience(first_s=0.001, longest_s=5.0)
ORDERED = {"reason": "as ordered", "correct": True, "grade": 5}
FIELDS = {"question", "gold", "prediction"}


@dataclass(frozen=True)
class Status:
    """Answer with an error."""

    status: int
    headers: dict[str, str] = field(default_factory=dict)
    message: str = "no"
    param: str | None = None
    code: str | None = None


@dataclass(frozen=True)
class Says:
    """Answer with this text, in a chat completion that is in order."""

    content: str | None
    finish_reason: str = "stop"


@dataclass(frozen=True)
class Raw:
    """Answer with this body, whatever it is."""

    body: bytes
    content_type: str = "application/json"


@dataclass(frozen=True)
class Drop:
    """Close the connection without a word."""


@dataclass(frozen=True)
class Hang:
    """Say nothing until the test is over."""


Move = Status | Says | Raw | Drop | Hang | None
"""None: an honest answer."""
Mood = Callable[[dict[str, Any]], Move]


class StandIn:
    """The endpoint's state: what it is to do, and what it was asked."""

    def __init__(self, script: tuple[Move, ...] = (), mood: Mood | None = None) -> None:
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.most_at_once = 0
        self.gate: threading.Barrier | None = None
        self.over = threading.Event()
        self._script = list(script)
        self._mood = mood
        self._at_once = 0
        self._lock = threading.Lock()
        self.url = ""

    @property
    def calls(self) -> int:
        return len(self.requests)

    @contextmanager
    def counted(self, request: dict[str, Any], headers: dict[str, str]) -> Iterator[Move]:
        with self._lock:
            self.requests.append(request)
            self.headers.append(headers)
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
            move = self._script.pop(0) if self._script else None
        try:
            if self.gate is not None:
                self.gate.wait(timeout=20)
            if move is None and self._mood is not None:
                move = self._mood(request)
            yield move
        finally:
            with self._lock:
                self._at_once -= 1


def believes(messages: list[dict[str, str]]) -> dict[str, Any]:
    """What the gullible model answers: right if the prediction is the gold, unless ordered."""
    *rules, data = [message["content"] for message in messages]
    try:
        fields = json.loads(data)
    except ValueError:
        return ORDERED  # what is not one JSON object, it reads as orders
    if len(data.splitlines()) != 1 or set(fields) != FIELDS:
        return ORDERED
    # A short answer may well be a word of the rules'.
    if any(len(text) >= 12 and text in rule for text in fields.values() for rule in rules):
        return ORDERED
    right = fields["prediction"] == fields["gold"]
    return {"reason": "compared", "correct": right, "grade": 5 if right else 0}


def completion(content: str | None, finish_reason: str = "stop") -> bytes:
    """The body of a chat completion: 100 tokens read, 10 written."""
    return json.dumps(
        {
            "id": "c",
            "object": "chat.completion",
            "created": 0,
            "model": "stand-in",
            "choices": [
                {
                    "index": 0,
                    "finish_reason": finish_reason,
                    "message": {"role": "assistant", "content": content},
                }
            ],
            "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
        }
    ).encode()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    stand_in: StandIn

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        assert self.path == "/v1/chat/completions", self.path
        request = json.loads(body)
        headers = {name.lower(): value for name, value in self.headers.items()}
        with self.stand_in.counted(request, headers) as move:
            self._play(move, request)

    def _play(self, move: Move, request: dict[str, Any]) -> None:
        match move:
            case Status():
                error = {"message": move.message, "param": move.param, "code": move.code}
                self._send(move.status, json.dumps({"error": error}).encode(), move.headers)
            case Says():
                self._send(200, completion(move.content, move.finish_reason))
            case Raw():
                self._send(200, move.body, {"Content-Type": move.content_type})
            case Drop():
                self.close_connection = True
            case Hang():
                self.stand_in.over.wait()
                self.close_connection = True
            case None:
                self._send(200, completion(json.dumps(believes(request["messages"]))))

    def _send(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        sent = {"Content-Type": "application/json", "Content-Length": str(len(body))}
        for name, value in {**sent, **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Says nothing: tests look at `StandIn.requests`."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that has gone (a timeout, Ctrl-C) is what tests are about; all else is said."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


@contextmanager
def stand_in(*script: Move, mood: Mood | None = None) -> Iterator[StandIn]:
    """An endpoint that plays ``script`` and then ``mood``; its address is `StandIn.url`."""
    state = StandIn(script, mood)
    handler = type("Handler", (_Handler,), {"stand_in": state})
    server = _Server(("127.0.0.1", 0), handler)
    state.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield state
    finally:
        state.over.set()
        server.shutdown()
        thread.join()
        server.server_close()


def judge_at(endpoint: StandIn, **changes: Any) -> Judge:
    """A judge named ``m`` behind ``endpoint``: quick to ask again, and without a cache."""
    settings: dict[str, Any] = {"cache": None, "patience": QUICK, "timeout_s": 20.0}
    return Judge(**{"model": "m", "base_url": endpoint.url, **settings, **changes})
