"""What is in a folder, and what of it a desk cannot show as it is."""

from __future__ import annotations

import os
import posixpath
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Final

from deskgym.tasks.findings import Finding

# Who reads in a desk: the agent and the read tools, each with the group of its number alone.
DESK_USERS: Final = (1000, 1001)
_MAX_NAME = 255
_MAX_PATH = 3_000
_MAX_LINKS = 40
_KINDS = (
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISCHR, "a device"),
)


@dataclass(frozen=True)
class Found:
    """A file below the folder; ``modified`` is in local time, None if it is no possible date."""

    path: str
    size: int
    modified: datetime | None


@dataclass(frozen=True)
class Scan:
    """The files by path, sorted, and a finding for whatever is left out or will give trouble."""

    files: tuple[Found, ...]
    findings: tuple[Finding, ...]


@dataclass
class _Walk:
    root: Path
    profile: str
    files: list[Found] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    def warn(self, rule: str, path: str, message: str) -> None:
        self.findings.append(
            Finding(
                rule=rule,
                severity="warning",
                profile_id=self.profile,
                field=printable(path),
                message=message,
            )
        )


def scan(root: Path, profile: str) -> Scan:
    """All that lies below ``root``; ``profile`` is the id that findings carry.

    Left out, each with a finding: names that are not UTF-8 (a record cannot hold them), links that
    lead out of the folder, nowhere, or by an absolute path; sockets, pipes and devices; what this
    process cannot read itself. Links to folders inside are not followed: what they show is seen
    where it lies. Kept with a finding: what the desk's users may not read, and odd names.
    """
    walk = _Walk(root, profile)
    # With each folder, whether the desk's users are barred from it: one finding is enough then.
    pending = [(path, barred) for path, barred in _entered(walk, "", barred=False)]
    while pending:
        path, barred = pending.pop()
        pending += _entered(walk, path, barred=barred)
    return Scan(
        tuple(sorted(walk.files, key=lambda file: file.path)),
        tuple(sorted(walk.findings, key=lambda finding: (finding.field, finding.rule))),
    )


def _entered(walk: _Walk, folder: str, *, barred: bool) -> Iterator[tuple[str, bool]]:
    """Take down the files of a folder; yields its subfolders."""
    try:
        status = (walk.root / folder).stat()
        names = sorted(entry.name for entry in (walk.root / folder).iterdir())
    except OSError as error:
        walk.warn("cannot-read", folder or ".", f"left out: it cannot be read ({error.strerror})")
        return
    if not barred and not _allowed(status, stat.S_IROTH | stat.S_IXOTH):
        walk.warn("not-readable", folder or ".", _remedy(walk.root / folder, status, "o+rx"))
        barred = True
    for name in names:
        path = f"{folder}/{name}" if folder else name
        if not _is_unicode(name):
            walk.warn("name-not-utf8", path, "left out: its name is not UTF-8; rename it")
            continue
        try:
            if _look(walk, path, barred=barred):
                yield path, barred
        except OSError as error:
            walk.warn("cannot-read", path, f"left out: it cannot be read ({error.strerror})")


def _look(walk: _Walk, path: str, *, barred: bool) -> bool:
    """Take down a file; True if it is a folder to go into."""
    full = walk.root / path
    if full.is_symlink():
        if trouble := _link_trouble(walk.root, path):
            walk.warn(*trouble)
            return False
        if full.is_dir():
            return False
    status = full.stat()
    _check_name(walk, path)
    if stat.S_ISDIR(status.st_mode):
        return True
    if not stat.S_ISREG(status.st_mode):
        kind = next((name for fits, name in _KINDS if fits(status.st_mode)), "no file")
        walk.warn("not-a-file", path, f"left out: it is {kind}")
        return False
    if not os.access(full, os.R_OK):
        walk.warn("cannot-read", path, "left out: you may not read it yourself; chmod u+r it")
        return False
    if not barred and not _allowed(status, stat.S_IROTH):
        walk.warn("not-readable", path, _remedy(full, status, "o+r"))
    modified = _local_time(status.st_mtime)
    if modified is None:
        walk.warn("odd-time", path, "its time of change is no possible date; taken as 1970")
    walk.files.append(Found(path, status.st_size, modified))
    return False


def _allowed(status: os.stat_result, need: int) -> bool:
    """Whether both users of the desk have the rights ``need`` (as bits of others)."""
    for user in DESK_USERS:
        shift = 6 if status.st_uid == user else 3 if status.st_gid == user else 0
        if (status.st_mode >> shift) & need != need:
            return False
    return True


def _remedy(full: Path, status: os.stat_result, mode: str) -> str:
    return (
        f"the desk's users (uid 1000 and 1001) may not read it: its mode is "
        f"{stat.S_IMODE(status.st_mode):04o}; to let them: chmod {mode} {printable(str(full))!r}"
    )


def _check_name(walk: _Walk, path: str) -> None:
    name = posixpath.basename(path)
    if not name.isprintable() and any(ord(c) < 32 or ord(c) == 127 for c in name):
        walk.warn("odd-name", path, "its name holds control characters; tools may stumble on it")
    if len(name.encode()) > _MAX_NAME or len(path.encode()) > _MAX_PATH:
        walk.warn("long-name", path, "its name or path is very long; tools may stumble on it")


def _link_trouble(root: Path, path: str) -> tuple[str, str, str] | None:
    """Rule, path and message for a link that a desk, where the folder has another place, could not
    follow; None if it can."""
    real = Path(os.path.realpath(root / path))  # `resolve` fails on links that go in circles
    if not real.is_relative_to(os.path.realpath(root)):
        return "link-outside", path, f"not followed: it leads out of the folder, to {_short(real)}"
    if not (root / path).exists():
        return "link-broken", path, "left out: it leads nowhere"
    at = path
    for _ in range(_MAX_LINKS):
        target = str((root / at).readlink())
        if posixpath.isabs(target):
            return (
                "link-absolute", path,
                "left out: it names its target by an absolute path, which a desk does not have; "
                "make it relative: ln -sr",
            )  # fmt: skip
        at = posixpath.normpath(posixpath.join(posixpath.dirname(at), target))
        if at == ".." or at.startswith("../"):
            return "link-outside", path, "not followed: it leads out of the folder and back in"
        if not (root / at).is_symlink():
            break
    return None


def _short(path: Path) -> str:
    text = printable(str(path))
    return text if len(text) <= 120 else f"{text[:117]}..."


def _is_unicode(name: str) -> bool:
    """Whether the name's bytes are UTF-8: what is not comes with lone surrogates."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _local_time(seconds: float) -> datetime | None:
    try:
        return datetime.fromtimestamp(seconds)
    except (OverflowError, ValueError, OSError):
        return None


def printable(text: str) -> str:
    """``text`` with escapes in place of what cannot be shown or written: ``a\\udcff``, ``\\n``."""
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text
    )
