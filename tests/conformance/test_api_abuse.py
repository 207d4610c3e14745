"""The socket of the in-desk commands: whatever is done to it, desk and commands go on."""

from __future__ import annotations

import pytest
from desk_kit import check_serves, check_works, run, shown, use

from deskgym.env.sandbox.base import Sandbox

pytestmark = pytest.mark.docker

CONNECT = """
import json, os, random, socket, struct, time
def connect():
    peer = socket.socket(socket.AF_UNIX)
    peer.settimeout(10)
    peer.connect("/run/deskgym/api.sock")
    return peer
def frame(head, payload=b""):
    return struct.pack(">II", len(head), len(payload)) + head + payload
"""


def python(desk: Sandbox, program: str, *, background: bool = False) -> str:
    """Run a program that talks to the socket; in the background: until it says ready."""
    shown(desk, f"cat >/tmp/p.py <<'E'\n{CONNECT}{program}\nE")
    if not background:
        return shown(desk, "python3 /tmp/p.py", timeout_s=60)
    wait = "until [ -s /tmp/said ]; do sleep 0.02; done"
    return shown(desk, f"python3 /tmp/p.py >/tmp/said 2>&1 & {wait}; cat /tmp/said", timeout_s=60)


def test_junk(desk: Sandbox) -> None:
    python(
        desk,
        """
pieces = [b"", b"GET / HTTP/1.0\\r\\n\\r\\n", b"\\0" * 8, b"\\xff" * 100_000, frame(b"[]"),
          frame(b"{"), frame(b"nul"), frame(b"{}" * 9), frame(b"[" * 60_000),
          frame(b'{"tool": ' + b"9" * 9_000 + b"}"), struct.pack(">II", 8, 1) + b"{}      x",
          os.urandom(70_000), struct.pack(">II", 1 << 31, 0), frame(b'{"tool": "\\xff"}')]
for piece in pieces:
    for half in (False, True):
        peer = connect()
        try:
            peer.sendall(piece)
            if half:
                peer.shutdown(socket.SHUT_WR)
                peer.recv(100)
        except OSError:
            pass
        peer.close()
""",
    )
    check_serves(desk)


def test_requests_that_are_none(desk: Sandbox) -> None:
    """Well-formed frames with values that no command sends; each is refused, with a reason."""
    said = python(
        desk,
        r"""
deep = "[" * 500 + "]" * 500
values = ['null', '5', '-1', '1e999', 'NaN', 'true', '""', '"\\u0000"', '"\\ud800"', '"../x"',
          '[]', '[1,2,3,4,5]', '{}', '[[1]]', '"' + "x" * 60000 + '"', deep, '"/etc/passwd"', '"."']
bad = 0
for value in values:
    for tool in ("read_text", "read_image", "read_original", "metadata"):
        for request in (
            '{"tool": %s, "args": {}}' % value,
            '{"tool": "%s", "args": %s}' % (tool, value),
            '{"tool": "%s", "args": {"path": %s}}' % (tool, value),
            '{"tool": "%s", "args": {"path": "a.txt", "page": %s, "pages": %s}}'
            % (tool, "null" if len(value) > 9000 else value, value),
            '{"tool": "%s", "args": {"path": "a.txt", "lines": %s}}' % (tool, value),
        ):
            peer = connect()
            try:
                peer.sendall(frame(request.encode()))
                data = peer.recv(1 << 20)
            except (ConnectionResetError, BrokenPipeError):
                continue
            if data and b'"ok":true' in data and b"alpha" not in data and value != "null" \
                    and "a.txt" not in request:
                bad += 1
                print(request[:100], data[:100])
print("served", bad)
""",
    )
    assert said == "served 0\n"
    check_serves(desk)


@pytest.mark.parametrize("depth", range(900, 1_000, 9))
def test_nesting_about_as_deep_as_python_goes(desk: Sandbox, depth: int) -> None:
    python(
        desk,
        f"""
nested = "[" * {depth} + "]" * {depth}
for request in ('{{"tool": %s}}', '{{"tool": "read_text", "args": %s}}',
                '{{"tool": "read_text", "args": {{"path": "a.txt", "lines": %s}}}}'):
    peer = connect()
    peer.sendall(frame((request % nested).encode()))
    peer.recv(1 << 16)
""",
    )
    check_works(desk)


def test_tools_named_with_half_a_character_do_not_get_to_the_host(desk: Sandbox) -> None:
    program = r"""
peer = connect()
peer.sendall(frame(b'{"tool": "\\ud800", "args": {"path": "\\udcff"}}'))
print(json.loads(peer.recv(1 << 16)[8:])["ok"])
"""
    shown(desk, f"cat >/tmp/p.py <<'E'\n{CONNECT}{program}\nE")
    response = run(desk, "python3 /tmp/p.py")
    assert response.payload == b"False\n"
    assert [use_.ok for use_ in response.tool_uses] == [False]
    response.model_dump_json()  # as a log would write it


def test_a_hundred_idle_connections(desk: Sandbox) -> None:
    python(
        desk,
        'peers = [connect() for _ in range(100)]\nprint("ready", flush=True)\ntime.sleep(300)',
        background=True,
    )
    check_serves(desk)


STALL = """
peers = []
for _ in range({count}):
    peer = connect()
    peer.sendall(frame(b'{{"tool": "read_original", "args": {{"path": "big.txt"}}}}'))
    peers.append(peer)
for peer in peers:
    peer.recv(1)
print("ready", flush=True)
time.sleep(300)
"""


@pytest.mark.parametrize("count", [1, 10])
def test_readers_that_stall(desk: Sandbox, count: int) -> None:
    python(desk, STALL.format(count=count), background=True)
    check_serves(desk)


def test_readers_that_stall_do_not_fill_the_runners_memory(desk: Sandbox) -> None:
    program = STALL.format(count=32).replace("    peer.recv(1)\n", "    pass\n")
    python(desk, program, background=True)
    # The host's own request has its turn before those that still wait.
    assert use(desk, "read_text", path="a.txt").ok
    for _ in range(3):
        assert use(desk, "read_original", path="big.txt").ok
    memory = shown(desk, "ps -o rss= -u 0 | sort -n | tail -1")
    assert int(memory) < 250_000  # kB
    check_works(desk)


def test_more_commands_at_once_than_connections_all_get_an_answer(desk: Sandbox) -> None:
    command = "seq 24 | xargs -P 24 -I{} sh -c 'return_txt a.txt | grep -c alpha' | wc -l"
    assert shown(desk, command, timeout_s=60) == "24\n"
