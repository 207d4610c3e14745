"""The wheel: all of the package, as one package, and nothing else."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
# Where each top-level folder stands in the package.
PLACES = {
    "deskgym": "deskgym",
    "env": "deskgym/env",
    "sandbox_images": "deskgym/sandbox_images",
    "tools": "deskgym/tools",
    "agents": "deskgym/agents",
    "tasks": "deskgym/tasks",
}
_IMPORT_ALL = """
import importlib, pkgutil, sys
import deskgym
names = [info.name for info in pkgutil.walk_packages(deskgym.__path__, "deskgym.")]
for name in names:
    if name.endswith(".__main__"):
        continue
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        # An adapter is made of its framework's classes, and of no use without it.
        if "adapters" in name and error.name in ("inspect_ai", "verifiers", "agents"):
            continue
        raise
    assert module.__file__.startswith(sys.argv[1]), module.__file__
print(len(names))
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this tree, built from a copy: a build leaves files beside its sources."""
    tree = tmp_path_factory.mktemp("tree")
    skip = shutil.ignore_patterns("__pycache__", "*.pyc")
    for folder in PLACES:
        shutil.copytree(ROOT / folder, tree / folder, ignore=skip)
    for name in ("pyproject.toml", "setup.py", "MANIFEST.in", "README.md", "LICENSE"):
        if (ROOT / name).exists():
            shutil.copy(ROOT / name, tree / name)
    target = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation"]
    run = subprocess.run(
        [*command, "--no-index", "--wheel-dir", str(target), str(tree)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    (file,) = target.glob("*.whl")
    return file


@pytest.fixture(scope="module")
def members(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def _in_tree(pattern: str) -> set[str]:
    """Files of the tree that match, by the name that they have in the wheel."""
    return {
        f"{place}/{file.relative_to(ROOT / folder).as_posix()}"
        for folder, place in PLACES.items()
        for file in (ROOT / folder).rglob(pattern)
        if file.is_file() and "__pycache__" not in file.parts
    }


def test_every_module_is_in_the_wheel_and_no_other(members: set[str]) -> None:
    # The in-desk commands are data, with or without a suffix.
    modules = {name for name in members if name.endswith(".py")}
    assert sorted(_in_tree("*.py") - modules) == []
    assert sorted(modules - _in_tree("*.py")) == []


def test_nothing_but_deskgym_is_at_the_top(members: set[str]) -> None:
    top = {name.partition("/")[0] for name in members}
    assert {name for name in top if not name.endswith(".dist-info")} == {"deskgym"}


def test_the_image_s_recipe_is_in_the_wheel(members: set[str]) -> None:
    recipe = {name for name in _in_tree("*") if name.startswith("deskgym/sandbox_images/desk/")}
    assert "deskgym/sandbox_images/desk/Dockerfile" in recipe
    assert "deskgym/sandbox_images/desk/bin/desk-command" in recipe
    assert sorted(recipe - members) == []


def test_the_demo_people_s_files_are_in_the_wheel(members: set[str]) -> None:
    data = {name for name in _in_tree("*") if name.startswith("deskgym/tasks/demo/data/")}
    assert data, "the demo people have no files"
    assert sorted(data - members) == []


def test_every_module_imports_from_the_unpacked_wheel(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    run = subprocess.run(
        [sys.executable, "-c", _IMPORT_ALL, str(tmp_path)],
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert int(run.stdout) > 10
