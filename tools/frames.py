"""Frames between two processes: ``u32 header length | u32 payload length | JSON header | payload``.

Numbers are big-endian; bytes travel as the payload, never inside the JSON. Standard library only.
"""

from __future__ import annotations

import json
import struct
from typing import Any, BinaryIO

_LENGTHS = struct.Struct(">II")
MAX_HEADER = 64 * 1024 * 1024
MAX_PAYLOAD = 512 * 1024 * 1024


class FrameError(Exception):
    """The stream holds no whole, well-formed frame; it cannot be read any further."""


def read_frame(stream: BinaryIO) -> tuple[dict[str, Any], bytes] | None:
    """The next header and payload, or None at a clean end of the stream.

    Raises:
        FrameError: the stream ends inside a frame, a length is beyond the limits, or the header
            is not a JSON object.
    """
    lengths = _read(stream, _LENGTHS.size)
    if not lengths:
        return None
    if len(lengths) < _LENGTHS.size:
        raise FrameError("the stream ends inside a frame's lengths")
    header_size, payload_size = _LENGTHS.unpack(lengths)
    if header_size > MAX_HEADER or payload_size > MAX_PAYLOAD:
        raise FrameError(f"a frame of {header_size} + {payload_size} bytes is beyond the limits")
    raw, payload = _read(stream, header_size), _read(stream, payload_size)
    if len(raw) < header_size or len(payload) < payload_size:
        raise FrameError("the stream ends inside a frame")
    try:
        header = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise FrameError(f"a frame's header is not JSON: {error}") from error
    if not isinstance(header, dict):
        raise FrameError("a frame's header is not a JSON object")
    return header, payload


def write_frame(stream: BinaryIO, header: dict[str, Any], payload: bytes = b"") -> None:
    """Write one frame and flush.

    Raises:
        FrameError: header or payload is beyond the limits; nothing was written.
        OSError: the other end is gone.
    """
    raw = json.dumps(header, separators=(",", ":")).encode("ascii")
    if len(raw) > MAX_HEADER or len(payload) > MAX_PAYLOAD:
        raise FrameError(f"a frame of {len(raw)} + {len(payload)} bytes is beyond the limits")
    for part in (_LENGTHS.pack(len(raw), len(payload)) + raw, payload):
        _write(stream, part)
    stream.flush()


def _read(stream: BinaryIO, size: int) -> bytes:
    """``size`` bytes, or fewer if the stream ends first."""
    parts: list[bytes] = []
    while size > 0 and (part := stream.read(size)):
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def _write(stream: BinaryIO, data: bytes) -> None:
    # An unbuffered stream may take only part of what it is given.
    view = memoryview(data)
    while view:
        view = view[stream.write(view) :]
