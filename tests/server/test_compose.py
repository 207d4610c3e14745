"""docker-compose.yml: who is given what, and that it works where Compose is installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests
from docker import DockerClient
from server_kit import TOKEN, Talker, until

from deskgym.env.server.image import ensure_server_image

yaml = pytest.importorskip("yaml")
ROOT = Path(__file__).resolve().parent.parent.parent
SOCKET = "/var/run/docker.sock"
PORT = 18_321


def services() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
    return found


def test_the_engines_socket_is_given_to_the_server_alone() -> None:
    given = [name for name, how in services().items() if SOCKET in str(how.get("volumes"))]
    assert given == ["server"]


@pytest.mark.parametrize("name", list(services()))
def test_every_service_is_confined(name: str) -> None:
    how = services()[name]
    assert how["read_only"] is True
    assert how["cap_drop"] == ["ALL"]
    assert how["security_opt"] == ["no-new-privileges:true"]
    assert not how.get("privileged")
    assert str(how["user"]).partition(":")[0] not in ("", "0", "root")
    assert how["pids_limit"] > 0


def test_the_server_is_published_to_this_computer_alone() -> None:
    ports = services()["server"]["ports"]
    assert all(port.startswith("127.0.0.1:") for port in ports)
    assert any(option.startswith("--token-env") for option in services()["server"]["command"])


def compose_command() -> list[str] | None:
    """Compose as a plugin of docker's, or by itself."""
    plugin = subprocess.run(["docker", "compose", "version"], capture_output=True, check=False)
    if plugin.returncode == 0:
        return ["docker", "compose"]
    return ["docker-compose"] if shutil.which("docker-compose") else None


@pytest.fixture
def composed(docker_client: DockerClient, desk_image: str) -> Iterator[dict[str, str]]:
    command = compose_command() if shutil.which("docker") else None
    if command is None:
        pytest.skip("Compose is missing: apt-get install docker-compose, or docker's plugin")
    # Others have to get there: the server's user, and those of the desks.
    tmp_path = Path(tempfile.mkdtemp(prefix="deskgym-compose-", dir="/var/tmp"))
    tmp_path.chmod(0o755)
    file = tmp_path / "docker-compose.yml"
    shutil.copy(ROOT / "docker-compose.yml", file)
    for folder in ("cache", "runs"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder).chmod(0o777)
    env = {
        **os.environ,
        "DESKGYM_IMAGE": desk_image,
        "DESKGYM_SERVER_IMAGE": ensure_server_image(docker_client),
        "DESKGYM_CACHE": str(tmp_path / "cache"),
        "DESKGYM_TOKENS": TOKEN,
        "DESKGYM_PORT": str(PORT),
        "DESKGYM_UID": "12345",
        "DESKGYM_GID": "12345",
        "DESKGYM_SOCKET_GID": str(Path(SOCKET).stat().st_gid),
    }
    run = [*command, "-p", "deskgym-test", "-f", str(file)]
    subprocess.run([*run, "up", "--detach", "server"], env=env, check=True)
    try:
        yield env
    finally:
        subprocess.run([*run, "down", "--volumes"], env=env, check=True)
        shutil.rmtree(tmp_path)


@pytest.mark.docker
@pytest.mark.skipif(
    "DESKGYM_TEST_COMPOSE" not in os.environ,
    reason="builds the server's image, which takes minutes: set DESKGYM_TEST_COMPOSE=1",
)
def test_compose_brings_up_a_server_that_plays(
    composed: dict[str, str], docker_client: DockerClient
) -> None:
    def answers() -> bool:
        try:
            return requests.get(f"http://127.0.0.1:{PORT}/health", timeout=5).ok
        except requests.ConnectionError:
            return False

    until(answers, "it answers", 120)
    with Talker(f"ws://127.0.0.1:{PORT}/ws", TOKEN) as client:
        client.ask("reset", profile="adam")
        assert "00_Inbox" in client.shell("ls /desk")
        assert client.step(tool="answer", text="no")["done"] is True
    (server,) = docker_client.containers.list(
        filters={"label": "com.docker.compose.project=deskgym-test"}
    )
    until(lambda: server.reload() or server.health == "healthy", "it is found healthy", 60)
    written = Path(composed["DESKGYM_CACHE"]).parent / "runs" / "served" / "results.jsonl"
    assert '"ended":"answered"' in written.read_text()
