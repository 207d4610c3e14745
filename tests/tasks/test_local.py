"""Folders of this computer as people: what is taken, what is left out, what is refused."""

from __future__ import annotations

import hashlib
import json
import os
import socket
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from deskgym.tasks.local import LocalDataset, add_folder
from deskgym.tasks.local.added import Added, CannotAdd, added, forget
from deskgym.tasks.local.scan import printable, scan
from deskgym.tasks.locations import read_settings, settings_file, write_settings
from deskgym.tasks.registry import (
    BadDataset,
    DatasetMissing,
    UnknownProfile,
    load_dataset,
    profile_id,
)


@pytest.fixture(autouse=True)
def _own_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DESKGYM_CONFIG", str(tmp_path / "config"))
    monkeypatch.setenv("DESKGYM_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a few files that all may read."""
    made = tmp_path / "mine"
    for path, text in (("a.txt", "hello"), ("home/lease.pdf", "%PDF"), ("home/.rc", "")):
        file = made / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        file.chmod(0o644)
        os.utime(file, (1_700_000_000, 1_700_000_000))
    made.chmod(0o755)
    (made / "home").chmod(0o755)
    return made


def lines(file: Path, *records: Any) -> Path:
    file.write_text("".join(json.dumps(record) + "\n" for record in records))
    return file


def found(folder: Path) -> dict[str, str]:
    """Rule by file, as scanning the folder finds them."""
    return {one.field: one.rule for one in scan(folder, "local/me").findings}


class TestAdding:
    def test_a_folder_becomes_a_person_and_nothing_in_it_changes(self, folder: Path) -> None:
        before = {p: p.stat().st_mtime_ns for p in folder.rglob("*")}
        profile, findings = add_folder(folder, "me", "Ada L.")
        assert (profile.id, profile.user, profile.root) == ("local/me", "Ada L.", folder)
        assert findings == ()
        assert {p: p.stat().st_mtime_ns for p in folder.rglob("*")} == before
        dataset = load_dataset("local")
        assert dataset.profiles() == ("local/me",)
        assert dataset.profile("me") == profile
        assert dataset.tasks("me") == ()

    def test_a_record_says_what_the_file_system_says(self, folder: Path) -> None:
        profile, _ = add_folder(folder, "me", "me")
        by_path = {record.path: record for record in profile.files}
        assert list(by_path) == ["a.txt", "home/.rc", "home/lease.pdf"]
        record = by_path["a.txt"]
        assert record.sha256 == hashlib.sha256(b"hello").hexdigest()
        assert record.modified == record.created == datetime.fromtimestamp(1_700_000_000)
        assert (record.type, record.modality, record.size) == ("txt", "text", 5)
        assert by_path["home/lease.pdf"].modality == "document"

    def test_a_change_is_seen_by_the_next_that_loads(self, folder: Path) -> None:
        add_folder(folder, "me", "me")
        old = load_dataset("local")
        before = old.profile("me"), old.digest
        (folder / "b.txt").write_text("new")
        assert (old.profile("me"), old.digest) == before
        new = load_dataset("local")
        assert "b.txt" in {record.path for record in new.profile("me").files}
        assert new.digest != before[1]

    def test_other_settings_stay(self, folder: Path) -> None:
        write_settings({"paths": {"rhelm": "/x"}})
        add_folder(folder, "me", "me")
        assert read_settings()["paths"] == {"rhelm": "/x"}
        forget("me")
        assert read_settings() == {"paths": {"rhelm": "/x"}, "profiles": {}}

    @pytest.mark.parametrize("name", ["", "Me", "a/b", "..", ".", ".x", "a b", "ä", "a\n"])
    def test_a_name_that_cannot_be_one_is_refused(self, folder: Path, name: str) -> None:
        with pytest.raises(CannotAdd, match="cannot be a profile's name"):
            add_folder(folder, name, "me")

    def test_a_name_that_is_taken_is_refused(self, folder: Path) -> None:
        add_folder(folder, "me", "me")
        with pytest.raises(CannotAdd, match="deskgym profiles remove me"):
            add_folder(folder, "me", "me")

    def test_folders_that_cannot_be_a_desk_are_refused(self, tmp_path: Path) -> None:
        (tmp_path / "empty").mkdir()
        (tmp_path / "hollow" / "sub").mkdir(parents=True)
        (tmp_path / "file").write_text("x")
        (tmp_path / "circle").symlink_to("circle")
        (tmp_path / "cache").mkdir()
        (tmp_path / "cache" / "x").write_text("x")
        for path, reason in (
            (Path("/"), "whole computer"),
            (tmp_path / "none", "not a folder"),
            (tmp_path / "circle", "not a folder"),
            (Path("~nobody-of-that-name"), "not a folder"),
            (tmp_path / "file", "not a folder"),
            (tmp_path / "empty", "is empty"),
            (tmp_path / "hollow", "holds no file"),
            (tmp_path / "cache", "deskgym's own cache"),
            (tmp_path, "deskgym's own cache"),
        ):
            with pytest.raises(CannotAdd, match=reason):
                add_folder(path, "me", "me")
        assert added() == {}


class TestGoldStaysOutside:
    def test_tasks_inside_of_the_folder_are_refused(self, folder: Path) -> None:
        file = lines(folder / "home" / "tasks.jsonl", {"id": 1, "question": "q", "answer": "a"})
        with pytest.raises(CannotAdd, match="answers would be on the desk"):
            add_folder(folder, "me", "me", file)

    def test_so_are_those_that_a_link_outside_leads_to(self, folder: Path, tmp_path: Path) -> None:
        file = lines(folder / "tasks.jsonl", {"id": 1, "question": "q", "answer": "a"})
        (tmp_path / "link.jsonl").symlink_to(file)
        with pytest.raises(CannotAdd, match="answers would be on the desk"):
            add_folder(folder, "me", "me", tmp_path / "link.jsonl")

    def test_a_folder_with_anothers_tasks_is_refused_either_way(
        self, folder: Path, tmp_path: Path
    ) -> None:
        other = tmp_path / "other"
        other.mkdir()
        file = lines(other / "tasks.jsonl", {"id": 1, "question": "q", "answer": "a"})
        add_folder(folder, "me", "me", file)
        with pytest.raises(CannotAdd, match="answers would be on the desk"):
            add_folder(other, "other", "me")
        forget("me")
        add_folder(other, "other", "me")
        with pytest.raises(CannotAdd, match="folder of local/other"):
            add_folder(folder, "me", "me", file)


class TestScanning:
    def test_a_plain_folder_has_no_findings(self, folder: Path) -> None:
        assert found(folder) == {}

    @pytest.mark.parametrize(
        ("mode", "barred"),
        [(0o644, False), (0o604, False), (0o640, True), (0o600, True), (0o000, True)],
    )
    def test_what_the_desks_users_may_not_read_is_told_and_kept(
        self, folder: Path, mode: int, barred: bool
    ) -> None:
        (folder / "a.txt").chmod(mode)
        seen = scan(folder, "local/me")
        assert "a.txt" in {file.path for file in seen.files}
        assert [one.rule for one in seen.findings] == ["not-readable"] * barred
        assert all("chmod o+r " in one.message for one in seen.findings)

    @pytest.mark.parametrize("mode", [0o750, 0o754, 0o751, 0o700])
    def test_a_folder_that_bars_them_is_told_once_for_all_in_it(
        self, folder: Path, mode: int
    ) -> None:
        (folder / "home" / "lease.pdf").chmod(0o600)
        (folder / "home").chmod(mode)
        assert found(folder) == {"home": "not-readable"}

    @pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
    def test_the_rights_of_a_files_owner_are_those_of_a_desks_user_too(self, folder: Path) -> None:
        for name, uid, gid, mode in (
            ("agent", 1000, 1001, 0o440),
            ("agent_only", 1000, 1000, 0o400),
            ("barred_owner", 1001, 0, 0o044),
        ):
            (folder / name).write_text("x")
            os.chown(folder / name, uid, gid)
            (folder / name).chmod(mode)
        assert found(folder) == {"agent_only": "not-readable", "barred_owner": "not-readable"}

    def test_links_are_followed_within_and_not_out_of_the_folder(
        self, folder: Path, tmp_path: Path
    ) -> None:
        (tmp_path / "secret").write_text("x")
        for name, target in (
            ("inside", "home/lease.pdf"),
            ("inside_folder", "home"),
            ("twice", "inside"),
            ("out", "../secret"),
            ("out_absolute", str(tmp_path / "secret")),
            ("out_folder", ".."),
            ("absolute", str(folder / "a.txt")),
            ("out_and_in", "../mine/a.txt"),
            ("nowhere", "none"),
            ("circle", "circle"),
        ):
            (folder / name).symlink_to(target)
        assert found(folder) == {
            "out": "link-outside",
            "out_absolute": "link-outside",
            "out_folder": "link-outside",
            "absolute": "link-absolute",
            "out_and_in": "link-outside",
            "nowhere": "link-broken",
            "circle": "link-broken",
        }
        paths = [file.path for file in scan(folder, "local/me").files]
        assert paths == ["a.txt", "home/.rc", "home/lease.pdf", "inside", "twice"]

    def test_what_is_no_file_is_left_out(self, folder: Path) -> None:
        os.mkfifo(folder / "pipe")
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(str(folder / "socket"))
            seen = scan(folder, "local/me")
        assert {one.field: one.message for one in seen.findings} == {
            "pipe": "left out: it is a pipe",
            "socket": "left out: it is a socket",
        }
        assert {"pipe", "socket"}.isdisjoint(file.path for file in seen.files)

    def test_names_that_are_not_utf8_are_left_out_and_named_printably(self, folder: Path) -> None:
        (folder / os.fsdecode(b"caf\xe9.txt")).write_text("x")
        (folder / os.fsdecode(b"d\xff")).mkdir()
        (folder / os.fsdecode(b"d\xff") / "in.txt").write_text("x")
        assert found(folder) == {
            "caf\\udce9.txt": "name-not-utf8",
            "d\\udcff": "name-not-utf8",
        }
        assert len(scan(folder, "local/me").files) == 3

    def test_control_characters_are_kept_and_told(self, folder: Path) -> None:
        (folder / "a\nb\x1b.txt").write_text("x")
        (folder / "name with space 写.txt").write_text("x")
        assert found(folder) == {"a\\nb\\x1b.txt": "odd-name"}
        assert "a\nb\x1b.txt" in {file.path for file in scan(folder, "local/me").files}

    def test_a_very_long_path_is_kept_and_told(self, folder: Path) -> None:
        deep = folder
        for _ in range(13):
            deep = deep / ("d" * 250)
            deep.mkdir()
        (deep / "x.txt").write_text("x")
        assert set(found(folder).values()) == {"long-name"}
        assert any(file.path.endswith("/x.txt") for file in scan(folder, "local/me").files)

    def test_what_one_may_not_read_oneself_is_left_out(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        real = os.access
        monkeypatch.setattr(
            os, "access", lambda path, mode: Path(path).name != "a.txt" and real(path, mode)
        )
        assert found(folder) == {"a.txt": "cannot-read"}
        assert "a.txt" not in {file.path for file in scan(folder, "local/me").files}

    def test_what_is_printable_stays(self) -> None:
        assert printable("naïve 写 x") == "naïve 写 x"


class TestTasks:
    def test_a_file_that_is_not_in_the_folder_is_a_finding(
        self, folder: Path, tmp_path: Path
    ) -> None:
        record = {"id": 1, "question": "q", "answer": "a", "file_path": ["a.txt", "gone.txt"]}
        _, findings = add_folder(folder, "me", "me", lines(tmp_path / "t.jsonl", record))
        (one,) = findings
        assert (one.rule, one.severity, one.task_id, one.value) == (
            "no-such-file", "error", "1", "gone.txt",
        )  # fmt: skip
        assert load_dataset("local").findings("local/me") == findings

    def test_tasks_that_are_wrong_add_nothing(self, folder: Path, tmp_path: Path) -> None:
        with pytest.raises(BadDataset):
            add_folder(folder, "me", "me", lines(tmp_path / "t.jsonl", {"id": 1}))
        with pytest.raises(CannotAdd, match="not a file"):
            add_folder(folder, "me", "me", tmp_path / "none.jsonl")
        assert added() == {}


class TestLoading:
    def test_an_unknown_name_is_answered_with_those_near(self, folder: Path) -> None:
        with pytest.raises(UnknownProfile, match="profiles add DIR"):
            LocalDataset().profile("me")
        add_folder(folder, "mine", "me")
        with pytest.raises(UnknownProfile, match="did you mean 'mine'"):
            LocalDataset().profile("mne")
        with pytest.raises(UnknownProfile, match="did you mean 'mine'"):
            profile_id(LocalDataset(), "mne")

    def test_a_folder_that_is_gone_is_told_and_hinders_no_other(
        self, folder: Path, tmp_path: Path
    ) -> None:
        add_folder(folder, "me", "me")
        folder.rename(tmp_path / "moved")
        add_folder(tmp_path / "moved" / "home", "home", "me")
        dataset = load_dataset("local")
        assert dataset.profiles() == ("local/home",)
        assert dataset.digest
        with pytest.raises(DatasetMissing, match="deskgym profiles remove me"):
            dataset.profile("local/me")

    def test_tasks_that_are_gone_are_told(self, folder: Path, tmp_path: Path) -> None:
        file = lines(tmp_path / "t.jsonl", {"id": 1, "question": "q", "answer": "a"})
        add_folder(folder, "me", "me", file)
        (task,) = load_dataset("local").tasks("me")
        assert load_dataset("local").profile_for(task).root == folder
        file.unlink()
        with pytest.raises(BadDataset, match=r"t\.jsonl: cannot be read"):
            load_dataset("local").tasks("me")

    @pytest.mark.parametrize(
        ("profiles", "fault"),
        [
            ([], "profiles is not an object"),
            ({"me": {"user": "x"}}, "profiles.me.root: Field required"),
            ({"me": 3}, "profiles.me"),
            ({"..": {"root": "/x", "user": "x"}}, "cannot be a profile's name"),
        ],
    )
    def test_settings_that_are_wrong_are_named(self, profiles: Any, fault: str) -> None:
        write_settings({"profiles": profiles})
        with pytest.raises(BadDataset) as raised:
            load_dataset("local")
        assert fault in str(raised.value)
        assert str(settings_file()) in str(raised.value)

    def test_forgetting_what_is_not_there_lists_what_is(self, folder: Path) -> None:
        add_folder(folder, "me", "me")
        with pytest.raises(UnknownProfile, match="'me'"):
            forget("mee")
        assert forget("me") == str(folder)
        assert folder.is_dir()

    def test_what_was_added_reads_back(self, folder: Path) -> None:
        add_folder(folder, "me", "Ada")
        assert added() == {"me": Added(root=folder, user="Ada")}
