"""`deskgym prepare` and `deskgym models`; the driver runs on this machine, not in a container."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from deskgym.cli.main import app
from deskgym.env import models
from deskgym.env.desk_env import DeskEnv
from deskgym.env.models import Model, ModelError
from deskgym.env.prepare import Preparation, PreparationFailed, Settings
from deskgym.env.prepared import WrongPreparedFolder, find, folders_of, prepared_root, ship
from deskgym.tasks.demo import DemoDataset
from deskgym.tasks.schema import Profile
from deskgym.tools.search_index import query_index
from deskgym.tools.store import PreparedProfile

LIGHT = ("--asr", "none", "--ocr", "none")
NOTES = ("--only", "*.txt")


class LocalDriver:
    """Does what the container does, and counts how often it was started."""

    def __init__(self) -> None:
        self.runs: list[list[str]] = []

    def run(self, preparation: Preparation, files: list[Any], **options: Any) -> None:
        self.runs.append(sorted(file.path for file in files))
        plan = preparation._plan(files, "local", 2, 60.0)
        command = [sys.executable, "-m", "deskgym.tools.prepare"]
        command += ["--desk", str(preparation._profile.root), "--out", str(prepared_root())]
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(plan) + "\n")
        process.stdin.flush()
        for line in process.stdout:
            message = json.loads(line)
            if "done" in message:
                options["report"](message["done"], message["error"])
        assert process.wait() == 0
        process.stdin.close()
        process.stdout.close()


@pytest.fixture
def driver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LocalDriver:
    """A cache of its own, and no engine."""
    monkeypatch.setenv("DESKGYM_CACHE", str(tmp_path / "cache"))
    local = LocalDriver()

    class Nothing:
        def close(self) -> None:
            return

    monkeypatch.setattr("deskgym.env.sandbox.engine.connect", Nothing)
    monkeypatch.setattr(
        Preparation, "run", lambda self, files, **options: local.run(self, files, **options)
    )
    return local


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


def person(name: str = "adam") -> Profile:
    return DemoDataset().profile(name)


def made_folder() -> Path:
    (folder,) = folders_of(person())
    return folder


def test_a_first_run_reads_and_a_second_does_not_start_anything(driver: LocalDriver) -> None:
    first = invoke("prepare", "demo/adam", *LIGHT, *NOTES)
    assert first.exit_code == 0, first.output
    manifest = (made_folder() / "manifest.json").read_bytes()
    second = invoke("prepare", "demo/adam", *LIGHT, *NOTES)
    assert second.exit_code == 0, second.output
    assert len(driver.runs) == 1
    assert "0 read now" in second.output
    assert (made_folder() / "manifest.json").read_bytes() == manifest
    expected = [f.path for f in person().files if f.path.endswith(".txt")]
    entries = json.loads(manifest)["files"]
    assert [entry["path"] for entry in entries] == sorted(expected)


def test_more_files_join_what_is_there(driver: LocalDriver) -> None:
    invoke("prepare", "demo/adam", *LIGHT, *NOTES)
    folder = made_folder()
    invoke("prepare", "demo/adam", *LIGHT, "--only", "*.eml")
    assert made_folder() == folder
    kinds = {e["path"].rpartition(".")[2] for e in PreparedProfile(folder).manifest["files"]}
    assert kinds == {"txt", "eml"}
    assert all(path.endswith(".eml") for path in driver.runs[1])


def test_the_order_of_runs_does_not_show(driver: LocalDriver, tmp_path: Path) -> None:
    whole = ("--only", "*.[te][xm][tl]")
    invoke("prepare", "demo/adam", *LIGHT, *whole)
    at_once = {f: (made_folder() / f).read_bytes() for f in ("manifest.json", "search.sqlite")}
    shutil.rmtree(tmp_path / "cache" / "prepared")
    for only in ("*.eml", "*.txt"):
        invoke("prepare", "demo/adam", *LIGHT, "--only", only)
    assert at_once == {f: (made_folder() / f).read_bytes() for f in at_once}


def test_the_folder_needs_nothing_besides_itself(driver: LocalDriver, tmp_path: Path) -> None:
    invoke("prepare", "demo/adam", *LIGHT, *NOTES)
    copy = tmp_path / "copy"
    shutil.copytree(made_folder(), copy)
    shutil.rmtree(prepared_root())
    store = PreparedProfile(copy)
    assert all(record["segments"] for _, record in store.records())
    assert query_index(store.index, "the").info["hits"]


def test_a_file_that_cannot_be_read_is_named_and_the_exit_is_1(
    driver: LocalDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("deskgym.env.prepare._BASE_MEMORY", 1)  # no reader can do with that
    failed = invoke("prepare", "demo/adam", *LIGHT, "--only", "*Lease*signed.pdf")
    assert failed.exit_code == 1, failed.output
    assert "out_of_memory" in failed.output
    again = invoke("prepare", "demo/adam", *LIGHT, "--only", "*Lease*signed.pdf")
    assert again.exit_code == 1
    assert len(driver.runs) == 1


def test_retry_reads_only_what_failed(driver: LocalDriver, monkeypatch: pytest.MonkeyPatch) -> None:
    only = ("--only", "*Lease*signed.pdf")
    with monkeypatch.context() as tight:
        tight.setattr("deskgym.env.prepare._BASE_MEMORY", 1)
        assert invoke("prepare", "demo/adam", *LIGHT, *only).exit_code == 1
    invoke("prepare", "demo/adam", *LIGHT, *NOTES)
    again = invoke("prepare", "demo/adam", *LIGHT, *only, "--retry")
    assert again.exit_code == 0, again.output
    assert [len(run) for run in driver.runs][-1] == 1
    statuses = {entry["status"] for entry in PreparedProfile(made_folder()).manifest["files"]}
    assert statuses == {"ok"}


def test_status_says_what_there_is(driver: LocalDriver) -> None:
    invoke("prepare", "demo/adam", *LIGHT, *NOTES)
    shown = invoke("prepare", "demo/adam", "--status").output
    number = len(driver.runs[0])
    assert f"{number} of {len(person().files)} files prepared, 0 failed" in shown
    assert "ocr none, asr none" in shown
    assert len(driver.runs) == 1


def test_wrong_usage_is_told(driver: LocalDriver) -> None:
    assert invoke("prepare", "demo/adam", "--ocr", "crystal-ball").exit_code == 2
    nothing = invoke("prepare", "demo/adam", *LIGHT, "--only", "*.nothing")
    assert isinstance(nothing.exception, PreparationFailed)
    missing = invoke("prepare", "demo/adam", "--asr", "openai:not-there")
    assert isinstance(missing.exception, ModelError)
    assert "deskgym models fetch" in str(missing.exception)
    assert driver.runs == []


class TestFind:
    """Which prepared folder a desk is given."""

    def test_the_one_of_these_files(self, driver: LocalDriver) -> None:
        invoke("prepare", "demo/adam", *LIGHT, *NOTES)
        assert find(person()) == made_folder()
        assert find(person(), None) is None
        assert find(person(), str(made_folder())) == made_folder()

    def test_not_another_one_s(self, driver: LocalDriver, tmp_path: Path) -> None:
        invoke("prepare", "demo/adam", *LIGHT, *NOTES)
        with pytest.raises(WrongPreparedFolder, match="other files"):
            find(person("bei"), made_folder())
        with pytest.raises(WrongPreparedFolder, match="deskgym prepare demo/bei"):
            find(person("bei"), tmp_path)

    def test_other_settings_have_a_folder_of_their_own_and_the_fuller_one_goes_first(
        self, driver: LocalDriver, tmp_path: Path
    ) -> None:
        profile = person()
        weights = tmp_path / "x.pt"
        weights.write_bytes(b"x")
        plain = Preparation(profile, Settings(None))
        other = Preparation(profile, Settings(None, Model("openai", weights)))
        assert plain.folder != other.folder
        invoke("prepare", "demo/adam", *LIGHT, *NOTES)
        later = other.assemble()
        assert (later.prepared, later.folder) == (0, other.folder)
        assert find(profile) == plain.folder

    def test_the_environment_takes_it_and_refuses_a_wrong_one(self, tmp_path: Path) -> None:
        env = DeskEnv(profile="adam", prepared=tmp_path)
        assert env.spec is not None
        assert env.spec.kwargs["prepared"] == tmp_path
        with pytest.raises(WrongPreparedFolder):
            env.reset(seed=0)


def test_what_ships_comes_back_without_its_pictures(driver: LocalDriver, tmp_path: Path) -> None:
    invoke("prepare", "demo/adam", *LIGHT, "--only", "*IMG_0412.jpg")
    invoke("prepare", "demo/adam", *LIGHT, *NOTES)
    before = dict(PreparedProfile(made_folder()).records())
    assert any(record["pictures"] for record in before.values())
    ship(made_folder(), tmp_path / "shipped")
    lines = (tmp_path / "shipped" / "records.jsonl").read_text().splitlines()
    records = {json.loads(line)["object"]: json.loads(line)["record"] for line in lines}
    manifest = PreparedProfile(tmp_path / "shipped").manifest
    assert manifest == PreparedProfile(made_folder()).manifest
    for entry in manifest["files"]:
        assert records[entry["object"]] == before[entry["path"]] | {"pictures": []}


class TestModels:
    @pytest.fixture(autouse=True)
    def _cache(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("DESKGYM_CACHE", str(tmp_path))
        (tmp_path / "models" / "faster-whisper-tiny").mkdir(parents=True)
        (tmp_path / "models" / "faster-whisper-tiny" / "model.bin").write_bytes(b"weights")
        (tmp_path / "models" / "tiny.en.pt").write_bytes(b"weights")

    @pytest.mark.parametrize(
        ("spec", "name"),
        [
            ("openai:tiny.en", "tiny.en"),
            ("whisper:tiny.en", "tiny.en"),
            ("tiny.en", "tiny.en"),
            ("faster:tiny", "tiny"),
            ("faster-whisper:tiny", "tiny"),
        ],
    )
    def test_a_name_is_found_in_the_cache(self, spec: str, name: str) -> None:
        assert models.locate(spec).name == name
        assert str(models.locate(spec).path) in invoke("models", "path", spec).output

    def test_a_path_is_as_good_as_a_name(self, tmp_path: Path) -> None:
        elsewhere = tmp_path / "elsewhere.pt"
        elsewhere.write_bytes(b"other weights")
        assert models.locate(f"openai:{elsewhere}").path == elsewhere
        assert models.locate(str(elsewhere)).path == elsewhere

    def test_what_is_here_is_not_fetched(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse() -> None:
            raise AssertionError("no engine is needed")

        monkeypatch.setattr("deskgym.env.sandbox.engine.connect", refuse)
        assert "tiny.en.pt" in invoke("models", "fetch", "openai:tiny.en").output

    @pytest.mark.parametrize("spec", ["abacus:tiny", "openai:", ":tiny", "openai:not-there"])
    def test_what_is_not_is_told(self, spec: str) -> None:
        result = invoke("models", "path", spec)
        assert isinstance(result.exception, ModelError)

    def test_the_list_has_both_engines(self) -> None:
        shown = invoke("models", "list").output
        assert "openai:tiny.en" in shown
        assert "faster:tiny" in shown
        assert [m.engine for m in models.available()] == ["openai", "faster"]

    def test_the_digest_is_that_of_the_weights(self, tmp_path: Path) -> None:
        here = models.locate("openai:tiny.en")
        before = here.digest()
        assert before == models.locate("tiny.en").digest()
        here.path.write_bytes(b"others")
        assert here.digest() != before


def test_without_an_engine_there_is_one_clear_message(tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "deskgym", "prepare", "demo/adam", *LIGHT, *NOTES],
        env=os.environ
        | {"DOCKER_HOST": f"unix://{tmp_path}/none.sock", "DESKGYM_CACHE": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 3
    assert "Traceback" not in run.stderr
    assert "no container engine answers" in run.stderr
