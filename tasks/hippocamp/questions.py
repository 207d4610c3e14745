"""A published record as a task, and a task as the record that it came from.

`read_tasks` is forgiving where a rule can mend or a person can judge, which it reports as
findings, and strict where a field is missing or of another type. What a `Task` does not hold is
kept in ``extra``, with what was read of it, so that `record_of` gives back the very record with
only those fields changed that were changed in the task.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any, Final, TypeVar

from pydantic import BaseModel, ValidationError

from deskgym.tasks.findings import Finding, Severity
from deskgym.tasks.hippocamp.annotations import Record
from deskgym.tasks.hippocamp.fields import (
    Fields,
    capabilities,
    evidence_ids,
    profiling_type,
    qa_type,
)
from deskgym.tasks.hippocamp.layout import PathFinder, is_junk, plain_path
from deskgym.tasks.hippocamp.places import place_of
from deskgym.tasks.hippocamp.sources import Candidate, file_of, modality_in
from deskgym.tasks.modalities import modality_of
from deskgym.tasks.registry import BadDataset
from deskgym.tasks.schema import Evidence, Modality, Profile, RationaleStep, Task, relative_path

RECORD: Final = "record"
READ: Final = "read"
PLACES: Final = "evidence_at"


def read_tasks(
    records: Sequence[Record], profile: Profile, root_names: Iterable[str], file: str
) -> tuple[tuple[Task, ...], tuple[Finding, ...]]:
    """The tasks that ``records`` describe, in their order, and what was found wrong with them.

    ``root_names`` are folder names with which written paths may begin; ``file`` names the
    annotation file in errors.

    Raises:
        BadDataset: a field is missing or has a value that cannot be; it names file, record, field.
    """
    reader = _Reader(profile, tuple(root_names), file)
    tasks = [reader.task(number, record) for number, record in enumerate(records)]
    return tuple(tasks), tuple(reader.findings)


class _Reader:
    """Reads the records of one file; ``findings`` grows meanwhile."""

    def __init__(self, profile: Profile, root_names: tuple[str, ...], file: str) -> None:
        self._profile, self._file = profile, file
        self._modality = {f.path: f.modality for f in profile.files}
        paths = tuple(f.path for f in profile.files if not is_junk(f.path))
        self._finder = PathFinder(paths, root_names)
        self._ids: set[str] = set()
        self._task = ""
        self.findings: list[Finding] = []

    def task(self, number: int, record: Record) -> Task:
        """The task of one record."""
        fields = Fields(record, self._file, number)
        self._task = self._new_id(fields.id())
        files = self._files(fields)
        kind = qa_type(fields)
        profiling, own = profiling_type(fields, kind)
        if own is not None:
            self._report(
                "unknown-profiling-type", "warning", "profiling_type", own,
                "not one of the five kinds of profiling; scored as a kind of its own",
            )  # fmt: skip
        able, odd = capabilities(fields)
        if odd:
            self._report(
                "unknown-capability", "warning", "agent_cap", ", ".join(odd),
                "no label of search, evidence_perception or reasoning; left out of their scores",
            )  # fmt: skip
        evidence, places = self._evidence(fields, files)
        task = _built(
            fields,
            Task,
            id=self._task,
            profile_id=self._profile.id,
            question=fields.text("question"),
            answer=fields.text("answer"),
            answerable=fields.boolean("answerable", default=True),
            qa_type=kind,
            profiling_type=profiling,
            question_type=own,
            files=files,
            evidence=evidence,
            rationale=self._rationale(fields, evidence),
            capabilities=able,
        )
        kept = {RECORD: record, READ: _dumped(task), PLACES: places}
        return task.model_copy(update={"extra": kept})

    def _new_id(self, written: str) -> str:
        new, count = written, 1
        while new in self._ids:
            count += 1
            new = f"{written}-{count}"
        self._ids.add(new)
        self._task = new
        if new != written:
            self._report(
                "repeated-id", "repaired", "id", written,
                f"another task has this id; this one is called {new}",
            )  # fmt: skip
        return new

    def _files(self, fields: Fields) -> tuple[str, ...]:
        found: dict[str, None] = {}
        for written in fields.texts("file_path"):
            path = self._finder.find(written)
            if path is None:
                path = plain_path(written)
                try:
                    relative_path(path)
                except ValueError as error:
                    raise BadDataset(f"{fields.where('file_path')}: {error}; mend it") from error
                self._report(
                    "no-such-file", "error", "file_path", written,
                    "the person has no such file; it can be neither found nor cited",
                )  # fmt: skip
            elif path != written:
                self._report("path-mended", "repaired", "file_path", written, f"taken as {path}")
            found[path] = None
        return tuple(found)

    def _evidence(
        self, fields: Fields, files: Sequence[str]
    ) -> tuple[tuple[Evidence, ...], list[int]]:
        """The units that can be placed, and at which index of the record each stands."""
        candidates = self._candidates(fields, files)
        joined = str(fields.record.get("evidence_text_joined") or "")
        units: list[Evidence] = []
        places: list[int] = []
        unplaced: list[str] = []
        taken: set[str] = set()
        for index, one in enumerate(fields.objects("evidence")):
            text = one.text("evidence_text", default="")
            name = one.id("evidence_id", default=str(index + 1))
            field = f"evidence[{index}]"
            if name in taken:
                old, name = name, next(n for n in _numbered(name) if n not in taken)
                self._report(
                    "repeated-evidence-id", "repaired", field, old, f"this one is called {name}"
                )
            taken.add(name)
            found = file_of(one.record, candidates, joined)
            locator = one.record.get("evidence_locator")
            if found is None:
                self._report(
                    "evidence-without-file", "error", field, _shown(locator),
                    "file_path names no file, so that this evidence cannot be scored; left out",
                )  # fmt: skip
                continue
            if not found.sure:
                self._report(
                    "evidence-without-file", "warning", field, _shown(locator),
                    f"nothing tells which file it is in; taken as the whole of {found.path}",
                )  # fmt: skip
            modality = self._modality.get(found.path) or modality_of(found.path)
            place = place_of(one.record, found.path, modality)
            if place.state == "not understood":
                self._report(
                    "evidence-without-place", "warning", field, _shown(locator),
                    f"the locator says no place that we know; taken as the whole of {found.path}",
                )  # fmt: skip
            elif place.state == "none given":
                unplaced.append(name)
            units.append(
                _built(
                    one,
                    Evidence,
                    evidence_id=name,
                    file_path=found.path,
                    modality=modality_in(one.record) or modality,
                    locator=place.locator,
                    text=text,
                )
            )
            places.append(index)
        if unplaced:
            self._report(
                "evidence-without-place", "warning", "evidence", ", ".join(unplaced),
                f"{len(unplaced)} of {len(units)} units have an empty locator; each is taken as "
                "the whole of its file",
            )  # fmt: skip
        return tuple(units), places

    def _candidates(self, fields: Fields, files: Sequence[str]) -> list[Candidate]:
        written = fields.texts("file_path")
        texts = fields.record.get("file_text")
        by_path: dict[str, str] = {}
        if isinstance(texts, list) and len(texts) == len(written):
            for path, text in zip(written, texts, strict=True):
                by_path[self._finder.find(path) or plain_path(path)] = str(text or "")

        def modality(path: str) -> Modality:
            return self._modality.get(path) or modality_of(path)

        return [Candidate(p, modality(p), " ".join(by_path.get(p, "").split())) for p in files]

    def _rationale(self, fields: Fields, evidence: Sequence[Evidence]) -> tuple[RationaleStep, ...]:
        known = {unit.evidence_id for unit in evidence}
        steps = []
        for index, one in enumerate(fields.objects("rationale")):
            cited = evidence_ids(one, known)
            if missing := [name for name in cited if name not in known]:
                self._report(
                    "no-such-evidence", "error", f"rationale[{index}]", ", ".join(missing),
                    "the step cites evidence that the record does not have; left out",
                )  # fmt: skip
            steps.append(
                _built(
                    one,
                    RationaleStep,
                    step_id=one.whole_number("step_id", default=index + 1),
                    text=one.text("rationale_text", default=""),
                    evidence_ids=tuple(name for name in cited if name in known),
                )
            )
        return tuple(steps)

    def _report(self, rule: str, severity: Severity, field: str, value: str, message: str) -> None:
        self.findings.append(
            Finding(
                rule=rule,
                severity=severity,
                profile_id=self._profile.id,
                task_id=self._task,
                field=field,
                value=value[:200],
                message=message,
            )
        )


_Built = TypeVar("_Built", bound=BaseModel)


def _built(fields: Fields, model: type[_Built], **values: Any) -> _Built:
    """A model of what was read.

    Raises:
        BadDataset: a value cannot be: an empty answer, half a surrogate pair.
    """
    try:
        return model(**values)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise BadDataset(f"{fields.where(where)}: {first['msg']}; mend the record") from error


def _numbered(name: str) -> Iterable[str]:
    number = 2
    while True:
        yield f"{name}-{number}"
        number += 1


def _shown(value: Any) -> str:
    return "" if value is None else str(value)


def _dumped(task: Task) -> dict[str, Any]:
    return task.model_dump(mode="json", exclude={"extra"})


# -- back to the record ----------------------------------------------------------------------------


def record_of(task: Task) -> Record:
    """The published record of a task that `read_tasks` made, with what was changed in the task.

    A field that is as it was read stays as it was written, down to the order of keys. Fields
    that are derived from others (``evidence_text_joined``, ``file_text``) are not made anew.

    Raises:
        ValueError: the task is not from a published record.
    """
    if RECORD not in task.extra or READ not in task.extra:
        raise ValueError(f"task {task.id} was not read from an annotation file of HippoCamp")
    record: Record = dict(task.extra[RECORD])
    before, now = task.extra[READ], _dumped(task)
    changed = {name for name in now if now[name] != before[name]}
    for name in ("id", "question", "answer", "answerable"):
        if name in changed:
            record[name] = now[name]
    if "qa_type" in changed:
        record["QA_type"] = now["qa_type"]
    if changed & {"profiling_type", "question_type"}:
        record["profiling_type"] = now["profiling_type"] or now["question_type"] or ""
    if "files" in changed:
        _write_files(record, now["files"])
    if "capabilities" in changed:
        _write_capabilities(record, now["capabilities"])
    if "evidence" in changed:
        record["evidence"] = _evidence_written(
            record["evidence"] or [], before["evidence"], now["evidence"], task.extra[PLACES]
        )
    if "rationale" in changed:
        record["rationale"] = _rationale_written(
            record["rationale"] or [], before["rationale"], now["rationale"]
        )
    return record


def _write_files(record: Record, paths: Sequence[str]) -> None:
    record["file_path"] = list(paths)
    derived: dict[str, Any] = {
        "file_number": len(paths),
        "file_modality": sorted({modality_of(path) for path in paths}),
        "file_type": sorted({PurePosixPath(path).suffix.lstrip(".").lower() for path in paths}),
    }
    record.update({name: value for name, value in derived.items() if name in record})


def _write_capabilities(record: Record, now: Mapping[str, Sequence[str]]) -> None:
    value = {
        "search": list(now["search"]),
        "evidence_perception": list(now["perception"]),
        "reasoning": list(now["reasoning"]),
    }
    record["agent_cap"] = json.dumps(value) if isinstance(record["agent_cap"], str) else value


def _evidence_written(
    written: Sequence[Record],
    before: Sequence[Mapping[str, Any]],
    now: Sequence[Mapping[str, Any]],
    places: Sequence[int],
) -> list[Record]:
    """The units of a record: those of the task, and, at the end, those that could not be read."""
    old = {
        unit["evidence_id"]: (unit, written[at]) for unit, at in zip(before, places, strict=True)
    }
    names = {
        "evidence_id": "evidence_id", "locator": "evidence_locator", "text": "evidence_text",
        "file_path": "file_path", "modality": "modality",
    }  # fmt: skip
    units = []
    for unit in now:
        read, record = old.get(unit["evidence_id"], ({}, {}))
        changes = {ours: theirs for ours, theirs in names.items() if unit[ours] != read.get(ours)}
        units.append({**record, **{theirs: unit[ours] for ours, theirs in changes.items()}})
    return units + [dict(u) for at, u in enumerate(written) if at not in set(places)]


def _rationale_written(
    written: Sequence[Record],
    before: Sequence[Mapping[str, Any]],
    now: Sequence[Mapping[str, Any]],
) -> list[Record]:
    """The steps of the task; one that stands where it stood keeps its other fields."""
    names = {"step_id": "step_id", "text": "rationale_text", "evidence_ids": "evidence_id"}
    steps = []
    for index, step in enumerate(now):
        read, record = (before[index], written[index]) if index < len(before) else ({}, {})
        changes = {ours: theirs for ours, theirs in names.items() if step[ours] != read.get(ours)}
        steps.append({**record, **{theirs: step[ours] for ours, theirs in changes.items()}})
    return steps
