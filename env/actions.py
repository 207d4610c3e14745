"""What an agent can do: the actions of a desk, discriminated by ``tool``.

An action is taken as one of these models, as a dict, or as a JSON string; `parse_action` is the
one way in.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from deskgym.tasks.locators import Locator, WholeFile
from deskgym.tasks.schema import Modality

Family = Literal["search", "perception", "reasoning"]
Ranking = Literal["words", "bm25", "dense", "hybrid"]

MAX_COMMAND = 100_000
MAX_PATH = 4_096
MAX_TEXT = 100_000
MAX_NUMBER = 1_000_000_000
MAX_MESSAGE = 1_000
MAX_RAW_ACTION = 10_000
MAX_QUERY = 2_000
MAX_HITS = 50
MAX_FRAMES = 32

Path = Annotated[str, Field(min_length=1, max_length=MAX_PATH)]
"""A path relative to the profile's root (``/desk/...`` is understood too)."""


Number = Annotated[int, Field(ge=1, le=MAX_NUMBER)]
"""A page or a line, 1-based."""

Seconds = Annotated[float, Field(ge=0, le=MAX_NUMBER)]
"""A time in a sound or video, from its start."""


class _Action(BaseModel):
    # What JSON has no word for could not be logged.
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class Cite(_Action):
    """A place that supports a thought or an answer."""

    path: Path
    locator: Locator = WholeFile()
    quote: str | None = Field(default=None, max_length=MAX_TEXT, description="what it says there")


class Terminal(_Action):
    """Run a command in a fresh bash. The folder and exported variables carry over to the next."""

    tool: Literal["terminal"] = "terminal"
    command: str = Field(max_length=MAX_COMMAND)
    timeout_s: float = Field(default=30.0, gt=0, le=600)


class ListFiles(_Action):
    """List files. ``pattern`` is a glob over the relative path in which ``*`` crosses folders."""

    tool: Literal["list_files"] = "list_files"
    pattern: str | None = Field(default=None, max_length=MAX_PATH)
    modality: Modality | None = None
    modified_after: datetime | None = None
    modified_before: datetime | None = None


class Search(_Action):
    """Find words in all that the files say, show and sound: passages with path, place and snippet.

    Words are matched by stem, none is required, the rarer ones count more; no operators.
    ``ranking`` other than ``words`` needs a retriever beside the desk (`deskgym.env.retrieval`) and
    returns whole passages.
    """

    tool: Literal["search"] = "search"
    query: str = Field(min_length=1, max_length=MAX_QUERY)
    top_k: int = Field(default=10, ge=1, le=MAX_HITS)
    modality: Modality | None = None
    ranking: Ranking = "words"


class Metadata(_Action):
    """A file's kind, size, times and place."""

    tool: Literal["metadata"] = "metadata"
    path: Path


class ReadText(_Action):
    """A file's text with locators. ``next_offset`` of one reading is the ``offset`` of the next."""

    tool: Literal["read_text"] = "read_text"
    path: Path
    pages: tuple[Number, Number] | None = Field(
        default=None, description="first and last page or slide"
    )
    lines: tuple[Number, Number] | None = Field(default=None, description="first and last line")
    cells: str | None = Field(default=None, max_length=200, description="Sheet!B2:C4")
    span_s: tuple[Seconds, Seconds] | None = Field(
        default=None, description="first and last second of a sound or video"
    )
    offset: int = Field(default=0, ge=0, le=MAX_NUMBER, description="characters to skip")


class ReadImage(_Action):
    """A picture, or a page of a document as a picture."""

    tool: Literal["read_image"] = "read_image"
    path: Path
    page: Number | None = None
    region: tuple[float, float, float, float] | None = Field(
        default=None, description="left, top, right, bottom as fractions of the page"
    )
    dpi: int = Field(default=150, ge=36, le=600)


class ReadAudio(_Action):
    """A stretch of a sound, or of a video's, with its transcript if there is one."""

    tool: Literal["read_audio"] = "read_audio"
    path: Path
    start_s: Seconds | None = Field(default=None, description="default: the beginning")
    end_s: Seconds | None = Field(default=None, description="default: the end, or the longest clip")


class ReadVideo(_Action):
    """Frames of a video as pictures, with its subtitles or transcript if there is one."""

    tool: Literal["read_video"] = "read_video"
    path: Path
    start_s: Seconds | None = Field(default=None, description="default: the beginning")
    end_s: Seconds | None = Field(default=None, description="default: the end")
    frames: (
        Annotated[int, Field(ge=1, le=MAX_FRAMES)]
        | Annotated[tuple[Seconds, ...], Field(min_length=1, max_length=MAX_FRAMES)]
        | None
    ) = Field(default=None, description="how many, evenly spread, or at which seconds")


class ReadOriginal(_Action):
    """A file's bytes as they are, up to a cap."""

    tool: Literal["read_original"] = "read_original"
    path: Path


class Note(_Action):
    """A thought. Logged, without effect."""

    tool: Literal["note"] = "note"
    text: str = Field(max_length=MAX_TEXT)
    cites: tuple[Cite, ...] = Field(default=(), max_length=100)


class Answer(_Action):
    """The answer, with the places that support it. Ends the episode."""

    tool: Literal["answer"] = "answer"
    text: str = Field(max_length=MAX_TEXT)
    cites: tuple[Cite, ...] = Field(default=(), max_length=100)


Action = Annotated[
    Terminal
    | ListFiles
    | Search
    | Metadata
    | ReadText
    | ReadImage
    | ReadAudio
    | ReadVideo
    | ReadOriginal
    | Note
    | Answer,
    Field(discriminator="tool"),
]
ToolName = Literal[
    "terminal", "list_files", "search", "metadata", "read_text", "read_image", "read_audio",
    "read_video", "read_original", "note", "answer",
]  # fmt: skip

FAMILIES: dict[ToolName, Family] = {
    "terminal": "search",
    "list_files": "search",
    "search": "search",
    "metadata": "search",
    "read_text": "perception",
    "read_image": "perception",
    "read_audio": "perception",
    "read_video": "perception",
    "read_original": "perception",
    "note": "reasoning",
    "answer": "reasoning",
}
ALL_TOOLS: frozenset[ToolName] = frozenset(FAMILIES)
ALWAYS_ON: frozenset[ToolName] = frozenset({"note", "answer"})

_BASE: frozenset[ToolName] = frozenset(
    {"terminal", "list_files", "metadata", "read_original", *ALWAYS_ON}
)
_TEXT: frozenset[ToolName] = frozenset({"read_text", "search"})
_SENSES: frozenset[ToolName] = frozenset({"read_image", "read_audio", "read_video"})
PRESETS: dict[str, frozenset[ToolName]] = {
    # HippoCamp's four settings of its terminal agents: which of return_ori, return_txt and
    # return_img an agent may use. What its container has no command for goes with the nearest:
    # search with the text that it searches, sound and video with pictures.
    "config0": ALL_TOOLS,
    "config1": _BASE,
    "config2": _BASE | _SENSES,
    "config3": _BASE | _TEXT,
}

_ADAPTER: TypeAdapter[Action] = TypeAdapter(Action)


class InvalidAction(ValueError):
    """What was passed to ``step`` is no action; the message says what is wrong with it."""


def parse_action(action: Any) -> Action:
    """The action that a model, a dict or a JSON string stands for.

    Raises:
        InvalidAction: it is none of these, or its fields do not fit.
    """
    if isinstance(action, _Action):
        action = action.model_dump()
    if isinstance(action, str | bytes):
        try:
            action = json.loads(action)
        except (ValueError, RecursionError) as error:
            raise InvalidAction(f"the action is not JSON: {error}") from error
    if not isinstance(action, Mapping):
        raise InvalidAction(
            f"an action is an object with a 'tool', not {type(action).__name__}; for example "
            '{"tool": "list_files", "pattern": "*.pdf"}'
        )
    try:
        return _ADAPTER.validate_python(dict(action))
    except ValidationError as error:
        raise InvalidAction(_explain(error)) from error


def action_schema() -> dict[str, Any]:
    """The JSON schema of an action."""
    return _ADAPTER.json_schema()


def resolve_tools(tools: str | Collection[str] | None) -> frozenset[ToolName]:
    """The tools that ``tools`` names: a preset, a collection of names, or ``None`` for all.

    ``note`` and ``answer`` are always on.

    Raises:
        ValueError: a name that is neither a preset nor a tool.
    """
    if tools is None:
        return ALL_TOOLS
    if isinstance(tools, str):
        if tools not in PRESETS:
            raise ValueError(f"no preset {tools!r}; there are {', '.join(PRESETS)}")
        return PRESETS[tools]
    chosen: set[ToolName] = set(ALWAYS_ON)
    for name in tools:
        if name not in FAMILIES:
            raise ValueError(f"no tool {name!r}; there are {', '.join(FAMILIES)}")
        chosen.add(name)
    return frozenset(chosen)


def _explain(error: ValidationError) -> str:
    problems = []
    for item in error.errors(include_url=False, include_input=False)[:3]:
        # The first part of a union's location is the tool's name: say it once, not as a field.
        where = ".".join(str(part) for part in item["loc"])
        problems.append(f"{where}: {item['msg']}" if where else item["msg"])
    # It may quote what was passed, which has any length and need not be encodable.
    message = "the action does not fit: " + "; ".join(problems)
    return printable(message if len(message) <= MAX_MESSAGE else f"{message[:MAX_MESSAGE]}...")


def raw_action(action: Any) -> str:
    """What was passed and is no action, as a log can hold it: the same in every process."""
    if isinstance(action, bytes):
        action = action.decode("utf-8", "replace")
    if not isinstance(action, str):
        try:
            action = json.dumps(action, ensure_ascii=False)
        except (TypeError, ValueError, RecursionError):
            action = f"<{type(action).__name__}>"
    return printable(action[:MAX_RAW_ACTION])


def printable(text: str) -> str:
    """``text`` with what UTF-8 cannot hold (lone surrogates) replaced."""
    return text.encode("utf-8", "replace").decode("utf-8")
