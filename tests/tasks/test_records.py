"""The published record: what is read of it, and that writing it gives it back."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

import pytest
from pydantic import ValidationError

from deskgym.tasks.locators import Pages
from deskgym.tasks.records import record_from_task, task_from_record
from deskgym.tasks.schema import FileRecord

RECORD: dict[str, Any] = {
    "id": "7",
    "QA_type": "profiling",
    "profiling_type": "workflows",
    "question": "How do I file?",
    "answer": "By year.",
    "answerable": True,
    "data_source": "demo/ann",
    "file_path": ["a.pdf", "b.jpg"],
    "file_number": 2,
    "file_modality": ["document", "image"],
    "file_type": ["jpg", "pdf"],
    "agent_cap": json.dumps(
        {"search": ["content"], "evidence_perception": ["text", "ocr"], "reasoning": ["lookup"]}
    ),
    "evidence": [
        {
            "evidence_id": "e1",
            "file_path": "a.pdf",
            "modality": "document",
            "evidence_locator": "page:2",
            "evidence_text": "2024",
        },
        {
            "evidence_id": "e2",
            "file_path": "b.jpg",
            "modality": "image",
            "evidence_locator": "region:1@0,0,0.5,0.5",
            "evidence_text": "2025",
        },
    ],
    "evidence_text_joined": "2024\n2025",
    "rationale": [
        {"step_id": 1, "evidence_id": ["e1", "e2"], "rationale_text": "Two years."},
        {"step_id": 2, "evidence_id": [], "rationale_text": "So by year."},
    ],
}


def file(path: str, modality: Any) -> FileRecord:
    day = datetime(2024, 1, 1)
    return FileRecord(
        id=1, path=path, type=path[-3:], modality=modality, size=1, sha256="0" * 64,
        created=day, modified=day,
    )  # fmt: skip


FILES = {"a.pdf": file("a.pdf", "document"), "b.jpg": file("b.jpg", "image")}


def test_a_record_read_and_written_is_the_same_byte_for_byte() -> None:
    task = task_from_record(RECORD, "demo/ann")
    assert json.dumps(record_from_task(task, FILES)) == json.dumps(RECORD)


def test_what_is_read() -> None:
    task = task_from_record(RECORD, "demo/ann")
    assert (task.id, task.profile_id, task.profiling_type) == ("7", "demo/ann", "workflows")
    assert task.capabilities.perception == ("text", "ocr")
    assert task.evidence[0].locator == Pages(start=2, end=2)
    assert task.rationale[0].evidence_ids == ("e1", "e2")
    assert task.extra == {}


def test_unknown_fields_are_kept() -> None:
    more = {**RECORD, "file_text": {"a.pdf": [1, None]}, "gold_text": "x"}
    task = task_from_record(more, "demo/ann")
    assert task.extra == {"file_text": {"a.pdf": [1, None]}, "gold_text": "x"}
    assert record_from_task(task, FILES) == more


def test_what_a_published_record_may_leave_out_or_write_otherwise() -> None:
    published = {k: v for k, v in RECORD.items() if k not in ("answerable", "profiling_type")}
    published |= {
        "id": 7,
        "QA_type": "factual_retention",
        "profiling_type": "",
        "agent_cap": json.loads(RECORD["agent_cap"]),
    }
    task = task_from_record(published, "demo/ann")
    assert task.id == "7"
    assert task.answerable
    assert task.profiling_type is None
    assert task.capabilities.search == ("content",)


@pytest.mark.parametrize("field", ["question", "answer", "evidence", "rationale", "agent_cap"])
def test_a_record_without_a_needed_field_is_refused(field: str) -> None:
    with pytest.raises(KeyError, match=field):
        task_from_record({k: v for k, v in RECORD.items() if k != field}, "demo/ann")


def test_a_record_with_a_value_that_cannot_be_is_refused() -> None:
    broken = json.loads(json.dumps(RECORD))
    broken["evidence"][0]["evidence_locator"] = "somewhere"
    with pytest.raises(ValidationError, match="not a locator"):
        task_from_record(broken, "demo/ann")
    broken["evidence"][0] |= {"evidence_locator": "file", "file_path": "c.txt"}
    with pytest.raises(ValidationError, match="which files does not list"):
        task_from_record(broken, "demo/ann")
