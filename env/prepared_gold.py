"""HippoCamp's published parsed text (``HippoCamp_Gold``) as a prepared profile.

Each file of a person has a JSON file there, ``{file_info, summary, segments}``: ``file_info`` names
the file (``file_path``, ``file_name``), a segment holds ``content`` and where it stands
(``page_number`` or ``page``; ``start`` and ``end``, or ``start_time`` and ``end_time``, in seconds
or as ``MM:SS``). What is imported is found like any prepared folder, and needs no container.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Final

from deskgym.env.prepare import PreparationFailed
from deskgym.env.prepared import prepared_root, write_index
from deskgym.tasks.hippocamp.layout import PathFinder
from deskgym.tasks.hippocamp.places import seconds
from deskgym.tasks.locators import Pages, TimeSpan
from deskgym.tasks.schema import FileRecord, Profile
from deskgym.tools.result import Segment, ToolError
from deskgym.tools.sniff import PDF, sniff
from deskgym.tools.store import (
    FORMAT_VERSION,
    MANIFEST,
    OBJECTS,
    Objects,
    manifest_entry,
    object_name,
    tool_key,
    write_manifest,
)

_MOST_PAGES: Final = 1_000_000


@dataclass(frozen=True)
class GoldImport:
    """A prepared folder made from gold text.

    ``failed`` are the manifest's entries of files without any; ``unused`` the gold files that are
    of none of the person's files (a subset uses few of the full set's).
    """

    folder: Path
    files: int
    failed: tuple[dict[str, Any], ...]
    unused: tuple[str, ...]


@dataclass(frozen=True)
class _Gold:
    """A gold file: its path below the folder of all, and what it holds or why it cannot be read."""

    path: str
    content: dict[str, Any]
    error: str = ""

    def written(self) -> Iterator[str]:
        """The paths by which it may name its file, the surest first."""
        info = self.content.get("file_info")
        info = info if isinstance(info, dict) else {}
        for value in (info.get("file_path"), self.path.removesuffix(".json"), self.path):
            if isinstance(value, str) and value.strip():
                yield value

    def name(self) -> str:
        """The bare name of its file."""
        info = self.content.get("file_info")
        named = info.get("file_name") if isinstance(info, dict) else None
        written = named if isinstance(named, str) and named.strip() else next(self.written())
        return PurePosixPath(written.replace("\\", "/")).name


def import_gold(gold_folder: Path, profile: Profile) -> GoldImport:
    """Make the prepared folder of ``profile`` from the gold text in ``gold_folder``.

    ``gold_folder`` is ``HippoCamp_Gold`` or the person's folder in it. A file without gold, or
    with gold that cannot be read, has the status ``failed`` and the reason. Importing the same
    again changes nothing.

    Raises:
        PreparationFailed: there is no such folder, or no gold of this person in it.
        OSError: the folder cannot be written.
    """
    golds = _read_all(_folder_of(gold_folder, profile))
    found, unused = _matched(golds, profile)
    if not any(not gold.error for gold in found.values()):
        raise PreparationFailed(
            f"{gold_folder} holds no gold text of {profile.id}'s files; give HippoCamp_Gold, or "
            f"its folder {profile.user}"
        )
    settings = {"ocr": None, "asr": None, "gold": _fingerprint(golds)}
    key = tool_key(settings)
    dataset, _, name = profile.id.partition("/")
    mark = hashlib.sha256(key.encode()).hexdigest()[:8]
    above = prepared_root() / "profiles" / dataset
    target = above / f"{name}-{profile.digest[:16]}-{mark}"
    above.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=above, prefix=".new-") as new:
        made = Path(new) / "prepared"
        entries = _write(made, profile, found, key)
        write_manifest(
            made,
            {
                "format_version": FORMAT_VERSION,
                "profile_id": profile.id,
                "profile_digest": profile.digest,
                "settings": settings,
                "tool_key": key,
                "files": entries,
            },
        )
        _put(made, target, Path(new) / "old")
    failed = tuple(entry for entry in entries if entry["status"] != "ok")
    return GoldImport(target, len(entries), failed, tuple(unused))


def _put(made: Path, target: Path, aside: Path) -> None:
    """Have ``made`` at ``target``, unless the same is there already and whole."""
    if (target / MANIFEST).is_file():
        if (target / MANIFEST).read_bytes() == (made / MANIFEST).read_bytes():
            return
        target.rename(aside)
    elif target.exists():
        shutil.rmtree(target)
    try:
        made.rename(target)
    except OSError:
        # Another process was faster; what it made is the same.
        if not (target / MANIFEST).is_file():
            raise


# -- which gold is whose ---------------------------------------------------------------------------


def _folder_of(given: Path, profile: Profile) -> Path:
    if not given.is_dir():
        raise PreparationFailed(
            f"there is no folder {given}; get the gold text: deskgym datasets fetch hippocamp"
        )
    own = given / profile.user
    return own if own.is_dir() else given


def _read_all(folder: Path) -> list[_Gold]:
    golds = []
    for file in sorted(folder.rglob("*.json")):
        path = file.relative_to(folder).as_posix()
        try:
            content = json.loads(file.read_bytes())
        except (OSError, ValueError, RecursionError) as error:
            golds.append(_Gold(path, {}, f"{file.name} cannot be read: {error}"))
            continue
        if isinstance(content, dict) and isinstance(content.get("segments", []), list):
            golds.append(_Gold(path, content))
        else:
            golds.append(_Gold(path, {}, f"{file.name} has not the shape of gold text"))
    return golds


def _fingerprint(golds: Sequence[_Gold]) -> str:
    digest = hashlib.sha256()
    for gold in golds:
        digest.update(json.dumps([gold.path, gold.content, gold.error], sort_keys=True).encode())
    return digest.hexdigest()


def _matched(golds: Sequence[_Gold], profile: Profile) -> tuple[dict[str, _Gold], list[str]]:
    """The gold of each file that has any, and the paths of the gold that is of none."""
    paths = tuple(file.path for file in profile.files)
    finder = PathFinder(paths, (profile.user, profile.root.name))
    found: dict[str, _Gold] = {}
    left = []
    for gold in golds:
        hits = (finder.find(written, by_name=False) for written in gold.written())
        path = next((hit for hit in hits if hit is not None), None)
        if path is None or path in found:
            left.append(gold)
        else:
            found[path] = gold
    # Only then by bare names, where they are unmistakable on both sides.
    names = Counter(gold.name().casefold() for gold in left)
    unused = []
    for gold in left:
        path = finder.find(gold.name()) if names[gold.name().casefold()] == 1 else None
        if path is None or path in found:
            unused.append(gold.path)
        else:
            found[path] = gold
    return found, unused


# -- what gold says --------------------------------------------------------------------------------


def _write(root: Path, profile: Profile, found: dict[str, _Gold], key: str) -> list[dict[str, Any]]:
    """Write the objects and the index below ``root``; the entries of the manifest."""
    objects = Objects(root / OBJECTS)
    # Equal files share an object: one with gold writes it before one without.
    ordered = sorted(profile.files, key=lambda f: (_missing(found.get(f.path)), f.path))
    for file in ordered:
        name = object_name(file.path, file.sha256, key)
        if not objects.has(name):
            _keep(objects, root / ".new", name, profile.root, file, found.get(file.path), key)
    shutil.rmtree(root / ".new", ignore_errors=True)
    records = {
        file.path: objects.record(object_name(file.path, file.sha256, key))
        for file in profile.files
    }
    write_index(root, profile, records)
    for entry in (root, *root.rglob("*")):  # read in the desk by another user
        entry.chmod(0o755 if entry.is_dir() else 0o644)
    return [manifest_entry(f.path, f.sha256, key, records[f.path]) for f in profile.files]


def _missing(gold: _Gold | None) -> bool:
    return gold is None or bool(gold.error)


def _keep(
    objects: Objects,
    scratch: Path,
    name: str,
    root: Path,
    file: FileRecord,
    gold: _Gold | None,
    key: str,
) -> None:
    segments: tuple[Segment, ...] = ()
    error = None
    if gold is None or gold.error:
        own = PurePosixPath(file.path).name
        why = gold.error if gold else f"HippoCamp_Gold has no text for {own!r}"
        error = ToolError("unsupported", why, "to read the file itself run: deskgym prepare ID")
    else:
        segments = gold_segments(gold.content, file.modality)
    summary = str(gold.content.get("summary") or "").strip() if gold else ""
    objects.finish(
        objects.draft(scratch, name),
        name,
        path=file.path,
        sha256=file.sha256,
        key=key,
        info=_info(root / file.path, file, segments),
        segments=segments,
        notes=(summary,) if summary and segments else (),
        error=error,
    )


def _info(path: Path, file: FileRecord, segments: Sequence[Segment]) -> dict[str, Any]:
    info: dict[str, Any] = {"modality": file.modality, "size": file.size}
    try:
        info["mime"] = sniff(path).mime
    except ToolError:
        return info  # whatever it is, the gold text stands
    pages = [int(s.locator.removeprefix("page:")) for s in segments if s.locator[:5] == "page:"]
    if pages:
        info["pages"] = max(pages)
    elif info["mime"] == PDF.mime:
        # A PDF is served page by page. Of one without pages only the gold text as a whole is.
        del info["mime"]
    if len(segments) == 1 and segments[0].locator.startswith("lines:"):
        info |= {"chars": len(segments[0].text), "lines": len(segments[0].text.splitlines())}
    return info


def gold_segments(content: dict[str, Any], modality: str) -> tuple[Segment, ...]:
    """The segments of a gold file, with locators.

    ``page:3`` where all of them have page numbers (from 0 if one is 0; what stands on one page
    comes together), ``time:8-9.5`` where they have times, in sound and video. Otherwise the text
    is one piece: ``lines:1-20`` of a document or text, else ``file``. A file without segments has
    its summary for a text.
    """
    pieces = [s for s in content.get("segments") or [] if isinstance(s, dict) and _content(s)]
    if not pieces:
        summary = str(content.get("summary") or "").strip()
        return _whole(summary, modality) if summary else ()
    if modality in ("audio", "video"):
        spans = [_span(piece) for piece in pieces]
        if all(spans) and any(span.end_s > 0 for span in spans if span):
            timed = [(s, _content(p)) for s, p in zip(spans, pieces, strict=True) if s]
            timed.sort(key=lambda one: (one[0].start_s, one[0].end_s))
            return tuple(Segment(str(span), text) for span, text in timed)
    else:
        numbers = [_page(piece) for piece in pieces]
        if all(number is not None for number in numbers):
            return _paged([n for n in numbers if n is not None], [_content(p) for p in pieces])
    return _whole("\n".join(_content(piece) for piece in pieces), modality)


def _content(piece: dict[str, Any]) -> str:
    text = piece.get("content")
    return text if isinstance(text, str) and text.strip() else ""


def _page(piece: dict[str, Any]) -> int | None:
    for name in ("page_number", "page"):
        value = piece.get(name)
        if isinstance(value, str) and value.strip().isdecimal() and len(value) < 9:
            value = int(value)
        if type(value) is int and 0 <= value < _MOST_PAGES:
            return value
    return None


def _paged(numbers: Sequence[int], texts: Sequence[str]) -> tuple[Segment, ...]:
    first = 1 if 0 in numbers else 0
    by_page: dict[int, list[str]] = {}
    for number, text in zip(numbers, texts, strict=True):
        by_page.setdefault(number + first, []).append(text)
    return tuple(
        Segment(str(Pages(start=page, end=page)), "\n".join(parts))
        for page, parts in sorted(by_page.items())
    )


def _span(piece: dict[str, Any]) -> TimeSpan | None:
    for one, other in (("start", "end"), ("start_time", "end_time")):
        start, end = seconds(piece.get(one)), seconds(piece.get(other))
        if start is not None:
            return TimeSpan(start_s=start, end_s=max(start, end or start))
    return None


def _whole(text: str, modality: str) -> tuple[Segment, ...]:
    if modality not in ("document", "text"):
        return (Segment("file", text),)
    # As `read_text` counts them.
    last = text.count("\n") + (not text.endswith("\n"))
    return (Segment("lines:1" if last == 1 else f"lines:1-{last}", text),)
