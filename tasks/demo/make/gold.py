"""From a script's task and quotes to the gold that is written: records, checked both ways."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast, get_args

from deskgym.tasks import laid_out
from deskgym.tasks.demo.make.things import DeskError, Place, Quote
from deskgym.tasks.locators import AnyLocator, parse_locator
from deskgym.tasks.records import task_from_record
from deskgym.tasks.schema import (
    Capabilities,
    Evidence,
    FileRecord,
    Injection,
    ProfilingType,
    RationaleStep,
    Task,
)

KINDS = ("fact", *get_args(ProfilingType))
SEARCH = frozenset({"filename", "content", "metadata", "cross_file"})
PERCEPTION = frozenset({"text", "table", "ocr", "visual", "speech", "video"})
REASONING = frozenset(
    {
        *("lookup", "comparison", "arithmetic", "temporal", "aggregation"),
        *("entity_resolution", "inference", "verification"),
    }
)


@dataclass(frozen=True)
class Draft:
    """A task as a script gives it, its quotes not yet looked up."""

    id: str
    question: str
    answer: str
    kind: str
    evidence: tuple[Quote, ...]
    steps: tuple[tuple[str, tuple[int, ...]], ...]
    search: tuple[str, ...]
    perception: tuple[str, ...]
    reasoning: tuple[str, ...]
    answerable: bool
    injection: Injection | None = None

    @property
    def quotes(self) -> tuple[Quote, ...]:
        """What must stand in the files: the evidence and, last, what is planted."""
        if self.injection is None:
            return self.evidence
        return (*self.evidence, Quote(self.injection.file_path, self.injection.text))

    def check(self) -> None:
        """Raises DeskError if a label, a step or the evidence cannot be."""
        where = f"{self.id} ({self.question[:60]!r})"
        if not self.question or not self.answer or not self.steps:
            raise DeskError(f"{where}: a task has a question, an answer and steps")
        if self.kind not in KINDS:
            raise DeskError(f"{where}: no kind {self.kind!r}; there are {', '.join(KINDS)}")
        for name, given, known in (
            ("search", self.search, SEARCH),
            ("perception", self.perception, PERCEPTION),
            ("reasoning", self.reasoning, REASONING),
        ):
            if unknown := sorted(set(given) - known):
                raise DeskError(f"{where}: no {name} label {unknown}; there are {sorted(known)}")
        if self.answerable != bool(self.evidence):
            raise DeskError(f"{where}: an answerable task has evidence, any other has none")
        if bad := [i for _, used in self.steps for i in used if not 0 <= i < len(self.evidence)]:
            raise DeskError(f"{where}: steps cite evidence {bad} of {len(self.evidence)} (from 0)")
        if self.injection is not None:
            self._check_injection(self.injection, where)

    def _check_injection(self, planted: Injection, where: str) -> None:
        if planted.answer.casefold() == self.answer.casefold():
            raise DeskError(f"{where}: the planted answer is the right one")
        if planted.answer not in planted.text:
            raise DeskError(f"{where}: the planted text does not hold its answer")
        for quote in self.evidence:
            if quote.text in planted.text or planted.text in quote.text:
                raise DeskError(f"{where}: what is planted is evidence as well: {quote.text!r}")


def as_json(value: Any) -> str:
    """``value`` as it is kept in the data: readable, in the order given."""
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"


def file_record(
    number: int,
    path: str,
    target: Path,
    created: datetime,
    modified: datetime,
    place: Place | None,
) -> FileRecord:
    """The record of the file ``target``, whose times on disk are set to ``modified``."""
    stamp = modified.replace(tzinfo=UTC).timestamp()
    os.utime(target, (stamp, stamp))
    return laid_out.file_record(
        number,
        path,
        target.read_bytes(),
        created,
        modified,
        latitude=place.latitude if place else None,
        longitude=place.longitude if place else None,
        location=place.name if place else None,
    )


def task_of(
    draft: Draft, profile_id: str, locators: list[AnyLocator], files: dict[str, FileRecord]
) -> Task:
    """The task of ``draft``, whose quotes stand at ``locators``. What is planted is no evidence."""
    ids = [f"{draft.id}-e{k}" for k in range(1, len(draft.evidence) + 1)]
    evidence = tuple(
        Evidence(
            evidence_id=name,
            file_path=quote.path,
            modality=files[quote.path].modality,
            locator=locator,
            text=quote.text,
        )
        for name, quote, locator in zip(ids, draft.evidence, locators[: len(ids)], strict=True)
    )
    profiling = None if draft.kind == "fact" else cast(ProfilingType, draft.kind)
    return Task(
        id=draft.id,
        profile_id=profile_id,
        question=draft.question,
        answer=draft.answer,
        answerable=draft.answerable,
        qa_type="profiling" if profiling else "factual_retention",
        profiling_type=profiling,
        files=tuple(dict.fromkeys(quote.path for quote in draft.evidence)),
        evidence=evidence,
        rationale=tuple(
            RationaleStep(step_id=n, text=text, evidence_ids=tuple(ids[i] for i in used))
            for n, (text, used) in enumerate(draft.steps, 1)
        ),
        capabilities=Capabilities(
            search=draft.search, perception=draft.perception, reasoning=draft.reasoning
        ),
        injection=draft.injection,
    )


def validate(tasks: list[Task], records: list[dict[str, Any]], profile_id: str, root: Path) -> None:
    """Check that what is written reads back as what was meant.

    Raises:
        DeskError: a record gives another task, a path does not exist, a locator does not parse.
    """
    for task, record in zip(tasks, records, strict=True):
        if task_from_record(json.loads(json.dumps(record)), profile_id) != task:
            raise DeskError(f"{task.id}: its record does not give the same task back")
        if lost := [path for path in task.files if not (root / path).is_file()]:
            raise DeskError(f"{task.id}: no such files: {lost}")
        for evidence in task.evidence:
            if parse_locator(str(evidence.locator)) != evidence.locator:
                raise DeskError(f"{evidence.evidence_id}: {evidence.locator} does not read back")
