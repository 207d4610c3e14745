"""A desk without an engine as its launcher is told of it: the vacuum, in one place."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

from deskgym.env.sandbox.cgroups import Groups
from deskgym.env.sandbox.limits import DeskLimits
from deskgym.env.sandbox.rootfs import Rootfs
from deskgym.env.sandbox.syscalls import filter_program
from deskgym.env.sandbox.users import Users
from deskgym.sandbox_images.desk.identity import PREPARED
from deskgym.tools.worker import MEMORY as WORKER_MEMORY

# The runner's, as in a container.
_KEPT = {"CAP_KILL": 5, "CAP_SETGID": 6, "CAP_SETUID": 7}
# bubblewrap hands them on to whatever is started, as ambient ones; the runner's are its own.
_OWN = ("/usr/bin/setpriv", "--ambient-caps", "-all", "--inh-caps", "-all", "--")
# What an engine hides of /proc, and what it makes read-only.
_HIDDEN = ("kcore", "keys", "latency_stats", "timer_list", "sched_debug", "acpi", "scsi")
_READ_ONLY = ("sys", "sysrq-trigger", "fs", "irq", "bus")


def desk_plan(
    rootfs: Rootfs,
    files: Path,
    limits: DeskLimits,
    users: Users,
    groups: Groups,
    *,
    prepared: Path | None,
    info: int,
) -> dict[str, Any]:
    """The `launcher.Plan` of a desk: the vacuum, in one place. ``info`` is a descriptor that
    bubblewrap tells the runner's process id to."""
    stage = rootfs.stage
    overlay = limits.profile_mount == "overlay"
    plan: dict[str, Any] = {
        "cgroups": [str(folder) for folder in sorted(set(groups.folders.values()))],
        **users.plan(),
        "stage": str(stage),
        "tmpfs": {
            "scratch": f"mode=1777,size={limits.scratch}",
            "tmp": f"mode=1777,size={limits.tmp}",
            "shm": f"mode=1777,size={limits.shm}",
            "run": "mode=0755,size=65536",
        },
        "views": [[str(folder), where] for folder, where in groups.views()],
        "rlimits": _rlimits(limits, users, groups),
        "seccomp": base64.b64encode(filter_program()).decode(),
    }
    if overlay:
        plan["files"] = str(files)
    mounts = [
        ("--ro-bind", rootfs.root, "/"),
        ("--ro-bind", stage / "desk" if overlay else files, "/desk"),
        ("--bind", stage / "scratch", "/scratch"),
        ("--bind", stage / "tmp", "/tmp"),
        ("--bind", stage / "run", "/run/deskgym"),
        ("--ro-bind", stage / "sys", "/sys"),
    ]
    if prepared is not None:
        mounts.append(("--ro-bind", prepared, PREPARED))
    words = [str(word) for mount in mounts for word in mount]
    words += ["--proc", "/proc", "--dev", "/dev", "--mqueue", "/dev/mqueue"]
    words += ["--bind", str(stage / "shm"), "/dev/shm", "--remount-ro", "/dev"]
    for name in _READ_ONLY:
        words += ["--ro-bind-try", f"/proc/{name}", f"/proc/{name}"]
    for name in _HIDDEN:
        if (place := Path("/proc") / name).is_dir():
            words += ["--tmpfs", str(place), "--remount-ro", str(place)]
        elif place.exists():
            words += ["--ro-bind", "/dev/null", str(place)]
    words += [*namespaces(users), "--hostname", "desk", "--cap-drop", "ALL"]
    own: tuple[str, ...] = ()
    if users.means != "one":
        plan["capabilities"] = list(_KEPT.values())
        words += [word for capability in _KEPT for word in ("--cap-add", capability)]
        own = _OWN
    words += ["--new-session", "--die-with-parent", "--as-pid-1", "--chdir", "/desk"]
    words += ["--info-fd", str(info), "--seccomp", "{seccomp}", "--"]
    plan["argv"] = ["bwrap", *words, *own, *rootfs.record.entrypoint]
    return plan


def namespaces(users: Users) -> list[str]:
    """bubblewrap's words for all that the launcher has not made: mounts come by themselves, and the
    network is there."""
    words = ["--unshare-ipc", "--unshare-pid", "--unshare-uts", "--unshare-cgroup-try"]
    if users.means == "one":
        words += ["--unshare-user", "--uid", "1000", "--gid", "1000"]
    return words


def _rlimits(limits: DeskLimits, users: Users, groups: Groups) -> dict[str, list[int]]:
    found = {"CORE": [0, 0], "NOFILE": [1024, 4096]}
    # The second best: of each process, and of each user.
    if "memory" not in groups.held:
        # The tool worker sets one of its own.
        found["AS"] = [limits.memory, max(limits.memory, WORKER_MEMORY)]
    if "pids" not in groups.held:
        # Outside of a user namespace the kernel counts that user's processes on all the machine.
        most = limits.pids if users.means != "root" else max(limits.pids, 4096)
        found["NPROC"] = [most, most]
    return found
