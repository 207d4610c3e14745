"""Where a data set's own files lie on this computer."""

from __future__ import annotations

import json
import os
from pathlib import Path

from deskgym.tasks.cache import cache_root
from deskgym.tasks.registry import DATASETS, BadDataset, DatasetMissing
from deskgym.tasks.whole_file import replacing


def settings_file() -> Path:
    """Where this computer's choices are kept: ``datasets.json`` in ``$DESKGYM_CONFIG``, else in
    ``deskgym`` below ``$XDG_CONFIG_HOME`` or ``~/.config``."""
    given = os.environ.get("DESKGYM_CONFIG")
    base = os.environ.get("XDG_CONFIG_HOME") or "~/.config"
    folder = Path(given) if given else Path(base).expanduser() / "deskgym"
    return folder.resolve() / "datasets.json"


def read_settings() -> dict[str, object]:
    """What `settings_file` says; empty if there is none.

    Raises:
        BadDataset: it is not a JSON object.
    """
    file = settings_file()
    try:
        settings = json.loads(file.read_bytes())
    except FileNotFoundError:
        return {}
    except ValueError as error:
        raise BadDataset(f"{file} is not JSON ({error}); mend or delete it") from error
    if not isinstance(settings, dict):
        raise BadDataset(f"{file} is not an object; mend or delete it")
    return settings


def write_settings(settings: dict[str, object]) -> None:
    """Put ``settings`` in place of what `settings_file` holds, at once or not at all."""
    file = settings_file()
    file.parent.mkdir(parents=True, exist_ok=True)
    with replacing(file) as draft:
        draft.write_text(json.dumps(settings, indent=2, sort_keys=True) + "\n", encoding="utf-8")


def default_folder(name: str) -> Path:
    """Where ``deskgym datasets fetch`` puts the data set."""
    return cache_root() / "datasets" / name


def dataset_folder(name: str, path: str | Path | None = None) -> Path:
    """The folder that holds the data set ``name`` in its published layout.

    The first of these: ``path``; what ``deskgym datasets path NAME DIR`` has set;
    `default_folder`.

    Raises:
        DatasetMissing: there is no such folder.
    """
    chosen = path
    if chosen is None:
        paths = read_settings().get("paths")
        chosen = paths.get(name) if isinstance(paths, dict) else None
    folder = Path(chosen).expanduser().resolve() if chosen else default_folder(name)
    if folder.is_dir():
        return folder
    fetch = f"deskgym datasets fetch {name}, or " if DATASETS[name].hub else ""
    raise DatasetMissing(
        f"{DATASETS[name].title} is not at {folder}; get it: {fetch}say where it lies: "
        f"deskgym datasets path {name} DIR"
    )
