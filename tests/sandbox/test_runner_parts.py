"""The runner's parts that need no desk: frames, the cap on output, paths, arguments, openings."""

from __future__ import annotations

import contextlib
import io
import itertools
import json
import os
import struct
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskgym.env.sandbox.wire import StreamSplitter
from deskgym.sandbox_images.desk import commands, output
from deskgym.sandbox_images.desk.commands import Refused
from deskgym.sandbox_images.desk.files import Files, ToolFault, relative
from deskgym.sandbox_images.desk.framing import FrameError, FrameReader, pack, pack_readable
from deskgym.sandbox_images.desk.opened import MAX_NAMES, OpenedFiles
from deskgym.sandbox_images.desk.output import Output
from deskgym.sandbox_images.desk.wipe import empty_folder

PLAIN = st.none() | st.booleans() | st.integers() | st.text()
HEADERS = st.dictionaries(st.text(), PLAIN | st.lists(PLAIN), max_size=5)
FRAMES = st.lists(st.tuples(HEADERS, st.binary(max_size=300)), max_size=5)


def pieces_of(data: bytes, cuts: list[int]) -> list[bytes]:
    at = [0, *sorted(cut % (len(data) + 1) for cut in cuts), len(data)]
    return [data[a:b] for a, b in itertools.pairwise(at)]


class TestFrames:
    @given(FRAMES, st.lists(st.integers(min_value=0), max_size=8))
    def test_frames_come_out_as_they_went_in_however_they_are_cut(
        self, frames: list[tuple[dict[str, Any], bytes]], cuts: list[int]
    ) -> None:
        reader = FrameReader()
        got = []
        for piece in pieces_of(b"".join(pack(h, p) for h, p in frames), cuts):
            reader.feed(piece)
            while (frame := reader.next()) is not None:
                got.append(frame)
        assert got == frames
        assert reader.next() is None

    @given(st.dictionaries(st.text(), st.text(), max_size=4), st.binary(max_size=99))
    def test_both_ways_to_pack_say_the_same(self, header: dict[str, str], payload: bytes) -> None:
        reader = FrameReader()
        reader.feed(pack_readable(header, payload))
        assert reader.next() == (header, payload)

    def test_half_a_character_is_kept_or_replaced(self) -> None:
        reader = FrameReader()
        reader.feed(pack({"path": "a\udcff"}) + pack_readable({"path": "a\udcff"}))
        assert reader.next() == ({"path": "a\udcff"}, b"")
        assert reader.next() == ({"path": "a?"}, b"")

    @pytest.mark.parametrize(
        "data",
        [
            b"HTTP/1.1 200 OK\r\n",
            struct.pack(">II", 101, 0),
            struct.pack(">II", 0, 51),
            struct.pack(">II", 2, 0) + b"[]",
            struct.pack(">II", 1, 0) + b"{",
            struct.pack(">II", 2, 0) + b"\xff\xfe",
            struct.pack(">II", 0, 0),
        ],
    )
    def test_what_is_no_frame_is_an_error(self, data: bytes) -> None:
        reader = FrameReader(max_header=100, max_payload=50)
        reader.feed(data)
        with pytest.raises(FrameError):
            reader.next()

    def test_nesting_beyond_measure_is_an_error(self) -> None:
        reader = FrameReader()
        reader.feed(struct.pack(">II", 200_000, 0) + b"[" * 200_000)
        with pytest.raises(FrameError):
            reader.next()

    @given(
        st.lists(st.tuples(st.sampled_from([1, 2]), st.binary(max_size=99)), max_size=6),
        st.lists(st.integers(min_value=0), max_size=8),
    )
    def test_an_engines_stream_comes_apart(
        self, written: list[tuple[int, bytes]], cuts: list[int]
    ) -> None:
        stream = b"".join(struct.pack(">BxxxI", which, len(data)) + data for which, data in written)
        splitter = StreamSplitter()
        got = [piece for data in pieces_of(stream, cuts) for piece in splitter.feed(data)]
        assert got == written


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("scratch")


class TestOutput:
    @pytest.fixture(autouse=True)
    def _here(self, scratch: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(output, "SCRATCH", str(scratch))
        monkeypatch.setattr(output, "AGENT_UID", os.geteuid())

    @pytest.fixture(autouse=True)
    def _as_myself(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(output, "as_user", lambda uid: contextlib.nullcontext())

    @pytest.mark.parametrize("cap", [1_000, 1_001])
    @pytest.mark.parametrize("size", [0, 1, 999, 1_000, 1_001, 1_002, 1_500, 5_000, 100_000])
    @pytest.mark.parametrize("step", [1_000_000, 700, 13])
    def test_head_and_tail_are_kept_and_all_is_in_the_file(
        self, scratch: Path, cap: int, size: int, step: int
    ) -> None:
        data = bytes(i * i // 7 % 251 for i in range(size))
        taken = Output(cap, serial=os.getpid() * 10_000_000 + size * 100 + step % 97 + cap)
        for at in range(0, size, step):
            taken.add(data[at : at + step])
        shown = taken.finish()
        assert taken.total == size
        if size <= cap:
            assert shown == data
            assert taken.spool_path is None
            return
        half = cap // 2
        assert (shown[:half], shown[-half:]) == (data[:half], data[-half:])
        assert f"[... {size - 2 * half} bytes left out; ".encode() in shown[half:-half]
        assert taken.spool_path is not None
        assert taken.spool_path.encode() in shown
        spool = Path(taken.spool_path)
        assert spool.read_bytes() == data
        spool.unlink()

    def test_a_file_that_is_in_the_way_is_told_and_left_alone(self, scratch: Path) -> None:
        (scratch / ".output-7").write_text("the agent's own")
        taken = Output(1_000, serial=7)
        taken.add(b"x" * 5_000)
        assert b"it could not be kept" in taken.finish()
        assert taken.spool_path is None
        assert (scratch / ".output-7").read_text() == "the agent's own"


class TestPaths:
    @pytest.mark.parametrize(
        ("path", "inner"),
        [
            ("a.txt", "a.txt"), ("./a.txt", "a.txt"), ("b//c.txt", "b/c.txt"),
            ("/desk/a.txt", "a.txt"), ("/hippocamp/data/b/c.txt", "b/c.txt"),
            ("/desk", "."), ("/desk/", "."), ("..a/b..", "..a/b.."), (" ", " "),
        ],
    )  # fmt: skip
    def test_spellings(self, path: str, inner: str) -> None:
        assert relative(path) == inner

    @pytest.mark.parametrize(
        ("path", "kind"),
        [
            ("..", "outside_profile"), ("a/../b", "outside_profile"), ("/", "outside_profile"),
            ("/etc/passwd", "outside_profile"), ("/desk/..", "outside_profile"),
            ("/desk//etc", "outside_profile"), ("/desks", "outside_profile"),
            ("a\0", "bad_argument"), ("x" * 4_097, "bad_argument"), ("\ud800", "bad_argument"),
            ("é" * 2_049, "bad_argument"), ("", "bad_argument"), (b"a", "bad_argument"),
            (None, "bad_argument"), ({}, "bad_argument"),
        ],
    )  # fmt: skip
    def test_refusals(self, path: object, kind: str) -> None:
        with pytest.raises(ToolFault) as told:
            relative(path)
        assert told.value.kind == kind
        assert len(told.value.message) < 400

    @given(st.text(st.characters(exclude_categories=[]), max_size=60) | st.sampled_from("./\0"))
    def test_whatever_is_let_through_stays_inside(self, path: str) -> None:
        try:
            inner = relative(path)
        except ToolFault:
            return
        assert not inner.startswith("/")
        assert ".." not in inner.split("/")
        assert os.path.normpath(inner) == inner


class TestSelect:
    FILES = Files(
        [
            {"path": path, "modality": modality, "modified": f"2024-0{month}-01T00:00:00"}
            for path, modality, month in [
                ("Work/Lease.PDF", "document", 1),
                ("Work/old/lease_v1.pdf", "document", 2),
                ("Photos/[1].jpg", "image", 3),
                ("notes.txt", "text", 4),
            ]
        ]
    )

    @pytest.mark.parametrize(
        ("asked", "found"),
        [
            ({}, 4), ({"pattern": ""}, 4), ({"pattern": "*"}, 4), ({"pattern": "."}, 4),
            ({"pattern": "*.pdf"}, 2), ({"pattern": "Work/*.pdf"}, 2), ({"pattern": "lease*"}, 2),
            ({"pattern": "work"}, 2), ({"pattern": "/desk/Work"}, 2), ({"pattern": "./notes"}, 1),
            ({"pattern": "/hippocamp/data/*.txt"}, 1), ({"pattern": "[[]1].jpg"}, 1),
            ({"pattern": "nothing*"}, 0), ({"pattern": "[" * 3_000}, 0), ({"pattern": 7}, 0),
            ({"modality": "image"}, 1), ({"modified_after": "2024-02-01T00:00:00"}, 3),
            ({"modified_before": "2024-02-01T00:00:00"}, 2),
            ({"pattern": "*.pdf", "modified_after": "2024-01-15"}, 1),
        ],
    )  # fmt: skip
    def test_what_fits(self, asked: dict[str, Any], found: int) -> None:
        records = self.FILES.select(**asked)
        assert len(records) == found
        assert [r["path"] for r in records] == sorted(r["path"] for r in records)

    @given(st.text(max_size=30), st.text(max_size=10))
    def test_no_pattern_is_too_odd(self, pattern: str, modality: str) -> None:
        assert len(self.FILES.select(pattern=pattern, modality=modality)) <= 4


class TestCommands:
    def said(self, *argv: str) -> tuple[int, dict[str, Any]]:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            status = commands.main([f"/usr/local/bin/{argv[0]}", *argv[1:]])
        return status, json.loads(printed.getvalue())

    @pytest.fixture(autouse=True)
    def asked(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[Any]:
        """What a runner was asked that has a picture of each of a file's three pages."""
        asked: list[Any] = []

        def ask(tool: str, **args: Any) -> tuple[dict[str, Any], bytes]:
            asked.append((tool, args))
            picture = {"info": {"pages": 3}, "media": [{"mime": "image/png"}]}
            return picture, b"page %d" % (args.get("page") or 1)

        monkeypatch.setattr(commands, "ask", ask)
        monkeypatch.setattr(commands, "OUTPUT", str(tmp_path))
        monkeypatch.setattr(commands, "OUTPUT_FOLDER", str(tmp_path))
        return asked

    @pytest.mark.parametrize(
        ("argv", "pages", "names"),
        [
            (["f.pdf"], [None, 2, 3], ["f_page1.png", "f_page2.png", "f_page3.png"]),
            (["f.pdf", "--page", "2"], [2], ["f_page2.png"]),
            (["--page", "3", "f.pdf"], [3], ["f_page3.png"]),
            (["f.pdf", "OUT/x.png"], [None, 2, 3], ["x.png", "x_page2.png", "x_page3.png"]),
            (["f.pdf", "--page", "1", "OUT/x"], [1], ["x"]),
        ],
    )
    def test_return_img_takes_its_arguments_in_any_order(
        self,
        asked: list[Any],
        tmp_path: Path,
        argv: list[str],
        pages: list[int | None],
        names: list[str],
    ) -> None:
        status, told = self.said("return_img", *(a.replace("OUT", str(tmp_path)) for a in argv))
        assert status == 0
        assert [args["page"] for _, args in asked] == pages
        assert told["image_paths"] == [str(tmp_path / name) for name in names]
        assert all((tmp_path / name).read_bytes().startswith(b"page ") for name in names)

    @pytest.mark.parametrize(
        "argv",
        [
            ["return_img"], ["return_img", "f", "--page"], ["return_img", "f", "--page", "0"],
            ["return_img", "f", "--page", "-1"], ["return_img", "f", "--page", "x"],
            ["return_img", "a", "b", "c"], ["return_txt"], ["return_txt", "a", "b"],
            ["return_ori"], ["return_ori", "a", "b", "c"], ["return_metadata"],
            ["list_files", "a", "b"], ["set_flags"], ["set_flags", "1", "2"],
            ["set_flags", "1", "1", "1"], ["no_such_command"],
        ],
    )  # fmt: skip
    def test_wrong_arguments_are_refused_before_anything_is_asked(
        self, asked: list[Any], argv: list[str]
    ) -> None:
        status, told = self.said(*argv)
        assert status == 1
        assert set(told) == {"success", "error"}
        assert asked == []

    def test_what_the_runner_refuses_is_passed_on(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def ask(tool: str, **args: Any) -> tuple[dict[str, Any], bytes]:
            raise Refused("no such file: 'x'")

        monkeypatch.setattr(commands, "ask", ask)
        assert self.said("return_txt", "x") == (1, {"success": False, "error": "no such file: 'x'"})


class TestOpenedFiles:
    def test_each_file_is_told_once_in_order(self, tmp_path: Path) -> None:
        (tmp_path / "folder").mkdir()
        names = ["b.txt", "folder/a.txt", "b.txt"]
        for name in names:
            (tmp_path / name).write_text("x")
        watch = OpenedFiles(str(tmp_path))
        for name in names:
            (tmp_path / name).read_text()
        list((tmp_path / "folder").iterdir())
        assert watch.take() == (["b.txt", "folder/a.txt"], False)
        assert watch.take() == ([], False)

    def test_more_than_the_kernels_queue_holds_is_told(self, tmp_path: Path) -> None:
        limit = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
        names = [str(tmp_path / "a"), str(tmp_path / "b")]
        for name in names:
            Path(name).write_text("x")
        watch = OpenedFiles(str(tmp_path))
        for _ in range(limit // 2 + 1):
            for name in names:  # the kernel drops an event that repeats the one before
                os.close(os.open(name, os.O_RDONLY))
        assert watch.take() == (["a", "b"], True)
        assert watch.take() == ([], False)

    def test_more_names_than_are_counted_is_told(self, tmp_path: Path) -> None:
        watch = OpenedFiles(str(tmp_path))
        for i in range(MAX_NAMES + 1):
            (tmp_path / f"{i}").write_text("x")
        names, overflow = watch.take()
        assert (len(names), overflow) == (MAX_NAMES, True)


class TestEmptyFolder:
    def test_odd_deep_and_linked_trees_go_and_what_they_link_to_stays(self, tmp_path: Path) -> None:
        kept = tmp_path / "kept"
        kept.mkdir()
        (kept / "file").write_text("x")
        top = tmp_path / "top"
        deep = top / "/".join(["d" * 200] * 15)
        deep.mkdir(parents=True)
        for name in (".wipe-1", ".wipe-2/.wipe-3", "-rf", "new\nline", "*"):
            (top / name).mkdir(parents=True)
        (top / ".wipe-4").write_text("x")
        (top / "link").symlink_to(kept)
        (deep / "link").symlink_to(kept)
        os.link(kept / "file", top / "hard")
        os.mkfifo(top / "pipe")
        empty_folder(str(top))
        assert list(top.iterdir()) == []
        assert (kept / "file").read_text() == "x"
