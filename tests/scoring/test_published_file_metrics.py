"""Our file metrics against the published definition, written down here once more on its own.

HippoCamp's evaluator compares, for each record, the set of files that the agent gave with the set
of gold files: precision = |both| / |given|, recall = |both| / |gold|, F1 their harmonic mean. A
record without gold files is skipped; one for which the agent gave nothing has 0 in all three. The
averages are over the records that were evaluated.
"""

from __future__ import annotations

import json
import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from made_runs import make_run
from typer.testing import CliRunner

from deskgym.cli.main import app
from deskgym.env.run_reader import iter_results
from deskgym.tasks.scoring import mean_file_scores

PATHS = (
    "notes/lease.txt", "notes/Lease.txt", "照片/北京 2024.jpg", "./notes/lease.txt", "a b/c&d.pdf",
    "mail/re: re.eml", "Ünïcode/é.txt", "Ünïcode/e\u0301.txt", "old.zip!/inner/letter.txt", "x",
)  # fmt: skip
RECORDS = 1_000


def reference(records: list[dict[str, Any]]) -> dict[str, Any]:
    """The published metrics in exact arithmetic, from gold and given files as they are written."""
    rows = []
    for record in records:
        gold, given = record["ground_file_list"], record["agent_file_list"]
        if gold is None or len(gold) == 0:
            continue
        common = len([path for path in set(gold) if path in (given or [])])
        precision = Fraction(common, len(set(given))) if given else Fraction(0)
        recall = Fraction(common, len(set(gold)))
        f1 = Fraction(0)
        if common:
            f1 = 2 / (1 / precision + 1 / recall)
        rows.append((precision, recall, f1))
    n = len(rows)
    return {
        "total_evaluated": n,
        "average_precision": float(sum(row[0] for row in rows) / n),
        "average_recall": float(sum(row[1] for row in rows) / n),
        "average_f1_score": float(sum(row[2] for row in rows) / n),
    }


def random_records(seed: int, count: int) -> list[dict[str, Any]]:
    """Records with duplicates, empty lists, nulls and paths of all kinds."""
    rng = random.Random(seed)

    def files(odds_of_none: float) -> list[str] | None:
        if rng.random() < odds_of_none:
            return None
        return rng.choices(PATHS, k=rng.choice((0, 1, 1, 2, 3, 6)))

    return [
        {
            "query_id": str(number),
            "question": "Which?",
            "answer": rng.choice(("this", "", None)),
            "ground_truth": "this",
            "ground_file_list": files(0.1),
            "agent_file_list": files(0.1),
            "time_ms": rng.choice((None, 0, 12.5, 90_000)),
        }
        for number in range(count)
    ]


def scored(file: Path) -> dict[str, Any]:
    result = CliRunner().invoke(app, ["score", str(file), "--json"])
    assert result.exit_code == 0, result.output
    groups: list[dict[str, Any]] = json.loads(result.stdout)["groups"]
    return dict(groups[-1]["files"])


def assert_published(found: dict[str, Any], expected: dict[str, Any]) -> None:
    assert found.pop("hit_rate") == pytest.approx(expected["average_recall"])
    assert found == pytest.approx(expected)


def test_a_thousand_random_records(tmp_path: Path) -> None:
    records = random_records(7, RECORDS)
    expected = reference(records)
    # The sample holds what it is to hold: records of every kind, and no trivial averages.
    assert 600 < expected["total_evaluated"] < 900
    assert 0.1 < expected["average_f1_score"] < 0.9
    assert any(r["ground_file_list"] and not r["agent_file_list"] for r in records)
    assert any(
        len(set(r["agent_file_list"] or [])) < len(r["agent_file_list"] or []) for r in records
    )
    file = tmp_path / "results.json"
    file.write_text(json.dumps(records, ensure_ascii=False), encoding="utf-8")
    assert_published(scored(file), expected)


@pytest.mark.parametrize("seed", range(20))
def test_each_of_a_few_records_weighs(tmp_path: Path, seed: int) -> None:
    records = random_records(seed, 3)
    records.append({**records[0], "ground_file_list": ["x"]})
    file = tmp_path / "results.jsonl"
    file.write_text("".join(json.dumps(r) + "\n" for r in records), encoding="utf-8")
    assert_published(scored(file), reference(records))


def test_the_names_of_the_published_evaluator_are_read_too(tmp_path: Path) -> None:
    records = random_records(11, 50)
    renamed = [
        {
            "query_id": r["query_id"],
            "query": r["question"],
            "answer": r["answer"],
            "ground_truth": r["ground_truth"],
            "file_list": r["ground_file_list"],
            "retrieved_file_list": r["agent_file_list"],
            "execution_time_ms": r["time_ms"],
        }
        for r in records
    ]
    file = tmp_path / "summary.json"
    file.write_text(json.dumps({"results": renamed}), encoding="utf-8")
    assert_published(scored(file), reference(records))


@pytest.mark.parametrize("files", ["cited", "touched"])
def test_an_exported_run_has_the_file_metrics_of_the_run(tmp_path: Path, files: str) -> None:
    run = make_run(tmp_path / "run", episodes=120, agents=("a", "b"))
    out = tmp_path / "batch.json"
    arguments = ["export", str(run), "--format", "hippocamp", "--out", str(out), "--files", files]
    assert CliRunner().invoke(app, arguments).exit_code == 0
    name = f"files_{files}"
    own = mean_file_scores(getattr(result.scores, name) for result in iter_results(run))
    assert own is not None
    assert 0 < own.f1 < 1
    found = scored(out)
    assert found["average_precision"] == pytest.approx(own.precision)
    assert found["average_recall"] == pytest.approx(own.recall)
    assert found["average_f1_score"] == pytest.approx(own.f1)
    # And the reference, which stands for the published evaluator, says so of our file.
    assert_published(found, reference(json.loads(out.read_text(encoding="utf-8"))))
