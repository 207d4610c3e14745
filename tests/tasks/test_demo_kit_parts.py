"""The parts of the kit that makes demo desks, and what it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from deskgym.tasks.demo.make.drawing import amount
from deskgym.tasks.demo.make.kit import Desk, DeskError, Quote
from deskgym.tasks.demo.make.locate import find, find_cells, normalised
from deskgym.tasks.demo.make.markup import Bullet, Heading, Paragraph, Table, parse
from deskgym.tasks.demo.make.things import Mark
from deskgym.tasks.locators import Cells, Lines
from deskgym.tasks.modalities import modality_of, type_of

WHEN = "2024-03-05 18:20"


def small(tmp_path: Path) -> Desk:
    desk = Desk("small", "Small Sam", "A test.", tmp_path)
    desk.image("a.png", ["Rent £950"], created=WHEN)
    return desk


def test_what_cannot_be_is_refused_with_a_reason(tmp_path: Path) -> None:
    desk = small(tmp_path)
    with pytest.raises(DeskError, match="written twice"):
        desk.text("A.PNG", "x", created=WHEN)
    with pytest.raises(DeskError, match="not a path inside a profile"):
        desk.text("../x.txt", "x", created=WHEN)
    with pytest.raises(DeskError, match="write it as 2025-03-01 09:00"):
        desk.text("x1.txt", "x", created="5 March")
    with pytest.raises(DeskError, match="modified before it is created"):
        desk.text("x2.txt", "x", created=WHEN, modified="2023-01-01")
    with pytest.raises(DeskError, match="page 2 is too long"):
        desk.pdf("x.pdf", ["short", "a paragraph\n\n" * 200], created=WHEN)
    with pytest.raises(DeskError, match="no font has '☐'"):
        desk.image("x.png", ["☐ Eggs"], created=WHEN)
    with pytest.raises(DeskError, match="images are written as one of png"):
        desk.image("x.heic", ["Eggs"], created=WHEN)
    with pytest.raises(DeskError, match="make it larger"):
        desk.image("y.png", ["Eggs"] * 30, created=WHEN, size=(400, 300))
    with pytest.raises(DeskError, match="no search label"):
        desk.task(
            *("q", "a"),
            kind="fact",
            evidence=[Quote("a.png", "Rent")],
            steps=[("s", [0])],
            search=["guess"],
            perception=[],
            reasoning=[],
        )


def test_a_folder_that_is_no_desk_is_not_removed(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("years of work", encoding="utf-8")
    with pytest.raises(DeskError, match="is no desk"):
        Desk("mine", "Me", "", tmp_path)
    assert (tmp_path / "mine" / "thesis.txt").exists()


def test_a_new_run_removes_what_the_last_one_wrote(tmp_path: Path) -> None:
    small(tmp_path).text("stale.txt", "x", created=WHEN)
    assert [path.name for path in small(tmp_path).files.iterdir()] == ["a.png"]


def test_a_missing_speaker_is_named_with_its_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(DeskError, match="apt-get install espeak-ng"):
        small(tmp_path).speech("x.wav", ["Hello"], created=WHEN)


def test_markup() -> None:
    blocks = parse(
        """
        # Title
        One line of running text that is certainly longer than an address
        and goes on here.

        Ann Other
        3 Elm Road
        - point
        | a | b |
        |---|---|
        | 1 |
        ## Sub
        """
    )
    assert blocks == [
        Heading(1, "Title"),
        Paragraph(
            ("One line of running text that is certainly longer than an address and goes on here.",)
        ),
        Paragraph(("Ann Other", "3 Elm Road")),
        Bullet("point"),
        Table((("a", "b"), ("1", ""))),
        Heading(2, "Sub"),
    ]


def test_quotes_are_found_at_the_borders_of_words_only() -> None:
    marks = [Mark("In 2012", Lines(start=1, end=1)), Mark("", Lines(start=2, end=2))]
    marks.append(Mark("it was 12 º", Lines(start=3, end=3)))
    assert str(find(marks, "12")) == "lines:3"
    assert str(find(marks, "2012  it was")) == "lines:1-3"
    assert find(marks, "01") is None
    assert find(marks, " ") is None


def test_a_cell_that_is_the_quote_wins_over_one_that_contains_it() -> None:
    rows = [
        [(["Rent due"], Cells(range="A1"))],
        [(["Rent"], Cells(range="A2")), ([], Cells(range="B2")), (["5"], Cells(range="C2"))],
    ]
    assert str(find_cells(rows, "rent")) == "cells:A2"
    assert str(find_cells(rows, "due")) == "cells:A1"
    assert str(find_cells(rows, "Rent | 5")) == "cells:A2:C2"
    assert find_cells(rows, "Rent | 6") is None


def test_normalised_text() -> None:
    assert normalised("- Eggs\n## Two |  three") == "eggs two three"
    assert normalised('a,"B c";d', "csv") == "a b c d"


@pytest.mark.parametrize(
    ("value", "unit", "drawn"),
    [(1250, "£", "£1,250"), (-12.5, "$", "-$12.50"), (12.5, "%", "12.5%"), (38, "kg", "38 kg")],
)
def test_amounts(value: float, unit: str, drawn: str) -> None:
    assert amount(value, unit) == drawn


@pytest.mark.parametrize(
    ("path", "modality", "kind"),
    [
        ("a/b.PDF", "document", "pdf"),
        ("x.csv", "document", "csv"),
        ("x.eml", "text", "eml"),
        ("x.svg", "image", "svg"),
        ("x.opus", "audio", "opus"),
        ("x.mkv", "video", "mkv"),
        ("Makefile", "document", "file"),
        ("x.qqq", "document", "qqq"),
    ],
)
def test_modalities(path: str, modality: str, kind: str) -> None:
    assert (modality_of(path), type_of(path)) == (modality, kind)
