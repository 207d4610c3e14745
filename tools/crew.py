"""One process of the crew that prepares a profile: reads the files it is told to, one by one.

It may crash, hang or grow over a hostile file; `deskgym.tools.prepare` ends it then.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import resource
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from deskgym.tools.result import ToolError
from deskgym.tools.store import Objects, as_json

if TYPE_CHECKING:
    from deskgym.tools.ocr import Ocr, OcrLine
    from deskgym.tools.speech import Asr, Transcript

_ADDRESSES = 16 << 30  # of address space: what no honest file makes a reader ask for
_Engine = TypeVar("_Engine")


class _Engines:
    """OCR and speech as `perceive` takes them, loaded when the first file needs them."""

    def __init__(self, ocr: str | None, asr: str | None) -> None:
        self._spec = asr or ""
        self.failure: str | None = None
        self.ocr: Ocr | None = self if ocr else None
        self.asr: Asr | None = self if asr else None

    @property
    def name(self) -> str:
        """See `deskgym.tools.speech.Asr`."""
        return self._listener.name

    def lines(self, image: Any) -> list[OcrLine]:
        """See `deskgym.tools.ocr.Ocr`."""
        return self._reader.lines(image)

    def transcribe(self, path: Path, *, words: bool = False) -> Transcript:
        """See `deskgym.tools.speech.Asr`."""
        return self._listener.transcribe(path, words=words)

    @functools.cached_property
    def _reader(self) -> Ocr:
        from deskgym.tools.ocr import RapidOcr

        return self._loaded(RapidOcr)

    @functools.cached_property
    def _listener(self) -> Asr:
        from deskgym.tools.speech import load

        return self._loaded(lambda: load(self._spec))

    def _loaded(self, load: Callable[[], _Engine]) -> _Engine:
        try:
            return load()
        except ToolError as error:
            self.failure = f"{error.message}; {error.remedy}"  # no fault of the file at hand
            raise


def work(desk: Path, objects: Objects, scratch: Path, core: int, plan: dict[str, Any]) -> None:
    """Read the files named on standard input, a line each; answer on standard output."""
    from deskgym.tools.perceive import perceive

    orders, replies = sys.stdin, os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # no library may print into the replies
    resource.setrlimit(resource.RLIMIT_AS, (_ADDRESSES, _ADDRESSES))
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cores[core % len(cores)]})  # also for what it starts
    engines = _Engines(plan["ocr"], plan["asr"])
    key = plan["tool_key"]
    for line in orders:
        order = json.loads(line)
        file = desk / order["path"]
        reply: dict[str, Any] = {}
        try:
            if _digest(file) != order["sha256"]:
                reply = {"changed": True}
            else:
                draft = objects.draft(scratch, order["object"])
                found = perceive(file, ocr=engines.ocr, asr=engines.asr, keep=draft.keep)
                if engines.failure is not None:
                    replies.write(json.dumps({"fatal": engines.failure}) + "\n")
                    return
                objects.finish(
                    draft,
                    order["object"],
                    path=order["path"],
                    sha256=order["sha256"],
                    key=key,
                    info=found.info,
                    segments=found.segments,
                    notes=found.notes,
                    error=found.error,
                )
                reply = {"error": as_json(found.error)}
        except OSError as error:  # a full disk: no other file would do better
            reply = {"fatal": f"{error.strerror or error}: {error.filename or file.name}"}
        replies.write(json.dumps(reply) + "\n")


def _digest(file: Path) -> str:
    try:
        with file.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError:
        return "unreadable"  # which is no file's digest
