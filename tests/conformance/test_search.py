"""Search over what was prepared, from the host and in the terminal, and what it must not give."""

from __future__ import annotations

import hashlib
import io
import json
import wave
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from desk_kit import Backend, answer, configure, refusal, run, running, use, write_files
from PIL import Image

from deskgym.env.sandbox.base import Sandbox
from deskgym.tools.result import Segment
from deskgym.tools.search_index import build_index

pytestmark = pytest.mark.docker

PRIVATE = "/opt/deskgym/private"
FOX = "the copper fox signed the lease"
SPOKEN = [Segment("time:0-0.8", "Call the plumber"), Segment("time:0.8-2", "about the boiler")]
SCANNED = [
    Segment("region:1@0.1,0.1,0.5,0.2", "Receipt"),
    Segment("region:1@0.1,0.3,0.6,0.4", "umbrella 24.90"),
]
MODALITIES = {".png": "image", ".wav": "audio", ".zip": "document"}


def _wave() -> bytes:
    file = io.BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setparams((1, 2, 8_000, 0, "NONE", ""))
        sound.writeframes(b"\x10\x00\xf0\xff" * 8_000)
    return file.getvalue()


def _files() -> dict[str, bytes]:
    picture, archive = io.BytesIO(), io.BytesIO()
    Image.new("RGB", (40, 30), "white").save(picture, "PNG")
    with zipfile.ZipFile(archive, "w") as members:
        members.writestr("inner/letter.txt", "the tin owl moved to Leeds\n")
    return {
        "home/lease.txt": f"{FOX}\nand left\n".encode(),
        "scan.png": picture.getvalue(),
        "memo.wav": _wave(),
        "文件/会议.txt": "会议改到星期五下午\n".encode(),
        "old.zip": archive.getvalue(),
    }


def _prepare(root: Path, folder: Path, made_up: dict[str, list[Segment]]) -> Path:
    """A prepared folder as `deskgym prepare` leaves it: ``made_up`` is what it found."""
    files, entries = [], []
    for path in sorted(p for p in root.rglob("*") if p.is_file()):
        name, data = path.relative_to(root).as_posix(), path.read_bytes()
        segments = made_up.get(name, [])
        text = "".join(s.text for s in segments)
        modality = MODALITIES.get(path.suffix, "text")
        kind = {"image": "image/png", "audio": "audio/wav"}.get(modality, "text/plain")
        info: dict[str, Any] = {"mime": kind, "modality": modality, "size": len(data)}
        if modality == "text":
            info |= {"lines": text.count("\n"), "chars": len(text)}
        sha256 = hashlib.sha256(data).hexdigest()
        name_of_object = f"{sha256[:2]}/{sha256}-test"
        record = {
            "format_version": 1, "sha256": sha256, "tool_key": "test", "info": info,
            "segments": [{"locator": s.locator, "text": s.text} for s in segments],
            "pictures": [], "notes": [], "error": None,
        }  # fmt: skip
        home = folder / "objects" / name_of_object
        home.mkdir(parents=True)
        (home / "record.json").write_text(json.dumps(record))
        if modality != "document":  # the archive is left to the readers
            files.append(
                {"path": name, "sha256": sha256, "object": name_of_object, "status": "ok",
                 "error": None}
            )  # fmt: skip
        entries.append((name, modality, segments))
    manifest = {
        "format_version": 1, "profile_id": "test/ann", "profile_digest": "", "settings": {},
        "tool_key": "test", "files": files,
    }  # fmt: skip
    (folder / "manifest.json").write_text(json.dumps(manifest))
    build_index(folder / "search.sqlite", entries)
    for entry in (folder, *folder.rglob("*")):
        entry.chmod(0o755 if entry.is_dir() else 0o644)
    return folder


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_files(tmp_path_factory.mktemp("home"), _files())


@pytest.fixture(scope="module")
def prepared(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = {
        "home/lease.txt": [Segment("lines:1-2", f"{FOX}\nand left\n")],
        "scan.png": SCANNED,
        "memo.wav": SPOKEN,
        "文件/会议.txt": [Segment("lines:1", "会议改到星期五下午\n")],
    }
    return _prepare(home, tmp_path_factory.mktemp("prepared"), found)


@pytest.fixture(scope="module")
def prepared_desk(backend: Backend, home: Path, prepared: Path) -> Iterator[Sandbox]:
    with running(backend, home, prepared=prepared) as desk:
        yield desk


@pytest.fixture
def desk(prepared_desk: Sandbox) -> Sandbox:
    prepared_desk.reset()
    return prepared_desk


@pytest.mark.parametrize(
    ("query", "path", "locator", "shows"),
    [
        ("copper foxes", "home/lease.txt", "lines:1-2", FOX),
        ("umbrella", "scan.png", "region:1@0.1,0.1,0.6,0.4", "umbrella 24.90"),
        ("boiler", "memo.wav", "time:0-2", "about the boiler"),
        ("星期五", "文件/会议.txt", "lines:1", "会议"),
        ("old zip", "old.zip", "file", "old.zip"),
    ],
)
def test_what_files_say_show_and_sound_is_found(
    desk: Sandbox, query: str, path: str, locator: str, shows: str
) -> None:
    response = use(desk, "search", query=query)
    assert response.ok, response.error
    hit = response.info["hits"][0]
    assert (hit["path"], hit["locator"]) == (path, locator)
    assert shows in hit["snippet"]
    # And the same in the terminal.
    assert answer(desk, f"search '{query}'") == {
        "success": True,
        "count": len(response.info["hits"]),
        "data": response.info["hits"],
        "error": None,
    }


def test_the_command_takes_its_options_anywhere(desk: Sandbox) -> None:
    assert answer(desk, "search --modality audio the --top 1 boiler")["count"] == 1
    assert answer(desk, "/hippocamp/api/search the")["count"] >= 2
    assert answer(desk, "search the --top 1")["count"] == 1
    for bad in ("search", "search --top 3", "search a --top", "search a --top x"):
        assert answer(desk, bad)["success"] is False
    assert "from 1 to 50" in answer(desk, "search a --top 51")["error"]
    assert "audio" in answer(desk, "search a --modality smell")["error"]


@pytest.mark.parametrize("query", ['"', "'", "a AND (", "* NEAR", "🦊", "\u2028", "x" * 2_000])
def test_no_query_is_an_error(desk: Sandbox, query: str) -> None:
    assert use(desk, "search", query=query).ok


@pytest.mark.parametrize(
    "args", [{}, {"query": 7}, {"query": "x" * 2_001}, {"query": ["a"]}, {"query": "a", "top_k": 0}]
)
def test_arguments_that_do_not_fit_are_refused(desk: Sandbox, args: dict[str, Any]) -> None:
    assert refusal(desk, "search", **args) == "bad_argument"


def test_the_terminal_tells_which_files_a_search_showed(desk: Sandbox) -> None:
    response = run(desk, "search boiler | jq .count")
    assert response.opened == ("memo.wav",)
    (used,) = response.tool_uses
    assert (used.tool, used.path, [str(x) for x in used.locators]) == (
        "search",
        "memo.wav",
        ["time:0-2"],
    )
    # A name alone shows nothing of its file.
    assert run(desk, "search zip >/dev/null").opened == ()


def test_a_prepared_file_that_was_read_counts_as_opened(desk: Sandbox) -> None:
    response = run(desk, "return_txt scan.png")
    content = [s["content"] for s in json.loads(response.payload)["data"]["segments"]]
    assert content == ["Receipt", "umbrella 24.90"]
    assert response.opened == ("scan.png",)


def test_sound_comes_with_its_words_unless_text_is_off(desk: Sandbox, home: Path) -> None:
    clip = use(desk, "read_audio", path="memo.wav", start_s=1, end_s=2)
    assert [s.text for s in clip.segments] == ["about the boiler"]
    assert [(m.mime, str(m.locator)) for m in clip.media] == [("audio/mpeg", "time:1-2")]
    try:
        configure(desk, home, ("read_audio", "terminal"))
        clip = use(desk, "read_audio", path="memo.wav", start_s=1, end_s=2)
        assert (clip.segments, len(clip.media)) == ((), 1)
        assert any("read_text is off" in note for note in clip.notes)
        assert refusal(desk, "search", query="boiler") == "switched_off"
        assert "switched off" in answer(desk, "search boiler")["error"]
    finally:
        configure(desk, home, ("search", "read_text", "read_image", "read_audio", "list_files"))


def test_return_txt_off_means_search_off(desk: Sandbox) -> None:
    answer(desk, "set_flags 0 1")
    assert "switched off" in answer(desk, "search boiler")["error"]
    answer(desk, "set_flags 1 1")
    assert answer(desk, "search boiler")["count"] == 1


def test_what_is_in_an_archive_can_be_read(desk: Sandbox) -> None:
    response = use(desk, "read_text", path="/desk/old.zip!/inner/letter.txt")
    assert [s.text for s in response.segments] == ["the tin owl moved to Leeds\n"]
    assert (response.info["path"], response.opened) == (
        "old.zip!/inner/letter.txt",
        ("old.zip",),
    )
    assert refusal(desk, "read_text", path="old.zip!/inner/none.txt") == "not_found"
    assert refusal(desk, "read_text", path="old.zip!/../memo.wav") == "outside_profile"
    assert refusal(desk, "read_text", path="none.zip!/a.txt") == "not_found"
    response = run(desk, "return_txt 'old.zip!/inner/letter.txt' | jq -r .success")
    assert (response.payload, response.opened) == (b"true\n", ("old.zip",))


def test_the_agent_cannot_get_at_what_was_prepared(desk: Sandbox) -> None:
    for command in (
        f"ls {PRIVATE}",
        f"ls {PRIVATE}/prepared",
        f"cat {PRIVATE}/prepared/search.sqlite",
        f"python3 -c \"import sqlite3; sqlite3.connect('{PRIVATE}/prepared/search.sqlite')"
        '.execute("select 1 from files")"',
        f"cat /proc/1/root{PRIVATE}/prepared/manifest.json",
    ):
        assert run(desk, command).exit_status not in (0, None), command


def test_without_preparing_there_is_nothing_to_search(backend: Backend, home: Path) -> None:
    with running(backend, home) as bare:
        response = use(bare, "search", query="boiler")
        assert response.error is not None
        assert response.error.kind == "unsupported"
        assert "deskgym prepare" in response.error.remedy
        assert "not prepared" in answer(bare, "search boiler")["error"]
