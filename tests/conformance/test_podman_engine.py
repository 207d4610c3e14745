"""What is podman's own: desks end with their owner there too; images go by other names."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from desk_kit import write_files
from docker import DockerClient

from deskgym.env.sandbox import images, podman, sweep
from deskgym.env.sandbox.base import SandboxError
from deskgym.env.sandbox.docker import DockerSandbox
from deskgym.env.sandbox.limits import DeskLimits

pytestmark = pytest.mark.docker

BOUND_S = 10.0  # podman starts a program of its own to remove a container
OWNER = """
import sys, time
from pathlib import Path
from deskgym.env.sandbox.docker import DockerSandbox
desk = DockerSandbox(Path(sys.argv[1]), run_id=sys.argv[2])
desk.start()
print("ready", flush=True)
time.sleep(100)
"""


def desks(client: DockerClient, run_id: str) -> list[str]:
    label = f"{sweep.RUN}={run_id}"
    found = client.containers.list(all=True, filters={"label": label}, ignore_removed=True)
    return [str(desk.id) for desk in found]


def test_it_is_told_apart_from_docker(
    podman_client: DockerClient, docker_client: DockerClient
) -> None:
    assert podman.is_podman(podman_client)
    assert not podman.is_podman(docker_client)


def test_a_desk_there_ends_with_its_owner_and_leaves_no_volume(
    podman_client: DockerClient, podman_socket: Path, tmp_path: Path
) -> None:
    files, run_id = write_files(tmp_path / "p", {"a.txt": b"alpha\n"}), f"owner-{os.getpid()}"
    owner = subprocess.Popen(
        [sys.executable, "-c", OWNER, str(files), run_id],
        env=os.environ | {"DOCKER_HOST": f"unix://{podman_socket}"},
        stdout=subprocess.PIPE,
    )
    try:
        assert owner.stdout is not None
        assert owner.stdout.readline() == b"ready\n"
        assert len(desks(podman_client, run_id)) == 1
    finally:
        owner.kill()
        owner.wait()
        assert owner.stdout is not None
        owner.stdout.close()
    deadline = time.monotonic() + BOUND_S
    while left := desks(podman_client, run_id):
        assert time.monotonic() < deadline, f"still there: {left}"
        time.sleep(0.1)
    assert podman_client.volumes.list(filters={"label": sweep.ANY}) == []


def test_the_image_in_use_is_not_taken_for_an_old_one(podman_client: DockerClient) -> None:
    tag = images.desk_image(podman_client.info()["Architecture"]).tag
    assert [old for old in images.old_images(podman_client) if tag in old] == []


def test_a_profile_that_is_not_there_is_refused_and_leaves_nothing(
    podman_client: DockerClient, tmp_path: Path
) -> None:
    run_id = f"nowhere-{os.getpid()}"
    desk = DockerSandbox(tmp_path / "nowhere", client=podman_client, run_id=run_id)
    with pytest.raises(SandboxError, match=r"nowhere|refused"):
        desk.start()
    assert desks(podman_client, run_id) == []


def test_limits_are_passed_on(podman_client: DockerClient, tmp_path: Path) -> None:
    files = write_files(tmp_path / "p", {"a.txt": b"alpha\n"})
    limits = DeskLimits(memory=256 << 20, pids=40, cpus=0.5)
    with DockerSandbox(files, limits=limits, client=podman_client) as desk:
        assert desk.container_id is not None
        host = podman_client.api.inspect_container(desk.container_id)["HostConfig"]
        assert (host["Memory"], host["PidsLimit"]) == (256 << 20, 40)
        assert host["CpuQuota"] / host["CpuPeriod"] == 0.5
        assert host["NetworkMode"] == "none"
        assert host["ReadonlyRootfs"]
