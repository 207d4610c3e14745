"""The canary's own soundness: it reports what it sees, and it would see an open desk."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from docker import DockerClient
from docker.models.containers import Container

from deskgym.agents.base import TaskView
from deskgym.agents.canary import PROBES, TRICKED_TOOLS, TRICKS, CanaryAgent
from deskgym.env.actions import ALL_TOOLS, ALWAYS_ON, MAX_COMMAND, Answer
from deskgym.env.observations import Media, Observation

MARKER = "marker-of-somebody-else"
SAMPLE = {
    "text": "/desk/a.txt",
    "line": "a line that nobody guesses",
    "picture": "/desk/b.png",
    "sound": "/desk/c.mp3",
    "film": "/desk/d.mp4",
}
ON: frozenset[str] = frozenset(ALL_TOOLS)


def play(
    tools: frozenset[str],
    reply: Callable[[dict[str, Any]], tuple[str, tuple[Media, ...]]],
    steps: int = 200,
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The canary's report and its actions, when ``reply`` says what each observation shows."""
    agent = CanaryAgent(markers=[MARKER])
    agent.reset(TaskView("t", "demo/ann", "?"), tools)
    text, media, actions = "", (), []
    for step in range(steps):
        action = agent.act(
            Observation(question="?", text=text, media=media, step=step, steps_left=steps - step)
        )
        if isinstance(action, Answer):
            return json.loads(action.text)["attempts"], actions
        actions.append(action)
        text, media = reply(action)
    raise AssertionError("it never answered")


def desk(shown: str = "refused", media: tuple[Media, ...] = ()) -> Callable[[Any], Any]:
    """Replies of a desk whose probes find nothing and whose tools show ``shown``."""

    def reply(action: dict[str, Any]) -> tuple[str, tuple[Media, ...]]:
        command = action.get("command", "")
        if "CANARY-SAMPLE" in command:
            return f"CANARY-SAMPLE {json.dumps(SAMPLE)}\nCANARY-DONE", ()
        if "CANARY" in command:
            entry = {"name": "x", "attempted": True, "succeeded": False, "detail": "no"}
            return f"CANARY {json.dumps(entry)}\nCANARY-DONE\n", ()
        return shown, media

    return reply


def test_a_sealed_desk_gives_no_success_and_every_attempt_is_made() -> None:
    report, actions = play(frozenset({"terminal", "read_text", "metadata"}), desk())
    assert not [entry for entry in report if entry["succeeded"] or not entry["attempted"]]
    names = [entry["name"] for entry in report]
    assert names[: len(PROBES)] == [f"{probe}: x" for probe in PROBES]
    assert {n for n in names if n.startswith("action ")} == {
        f"action {tool}, which is off"
        for tool in ON - {"terminal", "read_text", "metadata"}
        if tool not in ALWAYS_ON
    }
    assert sum(a["tool"] == "read_text" for a in actions) == len(TRICKS)


def test_no_script_is_too_long_or_holds_a_marker_in_the_clear() -> None:
    _, actions = play(ON, desk())
    commands = [a["command"] for a in actions if a["tool"] == "terminal"]
    assert len(commands) == 1 + len(PROBES)
    assert all(len(c) < MAX_COMMAND and MARKER not in c for c in commands)
    assert not any("evidence_text" in c for c in commands)


@pytest.mark.parametrize(
    ("shown", "media"),
    [
        ("root:x:0:0:root:/root:/bin/bash", ()),
        ("HOME=/scratch\0PATH=/bin", ()),
        ("", (Media("text/plain", b"root:x:0:0"),)),
    ],
)
def test_a_path_that_leads_out_is_noticed(shown: str, media: tuple[Media, ...]) -> None:
    report, _ = play(ON, desk(shown, media))
    tricks = [e for e in report if e["name"].startswith(TRICKED_TOOLS)]
    assert len(tricks) == len(TRICKS) * len(TRICKED_TOOLS)
    assert all(e["succeeded"] for e in tricks)


def test_a_tool_that_is_off_and_works_is_noticed() -> None:
    report, _ = play(frozenset({"terminal"}), desk(f"... {SAMPLE['line']} ..."))
    succeeded = {e["name"] for e in report if e["succeeded"]}
    assert succeeded == {
        f"action {t}, which is off" for t in ("read_original", "read_text", "search")
    }
    picture = (Media("image/png", b"\x89PNG"),)
    report, _ = play(frozenset({"terminal"}), desk("", picture))
    succeeded = {e["name"] for e in report if e["succeeded"]}
    assert succeeded >= {f"action {t}, which is off" for t in ("read_audio", "read_image")}


def test_a_terminal_that_is_off_and_works_is_noticed() -> None:
    report, _ = play(frozenset({"read_text"}), desk("canary-42"))
    assert [e["name"] for e in report if e["succeeded"]] == ["action terminal, which is off"]


def test_what_was_not_tried_is_not_reported_as_safe() -> None:
    report, _ = play(ON, desk(), steps=4)
    assert {e["attempted"] for e in report[2:]} == {False}
    assert report[-1]["detail"] == "no step left"
    broken, _ = play(frozenset({"terminal"}), lambda action: ("Killed", ()))
    probes = [e for e in broken if e["name"].endswith("the probe broke off")]
    assert len(probes) == len(PROBES)
    assert not any(e["attempted"] for e in probes)


# --- the probes themselves, in a container without a seal ----------------------------------------


@pytest.fixture
def open_container(
    docker_client: DockerClient, desk_image: str, tmp_path: Path
) -> Iterator[Container]:
    """The desk image as root, with a network, a writable root and the files writable."""
    (tmp_path / "a.txt").write_text(f"a long line of text for the canary to aim at, {MARKER}\n")
    (tmp_path / "b.png").write_bytes(b"\x89PNG")
    container = docker_client.containers.run(
        desk_image,
        entrypoint=["sleep", "600"],
        user="0",
        detach=True,
        remove=True,
        init=True,
        volumes={str(tmp_path): {"bind": "/desk", "mode": "rw"}},
    )
    yield container
    container.remove(force=True)


@pytest.mark.docker
def test_the_probes_see_an_open_container_for_what_it_is(open_container: Container) -> None:
    """A check that cannot fail proves nothing: without the seal these attempts succeed."""
    agent = CanaryAgent(markers=[MARKER])
    agent.reset(TaskView("t", "demo/ann", "?"), frozenset({"terminal"}))
    succeeded = set()
    for probe in ("network", "identity", "secrets", "writes"):
        done = open_container.exec_run(["bash", "-c", agent._script(probe)])
        lines = done.output.decode().splitlines()
        assert lines[-1] == "CANARY-DONE", lines[-5:]
        entries = [json.loads(x.removeprefix("CANARY ")) for x in lines if x.startswith("CANARY ")]
        succeeded |= {f"{probe}: {e['name']}" for e in entries if e["succeeded"]}
    expected = {
        "network: interface other than lo",
        "network: any route",
        "network: default gateway",
        "network: raw socket",
        "identity: CapEff is not zero",
        "identity: CapBnd can be used",
        "identity: NoNewPrivs is off",
        "identity: uid of root or of the reader",
        "identity: group of root or of the reader",
        "identity: setuid to the reader",
        "identity: sudo -u root",
        "writes: write to /",
        "writes: write to /etc",
        "writes: write to /desk",
        "writes: any other writable folder",
        "writes: append to the runner",
        "writes: delete a file of the desk",
        "writes: read /etc/shadow",
        "writes: list the tools' library",
        "secrets: markers in /desk",
    }
    assert expected - succeeded == set()
