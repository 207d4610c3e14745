"""Prepared folders on this computer: where they lie, and which one is a profile's."""

from __future__ import annotations

import functools
import hashlib
import json
import shutil
import tempfile
from collections.abc import Callable
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any, Literal

from deskgym.env.sandbox.base import SandboxError
from deskgym.tasks.cache import cache_root
from deskgym.tasks.schema import Profile
from deskgym.tools.result import Segment, ToolError
from deskgym.tools.search_index import build_index
from deskgym.tools.store import (
    INDEX,
    MANIFEST,
    OBJECTS,
    RECORD,
    Objects,
    PreparedProfile,
    link_object,
    segments_of,
    tool_key,
    write_manifest,
)

SHIPPED = "prepared"
RECORDS = "records.jsonl"
Prepared = Path | str | None
"""A prepared folder, "auto" for the one that there is, if any, or None to do without."""


class WrongPreparedFolder(SandboxError):
    """A folder that is no prepared profile, or another one's. The message says which."""


def prepared_root() -> Path:
    """Where all that was prepared here is kept."""
    return cache_root() / "prepared"


def folders_of(profile: Profile) -> list[Path]:
    """The prepared folders of these very files, the best first.

    That is one of this version's tools before others, then the one that holds most, then the
    newest.
    """
    return _folders(profile, profile.digest)


def _folders(profile: Profile, digest: str) -> list[Path]:
    """As `folders_of`, of the files of ``profile`` that have this digest."""
    dataset, _, name = profile.id.partition("/")
    above = prepared_root() / "profiles" / dataset
    ranked: list[tuple[bool, int, float, Path]] = []
    for file in above.glob(f"{name}-{digest[:16]}-*/{MANIFEST}"):
        try:
            manifest = PreparedProfile(file.parent).manifest
        except ToolError:
            continue  # of another version, or torn: preparing again replaces it
        if manifest["profile_digest"] == digest:
            current = manifest["tool_key"] == _key(json.dumps(manifest["settings"]))
            held = len(manifest["files"])
            ranked.append((current, held, file.stat().st_mtime, file.parent))
    return [folder for *_, folder in sorted(ranked, reverse=True)]


@functools.cache
def _key(settings: str) -> str:
    return tool_key(json.loads(settings))


def find(profile: Profile, wanted: Prepared | Literal["auto"] = "auto") -> Path | None:
    """The prepared folder of ``profile`` that ``wanted`` means.

    "auto" is the best of `folders_of`, else what ships with the demo, else None. Of a profile that
    is part of another, a folder of the whole one will do: one of just its files is made from it.

    Raises:
        WrongPreparedFolder: a path at which there is no prepared folder of these files.
        ToolError: corrupt, if the whole profile's folder is to be used and has a damaged record.
    """
    if wanted is None:
        return None
    if wanted == "auto":
        if found := folders_of(profile):
            return found[0]
        if profile.part_of is not None and (whole := _folders(profile, profile.part_of)):
            return _part(profile, whole[0])
        return _shipped(profile)
    root = Path(wanted).expanduser().resolve()
    try:
        manifest = PreparedProfile(root).manifest
    except ToolError as error:
        raise WrongPreparedFolder(
            f"{root} is no prepared folder ({error.message}); "
            f"make one: deskgym prepare {profile.id}"
        ) from error
    if profile.part_of is not None and manifest["profile_digest"] == profile.part_of:
        return _part(profile, root)
    if manifest["profile_digest"] != profile.digest:
        raise WrongPreparedFolder(
            f"{root} was prepared from other files ({manifest['profile_id']}); make one of these: "
            f"deskgym prepare {profile.id}"
        )
    return root


def write_index(root: Path, profile: Profile, records: dict[str, dict[str, Any]]) -> None:
    """Build the search index of a prepared folder from its files' records, by path."""
    modality = {record.path: record.modality for record in profile.files}
    entries: list[tuple[str, str, tuple[Segment, ...]]] = [
        (path, modality[path], segments_of(record)) for path, record in records.items()
    ]
    build_index(root / INDEX, entries)
    (root / INDEX).chmod(0o644)


def _part(profile: Profile, whole: Path) -> Path:
    """A prepared folder of just the files of ``profile``, out of that of the whole profile.

    Made once; again when other files of the whole one are prepared, or other tools were used.
    """
    store = PreparedProfile(whole)
    digests = {file.path: file.sha256 for file in profile.files}
    entries = [e for e in store.manifest["files"] if digests.get(e["path"]) == e["sha256"]]
    manifest = store.manifest | {"profile_digest": profile.digest, "files": entries}
    mark = hashlib.sha256(json.dumps(manifest, sort_keys=True).encode()).hexdigest()[:8]
    dataset, _, name = profile.id.partition("/")
    above = prepared_root() / "parts" / dataset
    target = above / f"{name}-{profile.digest[:16]}-{mark}"

    def fill(made: Path) -> None:
        objects = Objects(whole / OBJECTS)
        for entry in entries:
            link_object(objects, made, entry["object"])
        write_index(made, profile, {e["path"]: objects.record(e["object"]) for e in entries})
        write_manifest(made, manifest)

    return _made_once(target, fill)


def _made_once(target: Path, fill: Callable[[Path], None]) -> Path:
    """The prepared folder ``target``; made aside by ``fill`` and moved into place if it is new."""
    if (target / MANIFEST).is_file():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".new-") as new:
        made = Path(new) / "prepared"
        made.mkdir()
        fill(made)
        try:
            made.rename(target)
        except OSError:
            # Another process was faster; what it made is the same.
            if not (target / MANIFEST).is_file():
                raise
    return target


def _shipped(profile: Profile) -> Path | None:
    """What the demo people ship, laid out in the cache: records without pictures.

    None if nothing ships with these files.
    """
    dataset, _, name = profile.id.partition("/")
    if dataset != "demo":
        return None
    with as_file(files("deskgym.tasks.demo") / "data" / name / SHIPPED) as source:
        if not (source / MANIFEST).is_file():
            return None
        manifest = PreparedProfile(source).manifest
        if manifest["profile_digest"] != profile.digest:
            return None
        lines = (source / RECORDS).read_bytes()
    mark = hashlib.sha256(lines).hexdigest()[:8]
    above = prepared_root() / "shipped" / dataset
    target = above / f"{name}-{profile.digest[:16]}-{mark}"
    return _made_once(target, lambda made: _lay_out(made, profile, manifest, lines))


def _lay_out(root: Path, profile: Profile, manifest: dict[str, Any], lines: bytes) -> None:
    by_object = {}
    for line in lines.splitlines():
        packed = json.loads(line)
        by_object[packed["object"]] = packed["record"]
    for name, record in by_object.items():
        folder = root / OBJECTS / name
        folder.mkdir(parents=True)
        (folder / RECORD).write_text(json.dumps(record), encoding="ascii")
    records = {entry["path"]: by_object[entry["object"]] for entry in manifest["files"]}
    write_index(root, profile, records)
    for entry in (root, *root.rglob("*")):
        entry.chmod(0o755 if entry.is_dir() else 0o644)
    write_manifest(root, manifest)


def ship(prepared: Path, target: Path) -> None:
    """Write to ``target`` what `find` reads of a demo person: the records, without pictures.

    Raises:
        ToolError: corrupt, if ``prepared`` is no prepared folder.
    """
    store = PreparedProfile(prepared)
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    names = {entry["path"]: entry["object"] for entry in store.manifest["files"]}
    packed = {names[path]: record | {"pictures": []} for path, record in store.records()}
    lines = [
        json.dumps({"object": name, "record": record}, sort_keys=True) + "\n"
        for name, record in sorted(packed.items())
    ]
    (target / RECORDS).write_text("".join(lines), encoding="ascii")
    write_manifest(target, store.manifest)
