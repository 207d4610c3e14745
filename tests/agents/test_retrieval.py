"""Chunks know their place, and recall counts what the best of them show."""

from __future__ import annotations

import hashlib
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from env_fakes import make_task
from hypothesis import given
from hypothesis import strategies as st

from deskgym.agents.rag.chunks import MAX_WORDS, OVERLAP, Chunk, profile_chunks
from deskgym.agents.rag.recall import recall_at
from deskgym.agents.ranking import BM25
from deskgym.bench_retrieval import measure
from deskgym.tasks.locators import Lines, WholeFile, parse_locator
from deskgym.tasks.schema import Evidence, FileRecord, Profile, Task

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
    (found,) = recall_at([task("Where does the zinc heron sleep?", *units)], chunks, (1,))
    assert (found.evidence[1], found.files[1]) == (evidence, files)


def test_a_section_longer_than_a_chunk_is_found_by_its_part() -> None:
    part = "The heron sleeps in the reeds by the zinc works every night of the year."
    whole = unit("page.html", "file", f"{part} {'And more of the same. ' * 200}")
    chunks = [Chunk("page.html", WholeFile(), part)]
    (found,) = recall_at([task("heron", whole)], chunks, (1, 5))
    assert found.evidence == {1: 1.0, 5: 1.0}


def test_a_task_without_evidence_is_left_out() -> None:
    nothing = make_task(1, files=(), evidence=(), rationale=(), answerable=False)
    assert recall_at([nothing], [Chunk("a.txt", parse_locator("lines:1"), "a")], (5,)) == []


@given(st.lists(st.text("abc ", max_size=12), max_size=8), st.text("abc ", max_size=8))
def test_only_passages_with_a_word_of_the_query_score(passages: list[str], query: str) -> None:
    for passage, score in zip(passages, BM25(passages).scores(query), strict=True):
        shared = set(passage.split()) & set(query.split()) - {"a"}
        assert (score > 0) == bool(shared)


def test_the_bench_averages_over_tasks_not_people(tmp_path: Path) -> None:
    person = profile(tmp_path, {"talk.md": TALK})
    heron = unit("talk.md", "lines:3-4", "The zinc heron sleeps.")
    lost = unit("talk.md", "lines:99", "Nowhere.")
    asked = {
        "made/ann": (task("zinc heron", heron),),
        "made/bob": (task("zinc heron", heron), task("zinc heron", lost)),
    }

    class Made:
        def profile(self, name: str) -> Profile:
            return person

        def tasks(self, name: str) -> tuple[Task, ...]:
            return asked[name]

    data: Any = Made()
    rows = list(measure(data, tuple(asked), (1,)))
    assert [(row.group, row.tasks, row.evidence[1]) for row in rows] == [
        ("made/ann", 1, 1.0),
        ("made/bob", 2, 0.5),
        ("all", 3, 2 / 3),
    ]
    assert rows[0].as_json()["evidence_recall"] == {"1": 1.0}
