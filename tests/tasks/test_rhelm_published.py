"""The published benchmark itself: all of it loads, and all evidence is where it is said to be."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from deskgym.tasks.locators import Lines, WholeFile
from deskgym.tasks.registry import BadDataset, profile_id
from deskgym.tasks.rhelm import RhelmDataset
from deskgym.tasks.rhelm.layout import people, read_desk
from deskgym.tasks.schema import Evidence, Profile
from deskgym.tools.registry import read_text

SHARED = Path(os.environ.get("DESKGYM_SHARED") or Path(__file__).parents[3] / "shared")
RHELM = SHARED / "data" / "rhelm"
MALFORMED = {
    ("david_r_ellis", "2024-05-28:9,2024-05-28:10,2024-05-28:11,2024-05-28:13"): "repaired",
    ("david_reyes", "2024-06-26:13,17,18"): "repaired",
    ("elena_morales", "40_notes_task_5fa66599:Best Practices and Professional Insights"): "error",
    ("martin_keller", "02_notes_task_fb31a367.md:Gear and Equipment"): "error",
    ("martin_keller", "2024-01-07:18"): "error",
}
NAMES = (
    "david_r_ellis", "david_reyes", "dr_alastair_mcewan", "dr_elena_markovic", "dr_elias_romero",
    "dr_marcus_ellison", "elena_morales", "jonas_richter", "justice_arvind_prakash_mehra",
    "martin_keller",
)  # fmt: skip
PER_PERSON = pytest.mark.parametrize("name", NAMES)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RhelmDataset]:
    if not RHELM.is_dir():
        pytest.skip(f"{RHELM} is not there (see DESKGYM_SHARED), so RHELM WAS NOT READ")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DESKGYM_CACHE", str(tmp_path_factory.mktemp("cache")))
        data = RhelmDataset(RHELM, as_of="question")
        for name in data.profiles():
            data.profile(name)
        yield data


def test_ten_people_and_their_questions_are_there(data: RhelmDataset) -> None:
    assert data.profiles() == tuple(f"rhelm/{name}" for name in NAMES)
    assert profile_id(data, "martin_keller") == "rhelm/martin_keller"
    tasks = [task for name in NAMES for task in data.tasks(name)]
    assert len(tasks) == 1305
    assert Counter(task.question_type for task in tasks) == {
        "attachment": 249,
        "mixed": 210,
        "fact": 207,
        "hallucination": 197,
        "aggregation": 192,
        "temporal": 185,
        "misleading": 65,
    }
    assert all(task.labels and task.asked and task.answerable for task in tasks)


def test_just_the_malformed_references_are_faults_each_by_name(data: RhelmDataset) -> None:
    found = [finding for name in NAMES for finding in data.findings(name)]
    faults = [f for f in found if f.severity != "warning"]
    assert {(f.profile_id.partition("/")[2], f.value): f.severity for f in faults} == MALFORMED
    assert len(faults) == 5
    assert all(f.task_id and f.field == "supporting_evidence" and f.message for f in faults)
    # And references that the question's day comes before.
    assert Counter(f.rule for f in found if f.severity == "warning") == {
        "evidence-after-question": 27
    }


@PER_PERSON
def test_every_other_reference_has_evidence(data: RhelmDataset, name: str) -> None:
    for task in data.tasks(name):
        given = task.extra["published"]["supporting_evidence"]
        assert [entry["reference"] for entry in task.extra["references"]] == given
        for entry in task.extra["references"]:
            if MALFORMED.get((name, entry["reference"])) != "error":
                assert entry["evidence"], f"{task.id}: {entry['reference']}"


@PER_PERSON
def test_all_evidence_stands_at_its_place_word_for_word(data: RhelmDataset, name: str) -> None:
    profile = data.profile(name)

    @cache
    def whole_text(path: str) -> str:
        (segment,) = read_text(profile.root / path, max_chars=10_000_000).segments
        return segment.text

    for task in data.tasks(name):
        for evidence in task.evidence:
            assert _stands_there(evidence, whole_text(evidence.file_path)), (task.id, evidence)


def _stands_there(evidence: Evidence, text: str) -> bool:
    if isinstance(evidence.locator, Lines):
        lines = text.split("\n")[evidence.locator.start - 1 : evidence.locator.end]
        return " ".join(evidence.text.split()) in " ".join(" ".join(lines).split())
    assert evidence.locator == WholeFile()
    if not evidence.file_path.endswith(".html"):
        return " ".join(evidence.text.split()) in " ".join(text.split())
    # A page is laid out in another way, and addresses of links stand behind their labels.
    shown = _words(text), _words(re.sub(r" \(https?://(?:[^\s()]|\([^\s()]*\))*\)", "", text))
    lines = [line for line in evidence.text.split("\n") if line]
    return bool(lines) and all(any(_words(line) in one for one in shown) for line in lines)


def _words(text: str) -> str:
    return " " + " ".join(re.findall(r"[^\W_]+", text)) + " "


@PER_PERSON
def test_read_text_itself_returns_the_lines(data: RhelmDataset, name: str) -> None:
    profile = data.profile(name)
    for task in data.tasks(name)[:10]:
        for evidence in task.evidence:
            if isinstance(evidence.locator, Lines):
                lines = evidence.locator.start, evidence.locator.end
                path = profile.root / evidence.file_path
                (segment,) = read_text(path, lines=lines, max_chars=1_000_000).segments
                assert segment.locator == str(Lines(start=lines[0], end=lines[1]))
                assert evidence.text.strip() in segment.text


@PER_PERSON
def test_no_gold_is_on_the_desk(data: RhelmDataset, name: str) -> None:
    text = _all_text(data.profile(name))
    for task in data.tasks(name):
        assert task.question not in text
        assert f'"{task.id}"' not in text
    for mark in ("supporting_evidence", "message_type", "generation_model", "outputs/plans"):
        assert mark not in text


def _all_text(profile: Profile) -> str:
    return "\n".join((profile.root / r.path).read_text("utf-8") for r in profile.files)


@PER_PERSON
def test_every_published_word_and_attachment_is_on_the_desk(data: RhelmDataset, name: str) -> None:
    profile = data.profile(name)
    person = next(p for p in people(RHELM) if p.name == name)
    for file in (RHELM / "attachments" / person.folder).iterdir():
        assert (profile.root / "Attachments" / file.name).read_bytes() == file.read_bytes()
    for file in (RHELM / "conversations" / person.folder).iterdir():
        talk = json.loads(file.read_bytes())
        text = (profile.root / "Conversations" / f"{talk['date']}.md").read_text("utf-8")
        for turn in talk["conversation"]:
            assert turn["user"].strip("\n") in text
            assert turn["assistant"].strip("\n") in text


@PER_PERSON
def test_attachments_are_dated_by_the_conversations_about_them(
    data: RhelmDataset, name: str
) -> None:
    person = next(p for p in people(RHELM) if p.name == name)
    desk = read_desk(RHELM, person)
    compared = 0
    for file in (RHELM / "conversations" / person.folder).iterdir():
        talk = json.loads(file.read_bytes())
        for turn in talk["conversation"]:
            about = turn.get("research_document")
            for path, made in desk.files.items():
                if about and Path(path).stem == about:
                    assert made.day.isoformat() == talk["date"], path
                    compared += 1
    assert compared


@PER_PERSON
def test_as_of_its_question_a_desk_shows_no_later_file(data: RhelmDataset, name: str) -> None:
    later = 0
    for task in data.tasks(name)[::10]:
        shown = data.profile_for(task)
        assert shown.id == task.profile_id
        assert task.asked is not None
        assert all(record.modified.date() <= task.asked for record in shown.files)
        there = {p.relative_to(shown.root).as_posix() for p in shown.root.rglob("*") if p.is_file()}
        assert there == {record.path for record in shown.files}
        later += len(shown.files) < len(data.profile(name).files)
    assert later


def test_a_broken_copy_is_no_data_set(tmp_path: Path) -> None:
    (tmp_path / "conversations").mkdir()
    with pytest.raises(BadDataset):
        RhelmDataset(tmp_path)
