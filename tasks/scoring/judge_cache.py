"""Verdicts kept on the disk by content, so that no answer is paid for twice.

The key is a SHA-256 over what the judge was asked: format, prompt, rubric, model, question, gold
and prediction. The endpoint's address is no part of it: the same model behind another address is
the same judge. Who serves different weights under one name gives each a cache folder of its own.
A file holds the verdict alone, not the texts: those are a person's own.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from deskgym.tasks.cache import cache_root
from deskgym.tasks.scoring.judge_rubric import JudgeError, Reply, Rubric, prompt

FORMAT_VERSION: Final = 1


class _Kept(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    format_version: Literal[1] = FORMAT_VERSION
    key: str
    model: str
    rubric: Rubric
    reply: Reply


def default_cache() -> Path:
    """Where verdicts are kept if nothing else is said."""
    return cache_root() / "judge"


def key_of(model: str, rubric: Rubric, fields: Mapping[str, str]) -> str:
    """The key of a verdict: hexadecimal SHA-256 over all that it depends on."""
    texts = [fields[name] for name in ("question", "gold", "prediction")]
    asked = [FORMAT_VERSION, prompt(rubric), rubric, model, *texts]
    return hashlib.sha256(json.dumps(asked).encode("ascii")).hexdigest()


class JudgeCache:
    """A folder of verdicts, which threads and processes may share."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, key: str) -> Path:
        """Where the verdict of that key is kept."""
        return self.folder / key[:2] / f"{key}.json"

    def get(self, key: str) -> Reply | None:
        """The verdict of that key. None if there is none, or its file is torn or of another make.

        Raises:
            JudgeError: the file cannot be read.
        """
        file = self.path(key)
        try:
            kept = _Kept.model_validate_json(file.read_bytes())
        except (FileNotFoundError, ValidationError):
            return None
        except OSError as error:
            raise _failed("read", file, error) from error
        sound = kept.key == key and (kept.reply.grade is not None) == (kept.rubric == "graded")
        return kept.reply if sound else None

    def put(self, key: str, model: str, rubric: Rubric, reply: Reply) -> None:
        """Keep a verdict, whole or not at all.

        Raises:
            JudgeError: it could not be written.
        """
        file = self.path(key)
        draft = file.with_name(f".{key}.{os.getpid()}.{threading.get_ident()}")
        kept = _Kept(key=key, model=model, rubric=rubric, reply=reply)
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            draft.write_text(kept.model_dump_json() + "\n", encoding="utf-8")
            draft.replace(file)
        except OSError as error:
            try:
                draft.unlink(missing_ok=True)
            except OSError as second:
                error.add_note(f"its draft {draft} is left behind: {second}")
            raise _failed("write", file, error) from error


def _failed(what: str, file: Path, error: OSError) -> JudgeError:
    return JudgeError(
        f"cannot {what} the judge's cache file {file}: {error.strerror or error}; free some space, "
        "mend the folder, or do without the cache"
    )
