"""What preparing leaves behind: one record for each content, and one folder for each person.

An *object* is the folder ``<aa>/<sha256>-<tool key><.suffix>`` of one file's content:
``record.json`` and the pictures it names. (The suffix counts, as it tells what text is: a table, a
note.) It is written aside and renamed, so that it is there whole or not at all; equal files share
one. A *prepared profile* is a folder that needs nothing besides itself:
``manifest.json`` (sorted, without times: equal for equal files, settings and tools), ``objects/``
and ``search.sqlite``.

Standard library only: it is imported in the desk.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from deskgym.tools.result import Media, Segment, ToolError

FORMAT_VERSION = 1
MANIFEST = "manifest.json"
INDEX = "search.sqlite"
OBJECTS = "objects"
RECORD = "record.json"
# Modules that do not decide what a record says: they store, serve, search and carry it.
_APART = frozenset(
    {"crew.py", "frames.py", "prepare.py", "prepared.py", "search_index.py", "search_windows.py",
     "store.py", "worker.py"}
)  # fmt: skip
_SUFFIXES = {"image/png": ".png", "image/jpeg": ".jpg", "audio/mpeg": ".mp3"}


def tool_key(settings: dict[str, Any], sources: Path | None = None) -> str:
    """What, besides a file's content, decides its record: the tools' source and the settings."""
    digest = hashlib.sha256(json.dumps(settings, sort_keys=True).encode())
    folder = sources or Path(__file__).parent
    for module in sorted(folder.rglob("*.py")):
        name = module.relative_to(folder).as_posix()
        if name not in _APART:
            digest.update(f"\0{name}\0".encode() + hashlib.sha256(module.read_bytes()).digest())
    return digest.hexdigest()[:16]


def object_name(path: str, sha256: str, key: str) -> str:
    """The folder of a file's object, relative to the folder of all."""
    suffix = PurePosixPath(path).suffix.lower()
    plain = suffix if suffix[1:].isascii() and suffix[1:].isalnum() and len(suffix) < 16 else ""
    return f"{sha256[:2]}/{sha256}-{key}{plain}"


@dataclass
class Draft:
    """An object in the making, in a folder of its own."""

    folder: Path
    pictures: list[dict[str, Any]] = field(default_factory=list)

    def keep(self, media: Media) -> None:
        """Write a picture now, so that those of a long document are never all in memory.

        Raises:
            OSError: it cannot be written.
        """
        kind, _, place = media.locator.partition(":")
        stem = {"file": "file", "page": f"page-{place}", "time": f"frame-{place}"}.get(kind, kind)
        name = stem.replace("/", "-") + _SUFFIXES.get(media.mime, ".bin")
        if any(picture["file"] == name for picture in self.pictures):
            name = f"{len(self.pictures)}-{name}"
        (self.folder / name).write_bytes(media.data)
        self.pictures.append(
            {
                "locator": media.locator,
                "mime": media.mime,
                "file": name,
                "width": media.width,
                "height": media.height,
                "notes": list(media.notes),
            }
        )


class Objects:
    """The folder of all objects, which are known by their `object_name`."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def has(self, name: str) -> bool:
        return (self.root / name / RECORD).is_file()

    def remove(self, name: str) -> None:
        """Forget an object; the record goes first, so that no half of one counts."""
        (self.root / name / RECORD).unlink(missing_ok=True)
        shutil.rmtree(self.root / name, ignore_errors=True)

    def draft(self, scratch: Path, name: str) -> Draft:
        """Begin an object in ``scratch``, which lies on the same file system."""
        folder = scratch / PurePosixPath(name).name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        return Draft(folder)

    def finish(
        self,
        draft: Draft,
        name: str,
        *,
        path: str,
        sha256: str,
        key: str,
        info: dict[str, Any],
        segments: Iterable[Segment] = (),
        notes: Iterable[str] = (),
        error: ToolError | None = None,
    ) -> None:
        """Write the record of what was read at ``path``, then move the object into place.

        Raises:
            OSError: it cannot be written.
        """
        record = {
            "format_version": FORMAT_VERSION,
            "sha256": sha256,
            "tool_key": key,
            "name": PurePosixPath(path).name,
            "info": info,
            "segments": [{"locator": s.locator, "text": s.text} for s in segments],
            "pictures": draft.pictures,
            "notes": list(notes),
            "error": as_json(error),
        }
        (draft.folder / RECORD).write_text(_compact(record), encoding="ascii")
        # Read in the desk by another user, whatever this one's habits.
        for entry in draft.folder.iterdir():
            entry.chmod(0o644)
        draft.folder.chmod(0o755)
        target = self.root / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.parent.chmod(0o755)
        try:
            draft.folder.rename(target)
        except OSError:
            if not self.has(name):
                raise
            shutil.rmtree(draft.folder)  # another run was faster; what it made is the same

    def record(self, name: str) -> dict[str, Any]:
        """An object's record.

        Raises:
            ToolError: corrupt, if it is not there, or is none.
        """
        return _load(self.root / name / RECORD)


def as_json(error: ToolError | None) -> dict[str, str] | None:
    """An error as records and manifests hold it."""
    if error is None:
        return None
    return {"kind": error.kind, "message": error.message, "remedy": error.remedy}


class PreparedProfile:
    """One person's prepared folder, read only.

    Raises:
        ToolError: corrupt, if there is no manifest that can be read, now or later.
    """

    def __init__(self, root: Path) -> None:
        self.root = root

    @functools.cached_property
    def manifest(self) -> dict[str, Any]:
        return _load(self.root / MANIFEST)

    @functools.cached_property
    def _files(self) -> dict[str, dict[str, Any]]:
        return {entry["path"]: entry for entry in self.manifest["files"]}

    @property
    def index(self) -> Path:
        """Where the search index lies, if there is one."""
        return self.root / INDEX

    def record(self, path: str) -> dict[str, Any] | None:
        """What preparing found out about a file (relative path); None if it was not prepared."""
        entry = self._files.get(path)
        return None if entry is None else _load(self._object(entry) / RECORD)

    def picture(self, path: str, picture: dict[str, Any]) -> Media:
        """One of the record's pictures, in full."""
        file = self._object(self._files[path]) / PurePosixPath(picture["file"]).name
        try:
            data = file.read_bytes()
        except OSError as error:
            raise _damaged(file, error) from error
        size = picture["width"], picture["height"]
        notes = tuple(picture.get("notes", ()))
        return Media(picture["mime"], data, picture["locator"], *size, notes)

    def records(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Every file's record, by path."""
        for path, entry in self._files.items():
            yield path, _load(self._object(entry) / RECORD)

    def _object(self, entry: dict[str, Any]) -> Path:
        return self.root / OBJECTS / str(entry["object"])


def segments_of(record: dict[str, Any]) -> tuple[Segment, ...]:
    """A record's whole text."""
    return tuple(Segment(s["locator"], s["text"]) for s in record["segments"])


def error_of(record: dict[str, Any], path: str) -> ToolError | None:
    """Why the file at ``path`` could not be read, if so. Equal files may have other names."""
    error = record["error"]
    if error is None:
        return None
    named = error["message"].replace(repr(record["name"]), repr(PurePosixPath(path).name))
    return ToolError(error["kind"], named, error["remedy"])


def manifest_entry(path: str, sha256: str, key: str, record: dict[str, Any]) -> dict[str, Any]:
    """A file's line in the manifest."""
    error = error_of(record, path)
    return {
        "path": path,
        "sha256": sha256,
        "object": object_name(path, sha256, key),
        "status": "ok" if error is None else "failed",
        "error": as_json(error),
    }


def write_manifest(root: Path, manifest: dict[str, Any]) -> None:
    """Put a manifest in place, all at once.

    Raises:
        OSError: it cannot be written.
    """
    ordered = manifest | {"files": sorted(manifest["files"], key=lambda entry: entry["path"])}
    text = json.dumps(ordered, indent=1, sort_keys=True) + "\n"
    root.chmod(0o755)  # read in the desk by another user
    aside = root / f"{MANIFEST}.{os.getpid()}.new"
    aside.write_text(text, encoding="ascii")
    aside.chmod(0o644)
    aside.replace(root / MANIFEST)


def link_object(objects: Objects, root: Path, name: str) -> None:
    """Have the object ``name`` in the prepared folder ``root`` too: its files as links, or copies.

    Raises:
        OSError: it can be neither linked nor copied.
    """
    source, target = objects.root / name, root / OBJECTS / name
    if (target / RECORD).is_file():
        if (target / RECORD).samefile(source / RECORD):
            return
        shutil.rmtree(target)
    for folder in (target, target.parent, target.parent.parent):
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o755)
    for file in sorted(source.iterdir(), key=lambda entry: entry.name == RECORD):
        aim = target / file.name
        aim.unlink(missing_ok=True)
        linked = False
        with suppress(OSError):  # another file system, or one without links: copied instead
            aim.hardlink_to(file)
            linked = True
        if not linked:
            shutil.copyfile(file, aim)
            aim.chmod(0o644)


def _load(file: Path) -> dict[str, Any]:
    try:
        value = json.loads(file.read_bytes())
    except (OSError, ValueError) as error:
        raise _damaged(file, error) from error
    if not isinstance(value, dict) or value.get("format_version") != FORMAT_VERSION:
        raise _damaged(file, "it is of another version")
    return value


def _damaged(file: Path, reason: object) -> ToolError:
    return ToolError(
        "corrupt", f"the prepared file {file.name!r} cannot be used: {reason}",
        "run: deskgym prepare ID",
    )  # fmt: skip


def _compact(value: dict[str, Any]) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))
