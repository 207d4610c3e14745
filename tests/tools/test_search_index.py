"""Full-text search: what is found, where, in which order, and that no query breaks it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deskgym.tasks.locators import parse_locator
from deskgym.tools.result import Segment, ToolError
from deskgym.tools.search_index import (
    FORMAT_VERSION,
    MAX_QUERY,
    MAX_TERMS,
    Entry,
    build_index,
    query_index,
    snippet_of,
    terms,
)
from deskgym.tools.search_windows import windows

NOTES = "\n".join(f"line {n} of the minutes" for n in range(1, 31))
ENTRIES: list[Entry] = [
    ("home/lease.pdf", "document", [
        Segment("page:1", "Tenancy of the flat in Hill Road.\nThe rent is 1,450 pounds."),
        Segment("page:2", "The lease ends on 2025-08-31. Deposits are returned in a month."),
    ]),
    ("work/minutes.txt", "text", [Segment("lines:1-31", NOTES + "\nthe walrus voted against")]),
    ("work/rents.xlsx", "document", [
        Segment("cells:Rent 2024!A1:C3",
                "|  | A | B | C |\n| --- | --- | --- | --- |\n"
                "| 1 | Month | Rent | Paid |\n| 2 | May | 1450 | yes |\n| 3 | June | 1475 | no |"),
    ]),
    ("photos/IMG_0042.jpg", "image", []),
    ("photos/menu.png", "image", [
        Segment("region:1@0.1,0.1,0.5,0.2", "Café Müller"),
        Segment("region:1@0.1,0.25,0.9,0.3", "espresso 2.80"),
    ]),
    ("memos/call.mp3", "audio", [
        Segment("time:0-4.5", "Hello, this is the plumber."),
        Segment("time:4.5-12", "I will come on Thursday about the boiler."),
        Segment("time:30-33.25", "Goodbye."),
    ]),
    ("中文/会议.txt", "text", [Segment("lines:1-2", "明天下午三点在东京都开会\n预算是五万元")]),
    ("한국/회의록.txt", "text", [Segment("lines:1", "다음 회의는 서울에서 열립니다")]),
    ("日本/メモ.txt", "text", [Segment("lines:1", "歯医者の予約は金曜日です")]),
    ("odd \udcff name.txt", "text", [Segment("lines:1", "a heron 🦩 and a \ud800 half")]),
]  # fmt: skip


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("index") / "search #1?.sqlite"
    build_index(path, ENTRIES)
    return path


def found(index: Path, query: str, **options: Any) -> list[tuple[str, str]]:
    hits = query_index(index, query, **options).info["hits"]
    return [(hit["path"], hit["locator"]) for hit in hits]


@pytest.mark.parametrize(
    ("query", "place"),
    [
        ("walrus", ("work/minutes.txt", "lines:25-31")),
        ("When do the leases end?", ("home/lease.pdf", "page:2")),
        ("RENT june", ("work/rents.xlsx", "cells:Rent 2024!A1:C3")),
        ("2025-08-31", ("home/lease.pdf", "page:2")),
        ("cafe muller", ("photos/menu.png", "region:1@0.1,0.1,0.9,0.3")),
        ("boiler", ("memos/call.mp3", "time:0-12")),
        ("goodbye", ("memos/call.mp3", "time:30-33.25")),
        ("img 0042", ("photos/IMG_0042.jpg", "file")),
        ("0042.jpg", ("photos/IMG_0042.jpg", "file")),
        ("京都", ("中文/会议.txt", "lines:1-2")),
        ("预算多少", ("中文/会议.txt", "lines:1-2")),
        ("会", ("中文/会议.txt", "lines:1-2")),
        ("元", ("中文/会议.txt", "lines:1-2")),
        ("회의", ("한국/회의록.txt", "lines:1")),
        ("서울", ("한국/회의록.txt", "lines:1")),
        ("歯医者", ("日本/メモ.txt", "lines:1")),
        ("ﾒﾓ", ("日本/メモ.txt", "lines:1")),
        ("🦩", ("odd \udcff name.txt", "lines:1")),
    ],
)
def test_the_passage_that_holds_the_words_comes_first(
    index: Path, query: str, place: tuple[str, str]
) -> None:
    assert found(index, query)[0] == place


def test_every_hit_has_a_place_a_snippet_and_a_score(index: Path) -> None:
    hits = query_index(index, "the rent of the flat in May", top_k=50).info["hits"]
    assert len(hits) >= 3
    for hit in hits:
        assert set(hit) == {"path", "locator", "snippet", "score"}
        assert parse_locator(hit["locator"])
        assert 0 < len(hit["snippet"]) <= 202
    scores = [hit["score"] for hit in hits]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] > 0


def test_what_nothing_holds_is_not_found_and_said_so(index: Path) -> None:
    result = query_index(index, "xylophone")
    assert result.info == {"hits": []}
    assert "other words" in result.notes[0]
    assert query_index(index, '"!" -- *').notes == ("there is no word in the query",)


def test_a_modality_and_a_number_of_hits_are_kept_to(index: Path) -> None:
    assert found(index, "the", modality="audio") == [("memos/call.mp3", "time:0-12")]
    assert len(found(index, "the rent", top_k=1)) == 1


def test_one_file_does_not_take_all_places(tmp_path: Path) -> None:
    pages = [Segment(f"page:{n}", "the heron sleeps") for n in range(1, 30)]
    build_index(
        tmp_path / "i",
        [("a.pdf", "document", pages), ("b.txt", "text", [Segment("lines:1", "heron " * 20)])],
    )
    places = found(tmp_path / "i", "heron")
    assert sorted(places) == [("a.pdf", f"page:{n}") for n in (1, 2, 3)] + [("b.txt", "lines:1")]
    assert [p for p in places if p[0] == "a.pdf"] == [("a.pdf", f"page:{n}") for n in (1, 2, 3)]


def test_equal_scores_stand_in_the_order_of_the_paths(tmp_path: Path) -> None:
    same = [(f"{name}.txt", "text", [Segment("lines:1", "heron")]) for name in "dbac"]
    build_index(tmp_path / "i", same)
    assert [path for path, _ in found(tmp_path / "i", "heron")] == [f"{n}.txt" for n in "abcd"]


def test_the_same_entries_in_any_order_give_the_same_bytes(tmp_path: Path) -> None:
    build_index(tmp_path / "a", ENTRIES)
    build_index(tmp_path / "b", ENTRIES[::-1])
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a", "b"]


def test_an_index_replaces_the_one_before(tmp_path: Path) -> None:
    build_index(tmp_path / "i", ENTRIES)
    build_index(tmp_path / "i", [("new.txt", "text", [Segment("lines:1", "a fresh start")])])
    assert found(tmp_path / "i", "walrus") == []
    assert found(tmp_path / "i", "fresh") == [("new.txt", "lines:1")]
    build_index(tmp_path / "i", [])
    assert found(tmp_path / "i", "fresh") == []


def test_a_path_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="twice"):
        build_index(tmp_path / "i", [("a", "text", []), ("a", "image", [])])


def test_a_folder_that_cannot_be_written_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="cannot be written"):
        build_index(tmp_path / "missing" / "i", ENTRIES)


@pytest.mark.parametrize(
    "query",
    [
        '"', '""', "'", "a AND", "NOT", "NEAR(a b, 2)", "name:lease", "body : rent", "a*", "^a",
        "-a", "a OR OR b", "{a b}: c", "(", ")", "a\0b", "\0", "\ud800", "€", "é́", "ﷺ", "𝟘𝟙",
        "🦩" * 500, "a" * MAX_QUERY, "x y " * 500, "", " ", "\n", "会" * 300, "กำหนดการ", "मीटिंग",
    ],
)  # fmt: skip
def test_no_query_breaks_it(index: Path, query: str) -> None:
    assert isinstance(query_index(index, query).info["hits"], list)


@given(query=st.text(st.characters(), max_size=200))
@settings(max_examples=150, deadline=None)
def test_nor_does_any_other(index: Path, query: str) -> None:
    assert isinstance(query_index(index, query, top_k=3).info["hits"], list)
    assert len(terms(query)) <= MAX_TERMS


def test_operators_are_words(index: Path) -> None:
    assert found(index, '"NOT walrus"') == found(index, "walrus not")
    assert ("work/minutes.txt", "lines:25-31") in found(index, "NOT walrus")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"query": "a" * (MAX_QUERY + 1)}, "at most"),
        ({"query": 3}, "text"),
        ({"query": "a", "top_k": 0}, "from 1 to 50"),
        ({"query": "a", "top_k": 51}, "from 1 to 50"),
        ({"query": "a", "top_k": True}, "from 1 to 50"),
        ({"query": "a", "top_k": "3"}, "from 1 to 50"),
        ({"query": "a", "modality": "smell"}, "document, image"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(
    index: Path, options: dict[str, Any], says: str
) -> None:
    with pytest.raises(ToolError, match=says) as caught:
        query_index(index, **options)
    assert caught.value.kind == "bad_argument"


def test_without_an_index_it_says_how_to_make_one(tmp_path: Path) -> None:
    for path in (None, tmp_path / "none", tmp_path):
        with pytest.raises(ToolError, match="not prepared") as caught:
            query_index(path, "a")
        assert (caught.value.kind, caught.value.remedy) == (
            "unsupported",
            "run: deskgym prepare ID",
        )


def test_an_index_of_another_version_or_a_damaged_one_is_refused(tmp_path: Path) -> None:
    build_index(tmp_path / "i", ENTRIES)
    with closing(sqlite3.connect(tmp_path / "i")) as db:
        db.execute(f"PRAGMA user_version = {FORMAT_VERSION + 1}")
    with pytest.raises(ToolError, match="version") as caught:
        query_index(tmp_path / "i", "a")
    assert caught.value.kind == "unsupported"
    for damage in (b"not a database at all", (tmp_path / "i").read_bytes()[:5_000]):
        (tmp_path / "broken").write_bytes(damage)
        with pytest.raises(ToolError) as caught:
            query_index(tmp_path / "broken", "a")
        assert caught.value.kind in ("corrupt", "unsupported")


def test_asking_writes_nothing_and_needs_no_right_to(index: Path) -> None:
    before = (index.read_bytes(), sorted(index.parent.iterdir()))
    query_index(index, "rent")
    assert (index.read_bytes(), sorted(index.parent.iterdir())) == before


# -- windows ---------------------------------------------------------------------------------------


def locators(*segments: Segment) -> list[str]:
    return [piece.locator for piece in windows(segments)]


def test_lines_come_a_dozen_at_a_time_and_keep_their_numbers() -> None:
    pieces = list(windows([Segment("lines:11-40", "\n".join(str(n) for n in range(11, 41)))]))
    assert [p.locator for p in pieces] == ["lines:11-22", "lines:23-34", "lines:35-40"]
    assert [p.text.split("\n")[0] for p in pieces] == ["11", "23", "35"]


def test_long_lines_make_short_windows_and_endless_ones_several() -> None:
    text = "\n".join(["a" * 1_000, "b" * 1_000, "c" * 9_000])
    assert locators(Segment("lines:1-3", text)) == ["lines:1", "lines:2", *["lines:3"] * 3]


def test_blank_text_has_no_window() -> None:
    assert locators(Segment("lines:1-40", "\n" * 39), Segment("page:1", "  \n")) == []


def test_long_pages_come_in_several_pieces_of_one_place() -> None:
    text = "\n".join(f"sentence {n} of a long page" for n in range(400))
    pieces = list(windows([Segment("page:1", "short"), Segment("page:2", text)]))
    assert [p.locator for p in pieces] == ["page:1", *["page:2"] * (len(pieces) - 1)]
    assert "\n".join(p.text for p in pieces[1:]) == text


def test_rows_of_a_sheet_come_with_its_first_row() -> None:
    head = "|  | B | C |\n| --- | --- | --- |\n"
    rows = "".join(f"| {n} | name{n} | {n * 10} |\n" for n in (2, *range(10, 24)))
    first, second = windows([Segment("cells:It's!me!B2:C23", head + rows)])
    assert first.locator == "cells:It's!me!B2:C20"
    assert second.locator == "cells:It's!me!B21:C23"
    assert second.text.startswith("| 2 | name2 | 20 |\n| 21 | name21 |")


def test_regions_are_put_together_by_page() -> None:
    assert locators(
        Segment("region:1@0.2,0.1,0.5,0.2", "a"),
        Segment("region:1@0.1,0.3,0.4,0.40", "b"),
        Segment("region:2@0.1,0.3,0.4,0.4", "c"),
    ) == ["region:1@0.1,0.1,0.5,0.40", "region:2@0.1,0.3,0.4,0.4"]


def test_speech_is_put_together_to_twenty_seconds() -> None:
    spoken = [Segment(f"time:{n}-{n + 7.5}", f"part {n}") for n in range(0, 40, 8)]
    assert locators(*spoken) == ["time:0-15.5", "time:16-31.5", "time:32-39.5"]


# -- snippets --------------------------------------------------------------------------------------


def test_a_snippet_shows_the_match_in_a_long_text() -> None:
    text = "some filler words " * 60 + "the walrus voted\nagainst the budget " + "and so on " * 60
    snippet = snippet_of(text, terms("walrus budgets"))
    assert "the walrus voted against the budget" in snippet
    assert snippet.startswith("…")
    assert snippet.endswith("…")
    assert len(snippet) <= 202


def test_a_snippet_finds_scripts_without_spaces_and_accents() -> None:
    filler = "これは長い文章です" * 40
    assert "歯医者" in snippet_of(filler + "歯医者の予約" + filler, terms("歯医者"))
    korean = "다른 말 " * 80
    assert "회의는 서울" in snippet_of(f"{korean}회의는 서울에서{korean}", terms("서울 회의"))
    assert "MÜLLER" in snippet_of("x " * 300 + "Café MÜLLER " + "y " * 300, terms("muller"))


def test_a_short_text_is_its_own_snippet() -> None:
    assert snippet_of("a\n b", ["zebra"]) == "a b"
