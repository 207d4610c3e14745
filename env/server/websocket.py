"""``WS /ws`` and ``WS /mcp``: one session a socket, one answer a message, in the order asked."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any

from pydantic import BaseModel, ValidationError
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from deskgym.env.actions import printable
from deskgym.env.server.auth import caller_of
from deskgym.env.server.config import ServerConfig
from deskgym.env.server.metrics import Metrics
from deskgym.env.server.models import Error, ErrorCode, Reset, ServerError
from deskgym.env.server.served import told_of_reset
from deskgym.env.server.sessions import Session, SessionTable
from deskgym.env.server.words import explain

log = logging.getLogger("deskgym.server")
MAX_WAITING = 8
"""How many messages of a client may wait for their answers."""
LEFT = "left: the client is gone"
_TRY_LATER = 1013
_GOING_AWAY = 1001


class Door:
    """What the handlers of WebSockets share."""

    def __init__(self, config: ServerConfig, table: SessionTable, metrics: Metrics) -> None:
        self._config = config
        self._table = table
        self._metrics = metrics

    async def ws(self, socket: WebSocket) -> None:
        """OpenEnv's messages."""
        await self._serve(socket, self._answer, _as_openenv)

    async def mcp(self, socket: WebSocket) -> None:
        """MCP's messages, an episode a socket."""
        await self._serve(socket, self._answer_mcp, _as_rpc)

    async def _serve(
        self,
        socket: WebSocket,
        answer: Callable[[Session, str], Awaitable[str | None]],
        shown: Callable[[Error], str],
    ) -> None:
        await socket.accept()
        wanted = socket.query_params.get("session_id")
        try:
            session = self._attach(socket, wanted)
        except ServerError as error:
            self._metrics.errors.labels(error.code).inc()
            await self._send(socket, shown(error.told()))
            await _close(socket, _TRY_LATER)
            return
        inbox: asyncio.Queue[str | None] = asyncio.Queue()
        over = partial(inbox.put_nowait, None)
        session.tell.append(over)
        reader = asyncio.create_task(self._read(socket, inbox, session))
        try:
            while (raw := await inbox.get()) is not None:
                reply = await answer(session, raw)
                if reply is None:
                    continue
                if not await self._send(socket, reply):
                    break
            if session.ended.is_set() and session.cause not in (LEFT, "closed"):
                told = session.over().told()
                self._metrics.errors.labels(told.code).inc()
                await self._send(socket, shown(told))
        finally:
            reader.cancel()
            session.tell.remove(over)
            session.attached = False
            if wanted is None or session.ended.is_set():
                await asyncio.shield(self._table.end(session, LEFT))
            await _close(socket, _GOING_AWAY if session.cause != "closed" else 1000)

    def _attach(self, socket: WebSocket, wanted: str | None) -> Session:
        caller = caller_of(socket)
        if wanted is None:
            return self._table.open("ws", caller, wanted_of(socket.query_params))
        session = self._table.find(wanted, caller)
        if session.attached:
            raise ServerError(ErrorCode.SESSION_ERROR, "this session has a socket already")
        session.attached = True
        return session

    async def _read(
        self, socket: WebSocket, inbox: asyncio.Queue[str | None], session: Session
    ) -> None:
        """Put what arrives into ``inbox``. A client that leaves ends its session at once, also in
        the midst of a step."""
        while True:
            try:
                message = await socket.receive()
            except WebSocketDisconnect:
                break
            if message["type"] == "websocket.disconnect":
                break
            if inbox.qsize() >= MAX_WAITING:
                cause = f"flooded: {MAX_WAITING} messages wait for their answers"
                self._table.end_soon(session, cause)
                return
            text = message.get("text")
            inbox.put_nowait(
                text if text is not None else message["bytes"].decode("utf-8", "replace")
            )
        if session.kind == "ws":
            self._table.end_soon(session, LEFT)
        else:  # one that was begun over HTTP goes on there
            inbox.put_nowait(None)

    async def _answer(self, session: Session, raw: str) -> str | None:
        """The reply to one message of OpenEnv's; None if the session has ended."""
        try:
            message = _parse(raw)
            kind, data = message.get("type"), message.get("data", {})
            if kind == "close":
                if session.kind == "ws":
                    await self._table.end(session, "closed")
                else:  # begun over HTTP, and ended there
                    session.hang_up()
                return None
            if not isinstance(data, dict):
                raise ServerError(ErrorCode.VALIDATION_ERROR, "data: is an object")
            return await self._do(session, kind, data)
        except ServerError as error:
            if session.ended.is_set():
                return None  # its last words say why
            told = error.told()
        except Exception:
            log.exception("a message could not be answered", extra={"session": session.id[:8]})
            told = Error(
                message="internal error; the server's log says more", code=ErrorCode.EXECUTION_ERROR
            )
        self._metrics.errors.labels(told.code).inc()
        return _as_openenv(told)

    async def _do(self, session: Session, kind: Any, data: dict[str, Any]) -> str:
        table, env = self._table, session.env
        if kind == "reset":
            try:
                wanted = Reset.model_validate(data)
            except ValidationError as error:
                raise ServerError(ErrorCode.VALIDATION_ERROR, explain(error)) from error
            return _message("observation", await begin(table, session, wanted))
        if kind == "step":
            return _message("observation", await table.call(session, env.act, data))
        if kind == "state":
            return _message("state", env.state)
        if kind == "mcp":
            answer = await table.call(session, session.speak_mcp, data)
            return json.dumps({"type": "mcp", "data": answer or {}})
        known = "reset, step, state, close, mcp"
        raise ServerError(
            ErrorCode.UNKNOWN_TYPE, f"type: no message {str(kind)[:80]!r}; there are {known}"
        )

    async def _answer_mcp(self, session: Session, raw: str) -> str | None:
        try:
            message: Any = json.loads(raw)
        except (ValueError, RecursionError):
            return _rpc_error(-32700, "the message is not JSON")
        try:
            answer = await self._table.call(session, session.speak_mcp, message)
        except ServerError as error:
            return None if session.ended.is_set() else _as_rpc(error.told(), message)
        return None if answer is None else json.dumps(answer)

    async def _send(self, socket: WebSocket, text: str) -> bool:
        """Whether the client took it in time."""
        try:
            async with asyncio.timeout(self._config.send_timeout_s):
                await socket.send_text(printable(text))
        except (WebSocketDisconnect, TimeoutError, RuntimeError, OSError):
            return False  # gone, or as good as: its session ends
        return True


async def begin(table: SessionTable, session: Session, wanted: Reset) -> BaseModel:
    """Begin an episode in ``session``. Raises `ServerError` if it cannot."""
    table.check_new_episode()
    try:
        return await table.call(session, session.env.begin, wanted)
    except ServerError:
        raise
    except Exception as error:
        raise told_of_reset(error) from error


def wanted_of(query: Mapping[str, str]) -> Reset:
    """The episode that an address asks for, for MCP, which has no word for it.

    Raises:
        ServerError: it is none.
    """
    fields = {name: query[name] for name in Reset.model_fields if name in query}
    try:
        return Reset.model_validate(fields)
    except ValidationError as error:
        raise ServerError(ErrorCode.VALIDATION_ERROR, explain(error)) from error


def _parse(raw: str) -> dict[str, Any]:
    try:
        message = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise ServerError(ErrorCode.INVALID_JSON, f"the message is not JSON: {error}") from error
    if not isinstance(message, dict):
        raise ServerError(ErrorCode.VALIDATION_ERROR, 'a message is {"type": ..., "data": {...}}')
    return message


def _message(kind: str, data: BaseModel) -> str:
    return f'{{"type":"{kind}","data":{data.model_dump_json()}}}'


def _as_openenv(error: Error) -> str:
    return _message("error", error)


def _as_rpc(error: Error, request: Any = None) -> str:
    number = request.get("id") if isinstance(request, dict) else None
    return _rpc_error(-32000, error.message, number, {"code": error.code})


def _rpc_error(code: int, message: str, number: Any = None, data: Any = None) -> str:
    error = {"code": code, "message": message, **({"data": data} if data else {})}
    return json.dumps({"jsonrpc": "2.0", "id": number, "error": error})


async def _close(socket: WebSocket, code: int) -> None:
    if socket.application_state is WebSocketState.CONNECTED:
        try:
            await socket.close(code)
        except (RuntimeError, WebSocketDisconnect, OSError):
            return  # closed from the other end already
