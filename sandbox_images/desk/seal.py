"""A system call filter on top of the engine's own: what `network none` does not cover.

A container without network still shares the kernel's other ways out. On a virtual machine,
``AF_VSOCK`` reaches the hypervisor past every network namespace, and some engines' filters let it
through. So sockets are held to the families that end inside the desk, and ``io_uring``, which does
system calls behind a filter's back, is off. Filters are inherited and cannot be taken off again.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct

_PR_SET_DUMPABLE = 4
_PR_SET_SECCOMP = 22
_SECCOMP_MODE_FILTER = 2
_ALLOW = 0x7FFF0000
_ERRNO = 0x00050000

# Of struct seccomp_data: where the call's number, the machine and the first argument stand.
_NUMBER, _MACHINE, _FIRST = 0, 4, 16
_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06  # BPF: LD|W|ABS, JEQ, JGE, RET
_X32 = 0x40000000  # calls of the x32 ABI are numbered from here

# Machine -> (AUDIT_ARCH, number of socket); io_uring_setup has one number everywhere.
_MACHINES = {"x86_64": (0xC000003E, 41), "aarch64": (0xC00000B7, 198)}
_IO_URING_SETUP = 425
_FAMILIES = (1, 2, 10, 16)  # AF_UNIX, AF_INET, AF_INET6, AF_NETLINK: all stay in the namespace


class SealError(OSError):
    """The filter could not be put on."""


def program(machine: str) -> bytes:
    """The filter for ``machine`` as an array of ``struct sock_filter``.

    Raises:
        SealError: the machine's call numbers are not known here.
    """
    if machine not in _MACHINES:
        raise SealError(f"no filter for a {machine}; there are {', '.join(_MACHINES)}")
    audit, socket = _MACHINES[machine]
    # Jumps count the steps to skip; the two returns stand at the end.
    steps: list[tuple[int, int, str | int, str | int]] = [
        (_LOAD, _MACHINE, 0, 0),
        (_EQUAL, audit, "next", "deny"),  # 32-bit programs have call numbers of their own
        (_LOAD, _NUMBER, 0, 0),
        (_AT_LEAST, _X32, "deny", "next"),
        (_EQUAL, _IO_URING_SETUP, "deny", "next"),
        (_EQUAL, socket, "next", "allow"),
        (_LOAD, _FIRST, 0, 0),
        *((_EQUAL, family, "allow", "next") for family in _FAMILIES[:-1]),
        (_EQUAL, _FAMILIES[-1], "allow", "deny"),
        (_RETURN, _ALLOW, 0, 0),
        (_RETURN, _ERRNO | errno.EPERM, 0, 0),
    ]
    targets = {"allow": len(steps) - 2, "deny": len(steps) - 1}

    def skip(at: int, target: str | int) -> int:
        return targets[target] - at - 1 if isinstance(target, str) and target in targets else 0

    return b"".join(
        struct.pack("=HBBI", code, skip(at, yes), skip(at, no), value)
        for at, (code, value, yes, no) in enumerate(steps)
    )


def seal() -> None:
    """Put the filter on this process and all that it will start.

    Raises:
        SealError: the kernel refused, or the machine is not known.
    """
    code = program(os.uname().machine)
    array = ctypes.create_string_buffer(code, len(code))
    header = ctypes.create_string_buffer(
        struct.pack("@HP", len(code) // 8, ctypes.addressof(array))
    )
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.byref(header), 0, 0) != 0:
        raise SealError(f"the kernel refused the filter: {os.strerror(ctypes.get_errno())}")


def hide() -> None:
    """Keep processes of this very user from tracing this one and from looking into it."""
    if ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0) != 0:
        raise SealError("the kernel refused to make the runner undumpable")
