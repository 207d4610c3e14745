"""`deskgym generate`: the same bytes however many processes, and messages that help."""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from deskgym.cli.main import app
from deskgym.generate import NoRay, generate_people
from deskgym.tasks.made import making
from deskgym.tasks.made.spec import MadeSpec
from deskgym.tasks.registry import load_dataset

SMALL = ("--months", "1", "--seed", "3", "--text-only", "--setting", "home")


def invoke(out: Path, *words: str) -> Result:
    return CliRunner().invoke(app, ["generate", "--out", str(out), *words])


def content(root: Path) -> dict[str, tuple[str, float]]:
    """Hash and time of every file below ``root``; times of the files of people only."""
    return {
        path.relative_to(root).as_posix(): (
            hashlib.sha256(path.read_bytes()).hexdigest(),
            path.stat().st_mtime if "files" in path.parts else 0.0,
        )
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Result]:
    out = tmp_path_factory.mktemp("alone") / "people"
    return out, invoke(out, *SMALL, "--people", "3", "--json")


def test_equal_seeds_make_equal_bytes_on_one_or_four_processes(
    alone: tuple[Path, Result], tmp_path: Path
) -> None:
    out, result = alone
    assert result.exit_code == 0, result.output
    assert invoke(tmp_path / "four", *SMALL, "--people", "3", "--jobs", "4").exit_code == 0
    assert content(out) == content(tmp_path / "four")


def test_what_was_made_is_told_and_can_be_used(alone: tuple[Path, Result]) -> None:
    out, result = alone
    told = json.loads(result.stdout)
    assert [one["name"] for one in told["people"]] == ["s3-p0001", "s3-p0002", "s3-p0003"]
    assert told["tasks"] == sum(one["tasks"] for one in told["people"])
    assert 0.4 < told["retained"] <= 1
    assert len({one["user"] for one in told["people"]}) == 3
    dataset = load_dataset("made", path=str(out))
    assert [len(dataset.tasks(p)) for p in dataset.profiles()] == [
        one["tasks"] for one in told["people"]
    ]


def test_the_table_prints_the_rate_that_was_retained(tmp_path: Path) -> None:
    result = invoke(tmp_path / "one", *SMALL)
    assert result.exit_code == 0, result.output
    assert "the verifier kept" in result.output
    assert "s3-p0001" in result.output


def test_resume_makes_only_who_is_missing(alone: tuple[Path, Result]) -> None:
    out, _ = alone
    before = content(out)
    again = invoke(out, *SMALL, "--people", "3")
    assert again.exit_code == 2
    assert "--resume" in again.output
    (out / "s3-p0002" / "person.json").unlink()
    kept = (out / "s3-p0001" / "tasks.jsonl").stat().st_mtime_ns
    resumed = invoke(out, *SMALL, "--people", "3", "--resume")
    assert resumed.exit_code == 0, resumed.output
    assert content(out) == before
    assert (out / "s3-p0001" / "tasks.jsonl").stat().st_mtime_ns == kept
    other = invoke(out, *SMALL, "--people", "4", "--resume")
    assert other.exit_code == 2
    assert "another order" in other.output


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    result = invoke(tmp_path, *SMALL)
    assert result.exit_code == 2
    assert "holds no made people" in result.output
    assert [p.name for p in tmp_path.iterdir()] == ["mine.txt"]


@pytest.mark.parametrize("words", [("--people", "0"), ("--months", "0"), ("--setting", "mars")])
def test_wrong_values_are_wrong_usage(words: tuple[str, str], tmp_path: Path) -> None:
    assert invoke(tmp_path / "x", *words).exit_code == 2


def test_ray_makes_the_same_people(alone: tuple[Path, Result], tmp_path: Path) -> None:
    pytest.importorskip("ray")
    out, _ = alone
    result = invoke(tmp_path / "r", *SMALL, "--people", "3", "--engine", "ray", "--jobs", "2")
    assert result.exit_code == 0, result.output
    assert content(out) == content(tmp_path / "r")


def test_ray_that_is_not_there_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    spec = MadeSpec(months=1, multimodal=False)
    with pytest.raises(NoRay, match="pip install ray"):
        list(generate_people(spec, tmp_path / "x", engine="ray"))
    with pytest.raises(ValueError, match="engine: processes or ray"):
        list(generate_people(spec, tmp_path / "x", engine="slurm"))


def test_half_a_person_is_never_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> object:
        raise OSError("the disk is full")

    monkeypatch.setattr(making, "check", broken)
    with pytest.raises(OSError, match="disk is full"):
        list(generate_people(MadeSpec(months=1, multimodal=False), tmp_path / "x"))
    assert [p.name for p in (tmp_path / "x").iterdir()] == ["made.json"]
