"""RHELM's published layout as a data set: people, files, times, bad input; on made-up data."""

from __future__ import annotations

import email
import email.policy
import json
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from rhelm_made_up import (
    DAYS,
    ID,
    NAME,
    NOTES,
    NOTES_TEXT,
    PAGE,
    PERSON,
    conversation,
    only_task,
    put_conversation,
    put_questions,
    question,
    turn,
    write,
)

from deskgym.tasks.registry import BadDataset, DatasetMissing, UnknownProfile, load_dataset
from deskgym.tasks.rhelm import RhelmDataset
from deskgym.tasks.rhelm.layout import short_name
from deskgym.tasks.rhelm.mails import Mail, message
from deskgym.tools.registry import read_text


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DESKGYM_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path / "rhelm", question())


@pytest.mark.parametrize(
    ("folder", "name"),
    [
        ("Martin_Keller", "martin_keller"),
        ("Dr._Elias_Romero", "dr_elias_romero"),
        ("David_R._Ellis", "david_r_ellis"),
        ("Justice_Arvind_Prakash_Mehra", "justice_arvind_prakash_mehra"),
        ("José_Núñez", "jose_nunez"),
    ],
)
def test_ids_are_the_published_names_in_plain_letters(folder: str, name: str) -> None:
    assert short_name(folder) == name


def test_a_person_is_known_by_id_and_by_bare_name(root: Path) -> None:
    data = load_dataset("rhelm", path=str(root))
    assert data.profiles() == (ID,)
    assert data.profile(NAME) == data.profile(ID)
    assert data.profile(NAME).user == "Dr. Ada B. Moss"
    with pytest.raises(UnknownProfile, match="did you mean"):
        data.profile("dr_ada_moss")


def test_a_task_says_what_the_record_says(root: Path) -> None:
    _, task = only_task(root)
    assert (task.id, task.profile_id, task.qa_type) == ("fact_1", ID, "factual_retention")
    assert (task.question_type, task.family, task.answerable) == ("fact", "fact", True)
    assert (task.labels, task.asked) == (("Multi-Hop Traversal",), date(2024, 3, 1))
    assert task.extra["published"] == question()


# -- the files -------------------------------------------------------------------------------------


def test_the_desk_holds_transcripts_mails_and_attachments(root: Path) -> None:
    person = RhelmDataset(root).profile(NAME)
    assert [record.path for record in person.files] == [
        f"Attachments/{NOTES}",
        f"Attachments/{PAGE}",
        *(f"Conversations/{day}.md" for day in DAYS),
        "Mail/2024-01-09 1 Pump which one.eml",
        "Mail/2024-01-09 2 Re Pump which one.eml",
    ]
    there = {p.relative_to(person.root).as_posix() for p in person.root.rglob("*") if p.is_file()}
    assert there == {record.path for record in person.files}
    assert (person.root / "Attachments" / NOTES).read_text("utf-8") == NOTES_TEXT


def test_a_transcript_reads_like_a_conversation_and_nothing_else(root: Path) -> None:
    person = RhelmDataset(root).profile(NAME)
    assert (person.root / "Conversations" / "2024-01-02.md").read_text("utf-8") == (
        "# 2024-01-02: Dr. Ada B. Moss and Assistant\n"
        "\n"
        "## Turn 1, 2024-01-02 08:01\n"
        "\n"
        "**Dr. Ada B. Moss:** Good morning.\n"
        "\n"
        "**Assistant:** Good morning, Ada.\n"
        "\n"
        "## Turn 2, 2024-01-02 08:02\n"
        "\n"
        "**Dr. Ada B. Moss:** Frogs again on 2024-01-02.\n"
        "\n"
        "**Assistant:**\n"
        "\n"
        "## Frogs\n"
        "\n"
        "- count them\n"
        "- name them\n"
        "\n"
        "## Turn 3, 2024-01-02 08:03\n"
        "\n"
        f"*Attached: {NOTES}*\n"
        "\n"
        "**Dr. Ada B. Moss:** See this.\n"
        "\n"
        "**Assistant:** Nice.\n"
    )


def test_times_are_those_that_were_published(root: Path) -> None:
    person = RhelmDataset(root).profile(NAME)
    times = {r.path.split("/")[-1]: (r.created, r.modified) for r in person.files}
    assert times["2024-01-02.md"] == (datetime(2024, 1, 2, 8, 1), datetime(2024, 1, 2, 8, 3))
    assert times["2024-01-09 1 Pump which one.eml"] == (datetime(2024, 1, 9),) * 2
    assert times[PAGE] == (datetime(2024, 1, 9),) * 2  # by the number of the mails
    assert times[NOTES] == (datetime(2024, 1, 2),) * 2  # by the first conversation's
    for record in person.files:
        on_disk = (person.root / record.path).stat().st_mtime
        assert datetime.fromtimestamp(on_disk, UTC).replace(tzinfo=None) == record.modified


@pytest.mark.parametrize(
    ("sender", "shown"),
    [
        ("Lena Ort <lena@ort.example>", "Lena Ort <lena@ort.example>"),
        ("Dr. A. Moss <a@m.example>", '"Dr. A. Moss" <a@m.example>'),
        ("Zoë Ångström <z@a.example>", "Zoë Ångström <z@a.example>"),
        ("z@a.example", "z@a.example"),
        ("Class <a@b.example; c@d.example>", "Class: a@b.example, c@d.example;"),
        ("A B <a@b.example>, C D <c@d.example>", "A B <a@b.example>, C D <c@d.example>"),
        ("All of us", "All of us:;"),
    ],
)
@pytest.mark.parametrize("summary", ["Short.", "Zwölf Boxkämpfer – jagen.", "é" * 1200])
def test_a_mail_is_a_valid_message_that_reads_as_its_evidence(
    tmp_path: Path, sender: str, shown: str, summary: str
) -> None:
    subject = "Grüße – " + "a long subject " * 12 + "ende"
    mail = Mail(date(2024, 1, 9), 1, sender, "Lena Ort <lena@ort.example>", subject, summary)
    file = tmp_path / "one.eml"
    file.write_bytes(message(mail, NAME))
    parsed = email.message_from_bytes(file.read_bytes(), policy=email.policy.default)
    assert parsed.defects == []
    assert [d for value in parsed.values() for d in value.defects] == []
    assert parsed["Date"].datetime == datetime(2024, 1, 9)
    assert max(map(len, file.read_bytes().split(b"\r\n"))) <= 998
    (segment,) = read_text(file).segments
    assert segment.text.rstrip("\n") == mail.readable()
    assert segment.text.startswith(f"From: {shown}\n")


def test_names_of_mails_are_safe_and_told_apart() -> None:
    mail = Mail(date(2024, 1, 9), 3, "a", "b", 'Re: a/b\\c "?" ' + "€" * 200, "x")
    assert mail.file_name.startswith("2024-01-09 3 Re a b c €")
    assert len(mail.file_name.encode()) < 200
    assert (
        Mail(date(2024, 1, 9), 3, "a", "b", "???", "x").file_name == "2024-01-09 3 no subject.eml"
    )


def test_no_question_or_answer_is_on_the_desk(root: Path) -> None:
    person = RhelmDataset(root).profile(NAME)
    text = b"".join((person.root / record.path).read_bytes() for record in person.files)
    for gold in (b"GOLD", b"How many frogs", b"secret_plan", b"some-model", b"status_update"):
        assert gold not in text


# -- laid out once ---------------------------------------------------------------------------------


def test_files_are_laid_out_once_and_again_if_spoilt(root: Path) -> None:
    first = RhelmDataset(root).profile(NAME)
    notes = first.root / "Attachments" / NOTES
    inode = notes.stat().st_ino
    assert RhelmDataset(root).profile(NAME) == first
    assert notes.stat().st_ino == inode
    notes.write_text("spoilt")
    RhelmDataset(root).profile(NAME)
    assert notes.read_text("utf-8") == NOTES_TEXT


def test_the_digest_depends_on_files_and_questions_alone(root: Path, tmp_path: Path) -> None:
    digest = RhelmDataset(root).digest
    assert RhelmDataset(write(tmp_path / "copy", question())).digest == digest
    put_questions(root, [json.dumps(question(answer="four"))])
    assert RhelmDataset(root).digest != digest


# -- as of the day of the question -----------------------------------------------------------------


def test_as_of_shows_nothing_later_than_the_question(tmp_path: Path) -> None:
    root = write(tmp_path / "rhelm", question(question_date="2024-01-05"))
    data = RhelmDataset(root, as_of="question")
    (task,) = data.tasks(NAME)
    whole, shown = data.profile(NAME), data.profile_for(task)
    assert [r.path for r in shown.files] == [f"Attachments/{NOTES}", "Conversations/2024-01-02.md"]
    assert (shown.id, shown.part_of) == (whole.id, whole.digest)
    assert shown.digest != whole.digest
    assert "-asof-20240102-" in shown.root.name
    for record in shown.files:
        assert (shown.root / record.path).samefile(whole.root / record.path)
    there = {p.relative_to(shown.root).as_posix() for p in shown.root.rglob("*") if p.is_file()}
    assert there == {r.path for r in shown.files}
    assert data.profile_for(task) is shown


def test_as_of_a_day_after_everything_is_the_whole_profile(root: Path) -> None:
    data = RhelmDataset(root, as_of="question")
    (task,) = data.tasks(NAME)
    assert data.profile_for(task) == data.profile(NAME)


def test_as_of_a_day_before_everything_is_an_empty_desk(tmp_path: Path) -> None:
    root = write(tmp_path / "rhelm", question(question_date="2023-12-31"))
    data = RhelmDataset(root, as_of="question")
    shown = data.profile_for(data.tasks(NAME)[0])
    assert shown.files == ()
    assert list(shown.root.iterdir()) == []


def test_without_as_of_every_task_has_the_whole_profile(tmp_path: Path) -> None:
    data, task = only_task(write(tmp_path / "rhelm", question(question_date="2024-01-05")))
    assert data.profile_for(task) == data.profile(NAME)


@pytest.mark.parametrize("value", ["today", "", "2024-01-01"])
def test_any_other_as_of_is_refused(root: Path, value: str) -> None:
    with pytest.raises(ValueError, match="as_of"):
        RhelmDataset(root, as_of=value)


# -- bad input -------------------------------------------------------------------------------------


def test_a_folder_that_is_not_there_says_how_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(DatasetMissing, match="deskgym datasets"):
        RhelmDataset(tmp_path / "nowhere")


def test_a_folder_of_another_layout_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadDataset, match="QA_final"):
        RhelmDataset(tmp_path)


def test_questions_about_somebody_without_files_are_refused_by_name(root: Path) -> None:
    put_questions(root, [json.dumps(question())], person="Nobody_Here")
    with pytest.raises(BadDataset, match=r"qa_Nobody_Here_all_validated\.jsonl"):
        RhelmDataset(root)


def test_a_person_without_questions_is_reported(root: Path) -> None:
    (root / "conversations" / "Bo_Lund").mkdir()
    put_conversation(
        root,
        "conversation_2024_01_02.json",
        conversation("2024-01-02", [turn(1, "2024-01-02", "Hello.", "Hello.")]),
        person="Bo_Lund",
    )
    data = RhelmDataset(root)
    assert data.tasks("bo_lund") == ()
    assert [f.rule for f in data.findings("bo_lund")] == ["no-questions"]


def test_two_people_of_one_id_are_refused(root: Path) -> None:
    (root / "emails" / PERSON.replace(".", "")).mkdir()
    with pytest.raises(BadDataset, match=ID):
        RhelmDataset(root)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("{not json", "line 2 is not JSON"),
        (json.dumps([]), "line 2"),
        (json.dumps({k: v for k, v in question().items() if k != "answer"}), "line 2: answer"),
        (json.dumps(question(question_date="soon")), "line 2: question_date"),
        (json.dumps(question(supporting_evidence="2024-01-02:1")), "line 2: supporting_evidence"),
    ],
)
def test_a_bad_question_is_named_by_file_line_and_field(root: Path, line: str, told: str) -> None:
    file = put_questions(root, [json.dumps(question()), line])
    with pytest.raises(BadDataset) as caught:
        RhelmDataset(root).tasks(NAME)
    assert told in str(caught.value)
    assert file.name in str(caught.value)


def test_questions_of_one_id_both_stay_and_are_reported(root: Path) -> None:
    put_questions(root, [json.dumps(question()), json.dumps(question(answer="four"))])
    data = RhelmDataset(root)
    assert [(t.id, t.answer) for t in data.tasks(NAME)] == [
        ("fact_1", "GOLD: three"),
        ("fact_1-2", "four"),
    ]
    (finding,) = data.findings(NAME)
    assert (finding.rule, finding.severity, finding.value) == ("duplicate-id", "repaired", "fact_1")


@pytest.mark.parametrize(
    ("place", "content", "told"),
    [
        ("conversations/{}/conversation_2024_05_01.json", "{", "conversation_2024_05_01.json"),
        ("conversations/{}/conversation_2024_05_01.json", "{}", "date"),
        (
            "conversations/{}/conversation_2024_05_01.json",
            json.dumps(conversation("2024-05-01", [])),
            "without turns",
        ),
        (
            "conversations/{}/conversation_2024_05_01.json",
            json.dumps(conversation("2024-05-02", [turn(1, "2024-05-02", "a", "b")])),
            "is of 2024-05-02",
        ),
        (
            "conversations/{}/conversation_2024_05_01.json",
            json.dumps(conversation("2024-05-01", [turn(1, "2024-05-01", "a", "b")] * 2)),
            "turn 1 stands twice",
        ),
        ("conversations/{}/talk.json", "{}", "not named with a day"),
        ("emails/{}/03_email_2024_02_01.txt", "Sender: a\nSubject: b\n", "no field 'Recipient'"),
        ("emails/{}/03_email_2024_02_01.txt", "Dear all\n", "which is no field"),
        ("emails/{}/02_email_2024_02_01.txt", "", "number 2"),
        ("emails/{}/03_email_2024_02_30.txt", "", "not named with a day"),
        ("QA_final/extra.jsonl", "", "not named like"),
    ],
)
def test_a_bad_file_is_named_with_what_is_wrong(
    root: Path, place: str, content: str, told: str
) -> None:
    file = root / place.format(PERSON)
    file.write_text(content, "utf-8")
    with pytest.raises(BadDataset) as caught:
        RhelmDataset(root).profile(NAME)
    assert told in str(caught.value)
    assert file.name in str(caught.value)


def test_an_attachment_of_an_unknown_number_gets_the_last_day_and_is_reported(root: Path) -> None:
    (root / "attachments" / PERSON / "77_notes_task_cc.md").write_text("late")
    data = RhelmDataset(root)
    record = next(r for r in data.profile(NAME).files if "77_" in r.path)
    assert record.modified == datetime(2024, 2, 1)
    (finding,) = data.findings(NAME)
    assert (finding.rule, finding.value) == ("undated-attachment", "77_notes_task_cc.md")


def test_hidden_files_of_the_system_are_no_part_of_it(root: Path) -> None:
    before = RhelmDataset(root).profile(NAME).digest
    for kind in ("attachments", "conversations", "emails"):
        (root / kind / PERSON / ".DS_Store").write_bytes(b"\0")
        (root / kind / ".DS_Store").write_bytes(b"\0")
    (root / "QA_final" / ".DS_Store").write_bytes(b"\0")
    assert RhelmDataset(root).profile(NAME).digest == before
