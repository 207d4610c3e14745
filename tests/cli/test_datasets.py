"""`deskgym datasets list`, `info` and `path`: what there is, and where it lies."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from deskgym.cli.main import app
from deskgym.tasks.locations import read_settings
from deskgym.tasks.registry import DATASETS, BadDataset, UnknownDataset


@pytest.fixture(autouse=True)
def _own_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DESKGYM_CONFIG", str(tmp_path / "config"))
    monkeypatch.setenv("DESKGYM_CACHE", str(tmp_path / "cache"))


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["datasets", *arguments])


def error_of(result: Result) -> Exception:
    assert isinstance(result.exception, Exception), result.output
    return result.exception


def test_the_list_has_all_and_says_what_is_not_here() -> None:
    rows = {row["name"]: row for row in json.loads(invoke("list", "--json").stdout)}
    assert list(rows) == list(DATASETS)
    assert rows["hippocamp"]["where"] is None
    assert rows["demo"]["people"] == ["demo/adam", "demo/bei", "demo/victoria"]
    shown = invoke("list").output
    assert "not here" in shown
    assert "MIT" in shown


def test_info_says_how_to_get_it() -> None:
    shown = invoke("info", "hippocamp").output
    for part in ("deskgym datasets fetch hippocamp", "no redistribution", "MMMem-org", "path:"):
        assert part in shown
    facts = json.loads(invoke("info", "rhelm", "--json").stdout)
    assert set(facts["options"]) == {"path", "as_of"}


@pytest.mark.parametrize("words", [("info", "hipocamp"), ("fetch", "hipocamp", "--yes")])
def test_an_unknown_name_is_answered_with_those_near(words: tuple[str, ...]) -> None:
    error = error_of(invoke(*words))
    assert isinstance(error, UnknownDataset)
    assert "did you mean 'hippocamp'" in str(error)


@pytest.mark.parametrize("name", ["demo", "local"])
@pytest.mark.parametrize("words", [("fetch", "--yes"), ("path",)])
def test_what_has_no_folder_of_its_own_is_wrong_usage(name: str, words: tuple[str, ...]) -> None:
    assert invoke(words[0], name, *words[1:]).exit_code == 2


def test_a_path_is_set_only_to_a_folder_that_loads(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    error = error_of(invoke("path", "rhelm", str(tmp_path / "empty")))
    assert isinstance(error, BadDataset | KeyError)
    assert read_settings() == {}


def test_a_path_that_is_set_is_where_it_lies(tmp_path: Path) -> None:
    made = tmp_path / "hippocamp"
    (made / "Bei" / "Fullset" / "Bei").mkdir(parents=True)
    (made / "Bei" / "Fullset" / "Bei" / "a.txt").write_text("a")
    (made / "Bei" / "Fullset" / "Bei.json").write_text("[]")
    assert invoke("path", "hippocamp", str(made)).output.strip() == str(made)
    assert invoke("path", "hippocamp").output.strip() == str(made)
    facts = json.loads(invoke("info", "hippocamp", "--json").stdout)
    assert facts["where"] == str(made)
    assert facts["people"] == ["hippocamp/bei"]


def test_a_setting_to_a_folder_that_broke_is_shown_as_such(tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    settings = {"paths": {"rhelm": str(tmp_path)}}
    (tmp_path / "config" / "datasets.json").write_text(json.dumps(settings))
    rows = {row["name"]: row for row in json.loads(invoke("list", "--json").stdout)}
    assert "QA_final" in rows["rhelm"]["error"]
    assert rows["demo"]["error"] is None
