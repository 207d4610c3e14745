"""What references point at, and what becomes of those that point nowhere; on made-up data."""

from __future__ import annotations

from pathlib import Path

import pytest
from rhelm_made_up import ID, NAME, NOTES, PAGE, only_task, question, write

from deskgym.tasks.findings import Finding
from deskgym.tasks.locators import Lines, parse_locator
from deskgym.tasks.rhelm.sections import words
from deskgym.tasks.schema import Evidence
from deskgym.tools.registry import read_text

NOTES_PATH, PAGE_PATH = f"Attachments/{NOTES}", f"Attachments/{PAGE}"
ASKING = "Mail/2024-01-09 1 Pump which one.eml"
REPLY = "Mail/2024-01-09 2 Re Pump which one.eml"


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DESKGYM_CACHE", str(tmp_path / "cache"))


def resolved(tmp_path: Path, *references: str) -> tuple[tuple[Evidence, ...], tuple[Finding, ...]]:
    root = write(tmp_path / "rhelm", question(supporting_evidence=list(references)))
    data, task = only_task(root)
    assert [entry["reference"] for entry in task.extra["references"]] == list(references)
    ids = [i for entry in task.extra["references"] for i in entry["evidence"]]
    assert set(ids) == {e.evidence_id for e in task.evidence}
    assert task.files == tuple(dict.fromkeys(e.file_path for e in task.evidence))
    return task.evidence, data.findings(NAME)


@pytest.mark.parametrize(
    ("reference", "path", "locator", "says"),
    [
        ("2024-01-02:1", "Conversations/2024-01-02.md", "lines:3-7", "Good morning."),
        ("2024-01-02:2", "Conversations/2024-01-02.md", "lines:9-18", "- name them"),
        ("2024-01-02:3", "Conversations/2024-01-02.md", "lines:20-26", f"*Attached: {NOTES}*"),
        (f"{NOTES}:1. Frogs", NOTES_PATH, "lines:3-9", "Three frogs on the wall."),
        (f"{NOTES}:Frogs", NOTES_PATH, "lines:3-9", "One more, by the shed."),
        (f"{NOTES}:2", NOTES_PATH, "lines:11-19", "Plants"),
        (f"{NOTES}:Header: ### At night", NOTES_PATH, "lines:7-9", "One more, by the shed."),
        (f"{NOTES}:At", NOTES_PATH, "lines:7-9", "One more, by the shed."),
        (f"{NOTES}:Table of Plants", NOTES_PATH, "lines:11-19", "north bank"),
        (f"{NOTES}:Iris", NOTES_PATH, "lines:15", "north bank"),
        (f"{NOTES}:Feeding plan", NOTES_PATH, "lines:17-19", "peas on Friday"),
        (f"{NOTES}:Header", NOTES_PATH, "file", "# Pond log"),
        (NOTES, NOTES_PATH, "file", "peas on Friday"),
        (f"{PAGE}:Budget & Costs", PAGE_PATH, "file", "| Pump | 120 pounds |"),
        (f"{PAGE}:Pump", PAGE_PATH, "file", "120 pounds"),
        (f"{PAGE}:2", PAGE_PATH, "file", "- Sell the old one"),
        ("Emails_2024-01-09:Email 2", REPLY, "file", "She will bring it on Sunday."),
        ("Emails_2024-01-09:Email to Lena Ort", ASKING, "file", "which pump to buy"),
        ("Emails_2024-01-09:Email from Lena Ort", REPLY, "file", "the blue one"),
        (
            "Emails_2024-01-09:Header: ## Email:From: Lena Ort <lena@ort.example>"
            "To: Dr. Ada B. Moss <ada@moss.example>",
            REPLY,
            "file",
            "From: Lena Ort <lena@ort.example>",
        ),
        ("Emails_2024-01-09:Subject: Re: Pump: which one?", REPLY, "file", "the blue one"),
    ],
)
def test_a_reference_is_one_place_whose_words_the_read_tool_returns(
    tmp_path: Path, reference: str, path: str, locator: str, says: str
) -> None:
    (evidence,), findings = resolved(tmp_path, reference)
    assert findings == ()
    assert (evidence.file_path, str(evidence.locator)) == (path, locator)
    assert says in evidence.text
    (folder,) = (tmp_path / "cache" / "profiles" / "rhelm").iterdir()
    lines = None if locator == "file" else parse_locator(locator)
    selected = (lines.start, lines.end) if isinstance(lines, Lines) else None
    (segment,) = read_text(folder / path, lines=selected).segments
    for line in evidence.text.split("\n"):
        assert " ".join(words(line)) in " ".join(words(segment.text))


@pytest.mark.parametrize("section", ["Email", "Header", "Body", "Header: Email", ""])
def test_words_for_any_mail_mean_all_mails_of_the_day(tmp_path: Path, section: str) -> None:
    evidence, findings = resolved(tmp_path, f"Emails_2024-01-09:{section}")
    assert [e.file_path for e in evidence] == [ASKING, REPLY]
    assert findings == ()


def test_places_that_are_named_twice_are_one_piece_of_evidence(tmp_path: Path) -> None:
    evidence, _ = resolved(tmp_path, "2024-01-02:1", f"{NOTES}:Frogs", f"{NOTES}:1", "2024-01-02:1")
    assert [e.evidence_id for e in evidence] == ["e1", "e2"]


@pytest.mark.parametrize(
    ("reference", "rule", "path", "places"),
    [
        ("2024-01-02:1,2024-01-02:2", "joined-references", "Conversations/2024-01-02.md", 2),
        ("2024-01-02:1,2, 3", "joined-references", "Conversations/2024-01-02.md", 3),
        (f"{NOTES[:-3]}:Frogs", "missing-suffix", NOTES_PATH, 1),
        (f"{NOTES[:-3]}.html:Frogs", "wrong-suffix", NOTES_PATH, 1),
    ],
)
def test_what_a_rule_can_mend_is_mended_and_reported(
    tmp_path: Path, reference: str, rule: str, path: str, places: int
) -> None:
    evidence, (finding,) = resolved(tmp_path, reference)
    assert (finding.rule, finding.severity, finding.value) == (rule, "repaired", reference)
    assert (finding.profile_id, finding.task_id) == (ID, "fact_1")
    assert [e.file_path for e in evidence] == [path] * places


@pytest.mark.parametrize(
    ("reference", "rule", "told"),
    [
        ("2024-01-02:18", "no-such-turn", "turns 1 to 3"),
        ("2024-01-03:1", "no-such-day", "2024-01-03"),
        ("2024-02-31:1", "no-such-day", "2024-02-31"),
        ("Emails_2024-01-02:Email", "no-such-day", "no mails of 2024-01-02"),
        ("Emails_2024-01-09:Email 7", "no-such-mail", "2 mails"),
        ("01_notes_task_ffffffff.md:Frogs", "no-such-file", NOTES),
        ("40_notes_task_ffffffff:Frogs", "no-such-file", "nor its number"),
        ("the pond, as I remember it", "unreadable-reference", "neither"),
    ],
)
def test_what_points_nowhere_is_an_error_and_the_rest_of_the_task_stays(
    tmp_path: Path, reference: str, rule: str, told: str
) -> None:
    (kept,), (finding,) = resolved(tmp_path, reference, "2024-01-02:1")
    assert (finding.rule, finding.severity, finding.value) == (rule, "error", reference)
    assert told in finding.message
    assert "Good morning." in kept.text


def test_of_a_joined_list_the_turns_that_are_there_stay(tmp_path: Path) -> None:
    evidence, findings = resolved(tmp_path, "2024-01-02:1,9")
    assert len(evidence) == 1
    assert [f.rule for f in findings] == ["joined-references", "no-such-turn"]


@pytest.mark.parametrize(
    ("reference", "rule"),
    [
        (f"{NOTES}:Whales and dolphins", "no-such-section"),
        ("Emails_2024-01-09:Email to Nobody Here", "mail-not-told"),
    ],
)
def test_a_part_that_is_not_there_means_the_whole_with_a_warning(
    tmp_path: Path, reference: str, rule: str
) -> None:
    evidence, (finding,) = resolved(tmp_path, reference)
    assert (finding.rule, finding.severity) == (rule, "warning")
    assert evidence
    assert all(str(e.locator) == "file" for e in evidence)


def test_a_question_without_evidence_is_reported(tmp_path: Path) -> None:
    evidence, (finding,) = resolved(tmp_path)
    assert evidence == ()
    assert (finding.rule, finding.severity, finding.task_id) == ("no-evidence", "warning", "fact_1")


def test_evidence_after_the_question_is_reported(tmp_path: Path) -> None:
    root = write(
        tmp_path / "rhelm",
        question(question_date="2024-01-02", supporting_evidence=[f"{PAGE}:2", f"{NOTES}:2"]),
    )
    data, task = only_task(root)
    (finding,) = data.findings(NAME)
    assert (finding.rule, finding.severity) == ("evidence-after-question", "warning")
    assert finding.value == f"{PAGE}:2"
    assert len(task.evidence) == 2
