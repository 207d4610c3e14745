"""What makers of questions are given, and how what they make becomes a task with gold.

A maker computes an answer from the records (never by running its query) and names the records
that the answer needs. The evidence is where these stand in the files, so that it is minimal by
construction. The query goes to the verifier, which has nothing but it and the files.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from deskgym.tasks.locators import AnyLocator, Lines, WholeFile
from deskgym.tasks.made.files.placed import Placed
from deskgym.tasks.made.models import Event, Life
from deskgym.tasks.made.records.record import Record, Value
from deskgym.tasks.made.seeds import random_for
from deskgym.tasks.made.spec import MadeSpec
from deskgym.tasks.made.verifier.query import Asked, Query
from deskgym.tasks.schema import (
    Capabilities,
    Evidence,
    FileRecord,
    ProfilingType,
    RationaleStep,
    Task,
)

MAX_UNITS = 24
"""Places of evidence that a question may need: as many can be read within an episode."""


@dataclass(frozen=True)
class Draft:
    """A question as its maker gives it.

    ``template`` names its wording: no two tasks in a row have the same. ``records`` are those that
    the answer needs; ``parts`` names for some a narrower place (`Placed.part`), ``places`` says for
    some where they are to be looked at, if that is not the first place. ``steps`` are the
    rationale, each with the 0-based numbers of the records that it cites.
    """

    kind: str
    template: str
    question: str
    answer: str
    query: Query
    records: tuple[str, ...]
    steps: tuple[tuple[str, tuple[int, ...]], ...]
    reasoning: tuple[str, ...]
    labels: tuple[str, ...] = ()
    parts: Mapping[str, str] = field(default_factory=dict)
    places: Mapping[str, Placed] = field(default_factory=dict)
    pattern: str = "{}"
    premise: Query | None = None
    profiling: ProfilingType | None = None
    asked: date | None = None


@dataclass(frozen=True)
class Proposal:
    """A task that the verifier has yet to pass, and what it is told of it."""

    task: Task
    asked: Asked
    template: str


class Source:
    """A life, its records and where they stand; and chance by name."""

    def __init__(
        self,
        life: Life,
        records: Iterable[Record],
        places: Iterable[Placed],
        files: Iterable[FileRecord],
        spec: MadeSpec,
    ) -> None:
        self.life, self.spec = life, spec
        self.files = {record.path: record for record in files}
        self.placed: dict[str, list[Placed]] = defaultdict(list)
        for place in places:
            if place.file_path in self.files:
                self.placed[place.record_id].append(place)
        # A record that stands nowhere cannot be asked about.
        self.records = tuple(r for r in records if self.placed.get(r.id))
        self.by_id = {record.id: record for record in self.records}
        self.by_schema: dict[str, list[Record]] = defaultdict(list)
        self.by_event: dict[str, list[Record]] = defaultdict(list)
        for record in self.records:
            self.by_schema[record.schema].append(record)
            if record.event:
                self.by_event[record.event].append(record)
        self.events: dict[str, Event] = {event.id: event for event in life.events}

    def chance(self, *names: object) -> random.Random:
        """The generator for what is named."""
        return random_for(self.spec.seed, self.life.person.id, "questions", *names)

    def all_of(self, schema: str) -> list[Record]:
        """All records of a schema that stand somewhere, in time order."""
        return self.by_schema.get(schema, [])

    def of(self, schema: str) -> list[Record]:
        """Those of which the read tool shows the place: not beyond the rows of a long table."""
        return [record for record in self.all_of(schema) if self.shown(record)]

    def shown(self, record: Record) -> bool:
        """Whether the record has a place of its own, and not only a database as a whole."""
        place = self.placed[record.id][0]
        table = place.file_path.endswith((".sqlite", ".db"))
        return not (table and isinstance(place.locator, WholeFile))

    @property
    def hard(self) -> bool:
        """Whether people, days and things are to be named in a roundabout way."""
        return self.spec.difficulty == "hard"


def text(value: Value) -> str:
    """A field as one text, as the files have it."""
    return ", ".join(value) if isinstance(value, list) else str(value)


def task_of(draft: Draft, number: int, profile: str, source: Source) -> Proposal:
    """The task of a draft, with its evidence looked up."""
    name = f"{draft.kind}-{number:04d}"
    units, cited = _units(draft, source)
    evidence = tuple(
        Evidence(
            evidence_id=f"{name}-e{n}",
            file_path=path,
            modality=source.files[path].modality,
            locator=locator,
            text=said,
        )
        for n, (path, locator, said) in enumerate(units, 1)
    )
    profiling = draft.profiling is not None or draft.kind in ("behaviour", "trait")
    task = Task(
        id=name,
        profile_id=profile,
        question=draft.question,
        answer=draft.answer,
        qa_type="profiling" if profiling else "factual_retention",
        profiling_type=draft.profiling,
        question_type=None if draft.kind in _HIPPOCAMP else draft.kind,
        labels=draft.labels,
        asked=draft.asked,
        files=tuple(dict.fromkeys(unit.file_path for unit in evidence)),
        evidence=evidence,
        rationale=tuple(
            RationaleStep(
                step_id=n,
                text=said,
                evidence_ids=tuple(
                    dict.fromkeys(evidence[cited[i]].evidence_id for i in used if i in cited)
                ),
            )
            for n, (said, used) in enumerate(draft.steps, 1)
        ),
        capabilities=Capabilities(
            search=("content",)
            if len({e.file_path for e in evidence}) < 2
            else ("content", "cross_file"),
            perception=tuple(sorted({_perception(e) for e in evidence})),
            reasoning=draft.reasoning,
        ),
    )
    asked = Asked(id=name, query=draft.query, answer=draft.pattern, premise=draft.premise)
    return Proposal(task, asked, draft.template)


_HIPPOCAMP = frozenset({"retention", "profile"})


def _units(
    draft: Draft, source: Source
) -> tuple[list[tuple[str, AnyLocator, str]], dict[int, int]]:
    """The evidence, lines that follow each other taken together; and which unit each record is."""
    places = [(n, _place(record, draft, source)) for n, record in enumerate(draft.records)]
    places.sort(key=lambda one: _order(one[1]))
    units: list[tuple[str, AnyLocator, str]] = []
    cited: dict[int, int] = {}
    many = len(places) > 3
    for n, place in places:
        spot, last = place.locator, units[-1] if units else None
        if last is not None and last[0] == place.file_path:
            if last[1] == spot:
                cited[n] = len(units) - 1
                continue
            if (
                many
                and isinstance(spot, Lines)
                and isinstance(last[1], Lines)
                and spot.start == last[1].end + 1
            ):
                both = Lines(start=last[1].start, end=spot.end)
                units[-1] = (place.file_path, both, f"{last[2]}\n{place.text}")
                cited[n] = len(units) - 1
                continue
        units.append((place.file_path, spot, place.text))
        cited[n] = len(units) - 1
    return units, cited


def _place(record: str, draft: Draft, source: Source) -> Placed:
    if record in draft.places:
        return draft.places[record]
    places = source.placed[record]
    part = draft.parts.get(record, "")
    return next((p for p in places if p.part == part), places[0])


def _order(place: Placed) -> tuple[str, int, str]:
    start = place.locator.start if isinstance(place.locator, Lines) else 0
    return place.file_path, start, str(place.locator)


def _perception(unit: Evidence) -> str:
    kinds = {"image": "ocr", "audio": "speech", "video": "video"}
    if unit.modality in kinds:
        return kinds[unit.modality]
    table = unit.file_path.endswith((".csv", ".xlsx", ".sqlite", ".db", ".ics"))
    return "table" if table else "text"


def units_of(records: Sequence[str], source: Source) -> int:
    """How many places of evidence records come to."""
    draft = Draft("semantic", "", "?", "?", _NO_QUERY, tuple(records), (), ())
    return len(_units(draft, source)[0])


_NO_QUERY = Query.model_validate({"steps": [{"name": "a", "rows": "none"}], "of": "a"})
