"""What an archive holds: its members by name, size and date. Nothing is unpacked."""

from __future__ import annotations

import lzma
import tarfile
import zipfile
from datetime import UTC, datetime
from pathlib import Path

from deskgym.tools.cut import Request, clean, cut_lines
from deskgym.tools.guards import MAX_MEMBERS, damage
from deskgym.tools.result import ToolError, ToolResult
from deskgym.tools.sniff import FileType

_MAX_UNPACKED = 1024 * 1024 * 1024  # a packed tar must be unpacked to be listed
_TARS = ("application/x-tar", "application/gzip", "application/x-bzip2", "application/x-xz")


def read(path: Path, kind: FileType, request: Request) -> ToolResult:
    """A line a member: ``size bytes, date, name``.

    Raises:
        ToolError: corrupt, unsupported, out_of_range, bad_argument.
    """
    request.allow("lines", "an archive")
    notes = ["the archive's list of members; unpack it in the terminal (below /scratch)"]
    try:
        if kind.mime == "application/zip":
            lines = _zip_lines(path)
        elif kind.mime in _TARS:
            lines = _tar_lines(path, notes)
        else:
            raise ToolError("unsupported", f"archives of type {kind.mime} cannot be listed here")
    except damage(lzma.LZMAError) as error:
        raise ToolError("corrupt", f"{path.name!r} is a damaged archive: {error}") from error
    except tarfile.TarError as error:
        if kind.mime == "application/x-tar":
            raise ToolError("corrupt", f"{path.name!r} is a damaged archive: {error}") from error
        raise ToolError(
            "unsupported", f"{path.name!r} is one packed file", "unpack it in the terminal"
        ) from error
    if len(lines) > MAX_MEMBERS:
        lines = lines[:MAX_MEMBERS]
        notes.append(f"only the first {MAX_MEMBERS:,} members are listed")
    text = "".join(line + "\n" for line in lines)
    return cut_lines(clean(text), request, {"members": len(lines)}, notes)


def _zip_lines(path: Path) -> list[str]:
    lines = []
    with zipfile.ZipFile(path) as archive:
        for member in archive.infolist():
            date = "{:04}-{:02}-{:02} {:02}:{:02}".format(*member.date_time)
            locked = " (encrypted)" if member.flag_bits & 1 else ""
            lines.append(f"{member.file_size:,} bytes, {date}, {_line(member.filename)}{locked}")
    return lines


def _tar_lines(path: Path, notes: list[str]) -> list[str]:
    lines = []
    unpacked = 0
    with tarfile.open(path) as archive:
        for member in archive:
            date = datetime.fromtimestamp(member.mtime, UTC)
            lines.append(f"{member.size:,} bytes, {date:%Y-%m-%d %H:%M}, {_line(member.name)}")
            unpacked += member.size
            if unpacked > _MAX_UNPACKED or len(lines) > MAX_MEMBERS:
                notes.append("the list stops here: the archive is very large")
                break
    return lines


def _line(name: str) -> str:
    return name.replace("\n", "?").replace("\r", "?")
