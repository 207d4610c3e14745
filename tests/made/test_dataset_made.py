"""The data set ``made``: from a folder, and made when somebody asks."""

from __future__ import annotations

import os
import shutil
from datetime import UTC
from pathlib import Path

import pytest
from typer.testing import CliRunner

import deskgym
from deskgym.cli.main import app
from deskgym.tasks.made.dataset import MadeDataset, order
from deskgym.tasks.made.making import person_name
from deskgym.tasks.made.spec import MadeSpec
from deskgym.tasks.registry import BadDataset, DatasetMissing, UnknownProfile, load_dataset


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DESKGYM_CACHE", str(tmp_path / "cache"))


def test_a_generated_folder_is_a_data_set(setoka) -> None:
    dataset = load_dataset("made", path=str(setoka.root))
    name = f"made/{setoka.person.name}"
    assert dataset.profiles() == (name,)
    profile = dataset.profile(setoka.person.name)
    assert profile.id == name
    assert profile.user == setoka.person.user
    assert {
        p.relative_to(profile.root).as_posix() for p in profile.root.rglob("*") if p.is_file()
    } == {record.path for record in profile.files}
    tasks = dataset.tasks(name)
    assert tasks == setoka.tasks
    assert dataset.profile_for(tasks[0]).digest == profile.digest
    assert dataset.findings(name) == ()


def test_gold_lies_beside_the_files_and_never_among_them(setoka) -> None:
    beside = {p.name for p in setoka.folder.iterdir()}
    assert beside == {
        "files", "person.json", "truth.json", "tasks.jsonl", "asked.jsonl", "rejected.jsonl",
    }  # fmt: skip
    root = load_dataset("made", path=str(setoka.root)).profile(setoka.person.name).root
    assert root == setoka.files.resolve()


def test_people_are_made_when_asked_for_and_kept() -> None:
    dataset = MadeDataset(people="3", months=1, seed=21, multimodal=False, setting="home")
    assert dataset.profiles() == ("made/s21-p0001", "made/s21-p0002", "made/s21-p0003")
    first = dataset.profile("s21-p0002")
    made = first.root.parent
    assert not (made.parent / "s21-p0001").exists()
    assert dataset.tasks("s21-p0002")
    stamp = (made / "tasks.jsonl").stat().st_mtime_ns
    again = MadeDataset(people=2, months=1, seed=21, multimodal=False, setting="home")
    assert again.profile("s21-p0002").digest == first.digest
    assert (made / "tasks.jsonl").stat().st_mtime_ns == stamp


def test_the_environment_makes_people_on_the_fly() -> None:
    env = deskgym.make(
        dataset="made", made={"months": 1, "seed": 4, "multimodal": False, "setting": "home"}
    )
    assert env.dataset.profiles() == ("made/s4-p0001",)
    assert env.dataset.tasks("s4-p0001")
    env.close()
    with pytest.raises(ValueError, match="made: goes with dataset='made'"):
        deskgym.make(made={"seed": 1})


def test_file_times_that_a_copy_lost_are_set_again(home, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(home.root, copy)
    file = next(p for p in sorted(copy.rglob("*.csv")))
    os.utime(file, (0, 0))
    profile = load_dataset("made", path=str(copy)).profile(home.person.name)
    record = next(r for r in profile.files if profile.root / r.path == file)
    assert file.stat().st_mtime == record.modified.replace(tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"peple": 2}, "peple: no such option"),
        ({"months": 0}, "months: "),
        ({"difficulty": "cruel"}, "difficulty: "),
        ({"seed": "one"}, "seed: "),
    ],
)
def test_bad_options_are_named(options: dict[str, object], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        order(**options)


def test_a_folder_goes_without_an_order(setoka) -> None:
    with pytest.raises(ValueError, match="leave out people, seed"):
        MadeDataset(setoka.root, seed=1, people=2)


def test_what_is_missing_or_broken_is_named(setoka, tmp_path: Path) -> None:
    with pytest.raises(DatasetMissing, match="deskgym generate"):
        MadeDataset(tmp_path / "nothing")
    copy = tmp_path / "copy"
    shutil.copytree(setoka.root, copy)
    (copy / setoka.person.name / "person.json").write_text('{"format_version": 1}')
    with pytest.raises(BadDataset, match="name: Field required"):
        MadeDataset(copy).profile(setoka.person.name)
    (copy / setoka.person.name / "person.json").unlink()
    with pytest.raises(BadDataset, match="cannot be read"):
        MadeDataset(copy).profile(setoka.person.name)
    with pytest.raises(UnknownProfile):
        MadeDataset(copy).profile("somebody")


def test_digests_say_what_differs(setoka, home) -> None:
    one, other = MadeDataset(setoka.root), MadeDataset(home.root)
    assert one.digest == MadeDataset(setoka.root).digest
    assert one.digest != other.digest
    assert MadeDataset(seed=1).digest != MadeDataset(seed=2).digest


def test_names_hold_the_seed() -> None:
    assert person_name(MadeSpec(seed=7), 0) == "s7-p0001"


@pytest.mark.parametrize("family", ["setoka", "rhelm"])
def test_the_validator_finds_nothing_wrong_with_made_people(
    family: str, request: pytest.FixtureRequest
) -> None:
    made = request.getfixturevalue(family)
    asked = ["tasks", "validate", "made", "-o", f"path={made.root}"]
    done = CliRunner().invoke(app, asked)
    assert done.exit_code == 0, done.output


def test_an_option_of_the_data_set_is_a_pair() -> None:
    done = CliRunner().invoke(app, ["tasks", "validate", "made", "-o", "path"])
    assert done.exit_code == 2
    assert "KEY=VALUE" in done.output
