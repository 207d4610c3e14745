"""What the README shows works as it stands there."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from deskgym.agents.registry import MODEL_AGENTS, NAMES
from deskgym.cli.main import app
from deskgym.env.actions import FAMILIES, PRESETS
from deskgym.env.rewards import check_reward
from deskgym.env.run_reader import read_results
from deskgym.tasks.demo import PEOPLE, DemoDataset

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
DOCS = {file.name: file.read_text(encoding="utf-8") for file in (ROOT / "docs").glob("*.md")}


def section(title: str) -> str:
    """What stands below the heading ``title``, up to the next one."""
    (text,) = re.findall(rf"^## {title}\n\n(.*?)\n(?=## )", README, re.MULTILINE | re.DOTALL)
    return str(text)


def example(title: str) -> str:
    (block,) = re.findall(r"^```python\n(.*?)^```$", section(title), re.MULTILINE | re.DOTALL)
    return str(block)


@pytest.mark.docker
@pytest.mark.usefixtures("desk_image")
def test_the_example_runs_word_for_word(tmp_path: Path) -> None:
    code = example("In Python")
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


def blocks(text: str) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


@pytest.mark.docker
@pytest.mark.usefixtures("desk_image")
@pytest.mark.parametrize(
    "text", [section("Many desks"), DOCS["many-desks.md"]], ids=["readme", "docs"]
)
def test_examples_of_many_desks_run_word_for_word(text: str, tmp_path: Path) -> None:
    assert blocks(text)
    for code in blocks(text):
        command = [sys.executable, "-W", "error", "-c", code]
        run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert (run.returncode, run.stderr) == (0, "")


def test_the_section_on_ones_own_agent_is_short() -> None:
    assert len(section("Your own agent").splitlines()) < 30


@pytest.mark.docker
@pytest.mark.usefixtures("desk_image")
def test_ones_own_agent_runs_as_it_stands_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (command,) = re.findall(r"^`deskgym (run .*?)` plays", section("Your own agent"), re.MULTILINE)
    (name, module) = re.findall(r"`(my_agent\.py)`|--agent (my_agent):", section("Your own agent"))
    assert name[0] == f"{module[1]}.py"
    monkeypatch.chdir(tmp_path)
    (tmp_path / name[0]).write_text(example("Your own agent"), encoding="utf-8")
    out = tmp_path / "run"
    more = ["--tasks", "adam-00[1-5]", "--out", str(out)]
    done = CliRunner().invoke(app, [*command.split(), *more])
    assert done.exit_code == 0, done.output
    results = read_results(out)
    assert [r.ended for r in results] == ["answered"] * 5
    assert sum(r.scores.files_cited is not None and r.scores.files_cited.f1 > 0 for r in results)
    for result in results:
        assert result.answer
        assert result.cited_files == result.touched_files[:1]


def test_the_agents_named_are_those_there_are() -> None:
    rows = re.findall(r"^\| `(\w+)` \|", section("Agents"), re.MULTILINE)
    assert set(rows) == MODEL_AGENTS
    assert {name for name in NAMES if f"`{name}`" not in section("Agents")} == set()


def test_the_options_named_are_those_of_run() -> None:
    shown = CliRunner(env={"COLUMNS": "200"}).invoke(app, ["run", "--help"]).output
    for command in re.findall(r"deskgym run [^`\n]*", "\n".join([README, *DOCS.values()])):
        for option in re.findall(r"(?<= )--[a-z-]+", command):
            assert option in shown, command


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
    without = [["setup"], ["shell"], ["clean"], ["serve"], ["mcp"], ["image", "build"]]
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
    for name in re.findall(r"`(examples/[^`]+)`", "\n".join([README, *DOCS.values()])):
        assert (ROOT / name).is_file(), name
    for folder in re.findall(r"^([a-z_]+)/ ", README, re.MULTILINE):
        assert (ROOT / folder).is_dir(), folder
