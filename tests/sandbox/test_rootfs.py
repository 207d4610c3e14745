"""The desk image as a folder: the same address, the same files, and archives of it."""

from __future__ import annotations

import shutil
import subprocess
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from docker import DockerClient

import deskgym.tools
from deskgym.env.sandbox import rootfs
from deskgym.env.sandbox.base import ImageMissing
from deskgym.env.sandbox.images import DESK, desk_image, recipes_dir
from deskgym.env.sandbox.recipes import Copy, RecipeError, Run, read_recipe
from deskgym.env.sandbox.rootfs import (
    RootfsRecord,
    ensure_rootfs,
    find_rootfs,
    old_rootfs,
    remove_old_rootfs,
    rootfs_folder,
    save_rootfs,
)
from deskgym.env.sandbox.wheels import ImageBuildFailed


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty cache."""
    monkeypatch.setenv("DESKGYM_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_its_address_is_the_images(cache: Path) -> None:
    assert rootfs_folder().parent == cache / "rootfs"
    assert rootfs_folder().name.split("-")[1] == desk_image().tag.rpartition(":")[2]


def test_a_changed_tool_changes_the_address_but_not_what_it_is_built_on(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, base = rootfs_folder(), rootfs._base_folder(DESK)
    copy = tmp_path / "tools"
    shutil.copytree(next(iter(deskgym.tools.__path__)), copy)
    monkeypatch.setattr(deskgym.tools, "__path__", [str(copy)])
    assert rootfs_folder() == before
    (copy / "result.py").write_text("# changed\n")
    assert rootfs_folder() != before
    assert rootfs._base_folder(DESK) == base


def test_one_that_is_not_there_is_missing_with_the_command_that_builds_it(cache: Path) -> None:
    assert find_rootfs() is None
    with pytest.raises(ImageMissing, match=r"desk-\w+.*deskgym image build --rootfs"):
        ensure_rootfs(build=False)
    assert not cache.exists()


def test_one_whose_record_is_torn_is_refused_with_the_command_that_builds_it(cache: Path) -> None:
    rootfs_folder().mkdir(parents=True)
    (rootfs_folder() / "rootfs.json").write_text('{"format_version": 1, "addr')
    with pytest.raises(ImageMissing, match="deskgym image build --rootfs --force"):
        find_rootfs()


@pytest.mark.parametrize("content", [b"not an archive at all", b""])
def test_an_archive_that_is_none_is_refused_and_leaves_nothing(
    cache: Path, tmp_path: Path, content: bytes
) -> None:
    file = tmp_path / "broken.tar"
    file.write_bytes(content)
    with pytest.raises(ImageBuildFailed):
        ensure_rootfs(source=file)
    assert list((cache / "rootfs").iterdir()) == []


def test_an_archive_of_another_version_is_refused(cache: Path, tmp_path: Path) -> None:
    tree = tmp_path / "tree/opt/deskgym/desk"
    tree.mkdir(parents=True)
    for name in ("__init__.py", "commands.py"):
        (tree / name).write_text("# of yesterday\n")
    file = tmp_path / "old.tar"
    with tarfile.open(file, "w") as tar:
        tar.add(tmp_path / "tree", ".")
    with pytest.raises(ImageBuildFailed, match=r"old\.tar is not of this version"):
        ensure_rootfs(source=file)
    assert list((cache / "rootfs").iterdir()) == []


def test_those_of_other_versions_are_removed_and_no_others(cache: Path) -> None:
    shelf = cache / "rootfs"
    for name in (rootfs_folder().name, "desk-0123456789abcdef", ".new-broken-off"):
        (shelf / name / "root").mkdir(parents=True)
    assert [path.name for path in old_rootfs()] == [".new-broken-off", "desk-0123456789abcdef"]
    assert remove_old_rootfs() == [".new-broken-off", "desk-0123456789abcdef"]
    assert [path.name for path in shelf.iterdir()] == [rootfs_folder().name]


# -- against the image -------------------------------------------------------------------------

LISTED = ("opt/deskgym", "hippocamp", "usr/local/bin", "usr/local/lib", "scratch", "desk")
LIST = ["find", *LISTED, "-printf", "%y %m %U:%G %p %l\\n"]


@pytest.mark.docker
def test_it_holds_what_the_image_holds(docker_client: DockerClient, desk_image: str) -> None:
    made = ensure_rootfs(say=print)
    ours = subprocess.run(LIST, cwd=made.root, capture_output=True, text=True, check=True).stdout
    theirs = docker_client.containers.run(
        desk_image, LIST[1:], entrypoint=LIST[:1], working_dir="/", network_mode="none", remove=True
    ).decode()
    assert len(ours.splitlines()) > 1_000
    assert sorted(ours.splitlines()) == sorted(theirs.splitlines())


@pytest.mark.docker
def test_its_record_holds_what_the_image_says_of_itself(
    docker_client: DockerClient, desk_image: str
) -> None:
    record = ensure_rootfs(say=print).record
    config = docker_client.images.get(desk_image).attrs["Config"]
    assert record.address == desk_image
    assert list(record.entrypoint) == config["Entrypoint"]
    assert {f"{name}={value}" for name, value in record.env.items()} >= set(config["Env"])
    assert RootfsRecord.model_validate_json(record.model_dump_json()) == record


@pytest.mark.docker
def test_users_are_the_images_and_nothing_of_this_machine_is_in_it(desk_image: str) -> None:
    made = ensure_rootfs(say=print)
    users = (made.root / "etc/passwd").read_text()
    assert "\ndesk:x:1000:1000:" in users
    assert "\nreader:x:1001:1001:" in users
    assert (made.root / "etc/resolv.conf").read_text() == ""
    assert [p.name for p in (made.root / "dev").iterdir() if p.is_char_device()] == []
    assert not (made.root / "wheels").exists()


@pytest.mark.docker
def test_what_is_saved_comes_back_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = ensure_rootfs(say=print)
    file = tmp_path / "desk.tar"
    save_rootfs(made, file)
    monkeypatch.setenv("DESKGYM_CACHE", str(tmp_path / "elsewhere"))
    again = ensure_rootfs(source=file)
    assert again.root != made.root
    lists = [
        subprocess.run(LIST, cwd=one.root, capture_output=True, text=True, check=True).stdout
        for one in (made, again)
    ]
    assert sorted(lists[0].splitlines()) == sorted(lists[1].splitlines())
    shutil.rmtree(tmp_path / "elsewhere")
    file.unlink()


# -- recipes -----------------------------------------------------------------------------------


def test_the_desks_own_recipe_is_read_whole() -> None:
    text = (recipes_dir() / "desk/Dockerfile").read_text()
    system, python, last = read_recipe(text, {"BASE": "base"})
    assert (system.base, system.name) == ("base", "system")
    assert (python.base, last.base) == ("system", "system")
    assert last.steps[0] == Copy("/python", "/usr/local/lib/python3.11/dist-packages", "python")
    assert last.steps[1] == Copy("payload", "/opt/deskgym")
    assert isinstance(last.steps[2], Run)
    assert "\\\n" not in last.steps[2].command
    assert last.env["LANG"] == "C.UTF-8"
    assert last.entrypoint[0] == "/usr/bin/python3"


@pytest.mark.parametrize(
    "text",
    ["RUN true", "FROM a\nUSER nobody", "FROM a b", "FROM a\nCOPY --chown=1 a b", "FROM ${NO}",
     "FROM a\nCOPY a b c", "FROM a\nHEALTHCHECK NONE"],
)  # fmt: skip
def test_what_is_not_understood_is_refused_and_not_left_out(text: str) -> None:
    with pytest.raises(RecipeError):
        read_recipe(text, {})
