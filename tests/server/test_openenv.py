"""OpenEnv's own client and validator, from PyPI, against our server.

They bring much along, so they may live in a virtual environment of their own, whose Python the
variable DESKGYM_OPENENV_PYTHON names.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr
from server_kit import TOKEN, Served, in_thread, until

from deskgym.env.server.config import ServerConfig

ROOT = Path(__file__).resolve().parent.parent.parent
PYTHON = os.environ.get("DESKGYM_OPENENV_PYTHON", sys.executable)
_THERE = subprocess.run([PYTHON, "-c", "import openenv"], capture_output=True).returncode == 0
pytestmark = [
    pytest.mark.docker,
    pytest.mark.skipif(
        not _THERE,
        reason="openenv is missing: pip install openenv, here or where DESKGYM_OPENENV_PYTHON is",
    ),
]

SYNC = """
import json, sys
from openenv.core.generic_client import GenericAction, GenericEnvClient
with GenericEnvClient(base_url=sys.argv[1]) as env:
    begun = env.reset(seed=3, profile="adam", task="adam-001", episode_id="e1")
    listed = env.step({"tool": "terminal", "command": "ls /desk | head -3"})
    looked = env.step(GenericAction(tool="list_files", pattern="*.eml"))
    wrong = env.step({"tool": "fly"})
    state = env.state()
    done = env.step({"tool": "answer", "text": "no idea"})
    try:
        env.step({"tool": "list_files"})
        error = None
    except RuntimeError as raised:
        error = str(raised)
    again = env.reset(seed=3, profile="bei")
print(json.dumps({
    "question": begun.observation["question"], "begun": [begun.reward, begun.done],
    "listed": listed.observation["text"], "ok": looked.metadata["ok"],
    "invalid": wrong.metadata["invalid_action"], "state": state,
    "done": [done.done, done.reward, done.metadata["ended"]], "error": error,
    "again": again.metadata["profile"],
}))
"""
ASYNC = """
import asyncio, json, sys
from openenv.core.generic_client import GenericEnvClient
async def main():
    headers = {"Authorization": "Bearer " + sys.argv[2]}
    async with GenericEnvClient(base_url=sys.argv[1], headers=headers) as one:
        child = await one.new_session()
        told = await asyncio.gather(one.reset(profile="adam"), child.reset(profile="bei"))
        full = GenericEnvClient(base_url=sys.argv[1], headers=headers)
        try:
            await full.reset()
            error = None
        except RuntimeError as raised:
            error = str(raised)
        await full.close()
    try:
        await GenericEnvClient(base_url=sys.argv[1]).connect()
        refused = None
    except ConnectionError as raised:
        refused = str(raised)
    print(json.dumps({"people": [t.metadata["profile"] for t in told], "error": error,
                      "refused": refused}))
asyncio.run(main())
"""
TOOLS = """
import asyncio, json, sys
from openenv.core.mcp_client import MCPToolClient
async def main():
    async with MCPToolClient(base_url=sys.argv[1], mode="production") as env:
        names = [tool.name for tool in await env.list_tools()]
        said = await env.call_tool("terminal", command="echo over MCP")
    print(json.dumps({"names": names, "said": json.dumps(said, default=str)}))
asyncio.run(main())
"""


@pytest.fixture
def served(desk_image: str) -> Iterator[Served]:
    with in_thread(ServerConfig(max_sessions=4)) as server:
        yield server


def play(script: str, *arguments: str) -> Any:
    done = subprocess.run(
        [PYTHON, "-c", script, *arguments], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr[-2_000:]
    return json.loads(done.stdout.splitlines()[-1])


def test_its_generic_client_plays_an_episode(served: Served) -> None:
    told = play(SYNC, served.url)
    with served.talk() as client:
        same = client.ask("reset", profile="adam", task="adam-001")
    assert told["question"] == same["observation"]["question"]
    assert told["begun"] == [None, False]
    assert told["listed"].startswith("00_Inbox\n")
    assert (told["ok"], told["invalid"]) == (True, True)
    assert (told["state"]["episode_id"], told["state"]["step_count"]) == ("e1", 3)
    assert told["done"] == [True, 0.0, "answered"]
    assert "EXECUTION_ERROR" in told["error"]
    assert told["again"] == "demo/bei"
    until(lambda: served.sessions() == 0, "its sessions are gone")


def test_its_client_with_a_token_at_a_server_that_is_full(desk_image: str) -> None:
    config = ServerConfig(max_sessions=2, tokens=(SecretStr(TOKEN),))
    with in_thread(config, token=TOKEN) as server:
        told = play(ASYNC, server.url, TOKEN)
    assert told["people"] == ["demo/adam", "demo/bei"]
    assert "CAPACITY_REACHED" in told["error"]
    assert "401" in told["refused"]


def test_its_tool_client_uses_our_tools(served: Served) -> None:
    told = play(TOOLS, served.url)
    assert {"terminal", "answer", "read_image"} <= set(told["names"])
    assert "over MCP" in told["said"]
    until(lambda: served.sessions() == 0, "its sessions are gone")


def openenv(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [PYTHON, "-m", "openenv.cli", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def test_it_finds_the_running_server_valid(served: Served) -> None:
    done = openenv("validate", "--url", served.url)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Verdict: PASS" in done.stdout
    assert done.stdout.count("PASS ") >= 6


def test_it_finds_the_package_valid(tmp_path: Path) -> None:
    for name in ("openenv.yaml", "pyproject.toml"):  # what of the sources it reads
        shutil.copy(ROOT / name, tmp_path)
    done = openenv("validate", str(tmp_path), "--level", "static", "--skip-build")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "PASS  static.manifest" in done.stdout


def test_what_the_manifest_declares_is_so(served: Served) -> None:
    yaml = pytest.importorskip("yaml")
    declared = yaml.safe_load((ROOT / "openenv.yaml").read_text())["validation"]["capabilities"]
    with served.talk() as client:
        told = client.ask("reset", profile="adam")
    assert sorted(declared["declared_tools"]) == sorted(told["metadata"]["tools"])
    for split, count in declared["declared_task_count"].items():
        answer = served.ask("POST", "/deskgym/num_tasks", json={"split": split})
        assert answer.json() == {"num_tasks": count}
