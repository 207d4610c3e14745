"""Both clients by one surface, and servers that are none."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from websockets.exceptions import ConnectionClosed
from websockets.sync.server import ServerConnection, serve

from deskgym.env.server.client import AsyncDeskClient, DeskClient

Script = Callable[[ServerConnection], object]


class Awaited:
    """`AsyncDeskClient` for tests that do not await: it lives in a loop of its own."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._client = AsyncDeskClient(*arguments, **options)

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._client, name)
        if not asyncio.iscoroutinefunction(found):
            return found

        def call(*arguments: Any, **options: Any) -> Any:
            asked = found(*arguments, **options)
            return asyncio.run_coroutine_threadsafe(asked, self._loop).result(60)

        return call

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()


CLIENTS: dict[str, Any] = {"sync": DeskClient, "async": Awaited}


@contextmanager
def stand_in(script: Script) -> Iterator[str]:
    """A server that does to each connection what ``script`` says; gives its address."""

    def handler(connection: ServerConnection) -> None:
        try:
            script(connection)
        except ConnectionClosed:
            return  # the client has left, as clients do

    with serve(handler, "127.0.0.1", 0) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.socket.getsockname()[1]}"
        finally:
            server.shutdown()
            thread.join(10)


def says(*messages: Any) -> Script:
    """A script that answers one message after the other with ``messages``, as JSON or text."""

    def script(connection: ServerConnection) -> None:
        for message in messages:
            connection.recv()
            connection.send(message if isinstance(message, str) else json.dumps(message))
        connection.recv()

    return script


def error(code: str, message: str = "so it is") -> dict[str, Any]:
    """An error message of the protocol."""
    return {"type": "error", "data": {"message": message, "code": code}}
