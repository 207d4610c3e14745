"""`deskgym shell`: a person's commands, their output, Ctrl-C and the way out."""

from __future__ import annotations

import contextlib
import io
import os
import pty
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import pytest
from docker import DockerClient

from deskgym.cli.shell import INTERRUPTED, converse
from deskgym.env.sandbox.base import DeskError, ExecRequest, Request, Response

SHELL = [sys.executable, "-c", "from deskgym.cli.main import main; main()", "shell"]
PATIENCE_S = 60.0


class Scripted:
    """A desk that answers commands from a table; one is interrupted on its first wait."""

    def __init__(self, answers: dict[str, Response], interrupt_at: str = "") -> None:
        self.asked: list[str] = []
        self._answers = answers
        self._interrupt_at = interrupt_at
        self.ended = False

    def request(self, request: Request) -> Response:
        assert isinstance(request, ExecRequest)
        self.asked.append(request.command)
        if request.command == self._interrupt_at:
            os.kill(os.getpid(), signal.SIGINT)
        return self._answers[request.command]

    def end(self) -> None:
        self.ended = True

    def talk(self, *lines: str, interactive: bool = False) -> tuple[int, bytes]:
        out = io.BytesIO()
        desk: Any = self
        status = converse(desk, iter(lines), out, end_command=self.end, interactive=interactive)
        return status, out.getvalue()


def _said(text: str, **rest: Any) -> Response:
    return Response(ok=True, payload=text.encode(), exit_status=0, **rest)


def test_each_line_is_a_command_and_its_output_is_passed_on_as_it_is() -> None:
    desk = Scripted({"one": _said("1\n"), "two": Response(ok=True, payload=b"\xff\0no newline")})
    assert desk.talk("one\n", "\n", "  \n", "two\n") == (0, b"1\n\xff\0no newline")
    assert desk.asked == ["one", "two"]


@pytest.mark.parametrize("line", ["exit", " exit 3 ", "logout", "exit;"])
def test_exit_leaves(line: str) -> None:
    desk = Scripted({"one": _said("1\n")})
    assert desk.talk("one\n", f"{line}\n", "one\n") == (0, b"1\n")
    assert desk.asked == ["one"]


def test_a_command_that_only_begins_like_exit_is_one() -> None:
    desk = Scripted({"exiftool x": _said(""), "exit 1 || true": _said("")})
    desk.talk("exiftool x\n", "exit 1 || true\n")
    assert desk.asked == ["exiftool x", "exit 1 || true"]


def test_a_person_is_told_the_status_and_given_a_new_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    failed = Response(ok=True, payload=b"x", exit_status=2)
    assert Scripted({"bad": failed}).talk("bad", interactive=True) == (0, b"x\n")
    assert "[exit status 2]" in capsys.readouterr().err


def test_what_the_desk_refuses_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    refused = Response(ok=False, error=DeskError(kind="bad_argument", message="no NUL byte"))
    assert Scripted({"x": refused}).talk("x") == (0, b"")
    assert "no NUL byte" in capsys.readouterr().err


def test_ctrl_c_ends_the_command_and_a_person_goes_on() -> None:
    desk = Scripted({"long": _said("part\n"), "next": _said("n\n")}, interrupt_at="long")
    assert desk.talk("long", "next", interactive=True) == (0, b"part\nn\n")
    assert desk.ended


def test_ctrl_c_ends_a_script() -> None:
    desk = Scripted({"long": _said("part\n"), "next": _said("n\n")}, interrupt_at="long")
    assert desk.talk("long", "next") == (INTERRUPTED, b"part\n")
    assert desk.asked == ["long"]


def _piped(text: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*SHELL, *arguments], input=text, capture_output=True, text=True, timeout=PATIENCE_S
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("demo",), "one person at a time"),
        (("nobody",), "nobody"),
        (("adam", "--tools", "config9"), "config9"),
    ],
)
def test_wrong_usage_is_code_2(arguments: tuple[str, ...], said: str) -> None:
    run = _piped("ls\n", *arguments)
    assert run.returncode == 2
    assert said in run.stderr
    assert "Traceback" not in run.stderr


@pytest.mark.docker
@pytest.mark.usefixtures("desk_image")
def test_piped_lines_run_one_after_another_in_one_desk() -> None:
    run = _piped("cd /scratch; export NAME=x\npwd; echo $NAME; id -u\nls /desk | wc -l\n", "adam")
    assert run.returncode == 0, run.stderr
    folder, name, user, entries = run.stdout.splitlines()
    assert (folder, name, user) == ("/scratch", "x", "1000")
    assert int(entries) > 0


@pytest.mark.docker
@pytest.mark.usefixtures("desk_image")
def test_what_is_switched_off_is_off_in_the_shell() -> None:
    line = "return_txt '03_Study/2024-11-04_FBS_Result.pdf' | head -c 300\n"
    assert "switched off" in _piped(line, "adam", "--tools", "config1").stdout
    assert "switched off" not in _piped(line, "adam", "--tools", "config3").stdout


@pytest.fixture
def terminal() -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """`deskgym shell adam` at a terminal of its own, and the person's end of it."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [*SHELL, "adam"], stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True
    )
    os.close(theirs)
    yield process, ours
    process.kill()
    process.wait()
    os.close(ours)


def _read_until(fd: int, end: str) -> str:
    seen = ""
    deadline = time.monotonic() + PATIENCE_S
    while end not in seen:
        left = deadline - time.monotonic()
        ready, _, _ = select.select([fd], [], [], max(0.0, left))
        assert ready, f"no {end!r} in {seen!r}"
        seen += os.read(fd, 4096).decode(errors="replace")
    return seen


def _read_to_the_end(fd: int) -> None:
    """A program that leaves its terminal waits until what it wrote has been read."""
    with contextlib.suppress(OSError):  # the other end is closed
        while select.select([fd], [], [], PATIENCE_S)[0] and os.read(fd, 4096):
            pass


@pytest.mark.docker
@pytest.mark.usefixtures("desk_image")
def test_a_person_at_a_terminal(
    terminal: tuple[subprocess.Popen[bytes], int], docker_client: DockerClient
) -> None:
    process, screen = terminal
    _read_until(screen, "adam:/desk$ ")
    (desk,) = docker_client.containers.list(
        filters={"label": f"org.deskgym.owner_pid={process.pid}"}
    )
    os.write(screen, b"cd /scratch\n")
    _read_until(screen, "adam:/scratch$ ")

    os.write(screen, b"sleep 4321\n")
    deadline = time.monotonic() + PATIENCE_S
    while not any(row[-1] == "sleep 4321" for row in desk.top()["Processes"]):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _read_until(screen, "adam:/scratch$ ")
    os.write(screen, b"echo still-$((40+2))\n")
    assert "still-42" in _read_until(screen, "adam:/scratch$ ")

    os.write(screen, b"\x04")
    _read_to_the_end(screen)
    assert process.wait(PATIENCE_S) == 0
    assert docker_client.containers.list(all=True, filters={"id": desk.id}) == []
