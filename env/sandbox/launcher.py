"""Run by itself, standard library only: prepares this process's namespaces, then becomes a program.

    python3 -I -S launcher.py JSON

What bubblewrap cannot do by itself is done here first, in namespaces of this process's own: users
by ranges, a view of the files of the desk's own, a sysfs of its empty network, limits. See `Plan`.
What goes wrong is told on standard error, and the exit status is `FAILED`.
"""

from __future__ import annotations

import base64
import ctypes
import fcntl
import json
import os
import resource
import socket
import struct
import subprocess
import sys
from typing import Any, TypedDict

FAILED = 96

_CLONE_NEWNS, _CLONE_NEWUSER, _CLONE_NEWNET = 0x20000, 0x10000000, 0x40000000
_MS_RDONLY, _MS_NOSUID, _MS_NODEV, _MS_NOEXEC = 1, 2, 4, 8
_MS_BIND, _MS_REC, _MS_PRIVATE = 4096, 16384, 1 << 18
_MNT_DETACH = 2
_PR_CAPBSET_DROP = 24
_SIOCGIFFLAGS, _SIOCSIFFLAGS, _IFF_UP = 0x8913, 0x8914, 1


class Plan(TypedDict, total=False):
    """What to do, in this order; what is left out is not done."""

    cgroups: list[str]
    """Folders to put this process into."""
    users: list[list[int]]
    groups: list[list[int]]
    """A user namespace's: rows of [first inside, first outside, count]. More than one row takes
    newuidmap and newgidmap."""
    stage: str
    """A folder to mount a desk's places below: desk (see `files`), sys, and `tmpfs`."""
    files: str
    """The folder to be seen, read-only, as ``stage``/desk."""
    tmpfs: dict[str, str]
    """Name below ``stage`` -> mount options."""
    views: list[list[str]]
    """Folders to be seen below ``stage``/sys: [folder, where]."""
    rlimits: dict[str, list[int]]
    """Name (``NOFILE``) -> soft and hard limit."""
    capabilities: list[int]
    """The only ones that a program started from here can ever have. (The one that this process
    becomes keeps all that it needs for its own work.)"""
    seccomp: str
    """A filter as base64, which the argument ``{seccomp}`` becomes a descriptor of."""
    argv: list[str]
    """The program to become."""


_libc = ctypes.CDLL(None, use_errno=True)


class LaunchError(Exception):
    """Something that had to be done could not be."""


def main(plan: Plan) -> None:
    """Do as `Plan` says; returns only by an error."""
    for folder in plan.get("cgroups", []):
        with open(f"{folder}/cgroup.procs", "w") as file:
            file.write("0")
    if "users" in plan:
        _become_root_of(plan["users"], plan["groups"])
    if "stage" in plan:
        _stage(plan)
    for name, (soft, hard) in plan.get("rlimits", {}).items():
        resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (soft, hard))
    if "capabilities" in plan:
        _bound(plan["capabilities"])
    argv = plan["argv"]
    if "seccomp" in plan:
        fd = os.memfd_create("seccomp", 0)
        os.write(fd, base64.b64decode(plan["seccomp"]))
        os.lseek(fd, 0, os.SEEK_SET)
        argv = [str(fd) if word == "{seccomp}" else word for word in argv]
    os.execvp(argv[0], argv)


def _become_root_of(users: list[list[int]], groups: list[list[int]]) -> None:
    """Enter a new user namespace with these users and groups, as its root."""
    pid = os.getpid()
    if len(users) == len(groups) == 1:
        _unshare(_CLONE_NEWUSER, "a user namespace")
        _write("/proc/self/setgroups", "deny")
        _write("/proc/self/uid_map", " ".join(map(str, users[0])))
        _write("/proc/self/gid_map", " ".join(map(str, groups[0])))
        return
    # Ranges are set from outside, by a child that stayed there.
    ready_r, ready_w = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(ready_w)
        os.read(ready_r, 1)  # until its parent has unshared, or is gone
        status = 1
        try:
            for tool, rows in (("newuidmap", users), ("newgidmap", groups)):
                numbers = [str(number) for row in rows for number in row]
                subprocess.run([tool, str(pid), *numbers], check=True, stdin=subprocess.DEVNULL)
            status = 0
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"{error}", file=sys.stderr)
        finally:
            os._exit(status)
    os.close(ready_r)
    _unshare(_CLONE_NEWUSER, "a user namespace")
    os.write(ready_w, b"x")
    os.close(ready_w)
    _, status = os.waitpid(child, 0)
    if status != 0:
        raise LaunchError("newuidmap could not give this user its ranges of /etc/subuid")
    os.setresgid(0, 0, 0)
    os.setgroups([])
    os.setresuid(0, 0, 0)


def _stage(plan: Plan) -> None:
    stage = plan["stage"]
    _unshare(_CLONE_NEWNS | _CLONE_NEWNET, "mounts and a network of its own")
    _mount("none", "/", None, _MS_REC | _MS_PRIVATE)
    _raise_loopback()
    plain = _MS_NOSUID | _MS_NODEV
    _mount("tmpfs", stage, "tmpfs", plain, "size=65536,mode=0755")
    for name, options in plan.get("tmpfs", {}).items():
        os.mkdir(f"{stage}/{name}")
        noexec = _MS_NOEXEC if name == "run" else 0
        _mount("tmpfs", f"{stage}/{name}", "tmpfs", plain | noexec, options)
    _mount_sys(f"{stage}/sys", plan.get("views", []))
    if "files" in plan:
        _own_view(plan["files"], stage)


def _mount_sys(target: str, views: list[list[str]]) -> None:
    """What /sys says of the new network, and of this desk's own limits."""
    os.mkdir(target)
    plain = _MS_NOSUID | _MS_NODEV | _MS_NOEXEC
    try:
        _mount("sysfs", target, "sysfs", plain)
        if os.path.isdir(f"{target}/firmware"):  # of no concern to a desk
            _mount("tmpfs", f"{target}/firmware", "tmpfs", plain, "size=4096,mode=0755")
    except OSError:
        # Where the host's own is covered in part (in a container), no user may mount a whole one.
        # Nothing needs it.
        _mount("tmpfs", target, "tmpfs", plain, "size=65536,mode=0755")
        os.makedirs(f"{target}/fs/cgroup")
    if views:
        _mount("tmpfs", f"{target}/fs/cgroup", "tmpfs", plain, "size=65536,mode=0755")
    for folder, where in views:
        os.makedirs(f"{target}/{where}", exist_ok=True)
        _mount(folder, f"{target}/{where}", None, _MS_BIND)


def _own_view(files: str, stage: str) -> None:
    """An overlay over the files: what is opened through it is seen by those who watch it alone.

    One without an upper layer is read-only by nature, and needs two lower ones. They are named
    from within their folder, as the kernel takes some signs in a path for its own.
    """
    os.chdir(stage)
    for name in ("files", "empty", "desk"):
        os.mkdir(f"{stage}/{name}")
    _mount(files, f"{stage}/files", None, _MS_BIND)
    plain = _MS_RDONLY | _MS_NOSUID | _MS_NODEV
    try:
        _mount("overlay", f"{stage}/desk", "overlay", plain, "lowerdir=files:empty")
    except OSError as error:
        raise LaunchError(
            f"an overlay cannot be mounted over the files ({error.strerror}): use "
            "DeskLimits(profile_mount='bind'); desks that share a profile then also see each "
            "other's openings"
        ) from error
    if _libc.umount2(os.fsencode(f"{stage}/files"), _MNT_DETACH) != 0:
        raise OSError(ctypes.get_errno(), "cannot unmount the layer")


def _bound(kept: list[int]) -> None:
    """Drop all but ``kept`` from the bounding set. What is inheritable outlives an exec by root."""
    with open("/proc/sys/kernel/cap_last_cap") as file:
        last = int(file.read())
    header = struct.pack("=Ii", 0x20080522, 0)  # version 3, this process
    sets = ctypes.create_string_buffer(24)  # twice 32 bits of effective, permitted, inheritable
    if _libc.capget(header, sets) != 0:
        raise LaunchError("the kernel does not tell this process's capabilities")
    low_e, low_p, _, high_e, high_p, _ = struct.unpack("=6I", sets)
    if _libc.capset(header, struct.pack("=6I", low_e, low_p, low_p, high_e, high_p, high_p)) != 0:
        raise LaunchError("the kernel refused to make capabilities inheritable")
    for number in set(range(last + 1)) - set(kept):
        if _libc.prctl(_PR_CAPBSET_DROP, number, 0, 0, 0) != 0:
            raise LaunchError(f"the kernel refused to drop the capability {number}")


def _raise_loopback() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        request = struct.pack("16sh22x", b"lo", 0)
        flags = struct.unpack("16sh22x", fcntl.ioctl(probe, _SIOCGIFFLAGS, request))[1]
        fcntl.ioctl(probe, _SIOCSIFFLAGS, struct.pack("16sh22x", b"lo", flags | _IFF_UP))


def _unshare(flags: int, what: str) -> None:
    if _libc.unshare(flags) != 0:
        raise LaunchError(f"the kernel refused {what}: {os.strerror(ctypes.get_errno())}")


def _mount(
    source: str, target: str, kind: str | None, flags: int, options: str | None = None
) -> None:
    words = [None if word is None else os.fsencode(word) for word in (source, target, kind)]
    data = None if options is None else os.fsencode(options)
    if _libc.mount(*words, ctypes.c_ulong(flags), data) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{os.strerror(number)} (mounting {kind or source})", target)


def _write(path: str, text: str) -> None:
    with open(path, "w") as file:
        file.write(text)


if __name__ == "__main__":
    given: Any = json.loads(sys.argv[1])
    try:
        main(given)
    except (OSError, ValueError, LaunchError) as error:
        print(f"cannot launch: {error}", file=sys.stderr)
        sys.exit(FAILED)
