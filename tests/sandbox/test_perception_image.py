"""The perception image: its address, what is in it, and preparing a person in it for real."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from docker import DockerClient

import deskgym.sandbox_images
from deskgym.env.sandbox.base import ImageMissing
from deskgym.env.sandbox.images import ENGINES, ensure_image, image_of, perception_recipe

SHARED = Path(os.environ.get("DESKGYM_SHARED") or Path(__file__).parents[3] / "shared")
WEIGHTS = SHARED / "models" / "whisper" / "tiny.en.pt"
LISTS = ("desk/requirements.txt", "perception/requirements.txt", "perception/openai-whisper.txt",
         "perception/faster-whisper.txt")  # fmt: skip
SEEN = "02_*"  # papers, scans, photographs, and a video with speech


def lists() -> dict[str, dict[str, str]]:
    """Each list's packages, by name as pip compares them, with their versions."""
    root = Path(next(iter(deskgym.sandbox_images.__path__)))
    found: dict[str, dict[str, str]] = {}
    for name in LISTS:
        lines = [line.partition("#")[0].strip() for line in (root / name).read_text().splitlines()]
        pins = [line.split("==") for line in lines if line and not line.startswith("-")]
        assert all(len(pin) == 2 for pin in pins), name
        found[name] = {re.sub(r"[-_.]+", "-", pin[0]).lower(): pin[1] for pin in pins}
    return found


def test_every_variant_has_an_address_of_its_own() -> None:
    variants = [(), (ENGINES[0],), (ENGINES[1],), ENGINES]
    tags = {image_of(perception_recipe(without)).tag for without in variants}
    assert len(tags) == 4
    assert perception_recipe(ENGINES) == perception_recipe(ENGINES[::-1])


def test_the_command_that_builds_a_variant_names_it() -> None:
    assert perception_recipe(["openai-whisper"]).command.endswith(
        "image build --perception --without openai-whisper"
    )


def test_an_engine_that_there_is_not_cannot_be_left_out() -> None:
    with pytest.raises(ValueError, match="abacus"):
        perception_recipe(["abacus"])


def test_no_package_stands_in_two_lists() -> None:
    names = [name for packages in lists().values() for name in packages]
    assert sorted(names) == sorted(set(names))


def test_nothing_for_graphics_cards_is_downloaded() -> None:
    packages = {name: pin for found in lists().values() for name, pin in found.items()}
    assert packages["torch"].endswith("+cpu")
    assert not [n for n in packages if re.match(r"triton|nvidia|cuda|pytorch-triton", n)]


@pytest.fixture(scope="session")
def perception_image(docker_client: DockerClient) -> str:
    """The full image. It takes minutes and half a gigabyte to make: not by the way, in a test."""
    try:
        return ensure_image(docker_client, perception_recipe(), build=False)
    except ImageMissing as error:
        pytest.skip(str(error))


@pytest.mark.docker
def test_both_engines_ocr_and_office_are_there(
    docker_client: DockerClient, perception_image: str
) -> None:
    script = """
        soffice --version >/dev/null && echo soffice
        ffmpeg -version >/dev/null && echo ffmpeg
        python3 -c '
import importlib, pkgutil
for name in ("whisper", "faster_whisper", "rapidocr", "onnxruntime", "pyarrow", "torch"):
    importlib.import_module(name)
    print(name)
import deskgym.tools
for info in pkgutil.walk_packages(deskgym.tools.__path__, "deskgym.tools."):
    importlib.import_module(info.name)
'
    """
    printed = docker_client.containers.run(
        perception_image,
        ["-c", script],
        entrypoint=["bash"],
        user="12345:12345",
        environment={"HOME": "/tmp", "NUMBA_CACHE_DIR": "/tmp"},
        network_mode="none",
        read_only=True,
        tmpfs={"/tmp": ""},
        cap_drop=["ALL"],
        remove=True,
    )
    expected = "soffice ffmpeg whisper faster_whisper rapidocr onnxruntime pyarrow torch"
    assert printed.decode().split() == expected.split()


def command(cache: Path, *arguments: str) -> tuple[list[str], dict[str, str]]:
    asr = f"openai:{WEIGHTS}" if WEIGHTS.is_file() else "none"
    argv = [sys.executable, "-m", "deskgym", "prepare", "demo/adam", "--asr", asr, *arguments]
    return argv, os.environ | {"DESKGYM_CACHE": str(cache)}


def prepared(cache: Path, *arguments: str) -> tuple[int, str]:
    argv, env = command(cache, *arguments)
    run = subprocess.run(argv, env=env, capture_output=True, text=True, check=False)
    return run.returncode, run.stdout + run.stderr


def folder(cache: Path) -> Path:
    (found,) = (cache / "prepared" / "profiles" / "demo").iterdir()
    return found


def records(cache: Path) -> dict[str, bytes]:
    return {f.parent.name: f.read_bytes() for f in folder(cache).rglob("record.json")}


@pytest.mark.docker
@pytest.mark.usefixtures("perception_image")
def test_killed_at_any_moment_it_ends_in_the_same_manifest(
    docker_client: DockerClient, tmp_path: Path
) -> None:
    only = ("--only", SEEN)
    whole, torn = tmp_path / "whole", tmp_path / "torn"
    status, said = prepared(whole, *only, "--jobs", "2")
    assert status == 0, said
    for lines in (1, 4):
        argv, env = command(torn, *only, "--jobs", "1")
        run = subprocess.Popen(argv, env=env, stderr=subprocess.PIPE, text=True)
        assert run.stderr is not None
        for _ in range(lines):
            run.stderr.readline()
        run.send_signal(signal.SIGKILL)
        run.wait()
        run.stderr.close()
        wait_until_alone(docker_client)
    status, said = prepared(torn, *only, "--jobs", "1")
    assert status == 0, said
    for name in ("manifest.json", "search.sqlite"):
        assert (folder(torn) / name).read_bytes() == (folder(whole) / name).read_bytes(), name
    assert records(torn) == records(whole)
    assert list((torn / "prepared" / ".new").iterdir()) == []


def wait_until_alone(client: DockerClient) -> None:
    """The container ends with its owner, without anyone telling it to."""
    deadline = time.monotonic() + 20
    while client.containers.list(filters={"label": "org.deskgym.run=prepare"}):
        assert time.monotonic() < deadline, "the container outlives its owner"
        time.sleep(0.1)


@pytest.mark.docker
@pytest.mark.usefixtures("perception_image")
def test_pictures_and_sound_become_text(tmp_path: Path) -> None:
    if not WEIGHTS.is_file():
        pytest.skip(f"no speech weights at {WEIGHTS}; set DESKGYM_SHARED")
    status, said = prepared(tmp_path, "--only", "*_Ankle.m4a")
    assert status == 0, said
    status, said = prepared(tmp_path, "--only", "*IMG_0412.jpg")
    assert status == 0, said
    entries = json.loads((folder(tmp_path) / "manifest.json").read_text())["files"]
    texts = {
        entry["path"].rpartition("/")[2]: " ".join(
            s["text"]
            for s in json.loads(
                (folder(tmp_path) / "objects" / entry["object"] / "record.json").read_text()
            )["segments"]
        )
        for entry in entries
    }
    assert "SEAFRONT SEVENS" in texts["IMG_0412.jpg"]
    assert "physio" in texts["2024-11-18_Ankle.m4a"]


@pytest.mark.docker
@pytest.mark.usefixtures("perception_image")
def test_a_torn_store_is_not_taken_for_a_whole_one(tmp_path: Path) -> None:
    assert prepared(tmp_path, "--only", "*.txt")[0] == 0
    before = records(tmp_path)
    shutil.rmtree(folder(tmp_path))
    assert prepared(tmp_path, "--only", "*.txt")[0] == 0  # from the objects, which are all there
    assert records(tmp_path) == before
