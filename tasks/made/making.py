"""Making one person: life, records, files, questions, and the verifier's word on each.

A pure function of the order and the person's index, apart from the folder that it writes: it may
run in any process, in any order.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from deskgym.tasks.made.files import make_home
from deskgym.tasks.made.life import make_life
from deskgym.tasks.made.models import Life
from deskgym.tasks.made.questions import Proposal, propose
from deskgym.tasks.made.records import make_records
from deskgym.tasks.made.records.record import Record
from deskgym.tasks.made.spec import MadeSpec
from deskgym.tasks.made.stored import (
    FILES,
    SET_FILE,
    Aside,
    Counts,
    MadePerson,
    MadeSet,
    Rejected,
    Truth,
    digest_of,
    write_lines,
    write_model,
)
from deskgym.tasks.made.verifier.check import Verdict, check
from deskgym.tasks.schema import FileRecord

_TOKEN = re.compile(r"\w+|[^\w\s]")


def person_name(spec: MadeSpec, index: int) -> str:
    """The bare name of person ``index`` (from 0): ``s7-p0001``. Seeds share none."""
    return f"s{spec.seed}-p{index + 1:04d}"


def write_set(spec: MadeSpec, out: Path) -> MadeSet:
    """Write ``made.json`` into ``out``: the set that a person of each index belongs to."""
    out.mkdir(parents=True, exist_ok=True)
    made = MadeSet(spec=spec, people=tuple(person_name(spec, n) for n in range(spec.people)))
    write_model(out / SET_FILE, made)
    return made


@dataclass(frozen=True)
class Rewritten:
    """Records whose prose was rewritten, and how many rewrites were kept and dropped."""

    records: tuple[Record, ...]
    kept: int = 0
    dropped: int = 0


Rewrite = Callable[[Life, tuple[Record, ...]], Rewritten]


def make_person(
    spec: MadeSpec, index: int, out: Path, rewrite: Rewrite | None = None
) -> MadePerson:
    """Make person ``index`` of ``spec`` in the folder ``out / name`` and say what came of it.

    What is there of that name is replaced once the new one is whole. ``rewrite`` may tell prose in
    other words, as long as it keeps the facts.

    Raises:
        OSError: it cannot be written.
        Exception: whatever ``rewrite`` raises.
    """
    life = make_life(spec, index)
    told = Rewritten(make_records(life, spec))
    if rewrite is not None:
        told = rewrite(life, told.records)
    records = told.records
    name = person_name(spec, index)
    with Aside(out / name) as folder:
        files = folder / FILES
        home = make_home(life, records, spec)
        home.write(files)
        listed = home.records()
        proposals = propose(life, records, home.placed, listed, spec, f"made/{name}")
        verdicts = check(
            files, [p.asked for p in proposals], {p.task.id: p.task for p in proposals}
        )
        kept = [p for p in proposals if verdicts[p.task.id].ok]
        person = MadePerson(
            name=name,
            user=life.person.full_name,
            description=(
                f"{life.person.job} in {life.person.city}, {life.first} to {life.last}; invented"
            ),
            files=listed,
            counts=_counts(listed, told, len(life.events), proposals, kept, verdicts),
            digest=digest_of(listed, (p.task for p in kept)),
        )
        write_model(folder / "person.json", person)
        write_model(folder / "truth.json", _truth(life.traits.scores()))
        write_lines(folder / "tasks.jsonl", (p.task for p in kept))
        write_lines(folder / "asked.jsonl", (p.asked for p in kept))
        write_lines(folder / "rejected.jsonl", _rejected(proposals, verdicts))
    return person


def _truth(scores: Iterable[float]) -> Truth:
    return Truth(traits=dict(zip("ocean", scores, strict=True)))


def _rejected(proposals: Iterable[Proposal], verdicts: Mapping[str, Verdict]) -> Iterable[Rejected]:
    for proposal in proposals:
        verdict = verdicts[proposal.task.id]
        if not verdict.ok:
            yield Rejected(
                id=proposal.task.id,
                question=proposal.task.question,
                answer=proposal.task.answer,
                reason=verdict.reason,
                detail=verdict.detail,
            )


def _counts(
    files: tuple[FileRecord, ...],
    told: Rewritten,
    events: int,
    proposals: list[Proposal],
    kept: list[Proposal],
    verdicts: Mapping[str, Verdict],
) -> Counts:
    reasons = Counter(v.reason for v in verdicts.values() if not v.ok)
    kinds = Counter(p.task.family for p in kept)
    return Counts(
        files=len(files),
        records=len(told.records),
        schemas=len({record.schema for record in told.records}),
        tokens=sum(_tokens(record) for record in told.records),
        rewritten=told.kept,
        rewrites_dropped=told.dropped,
        events=events,
        proposed=len(proposals),
        tasks=len(kept),
        by_kind=dict(sorted(kinds.items())),
        rejected=dict(sorted(reasons.items())),
    )


def _tokens(record: Record) -> int:
    return len(_TOKEN.findall(json.dumps(dict(record.fields), ensure_ascii=False)))
