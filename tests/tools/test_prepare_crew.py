"""The program that prepares a whole profile: no file stops it, and no end of it loses work."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from deskgym.tools.prepare import EXIT_FATAL, _crash
from deskgym.tools.store import RECORD, Objects, object_name

KEY = "k" * 16
GIB = 1 << 30


def plan(desk: Path, **changed: Any) -> dict[str, Any]:
    files = []
    for path in sorted(p for p in desk.rglob("*") if not p.is_dir()):
        name = path.relative_to(desk).as_posix()
        plain = path.is_file()
        sha = hashlib.sha256(path.read_bytes() if plain else name.encode()).hexdigest()
        size = path.stat().st_size if plain else 0
        files.append(
            {"path": name, "sha256": sha, "size": size, "object": object_name(name, sha, KEY)}
        )
    return {
        "run": "r", "tool_key": KEY, "ocr": None, "asr": None, "jobs": 2, "memory": 4 * GIB,
        "timeout_s": 60, "files": files,
    } | changed  # fmt: skip


def started(desk: Path, out: Path) -> subprocess.Popen[str]:
    command = [
        sys.executable,
        "-m",
        "deskgym.tools.prepare",
        "--desk",
        str(desk),
        "--out",
        str(out),
    ]
    return subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )


def ran(desk: Path, out: Path, work: dict[str, Any]) -> tuple[int, list[dict[str, Any]]]:
    """The exit status, and what was told."""
    process = started(desk, out)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps(work) + "\n")
    process.stdin.flush()
    told = [json.loads(line) for line in process.stdout]  # its owner stays until it has ended
    status = process.wait()
    process.stdin.close()
    process.stdout.close()
    return status, told


def records(out: Path) -> dict[str, bytes]:
    return {f.parent.name: f.read_bytes() for f in (out / "objects").rglob(RECORD)}


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    folder = tmp_path / "desk"
    (folder / "sub").mkdir(parents=True)
    for number in range(12):
        (folder / f"{number}.txt").write_text(f"note {number}\n")
    (folder / "sub" / "again.txt").write_text("note 3\n")
    (folder / "empty.txt").touch()
    (folder / "torn.pdf").write_bytes(b"%PDF-1.7\n")
    return folder


def test_every_content_is_read_once_and_failures_say_why(desk: Path, tmp_path: Path) -> None:
    status, told = ran(desk, tmp_path / "out", plan(desk))
    assert status == 0
    assert told[-1] == {"end": True}
    errors = {line["done"]: line["error"] for line in told[:-1]}
    assert len(errors) == 14  # of fifteen files, two are equal
    failed = {path: error["kind"] for path, error in errors.items() if error}
    assert failed == {"empty.txt": "empty", "torn.pdf": "corrupt"}
    assert len(records(tmp_path / "out")) == 14
    assert not (tmp_path / "out" / ".new" / "r").exists()


def test_one_job_and_three_come_to_the_same(desk: Path, tmp_path: Path) -> None:
    for jobs in (1, 3):
        ran(desk, tmp_path / f"out{jobs}", plan(desk, jobs=jobs))
    assert records(tmp_path / "out1") == records(tmp_path / "out3")


def test_what_never_ends_is_ended_and_the_rest_goes_on(desk: Path, tmp_path: Path) -> None:
    os.mkfifo(desk / "pipe")  # whoever opens it waits for ever
    status, told = ran(desk, tmp_path / "out", plan(desk, timeout_s=3, jobs=1))
    errors = {line["done"]: line["error"] for line in told if "done" in line}
    assert status == 0
    assert errors["pipe"]["kind"] == "timeout"
    assert errors["11.txt"] is None
    assert len(errors) == 15


def test_what_takes_too_much_memory_is_ended(desk: Path, tmp_path: Path) -> None:
    os.mkfifo(desk / "pipe")  # so that the reader is surely looked at
    for path in desk.glob("*.txt"):
        path.unlink()
    status, told = ran(desk, tmp_path / "out", plan(desk, memory=1 << 20, jobs=1))
    errors = {line["done"]: line["error"] for line in told if "done" in line}
    assert status == 0
    assert errors["pipe"]["kind"] == "out_of_memory"


def test_a_file_that_changed_gets_no_record(desk: Path, tmp_path: Path) -> None:
    work = plan(desk)
    (desk / "5.txt").write_text("something else\n")
    (desk / "6.txt").unlink()
    status, told = ran(desk, tmp_path / "out", work)
    errors = {line["done"]: line["error"] for line in told if "done" in line}
    assert status == 0
    assert errors["5.txt"]["kind"] == errors["6.txt"]["kind"] == "unreadable"
    assert len(records(tmp_path / "out")) == 12


def test_killed_at_any_moment_it_goes_on_to_the_same_records(desk: Path, tmp_path: Path) -> None:
    ran(desk, tmp_path / "whole", plan(desk))
    expected = records(tmp_path / "whole")
    out, objects = tmp_path / "out", Objects(tmp_path / "out" / "objects")
    for lines in (0, 1, 4):
        work = plan(desk, run=f"r{lines}", jobs=1)
        work["files"] = [f for f in work["files"] if not objects.has(f["object"])]
        process = started(desk, out)
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(work) + "\n")
        process.stdin.flush()
        for _ in range(lines):
            process.stdout.readline()
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdin.close()
        process.stdout.close()
        # Whatever is there is whole.
        assert records(out).items() <= expected.items()
    work = plan(desk)
    work["files"] = [f for f in work["files"] if not objects.has(f["object"])]
    assert len(work["files"]) < 14
    assert ran(desk, out, work)[0] == 0
    assert records(out) == expected


def test_it_ends_with_its_owner(desk: Path, tmp_path: Path) -> None:
    os.mkfifo(desk / "pipe")
    process = started(desk, tmp_path / "out")
    assert process.stdout is not None
    process.communicate(json.dumps(plan(desk, jobs=1)) + "\n")  # which closes its standard input
    assert process.returncode == EXIT_FATAL


def test_a_missing_engine_is_told_before_anything_is_read(desk: Path, tmp_path: Path) -> None:
    status, told = ran(desk, tmp_path / "out", plan(desk, asr="abacus:beads"))
    assert status == EXIT_FATAL
    assert "abacus" in told[0]["fatal"]
    assert not (tmp_path / "out" / "objects").exists()


def test_weights_that_are_none_stop_the_run_and_blame_no_file(desk: Path, tmp_path: Path) -> None:
    pytest.importorskip("whisper", reason="openai-whisper is not installed")
    import wave

    with wave.open(str(desk / "tone.wav"), "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(16_000)
        sound.writeframes(bytes(32_000))
    weights = tmp_path / "none.pt"
    weights.write_bytes(b"these are no weights")
    status, told = ran(desk, tmp_path / "out", plan(desk, asr=f"openai:{weights}"))
    assert status == EXIT_FATAL
    assert "none.pt" in told[-1]["fatal"]
    assert not any(line.get("done") == "tone.wav" for line in told)


@pytest.mark.parametrize(
    ("status", "kind"), [(-signal.SIGSEGV, "corrupt"), (3, "corrupt"), (-9, "out_of_memory")]
)
def test_a_crash_is_told_from_a_want_of_memory(status: int, kind: str) -> None:
    assert _crash(status).kind == kind
