"""Diagnoses of episodes that were lived: what the log of each says of why its answer is wrong."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from deskgym.env.actions import Answer, Cite, ListFiles, ReadText, Search, Terminal, parse_action
from deskgym.env.diagnose import diagnose
from deskgym.env.episode import Episode
from deskgym.env.render import observation_text
from deskgym.env.sandbox.base import DeskError, Response, WireSegment
from deskgym.env.trajectory import EpisodeEnd, Event
from deskgym.tasks.schema import Evidence, FileRecord, Profile, Task
from deskgym.tasks.scoring.models import Diagnosis

LEASE, DRAFT, MAIL = "Home/lease.txt", "Home/lease_draft.txt", "Mail/offer.eml"
TERM = "The renewed term ends on 31 August 2025 and the rent is 1,545 euros."
OLD_TERM = "The renewed term ends on 30 June 2025 and the rent is 1,400 euros."
TASK = Task(
    id="t1",
    profile_id="demo/adam",
    question="When does the term of Ines Vogt's lease end?",
    answer="31 August 2025",
    qa_type="factual_retention",
    files=(LEASE,),
    evidence=(
        Evidence(evidence_id="e1", file_path=LEASE, modality="text", locator="lines:2", text=TERM),
    ),
)
UNANSWERABLE = Task(
    id="t2",
    profile_id="demo/adam",
    question="What does the garage cost?",
    answer="The files do not say.",
    answerable=False,
    qa_type="factual_retention",
)
PROFILE = Profile(
    id="demo/adam",
    user="Adam",
    root=Path("/nowhere"),
    files=tuple(
        FileRecord(
            id=number,
            path=path,
            type="txt",
            modality="text",
            size=9,
            sha256="0" * 64,
            created=datetime(2024, 1, 1),
            modified=datetime(2024, 1, 1),
        )
        for number, path in enumerate((LEASE, DRAFT, MAIL))
    ),
    digest="e" * 64,
)
CITED = (Cite(path=LEASE, locator="lines:2", quote=TERM),)


class Life:
    """An episode with the answers of a desk written by hand."""

    def __init__(self, task: Task = TASK) -> None:
        self.events: list[Event] = []
        self.episode = Episode(
            task,
            PROFILE,
            tools=frozenset({"terminal", "read_text", "search", "list_files", "answer"}),
            max_steps=9,
            reward="sparse",
            seed=0,
            agent="a",
            write=self.events.append,
        )

    def does(self, action: Any, response: Response) -> Life:
        parsed = parse_action(action)
        text = observation_text(parsed, response)
        self.episode.step(parsed, None, response, text, flags=(), duration_s=0.1)
        return self

    def lists(self) -> Life:
        listed = [record.model_dump(mode="json") for record in PROFILE.files]
        return self.does(ListFiles(), Response(ok=True, info={"files": listed}))

    def reads(self, path: str, text: str, *, lines: str = "lines:1-3") -> Life:
        return self.does(
            ReadText(path=path),
            Response(
                ok=True,
                opened=(path,),
                segments=(WireSegment(locator=lines, text=text),),
                info={"path": path, "lines": 3},
            ),
        )

    def finds(self, *hits: tuple[str, str]) -> Life:
        found = [{"path": p, "locator": "lines:2", "snippet": s, "score": 1.0} for p, s in hits]
        return self.does(Search(query="term"), Response(ok=True, info={"hits": found}))

    def runs(self, output: str, *opened: str) -> Life:
        response = Response(ok=True, exit_status=0, opened=opened, payload=output.encode())
        return self.does(Terminal(command="cat"), response)

    def answers(
        self, text: str, cites: tuple[Cite, ...] = CITED, *, correct: bool | None = False
    ) -> Diagnosis | None:
        answer = Answer(text=text, cites=cites)
        self.episode.step(answer, None, Response(ok=True), "", flags=(), duration_s=0.1)
        self.episode.end("answered", answer)
        assert self.episode.result is not None
        return diagnose(self.events, self.episode.result, correct=correct)

    def runs_out(self) -> Diagnosis | None:
        self.episode.end("truncated", None)
        assert self.episode.result is not None
        return diagnose(self.events, self.episode.result, correct=False)


def told(found: Diagnosis | None) -> tuple[str | None, int | None, tuple[str, ...]]:
    assert found is not None
    return found.failure, found.step, found.evidence


def test_a_right_answer_has_no_failure() -> None:
    found = Life().reads(LEASE, TERM).answers("31 August 2025", correct=True)
    assert found == Diagnosis(failure=None)


def test_an_unscored_answer_is_not_diagnosed() -> None:
    assert Life().reads(LEASE, TERM).answers("30 June 2025", correct=None) is None


@pytest.mark.parametrize("kept", ["nothing", "all but the end"])
def test_nothing_is_told_from_no_log_or_half_of_one(kept: str) -> None:
    life = Life()
    life.reads(LEASE, TERM).answers("30 June 2025")
    assert life.episode.result is not None
    events = [] if kept == "nothing" else [e for e in life.events if not isinstance(e, EpisodeEnd)]
    assert diagnose(events, life.episode.result, correct=False) is None


@pytest.mark.parametrize(
    "cite",
    [
        Cite(path="Home/tenancy.txt"),
        Cite(path=LEASE, locator="lines:40"),
        Cite(path=LEASE, quote="The term may be ended by either side at any time."),
    ],
)
def test_fabricated_evidence(cite: Cite) -> None:
    found = Life().reads(LEASE, TERM).answers("30 June 2025", (cite,))
    assert told(found) == ("fabricated_evidence", 2, ("e1",))


def test_a_page_of_a_file_whose_pages_are_not_known_is_not_fabricated() -> None:
    found = Life().reads(LEASE, TERM).answers("30 May 2025", (Cite(path=LEASE, locator="page:9"),))
    assert told(found)[0] == "verification_deficit"


def test_a_listed_file_was_not_retrieved() -> None:
    found = Life().lists().reads(DRAFT, OLD_TERM).answers("30 June 2025", ())
    assert told(found) == ("retrieval_mismatch", None, ())


def test_the_wrong_lines_of_the_right_file() -> None:
    found = Life().reads(LEASE, "1. Parties", lines="lines:1").answers("30 June 2025", ())
    assert told(found) == ("perception_failure", 1, ())


def test_shown_but_never_answered() -> None:
    assert told(Life().reads(LEASE, TERM).lists().runs_out()) == ("grounding_avoidance", 2, ("e1",))


def test_never_answered_and_nothing_found() -> None:
    assert told(Life().lists().runs_out())[0] == "retrieval_mismatch"


@pytest.mark.parametrize(
    ("text", "cites"), [("The files do not say.", CITED), ("30 June 2025", ())]
)
def test_shown_but_not_used(text: str, cites: tuple[Cite, ...]) -> None:
    found = Life().reads(LEASE, TERM).answers(text, cites)
    assert told(found) == ("grounding_avoidance", 2, ("e1",))


def test_the_draft_s_date() -> None:
    found = Life().reads(DRAFT, OLD_TERM).reads(LEASE, TERM).answers("It ends on 2025-06-30.")
    assert told(found) == ("entity_misattribution", 1, ("e1",))
    assert found is not None
    assert DRAFT in found.detail


def test_the_draft_s_date_among_the_hits_that_showed_the_evidence() -> None:
    found = Life().finds((LEASE, TERM), (DRAFT, OLD_TERM)).answers("30 June 2025")
    assert told(found) == ("entity_misattribution", 1, ("e1",))


def test_the_draft_s_date_in_a_command_s_output() -> None:
    found = Life().runs(OLD_TERM, DRAFT).runs(TERM, LEASE).answers("30 June 2025")
    assert told(found) == ("entity_misattribution", 1, ("e1",))


def test_another_date_of_the_evidence_s_own_step_is_no_misattribution() -> None:
    both = f"{TERM}\nThe first term ended on 30 June 2023."
    found = Life().reads(LEASE, both).answers("30 June 2023")
    assert told(found) == ("verification_deficit", 2, ("e1",))


def test_the_agent_s_own_words_in_a_refusal_are_not_observed() -> None:
    refused = Response(
        ok=False, error=DeskError(kind="not_found", message="no file '30 June 2025.txt'")
    )
    life = Life().does(ReadText(path="30 June 2025.txt"), refused)
    assert told(life.reads(LEASE, TERM).answers("30 June 2025"))[0] == "verification_deficit"


def test_a_name_of_the_question_s_is_no_misattribution() -> None:
    mail = "Ines Vogt asks about Home."
    found = Life().reads(MAIL, mail).reads(LEASE, TERM).answers("Ines Vogt ends it in 2031")
    assert told(found)[0] == "verification_deficit"


def test_part_of_the_evidence_is_told() -> None:
    second = Evidence(evidence_id="e2", file_path=MAIL, modality="text", text="We prolong it.")
    task = TASK.model_copy(update={"files": (LEASE, MAIL), "evidence": (*TASK.evidence, second)})
    found = Life(task).reads(LEASE, TERM).answers("30 September 2025")
    assert told(found) == ("verification_deficit", 2, ("e1",))
    assert found is not None
    assert "1 of 2 units" in found.detail
    assert MAIL in found.detail


@pytest.mark.parametrize(
    ("text", "cites", "failure"),
    [
        ("1,400 euros", (Cite(path=DRAFT),), "entity_misattribution"),
        ("1,999 euros", (Cite(path=DRAFT),), "verification_deficit"),
        ("1,400 euros", (Cite(path="no.txt"),), "fabricated_evidence"),
    ],
)
def test_answered_although_the_files_do_not_say(
    text: str, cites: tuple[Cite, ...], failure: str
) -> None:
    assert told(Life(UNANSWERABLE).reads(DRAFT, OLD_TERM).answers(text, cites))[0] == failure
