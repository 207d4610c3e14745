"""Which files a command opened: whatever program did, and only in this desk."""

from __future__ import annotations

from pathlib import Path

import pytest
from desk_kit import Backend, run, running, shown, use, write_files

from deskgym.env.sandbox.base import Sandbox

pytestmark = pytest.mark.docker


@pytest.mark.parametrize(
    "command",
    [
        "cat /desk/folder/b.txt",
        "cat folder/b.txt",
        "cat /hippocamp/data/folder/b.txt",
        "cat /desk/../desk/./folder//b.txt",
        "python3 -c \"open('/desk/folder/b.txt').read()\"",
        "rg -q beta folder/b.txt",
        "read -r x <folder/b.txt",
        "cp /bin/cat /scratch/mycat; /scratch/mycat folder/b.txt",
        "ln -s /desk/folder/b.txt /scratch/l; cat /scratch/l",
        "cp folder/b.txt /tmp; mv /tmp/b.txt /tmp/c.txt; cat /tmp/c.txt",
        "cd /desk/folder; exec 3<b.txt; cat /proc/self/fd/3 <&3",
        "return_txt folder/b.txt",
        "(cat folder/b.txt; kill -9 $BASHPID)",
    ],
)
def test_any_program_that_opens_a_file_is_seen(desk: Sandbox, command: str) -> None:
    response = run(desk, command)
    assert response.opened == ("folder/b.txt",)
    assert not response.opened_overflow
    assert run(desk, "true").opened == ()


@pytest.mark.parametrize(
    "command",
    ["ls -laR /desk", "find /desk -name '*.txt'", "stat /desk/a.txt", "tree /desk", "du -a /desk",
     "test -r /desk/a.txt", "list_files '*.txt'", "return_metadata a.txt", "echo /desk/*/*"],
)  # fmt: skip
def test_looking_at_names_opens_nothing(desk: Sandbox, command: str) -> None:
    response = run(desk, command)
    assert response.exit_status == 0
    assert response.opened == ()


def test_searching_everything_opens_everything(desk: Sandbox) -> None:
    response = run(desk, "grep -rl beta /desk")
    assert response.payload == b"/desk/folder/b.txt\n"
    assert sorted(response.opened) == [
        "a.txt", "big.txt", "folder/b.txt", "folder/with space.txt",
    ]  # fmt: skip


def test_what_is_opened_until_a_timeout_is_seen(desk: Sandbox) -> None:
    assert run(desk, "cat a.txt; sleep 100", timeout_s=0.5).opened == ("a.txt",)


def test_a_tool_names_its_file_once(desk: Sandbox) -> None:
    assert use(desk, "read_text", path="/hippocamp/data/a.txt").opened == ("a.txt",)
    assert use(desk, "metadata", path="a.txt").opened == ()
    assert run(desk, "true").opened == ()


def test_a_hard_link_is_told_under_the_name_it_was_opened_by(
    backend: Backend, tmp_path: Path
) -> None:
    root = write_files(tmp_path / "p", {"a.txt": b"alpha\n"})
    (root / "b.txt").hardlink_to(root / "a.txt")
    with running(backend, root) as desk:
        assert run(desk, "cat b.txt").opened == ("b.txt",)
        assert run(desk, "cat a.txt").opened == ("a.txt",)


def test_nobody_elses_openings_are_seen(backend: Backend, files: Path, desk: Sandbox) -> None:
    with running(backend, files) as other:
        run(desk, "true")
        waiting = "touch /tmp/ready; sleep 0.3"
        shown(other, "cat a.txt folder/b.txt")
        (files / "a.txt").read_bytes()
        assert run(desk, waiting).opened == ()
        assert run(other, "cat a.txt").opened == ("a.txt",)
        assert run(desk, "cat folder/b.txt").opened == ("folder/b.txt",)


def test_a_process_left_in_the_background_is_seen_by_the_command_it_meets(desk: Sandbox) -> None:
    shown(desk, "(until [ -e /tmp/go ]; do sleep 0.02; done; cat a.txt; touch /tmp/done) &")
    response = run(desk, "touch /tmp/go; until [ -e /tmp/done ]; do sleep 0.02; done")
    assert response.opened == ("a.txt",)


@pytest.fixture(scope="module")
def wide(backend: Backend, tmp_path_factory: pytest.TempPathFactory) -> Path:
    names = {f"{i % 50:02d}/{i:05d}.txt": b"x" for i in range(2_500)}
    return write_files(tmp_path_factory.mktemp("wide"), names)


def test_more_files_than_are_counted_is_told(backend: Backend, wide: Path) -> None:
    with running(backend, wide) as desk:
        response = run(desk, "cat */* | wc -c")
        assert response.payload == b"2500\n"
        assert len(response.opened) == 2_000
        assert response.opened_overflow
        again = run(desk, "cat 00/*")
        assert (len(again.opened), again.opened_overflow) == (50, False)


@pytest.mark.parametrize("pair", [("00/00000.txt", "01/00001.txt")])
def test_opening_files_without_pause_does_not_hold_up_anything(
    backend: Backend, wide: Path, pair: tuple[str, str]
) -> None:
    first, second = pair
    program = (
        "import os\nwhile True:\n"
        f" os.close(os.open('/desk/{first}', 0)); os.close(os.open('/desk/{second}', 0))"
    )
    with running(backend, wide) as desk:
        for _ in range(3):
            shown(desk, f'python3 -c "{program}" &')
        response = run(desk, "echo on", timeout_s=20)
        assert response.payload == b"on\n"
        assert set(response.opened) <= set(pair)
        assert use(desk, "read_text", path="02/00002.txt").ok
        desk.reset()
        assert run(desk, "sleep 0.1").opened == ()
