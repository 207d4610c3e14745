"""The system calls that a desk without an engine is kept from, as an engine's own filter would.

The runner puts its filter on top (`deskgym.sandbox_images.desk.seal`). This one lies below it and
leaves out what reaches the kernel's other subsystems or makes namespaces. Calls younger than this
list are answered with "no such call", so that programs fall back to what is known here.
"""

from __future__ import annotations

import errno
import platform
import struct

_ALLOW = 0x7FFF0000
_ERRNO = 0x00050000
_NUMBER, _MACHINE, _FIRST = 0, 4, 16  # where these stand in struct seccomp_data
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_X32 = 0x40000000
_NEWEST = 451  # from cachestat on: not known here

# CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET
_NAMESPACES = (
    0x00020000 | 0x02000000 | 0x04000000 | 0x08000000 | 0x10000000 | 0x20000000 | 0x40000000
)

# Numbers that are the same on every machine, as all since 2019 are.
_COMMON = {
    "pidfd_getfd": 438, "open_tree": 428, "move_mount": 429, "fsopen": 430, "fsconfig": 431,
    "fsmount": 432, "fspick": 433, "mount_setattr": 442, "quotactl_fd": 443, "io_uring_setup": 425,
    "io_uring_enter": 426, "io_uring_register": 427, "process_madvise": 440,
}  # fmt: skip
_DENIED = {
    "x86_64": {
        "uselib": 134, "ustat": 136, "sysfs": 139, "vhangup": 153, "modify_ldt": 154,
        "pivot_root": 155, "_sysctl": 156, "adjtimex": 159, "chroot": 161, "acct": 163,
        "settimeofday": 164, "mount": 165, "umount2": 166, "swapon": 167, "swapoff": 168,
        "reboot": 169, "sethostname": 170, "setdomainname": 171, "iopl": 172, "ioperm": 173,
        "create_module": 174, "init_module": 175, "delete_module": 176, "get_kernel_syms": 177,
        "query_module": 178, "quotactl": 179, "nfsservctl": 180, "lookup_dcookie": 212,
        "clock_settime": 227, "mbind": 237, "set_mempolicy": 238, "get_mempolicy": 239,
        "kexec_load": 246, "add_key": 248, "request_key": 249, "keyctl": 250,
        "migrate_pages": 256, "unshare": 272, "move_pages": 279, "perf_event_open": 298,
        "fanotify_init": 300, "name_to_handle_at": 303, "open_by_handle_at": 304,
        "clock_adjtime": 305, "setns": 308, "kcmp": 312, "finit_module": 313,
        "kexec_file_load": 320, "bpf": 321, "userfaultfd": 323, "syslog": 103,
    },
    "aarch64": {
        "lookup_dcookie": 18, "quotactl": 60, "umount2": 39, "mount": 40, "pivot_root": 41,
        "nfsservctl": 42, "chroot": 51, "vhangup": 58, "acct": 89, "unshare": 97,
        "kexec_load": 104, "init_module": 105, "delete_module": 106, "clock_settime": 112,
        "syslog": 116, "reboot": 142, "sethostname": 161, "setdomainname": 162,
        "settimeofday": 170, "adjtimex": 171, "add_key": 217, "request_key": 218, "keyctl": 219,
        "swapon": 224, "swapoff": 225, "mbind": 235, "get_mempolicy": 236, "set_mempolicy": 237,
        "migrate_pages": 238, "move_pages": 239, "perf_event_open": 241, "fanotify_init": 262,
        "name_to_handle_at": 264, "open_by_handle_at": 265, "clock_adjtime": 266, "setns": 268,
        "kcmp": 272, "finit_module": 273, "bpf": 280, "userfaultfd": 282, "kexec_file_load": 294,
    },
}  # fmt: skip
_CLONE = {"x86_64": 56, "aarch64": 220}
_CLONE3 = 435
_AUDIT = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}


class UnknownMachine(ValueError):
    """There is no list of system calls for this machine."""


def filter_program(machine: str | None = None) -> bytes:
    """The filter for a machine (default: this one) as an array of ``struct sock_filter``.

    Raises:
        UnknownMachine: see there.
    """
    machine = machine or platform.machine()
    if machine not in _AUDIT:
        raise UnknownMachine(f"no filter for a {machine}; there are {', '.join(_AUDIT)}")
    denied = sorted({*_COMMON.values(), *_DENIED[machine].values()})
    steps: list[tuple[int, int, str, str]] = [
        (_LOAD, _MACHINE, "", ""),
        (_EQUAL, _AUDIT[machine], "", "deny"),
        (_LOAD, _NUMBER, "", ""),
        (_AT_LEAST, _X32, "deny", ""),
        (_AT_LEAST, _NEWEST, "unknown", ""),
        # Its flags lie in memory, where no filter can look: programs then use clone instead.
        (_EQUAL, _CLONE3, "unknown", ""),
        *((_EQUAL, number, "deny", "") for number in denied),
        (_EQUAL, _CLONE[machine], "", "allow"),
        (_LOAD, _FIRST, "", ""),
        (_ANY_BIT, _NAMESPACES, "deny", "allow"),
        (_RETURN, _ALLOW, "", ""),
        (_RETURN, _ERRNO | errno.EPERM, "", ""),
        (_RETURN, _ERRNO | errno.ENOSYS, "", ""),
    ]
    targets = {"allow": len(steps) - 3, "deny": len(steps) - 2, "unknown": len(steps) - 1}

    def skip(at: int, target: str) -> int:
        return targets[target] - at - 1 if target else 0

    return b"".join(
        struct.pack("=HBBI", code, skip(at, yes), skip(at, no), value)
        for at, (code, value, yes, no) in enumerate(steps)
    )
