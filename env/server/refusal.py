"""Errors before there is anything to answer: one body of JSON, also in place of a WebSocket."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from deskgym.env.server.models import Error

if TYPE_CHECKING:
    from starlette.types import Scope, Send


async def refuse(
    scope: Scope, send: Send, status: int, error: Error, headers: dict[str, str] | None = None
) -> None:
    """Answer an HTTP request, or a WebSocket's handshake, with ``error``."""
    body = error.model_dump_json().encode()
    fields = {"content-type": "application/json", "content-length": str(len(body))}
    if status == 401:
        fields["www-authenticate"] = "Bearer"
    fields |= headers or {}
    kind = "http.response"
    if scope["type"] == "websocket":
        if "websocket.http.response" not in scope.get("extensions", {}):
            await send({"type": "websocket.close", "code": 1008, "reason": error.message[:100]})
            return
        kind = "websocket.http.response"
    start: dict[str, Any] = {
        "type": f"{kind}.start",
        "status": status,
        "headers": [(name.encode(), value.encode()) for name, value in fields.items()],
    }
    await send(start)
    await send({"type": f"{kind}.body", "body": body})
