"""What the conformance suite is written in: backends, profiles made on the spot, short verbs."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol, get_args

from docker import DockerClient

from deskgym.env.sandbox.base import (
    ConfigureRequest,
    DeskTool,
    ExecRequest,
    Response,
    Sandbox,
    ToolRequest,
)
from deskgym.env.sandbox.bwrap import BwrapSandbox
from deskgym.env.sandbox.docker import DockerSandbox
from deskgym.env.sandbox.limits import DeskLimits

AGENT = 1000
RUNNER = ("-u", "0", "-n", "-x", "python3")  # how pgrep and pkill find the runner, from inside
TOOLS: tuple[str, ...] = get_args(DeskTool)


class Backend(Protocol):
    """One way of carrying a desk, and a way into it that the desk itself does not offer."""

    def desk(
        self, root: Path, limits: DeskLimits | None = None, prepared: Path | None = None
    ) -> Sandbox:
        """A desk over the files below ``root``, not started."""
        ...

    def inside(self, desk: Sandbox, *argv: str) -> tuple[int, str]:
        """Run a program in a running desk, as the runner's user; its exit status and output."""
        ...

    def end(self, desk: Sandbox) -> None:
        """End a running desk as an impatient owner of the machine would: with SIGKILL."""
        ...


class DockerBackend:
    """Desks that are Docker containers."""

    def __init__(self, client: DockerClient) -> None:
        self._client = client

    def desk(
        self, root: Path, limits: DeskLimits | None = None, prepared: Path | None = None
    ) -> Sandbox:
        return DockerSandbox(root, prepared=prepared, limits=limits, client=self._client)

    def inside(self, desk: Sandbox, *argv: str) -> tuple[int, str]:
        done = self._client.containers.get(_container(desk)).exec_run(list(argv))
        assert done.exit_code is not None
        assert isinstance(done.output, bytes)
        return done.exit_code, done.output.decode(errors="replace")

    def end(self, desk: Sandbox) -> None:
        self._client.api.kill(_container(desk))


class BwrapBackend:
    """Desks in namespaces that bubblewrap makes."""

    def desk(
        self, root: Path, limits: DeskLimits | None = None, prepared: Path | None = None
    ) -> Sandbox:
        return BwrapSandbox(root, prepared=prepared, limits=limits)

    def inside(self, desk: Sandbox, *argv: str) -> tuple[int, str]:
        """With the runner's capabilities and no others, as an engine would."""
        bounded = ["setpriv", "--inh-caps", "-all", "--bounding-set", "-all,+setuid,+setgid,+kill"]
        enter = ["nsenter", "--target", str(_runner(desk)), "--all", "--root", "--wd"]
        done = subprocess.run(
            [*enter, *bounded, "--", *argv],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/root"},
            check=False,
        )
        return done.returncode, done.stdout.decode(errors="replace")

    def end(self, desk: Sandbox) -> None:
        os.kill(_runner(desk), signal.SIGKILL)


def _runner(desk: Sandbox) -> int:
    assert isinstance(desk, BwrapSandbox)
    assert desk.runner_pid is not None
    return desk.runner_pid


def _container(desk: Sandbox) -> str:
    assert isinstance(desk, DockerSandbox)
    assert desk.container_id is not None
    return desk.container_id


def write_files(root: Path, files: dict[str, bytes]) -> Path:
    """Make a profile's folder that every user of the desk can read."""
    root.mkdir(parents=True, exist_ok=True)
    root.chmod(0o755)
    for name, data in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return root


def records(root: Path) -> tuple[dict[str, Any], ...]:
    """File records of everything below ``root``, as `configure` takes them."""
    paths = sorted(p.relative_to(root).as_posix() for p in root.rglob("*") if not p.is_dir())
    return tuple(
        {
            "id": number,
            "path": path,
            "type": path.rpartition(".")[2],
            "modality": "text",
            "created": "2024-03-01T09:30:00",
            "modified": "2024-03-02T10:00:00",
            "latitude": None,
            "longitude": None,
            "location": None,
        }
        for number, path in enumerate(paths, 1)
    )


@contextmanager
def running(
    backend: Backend,
    root: Path,
    *,
    limits: DeskLimits | None = None,
    tools: tuple[str, ...] = TOOLS,
    prepared: Path | None = None,
) -> Iterator[Sandbox]:
    """A desk that is up and knows its files."""
    with backend.desk(root, limits, prepared) as desk:
        desk.configure("Ann", records(root), tools)
        yield desk


def run(
    desk: Sandbox, command: str, *, timeout_s: float = 30.0, max_bytes: int = 50_000
) -> Response:
    """What a command gives."""
    return desk.request(ExecRequest(command=command, timeout_s=timeout_s, max_bytes=max_bytes))


def shown(desk: Sandbox, command: str, **options: Any) -> str:
    """A command's output; the command must succeed."""
    response = run(desk, command, **options)
    text = response.payload.decode(errors="replace")
    assert (response.ok, response.exit_status) == (True, 0), (response, text[-2_000:])
    return text


def use(desk: Sandbox, tool: DeskTool, **args: Any) -> Response:
    """What a tool gives."""
    return desk.request(ToolRequest(tool=tool, args=args))


def refusal(desk: Sandbox, tool: DeskTool, **args: Any) -> str:
    """The kind of error with which a tool refuses; nothing of a file may come with it."""
    response = use(desk, tool, **args)
    assert not response.ok
    assert response.error is not None
    assert (response.segments, response.media, response.payload) == ((), (), b"")
    return response.error.kind


def answer(desk: Sandbox, command: str) -> dict[str, Any]:
    """The JSON that an in-desk command prints."""
    output = run(desk, command, max_bytes=20_000_000).payload
    parsed: dict[str, Any] = json.loads(output)
    return parsed


def configure(desk: Sandbox, root: Path, tools: tuple[str, ...]) -> None:
    """Tell the desk anew which tools are on."""
    assert desk.request(ConfigureRequest(user="Ann", files=records(root), tools=tools)).ok


def check_works(desk: Sandbox) -> None:
    """The desk is of use: it starts programs, reads the files, writes to scratch."""
    command = "ls /desk | wc -l; cat /desk/a.txt; echo $((6 * 7)) | cat; test -w /scratch"
    response = run(desk, command, timeout_s=20)
    assert response.exit_status == 0, response.payload[-2_000:]
    # While a fork bomb's remains are cleared away, bash may have to try twice.
    lines = [line for line in response.payload.splitlines() if b"fork: retry" not in line]
    assert lines[1:] == [b"alpha", b"42"], response.payload[-2_000:]


def check_serves(desk: Sandbox) -> None:
    """And so are its tools, for the host and in the terminal."""
    check_works(desk)
    assert answer(desk, "return_txt a.txt")["data"]["segments"][0]["content"].strip() == "alpha"
    text = use(desk, "read_text", path="a.txt")
    assert [segment.text.strip() for segment in text.segments] == ["alpha"], text
