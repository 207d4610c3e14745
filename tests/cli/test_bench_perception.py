"""`deskgym bench perception`: that every row comes out, never how fast anything is.

What the fidelity rows must say is tested in ``tests/perception/test_fidelity.py``.
"""

from __future__ import annotations

import json
import math
import os
import sys
from contextlib import ExitStack
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from docker import DockerClient
from typer.testing import CliRunner

from deskgym import bench_truth
from deskgym.bench import MIB, Row, Skipped
from deskgym.bench_baselines import CannotMeasure, memory_peak
from deskgym.bench_memory import book, memory_row
from deskgym.bench_perception import BIG, FIDELITY, ROWS, SPEED, measure
from deskgym.bench_profiles import Bench, OnePerson, cache_at, known_models
from deskgym.cli.main import app
from deskgym.env.models import Model
from deskgym.env.sandbox.images import ensure_image, perception_recipe
from deskgym.env.sandbox.sweep import ANY, RUN, owner_labels
from deskgym.tasks.registry import UnknownProfile


def _invoke(*arguments: str) -> Any:
    return CliRunner().invoke(app, ["bench", *arguments])


@pytest.fixture
def bench(tmp_path: Path) -> Any:
    """Without an engine: for what goes wrong before one is asked."""
    with ExitStack() as stack:
        yield Bench(None, tmp_path, {}, stack, quick=True)  # type: ignore[arg-type]


def test_an_unknown_row_is_wrong_usage_and_lists_the_known() -> None:
    result = _invoke("perception", "--only", "nothing")
    assert result.exit_code == 2
    assert all(name in result.output for name in ("nothing", *ROWS))


def test_options_before_the_subcommand_are_not_lost_in_silence() -> None:
    result = _invoke("--quick", "perception")
    assert result.exit_code == 2
    assert "options go after perception" in result.output


def test_the_big_rows_are_left_out_by_quick(bench: Bench) -> None:
    for name in BIG:
        row = measure(bench, name)
        assert isinstance(row, Skipped)
        assert "--quick" in row.reason


def test_an_engine_without_a_model_is_skipped_with_the_remedy(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench_truth, "talk", lambda path: ((0.0, "a"),))
    row = measure(bench, "speech-faster")
    assert isinstance(row, Skipped)
    assert "deskgym models fetch faster:tiny.en" in row.reason


def test_without_a_speaker_speech_is_skipped_with_the_remedy(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shutil.which", lambda name: None)
    row = measure(bench, "speech-openai")
    assert isinstance(row, Skipped)
    assert "espeak-ng" in row.reason


def test_without_the_libraries_the_files_are_not_made(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pymupdf", None)
    row = measure(bench, "recall-pdf")
    assert isinstance(row, Skipped)
    assert "pip install 'deskgym[tools]'" in row.reason


def test_models_are_those_fetched_then_those_of_the_tests(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = tmp_path / "shared" / "models" / "whisper" / "tiny.en.pt"
    shared.parent.mkdir(parents=True)
    shared.write_bytes(b"weights")
    monkeypatch.setenv("DESKGYM_SHARED", str(tmp_path / "shared"))
    with cache_at(tmp_path / "cache"):
        assert known_models()["openai"] == Model("openai", shared)
        fetched = tmp_path / "cache" / "models" / "base.pt"
        fetched.parent.mkdir(parents=True)
        fetched.write_bytes(b"weights")
        assert known_models()["openai"] == Model("openai", fetched)


@pytest.mark.parametrize("before", [None, "/somewhere"])
def test_the_cache_is_another_one_for_a_while(
    before: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DESKGYM_CACHE", raising=False)
    if before is not None:
        monkeypatch.setenv("DESKGYM_CACHE", before)
    with cache_at(tmp_path):
        assert os.environ["DESKGYM_CACHE"] == str(tmp_path)
    assert os.environ.get("DESKGYM_CACHE") == before


def test_equal_files_are_made_each_time_and_all_count(tmp_path: Path) -> None:
    profiles, texts = [], []
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        texts.append(bench_truth.scans(tmp_path / name))
        profiles.append(bench_truth.scan(tmp_path / name, "person"))
    assert texts[0] == texts[1]
    assert [profile.digest for profile in profiles] == [profiles[0].digest] * 2
    assert {file.path for file in profiles[0].files} == set(texts[0])
    assert {file.modality for file in profiles[0].files} == {"image"}


def test_the_one_person_is_nobody_else(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a")
    people = OnePerson(bench_truth.scan(tmp_path, "person"))
    assert people.profile("person") is people.person
    assert [task.profile_id for task in people.tasks("bench/person")] == ["bench/person"]
    for ask in (people.profile, people.tasks):
        with pytest.raises(UnknownProfile, match="adam"):
            ask("adam")


@pytest.mark.docker
def test_quick_json_has_every_row_with_finite_numbers(tmp_path: Path) -> None:
    timed = [option for name in SPEED for option in ("--only", name)]
    result = _invoke("perception", "--quick", "--json", *timed, "--only", "memory-pdf")
    assert result.exit_code == 0, result.output
    made = json.loads(result.stdout)
    assert made["quick"] is True
    assert [row["name"] for row in made["rows"]] == [*SPEED, "memory-pdf"]
    *rows, left_out = made["rows"]
    assert set(left_out) == {"name", "reason"}
    if len(os.sched_getaffinity(0)) < 2:
        rows = [row for row in rows if row["name"] != "two-jobs"]
    for row in rows:
        assert set(row) == {field.name for field in fields(Row)}
        assert 0 < row["ours"] < math.inf
        assert 0 < row["baseline"] < math.inf
        assert 0 < row["lowest"] <= row["ratio"] <= row["highest"] < math.inf
        assert row["target"].startswith(">= ")
        assert row["met"] in (True, False)


@pytest.mark.docker
def test_the_table_shows_shares_as_such() -> None:
    result = _invoke("perception", "--quick", "--only", "recall-docx")
    assert result.exit_code == 0, result.output
    assert "recall-docx" in result.stdout
    assert "%" in result.stdout
    assert "two-jobs" not in result.stdout


@pytest.mark.docker
def test_memory_is_that_beyond_a_small_file(docker_client: DockerClient, tmp_path: Path) -> None:
    ensure_image(docker_client, perception_recipe(), say=print)
    for name, pages in (("small", 2), ("big", 12)):
        (tmp_path / name).mkdir()
        book(tmp_path / name / "book.pdf", pages)  # with a scan, so that OCR is loaded for both
    work = tmp_path / "work"
    work.mkdir()
    with ExitStack() as stack:
        bench = Bench(docker_client, work, {}, stack)
        folders = tmp_path / "small", tmp_path / "big"
        row = memory_row(bench, "memory", "a PDF", *folders, None)
    assert 0 <= row.ours < 512
    peaks = [int(part.split()[-1]) for part in row.note.split(" MiB")[:2]]
    assert all(peak > 100 for peak in peaks)
    assert row.target == "< 1024 MiB"
    assert row.met


@pytest.mark.docker
def test_the_peak_is_seen_although_it_has_passed(
    docker_client: DockerClient, desk_image: str
) -> None:
    code = "import time; a = b'x' * (200 << 20); time.sleep(2); del a; time.sleep(2)"
    with memory_peak("peak-test") as peak:
        made = docker_client.containers.run(
            desk_image,
            entrypoint=["/usr/bin/python3", "-c", code],
            network_mode="none",
            detach=True,
            labels={ANY: "peak-test", RUN: "peak-test", **owner_labels()},
        )
        made.wait()
        made.remove()
    assert 200 <= peak() / MIB < 260


@pytest.mark.docker
def test_no_container_has_no_peak() -> None:
    with memory_peak("nobody") as peak:
        pass
    with pytest.raises(CannotMeasure, match="was gone"):
        peak()


def test_rows_are_named_once() -> None:
    assert len(ROWS) == len(FIDELITY) + len(SPEED) + len(BIG)
