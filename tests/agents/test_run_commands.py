"""The commands that show data sets and runs, and how `run` takes its arguments. No engine."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from env_fakes import make_task
from test_rollout import SPEC, play
from typer import BadParameter
from typer.testing import CliRunner, Result

from deskgym.cli.ids import resolve
from deskgym.cli.main import app
from deskgym.cli.run import new_folder
from deskgym.tasks.registry import DATASETS, DatasetInfo, UnknownProfile, load_dataset


def command(*arguments: str) -> Result:
    return CliRunner().invoke(app, arguments)


def test_ids_name_people_or_all_people_of_a_data_set() -> None:
    assert resolve(["adam"])[2] == ("demo/adam",)
    assert resolve(["bei"])[2] == ("demo/bei",)
    assert resolve(["demo/victoria", "adam", "victoria"])[2] == ("demo/victoria", "demo/adam")
    name, _, people = resolve(["demo"])
    assert (name, people) == ("demo", ("demo/adam", "demo/bei", "demo/victoria"))
    with pytest.raises(UnknownProfile, match="adam"):
        resolve(["adm"])


def test_profiles_list_and_info() -> None:
    rows = json.loads(command("profiles", "list", "--json").output)
    assert [row["id"] for row in rows] == ["demo/adam", "demo/bei", "demo/victoria"]
    assert all(row["files"] >= 45 and row["tasks"] >= 24 for row in rows)
    facts = json.loads(command("profiles", "info", "adam", "--json").output)
    assert facts["files"] == len(facts["file_records"]) == sum(facts["modalities"].values())
    assert set(facts["modalities"]) == {"document", "image", "text", "audio", "video"}
    assert command("profiles", "info", "demo").exit_code == 2


def test_tasks_are_listed_without_gold_unless_asked_for() -> None:
    task = load_dataset("demo").tasks("demo/adam")[0]
    plain = command("tasks", "list", "adam").output
    assert task.question in plain
    assert task.answer not in plain
    assert task.evidence[0].file_path not in plain
    as_json = json.loads(command("tasks", "list", "adam", "--json").output)
    assert set(as_json[0]) == {"id", "profile_id", "question", "qa_type", "profiling_type"}
    with_gold = command("tasks", "list", "adam", "--gold").output
    assert task.answer in with_gold
    assert task.evidence[0].file_path in with_gold
    full = json.loads(command("tasks", "list", "demo/adam", "--gold", "--json").output)
    assert full[0]["answer"] == task.answer


def test_report_of_a_run(tmp_path: Path) -> None:
    play(SPEC, tmp_path / "run")
    shown = command("report", str(tmp_path / "run"))
    assert shown.exit_code == 0
    assert shown.output.count("judge: lexical") == 2
    rows = json.loads(command("report", str(tmp_path / "run"), "--json").output)["by_person"]
    assert [(row["agent"], row["profile"], row["n"]) for row in rows] == [
        ("oracle", "demo/ann", 2),
        ("oracle", "demo/bob", 2),
        ("oracle", "all", 4),
        ("null", "demo/ann", 2),
        ("null", "demo/bob", 2),
        ("null", "all", 4),
    ]
    assert [row["answerable"] for row in rows] == [1.0] * 3 + [0.0] * 3


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["adam"], "agent"),
        (["adam", "--agent", "null", "--tools", "config9"], "no tool 'config9'"),
        (["adam", "--agent", "null", "--reward", "gold"], "no reward 'gold'"),
        (["adam", "--agent", "null", "--config", "[1]"], "object by agent"),
        (["adam", "--agent", "null", "--config", "{"], "not JSON"),
        (["adam", "--agent", "null", "--max-steps", "0"], "max-steps"),
        (["adam", "--agent", "null", "--resume"], "--out"),
    ],
)
def test_wrong_usage_of_run_is_code_2_and_says_what(arguments: list[str], says: str) -> None:
    result = command("run", *arguments)
    assert result.exit_code == 2
    assert says in " ".join(result.output.replace("│", " ").split())


def test_a_new_run_never_lands_in_an_old_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names = set()
    for _ in range(3):
        folder = new_folder("my.module:Agent/x")
        folder.mkdir(parents=True)
        names.add(folder.name)
        assert folder.parent == Path("runs")
        assert folder.name.startswith("my.module_Agent_x-")
    assert len(names) == 3


def test_several_data_sets_at_once_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    class Other:
        name, digest = "other", "0" * 64

        def profiles(self) -> tuple[str, ...]:
            return ("other/ann",)

        def tasks(self, name: str) -> tuple[object, ...]:
            return (make_task(1),)

    info = DatasetInfo("other", "Other", "", "", Other)  # type: ignore[arg-type]
    monkeypatch.setitem(DATASETS, "other", info)
    assert resolve(["other"])[2] == ("other/ann",)
    with pytest.raises(BadParameter, match="demo, other"):
        resolve(["adam", "other"])
