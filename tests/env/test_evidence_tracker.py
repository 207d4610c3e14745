"""What a step shows of the gold, and what becomes of citations."""

from __future__ import annotations

import pytest

from deskgym.env.actions import Answer, Cite
from deskgym.env.evidence_tracker import MAX_OBSERVED, EvidenceTracker, profile_path
from deskgym.env.trajectory import Exposure, FirstSteps
from deskgym.tasks.locators import AnyLocator, parse_locator
from deskgym.tasks.schema import Evidence, Modality, Task

LEASE = "Home/lease.pdf"
PHOTO = "Home/receipt.jpg"
MEMO = "Home/memo.wav"
FILM = "Home/tour.mp4"
SHEET = "Home/rent.xlsx"
COPY = "Home/lease_draft.pdf"
TERM = "The renewed term ends on 31 August 2025."
FILES = {LEASE, PHOTO, MEMO, FILM, SHEET, COPY}


def evidence(name: str, path: str, modality: Modality, locator: str, text: str = TERM) -> Evidence:
    return Evidence(
        evidence_id=name,
        file_path=path,
        modality=modality,
        locator=parse_locator(locator),
        text=text,
    )


def task(*units: Evidence) -> Task:
    return Task(
        id="t1",
        profile_id="demo/adam",
        question="When does the term end?",
        answer="31 August 2025",
        answerable=bool(units),
        qa_type="factual_retention",
        files=tuple(dict.fromkeys(unit.file_path for unit in units)),
        evidence=units,
    )


def tracker(*units: Evidence) -> EvidenceTracker:
    return EvidenceTracker(task(*units), FILES)


def piece(path: str, locator: str, what: str) -> tuple[str, AnyLocator, str]:
    return path, parse_locator(locator), what


DOCUMENT = evidence("e1", LEASE, "document", "page:2")
IMAGE = evidence("e2", PHOTO, "image", "region:1@0.1,0.1,0.5,0.2")
AUDIO = evidence("e3", MEMO, "audio", "time:8-10")
VIDEO = evidence("e4", FILM, "video", "time:3-4")
CELL = evidence("e5", SHEET, "document", "cells:Rent!B2", "1,545")


class TestReturnedText:
    @pytest.mark.parametrize(
        ("path", "locator", "text", "shown"),
        [
            (LEASE, "page:2", f"2. Term\n{TERM}", True),
            (f"/desk/{LEASE}", "page:2", TERM, True),
            (LEASE, "page:3", TERM, False),
            (COPY, "page:2", TERM, False),
            (LEASE, "page:2", "", False),
            (LEASE, "page:2", "2. Term, and then it was cut", False),
        ],
    )
    def test_place_and_text_must_agree(
        self, path: str, locator: str, text: str, shown: bool
    ) -> None:
        found = tracker(DOCUMENT).observe(1, segments=[piece(path, locator, text)])
        assert found == ((Exposure(evidence_id="e1", by="locator", score=1.0),) if shown else ())

    def test_a_cell(self) -> None:
        follow = tracker(CELL)
        assert not follow.observe(1, segments=[piece(SHEET, "cells:Rent!A1:B2", "2 | 15450")])
        assert follow.observe(2, segments=[piece(SHEET, "cells:Rent!A1:B2", "2 | 1545.00")])

    def test_pieces_of_one_step_are_taken_together(self) -> None:
        unit = evidence("e1", LEASE, "document", "page:2-3")
        halves = [
            piece(LEASE, "page:2", "The renewed term"),
            piece(LEASE, "page:3", "ends on 31 August 2025."),
        ]
        assert tracker(unit).observe(1, segments=halves)

    def test_a_unit_over_two_pages_read_a_page_at_a_time(self) -> None:
        unit = evidence("e1", LEASE, "document", "page:2-3")
        follow = tracker(unit)
        assert not follow.observe(1, segments=[piece(LEASE, "page:2", "The renewed term")])
        assert follow.observe(2, segments=[piece(LEASE, "page:3", "ends on 31 August 2025.")])

    def test_a_transcript_shows_sound(self) -> None:
        assert tracker(AUDIO).observe(1, segments=[piece(MEMO, "time:5-9", TERM)])

    def test_a_note_that_there_is_no_text_shows_no_picture(self) -> None:
        assert not tracker(IMAGE).observe(1, segments=[piece(PHOTO, "file", "taken 2024-03-12")])


class TestReturnedMedia:
    @pytest.mark.parametrize(
        ("unit", "locator", "mime", "shown"),
        [
            (IMAGE, "file", "image/jpeg", True),
            (IMAGE, "region:1@0,0,0.3,0.3", "image/png", True),
            (IMAGE, "region:1@0.6,0,0.9,0.3", "image/png", False),
            (DOCUMENT, "page:2", "image/png", True),
            (DOCUMENT, "page:1", "image/png", False),
            (DOCUMENT, "file", "application/pdf", False),
            (CELL, "file", "image/png", False),
            (AUDIO, "time:9-12", "audio/wav", True),
            (AUDIO, "time:20-22", "audio/wav", False),
            (AUDIO, "file", "audio/wav", False),
            (AUDIO, "time:9-12", "image/png", False),
            (VIDEO, "time:3-5", "video/mp4", True),
            (VIDEO, "time:3.5-3.5", "image/png", True),
            (VIDEO, "file", "video/mp4", False),
        ],
    )
    def test_what_can_be_perceived(
        self, unit: Evidence, locator: str, mime: str, shown: bool
    ) -> None:
        found = tracker(unit).observe(1, media=[piece(unit.file_path, locator, mime)])
        assert bool(found) is shown


class TestOutputText:
    def test_counts_in_the_step_that_opens_the_file(self) -> None:
        found = tracker(DOCUMENT).observe(1, opened=[LEASE], output=f"$ pdftotext\n{TERM}\n")
        assert found == (Exposure(evidence_id="e1", by="text", score=1.0),)

    def test_does_not_count_from_a_look_alike(self) -> None:
        assert not tracker(DOCUMENT).observe(1, opened=[COPY], output=TERM)

    def test_opening_alone_shows_nothing(self) -> None:
        assert not tracker(DOCUMENT).observe(1, opened=[LEASE], output="Pages: 3")

    def test_a_copy_in_scratch_counts_once_the_file_was_opened(self) -> None:
        follow = tracker(DOCUMENT)
        assert not follow.observe(1, output=TERM)
        assert not follow.observe(2, opened=[LEASE], output="")
        assert not follow.observe(3, opened=[COPY], output=TERM)
        assert follow.observe(4, output=TERM)

    def test_own_ocr_of_a_picture_opened_earlier_counts(self) -> None:
        follow = tracker(IMAGE)
        follow.observe(1, opened=[PHOTO])
        assert follow.observe(2, opened=[LEASE], output=TERM)

    def test_short_evidence_counts_only_where_its_file_is_opened(self) -> None:
        follow = tracker(evidence("e1", PHOTO, "image", "file", "Room B"))
        assert not follow.observe(1, output="room B")
        assert follow.observe(2, opened=[PHOTO], output="room B")
        assert not follow.observe(3, output="room B")


class TestAccount:
    def test_coverage_counts_first_times(self) -> None:
        follow = tracker(DOCUMENT, IMAGE)
        follow.observe(1, output="nothing yet")
        follow.observe(2, segments=[piece(LEASE, "page:2", TERM)])
        again = follow.observe(3, segments=[piece(LEASE, "page:2", TERM)])
        follow.observe(5, media=[piece(PHOTO, "file", "image/jpeg")])
        assert [e.evidence_id for e in again] == ["e1"]
        assert [e.evidence_id for e in follow.exposures] == ["e2"]
        assert follow.coverage == (0.0, 0.5, 0.5, 1.0)
        assert follow.exposed_ids == ("e1", "e2")

    def test_touched_files_and_first_steps(self) -> None:
        follow = tracker(DOCUMENT, IMAGE)
        follow.observe(1, opened=[COPY, PHOTO, "no/such/file"])
        follow.observe(2, segments=[piece(LEASE, "page:1", "")], opened=[PHOTO])
        follow.observe(3, segments=[piece(LEASE, "page:2", TERM)])
        assert follow.touched == (COPY, PHOTO, LEASE)
        assert follow.first_steps() == (
            FirstSteps(path=LEASE, opened=None, returned=2, exposed=3),
            FirstSteps(path=PHOTO, opened=1, returned=None, exposed=None),
        )

    def test_without_evidence(self) -> None:
        follow = tracker()
        assert follow.observe(1, opened=[LEASE], output=TERM) == ()
        assert follow.coverage == (0.0,)

    def test_steps_come_in_order(self) -> None:
        follow = tracker(DOCUMENT)
        follow.observe(1)
        with pytest.raises(ValueError, match="observe each step once"):
            follow.observe(1)


INFO: dict[str, dict[str, object]] = {
    LEASE: {"pages": 3},
    PHOTO: {"mime": "image/jpeg"},
    MEMO: {"duration": 12.0},
    SHEET: {"sheets": [{"name": "Rent", "rows": 9, "columns": 3}]},
}


class TestCitations:
    @pytest.mark.parametrize(
        ("path", "locator", "expected"),
        [
            (LEASE, "page:3", True),
            (LEASE, "page:3-4", False),
            (LEASE, "region:4@0,0,1,1", False),
            (LEASE, "lines:4", None),
            (PHOTO, "region:1@0,0,1,1", True),
            (PHOTO, "region:2@0,0,1,1", False),
            (MEMO, "time:11-12.3", True),
            (MEMO, "time:11-14", False),
            (SHEET, "cells:rent!B2", True),
            (SHEET, "cells:Rent!B10", False),
            (SHEET, "cells:Costs!B2", False),
            (FILM, "time:1-2", None),
            (FILM, "file", True),
            ("Home/none.pdf", "page:1", None),
        ],
    )
    def test_in_range(self, path: str, locator: str, expected: bool | None) -> None:
        cite = Cite(path=path, locator=parse_locator(locator))
        (check,) = tracker(DOCUMENT).check_citations([cite], INFO.get)
        assert check.in_range is expected
        assert check.exists is (path in FILES)

    def test_observed_however_the_path_is_written(self) -> None:
        follow = tracker(DOCUMENT)
        follow.observe(1, opened=[LEASE])
        cites = [Cite(path=f"/desk/{LEASE}"), Cite(path=f"./{LEASE}"), Cite(path=COPY)]
        checks = follow.check_citations(cites, INFO.get)
        assert [check.observed for check in checks] == [True, True, False]

    def test_quotes_are_held_against_what_was_seen_of_the_file(self) -> None:
        follow = tracker(DOCUMENT)
        follow.observe(1, segments=[piece(LEASE, "page:2", TERM)])
        follow.observe(2, opened=[COPY], output="The term ends on 30 June 2025.")
        follow.observe(3, media=[piece(PHOTO, "file", "image/jpeg")], output="a picture")
        cites = [
            Cite(path=LEASE, quote="renewed term ends on 31 August 2025"),
            Cite(path=LEASE, quote="the term ends on 30 June 2025"),
            Cite(path=COPY, quote="The term ends on 30 June 2025"),
            Cite(path=LEASE),
            Cite(path=MEMO, quote="never heard of it"),
            Cite(path=PHOTO, quote="what only eyes can tell"),
        ]
        checks = follow.check_citations(cites, INFO.get)
        assert [c.quote_supported for c in checks] == [True, False, True, None, None, None]

    def test_beyond_what_is_kept_a_quote_cannot_be_denied(self) -> None:
        follow = tracker(DOCUMENT)
        follow.observe(1, segments=[piece(LEASE, "page:2", TERM)])
        follow.observe(2, segments=[piece(LEASE, "page:3", "x" * MAX_OBSERVED)])
        cite = Cite(path=LEASE, quote="something else entirely here")
        (check,) = follow.check_citations([cite], INFO.get)
        assert check.quote_supported is None


class TestScores:
    def test_a_right_and_grounded_answer(self) -> None:
        follow = tracker(DOCUMENT)
        follow.observe(1, opened=[COPY], segments=[piece(LEASE, "page:2", TERM)])
        cites = (Cite(path=f"/desk/{LEASE}", locator=parse_locator("page:2")),)
        scores = follow.scores(Answer(text="31 August 2025", cites=cites))
        assert scores.answer.score == 1.0
        assert scores.files_cited is not None
        assert scores.files_cited.f1 == 1.0
        assert scores.files_touched is not None
        assert (scores.files_touched.precision, scores.files_touched.recall) == (0.5, 1.0)
        assert scores.evidence is not None
        assert (scores.evidence.exposed_recall, scores.evidence.cited_f1) == (1.0, 1.0)

    def test_no_answer(self) -> None:
        scores = tracker(DOCUMENT).scores(None)
        assert scores.answer.score == 0.0
        assert scores.files_cited is not None
        assert scores.files_cited.f1 == 0.0

    def test_unanswerable(self) -> None:
        scores = tracker().scores(Answer(text="The files do not say."))
        assert scores.answer.score == 1.0
        assert scores.files_cited is scores.files_touched is scores.evidence is None


@pytest.mark.parametrize(
    "path", ["a/b.pdf", "./a/b.pdf", "/desk/a/b.pdf", "/hippocamp/data/a/b.pdf", "a//b.pdf"]
)
def test_profile_path(path: str) -> None:
    assert profile_path(path) == "a/b.pdf"
