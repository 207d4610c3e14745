"""Claims as a model lists them, what holds them up, and the fewest citations that do."""

from __future__ import annotations

import random
from itertools import combinations

import pytest

from deskgym.agents.claims import (
    Claim,
    Opened,
    body,
    is_covered,
    minimal_sets,
    missing_facts,
    new_facts,
    quote_stands,
    read_claims,
    unusable,
)
from deskgym.env.actions import Cite
from deskgym.env.observations import Media

A, B, C, D = (Cite(path=f"{name}.txt", locator="lines:1") for name in "abcd")
PICTURE = Media("image/png", b"\x89PNG")


def opened(text: str, cite: Cite = A, *, media: tuple[Media, ...] = ()) -> Opened:
    return Opened(cite=cite, text=text, media=media)


# --- reading --------------------------------------------------------------------------------------


def test_claims_rest_on_citations_by_number_or_on_their_own() -> None:
    found = {
        "claims": [
            {"claim": "The rent is £815.", "cites": [1, "[2]", 1]},
            {"claim": "It ends in May.", "cites": [{"path": "c.txt", "locator": "lines:1"}]},
            {"claim": "It is 42.", "cites": 2, "working": "6 * 7"},
        ]
    }
    claims, faults = read_claims(found, [A, B])
    assert [(claim.cites, claim.working) for claim in claims] == [
        ((A, B), ""),
        ((C,), ""),
        ((B,), "6 * 7"),
    ]
    assert faults == ()


def test_a_citation_of_the_same_place_is_the_one_of_the_draft_with_its_quote() -> None:
    quoted = Cite(path="a.txt", locator="lines:1", quote="so it is")
    found = {"claims": [{"claim": "So.", "cites": [{"path": "a.txt", "locator": "lines:1"}]}]}
    assert read_claims(found, [quoted])[0][0].cites == (quoted,)


@pytest.mark.parametrize(
    ("found", "kinds"),
    [
        ({}, ["malformed"]),
        ({"claims": "none"}, ["malformed"]),
        ({"claims": [3, {"claim": ""}, {"claim": None}, {"cites": [1]}]}, ["malformed"] * 4),
        ({"claims": [{"claim": "So.", "cites": [9, True, {"no": 1}]}]}, ["citation"] * 3),
        ({"claims": ["So."] * 30}, ["cut"]),
        ({"claims": [{"claim": "So.", "cites": [{"path": "a", "locator": "moon"}]}]}, ["citation"]),
        ({"claims": [{"claim": "x" * 3000}]}, ["malformed"]),
    ],
)
def test_what_is_no_claim_is_left_out_with_a_fault(
    found: dict[str, object], kinds: list[str]
) -> None:
    assert [fault.kind for fault in read_claims(found, [A, B])[1]] == kinds


# --- what was opened ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("observation", "own"),
    [
        ("a.csv; mime text/csv; lines 9\n[lines:9]\n2025-06-01,54102", "2025-06-01,54102"),
        (
            "m.wav; duration_s 18.6\n[time:8.3-11.6]\nBy the 22nd.\n"
            "[time:8.5-11.5] audio/mpeg, 24241 bytes",
            "By the 22nd.",
        ),
        ("p.jpg; width 1100\n[region:1@0,0,1,1] image/png, 16033 bytes, 341 x 43 pixels", ""),
        ("p.pdf; pages 2\n[page:1]\nOne\nnote: no more\nthere is more: go on", "One"),
        ("error (not_found): no such file: '12.txt'\nsee list_files", ""),
        ("a.txt; lines 7", ""),
    ],
)
def test_the_body_of_a_reading_is_what_the_file_itself_says(observation: str, own: str) -> None:
    assert body(observation) == own


@pytest.mark.parametrize(
    ("quote", "text", "stands"),
    [
        ("the words “two months”", 'replaced: The words "two months" go', True),
        ("2024-09-01 | 1545 | 815", "| 2 | 2024-09-01 | 1545 | 815 | 730 |", True),
        ("17 May 2025", "on 2025-05-17 at noon", True),
        ("Kick-off is ... at 20:15", "Kick-off is now, as agreed, at 20:15", True),
        ("Kick-off is at 20:15", "Kick-off is now at 20:15", False),
        ("£815", "£816", False),
        ("...", "anything", False),
    ],
)
def test_a_quote_stands_word_for_word(quote: str, text: str, stands: bool) -> None:
    assert quote_stands(quote, text) is stands


def test_nothing_rests_on_what_is_not_there_or_does_not_say_what_is_quoted() -> None:
    quoted = Cite(path="a.txt", quote="it is blue")
    assert "shows nothing: error (not_found)" in unusable(
        Opened(cite=A, problem="error (not_found)")
    )
    assert "does not say 'it is blue'" in unusable(opened("it is red", quoted))
    assert unusable(opened("so it is: blue", Cite(path="a.txt", quote="is: blue"))) == ""
    assert unusable(opened("1t ls 6lue", quoted, media=(PICTURE,))) == ""


@pytest.mark.parametrize(
    ("claim", "working", "texts", "missing"),
    [
        ("The rent is £815.", "", ["815 a month"], 0),
        ("The rent is £815.", "", ["816 a month"], 1),
        ("The rent is £815 from 1 May 2025.", "", ["815", "2025-05-01"], 0),
        ("The rent is £815 from 1 May 2025.", "", ["816", "2025-05-02"], 2),
        ("£1,750 more", "52750 - 51000", ["51,000", "52,750"], 0),
        ("£1,750 more", "52750 - 51000", ["51,000"], 1),
        ("£1,760 more", "52750 - 51000", ["51,000", "52,750"], 1),
        ("28 October 2024, £2,375", "2024-06-28 + 4 months; 28500 / 12",
         ["28 June 2024", "£28,500"], 0),
        ("Helen, in Employment", "", ["no number at all"], 0),
    ],
)  # fmt: skip
def test_every_number_of_a_claim_is_stated_or_worked_out_from_what_is(
    claim: str, working: str, texts: list[str], missing: int
) -> None:
    pieces = [opened(text) for text in texts]
    assert len(missing_facts(Claim(text=claim, working=working), pieces)) == missing


def test_a_number_may_come_from_a_picture() -> None:
    assert missing_facts(Claim(text="Court 37"), [opened("", media=(PICTURE,))]) == ()


def test_a_number_may_be_given_by_the_question() -> None:
    claim = Claim(text="In February 2025 it was 20:15.")
    assert missing_facts(claim, [opened("now 20:15")], "When, in February 2025?") == ()
    assert missing_facts(claim, [opened("now 20:15")], "When, in March 2025?") == (
        "2025-02 is not stated there",
    )


def test_a_number_of_the_answer_is_one_of_a_claim() -> None:
    claims = ["It is on 17 May 2025 at 6.30 pm."]
    assert new_facts("In May 2025, at 18:30", claims) == ()
    assert new_facts("At 18:30 on 3 June, for 40 people", claims) == ("3/6", "40")


@pytest.mark.parametrize(
    ("text", "covered"),
    [("Leeds", True), ("to LEEDS, for his new job", True), ("Leeds, by train", False), ("", True)],
)
def test_an_answer_says_no_more_than_the_claims(text: str, covered: bool) -> None:
    assert is_covered(text, ["Tom is going to Leeds.", "Where is his new job?"]) is covered


# --- the fewest -----------------------------------------------------------------------------------


def needs(
    **sufficient: list[set[str]],
) -> tuple[list[Claim], dict[str, list[set[str]]]]:
    """Claims, and for each the sets of files of which one suffices."""
    cites = (A, B, C, D)
    claims = [
        Claim(text=name, cites=tuple(c for c in cites if any(c.path[0] in s for s in sets)))
        for name, sets in sufficient.items()
    ]
    return claims, sufficient


@pytest.mark.parametrize(
    ("sufficient", "fewest"),
    [
        ({"one": [{"a"}]}, {"a"}),
        ({"one": [{"a", "b"}]}, {"a", "b"}),
        ({"one": [{"a"}, {"b"}]}, {"a"}),
        # A citation that both can share is kept, and the one for the first alone goes.
        ({"one": [{"a"}, {"b"}], "two": [{"b"}]}, {"b"}),
        ({"one": [{"a"}, {"d"}], "two": [{"d"}, {"c"}], "three": [{"d"}, {"b"}]}, {"d"}),
        ({"one": [{"a", "b"}, {"c"}], "two": [{"b"}], "three": [{"c"}, {"d"}]}, {"b", "c"}),
    ],
)
def test_none_of_the_citations_kept_can_go(
    sufficient: dict[str, list[set[str]]], fewest: set[str]
) -> None:
    claims, sets = needs(**sufficient)

    def supports(claim: Claim, cites: tuple[Cite, ...]) -> bool:
        return any(need <= {cite.path[0] for cite in cites} for need in sets[claim.text])

    kept = minimal_sets(claims, supports)
    assert all(supports(claim, cites) for claim, cites in zip(claims, kept, strict=True))
    assert {cite.path[0] for cites in kept for cite in cites} == fewest


def test_whatever_supports_what_every_citation_that_is_kept_is_needed() -> None:
    """Over many random cases with a judge that never takes more for less."""
    rng = random.Random(4)
    everything = [set(s) for size in (1, 2, 3) for s in combinations("abcd", size)]
    for _ in range(300):
        chosen = {f"c{n}": rng.sample(everything, rng.randint(1, 3)) for n in range(3)}
        claims, sets = needs(**chosen)

        def supports(claim: Claim, cites: tuple[Cite, ...], sets=sets) -> bool:
            return any(need <= {cite.path[0] for cite in cites} for need in sets[claim.text])

        kept = minimal_sets(claims, supports)
        union = {cite for cites in kept for cite in cites}
        assert all(supports(claim, cites) for claim, cites in zip(claims, kept, strict=True))
        for cite in union:
            rest = tuple(union - {cite})
            assert not all(
                supports(claim, tuple(c for c in rest if c in claim.cites)) for claim in claims
            ), (chosen, kept)
        for claim, cites in zip(claims, kept, strict=True):
            for cite in cites:
                assert not supports(claim, tuple(c for c in cites if c != cite))


def test_a_moody_judge_ends_too() -> None:
    rng = random.Random(5)
    answers: dict[tuple[str, tuple[Cite, ...]], bool] = {}

    def supports(claim: Claim, cites: tuple[Cite, ...]) -> bool:
        return answers.setdefault((claim.text, cites), rng.random() < 0.5)

    for n in range(50):
        claims = [Claim(text=f"{n}.{m}", cites=(A, B, C, D)) for m in range(3)]
        kept = minimal_sets(claims, supports)
        assert all(set(k) <= {A, B, C, D} for k in kept)
