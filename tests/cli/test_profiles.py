"""`deskgym profiles`: listing, adding and forgetting, and the report on one person."""

from __future__ import annotations

import json
import os
import re
from datetime import datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from deskgym.cli.main import app, exit_status
from deskgym.profile_report import ProfileReport, periods, profile_report
from deskgym.tasks.demo import DemoDataset
from deskgym.tasks.local.added import CannotAdd
from deskgym.tasks.registry import UnknownProfile, load_dataset


@pytest.fixture(autouse=True)
def _own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DESKGYM_CONFIG", str(tmp_path / "config"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of two files, one of which the desk's users may not read."""
    made = tmp_path / "mine"
    made.mkdir()
    made.chmod(0o755)
    for name, size, year, mode in (("a.txt", 3, 2021, 0o644), ("b.pdf", 9, 2024, 0o600)):
        (made / name).write_bytes(b"x" * size)
        (made / name).chmod(mode)
        seconds = datetime(year, 6, 1).timestamp()
        os.utime(made / name, (seconds, seconds))
    return made


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["profiles", *arguments])


def add(folder: Path, *options: str) -> Result:
    return invoke("add", str(folder), "--name", "me", *options)


class TestAdding:
    def test_it_says_what_a_desk_cannot_show(self, folder: Path) -> None:
        result = add(folder, "--user", "Ada")
        assert result.exit_code == 0, result.output
        assert f"chmod o+r '{folder}/b.pdf'" in result.output
        assert "local/me: 2 files, 12 B" in result.output
        assert load_dataset("local").profile("me").user == "Ada"

    def test_as_json(self, folder: Path) -> None:
        facts = json.loads(add(folder, "--json").stdout)
        assert (facts["id"], facts["files"], facts["bytes"]) == ("local/me", 2, 12)
        assert [one["rule"] for one in facts["findings"]] == ["not-readable"]

    def test_a_refusal_is_a_failure_with_its_reason(self, tmp_path: Path) -> None:
        result = add(tmp_path / "none")
        assert isinstance(result.exception, CannotAdd)
        assert exit_status(result.exception) == 1

    @pytest.mark.parametrize("name", ["me", "local/me"])
    def test_what_is_forgotten_stays_on_the_disk(self, folder: Path, name: str) -> None:
        add(folder)
        assert json.loads(invoke("remove", name, "--json").stdout)["root"] == str(folder)
        assert load_dataset("local").profiles() == ()
        assert (folder / "a.txt").read_text() == "xxx"
        assert isinstance(invoke("remove", name).exception, UnknownProfile)


class TestListing:
    def test_without_a_name_it_is_the_demo_and_ones_own(self, folder: Path) -> None:
        demo = ["demo/adam", "demo/bei", "demo/victoria"]
        assert [row["id"] for row in json.loads(invoke("list", "--json").stdout)] == demo
        add(folder)
        rows = json.loads(invoke("list", "--json").stdout)
        assert [row["id"] for row in rows] == [*demo, "local/me"]
        assert re.search(r"^local/me +me +2 files", invoke("list").output, re.MULTILINE)
        assert [r["id"] for r in json.loads(invoke("list", "demo", "--json").stdout)] == demo
        own = json.loads(invoke("list", "local", "--json").stdout)
        assert [row["id"] for row in own] == ["local/me"]

    def test_none_of_ones_own_is_said_with_how_to_add_one(self) -> None:
        assert "deskgym profiles add" in invoke("list", "local").output

    def test_a_folder_that_is_gone_is_said_and_the_others_are_listed(
        self, folder: Path, tmp_path: Path
    ) -> None:
        add(folder)
        folder.rename(tmp_path / "moved")
        result = invoke("list", "--json")
        assert [row["id"] for row in json.loads(result.stdout)] == [
            "demo/adam", "demo/bei", "demo/victoria",
        ]  # fmt: skip
        assert "deskgym profiles remove me" in result.stderr


class TestReport:
    def test_the_parts_add_up_to_the_whole(self) -> None:
        report = profile_report(DemoDataset(), "bei")
        for groups in (report.by_modality, report.by_type):
            assert sum(one.files for one in groups) == report.files
            assert sum(one.bytes for one in groups) == report.bytes
        for times in (report.created, report.modified):
            assert sum(one.files for one in times) == report.files
        tasks = report.tasks
        for rows in (tasks.by_family, tasks.by_files, tasks.by_modalities, tasks.by_units):
            assert sum(one.tasks for one in rows) == tasks.total
        sizes = [one.bytes for one in report.largest]
        assert sizes == sorted(sizes, reverse=True)
        assert sizes[0] == max(f.size for f in DemoDataset().profile("bei").files)
        assert len(sizes) == 10

    def test_breadth_is_counted_from_the_gold(self) -> None:
        dataset = DemoDataset()
        tasks = dataset.tasks("adam")
        shown = {one.name: one.tasks for one in profile_report(dataset, "adam").tasks.by_files}
        assert shown["1"] == sum(len(task.files) == 1 for task in tasks)
        assert shown["3-5"] == sum(3 <= len(task.files) <= 5 for task in tasks)

    def test_findings_are_counted_by_severity(self, folder: Path) -> None:
        add(folder)
        assert profile_report(load_dataset("local"), "me").findings == {"warning": 1}

    @pytest.mark.parametrize(
        ("days", "names"),
        [
            ((), []),
            (((2024, 5, 1),), ["2024-05"]),
            (((2023, 12, 31), (2024, 2, 1)), ["2023-12", "2024-01", "2024-02"]),
            (((2022, 5, 1), (2024, 4, 30)), None),
            (((2022, 5, 1), (2024, 5, 1)), ["2022", "2023", "2024"]),
            (((1601, 1, 1), (2024, 5, 1)), ["1601", "2024"]),
        ],
    )
    def test_times_are_by_month_within_two_years_else_by_year(
        self, days: tuple[tuple[int, int, int], ...], names: list[str] | None
    ) -> None:
        shown = periods([datetime(*day) for day in days])
        assert sum(one.files for one in shown) == len(days)
        if names is None:
            assert (len(shown), shown[0].name, shown[-1].name) == (24, "2022-05", "2024-04")
        else:
            assert [one.name for one in shown] == names

    def test_the_tables_show_it(self, folder: Path) -> None:
        add(folder)
        shown = invoke("info", "local/me").output
        for row in (
            r"document +1 +9", r"txt +1 +3", r"b\.pdf +2024-06-01 +9", r"2022 +0",
            r"findings +1 warning",
        ):  # fmt: skip
            assert re.search(rf"^{row}$", shown, re.MULTILINE), (row, shown)

    def test_json_holds_the_report_and_every_file(self, folder: Path) -> None:
        add(folder)
        facts = json.loads(invoke("info", "local/me", "--json").stdout)
        report = ProfileReport.model_validate(facts["report"])
        assert report == profile_report(load_dataset("local"), "me")
        assert [record["path"] for record in facts["file_records"]] == ["a.txt", "b.pdf"]
        assert len(facts["findings"]) == 1

    def test_the_page_stands_alone_and_escapes_names(self, folder: Path, tmp_path: Path) -> None:
        pytest.importorskip("matplotlib")
        (folder / "<img src=x onerror=alert(1)>.txt").write_text("x")
        add(folder, "--user", "<b>Ada</b>")
        page = tmp_path / "page.html"
        result = invoke("info", "local/me", "--html", str(page))
        assert result.exit_code == 0, result.output
        text = page.read_text()
        assert text.count("<svg") == 6  # nothing is asked of this person
        assert "&lt;img src=x" in text
        assert "<img" not in text
        assert "<b>Ada" not in text
        assert not re.search(r"""(?:src|href)\s*=\s*["']?(?:https?:)?//""", text)
        assert "chmod o+r" in text

    def test_the_page_of_a_person_with_tasks_has_their_plots(self, tmp_path: Path) -> None:
        pytest.importorskip("matplotlib")
        assert invoke("info", "adam", "--html", str(tmp_path / "p.html")).exit_code == 0
        assert (tmp_path / "p.html").read_text().count("<svg") == 10
