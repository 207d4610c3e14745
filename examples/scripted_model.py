"""A model that is none: an OpenAI-compatible endpoint on this machine that plays by a script.

It lets the other examples run anywhere. Asked about the courtroom, it looks at the photograph of
the list and answers; of anything else it knows nothing.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

TASK = "adam-009"
PICTURE = "01_Work/03_Litigation_Brackwater/IMG_0131_list.jpg"
ANSWER = "Court 37"


def reply(messages: list[dict[str, Any]]) -> dict[str, Any]:
    """The model's next message."""
    if not any("courtroom" in str(message.get("content")) for message in messages):
        return {"role": "assistant", "content": "I do not know."}
    looked = any(message["role"] == "tool" for message in messages)
    name, arguments = "read_image", {"path": PICTURE}
    if looked:
        name, arguments = "answer", {"text": ANSWER, "cites": [{"path": PICTURE}]}  # type: ignore[dict-item]
    function = {"name": name, "arguments": json.dumps(arguments)}
    call = {"id": f"call_{len(messages)}", "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        said = reply(body["messages"])
        finish = "tool_calls" if "tool_calls" in said else "stop"
        answer = {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 0,
            "model": body["model"],
            "choices": [{"index": 0, "message": said, "finish_reason": finish}],
            "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
        }
        data = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@contextmanager
def serving() -> Iterator[str]:
    """The endpoint for as long as the block lasts; gives its base URL."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        thread.join(10)
        server.server_close()
