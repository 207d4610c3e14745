"""The first failure that holds of a wrong answer: each class beside its near misses."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from deskgym.tasks.scoring.diagnosis import (
    Citation,
    EpisodeFacts,
    GoldFile,
    Observation,
    diagnose_facts,
)
from deskgym.tasks.scoring.salient import foreign_items, places

LEASE, DRAFT, MAIL = "Home/lease.pdf", "Home/lease_draft.pdf", "Mail/offer.eml"
GOOD = Citation(LEASE, "page:2", exists=True, in_range=True, quote_supported=None)
SEARCHED = Observation(
    1, f"1. {DRAFT}  [page:1]\n   The rent is 1,400 euros, says Mara Quint.", (DRAFT,), ()
)
READ = Observation(
    2, f"{LEASE}; pages 3\n[page:2]\nThe rent is 1,545 euros, says Olga Prem.", (LEASE,), ("e1",)
)
FACTS = EpisodeFacts(
    question="What rent does Ines Vogt pay?",
    gold_answer="1,545 euros",
    answerable=True,
    answer="1,500 euros",
    abstained=False,
    citations=(GOOD,),
    gold=(GoldFile(LEASE, touched=2, exposed=2),),
    units=1,
    observations=(SEARCHED, READ),
    last_step=3,
)


def failure(**changes: Any) -> str | None:
    return diagnose_facts(replace(FACTS, **changes)).failure


def test_evidence_shown_and_cited_and_another_conclusion() -> None:
    found = diagnose_facts(FACTS)
    assert found.failure == "verification_deficit"
    assert (found.step, found.evidence) == (3, ("e1",))


class TestFabricatedEvidence:
    @pytest.mark.parametrize(
        ("change", "says"),
        [
            ({"exists": False}, "there is no such file"),
            ({"in_range": False}, "page:2), which lies beyond the end"),
            ({"quote_supported": False}, "quotes from"),
        ],
    )
    def test_one_bad_citation_is_enough(self, change: dict[str, bool], says: str) -> None:
        found = diagnose_facts(replace(FACTS, citations=(GOOD, replace(GOOD, **change))))
        assert found.failure == "fabricated_evidence"
        assert found.step == 3
        assert says in found.detail

    @pytest.mark.parametrize("change", [{"in_range": None}, {"quote_supported": None}])
    def test_what_is_not_known_is_not_held_against_it(self, change: dict[str, None]) -> None:
        assert failure(citations=(replace(GOOD, **change),)) == "verification_deficit"

    def test_it_comes_before_all_other_failures(self) -> None:
        made_up = replace(GOOD, path="no/such.pdf", exists=False)
        assert failure(citations=(made_up,), **NOTHING_TOUCHED) == "fabricated_evidence"


NOTHING_TOUCHED: dict[str, Any] = {
    "gold": (GoldFile(LEASE, None, None),),
    "observations": (SEARCHED,),
}
TOUCHED_UNSEEN: dict[str, Any] = {
    "gold": (GoldFile(LEASE, 2, None),),
    "observations": (SEARCHED, replace(READ, exposed=())),
}


class TestRetrievalAndPerception:
    def test_no_gold_file_was_touched(self) -> None:
        found = diagnose_facts(replace(FACTS, **NOTHING_TOUCHED))
        assert found.failure == "retrieval_mismatch"
        assert LEASE in found.detail
        assert "1 other file touched" in found.detail

    def test_a_file_whose_name_a_listing_showed_was_not_touched(self) -> None:
        listing = Observation(1, f"2 files\n{LEASE}\n{DRAFT}", (), ())
        assert failure(**{**NOTHING_TOUCHED, "observations": (listing,)}) == "retrieval_mismatch"

    def test_one_gold_file_of_two_is_no_mismatch(self) -> None:
        gold = (GoldFile(MAIL, None, None), GoldFile(LEASE, 2, None))
        found = diagnose_facts(replace(FACTS, **{**TOUCHED_UNSEEN, "gold": gold, "units": 2}))
        assert found.failure == "perception_failure"
        assert found.step == 2

    def test_a_gold_file_was_reached_but_its_evidence_never_shown(self) -> None:
        found = diagnose_facts(replace(FACTS, **TOUCHED_UNSEEN))
        assert found.failure == "perception_failure"
        assert (found.step, found.evidence) == (2, ())
        assert LEASE in found.detail

    @pytest.mark.parametrize("answer", [None, "The files do not say."])
    def test_no_answer_is_not_why_where_nothing_was_seen(self, answer: str | None) -> None:
        silent = {"answer": answer, "abstained": True, "citations": ()}
        assert failure(**NOTHING_TOUCHED, **silent) == "retrieval_mismatch"
        assert failure(**TOUCHED_UNSEEN, **silent) == "perception_failure"

    def test_part_of_the_evidence_is_no_perception_failure_but_told(self) -> None:
        gold = (GoldFile(LEASE, 2, 2), GoldFile(MAIL, None, None))
        found = diagnose_facts(replace(FACTS, gold=gold, units=2))
        assert found.failure == "verification_deficit"
        assert found.evidence == ("e1",)
        assert f"1 of 2 units of evidence was shown (nothing of {MAIL})" in found.detail

    def test_a_task_without_units_cannot_fail_to_perceive_them(self) -> None:
        assert failure(**TOUCHED_UNSEEN, units=0) == "verification_deficit"


class TestGroundingAvoidance:
    @pytest.mark.parametrize(
        ("change", "says"),
        [
            ({"answer": None, "abstained": True, "citations": ()}, "there is no answer"),
            ({"answer": "I do not know.", "abstained": True}, "abstains"),
            ({"citations": ()}, "cites nothing"),
        ],
    )
    def test_evidence_was_shown_and_not_used(self, change: dict[str, Any], says: str) -> None:
        found = diagnose_facts(replace(FACTS, **change))
        assert found.failure == "grounding_avoidance"
        assert (found.step, found.evidence) == (3, ("e1",))
        assert says in found.detail

    def test_an_answer_that_cites_the_wrong_file_does_not_avoid(self) -> None:
        assert failure(citations=(replace(GOOD, path=DRAFT),)) == "verification_deficit"


class TestEntityMisattribution:
    @pytest.mark.parametrize(
        ("answer", "gold"),
        [
            ("1,400 euros", "1,545 euros"),
            ("It is EUR 1400.00", "1,545 euros"),
            ("Mara Quint says so", "Olga Prem"),
            ("Mara Quint", "It was Olga Prem."),
        ],
    )
    def test_what_clashes_stands_in_another_file(self, answer: str, gold: str) -> None:
        found = diagnose_facts(replace(FACTS, answer=answer, gold_answer=gold))
        assert found.failure == "entity_misattribution"
        assert found.step == 1
        assert DRAFT in found.detail

    @pytest.mark.parametrize(
        ("answer", "gold"),
        [
            ("1,500 euros", "1,545 euros"),  # stands nowhere
            ("1,400 euros and 1,500 euros", "1,545 euros"),  # one of the two stands nowhere
            ("400 euros", "1,545 euros"),  # the end of another number
            ("Olga Prem pays 1,545", "Ada Lint pays 1,545"),  # in the evidence's own step
            ("Ines Vogt pays 1,545", "Olga Prem"),  # a name of the question's
            ("Mara Quint: 1,545 euros", "1,545 euros"),  # the gold has no name to clash with
            ("Mara Quint got it from Olga Prem", "Olga Prem"),  # the gold's name is there too
            ("quite a lot", "1,545 euros"),
        ],
    )
    def test_what_does_not_clash_or_stands_nowhere_else(self, answer: str, gold: str) -> None:
        assert failure(answer=answer, gold_answer=gold) == "verification_deficit"

    def test_another_files_part_of_a_step_that_showed_evidence(self) -> None:
        both = Observation(
            1,
            f"2 hits\n1. {LEASE}  [page:2]\n   The rent is 1,545 euros; 1,111 before."
            f"\n2. {DRAFT}  [page:1]\n   The rent is 1,400 euros.",
            (LEASE, DRAFT),
            ("e1",),
        )
        assert failure(observations=(both,), answer="1,400 euros") == "entity_misattribution"
        assert failure(observations=(both,), answer="1,111 euros") == "verification_deficit"

    def test_a_step_that_does_not_tell_whose_text_it_is(self) -> None:
        catted = Observation(1, "1,400 euros\n1,545 euros", (LEASE, DRAFT), ())
        found = diagnose_facts(replace(FACTS, observations=(catted, READ), answer="1,400 euros"))
        assert found.failure == "entity_misattribution"
        assert "the output of step 1" in found.detail
        shown = replace(catted, exposed=("e1",))
        assert failure(observations=(shown,), answer="1,400 euros") == "verification_deficit"

    @pytest.mark.parametrize(
        ("answer", "text", "failed"),
        [
            ("14 days", "within 14 days", "entity_misattribution"),
            ("14 days", "room 14, 30 days", "verification_deficit"),
            ("14", "within 14 days", "verification_deficit"),
        ],
    )
    def test_a_small_number_needs_a_word_beside_it(
        self, answer: str, text: str, failed: str
    ) -> None:
        seen = Observation(1, text, (DRAFT,), ())
        assert failure(observations=(seen, READ), answer=answer, gold_answer="21 days") == failed

    def test_scripts_without_capitals(self) -> None:
        seen = Observation(1, "王小明现在住在北京市朝阳区。", (MAIL,), ())
        chinese = {"question": "王小明住在哪里？", "gold_answer": "他住在上海市浦东新区"}
        moved = {"answer": "他住在北京市朝阳区", "observations": (seen, READ)}
        assert failure(**chinese, **moved) == "entity_misattribution"
        assert failure(**chinese, **{**moved, "answer": "他住在广州"}) == "verification_deficit"


class TestUnanswerable:
    facts = replace(
        FACTS,
        answerable=False,
        gold=(),
        units=0,
        gold_answer="The files do not say.",
        observations=(SEARCHED, replace(READ, exposed=())),
    )

    def test_what_it_says_stands_somewhere(self) -> None:
        found = diagnose_facts(replace(self.facts, answer="1,400 euros"))
        assert found.failure == "entity_misattribution"
        assert DRAFT in found.detail

    @pytest.mark.parametrize("citations", [(), (GOOD,)])
    def test_what_it_says_stands_nowhere(self, citations: tuple[Citation, ...]) -> None:
        invented = replace(self.facts, answer="1,999 euros", citations=citations)
        assert diagnose_facts(invented).failure == "verification_deficit"

    def test_a_bad_citation(self) -> None:
        bad = replace(GOOD, exists=False)
        found = diagnose_facts(replace(self.facts, answer="1,400 euros", citations=(bad,)))
        assert found.failure == "fabricated_evidence"

    def test_no_answer_at_all(self) -> None:
        found = diagnose_facts(replace(self.facts, answer=None, abstained=True, citations=()))
        assert found.failure == "grounding_avoidance"
        assert found.detail == "There is no answer."


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("Tom", ["Tom"]),
        ("Payment was due.", []),
        ("Payment was due to Baker Ltd.", ["Baker Ltd"]),
        ("He met Dr. Smith at the Blue Heron on Tuesday.", ["Smith", "Blue Heron"]),
        ("In Riverside, Tom Baker's flat", ["Riverside", "Tom Baker"]),
        ("NASA, says Lee, and I agree", ["NASA", "Lee"]),
        ("paid on 3 May 2024 at 6.30 pm", ["2024-05-03", "18:30"]),
        ("in May 2024 and on 4 June", ["May 2024", "4 Jun"]),
        ("about 1.2 million", ["1200000"]),
    ],
)
def test_items_of_a_text(text: str, items: list[str]) -> None:
    assert sorted(item.text for item in foreign_items(text)) == sorted(items)


def test_what_a_known_text_has_is_not_foreign() -> None:
    known = "Tom Baker, 3 May 2024, 18:30, 1400"
    assert foreign_items("Mr Baker on 2024-05-03 at 6.30 pm: 1,400", known) == []


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("3 May 2024", "due 2024-05-03"),
        ("3 May 2024", "on May 3rd, 2024"),
        ("3 May 2024", "am 3.5.2024"),
        ("3 May", "2024-05-03"),
        ("May 2024", "on 03/05/2024"),
        ("18:30", "at 6.30 pm"),
        ("1,200,000", "made 1.2m"),
        ("1200", "made 1,200.00 euros"),
        ("Tom Baker", "to\nTom  Baker, Esq."),
    ],
)
def test_an_item_is_found_in_its_other_forms(answer: str, text: str) -> None:
    (item,) = foreign_items(answer)
    assert len(list(places(item, text))) == 1


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("3 May 2024", "2024-05-13, 3 May 2023"),
        ("18:30", "at 6.30 am"),
        ("545 euros", "12,545 euros, 5450, 545.50"),
        ("1,200", "1.2m"),
        ("Tom Baker", "Tom Bakerson; tom baker"),
    ],
)
def test_an_item_is_not_found_in_its_likes(answer: str, text: str) -> None:
    (item,) = foreign_items(answer)
    assert list(places(item, text)) == []
