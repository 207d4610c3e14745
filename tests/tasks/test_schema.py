"""Tasks, evidence, profiles: what they refuse."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from deskgym.tasks.locators import WholeFile
from deskgym.tasks.schema import Evidence, FileRecord, Profile, RationaleStep, Task, relative_path

UNIT = Evidence(evidence_id="e1", file_path="a.txt", modality="text", text="x")
FIELDS: dict[str, Any] = {
    "id": "t1",
    "profile_id": "demo/ann",
    "question": "What?",
    "answer": "That.",
    "qa_type": "factual_retention",
    "files": ("a.txt",),
    "evidence": (UNIT,),
    "rationale": (RationaleStep(step_id=1, text="Read.", evidence_ids=("e1",)),),
}
RECORD: dict[str, Any] = {
    "id": 1,
    "path": "a/b.txt",
    "type": "txt",
    "modality": "text",
    "size": 3,
    "sha256": "0" * 64,
    "created": "2024-01-01T10:00:00",
    "modified": "2024-01-02T10:00:00",
}


@pytest.mark.parametrize("path", ["a", "a/b.txt", "Über uns/北京.pdf", "..a/b..", "a b"])
def test_paths_inside_a_profile(path: str) -> None:
    assert relative_path(path) == path


@pytest.mark.parametrize("path", ["", ".", "/a", "..", "a/../b", "../a", "a\0b"])
def test_paths_that_lead_elsewhere_are_refused(path: str) -> None:
    with pytest.raises(ValueError, match="not a path inside a profile"):
        relative_path(path)
    with pytest.raises(ValidationError):
        FileRecord(**{**RECORD, "path": path})
    with pytest.raises(ValidationError):
        Task(**{**FIELDS, "files": ("a.txt", path)})


def test_a_task() -> None:
    task = Task(**FIELDS)
    assert task.answerable
    assert task.evidence[0].locator == WholeFile()
    assert Task.model_validate_json(task.model_dump_json()) == task
    with pytest.raises(ValidationError):
        task.answer = "other"  # type: ignore[misc]


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"question": ""}, "at least 1 character"),
        ({"answer": ""}, "at least 1 character"),
        ({"profile_id": "ann"}, "should match pattern"),
        ({"profile_id": "demo/../ann"}, "should match pattern"),
        ({"evidence": (UNIT, UNIT)}, "an evidence id is used twice"),
        ({"rationale": (RationaleStep(step_id=1, text="", evidence_ids=("e9",)),)}, "cites"),
        ({"files": ()}, "which files does not list"),
        ({"qa_type": "profiling"}, "goes with qa_type 'profiling'"),
        ({"profiling_type": "workflows"}, "goes with qa_type 'profiling'"),
        ({"qa_type": "guess"}, "qa_type"),
        ({"colour": "red"}, "Extra inputs"),
    ],
)
def test_a_task_that_cannot_be_is_refused(changes: dict[str, Any], says: str) -> None:
    with pytest.raises(ValidationError, match=says):
        Task(**{**FIELDS, **changes})


@pytest.mark.parametrize(
    "changes",
    [
        {"size": -1},
        {"sha256": "xyz"},
        {"latitude": 91},
        {"longitude": -181},
        {"modality": "smell"},
        {"created": "yesterday"},
    ],
)
def test_a_file_record_that_cannot_be_is_refused(changes: dict[str, Any]) -> None:
    FileRecord(**RECORD)
    with pytest.raises(ValidationError):
        FileRecord(**{**RECORD, **changes})


def test_a_profile_s_name_is_its_id_within_the_data_set() -> None:
    profile = Profile(id="rhelm/martin_keller", user="M", root=Path("/x"), files=(), digest="")
    assert profile.name == "martin_keller"
