"""What an episode that is played elsewhere sends, and what becomes of it in the run's folder."""

from __future__ import annotations

import threading
from datetime import UTC, datetime
from pathlib import Path

import pytest
from env_fakes import make_task
from test_report import result

from deskgym.agents.attempts import NODE_TRIES, Tries
from deskgym.agents.budget import Budget
from deskgym.agents.crew import Episode
from deskgym.agents.engines.node import Facts, NodeUnfit, check_facts
from deskgym.agents.engines.wire import Finished, Intake, Last, Left, Wire
from deskgym.env.run_reader import read_episode
from deskgym.env.trajectory import EpisodeResult, EpisodeStart, ModelUse, RunConfig
from deskgym.env.trajectory_log import RunFolder

EPISODE = Episode("oracle", make_task(1), 0)
CONFIG = RunConfig(
    deskgym_version="1",
    dataset="demo",
    dataset_digest="d",
    profiles=("demo/ann",),
    tasks=("ann-001",),
    agents=("oracle",),
    tools=(),
    max_steps=3,
    reward="sparse",
    seed=0,
    sandbox="docker",
    image_digest="i",
    started=datetime(2026, 1, 1, tzinfo=UTC),
)
START = EpisodeStart(
    task_id="ann-001",
    profile_id="demo/ann",
    question="?",
    tools=(),
    max_steps=3,
    seed=0,
    agent="oracle",
    started=datetime(2026, 1, 1, tzinfo=UTC),
)


def carry(wire: Wire, intake: Intake) -> Last | None:
    """Take in all that the wire has, as the two sides of a cluster do."""
    last = None
    for pieces in wire.pieces():
        assert last is None, "something came after the last piece"
        last = intake.take(pieces)
    return last


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    return RunFolder.create(tmp_path / "run", CONFIG)


def test_what_is_sent_is_what_the_folder_holds(folder: RunFolder) -> None:
    wire, budget = Wire(), Budget()
    intake = Intake(folder, EPISODE, budget)
    log = wire.episode(*EPISODE.key)
    log.write(START)
    wire.keep_media("a" * 64, b"picture")
    wire.keep_media("a" * 64, b"picture")
    wire.use(ModelUse(calls=1, prompt_tokens=70))
    wire.use(ModelUse())
    log.close()
    wire.end(Finished(result=result(1.0)))
    last = carry(wire, intake)
    assert isinstance(last, Finished)
    assert last.result == result(1.0)
    assert read_episode(folder.episode_path(*EPISODE.key)) == [START]
    assert (folder.path / "media" / ("a" * 64)).read_bytes() == b"picture"
    assert (budget.spent_tokens, intake.used.calls) == (70, 1)
    assert folder.finished() == set()  # whether a result counts is decided elsewhere


def test_pieces_come_while_the_episode_is_played(folder: RunFolder) -> None:
    wire, intake = Wire(), Intake(folder, EPISODE, Budget())
    seen = threading.Event()

    def play() -> None:
        wire.episode(*EPISODE.key).write(START)
        seen.wait(30)
        wire.end(Left())

    thread = threading.Thread(target=play)
    thread.start()
    pieces = wire.pieces()
    while not folder.episode_path(*EPISODE.key).exists() or not read_episode(
        folder.episode_path(*EPISODE.key)
    ):
        assert intake.take(next(pieces)) is None
    seen.set()
    assert intake.take(next(pieces)) == Left()
    assert next(pieces, None) is None
    thread.join()


def test_a_wire_serves_one_episode_after_the_other(folder: RunFolder) -> None:
    wire = Wire()
    for number in range(2):
        wire.episode(*EPISODE.key).write(START)
        wire.keep_media("b" * 64, b"sound")
        wire.end(Left())
        (folder.path / "media" / ("b" * 64)).unlink(missing_ok=True)
        assert carry(wire, Intake(folder, EPISODE, Budget())) == Left(), number
        assert (folder.path / "media" / ("b" * 64)).exists()
        assert read_episode(folder.episode_path(*EPISODE.key)) == [START]


def test_an_error_comes_after_what_was_sent_before_it(folder: RunFolder) -> None:
    wire, intake = Wire(), Intake(folder, EPISODE, Budget())
    wire.episode(*EPISODE.key).write(START)
    wire.fail(ZeroDivisionError("a clear cause"))
    with pytest.raises(ZeroDivisionError, match="a clear cause"):
        carry(wire, intake)
    assert read_episode(folder.episode_path(*EPISODE.key)) == [START]
    intake.close()


def test_a_result_does_not_go_past_the_one_who_counts_attempts() -> None:
    with pytest.raises(RuntimeError, match=r"end\(\)"):
        Wire().append_result(result(1.0))


FACTS = Facts(deskgym_version="1", desk="desk:1", dataset_digest="d" * 64)


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("deskgym_version", "same version of deskgym"),
        ("desk", "same source"),
        ("dataset_digest", "same files of the data set"),
    ],
)
def test_a_node_with_something_else_is_told_what_to_do(name: str, remedy: str) -> None:
    check_facts(FACTS, FACTS)
    with pytest.raises(NodeUnfit, match=f"another {name} .*{remedy}"):
        check_facts(FACTS.model_copy(update={name: "x"}), FACTS)


def broken(reason: str) -> EpisodeResult:
    return result(0.0, ended="aborted", answer=None, reason=reason)


def test_lost_executions_are_counted_apart_from_retries() -> None:
    tries = Tries(retries=1)
    assert tries.lose("host was lost: ActorDiedError: killed", ModelUse(calls=2))
    assert tries.again(broken("AgentError: a"))  # its one retry is not used up
    assert not tries.again(broken("AgentError: b"))
    last = tries.final(broken("AgentError: b"))
    assert last.attempts == 3
    assert [failure.partition(":")[0] for failure in last.failures] == ["node_lost", "agent_failed"]
    assert last.failed_use is not None
    assert last.failed_use.calls == 2


def test_what_is_lost_too_often_is_not_played_again() -> None:
    tries = Tries(retries=5)
    lost = [tries.lose("host was lost", ModelUse()) for _ in range(NODE_TRIES)]
    assert lost == [True] * (NODE_TRIES - 1) + [False]
    last = tries.final(broken("NodeLost: host was lost"))
    assert last.attempts == NODE_TRIES
