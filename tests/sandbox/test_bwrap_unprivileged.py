"""Desks of users without any privilege: what holds, what is said, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from strangers import ALONE, RANGED, Stranger, open_folder, stranger

from deskgym.env.sandbox.rootfs import ensure_rootfs, save_rootfs

pytestmark = pytest.mark.docker

CLI = "from deskgym.cli.main import main; import sys; sys.argv[0] = 'deskgym'; main()"
DESK = """
import json, sys
from pathlib import Path
from typing import get_args
from deskgym.env.sandbox.base import *
from deskgym.env.sandbox.bwrap import BwrapSandbox
TOOLS = get_args(DeskTool)
def shown(desk, command, **more):
    return desk.request(ExecRequest(command=command, **more)).payload.decode()
def refusal(call, *arguments):
    try:
        call(*arguments)
    except CannotEnforce as error:
        return str(error)
def configure(desk, *tools):
    desk.configure("Ann", ({"id": 1, "path": "a.txt", "type": "txt", "modality": "text",
        "created": "2024-03-01T09:30:00", "modified": "2024-03-01T09:30:00"},), tools)
def read(desk):
    asked = ToolRequest(tool="read_text", args={"path": "a.txt"})
    return [s.text.strip() for s in desk.request(asked).segments]
"""


@pytest.fixture(scope="module")
def place() -> Iterator[Path]:
    with open_folder() as folder:
        yield folder


@pytest.fixture(scope="module")
def archive(place: Path) -> Path:
    """The root file system as root hands it on."""
    file = place / "desk.tar"
    save_rootfs(ensure_rootfs(say=print), file)
    file.chmod(0o644)
    return file


def equipped(uid: int, home: Path, archive: Path) -> Stranger:
    user = stranger(uid, home)
    command = ("image", "build", "--rootfs", "--from", str(archive))
    made = user.run(CLI, *command)
    assert made.returncode == 0, made.stderr
    return user


@pytest.fixture(scope="module")
def alone(place: Path, archive: Path) -> Stranger:
    return equipped(ALONE, place / "alone", archive)


@pytest.fixture(scope="module")
def ranged(place: Path, archive: Path) -> Stranger:
    return equipped(RANGED, place / "ranged", archive)


@pytest.fixture(scope="module")
def files(place: Path) -> Path:
    folder = place / "files"
    folder.mkdir()
    (folder / "a.txt").write_text("alpha\n")
    return folder


def told(user: Stranger, program: str, files: Path) -> dict[str, object]:
    run = user.run(DESK + program, str(files))
    assert run.returncode == 0, run.stderr
    answer: dict[str, object] = json.loads(run.stdout)
    return answer


def test_with_ranges_of_users_a_desk_is_as_roots_but_for_its_limits(
    ranged: Stranger, files: Path
) -> None:
    answer = told(
        ranged,
        """
with BwrapSandbox(Path(sys.argv[1])) as desk:
    configure(desk, "terminal", "read_text")
    print(json.dumps({
        "users": desk.guarantees.separate_users, "memory": desk.guarantees.memory,
        "pids": desk.guarantees.pids, "missing": len(desk.guarantees.missing),
        "id": shown(desk, "id -u; id -G; cat /desk/a.txt; touch /desk/x 2>&1 | grep -c Read-only"),
        "caps": shown(desk, "grep -hE 'Cap(Eff|Bnd)' /proc/self/status | cut -f2"),
        "tools": shown(desk, "cat /opt/deskgym/lib/deskgym/tools/worker.py 2>&1 | grep -c denied"),
        "kill": shown(desk, "kill -9 1 2>&1 | grep -c 'not permitted'"),
        "opened": desk.request(ExecRequest(command="cat a.txt")).opened,
        "read": read(desk),
        "reset": desk.reset(),
        "bomb": desk.request(ExecRequest(command=":(){ :|:& };:", timeout_s=3)).ok,
        "after": "on" in shown(desk, "echo on"),
        "left": shown(desk, "ls -A /scratch /tmp; pgrep -u 1000 sleep || echo none"),
    }))
""",
        files,
    )
    assert answer == {
        "users": True, "memory": "process", "pids": "user", "missing": 2,
        "id": "1000\n1000\nalpha\n1\n",
        "caps": "0000000000000000\n00000000000000e0\n",
        "tools": "1\n", "kill": "1\n", "opened": ["a.txt"], "read": ["alpha"], "reset": None,
        "bomb": True, "after": True,
        "left": "/scratch:\noutput\n\n/tmp:\nnone\n",
    }  # fmt: skip


def test_with_one_user_a_desk_works_and_says_what_it_lacks(alone: Stranger, files: Path) -> None:
    answer = told(
        alone,
        """
with BwrapSandbox(Path(sys.argv[1])) as desk:
    configure(desk, "terminal", *TOOLS)
    shown(desk, "touch /scratch/x; setsid -f sleep 300; cd /tmp; export A=1")
    read_first = read(desk)
    desk.reset()
    print(json.dumps({
        "separate": [desk.separate, desk.guarantees.separate_users],
        "missing": desk.guarantees.missing[0],
        "id": shown(desk, "id -un; cat a.txt; touch /desk/x 2>&1 | grep -c Read-only; pwd"),
        "caps": shown(desk, "grep -hE 'CapEff' /proc/self/status | cut -f2"),
        "net": shown(desk, "ls /sys/class/net; awk 'NR > 2 { print $1 }' /proc/net/dev"),
        "runner": shown(desk, "for f in environ fd mem; do cat /proc/1/$f 2>&1; ls /proc/1/fd 2>&1;"
                              " done | grep -vc denied; kill -9 1; echo survived"),
        "opened": desk.request(ExecRequest(command="cat a.txt")).opened,
        "left": shown(desk, "ls -A /scratch /tmp; pgrep sleep || echo none; echo $A"),
        "read": [read_first, read(desk)],
        "after kill -9 -1": shown(desk, "kill -9 -1; echo on") + shown(desk, "echo on"),
        "timeout": shown(desk, "sleep 100", timeout_s=0.5),
        "then": [shown(desk, "echo on"), read(desk)],
        "bomb": desk.request(ExecRequest(command=":(){ :|:& };:", timeout_s=3)).ok,
        "after it": "on" in shown(desk, "echo on"),
    }))
""",
        files,
    )
    assert "newuidmap" in str(answer.pop("missing"))
    assert "all processes ended" in str(answer.pop("timeout"))
    assert answer == {
        "separate": [False, False],
        "id": "desk\nalpha\n1\n/desk\n",
        "caps": "0000000000000000\n",
        "net": "lo\nlo:\n",
        "runner": "0\nsurvived\n",
        "opened": ["a.txt"],
        "left": "/scratch:\noutput\n\n/tmp:\nnone\n\n",
        "read": [["alpha"], ["alpha"]],
        "after kill -9 -1": "on\non\n",
        "then": ["on\n", ["alpha"]],
        "bomb": True,
        "after it": True,
    }


def test_with_one_user_a_switch_that_commands_get_round_is_refused(
    alone: Stranger, files: Path
) -> None:
    answer = told(
        alone,
        """
with BwrapSandbox(Path(sys.argv[1])) as desk:
    print(json.dumps({
        "switch": refusal(configure, desk, "terminal", "list_files", "metadata"),
        "all on": refusal(configure, desk, "terminal", *TOOLS),
        "commands": shown(desk, "echo on"),
        "none": refusal(configure, desk, "read_text"),
        "tool": read(desk),
        "command": refusal(shown, desk, "cat /desk/a.txt"),
        "on again": refusal(configure, desk, "terminal", *TOOLS),
        "then": shown(desk, "echo on"),
    }))
""",
        files,
    )
    switch, command = str(answer.pop("switch")), str(answer.pop("command"))
    for text in (switch, command):
        assert "read_image" in text
        assert "/etc/subuid" in text
        assert "newuidmap" in text
    assert "switch terminal off too" in switch
    assert "no command is run" in command
    assert answer == {
        "all on": None, "commands": "on\n", "none": None, "tool": ["alpha"], "on again": None,
        "then": "on\n",
    }  # fmt: skip


def test_one_user_cannot_build_a_root_file_system_and_is_told_how_to_have_one(
    place: Path,
) -> None:
    user = stranger(ALONE, place / "poor")
    run = user.run(CLI, "image", "build", "--rootfs")
    assert run.returncode == 3
    for part in ("--rootfs --to FILE", "--rootfs --from FILE", "/etc/subuid"):
        assert part in run.stderr


def test_doctor_tells_such_a_user_what_desks_lack(alone: Stranger) -> None:
    run = alone.run(CLI, "doctor", "--json")
    checks = json.loads(run.stdout)
    assert run.returncode == 0, run.stdout
    by_status = {(c["name"], c["status"]) for c in checks}
    assert {("engine", "warn"), ("bwrap", "ok"), ("rootfs", "ok")} <= by_status
    lacking = " ".join(c["detail"] for c in checks if (c["name"], c["status"]) == ("bwrap", "warn"))
    for word in ("one user", "memory", "processors"):
        assert word in lacking


def test_a_run_of_theirs_says_what_its_desks_are_made_by(alone: Stranger) -> None:
    out = alone.home / "run"
    words = ("run", "adam", "--agent", "null", "--tasks", "adam-001", "--out", str(out))
    run = alone.run(CLI, *words)
    assert run.returncode == 0, run.stderr
    assert "no container engine answers: desks are made by bwrap" in run.stderr
    assert json.loads((out / "run.json").read_text())["sandbox"] == "bwrap"
    refused = alone.run(CLI, *words[:-1], str(alone.home / "refused"), "--tools", "config1")
    assert refused.returncode == 1
    assert "CannotEnforce" in refused.stderr or "cannot keep commands" in refused.stderr
