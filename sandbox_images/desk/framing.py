"""The frames that runner and host, and the in-desk commands and runner, speak.

A frame is ``u32 header length | u32 payload length | JSON header | payload bytes``, big-endian:
bytes never stand inside the JSON.
"""

from __future__ import annotations

import json
import struct
from typing import Any

_LENGTHS = struct.Struct(">II")
MAX_HEADER = 64 << 20
MAX_PAYLOAD = 256 << 20


class FrameError(Exception):
    """What came over the wire is no frame."""


def pack(header: dict[str, Any], payload: bytes = b"") -> bytes:
    """The bytes of one frame."""
    head = json.dumps(header, separators=(",", ":")).encode()
    return _LENGTHS.pack(len(head), len(payload)) + head + payload


def pack_readable(header: dict[str, Any], payload: bytes = b"") -> bytes:
    """The bytes of one frame whose strings are whole Unicode: names of files that are not valid
    UTF-8 stand in them with question marks, where `pack` keeps them as lone surrogates."""
    head = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode(errors="replace")
    return _LENGTHS.pack(len(head), len(payload)) + head + payload


class FrameReader:
    """Puts frames together from whatever pieces arrive."""

    def __init__(self, max_header: int = MAX_HEADER, max_payload: int = MAX_PAYLOAD) -> None:
        self._buffer = bytearray()
        self._max_header = max_header
        self._max_payload = max_payload

    def feed(self, data: bytes) -> None:
        self._buffer += data

    def next(self) -> tuple[dict[str, Any], bytes] | None:
        """The next whole frame, or None as long as it is not all there.

        Raises:
            FrameError: the lengths are over the caps, or the header is no JSON object.
        """
        buffer = self._buffer
        if len(buffer) < _LENGTHS.size:
            return None
        head_size, payload_size = _LENGTHS.unpack_from(buffer)
        if head_size > self._max_header or payload_size > self._max_payload:
            raise FrameError(f"a frame of {head_size} + {payload_size} bytes is over the cap")
        split = _LENGTHS.size + head_size
        end = split + payload_size
        if len(buffer) < end:
            return None
        try:
            header = json.loads(buffer[_LENGTHS.size : split])
        except (ValueError, RecursionError) as error:
            raise FrameError(f"a frame's header is no JSON: {error}") from error
        if not isinstance(header, dict):
            raise FrameError("a frame's header is no JSON object")
        payload = bytes(buffer[split:end])
        del buffer[:end]
        return header, payload
