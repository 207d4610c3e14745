"""Every rule of validation: what breaks it, and what comes near and does not."""

from __future__ import annotations

import unicodedata
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest

from deskgym.tasks.extents import within
from deskgym.tasks.findings import Finding
from deskgym.tasks.locators import parse_locator
from deskgym.tasks.schema import Evidence, FileRecord, Profile, RationaleStep, Task
from deskgym.tasks.validate import (
    MAX_VALUE,
    Contents,
    DiskFile,
    annotation_keys,
    disk_findings,
    gold_findings,
    in_order,
    place_findings,
    task_findings,
    text_at,
)

LEASE, CAFE = "Home/lease.pdf", "Home/Café.txt"
TERM = "The renewed term ends on 31 August 2025."
UNIT = Evidence(
    evidence_id="e1",
    file_path=LEASE,
    modality="document",
    locator=parse_locator("page:2"),
    text=TERM,
)


def record(path: str, **changes: Any) -> FileRecord:
    fields: dict[str, Any] = {
        "id": 1,
        "path": path,
        "type": "pdf",
        "modality": "document",
        "size": 9,
        "sha256": "a" * 64,
        "created": datetime(2024, 3, 1, 9),
        "modified": datetime(2024, 3, 2, 9),
    }
    return FileRecord(**{**fields, **changes})


PROFILE = Profile(
    id="made/ann",
    user="Ann",
    root=Path("/nowhere"),
    files=(record(LEASE), record(CAFE)),
    digest="d" * 64,
)
TASK = Task(
    id="t1",
    profile_id="made/ann",
    question="When does the term end?",
    answer="31 August 2025",
    qa_type="factual_retention",
    asked=date(2024, 4, 1),
    files=(LEASE,),
    evidence=(UNIT,),
    rationale=(RationaleStep(step_id=1, text="Read it.", evidence_ids=("e1",)),),
)
BLANK_STEP = RationaleStep(step_id=1, text="\n", evidence_ids=("e1",))
ASTRAY = RationaleStep(step_id=1, text="Read it.", evidence_ids=("e1", "e7"))


def unchecked(**changes: Any) -> Task:
    """A task as a loader may make it that does not let the schema check what it says."""
    return TASK.model_copy(update=changes)


def elsewhere(path: str) -> dict[str, Any]:
    return {"files": (path,), "evidence": (UNIT.model_copy(update={"file_path": path}),)}


def marks(findings: Any) -> list[tuple[str, str, str]]:
    return [(one.rule, one.severity, one.field) for one in findings]


def of_tasks(*tasks: Task, shown: Profile = PROFILE) -> list[Finding]:
    return list(task_findings(PROFILE, tasks, lambda task: shown))


class TestTasks:
    def test_a_good_one(self) -> None:
        assert of_tasks(TASK) == []

    @pytest.mark.parametrize(
        ("changes", "expected"),
        [
            ({"question": " \n"}, ("empty-question", "error", "question")),
            ({"answer": "\t"}, ("empty-answer", "error", "answer")),
            (
                {"evidence": (UNIT.model_copy(update={"text": " "}),)},
                ("empty-evidence", "error", "evidence e1"),
            ),
            ({"rationale": (BLANK_STEP,)}, ("empty-rationale", "warning", "rationale 1")),
            ({"rationale": (ASTRAY,)}, ("unknown-evidence", "error", "rationale 1")),
            ({"evidence": (), "rationale": ()}, ("no-evidence", "warning", "evidence")),
            ({"files": (LEASE, CAFE)}, ("file-without-evidence", "warning", "files")),
            (elsewhere("Home/rent.pdf"), ("no-such-file", "error", "evidence e1")),
            (elsewhere("home/lease.pdf"), ("no-such-file", "error", "evidence e1")),
            (
                elsewhere(unicodedata.normalize("NFD", CAFE)),
                ("unicode-form", "error", "evidence e1"),
            ),
            ({"asked": date(2024, 2, 29)}, ("evidence-after-question", "warning", "evidence e1")),
        ],
    )
    def test_a_fault(self, changes: dict[str, Any], expected: tuple[str, str, str]) -> None:
        found = of_tasks(unchecked(**changes))
        assert marks(found) == [expected]
        assert found[0].task_id == "t1"
        assert found[0].message

    @pytest.mark.parametrize(
        "changes",
        [
            {"asked": date(2024, 3, 1)},  # the day on which the file was made
            {"asked": None},
            {"answerable": False, "files": (), "evidence": (), "rationale": ()},
            elsewhere(CAFE),
        ],
    )
    def test_near_misses(self, changes: dict[str, Any]) -> None:
        assert of_tasks(unchecked(**changes)) == []

    def test_a_file_that_is_there_on_another_day(self) -> None:
        part = PROFILE.model_copy(update={"files": (record(CAFE),), "digest": "e" * 64})
        found = of_tasks(TASK, shown=part)
        assert marks(found) == [("not-on-the-desk", "error", "evidence e1")]
        assert "2024-04-01" in found[0].message

    def test_an_id_that_is_used_twice_is_told_once(self) -> None:
        found = of_tasks(TASK, TASK, unchecked(id="t2"))
        assert marks(found) == [("duplicate-task-id", "error", "id")]
        assert found[0].value == "t1"


class TestDisk:
    THERE = {LEASE: DiskFile(9, "a" * 64), CAFE: DiskFile(9, "a" * 64)}  # noqa: RUF012

    def test_all_as_listed(self) -> None:
        assert list(disk_findings(PROFILE, self.THERE)) == []
        unhashed = {path: DiskFile(9) for path in self.THERE}
        assert list(disk_findings(PROFILE, unhashed)) == []

    @pytest.mark.parametrize(
        ("lease", "expected"),
        [
            (DiskFile(8, "a" * 64), ("changed-on-disk", "error", LEASE)),
            (DiskFile(9, "b" * 64), ("changed-on-disk", "error", LEASE)),
            (DiskFile(9, problem="Permission denied"), ("unreadable-file", "warning", LEASE)),
        ],
    )
    def test_another_content(self, lease: DiskFile, expected: tuple[str, str, str]) -> None:
        assert marks(disk_findings(PROFILE, {**self.THERE, LEASE: lease})) == [expected]

    def test_missing_and_unlisted(self) -> None:
        disk = {CAFE: self.THERE[CAFE], "tasks.jsonl": DiskFile(5)}
        assert marks(disk_findings(PROFILE, disk)) == [
            ("missing-on-disk", "error", LEASE),
            ("unlisted-on-disk", "warning", "tasks.jsonl"),
        ]

    def test_another_unicode_form_is_neither_missing_nor_unlisted(self) -> None:
        disk = {LEASE: self.THERE[LEASE], unicodedata.normalize("NFD", CAFE): DiskFile(9)}
        assert marks(disk_findings(PROFILE, disk)) == [("unicode-form", "error", CAFE)]

    def test_a_name_that_is_no_unicode_can_be_written_out(self) -> None:
        (one,) = disk_findings(PROFILE, {**self.THERE, "bad\udcff.txt": DiskFile(1)})
        assert one.field == r"bad\udcff.txt"
        assert one.model_dump_json()


SHEETS = [{"name": "Rent", "rows": 4, "columns": 3}, {"name": "Old"}]


@pytest.mark.parametrize(
    ("locator", "info", "inside"),
    [
        ("file", {}, True),
        ("page:3", {"pages": 3}, True),
        ("page:3-4", {"pages": 3}, False),
        ("page:1", {"lines": 9}, None),
        ("lines:9", {"lines": 9}, True),
        ("lines:10", {"lines": 9}, False),
        ("turns:2", {"turns": 2}, True),
        ("turns:3", {"turns": 2}, False),
        ("region:2@0,0,1,1", {"pages": 2}, True),
        ("region:3@0,0,1,1", {"pages": 2}, False),
        ("region:1@0,0,1,1", {"mime": "image/png"}, True),
        ("region:2@0,0,1,1", {"mime": "image/png"}, False),
        ("time:8-10.4", {"duration_s": 10}, True),
        ("time:8-10.6", {"duration_s": 10}, False),
        ("time:8-10", {"duration": 9.8}, True),
        ("time:8-10", {}, None),
        ("cells:rent!C4", {"sheets": SHEETS}, True),
        ("cells:Rent!B2:C5", {"sheets": SHEETS}, False),
        ("cells:Rent!D1", {"sheets": SHEETS}, False),
        ("cells:Lease!A1", {"sheets": SHEETS}, False),
        ("cells:C4", {"sheets": SHEETS}, True),
        ("cells:Old!Z99", {"sheets": SHEETS}, True),
        ("cells:A1", {"lines": 9}, None),
    ],
)
def test_within_a_file(locator: str, info: dict[str, Any], inside: bool | None) -> None:
    assert within(parse_locator(locator), info) is inside


def pages(*texts: str, **info: Any) -> Contents:
    segments = ((parse_locator(f"page:{n}"), text) for n, text in enumerate(texts, 1))
    return Contents({"pages": len(texts), "mime": "application/pdf", **info}, tuple(segments))


class TestPlaces:
    def places(self, contents: Contents, unit: Evidence = UNIT) -> list[tuple[str, str, str]]:
        return marks(place_findings(PROFILE, LEASE, contents, [(TASK, unit)]))

    def test_the_text_stands_there(self) -> None:
        assert self.places(pages("1. Parties", f"2. Term\n{TERM}")) == []

    @pytest.mark.parametrize(
        ("contents", "expected"),
        [
            (pages(TERM), ("locator-out-of-range", "error", "evidence e1")),
            (
                pages(TERM, "2. Rent is due monthly."),
                ("evidence-text-not-found", "warning", "evidence e1"),
            ),
            (
                pages("1. Parties", TERM.replace("2025", "2024")),
                ("evidence-text-not-found", "warning", "evidence e1"),
            ),
            (
                Contents({"lines": 1}, ((parse_locator("lines:1"), TERM),)),
                ("locator-unchecked", "warning", "evidence e1"),
            ),
            (Contents(problem="encrypted"), ("unreadable-file", "warning", LEASE)),
        ],
    )
    def test_a_fault(self, contents: Contents, expected: tuple[str, str, str]) -> None:
        assert self.places(contents) == [expected]

    def test_what_cannot_be_read_as_text_is_not_searched_for(self) -> None:
        assert self.places(pages("1. Parties", "")) == []  # a scanned page
        seen = UNIT.model_copy(update={"modality": "image", "text": "A red door"})
        assert self.places(pages("1. Parties", "2. Term"), seen) == []

    def test_a_file_without_evidence_may_be_unreadable(self) -> None:
        assert list(place_findings(PROFILE, LEASE, Contents(problem="encrypted"), ())) == []


@pytest.mark.parametrize(
    ("locator", "text"),
    [
        ("file", "a\nb\nc\nd\ne"),
        ("lines:2", "b"),
        ("lines:3-4", "c\nd"),
        ("lines:9", ""),
        ("page:1", "a\nb\nc\nd\ne"),  # the file has no pages: the text may be anywhere
    ],
)
def test_text_of_lines(locator: str, text: str) -> None:
    segments = ((parse_locator("lines:1-3"), "a\nb\nc"), (parse_locator("lines:4-5"), "d\ne"))
    assert text_at(Contents(segments=segments), parse_locator(locator)) == text


def test_text_of_a_region_is_its_page_s() -> None:
    assert text_at(pages("one", "two"), parse_locator("region:2@0,0,1,0.5")) == "two"


class TestGold:
    @pytest.mark.parametrize(
        "text",
        [
            "Q: when  does the\nterm END? A: 31 August 2025",
            '{"q": "When does the term end?", "a": "31 August 2025"}',
        ],
    )
    def test_a_question_with_its_answer(self, text: str) -> None:
        (one,) = gold_findings(PROFILE, CAFE, text, [TASK])
        assert (one.rule, one.severity, one.field) == ("gold-on-desk", "error", CAFE)
        assert one.task_id == "t1"

    def test_as_json_escapes_it(self) -> None:
        task = unchecked(question='What is "Café Ö"?', answer="A café")
        text = r'["What is \"Caf\u00e9 \u00d6\"?", "A caf\u00e9"]'
        assert len(list(gold_findings(PROFILE, CAFE, text, [task]))) == 1

    @pytest.mark.parametrize("text", ["", "When does the term end?", TERM])
    def test_one_without_the_other(self, text: str) -> None:
        assert list(gold_findings(PROFILE, CAFE, text, [TASK])) == []

    @pytest.mark.parametrize(
        ("text", "keys"),
        [
            (
                '[{"id": 1, "question": "?", "answer": "!", "evidence": []}]',
                ("question", "answer", "evidence"),
            ),
            (
                '{"Question": "?", "answer": "!", "rationale": []}\n{}',
                ("question", "answer", "rationale"),
            ),
            ("id\tquestion\tanswer\tgold_text\n1\t?\t!\tx", ("question", "answer", "gold_text")),
            (
                "|  | A | B | C |\n| --- | --- | --- | --- |\n| 1 | Question | Answer | Evidence |",
                ("question", "answer", "evidence"),
            ),
            ('{"question": "?", "answer": "!"}', ()),
            ("Question, answer and evidence are words of this sentence.", ()),
            ("A question?\nAn answer.\nNo evidence.", ()),
        ],
    )
    def test_the_fields_of_annotations(self, text: str, keys: tuple[str, ...]) -> None:
        assert annotation_keys(text) == keys
        rules = [one.rule for one in gold_findings(PROFILE, CAFE, text, [TASK])]
        assert rules == ["annotation-on-desk"] * bool(keys)


def test_findings_come_by_task_and_first_those_of_the_profile() -> None:
    tasks = [unchecked(id="t10"), unchecked(id="t9")]
    found = [*of_tasks(unchecked(id="t9", answer=" "), unchecked(id="t10", answer=" "))]
    found += disk_findings(PROFILE, {CAFE: DiskFile(9)})
    assert [one.task_id for one in in_order(found, tasks)] == [None, "t10", "t9"]


def test_what_is_at_fault_is_repeated_in_part() -> None:
    (one,) = gold_findings(
        PROFILE, CAFE, "x " * 500 + "y", [unchecked(question="x " * 500, answer="y")]
    )
    assert len(one.value) == MAX_VALUE
