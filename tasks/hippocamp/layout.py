"""Where the six configurations of HippoCamp lie in its published layout.

For each person (Adam, Bei, Victoria) a folder with two scopes::

    Adam/Fullset/{Adam/, Adam.json, Adam_files.xlsx}
    Adam/Subset/{Adam_Subset/, Adam_Subset.json, Adam_Subset.xlsx}

that is, the raw files, the annotations and the metadata sheet. ``HippoCamp_Gold/Adam/`` holds the
parsed text.
"""

from __future__ import annotations

import os
import unicodedata
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from deskgym.tasks.registry import BadDataset, DatasetMissing

PEOPLE: Final = ("Adam", "Bei", "Victoria")
# What editors and file managers leave: it belongs to the desk, and no sheet lists it.
_JUNK_NAMES: Final = frozenset({".ds_store", "thumbs.db", "desktop.ini", ".localized", ".gitkeep"})
_JUNK_STARTS: Final = ("~$", ".~lock.", "._")


@dataclass(frozen=True)
class Config:
    """One person in one scope: ``adam`` is the full set, ``adam_subset`` the subset."""

    name: str
    user: str
    scope: str
    root: Path
    annotations: Path
    sheet: Path

    @property
    def published(self) -> str:
        """The name of the configuration on the hub: ``adam_fullset``."""
        return self.name if self.scope == "Subset" else f"{self.name}_fullset"


def all_configs(folder: Path) -> tuple[Config, ...]:
    """The six configurations as they lie, or would lie, below ``folder``."""
    return tuple(_config(folder, user, scope) for user in PEOPLE for scope in ("Fullset", "Subset"))


def find_configs(folder: Path) -> tuple[Config, ...]:
    """The configurations whose raw files are below ``folder`` (or below ``folder/HippoCamp``).

    Raises:
        DatasetMissing: there is none.
    """
    for above in (folder, folder / "HippoCamp"):
        if found := tuple(c for c in all_configs(above) if c.root.is_dir()):
            return found
    raise DatasetMissing(
        f"{folder} holds none of HippoCamp's people (Adam/Fullset/Adam, Adam/Subset/Adam_Subset, "
        "...); get them: deskgym datasets fetch hippocamp, or say where they lie: "
        "deskgym datasets path hippocamp DIR"
    )


def _config(folder: Path, user: str, scope: str) -> Config:
    within = folder / user / scope
    stem = user if scope == "Fullset" else f"{user}_Subset"
    sheets = [within / f"{stem}_files.xlsx", within / f"{stem}.xlsx"]
    if scope == "Subset":
        sheets.reverse()
    return Config(
        name=user.lower() if scope == "Fullset" else f"{user.lower()}_subset",
        user=user,
        scope=scope,
        root=within / stem,
        annotations=within / f"{stem}.json",
        sheet=next((sheet for sheet in sheets if sheet.is_file()), sheets[0]),
    )


@dataclass(frozen=True)
class Listing:
    """What lies below a raw folder: the files of the profile, and what cannot be one, with why."""

    paths: tuple[str, ...]
    left_out: tuple[tuple[str, str], ...]


def list_files(root: Path) -> Listing:
    """All files below ``root`` as relative paths, sorted.

    Left out are links that lead out of ``root`` or nowhere, what is neither file nor folder, and
    names that are no Unicode, which no annotation can name.

    Raises:
        BadDataset: a folder cannot be read.
    """

    def fail(error: OSError) -> None:
        raise BadDataset(f"{error.filename} cannot be read ({error.strerror}); mend its mode")

    top = root.resolve()
    paths, left_out = [], []
    for folder, _, names in os.walk(root, onerror=fail):
        for name in names:
            file = Path(folder) / name
            path = file.relative_to(root).as_posix()
            if reason := _unfit(file, top):
                left_out.append((path.encode(errors="replace").decode(), reason))
            else:
                paths.append(path)
    return Listing(tuple(sorted(paths)), tuple(sorted(left_out)))


def _unfit(file: Path, top: Path) -> str | None:
    """Why a file cannot be one of the profile's, or None."""
    try:
        file.name.encode()
        str(file.relative_to(file.anchor)).encode()
    except UnicodeEncodeError:
        return "its name is no Unicode"
    if file.is_symlink() and not file.resolve().is_relative_to(top):
        return "it is a link that leads out of the folder"
    if not file.is_file():
        return "it is neither a file nor a folder"
    return None


def is_junk(path: str) -> bool:
    """Whether a file is one that programs leave behind: ``.DS_Store``, ``~$x.docx``, locks."""
    name = PurePosixPath(path).name.casefold()
    return name in _JUNK_NAMES or name.startswith(_JUNK_STARTS)


class PathFinder:
    """Finds the files of a profile by the paths that sheets and annotations write."""

    def __init__(self, paths: tuple[str, ...], root_names: tuple[str, ...]) -> None:
        """``paths`` are the profile's; ``root_names`` what a written path may begin with."""
        self._root_names = {name.casefold() for name in root_names}
        self._exact = dict.fromkeys(paths)
        self._folded: dict[str, list[str]] = {}
        self._by_name: dict[str, list[str]] = {}
        for path in paths:
            self._folded.setdefault(_folded(path), []).append(path)
            self._by_name.setdefault(_folded(PurePosixPath(path).name), []).append(path)

    def find(self, written: str, *, by_name: bool = True) -> str | None:
        """The one path of the profile that ``written`` means, or None.

        Separators, case, Unicode form and folders in front of it may differ; with ``by_name`` a
        file's bare name does too, if only one file has it.
        """
        if written in self._exact:
            return written
        plain = plain_path(written)
        parts = plain.split("/")
        starts = [n for n, part in enumerate(parts[:-1]) if part.casefold() in self._root_names]
        for start in (0, *(n + 1 for n in starts)):
            candidate = "/".join(parts[start:])
            if candidate in self._exact:
                return candidate
            if len(found := self._folded.get(_folded(candidate), [])) == 1:
                return found[0]
        named = self._by_name.get(_folded(parts[-1]), [])
        return named[0] if by_name and len(named) == 1 else None


def plain_path(written: str) -> str:
    """A written path with ``/`` between its parts and nothing in front or behind."""
    parts = [p.strip() for p in written.replace("\\", "/").split("/")]
    return "/".join(p for p in parts if p not in ("", "."))


def _folded(path: str) -> str:
    return unicodedata.normalize("NFC", path).casefold()
