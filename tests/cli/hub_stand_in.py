"""A Hugging Face hub on loopback: lists one data set's files and serves them, or fails as told."""

from __future__ import annotations

import hashlib
import json
import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote, urlsplit

COMMIT = "c" * 40


@dataclass
class Request:
    method: str
    path: str
    span: str | None


@dataclass
class StandIn:
    """What the hub has and how it behaves; tests change it while it runs.

    ``large`` files are LFS: with a SHA-256, and served from elsewhere after a redirect.
    """

    repo: str
    files: dict[str, bytes]
    large: set[str] = field(default_factory=set)
    listed: list[str] = field(default_factory=list)
    """Names that the list has besides."""
    served_as: dict[str, bytes] = field(default_factory=dict)
    """Other content than the list says."""
    cut_after: dict[str, list[int]] = field(default_factory=dict)
    """The connection breaks after so many bytes: one number a request."""
    statuses: dict[str, list[int]] = field(default_factory=dict)
    """Answers to the next requests for a path (``list`` for the list)."""
    stall_after: dict[str, int] = field(default_factory=dict)
    """Nothing more comes after so many bytes, until ``go_on`` is set."""
    ignore_ranges: bool = False
    stalled: threading.Event = field(default_factory=threading.Event)
    go_on: threading.Event = field(default_factory=threading.Event)
    requests: list[Request] = field(default_factory=list)
    url: str = ""

    def asked(self, path: str) -> list[str | None]:
        """The ranges of the requests for the content of a file."""
        return [r.span for r in self.requests if r.method == "GET" and r.path == path]

    def fetched(self) -> set[str]:
        return {r.path for r in self.requests if r.path in self.files}

    def siblings(self) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = []
        for path in (*self.files, *self.listed):
            data = self.files.get(path, b"")
            blob = hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()
            row: dict[str, Any] = {"rfilename": path, "size": len(data), "blobId": blob}
            if path in self.large:
                sha256 = hashlib.sha256(data).hexdigest()
                row["blobId"] = "0" * 40  # that of the pointer
                row["lfs"] = {"size": len(data), "sha256": sha256, "pointerSize": 130}
            rows.append(row)
        return rows


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    hub: StandIn

    def log_message(self, format: str, *args: Any) -> None:
        return

    def do_HEAD(self) -> None:
        self._answer("HEAD")

    def do_GET(self) -> None:
        self._answer("GET")

    def _answer(self, method: str) -> None:
        url = unquote(urlsplit(self.path).path)
        api = f"/api/datasets/{self.hub.repo}"
        resolve = f"/datasets/{self.hub.repo}/resolve/{COMMIT}/"
        if url in (api, f"{api}/revision/main", f"{api}/revision/{COMMIT}"):
            self._list(method, blobs="blobs" in urlsplit(self.path).query)
        elif url.startswith(resolve) or url.startswith("/elsewhere/"):
            elsewhere = url.startswith("/elsewhere/")
            path = url.removeprefix("/elsewhere/" if elsewhere else resolve)
            self._file(method, path, elsewhere=elsewhere)
        else:
            self._send(404, b"{}", {"X-Error-Code": "RepoNotFound"}, method)

    def _list(self, method: str, *, blobs: bool) -> None:
        self.hub.requests.append(Request(method, "list", None))
        if self._fails("list", method):
            return
        rows = self.hub.siblings()
        if not blobs:
            rows = [{"rfilename": row["rfilename"]} for row in rows]
        value = {"id": self.hub.repo, "sha": COMMIT, "siblings": rows, "tags": []}
        self._send(200, json.dumps(value).encode(), {"Content-Type": "application/json"}, method)

    def _file(self, method: str, path: str, *, elsewhere: bool) -> None:
        span = self.headers.get("Range")
        headers = {"X-Repo-Commit": COMMIT, "Accept-Ranges": "bytes"}
        if path not in self.hub.files:
            self._send(404, b"", headers | {"X-Error-Code": "EntryNotFound"}, method)
            return
        row = next(row for row in self.hub.siblings() if row["rfilename"] == path)
        etag = row["lfs"]["sha256"] if "lfs" in row else row["blobId"]
        headers |= {"ETag": f'"{etag}"'}
        if path in self.hub.large and not elsewhere:
            there = {"Location": f"{self.hub.url}/elsewhere/{path}", "X-Linked-Etag": f'"{etag}"'}
            self._send(302, b"", headers | there | {"X-Linked-Size": str(row["size"])}, method)
            return
        self.hub.requests.append(Request(method, path, span))
        if self._fails(path, method):
            return
        data = self.hub.served_as.get(path, self.hub.files[path])
        match = re.fullmatch(r"bytes=(\d+)-", span or "")
        if match and not self.hub.ignore_ranges:
            begin = int(match[1])
            headers["Content-Range"] = f"bytes {begin}-{len(data) - 1}/{len(data)}"
            self._send(206, data[begin:], headers, method, path)
        else:
            self._send(200, data, headers, method, path)

    def _fails(self, path: str, method: str) -> bool:
        if not self.hub.statuses.get(path):
            return False
        self._send(self.hub.statuses[path].pop(0), b"no", {}, method)
        return True

    def _send(
        self, status: int, body: bytes, headers: dict[str, str], method: str, path: str = ""
    ) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if method == "HEAD":
            return
        cuts = self.hub.cut_after.get(path)
        cut = cuts.pop(0) if cuts else None
        stall = self.hub.stall_after.pop(path, None)
        if cut is not None:
            self.wfile.write(body[:cut])
            self.close_connection = True
            return
        if stall is not None:
            self.wfile.write(body[:stall])
            self.wfile.flush()
            self.hub.stalled.set()
            self.hub.go_on.wait(30)
            self.close_connection = True
            return
        self.wfile.write(body)


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exception(), ConnectionError):  # the client went away
            super().handle_error(request, client_address)


@contextmanager
def serving(hub: StandIn) -> Iterator[StandIn]:
    """Serve ``hub`` on a port of loopback; ``hub.url`` is its address."""
    handler = type("Handler", (_Handler,), {"hub": hub})
    server = _Server(("127.0.0.1", 0), handler)
    hub.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield hub
    finally:
        hub.go_on.set()
        server.shutdown()
        server.server_close()
        thread.join()
