"""`verified` at a real desk: unsupported claims are planted in drafts about a demo person, by a
model that is otherwise without fault, and the gold says whether what comes out is right and no
more than is needed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from endpoint import INVENTED_PATH, Brain, Endpoint, hostile
from oracle_model import NOT_SAID, Draft, Judge, Place, Said, Scenario, oracle_model

from deskgym.agents.claims import is_covered
from deskgym.agents.null import ABSTENTION
from deskgym.agents.rollout import RunOutcome, RunSpec, run
from deskgym.env.run_reader import read_episode
from deskgym.env.trajectory import EpisodeEnd, EpisodeResult
from deskgym.tasks.registry import load_dataset
from deskgym.tasks.schema import Evidence, Task
from deskgym.tasks.scoring import citation_scores, exposure_by_locator

pytestmark = [pytest.mark.docker, pytest.mark.usefixtures("desk_image")]

PERSON = "demo/adam"
TASKS = {task.id: task for task in load_dataset("demo").tasks(PERSON)}
LEASE = "02_Home/01_Lease/Lease_17_Kestrel_Road_FINAL-signed.pdf"
BUDGET = "04_Money/Budget_2024-25.xlsx"
README = "00_Inbox/README_How_I_file.md"


@dataclass(frozen=True)
class Known:
    """What there is to say to a question: the true claims with the units of gold evidence (from 0)
    that each needs, their workings, and the answer that they make."""

    claims: tuple[tuple[str, tuple[int, ...]], ...]
    workings: tuple[str, ...] = ()

    def of(self, task: Task, extra: Sequence[tuple[str, str, str | None]] = ()) -> Draft:
        """A draft that says all of it; each claim also rests on the citations in ``extra``."""
        cites = tuple((e.file_path, str(e.locator), None) for e in task.evidence)
        more = tuple(range(len(cites) + 1, len(cites) + len(extra) + 1))
        return Draft(
            task.answer,
            (*cites, *extra),
            tuple(
                Said(text, (*(n + 1 for n in units), *more), "; ".join(self.workings))
                for text, units in self.claims
            ),
        )


KNOWN = {
    "adam-001": Known((("Tom and I have to give six weeks' notice.", (0,)),)),
    "adam-002": Known((("Helen Brockwell was to supervise it, in Employment.", (0,)),)),
    "adam-003": Known((("Beth's wedding is on 17 May 2025.", (0,)),)),
    "adam-005": Known(
        (("I was paid £1,750 a year more than promised.", (0, 1)),), ("52750 - 51000",)
    ),
    "adam-009": Known((("The Brackwater hearing was in Court 37.", (0, 1)),)),
    "adam-011": Known((("The boiler's serial number is TL24-90317-K.", (0,)),)),
    "adam-013": Known((("Disclosure was ordered by 22 March 2024.", (0,)),)),
    "adam-016": Known((("The music has to stop at 23:45.", (0,)),)),
    "adam-017": Known((("My part of the monthly rent is £815.", (0,)),)),
    "adam-018": Known((("I sit at Table 4.", (0,)),)),
    "adam-024": Known((("The flat used 5,885 kWh.", (0, 1)),), ("54102 - 48217",)),
    "adam-026": Known(
        (("The last day for our notice is 20 July 2025.", (0, 1, 2)),), ("2025-08-31 - 6 weeks",)
    ),
    "adam-027": Known(
        (
            ("The first instalment fell due on 28 October 2024.", (0, 1)),
            ("The first instalment was £2,375.", (2,)),
        ),
        ("2024-06-28 + 4 months", "28500 / 12"),
    ),
}


def by_gold(task: Task, known: Known) -> Judge:
    """Supports what is true and only where all of the gold that it needs is among the places."""
    needs = dict(known.claims)

    def judge(claim: str, places: Sequence[Place]) -> bool:
        return claim in needs and all(_met(task.evidence[n], places) for n in needs[claim])

    return judge


def _met(unit: Evidence, places: Sequence[Place]) -> bool:
    return any(exposure_by_locator(unit, place.path, place.locator) for place in places)


def scenario(name: str, *planted: Draft, again: bool = True) -> Scenario:
    """Drafts with what is planted in them, then (or never) the good one."""
    task, known = TASKS[name], KNOWN.get(name, Known(()))
    good = (known.of(task),) if again and known.claims else ()
    answers = {tuple(text for text, _ in known.claims): task.answer} if known.claims else {}
    return Scenario((*planted, *good) or (Draft(NOT_SAID),), by_gold(task, known), answers)


def draft(
    text: str, *cites: tuple[str, str, str | None], claim: str = "", working: str = ""
) -> Draft:
    """A draft of one claim that rests on all of its citations."""
    return Draft(text, cites, (Said(claim or text, tuple(range(1, len(cites) + 1)), working),))


def beside(name: str, *false: str) -> Draft:
    """The good draft with false claims beside it that rest on its own citations."""
    good = KNOWN[name].of(TASKS[name])
    every = tuple(range(1, len(good.cites) + 1))
    claims = (*good.claims, *(Said(text, every) for text in false))
    return Draft(" ".join((good.text, *false)), good.cites, claims)


# Drafts with a claim that nothing supports, in front of a good one: each has to be found out.
CORRECTED = {
    # The lease itself says two months; what counts is in the amendment.
    "adam-001": draft("Two months", (LEASE, "page:2", None)),
    "adam-002": draft("Ruth Adeyemi, in Real Estate", (README, "lines:1", None)),
    # A date that stands nowhere at the place cited.
    "adam-003": draft(
        "24 May 2025",
        ("06_Family/01_Beths_Wedding/2024-09-02_Change_of_plan.eml", "lines:12", None),
    ),
    # A sum from numbers of which one is not there.
    "adam-005": draft(
        "£2,750 a year",
        ("01_Work/01_Contract/2024-08-05_Salary_Letter.pdf", "page:1", None),
        working="52750 - 50000",
    ),
    # A picture, where only the judge can tell.
    "adam-009": draft(
        "Court 12",
        ("01_Work/03_Litigation_Brackwater/IMG_0131_list.jpg", "region:1@0,0,1,0.5", None),
    ),
    # A file that nobody ever wrote, and a place beyond the end of one that there is.
    "adam-013": draft("29 March 2024", ("07_Voice/court_memo.wav", "time:1-2", "by the 29th")),
    "adam-017": draft("£830", (BUDGET, "cells:Rent split!A90:D90", None)),
    # A quote that is made up, and no citation at all.
    "adam-018": draft(
        "Table 6", ("06_Family/01_Beths_Wedding/Seating_plan.xlsx", "cells:Guests!A7:B7",
                    "Adam Whitlock | 6"),
    ),
    "adam-026": draft("31 July 2025"),
}  # fmt: skip
# Good drafts with a false claim beside the true ones: only that one may go.
DROPPED = {
    "adam-011": beside("adam-011", "The boiler was made in Sheffield."),
    "adam-016": beside("adam-016", "The barn has room for 240 people."),
    "adam-027": beside("adam-027", "The bakery has three ovens.", "It opened in 1999."),
}
# More citations than are needed: other versions, whole files, neighbours.
THINNED = {
    "adam-024": KNOWN["adam-024"].of(
        TASKS["adam-024"],
        [
            ("02_Home/02_Flat/Meter_readings.csv", "lines:2-8", None),
            ("02_Home/02_Flat/Inventory_2023-09-01.xlsx", "file", None),
            (README, "file", None),
        ],
    ),
}
# Questions that the files do not answer, answered all the same.
MADE_UP = {
    "adam-020": draft("A pass", ("01_Work/02_Seats/Seat_Review_1_Litigation.docx", "file", None)),
    "adam-021": draft("8 per cent", ("04_Money/Payslip_2024-09.pdf", "page:1", None)),
    "adam-022": draft("£6,200", ("06_Family/01_Beths_Wedding/Seating_plan.xlsx", "file", None)),
}  # fmt: skip


def scenarios() -> dict[str, Scenario]:
    """By question: drafts with unsupported claims, and what is true."""
    planted = {
        **{name: scenario(name, bad) for name, bad in CORRECTED.items()},
        **{name: scenario(name, bad, again=False) for name, bad in DROPPED.items()},
        **{name: scenario(name, bad, again=False) for name, bad in THINNED.items()},
        **{name: scenario(name, bad) for name, bad in MADE_UP.items()},
    }
    return {TASKS[name].question: made for name, made in planted.items()}


def run_person(brain: Brain, out: Path, max_steps: int = 16) -> tuple[RunOutcome, Endpoint]:
    with Endpoint(brain) as endpoint:
        llm = {"model": "scripted", "base_url": endpoint.base_url, "backoff_s": 0}
        spec = RunSpec(
            profiles=(PERSON,),
            agents=("verified",),
            agent_config={"verified": {"llm": llm, "rounds": 1, "reserve": 6}},
            max_steps=max_steps,
            jobs=2,
        )
        return run(spec, out), endpoint


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[RunOutcome, Endpoint]:
    """All tasks of the person, once."""
    return run_person(oracle_model(scenarios()), tmp_path_factory.mktemp("verified") / "run")


def cited(outcome: RunOutcome, result: EpisodeResult) -> list[tuple[str, object]]:
    """The citations of an episode's answer."""
    file = next((outcome.folder / "episodes").rglob(f"{result.task_id}.jsonl"))
    end = read_episode(file)[-1]
    assert isinstance(end, EpisodeEnd)
    return [(check.cite.path, check.cite.locator) for check in end.citations]


def test_every_planted_claim_becomes_a_supported_answer_or_an_abstention(
    played: tuple[RunOutcome, Endpoint],
) -> None:
    outcome, endpoint = played
    assert endpoint.faults == []
    assert len(outcome.results) == 41
    assert {result.ended for result in outcome.results} == {"answered"}
    by_id = {result.task_id: result for result in outcome.results}
    for name in (*CORRECTED, *DROPPED, *THINNED):
        result = by_id[name]
        assert result.scores.answer.score >= 0.9, (name, result.answer)
    for name in (*CORRECTED, *DROPPED, *MADE_UP):
        use = by_id[name].use
        assert use is not None
        assert any(fault.startswith("unsupported_claim") for fault in use.faults), name
    for name in MADE_UP:
        assert (by_id[name].answer, by_id[name].cited_files) == (ABSTENTION, ())
        assert by_id[name].scores.answer.score == 1.0


@pytest.mark.parametrize("name", [*CORRECTED, *DROPPED, *THINNED])
def test_its_citations_are_the_gold_and_none_of_them_can_go(
    name: str, played: tuple[RunOutcome, Endpoint]
) -> None:
    outcome, _ = played
    result = next(result for result in outcome.results if result.task_id == name)
    task, judge = TASKS[name], by_gold(TASKS[name], KNOWN[name])
    cites = cited(outcome, result)
    assert citation_scores(cites, task.evidence) == (1.0, 1.0, 1.0)

    def holds(kept: Sequence[tuple[str, object]]) -> bool:
        places = [Place(path, locator, "") for path, locator in kept]
        return all(judge(claim, places) for claim, _ in KNOWN[name].claims)

    assert holds(cites)
    for cite in cites:
        assert not holds([other for other in cites if other != cite]), cite


def test_every_citation_was_opened_again(played: tuple[RunOutcome, Endpoint]) -> None:
    outcome, _ = played
    for result in outcome.results:
        if result.task_id in (*CORRECTED, *DROPPED, *THINNED):
            assert result.scores.evidence is not None
            assert result.scores.evidence.exposed_recall == 1.0, result.task_id


def test_whatever_the_model_says_a_run_goes_on_and_every_fault_is_logged(tmp_path: Path) -> None:
    brain = hostile(oracle_model(scenarios()), every=3)
    outcome, endpoint = run_person(brain, tmp_path / "run")
    assert len(outcome.results) == 41
    assert {result.ended for result in outcome.results} == {"answered"}
    noted = [fault for r in outcome.results if r.use is not None for fault in r.use.faults]
    assert len(endpoint.faults) >= 30
    assert len(noted) >= len(endpoint.faults)
    for result in outcome.results:
        if not result.scores.answer.abstained:  # what is answered has been found true
            task = TASKS[result.task_id]
            true = (task.question, task.answer, *(text for text, _ in KNOWN[task.id].claims))
            assert is_covered(result.answer, true), result.answer
            # What the judge was kept from saying of a citation leaves it in; it is none invented.
            precision, _, _ = citation_scores(cited(outcome, result), task.evidence)
            assert precision > 0
            assert INVENTED_PATH not in result.cited_files
