"""HippoCamp's annotation record: the JSON shape of a task on disk.

Source: the released annotation files of HippoCamp ("Benchmarking Contextual Agents on Personal
Computers", 2026): ``id, QA_type, question, answer, file_path, file_number, file_modality,
file_type, agent_cap, evidence, rationale, profiling_type``. Ours adds ``answerable`` and writes
``evidence_locator`` in the text form of `deskgym.tasks.locators`. This is the form of our own
files, and strict; published files, with all their variety, are read by `deskgym.tasks.hippocamp`.
"""

from __future__ import annotations

import json
from pathlib import PurePosixPath
from typing import Any

from deskgym.tasks.schema import Capabilities, Evidence, FileRecord, RationaleStep, Task

_KNOWN = {
    "id", "QA_type", "profiling_type", "question", "answer", "answerable", "data_source",
    "file_path", "file_number", "file_modality", "file_type", "agent_cap", "evidence",
    "evidence_text_joined", "rationale", "injection",
}  # fmt: skip


def task_from_record(record: dict[str, Any], profile_id: str) -> Task:
    """The task that a record describes.

    Raises:
        KeyError: a field of the published shape is missing.
        pydantic.ValidationError: a field has a value that cannot be.
    """
    cap = record["agent_cap"]
    cap = json.loads(cap) if isinstance(cap, str) else cap
    return Task(
        id=str(record["id"]),
        profile_id=profile_id,
        question=record["question"],
        answer=record["answer"],
        answerable=record.get("answerable", True),
        qa_type=record["QA_type"],
        profiling_type=record.get("profiling_type") or None,
        files=tuple(record["file_path"]),
        evidence=tuple(
            Evidence(
                evidence_id=str(e["evidence_id"]),
                file_path=e["file_path"],
                modality=e["modality"],
                locator=e["evidence_locator"],
                text=e["evidence_text"],
            )
            for e in record["evidence"]
        ),
        rationale=tuple(
            RationaleStep(
                step_id=number,
                text=step["rationale_text"],
                evidence_ids=tuple(str(i) for i in step["evidence_id"]),
            )
            for number, step in enumerate(record["rationale"], 1)
        ),
        capabilities=Capabilities(
            search=tuple(cap.get("search", ())),
            perception=tuple(cap.get("evidence_perception", ())),
            reasoning=tuple(cap.get("reasoning", ())),
        ),
        injection=record.get("injection"),
        extra={k: v for k, v in record.items() if k not in _KNOWN},
    )


def record_from_task(task: Task, files: dict[str, FileRecord]) -> dict[str, Any]:
    """The record that describes ``task``; ``files`` gives modality and type by path."""
    gold = [files[path] for path in task.files]
    return {
        "id": task.id,
        "QA_type": task.qa_type,
        "profiling_type": task.profiling_type or "",
        "question": task.question,
        "answer": task.answer,
        "answerable": task.answerable,
        "data_source": task.profile_id,
        "file_path": list(task.files),
        "file_number": len(task.files),
        "file_modality": sorted({f.modality for f in gold}),
        "file_type": sorted({f.type or PurePosixPath(f.path).suffix.lstrip(".") for f in gold}),
        "agent_cap": json.dumps(
            {
                "search": task.capabilities.search,
                "evidence_perception": task.capabilities.perception,
                "reasoning": task.capabilities.reasoning,
            }
        ),
        "evidence": [
            {
                "evidence_id": e.evidence_id,
                "file_path": e.file_path,
                "modality": e.modality,
                "evidence_locator": str(e.locator),
                "evidence_text": e.text,
            }
            for e in task.evidence
        ],
        "evidence_text_joined": "\n".join(e.text for e in task.evidence),
        "rationale": [
            {"step_id": s.step_id, "evidence_id": list(s.evidence_ids), "rationale_text": s.text}
            for s in task.rationale
        ],
        **({"injection": task.injection.model_dump()} if task.injection else {}),
        **task.extra,
    }
