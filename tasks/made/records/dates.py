"""Days and months in English words, whatever the locale of the process."""

from __future__ import annotations

from datetime import date

_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip


def weekday(day: date) -> str:
    """``Tuesday``."""
    return _DAYS[day.weekday()]


def month(day: date) -> str:
    """``March``."""
    return _MONTHS[day.month - 1]


def day_month(day: date) -> str:
    """``4 March``."""
    return f"{day.day} {month(day)}"


def long_day(day: date) -> str:
    """``4 March 2025``."""
    return f"{day_month(day)} {day.year}"
