"""Requests and responses as frames, and frames out of an engine's attached stream."""

from __future__ import annotations

import struct
from typing import Any

from deskgym.env.sandbox.base import Request, Response
from deskgym.sandbox_images.desk.framing import pack

_STREAM_HEAD = struct.Struct(">BxxxI")
STDOUT, STDERR = 1, 2


def pack_request(request: Request) -> bytes:
    """The frame that carries ``request``."""
    return pack(request.model_dump(mode="json"))


def read_response(header: dict[str, Any], payload: bytes) -> Response:
    """The response that a frame carries.

    Raises:
        pydantic.ValidationError: the header is no response.
    """
    return Response.model_validate({**header, "payload": payload})


class StreamSplitter:
    """Takes apart the one stream in which an engine carries standard output and error.

    Format (Docker Engine API, "Attach to a container", stream format): one byte that says which,
    three zero bytes, u32 big-endian length, and as many bytes.
    """

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> list[tuple[int, bytes]]:
        """The whole pieces that are there now, as (stream, bytes)."""
        self._buffer += data
        pieces: list[tuple[int, bytes]] = []
        while len(self._buffer) >= _STREAM_HEAD.size:
            stream, size = _STREAM_HEAD.unpack_from(self._buffer)
            end = _STREAM_HEAD.size + size
            if len(self._buffer) < end:
                break
            pieces.append((stream, bytes(self._buffer[_STREAM_HEAD.size : end])))
            del self._buffer[:end]
        return pieces
