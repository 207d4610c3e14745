"""What is wrong with tasks and the profile they are about: every rule, as pure functions.

================================  ========  ======================================================
rule                              severity  it is a fault that
================================  ========  ======================================================
``duplicate-task-id``             error     two tasks of a person have one id
``empty-question``, ``-answer``   error     there is nothing but blanks
``empty-evidence``                error     a unit of evidence says nothing
``empty-rationale``               warning   a step of the rationale says nothing
``unknown-evidence``              error     a rationale step cites an id that no unit has
``no-evidence``                   warning   an answerable task has none
``file-without-evidence``         warning   a file is listed, and no unit lies in it
``no-such-file``                  error     a file or unit of a task is not in the profile
``not-on-the-desk``               error     it is, but not on the day on which the task is asked
``unicode-form``                  error     it is, spelt in another Unicode form (NFC, NFD)
``evidence-after-question``       warning   a file with evidence was made after the task is asked
``locator-out-of-range``          error     a place is beyond the end of its file
``locator-unchecked``             warning   whether it is, is not known of such a file
``evidence-text-not-found``       warning   readable text at the place does not say what the unit
                                            does
``unreadable-file``               warning   a file, or one with evidence, cannot be read here
``missing-on-disk``               error     a file of the profile is not on the disk
``changed-on-disk``               error     it has another size or SHA-256 there
``unlisted-on-disk``              warning   a file that is on the disk is not in the profile
``gold-on-desk``                  error     a file holds a question together with its answer
``annotation-on-desk``            error     a file has the fields of annotations
================================  ========  ======================================================
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from deskgym.tasks.extents import within
from deskgym.tasks.findings import Finding, Severity
from deskgym.tasks.locators import AnyLocator, Lines, Pages, Region, WholeFile, overlaps
from deskgym.tasks.schema import Evidence, FileRecord, Profile, Task
from deskgym.tasks.scoring.evidence import LOCATED_THRESHOLD, exposure_in_place

MAX_VALUE: Final = 200
"""Characters of what stands at fault that a finding repeats."""
_READABLE = ("text", "document")
_ANNOTATION_KEYS = ("question", "answer")
_GOLD_KEYS = ("evidence", "supporting_evidence", "rationale", "gold", "ground_truth", "file_path")
_CELL_BORDERS = re.compile(r"[\t,;|]")
_HEADER_LINES = 5  # a rendered sheet has its column letters and a rule above


@dataclass(frozen=True)
class Contents:
    """What is in a file. ``info`` is as `deskgym.tasks.extents.within` takes it, ``segments`` the
    whole text by place, ``problem`` says why it could not be read."""

    info: Mapping[str, Any] = field(default_factory=dict)
    segments: tuple[tuple[AnyLocator, str], ...] = ()
    problem: str = ""

    @property
    def text(self) -> str:
        return "\n".join(text for _, text in self.segments)


@dataclass(frozen=True)
class DiskFile:
    """A file as it lies on the disk. ``sha256`` is None if it was not computed; ``problem`` says
    why the file could not be read."""

    size: int
    sha256: str | None = None
    problem: str = ""


def task_findings(
    profile: Profile, tasks: Sequence[Task], profile_for: Callable[[Task], Profile]
) -> Iterator[Finding]:
    """What is wrong with the tasks of ``profile`` by themselves and against its list of files.

    ``profile_for`` gives the profile as it is when a task is asked.
    """
    for task_id, times in Counter(task.id for task in tasks).items():
        if times > 1:
            yield finding(
                "duplicate-task-id",
                "error",
                profile.id,
                task_id,
                "id",
                task_id,
                f"{times} tasks have this id; give each its own",
            )
    whole = {record.path: record for record in profile.files}
    forms = {_nfc(path): path for path in whole}
    for task in tasks:
        yield from _wording(task)
        yield from _support(task)
        shown = profile_for(task)
        there = whole if shown.digest == profile.digest else {r.path: r for r in shown.files}
        for name, path in _paths(task).items():
            yield from _resolved(task, name, path, there, whole, forms)
            if path in whole:
                yield from _dated(task, name, whole[path])


def disk_findings(profile: Profile, disk: Mapping[str, DiskFile]) -> Iterator[Finding]:
    """How the files below the profile's root, by relative path, differ from its list."""
    forms = {_nfc(path): path for path in disk}
    listed = {record.path: record for record in profile.files}
    for path, record in listed.items():
        found = disk.get(path)
        if found is None:
            other = forms.get(_nfc(path))
            rule, message = (
                ("missing-on-disk", "the profile lists it, and it is not on the disk")
                if other is None
                else ("unicode-form", f"on the disk its name has another Unicode form: {other!r}")
            )
            yield finding(rule, "error", profile.id, None, path, "", message)
            continue
        if found.problem:
            message = f"it cannot be read on the disk: {found.problem}"
            yield finding("unreadable-file", "warning", profile.id, None, path, "", message)
        elif found.size != record.size:
            message = f"it has {found.size} bytes on the disk, and {record.size} in the profile"
            yield finding("changed-on-disk", "error", profile.id, None, path, "", message)
        elif found.sha256 is not None and found.sha256 != record.sha256:
            message = f"its content has another SHA-256 than the profile says ({record.sha256})"
            yield finding("changed-on-disk", "error", profile.id, None, path, found.sha256, message)
    spelt = {_nfc(path) for path in listed}
    for path in disk:
        if path not in listed and _nfc(path) not in spelt:
            message = "the profile does not list it, but whoever sits at the desk can read it"
            yield finding("unlisted-on-disk", "warning", profile.id, None, path, "", message)


def place_findings(
    profile: Profile, path: str, contents: Contents, units: Sequence[tuple[Task, Evidence]]
) -> Iterator[Finding]:
    """Whether the evidence ``units`` in the file at ``path`` lie within it, and stand there."""
    if not units:
        return
    if contents.problem:
        message = f"its {len(units)} units of evidence were not checked: {contents.problem}"
        yield finding("unreadable-file", "warning", profile.id, None, path, "", message)
        return
    for task, unit in units:
        name, place = f"evidence {unit.evidence_id}", f"{path} {unit.locator}"
        inside = within(unit.locator, contents.info)
        if inside is False:
            message = f"the place is beyond the end of the file ({_extent(contents.info)})"
            yield of_task("locator-out-of-range", "error", task, name, place, message)
            continue
        if inside is None:
            message = f"a file of type {contents.info.get('mime', 'unknown')} has no such places"
            yield of_task("locator-unchecked", "warning", task, name, place, message)
        if unit.modality not in _READABLE:
            continue
        text = text_at(contents, unit.locator)
        if text and exposure_in_place(unit.text, text) < LOCATED_THRESHOLD:
            message = f"what is read there does not say: {_cut(unit.text)}"
            yield of_task("evidence-text-not-found", "warning", task, name, place, message)


def gold_findings(
    profile: Profile, path: str, text: str, tasks: Sequence[Task]
) -> Iterator[Finding]:
    """Whether the text of the file at ``path`` gives away the gold of ``tasks``."""
    plain = _plain(text)
    for task in tasks:
        if _holds(plain, task.question) and _holds(plain, task.answer):
            message = "the file holds the question together with its answer; take it off the desk"
            yield of_task("gold-on-desk", "error", task, path, task.question, message)
    if keys := annotation_keys(text):
        message = f"it has the fields of annotations ({', '.join(keys)}); take it off the desk"
        yield finding("annotation-on-desk", "error", profile.id, None, path, "", message)


def annotation_keys(text: str) -> tuple[str, ...]:
    """The fields that make a text look like annotations, as JSON or as a table; empty if it does
    not: a question, an answer and something of the gold (evidence, rationale) are needed."""
    quoted = {key.casefold() for key in re.findall(r'"(\w{1,40})"\s*:', text)}
    headers = (
        {cell.strip().strip('"').casefold() for cell in _CELL_BORDERS.split(line)}
        for line in text.split("\n", _HEADER_LINES)[:_HEADER_LINES]
    )
    for keys in (quoted, *headers):
        gold = sorted(key for key in keys if key.startswith(_GOLD_KEYS))
        if gold and keys.issuperset(_ANNOTATION_KEYS):
            return (*_ANNOTATION_KEYS, *gold)
    return ()


def text_at(contents: Contents, locator: AnyLocator) -> str:
    """What is read at a place: the lines themselves, else the pages, sheets and spans that it
    touches; all, where the file's text has places of another kind."""
    kinds = {_kind(place) for place, _ in contents.segments}
    if isinstance(locator, WholeFile) or _kind(locator) not in kinds:
        return contents.text
    pieces = []
    for place, text in contents.segments:
        if isinstance(place, Lines) and isinstance(locator, Lines):
            lines = text.split("\n")
            first = max(locator.start - place.start, 0)
            pieces += lines[first : max(locator.end - place.start + 1, 0)]
        elif overlaps(place, locator):
            pieces.append(text)
    return "\n".join(pieces)


def in_order(findings: Iterable[Finding], tasks: Sequence[Task]) -> list[Finding]:
    """``findings`` by task: first those of the profile itself, then in the tasks' order."""
    place = {task.id: number for number, task in enumerate(tasks)}
    return sorted(findings, key=lambda f: -1 if f.task_id is None else place.get(f.task_id, -1))


def finding(
    rule: str,
    severity: Severity,
    profile_id: str,
    task_id: str | None,
    name: str,
    value: str,
    message: str,
) -> Finding:
    """A `Finding` that repeats not too much of what is at fault."""
    return Finding(
        rule=rule,
        severity=severity,
        profile_id=profile_id,
        task_id=task_id,
        field=_printable(name),
        value=_cut(_printable(value)),
        message=message,
    )


def of_task(
    rule: str, severity: Severity, task: Task, name: str, value: str, message: str
) -> Finding:
    """A `finding` of a task's."""
    return finding(rule, severity, task.profile_id, task.id, name, value, message)


def _wording(task: Task) -> Iterator[Finding]:
    for name, text in (("question", task.question), ("answer", task.answer)):
        if not text.strip():
            yield of_task(f"empty-{name}", "error", task, name, text, f"the {name} is blank")
    for unit in task.evidence:
        if not unit.text.strip():
            name = f"evidence {unit.evidence_id}"
            yield of_task("empty-evidence", "error", task, name, unit.text, "its text is blank")
    for step in task.rationale:
        if not step.text.strip():
            name = f"rationale {step.step_id}"
            yield of_task("empty-rationale", "warning", task, name, step.text, "its text is blank")


def _support(task: Task) -> Iterator[Finding]:
    known = {unit.evidence_id for unit in task.evidence}
    for step in task.rationale:
        for cited in step.evidence_ids:
            if cited not in known:
                name = f"rationale {step.step_id}"
                message = (
                    f"there is no such evidence; there is {', '.join(sorted(known)) or 'none'}"
                )
                yield of_task("unknown-evidence", "error", task, name, cited, message)
    if task.answerable and not task.evidence:
        message = "it can be answered, and nothing says from what: it has no evidence scores"
        yield of_task("no-evidence", "warning", task, "evidence", "", message)
        return
    lying = {unit.file_path for unit in task.evidence}
    for path in task.files:
        if path not in lying:
            message = "the file is listed, and no unit of evidence lies in it"
            yield of_task("file-without-evidence", "warning", task, "files", path, message)


def _paths(task: Task) -> dict[str, str]:
    """The paths that a task names, by the field that does; each path once."""
    named = {f"evidence {unit.evidence_id}": unit.file_path for unit in task.evidence}
    named |= {f"files {number}": path for number, path in enumerate(task.files, 1)}
    first: dict[str, str] = {}
    for name, path in named.items():
        first.setdefault(path, name)
    return {name: path for path, name in first.items()}


def _resolved(
    task: Task,
    name: str,
    path: str,
    there: Mapping[str, FileRecord],
    whole: Mapping[str, FileRecord],
    forms: Mapping[str, str],
) -> Iterator[Finding]:
    if path in there:
        return
    if path in whole:
        message = f"the file is not shown on the day on which it is asked ({task.asked})"
        yield of_task("not-on-the-desk", "error", task, name, path, message)
    elif (other := forms.get(_nfc(path))) is not None:
        message = f"the profile spells it in another Unicode form: {other!r}"
        yield of_task("unicode-form", "error", task, name, path, message)
    else:
        yield of_task("no-such-file", "error", task, name, path, "the profile has no such file")


def _dated(task: Task, name: str, record: FileRecord) -> Iterator[Finding]:
    made = min(record.created, record.modified).date()
    if task.asked is not None and made > task.asked:
        message = f"it is of {made}, and the task is asked on {task.asked}"
        yield of_task("evidence-after-question", "warning", task, name, record.path, message)


def _kind(locator: AnyLocator) -> str:
    """Kinds of places that can be compared have one name."""
    return "page" if isinstance(locator, Pages | Region) else locator.kind


def _extent(info: Mapping[str, Any]) -> str:
    names = ("pages", "lines", "turns", "duration_s", "sheets")
    return ", ".join(f"{name} {info[name]}" for name in names if info.get(name) is not None)


def _holds(plain: str, text: str) -> bool:
    """Whether ``plain`` has ``text`` as it is or as JSON writes it."""
    forms = {text, *(json.dumps(text, ensure_ascii=ascii)[1:-1] for ascii in (True, False))}
    return any(_plain(form) in plain for form in forms)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def _printable(text: str) -> str:
    """File names that are no Unicode hold what cannot be written out."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _nfc(path: str) -> str:
    return unicodedata.normalize("NFC", path)


def _cut(text: str) -> str:
    joined = " ".join(text.split())
    return joined if len(joined) <= MAX_VALUE else f"{joined[: MAX_VALUE - 1]}…"
