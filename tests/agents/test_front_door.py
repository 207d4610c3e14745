"""What `deskgym` itself offers, and when."""

from __future__ import annotations

import subprocess
import sys

import pytest

SHOW = "import sys; {before}import deskgym; print(sorted(deskgym.__all__)); print(*sys.modules)"


def run(code: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_everything_offered_is_there_and_nothing_heavy_comes_with_the_import() -> None:
    names, modules = run(SHOW.format(before=""))
    assert names == str(
        ["AsyncDeskClient", "DeskClient", "DeskEnv", "ENV_ID", "make", "make_vec"]
    )  # fmt: skip
    for heavy in ("docker", "websockets", "fastapi", "openai", "verifiers", "inspect_ai"):
        assert heavy not in modules.split()
    assert run("from deskgym import *; print(DeskClient.__name__, make.__name__)") == [
        "DeskClient make"
    ]


def test_verifiers_finds_its_classes_once_it_is_there() -> None:
    # Its name alone is looked for: the classes themselves come when they are asked for.
    pretend = "import types; sys.modules['verifiers.v1'] = types.ModuleType('x'); "
    names, _ = run(SHOW.format(before=pretend))
    for name in ("DeskHarness", "DeskSeatEnv", "DeskTaskset"):
        assert repr(name) in names


def test_what_is_not_there_is_told() -> None:
    import deskgym

    with pytest.raises(AttributeError, match="no attribute 'DeskThing'"):
        deskgym.DeskThing  # noqa: B018
