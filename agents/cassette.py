"""Replies of a model on disk, so that an experiment can be repeated without the model.

A cassette is a folder with a JSON file a request, ``ab/abcd....json``, named by the SHA-256 of the
request as canonical JSON: the model, the messages, the tools and the parameters; never a key or an
address. The request is taken as the agent made it, before anything is left out for want of room or
recoded, so that it does not depend on what an endpoint takes; media stand in it by their digests,
and calls by their number in place of their id.

The same request may come several times in an episode and be answered differently, at temperature
0 too, as servers are. Its ``take``, counted in each episode from 1, is therefore part of it.

A cassette holds what the agent saw of a person's files: it is as private as they are.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections import Counter
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from deskgym.agents.errors import AgentError
from deskgym.agents.llm_config import LLMConfig
from deskgym.agents.messages import Message, ToolSpec
from deskgym.env.trajectory import ModelUse

_PARAMS = (
    "temperature",
    "seed",
    "context_tokens",
    "images",
    "audio",
    "max_image_side",
    "extra",
)
_SHOWN = 100
_WHY = 300


class CassetteMiss(AgentError):
    """The reply to a request is to be replayed and was never recorded."""


class BadCassette(AgentError):
    """A file of a cassette, or its folder, is not what it should be."""


class Recording(BaseModel):
    """One file: a request, the body of the response, and what became of the asking."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    format_version: Literal[1] = 1
    request: dict[str, Any]
    response: Any = Field(description="the body as the endpoint sent it")
    use: ModelUse = Field(description="of the asking: waits, retries, their faults")
    scale: float | None = Field(
        default=None, gt=0, description="see `deskgym.agents.llm_books.Room`"
    )


def canonical(
    config: LLMConfig,
    messages: Sequence[Message],
    tools: Sequence[ToolSpec] = (),
    **asked: Any,
) -> dict[str, Any]:
    """The request as it is hashed. ``asked`` is what this one request asks for besides."""
    numbers: dict[str, str] = {}
    fresh = (f"call{number}" for number in count(1))
    told = []
    for message in messages:
        calls = []
        for call in message.calls:
            numbers[call.id] = next(fresh)
            calls.append([numbers[call.id], call.name, call.arguments])
        told.append(
            {
                "role": message.role,
                "text": message.text,
                "media": [_digest(media.mime, media.data) for media in message.media],
                "calls": calls,
                "call_id": numbers.get(message.call_id or "", message.call_id),
                "pinned": message.pinned,
            }
        )
    return {
        "model": config.model,
        "messages": told,
        "tools": [[tool.name, tool.description, tool.parameters] for tool in tools],
        "params": {name: getattr(config, name) for name in _PARAMS} | asked,
    }


class Cassette:
    """The folder of a config, in its mode."""

    def __init__(self, folder: str, mode: Literal["record", "replay", "auto"]) -> None:
        """
        Raises:
            BadCassette: there is nothing to replay.
        """
        self._folder = Path(folder).expanduser()
        self._mode = mode
        self._takes: Counter[str] = Counter()
        if mode == "replay" and not self._folder.is_dir():
            raise BadCassette(
                f"no cassette in {self._folder}: record one with cassette_mode='record'"
            )

    def start_episode(self) -> None:
        """Count takes from 1 again."""
        self._takes.clear()

    def take(self, request: dict[str, Any]) -> dict[str, Any]:
        """``request`` with the number of times that it has now come in this episode."""
        key = _key(request)
        self._takes[key] += 1
        return request | {"take": self._takes[key]}

    def find(self, request: dict[str, Any]) -> Recording | None:
        """What was recorded of ``request``, or None if the endpoint is to be asked.

        Raises:
            CassetteMiss: it may not be asked.
            BadCassette: the file is broken.
        """
        path = self.path(request)
        if self._mode == "record":
            return None
        try:
            recording = Recording.model_validate(json.loads(path.read_bytes()))
        except FileNotFoundError:
            if self._mode == "auto":
                return None
            last = request["messages"][-1]["text"] if request["messages"] else ""
            raise CassetteMiss(
                f"no recording {path} (take {request.get('take', 1)}; the request ends "
                f"{last[-_SHOWN:]!r}): the agent, its prompts or the files have changed since it "
                "was recorded. Use cassette_mode='auto' to ask the model for what is missing"
            ) from None
        except (OSError, ValueError) as error:  # pydantic's errors are among the latter
            why = " ".join(str(error).split())[:_WHY]
            raise BadCassette(
                f"{path} cannot be replayed. Delete the file and record it again. {why}"
            ) from error
        return recording

    def write(self, recording: Recording) -> None:
        """Keep ``recording``: whole or not at all.

        Raises:
            BadCassette: the folder cannot be written.
        """
        path = self.path(recording.request)
        # Lone surrogates, which a response may hold, are only JSON if they are escaped.
        text = json.dumps(recording.model_dump(mode="python"), indent=1, sort_keys=True)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
            try:
                with os.fdopen(handle, "w", encoding="ascii") as file:
                    file.write(text)
                Path(name).replace(path)
            except BaseException:
                Path(name).unlink(missing_ok=True)
                raise
        except OSError as error:
            raise BadCassette(
                f"cannot write {path}: {error}. Name a folder that can be written to as cassette"
            ) from error

    def path(self, request: dict[str, Any]) -> Path:
        """The file of ``request``."""
        key = _key(request)
        return self._folder / key[:2] / f"{key}.json"


def _key(request: dict[str, Any]) -> str:
    text = json.dumps(request, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def _digest(mime: str, data: bytes) -> str:
    return f"{mime} sha256:{hashlib.sha256(data).hexdigest()}"
