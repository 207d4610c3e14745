"""What an archive holds: its members listed, and each one's bytes. Nothing is unpacked to disk."""

from __future__ import annotations

import bz2
import gzip
import lzma
import stat
import tarfile
import zipfile
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, Protocol

from deskgym.tools.cut import Request, clean, cut_lines
from deskgym.tools.decode import decode
from deskgym.tools.guards import damage, file_size
from deskgym.tools.result import ToolError, ToolResult
from deskgym.tools.sniff import FileType

MAX_MEMBER = 50 * 1024 * 1024
MAX_MEMBERS = 10_000
RATIO = 200
RATIO_FROM = 10 * 1024 * 1024  # small files may shrink by any ratio
_PACKED = ("application/gzip", "application/x-bzip2", "application/x-xz")


@dataclass(frozen=True)
class Entry:
    """One member as the archive describes it.

    ``name`` is how it is shown and asked for, ``key`` how the archive's own reader finds it.
    ``refused`` says why it is never read, though it is listed.
    """

    name: str
    key: Any
    size: int | None
    date: str
    locked: bool = False
    refused: str = ""


class Source(Protocol):
    """An archive file of one format. Both methods raise the format's own errors."""

    def entries(self, notes: list[str]) -> list[Entry]:
        """The members; ``notes`` takes what a reader should know about the list."""
        ...

    def data(self, entry: Entry, limit: int) -> bytes:
        """A member's bytes, or the first ``limit`` + 1 of them if it is longer."""
        ...


def read(path: Path, kind: FileType, request: Request) -> ToolResult:
    """A line a member: ``size bytes, date, name``, and what keeps it from being read.

    Raises:
        ToolError: corrupt, encrypted (the list itself), unsupported, out_of_range, bad_argument.
    """
    request.allow("lines", "an archive")
    archive = Archive(path, kind)
    notes = [f"members are read as {path.name}!/NAME", *archive.notes]
    text = "".join(_line(entry) for entry in archive.entries)
    info = {"members": len(archive.entries), "unpacked_size": archive.unpacked}
    return cut_lines(clean(text), request, info, notes)


class Archive:
    """The members of one archive.

    Raises:
        ToolError: corrupt, encrypted, unsupported, or as `file_size`.
    """

    def __init__(self, path: Path, kind: FileType) -> None:
        self._path = path
        self._source = _source(path, kind)
        self.notes: list[str] = []
        with _Faults(path):
            found = self._source.entries(self.notes)
        if len(found) > MAX_MEMBERS:
            found = found[:MAX_MEMBERS]
            self.notes.append(f"only the first {MAX_MEMBERS:,} members are listed and read")
        self.entries = found
        self.unpacked = sum(entry.size or 0 for entry in found)
        self._bomb = self.unpacked > max(RATIO_FROM, RATIO * file_size(path))
        if self._bomb:
            self.notes.append(
                f"unpacks to more than {RATIO} times its size; its members are listed, not read"
            )
        # As in every unpacker, of two members with one name the later one counts.
        self._by_name = {entry.name: entry for entry in found}

    def names(self) -> list[str]:
        """The members but for folders, by the names that `read` takes."""
        return [name for name in self._by_name if not name.endswith("/")]

    def read(self, name: str) -> bytes:
        """The bytes of the member ``name``.

        Raises:
            ToolError: outside_profile, encrypted, too_large, corrupt, unsupported.
        """
        entry = self._by_name[name]
        shown = f"{self._path.name}!/{name}"
        if entry.refused:
            raise ToolError(
                "outside_profile", f"{shown!r} is not read: {entry.refused}", "name another member"
            )
        if entry.locked:
            raise ToolError(
                "encrypted",
                f"{shown!r} is protected by a password",
                "it cannot be read without the password; look for the same facts elsewhere",
            )
        if self._bomb:
            raise ToolError(
                "too_large",
                f"{self._path.name!r} would unpack to {self.unpacked:,} bytes; a bomb?",
                f"the limit is {RATIO}:1 above {RATIO_FROM:,} bytes",
            )
        if entry.size is not None and entry.size > MAX_MEMBER:
            raise _too_large(shown, entry.size)
        with _Faults(self._path):
            data = self._source.data(entry, MAX_MEMBER)
        if len(data) > MAX_MEMBER:
            raise _too_large(shown, len(data))
        return data


def _too_large(shown: str, size: int) -> ToolError:
    return ToolError(
        "too_large",
        f"{shown!r} is at least {size:,} bytes long; the limit for a member is {MAX_MEMBER:,}",
        "unpack it in the terminal, below /scratch",
    )


def _source(path: Path, kind: FileType) -> Source:
    if kind.mime == "application/zip":
        return _Zip(path)
    if kind.mime == "application/x-7z-compressed":
        return _SevenZip(path)
    if kind.mime == "application/x-tar":
        return _Tar(path)
    if kind.mime in _PACKED:
        with _Faults(path):
            return _Tar(path) if _is_packed_tar(path, kind) else _Packed(path, kind)
    raise ToolError(
        "unsupported",
        f"archives of type {kind.mime} cannot be opened here",
        "read_original returns the bytes",
    )


class _Faults:
    """Turns what the unpackers raise in the block into a `ToolError`."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        name = self._path.name
        if isinstance(error, NotImplementedError):
            raise ToolError(
                "unsupported", f"{name!r} is packed in a way that cannot be undone here: {error}"
            ) from error
        if isinstance(error, damage(lzma.LZMAError, tarfile.TarError)):
            raise ToolError(
                "corrupt", f"{name!r} is a damaged archive: {error}", "try read_original"
            ) from error


class _Zip:
    def __init__(self, path: Path) -> None:
        self._path = path

    def entries(self, notes: list[str]) -> list[Entry]:
        with zipfile.ZipFile(self._path) as archive:
            return [self._entry(member) for member in archive.infolist()]

    def _entry(self, member: zipfile.ZipInfo) -> Entry:
        name, refused = _tidy(_zip_name(member))
        if stat.S_ISLNK(member.external_attr >> 16):
            refused = refused or "it is a link"
        date = "{:04}-{:02}-{:02} {:02}:{:02}".format(*member.date_time)
        return Entry(name, member, member.file_size, date, bool(member.flag_bits & 1), refused)

    def data(self, entry: Entry, limit: int) -> bytes:
        with zipfile.ZipFile(self._path) as archive, archive.open(entry.key) as stream:
            return stream.read(limit + 1)


def _zip_name(member: zipfile.ZipInfo) -> str:
    """The name, for which old packers used the code page of their own country."""
    if member.flag_bits & 0x800:
        return member.filename
    try:
        raw = member.filename.encode("cp437")  # what zipfile takes such names for
    except UnicodeEncodeError:
        return member.filename
    text, encoding = decode(raw)
    return text if encoding in ("utf-8", "gb18030") else member.filename


class _Tar:
    """A tar file, packed or not. One that is packed must be unpacked to be listed."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def entries(self, notes: list[str]) -> list[Entry]:
        found: list[Entry] = []
        unpacked = 0
        packed = file_size(self._path)
        with tarfile.open(self._path) as archive:
            for member in archive:
                name, refused = _tidy(member.name + "/" * member.isdir())
                if member.issym() or member.islnk():
                    refused = refused or f"it is a link to {_shown(member.linkname)}"
                elif not (member.isreg() or member.isdir()):
                    refused = refused or "it is a device"
                date = _date(member.mtime)
                found.append(Entry(name, member, member.size, date, False, refused))
                unpacked += member.size
                if unpacked > max(RATIO_FROM, RATIO * packed) or len(found) > MAX_MEMBERS:
                    notes.append("the list stops early: the archive unpacks to very much")
                    break
        return found

    def data(self, entry: Entry, limit: int) -> bytes:
        with tarfile.open(self._path) as archive:
            stream = archive.extractfile(entry.key)
            return stream.read(limit + 1) if stream is not None else b""


def _date(seconds: float) -> str:
    try:
        return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M}"
    except (ValueError, ArithmeticError, OSError):
        return "no date"


def _is_packed_tar(path: Path, kind: FileType) -> bool:
    with _unpacking(path, kind) as stream:
        start = stream.read(tarfile.BLOCKSIZE)
    try:
        tarfile.TarInfo.frombuf(start, "utf-8", "surrogateescape")
    except tarfile.HeaderError:
        return False
    return True


class _Packed:
    """A single file packed by gzip, bzip2 or xz."""

    def __init__(self, path: Path, kind: FileType) -> None:
        self._path = path
        self._kind = kind

    def entries(self, notes: list[str]) -> list[Entry]:
        size = 0
        most = max(RATIO_FROM, RATIO * file_size(self._path)) + 1
        with _unpacking(self._path, self._kind) as stream:
            while size < most and (piece := stream.read(min(1 << 20, most - size))):
                size += len(piece)
        name = self._path.stem if self._path.suffix else f"{self._path.name}.unpacked"
        notes.append("one packed file, not an archive of several")
        return [Entry(_tidy(name)[0], None, size, "no date")]

    def data(self, entry: Entry, limit: int) -> bytes:
        with _unpacking(self._path, self._kind) as stream:
            return stream.read(limit + 1)


def _unpacking(path: Path, kind: FileType) -> IO[bytes]:
    opener: Any = {"application/gzip": gzip.open, "application/x-bzip2": bz2.open}.get(
        kind.mime, lzma.open
    )
    stream: IO[bytes] = opener(path, "rb")
    return stream


class _SevenZip:
    def __init__(self, path: Path) -> None:
        self._path = path

    def entries(self, notes: list[str]) -> list[Entry]:
        with (
            self._path.open("rb") as file,
            _SevenZipFaults(self._path) as library,
            library.SevenZipFile(file) as archive,
        ):
            locked = bool(archive.needs_password())
            return [self._entry(member, locked) for member in archive.list()]

    def _entry(self, member: Any, locked: bool) -> Entry:
        name, refused = _tidy(member.filename + "/" * bool(member.is_directory))
        if not (member.is_file or member.is_directory):
            refused = refused or "it is a link"
        made = member.creationtime
        date = f"{made.astimezone(UTC):%Y-%m-%d %H:%M}" if made else "no date"
        locked = locked and not member.is_directory
        return Entry(name, member.filename, member.uncompressed, date, locked, refused)

    def data(self, entry: Entry, limit: int) -> bytes:
        with self._path.open("rb") as file, _SevenZipFaults(self._path) as library:
            factory = library.io.BytesIOFactory(limit + 1)
            with library.SevenZipFile(file, max_extract_size=limit + 1) as archive:
                archive.extract(targets=[entry.key], factory=factory)
            # It names products by their place; with one target, the last one is the one.
            *_, product = factory.products.values()
            return bytes(product.read())


class _SevenZipFaults:
    """Gives the library, and turns its errors in the block into a `ToolError`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            import py7zr
            import py7zr.exceptions
            import py7zr.io
        except ImportError as error:
            raise ToolError(
                "unsupported",
                f"7z archives cannot be opened without py7zr: {path.name!r}",
                "pip install 'deskgym[tools]'",
            ) from error
        self._library: Any = py7zr

    def __enter__(self) -> Any:
        return self._library

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        faults, name = self._library.exceptions, self._path.name
        if isinstance(error, faults.PasswordRequired):
            raise ToolError(
                "encrypted", f"{name!r} is encrypted", "it cannot be read without its password"
            ) from error
        if isinstance(error, faults.UnsupportedCompressionMethodError):
            raise ToolError(
                "unsupported", f"{name!r} is packed in a way that cannot be undone here: {error}"
            ) from error
        if isinstance(error, faults.DecompressionBombError):
            raise ToolError("too_large", f"{name!r} unpacks to too much: {error}") from error
        if isinstance(error, faults.ArchiveError):
            raise ToolError(
                "corrupt", f"{name!r} is a damaged archive: {error}", "try read_original"
            ) from error


def _tidy(raw: str) -> tuple[str, str]:
    """A member's name as it is shown and asked for, and why it is refused, or ""."""
    name = _shown(raw if "/" in raw else raw.replace("\\", "/"))
    if name.startswith("/") or ".." in name.split("/") or name[1:3] in (":/", ":\\"):
        return name, "its name leads out of the archive"
    parts = [part for part in name.split("/") if part not in ("", ".")]
    if not parts:
        return name or "(no name)", "" if name.endswith("/") else "it has no name"
    return "/".join(parts) + "/" * name.endswith("/"), ""


def _shown(name: str) -> str:
    return "".join(c if c.isprintable() else "?" for c in clean(name))


def _line(entry: Entry) -> str:
    size = "size unknown" if entry.size is None else f"{entry.size:,} bytes"
    marks = [f"refused: {entry.refused}"] * bool(entry.refused) + ["encrypted"] * entry.locked
    shown = f" ({', '.join(marks)})" if marks else ""
    return f"{size}, {entry.date}, {entry.name}{shown}\n"
