"""HippoCamp in its published layout: what loads, what is reported, and that nothing is lost."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import hippocamp_made as made
import openpyxl
import pytest

import deskgym
from deskgym.agents.base import TaskView
from deskgym.agents.oracle import OracleAgent
from deskgym.tasks.findings import Finding
from deskgym.tasks.hippocamp import HippoCampDataset
from deskgym.tasks.registry import BadDataset, DatasetMissing, UnknownProfile, load_dataset

IDS = tuple(f"hippocamp/{name}" for name in made.CONFIGS)
EACH = pytest.mark.parametrize("name", IDS)


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


def found(data: HippoCampDataset, rule: str, name: str = "adam") -> list[Finding]:
    return [finding for finding in data.findings(name) if finding.rule == rule]


# -- people ----------------------------------------------------------------------------------------


def test_all_six_configurations_are_there(data: HippoCampDataset) -> None:
    assert data.profiles() == IDS


@EACH
def test_each_loads_and_its_files_are_used_where_they_lie(
    name: str, data: HippoCampDataset, published: Path
) -> None:
    profile, tasks = data.profile(name), data.tasks(name)
    subset = name.endswith("_subset")
    assert len(profile.files) == (len(made.SUBSET) if subset else len(made.FULL) + 3)
    assert len(tasks) == (4 if subset else 5)
    assert {task.profile_id for task in tasks} == {name}
    assert profile.root.is_relative_to(published)
    for file in profile.files:
        content = (profile.root / file.path).read_bytes()
        assert (file.size, file.sha256) == (len(content), hashlib.sha256(content).hexdigest())
    paths = {file.path for file in profile.files}
    assert all(path in paths for task in tasks for path in task.files)


@EACH
def test_nothing_but_raw_files_lies_in_a_desk(name: str, data: HippoCampDataset) -> None:
    profile = data.profile(name)
    lying = {p.relative_to(profile.root).as_posix() for p in profile.root.rglob("*") if p.is_file()}
    assert lying == {file.path for file in profile.files}
    assert not any(path.endswith((".json", "_Subset.xlsx", "_files.xlsx")) for path in lying)
    joined = b"".join((profile.root / path).read_bytes() for path in lying)
    assert b"evidence_locator" not in joined


@pytest.mark.parametrize(
    "other", ["adam", "adam_fullset", "hippocamp/adam_fullset", "hippocamp/adam"]
)
def test_the_full_set_has_two_names(other: str, data: HippoCampDataset) -> None:
    assert data.profile(other).id == "hippocamp/adam"
    assert data.tasks(other) == data.tasks("adam")
    assert data.profile(other).digest != data.profile("adam_subset").digest


def test_a_task_is_asked_of_its_own_profile(data: HippoCampDataset) -> None:
    (task, *_) = data.tasks("bei_subset")
    assert data.profile_for(task).id == "hippocamp/bei_subset"


def test_times_and_places_are_the_sheets(data: HippoCampDataset) -> None:
    files = {file.path: file for file in data.profile("adam").files}
    lease, costs, photo = (files[made.FULL[n]] for n in (0, 1, 4))
    # As text, and as a date of the spreadsheet.
    assert (lease.created, lease.modified) == (
        datetime(2024, 3, 5, 14, 30), datetime(2024, 4, 5, 8),
    )  # fmt: skip
    assert (costs.created, costs.modified) == (
        datetime(2024, 3, 6, 14, 30), datetime(2024, 4, 6, 8),
    )  # fmt: skip
    assert (photo.latitude, photo.longitude, photo.location) == made.PLACE
    assert (lease.latitude, lease.longitude, lease.location) == (None, None, None)
    assert (photo.type, photo.modality) == ("png", "image")


def test_a_file_that_no_sheet_lists_is_reported_and_junk_is_not(data: HippoCampDataset) -> None:
    assert [f.field for f in found(data, "file-not-in-sheet")] == [made.UNLISTED]
    assert found(data, "file-not-in-sheet", "adam_subset") == []
    paths = {file.path for file in data.profile("adam").files}
    assert {made.UNLISTED, *made.JUNK} <= paths


def test_digests_change_with_what_they_stand_for(
    data: HippoCampDataset, published: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(published, copy)
    again = HippoCampDataset(copy)
    assert again.digest == data.digest
    assert again.profile("adam_subset").digest == data.profile("adam_subset").digest
    note = copy / "Adam/Subset/Adam_Subset/Notes/to do.txt"
    note.write_text(made.TODO + "More\n", encoding="utf-8")
    edited = HippoCampDataset(copy)
    assert edited.digest != data.digest
    assert edited.profile("adam_subset").digest != data.profile("adam_subset").digest
    assert edited.profile("bei_subset").digest == data.profile("bei_subset").digest


# -- what is there, and what is not ----------------------------------------------------------------


def test_a_copy_with_some_configurations_is_fine(published: Path, tmp_path: Path) -> None:
    shutil.copytree(published / "Bei/Subset", tmp_path / "hc/Bei/Subset")
    data = HippoCampDataset(tmp_path / "hc")
    assert data.profiles() == ("hippocamp/bei_subset",)
    assert len(data.tasks("bei_subset")) == 4
    with pytest.raises(UnknownProfile, match=r"hippocamp/adam is not in the copy .*datasets fetch"):
        data.profile("adam")
    with pytest.raises(UnknownProfile, match=r"did you mean 'bei_subset'"):
        data.profile("bei_subset2")
    with pytest.raises(UnknownProfile, match="of the data set 'demo'"):
        data.tasks("demo/adam")


def test_the_folder_above_will_do(published: Path) -> None:
    assert HippoCampDataset(published.parent).profiles() == IDS


def test_no_copy_says_how_to_get_one(tmp_path: Path) -> None:
    with pytest.raises(DatasetMissing, match="deskgym datasets fetch hippocamp"):
        HippoCampDataset(tmp_path / "nowhere")
    with pytest.raises(DatasetMissing, match=r"none of HippoCamp's people.*datasets fetch"):
        HippoCampDataset(tmp_path)


def test_it_loads_by_name(published: Path) -> None:
    assert load_dataset("hippocamp", path=str(published)).profiles() == IDS


@pytest.mark.parametrize(
    ("harm", "message"),
    [
        (lambda file: file.unlink(), r"sheet .*Adam_files\.xlsx is missing; get it: deskgym"),
        (lambda file: file.write_bytes(b"not a zip"), r"Adam_files\.xlsx cannot be read as a work"),
        (lambda file: file.write_bytes(file.read_bytes()[:900]), r"cannot be read as a workbook"),
        (lambda file: openpyxl.Workbook().save(file), r"has no column FilePath"),
    ],
    ids=["missing", "no workbook", "torn", "empty"],
)
def test_a_bad_sheet_is_told(
    harm: Callable[[Path], object], message: str, published: Path, tmp_path: Path
) -> None:
    shutil.copytree(published / "Adam", tmp_path / "hc/Adam")
    harm(tmp_path / "hc/Adam/Fullset/Adam_files.xlsx")
    data = HippoCampDataset(tmp_path / "hc")
    with pytest.raises(BadDataset, match=message):
        data.profile("adam")
    assert data.profile("adam_subset").user == "Adam"


def test_what_a_sheet_gets_wrong_is_reported(published: Path, tmp_path: Path) -> None:
    shutil.copytree(published / "Adam", tmp_path / "hc/Adam")
    made.make_sheet(
        tmp_path / "hc/Adam/Fullset/Adam_files.xlsx",
        ["Adam\\Home\\lease.pdf", "./Home/costs.xlsx", "to do.txt", "Mail/KEYS.eml", "gone.txt"],
        [
            ["Photos/café.png", "png", "soon", 45356.5, 91, "x", "Rome"],
            ["Home/lease.pdf", "pdf", "2020-01-01", "2020/01/02 03:04:05"],
        ],
    )
    data = HippoCampDataset(tmp_path / "hc")
    files = {file.path: file for file in data.profile("adam").files}
    assert [f.value for f in found(data, "row-without-file")] == ["gone.txt"]
    assert {f.value for f in found(data, "bad-cell")} == {"soon", "91", "x"}
    # The row that names the file in full counts, whatever comes first.
    assert [f.value for f in found(data, "repeated-row")] == ["Adam\\Home\\lease.pdf"]
    assert files["Home/lease.pdf"].created == datetime(2020, 1, 1)
    assert files["Home/lease.pdf"].modified == datetime(2020, 1, 2, 3, 4, 5)
    assert files["Photos/café.png"].modified == datetime(2024, 3, 5, 12)
    assert files["Photos/café.png"].created == datetime(2024, 3, 5, 12)
    assert files["Photos/café.png"].location == "Rome"
    # By another separator, a folder in front, its bare name, in another case.
    for path in ("Home/costs.xlsx", "Notes/to do.txt", "Mail/keys.eml"):
        assert files[path].created.year == 2024


def test_columns_are_known_by_other_names_too(published: Path, tmp_path: Path) -> None:
    shutil.copytree(published / "Adam/Subset", tmp_path / "hc/Adam/Subset")
    book = openpyxl.Workbook()
    book.active.append(["Files of Adam"])
    book.active.append(["Modification Date", "Lat", "LON", "file_path", "Created"])
    book.active.append(["2024-04-05T08:00:00Z", "51.5", "-0.1", "Photos/café.png", "2024.3.5"])
    book.save(tmp_path / "hc/Adam/Subset/Adam_Subset.xlsx")
    files = {f.path: f for f in HippoCampDataset(tmp_path / "hc").profile("adam_subset").files}
    photo = files["Photos/café.png"]
    assert (photo.created, photo.modified) == (datetime(2024, 3, 5), datetime(2024, 4, 5, 8))
    assert (photo.latitude, photo.longitude) == (51.5, -0.1)


def test_a_link_that_leads_out_is_left_out_and_told(published: Path, tmp_path: Path) -> None:
    shutil.copytree(published / "Adam/Subset", tmp_path / "hc/Adam/Subset")
    secret = tmp_path / "secret.txt"
    secret.write_text("x", encoding="utf-8")
    root = tmp_path / "hc/Adam/Subset/Adam_Subset"
    (root / "out.txt").symlink_to(secret)
    (root / "in.txt").symlink_to("Notes/to do.txt")
    data = HippoCampDataset(tmp_path / "hc")
    paths = {file.path for file in data.profile("adam_subset").files}
    assert "in.txt" in paths
    assert "out.txt" not in paths
    (finding,) = found(data, "file-left-out", "adam_subset")
    assert (finding.field, finding.severity) == ("out.txt", "error")


# -- in a desk -------------------------------------------------------------------------------------


@pytest.mark.docker
@pytest.mark.usefixtures("desk_image", "docker_client")
def test_the_oracle_walks_a_subset_in_a_real_desk(published: Path) -> None:
    data = HippoCampDataset(published)
    tasks = data.tasks("adam_subset")
    agent = OracleAgent(tasks)
    env = deskgym.make("hippocamp", profile="adam_subset", dataset_options={"path": str(published)})
    try:
        for task in tasks:
            observation, _ = env.reset(seed=1, task=task.id)
            agent.reset(TaskView(task.id, task.profile_id, task.question), frozenset(env.tools))
            ended = False
            while not ended:
                observation, _, terminated, truncated, _ = env.step(agent.act(observation))
                ended = terminated or truncated
            assert env.result is not None
            assert env.result.scores.files_cited.recall == 1.0
            assert env.result.scores.answer.exact_match == 1.0
            assert env.result.scores.evidence.exposed_recall == 1.0
        env.reset(seed=1, task=tasks[0].id)
        told = env.step({"tool": "metadata", "path": "Photos/café.png"})[0]
        assert "2024-03-07T14:30" in told["text"]
        assert "London, UK" in told["text"]
    finally:
        env.close()
