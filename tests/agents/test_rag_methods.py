"""Each method of the RAG family by itself: what it looks for, keeps, and does with odd replies."""

from __future__ import annotations

import json

import pytest
from endpoint import Fault, last_text
from family_desk import QUESTION, Script, play_with

from deskgym.agents.corrective_rag import CorrectiveRagAgent
from deskgym.agents.decompose import DecomposeAgent
from deskgym.agents.hyde import HydeAgent
from deskgym.agents.ircot import IrcotAgent, first_sentence
from deskgym.agents.self_rag import SelfRagAgent
from deskgym.env.actions import ListFiles, ReadText, Search

FULLY = json.dumps({"support": "fully", "useful": 5, "missing": ""})
RETRIEVE = json.dumps({"retrieve": True, "query": "heron sleeps"})
OLD, NEW = "birds/heron.txt", "birds/heron_new.txt"


def test_hyde_searches_with_the_imagined_passage_and_never_shows_it() -> None:
    script = Script(hyde=["Ferry schedule: the ferry sails."], passages_answer=["At noon [1]."])
    played = play_with(HydeAgent, script)
    assert played.queries == [f"{QUESTION} Ferry schedule: the ferry sails."]
    assert "schedule" not in last_text(script.request("passages_answer"))


def test_hyde_goes_by_the_question_if_nothing_is_imagined() -> None:
    played = play_with(HydeAgent, Script(hyde=['{"a": 1}'], passages_answer=["At ten [1]."]))
    assert played.queries == [QUESTION]
    assert "searched with the question alone" in played.faults("malformed")[-1]


def test_hyde_may_imagine_several() -> None:
    script = Script(hyde=["One heron.", "Two " * 2_000], passages_answer=["At ten [1]."])
    (query,) = play_with(HydeAgent, script, {"drafts": 2}).queries
    assert query.startswith(f"{QUESTION} One heron. Two Two")
    assert len(query) <= 2_000


def test_ircot_searches_with_each_sentence_until_the_answer_is_there() -> None:
    script = Script(
        ircot=["The ferry sails. And more that is cut off.", "So the answer is: ten."],
        passages_answer=["At ten [2]."],
    )
    played = play_with(IrcotAgent, script)
    assert played.queries == [QUESTION, "The ferry sails."]
    assert "The ferry sails.\n    So the answer is: ten." in last_text(
        script.request("passages_answer")
    )


@pytest.mark.parametrize("replies", [["The same thing."], [Fault("empty")], ["<tool>{}</tool>"]])
def test_ircot_goes_on_to_answer_when_its_thoughts_do_not_go_on(replies: list[str | Fault]) -> None:
    played = play_with(IrcotAgent, Script(ircot=replies, passages_answer=["At ten [2]."]))
    assert len(played.queries) <= 2
    assert played.cites
    assert played.faults("malformed")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("One. Two.", "One."),
        ("Mr. J. Marsh paid 3.50 in No. 4. Then he left.", "Mr. J. Marsh paid 3.50 in No. 4."),
        ("\n  no stop at all\nmore", "no stop at all"),
        ("So the answer is: 5 p.m. on Monday.", "So the answer is: 5 p.m. on Monday."),
        ("", ""),
    ],
)
def test_a_thought_is_the_first_sentence(text: str, sentence: str) -> None:
    assert first_sentence(text) == sentence


def test_decompose_asks_in_turn_and_composes_what_was_found() -> None:
    script = Script(
        decompose=['{"next": "When does the ferry sail?"}', '{"next": null}'],
        passages_answer=["At noon [1].", "At noon, then ten [1]."],
    )
    played = play_with(DecomposeAgent, script)
    assert played.queries == ["When does the ferry sail?"]
    composed = last_text(script.request("passages_answer", 1))
    assert "Asked: When does the ferry sail?\n    Found: At noon." in composed
    # What a part of the answer cites is shown first.
    assert "[1] boats/ferry.txt" in composed
    assert played.cites == ["boats/ferry.txt lines:1"]


@pytest.mark.parametrize(
    ("said", "queries"),
    [
        (['{"next": "The same?"}'], ["The same?"]),
        (["no idea"], [QUESTION]),
        (['{"next": 7}'], [QUESTION]),
    ],
)
def test_decompose_does_not_go_round_in_circles(
    said: list[str | Fault], queries: list[str]
) -> None:
    script = Script(decompose=said, passages_answer=["At ten [1]."])
    assert play_with(DecomposeAgent, script).queries == queries


def test_decompose_asks_no_more_than_it_may() -> None:
    replies: list[str | Fault] = [json.dumps({"next": f"heron {n}?"}) for n in range(9)]
    script = Script(decompose=replies, passages_answer=["At ten [1]."])
    assert len(play_with(DecomposeAgent, script, {"max_questions": 3}).queries) == 3


def test_self_rag_keeps_what_is_relevant_and_a_draft_that_is_supported() -> None:
    script = Script(
        self_rag_retrieve=[RETRIEVE],
        self_rag_relevance=['{"relevant": [2]}'],
        passages_answer=["At ten [1]."],
        self_rag_support=[FULLY],
    )
    played = play_with(SelfRagAgent, script)
    assert played.queries == ["heron sleeps"]
    assert OLD not in last_text(script.request("passages_answer"))
    assert played.cites == [f"{NEW} lines:1"]
    assert len(script.asked) == 4


def test_self_rag_looks_for_what_a_critique_misses_and_keeps_the_best_draft() -> None:
    script = Script(
        self_rag_retrieve=[RETRIEVE],
        self_rag_relevance=['{"relevant": [1]}'],
        passages_answer=["At nine [1].", "At noon [2].", "At dawn [1]."],
        self_rag_support=[
            '{"support": "partly", "useful": 4, "missing": "ferry"}',
            '{"support": "Fully supported", "useful": 3, "missing": "ferry"}',
            '{"support": "no", "useful": 5, "missing": ""}',
        ],
    )
    played = play_with(SelfRagAgent, script)
    assert played.queries == ["heron sleeps", "ferry", "ferry"]
    assert played.cites == ["boats/ferry.txt lines:1"]
    drafted = last_text(script.request("passages_answer", 1))
    assert "An earlier draft was supported only in part by the passages: At nine." in drafted


def test_self_rag_drafts_again_without_a_search_if_nothing_is_missing() -> None:
    script = Script(
        self_rag_retrieve=[RETRIEVE],
        self_rag_relevance=['{"relevant": [1, 2]}'],
        passages_answer=["At nine [1].", "At ten [2]."],
        self_rag_support=['{"support": "partly", "useful": 3, "missing": ""}', FULLY],
    )
    played = play_with(SelfRagAgent, script)
    assert (len(played.queries), played.answer.text) == (1, "At ten.")


def test_self_rag_can_do_without_the_files() -> None:
    script = Script(
        self_rag_retrieve=['{"retrieve": false}'], passages_answer=["4"], self_rag_support=[FULLY]
    )
    played = play_with(SelfRagAgent, script)
    assert (played.queries, played.answer.text) == ([], "4")


def test_self_rag_takes_an_unreadable_critique_for_consent_and_says_so() -> None:
    script = Script(
        self_rag_retrieve=["perhaps"],
        self_rag_relevance=["some of them"],
        passages_answer=["At ten [2]."],
        self_rag_support=["rather good"],
    )
    played = play_with(SelfRagAgent, script)
    assert (played.queries, played.cites) == ([QUESTION], [f"{NEW} lines:1"])
    faults = " ".join(played.faults("malformed"))
    for said in ("retrieves", "all taken as relevant", "draft taken as supported"):
        assert said in faults


def grades(*grades: str) -> str:
    return json.dumps({"grades": dict(enumerate(grades, 1))})


def test_corrective_rag_refines_what_is_correct_to_the_strips_that_tell() -> None:
    text = "\n".join([*(f"Line {n} of nothing." for n in range(1, 9)), "The heron sleeps at ten."])
    script = Script(
        corrective_rag_grade=[grades("correct")],
        corrective_rag_refine=['{"keep": [3]}'],
        passages_answer=["At ten [1]."],
    )
    played = play_with(CorrectiveRagAgent, script, files={"a.txt": ("2024-01-01", text)})
    assert "nothing" not in last_text(script.request("passages_answer"))
    assert played.cites == ["a.txt lines:9"]
    assert len(played.queries) == 1


def test_corrective_rag_looks_elsewhere_if_all_is_wrong() -> None:
    script = Script(
        corrective_rag_grade=[grades("wrong", "incorrect", "wrong")],
        corrective_rag_rewrite=['{"query": "ferry sails", "files": "*ferry.txt"}'],
        corrective_rag_refine=['{"keep": [1]}'],
        passages_answer=["At noon [1]."],
    )
    played = play_with(CorrectiveRagAgent, script)
    looks = [action for action in played.actions if not isinstance(action, ListFiles)]
    assert [a.ranking if isinstance(a, Search) else a.tool for a in looks] == [
        "bm25",
        "words",
        "read_text",
    ]
    assert isinstance(looks[2], ReadText)
    assert played.cites == ["boats/ferry.txt lines:1"]


def test_corrective_rag_does_both_in_between() -> None:
    script = Script(
        corrective_rag_grade=[grades("ambiguous", "wrong", "wrong")],
        corrective_rag_rewrite=['{"query": "ferry", "files": ""}'],
        corrective_rag_refine=['{"keep": [1]}'],
        passages_answer=["At noon [1][2]."],
    )
    played = play_with(CorrectiveRagAgent, script)
    assert played.cites == [f"{OLD} lines:1-2", "boats/ferry.txt lines:1"]


def test_corrective_rag_goes_on_with_all_if_grades_and_strips_are_unreadable() -> None:
    script = Script(
        corrective_rag_grade=["fine"],
        corrective_rag_rewrite=["?"],
        corrective_rag_refine=["..."],
        passages_answer=["At ten [2]."],
    )
    played = play_with(CorrectiveRagAgent, script)
    assert played.cites == [f"{NEW} lines:1"]
    faults = " ".join(played.faults("malformed"))
    for said in ("all taken as ambiguous", "all strips kept", "looked up once more"):
        assert said in faults
