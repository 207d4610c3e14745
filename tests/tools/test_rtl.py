"""Lines from right to left, as they stand on a page and as they are read."""

from __future__ import annotations

import pytest

from deskgym.tools import rtl


def on_page(visual: str) -> list[rtl.Glyph]:
    """Characters as they stand from left to right, each 10 wide."""
    return [(character, 10.0 * n, 10.0 * n + 10) for n, character in enumerate(visual)]


@pytest.mark.parametrize(
    ("visual", "read"),
    [
        ("ץרמ 3", "3 מרץ"),
        ("1,250.50 ריכשה", "השכיר 1,250.50"),
        ("ةلاسر ٩٥٠", "٩٥٠ رسالة"),
        ("ab cd אבג"[::1], "גבא ab cd"),
        ("ל 12 ו 34", "34 ו 12 ל"),
        ("plain 12", "plain 12"),
    ],
)
def test_what_stands_from_left_to_right_is_read_from_the_right(visual: str, read: str) -> None:
    assert rtl.logical(on_page(visual)) == read
    assert rtl.logical(reversed(on_page(visual))) == read


def test_the_second_part_of_a_ligature_follows_the_first() -> None:
    glyphs = [("ا", 201.2, 204.3), ("إ", 201.3, 201.3), ("ل", 195.0, 201.3), ("ي", 191.9, 195.0)]
    assert rtl.logical(glyphs) == "الإي"


def test_marks_follow_their_letters() -> None:
    glyphs = [("ש", 20.0, 30.0), ("ָ", 25.0, 25.0), ("ל", 10.0, 20.0)]
    assert rtl.logical(glyphs) == "שָל"


def test_which_way_a_line_runs() -> None:
    assert rtl.leads("שכר 950 EUR!") is False
    assert rtl.leads("שכר הדירה 950 EUR") is True
    assert rtl.is_rtl("٩٥٠")
    assert not rtl.is_rtl("Zoë 950 房租")
