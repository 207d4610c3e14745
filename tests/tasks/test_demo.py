"""The demo people as they ship: enough of everything, and gold that is where it says."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
import unicodedata
import zipfile
from collections import Counter
from datetime import UTC, timedelta
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, get_args

import pytest

from deskgym.tasks.demo import PEOPLE, DemoDataset
from deskgym.tasks.locators import Cells, Lines, Pages, Region, TimeSpan, WholeFile, cell_bounds
from deskgym.tasks.records import record_from_task, task_from_record
from deskgym.tasks.registry import UnknownProfile, dataset_names, load_dataset
from deskgym.tasks.schema import MODALITIES, Evidence, Profile, ProfilingType, Task
from deskgym.tasks.scoring.evidence import LOCATED_THRESHOLD, exposure_in_place
from deskgym.tools import registry as tools

DATA = Path(str(files("deskgym.tasks.demo"))) / "data"
DATASET = DemoDataset()
# Made by the package's own code; in the rest fonts, voices and encoders of the machine have a hand.
TEXTS = frozenset({"txt", "md", "eml", "ics", "vcf", "csv", "json", "html"})
OFFICE = frozenset({"docx", "xlsx", "pptx"})
PER_PERSON = pytest.mark.parametrize("name", PEOPLE)


@cache
def person(name: str) -> Profile:
    return DATASET.profile(name)


@cache
def tasks(name: str) -> tuple[Task, ...]:
    return DATASET.tasks(name)


def records(name: str) -> list[dict[str, Any]]:
    loaded: list[dict[str, Any]] = json.loads((DATA / name / "tasks.json").read_text("utf-8"))
    return loaded


def digests(folder: Path) -> dict[str, str]:
    return {
        f.relative_to(folder).as_posix(): hashlib.sha256(f.read_bytes()).hexdigest()
        for f in folder.rglob("*")
        if f.is_file()
    }


def members(file: Path) -> dict[str, bytes]:
    """What an office file holds, however it was packed."""
    with zipfile.ZipFile(file) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


# -- enough of everything --------------------------------------------------------------------------


@PER_PERSON
def test_files(name: str) -> None:
    found = person(name).files
    assert len(found) >= 45
    assert {f.modality for f in found} == set(MODALITIES)
    assert len({f.type for f in found}) >= 16
    assert len({f.path for f in found}) == len({f.id for f in found}) == len(found)


@PER_PERSON
def test_times_and_places(name: str) -> None:
    found = person(name).files
    assert all(f.created <= f.modified for f in found)
    assert all(f.latitude is not None and f.location for f in found)
    assert len({f.location for f in found}) > 1
    first, last = min(f.created for f in found), max(f.modified for f in found)
    assert last - first >= timedelta(days=730)
    assert len({f.created.year for f in found}) >= 3


def test_all_people_together_are_small() -> None:
    assert sum(f.size for name in PEOPLE for f in person(name).files) <= 25_000_000
    assert sum(f.stat().st_size for f in DATA.rglob("*") if f.is_file()) <= 25_000_000


@PER_PERSON
def test_tasks(name: str) -> None:
    found = tasks(name)
    assert len(found) >= 24
    facts = sum(t.qa_type == "factual_retention" for t in found) / len(found)
    assert 0.6 <= facts <= 0.72
    assert {t.profiling_type for t in found} == {None, *get_args(ProfilingType)}
    assert 1 <= sum(not t.answerable for t in found) <= len(found) // 4
    assert len({t.id for t in found}) == len({t.question for t in found}) == len(found)
    sizes = Counter(len(t.files) for t in found if t.answerable)
    assert sizes[1] >= 5
    assert sum(n for size, n in sizes.items() if size >= 3) >= 5
    kinds = Counter(len({e.modality for e in t.evidence}) for t in found if t.answerable)
    assert kinds[1] >= 5
    assert sum(n for count, n in kinds.items() if count > 1) >= 5
    assert {e.modality for t in found for e in t.evidence} == set(MODALITIES)
    assert {e.locator.kind for t in found for e in t.evidence} >= {
        "file", "page", "lines", "region", "time", "cells",
    }  # fmt: skip


@PER_PERSON
def test_every_task_is_whole(name: str) -> None:
    for task in tasks(name):
        assert task.rationale, task.id
        assert task.capabilities.search, task.id
        assert task.capabilities.reasoning, task.id
        if task.answerable:
            assert task.evidence, task.id
            assert task.capabilities.perception, task.id
            cited = {i for step in task.rationale for i in step.evidence_ids}
            assert cited == {e.evidence_id for e in task.evidence}, task.id
            assert {e.file_path for e in task.evidence} == set(task.files), task.id
        else:
            assert not task.evidence, task.id
            assert not task.files, task.id


# -- gold is where it says -------------------------------------------------------------------------


def units(*modalities: str) -> list[Any]:
    return [
        pytest.param(name, e, id=e.evidence_id)
        for name in PEOPLE
        for t in tasks(name)
        for e in t.evidence
        if not modalities or e.modality in modalities
    ]


@cache
def info(path: Path) -> dict[str, Any]:
    return dict(tools.info(path))


@cache
def duration(path: Path) -> float:
    command = ["ffprobe", "-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0"]
    return float(subprocess.run([*command, path], capture_output=True, check=True).stdout)


@pytest.mark.parametrize(("name", "unit"), units())
def test_a_locator_lies_within_its_file(name: str, unit: Evidence) -> None:
    path = person(name).root / unit.file_path
    record = next(f for f in person(name).files if f.path == unit.file_path)
    assert unit.modality == record.modality
    match unit.locator:
        case WholeFile():
            assert path.is_file()
        case Pages(end=end):
            assert end <= info(path)["pages"]
        case Lines(end=end):
            assert end <= info(path)["lines"]
        case Region(page=page):
            assert page <= info(path).get("pages", 1)
            assert unit.modality == "image" or info(path)["mime"] == "application/pdf"
        case TimeSpan(start_s=start, end_s=end):
            assert unit.modality in ("audio", "video")
            assert 0 <= start < end <= duration(path) + 0.05
        case Cells(sheet=sheet, range=cells):
            sizes = {s["name"]: (s["columns"], s["rows"]) for s in info(path)["sheets"]}
            _, _, column, row = cell_bounds(cells)
            assert column <= sizes[sheet][0]
            assert row <= sizes[sheet][1]
        case other:
            pytest.fail(f"no demo file has such a place: {other}")


def words(text: str) -> str:
    return " ".join(re.findall(r"\w+", unicodedata.normalize("NFC", text).casefold()))


@pytest.mark.parametrize(("name", "unit"), units("document", "text"))
def test_a_quote_stands_where_its_locator_says(name: str, unit: Evidence) -> None:
    path = person(name).root / unit.file_path
    match unit.locator:
        case Pages(start=start, end=end):
            result = tools.read_text(path, pages=(start, end), max_chars=200_000)
        case Lines(start=start, end=end):
            result = tools.read_text(path, lines=(start, end), max_chars=200_000)
        case Cells():
            cells = str(unit.locator).removeprefix("cells:")
            result = tools.read_text(path, cells=cells, max_chars=200_000)
        case Region():  # pixels: the kit's own tests look for ink there
            assert info(path)["mime"] == "application/pdf"
            return
        case _:  # a fact of the file's record
            record = next(f for f in person(name).files if f.path == unit.file_path)
            facts = " ".join(str(value) for value in record.model_dump(mode="json").values())
            assert words(unit.text) in words(facts)
            return
    said = "\n".join(segment.text for segment in result.segments)
    exact = words(unit.text) in words(said)
    # A cell's number may be written otherwise in the sheet (1200 for £1,200).
    assert exact or exposure_in_place(unit.text, said) >= LOCATED_THRESHOLD, said


def test_some_facts_are_not_to_be_read_as_text() -> None:
    for name in PEOPLE:
        kinds = {e.modality for t in tasks(name) for e in t.evidence}
        assert {"image", "audio", "video"} <= kinds


# -- records, cache --------------------------------------------------------------------------------


@PER_PERSON
def test_records_are_written_back_byte_for_byte(name: str) -> None:
    by_path = {f.path: f for f in person(name).files}
    for record in records(name):
        task = task_from_record(record, f"demo/{name}")
        assert json.dumps(record_from_task(task, by_path)) == json.dumps(record)


@PER_PERSON
def test_the_shipped_files_are_those_of_the_records(name: str) -> None:
    shipped = digests(DATA / name / "files")
    assert shipped == {f.path: f.sha256 for f in person(name).files}


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DESKGYM_CACHE", str(tmp_path))
    return tmp_path


def test_the_cache_holds_files_with_their_times_and_no_gold(own_cache: Path) -> None:
    profile = DATASET.profile("adam")
    assert profile.root.is_relative_to(own_cache)
    assert digests(profile.root) == {f.path: f.sha256 for f in profile.files}
    for record in profile.files:
        stat = (profile.root / record.path).stat()
        assert stat.st_mtime == record.modified.replace(tzinfo=UTC).timestamp()
        assert stat.st_mode & 0o777 == 0o644
    every = {p.name for p in own_cache.rglob("*")}
    assert every.isdisjoint({"tasks.json", "files.json", "person.json"})


@pytest.mark.parametrize("damage", ["cut", "missing", "touched", "added", "folder"])
def test_a_damaged_cache_is_made_again(own_cache: Path, damage: str) -> None:
    profile = DATASET.profile("bei")
    before = digests(profile.root)
    victim = profile.root / profile.files[5].path
    match damage:
        case "cut":
            victim.write_bytes(victim.read_bytes()[:-1])
        case "missing":
            victim.unlink()
        case "touched":
            os.utime(victim)
        case "added":
            (victim.parent / "tasks.json").write_text("[]")
        case _:
            victim.unlink()
            victim.mkdir()
    again = DATASET.profile("bei")
    assert again.root == profile.root
    assert digests(again.root) == before
    stat = (again.root / profile.files[5].path).stat()
    assert stat.st_mtime == profile.files[5].modified.replace(tzinfo=UTC).timestamp()


def test_an_intact_cache_is_used_as_it_is(own_cache: Path) -> None:
    first = DATASET.profile("adam").root.stat().st_ino
    assert DATASET.profile("demo/adam").root.stat().st_ino == first


# -- the data set ----------------------------------------------------------------------------------


def test_the_data_set_by_name() -> None:
    assert "demo" in dataset_names()
    dataset = load_dataset("demo")
    assert dataset.profiles() == ("demo/adam", "demo/bei", "demo/victoria")
    assert dataset.profile("adam") == dataset.profile("demo/adam")
    assert dataset.tasks("adam") == dataset.tasks("demo/adam")
    assert re.fullmatch(r"[0-9a-f]{64}", dataset.digest)
    with pytest.raises(UnknownProfile, match="did you mean 'adam'"):
        dataset.profile("adan")
    with pytest.raises(UnknownProfile, match="is of the data set 'hippocamp', and this is 'demo'"):
        dataset.tasks("hippocamp/adam")


# -- the script that makes them --------------------------------------------------------------------


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Adam, made twice, in processes of different hash seeds and zones."""
    outs = []
    for seed, zone in (("1", "UTC"), ("2", "Asia/Tokyo")):
        out = tmp_path_factory.mktemp("made")
        subprocess.run(
            [sys.executable, "-m", "deskgym.tasks.demo.make", "adam", "--out", str(out)],
            env=os.environ | {"PYTHONHASHSEED": seed, "TZ": zone},
            check=True,
            capture_output=True,
        )
        outs.append(out / "adam")
    return outs


def test_two_builds_agree(made: list[Path]) -> None:
    first, second = (digests(folder) for folder in made)
    assert len(first) > 45
    assert first == second


def test_the_shipped_data_is_what_the_script_makes(made: list[Path]) -> None:
    new, shipped = made[0] / "files", DATA / "adam" / "files"
    paths = [f.path for f in person("adam").files]
    assert sorted(digests(new)) == sorted(paths)
    same = {kind: [p for p in paths if p.rpartition(".")[2] in kind] for kind in (TEXTS, OFFICE)}
    assert len(same[TEXTS]) >= 20
    assert len(same[OFFICE]) >= 8
    assert [p for p in same[TEXTS] if (new / p).read_bytes() != (shipped / p).read_bytes()] == []
    assert [p for p in same[OFFICE] if members(new / p) != members(shipped / p)] == []
    assert json.loads((made[0] / "person.json").read_text("utf-8")) == json.loads(
        (DATA / "adam" / "person.json").read_text("utf-8")
    )
    # Places in pixels and sound may move with fonts and voices; questions and answers do not.
    fields = ("id", "question", "answer", "file_path", "rationale")
    remade = json.loads((made[0] / "tasks.json").read_text("utf-8"))
    assert [[r[f] for f in fields] for r in remade] == [
        [r[f] for f in fields] for r in records("adam")
    ]
