"""ffmpeg and ffprobe on files that nobody vouches for: one local file, in bounded time and memory.

Commands are put together by ffmpeg-python and run here. Only the ``file`` protocol may be opened
and only the containers of `CONTAINERS`: a playlist dressed up as a video opens nothing else.
"""

from __future__ import annotations

import os
import resource
import selectors
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from deskgym.tools.result import ToolError

CONTAINERS = (
    "mov,mp4,matroska,webm,avi,mpeg,mpegts,mpegvideo,flv,asf,ogg,mp3,aac,wav,w64,flac,aiff,amr,caf"
)
MAX_PIXELS = 64_000_000  # of one frame: 8K has half as many
_MEMORY = 1536 * 1024 * 1024
_STDERR = 8_000
_CHUNK = 1 << 18
_GUARDS = {"protocol_whitelist": "file", "format_whitelist": CONTAINERS, "threads": 1}


def media_input(path: Path, **options: Any) -> Any:
    """An ffmpeg-python input for the file at ``path``, guarded; ``options`` stand before ``-i``.

    Raises:
        ToolError: unsupported, where ffmpeg-python is not installed.
    """
    guards = {**_GUARDS, "max_pixels": MAX_PIXELS}
    return _library().input(f"file:{path.absolute()}", **guards, **options)


def command(source: Any, *arguments: str, **options: Any) -> list[str]:
    """The command that writes ``source`` to the standard output; ``options`` stand after ``-i``.

    ``arguments`` are whole options for which keywords do not do, such as a second ``-map``.
    """
    # One thread and bit-exact muxing: the same file gives the same bytes anywhere.
    exact = {"threads": 1, "fflags": "+bitexact", "flags": "+bitexact", "map_metadata": -1}
    built: list[str] = (
        _library()
        .output(source, "pipe:1", **{**exact, **options})
        .global_args("-nostdin", "-nostats", "-v", "error", "-max_alloc", f"{1 << 30}")
        .compile()
    )
    if not arguments:
        return built
    at = built.index("pipe:1")
    return [*built[:at], *arguments, *built[at:]]


def probe_command(path: Path, *shown: str, form: str = "json") -> list[str]:
    """The ffprobe command that tells, in the given form, what ``shown`` asks for."""
    guards = [text for name, value in _GUARDS.items() for text in (f"-{name}", str(value))]
    return ["ffprobe", "-v", "error", *guards, *shown, "-of", form, f"file:{path.absolute()}"]


def run(argv: list[str], path: Path, *, timeout_s: float, max_bytes: int) -> bytes:
    """All that a command writes to its standard output.

    Raises:
        ToolError: as `stream`, or too_large for more than ``max_bytes``.
    """
    chunks: list[bytes] = []
    size = 0
    for chunk in stream(argv, path, timeout_s=timeout_s):
        size += len(chunk)
        if size > max_bytes:
            raise ToolError(
                "too_large",
                f"{path.name!r} gives more than {max_bytes:,} bytes here",
                "ask for a shorter span",
            )
        chunks.append(chunk)
    return b"".join(chunks)


def stream(argv: list[str], path: Path, *, timeout_s: float) -> Iterator[bytes]:
    """What a command writes to its standard output, as it comes.

    The command is ended when the iterator is closed. ``timeout_s`` counts from the first piece
    asked for and includes the time that the caller takes between pieces.

    Raises:
        ToolError: timeout, out_of_memory, corrupt, or unsupported where the program is missing.
    """
    try:
        process = subprocess.Popen(
            argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
    except FileNotFoundError as error:
        raise ToolError(
            "unsupported", f"{argv[0]} is not installed here", "run: apt-get install ffmpeg"
        ) from error
    errors = bytearray()
    try:
        _cap(process.pid, timeout_s)
        yield from _pump(process, errors, path, time.monotonic() + timeout_s)
        code = process.wait()
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
        for pipe in (process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()
    if code:
        raise _failure(code, bytes(errors), path)


def _pump(
    process: subprocess.Popen[bytes], errors: bytearray, path: Path, deadline: float
) -> Iterator[bytes]:
    assert process.stdout is not None
    assert process.stderr is not None
    with selectors.DefaultSelector() as pipes:
        pipes.register(process.stdout, selectors.EVENT_READ)
        pipes.register(process.stderr, selectors.EVENT_READ)
        while pipes.get_map():
            left = deadline - time.monotonic()
            ready = pipes.select(left) if left > 0 else []
            if not ready:
                raise _late(path)
            for key, _ in ready:
                data = os.read(key.fd, _CHUNK)
                if not data:
                    pipes.unregister(key.fileobj)
                elif key.fileobj is process.stdout:
                    yield data
                else:
                    errors += data
                    del errors[:-_STDERR]


def _cap(pid: int, timeout_s: float) -> None:
    """Bound a child's memory, and its computing time should nobody be left to end it."""
    seconds = int(timeout_s) + 5
    for what, limit in ((resource.RLIMIT_AS, _MEMORY), (resource.RLIMIT_CPU, seconds)):
        try:
            inherited = resource.prlimit(pid, what)[1]
            most = limit if inherited == resource.RLIM_INFINITY else min(limit, inherited)
            resource.prlimit(pid, what, (most, most))
        except ProcessLookupError:
            return  # it is done already


def _failure(code: int, errors: bytes, path: Path) -> ToolError:
    text = errors.decode("utf-8", "replace").replace(f"file:{path.absolute()}", path.name)
    if code in (-signal.SIGXCPU, -signal.SIGKILL):
        return _late(path)
    if "Cannot allocate memory" in text or code in (-signal.SIGSEGV, -signal.SIGABRT):
        return ToolError(
            "out_of_memory", f"{path.name!r} needs more memory than there is to decode it"
        )
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    reason = lines[-1][-200:] if lines else f"the decoder ended with code {code}"
    return ToolError(
        "corrupt", f"{path.name!r} is damaged or not a sound or video: {reason}", "try another file"
    )


def _late(path: Path) -> ToolError:
    return ToolError(
        "timeout", f"decoding {path.name!r} took longer than it may", "ask for a shorter span"
    )


def _library() -> Any:
    try:
        import ffmpeg
    except ImportError as error:
        raise ToolError(
            "unsupported", "the package ffmpeg-python is missing", "run: pip install ffmpeg-python"
        ) from error
    return ffmpeg
