"""OpenEnv's messages over a WebSocket, and its HTTP routes, as their answers read."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from typing import Any

import pytest
from fake_desk import FakeDataset, FakeDesk
from server_kit import Served, error_code, in_thread

from deskgym.env.server.config import ServerConfig

PNG = b"\x89PNG\r\n\x1a\n and so on"


def fake_desk(person: Any) -> FakeDesk:
    desk = FakeDesk(person)
    desk.media = [("image/png", PNG)]
    return desk


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    config = ServerConfig(max_steps=4)
    with in_thread(config, dataset=FakeDataset(), make_desk=fake_desk) as server:
        yield server


def test_a_reset_shows_the_question_and_says_whose_it_is(served: Served) -> None:
    with served.talk() as client:
        told = client.ask("reset", profile="ann", task="ann-001")
        assert told["observation"]["question"] == "Question 1 about notes/heron.txt?"
        assert (told["reward"], told["done"]) == (None, False)
        assert told["metadata"]["profile"] == "fake/ann"
        assert told["metadata"]["task_id"] == "ann-001"
        assert told["observation"]["metadata"] == told["metadata"]


def test_equal_seeds_draw_equal_tasks(served: Served) -> None:
    def drawn(seed: int) -> Any:
        with served.talk() as client:
            return client.ask("reset", seed=seed)["metadata"]["task_id"]

    assert [drawn(7) for _ in range(3)] == [drawn(7)] * 3
    assert len({drawn(seed) for seed in range(12)}) > 1


def test_an_episode_goes_from_reset_to_answer(served: Served) -> None:
    with served.talk() as client:
        client.ask("reset", task="ann-001", profile="ann", episode_id="mine")
        read = client.step(tool="read_text", path="notes/heron.txt")
        assert "zinc heron" in read["observation"]["text"]
        assert (read["observation"]["step"], read["observation"]["steps_left"]) == (1, 3)
        assert client.ask("state") == {
            "episode_id": "mine",
            "step_count": 1,
            "profile": "fake/ann",
            "task_id": "ann-001",
            "max_steps": 4,
            "done": False,
        }
        text = "the zinc heron sleeps at quarter past nine"
        done = client.step(tool="answer", text=text)
        assert (done["done"], done["reward"]) == (True, 1.0)
        assert (done["metadata"]["terminated"], done["metadata"]["truncated"]) == (True, False)
        assert done["metadata"]["ended"] == "answered"
        assert client.ask("state")["done"] is True


def test_media_come_as_base64(served: Served) -> None:
    with served.talk() as client:
        client.ask("reset", profile="ann")
        seen = client.step(tool="read_image", path="notes/heron.txt")["observation"]["media"]
        assert [(m["mime"], base64.b64decode(m["data"])) for m in seen] == [("image/png", PNG)]


def test_what_is_no_action_is_an_observation_and_counts(served: Served) -> None:
    with served.talk() as client:
        client.ask("reset")
        told = client.step(tool="fly", to="the moon")
        assert told["metadata"]["invalid_action"] is True
        assert told["observation"]["step"] == 1


def test_the_metadata_that_openenv_adds_to_actions_is_taken_off(served: Served) -> None:
    with served.talk() as client:
        client.ask("reset", profile="ann")
        told = client.step(tool="read_text", path="notes/lamp.txt", metadata={"tag": 1})
        assert told["metadata"]["invalid_action"] is False


def test_too_many_steps_truncate(served: Served) -> None:
    with served.talk() as client:
        client.ask("reset")
        told = [client.step(tool="note", text=str(n)) for n in range(4)]
        assert [step["done"] for step in told] == [False, False, False, True]
        assert told[-1]["metadata"]["truncated"] is True
        assert client.error("step", tool="note", text="more") == "EXECUTION_ERROR"
        assert client.ask("reset")["done"] is False


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ("{", "INVALID_JSON"),
        ("", "INVALID_JSON"),
        ("[" * 100_000, "INVALID_JSON"),
        ("[]", "VALIDATION_ERROR"),
        ('"reset"', "VALIDATION_ERROR"),
        ("null", "VALIDATION_ERROR"),
        ("{}", "UNKNOWN_TYPE"),
        ('{"type": "dance"}', "UNKNOWN_TYPE"),
        ('{"type": ["reset"]}', "UNKNOWN_TYPE"),
        ('{"type": "reset", "data": []}', "VALIDATION_ERROR"),
        ('{"type": "reset", "data": {"seed": -1}}', "VALIDATION_ERROR"),
        ('{"type": "reset", "data": {"seed": 1e400}}', "VALIDATION_ERROR"),
        ('{"type": "reset", "data": {"seed": 99999999999999999999}}', "VALIDATION_ERROR"),
        ('{"type": "reset", "data": {"colour": "red"}}', "VALIDATION_ERROR"),
        ('{"type": "reset", "data": {"profile": "zoe"}}', "VALIDATION_ERROR"),
        ('{"type": "reset", "data": {"profile": "ann", "task": "x"}}', "VALIDATION_ERROR"),
        ('{"type": "reset", "data": {"index": 1}}', "VALIDATION_ERROR"),
        ('{"type": "reset", "data": {"split": "ann", "index": 99}}', "NOT_FOUND"),
        ('{"type": "reset", "data": {"split": "ann", "profile": "bob"}}', "VALIDATION_ERROR"),
        ('{"type": "reset", "data": {"profile": "\\ud800"}}', "VALIDATION_ERROR"),
        ('{"type": "step", "data": {"tool": "note", "text": "x"}}', "EXECUTION_ERROR"),
        ('{"type": "step", "data": "note"}', "VALIDATION_ERROR"),
    ],
)
def test_bad_messages_are_answered_and_the_session_goes_on(
    served: Served, said: str, code: str
) -> None:
    with served.talk() as client:
        assert error_code(client.say(said)) == code
        assert client.ask("reset", profile="bob")["metadata"]["profile"] == "fake/bob"


def test_an_error_names_the_field(served: Served) -> None:
    with served.talk() as client:
        told = client.say('{"type": "reset", "data": {"colour": "red"}}')
        assert "colour" in told["data"]["message"]


@pytest.mark.parametrize(
    ("wanted", "task"),
    [
        ({"split": "all", "index": 3}, "bob-001"),
        ({"split": "ann", "index": 1}, "ann-002"),
        ({"task": "ann-003"}, "ann-003"),
        ({"split": "bob"}, "bob-001"),
    ],
)
def test_a_task_is_named_as_the_task_api_has_it(
    served: Served, wanted: dict[str, Any], task: str
) -> None:
    with served.talk() as client:
        assert client.ask("reset", **wanted)["metadata"]["task_id"] == task


def test_close_ends_the_session_and_the_socket(served: Served) -> None:
    with served.talk() as client:
        client.ask("reset")
        client.socket.send('{"type": "close"}')
        with pytest.raises(Exception, match="1000"):
            client.hear()


def test_a_session_speaks_mcp_too(served: Served) -> None:
    with served.talk() as client:
        client.ask("reset", profile="ann", task="ann-002")
        call = {"name": "read_text", "arguments": {"path": "notes/lamp.txt"}}
        told = client.ask("mcp", jsonrpc="2.0", id=1, method="tools/call", params=call)
        assert "copper lamp" in told["result"]["content"][0]["text"]
        assert client.ask("state")["step_count"] == 1


def test_http_episodes_are_over_with_the_call(served: Served) -> None:
    begun = served.ask("POST", "/reset", json={"profile": "ann", "task": "ann-001"}).json()
    assert begun["observation"]["question"] == "Question 1 about notes/heron.txt?"
    action = {"tool": "read_text", "path": "notes/heron.txt"}
    stepped = served.ask("POST", "/step", json={"action": action, "profile": "ann"}).json()
    assert "zinc heron" in stepped["observation"]["text"]
    assert stepped["observation"]["step"] == 1
    assert served.ask("GET", "/state").json()["episode_id"] is None
    assert served.sessions() == 0


def test_a_reset_needs_no_body(served: Served) -> None:
    assert served.ask("POST", "/reset").status_code == 200


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("POST", "/reset", "{", 400),
        ("POST", "/reset", '{"seed": "x"}', 422),
        ("POST", "/reset", '{"profile": "zoe"}', 422),
        ("POST", "/step", "{}", 422),
        ("POST", "/step", '{"action": {"x": NaN}, "seed": NaN}', 422),
        ("GET", "/nowhere", "", 404),
        ("GET", "/reset", "", 405),
        ("GET", "/other/splits", "", 404),
        ("POST", "/deskgym/task", '{"split": "ann", "index": 99}', 404),
        ("POST", "/deskgym/task", '{"split": "zoe", "index": 0}', 404),
        ("DELETE", "/mcp", "", 404),
    ],
)
def test_bad_requests_are_told_why(
    served: Served, method: str, path: str, body: str, status: int
) -> None:
    headers = {"content-type": "application/json"}
    answer = served.ask(method, path, data=body, headers=headers)
    assert answer.status_code == status, answer.text
    assert set(answer.json()) == {"message", "code"}


def test_the_tasks_are_listed_without_gold(served: Served) -> None:
    assert served.ask("GET", "/list_environments").json() == ["deskgym"]
    splits = served.ask("GET", "/deskgym/splits").json()
    assert [split["name"] for split in splits] == ["all", "ann", "bob"]

    def ask(route: str, **body: Any) -> Any:
        return served.ask("POST", f"/DeskGym/{route}", json=body).json()

    assert ask("num_tasks", split="all") == {"num_tasks": 4}
    assert ask("task", split="ann", index=1)["task"] == {
        "id": "ann-002",
        "split": "ann",
        "index": 1,
        "profile": "fake/ann",
        "question": "Question 2 about notes/lamp.txt?",
        "gold": None,
    }
    assert [task["id"] for task in ask("tasks", split="bob")["tasks"]] == ["bob-001"]
    some = ask("task_range", split="all", start=-2)["tasks"]
    assert [(task["id"], task["index"]) for task in some] == [("ann-003", 2), ("bob-001", 3)]


def test_the_schemas_are_of_what_is_sent(served: Served) -> None:
    schema = served.ask("GET", "/schema").json()
    assert "Terminal" in json.dumps(schema["action"])
    assert set(schema["observation"]["properties"]) >= {"question", "text", "media", "step"}
    assert set(schema["state"]["properties"]) >= {"episode_id", "step_count"}


def test_metrics_count_what_happens(served: Served) -> None:
    before = served.metrics()
    with served.talk() as client:
        client.ask("reset", profile="ann")
        client.step(tool="note", text="x")
        client.error("dance")
        during = served.metrics()
    name = 'deskgym_step_seconds_count{tool="note"}'
    assert during[name] == before.get(name, 0) + 1
    assert during["deskgym_episodes_begun_total"] == before["deskgym_episodes_begun_total"] + 1
    name = 'deskgym_errors_total{code="UNKNOWN_TYPE"}'
    assert during[name] == before.get(name, 0) + 1
    assert during['deskgym_sessions{kind="ws"}'] == 1
