"""The Model Context Protocol: one JSON-RPC message in, its answer out."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from fake_desk import FILES, FakeDataset, FakeDesk

from deskgym.env.actions import ALL_TOOLS, PRESETS
from deskgym.env.desk_env import DeskEnv
from deskgym.env.mcp import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    META,
    NO_DESK,
    NO_METHOD,
    PARSE_ERROR,
    PROTOCOLS,
    McpSession,
    serve_lines,
)
from deskgym.env.sandbox.base import EngineUnavailable
from deskgym.tasks.schema import Profile

GOLD = FILES["ann"]["notes/heron.txt"]


class Client:
    """A client of a session over ann's first task, with a desk that is no desk."""

    def __init__(self, **options: Any) -> None:
        self.desks: list[FakeDesk] = []
        self.env = DeskEnv(FakeDataset(), "ann", sandbox=self._desk, **options)
        self.session = McpSession(self.env, reset={"task": "ann-001"})
        self.number = 0

    def _desk(self, person: Profile) -> FakeDesk:
        self.desks.append(FakeDesk(person))
        return self.desks[-1]

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        self.number += 1
        answer = self.session.handle(
            {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}
        )
        assert answer is not None
        assert answer["id"] == self.number
        assert json.loads(json.dumps(answer)) == answer
        return answer

    def use(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        called = self.ask("tools/call", name=tool, arguments=arguments)
        result: dict[str, Any] = called["result"]
        return result


@pytest.mark.parametrize("wanted", [*PROTOCOLS, "1999-01-01", None])
def test_a_client_is_met_at_its_own_revision_or_offered_the_newest(wanted: str | None) -> None:
    result = Client().ask("initialize", protocolVersion=wanted)["result"]
    assert result["protocolVersion"] == (wanted if wanted in PROTOCOLS else PROTOCOLS[-1])
    assert result["serverInfo"]["name"] == "deskgym"


def test_the_question_is_told_and_nothing_of_the_gold() -> None:
    client = Client()
    told = client.ask("initialize")["result"]["instructions"]
    assert "Question: Question 1 about notes/heron.txt?" in told
    answer = client.ask("tools/list")["result"]["tools"][-1]
    assert answer["name"] == "answer"
    assert "Question 1 about" in answer["description"]
    prompt = client.ask("prompts/get", name="task")["result"]["messages"][0]
    assert prompt["content"]["text"] == told
    assert client.ask("prompts/list")["result"]["prompts"][0]["name"] == "task"
    for method in ("initialize", "tools/list", "prompts/list"):
        assert GOLD not in json.dumps(client.ask(method))


@pytest.mark.parametrize("preset", PRESETS)
def test_the_tools_are_those_that_are_on_with_the_schemas_of_the_actions(preset: str) -> None:
    tools = Client(tools=preset).ask("tools/list")["result"]["tools"]
    assert {tool["name"] for tool in tools} == PRESETS[preset]
    for tool in tools:
        assert tool["inputSchema"]["type"] == "object"
        assert "tool" not in tool["inputSchema"]["properties"]


def test_listing_the_tools_takes_no_desk() -> None:
    client = Client()
    client.ask("tools/list")
    assert client.desks == []


def test_a_tool_gives_text_and_the_step_beside_it() -> None:
    result = Client(max_steps=5).use("read_text", path="notes/heron.txt")
    assert GOLD in result["content"][0]["text"]
    assert result["isError"] is False
    assert result["_meta"][META] == {
        "step": 1, "steps_left": 4, "reward": 0.0, "terminated": False, "truncated": False,
        "error": None,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("mime", "protocol", "kind"),
    [
        ("image/png", "2025-06-18", "image"),
        ("audio/mpeg", "2025-06-18", "audio"),
        ("audio/mpeg", "2024-11-05", "resource"),
        ("application/pdf", "2025-06-18", "resource"),
    ],
)
def test_media_come_as_the_revision_knows_them(mime: str, protocol: str, kind: str) -> None:
    client = Client()
    client.ask("initialize", protocolVersion=protocol)
    client.desks[0].media = [(mime, b"\x00\xffdata")]
    piece = client.use("read_image", path="notes/heron.txt")["content"][1]
    assert piece["type"] == kind
    held = piece["resource"] if kind == "resource" else piece
    assert held["mimeType"] == mime
    assert base64.b64decode(held["blob" if kind == "resource" else "data"]) == b"\x00\xffdata"


def test_the_answer_ends_the_episode_and_its_reward_stands_beside_the_text() -> None:
    client = Client()
    result = client.use("answer", text=GOLD)
    told = result["_meta"][META]
    assert (told["terminated"], told["reward"], told["ended"]) == (True, 1.0, "answered")
    assert told["scores"]["answer"]["score"] == 1.0
    assert result["content"][0]["text"] == "The answer is taken. The episode is over."
    assert client.session.over
    after = client.use("list_files")
    assert after["isError"] is True
    assert "the episode is over (answered)" in after["content"][0]["text"]


def test_the_last_step_says_so() -> None:
    result = Client(max_steps=1).use("note", text="hm")
    assert result["content"][0]["text"] == "noted\nThat was the last step. The episode is over."
    assert result["_meta"][META]["truncated"] is True


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "read_text.path: Field required"),
        ({"path": 7}, "read_text.path"),
        ({"path": "no.txt"}, "error (not_found)"),
        ({"path": "no.txt", "tool": "answer"}, "error (not_found)"),
    ],
)
def test_what_a_tool_cannot_do_is_an_error_that_a_model_can_read(
    arguments: dict[str, Any], said: str
) -> None:
    result = Client().use("read_text", **arguments)
    assert result["isError"] is True
    assert said in result["content"][0]["text"]


def test_a_desk_that_dies_ends_the_session_with_a_reason() -> None:
    client = Client()
    client.ask("initialize")
    client.desks[0].kill()
    result = client.use("terminal", command="ls")
    assert result["isError"] is True
    assert "exit status 137" in result["content"][0]["text"]
    assert client.session.over


def test_no_desk_is_an_error_of_the_request() -> None:
    def none(person: Profile) -> FakeDesk:
        raise EngineUnavailable("no engine answers; run deskgym setup")

    session = McpSession(DeskEnv(FakeDataset(), "ann", sandbox=none))
    answer = session.handle({"jsonrpc": "2.0", "id": 1, "method": "initialize"})
    assert answer is not None
    assert answer["error"]["code"] == NO_DESK
    assert "deskgym setup" in answer["error"]["message"]


def test_an_episode_that_is_under_way_is_taken_up() -> None:
    client = Client()
    seen, _ = client.env.reset(task="ann-002")
    session = McpSession(client.env, observation=seen)
    answer = session.handle({"jsonrpc": "2.0", "id": 1, "method": "initialize"})
    assert answer is not None
    assert "lamp.txt" in answer["result"]["instructions"]
    assert len(client.desks) == 1


CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ([], INVALID_REQUEST),
        ("ping", INVALID_REQUEST),
        ({"id": 1, "method": "ping"}, INVALID_REQUEST),
        ({"jsonrpc": "2.0", "id": 1}, INVALID_REQUEST),
        ({"jsonrpc": "2.0", "id": None, "method": "ping"}, INVALID_REQUEST),
        ({"jsonrpc": "2.0", "id": True, "method": "ping"}, INVALID_REQUEST),
        ({"jsonrpc": "2.0", "id": 1, "method": "server/discover"}, NO_METHOD),
        ({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": [1]}, INVALID_PARAMS),
        (CALL, INVALID_PARAMS),
        ({**CALL, "params": {"name": "rm"}}, INVALID_PARAMS),
        ({**CALL, "params": {"name": ["terminal"]}}, INVALID_PARAMS),
        ({**CALL, "params": {"name": "terminal", "arguments": "ls"}}, INVALID_PARAMS),
        ({**CALL, "method": "prompts/get", "params": {"name": "x"}}, INVALID_PARAMS),
    ],
    ids=lambda value: json.dumps(value)[:60],
)
def test_what_is_no_request_is_answered_with_its_code(message: Any, code: int) -> None:
    answer = Client().session.handle(message)
    assert answer is not None
    assert answer["error"]["code"] == code
    assert answer["error"]["message"]


@pytest.mark.parametrize(
    "message",
    [
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}},
        {"jsonrpc": "2.0", "id": 5, "result": {}},
    ],
)
def test_notifications_have_no_answer(message: dict[str, Any]) -> None:
    assert Client().session.handle(message) is None


def test_a_tool_that_is_switched_off_is_none() -> None:
    client = Client(tools="config1")
    said = client.ask("tools/call", name="read_image", arguments={"path": "a"})["error"]
    assert said["code"] == INVALID_PARAMS
    assert ALL_TOOLS - PRESETS["config1"] >= {"read_image"}


def test_lines_are_answered_by_lines() -> None:
    said: list[str] = []
    ping = b'{"jsonrpc":"2.0","id":"a","method":"ping"}\n'
    lines = [ping, b"\n", b"{broken\n", b'"\xff"\n', b'{"jsonrpc":"2.0","method":"x"}\n']
    serve_lines(Client().session, lines, said.append)
    assert [line.endswith("\n") and line.count("\n") for line in said] == [1, 1, 1]
    assert json.loads(said[0]) == {"jsonrpc": "2.0", "id": "a", "result": {}}
    assert [json.loads(line)["error"]["code"] for line in said[1:]] == [PARSE_ERROR] * 2
