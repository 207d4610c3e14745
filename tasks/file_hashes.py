"""SHA-256 of a folder's files, each counted once: what was hashed is remembered in the cache.

The cache is a JSON file for each folder, below ``hashes`` in `deskgym.tasks.cache.cache_root`. An
entry holds for a file as long as its size and its time of change (in nanoseconds) are the same.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from deskgym.tasks.cache import cache_root
from deskgym.tasks.whole_file import replacing

FORMAT_VERSION = 1
_PIECE = 1 << 20
_SAVE_EVERY = 1 << 30  # bytes hashed between two savings, so that a broken run loses little

Known = dict[str, tuple[int, int, str]]
"""By relative path: size, time of change in nanoseconds, hash."""


def hashes(root: Path, paths: Iterable[str]) -> dict[str, str]:
    """The SHA-256, in hexadecimal, of each file of ``paths`` (relative to ``root``), by path.

    Only files that are new or have changed since the last call are read. What was found out is
    kept even if a later file fails. Calls in several processes at once do not disturb each other.

    Raises:
        OSError: a file cannot be read (its ``filename`` says which), or the cache not written.
    """
    file = cache_file(root)
    known = _load(file)
    found: Known = {}
    unsaved: Known = {}
    read = 0
    try:
        for path in paths:
            stat = (root / path).stat()
            entry = known.get(path)
            if entry is None or entry[:2] != (stat.st_size, stat.st_mtime_ns):
                entry = stat.st_size, stat.st_mtime_ns, _sha256(root / path)
                unsaved[path] = entry
                read += stat.st_size
            found[path] = entry
            if read >= _SAVE_EVERY:
                _add(file, root, unsaved)
                unsaved, read = {}, 0
    finally:
        if unsaved:
            _add(file, root, unsaved)
    return {path: sha256 for path, (_, _, sha256) in found.items()}


def cache_file(root: Path) -> Path:
    """Where the hashes of the files below ``root`` are kept."""
    mark = hashlib.sha256(os.fsencode(root.resolve())).hexdigest()[:24]
    return cache_root() / "hashes" / f"{mark}.json"


def _sha256(file: Path) -> str:
    digest = hashlib.sha256()
    with file.open("rb") as stream:
        while piece := stream.read(_PIECE):
            digest.update(piece)
    return digest.hexdigest()


def _load(file: Path) -> Known:
    """What a cache file holds; nothing if there is none, or none of this form.

    A cache may be thrown away at any time: one that cannot be used is made anew.
    """
    try:
        data: Any = json.loads(file.read_bytes())
    except (FileNotFoundError, ValueError):
        return {}
    if not isinstance(data, dict) or data.get("format_version") != FORMAT_VERSION:
        return {}
    files = data.get("files")
    return {
        path: (entry[0], entry[1], entry[2])
        for path, entry in (files.items() if isinstance(files, dict) else ())
        if isinstance(entry, list) and [type(part) for part in entry] == [int, int, str]
    }


def _add(file: Path, root: Path, more: Known) -> None:
    """Put ``more`` into a cache file besides what it holds by now."""
    file.parent.mkdir(parents=True, exist_ok=True)
    value = {
        "format_version": FORMAT_VERSION,
        "root": os.fsencode(root.resolve()).decode(errors="replace"),
        "files": {path: list(entry) for path, entry in sorted((_load(file) | more).items())},
    }
    with replacing(file) as draft:
        # Names that are no Unicode hold lone surrogates, which JSON's escapes carry.
        draft.write_text(json.dumps(value), encoding="ascii")
