"""The desk image: when its address changes, and what is and is not in it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from docker import DockerClient

import deskgym.sandbox_images
import deskgym.tools
from deskgym.env.sandbox.base import ImageMissing
from deskgym.env.sandbox.images import desk_image as address
from deskgym.env.sandbox.images import ensure_image

AGENT = "1000:1000"
READER = "1001:1001"


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the tools that stands in for them."""
    copy = tmp_path / "tools"
    shutil.copytree(next(iter(deskgym.tools.__path__)), copy)
    monkeypatch.setattr(deskgym.tools, "__path__", [str(copy)])
    return copy


@pytest.fixture
def recipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the desk's recipe that stands in for it."""
    copy = tmp_path / "sandbox_images"
    shutil.copytree(next(iter(deskgym.sandbox_images.__path__)), copy)
    monkeypatch.setattr(deskgym.sandbox_images, "__path__", [str(copy)])
    return copy / "desk"


def _append(file: Path, text: str) -> None:
    file.write_text(file.read_text() + text)


def test_the_address_is_the_same_wherever_the_package_lies(tools: Path, recipe: Path) -> None:
    copied = address()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(deskgym.tools, "__path__", [str(shutil.move(tools, tools.parent / "t"))])
        assert address() == copied


def test_a_changed_tool_changes_the_address_and_its_return_restores_it(tools: Path) -> None:
    before = address().tag
    _append(tools / "result.py", "# changed\n")
    changed = address().tag
    assert changed != before
    text = (tools / "result.py").read_text()
    (tools / "result.py").write_text(text.removesuffix("# changed\n"))
    assert address().tag == before


def test_a_new_tool_changes_the_address(tools: Path) -> None:
    before = address().tag
    (tools / "one_more.py").write_text("")
    assert address().tag != before


def test_what_does_not_go_in_does_not_count(tools: Path, recipe: Path) -> None:
    before = address().tag
    (tools / "__pycache__").mkdir(exist_ok=True)
    (tools / "__pycache__" / "result.cpython-311.pyc").write_bytes(b"x")
    (tools / "notes.md").write_text("x")
    (recipe / "notes.md").write_text("x")
    assert address().tag == before


@pytest.mark.parametrize(
    "name", ["Dockerfile", "bootstrap", "packages.txt", "requirements.txt", "runner.py"]
)
def test_every_part_of_the_recipe_counts(recipe: Path, name: str) -> None:
    before = address().tag
    _append(recipe / name, "# changed\n")
    assert address().tag != before


def test_a_new_command_counts(recipe: Path) -> None:
    before = address().tag
    (recipe / "bin" / "one_more").write_text("#!/bin/sh\n")
    assert address().tag != before


def test_the_machine_counts_and_its_other_name_does_not() -> None:
    assert address("x86_64").tag != address("aarch64").tag
    assert address("arm64") == address("aarch64")
    assert address("amd64") == address("x86_64")


@pytest.mark.docker
def test_an_absent_image_is_refused_with_the_command(
    docker_client: DockerClient, tools: Path
) -> None:
    _append(tools / "result.py", "# never built\n")
    with pytest.raises(ImageMissing, match="deskgym image build"):
        ensure_image(docker_client, build=False)


@pytest.mark.docker
def test_a_present_image_is_not_built_again(docker_client: DockerClient, desk_image: str) -> None:
    said: list[str] = []
    assert ensure_image(docker_client, say=said.append) == desk_image
    assert said == []


def _run(client: DockerClient, image: str, user: str, script: str) -> str:
    """What ``script`` prints in the image; a script that fails raises."""
    output: bytes = client.containers.run(
        image,
        ["-c", script],
        entrypoint=["bash"],
        user=user,
        network_mode="none",
        read_only=True,
        cap_drop=["ALL"],
        remove=True,
        stderr=True,
    )
    return output.decode()


@pytest.mark.docker
def test_no_file_lends_its_owners_rights(docker_client: DockerClient, desk_image: str) -> None:
    # As root with its usual rights, so that no folder stays unseen.
    found = docker_client.containers.run(
        desk_image,
        ["-c", "find / -xdev ! -type l -perm /6000; find / -xdev -type f | wc -l"],
        entrypoint=["bash"],
        network_mode="none",
        remove=True,
    )
    lines = found.decode().split()
    assert lines[:-1] == []
    assert int(lines[-1]) > 1000


@pytest.mark.docker
def test_the_agent_can_neither_list_nor_import_the_tools(
    docker_client: DockerClient, desk_image: str
) -> None:
    script = """
        ls /opt/deskgym/lib >/dev/null 2>&1 && echo listed
        cat /opt/deskgym/lib/deskgym/tools/result.py >/dev/null 2>&1 && echo read
        PYTHONPATH=/opt/deskgym/lib python3 -c 'import deskgym' >/dev/null 2>&1 && echo imported
        id -u
    """
    assert _run(docker_client, desk_image, AGENT, script).split() == ["1000"]


@pytest.mark.docker
def test_the_reader_imports_every_tool_and_what_they_read_with(
    docker_client: DockerClient, desk_image: str
) -> None:
    script = """
        export PYTHONPATH=/opt/deskgym/lib
        exec python3 -W error::ImportWarning -c '
import importlib, pkgutil
import pymupdf, docx, openpyxl, pptx, icalendar, PIL.Image
import deskgym.tools
names = [info.name for info in pkgutil.walk_packages(deskgym.tools.__path__, "deskgym.tools.")]
for name in names:
    importlib.import_module(name)
print(len(names))
'
    """
    modules = list(Path(next(iter(deskgym.tools.__path__))).rglob("*.py"))
    printed = _run(docker_client, desk_image, READER, script)
    assert int(printed) == len(modules) - 1


@pytest.mark.docker
def test_the_programs_of_the_desk_are_there_and_no_installer_is(
    docker_client: DockerClient, desk_image: str
) -> None:
    programs = (
        "bash ls find grep rg sed gawk jq file less tree sqlite3 pdftotext pdftoppm exiftool "
        "ffmpeg ffprobe python3 ps"
    )
    script = f"""
        for name in {programs}; do command -v $name >/dev/null || echo "missing $name"; done
        for name in pip pip3; do command -v $name; done
        python3 -c 'import pip' 2>/dev/null && echo 'pip is there'
        echo $TZ $LANG $(readlink /hippocamp/data) $(readlink /hippocamp/output)
    """
    printed = _run(docker_client, desk_image, AGENT, script)
    assert printed.splitlines() == ["UTC C.UTF-8 /desk /scratch/output"]


@pytest.mark.docker
def test_the_published_commands_are_reachable_by_both_names(
    docker_client: DockerClient, desk_image: str
) -> None:
    names = "list_files return_txt return_img return_ori return_metadata set_flags hhelp"
    script = f"""
        for name in {names}; do
            for folder in /usr/local/bin /hippocamp/api; do
                [ -x $folder/$name ] || echo "missing $folder/$name"
            done
        done
        echo end
    """
    assert _run(docker_client, desk_image, AGENT, script).split("\n") == ["end", ""]
