"""The agent that opens its citations again: what it does with claims that do not stand."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from endpoint import Brain, BrainReply, Fault, said, system_text
from oracle_model import NOT_SAID, Draft, Said, Scenario, oracle_model
from verified_kit import (
    CAT,
    FLAT,
    GOOD,
    QUESTION,
    RENT,
    RENT_CITE,
    WHO,
    WHO_CITE,
    WRONG,
    Played,
    by_words,
    scenario,
)

from deskgym.agents.null import ABSTENTION
from deskgym.agents.verified import VerifiedAgent
from deskgym.env.actions import ReadText

# --- claims that stand ----------------------------------------------------------------------------


def test_a_draft_that_stands_is_the_answer_as_it_is_with_its_citations_opened_again() -> None:
    played = Played(scenario(GOOD))
    assert played.answer.text == GOOD.text
    assert played.cited == [("rent.eml", "lines:2"), ("rent.eml", "lines:1")]
    assert [action.tool for action in played.actions] == [
        "list_files",
        "read_text",
        "read_text",
        "answer",
    ]
    assert played.faults == ()
    assert f"Stands: {RENT} (rent.eml [lines:2])" in played.thought


def test_what_files_say_goes_to_the_judge_as_material_and_never_as_an_instruction() -> None:
    played = Played(scenario(GOOD))
    judged = [r for r in played.requests if "check one claim against" in system_text(r)]
    assert len(judged) >= 2
    assert all("£815" not in system_text(request) for request in judged)
    assert all("never an instruction" in system_text(request) for request in judged)


@pytest.mark.parametrize(
    ("cites", "kept"),
    [
        ((RENT_CITE, ("copy.txt", "lines:1", None)), [("rent.eml", "lines:2")]),
        ((("old.eml", "lines:2", None), RENT_CITE), [("rent.eml", "lines:2")]),
        ((("plan.txt", "file", None), ("copy.txt", "file", None)), [("copy.txt", "file")]),
    ],
)
def test_citations_that_the_claim_does_not_need_are_taken_out(
    cites: tuple[tuple[str, str, str | None], ...], kept: list[tuple[str, str]]
) -> None:
    played = Played(scenario(Draft("£815 a month", cites, (Said(RENT, (1, 2)),))))
    assert (played.answer.text, played.cited) == ("£815 a month", kept)


def test_a_citation_that_carries_two_claims_is_kept_and_the_one_for_either_alone_goes() -> None:
    cites = (("copy.txt", "lines:1", None), ("rent.eml", "lines:1-2", None))
    draft = Draft(GOOD.text, cites, (Said(RENT, (1,)), Said(WHO, (2,))))
    played = Played(scenario(draft))
    assert (played.answer.text, played.cited) == (GOOD.text, [("rent.eml", "lines:1-2")])


def test_a_number_that_is_worked_out_from_what_stands_there_is_supported() -> None:
    draft = Draft("£815", (("plan.txt", "lines:1", None),), (Said(RENT, (1,), "780 + 35"),))
    played = Played(scenario(draft, judge=lambda claim, places: bool(places)))
    assert (played.answer.text, played.cited) == ("£815", [("plan.txt", "lines:1")])
    assert "780 + 35" in played.asked_for("check one claim")[0]


def test_a_picture_goes_to_the_judge_with_what_is_recorded_of_it() -> None:
    draft = Draft("in Leeds", (("photo.jpg", "file", None),), (Said(FLAT, (1,)),))
    played = Played(scenario(draft))
    assert (played.answer.text, played.cited) == ("in Leeds", [("photo.jpg", "file")])
    (judged,) = (r for r in played.requests if "check one claim" in system_text(r))
    assert judged["messages"][-1]["media"] == ["image/png"]


# --- claims that do not ---------------------------------------------------------------------------

UNSUPPORTED = {
    "a number that is not there": Draft("£816", (RENT_CITE,), (Said(WRONG, (1,)),)),
    "a file that does not exist": Draft(
        "£815", (("never.txt", "lines:1", "Your rent is £815"),), (Said(RENT, (1,)),)
    ),
    "a quote that is made up": Draft(
        "£815", (("rent.eml", "lines:2", "The rent shall be £815"),), (Said(RENT, (1,)),)
    ),
    "no citation": Draft("£815", (RENT_CITE,), (Said(RENT),)),
    "another place of the file": Draft(
        "£815", (("rent.eml", "lines:3", None),), (Said(RENT, (1,)),)
    ),
    "what the judge does not see there": Draft(
        "The cat agreed", (("rent.eml", "lines:3", None),), (Said(CAT, (1,)),)
    ),
    "a working from what is not there": Draft(
        "£815", (("old.eml", "lines:2", None),), (Said(RENT, (1,), "780 + 34.5 + 0.5"),)
    ),
}  # fmt: skip


@pytest.mark.parametrize("planted", UNSUPPORTED.values(), ids=UNSUPPORTED)
def test_an_unsupported_claim_is_searched_for_again_and_the_supported_answer_given(
    planted: Draft,
) -> None:
    played = Played(scenario(planted, GOOD))
    assert (played.answer.text, len(played.cited)) == (GOOD.text, 2)
    assert "unsupported_claim" in played.kinds()
    told = next(said(r) for r in played.requests if "was not accepted yet" in said(r))
    assert planted.claims[0].text in told


@pytest.mark.parametrize("planted", UNSUPPORTED.values(), ids=UNSUPPORTED)
def test_a_draft_of_unsupported_claims_alone_becomes_an_abstention(planted: Draft) -> None:
    played = Played(scenario(planted))
    assert (played.answer.text, played.answer.cites) == (ABSTENTION, ())
    assert played.kinds().count("unsupported_claim") == 3


@pytest.mark.parametrize("planted", UNSUPPORTED.values(), ids=UNSUPPORTED)
def test_beside_claims_that_stand_an_unsupported_one_is_dropped(planted: Draft) -> None:
    mixed = Draft(
        f"{planted.text}. Sanjay told me.",
        (*planted.cites, WHO_CITE),
        (*planted.claims, Said(WHO, (len(planted.cites) + 1,))),
    )
    answers = {(WHO,): "Sanjay told me"}
    played = Played(Scenario((mixed,), by_words, answers), rounds=0)
    assert (played.answer.text, played.cited) == ("Sanjay told me", [("rent.eml", "lines:1")])


def test_what_stood_before_is_kept_when_the_second_search_finds_nothing() -> None:
    mixed = Draft("£815; the cat agreed", (RENT_CITE,), (Said(RENT, (1,)), Said(CAT, (1,))))
    played = Played(scenario(mixed, Draft(NOT_SAID)))
    assert (played.answer.text, played.cited) == ("£815 a month", [("rent.eml", "lines:2")])


def test_claims_that_stand_but_do_not_answer_become_an_abstention() -> None:
    mixed = Draft("£816, says Sanjay", (RENT_CITE, WHO_CITE), (Said(WRONG, (1,)), Said(WHO, (2,))))
    played = Played(scenario(mixed))
    assert (played.answer.text, played.answer.cites) == (ABSTENTION, ())


@pytest.mark.parametrize(
    ("draft", "why"),
    [
        ("£815 a month, 40 days ahead", "a number"),
        ("£815 a month, according to Beatrice", "a name"),
    ],
)
def test_what_no_claim_of_the_draft_says_is_not_in_the_answer(draft: str, why: str) -> None:
    """The model left something of its draft out of the list of claims."""
    played = Played(scenario(Draft(draft, (RENT_CITE,), (Said(RENT, (1,)),))))
    assert played.answer.text == "£815 a month", why


@pytest.mark.parametrize(
    "written", ["£815 a month from 3 June 2031", "£815 a month; the cat agreed", "All made up."]
)
def test_what_the_model_adds_when_it_writes_the_answer_is_not_in_it(written: str) -> None:
    mixed = Draft("£815; the cat agreed", (RENT_CITE,), (Said(RENT, (1,)), Said(CAT, (1,))))
    played = Played(Scenario((mixed,), by_words, {(RENT,): written}), rounds=0)
    assert played.answer.text == RENT
    assert played.kinds() == ["unsupported_claim", "unsupported_claim"]


def test_an_abstention_is_not_checked() -> None:
    played = Played(scenario(Draft(NOT_SAID, (RENT_CITE,))))
    assert (played.answer.text, played.answer.cites) == (ABSTENTION, ())
    assert [action.tool for action in played.actions] == ["list_files", "answer"]


# --- bounds ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("steps", range(1, 12))
def test_however_few_steps_there_are_nothing_unsupported_is_answered(steps: int) -> None:
    planted = UNSUPPORTED["a number that is not there"]
    assert Played(scenario(planted), steps=steps).answer.text == ABSTENTION
    good = Played(scenario(GOOD), steps=steps).answer
    assert good.text in (ABSTENTION, GOOD.text, "£815 a month", "£815 a month; Sanjay told me")
    assert bool(good.cites) is (good.text != ABSTENTION)
    if steps >= 6:
        assert good.text == GOOD.text


def test_the_reserve_of_steps_is_left_for_opening_again() -> None:
    """A model that would look for ever is asked for its answer in time."""

    def restless(request: dict[str, Any]) -> BrainReply | Fault:
        tools = {tool["function"]["name"] for tool in request.get("tools", ())}
        if "read_text" in tools:
            return BrainReply(calls=[("read_text", {"path": "rent.eml"})])
        return oracle_model({QUESTION: scenario(GOOD)})(request)

    played = Played(restless, steps=20, reserve=6)
    assert (played.answer.text, len(played.cited)) == (GOOD.text, 2)
    assert len(played.actions) == 14 + 2 + 1


def test_judgements_are_bounded_and_what_is_not_judged_does_not_stand() -> None:
    played = Played(scenario(GOOD), max_judgements=1, rounds=0)
    assert "out_of_judgements" in played.kinds()
    assert played.cited == [("rent.eml", "lines:2")]


def test_a_place_is_opened_and_a_set_of_places_judged_once() -> None:
    mixed = Draft(
        "£815; the cat agreed", (RENT_CITE, WHO_CITE), (Said(RENT, (1,)), Said(CAT, (2,)))
    )
    played = Played(scenario(mixed, mixed, mixed))
    reads = [action for action in played.actions if isinstance(action, ReadText)]
    assert len(reads) == 2
    judged = played.asked_for("check one claim")
    assert len(judged) == len(set(judged))


@pytest.mark.parametrize(
    ("tools", "text"),
    [
        ({"terminal", "list_files"}, "£815"),
        ({"list_files"}, ABSTENTION),
    ],
)
def test_citations_are_opened_with_the_tools_that_are_on(tools: set[str], text: str) -> None:
    draft = Draft("£815", (RENT_CITE,), (Said(RENT, (1,)),))
    played = Played(scenario(draft), tools=frozenset({*tools, "answer"}), rounds=0)
    assert played.answer.text == text
    if text == ABSTENTION:
        assert "no tool that is on opens it" in played.faults[0]


# --- what a model may say -------------------------------------------------------------------------


def replaced(role: str, reply: str) -> Brain:
    """The oracle-like model, which in one of its roles says something else."""
    good = oracle_model({QUESTION: scenario(GOOD)})

    def brain(request: dict[str, Any]) -> BrainReply | Fault:
        return BrainReply(reply) if role in system_text(request) else good(request)

    return brain


@pytest.mark.parametrize("reply", ["", "Sure!", '{"claims": []}', '{"claims": [{"cites": [1]}]}'])
def test_a_draft_that_cannot_be_taken_apart_is_one_claim(reply: str) -> None:
    played = Played(replaced("take a draft answer apart", reply), rounds=0)
    assert played.answer.text == ABSTENTION  # nobody can tell whether it stands
    assert GOOD.text in played.asked_for("check one claim")[0]
    assert "unsupported_claim" in played.kinds()


@pytest.mark.parametrize(
    "reply", ["", "Yes, it is.", '{"supported": "yes"}', '{"supported": null, "needed": 3}', "{"]
)
def test_a_judge_that_gives_no_verdict_supports_nothing(reply: str) -> None:
    played = Played(replaced("check one claim", reply), rounds=0)
    assert (played.answer.text, played.answer.cites) == (ABSTENTION, ())
    assert set(played.kinds()) & {"malformed", "empty"}


@pytest.mark.parametrize(
    ("needed", "cited"), [("[1, 99, 0, -1, null, true]", 2), ('"all"', 2), ("null", 2)]
)
def test_whatever_the_judge_says_is_needed_the_verdict_counts(needed: str, cited: int) -> None:
    good = oracle_model({QUESTION: scenario(GOOD)})

    def brain(request: dict[str, Any]) -> BrainReply | Fault:
        reply = good(request)
        if "check one claim" not in system_text(request) or isinstance(reply, Fault):
            return reply
        verdict = json.loads(reply.text or "{}")
        return BrainReply(
            f'{{"supported": {json.dumps(verdict["supported"])}, "needed": {needed}}}'
        )

    played = Played(brain)
    assert len(played.cited) == cited


@pytest.mark.parametrize("reply", ["", "The answer is 42", "[]", '{"answer": ""}'])
def test_an_answer_that_cannot_be_written_is_the_claims_themselves(reply: str) -> None:
    mixed = Draft("£815; the cat agreed", (RENT_CITE,), (Said(RENT, (1,)), Said(CAT, (1,))))
    good = oracle_model({QUESTION: scenario(mixed)})

    def brain(request: dict[str, Any]) -> BrainReply | Fault:
        writing = "write the final answer" in system_text(request)
        return BrainReply(reply) if writing else good(request)

    assert Played(brain, rounds=0).answer.text == RENT


@pytest.mark.parametrize("config", [{"rounds": -1}, {"reserve": 0}, {"max_judgements": 0}])
def test_numbers_out_of_range_are_refused(config: Mapping[str, int]) -> None:
    with pytest.raises(ValueError, match="rounds is at least 0"):
        VerifiedAgent({"model": "m", "base_url": "http://127.0.0.1:9/v1"}, **config)
