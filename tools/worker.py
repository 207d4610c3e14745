"""The process that runs the read tools in the desk: requests on stdin, replies on stdout.

``python3 -m deskgym.tools.worker`` speaks the frames of `deskgym.tools.frames`. A request's
header is ``{"id", "op", "path", "args"}``; a reply's is ``{"id", "ok": true, "segments", "info",
"notes", "next_offset", "media"}`` with the media's bytes as payload, or ``{"id", "ok": false,
"error": {"kind", "message", "remedy"}}``. No file makes it end; the end of its input does.

Where ``DESKGYM_PREPARED`` names a prepared folder of the files below ``/desk``, what it holds is
answered from there.
"""

from __future__ import annotations

import inspect
import os
import resource
import signal
import sys
import warnings
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any, BinaryIO

from deskgym.tools.frames import MAX_PAYLOAD, FrameError, read_frame, write_frame
from deskgym.tools.prepared import Reading
from deskgym.tools.registry import (
    info,
    read_audio,
    read_image,
    read_original,
    read_text,
    read_video,
)
from deskgym.tools.result import ToolError, ToolResult

MEMORY = 1536 * 1024 * 1024
TIMEOUT_S = 60.0
DESK = Path("/desk")
PREPARED = "DESKGYM_PREPARED"
# What each operation takes is what its tool does; a transcript is not the reader's to bring.
_SIGNATURES = {
    tool.__name__: set(inspect.signature(tool).parameters) - {"path", "transcript"}
    for tool in (read_text, read_image, read_audio, read_video, read_original)
}
_SIGNATURES["search"] = set(inspect.signature(Reading.search).parameters) - {"self"}


class _TimeUp(BaseException):
    """Not an Exception, so that no library takes it for a fault of its file."""


class _Deadline:
    """Raises `_TimeUp` in the block after some seconds."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._armed = False

    def __enter__(self) -> None:
        signal.signal(signal.SIGALRM, self._ring)
        self._armed = True
        # It rings again each second, should a first ring be swallowed in a destructor.
        signal.setitimer(signal.ITIMER_REAL, self._seconds, 1.0)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._armed = False
        signal.setitimer(signal.ITIMER_REAL, 0)

    def _ring(self, number: int, frame: FrameType | None) -> None:
        if self._armed:
            raise _TimeUp


def answer(request: dict[str, Any], reading: Reading | None = None) -> tuple[dict[str, Any], bytes]:
    """The reply's header and payload for a request's header; never raises for what a file holds."""
    number = request.get("id")
    try:
        result = _bounded(request, reading or Reading(DESK, None))
    except ToolError as error:
        return _failed(number, error), b""
    reply = {
        "id": number,
        "ok": True,
        "segments": [asdict(segment) for segment in result.segments],
        "info": result.info,
        "notes": list(result.notes),
        "next_offset": result.next_offset,
        "media": [
            {
                "mime": m.mime,
                "size": len(m.data),
                "locator": m.locator,
                "width": m.width,
                "height": m.height,
            }
            for m in result.media
        ],
    }
    return reply, b"".join(m.data for m in result.media)


def _failed(number: Any, error: ToolError) -> dict[str, Any]:
    what = {"kind": error.kind, "message": error.message, "remedy": error.remedy}
    return {"id": number, "ok": False, "error": what}


def _bounded(request: dict[str, Any], reading: Reading) -> ToolResult:
    """The result of a request, within its time.

    Raises:
        ToolError: whatever went wrong.
    """
    op, path, given = request.get("op"), request.get("path"), request.get("args", {})
    if not isinstance(op, str) or not isinstance(path, str) or not isinstance(given, dict):
        raise ToolError("bad_argument", "a request has an op, a path, and args by name")
    args = dict(given)
    seconds = args.pop("timeout_s", TIMEOUT_S)
    if not isinstance(seconds, (int, float)) or isinstance(seconds, bool) or not seconds > 0:
        raise ToolError("bad_argument", f"timeout_s is a number above 0, not {seconds!r:.40}")
    try:
        with _Deadline(seconds):
            return _run(op, Path(path), args, reading)
    except ToolError:
        raise
    except _TimeUp as error:
        raise ToolError(
            "timeout", f"not done after {seconds:g} s", "ask for a smaller part"
        ) from error
    except MemoryError as error:
        raise ToolError(
            "out_of_memory", "the file needs more memory than there is", "ask for a smaller part"
        ) from error
    except Exception as error:  # whatever a library raises for a broken file
        raise ToolError("corrupt", f"{type(error).__name__}: {error}") from error


def _run(op: str, path: Path, args: dict[str, Any], reading: Reading) -> ToolResult:
    if op == "info" and not args:
        return ToolResult(info=dict(info(path)))
    if op not in _SIGNATURES:
        ops = [*_SIGNATURES]
        raise ToolError("bad_argument", f"unknown operation: {op!r:.40}", f"one of {ops}")
    # JSON has lists only; the tools take pairs and boxes as tuples.
    given = {k: tuple(v) if isinstance(v, list) else v for k, v in args.items()}
    tool: Callable[..., ToolResult] = getattr(reading, op)
    known = _SIGNATURES[op]
    if unknown := sorted(set(given) - known):
        raise ToolError("bad_argument", f"{op} takes no {unknown}", f"it takes {sorted(known)}")
    if op == "search":
        if "query" not in given:
            raise ToolError("bad_argument", "search takes a query")
        return tool(**given)
    return tool(path, **given)


def serve(requests: BinaryIO, replies: BinaryIO, reading: Reading | None = None) -> None:
    """Answer requests until their stream ends.

    Raises:
        FrameError: the stream cannot be understood any further.
    """
    while (frame := read_frame(requests)) is not None:
        reply, payload = answer(frame[0], reading)
        if len(payload) > MAX_PAYLOAD:
            error = ToolError("too_large", f"{len(payload):,} bytes are too many for one reply")
            reply, payload = _failed(reply["id"], error), b""
        write_frame(replies, reply, payload)


def main() -> int:
    """Serve on the process's own stdin and stdout, with memory capped."""
    # The streams move away from 0 and 1, so that no library can read from or print into them.
    requests = os.fdopen(os.dup(0), "rb")
    replies = os.fdopen(os.dup(1), "wb")
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    warnings.simplefilter("ignore")
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    score = Path("/proc/self/oom_score_adj")
    if score.exists():
        score.write_text("800")  # if memory runs out, this process goes before all others
    prepared = os.environ.get(PREPARED)
    try:
        serve(requests, replies, Reading(DESK, Path(prepared) if prepared else None))
    except FrameError as error:
        print(f"deskgym.tools.worker: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        return 0  # nobody is there to read replies
    return 0


if __name__ == "__main__":
    sys.exit(main())
