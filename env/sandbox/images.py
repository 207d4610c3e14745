"""The images: their addresses, which are hashes of all that goes in, and how they are built.

There are two. A *desk* holds one person's files and an agent; the *perception* image prepares
files (OCR, speech, old office formats). Both start from the same base, and differ in their
`Recipe`.
"""

from __future__ import annotations

import fcntl
import hashlib
import io
import os
import platform
import tarfile
import tempfile
import textwrap
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from itertools import combinations
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import deskgym.sandbox_images
import deskgym.tools
from deskgym.env.sandbox.base import ImageMissing
from deskgym.env.sandbox.base_image import ensure_base
from deskgym.env.sandbox.wheels import ImageBuildFailed, cache_dir, download_wheels

if TYPE_CHECKING:
    from docker import DockerClient

Say = Callable[[str], None]

BUILD_COMMAND = "deskgym image build"
ENGINES = ("openai-whisper", "faster-whisper")
"""The speech engines of the perception image, each of which can be left out of it."""

# Another name for the same machine must give the same address: Apple's and Go's names differ.
_MACHINES = {"arm64": "aarch64", "amd64": "x86_64"}
_LAST_LINES = 15


@dataclass(frozen=True)
class Recipe:
    """What an image is made from. Files are named relative to the folder of all recipes.

    ``packages`` list Debian packages, ``requirements`` Python packages; the lists of one kind are
    read as one. ``programs`` is whether the desk's own programs go in besides the tools.
    """

    name: str
    command: str
    packages: tuple[str, ...]
    requirements: tuple[str, ...]
    programs: bool = False

    @property
    def repository(self) -> str:
        return f"deskgym/{self.name}"

    @property
    def files(self) -> tuple[str, ...]:
        """All that the recipe itself consists of."""
        dockerfile = f"{self.name}/Dockerfile"
        return (dockerfile, _BOOTSTRAP, _INSTALLER, *self.packages, *self.requirements)


_BOOTSTRAP = "desk/bootstrap"
_INSTALLER = "desk/installer.txt"
DESK = Recipe("desk", BUILD_COMMAND, ("desk/packages.txt",), ("desk/requirements.txt",), True)


def perception_recipe(without: Collection[str] = ()) -> Recipe:
    """The recipe of the perception image, with every speech engine but those in ``without``.

    Raises:
        ValueError: there is no engine of that name.
    """
    if unknown := sorted(set(without) - set(ENGINES)):
        raise ValueError(f"no speech engine {unknown[0]!r}; there are {', '.join(ENGINES)}")
    left_out = [engine for engine in ENGINES if engine in without]
    return Recipe(
        "perception",
        " ".join([f"{BUILD_COMMAND} --perception", *(f"--without {e}" for e in left_out)]),
        ("desk/packages.txt", "perception/packages.txt"),
        (
            "desk/requirements.txt",
            "perception/requirements.txt",
            *(f"perception/{engine}.txt" for engine in ENGINES if engine not in left_out),
        ),
    )


@dataclass(frozen=True)
class Image:
    """An image that this version of the package needs: `tag`, and the digests it stands for."""

    tag: str
    machine: str
    inputs: dict[str, str]


def image_of(recipe: Recipe, machine: str | None = None) -> Image:
    """The image for ``machine`` (an engine's architecture; default: this computer's).

    The tag changes when, and only when, something that goes into the image does.
    """
    name = machine or platform.machine()
    name = _MACHINES.get(name, name)
    contents = {f"recipe/{file}": (recipes_dir() / file).read_bytes() for file in recipe.files}
    contents |= {f"payload/{file}": data for file, (data, _) in payload_of(recipe).items()}
    inputs = {file: hashlib.sha256(data).hexdigest() for file, data in sorted(contents.items())}
    digest = hashlib.sha256(f"machine {name}\n".encode())
    for file, value in inputs.items():
        digest.update(f"{value} {file}\n".encode())
    return Image(f"{recipe.repository}:{digest.hexdigest()[:16]}", name, inputs)


def desk_image(machine: str | None = None) -> Image:
    """`image_of` the desk."""
    return image_of(DESK, machine)


def ensure_image(
    client: DockerClient,
    recipe: Recipe = DESK,
    *,
    build: bool = True,
    force: bool = False,
    say: Callable[[str], None] = lambda line: None,
) -> str:
    """The tag of a recipe's image, built first if the engine does not have it.

    With ``build=False`` an absent image raises `ImageMissing`, and so does a build that fails.
    ``force`` builds it in any case (from the cached layers where they are unchanged). ``say`` is
    told what is being done.
    """
    image = image_of(recipe, client.info()["Architecture"])
    if not force and has_image(client, image.tag):
        return image.tag
    if not build:
        raise ImageMissing(
            f"the {recipe.name} image {image.tag} is not on this engine; build it: {recipe.command}"
        )
    with build_lock(say):
        # Another process may have built it while this one waited for its turn.
        if force or not has_image(client, image.tag):
            _build(client, recipe, image, say)
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
    """Tags of our images that this version of the package does not use."""
    machine = client.info()["Architecture"]
    variants = [left_out for n in range(len(ENGINES) + 1) for left_out in combinations(ENGINES, n)]
    recipes = [DESK, *map(perception_recipe, variants)]
    current = {image_of(recipe, machine).tag for recipe in recipes}
    found: set[str] = set()
    for repository in {recipe.repository for recipe in recipes}:
        found.update(tag for image in client.images.list(name=repository) for tag in image.tags)
    # Podman puts the registry that an image is of before its name.
    return sorted(tag for tag in found if tag.removeprefix("localhost/") not in current)


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


def recipes_dir() -> Path:
    """The folder that recipes name their files relative to."""
    return Path(next(iter(deskgym.sandbox_images.__path__)))


def payload_of(recipe: Recipe) -> dict[str, tuple[bytes, int]]:
    """What goes below /opt/deskgym: relative name -> contents and mode."""
    tools = Path(next(iter(deskgym.tools.__path__)))
    files: dict[str, tuple[bytes, int]] = {"lib/deskgym/__init__.py": (b"", 0o640)}
    if recipe.programs:
        own = recipes_dir() / recipe.name
        for module in sorted(own.glob("*.py")):
            files[f"{recipe.name}/{module.name}"] = (module.read_bytes(), 0o644)
        for command in sorted((own / "bin").glob("*")):
            if command.is_file() and not command.name.startswith("."):
                files[f"bin/{command.name}"] = (command.read_bytes(), 0o755)
    for module in sorted(tools.rglob("*.py")):
        name = module.relative_to(tools).as_posix()
        files[f"lib/deskgym/tools/{name}"] = (module.read_bytes(), 0o640)
    return files


def _build(client: DockerClient, recipe: Recipe, image: Image, say: Say) -> None:
    base = ensure_base(client, recipes_dir() / _BOOTSTRAP, image.machine, say)
    lists = [recipes_dir() / name for name in (_INSTALLER, *recipe.requirements)]
    wheels = download_wheels(lists, image.machine, say)
    say(f"building {image.tag}")
    arguments = {"BASE": base, "VERSION": version("deskgym"), "NAME": recipe.name}
    # Predefined build arguments: they reach apt and leave no trace in the image.
    for name in ("http_proxy", "https_proxy", "no_proxy"):
        for spelling in (name, name.upper()):
            if os.environ.get(spelling):
                arguments[spelling] = os.environ[spelling]
    with build_context(recipe, wheels) as context:
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
def build_context(recipe: Recipe, wheels: Path) -> Iterator[IO[bytes]]:
    """The build context as an open tar file: equal inputs give equal bytes, so layers cache."""
    recipes = recipes_dir()
    packages = b"".join((recipes / name).read_bytes() for name in recipe.packages)
    with tempfile.TemporaryFile() as file:
        with tarfile.open(fileobj=file, mode="w") as tar:
            _add(tar, "Dockerfile", (recipes / recipe.name / "Dockerfile").read_bytes(), 0o644)
            _add(tar, "packages.txt", packages, 0o644)
            for wheel in sorted(wheels.glob("*.whl")):
                with wheel.open("rb") as contents:  # some are too large to hold in memory
                    tar.addfile(_member(f"wheels/{wheel.name}", wheel.stat().st_size), contents)
            for name, (data, mode) in payload_of(recipe).items():
                _add(tar, f"payload/{name}", data, mode)
        file.seek(0)
        yield file


def _add(tar: tarfile.TarFile, name: str, data: bytes, mode: int) -> None:
    tar.addfile(_member(name, len(data), mode), io.BytesIO(data))


def _member(name: str, size: int, mode: int = 0o644) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.size = size
    member.mode = mode
    return member


@contextmanager
def build_lock(say: Say) -> Iterator[None]:
    """One build at a time on this computer, whoever starts it."""
    with (cache_dir() / "build.lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("waiting for another build to end")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield
