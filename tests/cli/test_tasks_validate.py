"""`deskgym tasks validate`: people of real files, whole and damaged; the exit code; the output."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import zipfile
from collections import Counter
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from deskgym.cli.main import app
from deskgym.tasks import registry
from deskgym.tasks.findings import Finding
from deskgym.tasks.locators import parse_locator
from deskgym.tasks.modalities import modality_of, type_of
from deskgym.tasks.registry import BadDataset, DatasetInfo
from deskgym.tasks.schema import Evidence, FileRecord, Profile, Task

SHARED = Path(os.environ.get("DESKGYM_SHARED") or Path(__file__).parents[3] / "shared")
RHELM = SHARED / "data" / "rhelm"
NOTES = "notes/plan.txt"
QUESTION, ANSWER = "When is the boat lifted?", "on 12 October 2024"
FACT = "The boat is lifted on 12 October 2024."


class MadeDataset:
    """One person, whose files lie in a folder; see `deskgym.tasks.registry.Dataset`."""

    name = "made"
    digest = "d" * 64

    def __init__(self, root: Path) -> None:
        self.root = root
        self.files: tuple[FileRecord, ...] = ()
        self.evidence = ("lines:2", FACT)
        self.own: tuple[Finding, ...] = ()
        self.broken: Exception | None = None

    def profiles(self) -> tuple[str, ...]:
        return ("made/ann",)

    def profile(self, name: str) -> Profile:
        if self.broken is not None:
            raise self.broken
        full = registry.profile_id(self, name)
        return Profile(id=full, user="Ann", root=self.root, files=self.files, digest="e" * 64)

    def tasks(self, name: str) -> tuple[Task, ...]:
        locator, text = self.evidence
        unit = Evidence(
            evidence_id="e1",
            file_path=NOTES,
            modality="text",
            locator=parse_locator(locator),
            text=text,
        )
        return (
            Task(
                id="t1",
                profile_id=registry.profile_id(self, name),
                question=QUESTION,
                answer=ANSWER,
                qa_type="factual_retention",
                files=(NOTES,),
                evidence=(unit,),
            ),
        )

    def profile_for(self, task: Task) -> Profile:
        return self.profile(task.profile_id)

    def findings(self, name: str) -> tuple[Finding, ...]:
        return self.own

    def add(self, path: str, data: bytes) -> None:
        """A file on the disk that the profile lists."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
        made = FileRecord(
            id=len(self.files),
            path=path,
            type=type_of(path),
            modality=modality_of(path),
            size=len(data),
            sha256=hashlib.sha256(data).hexdigest(),
            created=datetime(2024, 3, 1),
            modified=datetime(2024, 3, 1),
        )
        self.files = (*self.files, made)


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MadeDataset:
    monkeypatch.setenv("DESKGYM_CACHE", str(tmp_path / "cache"))
    dataset = MadeDataset(tmp_path / "ann")
    dataset.add(NOTES, f"Autumn\n{FACT}\nPaint it.\n".encode())
    info = DatasetInfo("made", "Made", "for tests", "none", lambda: dataset)
    monkeypatch.setitem(registry.DATASETS, "made", info)
    return dataset


def run(*args: str) -> Result:
    return CliRunner().invoke(app, ["tasks", "validate", *args])


def found(*args: str) -> tuple[int, list[dict[str, Any]]]:
    result = run(*args, "--json")
    return result.exit_code, json.loads(result.stdout)


def rules(*args: str) -> tuple[int, list[str]]:
    code, findings = found(*args)
    return code, [one["rule"] for one in findings]


def test_the_demo_people_have_no_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DESKGYM_CACHE", str(tmp_path))
    assert found("demo") == (0, [])


@pytest.mark.skipif(
    shutil.which("ffprobe") is None, reason="no ffprobe: sounds and videos NOT VALIDATED unprepared"
)
def test_the_demo_people_read_without_what_was_prepared_have_none_either(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DESKGYM_CACHE", str(tmp_path))
    monkeypatch.setattr("deskgym.validation.find", lambda profile: None)
    assert found("demo") == (0, [])


def test_a_good_person(made: MadeDataset) -> None:
    result = run("made/ann")
    assert result.exit_code == 0
    assert "nothing is wrong" in result.stdout


@pytest.mark.parametrize(
    ("evidence", "code", "rule"),
    [
        (("lines:20", FACT), 1, "locator-out-of-range"),
        (("lines:3", FACT), 0, "evidence-text-not-found"),
        (("page:1", FACT), 0, "locator-unchecked"),
    ],
)
def test_evidence_that_is_not_where_it_should_be(
    made: MadeDataset, evidence: tuple[str, str], code: int, rule: str
) -> None:
    made.evidence = evidence
    assert rules("made") == (code, [rule])


def test_a_file_that_is_gone(made: MadeDataset) -> None:
    (made.root / NOTES).unlink()
    assert rules("made") == (1, ["missing-on-disk"])


def test_a_file_of_another_content_is_passed_over_when_quick(made: MadeDataset) -> None:
    file = made.root / NOTES
    file.write_bytes(file.read_bytes().replace(b"Paint", b"Scrub"))
    assert rules("made") == (1, ["changed-on-disk"])
    assert rules("made", "--quick") == (0, [])


GOLD = json.dumps([{"question": QUESTION, "answer": ANSWER, "evidence": [FACT]}])


def test_the_tasks_lie_on_the_desk_unlisted(made: MadeDataset) -> None:
    (made.root / "tasks.jsonl").write_text(GOLD, encoding="utf-8")
    code, names = rules("made")
    assert code == 1
    assert Counter(names) == Counter(["unlisted-on-disk", "gold-on-desk", "annotation-on-desk"])


def test_the_tasks_lie_in_a_workbook(made: MadeDataset) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.append(["question", "answer", "evidence"])
    book.active.append([QUESTION, ANSWER, FACT])
    book.save(made.root / "notes" / "tasks.xlsx")
    made.add("notes/tasks.xlsx", (made.root / "notes" / "tasks.xlsx").read_bytes())
    code, names = rules("made")
    assert (code, set(names)) == (1, {"gold-on-desk", "annotation-on-desk"})


def test_the_tasks_lie_in_an_archive(made: MadeDataset) -> None:
    with zipfile.ZipFile(made.root / "old.zip", "w") as archive:
        archive.writestr("inner/notes.txt", "nothing")
        archive.writestr("inner/tasks.json", GOLD)
    made.add("old.zip", (made.root / "old.zip").read_bytes())
    code, findings = found("made")
    assert code == 1
    assert {one["rule"] for one in findings} == {"gold-on-desk", "annotation-on-desk"}
    assert {one["field"] for one in findings} == {"old.zip!/inner/tasks.json"}


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads what nobody may: NOT TESTED as root")
def test_a_file_that_may_not_be_read(made: MadeDataset) -> None:
    (made.root / NOTES).chmod(0)
    code, names = rules("made")
    (made.root / NOTES).chmod(0o644)
    assert (code, set(names)) == (0, {"unreadable-file"})


def test_what_the_loader_found_comes_first_and_once(made: MadeDataset) -> None:
    fields: dict[str, Any] = {"profile_id": "made/ann", "message": "m"}
    repaired = Finding(rule="joined", severity="repaired", **fields)
    warned = Finding(
        rule="evidence-text-not-found", severity="warning", task_id="t1", field="source", **fields
    )
    made.own = (repaired, warned)
    made.evidence = ("lines:3", FACT)
    code, findings = found("made")
    assert code == 0
    assert findings == [one.model_dump(mode="json") for one in (repaired, warned)]


def test_a_person_who_cannot_be_loaded_is_a_finding(made: MadeDataset) -> None:
    made.broken = BadDataset("ann.json, line 7: no answer; mend it")
    for name in ("made", "made/ann"):
        code, findings = found(name)
        assert code == 1
        assert [(one["rule"], one["message"]) for one in findings] == [
            ("unparseable", "ann.json, line 7: no answer; mend it")
        ]


def test_nobody_of_that_name_is_wrong_usage() -> None:
    assert isinstance(run("demo/zoe").exception, registry.UnknownProfile)


def test_the_table_cuts_nothing_and_counts(made: MadeDataset) -> None:
    made.evidence = ("lines:20", FACT)
    result = run("made")
    assert result.exit_code == 1
    for said in ("locator-out-of-range", "error", "t1", "evidence e1", "lines:20", "lines 3"):
        assert said in result.stdout
    assert "errors 1, warnings 0, repaired 0" in result.stdout
    assert "…" not in result.stdout


def test_rhelm_names_its_five_malformed_references(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not RHELM.is_dir():
        pytest.skip(f"{RHELM} is not there (see DESKGYM_SHARED), so RHELM WAS NOT VALIDATED")
    settings = {"paths": {"rhelm": str(RHELM)}}
    (tmp_path / "datasets.json").write_text(json.dumps(settings), encoding="utf-8")
    monkeypatch.setenv("DESKGYM_CONFIG", str(tmp_path))
    monkeypatch.setenv("DESKGYM_CACHE", str(tmp_path / "cache"))
    code, findings = found("rhelm")
    assert code == 1
    serious = {one["value"]: one["severity"] for one in findings if one["severity"] != "warning"}
    assert serious == {
        "2024-05-28:9,2024-05-28:10,2024-05-28:11,2024-05-28:13": "repaired",
        "2024-06-26:13,17,18": "repaired",
        "40_notes_task_5fa66599:Best Practices and Professional Insights": "error",
        "02_notes_task_fb31a367.md:Gear and Equipment": "error",
        "2024-01-07:18": "error",
    }
    # Everything else stands where it should.
    warned = {one["rule"] for one in findings if one["severity"] == "warning"}
    assert warned == {"evidence-after-question", "no-evidence"}


def test_a_copy_of_a_demo_person_with_a_file_taken_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from deskgym.tasks.demo import DemoDataset

    monkeypatch.setenv("DESKGYM_CACHE", str(tmp_path / "cache"))
    whole = DemoDataset().profile("adam")
    task = next(task for task in DemoDataset().tasks("adam") if task.files)
    shutil.copytree(whole.root, tmp_path / "copy")
    (tmp_path / "copy" / task.files[0]).unlink()
    damaged = whole.model_copy(update={"root": tmp_path / "copy"})
    monkeypatch.setattr(DemoDataset, "profile", lambda self, name: damaged)
    code, findings = found("demo/adam")
    assert code == 1
    assert [(one["rule"], one["field"]) for one in findings] == [("missing-on-disk", task.files[0])]
