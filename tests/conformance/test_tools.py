"""The tools of the desk on paths and files that mean no good."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest
from desk_kit import Backend, check_serves, refusal, run, running, shown, use, write_files

from deskgym.env.sandbox.base import DeskTool, Sandbox

pytestmark = pytest.mark.docker

READERS: tuple[DeskTool, ...] = ("read_text", "read_image", "read_original", "metadata")


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = write_files(
        tmp_path_factory.mktemp("hostile"),
        {
            "a.txt": b"alpha\n",
            "big.txt": b"0123456789abcde\n" * 400_000,
            "notes/Meeting_notes.txt": b"agenda\n",
            "locked.txt": b"for nobody\n",
            "empty.txt": b"",
            "liar.pdf": b"%PDF-1.7\nnothing of the kind",
            "half-a-pair.json": b'{"name": "\\ud800 text"}',
            "latin.txt": "Gr\u00fc\u00dfe".encode("latin-1") + b"\xff\xfe\x00",
            os.fsdecode(b"odd-\xff.txt"): b"odd\n",
            "new\nline.txt": b"lines\n",
            "-rf": b"dash\n",
        },
    )
    (root / "locked.txt").chmod(0)
    (root / "out.txt").symlink_to("/etc/passwd")
    (root / "up.txt").symlink_to("../../../../../../etc/passwd")
    (root / "etc").symlink_to("/etc")
    (root / "self").symlink_to("/proc/self/environ")
    (root / "inner.txt").symlink_to("notes/Meeting_notes.txt")
    (root / "loop").symlink_to("loop")
    (root / "nowhere.txt").symlink_to("/desk/missing.txt")
    os.mkfifo(root / "pipe.txt")
    return root


@pytest.fixture(scope="module")
def hostile_desk(backend: Backend, hostile: Path) -> Iterator[Sandbox]:
    with running(backend, hostile) as desk:
        yield desk


@pytest.mark.parametrize("tool", READERS)
@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("../etc/passwd", "outside_profile"),
        ("notes/../../etc/passwd", "outside_profile"),
        ("notes/../a.txt", "outside_profile"),
        ("/etc/passwd", "outside_profile"),
        ("/desk/../etc/passwd", "outside_profile"),
        ("//desk/a.txt", "outside_profile"),
        ("/deskx/a.txt", "outside_profile"),
        ("a.txt\0.png", "bad_argument"),
        ("\0", "bad_argument"),
        ("x" * 4_097, "bad_argument"),
        ("\u00e9" * 3_000, "bad_argument"),
        ("d/" * 2_048 + "a.txt", "bad_argument"),
        ("x" * 4_000, "not_found"),
        ("", "bad_argument"),
        (7, "bad_argument"),
        (["a.txt"], "bad_argument"),
        (None, "bad_argument"),
        ("out.txt", "outside_profile"),
        ("up.txt", "outside_profile"),
        ("etc/passwd", "outside_profile"),
        ("self", "outside_profile"),
        ("loop", "not_a_file"),
        ("nowhere.txt", "not_a_file"),
        ("notes", "not_a_file"),
        (".", "not_a_file"),
        ("/desk", "not_a_file"),
        ("pipe.txt", "not_a_file"),
        ("a.txt/b", "not_found"),
        ("missing.txt", "not_found"),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_a_path_that_is_none_is_refused(
    hostile_desk: Sandbox, tool: DeskTool, path: object, kind: str
) -> None:
    assert refusal(hostile_desk, tool, path=path) == kind


def test_what_is_refused_is_explained(hostile_desk: Sandbox) -> None:
    error = use(hostile_desk, "read_text", path="notes/Meeting_note.txt").error
    assert error is not None
    assert error.message == "no such file: 'notes/Meeting_note.txt'"
    assert error.remedy.startswith("did you mean 'notes/Meeting_notes.txt'")
    error = use(hostile_desk, "read_text", path="/etc/passwd").error
    assert error is not None
    assert "list_files" in error.remedy


@pytest.mark.parametrize(
    ("tool", "path", "kind"),
    [
        ("read_text", "locked.txt", "unreadable"),
        ("read_image", "locked.txt", "unreadable"),
        ("read_original", "locked.txt", "unreadable"),
        ("read_text", "empty.txt", "empty"),
        ("read_image", "empty.txt", "empty"),
    ],
)
def test_a_file_that_cannot_be_read_says_why(
    hostile_desk: Sandbox, tool: DeskTool, path: str, kind: str
) -> None:
    assert refusal(hostile_desk, tool, path=path) == kind


@pytest.mark.parametrize("path", ["liar.pdf", "latin.txt", "half-a-pair.json"])
@pytest.mark.parametrize("tool", ["read_text", "read_image"])
def test_a_file_that_is_not_what_it_seems_breaks_nothing(
    hostile_desk: Sandbox, tool: DeskTool, path: str
) -> None:
    response = use(hostile_desk, tool, path=path)
    assert response.ok or response.error is not None
    response.model_dump_json(exclude={"payload"})  # as a log would write it
    check_serves(hostile_desk)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.txt", "alpha"), ("./a.txt", "alpha"), ("/desk/a.txt", "alpha"),
        ("/hippocamp/data/notes//Meeting_notes.txt", "agenda"), ("inner.txt", "agenda"),
        ("-rf", "dash"), ("new\nline.txt", "lines"), (os.fsdecode(b"odd-\xff.txt"), "odd"),
    ],
)  # fmt: skip
def test_a_path_may_be_spelled_in_several_ways(hostile_desk: Sandbox, path: str, text: str) -> None:
    response = use(hostile_desk, "read_text", path=path)
    assert "".join(s.text for s in response.segments).strip() == text, response
    response.model_dump_json(exclude={"payload"})


def test_a_name_that_is_no_unicode_can_be_told(hostile_desk: Sandbox) -> None:
    response = run(hostile_desk, "cat odd-*; return_txt odd-*")
    assert response.opened == ("odd-?.txt",)
    assert {used.path for used in response.tool_uses} <= {"odd-?.txt", None}
    response.model_dump_json(exclude={"payload"})


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("read_text", {"path": "a.txt", "colour": "red"}),
        ("read_text", {"path": "a.txt", "lines": "all of them"}),
        ("read_text", {"path": "a.txt", "lines": [3]}),
        ("read_text", {"path": "a.txt", "offset": -1}),
        ("read_text", {"path": "a.txt", "offset": {"deep": 1}}),
        ("read_text", {"path": "a.txt", "cells": "x" * 5_000}),
        ("read_image", {"path": "a.txt", "region": [0, 0, 9, 9]}),
        ("read_image", {"path": "a.txt", "dpi": 10**9}),
        ("read_original", {"path": "a.txt", "max_bytes": "many"}),
        ("list_files", {"pattern": ["*"] * 9}),
        ("metadata", {}),
    ],
)
def test_arguments_that_do_not_fit_are_refused(
    hostile_desk: Sandbox, tool: DeskTool, args: dict[str, object]
) -> None:
    response = use(hostile_desk, tool, **args)
    assert not response.ok
    assert response.error is not None
    assert response.error.message
    check_serves(hostile_desk)


@pytest.mark.parametrize("tool", get_args(DeskTool))
def test_a_tool_that_is_off_does_nothing(backend: Backend, hostile: Path, tool: DeskTool) -> None:
    with running(backend, hostile, tools=()) as desk:
        args = {} if tool == "list_files" else {"path": "a.txt"}
        assert refusal(desk, tool, **args) == "switched_off"


def worker_of(backend: Backend, desk: Sandbox) -> str:
    status, pid = backend.inside(desk, "pgrep", "-u", "1001")
    assert status == 0
    return pid.strip()


def test_a_worker_that_dies_while_idle_is_replaced(backend: Backend, hostile_desk: Sandbox) -> None:
    assert use(hostile_desk, "read_text", path="a.txt").ok
    for _ in range(3):
        first = worker_of(backend, hostile_desk)
        # Dead, and not only about to be: one that is may still take a request along with it.
        kill = f"kill -9 {first}; while kill -0 {first} 2>/dev/null; do sleep 0.01; done"
        assert backend.inside(hostile_desk, "sh", "-c", kill)[0] == 0
        assert use(hostile_desk, "read_text", path="a.txt").ok
        assert worker_of(backend, hostile_desk) != first


def test_a_file_that_a_dead_worker_never_came_to_is_read_by_the_next(
    backend: Backend, hostile_desk: Sandbox
) -> None:
    assert use(hostile_desk, "read_text", path="a.txt").ok
    first = worker_of(backend, hostile_desk)
    stop = f"kill -STOP {first}; until grep -q 'State:.T' /proc/{first}/status; do sleep 0.01; done"
    kill = f"{stop}; (sleep 0.3; kill -9 {first}) >/dev/null 2>&1 &"
    assert backend.inside(hostile_desk, "sh", "-c", kill)[0] == 0
    assert use(hostile_desk, "read_text", path="a.txt").ok


def test_a_worker_that_dies_again_and_again_is_told_and_replaced(
    backend: Backend, hostile_desk: Sandbox
) -> None:
    # Starting one takes far longer than the pause.
    kill = "pkill -9 -u 1001; (until [ -e /tmp/stop ]; do pkill -9 -u 1001; sleep 0.01; done) "
    backend.inside(hostile_desk, "sh", "-c", kill + ">/dev/null 2>&1 &")
    try:
        assert refusal(hostile_desk, "read_text", path="a.txt") == "out_of_memory"
        assert refusal(hostile_desk, "read_image", path="big.txt") == "out_of_memory"
    finally:
        shown(hostile_desk, "touch /tmp/stop; sleep 0.3")
    check_serves(hostile_desk)


def test_a_worker_asked_from_the_terminal_may_die_too(
    backend: Backend, hostile_desk: Sandbox
) -> None:
    assert use(hostile_desk, "read_text", path="a.txt").ok
    kill = "(until [ -e /tmp/go ]; do sleep 0.01; done; for i in 1 2 3 4 5 6 7 8; do "
    kill += "pkill -9 -u 1001; sleep 0.05; done) >/dev/null 2>&1 &"
    assert backend.inside(hostile_desk, "sh", "-c", kill)[0] == 0
    reads = "seq 40 | xargs -P 8 -I{} sh -c 'return_txt a.txt >/dev/null; echo' | wc -l"
    assert shown(hostile_desk, f"touch /tmp/go; {reads}; rm /tmp/go", timeout_s=60) == "40\n"
    check_serves(hostile_desk)


def test_a_file_that_unpacks_to_more_than_there_is_breaks_nothing(
    backend: Backend, tmp_path: Path
) -> None:
    root = write_files(tmp_path / "bombs", {"a.txt": b"alpha\n"})
    with zipfile.ZipFile(root / "bomb.xlsx", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        with archive.open("xl/workbook.xml", "w", force_zip64=True) as member:
            for _ in range(300):
                member.write(b" " * (1 << 20))
    laughs = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 10))
    xml = f'<!DOCTYPE x [<!ENTITY l0 "ha">{laughs}]><x>&l9;</x>'
    (root / "laughs.xml").write_text(xml)
    svg = '<svg width="1e9" height="1e9" xmlns="http://www.w3.org/2000/svg"/>'
    (root / "wide.svg").write_text(svg)
    with running(backend, root) as desk:
        for path in ("bomb.xlsx", "laughs.xml", "wide.svg"):
            for tool in ("read_text", "read_image"):
                response = use(desk, tool, path=path)
                assert response.ok or response.error is not None
        check_serves(desk)
