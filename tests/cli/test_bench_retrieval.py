"""`deskgym bench retrieval`: rankings beside each other; with a real embedder, that both together
are no worse than the better of the two."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from env_fakes import make_task
from rich.console import Console
from tiny_embedder import write_model
from typer.testing import CliRunner

from deskgym.agents.rag.embed import BadEmbedder, embedder_config
from deskgym.agents.rag.retriever import retrieval_config
from deskgym.bench_retrieval import Recall, measure, speed_table, table, total
from deskgym.cli.main import app
from deskgym.tasks.registry import load_dataset
from deskgym.tasks.schema import Evidence, FileRecord, Profile, Task

SHARED = Path(os.environ.get("DESKGYM_SHARED") or Path(__file__).parents[3] / "shared")
RHELM = SHARED / "data" / "rhelm"
ASKED = os.environ.get("DESKGYM_REAL_EMBEDDER", "")
FILES = {
    "Conversations/2024-01-02.md": "# Tuesday\n\n## Turn 1\nThe zinc heron sleeps.",
    "Mail/1.txt": "The lamp cost 40 euros.",
}


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not ASKED:  # else what was embedded is kept for the next time
        monkeypatch.setenv("DESKGYM_CACHE", str(tmp_path / "cache"))


class Made:
    """A data set of two people with equal files, called ``name``."""

    def __init__(self, root: Path, name: str) -> None:
        self.name = name
        records = []
        for number, (path, text) in enumerate(FILES.items(), 1):
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, encoding="utf-8")
            day = datetime(2024, 1, 2)
            records.append(
                FileRecord(
                    id=number, path=path, type="md", modality="text", size=len(text),
                    sha256="0" * 64, created=day, modified=day,
                )
            )  # fmt: skip
        self._files, self._root = tuple(records), root

    def profile(self, name: str) -> Profile:
        return Profile(id=name, user="A", root=self._root, files=self._files, digest="f" * 64)

    def tasks(self, name: str) -> tuple[Task, ...]:
        talk, mail = FILES
        heron = _unit("e1", talk, "lines:3-4", "The zinc heron sleeps.")
        lamp = _unit("e2", mail, "file", "The lamp cost 40 euros.")
        ann = (_task(1, "zinc heron", heron),)
        return ann if name == "made/ann" else (*ann, _task(2, "zinc heron", heron, lamp))


def _unit(name: str, path: str, locator: str, text: str) -> Evidence:
    return Evidence(evidence_id=name, file_path=path, modality="text", locator=locator, text=text)


def _task(number: int, question: str, *units: Evidence) -> Task:
    files = tuple(unit.file_path for unit in units)
    return make_task(number, question=question, files=files, evidence=units, rationale=())


def _rows(data: Any, embedder: str | None = None) -> list[Recall]:
    config = retrieval_config({"embedder": embedder})
    return [row for name in ("made/ann", "made/bob") for row in measure(data, name, config, (1,))]


def test_all_people_together_are_averaged_over_tasks(tmp_path: Path) -> None:
    rows = _rows(Made(tmp_path, "made"))
    (every,) = total(rows)
    found = [(row.group, len(row.tasks), row.evidence(1)) for row in (*rows, every)]
    assert found == [
        ("made/ann", 1, 1.0),
        ("made/bob", 2, pytest.approx(0.75)),
        ("all", 3, pytest.approx(2.5 / 3)),
    ]
    assert every.as_json((1,))["evidence_recall"] == {"1": pytest.approx(2.5 / 3)}
    assert (every.chunks, every.files(1)) == (6, pytest.approx(2.5 / 3))


def test_without_external_sources_there_are_conversations_and_their_tasks_alone(
    tmp_path: Path,
) -> None:
    rows = _rows(Made(tmp_path, "rhelm"))
    found = [(row.group, row.sources, len(row.tasks), row.chunks) for row in rows]
    assert found == [
        ("made/ann", "with external", 1, 3),
        ("made/ann", "without external", 1, 2),
        ("made/bob", "with external", 2, 3),
        ("made/bob", "without external", 1, 2),
    ]
    assert [row.evidence(1) for row in total(rows)] == [pytest.approx(2.5 / 3), 1.0]


def test_rankings_stand_beside_each_other(tmp_path: Path) -> None:
    rows = _rows(Made(tmp_path, "rhelm"), str(write_model(tmp_path / "tiny")))
    longest = replace(rows[0], group=f"rhelm/{'x' * 30}", chunks=12_345)
    rows += [longest, *(replace(longest, ranking=one) for one in ("dense", "hybrid"))]
    console = Console(width=130, record=True, file=(tmp_path / "out").open("w"))
    console.print(table([*rows, *total(rows)], (1,)))
    console.print(speed_table(rows, 100.0, (1,)))
    text = console.export_text()
    lines = text.splitlines()
    assert [line.split()[0] for line in lines if line.strip().startswith("made/")] == [
        "made/ann",
        "made/bob",
    ] * 2
    for word in ("bm25", "dense", "hybrid", "without external sources", "chunks/s", "queries/s"):
        assert word in text
    assert longest.group in text
    assert "12,345" in text
    assert "…" not in text


def test_the_command_measures_a_person_for_a_script(tmp_path: Path) -> None:
    folder = write_model(tmp_path / "tiny")
    arguments = ["bench", "retrieval", "demo/adam", "--embedder", str(folder), "--json"]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    made = json.loads(result.stdout)
    assert [row["ranking"] for row in made["rows"]] == ["bm25", "dense", "hybrid"]
    for row in made["rows"]:
        shares = [row["evidence_recall"][k] for k in ("5", "20", "50")]
        assert 0 <= shares[0] <= shares[1] <= shares[2] <= 1
        assert row["queries_per_s"] > 0
    assert made["rows"][0]["evidence_recall"]["50"] > 0.5
    assert made["embedded_per_s"] > 0


@pytest.mark.parametrize(
    ("options", "told"),
    [(["--embedder", "nowhere"], "no embedder"), (["--chunking", "page"], "chunking")],
)
def test_options_that_do_not_fit_are_wrong_usage(options: list[str], told: str) -> None:
    result = CliRunner().invoke(app, ["bench", "retrieval", "demo/adam", *options])
    assert result.exit_code == 2
    assert told in result.output


@pytest.mark.skipif(not ASKED, reason="DESKGYM_REAL_EMBEDDER=1 asks for it; it takes minutes")
@pytest.mark.timeout(7200)
def test_hybrid_is_no_worse_than_the_better_of_the_two_on_rhelm() -> None:
    """Two people; all ten with DESKGYM_REAL_EMBEDDER=all."""
    if not RHELM.is_dir():
        pytest.skip(f"{RHELM} is not there (see DESKGYM_SHARED), so RHELM WAS NOT MEASURED")
    try:
        embedder_config("minilm-int8")
    except BadEmbedder as error:
        pytest.skip(f"{error}, so RHELM WAS NOT MEASURED")
    data = load_dataset("rhelm", path=str(RHELM))
    people = data.profiles() if ASKED == "all" else ("rhelm/elena_morales", "rhelm/jonas_richter")
    config = retrieval_config({"embedder": "minilm-int8"})
    rows = total([row for name in people for row in measure(data, name, config)])
    for sources in ("with external", "without external"):
        recall = {row.ranking: row.evidence(20) or 0.0 for row in rows if row.sources == sources}
        assert recall["hybrid"] >= max(recall["bm25"], recall["dense"]), (sources, recall)
