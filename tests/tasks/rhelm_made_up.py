"""A small data set in RHELM's published layout, of our own words, that tests spoil as they need."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from deskgym.tasks.rhelm import RhelmDataset
from deskgym.tasks.schema import Task

PERSON = "Dr._Ada_B._Moss"
NAME = "dr_ada_b_moss"
ID = f"rhelm/{NAME}"
NOTES = "01_notes_task_aaaa1111.md"
PAGE = "02_report_task_bbbb2222.html"
DAYS = ("2024-01-02", "2024-01-09", "2024-02-01")

NOTES_TEXT = """# Pond log

## 1. Frogs

Three frogs on the wall.

### At night

One more, by the shed.

## 2. Plants

| Plant | Where |
|-------|-------|
| **Iris** | north bank |

**Feeding plan**
- oats on Monday
- peas on Friday
"""

PAGE_TEXT = """<html><head><title>no word of this</title><style>p {color: red}</style></head><body>
<h1>Report</h1><p>Written in a hurry.</p>
<h2>1. Budget &amp; Costs</h2><p>Nets cost <b>40</b> pounds.</p>
<table><thead><tr><th>Item</th><th>Price</th></tr></thead>
<tbody><tr><td><strong>Pump</strong></td><td>120 pounds</td></tr></tbody></table>
<h2>2. Outlook</h2><ul><li>Buy a pump</li><li>Sell the old one</li></ul>
</body></html>
"""

MAILS_TEXT = """Sender: Dr. Ada B. Moss <ada@moss.example>
Recipient: Lena Ort <lena@ort.example>
Subject: Pump: which one?
Summary: Ada asks Lena which pump to buy.

============================================================

Sender: Lena Ort <lena@ort.example>
Recipient: Dr. Ada B. Moss <ada@moss.example>
Subject: Re: Pump: which one?
Summary: Lena says the blue one – it is quiet.
She will bring it on Sunday.
"""


def turn(number: int, day: str, user: str, assistant: str, **more: Any) -> dict[str, Any]:
    return {
        "turn": number,
        "timestamp": f"{day}T08:{number:02}:00",
        "message_type": "status_update",
        "user": user,
        "assistant": assistant,
        **more,
    }


def conversation(day: str, turns: Sequence[dict[str, Any]]) -> dict[str, Any]:
    return {
        "character": PERSON,
        "date": day,
        "event_file": "outputs/plans/secret_plan.json",
        "conversation": list(turns),
        "metadata": {"generation_model": "some-model"},
    }


def question(name: str = "fact_1", **fields: Any) -> dict[str, Any]:
    return {
        "id": name,
        "question": "How many frogs sat on the wall?",
        "answer": "GOLD: three",
        "question_date": "2024-03-01",
        "question_type": "fact",
        "supporting_evidence": ["2024-01-02:2"],
        "characteristics": ["Multi-Hop Traversal"],
        **fields,
    }


def write(root: Path, *questions: dict[str, Any], person: str = PERSON) -> Path:
    """The data set below ``root``, with these questions."""
    (root / "QA_final").mkdir(parents=True, exist_ok=True)
    for kind in ("conversations", "emails", "attachments"):
        (root / kind / person).mkdir(parents=True, exist_ok=True)
    for day in DAYS:
        turns = [
            turn(1, day, "Good morning.", "Good morning, Ada."),
            turn(2, day, f"Frogs again on {day}.", "## Frogs\n\n- count them\n- name them"),
        ]
        if day == DAYS[0]:
            turns.append(turn(3, day, "See this.", "Nice.", research_document=NOTES[:-3]))
        stem = f"conversation_{day.replace('-', '_')}.json"
        put_conversation(root, stem, conversation(day, turns), person)
    (root / "emails" / person / "02_email_2024_01_09.txt").write_text(MAILS_TEXT, "utf-8")
    (root / "attachments" / person / NOTES).write_text(NOTES_TEXT, "utf-8")
    (root / "attachments" / person / PAGE).write_text(PAGE_TEXT, "utf-8")
    put_questions(root, [json.dumps(q) for q in questions], person)
    return root


def put_conversation(root: Path, name: str, data: dict[str, Any], person: str = PERSON) -> None:
    (root / "conversations" / person / name).write_text(json.dumps(data), "utf-8")


def put_questions(root: Path, lines: Sequence[str], person: str = PERSON) -> Path:
    file = root / "QA_final" / f"low_score_qa_{person}_all_validated.jsonl"
    file.write_text("".join(line + "\n" for line in lines), "utf-8")
    return file


def only_task(root: Path) -> tuple[RhelmDataset, Task]:
    data = RhelmDataset(root)
    (task,) = data.tasks(NAME)
    return data, task
