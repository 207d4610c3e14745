"""What models write in the end is read as far as it can be, and what is wrong with it is said."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskgym.agents.answers import find_object, json_objects, parse_answer, read_cites
from deskgym.agents.null import ABSTENTION
from deskgym.env.actions import Cite, parse_action


@dataclass(frozen=True)
class Passage:
    path: str
    locator: str


PASSAGES = [Passage("a.md", "lines:3-4"), Passage("b.pdf", "page:2"), Passage("c.txt", "file")]
CITE = {"path": "a.md", "locator": "lines:3-4", "quote": "half past nine"}


def places(cites: tuple[Cite, ...]) -> list[tuple[str, str]]:
    return [(cite.path, str(cite.locator)) for cite in cites]


@pytest.mark.parametrize(
    "written",
    [
        json.dumps({"answer": "At nine.", "cites": [CITE]}),
        "```json\n" + json.dumps({"answer": "At nine.", "cites": [CITE]}) + "\n```",
        f"Here it is: {json.dumps({'answer': 'At nine.', 'citations': CITE})} I hope it helps.",
        '<think>{"answer": "no"}</think>' + json.dumps({"text": "At nine.", "sources": [CITE]}),
        '{"reason": "x"} ' + json.dumps({"final_answer": "At nine.", "evidence": [CITE]}),
    ],
    ids=["plain", "fenced", "amid talk", "after a thought", "second object"],
)
def test_json_is_found_wherever_it_stands(written: str) -> None:
    parsed = parse_answer(written)
    assert parsed.text == "At nine."
    assert parsed.cites == (Cite(**CITE),)
    assert parsed.faults == ()


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("At nine.", "At nine."),
        ("Answer: At nine.", "At nine."),
        ("**Final answer:** At nine.", "At nine."),
        ("The answer: At nine.", "At nine."),
        ('{"answer": 9}', "9"),
        ('{"answer": ["tea", "milk"]}', "tea, milk"),
        ('{"answer": {"tea": 2}}', '{"tea": 2}'),
    ],
)
def test_an_answer_is_its_text_without_labels(written: str, text: str) -> None:
    assert (parse_answer(written).text, parse_answer(written).faults) == (text, ())


@pytest.mark.parametrize(
    ("written", "text", "cited"),
    [
        ("At nine [2].", "At nine.", ["b.pdf"]),
        ("Tea [1][3] and milk [1].", "Tea and milk.", ["a.md", "c.txt"]),
        ("Tea [1, 2].", "Tea.", ["a.md", "b.pdf"]),
        ("Tea [1-3].", "Tea.", ["a.md", "b.pdf", "c.txt"]),
        ('{"answer": "Tea [2]", "cites": [1, "[3]"]}', "Tea", ["a.md", "c.txt", "b.pdf"]),
        ('{"answer": "Tea", "cites": ["2"]}', "Tea", ["b.pdf"]),
    ],
)
def test_numbers_cite_the_passages_that_were_shown(
    written: str, text: str, cited: list[str]
) -> None:
    parsed = parse_answer(written, PASSAGES)
    assert (parsed.text, [cite.path for cite in parsed.cites]) == (text, cited)
    assert parsed.faults == ()
    assert set(places(parsed.cites)) <= {(p.path, p.locator) for p in PASSAGES}


def test_numbers_stay_in_the_text_where_no_passages_were_shown() -> None:
    assert parse_answer("Chapter [2]").text == "Chapter [2]"


@pytest.mark.parametrize("number", ["0", "4", "9999"])
def test_a_passage_that_was_never_shown_is_a_fault_and_no_citation(number: str) -> None:
    parsed = parse_answer(f"Tea [{number}] [1]", PASSAGES)
    assert places(parsed.cites) == [("a.md", "lines:3-4")]
    (fault,) = parsed.faults
    assert fault == ("citation", f"no passage [{number}] of 3")


@pytest.mark.parametrize(
    ("written", "locator"),
    [
        ("page:3", "page:3"),
        ("[lines:3-4]", "lines:3-4"),
        ("page 3", "page:3"),
        ("p. 3-5", "page:3-5"),
        ("Slide 2", "page:2"),
        ("line 7", "lines:7"),
        ("turns 2–4", "turns:2-4"),
        ("cells:Rent!B2:C4", "cells:Rent!B2:C4"),
        ("time:8.0-9.5", "time:8-9.5"),
        ("", "file"),
        (None, "file"),
    ],
)
def test_locators_are_read_as_tools_write_them_or_nearly(written: Any, locator: str) -> None:
    cites, faults = read_cites([{"path": "a.md", "locator": written}])
    assert (places(cites), faults) == ([("a.md", locator)], ())


@pytest.mark.parametrize("written", ["chapter seven", "page:0", "page 9-3", "lines:x", 7, [1, 2]])
def test_a_bad_locator_is_dropped_with_a_fault_and_the_file_stays(written: Any) -> None:
    cites, faults = read_cites([{"path": "a.md", "locator": written}])
    assert places(cites) == [("a.md", "file")]
    assert [fault.kind for fault in faults] == ["citation"]
    assert "no locator" in faults[0].detail


@pytest.mark.parametrize(
    "item", [7, True, None, [], {}, {"path": ""}, {"path": 3}, {"path": "x" * 5_000}]
)
def test_a_citation_without_a_path_is_dropped_with_a_fault(item: Any) -> None:
    cites, faults = read_cites([item, CITE])
    assert cites == (Cite(**CITE),)
    assert [fault.kind for fault in faults] == ["citation"]
    assert len(faults[0].detail) < 120


def test_a_quote_that_is_none_is_dropped_with_a_fault() -> None:
    cites, faults = read_cites([{"path": "a.md", "quote": ["x"]}])
    assert (cites[0].quote, faults[0].kind) == (None, "citation")


@pytest.mark.parametrize(
    ("item", "place"),
    [
        ("a.md", ("a.md", "file")),
        ("a.md [lines:2]", ("a.md", "lines:2")),
        ("a.md (page 2)", ("a.md", "page:2")),
        ("report (final)", ("report (final)", "file")),
        ({"file": "a.md", "place": "page:2"}, ("a.md", "page:2")),
    ],
)
def test_citations_may_be_strings_or_have_other_keys(item: Any, place: tuple[str, str]) -> None:
    assert places(read_cites([item])[0]) == [place]


def test_a_place_is_cited_once_and_with_its_quote() -> None:
    bare = {"path": "a.md", "locator": "lines:3-4"}
    assert read_cites([bare, CITE, bare])[0] == (Cite(**CITE),)


@pytest.mark.parametrize(
    ("written", "text", "cited"),
    [
        ('{"answer": "At nine, \\"sharp', 'At nine, "sharp', []),
        (f'{{"answer": "Nine", "cites": [{json.dumps(CITE)}, {{"pa', "Nine", ["a.md"]),
        ('{"answer: oh', "", []),
        ('{"answer": "tail\\', "tail", []),
    ],
)
def test_of_broken_json_what_is_whole_is_kept(written: str, text: str, cited: list[str]) -> None:
    parsed = parse_answer(written)
    assert (parsed.text, [cite.path for cite in parsed.cites]) == (text, cited)
    assert parsed.faults[0].kind == "malformed"


@pytest.mark.parametrize("written", ["", "  \n", "<think>for ever", '{"answer": null}', "[1]"])
def test_no_answer_is_a_fault_and_an_abstention(written: str) -> None:
    parsed = parse_answer(written, PASSAGES)
    assert ("empty", "no answer in the reply") in parsed.faults
    assert (parsed.action().text, parsed.action().cites) == (ABSTENTION, ())


def test_what_is_too_long_is_cut_with_a_fault() -> None:
    parsed = parse_answer("well " * 100_000)
    assert [fault.kind for fault in parsed.faults] == ["cut", "cut"]
    assert parsed.action().text.startswith("well well")
    many = json.dumps({"answer": "x", "cites": [f"{n}.md" for n in range(300)]})
    assert len(parse_answer(many).cites) == 100
    assert parse_answer(many).faults == (("cut", "300 citations"),)


@pytest.mark.parametrize(
    "written",
    ["{" * 100_000, '{"a":' * 50_000, "[" * 100_000, "\udc80 [1]", '{"answer": "\ud800"}'],
    ids=["braces", "nested", "brackets", "surrogate", "escaped surrogate"],
)
def test_nasty_text_is_an_answer_that_can_be_logged(written: str) -> None:
    action = parse_answer(written, PASSAGES).action()
    assert parse_action(action.model_dump_json()) == action
    assert action.text.encode()


@given(st.text(max_size=200), st.booleans())
def test_any_text_gives_an_answer(written: str, shown: bool) -> None:
    action = parse_answer(written, PASSAGES if shown else None).action()
    assert parse_action(action.model_dump(mode="json")) == action


@given(st.recursive(st.none() | st.integers() | st.text(max_size=9), st.lists))
def test_any_json_is_read_as_citations(value: Any) -> None:
    cites, _ = read_cites(value, PASSAGES)
    assert all(isinstance(cite, Cite) for cite in cites)


def test_objects_are_found_in_order_and_by_key() -> None:
    text = 'a {"x": {"y": 1}} {broken} {"z": 2} '
    assert list(json_objects(text)) == [{"x": {"y": 1}}, {"z": 2}]
    assert find_object(text, "z") == {"z": 2}
    assert find_object(text) == {"x": {"y": 1}}
    assert find_object(text, "nothing") is None
