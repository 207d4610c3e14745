"""The prepared store: objects that are there whole or not at all, manifests that repeat."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import deskgym.tools
from deskgym.tools.result import Media, Segment, ToolError
from deskgym.tools.store import (
    FORMAT_VERSION,
    Objects,
    PreparedProfile,
    error_of,
    link_object,
    manifest_entry,
    object_name,
    segments_of,
    tool_key,
    write_manifest,
)

SHA, KEY = "ab" + "0" * 62, "k" * 16
SETTINGS = {"ocr": "rapidocr", "asr": None}


def made(root: Path, path: str = "notes/a.txt", **what: Any) -> str:
    """The name of an object that now lies below ``root``."""
    objects, name = Objects(root / "objects"), object_name(path, SHA, KEY)
    draft = objects.draft(root / "new", name)
    for media in what.pop("pictures", ()):
        draft.keep(media)
    what = {"info": {"size": 2}, "segments": [Segment("lines:1", "hi\n")]} | what
    objects.finish(draft, name, path=path, sha256=SHA, key=KEY, **what)
    return name


def prepared(root: Path, name: str, path: str = "notes/a.txt") -> PreparedProfile:
    target = root / "profile"
    link_object(Objects(root / "objects"), target, name)
    record = Objects(root / "objects").record(name)
    entry = manifest_entry(path, SHA, KEY, record)
    write_manifest(target, {"format_version": FORMAT_VERSION, "files": [entry]})
    return PreparedProfile(target)


def test_what_was_kept_comes_back(tmp_path: Path) -> None:
    picture = Media("image/png", b"\x89PNG", "page:2", 3, 4, ("scaled down",))
    name = made(tmp_path, pictures=[picture], notes=["a note"])
    profile = prepared(tmp_path, name)
    record = profile.record("notes/a.txt")
    assert record is not None
    assert segments_of(record) == (Segment("lines:1", "hi\n"),)
    assert record["info"] == {"size": 2}
    assert record["notes"] == ["a note"]
    assert record["tool_key"] == KEY
    again = profile.picture("notes/a.txt", record["pictures"][0])
    assert again == picture
    assert again.notes == ("scaled down",)


def test_a_file_that_was_not_prepared_has_no_record(tmp_path: Path) -> None:
    assert prepared(tmp_path, made(tmp_path)).record("notes/b.txt") is None


def test_a_draft_is_no_object_until_it_is_finished(tmp_path: Path) -> None:
    objects, name = Objects(tmp_path / "objects"), object_name("a.txt", SHA, KEY)
    draft = objects.draft(tmp_path / "new", name)
    draft.keep(Media("image/png", b"x", "page:1"))
    assert not objects.has(name)
    objects.finish(draft, name, path="a.txt", sha256=SHA, key=KEY, info={})
    assert objects.has(name)
    assert list((tmp_path / "new").iterdir()) == []


def test_a_draft_that_was_left_is_begun_anew(tmp_path: Path) -> None:
    objects, name = Objects(tmp_path / "objects"), object_name("a.pdf", SHA, KEY)
    objects.draft(tmp_path / "new", name).keep(Media("image/png", b"x", "page:9"))
    objects.finish(
        objects.draft(tmp_path / "new", name), name, path="a.pdf", sha256=SHA, key=KEY, info={}
    )
    assert [f.name for f in (tmp_path / "objects" / name).iterdir()] == ["record.json"]


def test_an_object_made_twice_is_there_once(tmp_path: Path) -> None:
    assert made(tmp_path) == made(tmp_path)
    assert list((tmp_path / "new").iterdir()) == []


def test_two_pictures_of_one_place_are_two_files(tmp_path: Path) -> None:
    frames = [Media("image/jpeg", b"1", "time:8-8"), Media("image/jpeg", b"2", "time:8-8")]
    profile = prepared(tmp_path, made(tmp_path, pictures=frames))
    record = profile.record("notes/a.txt")
    assert record is not None
    assert [profile.picture("notes/a.txt", p).data for p in record["pictures"]] == [b"1", b"2"]


def test_another_user_may_read_it_whatever_the_habits_of_this_one(
    tmp_path: Path, restrictive_umask: None
) -> None:
    root = prepared(tmp_path, made(tmp_path)).root
    for entry in (root, *root.rglob("*")):
        assert entry.stat().st_mode & 0o777 == (0o755 if entry.is_dir() else 0o644), entry


@pytest.fixture
def restrictive_umask() -> Iterator[None]:
    before = os.umask(0o077)
    yield
    os.umask(before)


def test_the_suffix_counts_and_what_is_none_does_not() -> None:
    names = {object_name(p, SHA, KEY) for p in ("a.txt", "b/c.TXT", "a.csv", "a", "a.b c")}
    assert len(names) == 3
    assert object_name("a.txt", SHA, KEY) == f"ab/{SHA}-{KEY}.txt"


def test_a_manifest_does_not_depend_on_the_order_of_work(tmp_path: Path) -> None:
    files = [{"path": name, "object": name} for name in "bca"]
    for folder, order in (("one", files), ("two", files[::-1])):
        (tmp_path / folder).mkdir()
        write_manifest(tmp_path / folder, {"format_version": 1, "files": order})
    written = [(tmp_path / f / "manifest.json").read_bytes() for f in ("one", "two")]
    assert written[0] == written[1]
    assert [entry["path"] for entry in json.loads(written[0])["files"]] == ["a", "b", "c"]


def test_an_object_that_was_made_again_replaces_the_linked_one(tmp_path: Path) -> None:
    name = made(tmp_path, error=ToolError("timeout", "too slow"), segments=())
    assert prepared(tmp_path, name).manifest["files"][0]["status"] == "failed"
    Objects(tmp_path / "objects").remove(name)
    made(tmp_path)
    profile = prepared(tmp_path, name)
    assert profile.manifest["files"][0]["status"] == "ok"
    record = profile.record("notes/a.txt")
    assert record is not None
    assert record["error"] is None


def test_an_error_names_the_file_that_was_asked_for(tmp_path: Path) -> None:
    error = ToolError("corrupt", "'a.txt' is damaged", "none")
    record = Objects(tmp_path / "objects").record(made(tmp_path, error=error))
    found = error_of(record, "elsewhere/b.txt")
    assert found is not None
    assert (found.kind, found.message) == ("corrupt", "'b.txt' is damaged")


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"format_version": 99}', b"\xff"])
def test_a_torn_or_foreign_manifest_is_told(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "manifest.json").write_bytes(content)
    with pytest.raises(ToolError, match=r"manifest\.json") as caught:
        PreparedProfile(tmp_path).record("a.txt")
    assert caught.value.kind == "corrupt"
    assert "deskgym prepare" in caught.value.remedy


class TestToolKey:
    @pytest.fixture
    def sources(self, tmp_path: Path) -> Path:
        copy = tmp_path / "tools"
        shutil.copytree(next(iter(deskgym.tools.__path__)), copy)
        return copy

    def test_it_is_the_same_wherever_the_tools_lie(self, sources: Path) -> None:
        assert tool_key(SETTINGS, sources) == tool_key(SETTINGS)

    @pytest.mark.parametrize("module", ["text.py", "perceive.py", "cut.py"])
    def test_what_decides_a_text_counts(self, sources: Path, module: str) -> None:
        (sources / module).write_text((sources / module).read_text() + "# changed\n")
        assert tool_key(SETTINGS, sources) != tool_key(SETTINGS)

    @pytest.mark.parametrize("module", ["store.py", "worker.py", "prepare.py", "search_index.py"])
    def test_what_only_serves_it_does_not(self, sources: Path, module: str) -> None:
        (sources / module).write_text((sources / module).read_text() + "# changed\n")
        assert tool_key(SETTINGS, sources) == tool_key(SETTINGS)

    def test_the_settings_count(self) -> None:
        assert tool_key(SETTINGS) != tool_key(SETTINGS | {"ocr": None})
