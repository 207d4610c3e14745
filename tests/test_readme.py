"""What the README shows works as it stands there."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from deskgym.cli.main import app
from deskgym.env.actions import FAMILIES, PRESETS
from deskgym.env.rewards import check_reward
from deskgym.tasks.demo import PEOPLE, DemoDataset

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def example() -> str:
    (block,) = re.findall(r"^```python\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    return str(block)


@pytest.mark.docker
@pytest.mark.usefixtures("desk_image")
def test_the_example_runs_word_for_word(tmp_path: Path) -> None:
    code = example()
    assert len(code.splitlines()) == 15
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.returncode, run.stderr) == (0, "")
    lines = run.stdout.splitlines()
    assert lines[0].endswith("?")
    assert [f"{n} " for n in range(1, 11) if any(ln.startswith(f"{n} ") for ln in lines)] == [
        f"{n} " for n in range(1, 11)
    ]
    assert lines[-1] == "reward 0.0 because answered"


def test_every_command_named_exists() -> None:
    shown = set(re.findall(r"`deskgym ([a-z]+)", README))
    runner = CliRunner()
    for name in shown:
        assert runner.invoke(app, [name, "--help"]).exit_code == 0, name
    listed = set(re.findall(r"^  ([a-z]+)  ", runner.invoke(app, ["--help"]).output, re.MULTILINE))
    assert listed
    assert listed - shown == set()


def test_the_commands_with_json_are_those_said_to_have_it() -> None:
    runner = CliRunner()
    without = [["setup"], ["shell"], ["clean"], ["image", "build"]]
    with_json = [
        ["doctor"], ["demo"], ["run"], ["report"], ["bench"], ["tasks", "list"],
        ["profiles", "list"], ["profiles", "info"], ["image", "info"],
    ]  # fmt: skip
    for command in without:
        assert "--json" not in runner.invoke(app, [*command, "--help"]).output, command
    for command in with_json:
        assert "--json" in runner.invoke(app, [*command, "--help"]).output, command


def test_tools_presets_and_rewards_are_all_named() -> None:
    rows = re.findall(r"^\| (search|perception|reasoning) \| `([a-z_]+)` \|", README, re.MULTILINE)
    assert {tool: family for family, tool in rows} == FAMILIES
    assert all(f"`{name}`" in README for name in PRESETS)
    for name in ("sparse", "grounded", "shaped"):
        assert f"`{check_reward(name)}`" in README


def test_the_demo_people_are_as_large_as_said() -> None:
    dataset = DemoDataset()
    rows = re.findall(r"^\| `demo/(\w+)` \|[^|]*\| (\d+) \| (\d+) \|$", README, re.MULTILINE)
    assert {name: (int(files), int(tasks)) for name, files, tasks in rows} == {
        name: (len(dataset.profile(name).files), len(dataset.tasks(name))) for name in PEOPLE
    }


def test_the_files_named_are_there() -> None:
    for name in re.findall(r"\]\(([^):]+)\)", README):
        assert (ROOT / name).is_file(), name
    for folder in re.findall(r"^([a-z_]+)/ ", README, re.MULTILINE):
        assert (ROOT / folder).is_dir(), folder
