"""One episode for a framework that uses tools by name; what all adapters share.

Frameworks differ in how they say and show things, and agree on the rest: a model is told of tools,
uses them by name with arguments, gets text and pictures, and is done. Nothing here knows of any.
"""

from __future__ import annotations

import base64
import threading
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from pydantic import BaseModel, ConfigDict, Field

from deskgym.agents.messages import ToolSpec
from deskgym.agents.model_agent import Unreadable
from deskgym.agents.pictures import BadPicture, shrink
from deskgym.agents.toolset import read_use, tool_name, tool_specs
from deskgym.env.closing import Closing
from deskgym.env.mcp import McpEnv, briefing
from deskgym.env.observations import Media, Observation

MAX_SIDE = 1_024
"""Pixels: what the longer side of a picture that a model is shown has at most."""


class PlayEnv(McpEnv, Protocol):
    """What a play asks of an environment: `DeskEnv` and `DeskClient` have it."""

    def close(self) -> None: ...


MakeEnv = Callable[[], PlayEnv]


@dataclass(frozen=True)
class Shown:
    """What the use of a tool shows: text, pictures as a model takes them, and sounds.

    ``ok`` is false where the tool could not do as asked; ``over`` with the step that ended the
    episode, and after it.
    """

    text: str
    pictures: tuple[Media, ...] = ()
    sounds: tuple[Media, ...] = ()
    ok: bool = True
    over: bool = False


class Outcome(BaseModel):
    """How an episode ended. ``scores`` are by name, each in [0, 1]; none of it is gold."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    profile: str
    task: str
    ended: str = Field(description="answered, truncated, or left")
    answer: str | None
    reward: float = Field(description="of the whole episode")
    steps: int
    scores: dict[str, float]


class DeskPlay(Closing):
    """One episode at a desk, from `begin` to `close`. A context manager; it closes its ``env``.

    `use` blocks, and may be called from several threads, one of which does its step at a time.
    """

    def __init__(self, env: PlayEnv) -> None:
        self._env = env
        self._lock = threading.Lock()
        self._named = ("", "")
        self._answer: str | None = None
        self._reward, self._steps = 0.0, 0
        self._end: dict[str, Any] | None = None
        self.question = ""
        self.steps_left = 0

    def begin(
        self, *, profile: str | None = None, task: str | None = None, seed: int | None = None
    ) -> str:
        """Begin; returns what the model is told: whose files, how many steps, the question.

        Raises:
            UnknownProfile, UnknownTask, SandboxError: as `DeskEnv.reset`.
        """
        first, info = self._env.reset(profile=profile, task=task, seed=seed)
        self._named = (info["profile"], info["task_id"])
        self._reward, self._steps, self._end, self._answer = 0.0, 0, None, None
        self.question, self.steps_left = first["question"], first["steps_left"]
        return briefing(first)

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        """The tools, with the schemas of their arguments."""
        return tool_specs(self._env.tools)

    @property
    def over(self) -> bool:
        """Whether the episode has ended."""
        return self._end is not None

    def use(self, name: str, arguments: str | Mapping[str, Any]) -> Shown:
        """Use a tool. What cannot be read as a use of one is an error to the model, and a step.

        Raises:
            SandboxError: the desk is gone.
        """
        with self._lock:
            if self.over:
                return Shown("The episode is over.", ok=False, over=True)
            action = _action(name, arguments, self._env.tools)
            seen, reward, terminated, truncated, info = self._env.step(action)
            self._reward += float(reward)
            self._steps, self.steps_left = seen["step"], seen["steps_left"]
            if terminated or truncated:
                self._end = info
                self._answer = action["text"] if terminated else None
            return _shown(seen, ok=bool(info["ok"]), over=self.over)

    def say(self, text: str) -> Shown:
        """The model's last word, where it did not use the tool `answer`: it is its answer."""
        return self.use("answer", {"text": text.strip() or "(nothing)"})

    @property
    def outcome(self) -> Outcome:
        """How it ended; of an episode that was left before its end, all scores are 0."""
        end = self._end or {}
        return Outcome(
            profile=self._named[0],
            task=self._named[1],
            ended=end.get("ended", "left"),
            answer=self._answer,
            reward=self._reward,
            steps=self._steps,
            scores=flat_scores(end.get("scores")),
        )

    def close(self) -> None:
        """End the desk. Idempotent."""
        self._env.close()


def flat_scores(scores: Mapping[str, Any] | None) -> dict[str, float]:
    """An episode's scores by short names. Those of files and evidence are left out where a task
    has none; ``None`` for an episode without an end: an answer's score of 0."""
    if scores is None:
        return {"answer": 0.0}
    flat = {"answer": float(scores["answer"]["score"])}
    flat["abstained"] = float(scores["answer"]["abstained"])
    for group, names in _KEPT.items():
        for name in names:
            if (value := (scores.get(group) or {}).get(name)) is not None:
                flat[f"{group}_{name}"] = float(value)
    return flat


_KEPT = {
    "files_cited": ("precision", "recall", "f1"),
    "files_touched": ("recall",),
    "evidence": ("exposed_recall", "cited_f1"),
}


def data_url(media: Media) -> str:
    """``media`` as a URL that holds it."""
    return f"data:{media.mime};base64,{base64.b64encode(media.data).decode('ascii')}"


def _action(
    name: str, arguments: str | Mapping[str, Any], tools: Collection[str]
) -> dict[str, Any]:
    try:
        return read_use(name, arguments, tools, "words").action.model_dump(mode="json")
    except Unreadable:
        # The environment says what is wrong with it, as it does to all.
        fields = dict(arguments) if isinstance(arguments, Mapping) else {"arguments": arguments}
        return {**fields, "tool": tool_name(name)}


def _shown(seen: Observation, *, ok: bool, over: bool) -> Shown:
    notes, pictures, sounds = [seen["text"]] if seen["text"] else [], [], []
    for media in seen["media"]:
        kind = media.mime.partition("/")[0]
        if kind == "audio":
            sounds.append(media)
        elif kind != "image":
            notes.append(f"(a file of {len(media.data)} bytes, {media.mime}, is not shown)")
        else:
            try:
                pictures.append(shrink(media, MAX_SIDE))
            except BadPicture as error:
                notes.append(f"(a picture that cannot be shown: {error})")
    if over:
        notes.append("The episode is over.")
    return Shown("\n".join(notes) or "(nothing)", tuple(pictures), tuple(sounds), ok, over)
