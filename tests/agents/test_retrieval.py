"""Chunks know their place, and recall counts what the best of them show."""

from __future__ import annotations

import hashlib
from datetime import datetime
from itertools import pairwise
from pathlib import Path

import pytest
from env_fakes import make_task
from hypothesis import given
from hypothesis import strategies as st

from deskgym.agents.rag.chunks import (
    MAX_TOKENS,
    MAX_WORDS,
    OVERLAP,
    Chunk,
    _cut,
    profile_chunks,
)
from deskgym.agents.rag.recall import Rank, recall_at
from deskgym.agents.ranking import BM25
from deskgym.tasks.locators import Lines, WholeFile, parse_locator
from deskgym.tasks.schema import Evidence, FileRecord, Profile, Task
from deskgym.tools.result import Segment

TALK = """# Tuesday

## Turn 1 (07:31)
**Ann:** The zinc heron sleeps.

## Turn 2 (07:35)
**Ann:** The lamp cost 40 euros
and came on Friday.
"""


def profile(root: Path, files: dict[str, str]) -> Profile:
    records = []
    for number, (path, text) in enumerate(files.items(), 1):
        (root / path).write_text(text, encoding="utf-8")
        records.append(
            FileRecord(
                id=number,
                path=path,
                type=path.rpartition(".")[2],
                modality="text",
                size=len(text.encode()),
                sha256=hashlib.sha256(text.encode()).hexdigest(),
                created=datetime(2024, 1, 1),
                modified=datetime(2024, 1, 1),
            )
        )
    return Profile(id="made/ann", user="Ann", root=root, files=tuple(records), digest="f" * 64)


def unit(path: str, locator: str, text: str, number: int = 1) -> Evidence:
    return Evidence(
        evidence_id=f"e{number}", file_path=path, modality="text", locator=locator, text=text
    )


def task(question: str, *units: Evidence) -> Task:
    files = tuple(dict.fromkeys(one.file_path for one in units))
    return make_task(1, question=question, files=files, evidence=units, rationale=())


def by_words(chunks: list[Chunk]) -> Rank:
    """The chunks ranked by BM25."""
    ranking = BM25([chunk.text for chunk in chunks])

    def rank(question: str, depth: int) -> list[Chunk]:
        scores = ranking.scores(question)
        return [chunks[n] for n in sorted(range(len(chunks)), key=lambda n: -scores[n])][:depth]

    return rank


def test_a_turn_is_a_chunk_and_knows_its_lines(tmp_path: Path) -> None:
    chunks, unread = profile_chunks(profile(tmp_path, {"talk.md": TALK}))
    assert unread == []
    assert [str(chunk.locator) for chunk in chunks] == ["lines:1", "lines:3-4", "lines:6-8"]
    lines = TALK.splitlines()
    for chunk in chunks:
        assert isinstance(chunk.locator, Lines)
        shown = lines[chunk.locator.start - 1 : chunk.locator.end]
        assert chunk.text.split() == " ".join(shown).split()


def test_what_is_long_is_cut_into_windows_that_overlap(tmp_path: Path) -> None:
    words = [f"word{n}" for n in range(2 * MAX_WORDS)]
    chunks, _ = profile_chunks(profile(tmp_path, {"long.txt": "\n".join(words)}))
    windows = [chunk.text.split() for chunk in chunks]
    assert max(map(len, windows)) == MAX_WORDS
    assert windows[0][-OVERLAP:] == windows[1][:OVERLAP]
    seen = dict.fromkeys(word for window in windows for word in window)
    assert list(seen) == words


@pytest.mark.parametrize(
    ("segments", "chunks"),
    [
        (  # lines of a picture, page by page
            [
                ("region:1@0.1,0.1,0.5,0.2", "Table"),
                ("region:1@0.2,0.3,0.9,0.4", "Played 9"),
                ("region:2@0.1,0.1,0.5,0.2", "Next"),
            ],
            [
                ("region:1@0.1,0.1,0.9,0.4", "Table\nPlayed 9"),
                ("region:2@0.1,0.1,0.5,0.2", "Next"),
            ],
        ),
        (  # what is said, piece by piece
            [("time:0-2.5", "Good morning."), ("time:3-4", "The heron sleeps.")],
            [("time:0-4", "Good morning.\nThe heron sleeps.")],
        ),
        (  # pages stay pages
            [("page:1", "One."), ("page:2", "Two.")],
            [("page:1", "One."), ("page:2", "Two.")],
        ),
        (  # as much as fits into a window
            [("time:0-1", "a " * 300), ("time:1-2", "b " * 300)],
            [("time:0-1", ("a " * 300).strip()), ("time:1-2", ("b " * 300).strip())],
        ),
    ],
)
def test_pieces_of_a_picture_or_sound_make_one_chunk(
    segments: list[tuple[str, str]], chunks: list[tuple[str, str]]
) -> None:
    found = _cut("a.png", [Segment(*one) for one in segments], "turn")
    assert [(str(chunk.locator), chunk.text) for chunk in found] == chunks


def test_by_window_a_file_is_cut_as_a_whole(tmp_path: Path) -> None:
    person = profile(tmp_path, {"talk.md": TALK, "long.txt": "a word,\n" * MAX_TOKENS})
    chunks, _ = profile_chunks(person, "window")
    talk, *windows = chunks
    assert (str(talk.locator), talk.text) == ("lines:1-8", TALK.strip())
    tokens = [window.text.replace(",", " ,").split() for window in windows]
    assert {len(some) for some in tokens[:-1]} == {MAX_TOKENS}
    for one, other in pairwise(tokens):
        assert one[-OVERLAP:] == other[:OVERLAP]
    lines = (tmp_path / "long.txt").read_text().splitlines()
    for window in windows:
        assert isinstance(window.locator, Lines)
        shown = lines[window.locator.start - 1 : window.locator.end]
        assert window.text in "\n".join(shown)
        assert len(window.text.splitlines()) == len(shown)


@pytest.mark.parametrize(
    ("places", "spanned"),
    [
        (("page:2", "page:3"), "page:2-3"),
        (("lines:1-2", "lines:5"), "lines:1-5"),
        (("time:0-2", "time:4-5"), "time:0-5"),
        (("region:1@0.1,0.1,0.2,0.2", "region:1@0.5,0.5,0.6,0.6"), "region:1@0.1,0.1,0.6,0.6"),
        (("region:1@0.1,0.1,0.2,0.2", "page:2"), "page:1-2"),
        (("cells:A!A1:B2", "cells:B!A1:B2"), "file"),
        (("page:1", "time:0-1"), "file"),
        (("turns:1", "turns:2-3"), "turns:1-3"),
    ],
)
def test_a_window_over_several_segments_is_placed_by_all_of_them(
    places: tuple[str, ...], spanned: str
) -> None:
    texts = ["alpha\nbeta", "gamma"]
    segments = [Segment(place, text) for place, text in zip(places, texts, strict=True)]
    (chunk,) = _cut("a.any", segments, "window")
    assert (str(chunk.locator), chunk.text) == (spanned, "\n".join(texts))


def test_a_file_without_text_is_told(tmp_path: Path) -> None:
    chunks, unread = profile_chunks(profile(tmp_path, {"empty.txt": "", "blob.zip": "PK\x03\x04"}))
    assert chunks == []
    assert [one.path for one in unread] == ["empty.txt", "blob.zip"]
    assert all(one.reason for one in unread)


@pytest.mark.parametrize(
    ("units", "evidence", "files"),
    [
        ((unit("talk.md", "lines:3-4", "The zinc heron sleeps."),), 1.0, 1.0),
        ((unit("talk.md", "lines:6-8", "The lamp cost 40 euros"),), 0.0, 1.0),
        ((unit("other.txt", "file", "The zinc heron sleeps."),), 0.0, 0.0),
        (
            (
                unit("talk.md", "lines:3-4", "The zinc heron sleeps."),
                unit("other.txt", "file", "Something else.", 2),
            ),
            0.5,
            0.5,
        ),
        ((unit("talk.md", "file", "The zinc heron sleeps."),), 1.0, 1.0),
        ((unit("talk.md", "file", "An owl wakes at noon."),), 0.0, 1.0),
    ],
)
def test_recall_is_the_share_of_units_among_the_first_chunks(
    tmp_path: Path, units: tuple[Evidence, ...], evidence: float, files: float
) -> None:
    chunks, _ = profile_chunks(profile(tmp_path, {"talk.md": TALK, "other.txt": "Nothing."}))
    (found,) = recall_at([task("Where does the zinc heron sleep?", *units)], by_words(chunks), (1,))
    assert (found.evidence[1], found.files[1]) == (evidence, files)


def test_a_section_longer_than_a_chunk_is_found_by_its_part() -> None:
    part = "The heron sleeps in the reeds by the zinc works every night of the year."
    whole = unit("page.html", "file", f"{part} {'And more of the same. ' * 200}")
    chunks = [Chunk("page.html", WholeFile(), part)]
    (found,) = recall_at([task("heron", whole)], by_words(chunks), (1, 5))
    assert found.evidence == {1: 1.0, 5: 1.0}


def test_a_task_without_evidence_is_left_out() -> None:
    nothing = make_task(1, files=(), evidence=(), rationale=(), answerable=False)
    chunks = [Chunk("a.txt", parse_locator("lines:1"), "a")]
    assert recall_at([nothing], by_words(chunks), (5,)) == []


@given(st.lists(st.text("abc ", max_size=12), max_size=8), st.text("abc ", max_size=8))
def test_only_passages_with_a_word_of_the_query_score(passages: list[str], query: str) -> None:
    for passage, score in zip(passages, BM25(passages).scores(query), strict=True):
        shared = set(passage.split()) & set(query.split()) - {"a"}
        assert (score > 0) == bool(shared)
