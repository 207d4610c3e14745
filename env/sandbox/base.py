"""The sandbox's contract: what a desk is asked, what it answers, how it fails.

These models are the interface between host and runner; a backend carries them and nothing else.
"""

from __future__ import annotations

from types import TracebackType
from typing import Any, Literal, Protocol, Self

from pydantic import BaseModel, ConfigDict, Field

from deskgym.tasks.locators import Locator

DeskTool = Literal[
    "list_files", "search", "metadata", "read_text", "read_image", "read_audio", "read_video",
    "read_original",
]  # fmt: skip


class _Wire(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ExecRequest(_Wire):
    """Run a command as the agent's user.

    ``max_bytes`` bounds the output kept: its head and tail. More is written to a file in
    ``/scratch`` that the output's middle line names.
    """

    op: Literal["exec"] = "exec"
    command: str
    timeout_s: float = Field(default=30.0, gt=0)
    max_bytes: int = Field(default=50_000, ge=1_000)


class ToolRequest(_Wire):
    """Use a tool on the profile; ``args`` are the action's fields without ``tool``."""

    op: Literal["tool"] = "tool"
    tool: DeskTool
    args: dict[str, Any]


class ConfigureRequest(_Wire):
    """What the runner serves: the person's name, the file records, and which tools are on.

    ``files`` are `FileRecord` fields as JSON. Sent once per desk and whenever they change.
    """

    op: Literal["configure"] = "configure"
    user: str
    files: tuple[dict[str, Any], ...]
    tools: tuple[str, ...]


class ResetRequest(_Wire):
    """Bring the desk back to how it was at the start: processes, scratch, folder, variables."""

    op: Literal["reset"] = "reset"


class PingRequest(_Wire):
    op: Literal["ping"] = "ping"


Request = ExecRequest | ToolRequest | ConfigureRequest | ResetRequest | PingRequest


class DeskError(_Wire):
    """Why a tool could not do as asked; ``kind`` as in `deskgym.tools.result.ToolError`."""

    kind: str
    message: str
    remedy: str = ""


class WireSegment(_Wire):
    locator: Locator
    text: str


class WireMedia(_Wire):
    """``size`` bytes of the payload, in the order of the list."""

    mime: str
    size: int = Field(ge=0)
    locator: Locator
    width: int | None = None
    height: int | None = None


class ToolUse(_Wire):
    """A tool used from inside a command (``return_txt`` and the like), and what it returned."""

    tool: str
    path: str | None
    ok: bool
    locators: tuple[Locator, ...] = ()
    mime: str | None = None


class Response(_Wire):
    """The answer to any request; what does not apply keeps its default."""

    ok: bool
    error: DeskError | None = None
    # of exec
    exit_status: int | None = None
    timed_out: bool = False
    bytes_out: int = 0
    spool: str | None = Field(default=None, description="the file that holds the whole output")
    tool_uses: tuple[ToolUse, ...] = ()
    # of exec and tool
    opened: tuple[str, ...] = Field(default=(), description="paths relative to the profile")
    opened_overflow: bool = False
    duration_s: float = 0.0
    # of tool
    segments: tuple[WireSegment, ...] = ()
    media: tuple[WireMedia, ...] = ()
    info: dict[str, Any] = Field(default_factory=dict)
    notes: tuple[str, ...] = ()
    next_offset: int | None = None
    # of reset
    clean: bool | None = None
    # of every answer: bytes that follow the header (output of exec, media of tool)
    payload: bytes = Field(default=b"", exclude=True, repr=False)


class SandboxError(RuntimeError):
    """The base of everything that goes wrong with a desk."""


class EngineUnavailable(SandboxError):
    """No container engine answers. The message says what was tried and what to do."""


class ImageMissing(SandboxError):
    """The desk image that this version needs is not there. The message holds the command."""


class DeskDied(SandboxError):
    """The desk is gone; the message holds its exit status where the engine knows it."""


class CannotEnforce(SandboxError):
    """A tool is to be off, and this desk cannot keep commands from its work. Holds the remedy."""


class DeskTimeout(SandboxError):
    """The desk did not answer in time and was ended."""


class Sandbox(Protocol):
    """A desk: one person's files, read-only, and a runner that does what it is asked.

    ``start`` brings it up, ``request`` carries one request at a time (not re-entrant; one thread
    at a time), ``reset`` makes it as new or raises, ``close`` is idempotent. A context manager.
    """

    def start(self) -> None: ...

    def configure(
        self, user: str, files: tuple[dict[str, Any], ...], tools: tuple[str, ...]
    ) -> None: ...

    def request(self, request: Request) -> Response: ...

    def reset(self) -> None: ...

    def close(self) -> None: ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...
