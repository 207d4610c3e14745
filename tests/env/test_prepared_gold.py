"""HippoCamp's published text as a prepared profile: places, matching, what is not there."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import hippocamp_made as made
import pytest
from typer.testing import CliRunner

from deskgym.cli.main import app
from deskgym.env.desk_env import DeskEnv
from deskgym.env.prepare import PreparationFailed
from deskgym.env.prepared import find
from deskgym.env.prepared_gold import gold_segments, import_gold
from deskgym.tasks.hippocamp import HippoCampDataset
from deskgym.tasks.schema import Profile
from deskgym.tools.prepared import Reading
from deskgym.tools.result import ToolError
from deskgym.tools.store import PreparedProfile

WITHOUT = {"Home/costs.xlsx", made.UNLISTED, *made.JUNK}


@pytest.fixture(scope="session")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All six configurations and the gold. Not to be changed."""
    return made.make(tmp_path_factory.mktemp("hub") / "HippoCamp")


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DESKGYM_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("DESKGYM_CONFIG", str(tmp_path / "config"))


@pytest.fixture
def adam(published: Path) -> Profile:
    return HippoCampDataset(published).profile("adam")


@pytest.fixture
def gold(published: Path, tmp_path: Path) -> Path:
    """Adam's gold, to be changed."""
    return Path(shutil.copytree(published / "HippoCamp_Gold/Adam", tmp_path / "gold"))


def reading(profile: Profile) -> Reading:
    folder = find(profile)
    assert folder is not None
    return Reading(profile.root, folder)


def text_of(profile: Profile, path: str, **asked: Any) -> list[tuple[str, str]]:
    result = reading(profile).read_text(profile.root / path, **asked)
    return [(segment.locator, segment.text) for segment in result.segments]


def test_it_is_found_as_the_persons_prepared_folder(published: Path, adam: Profile) -> None:
    assert find(adam) is None
    imported = import_gold(published / "HippoCamp_Gold", adam)
    assert find(adam) == imported.folder
    assert imported.files == len(adam.files)
    assert imported.unused == ()
    manifest = PreparedProfile(imported.folder).manifest
    assert [entry["path"] for entry in manifest["files"]] == [file.path for file in adam.files]


def test_the_persons_own_folder_will_do_and_again_changes_nothing(
    published: Path, adam: Profile
) -> None:
    first = import_gold(published / "HippoCamp_Gold", adam)
    files = {p: p.read_bytes() for p in first.folder.rglob("*") if p.is_file()}
    assert import_gold(published / "HippoCamp_Gold/Adam", adam) == first
    assert {p: p.read_bytes() for p in first.folder.rglob("*") if p.is_file()} == files
    assert [p.name for p in first.folder.parent.iterdir()] == [first.folder.name]


@pytest.mark.parametrize(
    ("path", "asked", "expected"),
    [
        ("Home/lease.pdf", {}, [(f"page:{n}", t) for n, t in enumerate(made.CONTRACT, 1)]),
        ("Home/lease.pdf", {"pages": (2, 2)}, [("page:2", made.CONTRACT[1])]),
        ("Voice/memo.wav", {}, [("time:0-1", "hello"), ("time:1-3", made.SAID)]),
        ("Voice/memo.wav", {"span_s": (1.5, 2.0)}, [("time:1-3", made.SAID)]),
        ("Notes/to do.txt", {}, [("lines:1-3", made.TODO)]),
        ("Notes/to do.txt", {"lines": (2, 2)}, [("lines:2", "Call the dentist on Friday\n")]),
        ("Photos/café.png", {}, [("file", "A red surface in a café.")]),
    ],
)
def test_gold_is_read_with_its_places(
    path: str, asked: dict[str, Any], expected: Any, published: Path, adam: Profile
) -> None:
    import_gold(published / "HippoCamp_Gold", adam)
    assert text_of(adam, path, **asked) == expected


def test_it_can_be_searched(published: Path, adam: Profile) -> None:
    import_gold(published / "HippoCamp_Gold", adam)
    hits = reading(adam).search("bus pass").info["hits"]
    assert [(hit["path"], hit["locator"]) for hit in hits] == [("Voice/memo.wav", "time:0-3")]


def test_files_without_gold_have_failed_with_the_reason(published: Path, adam: Profile) -> None:
    imported = import_gold(published / "HippoCamp_Gold", adam)
    assert {entry["path"] for entry in imported.failed} == WITHOUT
    with pytest.raises(ToolError, match=r"HippoCamp_Gold has no text for 'costs\.xlsx'"):
        text_of(adam, "Home/costs.xlsx")


def test_a_summary_is_a_note_where_there_is_text(published: Path, adam: Profile) -> None:
    import_gold(published / "HippoCamp_Gold", adam)
    result = reading(adam).read_text(adam.root / "Home/lease.pdf")
    assert result.notes == ("A lease.",)


def test_a_subset_takes_what_it_has_of_the_whole(published: Path) -> None:
    person = HippoCampDataset(published).profile("adam_subset")
    imported = import_gold(published / "HippoCamp_Gold", person)
    assert imported.failed == ()
    assert imported.unused == ("Mail/keys.eml.json",)
    assert find(person) == imported.folder


def edit(file: Path, change: Callable[[dict[str, Any]], object]) -> None:
    content = json.loads(file.read_bytes())
    change(content)
    file.write_text(json.dumps(content), encoding="utf-8")


@pytest.mark.parametrize(
    "written",
    [
        "Adam/Notes/to do.txt",
        "Notes\\to do.txt",
        "/data/Adam/NOTES/To Do.txt",
        "elsewhere/to do.txt",
    ],
)
def test_gold_finds_its_file_by_path_or_name(written: str, gold: Path, adam: Profile) -> None:
    source = gold / "Notes/to do.txt.json"
    edit(source, lambda content: content["file_info"].update(file_path=written))
    source.rename(gold / "7.json")
    imported = import_gold(gold, adam)
    assert {entry["path"] for entry in imported.failed} == WITHOUT


def test_a_bare_name_that_two_have_is_nobodys(gold: Path, adam: Profile) -> None:
    source = gold / "Notes/to do.txt.json"
    edit(source, lambda content: content["file_info"].update(file_path="x/to do.txt"))
    shutil.copy(source, gold / "8.json")
    source.rename(gold / "7.json")
    imported = import_gold(gold, adam)
    assert imported.unused == ("7.json", "8.json")
    assert {e["path"] for e in imported.failed} == WITHOUT | {"Notes/to do.txt"}


@pytest.mark.parametrize("content", [b"{", b"[]", b'{"segments": 3}', b"\xff"])
def test_gold_that_cannot_be_read_fails_its_file_alone(
    content: bytes, gold: Path, adam: Profile
) -> None:
    (gold / "Notes/to do.txt.json").write_bytes(content)
    imported = import_gold(gold, adam)
    (failed,) = (e for e in imported.failed if e["path"] == "Notes/to do.txt")
    assert "to do.txt.json" in failed["error"]["message"]
    assert text_of(adam, "Home/lease.pdf", pages=(1, 1)) == [("page:1", made.CONTRACT[0])]


def test_what_is_no_gold_is_refused(tmp_path: Path, adam: Profile) -> None:
    with pytest.raises(PreparationFailed, match="there is no folder"):
        import_gold(tmp_path / "nowhere", adam)
    (tmp_path / "empty").mkdir()
    with pytest.raises(PreparationFailed, match="holds no gold text of hippocamp/adam"):
        import_gold(tmp_path / "empty", adam)


@pytest.mark.parametrize(
    ("segments", "modality", "expected"),
    [
        ([{"content": "a", "page": 0}, {"content": "b", "page": 1}], "document",
         ["page:1 a", "page:2 b"]),
        ([{"content": "b", "page": "2"}, {"content": "a", "page": 1}, {"content": "c", "page": 2}],
         "document", ["page:1 a", "page:2 b\nc"]),
        ([{"content": "a", "page": 1}, {"content": "b"}], "document", ["lines:1-2 a\nb"]),
        ([{"content": "a\n"}], "text", ["lines:1 a\n"]),
        ([{"content": "b", "start": 8, "end": 9.5}, {"content": "a", "start": 1, "end": None}],
         "audio", ["time:1-1 a", "time:8-9.5 b"]),
        ([{"content": "a", "start": "1:00:00", "end": "00:01"}], "video", ["time:3600-3600 a"]),
        ([{"content": "a", "start_time": 0, "end_time": 0}], "video", ["file a"]),
        ([{"content": "a", "start": "x"}, {"content": "b"}], "audio", ["file a\nb"]),
        ([{"content": "a", "start": 1, "end": 2}], "text", ["lines:1 a"]),
        ([{"content": " "}, {"content": None}, 3, {}], "text", ["lines:1 Sum."]),
    ],
)  # fmt: skip
def test_places_of_segments(segments: Any, modality: str, expected: list[str]) -> None:
    found = gold_segments({"segments": segments, "summary": "Sum."}, modality)
    assert [f"{segment.locator} {segment.text}" for segment in found] == expected


def test_neither_text_nor_summary_is_no_text() -> None:
    assert gold_segments({"segments": [], "summary": " "}, "text") == ()


def test_the_command_imports_and_tells(
    published: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("deskgym.tasks.locations.default_folder", lambda name: published)
    gold = str(published / "HippoCamp_Gold")
    done = CliRunner().invoke(app, ["prepare", "hippocamp/adam_subset", "--from-gold", gold])
    assert done.exit_code == 0, done.output
    assert "4 of 4 files have gold text" in done.output
    partly = CliRunner().invoke(app, ["prepare", "hippocamp/adam", "--from-gold", gold])
    assert partly.exit_code == 1
    assert "5 of 9 files have gold text" in partly.output
    assert "HippoCamp_Gold has no text for 'costs.xlsx'" in partly.output
    shown = CliRunner().invoke(app, ["prepare", "hippocamp/adam_subset", "--status"])
    assert "4 of 4 files prepared" in shown.output


@pytest.mark.docker
@pytest.mark.usefixtures("desk_image", "docker_client")
def test_a_desk_shows_the_gold_text_in_the_published_shape(published: Path, adam: Profile) -> None:
    import_gold(published / "HippoCamp_Gold", adam)
    env = DeskEnv("hippocamp", "adam", dataset_options={"path": str(published)})
    try:
        env.reset(seed=1)
        command = "return_txt 'Home/lease.pdf'"
        observation, *_ = env.step({"tool": "terminal", "command": command})
        data = json.loads(observation["text"])["data"]
        assert [piece["content"] for piece in data["segments"]] == list(made.CONTRACT)
        assert data["summary"] == "A lease."
        assert data["file_info"]["user"] == "Adam"
        observation, *_ = env.step({"tool": "search", "query": "monthly rent"})
        assert "Home/lease.pdf  [page:2]" in observation["text"]
    finally:
        env.close()
