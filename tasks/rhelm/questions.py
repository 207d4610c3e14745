"""The published questions as tasks, with their evidence resolved."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from deskgym.tasks.findings import Finding
from deskgym.tasks.modalities import modality_of
from deskgym.tasks.registry import BadDataset
from deskgym.tasks.rhelm.layout import Desk
from deskgym.tasks.rhelm.references import Place, References
from deskgym.tasks.schema import Evidence, Task


class Question(BaseModel):
    """A published record, as far as tasks are made of it."""

    model_config = ConfigDict(frozen=True)

    id: str = Field(min_length=1)
    question: str = Field(min_length=1)
    answer: str = Field(min_length=1)
    question_date: date
    question_type: str = Field(min_length=1)
    supporting_evidence: tuple[str, ...]
    characteristics: tuple[str, ...] = ()


def read_records(file: Path) -> tuple[dict[str, Any], ...]:
    """The records of a published file of questions, a line each.

    Raises:
        BadDataset: a line is not JSON, or not a question; names file, line and field.
    """
    records = []
    for number, line in enumerate(file.read_bytes().split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
            Question.model_validate(record)
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(map(str, first["loc"])) or "the record"
            raise BadDataset(f"{file}, line {number}: {place}: {first['msg']}; mend it") from error
        except ValueError as error:
            raise BadDataset(f"{file}, line {number} is not JSON ({error}); mend it") from error
        records.append(record)
    return tuple(records)


def tasks_of(
    records: tuple[dict[str, Any], ...], profile_id: str, desk: Desk
) -> tuple[tuple[Task, ...], tuple[Finding, ...]]:
    """The tasks of one person, and what was found wrong with them.

    ``extra`` keeps the record as ``published``, and as ``references`` each reference with the ids
    of its evidence.

    Raises:
        BadDataset: an attachment that is evidence is not UTF-8.
    """
    references = References(desk)
    tasks: list[Task] = []
    findings: list[Finding] = []
    taken: set[str] = set()
    for record in records:
        task_id = record["id"]
        if task_id in taken:
            task_id = _free(task_id, taken)
            findings.append(
                Finding(
                    rule="duplicate-id",
                    severity="repaired",
                    profile_id=profile_id,
                    task_id=task_id,
                    field="id",
                    value=record["id"],
                    message=f"another question has this id; called {task_id}",
                )
            )
        taken.add(task_id)
        task, found = _task(record, task_id, profile_id, references, desk)
        tasks.append(task)
        findings += found
    return tuple(tasks), tuple(findings)


def _free(task_id: str, taken: set[str]) -> str:
    number = 2
    while f"{task_id}-{number}" in taken:
        number += 1
    return f"{task_id}-{number}"


def _task(
    record: Mapping[str, Any], task_id: str, profile_id: str, references: References, desk: Desk
) -> tuple[Task, list[Finding]]:
    question = Question.model_validate(record)
    ids: dict[Place, str] = {}
    kept: list[dict[str, Any]] = []
    findings: list[Finding] = []
    for reference in question.supporting_evidence:
        places, faults = references.resolve(reference)
        findings += [fault.finding(profile_id, task_id, reference) for fault in faults]
        cited = [ids.setdefault(place, f"e{len(ids) + 1}") for place in places]
        kept.append({"reference": reference, "evidence": list(dict.fromkeys(cited))})
        days = {desk.files[place.path].day for place in places}
        if late := sorted(day for day in days if day > question.question_date):
            findings.append(_late(profile_id, task_id, reference, late[0], question.question_date))
    if not question.supporting_evidence:
        findings.append(
            Finding(
                rule="no-evidence",
                severity="warning",
                profile_id=profile_id,
                task_id=task_id,
                field="supporting_evidence",
                message="the question has no evidence, so evidence and files are not scored",
            )
        )
    task = Task(
        id=task_id,
        profile_id=profile_id,
        question=question.question,
        answer=question.answer,
        qa_type="factual_retention",
        question_type=question.question_type,
        labels=question.characteristics,
        asked=question.question_date,
        files=tuple(dict.fromkeys(place.path for place in ids)),
        evidence=tuple(
            Evidence(
                evidence_id=name,
                file_path=place.path,
                modality=modality_of(place.path),
                locator=place.locator,
                text=place.text,
            )
            for place, name in ids.items()
        ),
        extra={"published": dict(record), "references": kept},
    )
    return task, findings


def _late(profile_id: str, task_id: str, reference: str, day: date, asked: date) -> Finding:
    return Finding(
        rule="evidence-after-question",
        severity="warning",
        profile_id=profile_id,
        task_id=task_id,
        field="supporting_evidence",
        value=reference,
        message=f"it is of {day}, and the question is asked on {asked}: with as_of='question' "
        "the desk does not show it",
    )
