"""The image of the server itself, for docker-compose.yml: this very package on a small Debian.

Like the desk's, its tag is a hash of all that goes in. What clients get are desks beside it, which
it starts through the engine's socket.
"""

from __future__ import annotations

import hashlib
import importlib
import os
import tarfile
import tempfile
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import IO, TYPE_CHECKING

from deskgym.env.sandbox.base_image import ensure_base
from deskgym.env.sandbox.images import has_image, recipes_dir
from deskgym.env.sandbox.wheels import ImageBuildFailed, download_wheels

if TYPE_CHECKING:
    from docker import DockerClient

Say = Callable[[str], None]
# In a checkout the first holds the front door alone, once installed all of it.
_PARTS = (
    "deskgym",
    "deskgym.agents",
    "deskgym.env",
    "deskgym.sandbox_images",
    "deskgym.tasks",
    "deskgym.tools",
)
_RECIPE = ("server/Dockerfile", "server/requirements.txt", "desk/bootstrap", "desk/installer.txt")
_MACHINES = {"arm64": "aarch64", "amd64": "x86_64"}
_LAST_LINES = 15


def ensure_server_image(client: DockerClient, say: Say = lambda line: None) -> str:
    """The tag of the server's image, built first if the engine does not have it.

    Raises:
        ImageMissing: it could not be built; the message holds what the build said.
    """
    machine = client.info()["Architecture"]
    machine = _MACHINES.get(machine, machine)
    payload = _payload()
    tag = _tag(payload, machine)
    if has_image(client, tag):
        return tag
    recipes = recipes_dir()
    base = ensure_base(client, recipes / "desk" / "bootstrap", machine, say)
    lists = [recipes / "desk" / "installer.txt", recipes / "server" / "requirements.txt"]
    wheels = download_wheels(lists, machine, say)
    say(f"building {tag}")
    arguments = {"BASE": base, "VERSION": version("deskgym")}
    for name in ("http_proxy", "https_proxy", "no_proxy"):
        arguments |= {n: os.environ[n] for n in (name, name.upper()) if os.environ.get(n)}
    last: list[str] = []
    with _context(payload, wheels) as context:
        stream = client.api.build(
            fileobj=context,
            custom_context=True,
            tag=tag,
            buildargs=arguments,
            network_mode="host",  # for Debian's mirror
            rm=True,
            forcerm=True,
            decode=True,
            timeout=1800,
        )
        for event in stream:
            if "error" in event:
                said = "\n".join(last)
                raise ImageBuildFailed(f"{said}\nthe image build failed: {event['error'].strip()}")
            line = str(event.get("stream", "")).strip()
            last = [*last[-_LAST_LINES:], line] if line else last
            if line.startswith("Step "):
                say(textwrap.shorten(line, 90))
    return tag


def _payload() -> dict[str, Path]:
    """This package's own files, by their place among the installed packages."""
    files: dict[str, Path] = {}
    for part in _PARTS:
        folder = Path(next(iter(importlib.import_module(part).__path__)))
        for file in sorted(folder.rglob("*")):
            name = file.relative_to(folder)
            if file.is_file() and "__pycache__" not in name.parts:
                files[f"{part.replace('.', '/')}/{name.as_posix()}"] = file
    return files


def _tag(payload: dict[str, Path], machine: str) -> str:
    contents = payload | {f"recipe/{name}": recipes_dir() / name for name in _RECIPE}
    digest = hashlib.sha256(f"machine {machine}\n".encode())
    for name, file in sorted(contents.items()):
        digest.update(f"{hashlib.sha256(file.read_bytes()).hexdigest()} {name}\n".encode())
    return f"deskgym/server:{digest.hexdigest()[:16]}"


@contextmanager
def _context(payload: dict[str, Path], wheels: Path) -> Iterator[IO[bytes]]:
    """The build context as an open tar file."""
    number = version("deskgym")
    metadata = f"Metadata-Version: 2.1\nName: deskgym\nVersion: {number}\n".encode()
    with tempfile.TemporaryFile() as file, tempfile.TemporaryDirectory() as scratch:
        told = Path(scratch) / "METADATA"
        told.write_bytes(metadata)
        files = {f"payload/{name}": source for name, source in payload.items()}
        files[f"payload/deskgym-{number}.dist-info/METADATA"] = told
        files["Dockerfile"] = recipes_dir() / "server" / "Dockerfile"
        files |= {f"wheels/{wheel.name}": wheel for wheel in wheels.glob("*.whl")}
        with tarfile.open(fileobj=file, mode="w") as tar:
            for name, source in sorted(files.items()):
                member = tarfile.TarInfo(name)
                member.size, member.mode = source.stat().st_size, 0o644
                with source.open("rb") as contents:
                    tar.addfile(member, contents)
        file.seek(0)
        yield file
