"""Every backend, through one suite: a second one is one more parameter here."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from desk_kit import Backend, BwrapBackend, DockerBackend, running, write_files
from docker import DockerClient
from podman_kit import podman_engine

from deskgym.env.sandbox.base import Sandbox
from deskgym.env.sandbox.choose import ensure_made


@pytest.fixture(scope="session")
def podman_socket(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where podman's service listens, once there is one."""
    return tmp_path_factory.mktemp("podman") / "podman.sock"


@pytest.fixture(scope="session")
def podman_client(
    podman_socket: Path, docker_client: DockerClient, desk_image: str
) -> Iterator[DockerClient]:
    """Podman's service; what needs it is skipped where there is none."""
    with podman_engine(podman_socket, docker_client) as client:
        yield client


@pytest.fixture(scope="session", params=["docker", "podman", "bwrap"])
def backend(request: pytest.FixtureRequest) -> Backend:
    """Makes the desks of one kind."""
    if request.param == "bwrap":
        ensure_made("bwrap", say=print)
        return BwrapBackend()
    request.getfixturevalue("desk_image")
    client: DockerClient = request.getfixturevalue(f"{request.param}_client")
    return DockerBackend(client)


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
