"""Results of other agents: what is read, and what is refused by record and field."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from deskgym.env.foreign import (
    BadResults,
    foreign_groups,
    foreign_result,
    read_foreign,
    score_foreign,
)
from deskgym.tasks.scoring.models import JudgeVerdict

RECORD: dict[str, Any] = {
    "query_id": "7",
    "question": "Which bank?",
    "answer": "Nordea",
    "ground_truth": "Nordea",
    "ground_file_list": ["a.pdf", "b.txt"],
    "agent_file_list": ["a.pdf"],
    "time_ms": 1_200,
}


def written(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "results.json"
    file.write_text(text, encoding="utf-8")
    return file


class TestReading:
    @pytest.mark.parametrize(
        "shape",
        [
            lambda r: json.dumps([r, r]),
            lambda r: json.dumps({"results": [r, r]}),
            lambda r: f"{json.dumps(r)}\n\n{json.dumps(r)}\n",
            lambda r: "\ufeff" + json.dumps([r, r], indent=2),
            lambda r: f"{json.dumps(r)}\r\n{json.dumps(r)}",
        ],
        ids=["list", "object", "lines", "byte order mark", "lines from Windows"],
    )
    def test_the_shapes_of_a_file(self, tmp_path: Path, shape: Any) -> None:
        record = {**RECORD, "answer": "two\u2028lines"}
        found = read_foreign(written(tmp_path, shape(record)))
        assert [r.answer for r in found] == ["two\u2028lines"] * 2

    def test_one_record_alone(self, tmp_path: Path) -> None:
        assert len(read_foreign(written(tmp_path, json.dumps(RECORD)))) == 1

    def test_a_record_is_taken_as_it_is_written(self) -> None:
        found = foreign_result({**RECORD, "QA_type": "profiling", "agent": "x", "other": 1}, "r")
        assert found.model_dump() == {
            "query_id": "7",
            "question": "Which bank?",
            "answer": "Nordea",
            "ground_truth": "Nordea",
            "gold_files": ("a.pdf", "b.txt"),
            "agent_files": ("a.pdf",),
            "time_ms": 1200.0,
            "agent": "x",
            "qa_type": "profiling",
            "answerable": True,
        }

    def test_nulls_and_single_paths(self) -> None:
        found = foreign_result(
            {"query_id": 3, "answer": None, "ground_file_list": "a.pdf", "agent_file_list": None},
            "r",
        )
        assert (found.query_id, found.answer, found.ground_truth) == ("3", None, None)
        assert (found.gold_files, found.agent_files, found.time_ms) == (("a.pdf",), (), None)
        assert foreign_result({**RECORD, "ground_file_list": ""}, "r").gold_files == ()

    def test_the_first_name_that_holds_something_counts(self) -> None:
        found = foreign_result(
            {**RECORD, "agent_file_list": None, "retrieved_file_list": ["z"]}, "r"
        )
        assert found.agent_files == ("z",)
        both = foreign_result({**RECORD, "retrieved_file_list": ["z"]}, "r")
        assert both.agent_files == ("a.pdf",)

    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({"query_id": None}, "record 2 has no query_id"),
            (
                {"query_id": True},
                r"record 2: query_id is text or a whole number, not true or false",
            ),
            ({"answer": 5}, r"record 2 \(7\): answer is text or null, not a number"),
            ({"ground_truth": ["x"]}, r"record 2 \(7\): ground_truth is text or null, not a list"),
            ({"ground_file_list": {"a": 1}}, "ground_file_list is a list of paths or null"),
            ({"agent_file_list": ["a", 3]}, "agent_file_list holds a number among its paths"),
            ({"time_ms": -1}, "time_ms is milliseconds from 0 or null, not -1"),
            ({"time_ms": "12"}, "time_ms is milliseconds"),
            ({"time_ms": float("nan")}, "time_ms is milliseconds"),
            ({"time_ms": 10**400}, "time_ms is milliseconds"),
            ({"answerable": "no"}, "answerable is true or false, not text"),
        ],
    )
    def test_errors_name_record_and_field(
        self, tmp_path: Path, changes: dict[str, Any], message: str
    ) -> None:
        file = written(tmp_path, json.dumps([RECORD, {**RECORD, **changes}]))
        with pytest.raises(BadResults, match=message):
            read_foreign(file)

    def test_a_record_without_an_answer_says_what_to_write(self) -> None:
        with pytest.raises(BadResults, match="has no answer; write null"):
            foreign_result({"query_id": "1"}, "r")

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("", "is empty"),
            ("nonsense", "neither JSON nor JSON lines"),
            ('{"query_id": "1", "answer": null}\n{"query', "line 2 is not JSON"),
            ("3", "holds a number; results are a list"),
            ('{"results": {}}', "holds an object; results are a list"),
            ("[3]", "record 1 is not an object but a number"),
            ("[" * 100_000, "nested too deeply"),
        ],
    )
    def test_what_is_no_list_of_records(self, tmp_path: Path, text: str, message: str) -> None:
        with pytest.raises(BadResults, match=message):
            read_foreign(written(tmp_path, text))

    def test_no_file_and_no_text(self, tmp_path: Path) -> None:
        with pytest.raises(BadResults, match="cannot read"):
            read_foreign(tmp_path / "none.json")
        binary = tmp_path / "x"
        binary.write_bytes(b"\xff\xfe\x00")
        with pytest.raises(BadResults, match="cannot read"):
            read_foreign(binary)


def groups_of(*records: dict[str, Any]) -> Any:
    return foreign_groups([score_foreign(foreign_result(r, "r")) for r in records])


class TestAverages:
    def test_by_value(self) -> None:
        wrong = {**RECORD, "answer": "Handelsbanken", "agent_file_list": [], "time_ms": None}
        (group,) = groups_of(RECORD, wrong, {**RECORD, "ground_file_list": [], "answer": None})
        assert (group.group, group.records, group.answers.n) == ("all", 3, 3)
        assert group.answers.score == pytest.approx(1 / 3)
        assert group.answers.abstained == 1
        assert group.files.total_evaluated == 2
        assert group.files.average_precision == 0.5
        assert group.files.average_recall == group.files.hit_rate == 0.25
        assert group.files.average_f1_score == pytest.approx(1 / 3)
        assert group.mean_time_ms == 1_200
        assert group.intervals["mean_time_ms"] == (1_200, 1_200)
        assert group.intervals["score"] == (0.0, 1.0)

    def test_nothing_to_average_is_none_and_not_zero(self) -> None:
        (group,) = groups_of({"query_id": "1", "answer": "x"})
        assert (group.answers.n, group.answers.score, group.mean_time_ms) == (0, None, None)
        assert group.files.total_evaluated == 0
        assert group.files.average_f1_score is None
        assert group.intervals == {}

    def test_by_kind_and_then_all(self) -> None:
        groups = groups_of(
            {**RECORD, "QA_type": "profiling"}, {**RECORD, "QA_type": "factual_retention"}, RECORD
        )
        assert [g.group for g in groups] == ["profiling", "factual_retention", "-", "all"]
        assert [g.records for g in groups] == [1, 1, 1, 3]

    def test_answers_that_a_judge_left_out_are_counted_and_not_wrong(self) -> None:
        verdicts = [
            JudgeVerdict(status="scored", rubric="graded", model="m", correct=True, grade=4),
            JudgeVerdict(status="unscored", rubric="graded", model="m", error="timed out"),
        ]
        result = foreign_result(RECORD, "r")
        (group,) = foreign_groups([score_foreign(result, verdict=v) for v in verdicts])
        answers = group.answers
        assert (answers.judged, answers.unscored) == (1, 1)
        assert (answers.accuracy, answers.mean_grade) == (1.0, 4.0)
