"""SIGKILL of the container engine itself, of one that is started for it alone.

It takes a minute, root, and an engine's programs on this machine: it is run if
DESKGYM_CHAOS_ENGINE=1.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import docker
import pytest
from chaos_kit import EPISODES, Run, busy_desk, desks_of, family, until
from docker import DockerClient
from docker.errors import DockerException

pytestmark = [
    pytest.mark.docker,
    pytest.mark.skipif(
        os.environ.get("DESKGYM_CHAOS_ENGINE") != "1", reason="DESKGYM_CHAOS_ENGINE is not 1"
    ),
    pytest.mark.timeout(900),
]
UNAVAILABLE = 3


class Engine:
    """A dockerd with a socket and folders of its own, and no network."""

    def __init__(self, folder: Path) -> None:
        self.address = f"unix://{folder}/sock"
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        self.client: DockerClient | None = None

    def start(self) -> DockerClient:
        at = self._folder
        for stale in ("pid", "exec/containerd/containerd.pid"):  # one that was killed leaves them
            (at / stale).unlink(missing_ok=True)
        # In a network namespace of its own: without a bridge, a dockerd removes that of another.
        command = ["unshare", "--net", "dockerd", "--host", self.address]
        command += ["--data-root", f"{at}/data"]
        command += ["--exec-root", f"{at}/exec", "--pidfile", f"{at}/pid"]
        command += ["--bridge", "none", "--iptables=false", "--ip6tables=false"]
        with (at / "log").open("ab") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log)
        until(self._answers, (at / "log").read_text()[-2_000:])
        assert self.client is not None
        return self.client

    def _answers(self) -> bool:
        assert self._process is not None
        assert self._process.poll() is None, (self._folder / "log").read_text()[-2_000:]
        try:
            self.client = docker.DockerClient(base_url=self.address, timeout=300)
            self.client.ping()
        except DockerException:
            return False
        return True

    def kill(self) -> None:
        """SIGKILL it; what it had started goes on without it."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def stop(self) -> None:
        """End it in order, and so all that it started."""
        if self._process is None:
            return
        if self._process.poll() is not None:
            self.start()  # it was killed: a new one ends what that one has left
        offspring = family(self._process.pid)
        self._process.send_signal(signal.SIGTERM)
        self._process.wait(60)
        until(lambda: not any(process.lives() for process in offspring), "parts of it are left")

    def remove(self) -> None:
        """Remove its folders, but nothing that is still mounted below them."""
        if (data := str(self._folder / "data")) in self._mounted():
            subprocess.run(["umount", data], check=True)  # on itself, by one that was killed
        assert not self._mounted()
        shutil.rmtree(self._folder)

    def _mounted(self) -> list[str]:
        places = [line.split()[1] for line in Path("/proc/mounts").read_text().splitlines()]
        return [place for place in places if place.startswith(f"{self._folder}/")]


@pytest.fixture(scope="module")
def engine(desk_image: str, docker_client: DockerClient) -> Iterator[Engine]:
    """An engine that has the desk image, and which may be killed."""
    folder = Path(tempfile.mkdtemp(prefix="dg-"))
    made = Engine(folder)
    try:
        made.start().api.load_image(docker_client.images.get(desk_image).save(named=True))
        yield made
    finally:
        made.stop()
        made.remove()


@pytest.mark.parametrize("where", ["local", "ray"])
def test_a_killed_engine_is_reported_and_the_run_goes_on_when_it_is_back(
    engine: Engine, where: str, tmp_path: Path, undisturbed: Path
) -> None:
    there = {"DOCKER_HOST": engine.address}
    assert engine.client is not None
    run = Run(tmp_path / "run", "--engine", where, env=there)
    run.await_results(3)
    busy_desk(engine.client, run)
    before = family(run.process.pid)
    engine.kill()
    said = run.end(status=UNAVAILABLE)
    assert "the engine no longer answers" in said or "no container engine" in said
    assert "Traceback" not in said
    # What has a result is a whole episode; the others are left for the resumed run.
    assert 3 <= len(run.results()) < EPISODES
    assert {result.ended for result in run.results()} == {"answered"}

    client = engine.start()
    until(lambda: not desks_of(client, before), "desks are left")
    Run(run.out, "--engine", where, "--resume", env=there).end()
    results = "results.jsonl"
    assert (run.out / results).read_bytes() == (undisturbed / results).read_bytes()
    until(lambda: not client.containers.list(all=True), "desks are left")
