"""Every backend, through one suite: a second one is one more parameter here."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from desk_kit import Backend, DockerBackend, running, write_files
from docker import DockerClient

from deskgym.env.sandbox.base import Sandbox


@pytest.fixture(scope="session", params=["docker"])
def backend(docker_client: DockerClient, desk_image: str) -> Backend:
    """Makes the desks of one kind."""
    return DockerBackend(docker_client)


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small profile: ``a.txt`` says alpha."""
    return write_files(
        tmp_path_factory.mktemp("profile"),
        {
            "a.txt": b"alpha\n",
            "folder/b.txt": b"beta\n",
            "folder/with space.txt": b"gamma\n",
            "big.txt": b"0123456789abcde\n" * 400_000,
        },
    )


@pytest.fixture(scope="module")
def shared_desk(backend: Backend, files: Path) -> Iterator[Sandbox]:
    with running(backend, files) as desk:
        yield desk


@pytest.fixture
def desk(shared_desk: Sandbox) -> Sandbox:
    """A desk of the small profile as good as new: one a module, reset before each test."""
    shared_desk.reset()
    return shared_desk
