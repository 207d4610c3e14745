"""What a crash, a full disk or a second start does to a run's folder."""

from __future__ import annotations

import json
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest

from deskgym.env.actions import ListFiles
from deskgym.env.run_reader import (
    TrajectoryError,
    read_config,
    read_episode,
    read_results,
    safe_name,
)
from deskgym.env.trajectory import (
    AnswerScores,
    EpisodeEnd,
    EpisodeResult,
    EpisodeStart,
    RunConfig,
    Scores,
    StepEvent,
)
from deskgym.env.trajectory_log import RunFolder
from deskgym.tasks.schema import Capabilities
from deskgym.tasks.scoring.models import DifficultyFeatures

NOW = datetime(2025, 1, 2, 3, 4, 5, tzinfo=UTC)
CONFIG = RunConfig(
    deskgym_version="0",
    dataset="demo",
    dataset_digest="d",
    profiles=("demo/victoria", "demo/adam"),
    tasks=("t1", "t2", "t10"),
    agents=("oracle", "null"),
    tools=("terminal",),
    max_steps=10,
    reward="sparse",
    seed=0,
    sandbox="docker",
    image_digest="i",
    started=NOW,
)
SCORES = Scores(
    answer=AnswerScores(
        score=1, exact_match=1, token_f1=1, rouge_l=1, number_match=None, abstained=False
    ),
    files_cited=None,
    files_touched=None,
    evidence=None,
)
FEATURES = DifficultyFeatures(**dict.fromkeys(DifficultyFeatures.model_fields, 1.0))
START = EpisodeStart(
    task_id="t1",
    profile_id="demo/adam",
    question="Where?",
    tools=("terminal",),
    max_steps=10,
    seed=None,
    agent="null",
    started=NOW,
)
END = EpisodeEnd(
    ended="answered", answer="There", coverage=(), scores=SCORES, rewards={}, finished=NOW
)


def step(number: int, text: str = "") -> StepEvent:
    return StepEvent(
        step=number,
        action=ListFiles(),
        family="search",
        ok=True,
        duration_s=0,
        bytes_out=0,
        bytes_kept=0,
        text=text,
    )


def result(task: str, agent: str = "null", profile: str = "demo/adam") -> EpisodeResult:
    return EpisodeResult(
        task_id=task,
        profile_id=profile,
        agent=agent,
        qa_type="factual_retention",
        profiling_type=None,
        answerable=True,
        family="factual_retention",
        capabilities=Capabilities(),
        features=FEATURES,
        ended="answered",
        steps=1,
        invalid_actions=0,
        question="Where?\nLine\u2028two",
        answer="There",
        gold_answer="There",
        cited_files=(),
        touched_files=(),
        gold_files=(),
        coverage=(),
        scores=SCORES,
        rewards={},
    )


@contextmanager
def file_size_limit(size: int) -> Iterator[None]:
    """Writes beyond ``size`` bytes into any one file fail, after a first part that fits."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


class TestRunFolder:
    def test_what_is_written_is_read_back(self, tmp_path: Path) -> None:
        with RunFolder.create(tmp_path / "runs" / "x", CONFIG) as run:
            run.append_result(result("t1"))
            run.append_result(result("t2"))
        assert read_config(run.path) == CONFIG
        assert read_results(run.path) == [result("t1"), result("t2")]

    def test_create_does_not_overwrite(self, tmp_path: Path) -> None:
        RunFolder.create(tmp_path, CONFIG).close()
        with pytest.raises(TrajectoryError, match="already holds a run"):
            RunFolder.create(tmp_path, CONFIG)

    def test_open_tells_what_is_finished(self, tmp_path: Path) -> None:
        with RunFolder.create(tmp_path, CONFIG) as run:
            run.append_result(result("t1"))
        with RunFolder.open(tmp_path) as run:
            assert run.finished() == {("null", "demo/adam", "t1")}
            run.append_result(result("t2"))
        assert len(read_results(tmp_path)) == 2

    @pytest.mark.parametrize("torn", [b'{"format_version":1,"task_', b"\0\0\0\n", b"{"])
    def test_a_torn_last_line_is_passed_over_and_then_cut(
        self, tmp_path: Path, torn: bytes
    ) -> None:
        with RunFolder.create(tmp_path, CONFIG) as run:
            run.append_result(result("t1"))
        file = tmp_path / "results.jsonl"
        whole = file.read_bytes()
        file.write_bytes(whole + torn)
        assert read_results(tmp_path) == [result("t1")]
        with RunFolder.open(tmp_path) as run:
            assert run.finished() == {("null", "demo/adam", "t1")}
        assert file.read_bytes() == whole

    def test_a_file_that_is_all_torn(self, tmp_path: Path) -> None:
        RunFolder.create(tmp_path, CONFIG).close()
        (tmp_path / "results.jsonl").write_bytes(b'{"a')
        with RunFolder.open(tmp_path) as run:
            assert run.finished() == set()
        assert (tmp_path / "results.jsonl").read_bytes() == b""

    def test_a_damaged_line_inside_is_named_and_kept(self, tmp_path: Path) -> None:
        with RunFolder.create(tmp_path, CONFIG) as run:
            run.append_result(result("t1"))
        file = tmp_path / "results.jsonl"
        file.write_bytes(b'{"no": "result"}\n' + file.read_bytes())
        before = file.read_bytes()
        with pytest.raises(TrajectoryError, match=r"results\.jsonl, line 1"):
            RunFolder.open(tmp_path)
        assert file.read_bytes() == before

    def test_one_result_an_episode(self, tmp_path: Path) -> None:
        with RunFolder.create(tmp_path, CONFIG) as run:
            run.append_result(result("t1"))
            with pytest.raises(TrajectoryError, match="has a result already"):
                run.append_result(result("t1"))
            run.append_result(result("t1", agent="oracle"))

    def test_no_run(self, tmp_path: Path) -> None:
        with pytest.raises(TrajectoryError, match="there is no run"):
            RunFolder.open(tmp_path)

    def test_another_format(self, tmp_path: Path) -> None:
        RunFolder.create(tmp_path, CONFIG).close()
        data = json.loads((tmp_path / "run.json").read_text())
        (tmp_path / "run.json").write_text(json.dumps({**data, "format_version": 99}))
        with pytest.raises(TrajectoryError, match="format version 99"):
            RunFolder.open(tmp_path)

    def test_a_resumed_run_ends_with_the_same_file(self, tmp_path: Path) -> None:
        wanted = [
            ("oracle", "demo/victoria", "t2"),
            ("oracle", "demo/adam", "t1"),
            ("null", "demo/victoria", "t10"),
            ("null", "demo/adam", "t2"),
            ("null", "demo/adam", "t10"),
        ]
        contents = []
        for name, order in (("unbroken", wanted), ("resumed", wanted[::-1])):
            with RunFolder.create(tmp_path / name, CONFIG) as run:
                for agent, profile, task in order[:2]:
                    run.append_result(result(task, agent, profile))
            with RunFolder.open(tmp_path / name) as run:
                for agent, profile, task in order[2:]:
                    run.append_result(result(task, agent, profile))
                run.complete()
            contents.append((tmp_path / name / "results.jsonl").read_bytes())
        assert contents[0] == contents[1]
        results = read_results(tmp_path / "resumed")
        assert [(r.agent, r.profile_id, r.task_id) for r in results] == wanted

    def test_results_can_be_added_after_completion(self, tmp_path: Path) -> None:
        with RunFolder.create(tmp_path, CONFIG) as run:
            run.append_result(result("t2"))
            run.complete()
            run.append_result(result("t1"))
            run.complete()
        assert [r.task_id for r in read_results(tmp_path)] == ["t1", "t2"]


class TestEpisode:
    def test_events_are_read_back(self, tmp_path: Path) -> None:
        events = [START, step(1, "one\ntwo\u2028three"), END]
        with RunFolder.create(tmp_path, CONFIG) as run:
            with run.episode("null", "demo/adam", "t1") as log:
                for event in events:
                    log.write(event)
            assert log.path == tmp_path / "episodes" / "null" / "adam" / "t1.jsonl"
        assert read_episode(log.path) == events

    def test_a_second_attempt_replaces_an_unfinished_one(self, tmp_path: Path) -> None:
        with RunFolder.create(tmp_path, CONFIG) as run:
            with run.episode("null", "demo/adam", "t1") as log:
                log.write(START)
                log.write(step(1))
            with run.episode("null", "demo/adam", "t1") as log:
                log.write(START)
        assert read_episode(log.path) == [START]

    def test_a_finished_one_is_not_replaced(self, tmp_path: Path) -> None:
        with RunFolder.create(tmp_path, CONFIG) as run:
            with run.episode("null", "demo/adam", "t1") as log:
                log.write(START)
            run.append_result(result("t1"))
            with pytest.raises(TrajectoryError, match="is finished"):
                run.episode("null", "demo/adam", "t1")
        assert read_episode(log.path) == [START]

    def test_a_torn_event_is_passed_over(self, tmp_path: Path) -> None:
        with (
            RunFolder.create(tmp_path, CONFIG) as run,
            run.episode("null", "demo/adam", "t1") as log,
        ):
            log.write(START)
        with log.path.open("ab") as stream:
            stream.write(b'{"event":"st')
        assert read_episode(log.path) == [START]

    def test_no_log(self, tmp_path: Path) -> None:
        with pytest.raises(TrajectoryError, match="no episode log"):
            read_episode(tmp_path / "t1.jsonl")

    def test_a_closed_log_takes_nothing(self, tmp_path: Path) -> None:
        with RunFolder.create(tmp_path, CONFIG) as run:
            log = run.episode("null", "demo/adam", "t1")
            log.close()
            with pytest.raises(TrajectoryError, match="is closed"):
                log.write(START)


class TestFullDisk:
    def test_no_space(self, tmp_path: Path) -> None:
        with RunFolder.create(tmp_path, CONFIG) as run:
            path = run.episode_path("null", "demo/adam", "t1")
            path.parent.mkdir(parents=True)
            path.symlink_to("/dev/full")
            with (
                run.episode("null", "demo/adam", "t1") as log,
                pytest.raises(TrajectoryError, match=r"t1\.jsonl: No space left on device"),
            ):
                log.write(START)

    def test_what_was_written_is_kept_and_the_torn_line_cut(self, tmp_path: Path) -> None:
        with RunFolder.create(tmp_path, CONFIG) as run:
            run.append_result(result("t1"))
            file = tmp_path / "results.jsonl"
            whole = file.read_bytes()
            with (
                file_size_limit(len(whole) + 50),
                pytest.raises(TrajectoryError, match=r"cannot write to .*results\.jsonl"),
            ):
                run.append_result(result("t2"))
            assert file.read_bytes() == whole
            assert run.finished() == {("null", "demo/adam", "t1")}
            run.append_result(result("t2"))
        assert read_results(tmp_path) == [result("t1"), result("t2")]

    def test_a_failed_rewrite_keeps_the_old_file(self, tmp_path: Path) -> None:
        with RunFolder.create(tmp_path, CONFIG) as run:
            run.append_result(result("t2"))
            run.append_result(result("t1"))
            with file_size_limit(100), pytest.raises(TrajectoryError, match="cannot rewrite"):
                run.complete()
            assert [r.task_id for r in read_results(tmp_path)] == ["t2", "t1"]
        assert sorted(p.name for p in tmp_path.iterdir()) == ["results.jsonl", "run.json"]

    def test_a_folder_that_cannot_be_made(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        with pytest.raises(TrajectoryError, match="cannot create a run"):
            RunFolder.create(tmp_path / "file" / "run", CONFIG)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("adam-01", "adam-01"),
        ("a/b", "a%2Fb"),
        ("..", "%2E."),
        ("", "%"),
        ("a b%é", "a%20b%25%C3%A9"),
        ("nul\0", "nul%00"),
    ],
)
def test_safe_name(text: str, expected: str) -> None:
    assert safe_name(text) == expected


def test_long_names_stay_apart() -> None:
    a, b = safe_name("x" * 5000 + "a"), safe_name("x" * 5000 + "b")
    assert a != b
    assert max(len(a), len(b)) <= 120
