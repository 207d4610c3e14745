"""Podman for the tests: its service on a socket of our own, with the desk image in its store."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from docker import DockerClient
from docker.errors import DockerException

from deskgym.env.sandbox.images import desk_image, has_image, remove_old_images

REQUIRED = "DESKGYM_TEST_PODMAN"  # set to anything: then a missing podman fails what needs it
_PATIENCE_S = 30.0
_SYS_RESOURCE = 24

# Podman sets the limit of a user's processes to a number of its own, which may take
# CAP_SYS_RESOURCE. Where even root lacks it (a small VM, a container), the runtime is not told.
_RUNTIME = """#!{python} -IS
import json, os, sys
def leave_out(path, *keys):
    with open(path) as file:
        whole = part = json.load(file)
    for key in keys:
        part = part[key]
    limits = part.get("rlimits", [])
    part["rlimits"] = [limit for limit in limits if limit["type"] != "RLIMIT_NPROC"]
    with open(path, "w") as file:
        json.dump(whole, file)
for flag, value in zip(sys.argv, sys.argv[1:]):
    if flag in ("--bundle", "-b"):
        leave_out(value + "/config.json", "process")
    elif flag in ("--process", "-p"):
        leave_out(value)
os.execv({runtime!r}, [{runtime!r}, *sys.argv[1:]])
"""
_CONFIG = """
[engine]
runtime = "{runtime}"
[engine.runtimes]
tests = ["{tests}"]
runc = ["/usr/sbin/runc", "/usr/bin/runc"]
"""


def unavailable(reason: str) -> None:
    """Skip what needs podman, or fail it where podman is required."""
    if os.environ.get(REQUIRED):
        pytest.fail(f"podman is required here: {reason}")
    pytest.skip(f"no podman: {reason}")


@contextmanager
def podman_engine(socket: Path, docker_client: DockerClient) -> Iterator[DockerClient]:
    """A client of podman's service, which listens at ``socket`` until the end."""
    if shutil.which("podman") is None:
        unavailable("it is not installed (Debian: apt-get install podman)")
    if os.geteuid() != 0:
        unavailable("its service is tried as root alone")
    folder, address = socket.parent, f"unix://{socket}"
    with (folder / "podman.log").open("wb") as log:
        service = subprocess.Popen(
            ["podman", "system", "service", "--time", "0", address],
            env=os.environ | {"CONTAINERS_CONF": str(_config(folder))},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
    try:
        client = _answering(address, service, folder / "podman.log")
        try:
            _load(client, docker_client)
            yield client
        finally:
            client.close()
    finally:
        service.terminate()
        service.wait()


def _config(folder: Path) -> Path:
    """The engine's settings: a runtime that works here."""
    # The other one, crun, knows no mixture of both versions of control groups.
    runtime = shutil.which("runc") or shutil.which("crun")
    assert runtime is not None
    program = folder / "runtime"
    program.write_text(_RUNTIME.format(python=sys.executable, runtime=runtime))
    program.chmod(0o755)
    bounded = not _has_capability(_SYS_RESOURCE)
    name = "tests" if bounded else Path(runtime).name
    config = folder / "containers.conf"
    config.write_text(_CONFIG.format(runtime=name, tests=program))
    return config


def _has_capability(number: int) -> bool:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("CapEff:"):
            return bool(int(line.split()[1], 16) >> number & 1)
    return False


def _answering(address: str, service: subprocess.Popen[bytes], log: Path) -> DockerClient:
    deadline = time.monotonic() + _PATIENCE_S
    while time.monotonic() < deadline and service.poll() is None:
        try:
            client = DockerClient(base_url=address, timeout=60)
            client.ping()
        except DockerException:
            time.sleep(0.1)
            continue
        return client
    unavailable(f"its service does not come up: {log.read_text(errors='replace').strip()}")
    raise AssertionError


def _load(client: DockerClient, docker_client: DockerClient) -> None:
    """Have the desk image in podman's store, as no registry has it."""
    tag = desk_image(client.info()["Architecture"]).tag
    if has_image(client, tag):
        return
    client.images.load(docker_client.images.get(tag).save(named=tag))
    remove_old_images(client)
    assert has_image(client, tag), f"{tag} was loaded and is not there"
