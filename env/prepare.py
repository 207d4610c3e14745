"""Preparing a profile, seen from the host: what is to be done, the container, and the result.

The work is done in one container of the perception image, without a network: the files are
mounted read-only, the weights too, and only the store can be written. It speaks over its attached
standard streams, and ends when this process does. What is there already costs nothing.
"""

from __future__ import annotations

import contextlib
import fcntl
import fnmatch
import hashlib
import json
import os
import shutil
import socket
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deskgym.env.models import Model, recipe_with
from deskgym.env.prepared import prepared_root, write_index
from deskgym.env.sandbox.base import SandboxError
from deskgym.env.sandbox.docker import attach_stdio, wait_until_gone
from deskgym.env.sandbox.images import ensure_image
from deskgym.env.sandbox.sweep import ANY, RUN, owner_labels
from deskgym.env.sandbox.vacuum import read_only
from deskgym.env.sandbox.wire import STDOUT, StreamSplitter
from deskgym.tasks.schema import FileRecord, Profile
from deskgym.tools.result import ToolError
from deskgym.tools.store import (
    FORMAT_VERSION,
    INDEX,
    MANIFEST,
    OBJECTS,
    Objects,
    PreparedProfile,
    link_object,
    manifest_entry,
    object_name,
    tool_key,
    write_manifest,
)

if TYPE_CHECKING:
    from docker import DockerClient

OCR_ENGINES = ("rapidocr",)
_MIB = 1 << 20
_BASE_MEMORY = 2048 * _MIB  # of one process: libraries, OCR, and what a file may take
_PER_WEIGHT = 4  # bytes of memory for a byte of weights
_SCRATCH = 1024 * _MIB
_STDERR_KEPT = 4_000


class PreparationFailed(SandboxError):
    """Preparing had to stop; what was done so far is kept. The message says why."""


@dataclass(frozen=True)
class Settings:
    """What perceiving may use; None: do without."""

    ocr: str | None = "rapidocr"
    asr: Model | None = None

    def as_json(self) -> dict[str, Any]:
        """As manifests hold it: the same on every computer."""
        asr = self.asr and {
            "engine": self.asr.engine,
            "model": self.asr.name,
            "sha256": self.asr.digest(),
        }
        return {"ocr": self.ocr, "asr": asr}


@dataclass(frozen=True)
class Outcome:
    """A prepared folder, and how much of the profile it holds. ``failed`` are manifest entries."""

    folder: Path
    files: int
    prepared: int
    done_now: int
    failed: tuple[dict[str, Any], ...]


Report = Callable[[str, dict[str, str] | None], None]
"""Told of each file that was read: its path, and the error if it could not be."""


class Preparation:
    """Preparing one profile with given settings."""

    def __init__(self, profile: Profile, settings: Settings) -> None:
        self._profile, self._settings = profile, settings
        self._stated = settings.as_json()
        self.key = tool_key(self._stated)
        self.objects = Objects(prepared_root() / OBJECTS)
        dataset, _, name = profile.id.partition("/")
        stated = json.dumps([self._stated, self.key], sort_keys=True).encode()
        mark = hashlib.sha256(stated).hexdigest()[:8]
        self.folder = (
            prepared_root() / "profiles" / dataset / f"{name}-{profile.digest[:16]}-{mark}"
        )

    def name_of(self, file: FileRecord) -> str:
        """The object of a file."""
        return object_name(file.path, file.sha256, self.key)

    def todo(self, only: str | None = None) -> list[FileRecord]:
        """The files that ``only`` (a glob over path or name) selects and that are not yet read,
        each content once.

        Raises:
            PreparationFailed: it selects none.
        """
        chosen = [f for f in self._profile.files if only is None or _fits(f.path, only)]
        if not chosen:
            raise PreparationFailed(
                f"{only!r} fits no file of {self._profile.id}; see: deskgym profiles"
            )
        once = {self.name_of(file): file for file in chosen}
        return [file for name, file in once.items() if not self.objects.has(name)]

    def forget_failures(self) -> None:
        """Have files that could not be read be read again."""
        for file in self._profile.files:
            name = self.name_of(file)
            if self.objects.has(name) and self.objects.record(name)["error"] is not None:
                self.objects.remove(name)

    def run(
        self,
        files: list[FileRecord],
        *,
        client: DockerClient,
        jobs: int,
        timeout_s: float = 600.0,
        report: Report = lambda path, error: None,
    ) -> None:
        """Read ``files`` in a container.

        Raises:
            ImageMissing: there is no perception image.
            PreparationFailed: the container ended before it was done.
        """
        image = ensure_image(client, recipe_with(client, self._settings.asr), build=False)
        out = prepared_root()
        out.mkdir(parents=True, exist_ok=True)
        _clear_up(out / ".new")
        with _own_run(out / ".new") as run:
            plan = self._plan(files, run, jobs, timeout_s)
            config = self._container(image, out, jobs, int(plan["memory"]))
            with _Container(client, config) as container:
                container.send(json.dumps(plan).encode() + b"\n")
                _follow(container, report)

    def _plan(
        self, files: list[FileRecord], run: str, jobs: int, timeout_s: float
    ) -> dict[str, Any]:
        asr = self._settings.asr
        return {
            "run": run,
            "tool_key": self.key,
            "ocr": self._settings.ocr,
            "asr": None if asr is None else f"{asr.engine}:/models/{asr.path.name}",
            "jobs": jobs,
            "memory": _BASE_MEMORY + _PER_WEIGHT * _weight(asr),
            "timeout_s": timeout_s,
            "files": [
                {"path": f.path, "sha256": f.sha256, "size": f.size, "object": self.name_of(f)}
                for f in files
            ],
        }

    def _container(self, image: str, out: Path, jobs: int, memory: int) -> dict[str, Any]:
        mounts = [read_only(self._profile.root.resolve(), "/desk")]
        mounts.append({"Type": "bind", "Source": str(out.resolve()), "Target": "/out"})
        if (asr := self._settings.asr) is not None:
            mounts.append(read_only(asr.path.resolve(), f"/models/{asr.path.name}"))
        limit = jobs * memory + _SCRATCH + 512 * _MIB
        return {
            "Image": image,
            "User": f"{os.getuid()}:{os.getgid()}",  # whose the store is
            "NetworkDisabled": True,
            "OpenStdin": True,
            "StdinOnce": True,
            "AttachStdin": True,
            "AttachStdout": True,
            "AttachStderr": True,
            "Tty": False,
            # Home is where office programs and compilers of numbers put what they need.
            "Env": ["HOME=/tmp", "NUMBA_CACHE_DIR=/tmp"],
            "HostConfig": {
                "AutoRemove": True,
                "NetworkMode": "none",
                "IpcMode": "private",
                "ReadonlyRootfs": True,
                "CapDrop": ["ALL"],
                "SecurityOpt": ["no-new-privileges"],
                "Init": True,
                "LogConfig": {"Type": "none"},
                "Memory": limit,
                "MemorySwap": limit,
                "PidsLimit": 256 + 64 * jobs,
                "Tmpfs": {"/tmp": f"rw,exec,nosuid,nodev,mode=1777,size={_SCRATCH}"},
                "Mounts": mounts,
            },
            "Labels": {ANY: "prepare", RUN: "prepare", **owner_labels()},
        }

    def assemble(self, done_now: int = 0) -> Outcome:
        """Bring the prepared folder up to date with what was read.

        Raises:
            OSError: it cannot be written.
            ToolError: corrupt, if an object cannot be read.
        """
        there = [f for f in self._profile.files if self.objects.has(self.name_of(f))]
        known = self._known_entries() if done_now == 0 else {}
        if known.keys() != {f.path for f in there} or not (self.folder / INDEX).is_file():
            known = self._write(there)
        failed = tuple(entry for _, entry in sorted(known.items()) if entry["status"] != "ok")
        return Outcome(self.folder, len(self._profile.files), len(there), done_now, failed)

    def _known_entries(self) -> dict[str, dict[str, Any]]:
        if not (self.folder / MANIFEST).is_file():
            return {}
        try:
            manifest = PreparedProfile(self.folder).manifest
        except ToolError:
            return {}  # torn: it is written anew
        return {entry["path"]: entry for entry in manifest["files"]}

    def _write(self, files: list[FileRecord]) -> dict[str, dict[str, Any]]:
        self.folder.mkdir(parents=True, exist_ok=True)
        self.folder.chmod(0o755)
        records, entries = {}, {}
        for file in files:
            name = self.name_of(file)
            link_object(self.objects, self.folder, name)
            records[file.path] = self.objects.record(name)
            entries[file.path] = manifest_entry(
                file.path, file.sha256, self.key, records[file.path]
            )
        write_index(self.folder, self._profile, records)
        manifest = {
            "format_version": FORMAT_VERSION,
            "profile_id": self._profile.id,
            "profile_digest": self._profile.digest,
            "settings": self._stated,
            "tool_key": self.key,
            "files": list(entries.values()),
        }
        write_manifest(self.folder, manifest)
        return entries


def _fits(path: str, pattern: str) -> bool:
    """As `list_files` has it: a glob over the whole path or the name, ``*`` crosses folders."""
    low, wanted = path.casefold(), pattern.casefold()
    return fnmatch.fnmatchcase(low, wanted) or fnmatch.fnmatchcase(low.rpartition("/")[2], wanted)


def _weight(model: Model | None) -> int:
    if model is None:
        return 0
    files = [model.path] if model.path.is_file() else list(model.path.rglob("*"))
    return sum(file.stat().st_size for file in files if file.is_file())


def _follow(container: _Container, report: Report) -> None:
    """Pass on what the container tells until it says that it is done."""
    for line in container.lines():
        message = json.loads(line)
        if "done" in message:
            report(message["done"], message["error"])
        elif message.get("end"):
            return
        else:
            raise PreparationFailed(f"preparing had to stop: {message.get('fatal', line)}")
    said = container.said.decode(errors="replace").strip()
    raise PreparationFailed(f"the perception container ended early; it said: {said or 'nothing'}")


class _Container:
    """A container that is created, attached to and started; gone at the end of the block."""

    def __init__(self, client: DockerClient, config: dict[str, Any]) -> None:
        self._client, self._config = client, config
        self._stream: Any = None
        self._socket: socket.socket | None = None
        self._id = ""
        self.said = b""

    def __enter__(self) -> _Container:
        from docker.errors import APIError

        api: Any = self._client.api  # its stubs leave some calls untyped
        try:
            created = api.create_container_from_config(
                self._config, name=f"deskgym-prepare-{uuid.uuid4().hex[:12]}"
            )
            self._id = str(created["Id"])
            self._stream, self._socket = attach_stdio(self._client, self._id)
            self._socket.settimeout(None)
            api.start(self._id)
        except APIError as error:
            self.__exit__()
            raise PreparationFailed(f"the engine refused to start preparing: {error}") from error
        return self

    def send(self, data: bytes) -> None:
        assert self._socket is not None
        self._socket.sendall(data)

    def lines(self) -> Iterator[bytes]:
        """The lines of its standard output, until it ends."""
        assert self._socket is not None
        splitter, rest = StreamSplitter(), b""
        while data := self._socket.recv(1 << 16):
            for stream, piece in splitter.feed(data):
                if stream != STDOUT:
                    self.said = (self.said + piece)[-_STDERR_KEPT:]
                    continue
                *whole, rest = (rest + piece).split(b"\n")
                yield from whole

    def __exit__(self, *reason: object) -> None:
        if self._socket is not None:
            with contextlib.suppress(OSError):  # it may be broken already, which is all we want
                self._socket.shutdown(socket.SHUT_RDWR)
            self._stream.close()
            self._socket.close()
        if self._id:
            wait_until_gone(self._client, self._id)


@contextlib.contextmanager
def _own_run(folder: Path) -> Iterator[str]:
    """A name for what this run writes before it is in place, locked while the run lasts."""
    folder.mkdir(parents=True, exist_ok=True)
    name = uuid.uuid4().hex[:12]
    lock = folder / f"{name}.lock"
    with lock.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        try:
            yield name
        finally:
            shutil.rmtree(folder / name, ignore_errors=True)
            lock.unlink(missing_ok=True)


def _clear_up(folder: Path) -> None:
    """Remove what runs that were ended have left behind."""
    for lock in folder.glob("*.lock"):
        with lock.open("w") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                continue  # it still runs
            shutil.rmtree(folder / lock.stem, ignore_errors=True)
            lock.unlink(missing_ok=True)
