"""The desk image as a folder, for desks without an engine: made by the same recipe.

It is addressed like the image, by the hash of all that goes in, and kept below the cache's root.
What an unprivileged user has belongs to that user and to those of their ranges, so that each user
has one of their own.
"""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import subprocess
import tempfile
import textwrap
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from deskgym.env.sandbox.base import ImageMissing
from deskgym.env.sandbox.base_image import SUITE, bootstrap_into
from deskgym.env.sandbox.images import (
    DESK,
    Recipe,
    build_context,
    build_lock,
    image_of,
    payload_of,
    recipes_dir,
)
from deskgym.env.sandbox.recipes import Copy, Run, Stage, read_recipe
from deskgym.env.sandbox.users import launched, own_users
from deskgym.env.sandbox.wheels import ImageBuildFailed, download_wheels
from deskgym.tasks.cache import cache_root

Say = Callable[[str], None]

ROOTFS_COMMAND = "deskgym image build --rootfs"
DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_RECORD = "rootfs.json"
_LAST_LINES = 15


class RootfsRecord(BaseModel):
    """What stands in ``rootfs.json``: what an engine would keep of an image besides its files."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    format_version: Literal[1] = 1
    address: str
    env: dict[str, str]
    entrypoint: tuple[str, ...]


@dataclass(frozen=True)
class Rootfs:
    """A root file system. ``stage`` is an empty folder for the mounts of whoever uses it."""

    folder: Path
    record: RootfsRecord

    @property
    def root(self) -> Path:
        return self.folder / "root"

    @property
    def stage(self) -> Path:
        return self.folder / "stage"


def rootfs_folder(recipe: Recipe = DESK) -> Path:
    """Where the one that this version and this user need lies, or would."""
    digest = image_of(recipe).tag.rpartition(":")[2]
    means = own_users().means
    return _shelf() / (f"{recipe.name}-{digest}" + ("" if means == "root" else f"-{means}"))


def find_rootfs(recipe: Recipe = DESK) -> Rootfs | None:
    """The one that this version needs, if it is there."""
    folder = rootfs_folder(recipe)
    try:
        record = RootfsRecord.model_validate_json((folder / _RECORD).read_text())
    except FileNotFoundError:
        return None
    except ValidationError as error:
        raise ImageMissing(
            f"{folder / _RECORD} is not to be read; build it anew: {ROOTFS_COMMAND} --force"
        ) from error
    return Rootfs(folder, record)


def ensure_rootfs(
    recipe: Recipe = DESK,
    *,
    build: bool = True,
    force: bool = False,
    source: Path | None = None,
    say: Say = lambda line: None,
) -> Rootfs:
    """The root file system of a recipe, made first if it is not there (or with ``force``).

    It is made of Debian's packages, or unpacked from the archive ``source``, which `save_rootfs`
    wrote or an engine exported.

    Raises:
        ImageMissing: it is not there and ``build`` is false, or it cannot be made here.
    """
    if not force and source is None and (found := find_rootfs(recipe)) is not None:
        return found
    if not build:
        raise ImageMissing(
            f"the root file system {rootfs_folder(recipe).name} of the {recipe.name} is not "
            f"there; build it: {ROOTFS_COMMAND}"
        )
    with build_lock(say):
        # Another process may have made it while this one waited for its turn.
        if force or source is not None or (found := find_rootfs(recipe)) is None:
            found = _make(recipe, source, say)
    return found


def save_rootfs(rootfs: Rootfs, file: Path) -> None:
    """Write it as an archive, for other machines and for users who cannot make one."""
    _build_step(["tar", "-C", str(rootfs.root), "--numeric-owner", "-cf", str(file), "."])


def old_rootfs() -> list[Path]:
    """Those of other versions of this package, and what builds that were broken off have left."""
    if not _shelf().is_dir():
        return []
    current = {rootfs_folder().name, _base_folder(DESK).name}
    return sorted(path for path in _shelf().iterdir() if path.name not in current)


def remove_old_rootfs() -> list[str]:
    """Remove `old_rootfs`; returns the names that went."""
    removed = []
    with build_lock(lambda line: None):
        for path in old_rootfs():
            _build_step(["rm", "-rf", "--one-file-system", str(path)])
            removed.append(path.name)
    return removed


def _shelf() -> Path:
    return cache_root() / "rootfs"


def _make(recipe: Recipe, source: Path | None, say: Say) -> Rootfs:
    if shutil.which("bwrap") is None:
        raise ImageBuildFailed("building a root file system needs bubblewrap: install bubblewrap")
    folder = rootfs_folder(recipe)
    stages = _stages(recipe)
    with _workshop() as work:
        root = work / "root"
        if source is not None:
            say(f"unpacking {source}")
            _unpack(source, root)
            _check_payload(recipe, root, source)
        else:
            base = _base(recipe, stages, work, say)
            say(f"building {folder.name}")
            _build_step(["cp", "-a", "--reflink=auto", str(base), str(root)])
            with _context_of(recipe, work, wheels=False, say=say) as context:
                _play(stages[-1], _cut(stages[-1])[1], root, context, {}, say)
        _finish(root)
        env = {"PATH": DEFAULT_PATH, **stages[-1].env}
        record = RootfsRecord(
            address=image_of(recipe).tag, env=env, entrypoint=stages[-1].entrypoint
        )
        (work / "stage").mkdir()
        (work / _RECORD).write_text(record.model_dump_json(indent=2) + "\n")
        work.chmod(0o755)
        if folder.exists():
            _build_step(["mv", "-T", str(folder), f"{folder}.old-{os.getpid()}"])
        work.rename(folder)
    for old in _shelf().glob(f"{folder.name}.old-*"):
        _build_step(["rm", "-rf", "--one-file-system", str(old)])
    say(f"built {folder.name}")
    return Rootfs(folder, record)


def _stages(recipe: Recipe) -> list[Stage]:
    text = (recipes_dir() / recipe.name / "Dockerfile").read_text()
    return read_recipe(text, {"BASE": "base", "VERSION": version("deskgym"), "NAME": recipe.name})


def _cut(stage: Stage) -> tuple[list[Copy | Run], list[Copy | Run]]:
    """A final stage's steps before and from where this package's own files come in."""
    own = next(n for n, step in enumerate(stage.steps) if step == Copy("payload", "/opt/deskgym"))
    return stage.steps[:own], stage.steps[own:]


def _base_folder(recipe: Recipe) -> Path:
    """All but this package's own files: kept, as these change more often than anything else."""
    digest = hashlib.sha256(f"{SUITE} {platform.machine()}\n".encode())
    for name in recipe.files:
        digest.update((recipes_dir() / name).read_bytes())
    return _shelf() / f"{recipe.name}-base-{digest.hexdigest()[:16]}-{own_users().means}"


def _base(recipe: Recipe, stages: list[Stage], work: Path, say: Say) -> Path:
    folder = _base_folder(recipe)
    if folder.is_dir():
        return folder
    if own_users().means == "one":
        raise ImageBuildFailed(
            "a root file system has files of several users, and this user can have but one; make "
            f"it elsewhere ({ROOTFS_COMMAND} --to FILE) and unpack it here ({ROOTFS_COMMAND} "
            "--from FILE), or give this user ranges in /etc/subuid and /etc/subgid and install "
            "newuidmap (Debian: uidmap)"
        )
    roots: dict[str, Path] = {"base": work / "base"}
    with tempfile.NamedTemporaryFile(dir=work, suffix=".tar") as archive:
        say("bootstrapping Debian's packages")
        bootstrap_into(archive, recipes_dir() / recipe.files[1], platform.machine(), say)
        Path(archive.name).chmod(0o644)
        _unpack(Path(archive.name), roots["base"])
    with _context_of(recipe, work, wheels=True, say=say) as context:
        for number, stage in enumerate(stages):
            root = work / f"stage-{number}"
            # One that nothing else starts from is not copied but taken.
            again = any(stage.base == later.base for later in stages[number + 1 :])
            move = ["cp", "-a", "--reflink=auto"] if again else ["mv"]
            _build_step([*move, str(roots[stage.base]), str(root)])
            steps = _cut(stage)[0] if stage is stages[-1] else stage.steps
            _play(stage, steps, root, context, roots, say)
            roots[stage.name] = root
    _build_step(["mv", "-T", str(roots[stages[-1].name]), str(folder)])
    return folder


def _play(
    stage: Stage,
    steps: Sequence[Copy | Run],
    root: Path,
    context: Path,
    roots: dict[str, Path],
    say: Say,
) -> None:
    """Do a stage's steps to the folder ``root``."""
    for step in steps:
        if isinstance(step, Run):
            say(textwrap.shorten(f"running {step.command}", 90))
            _run_inside(root, step.command, stage.env)
            continue
        source = context / step.source
        if step.stage is not None:
            source = roots[step.stage] / step.source.lstrip("/")
        target = root / step.target.lstrip("/")
        if source.is_dir():
            _build_step(["mkdir", "-p", str(target)])
            _build_step(["cp", "-a", f"{source}/.", str(target)])
        else:
            _build_step(["mkdir", "-p", str(target.parent)])
            _build_step(["cp", "-a", str(source), str(target)])


def _run_inside(root: Path, command: str, env: dict[str, str]) -> None:
    proxies = {
        name: os.environ[name]
        for word in ("http_proxy", "https_proxy", "no_proxy")
        for name in (word, word.upper())
        if os.environ.get(name)
    }
    words = ["bwrap", "--bind", str(root), "/", "--dev", "/dev", "--proc", "/proc"]
    if Path("/etc/resolv.conf").exists():
        words += ["--ro-bind", "/etc/resolv.conf", "/etc/resolv.conf"]
    words += ["--unshare-pid", "--unshare-ipc", "--unshare-uts", "--die-with-parent"]
    words += ["--cap-add", "ALL", "--chdir", "/"]
    for name in os.environ:
        words += ["--unsetenv", name]
    for name, value in {"PATH": DEFAULT_PATH, "HOME": "/root", **env, **proxies}.items():
        words += ["--setenv", name, value]
    _build_step([*words, "/bin/sh", "-c", command])


def _finish(root: Path) -> None:
    """What an engine does to an image's files when it starts a container of it."""
    _build_step(["mkdir", "-p", "-m", "0755", str(root / "run/deskgym")])
    for name in ("proc", "sys", "dev"):
        _build_step(["mkdir", "-p", str(root / name)])
    # What the build needed of this machine's network does not go with it.
    _build_step(["sh", "-c", 'rm -f "$1" && touch "$1"', "sh", str(root / "etc/resolv.conf")])


def _unpack(archive: Path, root: Path) -> None:
    root.mkdir()
    owner = "--no-same-owner" if own_users().means == "one" else "--same-owner"
    words = ["tar", "-C", str(root), "--numeric-owner", owner, "--same-permissions"]
    # Devices come with the desk's own /dev, and no user but root could make them.
    _build_step([*words, "--exclude=./dev/*", "--exclude=dev/*", "-xf", str(archive)])
    root.chmod(0o755)


def _check_payload(recipe: Recipe, root: Path, source: Path) -> None:
    for name, (data, _) in payload_of(recipe).items():
        file = root / "opt/deskgym" / name
        if not file.is_file() or file.read_bytes() != data:
            raise ImageBuildFailed(
                f"{source} is not of this version of deskgym: /opt/deskgym/{name} differs"
            )


@contextmanager
def _context_of(recipe: Recipe, work: Path, *, wheels: bool, say: Say) -> Iterator[Path]:
    """What the recipe copies from outside, as a folder."""
    folder = work / "context"
    folder.mkdir()
    with tempfile.TemporaryDirectory(dir=work) as nothing:
        found = Path(nothing)
        if wheels:
            lists = [recipes_dir() / name for name in ("desk/installer.txt", *recipe.requirements)]
            found = download_wheels(lists, platform.machine(), say)
        with build_context(recipe, found) as tar:
            words = ["tar", "-C", str(folder), "--no-same-owner", "--same-permissions", "-x"]
            _build_step(words, stdin=tar.fileno())
    yield folder
    _build_step(["rm", "-rf", str(folder)])


@contextmanager
def _workshop() -> Iterator[Path]:
    """A folder beside the finished ones, gone at the end but for what was moved out of it."""
    shelf = _shelf()
    shelf.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix=".new-", dir=shelf))
    try:
        yield work
    finally:
        if work.exists():
            _build_step(["rm", "-rf", "--one-file-system", str(work)])


def _build_step(command: list[str], *, stdin: int = subprocess.DEVNULL) -> None:
    """Run a command as the root of the files that are being made.

    Raises:
        ImageBuildFailed: it failed; the message holds its last words.
    """
    users = own_users()
    if users.means == "ranges":
        command = launched({**users.plan(), "argv": command})
    run = subprocess.run(
        command, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )
    if run.returncode != 0:
        last = run.stdout.decode(errors="replace").strip().splitlines()[-_LAST_LINES:]
        told = textwrap.shorten(" ".join(command), 120)
        raise ImageBuildFailed("\n".join([*last, f"the root file system's build failed: {told}"]))
