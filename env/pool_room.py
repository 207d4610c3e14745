"""Whether one more desk fits into this machine's memory."""

from __future__ import annotations

import os
from pathlib import Path

from deskgym.env.sandbox.limits import MIB

DESK_NEEDS = 32 * MIB
"""What a desk takes that waits: its processes, the engine's beside it, and a margin."""

_MEMINFO = Path("/proc/meminfo")
# This process's own group under the second and the first version of control groups; a container
# sees its own there.
_GROUPS = (
    (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory.current")),
    (
        Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
        Path("/sys/fs/cgroup/memory/memory.usage_in_bytes"),
    ),
)


def memory_available(kind: str) -> int | None:
    """Bytes that new desks of ``kind`` may still take here without swapping.

    None where that cannot be told: on a machine without /proc, and if the engine is on another.
    """
    if kind == "docker" and not _engine_is_here():
        return None
    try:
        lines = _MEMINFO.read_text().splitlines()
    except OSError:
        return None
    fields = dict(line.partition(":")[::2] for line in lines)
    if "MemAvailable" not in fields:
        return None
    available = int(fields["MemAvailable"].split()[0]) * 1024
    # A container of the engine's is no part of our group; a desk of bubblewrap's is.
    left = _left_in_group() if kind == "bwrap" else None
    return available if left is None else min(available, left)


def fits(available: int | None, desks: int, reserve: int) -> bool:
    """Whether ``desks`` more fit, with ``reserve`` bytes to spare for those that work."""
    return available is None or available >= desks * DESK_NEEDS + reserve


def _engine_is_here() -> bool:
    """Docker Desktop's is not, but then neither is there a /proc."""
    return os.environ.get("DOCKER_HOST", "unix://").startswith(("unix://", "http+unix://"))


def _left_in_group() -> int | None:
    for limit, used in _GROUPS:
        try:
            text = limit.read_text().strip()
            if text.isdigit():  # the second version says "max" where there is none
                return max(0, int(text) - int(used.read_text()))
        except OSError:
            continue
    return None
