"""How answers are written: values as the text of an answer."""

from __future__ import annotations

from datetime import date, datetime

from deskgym.tasks.made.verifier.query import Form
from deskgym.tasks.made.verifier.rows import Value

MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)


def shown(value: Value, form: Form) -> str:
    """``value`` in the form that an answer has.

    Raises:
        ValueError: the value is of no such form (a word as a date).
    """
    match form:
        case "money":
            # Which way it went is for the question to say.
            return f"€{abs(float(value)):,.2f}"
        case "number":
            return f"{float(value):,.2f}".rstrip("0").rstrip(".")
        case "whole":
            return f"{round(float(value)):,}"
        case "date":
            return day_text(date.fromisoformat(str(value)[:10]))
        case "month":
            year, month = str(value).split("-")[:2]
            return f"{MONTHS[int(month) - 1]} {year}"
        case "clock":
            text = str(value)
            return text[11:16] if len(text) > 10 else text[:5]
        case "weekday":
            return str(value)
        case "time":
            moment = datetime.fromisoformat(str(value))
            return f"{day_text(moment.date())}, {moment:%H:%M}"
    return " ".join(str(value).split())


def day_text(day: date) -> str:
    """A day in words: 5 March 2024."""
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


def listed(names: list[str]) -> str:
    """Names in one phrase: a, b and c."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
