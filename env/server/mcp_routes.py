"""``POST /mcp``: MCP over HTTP, one message a request, one session an episode.

A session begins with ``initialize``, and its id comes back in the header ``Mcp-Session-Id``, as
MCP's own clients have it; or with ``openenv/session/create``, as OpenEnv's do, which send the id as
a parameter, and may open a WebSocket beside it. Without a session a message is answered by itself.
The query may name the episode: ``profile``, ``task``, ``seed``.
"""

from __future__ import annotations

import json
from typing import Any

from fastapi import APIRouter, Request, Response

from deskgym.env.actions import printable
from deskgym.env.server.answers import problems
from deskgym.env.server.auth import caller_of
from deskgym.env.server.models import ErrorCode, ServerError
from deskgym.env.server.sessions import Kind, Session, SessionTable
from deskgym.env.server.websocket import wanted_of

HEADER = "mcp-session-id"
_PARSE_ERROR, _INVALID_PARAMS, _SERVER_ERROR = -32700, -32602, -32000
_ANSWER: dict[int | str, dict[str, Any]] = {
    200: {"content": {"application/json": {"schema": {"type": "object"}}}},
    202: {"description": "a notification was taken"},
}
_BODY = {
    "requestBody": {
        "required": True,
        "content": {"application/json": {"schema": {"description": "a JSON-RPC 2.0 message"}}},
    }
}


def mcp_routes(table: SessionTable) -> APIRouter:
    """The routes of MCP over HTTP."""
    router = APIRouter(tags=["mcp"])
    said = {**problems(404), **_ANSWER}

    @router.post("/mcp", response_class=Response, responses=said, openapi_extra=_BODY)
    async def mcp(request: Request) -> Response:
        """Answer one message of JSON-RPC."""
        try:
            message = json.loads(await request.body())
        except (ValueError, RecursionError):
            return _reply(_error(None, _PARSE_ERROR, "the message is not JSON"))
        fields = message if isinstance(message, dict) else {}
        number, method, params = fields.get("id"), fields.get("method"), fields.get("params")
        named = params.get("session_id") if isinstance(params, dict) else None
        asked = request.headers.get(HEADER) or named
        try:
            session = _find(table, request, asked) if asked is not None else None
            if method == "openenv/session/create":
                session = session or table.open("mcp", caller_of(request), _wanted(request))
                return _reply(_result(number, {"session_id": session.id}))
            if method == "openenv/session/close":
                return _reply(await _close(table, session, number))
            return await _speak(table, request, session, message, begins=method == "initialize")
        except ServerError as error:
            unknown = error.code is ErrorCode.SESSION_ERROR and HEADER in request.headers
            code = _INVALID_PARAMS if error.code in _OF_PARAMS else _SERVER_ERROR
            body = _error(number, code, str(error), {"code": error.code})
            return _reply(body, 404 if unknown else 200)

    @router.delete("/mcp", status_code=204, response_class=Response, responses=problems(404))
    async def leave(request: Request) -> Response:
        """End the session that the header names."""
        try:
            session = _find(table, request, request.headers.get(HEADER, ""))
        except ServerError as error:
            raise ServerError(ErrorCode.NOT_FOUND, str(error)) from error
        await table.end(session, "closed")
        return Response(status_code=204)

    return router


_OF_PARAMS = (ErrorCode.SESSION_ERROR, ErrorCode.VALIDATION_ERROR, ErrorCode.NOT_FOUND)


def _find(table: SessionTable, request: Request, asked: Any) -> Session:
    return table.find(str(asked), caller_of(request))


def _wanted(request: Request) -> Any:
    return wanted_of(request.query_params)


async def _speak(
    table: SessionTable, request: Request, session: Session | None, message: Any, *, begins: bool
) -> Response:
    """Have a session answer ``message``; without one, one that lives on only if it ``begins``."""
    lasting = session is not None
    if session is None:
        kind: Kind = "mcp" if begins else "http"
        session = table.open(kind, caller_of(request), _wanted(request))
    try:
        answer = await table.call(session, session.speak_mcp, message)
        lasting = lasting or (begins and answer is not None and "result" in answer)
    finally:
        if not lasting:
            await table.end(session, "closed")
    if answer is None:
        return Response(status_code=202)
    return _reply(answer, headers={HEADER: session.id} if begins and lasting else None)


async def _close(table: SessionTable, session: Session | None, number: Any) -> dict[str, Any]:
    if session is None:
        return _error(number, _INVALID_PARAMS, "session_id: name the session to close")
    await table.end(session, "closed")
    return _result(number, {"session_id": session.id, "closed": True})


def _result(number: Any, result: dict[str, Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "result": result}


def _error(number: Any, code: int, message: str, data: Any = None) -> dict[str, Any]:
    error = {"code": code, "message": message, **({"data": data} if data else {})}
    return {"jsonrpc": "2.0", "id": number, "error": error}


def _reply(
    answer: dict[str, Any], status: int = 200, headers: dict[str, str] | None = None
) -> Response:
    body = printable(json.dumps(answer))
    return Response(body, status, headers, media_type="application/json")
