"""Whether evidence stands in a text, and how citations are scored."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deskgym.tasks.locators import parse_locator
from deskgym.tasks.schema import Evidence, Modality
from deskgym.tasks.scoring import (
    EvidenceScores,
    citation_scores,
    evidence_scores,
    exposure_by_locator,
    exposure_by_text,
)
from deskgym.tasks.scoring.evidence import (
    LOCATED_THRESHOLD,
    TEXT_THRESHOLD,
    exposure_in_place,
)

LEASE = "The renewed term of the lease ends on 31 August 2025 at a rent of £1,545."
FILLER = "Minutes of the residents' meeting: bins, bicycles, the boiler and the roof. " * 1500


def unit(
    name: str, locator: str = "page:2", modality: Modality = "document", path: str = "a.pdf"
) -> Evidence:
    return Evidence(
        evidence_id=name,
        file_path=path,
        modality=modality,
        locator=parse_locator(locator),
        text=LEASE,
    )


class TestByText:
    def test_verbatim_in_a_long_output(self) -> None:
        assert exposure_by_text(LEASE, FILLER + LEASE + FILLER) == 1.0

    def test_wrapped_and_with_other_punctuation(self) -> None:
        wrapped = LEASE.replace(" ", "\n  ").replace("£1,545", "GBP 1545.00").upper()
        assert exposure_by_text(LEASE, FILLER + wrapped) >= TEXT_THRESHOLD

    def test_one_misread_word_of_many(self) -> None:
        assert exposure_by_text(LEASE, LEASE.replace("renewed", "renowed")) >= TEXT_THRESHOLD

    def test_the_same_sentence_with_another_amount_is_another_fact(self) -> None:
        assert exposure_by_text(LEASE, LEASE.replace("1,545", "1,480")) < TEXT_THRESHOLD

    def test_its_words_scattered_over_the_output(self) -> None:
        scattered = "".join(f"{word} {FILLER[:2000]} " for word in LEASE.split())
        assert exposure_by_text(LEASE, scattered) < TEXT_THRESHOLD

    def test_its_words_in_another_order(self) -> None:
        assert exposure_by_text(LEASE, " ".join(reversed(LEASE.split()))) < TEXT_THRESHOLD

    def test_half_of_it(self) -> None:
        assert exposure_by_text(LEASE, LEASE[: len(LEASE) // 2]) < TEXT_THRESHOLD

    def test_none_of_it(self) -> None:
        assert exposure_by_text(LEASE, FILLER) < TEXT_THRESHOLD
        assert exposure_by_text(LEASE, "") == 0.0

    @pytest.mark.parametrize(
        ("output", "expected"),
        [("Room B, as ever", 1.0), ("room: b", 1.0), ("room for b", 0.0), ("rooms b", 0.0)],
    )
    def test_short_evidence_stands_unbroken_on_word_borders(
        self, output: str, expected: float
    ) -> None:
        assert exposure_by_text("Room B", output) == expected

    @given(
        st.lists(
            st.sampled_from(["red", "blue", "green", "5", "12", "x", "y"]), min_size=3, max_size=40
        ),
        st.integers(0, 200),
        st.integers(0, 200),
    )
    @settings(deadline=None)
    def test_found_wherever_it_stands(self, words: list[str], before: int, after: int) -> None:
        text = "red pad " * before + " ".join(words) + " pad blue" * after
        assert exposure_by_text(" ".join(words), text) == 1.0

    @given(st.text(max_size=60), st.text(max_size=300))
    @settings(deadline=None)
    def test_bounded(self, evidence: str, output: str) -> None:
        assert 0.0 <= exposure_by_text(evidence, output) <= 1.0


class TestInPlace:
    def test_a_cell_without_its_label(self) -> None:
        row = "A14: Sept | B14: 12400 | C14: total"
        assert exposure_in_place("Total due: 12,400.00", row) >= LOCATED_THRESHOLD

    def test_another_number(self) -> None:
        row = "A14: Sept | B14: 12500 | C14: total"
        assert exposure_in_place("Total due: 12,400.00", row) < LOCATED_THRESHOLD

    def test_an_empty_page(self) -> None:
        assert exposure_in_place(LEASE, " ") == 0.0


@pytest.mark.parametrize(
    ("path", "locator", "expected"),
    [
        ("a.pdf", "page:1-2", True),
        ("a.pdf", "file", True),
        ("a.pdf", "page:3", False),
        ("a.pdf", "lines:2", False),
        ("b.pdf", "page:2", False),
    ],
)
def test_exposure_by_locator(path: str, locator: str, expected: bool) -> None:
    assert exposure_by_locator(unit("e1"), path, parse_locator(locator)) is expected


class TestCitations:
    def test_precision_over_cites_and_recall_over_units(self) -> None:
        cites = [
            ("a.pdf", parse_locator("page:2")),
            ("a.pdf", parse_locator("page:2")),
            ("a.pdf", parse_locator("page:9")),
            ("b.pdf", parse_locator("file")),
        ]
        units = [unit("e1"), unit("e2", "page:4")]
        assert citation_scores(cites, units) == (pytest.approx(1 / 3), 0.5, pytest.approx(0.4))

    def test_one_cite_may_meet_two_units(self) -> None:
        units = [unit("e1"), unit("e2", "page:4")]
        assert citation_scores([("a.pdf", parse_locator("file"))], units) == (1.0, 1.0, 1.0)

    def test_no_cites(self) -> None:
        assert citation_scores([], [unit("e1")]) == (0.0, 0.0, 0.0)


class TestEvidenceScores:
    def test_sound_and_video_are_left_out_of_readable(self) -> None:
        units = [unit("e1"), unit("e2", "time:1-2", "audio", "m.wav"), unit("e3", "page:3")]
        assert evidence_scores({"e1"}, [], units) == EvidenceScores(
            exposed_recall=1 / 3,
            cited_precision=0,
            cited_recall=0,
            cited_f1=0,
            readable_recall=0.5,
        )

    def test_only_sound(self) -> None:
        scores = evidence_scores((), [], [unit("e2", "time:1-2", "audio", "m.wav")])
        assert scores is not None
        assert scores.readable_recall is None

    def test_nothing_to_score_against(self) -> None:
        assert evidence_scores({"e1"}, [], []) is None
