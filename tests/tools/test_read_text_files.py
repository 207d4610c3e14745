"""Plain text: encodings, line selection, and pieces that add up."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deskgym.tools.registry import info, read_text
from deskgym.tools.result import ToolError, ToolResult


def write(tmp_path: Path, name: str, content: str | bytes) -> Path:
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def only(result: ToolResult) -> tuple[str, str]:
    assert len(result.segments) == 1
    return result.segments[0].locator, result.segments[0].text


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("utf-8", "Café: 3 € – fine\n"),
        ("utf-8-sig", "Café: 3 € – fine\n"),
        ("utf-16", "Café: 3 € – fine\n"),
        ("utf-16-le", "Rent for March is due on the 3rd\n"),
        ("utf-16-be", "Rent for March is due on the 3rd\n"),
        ("utf-32", "Café\n"),
        ("cp1252", "Der Mietvertrag läuft über fünf Jahre – „fest“, 300 €\n"),
        ("cp1252", "L'été à Évian, près du lac; la clé est déposée chez André\n"),
        ("gb18030", "房租每月五千元，三月三日之前付清。合同号：A-17\n"),
    ],
)
def test_text_comes_back_whatever_its_encoding(tmp_path: Path, encoding: str, text: str) -> None:
    result = read_text(write(tmp_path, "note.txt", text.encode(encoding)))
    assert only(result) == ("lines:1", text)
    assert result.info["encoding"] == encoding
    assert any("guess" in note for note in result.notes) == (encoding in ("cp1252", "gb18030"))


def test_bytes_that_no_encoding_takes_are_read_as_latin_1(tmp_path: Path) -> None:
    result = read_text(write(tmp_path, "note.txt", b"na\xefve \x81\n"))
    assert only(result)[1] == "naïve \x81\n"
    assert result.info["encoding"] == "latin-1"


@pytest.mark.parametrize(
    ("raw", "style"),
    [("a\nb\n", "lf"), ("a\r\nb\r\n", "crlf"), ("a\rb\r", "cr"), ("a\r\nb\n", "mixed")],
)
def test_line_ends_become_one_kind(tmp_path: Path, raw: str, style: str) -> None:
    result = read_text(write(tmp_path, "note.md", raw))
    assert only(result) == ("lines:1-2", "a\nb\n")
    assert result.info["newline"] == style
    assert result.info["lines"] == 2


@pytest.mark.parametrize("name", ["a.py", "a.tex", "a.srt", "a.log", "a.md", "a.yaml", "README"])
def test_text_is_read_under_any_name(tmp_path: Path, name: str) -> None:
    result = read_text(write(tmp_path, name, "first\nsecond"))
    assert only(result) == ("lines:1-2", "first\nsecond")
    assert result.info["modality"] == "text"
    assert result.notes == ()


def test_lines_are_selected(tmp_path: Path) -> None:
    path = write(tmp_path, "note.txt", "one\ntwo\nthree\nfour\n")
    assert only(read_text(path, lines=(2, 3))) == ("lines:2-3", "two\nthree\n")
    assert only(read_text(path, lines=(4, 4))) == ("lines:4", "four\n")
    beyond = read_text(path, lines=(4, 9))
    assert only(beyond) == ("lines:4", "four\n")
    assert "the file ends at line 4" in beyond.notes
    with pytest.raises(ToolError, match="there is no line 5: the file has 4") as caught:
        read_text(path, lines=(5, 6))
    assert caught.value.kind == "out_of_range"
    assert caught.value.remedy == "choose from 1 to 4"


def test_a_cut_is_made_after_a_line_and_says_how_to_go_on(tmp_path: Path) -> None:
    path = write(tmp_path, "note.txt", "one\ntwo\nthree\nfour\n")
    first = read_text(path, lines=(2, 4), max_chars=12)
    assert only(first) == ("lines:2-3", "two\nthree\n")
    assert first.next_offset == 14
    assert "offset=14" in first.notes[0]
    second = read_text(path, lines=(2, 4), max_chars=12, offset=14)
    assert only(second) == ("lines:4", "four\n")
    assert second.next_offset is None


def test_a_line_longer_than_the_limit_is_cut_inside(tmp_path: Path) -> None:
    result = read_text(write(tmp_path, "note.txt", "x" * 50 + "\nend\n"), max_chars=20)
    assert only(result) == ("lines:1", "x" * 20)
    assert result.next_offset == 20


@settings(max_examples=60, deadline=None)
@given(
    text=st.text(
        st.characters(codec="utf-8", exclude_characters="\r\0", exclude_categories=["Cs", "Cc"])
        | st.sampled_from("\n\n\n \t"),
        min_size=1,
        max_size=300,
    ),
    max_chars=st.integers(1, 60),
)
def test_pieces_add_up_to_the_text(text: str, max_chars: int) -> None:
    text = "start\n" + text.replace("\ufeff", "")
    with tempfile.TemporaryDirectory() as folder:
        path = write(Path(folder), "note.txt", text)
        pieces: list[str] = []
        offset: int | None = 0
        while offset is not None:
            result = read_text(path, offset=offset, max_chars=max_chars)
            locator, piece = only(result)
            assert 0 < len(piece) <= max_chars
            first, _, last = locator.removeprefix("lines:").partition("-")
            before = "".join(pieces)
            assert int(first) == before.count("\n") + 1
            assert int(last or first) == (before + piece)[:-1].count("\n") + 1
            pieces.append(piece)
            offset = result.next_offset
        assert "".join(pieces) == text


@pytest.mark.parametrize(
    "arguments",
    [
        {"pages": (1, 1)},
        {"cells": "A1"},
        {"offset": -1},
        {"offset": True},
        {"max_chars": 0},
        {"lines": (0, 1)},
        {"lines": (3, 2)},
        {"lines": (1,)},
        {"lines": ("1", "2")},
    ],
)
def test_bad_arguments_are_named(tmp_path: Path, arguments: dict[str, object]) -> None:
    path = write(tmp_path, "note.txt", "one\ntwo\n")
    with pytest.raises(ToolError, match=next(iter(arguments))) as caught:
        read_text(path, **arguments)  # type: ignore[arg-type]
    assert caught.value.kind == "bad_argument"


def test_an_offset_beyond_the_text_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, "note.txt", "one\ntwo\n")
    with pytest.raises(ToolError, match="offset 8 is beyond the text, which ends at 8") as caught:
        read_text(path, offset=8)
    assert caught.value.kind == "out_of_range"


def test_a_file_of_white_space_has_no_segments_and_says_so(tmp_path: Path) -> None:
    result = read_text(write(tmp_path, "note.txt", " \n\n"))
    assert result.segments == ()
    assert result.notes == ("there is no text in this file",)


def test_info_of_a_text(tmp_path: Path) -> None:
    assert info(write(tmp_path, "plan.md", "# Plan\n\nGo.\n")) == {
        "mime": "text/markdown",
        "modality": "text",
        "size": 12,
        "encoding": "utf-8",
        "newline": "lf",
        "lines": 3,
        "chars": 12,
    }
