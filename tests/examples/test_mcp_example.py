"""The official SDK of the Model Context Protocol drives `deskgym mcp` over stdio."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys

import pytest
from example_kit import load, needs

MCP = [sys.executable, "-P", "-m", "deskgym", "mcp"]


@pytest.mark.docker
@pytest.mark.usefixtures("desk_image")
def test_a_client_lists_looks_and_answers(capfd: pytest.CaptureFixture[str]) -> None:
    needs("mcp", "mcp")
    told = asyncio.run(load("mcp_client").episode())
    assert (told["terminated"], told["reward"], told["ended"]) == (True, 1.0, "answered")
    assert told["scores"]["files_cited"]["f1"] == 1.0
    said = capfd.readouterr().out
    assert "In which courtroom was the Brackwater hearing listed" in said
    assert "tools: terminal, list_files, search, " in said
    assert "01_Work" in said
    assert "('image', 'image/jpeg')" in said


@pytest.mark.docker
@pytest.mark.usefixtures("desk_image")
@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGKILL, None])
def test_the_desk_ends_with_the_server(end: signal.Signals | None) -> None:
    with subprocess.Popen(
        [*MCP, "adam"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"initialize"}\n')
        server.stdin.flush()
        answer = json.loads(server.stdout.readline())
        assert "Question: " in answer.get("result", {}).get("instructions", ""), answer
        if end is None:
            server.stdin.close()
        else:
            server.send_signal(end)
        status = server.wait(30)
    assert status == {signal.SIGTERM: 143, signal.SIGKILL: -9, None: 0}[end]
    # That no desk is left behind is checked by the session's own fixture.


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nobody",), "nobody"),
        (("demo",), "one person at a time"),
        (("adam", "--task", "adam-999"), "adam-999"),
        (("adam", "--tools", "config9"), "config9"),
    ],
)
def test_wrong_usage_is_code_2_and_nothing_on_the_wire(
    arguments: tuple[str, ...], said: str
) -> None:
    run = subprocess.run([*MCP, *arguments], capture_output=True, text=True, input="", timeout=60)
    assert (run.returncode, run.stdout) == (2, "")
    assert said in run.stderr
    assert "Traceback" not in run.stderr
