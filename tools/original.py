"""A file's bytes as they are."""

from __future__ import annotations

from pathlib import Path

from deskgym.tools.guards import file_size, head
from deskgym.tools.result import Media, ToolError, ToolResult
from deskgym.tools.sniff import FileType


def read(path: Path, kind: FileType, max_bytes: int) -> ToolResult:
    """One medium that holds the whole file, its mime type sniffed.

    Raises:
        ToolError: too_large, unreadable, bad_argument.
    """
    if not isinstance(max_bytes, int) or isinstance(max_bytes, bool) or max_bytes < 1:
        raise ToolError("bad_argument", f"max_bytes is a whole number from 1, not {max_bytes!r}")
    size = file_size(path)
    if size > max_bytes:
        raise ToolError(
            "too_large",
            f"{path.name!r} is {size:,} bytes long; the limit is {max_bytes:,}",
            "read its text or picture, or work on it in the terminal",
        )
    return ToolResult(media=(Media(kind.mime, head(path, max_bytes)),))
