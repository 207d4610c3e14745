"""How many sessions there may be, how they end, and that their desks end with them."""

from __future__ import annotations

import json
import socket
import threading
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from docker import DockerClient
from fake_desk import FakeDataset, FakeDesk
from server_kit import (
    DeafClient,
    Talker,
    desks_of,
    error_code,
    frame,
    in_process,
    in_thread,
    made_run,
    run_of,
    until,
)
from websockets.exceptions import ConnectionClosed

from deskgym.env.sandbox.base import DeskDied, ExecRequest, Request, Response
from deskgym.env.server.config import ServerConfig

RESET = {"type": "reset", "data": {"profile": "ann"}}


class SlowDesk(FakeDesk):
    """A command runs until the desk is closed, as one of a real desk's would."""

    def __init__(self, person: Any) -> None:
        super().__init__(person)
        self.shut = threading.Event()

    def request(self, request: Request) -> Response:
        if isinstance(request, ExecRequest) and request.command == "forever":
            assert self.shut.wait(30), "nobody ended this desk"
            raise DeskDied("the desk ended")
        return super().request(request)

    def close(self) -> None:
        super().close()
        self.shut.set()


class Desks:
    """Makes desks and remembers them."""

    def __init__(self) -> None:
        self.made: list[SlowDesk] = []

    def make(self, person: Any) -> SlowDesk:
        self.made.append(SlowDesk(person))
        return self.made[-1]

    @property
    def open(self) -> int:
        return sum(not desk.closed for desk in self.made)


@pytest.fixture
def desks() -> Desks:
    return Desks()


def served_with(desks: Desks, **settings: Any) -> Any:
    config = ServerConfig(**settings)
    return in_thread(config, dataset=FakeDataset(), make_desk=desks.make)


def last_words(client: Talker) -> dict[str, Any]:
    """The last message before the server closes the socket."""
    message = client.hear()
    with pytest.raises(ConnectionClosed):
        client.hear()
    return message


def test_a_session_too_many_is_refused_at_once_and_a_free_place_is_taken(desks: Desks) -> None:
    with served_with(desks, max_sessions=2) as served, ExitStack() as stack:
        first = stack.enter_context(served.talk())
        stack.enter_context(served.talk()).ask("reset")
        first.ask("reset")
        with served.talk() as third:
            assert error_code(last_words(third)) == "CAPACITY_REACHED"
        answer = served.ask("POST", "/reset", json={})
        assert (answer.status_code, answer.json()["code"]) == (503, "CAPACITY_REACHED")
        assert answer.headers["retry-after"]
        first.socket.send('{"type": "close"}')
        until(lambda: served.sessions() == 1, "the first is gone")
        with served.talk() as fourth:
            fourth.ask("reset")


def test_a_client_that_leaves_takes_its_desk_along(desks: Desks) -> None:
    with served_with(desks) as served:
        with served.talk() as client:
            client.ask("reset")
            assert desks.open == 1
        until(lambda: desks.open == 0, "the desk is closed")
        assert served.sessions() == 0


def test_a_client_that_leaves_in_the_midst_of_a_step_ends_it(desks: Desks) -> None:
    with served_with(desks) as served:
        client = served.talk()
        client.ask("reset")
        step = {"type": "step", "data": {"tool": "terminal", "command": "forever"}}
        client.socket.send(json.dumps(step))
        until(lambda: served.metrics()["deskgym_episodes_begun_total"] == 1, "it has begun")
        client.socket.socket.shutdown(socket.SHUT_RDWR)
        until(lambda: desks.open == 0 and served.sessions() == 0, "the session is gone", 10)


@pytest.mark.parametrize(
    ("settings", "word"),
    [({"idle_timeout_s": 0.3}, "idle"), ({"lease_s": 0.3}, "lease")],
)
def test_sessions_end_by_themselves(desks: Desks, settings: dict[str, float], word: str) -> None:
    with served_with(desks, **settings) as served, served.talk() as client:
        client.ask("reset")
        told = last_words(client)
        assert error_code(told) == "SESSION_ERROR"
        assert word in told["data"]["message"]
        until(lambda: desks.open == 0 and served.sessions() == 0, "the desk is gone")


def test_a_lease_ends_a_step_that_is_under_way(desks: Desks) -> None:
    with served_with(desks, lease_s=0.5) as served, served.talk() as client:
        client.ask("reset")
        step = {"type": "step", "data": {"tool": "terminal", "command": "forever"}}
        assert error_code(client.say(json.dumps(step))) == "SESSION_ERROR"
        until(lambda: desks.open == 0, "the desk is gone")


def test_a_half_open_socket_is_found(desks: Desks) -> None:
    with served_with(desks, ping_interval_s=0.2, ping_timeout_s=0.3) as served:
        deaf = DeafClient(served.port, RESET)
        deaf.hear()
        assert desks.open == 1
        until(lambda: desks.open == 0 and served.sessions() == 0, "it is found")
        deaf.close()


def test_a_client_that_takes_no_answers_is_let_go(desks: Desks) -> None:
    big = b"x" * 8_000_000

    def make(person: Any) -> SlowDesk:
        desk = desks.make(person)
        desk.media = [("image/png", big)]
        return desk

    config = ServerConfig(send_timeout_s=0.5, ping_interval_s=60, ping_timeout_s=60)
    with in_thread(config, dataset=FakeDataset(), make_desk=make) as served:
        deaf = DeafClient(served.port, RESET)
        deaf.hear()
        look = {"tool": "read_image", "path": "notes/lamp.txt"}
        for _ in range(3):
            deaf.socket.sendall(frame(json.dumps({"type": "step", "data": look}).encode()))
        until(lambda: desks.open == 0, "its session ends")
        deaf.close()


def test_a_client_that_floods_is_cut_off(desks: Desks) -> None:
    with served_with(desks) as served, served.talk() as client:
        client.ask("reset")
        step = {"type": "step", "data": {"tool": "terminal", "command": "forever"}}
        for _ in range(20):
            client.socket.send(json.dumps(step))
        told = last_words(client)
        assert error_code(told) == "SESSION_ERROR"
        assert "flooded" in told["data"]["message"]
        until(lambda: desks.open == 0, "the desk is gone")


def test_a_desk_that_dies_ends_its_episode_and_not_the_session(desks: Desks) -> None:
    with served_with(desks) as served, served.talk() as client:
        client.ask("reset")
        desks.made[-1].dead = True
        assert client.error("step", tool="list_files") == "EXECUTION_ERROR"
        assert client.error("step", tool="list_files") == "EXECUTION_ERROR"
        assert client.ask("state")["done"] is True
        client.ask("reset", profile="ann")
        assert client.step(tool="list_files")["metadata"]["ok"] is True


@pytest.mark.parametrize("how", ["content-length", "chunked", "frame", "claimed frame"])
def test_what_is_too_large_is_refused(desks: Desks, how: str) -> None:
    with served_with(desks, max_message_bytes=20_000) as served:
        body = json.dumps({"action": {"tool": "note", "text": "x" * 30_000}}).encode()
        if how == "content-length":
            assert served.ask("POST", "/step", data=body).status_code == 413
        elif how == "chunked":
            pieces = (body[place : place + 1_000] for place in range(0, len(body), 1_000))
            assert served.ask("POST", "/step", data=pieces).status_code == 413
        elif how == "frame":
            with served.talk() as client:
                client.ask("reset")
                with pytest.raises(ConnectionClosed, match="1009"):
                    client.say(body.decode())
        else:
            deaf = DeafClient(served.port, RESET)
            deaf.hear()
            deaf.socket.sendall(frame(b"{", claims=1 << 40)[:16])
            until(lambda: served.sessions() == 0, "the session ends")
            deaf.close()
        until(lambda: desks.open == 0, "no desk is left")


def test_a_body_that_drips_in_is_given_up_on(desks: Desks) -> None:
    with served_with(desks, body_timeout_s=0.4) as served:
        slow = socket.create_connection(("127.0.0.1", served.port))
        head = ["POST /reset HTTP/1.1", f"Host: 127.0.0.1:{served.port}", "Content-Length: 20"]
        slow.sendall("\r\n".join([*head, "", "{"]).encode())
        assert b" 408 " in slow.recv(1_000)
        slow.close()
        assert served.sessions() == 0


def test_a_connection_on_which_nothing_comes_is_closed(
    desks: Desks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("deskgym.env.server.serving.HEAD_TIMEOUT_S", 0.3)
    with served_with(desks) as served:
        mute = socket.create_connection(("127.0.0.1", served.port))
        mute.settimeout(20)
        mute.sendall(b"GET /health HTTP/1.1\r\nHost:")
        assert mute.recv(100) == b""
        mute.close()
        with served.talk() as client:  # and one that has become a WebSocket is not
            client.ask("reset")
            time.sleep(0.6)
            client.step(tool="note", text="still here")


def test_a_session_over_mcp_is_kept_between_requests_and_shared_with_a_socket(
    desks: Desks,
) -> None:
    with served_with(desks) as served:

        def rpc(method: str, **params: Any) -> Any:
            message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
            return served.ask("POST", "/mcp", json=message).json()

        made = rpc("openenv/session/create")["result"]["session_id"]
        with Talker(f"{served.ws}?session_id={made}") as client:
            client.ask("reset", profile="ann", task="ann-002")
            rpc("tools/call", session_id=made, name="note", arguments={"text": "a"})
            assert client.ask("state")["step_count"] == 1
            with Talker(f"{served.ws}?session_id={made}") as second:
                assert error_code(last_words(second)) == "SESSION_ERROR"
            client.socket.send('{"type": "close"}')
        assert served.sessions() == 1
        closed = rpc("openenv/session/close", session_id=made)["result"]
        assert closed == {"session_id": made, "closed": True}
        assert (served.sessions(), desks.open) == (0, 0)
        assert rpc("tools/list", session_id=made)["error"]["data"]["code"] == "SESSION_ERROR"


def test_mcp_over_http_as_its_own_clients_speak_it(desks: Desks) -> None:
    with served_with(desks) as served:
        begin = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {}}
        begun = served.ask("POST", "/mcp?profile=ann&task=ann-002", json=begin)
        assert "Question 2" in begun.json()["result"]["instructions"]
        headers = {"Mcp-Session-Id": begun.headers["mcp-session-id"]}
        told = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        assert served.ask("POST", "/mcp", json=told, headers=headers).status_code == 202
        call = {"name": "answer", "arguments": {"text": "I do not know."}}
        step = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call}
        answer = served.ask("POST", "/mcp", json=step, headers=headers).json()
        assert "over" in answer["result"]["content"][0]["text"]
        assert served.ask("DELETE", "/mcp", headers=headers).status_code == 204
        assert served.ask("POST", "/mcp", json=step, headers=headers).status_code == 404
        until(lambda: desks.open == 0, "the desk is gone")


def test_mcp_over_a_socket_is_an_episode(desks: Desks) -> None:
    with served_with(desks) as served:
        url = f"ws://127.0.0.1:{served.port}/mcp?task=ann-002"
        with Talker(url) as client:
            call = {"name": "read_text", "arguments": {"path": "notes/lamp.txt"}}
            step = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call}
            answer = client.say(json.dumps(step))
            assert "copper lamp" in answer["result"]["content"][0]["text"]
            assert client.say("{")["error"]["code"] == -32700
        until(lambda: desks.open == 0, "the desk is gone")


@pytest.mark.docker
def test_two_sessions_do_not_see_each_other(desk_image: str) -> None:
    with in_thread() as served, served.talk() as one, served.talk() as other:
        one.ask("reset", profile="adam")
        other.ask("reset", profile="bei")
        one.shell("echo mine > /scratch/x; export X=mine")
        assert other.shell("cat /scratch/x; echo [$X]").endswith("[]\n")
        assert one.shell("cat /scratch/x; echo [$X]").splitlines()[-2:] == ["mine", "[mine]"]


@pytest.mark.docker
def test_a_desk_that_is_handed_on_is_as_new(desk_image: str) -> None:
    idle = 'deskgym_pool{figure="idle"}'
    with in_thread(ServerConfig(max_sessions=1)) as served:
        for _ in range(3):
            with served.talk() as client:
                client.ask("reset", profile="adam")
                assert client.shell("ls /scratch/mark; echo [$X]").endswith("[]\n")
                client.shell("touch /scratch/mark; export X=1; sleep 600 &")
            until(lambda: served.metrics()[idle] == 1, "its desk is made new")
        figures = served.metrics()
        assert figures['deskgym_pool{figure="started"}'] == 1


@pytest.mark.docker
def test_a_killed_desk_does_not_hurt_its_session(
    desk_image: str, docker_client: DockerClient
) -> None:
    with in_process() as served, served.talk() as client:
        assert served.process is not None
        client.ask("reset", profile="adam")
        client.shell("true")
        for name in desks_of(docker_client, served.process.pid):
            docker_client.api.kill(name)
        assert client.error("step", tool="list_files") == "EXECUTION_ERROR"
        client.ask("reset", profile="adam")
        assert client.shell("echo again").strip() == "again"


def test_episodes_are_logged_each_under_a_name_of_its_own(desks: Desks, tmp_path: Path) -> None:
    with (
        made_run(tmp_path / "run") as run,
        in_thread(dataset=FakeDataset(), make_desk=desks.make, run=run) as served,
    ):
        for text in ("first", "second"):
            with served.talk() as client:
                client.ask("reset", task="bob-001")
                client.step(tool="answer", text=text)
        with served.talk() as client:
            client.ask("reset", task="bob-001")
        until(lambda: served.sessions() == 0, "the last is gone")
    results = run_of(tmp_path / "run")
    assert [(r["agent"], r["ended"], r["answer"]) for r in results] == [
        ("served", "answered", "first"),
        ("served-2", "answered", "second"),
        ("served-3", "aborted", None),
    ]
    assert "left" in results[2]["reason"]
    for name in ("served", "served-2", "served-3"):
        log = run.episode_path(name, "fake/bob", "bob-001").read_text()
        assert json.loads(log.splitlines()[0])["agent"] == name


def test_what_cannot_be_logged_is_said_and_ends_nothing_else(desks: Desks, tmp_path: Path) -> None:
    run = made_run(tmp_path / "run")
    with in_thread(dataset=FakeDataset(), make_desk=desks.make, run=run) as served:
        (tmp_path / "run" / "episodes").write_text("in the way")
        with served.talk() as client:
            assert client.error("reset", profile="ann") == "FACTORY_ERROR"
            (tmp_path / "run" / "episodes").unlink()
            client.ask("reset", profile="ann")
    run.close()
