"""How much a request may hold, and how long it and its answer may take to pass."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from deskgym.env.server.config import ServerConfig
from deskgym.env.server.models import Error, ErrorCode
from deskgym.env.server.refusal import refuse

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send


class Bounds:
    """Reads a request's body whole, within a size and a time, before anyone acts on it.

    WebSockets pass: their messages are bounded where they are received.
    """

    def __init__(self, app: ASGIApp, config: ServerConfig) -> None:
        self._app = app
        self._config = config

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        try:
            async with asyncio.timeout(self._config.body_timeout_s):
                body = await self._body(scope, receive)
        except TimeoutError:
            message = f"the request did not arrive within {self._config.body_timeout_s:g} s"
            error = Error(message=message, code=ErrorCode.TOO_SLOW)
            await refuse(scope, send, 408, error, {"connection": "close"})
            return
        if body is None:
            message = f"a request may hold {self._config.max_message_bytes} bytes at most"
            error = Error(message=message, code=ErrorCode.TOO_LARGE)
            await refuse(scope, send, 413, error, {"connection": "close"})
            return
        given = False

        async def replay() -> Message:
            nonlocal given
            if given:
                return await receive()
            given = True
            return {"type": "http.request", "body": body, "more_body": False}

        async def send_in_time(message: Message) -> None:
            async with asyncio.timeout(self._config.send_timeout_s):
                await send(message)

        await self._app(scope, replay, send_in_time)

    async def _body(self, scope: Scope, receive: Receive) -> bytes | None:
        """The body; None if it is too large. A client that went away leaves an empty one."""
        most = self._config.max_message_bytes
        for name, value in scope["headers"]:
            if name == b"content-length" and value.isdigit() and int(value[:18]) > most:
                return None
        body = bytearray()
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                return b""
            body += message.get("body", b"")
            if len(body) > most:
                return None
            if not message.get("more_body", False):
                return bytes(body)
