"""The in-desk commands' way to the runner: a socket file inside the desk (no network)."""

from __future__ import annotations

import os
import selectors
import socket
from collections.abc import Callable
from typing import Any

from .framing import FrameError, FrameReader, pack
from .service import Service, path_of

MAX_CONNECTIONS = 32
MAX_UNSENT = 96 << 20  # of answers, all together, that commands are slow to read
# Takes a tool's use, and the files that it showed something of.
Log = Callable[[dict[str, Any], list[str]], None]


class LocalApi:
    """Accepts commands' connections, one request each, and answers them. Nothing blocks."""

    def __init__(
        self, path: str, service: Service, selector: selectors.BaseSelector, log: Log
    ) -> None:
        self._service = service
        self._selector = selector
        self._log = log
        self._open: dict[_Connection, None] = {}
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.setblocking(False)
        self._socket.bind(path)
        os.chmod(path, 0o666)
        self._socket.listen(64)
        selector.register(self._socket, selectors.EVENT_READ, self._accept)

    def _accept(self) -> None:
        try:
            peer, _ = self._socket.accept()
        except BlockingIOError:
            return
        if len(self._open) >= MAX_CONNECTIONS:
            # One that asks for nothing goes before one that waits for its answer.
            idle = (c for c in self._open if not c.asked)
            next(idle, next(iter(self._open))).close()
        self._open[_Connection(self, peer)] = None

    def make_room(self, newest: _Connection) -> None:
        """Keep unread answers from filling the memory: the oldest go, but never ``newest``."""
        unsent = {c: len(c.out) for c in self._open if c.out}
        for connection, size in list(unsent.items()):
            if sum(unsent.values()) > MAX_UNSENT and connection is not newest:
                connection.close()
                unsent[connection] -= size

    def drop_all(self) -> None:
        for connection in list(self._open):
            connection.close()


class _Connection:
    def __init__(self, api: LocalApi, peer: socket.socket) -> None:
        self._api = api
        self._peer = peer
        self._frames = FrameReader(max_header=64 << 10, max_payload=0)
        self.asked = False
        self.out = memoryview(b"")
        self._closed = False
        peer.setblocking(False)
        api._selector.register(peer, selectors.EVENT_READ, self._readable)

    def _readable(self) -> None:
        try:
            data = self._peer.recv(1 << 16)
            self._frames.feed(data)
            frame = self._frames.next()
        except BlockingIOError:
            return
        except (OSError, FrameError):
            self.close()
            return
        if frame is None:
            if not data:
                self.close()
            return
        # One request a connection: what else may come is not read.
        self._api._selector.unregister(self._peer)
        self.asked = True
        request, _ = frame
        tool, args = request.get("tool"), request.get("args")

        def answer(header: dict[str, Any], payload: bytes) -> None:
            for use in _tool_uses(tool, args, header):
                shown = [use["path"]] if tool == "search" and use["path"] else []
                self._api._log(use, shown or (header.get("opened", []) if header["ok"] else []))
            self._send(pack(header, payload))

        self._api._service.handle(tool, args, answer)

    def _send(self, data: bytes) -> None:
        if self._closed:
            return
        self.out = memoryview(data)
        self._api.make_room(self)
        self._api._selector.register(self._peer, selectors.EVENT_WRITE, self._writable)

    def _writable(self) -> None:
        try:
            self.out = self.out[self._peer.send(self.out) :]
        except BlockingIOError:
            return
        except OSError:
            self.close()
            return
        if not self.out:
            self.close()

    def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        self.out = memoryview(b"")
        if self._peer in self._api._selector.get_map():
            self._api._selector.unregister(self._peer)
        self._peer.close()
        self._api._open.pop(self, None)


def _tool_uses(tool: object, args: object, header: dict[str, Any]) -> list[dict[str, Any]]:
    """What the host is told of a tool used from inside a command: a search showed something of
    several files."""
    if tool != "search" or not header.get("ok"):
        return [_tool_use(tool, args, header)]
    uses: dict[str, dict[str, Any]] = {}
    for hit in header["info"]["hits"]:
        path = path_of(hit)
        if path is None or hit["locator"] == "file":  # its name was shown, nothing that is in it
            continue
        use = {"tool": "search", "path": path, "ok": True, "locators": [], "mime": None}
        uses.setdefault(path, use)["locators"].append(hit["locator"])
    return list(uses.values()) or [_tool_use(tool, args, header)]


def _tool_use(tool: object, args: object, header: dict[str, Any]) -> dict[str, Any]:
    media = header.get("media", [])
    places = [piece["locator"] for piece in header.get("segments", []) + media]
    return {
        "tool": tool[:40] if isinstance(tool, str) else "?",
        "path": path_of(args),
        "ok": bool(header.get("ok")),
        "locators": places,
        "mime": media[0]["mime"] if media else None,
    }
