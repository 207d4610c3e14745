"""Actions: what is understood, what each kind does on a real desk, and that nothing else breaks."""

from __future__ import annotations

import io
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fake_desk import FakeDataset, FakeDesk
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

import deskgym
from deskgym.env.actions import (
    ALL_TOOLS,
    MAX_MESSAGE,
    MAX_RAW_ACTION,
    PRESETS,
    InvalidAction,
    Terminal,
    action_schema,
    parse_action,
    raw_action,
    resolve_tools,
)
from deskgym.env.desk_env import DeskEnv
from deskgym.env.run_reader import read_episode
from deskgym.env.trajectory import RunConfig, StepEvent
from deskgym.env.trajectory_log import RunFolder

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
FIELDS = (
    "command", "timeout_s", "pattern", "modality", "modified_after", "modified_before", "path",
    "pages", "lines", "cells", "span_s", "offset", "page", "region", "dpi", "text", "cites",
    "query", "top_k", "start_s", "end_s", "frames",
)  # fmt: skip
NEAR_ACTIONS = st.fixed_dictionaries(
    {"tool": st.sampled_from([*sorted(ALL_TOOLS), "fly"])},
    optional=dict.fromkeys(FIELDS, JSON),
)
SURROGATES = st.text(st.characters(categories=["Cs", "Ll"]), max_size=5)
ANYTHING = JSON | NEAR_ACTIONS | SURROGATES | st.dictionaries(SURROGATES, SURROGATES, min_size=1)


# -- parsing ---------------------------------------------------------------------------------------


def test_a_model_a_dict_and_json_stand_for_the_same() -> None:
    action = Terminal(command="ls", timeout_s=5)
    fields = {"tool": "terminal", "command": "ls", "timeout_s": 5}
    assert parse_action(action) == parse_action(fields) == parse_action(json.dumps(fields))
    assert parse_action(json.dumps(fields).encode()) == action


@pytest.mark.parametrize(
    ("action", "says"),
    [
        (None, "not NoneType"),
        (3, "not int"),
        ([], "not list"),
        ("ls", "not JSON"),
        (b"\xff", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("null", "not NoneType"),
        ({}, "discriminator 'tool'"),
        ({"tool": "fly"}, "'terminal', 'list_files'"),
        ({"tool": "terminal"}, "terminal.command: Field required"),
        ({"tool": "terminal", "command": "ls", "cwd": "/"}, "terminal.cwd"),
        ({"tool": "terminal", "command": "ls", "timeout_s": math.nan}, "terminal.timeout_s"),
        ({"tool": "terminal", "command": "ls", "timeout_s": 0}, "greater than 0"),
        ({"tool": "terminal", "command": "x" * 100_001}, "at most 100000"),
        ({"tool": "terminal", "command": "\ud800"}, "terminal.command"),
        ({"tool": "read_text", "path": ""}, "at least 1 character"),
        ({"tool": "read_text", "path": "a", "pages": [0, 1]}, "read_text.pages.0"),
        ({"tool": "read_text", "path": "a", "offset": 10**4_000}, "less than or equal"),
        ({"tool": "read_image", "path": "a", "region": [math.nan] * 4}, "finite"),
        ({"tool": "read_text", "path": "a", "span_s": [-1, 2]}, "read_text.span_s.0"),
        ({"tool": "read_audio", "path": "a", "start_s": math.inf}, "finite"),
        ({"tool": "read_video", "path": "a", "frames": 33}, "less than or equal to 32"),
        ({"tool": "read_video", "path": "a", "frames": [0.5] * 33}, "at most 32"),
        ({"tool": "read_video", "path": "a", "frames": []}, "at least 1"),
        ({"tool": "search"}, "search.query: Field required"),
        ({"tool": "search", "query": ""}, "at least 1 character"),
        ({"tool": "search", "query": "x" * 2_001}, "at most 2000"),
        ({"tool": "search", "query": "x", "top_k": 51}, "less than or equal to 50"),
        ({"tool": "search", "query": "x", "modality": "smell"}, "search.modality"),
        ({"tool": "list_files", "modified_after": "yesterday"}, "list_files.modified_after"),
        ({"tool": "answer", "text": "x", "cites": [{"path": "a", "locator": "p3"}]}, "page:3"),
        ({"tool": "note", "text": "x", "cites": [{"path": "a"}] * 101}, "at most 100"),
    ],
)
def test_what_is_no_action_is_refused_with_the_reason(action: Any, says: str) -> None:
    with pytest.raises(InvalidAction) as caught:
        parse_action(action)
    assert says in str(caught.value)


def test_a_refusal_has_a_length_and_can_be_encoded() -> None:
    for tool in ("x" * 100_000, "\ud800"):
        with pytest.raises(InvalidAction) as caught:
            parse_action({"tool": tool})
        assert len(str(caught.value).encode()) < MAX_MESSAGE + 100


def test_raw_actions_are_the_same_in_every_process() -> None:
    assert raw_action({"a": [1, "ü"]}) == '{"a": [1, "ü"]}'
    assert raw_action(object()) == "<object>"
    assert raw_action(b"\xff") == "\ufffd"
    assert raw_action("\ud800") == "?"
    assert len(raw_action("x" * 1_000_000)) == MAX_RAW_ACTION
    endless: list[Any] = []
    endless.append(endless)
    assert raw_action(endless) == "<list>"


def test_presets_and_names() -> None:
    assert resolve_tools(None) == ALL_TOOLS == resolve_tools("config0")
    text, senses = {"read_text", "search"}, {"read_image", "read_audio", "read_video"}
    assert PRESETS["config0"] - PRESETS["config1"] == text | senses
    assert PRESETS["config0"] - PRESETS["config2"] == text
    assert PRESETS["config0"] - PRESETS["config3"] == senses
    assert resolve_tools([]) == {"note", "answer"}
    assert resolve_tools(("terminal",)) == {"terminal", "note", "answer"}
    with pytest.raises(ValueError, match="no preset 'config9'; there are config0"):
        resolve_tools("config9")
    with pytest.raises(ValueError, match="no tool 'fly'; there are terminal"):
        resolve_tools(["fly"])


def test_the_schema_names_every_tool() -> None:
    assert set(action_schema()["discriminator"]["mapping"]) == ALL_TOOLS


# -- whatever is passed ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def fake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[DeskEnv, Path]]:
    """An environment that logs to a run's folder, and its log."""
    dataset = FakeDataset()
    config = RunConfig.model_validate(
        {
            "deskgym_version": "0", "dataset": "fake", "dataset_digest": "", "profiles": (),
            "tasks": (), "agents": (), "tools": (), "max_steps": 1, "reward": "sparse",
            "seed": 0, "sandbox": "fake", "image_digest": "", "started": "2024-01-01T00:00:00Z",
        }
    )  # fmt: skip
    run = RunFolder.create(tmp_path_factory.mktemp("run") / "run", config)
    env = DeskEnv(dataset, "ann", max_steps=1_000_000, sandbox=FakeDesk, run=run, agent="x")
    env.reset(task="ann-001")
    yield env, run.episode_path("x", "fake/ann", "ann-001")
    env.close()
    run.close()


@settings(max_examples=200, deadline=None)
@given(action=ANYTHING)
def test_whatever_is_passed_is_a_step(fake: tuple[DeskEnv, Path], action: Any) -> None:
    env, log = fake
    if isinstance(action, dict) and action.get("tool") == "answer":
        action = {**action, "tool": "note"}  # the episode is to go on
    before = env.trajectory[-1]
    for passed in (action, json.dumps(action)):
        observation, reward, terminated, truncated, info = env.step(passed)
        assert env.observation_space.contains(observation)
        assert (reward, terminated, truncated) == (0.0, False, False)
        assert info["invalid_action"] == (info["error"] == "invalid_action")
        assert info["invalid_action"] == (info["tool"] is None)
        observation["text"].encode()
    assert len(env.trajectory) - env.trajectory.index(before) == 3
    # What was logged can be read again, as it was.
    assert read_episode(log)[-1] == env.trajectory[-1]


def test_an_invalid_action_is_told_counted_and_logged(fake: tuple[DeskEnv, Path]) -> None:
    env, _ = fake
    observation, _, _, _, info = env.step({"tool": "fly", "to": "Rome"})
    assert observation["text"].startswith("error (invalid_action): the action does not fit")
    assert info == {
        "tool": None,
        "family": None,
        "ok": False,
        "error": "invalid_action",
        "timed_out": False,
        "opened": (),
        "invalid_action": True,
    }
    event = env.trajectory[-1]
    assert isinstance(event, StepEvent)
    assert (event.action, event.flags) == (None, ("invalid_action",))
    assert event.raw_action == '{"tool": "fly", "to": "Rome"}'


# -- each kind, on a real desk ---------------------------------------------------------------------


@pytest.fixture(scope="module")
def desk(desk_image: str) -> Iterator[DeskEnv]:
    """Adam's desk, for as many steps as the module takes."""
    env = deskgym.make(profile="adam", max_steps=10_000)
    env.reset(seed=0)
    yield env
    env.close()


def a_file(desk: DeskEnv, suffix: str) -> str:
    """The first of Adam's files with that suffix."""
    records = desk.dataset.profile("adam").files
    return next(r.path for r in records if r.path.endswith(suffix))


def do(desk: DeskEnv, tool: str, **fields: Any) -> tuple[str, dict[str, Any], tuple[Any, ...]]:
    observation, _, terminated, truncated, info = desk.step({"tool": tool, **fields})
    assert desk.observation_space.contains(observation)
    assert not terminated
    assert not truncated
    assert info["ok"] == (info["error"] is None)
    return observation["text"], info, observation["media"]


@pytest.mark.docker
def test_terminal(desk: DeskEnv) -> None:
    text, info, _ = do(desk, "terminal", command="echo hi; id -u")
    assert (text, info["exit_status"], info["opened"]) == ("hi\n1000\n", 0, ())
    path = a_file(desk, ".md")
    text, info, _ = do(desk, "terminal", command=f"head -c 20 '/desk/{path}'")
    assert info["opened"] == (path,)
    text, info, _ = do(desk, "terminal", command="echo no; exit 3")
    assert (text, info["exit_status"]) == ("no\n[exit status 3]", 3)
    text, info, _ = do(desk, "terminal", command="echo start; sleep 60", timeout_s=0.3)
    assert info["timed_out"]
    assert "exit_status" not in info
    assert text.startswith("start\n")
    assert "timed out" in text
    do(desk, "terminal", command="cd /tmp; export NAME=ann")
    assert do(desk, "terminal", command="pwd; echo $NAME")[0] == "/tmp\nann\n"


@pytest.mark.docker
def test_terminal_output_is_cut_in_the_middle(desk: DeskEnv) -> None:
    text, _, _ = do(desk, "terminal", command="seq 1 100000")
    assert text.startswith("1\n2\n")
    assert text.endswith("99999\n100000\n")
    assert len(text) < 60_000
    assert "/scratch/" in text


@pytest.mark.docker
def test_list_files(desk: DeskEnv) -> None:
    records = desk.dataset.profile("adam").files
    text, info, _ = do(desk, "list_files")
    assert text.startswith(f"{len(records)} files\n")
    assert info["family"] == "search"
    text, _, _ = do(desk, "list_files", pattern="*.PDF")
    assert text.splitlines()[0] == f"{sum(r.path.endswith('.pdf') for r in records)} files"
    text, _, _ = do(desk, "list_files", modality="audio")
    assert text.splitlines()[0] == f"{sum(r.modality == 'audio' for r in records)} files"
    middle = sorted(r.modified for r in records)[len(records) // 2]
    text, _, _ = do(desk, "list_files", modified_after=middle.isoformat())
    assert 0 < int(text.split()[0]) < len(records)
    assert do(desk, "list_files", pattern="*.nothing")[0] == "0 files"


@pytest.mark.docker
def test_metadata(desk: DeskEnv) -> None:
    record = desk.dataset.profile("adam").files[3]
    text, _, _ = do(desk, "metadata", path=record.path)
    assert f"path: {record.path}" in text
    assert f"modified: {record.modified.isoformat()}" in text
    assert f"size: {record.size}" in text


@pytest.mark.docker
def test_read_text(desk: DeskEnv) -> None:
    path = a_file(desk, ".md")
    text, info, _ = do(desk, "read_text", path=path)
    assert text.startswith(f"{path}; mime text/markdown; lines ")
    assert "\n[lines:1-" in text
    assert info["opened"] == (path,)
    assert do(desk, "read_text", path=f"/desk/{path}")[0] == text
    assert "[lines:2]" in do(desk, "read_text", path=path, lines=[2, 2])[0]
    assert "[page:1" in do(desk, "read_text", path=a_file(desk, ".pdf"), pages=[1, 1])[0]
    assert "A1:B2" in do(desk, "read_text", path=a_file(desk, ".xlsx"), cells="A1:B2")[0]


@pytest.mark.docker
def test_read_image(desk: DeskEnv) -> None:
    for path, fields in ((a_file(desk, ".jpg"), {}), (a_file(desk, ".pdf"), {"page": 1})):
        text, _, (medium,) = do(desk, "read_image", path=path, **fields)
        assert f"{medium.mime}, {len(medium.data)} bytes" in text
        whole = Image.open(io.BytesIO(medium.data)).size
        _, _, (part,) = do(desk, "read_image", path=path, region=[0, 0, 0.5, 0.25], **fields)
        assert Image.open(io.BytesIO(part.data)).size != whole


@pytest.mark.docker
def test_read_audio(desk: DeskEnv) -> None:
    for path in (a_file(desk, ".mp3"), a_file(desk, ".mp4")):
        text, info, (medium,) = do(desk, "read_audio", path=path, start_s=1, end_s=2.5)
        assert (medium.mime, info["opened"]) == ("audio/mpeg", (path,))
        assert f"[time:1-2.5] audio/mpeg, {len(medium.data)} bytes" in text
        assert "duration_s" in text
    error = do(desk, "read_audio", path=a_file(desk, ".mp3"), start_s=9_000)[1]["error"]
    assert error == "out_of_range"
    assert do(desk, "read_audio", path=a_file(desk, ".pdf"))[1]["error"] == "unsupported"


@pytest.mark.docker
def test_read_video(desk: DeskEnv) -> None:
    path = a_file(desk, ".mp4")
    text, _, frames = do(desk, "read_video", path=path, frames=[1, 2.25])
    assert [m.mime for m in frames] == ["image/jpeg"] * 2
    assert text.index("[time:1-1]") < text.index("[time:2.25-2.25]")
    assert max(Image.open(io.BytesIO(frames[0].data)).size) <= 768
    assert len(do(desk, "read_video", path=path, start_s=0, end_s=3, frames=4)[2]) == 4
    assert len(do(desk, "read_video", path=path)[2]) == 6
    assert do(desk, "read_video", path=a_file(desk, ".mp3"))[1]["error"] == "unsupported"


@pytest.mark.docker
def test_read_original(desk: DeskEnv) -> None:
    for suffix in (".eml", ".mp4", ".xlsx"):
        path = a_file(desk, suffix)
        _, _, (medium,) = do(desk, "read_original", path=path)
        assert medium.data == (desk.dataset.profile("adam").root / path).read_bytes()


@pytest.mark.docker
@pytest.mark.parametrize(
    "tool",
    ["metadata", "read_text", "read_image", "read_audio", "read_video", "read_original"],
)
@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("nothing/there.txt", "not_found"),
        ("../etc/passwd", "outside_profile"),
        ("/etc/passwd", "outside_profile"),
        ("00_Inbox", "not_a_file"),
        ("a\x00b", "bad_argument"),
    ],
)
def test_a_bad_path_is_told(desk: DeskEnv, tool: str, path: str, kind: str) -> None:
    text, info, media = do(desk, tool, path=path)
    assert (info["error"], media) == (kind, ())
    assert text.startswith(f"error ({kind}): ")
    assert not info["invalid_action"]


@pytest.mark.docker
def test_a_bad_part_is_told(desk: DeskEnv) -> None:
    assert do(desk, "read_text", path=a_file(desk, ".pdf"), pages=[99, 99])[1]["error"] == (
        "out_of_range"
    )
    assert do(desk, "read_text", path=a_file(desk, ".md"), cells="A1")[1]["error"] == "bad_argument"
    assert do(desk, "read_image", path=a_file(desk, ".md"))[1]["error"] == "unsupported"
    region = [0.5, 0.5, 0.1, 0.1]
    assert not do(desk, "read_image", path=a_file(desk, ".jpg"), region=region)[1]["ok"]


@pytest.mark.docker
def test_note(desk: DeskEnv) -> None:
    text, info, _ = do(desk, "note", text="hm", cites=[{"path": "x", "locator": "page:3"}])
    assert (text, info["family"], info["opened"]) == ("noted", "reasoning", ())
