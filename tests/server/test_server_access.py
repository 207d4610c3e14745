"""Who gets what: nothing without a token, no gold without an administrator's."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import websockets
from fake_desk import FakeDataset, FakeDesk
from pydantic import SecretStr
from server_kit import ADMIN, TOKEN, Served, Talker, in_process, in_thread, until

from deskgym.env.server.auth import BadToken, read_tokens
from deskgym.env.server.config import ServerConfig
from deskgym.tasks.registry import load_dataset
from deskgym.tasks.schema import Task

MARK = "zyx-gold-zyx"


class MarkedDataset(FakeDataset):
    """Every text of gold has a mark in it."""

    def tasks(self, name: str) -> tuple[Task, ...]:
        marked = []
        for task in super().tasks(name):
            fields = task.model_dump()
            fields |= {"answer": f"{MARK} answer", "extra": {"note": MARK}, "labels": (MARK,)}
            fields["evidence"] = [{**unit, "text": MARK} for unit in fields["evidence"]]
            fields["rationale"] = [{**step, "text": MARK} for step in fields["rationale"]]
            marked.append(Task.model_validate(fields))
        return tuple(marked)


def guarded() -> ServerConfig:
    return ServerConfig(tokens=(SecretStr(TOKEN),), admin_tokens=(SecretStr(ADMIN),))


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    with in_thread(guarded(), dataset=MarkedDataset(), make_desk=FakeDesk, token=TOKEN) as server:
        yield server


def routes(served: Served) -> list[tuple[str, str]]:
    document = served.ask("GET", "/openapi.json").json()
    return [(method.upper(), path) for path, how in document["paths"].items() for method in how]


def test_there_is_nothing_without_a_token_on_any_route(served: Served) -> None:
    asked = [*routes(served), ("GET", "/openapi.json"), ("GET", "/nowhere"), ("GET", "/docs")]
    assert len(asked) > 15
    for method, path in asked:
        for headers in ({"Authorization": ""}, {"Authorization": "Bearer " + TOKEN[:-1]}):
            answer = served.ask(method, path, headers=headers, json={})
            if path == "/health":
                assert answer.json() == {"status": "healthy"}
                continue
            assert answer.status_code == 401, (method, path)
            assert set(answer.json()) == {"message", "code"}
            assert answer.headers["www-authenticate"] == "Bearer"
    assert served.sessions() == 0


@pytest.mark.parametrize("path", ["/ws", "/mcp", "/nowhere", "/ws?token=wrong", "/ws?token="])
def test_there_is_no_socket_without_a_token(served: Served, path: str) -> None:
    with pytest.raises(websockets.InvalidStatus, match="401"):
        Talker(f"ws://127.0.0.1:{served.port}{path}")


@pytest.mark.parametrize("token", [TOKEN, ADMIN])
def test_a_token_opens_a_socket_by_header_or_query(served: Served, token: str) -> None:
    with served.talk(token) as client:
        client.ask("reset")
    with Talker(f"{served.ws}?token={token}") as client:
        client.ask("reset")


def test_a_query_opens_no_other_route(served: Served) -> None:
    headers = {"Authorization": ""}
    assert served.ask("GET", f"/metadata?token={TOKEN}", headers=headers).status_code == 401


def test_a_session_is_its_callers_alone(served: Served) -> None:
    message = {"jsonrpc": "2.0", "id": 1, "method": "openenv/session/create", "params": {}}
    made = served.ask("POST", "/mcp", json=message).json()["result"]["session_id"]
    url = f"{served.ws}?session_id={made}"
    with Talker(url, ADMIN) as other:
        assert other.hear()["data"]["code"] == "SESSION_ERROR"
    with Talker(url, TOKEN) as mine:
        mine.ask("reset")


@pytest.mark.parametrize("body", [{"split": "all"}, {"split": "ann", "index": 0}])
def test_gold_is_for_administrators(served: Served, body: dict[str, Any]) -> None:
    for route in ("task",) if "index" in body else ("tasks", "task_range"):
        asked = {**body, "gold": True}
        refused = served.ask("POST", f"/deskgym/{route}", json=asked)
        assert (refused.status_code, refused.json()["code"]) == (403, "FORBIDDEN")
        headers = {"Authorization": f"Bearer {ADMIN}"}
        shown = served.ask("POST", f"/deskgym/{route}", json=asked, headers=headers)
        assert MARK in shown.text
        assert MARK not in served.ask("POST", f"/deskgym/{route}", json=body, headers=headers).text


def test_gold_is_in_nothing_that_a_client_gets(served: Served) -> None:
    got: list[str] = []

    def http(method: str, path: str, **options: Any) -> None:
        answer = served.ask(method, path, **options)
        got.append(f"{answer.headers}{answer.text}")

    for method, path in [*routes(served), ("GET", "/openapi.json")]:
        named = path.replace("{env_name}", "deskgym")
        for body in ({}, {"split": "all"}, {"split": "ann", "index": 0}, {"task": "ann-001"}):
            http(method, named, json=body)
        http(method, named, json={"action": {"tool": "answer", "text": "no"}, "task": "ann-001"})
        http(method, named, data=b"{")
    with served.talk() as client:
        for message in talk_of_a_client():
            got.append(json.dumps(client.say(message)))
    call = {"name": "answer", "arguments": {"text": "no"}}
    for method, params in (("initialize", {}), ("tools/list", {}), ("tools/call", call)):
        http("POST", "/mcp", json={"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
    http("GET", "/metrics")
    assert any("ann-001" in text for text in got)
    assert [text[:300] for text in got if MARK in text] == []


def talk_of_a_client() -> list[str]:
    def say(kind: str, **data: Any) -> str:
        return json.dumps({"type": kind, "data": data})

    talk = [say("state"), say("reset", task="zzz"), say("dance"), "{"]
    for index in range(4):
        talk.append(say("reset", split="all", index=index))
        talk += [say("step", tool="fly"), say("step", tool="list_files"), say("state")]
        talk.append(say("step", tool="answer", text="no", cites=[{"path": "list.txt"}]))
        talk += [say("state"), say("step", tool="list_files")]
    return talk


@pytest.mark.docker
def test_no_gold_and_no_token_leaves_a_real_server_or_its_log(
    desk_image: str, tmp_path: Path
) -> None:
    data = load_dataset("demo")
    tasks = [task for person in data.profiles() for task in data.tasks(person)]
    got: list[str] = []
    env = {"TOKENS": TOKEN, "ADMINS": ADMIN}
    options = ("--token-env", "TOKENS", "--admin-token-env", "ADMINS", "--run", str(tmp_path / "r"))
    with in_process(*options, token=TOKEN, env=env) as server:
        for path in ("/openapi.json", "/schema", "/metadata", "/state"):
            got.append(server.ask("GET", path).text)
        got.append(server.ask("POST", "/deskgym/tasks", json={"split": "all"}).text)
        with Talker(f"{server.ws}?token={TOKEN}") as client:
            for task in tasks[::12]:
                client.ask("reset", profile=task.profile_id, task=task.id)
                for action in (
                    {"tool": "metadata", "path": "no such file"},
                    {"tool": "fly"},
                    {"tool": "note", "text": "hm"},
                    {"tool": "answer", "text": "no idea", "cites": [{"path": "no.txt"}]},
                ):
                    got.append(json.dumps(client.step(**action), ensure_ascii=False))
                got.append(json.dumps(client.ask("state")))
                got.append(json.dumps(client.say('{"type": "step", "data": {}}')))
        until(lambda: server.sessions() == 0, "the session is gone")
        got.append(server.ask("GET", "/metrics").text)
    everything = "\n".join(got)
    assert TOKEN not in server.log
    assert ADMIN not in server.log + everything
    for task in tasks:
        for gold in gold_of(task):
            assert gold not in everything, (task.id, gold)
            assert gold not in server.log, (task.id, gold)
    assert "gold_answer" in (tmp_path / "r" / "results.jsonl").read_text()  # it was played


def gold_of(task: Task) -> list[str]:
    """Texts of a task's gold that stand nowhere else by chance."""
    texts = [task.answer, *(step.text for step in task.rationale)]
    texts += [unit.text for unit in task.evidence if unit.text]
    return [text for text in texts if len(text) > 25 and text not in task.question]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "desk.example.com"}, 403),
        ({"Host": "desk.example.com:8000"}, 403),
        ({"Host": ""}, 403),
        ({"Origin": "https://example.com"}, 403),
        ({"Origin": "null"}, 403),
        ({"Host": "localhost"}, 200),
        ({"Host": "[::1]:1"}, 200),
    ],
)
def test_web_pages_do_not_reach_a_server_without_tokens(
    headers: dict[str, str], status: int
) -> None:
    with in_thread(dataset=FakeDataset(), make_desk=FakeDesk) as served:
        assert served.ask("GET", "/metadata", headers=headers).status_code == status


def test_a_page_of_its_own_origin_may(served: Served) -> None:
    headers = {"Origin": served.url, "Authorization": f"Bearer {TOKEN}"}
    assert served.ask("GET", "/metadata", headers=headers).status_code == 200


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        (TOKEN, (TOKEN,)),
        (f"  {TOKEN},{ADMIN}\n", (TOKEN, ADMIN)),
        (f"# mine\n{TOKEN}\n\n # yours\n{ADMIN}\n", (TOKEN, ADMIN)),
    ],
)
def test_tokens_are_read(text: str, tokens: tuple[str, ...]) -> None:
    assert read_tokens(text, "here") == tokens


@pytest.mark.parametrize("text", ["", " \n", "# none", "short", "é" * 20, f"{TOKEN} short"])
def test_tokens_that_are_no_secret_are_refused(text: str) -> None:
    with pytest.raises(BadToken, match="here"):
        read_tokens(text, "here")
