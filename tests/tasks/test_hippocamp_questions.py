"""HippoCamp's annotations as tasks: what is read, mended, reported, refused, and written back."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import hippocamp_made as made
import pytest

from deskgym.tasks.findings import Finding
from deskgym.tasks.hippocamp import HippoCampDataset, record_of
from deskgym.tasks.registry import BadDataset, load_dataset
from deskgym.tasks.schema import Capabilities, Evidence, Task

Json = dict[str, Any]


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DESKGYM_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("DESKGYM_CONFIG", str(tmp_path / "config"))


@pytest.fixture(scope="session")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All six configurations. Not to be changed."""
    return made.make(tmp_path_factory.mktemp("hub") / "HippoCamp")


@pytest.fixture
def data(published: Path) -> HippoCampDataset:
    return HippoCampDataset(published)


@pytest.fixture
def changed(published: Path, tmp_path: Path) -> Callable[..., HippoCampDataset]:
    """A copy of the data set with one of Adam's records, or all of them, changed."""

    def change(edit: Callable[[list[Json]], object]) -> HippoCampDataset:
        copy = tmp_path / "copy"
        shutil.copytree(published / "Adam", copy / "Adam")
        file = copy / "Adam/Fullset/Adam.json"
        records = json.loads(file.read_bytes())
        edit(records)
        file.write_text(json.dumps(records), encoding="utf-8")
        return HippoCampDataset(copy)

    return change


def found(data: HippoCampDataset, rule: str, name: str = "adam") -> list[Finding]:
    return [finding for finding in data.findings(name) if finding.rule == rule]


def test_what_is_read_of_a_record(data: HippoCampDataset) -> None:
    rent, voice, photo, mornings, paid = data.tasks("adam")
    assert (rent.id, rent.qa_type, rent.family) == ("1", "factual_retention", "factual_retention")
    assert rent.answerable
    assert rent.files == ("Home/lease.pdf",)
    assert rent.capabilities == Capabilities(
        search=("content",), perception=("document_understanding",), reasoning=("lookup",)
    )
    assert photo.id == "3"
    assert voice.capabilities == Capabilities(search=("search",), perception=("perception",))
    assert photo.capabilities == Capabilities(perception=("image_understanding",))
    assert paid.capabilities == Capabilities()
    assert (mornings.qa_type, mornings.profiling_type) == ("profiling", "behavioural_patterns")
    assert [step.evidence_ids for step in mornings.rationale] == [("1", "2"), ("2",), ()]


def test_each_piece_of_evidence_has_its_file_and_place(data: HippoCampDataset) -> None:
    places = [
        [(e.file_path, str(e.locator), e.modality) for e in task.evidence]
        for task in data.tasks("adam")
    ]
    assert places == [
        [("Home/lease.pdf", "page:2", "document")],
        [("Voice/memo.wav", "time:1-3", "audio")],
        [("Photos/café.png", "file", "image")],
        [("Notes/to do.txt", "file", "text"), ("Home/lease.pdf", "file", "document")],
        [("Home/costs.xlsx", "cells:Rent!B3", "document")],
    ]
    reported = [(f.task_id, f.value) for f in found(data, "evidence-without-place")]
    assert reported == [("3", "1"), ("101", "1, 2")]


def _set(number: int, **fields: Any) -> Callable[[list[Json]], object]:
    return lambda records: records[number].update(fields)


def _piece(**fields: Any) -> Json:
    return {"evidence_id": "1", "evidence_locator": [], "evidence_text": "x", **fields}


@pytest.mark.parametrize(
    ("edit", "rule", "severity", "field"),
    [
        (_set(0, file_path=["adam/home/LEASE.pdf"]), "path-mended", "repaired", "file_path"),
        (_set(0, file_path=["Home/gone.pdf"]), "no-such-file", "error", "file_path"),
        (_set(0, id="2"), "repeated-id", "repaired", "id"),
        (_set(0, evidence=[_piece(evidence_locator="in a corner")]), "evidence-without-place",
         "warning", "evidence[0]"),
        (_set(3, evidence=[_piece(), _piece(evidence_id="2")], evidence_text_joined="",
              file_text=[]), "evidence-without-file", "warning", "evidence[0]"),
        (_set(0, file_path=[]), "evidence-without-file", "error", "evidence[0]"),
        (_set(0, evidence=[_piece(), _piece()]), "repeated-evidence-id", "repaired",
         "evidence[1]"),
        (_set(0, rationale=[{"evidence_id": ["9"], "rationale_text": ""}]), "no-such-evidence",
         "error", "rationale[0]"),
        (_set(0, agent_cap='{"search": [], "luck": ["much"]}'), "unknown-capability", "warning",
         "agent_cap"),
        (_set(3, profiling_type="Dreams"), "unknown-profiling-type", "warning",
         "profiling_type"),
    ],
)  # fmt: skip
def test_what_a_record_gets_wrong_is_reported_and_never_fatal(
    edit: Callable[[list[Json]], object],
    rule: str,
    severity: str,
    field: str,
    changed: Callable[..., HippoCampDataset],
    data: HippoCampDataset,
) -> None:
    known = {(f.task_id, f.field, f.rule) for f in data.findings("adam")}
    copy = changed(edit)
    new = [f for f in copy.findings("adam") if (f.task_id, f.field, f.rule) not in known]
    assert (rule, severity, field) in {(f.rule, f.severity, f.field) for f in new}
    assert len(copy.tasks("adam")) == 5
    assert len({task.id for task in copy.tasks("adam")}) == 5
    # However it was mended: what is written back is what was read.
    file = copy.folder / "Adam/Fullset/Adam.json"
    assert copy.annotations("adam") == file.read_bytes()


@pytest.mark.parametrize(
    ("written", "kind", "family"),
    [
        ("Behavioral Patterns", "behavioural_patterns", "behavioural_patterns"),
        ("behavioural-patterns", "behavioural_patterns", "behavioural_patterns"),
        ("Schedule Information", "scheduling", "scheduling"),
        ("scheduling", "scheduling", "scheduling"),
        ("PREFERENCES", "preferences", "preferences"),
        ("Retrospective_Reflections", "retrospective_reflections", "retrospective_reflections"),
        ("Workflow", "workflows", "workflows"),
        ("Dreams & Hopes", None, "dreams_hopes"),
        ("", None, "profiling"),
        (None, None, "profiling"),
    ],
)
def test_kinds_of_profiling_in_any_spelling(
    written: str | None, kind: str | None, family: str, changed: Callable[..., HippoCampDataset]
) -> None:
    task = changed(_set(3, profiling_type=written)).tasks("adam")[3]
    assert (task.qa_type, task.profiling_type, task.family) == ("profiling", kind, family)


def test_a_record_may_say_that_nothing_answers_it(
    changed: Callable[..., HippoCampDataset],
) -> None:
    task = changed(_set(0, answerable=False)).tasks("adam")[0]
    assert (task.answerable, task.family) == (False, "unanswerable")


def _without(field: str) -> Callable[[list[Json]], object]:
    return lambda records: records[1].pop(field)


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        *((_without(field), rf"field '{field}': it is missing")
          for field in ("id", "QA_type", "question", "answer", "file_path", "agent_cap",
                        "evidence", "rationale")),
        (_set(1, question=3), r"\(id '2'\), field 'question': '3' is not a text"),
        (_set(1, answer=None), r"field 'answer': 'None' is not a text"),
        (_set(1, answer=""), r"\(id '2'\), field 'answer': .*at least 1"),
        (_set(1, answer="\ud800"), r"\(id '2'\), field 'answer'"),
        (_set(1, QA_type="riddle"), r"field 'QA_type': 'riddle' is neither"),
        (_set(1, file_path=[3]), r"field 'file_path': '\[3\]' is not a list of texts"),
        (_set(1, file_path=["../x"]), r"field 'file_path': not a path inside a profile"),
        (_set(1, evidence="x"), r"field 'evidence': 'x' is not a list"),
        (_set(1, evidence=["x"]), r"field 'evidence\[0\]': 'x' is not an object"),
        (_set(1, evidence=[{"evidence_text": 3}]), r"field 'evidence\[0\]\.evidence_text': '3'"),
        (_set(1, rationale=[{"evidence_id": {}}]), r"field 'rationale\[0\]\.evidence_id'"),
        (_set(1, agent_cap=3), r"field 'agent_cap': '3' is not an object"),
        (_set(1, agent_cap={"search": 3}), r"field 'agent_cap\.search'"),
        (_set(1, answerable="no"), r"field 'answerable': 'no' is not true or false"),
    ],
)  # fmt: skip
def test_a_record_that_cannot_be_read_is_named_with_its_field(
    edit: Callable[[list[Json]], object], message: str, changed: Callable[..., HippoCampDataset]
) -> None:
    with pytest.raises(BadDataset, match=r"Adam\.json, record 1\b.*" + message):
        changed(edit).tasks("adam")


def test_missing_annotations_are_told(published: Path, tmp_path: Path) -> None:
    shutil.copytree(published / "Adam/Subset", tmp_path / "hc/Adam/Subset")
    (tmp_path / "hc/Adam/Subset/Adam_Subset.json").unlink()
    with pytest.raises(BadDataset, match=r"Adam_Subset\.json are missing; get them: deskgym"):
        HippoCampDataset(tmp_path / "hc").tasks("adam_subset")


# -- written back ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [f"hippocamp/{name}" for name in made.CONFIGS])
def test_annotations_are_written_back_byte_for_byte(name: str, data: HippoCampDataset) -> None:
    config = data.folder / _annotations(name)
    assert data.annotations(name) == config.read_bytes()
    assert data.annotations(name, data.tasks(name)) == config.read_bytes()


def _annotations(name: str) -> str:
    user, _, subset = name.partition("/")[2].partition("_")
    who = user.title()
    return f"{who}/Subset/{who}_Subset.json" if subset else f"{who}/Fullset/{who}.json"


def _evidence(task: Task, **fields: Any) -> dict[str, Any]:
    first = task.evidence[0]
    same = {"locator": str(first.locator), **first.model_dump(exclude={"locator"})}
    changed = Evidence(**{**same, **fields})
    return {"evidence": (changed, *task.evidence[1:])}


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda task: {"answer": "1 pound"}, {"answer": "1 pound"}),
        (lambda task: {"question": "Why?"}, {"question": "Why?"}),
        (lambda task: {"answerable": False}, {"answerable": False}),
        (lambda task: {"files": ()}, {"file_path": [], "file_number": 0, "file_modality": [],
                                      "file_type": []}),
        (lambda task: {"capabilities": Capabilities(search=("a",))},
         {"agent_cap": '{"search": ["a"], "evidence_perception": [], "reasoning": []}'}),
        (lambda task: _evidence(task, text="New."), {"evidence.0.evidence_text": "New."}),
        (lambda task: _evidence(task, locator="page:3"), {"evidence.0.evidence_locator": "page:3"}),
        (lambda task: {"rationale": ()}, {"rationale": []}),
    ],
)  # fmt: skip
def test_a_change_in_a_task_changes_that_field_and_no_other(
    change: Callable[[Task], dict[str, Any]], expected: Json, data: HippoCampDataset
) -> None:
    first, *rest = data.tasks("adam")
    edited = first.model_copy(update=change(first))
    records = json.loads(data.annotations("adam", [edited, *rest]))
    before = json.loads((data.folder / "Adam/Fullset/Adam.json").read_bytes())
    assert records[1:] == before[1:]
    wanted = dict(before[0])
    for field, value in expected.items():
        if field.startswith("evidence."):
            wanted["evidence"] = [{**wanted["evidence"][0], field.rpartition(".")[2]: value}]
        else:
            wanted[field] = value
    assert records[0] == wanted
    known = [key for key in records[0] if key in before[0]]
    assert known == list(before[0])


def test_what_a_record_says_besides_is_kept(data: HippoCampDataset) -> None:
    photo = data.tasks("adam")[2]
    written = record_of(photo.model_copy(update={"answer": "Blue"}))
    assert (written["id"], written["answer"]) == (3, "Blue")
    assert repr((written["float_score"], written["whole_score"])) == "(1.0, 1)"
    assert written["unheard_of"] == {"deep": [None, {"b": 1, "a": "x/y"}]}


def test_a_task_from_elsewhere_has_no_record() -> None:
    task = load_dataset("demo").tasks("adam")[0]
    with pytest.raises(ValueError, match="was not read from an annotation file"):
        record_of(task)
