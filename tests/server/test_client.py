"""The clients: the surface of the environment at hand, over a WebSocket."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from client_kit import CLIENTS, error, says, stand_in
from fake_desk import FakeDataset, FakeDesk
from gymnasium.error import ResetNeeded
from server_kit import TOKEN, Served, in_process, in_thread, until
from websockets.sync.server import ServerConnection

from deskgym.agents.adapters.play import DeskPlay
from deskgym.env.actions import Answer, Terminal
from deskgym.env.desk_env import DeskEnv
from deskgym.env.observations import Media
from deskgym.env.server import client_wire as wire
from deskgym.env.server.client import DeskClient
from deskgym.env.server.config import ServerConfig
from deskgym.tasks.schema import Profile


@pytest.fixture(params=CLIENTS)
def client(request: pytest.FixtureRequest) -> Any:
    return CLIENTS[request.param]


DESKS: list[FakeDesk] = []


def fake_desk(person: Profile) -> FakeDesk:
    desk = FakeDesk(person)
    desk.media = [("image/png", b"\x89PNG\xff\x00"), ("audio/mpeg", b"ID3")]
    DESKS.append(desk)
    return desk


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    config = ServerConfig(max_sessions=2, max_steps=5)
    with in_thread(config, dataset=FakeDataset(), make_desk=fake_desk) as server:
        yield server


ACTIONS: list[Any] = [
    Terminal(command="cat notes/heron.txt"),
    {"tool": "read_text", "path": "notes/lamp.txt"},
    '{"tool": "read_image", "path": "notes/lamp.txt"}',
    {"tool": "read_text", "path": "nowhere"},
    {"tool": "terminal", "command": "false"},
]


def test_observations_rewards_and_infos_are_those_of_an_environment_at_hand(
    client: Any, served: Served
) -> None:
    here = DeskEnv(FakeDataset(), sandbox=fake_desk, max_steps=5)
    with client(served.url) as there:
        assert there.reset(seed=3) == here.reset(seed=3)
        assert there.tools == here.tools
        for action in ACTIONS:
            seen = there.step(action)
            assert seen == here.step(action)
        assert seen[3], "truncated"
        options = {"profile": "ann", "task": "ann-002"}
        assert there.reset(options=options) == here.reset(options=options)
        answer = Answer(text="sold in May for 300 euros", cites=[{"path": "notes/lamp.txt"}])  # type: ignore[list-item]
        seen = there.step(answer)
        assert seen == here.step(answer)
        assert seen[1] > 0
    here.close()


def test_media_come_as_the_bytes_that_they_are(client: Any, served: Served) -> None:
    with client(served.url) as env:
        env.reset(profile="ann")
        seen, *_ = env.step({"tool": "read_image", "path": "notes/heron.txt"})
        assert seen["media"] == (
            Media("image/png", b"\x89PNG\xff\x00"),
            Media("audio/mpeg", b"ID3"),
        )


@pytest.mark.parametrize(
    "action", ["rm -rf /", b"\xff", None, 7, [1], object(), {"tool": "rm"}, {"tool": {1, 2}}]
)
def test_what_is_no_action_is_answered_and_counts_as_a_step(
    action: Any, client: Any, served: Served
) -> None:
    with client(served.url) as env:
        env.reset(profile="ann")
        seen, reward, terminated, truncated, info = env.step(action)
        assert info["invalid_action"]
        assert (seen["step"], reward, terminated, truncated) == (1, 0.0, False, False)


def test_the_state_says_where_the_session_stands(client: Any, served: Served) -> None:
    with client(served.url) as env:
        env.reset(task="ann-003", profile="ann")
        env.step({"tool": "note", "text": "hm"})
        state = env.state()
        assert (state.profile, state.task_id, state.step_count) == ("fake/ann", "ann-003", 1)
        assert not state.done


@pytest.mark.parametrize("before", ["reset", "end", "close"])
def test_a_step_without_an_episode_asks_for_a_reset(
    before: str, client: Any, served: Served
) -> None:
    with client(served.url) as env:
        if before != "reset":
            env.reset(profile="bob")
        if before == "end":
            env.step({"tool": "answer", "text": "five"})
        if before == "close":
            env.close()
        with pytest.raises(ResetNeeded, match="reset"):
            env.step({"tool": "note", "text": "hm"})


def test_closing_ends_the_session_and_its_desk_and_may_be_repeated(
    client: Any, served: Served
) -> None:
    with client(served.url) as env:
        env.reset(profile="bob")
        desk = DESKS[-1]
        assert not desk.closed
        env.close()
        env.close()
        until(lambda: desk.closed, "the desk is ended")
        env.reset(profile="bob")
        assert DESKS[-1] is not desk


@pytest.mark.parametrize("named", [{"profile": "nobody"}, {"profile": "ann", "task": "ann-009"}])
def test_an_unknown_name_is_a_bad_request_and_the_session_goes_on(
    named: dict[str, str], client: Any, served: Served
) -> None:
    with client(served.url) as env:
        with pytest.raises(wire.BadRequest, match=r"nobody|ann-009"):
            env.reset(**named)
        env.reset(profile="ann")
        assert env.step({"tool": "list_files"})[4]["ok"]


def test_options_are_checked_at_hand(client: Any) -> None:
    with client("http://127.0.0.1:9") as env, pytest.raises(ValueError, match="no option 'level'"):
        env.reset(options={"level": 3})


def test_a_full_server_says_so_and_takes_the_next_when_one_has_left(
    client: Any, served: Served
) -> None:
    with client(served.url) as one, client(served.url) as two, client(served.url) as three:
        one.reset(profile="ann")
        two.reset(profile="bob")
        with pytest.raises(wire.CapacityReached) as caught:
            three.reset(profile="ann")
        assert caught.value.code == "CAPACITY_REACHED"
        two.close()
        until(lambda: served.sessions() == 1, "the session that has left is ended")
        three.reset(profile="ann")
        assert three.step({"tool": "list_files"})[4]["ok"]


def test_a_desk_that_dies_ends_the_episode_and_reset_begins_another(
    client: Any, served: Served
) -> None:
    with client(served.url) as env:
        env.reset(profile="ann")
        DESKS[-1].kill()
        with pytest.raises(wire.EpisodeFailed, match="desk"):
            env.step({"tool": "terminal", "command": "ls"})
        with pytest.raises(ResetNeeded):
            env.step({"tool": "terminal", "command": "ls"})
        env.reset(profile="ann")
        assert env.step({"tool": "terminal", "command": "ls"})[4]["ok"]


def test_a_token_opens_what_is_closed_without(client: Any) -> None:
    config = ServerConfig(tokens=(TOKEN,))  # type: ignore[arg-type]
    with in_thread(config, dataset=FakeDataset(), make_desk=fake_desk) as closed:
        for wrong in (None, "a-token-of-nobody-0001"):
            with client(closed.url, token=wrong) as env:
                with pytest.raises(wire.Unauthorised, match="token") as caught:
                    env.reset(profile="ann")
                assert TOKEN not in str(caught.value)
        with client(closed.url, token=TOKEN) as env:
            assert env.reset(profile="ann")[1]["profile"] == "fake/ann"


def test_an_idle_session_is_lost_and_reset_begins_another(client: Any) -> None:
    config = ServerConfig(idle_timeout_s=0.3)
    with (
        in_thread(config, dataset=FakeDataset(), make_desk=fake_desk) as hasty,
        client(hasty.url) as env,
    ):
        env.reset(profile="ann")
        desk = DESKS[-1]
        until(lambda: desk.closed, "the idle session is ended")
        with pytest.raises(wire.SessionLost):
            env.step({"tool": "list_files"})
        env.reset(profile="ann")
        assert env.step({"tool": "list_files"})[4]["ok"]


# --- servers that are none, or not well ---------------------------------------------------------


def test_no_server_is_unreachable_and_says_how_to_start_one(client: Any) -> None:
    with (
        client("http://127.0.0.1:9") as env,
        pytest.raises(wire.ServerUnreachable, match="deskgym serve"),
    ):
        env.reset()


@pytest.mark.parametrize("url", ["127.0.0.1:8000", "ftp://a", "http://", ""])
def test_an_address_that_is_none_is_told_at_once(url: str) -> None:
    with pytest.raises(ValueError, match=r"http://127\.0\.0\.1:8000"):
        DeskClient(url)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://a:1", "ws://a:1/ws"),
        ("https://a/desks/", "wss://a/desks/ws"),
        ("ws://a:1/ws", "ws://a:1/ws"),
    ],
)
def test_any_form_of_address_will_do(url: str, expected: str) -> None:
    assert wire.websocket_url(url) == expected


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (error("CAPACITY_REACHED"), wire.CapacityReached),
        (error("DRAINING"), wire.Draining),
        (error("SESSION_ERROR"), wire.SessionLost),
        (error("VALIDATION_ERROR"), wire.BadRequest),
        (error("EXECUTION_ERROR"), wire.EpisodeFailed),
        (error("A_CODE_OF_TOMORROW"), wire.EpisodeFailed),
        ({"type": "error", "data": "boom"}, wire.EpisodeFailed),
        ("no JSON", wire.NoDeskServer),
        ([1, 2], wire.NoDeskServer),
        ({"type": "state", "data": {}}, wire.NoDeskServer),
        ({"type": "observation", "data": {"observation": {"board": "x"}}}, wire.NoDeskServer),
        ({"type": "observation", "data": {"observation": {
            "question": "", "text": "", "media": [{"mime": "a/b", "data": "!!"}], "step": 0,
            "steps_left": 1}}}, wire.NoDeskServer),
    ],
    ids=lambda value: json.dumps(value)[:50] if not isinstance(value, type) else value.__name__,
)  # fmt: skip
def test_each_answer_that_is_no_observation_is_an_error_of_its_own(
    answer: Any, kind: type[Exception], client: Any
) -> None:
    with stand_in(says(answer)) as url, client(url) as env:
        with pytest.raises(wire.RemoteError) as caught:
            env.reset()
        assert type(caught.value) is kind


def test_what_is_said_before_the_connection_is_closed_is_heard(client: Any) -> None:
    def script(connection: ServerConnection) -> None:
        connection.send(json.dumps(error("CAPACITY_REACHED", "all desks are taken")))
        connection.close(1013)

    with stand_in(script) as url, client(url) as env:
        for _ in range(3):
            with pytest.raises(wire.CapacityReached, match="all desks are taken"):
                env.reset()


def test_a_connection_that_breaks_loses_the_session(client: Any) -> None:
    def script(connection: ServerConnection) -> None:
        connection.recv()
        connection.socket.close()

    with stand_in(script) as url, client(url) as env:
        with pytest.raises(wire.SessionLost, match="reset"):
            env.reset()
        with pytest.raises(ResetNeeded):
            env.step({"tool": "note", "text": ""})


def test_a_server_that_takes_too_long_is_given_up(client: Any) -> None:
    def script(connection: ServerConnection) -> None:
        connection.recv()
        connection.recv()  # in vain

    with stand_in(script) as url, client(url, timeout_s=0.2) as env:
        with pytest.raises(wire.ServerTimeout, match="timeout_s"):
            env.reset()
        with pytest.raises(wire.SessionLost):
            env.state()


def test_what_speaks_http_alone_is_no_server_of_desks(client: Any, served: Served) -> None:
    with client(f"{served.url}/elsewhere") as env, pytest.raises(wire.RemoteError) as caught:
        env.reset()
    assert type(caught.value) in (wire.NoDeskServer, wire.BadRequest, wire.Unauthorised)


def test_without_websockets_the_remedy_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "websockets", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'deskgym\[client\]'"):
        DeskClient()


def test_frameworks_play_at_a_desk_on_a_server_as_at_one_at_hand(served: Served) -> None:
    told, outcomes = [], []
    makers = (
        lambda: DeskClient(served.url),
        lambda: DeskEnv(FakeDataset(), sandbox=fake_desk, max_steps=5),
    )
    for make in makers:
        with DeskPlay(make()) as play:
            told.append(play.begin(profile="ann", task="ann-001"))
            told.append(play.use("terminal", "cat notes/heron.txt").text)
            play.use("answer", {"text": "at quarter past nine", "cites": ["notes/heron.txt"]})
            outcomes.append(play.outcome)
    assert told[:2] == told[2:]
    assert outcomes[0] == outcomes[1]
    assert outcomes[0].reward > 0


@pytest.mark.docker
@pytest.mark.usefixtures("desk_image")
def test_an_episode_at_a_real_desk(client: Any) -> None:
    with in_process() as server, client(server.url) as env:
        seen, info = env.reset(profile="adam", task="adam-009")
        assert "courtroom" in seen["question"]
        picture = "01_Work/03_Litigation_Brackwater/IMG_0131_list.jpg"
        seen, *_ = env.step({"tool": "read_image", "path": picture})
        assert seen["media"][0].data.startswith(b"\xff\xd8")
        answer = {"tool": "answer", "text": "Court 37", "cites": [{"path": picture}]}
        _, reward, terminated, _, info = env.step(answer)
        assert (reward, terminated, info["ended"]) == (1.0, True, "answered")
