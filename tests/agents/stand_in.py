"""A smaller stand-in for an endpoint than `endpoint`: any status with any body, byte for byte."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self


@dataclass(frozen=True)
class Answer:
    """A status with a body, sent as JSON."""

    status: int
    body: Any


def completion(text: str | None, **more: Any) -> dict[str, Any]:
    """A chat completion whose message has ``more`` fields."""
    message = {"role": "assistant", "content": text, **more}
    return {
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 7, "completion_tokens": 3},
    }


class StandIn:
    """Answers at ``base_url`` inside a ``with``, and keeps ``requests`` and ``paths``."""

    def __init__(self, answer: Callable[[dict[str, Any]], Answer]) -> None:
        self.requests: list[dict[str, Any]] = []
        self.paths: list[str] = []
        stand_in = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                stand_in.requests.append(body)
                stand_in.paths.append(self.path)
                given = answer(body)
                data = json.dumps(given.body).encode()
                self.send_response(given.status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *args: Any) -> None:
                """Nothing: the tests' output is theirs."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.base_url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        )

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
