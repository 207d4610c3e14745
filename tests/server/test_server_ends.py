"""However a server ends, no desk of its outlives it."""

from __future__ import annotations

import json
import signal
from typing import Any

import pytest
import websockets
from docker import DockerClient
from fake_desk import FakeDataset
from server_kit import TOKEN, desks_of, error_code, in_process, in_thread, until
from test_sessions import Desks, last_words

from deskgym.env.server.config import ServerConfig

pytestmark = pytest.mark.docker
SLOW = {"type": "step", "data": {"tool": "terminal", "command": "sleep 40", "timeout_s": 50}}


@pytest.fixture(autouse=True)
def _image(desk_image: str) -> None:
    pass


def test_after_sigkill_no_desk_is_left(docker_client: DockerClient) -> None:
    with in_process() as served:
        assert served.process is not None
        clients = [served.talk() for _ in range(3)]
        for client in clients:
            client.ask("reset", profile="adam")
        clients[0].socket.send(json.dumps(SLOW))
        assert len(desks_of(docker_client, served.process.pid)) >= 3
        served.process.kill()
        served.process.wait(10)
        until(lambda: not desks_of(docker_client, served.process.pid), "its desks are gone")


def test_on_sigterm_an_episode_may_end_and_no_other_begins(docker_client: DockerClient) -> None:
    with in_process("--drain", "120") as served:
        assert served.process is not None
        with served.talk() as busy, served.talk() as idle:
            busy.ask("reset", profile="adam")
            served.process.send_signal(signal.SIGTERM)
            assert error_code(last_words(idle)) == "DRAINING"
            until(lambda: served.ask("GET", "/health").status_code == 503, "it says so")
            with served.talk() as late:
                assert error_code(last_words(late)) == "DRAINING"
            refused = served.ask("POST", "/reset", json={})
            assert (refused.status_code, refused.json()["code"]) == (503, "DRAINING")
            assert busy.shell("echo going on").strip() == "going on"
            assert busy.step(tool="answer", text="done")["done"] is True
            assert error_code(last_words(busy)) == "DRAINING"
        assert served.process.wait(30) == 0
        assert not desks_of(docker_client, served.process.pid)


def test_an_episode_that_takes_too_long_is_ended(docker_client: DockerClient) -> None:
    with in_process("--drain", "0.5") as served:
        assert served.process is not None
        with served.talk() as client:
            client.ask("reset", profile="adam")
            client.socket.send(json.dumps(SLOW))
            until(lambda: served.metrics()["deskgym_episodes_begun_total"] == 1, "it has begun")
            served.process.send_signal(signal.SIGTERM)
            assert error_code(client.hear()) == "DRAINING"
        assert served.process.wait(30) == 0
        until(lambda: not desks_of(docker_client, served.process.pid), "its desks are gone")


def test_a_second_signal_does_not_wait(docker_client: DockerClient) -> None:
    with in_process("--drain", "600") as served:
        assert served.process is not None
        with served.talk() as client:
            client.ask("reset", profile="adam")
            client.socket.send(json.dumps(SLOW))
            served.process.send_signal(signal.SIGTERM)
            until(lambda: "draining" in served.log, "it drains")
            served.process.send_signal(signal.SIGTERM)
            served.process.wait(30)
        until(lambda: not desks_of(docker_client, served.process.pid), "its desks are gone")


def test_clients_of_a_server_that_ends_are_told(docker_client: DockerClient) -> None:
    desks = Desks()
    with in_thread(ServerConfig(), dataset=FakeDataset(), make_desk=desks.make) as served:
        client = served.talk()
        client.ask("reset")
    with pytest.raises(websockets.ConnectionClosed):
        client.hear()
    assert desks.open == 0


@pytest.mark.parametrize(
    ("options", "env", "why"),
    [
        (("--host", "0.0.0.0"), {}, "--insecure"),
        (("--token-env", "NOT_THERE"), {}, "NOT_THERE"),
        (("--token-env", "SHORT"), {"SHORT": "abc"}, "SHORT"),
        (("--token-file", "/nowhere/tokens"), {}, "/nowhere/tokens"),
        (("--dataset", "nobody"), {}, "nobody"),
        (("--tools", "fly"), {}, "fly"),
        (("--sandbox", "jail"), {}, "jail"),
        (("--lease", "0"), {}, "lease_s"),
    ],
)
def test_a_server_that_cannot_serve_says_why(
    options: tuple[str, ...], env: dict[str, Any], why: str
) -> None:
    with pytest.raises(AssertionError, match=why), in_process(*options, env=env):
        pass


def test_another_address_is_served_with_tokens() -> None:
    options = ("--host", "0.0.0.0", "--token-env", "TOKENS")
    with in_process(*options, token=TOKEN, env={"TOKENS": TOKEN}) as served:
        assert served.ask("GET", "/metadata").json()["name"] == "deskgym"
