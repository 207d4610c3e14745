"""The file of tasks that goes with a folder: one record a line.

A record has HippoCamp's shape (`deskgym.tasks.records`), of which ``id``, ``question`` and
``answer`` are enough::

    {"id": 1, "question": "When is the lease up?", "answer": "31 May 2026",
     "file_path": "home/lease.pdf"}
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from deskgym.tasks.modalities import modality_of
from deskgym.tasks.records import task_from_record
from deskgym.tasks.registry import BadDataset
from deskgym.tasks.schema import Modality, ProfilingType, QAType, RelativePath, Task


def _one_or_more(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


def _parsed(value: Any) -> Any:
    return json.loads(value) if isinstance(value, str) else value


def _optional(value: Any) -> Any:
    return None if value == "" else value


class _Part(BaseModel):
    model_config = ConfigDict(extra="allow")


class _Unit(_Part):
    evidence_id: str | int = ""
    file_path: RelativePath
    modality: Modality | None = None
    evidence_locator: str = "file"
    evidence_text: str = ""


class _Step(_Part):
    rationale_text: str
    evidence_id: Annotated[list[str | int], BeforeValidator(_one_or_more)] = Field(
        default_factory=list
    )


class _Abilities(_Part):
    search: list[str] = Field(default_factory=list)
    evidence_perception: list[str] = Field(default_factory=list)
    reasoning: list[str] = Field(default_factory=list)


class _Record(_Part):
    id: str | int
    question: str = Field(min_length=1)
    answer: str = Field(min_length=1)
    answerable: bool = True
    QA_type: QAType | None = None
    profiling_type: Annotated[ProfilingType | None, BeforeValidator(_optional)] = None
    file_path: Annotated[list[RelativePath], BeforeValidator(_one_or_more)] = Field(
        default_factory=list
    )
    agent_cap: Annotated[_Abilities, BeforeValidator(_parsed)] = Field(default_factory=_Abilities)
    evidence: list[_Unit] = Field(default_factory=list)
    rationale: list[_Step] = Field(default_factory=list)


def read_tasks(file: Path, profile_id: str) -> tuple[Task, ...]:
    """The tasks of ``file``, in its order.

    Raises:
        BadDataset: the file cannot be read, a line is no record (the message names file, line and
            field), or an id is used twice.
    """
    try:
        lines = file.read_bytes().removeprefix(b"\xef\xbb\xbf").split(b"\n")
    except OSError as error:
        raise BadDataset(f"{file}: cannot be read ({error.strerror}); put it back") from error
    tasks: dict[str, tuple[int, Task]] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        where = f"{file}, line {number}"
        task = _task(line, profile_id, where)
        if task.id in tasks:
            raise BadDataset(f"{where}: id: {task.id!r} is that of line {tasks[task.id][0]} too")
        tasks[task.id] = number, task
    return tuple(task for _, task in tasks.values())


def _task(line: bytes, profile_id: str, where: str) -> Task:
    try:
        value = json.loads(line)
    except ValueError as error:  # not UTF-8 either
        raise BadDataset(f"{where}: not JSON ({error}); a record is one line") from error
    if not isinstance(value, dict):
        raise BadDataset(f"{where}: not an object but {type(value).__name__}; a record a line")
    try:
        record = _Record.model_validate(value)
        return task_from_record(_filled(record), profile_id)
    except ValidationError as error:
        raise BadDataset(f"{where}: {_fault(error)}") from error


def _filled(record: _Record) -> dict[str, Any]:
    """The record with all fields of the published shape."""
    filled = record.model_dump()
    for number, unit in enumerate(filled["evidence"], 1):
        unit["evidence_id"] = unit["evidence_id"] or f"e{number}"
        unit["modality"] = unit["modality"] or modality_of(unit["file_path"])
    filled["QA_type"] = record.QA_type or (
        "profiling" if record.profiling_type else "factual_retention"
    )
    if not filled["file_path"]:
        filled["file_path"] = list(dict.fromkeys(unit["file_path"] for unit in filled["evidence"]))
    return filled


def _fault(error: ValidationError) -> str:
    fault = error.errors()[0]
    field = ".".join(str(part) for part in fault["loc"])
    message = fault["msg"].removeprefix("Value error, ")
    return f"{field}: {message}" if field else message
