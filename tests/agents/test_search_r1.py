"""Search-R1: the protocol's turns, its budget, and what it makes of turns that are none."""

from __future__ import annotations

import json

import pytest
from endpoint import Endpoint, Fault, last_text, said
from family_desk import QUESTION, Script, llm, play, play_with

from deskgym.agents.null import ABSTENTION
from deskgym.agents.search_r1 import SearchR1Agent, read_turn

OLD, NEW = "birds/heron.txt", "birds/heron_new.txt"


def test_it_thinks_searches_and_answers_with_passages_numbered_through() -> None:
    script = Script(
        search_r1=[
            "<think>First the ferry.</think><search>ferry</search>",
            "<think>Now the heron.</think><search>heron ten</search> <information>made up",
            "<think>Done.</think><answer>At ten [2].</answer>",
        ]
    )
    played = play_with(SearchR1Agent, script)
    assert played.queries == ["ferry", "heron ten"]
    assert (played.answer.text, played.cites) == ("At ten.", [f"{NEW} lines:1"])
    assert "First the ferry." in played.use.thought
    request = script.request("search_r1", 2)
    assert "[1] boats/ferry.txt" in said(request, "user")
    assert f"[2] {NEW}" in last_text(request)
    assert last_text(request).startswith("<information>")
    assert "made up" not in said(request)  # what it goes on to invent is not kept


def test_a_passage_that_comes_again_keeps_its_number() -> None:
    script = Script(
        search_r1=["<search>ferry</search>", "<search>ferry noon</search>", "<answer>x</answer>"]
    )
    play_with(SearchR1Agent, script)
    assert "[1] boats/ferry.txt" in last_text(script.request("search_r1", 2))


@pytest.mark.parametrize(
    ("text", "turn"),
    [
        ("<search>a b</search>", ("search", "a b")),
        ("<think>x</think>\n<Search>a b", ("search", "a b")),
        ("<think>I could <search>a</search></think><answer>b</answer>", ("answer", "b")),
        ("<answer>b</answer><search>a</search>", ("answer", "b")),
        ("nothing of the kind", ("", "")),
        ("", ("", "")),
    ],
)
def test_a_turn_is_read_from_its_first_tag_outside_of_thoughts(
    text: str, turn: tuple[str, str]
) -> None:
    assert read_turn(text) == turn


def test_a_turn_that_is_none_is_put_right() -> None:
    script = Script(search_r1=["Let me see.", "<search>heron ten</search>", "<answer>10 [1]"])
    played = play_with(SearchR1Agent, script)
    assert "Your turn must end with" in last_text(script.request("search_r1", 1))
    assert played.cites == [f"{NEW} lines:1"]
    assert len(played.faults("malformed")) == 1


@pytest.mark.parametrize(
    ("replies", "answer"),
    [
        (["At noon, I think."], "At noon, I think."),
        ([Fault("empty")], ABSTENTION),
        (["<search> </search>"], ABSTENTION),
        ([json.dumps({"answer": "noon"})], "noon"),
    ],
)
def test_turns_that_are_never_any_end_in_the_simplest_answer(
    replies: list[str | Fault], answer: str
) -> None:
    played = play_with(SearchR1Agent, Script(search_r1=replies))
    assert played.answer.text == answer
    assert played.faults("malformed")
    assert played.use.calls <= 6


def test_it_searches_no_more_than_it_may() -> None:
    script = Script(search_r1=["<search>heron</search>"])
    played = play_with(SearchR1Agent, script, {"max_searches": 3})
    assert len(played.queries) == 3
    assert "no more searching" in last_text(script.request("search_r1", 3))


def test_the_token_budget_bounds_what_it_says_and_is_given() -> None:
    files = {f"{n}.txt": ("2024-01-01", "heron " * 300) for n in range(5)}
    script = Script(search_r1=["<search>heron</search>"])
    with Endpoint(script) as endpoint:
        agent = SearchR1Agent(llm(endpoint), token_budget=700)
        played = play(agent, files=files)
    assert len(played.queries) == 1
    assert played.faults("budget")
    informed = said(script.request("search_r1", 1), "user")
    assert len(informed) < 700 * 6
    assert "<answer>" in last_text(script.request("search_r1", 1))


def test_on_the_last_step_what_the_search_found_still_counts() -> None:
    script = Script(search_r1=["<search>heron ten</search>", "<answer>At ten [1]</answer>"])
    played = play_with(SearchR1Agent, script, max_steps=2)
    assert played.cites == [f"{NEW} lines:1"]


def test_an_answer_may_come_without_a_search() -> None:
    played = play_with(SearchR1Agent, Script(search_r1=[f"<answer>{ABSTENTION}</answer>"]))
    assert (played.queries, played.answer.text) == ([], ABSTENTION)


def test_the_question_is_kept_when_the_context_is_short() -> None:
    files = {f"{n}.txt": ("2024-01-01", "heron " * 300) for n in range(9)}
    script = Script(search_r1=["<search>heron</search>"])
    with Endpoint(script) as endpoint:
        agent = SearchR1Agent(llm(endpoint, context_tokens=2_500, max_tokens=400))
        played = play(agent, files=files)
    assert played.answer.text
    for _, request in script.asked:
        assert QUESTION in said(request, "user")
        assert len(said(request)) < 2_500 * 5


@pytest.mark.parametrize("setting", ["max_searches", "token_budget"])
def test_a_bound_of_nothing_is_refused(setting: str) -> None:
    with pytest.raises(ValueError, match=setting):
        SearchR1Agent({"model": "m"}, **{setting: 0})
