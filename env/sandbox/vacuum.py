"""A desk's container as the engine is told of it: the vacuum, in one place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from deskgym.env.sandbox.base import SandboxError
from deskgym.env.sandbox.limits import DeskLimits
from deskgym.env.sandbox.sweep import ANY, owner_labels
from deskgym.sandbox_images.desk.identity import PREPARED

# The runner's: to become the agent's user, and to end the agent's processes.
CAPABILITIES = ("SETUID", "SETGID", "KILL")


def container_config(
    image: str, profile_root: Path, limits: DeskLimits, prepared: Path | None = None
) -> dict[str, Any]:
    """What the engine is told about a desk, without names and labels.

    Raises:
        SandboxError: the profile's path cannot be mounted as asked.
    """
    mounts = [_profile_mount(profile_root, limits)]
    if prepared is not None:
        mounts.append(read_only(prepared, PREPARED))
    return {
        "Image": image,
        "User": "0:0",
        "WorkingDir": "/desk",
        "NetworkDisabled": True,
        "OpenStdin": True,
        "StdinOnce": True,
        "AttachStdin": True,
        "AttachStdout": True,
        "AttachStderr": True,
        "Tty": False,
        "StopSignal": "SIGKILL",  # the one that a first process cannot but obey
        "HostConfig": {
            "AutoRemove": True,
            "NetworkMode": "none",
            "IpcMode": "private",
            "ReadonlyRootfs": True,
            "CapDrop": ["ALL"],
            "CapAdd": list(CAPABILITIES),
            "SecurityOpt": ["no-new-privileges"],
            # The runner is the first process itself. As such it takes no signal from within, which
            # is what lets it start commands cheaply (see `processes.spawn`).
            "Init": False,
            "LogConfig": {"Type": "none"},
            "Memory": limits.memory,
            "MemorySwap": limits.memory,
            "PidsLimit": limits.pids,
            # A quota and not NanoCpus: the engine refuses more of those than the machine has.
            "CpuPeriod": 100_000,
            "CpuQuota": int(limits.cpus * 100_000),
            "ShmSize": limits.shm,
            "Ulimits": [
                {"Name": "core", "Soft": 0, "Hard": 0},
                {"Name": "nofile", "Soft": 1024, "Hard": 4096},
            ],
            "Tmpfs": tmpfs_options(limits),
            "Mounts": mounts,
        },
    }


def tmpfs_options(limits: DeskLimits) -> dict[str, str]:
    """The folders in memory that a desk has, and their mount options."""
    options = "rw,exec,nosuid,nodev,mode=1777"
    return {
        "/scratch": f"{options},size={limits.scratch}",
        "/tmp": f"{options},size={limits.tmp}",
        "/run/deskgym": "rw,noexec,nosuid,nodev,mode=0755,size=65536",
    }


def read_only(source: Path, target: str) -> dict[str, Any]:
    """A bind mount that nothing in the container can write to."""
    return {"Type": "bind", "Source": str(source), "Target": target, "ReadOnly": True}


def _profile_mount(root: Path, limits: DeskLimits) -> dict[str, Any]:
    if limits.profile_mount == "bind":
        return read_only(root, "/desk")
    # As an anonymous volume it is removed with the container.
    return {
        "Type": "volume",
        "Target": "/desk",
        "VolumeOptions": {
            "NoCopy": True,
            "DriverConfig": {
                "Name": "local",
                "Options": {
                    "type": "overlay",
                    "device": "overlay",
                    "o": f"ro,nosuid,nodev,lowerdir={overlay_layers(root)}",
                },
            },
            "Labels": {ANY: "profile", **owner_labels()},
        },
    }


def overlay_layers(root: Path) -> str:
    """The lower layers of an overlay over the files: one without an upper layer is read-only by
    nature, and needs two lower ones.

    Raises:
        SandboxError: a path cannot be named so.
    """
    empty = _empty_folder()
    if "," in str(root) or "," in str(empty):
        raise SandboxError(
            f"an overlay cannot be mounted over a path with a comma: {root}; move the files, or "
            "use DeskLimits(profile_mount='bind')"
        )
    return ":".join(str(p).replace("\\", "\\\\").replace(":", "\\:") for p in (root, empty))


def _empty_folder() -> Path:
    """The second layer that an overlay mount asks for."""
    from deskgym.tasks.cache import cache_root

    folder = cache_root() / "empty"
    folder.mkdir(parents=True, exist_ok=True)
    return folder
