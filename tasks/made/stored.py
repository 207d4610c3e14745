"""Made people on disk: a folder for the set, and one for each person in it.

::

    made.json             format_version, spec, people (the names of the folders)
    <person>/person.json  format_version, name, user, description, files, counts, retained, digest
    <person>/truth.json   the traits behind the life; beside the files, never in them
    <person>/tasks.jsonl  a task a line, with its gold
    <person>/asked.jsonl  a line a task: the query behind it, without its answer
    <person>/rejected.jsonl  what the verifier refused, and why
    <person>/files/       what the agent sees

Everything but ``files`` is gold or tells of it. A person's folder is made aside and moved into
place whole, so that one that is there is complete.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterable
from datetime import UTC
from pathlib import Path
from typing import Final, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from deskgym.tasks.laid_out import profile_digest
from deskgym.tasks.made.spec import MadeSpec
from deskgym.tasks.made.verifier.query import Asked
from deskgym.tasks.registry import BadDataset
from deskgym.tasks.schema import FileRecord, Profile, Task

FORMAT_VERSION: Final = 1
FILES: Final = "files"
SET_FILE: Final = "made.json"

_M = TypeVar("_M", bound=BaseModel)


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class MadeSet(_Model):
    """``made.json``: what was ordered, and whom it brought."""

    format_version: Literal[1] = FORMAT_VERSION
    spec: MadeSpec
    people: tuple[str, ...]


class Counts(_Model):
    """What a person's folder holds, and how many questions were proposed for it."""

    files: int
    records: int
    schemas: int
    tokens: int = Field(description="words and signs of all records and readable files, about")
    events: int
    proposed: int
    tasks: int
    by_kind: dict[str, int]
    rejected: dict[str, int]
    rewritten: int = Field(default=0, description="texts that a language model told anew")
    rewrites_dropped: int = Field(default=0, description="rewrites in which a pinned fact was lost")

    @property
    def retained(self) -> float:
        """The share of the proposed questions that the verifier let pass."""
        return self.tasks / self.proposed if self.proposed else 0.0


class MadePerson(_Model):
    """``person.json``: who it is, the files with their times, and what was made."""

    format_version: Literal[1] = FORMAT_VERSION
    name: str = Field(pattern=r"^[a-z0-9_.-]+$")
    user: str
    description: str
    files: tuple[FileRecord, ...]
    counts: Counts
    digest: str


class Truth(_Model):
    """``truth.json``: what no file says. Scores are on a scale of 1 to 5."""

    format_version: Literal[1] = FORMAT_VERSION
    traits: dict[str, float]


class Rejected(_Model):
    """A question that the verifier refused."""

    id: str
    question: str
    answer: str
    reason: str
    detail: str


def write_lines(path: Path, lines: Iterable[BaseModel]) -> None:
    """A model a line, as JSON."""
    text = "".join(f"{one.model_dump_json()}\n" for one in lines)
    path.write_text(text, encoding="utf-8")


def read_lines(path: Path, kind: type[_M]) -> tuple[_M, ...]:
    """The models of a file with one a line.

    Raises:
        BadDataset: it cannot be read, or a line is none.
    """
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except OSError as error:
        raise BadDataset(f"{path}: cannot be read ({error.strerror}); generate it again") from error
    made = []
    for number, line in enumerate(lines, 1):
        if line:
            made.append(_parsed(line, kind, f"{path}, line {number}"))
    return tuple(made)


def write_model(path: Path, model: BaseModel) -> None:
    """A model as readable JSON."""
    path.write_text(
        json.dumps(model.model_dump(mode="json"), ensure_ascii=False, indent=1) + "\n",
        encoding="utf-8",
    )


def read_model(path: Path, kind: type[_M]) -> _M:
    """The model that a file holds.

    Raises:
        BadDataset: it cannot be read, or holds none.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise BadDataset(
            f"{path}: cannot be read ({error.strerror}); is this what deskgym generate wrote?"
        ) from error
    return _parsed(text, kind, str(path))


def _parsed(text: str, kind: type[_M], where: str) -> _M:
    try:
        return kind.model_validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"])) or "the whole"
        raise BadDataset(f"{where}: {field}: {first['msg']}; generate it again") from error


def digest_of(files: Iterable[FileRecord], tasks: Iterable[Task]) -> str:
    """SHA-256 over a person's files and tasks."""
    sha = hashlib.sha256(profile_digest(files).encode())
    for task in tasks:
        sha.update(task.model_dump_json().encode())
    return sha.hexdigest()


def profile_of(person: MadePerson, folder: Path) -> Profile:
    """The profile of a person whose folder is ``folder``.

    The files' times are set again where a copy or a checkout has lost them.

    Raises:
        BadDataset: a file is gone.
    """
    root = (folder / FILES).resolve()
    for record in person.files:
        seconds = record.modified.replace(tzinfo=UTC).timestamp()
        file = root / record.path
        try:
            if file.stat().st_mtime != seconds:
                os.utime(file, (seconds, seconds))
        except OSError as error:
            raise BadDataset(f"{file}: {error.strerror}; generate the person again") from error
    return Profile(
        id=f"made/{person.name}",
        user=person.user,
        description=person.description,
        root=root,
        files=person.files,
        digest=profile_digest(person.files),
    )


class Aside:
    """A person's folder being made: moved to ``target`` if all goes well, else removed."""

    def __init__(self, target: Path) -> None:
        self._target = target
        target.parent.mkdir(parents=True, exist_ok=True)
        self._holder = tempfile.TemporaryDirectory(dir=target.parent, prefix=".new-")
        self.path = Path(self._holder.name) / target.name

    def __enter__(self) -> Path:
        self.path.mkdir()
        (self.path / FILES).mkdir()
        return self.path

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        with self._holder:
            if kind is not None:
                return
            if self._target.exists():
                shutil.rmtree(self._target)
            self.path.rename(self._target)


def read_asked(folder: Path) -> tuple[Asked, ...]:
    """What the verifier is given of a person's questions."""
    return read_lines(folder / "asked.jsonl", Asked)
