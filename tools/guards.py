"""Checks before a file is opened: that it is a readable file, not a bomb, and not locked."""

from __future__ import annotations

import re
import stat
import struct
import zipfile
import zlib
from pathlib import Path

from deskgym.tools.result import ToolError

MAX_TEXT_BYTES = 64 * 1024 * 1024
MAX_UNPACKED = 200 * 1024 * 1024
MAX_MEMBERS = 20_000
_RATIO = 200
_RATIO_FROM = 10 * 1024 * 1024
# What the parsers of zipped and XML formats raise for a file that is not as it should be. Each
# stumbles in its own way (a missing part is a KeyError, a bad number a ValueError, ...).
DAMAGE: tuple[type[Exception], ...] = (
    zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, NotImplementedError,
    ValueError, TypeError, AttributeError, LookupError, SyntaxError, ArithmeticError,
    AssertionError, RecursionError,
)  # fmt: skip
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ROOT = re.compile(rb"<[A-Za-z_]")


def damage(*more: type[Exception]) -> tuple[type[Exception], ...]:
    """`DAMAGE` and the errors of one library's own, to be caught together."""
    return (*DAMAGE, *more)


def file_size(path: Path) -> int:
    """The size of the regular file at ``path``, in bytes.

    Raises:
        ToolError: not_found, not_a_file, unreadable, or empty.
    """
    try:
        status = path.stat()
    except (FileNotFoundError, NotADirectoryError) as error:
        raise ToolError(
            "not_found", f"there is no file {path.name!r}", "list_files shows what there is"
        ) from error
    except (OSError, ValueError) as error:
        raise ToolError("unreadable", f"{path.name!r} cannot be looked at: {error}") from error
    if not stat.S_ISREG(status.st_mode):
        what = "a folder" if stat.S_ISDIR(status.st_mode) else "not a regular file"
        raise ToolError("not_a_file", f"{path.name!r} is {what}", "name a file in it")
    if status.st_size == 0:
        raise ToolError("empty", f"{path.name!r} holds no bytes (0 bytes long)")
    return status.st_size


def load(path: Path, limit: int = MAX_TEXT_BYTES) -> bytes:
    """The whole file, if it is at most ``limit`` bytes long.

    Raises:
        ToolError: as `file_size`, or too_large.
    """
    size = file_size(path)
    if size > limit:
        raise ToolError(
            "too_large",
            f"{path.name!r} is {size:,} bytes long; the limit is {limit:,}",
            "read part of it in the terminal (head, tail, sed -n, grep)",
        )
    return head(path, limit)


def head(path: Path, size: int) -> bytes:
    """The first ``size`` bytes of a file.

    Raises:
        ToolError: unreadable.
    """
    try:
        with path.open("rb") as stream:
            return stream.read(size)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise ToolError("unreadable", f"{path.name!r} cannot be opened: {reason}") from error


def check_office_zip(path: Path) -> None:
    """Refuse an office file that is locked, torn, or made to exhaust its reader.

    Raises:
        ToolError: encrypted, corrupt, too_large, or as `file_size`.
    """
    file_size(path)
    if head(path, 8) == _OLE:
        raise ToolError(
            "encrypted",
            f"{path.name!r} is protected by a password",
            "it cannot be read without the password; look for the same facts in another file",
        )
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
            check_zip_sizes(path, members)
            for member in members:
                if member.filename.lower().endswith((".xml", ".rels", ".vml")):
                    with archive.open(member) as stream:
                        _check_xml_head(path, member.filename, stream.read(4096))
    except DAMAGE as error:
        raise ToolError(
            "corrupt", f"{path.name!r} is a damaged office file: {error}", "try read_original"
        ) from error
    except RuntimeError as error:  # zipfile's way to say that a member needs a password
        raise ToolError("encrypted", f"{path.name!r} is encrypted: {error}") from error


def check_zip_sizes(path: Path, members: list[zipfile.ZipInfo]) -> None:
    """Refuse a zip file whose members are locked, or unpack to too much.

    Raises:
        ToolError: encrypted, too_large.
    """
    if len(members) > MAX_MEMBERS:
        raise ToolError("too_large", f"{path.name!r} holds {len(members):,} parts; a zip bomb?")
    if any(member.flag_bits & 1 for member in members):
        raise ToolError("encrypted", f"{path.name!r} is protected by a password")
    unpacked = sum(member.file_size for member in members)
    packed = sum(member.compress_size for member in members)
    if unpacked > MAX_UNPACKED or (unpacked > _RATIO_FROM and unpacked > _RATIO * max(packed, 1)):
        raise ToolError(
            "too_large",
            f"{path.name!r} would unpack from {packed:,} to {unpacked:,} bytes; a zip bomb?",
            f"the limits are {MAX_UNPACKED:,} bytes, and {_RATIO}:1 above {_RATIO_FROM:,}",
        )


def _check_xml_head(path: Path, member: str, start: bytes) -> None:
    # No office program writes a document type; it is what entity bombs and outside references
    # are built on. Its place is before the root element, which must therefore show in the head.
    plain = start.replace(b"\0", b"")  # UTF-16 reads as ASCII then
    if b"<!DOCTYPE" in plain or b"<!ENTITY" in plain or (plain and not _ROOT.search(plain)):
        raise ToolError(
            "corrupt",
            f"{path.name!r} declares XML entities in {member!r}, which no office program writes",
            "read_original returns the bytes",
        )
