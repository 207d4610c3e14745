"""The desk image: its address, which is a hash of all that goes in, and how it is built."""

from __future__ import annotations

import fcntl
import hashlib
import io
import os
import platform
import subprocess
import sys
import tarfile
import tempfile
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import deskgym.sandbox_images
import deskgym.tools
from deskgym.env.sandbox.base import ImageMissing
from deskgym.env.sandbox.base_image import ensure_base

if TYPE_CHECKING:
    from docker import DockerClient

Say = Callable[[str], None]

REPOSITORY = "deskgym/desk"
BUILD_COMMAND = "deskgym image build"

_RECIPE = ("Dockerfile", "bootstrap", "packages.txt", "requirements.txt", "installer.txt")
# Another name for the same machine must give the same address: Apple's and Go's names differ.
_MACHINES = {"arm64": "aarch64", "amd64": "x86_64"}
_LAST_LINES = 15


class ImageBuildFailed(ImageMissing):
    """The desk image could not be built. The message says at which step and what it printed."""


@dataclass(frozen=True)
class DeskImage:
    """The image that this version of the package needs: `tag`, and the digests it stands for."""

    tag: str
    machine: str
    inputs: dict[str, str]


def desk_image(machine: str | None = None) -> DeskImage:
    """The image for ``machine`` (an engine's architecture; default: this computer's).

    The tag changes when, and only when, something that goes into the image does.
    """
    name = machine or platform.machine()
    name = _MACHINES.get(name, name)
    contents = {f"recipe/{file}": (_recipe_dir() / file).read_bytes() for file in _RECIPE}
    contents |= {f"payload/{file}": data for file, (data, _) in _payload().items()}
    inputs = {file: hashlib.sha256(data).hexdigest() for file, data in sorted(contents.items())}
    digest = hashlib.sha256(f"machine {name}\n".encode())
    for file, value in inputs.items():
        digest.update(f"{value} {file}\n".encode())
    return DeskImage(f"{REPOSITORY}:{digest.hexdigest()[:16]}", name, inputs)


def ensure_image(
    client: DockerClient,
    *,
    build: bool = True,
    force: bool = False,
    say: Callable[[str], None] = lambda line: None,
) -> str:
    """The tag of the desk image, built first if the engine does not have it.

    With ``build=False`` an absent image raises `ImageMissing`, and so does a build that fails.
    ``force`` builds it in any case (from the cached layers where they are unchanged). ``say`` is
    told what is being done.
    """
    image = desk_image(client.info()["Architecture"])
    if not force and has_image(client, image.tag):
        return image.tag
    if not build:
        raise ImageMissing(
            f"the desk image {image.tag} is not on this engine; build it: {BUILD_COMMAND}"
        )
    with _build_lock(say):
        # Another process may have built it while this one waited for its turn.
        if force or not has_image(client, image.tag):
            _build(client, image, say)
    return image.tag


def has_image(client: DockerClient, tag: str) -> bool:
    """Whether the engine holds an image of this name."""
    from docker.errors import ImageNotFound

    try:
        client.images.get(tag)
    except ImageNotFound:
        return False
    return True


def old_images(client: DockerClient) -> list[str]:
    """Tags of desk images that this version of the package does not use."""
    current = desk_image(client.info()["Architecture"]).tag
    tags = {tag for image in client.images.list(name=REPOSITORY) for tag in image.tags}
    return sorted(tags - {current})


def remove_old_images(client: DockerClient) -> list[str]:
    """Remove `old_images` that no container uses; returns the tags that went."""
    from docker.errors import APIError, ImageNotFound

    removed = []
    for tag in old_images(client):
        try:
            client.images.remove(tag)
        except ImageNotFound:
            continue
        except APIError as error:
            if error.status_code != 409:  # a desk of another version still runs on it
                raise
            continue
        removed.append(tag)
    return removed


def _recipe_dir() -> Path:
    return Path(next(iter(deskgym.sandbox_images.__path__))) / "desk"


def _payload() -> dict[str, tuple[bytes, int]]:
    """What goes below /opt/deskgym: relative name -> contents and mode."""
    recipe = _recipe_dir()
    tools = Path(next(iter(deskgym.tools.__path__)))
    files: dict[str, tuple[bytes, int]] = {"lib/deskgym/__init__.py": (b"", 0o640)}
    for module in sorted(recipe.glob("*.py")):
        files[f"desk/{module.name}"] = (module.read_bytes(), 0o644)
    for command in sorted((recipe / "bin").glob("*")):
        if command.is_file() and not command.name.startswith("."):
            files[f"bin/{command.name}"] = (command.read_bytes(), 0o755)
    for module in sorted(tools.rglob("*.py")):
        name = module.relative_to(tools).as_posix()
        files[f"lib/deskgym/tools/{name}"] = (module.read_bytes(), 0o640)
    return files


def _build(client: DockerClient, image: DeskImage, say: Say) -> None:
    base = ensure_base(client, _recipe_dir() / "bootstrap", image.machine, say)
    wheels = _wheels(image.machine, say)
    say(f"building {image.tag}")
    arguments = {"BASE": base, "VERSION": version("deskgym")}
    # Predefined build arguments: they reach apt and leave no trace in the image.
    for name in ("http_proxy", "https_proxy", "no_proxy"):
        for spelling in (name, name.upper()):
            if os.environ.get(spelling):
                arguments[spelling] = os.environ[spelling]
    with _context(wheels) as context:
        stream = client.api.build(
            fileobj=context,
            custom_context=True,
            tag=image.tag,
            buildargs=arguments,
            # The build needs Debian's mirror only; the host's own network has no DNS to set up.
            network_mode="host",
            rm=True,
            forcerm=True,
            decode=True,
            timeout=1800,
        )
        _follow(stream, say)
    say(f"built {image.tag}")


def _follow(stream: Iterator[dict[str, Any]], say: Say) -> None:
    """Pass on a build's steps; raise with the last lines that it printed if it fails."""
    tail: list[str] = []
    for event in stream:
        if "error" in event:
            printed = "\n".join(tail[-_LAST_LINES:])
            raise ImageBuildFailed(f"{printed}\nthe image build failed: {event['error'].strip()}")
        for line in str(event.get("stream", "")).splitlines():
            if line.strip():
                tail = [*tail[-_LAST_LINES:], line.rstrip()]
            if line.startswith("Step "):
                say(textwrap.shorten(line, 90))


@contextmanager
def _context(wheels: Path) -> Iterator[IO[bytes]]:
    """The build context as an open tar file: equal inputs give equal bytes, so layers cache."""
    recipe = _recipe_dir()
    with tempfile.TemporaryFile() as file:
        with tarfile.open(fileobj=file, mode="w") as tar:
            for name in ("Dockerfile", "packages.txt"):
                _add(tar, name, (recipe / name).read_bytes(), 0o644)
            for wheel in sorted(wheels.glob("*.whl")):
                _add(tar, f"wheels/{wheel.name}", wheel.read_bytes(), 0o644)
            for name, (data, mode) in _payload().items():
                _add(tar, f"payload/{name}", data, mode)
        file.seek(0)
        yield file


def _add(tar: tarfile.TarFile, name: str, data: bytes, mode: int) -> None:
    member = tarfile.TarInfo(name)
    member.size = len(data)
    member.mode = mode
    tar.addfile(member, io.BytesIO(data))


def _wheels(machine: str, say: Say) -> Path:
    """A folder with the image's Python packages as wheels, downloaded once per recipe."""
    recipe = _recipe_dir()
    lists = [recipe / "requirements.txt", recipe / "installer.txt"]
    digest = hashlib.sha256(b"".join(file.read_bytes() for file in lists)).hexdigest()[:16]
    folder = _cache_dir() / f"wheels-{machine}-{digest}"
    if folder.is_dir():
        return folder
    say("downloading the image's Python packages")
    with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        target = Path(scratch) / "wheels"
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        # For the image's Python, whatever this one is.
        command += ["--only-binary=:all:", "--python-version", "3.11", "--dest", str(target)]
        for kind in ("manylinux_2_28", "manylinux2014"):
            command += ["--platform", f"{kind}_{machine}"]
        for file in lists:
            command += ["--requirement", str(file)]
        run = subprocess.run(
            command, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False
        )
        if run.returncode != 0:
            raise ImageBuildFailed(
                f"{run.stderr.strip()}\npip could not download the image's Python packages; "
                "check that pip works here (`python -m pip --version`) and reaches its index"
            )
        target.rename(folder)
    return folder


def _cache_dir() -> Path:
    root = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    folder = Path(root) / "deskgym"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ImageBuildFailed(
            f"the cache folder cannot be made: {error}; set XDG_CACHE_HOME to one that can"
        ) from error
    return folder


@contextmanager
def _build_lock(say: Say) -> Iterator[None]:
    """One build at a time on this computer, whoever starts it."""
    with (_cache_dir() / "build.lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("waiting for another build to end")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield
