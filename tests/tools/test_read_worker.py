"""The worker process: frames over pipes, and an answer to every request."""

from __future__ import annotations

import io
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, cast

import pytest
from PIL import Image

from deskgym.tools import worker
from deskgym.tools.frames import FrameError, read_frame, write_frame


class Worker:
    """A worker process and its two pipes."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "deskgym.tools.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    @property
    def requests(self) -> BinaryIO:
        assert self.process.stdin is not None
        return cast(BinaryIO, self.process.stdin)

    def ask(self, op: str, path: Path, **args: Any) -> tuple[dict[str, Any], bytes]:
        self.send({"id": 7, "op": op, "path": str(path), "args": args})
        frame = read_frame(cast(BinaryIO, self.process.stdout))
        assert frame is not None
        assert frame[0]["id"] == 7
        return frame

    def send(self, header: dict[str, Any]) -> None:
        write_frame(self.requests, header)

    def end(self) -> int:
        self.process.communicate(timeout=20)
        return self.process.returncode


@pytest.fixture(scope="module")
def running() -> Iterator[Worker]:
    made = Worker()
    yield made
    assert made.end() == 0  # it ends with its input, after all that it was asked


def test_text_comes_over_the_pipe(running: Worker, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\ntwo – 2\nthree\n")
    reply, payload = running.ask("read_text", tmp_path / "a.txt", lines=[2, 3], max_chars=10)
    assert payload == b""
    assert reply == {
        "id": 7,
        "ok": True,
        "segments": [{"locator": "lines:2", "text": "two – 2\n"}],
        "info": {"mime": "text/plain", "modality": "text", "size": 20, "encoding": "utf-8",
                 "newline": "lf", "lines": 3, "chars": 18},
        "notes": ["cut after line 2 of 3; go on with offset=12 and the same selection"],
        "next_offset": 12,
        "media": [],
    }  # fmt: skip


def test_media_come_as_payload(running: Worker, tmp_path: Path) -> None:
    Image.new("RGB", (40, 30), "red").save(tmp_path / "a.png")
    reply, payload = running.ask("read_image", tmp_path / "a.png", region=[0, 0, 0.5, 1])
    assert reply["media"] == [
        {"mime": "image/png", "size": len(payload), "locator": "region:1@0,0,0.5,1",
         "width": 20, "height": 30}
    ]  # fmt: skip
    assert Image.open(io.BytesIO(payload)).size == (20, 30)
    reply, payload = running.ask("read_original", tmp_path / "a.png")
    assert payload == (tmp_path / "a.png").read_bytes()
    assert reply["media"][0]["width"] is None


def test_info_comes_alone(running: Worker, tmp_path: Path) -> None:
    Image.new("RGB", (40, 30), "red").save(tmp_path / "a.png")
    reply, _ = running.ask("info", tmp_path / "a.png")
    assert reply["segments"] == reply["media"] == []
    assert (reply["info"]["width"], reply["info"]["modality"]) == (40, "image")


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("a.pdf", b"%PDF-1.7\n1 0 obj\n<<", "corrupt"),
        ("a.docx", b"PK\3\4 word/", "corrupt"),
        ("a.png", b"\x89PNG\r\n\x1a\n\0\0", "corrupt"),
        ("a.txt", b"", "empty"),
    ],
)
def test_a_broken_file_is_an_answer_and_no_end(
    running: Worker, tmp_path: Path, name: str, content: bytes, kind: str
) -> None:
    (tmp_path / name).write_bytes(content)
    reply, payload = running.ask("read_text", tmp_path / name)
    assert (reply["ok"], reply["error"]["kind"], payload) == (False, kind, b"")
    assert set(reply["error"]) == {"kind", "message", "remedy"}


@pytest.mark.parametrize(
    ("op", "args"),
    [
        ("format_disk", {}),
        ("read_text", {"volume": 11}),
        ("read_text", {"timeout_s": 0}),
        ("read_text", {"lines": [1, 2, 3]}),
        ("info", {"lines": [1, 2]}),
    ],
)
def test_a_bad_request_is_an_answer(
    running: Worker, tmp_path: Path, op: str, args: dict[str, Any]
) -> None:
    (tmp_path / "a.txt").write_text("x")
    reply, _ = running.ask(op, tmp_path / "a.txt", **args)
    assert reply["error"]["kind"] == "bad_argument"


def test_a_request_without_an_operation_is_an_answer() -> None:
    for request in ({}, {"id": 1, "op": "info"}, {"id": 1, "op": "info", "path": 3}):
        reply, _ = worker.answer(request)
        assert reply["error"]["kind"] == "bad_argument"
    reply, _ = worker.answer({"id": 1, "op": "info", "path": "/a", "args": [1]})
    assert reply["error"]["kind"] == "bad_argument"


def test_what_a_library_prints_does_not_reach_the_stream(running: Worker, tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(b"%PDF-1.7\n" + b"garbage obj stream\n" * 50)
    for _ in range(3):
        reply, _ = running.ask("read_text", tmp_path / "a.pdf")
        assert reply["error"]["kind"] == "corrupt"


@pytest.mark.parametrize(
    ("raised", "kind", "message"),
    [
        (MemoryError(), "out_of_memory", "more memory"),
        (RecursionError("too deep"), "corrupt", "RecursionError: too deep"),
        (ZeroDivisionError("oh"), "corrupt", "ZeroDivisionError: oh"),
    ],
)
def test_unexpected_failures_are_answers(
    monkeypatch: pytest.MonkeyPatch, raised: Exception, kind: str, message: str
) -> None:
    def fail(path: Path) -> dict[str, object]:
        raise raised

    monkeypatch.setattr(worker, "info", fail)
    reply, _ = worker.answer({"id": 1, "op": "info", "path": "/a"})
    assert reply["error"]["kind"] == kind
    assert message in reply["error"]["message"]


def test_a_request_that_takes_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    def hang(path: Path) -> dict[str, object]:
        while True:
            try:
                time.sleep(30)
            except Exception as error:  # noqa: BLE001 - as libraries do; the clock must go on
                print(error)

    monkeypatch.setattr(worker, "info", hang)
    request = {"id": 1, "op": "info", "path": "/a", "args": {"timeout_s": 0.05}}
    reply, _ = worker.answer(request)
    assert reply["error"]["kind"] == "timeout"


def test_a_torn_stream_ends_the_worker_with_an_error() -> None:
    made = Worker()
    made.requests.write(struct.pack(">II", 50, 0) + b"{")
    out, err = made.process.communicate(timeout=20)
    assert (out, made.process.returncode) == (b"", 2)
    assert b"ends inside a frame" in err


class Slow(io.RawIOBase):
    """A stream that gives and takes one byte at a time, as pipes may."""

    def __init__(self, data: bytes = b"") -> None:
        self.data = bytearray(data)

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        part, self.data = bytes(self.data[:1]), self.data[1:]
        return part

    def write(self, data: Any) -> int:
        self.data += bytes(data[:1])
        return min(len(data), 1)


def test_frames_survive_streams_that_move_byte_by_byte() -> None:
    stream: Any = Slow()
    write_frame(stream, {"a": "ü"}, b"\0\xff")
    write_frame(stream, {}, b"")
    assert read_frame(stream) == ({"a": "ü"}, b"\0\xff")
    assert read_frame(stream) == ({}, b"")
    assert read_frame(stream) is None


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\0\0", "lengths"),
        (struct.pack(">II", 2**31, 0), "limits"),
        (struct.pack(">II", 2, 9) + b"{}", "inside a frame"),
        (struct.pack(">II", 2, 0) + b"{]", "not JSON"),
        (struct.pack(">II", 2, 0) + b"[]", "not a JSON object"),
    ],
)
def test_what_is_no_frame_is_refused(data: bytes, message: str) -> None:
    stream: BinaryIO = io.BytesIO(data)
    with pytest.raises(FrameError, match=message):
        read_frame(stream)
