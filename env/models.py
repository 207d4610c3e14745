"""Weights of speech engines: on this computer once, below the cache, by name or by path."""

from __future__ import annotations

import hashlib
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deskgym.env.sandbox.base import SandboxError
from deskgym.env.sandbox.images import Recipe, ensure_image, has_image, image_of, perception_recipe
from deskgym.env.sandbox.sweep import ANY, RUN, owner_labels
from deskgym.tasks.cache import cache_root
from deskgym.tools.result import ToolError
from deskgym.tools.speech import find_model

if TYPE_CHECKING:
    from docker import DockerClient

PACKAGES = {"openai": "openai-whisper", "faster": "faster-whisper"}
_ALIASES = {"whisper": "openai", "openai-whisper": "openai", "faster-whisper": "faster"}
NAMES = (
    "tiny", "tiny.en", "base", "base.en", "small", "small.en", "medium", "medium.en",
    "large-v1", "large-v2", "large-v3", "turbo",
)  # fmt: skip
# What each engine offers for its own weights, run in the perception image. They print the reason
# if they cannot.
_FETCH = {
    "openai": "import whisper; whisper._download(whisper._MODELS[NAME], '/models', False)",
    "faster": "import faster_whisper; "
    "faster_whisper.download_model(NAME, output_dir='/models/faster-whisper-' + NAME)",
}


class ModelError(SandboxError):
    """There is no such model, or it cannot be fetched. The message says what to do."""


@dataclass(frozen=True)
class Model:
    """An engine ("openai", "faster") and where its weights lie: a file, or a folder."""

    engine: str
    path: Path

    @property
    def name(self) -> str:
        """The name by which people know it."""
        return self.path.name.removesuffix(".pt").removeprefix("faster-whisper-")

    def digest(self) -> str:
        """SHA-256 over the weights."""
        digest = hashlib.sha256()
        files = [self.path] if self.path.is_file() else sorted(self.path.rglob("*"))
        for file in (f for f in files if f.is_file()):
            digest.update(file.name.encode() + b"\0")
            with file.open("rb") as stream:
                digest.update(hashlib.file_digest(stream, "sha256").digest())
        return digest.hexdigest()


def models_dir() -> Path:
    """Where fetched weights are kept."""
    return cache_root() / "models"


def parse(spec: str) -> tuple[str, str]:
    """Engine and model of ``openai:tiny.en``, ``faster:PATH``, or of a bare name or path (openai).

    Raises:
        ModelError: it is no such text.
    """
    engine, colon, model = spec.partition(":")
    if not colon:
        engine, model = "openai", spec
    engine = _ALIASES.get(engine, engine)
    if engine not in PACKAGES or not model:
        raise ModelError(
            f"no speech engine and model: {spec!r}; write openai:MODEL or faster:MODEL, such as "
            "openai:tiny.en; a model is a name or a path"
        )
    return engine, model


def locate(spec: str) -> Model:
    """The model that ``spec`` names, which must be here already.

    Raises:
        ModelError: there is none.
    """
    engine, model = parse(spec)
    try:
        return Model(engine, find_model(engine, model, models_dir()).resolve())
    except ToolError as error:
        raise ModelError(f"{error.message}; run: deskgym models fetch {engine}:NAME") from error


def available() -> list[Model]:
    """The models in the cache, openai's first, the smallest first."""
    folder = models_dir()
    if not folder.is_dir():
        return []
    files = [Model("openai", file) for file in folder.glob("*.pt")]
    folders = [Model("faster", file.parent) for file in folder.glob("*/model.bin")]

    def size(model: Model) -> int:
        file = model.path if model.path.is_file() else model.path / "model.bin"
        return file.stat().st_size

    return [*sorted(files, key=size), *sorted(folders, key=size)]


def recipe_with(client: DockerClient, model: Model | None) -> Recipe:
    """Of the perception images that can use ``model`` one that is there, else the full one."""
    engines = list(PACKAGES.values())
    needed = PACKAGES[model.engine] if model is not None else None
    candidates = [(), *((e,) for e in engines if e != needed)]
    if needed is None:
        candidates.append(tuple(engines))
    machine = client.info()["Architecture"]
    for without in candidates:
        recipe = perception_recipe(without)
        if has_image(client, image_of(recipe, machine).tag):
            return recipe
    return perception_recipe()


def fetch(client: DockerClient, spec: str) -> Model:
    """Have an engine fetch its weights by its own means, unless they are here. A path stays as is.

    Raises:
        ModelError: it could not.
        ImageMissing: there is no perception image to do it in.
    """
    engine, name = parse(spec)
    try:
        return Model(engine, find_model(engine, name, models_dir()).resolve())
    except ToolError:
        if name not in NAMES:  # a path that is not there, or a slip
            known = ", ".join(NAMES)
            raise ModelError(f"no model {name!r} of {engine}; there are {known}") from None
    folder = models_dir()
    folder.mkdir(parents=True, exist_ok=True)
    image = ensure_image(client, recipe_with(client, Model(engine, folder)), build=False)
    # Aside first: half of a model must not be taken for one.
    with tempfile.TemporaryDirectory(dir=folder, prefix=".new-") as new:
        status, said = _run(client, image, engine, name, Path(new))
        if status == 0:
            for made in Path(new).iterdir():
                made.rename(folder / made.name)
    if status != 0:
        raise ModelError(
            f"{said}\n{PACKAGES[engine]} could not fetch {name!r}, for which it needs a network; "
            f"its own words stand above. Weights you have can be named by path: {engine}:PATH"
        )
    return locate(f"{engine}:{name}")


def _run(client: DockerClient, image: str, engine: str, name: str, folder: Path) -> tuple[int, str]:
    """The one container of ours that has a network; it sees no one's files."""
    code = _FETCH[engine].replace("NAME", repr(name))
    options: dict[str, Any] = {
        "entrypoint": ["/usr/bin/python3", "-c", code],
        "user": f"{os.getuid()}:{os.getgid()}",
        "environment": {"HOME": "/tmp"},
        "network_mode": "host",
        "read_only": True,
        "cap_drop": ["ALL"],
        "tmpfs": {"/tmp": ""},
        "volumes": {str(folder): {"bind": "/models", "mode": "rw"}},
        "labels": {ANY: "models", RUN: "models", **owner_labels()},
    }
    container = client.containers.create(image, **options)
    try:
        container.start()
        status = int(container.wait()["StatusCode"])
        said = container.logs().decode(errors="replace").strip().splitlines()
    finally:
        container.remove(force=True)
    return status, "\n".join(said[-3:])
