"""Clearing up after owners that ended without doing so: containers are labelled with who made them.

This is the second net. A desk ends by itself when its owner's end of the wire closes.
"""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from docker import DockerClient
    from docker.models.containers import Container

RUN = "org.deskgym.run"
ANY = "org.deskgym"
OWNER_PID = "org.deskgym.owner_pid"
OWNER_HOST = "org.deskgym.owner_host"
OWNER_START = "org.deskgym.owner_start"
OWNER_SPACE = "org.deskgym.owner_space"


def owner_labels() -> dict[str, str]:
    """The labels that say that this process owns a container or a volume.

    A process id says little by itself: it is used again, and means another process in another
    container. So the start time and the boot and pid namespace that it counts in go with it.
    """
    return {
        OWNER_PID: str(os.getpid()),
        OWNER_HOST: socket.gethostname(),
        OWNER_START: start_ticks(os.getpid()),
        OWNER_SPACE: _space(),
    }


def sweep(client: DockerClient, *, everything: bool = False) -> list[str]:
    """Remove containers whose owner is known to be gone; with ``everything``, all of ours.

    Also volumes of ours that no container uses. Returns what was removed, a line each. An owner on
    another computer, or in a pid namespace that cannot be seen from here, counts as alive.
    """
    removed = []
    for container in client.containers.list(all=True, filters={"label": RUN}, ignore_removed=True):
        if (everything or not owner_lives(container.labels)) and _remove(container):
            owner = container.labels.get(OWNER_PID, "unknown")
            removed.append(f"container {container.name} (owner: process {owner})")
    from docker.errors import APIError, NotFound

    for volume in client.volumes.list(filters={"label": ANY, "dangling": True}):
        labels = volume.attrs.get("Labels") or {}
        # Made a moment ago and not mounted yet looks the same as left behind: ask for its owner.
        if not everything and OWNER_PID in labels and owner_lives(labels):
            continue
        try:
            volume.remove()
        except NotFound:
            continue
        except APIError as error:
            if error.status_code != 409:  # taken into use meanwhile
                raise
            continue
        removed.append(f"volume {volume.name}")
    return removed


def owner_lives(labels: dict[str, str]) -> bool:
    """Whether the process named by `owner_labels` may still run."""
    if labels.get(OWNER_HOST) != socket.gethostname():
        return True
    boot, _, namespace = labels.get(OWNER_SPACE, "").partition("/")
    here_boot, _, here_namespace = _space().partition("/")
    if boot != here_boot:
        return False
    if namespace != here_namespace:
        return True
    pid = labels.get(OWNER_PID, "")
    if not pid.isdigit() or int(pid) == 0:
        return False
    if not here_boot:  # no /proc here: all that can be asked is whether there is such a process
        return process_exists(int(pid))
    return bool(start_ticks(int(pid))) and start_ticks(int(pid)) == labels.get(OWNER_START)


def _remove(container: Container) -> bool:
    from docker.errors import APIError, NotFound

    try:
        container.remove(force=True, v=True)
    except NotFound:
        return False
    except APIError as error:
        if error.status_code != 409:  # its own removal is under way
            raise
        return False
    return True


def _space() -> str:
    """This boot of the kernel and this pid namespace; empty where there is no /proc."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{boot}/{Path('/proc/self/ns/pid').readlink()}"
    except OSError:
        return ""


def space_of_pids() -> str:
    """The number of this pid namespace; empty where there is no /proc."""
    return "".join(filter(str.isdigit, _space().partition("/")[2]))


def process_lives(space: str, pid: int, start: str) -> bool:
    """Whether the process of that number and start may still run; ``space`` as `space_of_pids`
    gave it to whoever wrote it down. On another machine's processes it has no say."""
    return space != space_of_pids() or start_ticks(pid) == start


def start_ticks(pid: int) -> str:
    """When a process started, in the kernel's ticks since boot; empty if there is none."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(errors="replace")
    except OSError:
        return ""
    # The second field is the program's name in brackets, and may hold anything.
    fields = stat.rpartition(")")[2].split()
    state, start = fields[0], fields[19]
    return "" if state in ("Z", "X") else start


def process_exists(pid: int) -> bool:
    """Whether a process of this number is there, be it another user's or one that has ended."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
