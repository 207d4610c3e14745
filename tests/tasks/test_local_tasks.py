"""The file of tasks of a folder of one's own: what a line must say, and what is wrong with one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from deskgym.tasks.local.questions import read_tasks
from deskgym.tasks.locators import Lines, WholeFile
from deskgym.tasks.registry import BadDataset
from deskgym.tasks.schema import Task


def read(file: Path) -> tuple[Task, ...]:
    return read_tasks(file, "local/me")


def lines(file: Path, *records: Any) -> Path:
    file.write_text("".join(json.dumps(record) + "\n" for record in records))
    return file


def test_id_question_and_answer_are_enough(tmp_path: Path) -> None:
    file = lines(
        tmp_path / "t.jsonl",
        {"id": 7, "question": "Where?", "answer": "Here", "file_path": "a.txt"},
        {"id": "x", "question": "When?", "answer": "Now"},
    )
    first, second = read(file)
    assert (first.id, first.files, first.qa_type) == ("7", ("a.txt",), "factual_retention")
    assert (second.id, second.files, second.evidence, second.answerable) == ("x", (), (), True)


def test_what_more_a_record_says_is_kept(tmp_path: Path) -> None:
    record = {
        "id": "1", "question": "q", "answer": "a", "profiling_type": "workflows",
        "agent_cap": '{"search": ["cross-file"]}', "mine": 3,
        "evidence": [
            {"file_path": "a.wav"},
            {"evidence_id": "z", "file_path": "b.txt", "evidence_locator": "lines:2",
             "evidence_text": "t"},
        ],
        "rationale": [{"rationale_text": "so", "evidence_id": ["e1", "z"]}],
    }  # fmt: skip
    (task,) = read(lines(tmp_path / "t.jsonl", record))
    assert (task.qa_type, task.profiling_type) == ("profiling", "workflows")
    assert task.files == ("a.wav", "b.txt")
    assert [unit.modality for unit in task.evidence] == ["audio", "text"]
    assert [unit.locator for unit in task.evidence] == [WholeFile(), Lines(start=2, end=2)]
    assert task.rationale[0].evidence_ids == ("e1", "z")
    assert task.capabilities.search == ("cross-file",)
    assert task.extra == {"mine": 3}


def test_empty_lines_and_a_byte_order_mark_do_no_harm(tmp_path: Path) -> None:
    file = tmp_path / "t.jsonl"
    file.write_bytes(b'\xef\xbb\xbf\r\n{"id": 1, "question": "q", "answer": "a"}\r\n\n')
    assert len(read(file)) == 1


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("{", "not JSON"),
        ("[]", "not an object"),
        (b"\xff", "not JSON"),
        ({"question": "q", "answer": "a"}, "id: Field required"),
        ({"id": 2, "question": "", "answer": "a"}, "question: "),
        ({"id": 2, "question": "q", "answer": 5}, "answer: "),
        ({"id": 2, "question": "q", "answer": "a", "file_path": ["/etc/x"]}, "file_path.0: "),
        ({"id": 2, "question": "q", "answer": "a", "file_path": "../x"}, "file_path.0: "),
        ({"id": 2, "question": "q", "answer": "a", "QA_type": "odd"}, "QA_type: "),
        ({"id": 2, "question": "q", "answer": "a", "agent_cap": "{"}, "agent_cap: "),
        ({"id": 2, "question": "q", "answer": "a", "evidence": [{}]}, "evidence.0.file_path"),
        (
            {
                "id": 2, "question": "q", "answer": "a",
                "evidence": [{"file_path": "x", "evidence_locator": "leaf:3"}],
            },
            "not a locator",
        ),
        ({"id": 2, "question": "q", "answer": "a", "QA_type": "profiling"}, "profiling_type"),
        ({"id": 1, "question": "q", "answer": "a"}, "id: '1' is that of line 1 too"),
    ],
)  # fmt: skip
def test_a_line_that_is_no_record_is_named_with_its_field(
    tmp_path: Path, line: Any, fault: str
) -> None:
    file = lines(tmp_path / "t.jsonl", {"id": 1, "question": "q", "answer": "a"})
    raw = json.dumps(line) if isinstance(line, dict) else line
    with file.open("ab") as out:
        out.write(raw if isinstance(raw, bytes) else raw.encode())
    with pytest.raises(BadDataset) as raised:
        read(file)
    assert f"{file}, line 2: " in str(raised.value)
    assert fault in str(raised.value)
