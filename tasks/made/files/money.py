"""Money and letters: the budget workbook, the bank's statements, letters as PDF."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from deskgym.tasks.demo.make.office import xlsx_bytes
from deskgym.tasks.demo.make.pages import pdf_bytes
from deskgym.tasks.locators import Cells, Pages
from deskgym.tasks.made.files.facts import Facts, parts
from deskgym.tasks.made.files.placed import Spot
from deskgym.tasks.made.records import SCHEMAS, Record

_ROWS_A_PAGE = 34


def budget_file(
    path: str,
    months: Mapping[str, Sequence[Record]],
    plan: list[list[object]],
    author: str,
    created: datetime,
    modified: datetime,
) -> tuple[bytes, list[Spot]]:
    """A workbook with a sheet of ``bill`` records a month, and the plan that they are held to."""
    names = list(SCHEMAS["bill"].fields)
    sheets: dict[str, list[list[object]]] = {"Plan": plan}
    spots = []
    for month, records in months.items():
        rows: list[list[object]] = [[name.capitalize() for name in names]]
        for record in records:
            rows.append(list(record.fields.values()))
            place = Cells(sheet=month, range=f"A{len(rows)}:E{len(rows)}")
            spots.append(Spot(record.id, place, " | ".join(map(str, record.fields.values()))))
        sheets[month] = rows
    return xlsx_bytes(path, sheets, author, created, modified), spots


def statement_file(
    key: str, owner: str, iban: str, month: str, records: Sequence[Record], when: datetime
) -> tuple[bytes, list[Spot]]:
    """The bank's statement of a month of ``transaction`` records."""
    pages, spots = [], []
    count = -(-len(records) // _ROWS_A_PAGE)
    for number in range(count):
        rows = ["| Date | Payee | Reference | Amount | Balance |"]
        for record in records[number * _ROWS_A_PAGE : (number + 1) * _ROWS_A_PAGE]:
            f = record.fields
            cells = (
                str(f["time"])[:10],
                str(f["payee"]),
                str(f["reference"]),
                f"{float(str(f['amount'])):.2f}",
                f"{float(str(f['balance'])):.2f}",
            )
            rows.append(f"| {' | '.join(cells)} |")
            place = Pages(start=number + 1, end=number + 1)
            spots.append(Spot(record.id, place, "  ".join(cells)))
        head = f"# Statement of account, {month}\n\n{owner}\nAccount {iban}\n\n"
        foot = f"\n\nPage {number + 1} of {count}"
        pages.append((head if number == 0 else "") + "\n".join(rows) + foot)
    return pdf_bytes(key, pages, owner, when, when), spots


def letter_file(key: str, record: Record, facts: Facts) -> tuple[bytes, list[Spot]]:
    """A letter of one page."""
    f = {name: str(value) for name, value in record.fields.items()}
    page = Pages(start=1, end=1)
    data = pdf_bytes(key, [f["text"]], f["sender"], record.time, record.time)
    # What is read on the page: the text without its marks of headings and tables.
    plain = "\n".join(line.strip("#| ").replace(" | ", "  ") for line in f["text"].split("\n"))
    return data, [Spot(record.id, page, plain), *parts(record, facts, [(page, plain)])]
