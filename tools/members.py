"""Files inside of files: ``folder/a.zip!/inner/b.txt``, held in memory while they are read."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path, PosixPath, PurePosixPath
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from deskgym.tools import archives, mail
from deskgym.tools.result import ToolError
from deskgym.tools.sniff import sniff

SEPARATOR = "!/"
MAX_DEPTH = 3
_MAIL = ("eml", "msg", "mbox")

P = ParamSpec("P")
R = TypeVar("R")


class Container(Protocol):
    """A file that holds others."""

    def names(self) -> list[str]:
        """What `read` takes."""
        ...

    def read(self, name: str) -> bytes:
        """One member's bytes. Raises `ToolError`."""
        ...


class HeldFile(PosixPath):
    """The path of a file that exists in memory only; ``name`` and what follows from it are the
    member's. It can be opened, also by other programs of this user, as any file."""

    _member = ""

    @classmethod
    def of(cls, descriptor: int, name: str) -> HeldFile:
        """The open file ``descriptor`` of this process under a member's name."""
        made = cls(f"/proc/{os.getpid()}/fd/{descriptor}")
        made._member = name.rsplit("/", 1)[-1]
        return made

    @property
    def name(self) -> str:
        return self._member or super().name

    @property
    def suffix(self) -> str:
        return PurePosixPath(self.name).suffix

    @property
    def stem(self) -> str:
        return PurePosixPath(self.name).stem


def through_members(read: Callable[Concatenate[Path, P], R]) -> Callable[Concatenate[Path, P], R]:
    """Let a function that reads the file at a path read members of archives and mails too."""

    @functools.wraps(read)
    def reading(path: Path, /, *args: P.args, **kwargs: P.kwargs) -> R:
        with opened(path) as file:
            return read(file, *args, **kwargs)

    return reading


def outer_path(path: Path) -> Path:
    """The file on disk that holds the member at ``path``; ``path`` itself if it is no member's."""
    found = _split(path)
    return path if found is None else found[0]


@contextmanager
def opened(path: Path) -> Iterator[Path]:
    """``path`` as it is or, for a member's, the path of a file in memory with the member's bytes,
    which is gone after the block.

    Raises:
        ToolError: not_found, not_a_file, outside_profile, encrypted, corrupt, too_large,
            unsupported (the outer file holds no others), or as `sniff`.
    """
    found = _split(path)
    if found is None:
        yield path
        return
    file, rest = found
    with ExitStack() as stack:
        for _ in range(MAX_DEPTH):
            holder = container(file)
            name, rest = _choose(rest, holder.names(), file.name)
            file = stack.enter_context(_held(holder.read(name), name))
            if not rest:
                yield file
                return
        raise ToolError(
            "too_large",
            f"members are read through at most {MAX_DEPTH} files: {path.name!r} lies deeper",
            "unpack the outer file in the terminal, below /scratch",
        )


def container(path: Path) -> Container:
    """The file at ``path`` as one that holds others.

    Raises:
        ToolError: unsupported, corrupt, encrypted, too_large, or as `sniff`.
    """
    kind = sniff(path)
    if kind.family == "archive":
        return archives.Archive(path, kind)
    if kind.family in _MAIL:
        return mail.Enclosed(path, kind)
    raise ToolError(
        "unsupported",
        f"{path.name!r} ({kind.mime}) holds no other files",
        f"leave out what stands after {SEPARATOR!r}",
    )


def _split(path: Path) -> tuple[Path, str] | None:
    """The file on disk and the rest, if ``path`` is no file but its beginning up to a ``!/`` is."""
    text = str(path)
    at = text.find(SEPARATOR)
    if at < 0 or _is_file(path):
        return None
    while at >= 0:
        if _is_file(outer := Path(text[:at])):
            return outer, text[at + len(SEPARATOR) :]
        at = text.find(SEPARATOR, at + 1)
    return None


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # a name that is too long, or none at all
        return False


def _choose(rest: str, names: list[str], outer: str) -> tuple[str, str]:
    """The member that ``rest`` begins with, and what is asked for inside of it, or "".

    Raises:
        ToolError: outside_profile, not_a_file, not_found.
    """
    if rest in names:
        return rest, ""
    at = rest.rfind(SEPARATOR)
    while at >= 0:
        if rest[:at] in names:
            return rest[:at], rest[at + len(SEPARATOR) :]
        at = rest.rfind(SEPARATOR, 0, at)
    wanted = rest.partition(SEPARATOR)[0]
    if wanted.startswith("/") or ".." in wanted.split("/"):
        raise ToolError(
            "outside_profile",
            f"a member's name does not lead out of its archive: {wanted!r:.80}",
            f"read_text of {outer!r} lists its members",
        )
    if any(name.startswith(wanted.rstrip("/") + "/") for name in names):
        raise ToolError("not_a_file", f"{wanted!r:.200} is a folder in {outer!r}", _near("", names))
    raise ToolError("not_found", f"{outer!r} holds no {wanted!r:.200}", _near(wanted, names))


def _near(wanted: str, names: list[str]) -> str:
    import difflib

    near = difflib.get_close_matches(wanted, names[:2000], n=3, cutoff=0.6) or names[:3]
    if not near:
        return "it has no members"
    more = ", ..." if len(names) > len(near) else ""
    return "it holds " + ", ".join(repr(name) for name in near) + more


@contextmanager
def _held(data: bytes, name: str) -> Iterator[HeldFile]:
    descriptor = os.memfd_create("member", os.MFD_CLOEXEC)
    try:
        view = memoryview(data)
        while view:
            view = view[os.write(descriptor, view) :]
        yield HeldFile.of(descriptor, name)
    finally:
        os.close(descriptor)
