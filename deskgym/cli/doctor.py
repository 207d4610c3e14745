"""`deskgym doctor`: is this machine fit for desks, and what to do where it is not."""

from __future__ import annotations

import json as json_module
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

if TYPE_CHECKING:
    from docker import DockerClient

SETUP_COMMAND = "deskgym setup"
_GIB = 1 << 30
# Below these, a run of a few desks still works but a large one does not.
_ENOUGH_MEMORY = 2 * _GIB
_ENOUGH_DISK = 5 * _GIB
_ENOUGH_INSTANCES = 512  # a desk takes one, and all desks share the count
_ENOUGH_WATCHES = 65_536  # a desk takes one for each folder of the profile


@dataclass(frozen=True)
class Check:
    """One finding; ``remedy`` is empty where all is well."""

    name: str
    status: Literal["ok", "warn", "fail"]
    detail: str
    remedy: str = ""


def register(app: typer.Typer) -> None:
    app.command()(doctor)


def doctor(
    json: Annotated[bool, typer.Option("--json", help="For a script.")] = False,
) -> None:
    """Check the engine, the image and the machine's limits. Exit code 1 if something fails."""
    checks = examine()
    if json:
        print(json_module.dumps([asdict(check) for check in checks], indent=2))
    else:
        for check in checks:
            remedy = f" -> {check.remedy}" if check.remedy else ""
            print(f"{check.status:<5} {check.name:<9} {check.detail}{remedy}")
    if any(check.status == "fail" for check in checks):
        raise typer.Exit(1)


def examine() -> list[Check]:
    """All checks, in the order in which they should be put right."""
    from deskgym.env.sandbox.base import EngineUnavailable
    from deskgym.env.sandbox.engine import connect

    root = "/"
    try:
        client = connect()
    except EngineUnavailable as error:
        tried = " ".join(str(error).split())
        without = _bwrap()
        # An engine is not missed where desks do without.
        status: Literal["warn", "fail"] = "warn" if without[0].status == "ok" else "fail"
        checks = [Check("engine", status, tried, SETUP_COMMAND), *without]
    else:
        info = client.info()
        root = info.get("DockerRootDir") or root
        checks = [*_engine(client, info), _image(client, info), _overlay(client, info)]
        client.close()
    return [*checks, _memory(), _disk(Path(root)), *_inotify()]


def _engine(client: DockerClient, info: dict[str, Any]) -> list[Check]:
    version = client.version()["Version"]
    driver = str(info.get("Driver", "unknown"))
    checks = [Check("engine", "ok", f"{info.get('OperatingSystem', 'engine')}, version {version}")]
    if driver == "vfs":
        checks.append(
            Check("storage", "warn", "vfs copies the image for every desk", "use overlay2")
        )
    else:
        checks.append(Check("storage", "ok", driver))
    limits = {"memory": "MemoryLimit", "cpu": "CpuCfsQuota", "process": "PidsLimit"}
    # Podman leaves these out where they work; only a plain no counts.
    missing = [name for name, key in limits.items() if info.get(key) is False]
    cgroup = f"version {info.get('CgroupVersion', '?')}, {info.get('CgroupDriver', '?')}"
    if missing:
        remedy = "enable these cgroup controllers on the host: desks are not held to them"
        detail = f"{cgroup}; no {', '.join(missing)} limit"
        checks.append(Check("cgroup", "fail", detail, remedy))
    else:
        checks.append(Check("cgroup", "ok", cgroup))
    return checks


def _image(client: DockerClient, info: dict[str, Any]) -> Check:
    from deskgym.env.sandbox.images import BUILD_COMMAND, desk_image, has_image

    tag = desk_image(info["Architecture"]).tag
    if has_image(client, tag):
        return Check("image", "ok", tag)
    return Check("image", "fail", f"{tag} is not there", BUILD_COMMAND)


def _bwrap() -> list[Check]:
    """Whether desks can do without an engine, and what they then lack of a container."""
    from deskgym.env.sandbox.bwrap import expected_guarantees, why_not
    from deskgym.env.sandbox.rootfs import ROOTFS_COMMAND, find_rootfs, rootfs_folder

    if (reason := why_not()) is not None:
        return [Check("bwrap", "fail", reason, SETUP_COMMAND)]
    checks = [Check("bwrap", "ok", "desks are made by bubblewrap, without an engine")]
    if find_rootfs() is not None:
        checks.append(Check("rootfs", "ok", str(rootfs_folder())))
    else:
        checks.append(Check("rootfs", "fail", f"{rootfs_folder()} is not there", ROOTFS_COMMAND))
    for lacking in expected_guarantees().missing:
        what, _, remedy = lacking.partition(": ")
        checks.append(Check("bwrap", "warn", what, remedy))
    return checks


def _memory() -> Check:
    for line in _read("/proc/meminfo").splitlines():
        if line.startswith("MemAvailable:"):
            free = int(line.split()[1]) * 1024
            detail = f"{free / _GIB:.1f} GiB available"
            if free < _ENOUGH_MEMORY:
                return Check("memory", "warn", detail, "run fewer desks at once")
            return Check("memory", "ok", detail)
    return Check("memory", "ok", "the engine's own machine; not to be seen from here")


def _disk(root: Path) -> Check:
    import shutil

    # A remote engine's folder is not here: then this machine's disk is what can be told.
    where = root if root.is_dir() else Path("/")
    free = shutil.disk_usage(where).free
    detail = f"{free / _GIB:.1f} GiB free below {where}"
    if free < _ENOUGH_DISK:
        return Check("disk", "warn", detail, "deskgym clean --images, or docker system prune")
    return Check("disk", "ok", detail)


def _inotify() -> list[Check]:
    checks = []
    for name, enough in (
        ("max_user_instances", _ENOUGH_INSTANCES),
        ("max_user_watches", _ENOUGH_WATCHES),
    ):
        text = _read(f"/proc/sys/fs/inotify/{name}").strip()
        if not text:
            continue
        key = f"fs.inotify.{name}"
        if int(text) < enough:
            remedy = f"as root: sysctl -w {key}={enough * 8}"
            checks.append(Check("inotify", "warn", f"{key} = {text}", remedy))
        else:
            checks.append(Check("inotify", "ok", f"{key} = {text}"))
    return checks


def _overlay(client: DockerClient, info: dict[str, Any]) -> Check:
    """Mount one as a desk's files are mounted; the kernel's word alone does not tell."""
    import tempfile

    from docker.errors import APIError, ImageNotFound
    from docker.types import DriverConfig, Mount

    from deskgym.env.sandbox.images import desk_image
    from deskgym.env.sandbox.sweep import ANY, RUN, owner_labels

    with tempfile.TemporaryDirectory() as lower, tempfile.TemporaryDirectory() as empty:
        options = {"type": "overlay", "device": "overlay", "o": f"ro,lowerdir={lower}:{empty}"}
        driver = DriverConfig("local", options)
        labels = {ANY: "doctor", **owner_labels()}
        mount = Mount(
            "/desk", None, type="volume", no_copy=True, driver_config=driver, labels=labels
        )
        try:
            tag = desk_image(info["Architecture"]).tag
            container = client.containers.create(
                tag,
                entrypoint=["/bin/true"],
                mounts=[mount],
                network_mode="none",
                labels={RUN: "doctor", **labels},
            )
        except ImageNotFound:
            return Check("overlay", "warn", "not tried without the image", "deskgym image build")
        try:
            container.start()
            container.wait(timeout=30)
        except APIError as error:
            remedy = "use DeskLimits(profile_mount='bind'): other desks' openings are seen then"
            return Check("overlay", "warn", f"refused: {error.explanation or error}", remedy)
        finally:
            container.remove(force=True, v=True)
    return Check("overlay", "ok", "a desk's files can be mounted as one")


def _read(path: str) -> str:
    """A kernel file's text; empty where there is none (not Linux)."""
    try:
        return Path(path).read_text()
    except FileNotFoundError:
        return ""
