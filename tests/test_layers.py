"""Imports go one way, and what runs in the desk imports nothing that is not there."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("deskgym", "agents", "env", "tools", "tasks", "sandbox_images")
# What each layer may import of ours, besides itself.
ALLOWED = {
    "deskgym": {"agents", "env", "tools", "tasks", "sandbox_images"},
    "agents": {"env", "tools", "tasks", "sandbox_images"},
    "env": {"tools", "tasks", "sandbox_images"},
    "tools": set(),  # they run in the desk
    "tasks": set(),
    "sandbox_images": set(),
    # The script that makes the demo people finds its quotes with the read tools.
    "tasks/demo/make": {"tools", "tasks"},
}


def modules() -> list[Path]:
    files = [f for folder in FOLDERS for f in (ROOT / folder).rglob("*.py")]
    return [f for f in files if "data" not in f.relative_to(ROOT).parts]


def layer_of(file: Path) -> str:
    path = file.relative_to(ROOT).as_posix()
    return "tasks/demo/make" if path.startswith("tasks/demo/make/") else path.partition("/")[0]


def imports(file: Path, *, late: bool = True) -> Iterator[tuple[int, str]]:
    """Line and full name of each import; without ``late``, of those at module level only."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    package = ["deskgym", *file.relative_to(ROOT).parent.parts]
    if package[1] == "deskgym":
        del package[1]
    for node in ast.walk(tree) if late else tree.body:
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) + 1 - node.level] if node.level else []
            name = ".".join([*base, *([node.module] if node.module else [])])
            yield node.lineno, name
            # `from deskgym.env import pool` names a module too.
            yield from ((node.lineno, f"{name}.{alias.name}") for alias in node.names)


def ours(name: str) -> str | None:
    """The layer that an imported name belongs to; None if it is not ours."""
    parts = name.split(".")
    if parts[0] != "deskgym":
        return None
    return parts[1] if len(parts) > 1 and parts[1] in FOLDERS else "deskgym"


def test_there_are_modules_in_every_layer() -> None:
    assert {layer_of(file) for file in modules()} == set(ALLOWED)


@pytest.mark.parametrize("file", modules(), ids=lambda f: f.relative_to(ROOT).as_posix())
def test_imports_go_one_way(file: Path) -> None:
    layer = layer_of(file)
    allowed = {layer, *ALLOWED[layer]}
    wrong = [
        f"line {line}: {name}"
        for line, name in imports(file)
        # `import deskgym.tools` and `from deskgym import tools` begin at the top, and pass there.
        if (target := ours(name)) is not None and target not in allowed and name != "deskgym"
    ]
    assert wrong == []


def in_desk(folder: str) -> list[Path]:
    return sorted((ROOT / folder).rglob("*.py"))


@pytest.mark.parametrize("file", in_desk("sandbox_images/desk"), ids=lambda f: f.name)
def test_the_runner_imports_the_standard_library_and_itself(file: Path) -> None:
    names = [name for _, name in imports(file)]
    foreign = [
        name
        for name in names
        if name.partition(".")[0] not in sys.stdlib_module_names
        and not name.startswith("deskgym.sandbox_images.desk")
    ]
    assert foreign == []


@pytest.mark.parametrize("file", in_desk("tools"), ids=lambda f: f.name)
def test_tools_import_readers_late_and_nothing_of_ours_but_tools(file: Path) -> None:
    at_once = {name.partition(".")[0] for _, name in imports(file, late=False)}
    assert at_once - set(sys.stdlib_module_names) <= {"deskgym"}
    assert {ours(name) for _, name in imports(file)} <= {None, "tools"}
    assert "pydantic" not in {name.partition(".")[0] for _, name in imports(file)}
