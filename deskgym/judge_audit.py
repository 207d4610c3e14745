"""Checking a judge: a person looks at a sample of its verdicts, and the two are compared."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from deskgym.env.run_reader import read_config, read_results, read_scores
from deskgym.env.trajectory import EpisodeResult
from deskgym.judge_sheet import CHECK, HUMAN, HUMAN_GRADE, filled_rows, write_sheet
from deskgym.tasks.scoring.agreement import (
    Agreement,
    GradeAgreement,
    agreement,
    grade_agreement,
)
from deskgym.tasks.scoring.models import JudgeVerdict

KEYS = ("agent", "profile_id", "task_id")
TEXTS = ("family", "question", "gold", "answer")
VERDICT = ("judge", "judge_grade", "judge_reason")


class AuditError(RuntimeError):
    """An audit that cannot be made. The message says what is missing, and how to get it."""


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


@dataclass(frozen=True)
class Judged:
    """An answer and the judge's verdict on it."""

    result: EpisodeResult
    verdict: JudgeVerdict

    @property
    def correct(self) -> bool:
        return self.verdict.correct is True

    @property
    def check(self) -> str:
        """The row's key: a digest of who answered what. A spreadsheet leaves it as it is."""
        one = self.result
        said = [one.agent, one.profile_id, one.task_id, one.question, one.gold_answer, one.answer]
        return "a-" + hashlib.sha256(json.dumps(said).encode("ascii")).hexdigest()[:16]


class Stratum(_Model):
    """Answers of one task family with one verdict: how many there are, and were drawn."""

    family: str
    correct: bool
    answers: int = Field(ge=1)
    drawn: int = Field(ge=0)


class Disagreement(_Model):
    """An answer on which the judge and the person differ, on yes or no."""

    agent: str
    profile_id: str
    task_id: str
    question: str
    gold: str
    answer: str
    judge: bool
    judge_grade: int | None
    judge_reason: str
    human: bool
    human_grade: int | None


class AuditReport(_Model):
    """How far a person agrees with a run's judge. ``empty``: rows that nobody has filled."""

    judges: tuple[str, ...] = Field(description="model and rubric")
    empty: int = Field(ge=0)
    verdicts: Agreement
    grades: GradeAgreement | None = Field(description="None: nobody has given grades")
    disagreements: tuple[Disagreement, ...]


def judged_answers(run: Path) -> list[Judged]:
    """The answers of a run that a judge has scored. Blank ones, which no judge saw, are left out.

    Raises:
        TrajectoryError: there is no run, or its files are damaged.
        AuditError: no answer has a verdict.
    """
    read_config(run)
    verdicts = {(s.agent, s.profile_id, s.task_id): s.judge for s in read_scores(run)}
    found = []
    for result in read_results(run):
        verdict = verdicts.get((result.agent, result.profile_id, result.task_id))
        said = result.answer is not None and bool(result.answer.strip())
        if said and verdict is not None and verdict.status == "scored":
            found.append(Judged(result, verdict))
    if not found:
        unscored = sum(v is not None and v.status == "unscored" for v in verdicts.values())
        why = f" ({unscored} are unscored)" if unscored else ""
        raise AuditError(
            f"no answer of {run} has a judge's verdict{why}; get them: "
            f"deskgym score {run} --judge-model MODEL"
        )
    return found


def draw(answers: Sequence[Judged], n: int, seed: int) -> tuple[list[Judged], list[Stratum]]:
    """A sample of ``n`` answers (all, if there are no more), and what it was drawn from.

    Strata are the task families by verdict. Each gives as many as its share, and one at least, so
    that rare cases are seen; agreement is therefore that of the sample, and small strata weigh
    a little more in it. The order is random: it tells nothing of the verdict. Equal answers, ``n``
    and ``seed`` give equal samples.

    Raises:
        AuditError: ``n`` is less than the number of strata.
    """
    strata: dict[tuple[str, bool], list[Judged]] = {}
    for one in sorted(answers, key=lambda one: one.check):
        strata.setdefault((one.result.family, one.correct), []).append(one)
    names = sorted(strata)
    if n < min(len(names), len(answers)):
        raise AuditError(
            f"{n} answers are too few for {len(names)} strata (task families by verdict); "
            f"ask for --n {len(names)} or more"
        )
    shares = allocate([len(strata[name]) for name in names], n)
    chance = random.Random(seed)
    drawn = [
        one
        for name, share in zip(names, shares, strict=True)
        for one in chance.sample(strata[name], share)
    ]
    chance.shuffle(drawn)
    return drawn, [
        Stratum(family=family, correct=correct, answers=len(strata[family, correct]), drawn=share)
        for (family, correct), share in zip(names, shares, strict=True)
    ]


def allocate(sizes: Sequence[int], n: int) -> list[int]:
    """How many of ``n`` each stratum gives: its proportional share, one at least, all at most.

    ``sizes`` are above 0. What rounding leaves goes to, or comes from, where the share is
    furthest from its due. The sum is ``n``, or that of ``sizes`` if it is less, but never less
    than one each.
    """
    total = sum(sizes)
    n = min(max(n, len(sizes)), total)
    due = [n * size / total for size in sizes]
    given = [max(1, int(share)) for share in due]
    places = range(len(sizes))
    while sum(given) < n:
        given[max((i for i in places if given[i] < sizes[i]), key=lambda i: due[i] - given[i])] += 1
    while sum(given) > n:
        given[min((i for i in places if given[i] > 1), key=lambda i: due[i] - given[i])] -= 1
    return given


def write_audit(file: Path, drawn: Sequence[Judged], *, show: bool = False) -> None:
    """Write the sheet for a person to fill; with ``show`` it tells the judge's verdicts.

    Raises:
        SheetError: the file is there already, or cannot be written.
    """
    columns = (CHECK, *KEYS, *TEXTS, *(VERDICT if show else ()), HUMAN, HUMAN_GRADE)
    write_sheet(file, columns, [_row(one) for one in drawn])


def audit(run: Path, sheet: Path) -> AuditReport:
    """How far the person who filled ``sheet`` agrees with the judge of the run in ``run``.

    Raises:
        TrajectoryError, SheetError: a file cannot be read.
        AuditError: the run has no verdicts, the sheet is of other answers, or nobody filled it.
    """
    known = {one.check: one for one in judged_answers(run)}
    filled, empty = filled_rows(sheet)
    if not filled:
        raise AuditError(f"no row of {sheet} is filled; write yes or no into the column {HUMAN!r}")
    pairs = []
    for row in filled:
        if row.check not in known:
            raise AuditError(
                f"{sheet}, row {row.line}: {run} has no judged answer {row.check!r}; the sheet is "
                "of another run, or the answer has changed since: draw a new sample"
            )
        pairs.append((known[row.check], row))
    grades = [
        (one.verdict.grade, row.grade)
        for one, row in pairs
        if one.verdict.grade is not None and row.grade is not None
    ]
    return AuditReport(
        judges=tuple(sorted({f"{o.verdict.model} ({o.verdict.rubric})" for o, _ in pairs})),
        empty=empty,
        verdicts=agreement([(one.correct, row.correct) for one, row in pairs]),
        grades=grade_agreement(grades) if grades else None,
        disagreements=tuple(
            _disagreement(one, row.correct, row.grade)
            for one, row in pairs
            if one.correct != row.correct
        ),
    )


def _row(one: Judged) -> dict[str, str]:
    result, verdict = one.result, one.verdict
    return {
        CHECK: one.check,
        "agent": result.agent,
        "profile_id": result.profile_id,
        "task_id": result.task_id,
        "family": result.family,
        "question": result.question,
        "gold": result.gold_answer,
        "answer": result.answer or "",
        "judge": "yes" if one.correct else "no",
        "judge_grade": "" if verdict.grade is None else str(verdict.grade),
        "judge_reason": verdict.reason,
    }


def _disagreement(one: Judged, human: bool, grade: int | None) -> Disagreement:
    result = one.result
    return Disagreement(
        agent=result.agent,
        profile_id=result.profile_id,
        task_id=result.task_id,
        question=result.question,
        gold=result.gold_answer,
        answer=result.answer or "",
        judge=one.correct,
        judge_grade=one.verdict.grade,
        judge_reason=one.verdict.reason,
        human=human,
        human_grade=grade,
    )
