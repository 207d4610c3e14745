"""What difficulty is measured against."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import hippocamp_made as made
import pytest
from env_fakes import FakeDataset, make_task

from deskgym.agents.rollout import scale_of
from deskgym.tasks.hippocamp import HippoCampDataset
from deskgym.tasks.scoring.difficulty import difficulty_scale, task_features


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DESKGYM_CACHE", str(tmp_path / "cache"))


def test_all_tasks_of_all_people_count() -> None:
    tasks = [make_task(n, question="What? " * n) for n in range(1, 5)]
    dataset: Any = FakeDataset({"demo/ann": tasks[:2], "demo/bob": tasks[2:]})
    assert scale_of(dataset) == difficulty_scale(task_features(task, {}) for task in tasks)


def counted(data: HippoCampDataset, names: list[str]) -> Any:
    """The scale over the tasks of these people alone."""
    features = []
    for name in names:
        files = {record.path: record for record in data.profile(name).files}
        features += [task_features(task, files) for task in data.tasks(name)]
    return difficulty_scale(features)


def test_a_subset_does_not_count_beside_the_full_set_and_is_not_even_read(tmp_path: Path) -> None:
    folder = made.make(tmp_path / "HippoCamp")
    data = HippoCampDataset(folder)
    for subset in folder.glob("*/Subset"):
        shutil.rmtree(subset / f"{subset.parent.name}_Subset")
    full = [name for name in data.profiles() if not name.endswith("_subset")]
    assert len(full) == 3
    assert scale_of(data) == counted(HippoCampDataset(folder), full)


def test_where_there_is_no_full_set_the_subset_counts(tmp_path: Path) -> None:
    folder = made.make(tmp_path / "HippoCamp")
    shutil.rmtree(folder / "Bei" / "Fullset")
    data = HippoCampDataset(folder)
    assert scale_of(data) == counted(
        data, ["hippocamp/adam", "hippocamp/bei_subset", "hippocamp/victoria"]
    )
