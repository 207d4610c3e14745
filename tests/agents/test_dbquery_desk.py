"""The database of a person's records, and the queries on it."""

from __future__ import annotations

import email.message
import zipfile
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from openpyxl import Workbook

from deskgym.agents.dbquery_desk.build import TABLES, build, describe
from deskgym.agents.dbquery_desk.query import MAX_ROWS, select
from deskgym.tasks.registry import load_dataset

# --- the database ---------------------------------------------------------------------------------


def a_mail() -> bytes:
    message = email.message.EmailMessage()
    message["From"], message["To"] = "Dinah <d@x.example>", "Adam <a@x.example>"
    message["Cc"] = "Ewa <e@x.example>"
    message["Date"], message["Subject"] = "Tue, 26 Nov 2024 12:58:00 -0000", "Lunch: 午餐"
    message.set_content("The squash risotto.\n")
    message.add_attachment(b"%PDF", maintype="application", subtype="pdf", filename="menu.pdf")
    return bytes(message)


CALENDAR = """BEGIN:VCALENDAR
BEGIN:VEVENT
UID:1@x
DTSTART;TZID=Europe/London:20230907T193000
DTEND;TZID=Europe/London:20230907T203000
SUMMARY:Football\\, Tabard
  Rovers
RRULE:FREQ=WEEKLY;BYDAY=TH
ATTENDEE;CN=Tom:mailto:tom@x.example
BEGIN:VALARM
DESCRIPTION:not the event's own
END:VALARM
END:VEVENT
BEGIN:VEVENT
DTSTART;VALUE=DATE:20231001
SUMMARY:Holiday
END:VEVENT
END:VCALENDAR
"""
CONTACTS = """BEGIN:VCARD
FN:J. Marsh
ORG:Crumb & Copper Ltd
item1.EMAIL;TYPE=INTERNET:j@crumb.example
TEL;TYPE=CELL:07700 900352
TEL:020 7946 0140
END:VCARD
"""
CHAT = """[12/03/2024, 18:30] Tom: got the job!
in Leeds
[12/03/2024, 18:31] Adam: well done
"""
TRANSCRIPT = """# 2024-01-02: Martin and Assistant

## Turn 1, 2024-01-02 07:31

**Martin:** I began at 8:30.

**Assistant:** Good.

## Turn 2, 2024-01-02 08:18

**Martin:** Then coffee.
"""


def save_workbook(path: Path) -> None:
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "Rent split"
    sheet.append(["From", "Whole flat", "Adam"])
    sheet.append([date(2024, 9, 1), 1545, 815.5])
    sheet["C4"] = "late"
    book.create_sheet("Empty")
    book.save(path)


@pytest.fixture
def records(tmp_path: Path) -> Callable[[str], list[tuple[str, ...]]]:
    """The database of a folder of all kinds of records, asked by SQL."""
    desk = tmp_path / "desk"
    (desk / "in").mkdir(parents=True)
    (desk / "lunch.eml").write_bytes(a_mail())
    (desk / "cal.ics").write_bytes(CALENDAR.replace("\n", "\r\n").encode())
    (desk / "people.vcf").write_text(CONTACTS)
    (desk / "in" / "meter.csv").write_text(
        'date,kwh,who\n2025-06-01,54102,"A, B"\n\n2025-07-01,1,x\n'
    )
    (desk / "semi.csv").write_bytes("﻿name;code\nJosé;007\n".encode())
    (desk / "chat.txt").write_text(CHAT)
    (desk / "talk.md").write_text(TRANSCRIPT)
    (desk / "notes.md").write_text("# Title\n\n**Venue:** here\nand there\n\nlast")
    (desk / "photo.jpg").write_bytes(b"\xff\xd8")
    save_workbook(desk / "rent.xlsx")
    database = tmp_path / "records.sqlite"
    listing = {"lunch.eml": ("text", "2024-11-26T13:00")}
    assert build(desk, database, listing) == []

    def ask(sql: str) -> list[tuple[str, ...]]:
        return [tuple(line.split(" | ")) for line in select(database, sql).splitlines()[1:-1]]

    return ask


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        ("SELECT type, modality, modified FROM files WHERE path='lunch.eml'",
         [("eml", "text", "2024-11-26T13:00")]),
        ("SELECT count(*) FROM files", [("10",)]),
        ("SELECT path, date, sender, recipients, subject, body FROM mails",
         [("lunch.eml", "2024-11-26 12:58", "Dinah <d@x.example>",
           "Adam <a@x.example>, Ewa <e@x.example>", "Lunch: 午餐", "The squash risotto.")]),
        ("SELECT summary, starts, ends, repeats, attendees, description FROM calendar",
         [("Football, Tabard Rovers", "2023-09-07 19:30", "2023-09-07 20:30",
           "FREQ=WEEKLY;BYDAY=TH", "tom@x.example", ""),
          ("Holiday", "2023-10-01", "", "", "", "")]),
        ("SELECT name, org, email, phone FROM contacts",
         [("J. Marsh", "Crumb & Copper Ltd", "j@crumb.example", "07700 900352, 020 7946 0140")]),
        ("SELECT locator, row, col, header, value FROM sheets WHERE path='in/meter.csv' AND row=2",
         [("lines:2", "2", "A", "date", "2025-06-01"), ("lines:2", "2", "B", "kwh", "54102"),
          ("lines:2", "2", "C", "who", "A, B")]),
        ("SELECT locator FROM sheet_rows WHERE path='in/meter.csv'",
         [("lines:1",), ("lines:2",), ("lines:4",)]),
        ("SELECT value, typeof(value) FROM sheets WHERE path='semi.csv' AND row=2",
         [("José", "text"), ("007", "text")]),
        ("SELECT locator, header, value FROM sheets WHERE path='rent.xlsx' AND row > 1",
         [("cells:Rent split!A2", "From", "2024-09-01"),
          ("cells:Rent split!B2", "Whole flat", "1545"),
          ("cells:Rent split!C2", "Adam", "815.5"), ("cells:Rent split!C4", "Adam", "late")]),
        ("SELECT locator FROM sheet_rows WHERE path='rent.xlsx'",
         [("cells:Rent split!A1:C1",), ("cells:Rent split!A2:C2",), ("cells:Rent split!C4:C4",)]),
        ("SELECT path, locator, time, sender, text FROM messages",
         [("chat.txt", "lines:1-2", "12/03/2024, 18:30", "Tom", "got the job! / in Leeds"),
          ("chat.txt", "lines:3", "12/03/2024, 18:31", "Adam", "well done"),
          ("talk.md", "lines:5", "2024-01-02 07:31", "Martin", "I began at 8:30."),
          ("talk.md", "lines:7", "2024-01-02 07:31", "Assistant", "Good."),
          ("talk.md", "lines:11", "2024-01-02 08:18", "Martin", "Then coffee.")]),
        ("SELECT locator, text FROM notes",
         [("lines:1", "# Title"), ("lines:3-4", "**Venue:** here / and there"),
          ("lines:6", "last")]),
    ],
)  # fmt: skip
def test_records_of_every_kind_have_their_place(
    sql: str, rows: list[tuple[str, ...]], records: Callable[[str], list[tuple[str, ...]]]
) -> None:
    assert records(sql) == rows


def test_broken_files_are_named_and_the_rest_is_there(tmp_path: Path) -> None:
    desk = tmp_path / "desk"
    desk.mkdir()
    (desk / "a.xlsx").write_bytes(b"no zip")
    (desk / "b.ics").write_bytes(b"\0\1\2 no calendar")
    (desk / "c.eml").write_bytes(b"\n\nno head")
    (desk / "d.csv").write_text("x,y\n1,2\n")
    with zipfile.ZipFile(desk / "e.xlsx", "w") as book:
        book.writestr("xl/workbook.xml", "<broken")
    (desk / "link.csv").symlink_to("/etc/passwd")
    notes = build(desk, tmp_path / "db", {})
    assert [note.split(":")[0] for note in notes] == [
        f"skipped {name}" for name in ("a.xlsx", "b.ics", "c.eml", "e.xlsx")
    ]
    assert select(tmp_path / "db", "SELECT count(*) FROM files").splitlines()[1] == "5"
    assert "sheet_rows(path, locator, sheet, row, text): 2 rows" in describe(tmp_path / "db")


def test_the_demo_people_have_no_broken_records(tmp_path: Path) -> None:
    data = load_dataset("demo")
    for name in data.profiles():
        database = tmp_path / name.replace("/", "-")
        assert build(Path(data.profile(name).root), database, {}) == []
        for table in ("mails", "calendar", "contacts", "sheets", "notes"):
            assert select(database, f"SELECT count(*) FROM {table}").splitlines()[1] != "0"
        assert all(f"{table}(" in describe(database) for table in TABLES)


# --- queries --------------------------------------------------------------------------------------


@pytest.fixture
def database(tmp_path: Path) -> Path:
    desk = tmp_path / "desk"
    desk.mkdir()
    (desk / "a.csv").write_text("n\n" + "\n".join(map(str, range(200))))
    build(desk, tmp_path / "db", {})
    return tmp_path / "db"


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM files", "INSERT INTO files VALUES (1,2,3,4,5)", "DROP TABLE files",
        "ATTACH 'other.db' AS o", "PRAGMA table_info(files)", "CREATE TEMP TABLE t (x)",
        "SELECT load_extension('x')", "VACUUM INTO 'copy.db'", "BEGIN", "",
        "SELECT 1; SELECT 2", "SELECT * FROM nowhere", "SELEC path", "SELECT zeroblob(100000000)",
        "SELECT writefile('x', 'y')", "WITH x AS (SELECT 1) DELETE FROM files", "SELECT '\ud800'",
    ],
)  # fmt: skip
def test_whatever_is_no_plain_select_is_an_error_and_changes_nothing(
    sql: str, database: Path
) -> None:
    before = database.read_bytes()
    assert select(database, sql).startswith("error:")
    assert database.read_bytes() == before
    assert sorted(path.name for path in database.parent.iterdir()) == ["db", "desk"]


def test_rows_are_capped_and_it_is_said(database: Path) -> None:
    lines = select(database, "SELECT path, row FROM sheets").splitlines()
    assert len(lines) == MAX_ROWS + 2
    assert lines[-1] == f"cut: the first {MAX_ROWS} rows"
    wide = select(database, "SELECT path, printf('%0600d', row) FROM sheets")
    assert len(wide) < 20_000
    assert "rows shown, more were found" in wide.splitlines()[-1]


def test_a_query_without_end_is_broken_off(database: Path) -> None:
    endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM n) SELECT max(x) FROM n"
    assert select(database, endless, seconds=0.05) == "error: the query took longer than 0.05 s"
