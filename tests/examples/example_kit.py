"""How the tests get at the examples, which are scripts and no package."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from types import ModuleType

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def load(name: str) -> ModuleType:
    """The example ``name`` as a module."""
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def needs(package: str, install: str) -> None:
    """Skip what needs the distribution ``package`` where it is not installed, and say how it would
    be."""
    try:
        distribution(package)
    except PackageNotFoundError:
        pytest.skip(f"{package} is not installed: pip install {install}")


def run_example(name: str, *arguments: str, cwd: Path) -> str:
    """What the example prints, run as a person would: with nothing of this tree's root on the
    path, where a folder could pass for a package of the same name."""
    command = [sys.executable, str(EXAMPLES / f"{name}.py"), *arguments]
    # Nothing of a configuration of the one who runs the tests.
    env = {**os.environ, "HOME": str(cwd)}
    run = subprocess.run(
        command, capture_output=True, text=True, timeout=240, check=False, cwd=cwd, env=env
    )
    assert run.returncode == 0, run.stderr[-2000:]
    return run.stdout
