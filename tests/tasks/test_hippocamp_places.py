"""What published locators mean, and which file a piece of evidence is from."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskgym.tasks.hippocamp.places import place_of, seconds
from deskgym.tasks.hippocamp.sources import Candidate, file_of
from deskgym.tasks.locators import parse_locator
from deskgym.tasks.modalities import modality_of
from deskgym.tasks.schema import Modality


def place(locator: Any, path: str, **beside: Any) -> tuple[str, str]:
    found = place_of({"evidence_locator": locator, **beside}, path, modality_of(path))
    return found.state, str(found.locator)


@pytest.mark.parametrize(
    ("locator", "path", "expected"),
    [
        ("Page 3", "a.pdf", "page:3"),
        ("page3", "a.pdf", "page:3"),
        ("P. 3-4", "a.pdf", "page:3-4"),
        ("pp. 3–4", "a.pdf", "page:3-4"),
        ("pages 3, 5 and 7", "a.pdf", "page:3-7"),
        ("Page 3, 12 March 2024", "a.pdf", "page:3"),
        ("a.pdf, page 12, section 3.2", "x/a.pdf", "page:12"),
        ("Slide 2", "d.pptx", "page:2"),
        ("2", "d.pptx", "page:2"),
        (4, "a.pdf", "page:4"),
        ([3, 4], "a.pdf", "page:3-4"),
        (["a.pdf", "Page 2", "Page 4"], "a.pdf", "page:2-4"),
        ({"page": 4}, "a.pdf", "page:4"),
        ([{"page_number": 4}, {"page_number": 6}], "a.pdf", "page:4-6"),
        ('{"page": 4}', "a.pdf", "page:4"),
        ({"page": 2, "bbox": [0.1, 0.2, 0.5, 0.6]}, "a.pdf", "region:2@0.1,0.2,0.5,0.6"),
        ([0, 0, 0.5, 0.5], "a.png", "region:1@0,0,0.5,0.5"),
        ("00:12-00:20", "a.mp3", "time:12-20"),
        ("[00:12 - 00:20]", "a.mp3", "time:12-20"),
        ("from 1:02:03 to 1:02:09.5", "a.mp4", "time:3723-3729.5"),
        ("00:12", "a.mp4", "time:12-12"),
        ("12-20 seconds", "a.mp3", "time:12-20"),
        ("12.5s to 20s", "a.mp3", "time:12.5-20"),
        ("12 - 20", "a.mp3", "time:12-20"),
        ([12, 20.5], "a.mp3", "time:12-20.5"),
        (["00:10 - 00:20", "01:10 - 01:20"], "a.mp3", "time:10-80"),
        ({"start": "00:12", "end": "00:20"}, "a.mp3", "time:12-20"),
        ({"start_time": 12, "end_time": 20}, "a.mp3", "time:12-20"),
        ({"timestamp": "00:12-00:20"}, "a.mp3", "time:12-20"),
        ("lines 4-7", "n.txt", "lines:4-7"),
        ("line 4 to 7", "n.txt", "lines:4-7"),
        ("L4-L7", "n.py", "lines:4-7"),
        ({"line_start": 4, "line_end": 7}, "n.txt", "lines:4-7"),
        ("turns 3-5", "chat.txt", "turns:3-5"),
        ("Sheet1!B2:C4", "t.xlsx", "cells:Sheet1!B2:C4"),
        ("'My Rent'!$B$2", "t.xlsx", "cells:My Rent!B2"),
        ('sheet "Rent", cells B2:C4', "t.xlsx", "cells:Rent!B2:C4"),
        ("Sheet Rent cell b2", "t.xlsx", "cells:Rent!B2"),
        ("Sheet: Budget 2024, row 3-4", "t.xlsx", "cells:Budget 2024!A3:XFD4"),
        ("row 5", "t.csv", "cells:A5:XFD5"),
        ({"sheet": "Rent", "range": "B2:C4"}, "t.xlsx", "cells:Rent!B2:C4"),
        ("cells:Rent!B2:C4", "t.xlsx", "cells:Rent!B2:C4"),
        ("time:8-9.5", "a.mp3", "time:8-9.5"),
        ("page:3-5", "a.pdf", "page:3-5"),
        ("the whole file", "a.pdf", "file"),
    ],
)  # fmt: skip
def test_a_place_in_whatever_words(locator: Any, path: str, expected: str) -> None:
    assert place(locator, path) == ("found", expected)


@pytest.mark.parametrize(
    "locator", [None, "", " ", [], [""], {}, "a.pdf", "docs/a.pdf", ["a.pdf"], {"file": "a.pdf"}]
)
def test_no_place_given_is_the_whole_file(locator: Any) -> None:
    assert place(locator, "docs/a.pdf") == ("none given", "file")


@pytest.mark.parametrize(
    ("locator", "path"),
    [
        ("somewhere in the middle", "a.pdf"),
        ("page 0", "a.pdf"),
        ("the top left", "a.png"),
        ([10, 20, 300, 400], "a.png"),
        ("12:30", "chat.txt"),
        ("9" * 5_000, "a.pdf"),
        ([10**400], "a.mp3"),
        (["page 3", "somewhere"], "a.pdf"),
        (["page 3", "line 7"], "a.pdf"),
        (True, "a.pdf"),
    ],
)
def test_what_is_not_understood_is_told_from_what_is_not_given(locator: Any, path: str) -> None:
    assert place(locator, path) == ("not understood", "file")


def test_a_place_may_stand_beside_an_empty_locator() -> None:
    assert place([], "a.pdf", page=3) == ("found", "page:3")
    assert place("", "a.mp3", start="00:01", end="00:02") == ("found", "time:1-2")


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)
    | st.from_regex(r"(page|line|row|sheet|pp\.|L|cells) ?[\d:!A-C,\- .s]{0,12}"),
    lambda inner: st.lists(inner, max_size=4)
    | st.dictionaries(
        st.sampled_from(["page", "start", "end", "bbox", "lines", "cell", "time", "sheet", "file"]),
        inner, max_size=3,
    ),
    max_leaves=6,
)  # fmt: skip


@given(_JSON, st.sampled_from(["a.pdf", "a.mp3", "a.xlsx", "a.txt", "a.png", "a"]))
def test_no_locator_whatsoever_is_fatal_and_what_is_found_is_a_locator(
    locator: Any, path: str
) -> None:
    state, text = place(locator, path)
    assert state == "found" or text == "file"
    assert str(parse_locator(text)) == text


@pytest.mark.parametrize(
    ("value", "expected"),
    [(8, 8.0), (8.5, 8.5), ("8.5", 8.5), ("00:08", 8.0), ("1:00:08.5", 3608.5), ("8 s", 8.0),
     (None, None), (True, None), (-1, None), ("soon", None), (float("nan"), None)],
)  # fmt: skip
def test_seconds_of_what_is_published(value: Any, expected: float | None) -> None:
    assert seconds(value) == expected


# -- the file --------------------------------------------------------------------------------------


def candidates(*paths: str, texts: dict[str, str] | None = None) -> list[Candidate]:
    return [Candidate(p, modality_of(p), (texts or {}).get(p, "")) for p in paths]


LEASE, NOTE, DATA = "Home/lease.pdf", "Notes/to do.txt", "Home/a lease.pdf"


@pytest.mark.parametrize(
    ("evidence", "joined", "expected"),
    [
        ({"file_path": NOTE}, "", NOTE),
        ({"file_name": "TO DO.txt"}, "", NOTE),
        ({"evidence_locator": {"file": "Notes\\to do.txt", "page": 1}}, "", NOTE),
        ({"evidence_locator": '{"file": "lease.pdf"}'}, "", LEASE),
        ({"evidence_locator": "see Home/lease.pdf, page 2"}, "", LEASE),
        ({"evidence_locator": ["a lease.pdf", "page 2"]}, "", DATA),
        ({"evidence_text": "Rent."}, "[to do.txt]\nTea.\n\n[lease.pdf]\nRent.", LEASE),
        ({"evidence_text": "oat  milk"}, "", NOTE),
        ({"modality": "Text"}, "", NOTE),
    ],
    ids=["path", "name", "object", "JSON", "mention", "longest", "header", "text", "modality"],
)
def test_a_file_is_told_by(evidence: dict[str, Any], joined: str, expected: str) -> None:
    known = candidates(LEASE, NOTE, DATA, texts={NOTE: "Buy oat milk now"})
    found = file_of(evidence, known, joined)
    assert found is not None
    assert (found.path, found.sure) == (expected, True)


def test_the_only_file_is_it() -> None:
    found = file_of({"evidence_locator": "page 2"}, candidates(LEASE), "")
    assert found is not None
    assert (found.path, found.sure) == (LEASE, True)


@pytest.mark.parametrize(
    ("modality", "expected"), [("document", LEASE), ("audio", NOTE), ("", NOTE)]
)
def test_otherwise_it_is_a_guess_that_says_so(modality: Modality, expected: str) -> None:
    found = file_of({"modality": modality}, candidates(NOTE, LEASE, DATA), "")
    assert found is not None
    assert (found.path, found.sure) == (expected, False)


def test_without_files_there_is_none() -> None:
    assert file_of({"modality": "text"}, [], "") is None
