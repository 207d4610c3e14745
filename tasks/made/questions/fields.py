"""Fields of records, as makers of questions need them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from deskgym.tasks.made.questions.draft import text
from deskgym.tasks.made.records.record import Record


def grouped(records: Sequence[Record], by: str) -> dict[str, list[Record]]:
    """Records by the text of a field."""
    groups: dict[str, list[Record]] = defaultdict(list)
    for record in records:
        groups[text(record.fields[by])].append(record)
    return groups


def texts(record: Record) -> Mapping[str, str]:
    """All fields as texts."""
    return {name: text(value) for name, value in record.fields.items()}


def number(record: Record, field: str) -> float:
    """A field as a number."""
    return float(text(record.fields[field]))


def sentence(phrase: str) -> str:
    """A phrase with a capital letter, as a sentence begins."""
    return phrase[0].upper() + phrase[1:]
