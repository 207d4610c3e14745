"""A desk's container as podman is told of it, over the same socket.

Podman's imitation of Docker's interface loses what a desk needs: it mounts an empty writable
volume where an overlay was asked for, and adds folders that can be written to. So a desk is created
through podman's own interface; all else is the same.
"""

from __future__ import annotations

import weakref
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deskgym.env.sandbox.base import SandboxError
from deskgym.env.sandbox.limits import DeskLimits
from deskgym.env.sandbox.vacuum import CAPABILITIES, overlay_layers, tmpfs_options
from deskgym.sandbox_images.desk.identity import PREPARED

if TYPE_CHECKING:
    from docker import DockerClient

_CREATE = "/v4.0.0/libpod/containers/create"  # as from podman 4 on
_known: weakref.WeakKeyDictionary[DockerClient, bool] = weakref.WeakKeyDictionary()


def is_podman(client: DockerClient) -> bool:
    """Whether it is podman that answers. Asked once of a client."""
    if client not in _known:
        parts = client.version().get("Components") or []
        _known[client] = any(part.get("Name") == "Podman Engine" for part in parts)
    return _known[client]


def create(client: DockerClient, spec: dict[str, Any]) -> str:
    """Create a container as podman's own interface describes one, and return its id.

    Raises:
        SandboxError: podman refused.
    """
    answer = client.api.post(client.api.base_url + _CREATE, json=spec, timeout=client.api.timeout)
    said = answer.json()
    if answer.status_code >= 400:
        raise SandboxError(f"podman refused to create a desk: {said.get('message', said)}")
    return str(said["Id"])


def exit_status(client: DockerClient, container: str) -> int | None:
    """The exit status of a container that is about to end; None if it is not known any more.

    Asked as Docker is, podman says 0 of one that it has removed meanwhile.
    """
    path = f"/v4.0.0/libpod/containers/{container}/wait?condition=exited&condition=stopped"
    answer = client.api.post(client.api.base_url + path, timeout=3)
    text = answer.text.strip()
    return int(text) if answer.status_code == 200 and text.isdigit() else None


def desk_spec(
    image: str, profile_root: Path, limits: DeskLimits, prepared: Path | None
) -> dict[str, Any]:
    """What podman is told about a desk, without name and labels: `vacuum.container_config`.

    Raises:
        SandboxError: the profile's path cannot be mounted as asked.
    """
    bound = ["ro", "rbind", "nosuid", "nodev"]
    mounts = [
        _mount(target, "tmpfs", "tmpfs", options.split(","))
        for target, options in tmpfs_options(limits).items()
    ]
    if limits.profile_mount == "bind":
        mounts.append(_mount("/desk", "bind", str(profile_root), bound))
    else:
        layers = f"lowerdir={overlay_layers(profile_root)}"
        mounts.append(_mount("/desk", "overlay", "overlay", ["ro", "nosuid", "nodev", layers]))
    if prepared is not None:
        mounts.append(_mount(PREPARED, "bind", str(prepared), bound))
    return {
        "image": image,
        "user": "0:0",
        "work_dir": "/desk",
        "stdin": True,
        "terminal": False,
        "remove": True,
        "stop_signal": 9,
        "netns": {"nsmode": "none"},
        "ipcns": {"nsmode": "private"},
        "read_only_filesystem": True,
        "cap_drop": ["ALL"],
        "cap_add": list(CAPABILITIES),
        "no_new_privileges": True,
        "init": False,
        "log_configuration": {"driver": "none"},
        "shm_size": limits.shm,
        "resource_limits": {
            "memory": {"limit": limits.memory, "swap": limits.memory},
            "pids": {"limit": limits.pids},
            "cpu": {"period": 100_000, "quota": int(limits.cpus * 100_000)},
        },
        "r_limits": [
            {"type": "CORE", "soft": 0, "hard": 0},
            {"type": "NOFILE", "soft": 1024, "hard": 4096},
        ],
        "mounts": mounts,
    }


def _mount(target: str, kind: str, source: str, options: list[str]) -> dict[str, Any]:
    return {"destination": target, "type": kind, "source": source, "options": options}
