"""The sweep: it removes what has no owner any more, and nothing else."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator

import pytest
from docker import DockerClient
from docker.errors import NotFound
from docker.models.containers import Container

from deskgym.env.sandbox.sweep import (
    OWNER_HOST,
    OWNER_PID,
    OWNER_SPACE,
    OWNER_START,
    RUN,
    owner_labels,
    owner_lives,
    sweep,
)

SAY_LABELS = (
    "import json, sys; from deskgym.env.sandbox.sweep import owner_labels; "
    "print(json.dumps(owner_labels()), flush=True); sys.stdin.read()"
)


@pytest.fixture
def owner() -> Iterator[tuple[subprocess.Popen[str], dict[str, str]]]:
    """A process, and the labels of what it owns."""
    with subprocess.Popen(
        [sys.executable, "-c", SAY_LABELS],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as child:
        assert child.stdout is not None
        yield child, json.loads(child.stdout.readline())
        child.kill()


@pytest.fixture
def labels_of_the_dead(owner: tuple[subprocess.Popen[str], dict[str, str]]) -> dict[str, str]:
    """The labels of a process that has ended."""
    child, labels = owner
    child.kill()
    child.wait()
    return labels


def test_this_process_lives() -> None:
    assert owner_lives(owner_labels())


def test_an_ended_process_does_not(labels_of_the_dead: dict[str, str]) -> None:
    assert labels_of_the_dead[OWNER_HOST] == owner_labels()[OWNER_HOST]
    assert not owner_lives(labels_of_the_dead)


def test_a_number_used_again_is_not_the_owner() -> None:
    assert not owner_lives(owner_labels() | {OWNER_START: "1"})


def test_an_owner_before_the_last_boot_is_gone() -> None:
    namespace = owner_labels()[OWNER_SPACE].partition("/")[2]
    assert not owner_lives(owner_labels() | {OWNER_SPACE: f"another-boot/{namespace}"})


@pytest.mark.parametrize("label", [OWNER_HOST, OWNER_SPACE])
def test_an_owner_out_of_sight_counts_as_alive(
    labels_of_the_dead: dict[str, str], label: str
) -> None:
    boot = labels_of_the_dead[OWNER_SPACE].partition("/")[0]
    elsewhere = {OWNER_HOST: "elsewhere", OWNER_SPACE: f"{boot}/pid:[1]"}[label]
    assert owner_lives(labels_of_the_dead | {label: elsewhere})


@pytest.mark.parametrize("pid", ["", "0", "-1", "x"])
def test_a_label_that_names_no_process_is_nobodys(pid: str) -> None:
    assert not owner_lives(owner_labels() | {OWNER_PID: pid})


@pytest.fixture
def desks(
    docker_client: DockerClient, desk_image: str, labels_of_the_dead: dict[str, str]
) -> Iterator[dict[str, Container]]:
    """One desk whose owner is gone, and one whose owner lives; neither was started."""
    made = {
        name: docker_client.containers.create(
            desk_image, network_mode="none", labels={RUN: "test", **labels}
        )
        for name, labels in {"orphan": labels_of_the_dead, "owned": owner_labels()}.items()
    }
    yield made
    for desk in made.values():
        try:
            desk.remove(force=True)
        except NotFound:
            continue


@pytest.mark.docker
def test_only_the_orphan_goes(docker_client: DockerClient, desks: dict[str, Container]) -> None:
    removed = sweep(docker_client)
    assert any(str(desks["orphan"].name) in line for line in removed)
    assert not any(str(desks["owned"].name) in line for line in removed)
    with pytest.raises(NotFound):
        docker_client.containers.get(str(desks["orphan"].id))
    docker_client.containers.get(str(desks["owned"].id))


@pytest.mark.docker
def test_a_desk_goes_once_its_owner_is_dead(
    docker_client: DockerClient,
    desk_image: str,
    owner: tuple[subprocess.Popen[str], dict[str, str]],
) -> None:
    child, labels = owner
    left = docker_client.containers.create(
        desk_image, network_mode="none", labels={RUN: "test", **labels}
    )
    sweep(docker_client)
    docker_client.containers.get(str(left.id))
    child.kill()
    child.wait()
    sweep(docker_client)
    with pytest.raises(NotFound):
        docker_client.containers.get(str(left.id))


@pytest.mark.docker
def test_an_ownerless_volume_goes_and_an_owned_one_stays(docker_client: DockerClient) -> None:
    left = docker_client.volumes.create(labels={"org.deskgym": "test"})
    owned = docker_client.volumes.create(labels={"org.deskgym": "test", **owner_labels()})
    try:
        removed = sweep(docker_client)
        assert f"volume {left.name}" in removed
        assert f"volume {owned.name}" not in removed
    finally:
        owned.remove()
