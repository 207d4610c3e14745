"""People made once for all tests of this folder: text only, so that they cost seconds."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from deskgym.tasks.made.making import make_person, write_set
from deskgym.tasks.made.spec import MadeSpec
from deskgym.tasks.made.stored import FILES, MadePerson, Rejected, read_lines
from deskgym.tasks.made.verifier.query import Asked
from deskgym.tasks.schema import Task


@dataclass(frozen=True)
class Made:
    """A person on disk, and what was made of them."""

    root: Path
    spec: MadeSpec
    person: MadePerson

    @property
    def folder(self) -> Path:
        return self.root / self.person.name

    @property
    def files(self) -> Path:
        return self.folder / FILES

    @property
    def tasks(self) -> tuple[Task, ...]:
        return read_lines(self.folder / "tasks.jsonl", Task)

    @property
    def asked(self) -> tuple[Asked, ...]:
        return read_lines(self.folder / "asked.jsonl", Asked)

    @property
    def rejected(self) -> tuple[Rejected, ...]:
        return read_lines(self.folder / "rejected.jsonl", Rejected)


def made(root: Path, **order: object) -> Made:
    spec = MadeSpec.model_validate({"multimodal": False, **order})
    write_set(spec, root)
    return Made(root, spec, make_person(spec, 0, root))


@pytest.fixture(scope="session")
def setoka(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """Two months in the four levels."""
    return made(tmp_path_factory.mktemp("setoka"), seed=7)


@pytest.fixture(scope="session")
def rhelm(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """Five months in the seven types."""
    return made(tmp_path_factory.mktemp("rhelm"), seed=5, months=5, setting="rhelm")


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """A month in the two families."""
    return made(tmp_path_factory.mktemp("home"), seed=3, months=1, setting="home")
