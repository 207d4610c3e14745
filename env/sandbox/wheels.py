"""The Python packages of an image as wheels, downloaded once by this machine's pip."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from deskgym.env.sandbox.base import ImageMissing

_PYTHON = "3.11"  # the images', whatever this one is
_PLATFORMS = ("manylinux_2_28", "manylinux2014")


class ImageBuildFailed(ImageMissing):
    """An image could not be built. The message says at which step and what it printed."""


def download_wheels(lists: Sequence[Path], machine: str, say: Callable[[str], None]) -> Path:
    """A folder with the packages that requirement files name, and nothing else, as wheels.

    pip resolves nothing: the lists are complete. A package that is published as source alone
    (``--no-binary`` in its list) is built here; it must be pure Python.

    Raises:
        ImageBuildFailed: pip could not; the message holds its words.
    """
    digest = hashlib.sha256(b"".join(file.read_bytes() for file in lists)).hexdigest()[:16]
    folder = cache_dir() / f"wheels-{machine}-{digest}"
    if folder.is_dir():
        return folder
    say("downloading the image's Python packages")
    with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        target = Path(scratch) / "wheels"
        target.mkdir()
        arguments = ["--only-binary=:all:", "--python-version", _PYTHON, "--dest", str(target)]
        for kind in _PLATFORMS:
            arguments += ["--platform", f"{kind}_{machine}"]
        for file in lists:
            arguments += ["--requirement", str(file)]
        _pip("download", *arguments)
        for source in sorted(target.glob("*.tar.gz")):
            say(f"building a wheel of {source.name}")
            _pip("wheel", "--wheel-dir", str(target), str(source))
        target.rename(folder)
    return folder


def _pip(command: str, *arguments: str) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "pip", command, "--quiet", "--no-deps", *arguments],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    if run.returncode == 0:
        return
    remedy = (
        "check that pip works here (`python -m pip --version`) and reaches its index"
        if "torch==" not in run.stderr
        else "torch's build for CPUs has an index of its own, which pip must be told of (its "
        "setting extra-index-url or find-links); or build without: --without openai-whisper"
    )
    raise ImageBuildFailed(
        f"{run.stderr.strip()}\npip could not {command} the image's Python packages; {remedy}"
    )


def cache_dir() -> Path:
    """Where downloads are kept.

    Raises:
        ImageBuildFailed: it cannot be made.
    """
    root = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    folder = Path(root) / "deskgym"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ImageBuildFailed(
            f"the cache folder cannot be made: {error}; set XDG_CACHE_HOME to one that can"
        ) from error
    return folder
