"""Getting a data set's files from the hub into a folder.

The bytes are fetched here, not by the hub's library: its downloads begin anew after a break, and
some of these files are large. A file is written aside, checked against the hash that the hub's list
gives, and only then put in its place, so that what lies in the folder is always whole.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any, Final

from pydantic import BaseModel, ConfigDict

from deskgym.datasets_hub import (
    TIMEOUT_S,
    FetchError,
    HubFile,
    Listing,
    NoSpace,
    WrongContent,
    endpoint,
    library,
    patiently,
    request_headers,
    size_of,
)
from deskgym.tasks.file_hashes import hashes

PARTS: Final = ".deskgym-fetch"
"""The folder, in that of the data set, of files that are not whole yet."""
_PIECE: Final = 1 << 16
_FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT})

Report = Callable[[str, int], None]
"""Called with a file's path and how many bytes more of it are here (fewer, if negative)."""


class Fetched(BaseModel):
    """What a fetch came to: files and bytes chosen, and of these fetched now."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    folder: Path
    files: int
    bytes: int
    fetched_files: int
    fetched_bytes: int


def is_here(file: HubFile, folder: Path) -> bool:
    """Whether a file of that size lies in its place."""
    try:
        return (folder / file.path).stat().st_size == file.size
    except (FileNotFoundError, NotADirectoryError):
        return False


def bytes_here(file: HubFile, folder: Path) -> int:
    """How much of the file is here, whole or in part, by size alone."""
    if is_here(file, folder):
        return file.size
    part = _part(file, folder)
    return min(part.stat().st_size, file.size) if part.exists() else 0


def check_space(files: Sequence[HubFile], folder: Path) -> None:
    """
    Raises:
        NoSpace: what is missing of ``files`` does not fit on the disk of ``folder``.
    """
    needed = sum(file.size - bytes_here(file, folder) for file in files)
    there = folder
    while not there.exists():
        there = there.parent
    free = shutil.disk_usage(there).free
    if needed > free:
        raise NoSpace(
            f"{folder} needs {size_of(needed)} more, and its disk has {size_of(free)} left; "
            "make room, or choose another place: --dir DIR"
        )


def fetch(listing: Listing, files: Sequence[HubFile], folder: Path, report: Report) -> Fetched:
    """Have ``files`` of ``listing`` in ``folder``, each checked by its hash.

    Whole files are left as they are, and partial ones gone on with. May be broken off at any time;
    the next call goes on.

    Raises:
        HubMissing, HubUnavailable: the library is not there, or the network fails for good.
        NoSpace: before anything is fetched, or when the disk is full before it is done.
        WrongContent: some files came wrong; all others are here.
        FetchError: another process is fetching into the folder, or a file cannot be written.
    """
    hub = library()
    check_space(files, folder)
    wrong: list[str] = []
    done = size = 0
    with _writing(folder), _locked(folder / PARTS):
        for file in _missing(files, folder, report):
            url = hub.hf_hub_url(
                listing.repo,
                file.path,
                repo_type="dataset",
                revision=listing.commit,
                endpoint=endpoint(),
            )
            part = _part(file, folder)
            _download(url, file, part, report)
            if not _is_right(file, part):
                part.unlink()
                report(file.path, -file.size)
                wrong.append(file.path)
                continue
            _put(part, folder, file)
            done, size = done + 1, size + file.size
    if wrong:
        shown = ", ".join(wrong[:5]) + (f" and {len(wrong) - 5} more" if len(wrong) > 5 else "")
        raise WrongContent(
            f"{len(wrong)} of {len(files)} files came wrong and were deleted: {shown}; the others "
            "are whole. Run the same command again to fetch these anew"
        )
    return Fetched(
        folder=folder,
        files=len(files),
        bytes=sum(file.size for file in files),
        fetched_files=done,
        fetched_bytes=size,
    )


def _part(file: HubFile, folder: Path) -> Path:
    return folder / PARTS / f"{file.key}.part"


@contextmanager
def _writing(folder: Path) -> Iterator[None]:
    """Have errors of writing come as what they mean."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield
    except OSError as error:
        if error.errno in _FULL:
            raise NoSpace(
                f"the disk of {folder} is full ({error.strerror}); what is whole stays. Make room, "
                "and run the same command again"
            ) from error
        where = error.filename or folder
        raise FetchError(f"{where}: {error.strerror or error}; mend that and try again") from error


@contextmanager
def _locked(parts: Path) -> Iterator[None]:
    """Have the folder of parts to oneself; it goes when nothing is left in it."""
    parts.mkdir(exist_ok=True)
    lock = parts / "lock"
    with lock.open("wb") as held:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise FetchError(f"another process is fetching into {parts.parent}") from None
        yield
        if [entry.name for entry in parts.iterdir()] == [lock.name]:
            lock.unlink()
            parts.rmdir()


def _missing(files: Sequence[HubFile], folder: Path, report: Report) -> list[HubFile]:
    """Those of ``files`` that are not here as they should be; what is here of all is reported."""
    here = [file for file in files if is_here(file, folder)]
    large = hashes(folder, (file.path for file in here if file.sha256))  # remembered
    right = {
        file.path
        for file in here
        if (large[file.path] == file.sha256 if file.sha256 else _is_right(file, folder / file.path))
    }
    missing = [file for file in files if file.path not in right]
    for file in files:
        part = _part(file, folder)
        if file.path in right:
            report(file.path, file.size)
        elif part.exists():
            report(file.path, part.stat().st_size)
    return missing


def _is_right(file: HubFile, where: Path) -> bool:
    if where.stat().st_size != file.size:
        return False
    if file.sha256 is None and file.blob_id is None:
        return True  # its size is all that the hub has said
    digest = hashlib.sha256()
    if file.sha256 is None:
        digest = hashlib.sha1(b"blob %d\0" % file.size, usedforsecurity=False)
    with where.open("rb") as stream:
        while piece := stream.read(_PIECE):
            digest.update(piece)
    return digest.hexdigest() == (file.sha256 or file.blob_id)


def _put(part: Path, folder: Path, file: HubFile) -> None:
    """Move a whole file into its place, where the users of a desk can read it."""
    target = folder / file.path
    above = folder
    for name in PurePosixPath(file.path).parts[:-1]:
        above = above / name
        if not above.is_dir():
            above.mkdir()
            above.chmod(0o755)
    part.chmod(0o644)
    part.replace(target)


def _download(url: str, file: HubFile, part: Path, report: Report) -> None:
    """Have all bytes of a file in ``part``, which may hold its beginning already."""

    def size() -> int:
        return part.stat().st_size if part.exists() else 0

    remedy = "the same command goes on where this one ended"
    patiently(lambda: _download_once(url, file, part, report), file.path, remedy, size)


def _download_once(url: str, file: HubFile, part: Path, report: Report) -> None:
    import requests

    begun = part.stat().st_size if part.exists() else 0
    if begun > file.size:
        part.unlink()
        report(file.path, -begun)
        begun = 0
    if begun == file.size and (begun or part.exists()):
        return
    headers = request_headers() | {"Accept-Encoding": "identity"}
    if begun:
        headers["Range"] = f"bytes={begun}-"
    with requests.get(url, headers=headers, stream=True, timeout=TIMEOUT_S) as answer:
        answer.raise_for_status()
        if begun and not _goes_on(answer, begun):
            report(file.path, -begun)
            begun = 0
        with part.open("ab" if begun else "wb") as out:
            for piece in answer.iter_content(_PIECE):
                out.write(piece)
                report(file.path, len(piece))
                begun += len(piece)
                if begun > file.size:
                    return  # a wrong file; it need not come to its end
    if begun < file.size:
        raise requests.ConnectionError(f"{begun} of {file.size} bytes came")


def _goes_on(answer: Any, begun: int) -> bool:
    """Whether an answer is the rest that was asked for, and not the whole file again."""
    span = str(answer.headers.get("Content-Range", ""))
    return answer.status_code == 206 and span.startswith(f"bytes {begun}-")
