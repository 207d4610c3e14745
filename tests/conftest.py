"""Shared fixtures: the engine, the desk image, and the check that nothing is left behind."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

import pytest
from docker import DockerClient

from deskgym.env.sandbox import sweep
from deskgym.env.sandbox.cgroups import hierarchies
from deskgym.env.sandbox.engine import connect
from deskgym.env.sandbox.images import ensure_image

# The engine removes a desk a moment after its process has ended.
_PATIENCE_S = 10.0
_OWN = f"*-{os.getpid()}-*"  # as a desk without an engine names what holds it


@pytest.fixture(scope="session")
def docker_client() -> Iterator[DockerClient]:
    """The engine; without one, what needs it fails."""
    client = connect()
    yield client
    client.close()


@pytest.fixture(scope="session")
def desk_image(docker_client: DockerClient) -> str:
    """The tag of the desk image of this very tree, built if it is not there."""
    return ensure_image(docker_client, say=print)


@pytest.fixture(scope="session", autouse=True)
def nothing_left_behind(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail the session if a desk of this process, or of one that it started, outlives it."""
    if not any(item.get_closest_marker("docker") for item in request.session.items):
        yield
        return
    client = connect()
    before = set(_ownerless(client))
    yield
    deadline = time.monotonic() + _PATIENCE_S
    while (left := set(_ownerless(client)) - before) and time.monotonic() < deadline:
        time.sleep(0.2)
    client.close()
    assert not left, f"desks left behind: {sorted(left)}"
    groups = [str(f) for place in hierarchies() for f in place.folder.glob(f"deskgym/{_OWN}")]
    assert not groups, f"control groups of desks left behind: {groups}"


def _ownerless(client: DockerClient) -> list[str]:
    """Desks of this process and of processes that are gone; others may be at work beside us."""
    ours = sweep.owner_labels()
    desks = client.containers.list(all=True, filters={"label": sweep.RUN}, ignore_removed=True)
    return [
        desk.name or desk.short_id
        for desk in desks
        if not sweep.owner_lives(desk.labels) or ours.items() <= desk.labels.items()
    ]
