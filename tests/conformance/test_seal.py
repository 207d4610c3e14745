"""Ways out of a container that having no network does not close."""

from __future__ import annotations

import pytest
from desk_kit import run

from deskgym.env.sandbox.base import Sandbox

pytestmark = pytest.mark.docker

OPEN_SOCKET = "import socket; socket.socket({family}, {kind}); print('opened')"
IO_URING_SETUP = (
    "import ctypes; libc = ctypes.CDLL(None, use_errno=True); "
    "print(libc.syscall(425, 8, None), ctypes.get_errno())"
)


@pytest.mark.parametrize("family", ["AF_UNIX", "AF_INET", "AF_INET6"])
def test_sockets_that_end_inside_the_desk_can_be_opened(desk: Sandbox, family: str) -> None:
    script = OPEN_SOCKET.format(family=f"socket.{family}", kind="socket.SOCK_STREAM")
    assert run(desk, f'python3 -c "{script}"').payload == b"opened\n"


@pytest.mark.parametrize("family", ["socket.AF_VSOCK", "socket.AF_PACKET", "socket.AF_ALG", "44"])
def test_sockets_of_other_families_cannot(desk: Sandbox, family: str) -> None:
    script = OPEN_SOCKET.format(family=family, kind="socket.SOCK_STREAM")
    response = run(desk, f'python3 -c "{script}"')
    assert response.exit_status == 1
    assert b"PermissionError" in response.payload


def test_io_uring_is_off(desk: Sandbox) -> None:
    assert run(desk, f'python3 -c "{IO_URING_SETUP}"').payload == b"-1 1\n"


def test_the_filter_is_on_and_cannot_be_left(desk: Sandbox) -> None:
    status = run(desk, "grep -E 'Seccomp|NoNewPrivs' /proc/self/status").payload.decode()
    fields = dict(line.split(":\t") for line in status.splitlines())
    assert fields["NoNewPrivs"] == "1"
    assert fields["Seccomp"] == "2"
    assert int(fields["Seccomp_filters"]) >= 2
