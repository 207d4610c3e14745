"""Finding a container engine that answers, and putting one on a bare Debian or Ubuntu machine."""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from deskgym.env.sandbox.base import EngineUnavailable
from deskgym.env.sandbox.base_image import apt_install

if TYPE_CHECKING:
    from docker import DockerClient

Say = Callable[[str], None]

SETUP_COMMAND = "deskgym setup"
ENGINE_LOG = Path("/var/log/deskgym-dockerd.log")

# A desk has no network at all, and images are built on the host's: where the kernel refuses what
# the default bridge needs (a container, a small VM), the engine does without it.
_DAEMONS = (["dockerd"], ["dockerd", "--bridge=none", "--iptables=false"])
_PID_FILES = {
    Path("/var/run/docker.pid"): "dockerd",
    Path("/var/run/docker/containerd/containerd.pid"): "containerd",
}
_CONNECTIONS = 32  # kept for the next call; beyond, they are made anew
_SERVICE_PATIENCE_S = 15.0
_DAEMON_PATIENCE_S = 45.0


def shared_client() -> DockerClient:
    """The client that this process's desks use together, so that each does not keep connections
    of its own open. Not to be closed; for any thread. Another one if DOCKER_HOST changes.

    Raises:
        EngineUnavailable: no engine answers.
    """
    address = os.environ.get("DOCKER_HOST", "")
    with _sharing:
        if address not in _shared:
            _shared[address] = connect()
        return _shared[address]


def _forget_shared() -> None:
    """In a forked child: its connections are the parent's."""
    global _sharing
    _sharing = threading.Lock()
    _shared.clear()


_sharing = threading.Lock()
_shared: dict[str, DockerClient] = {}
os.register_at_fork(after_in_child=_forget_shared)


def connect(timeout_s: int = 60) -> DockerClient:
    """A client of the engine that answers, or `EngineUnavailable`.

    What DOCKER_HOST names is the only one tried if it is set; else Docker's default socket, then
    podman's. The caller closes the client.
    """
    if os.environ.get("DOCKER_HOST"):
        candidates: list[str | None] = [None]
    else:
        candidates = [None, *_podman_sockets()]
    tried: list[str] = []
    for address in candidates:
        client = _answering(address, timeout_s, tried)
        if client is not None:
            return client
    attempts = "".join(f"\n  {line}" for line in tried)
    raise EngineUnavailable(f"no container engine answers; tried:{attempts}\n{_remedy()}")


def install_engine(say: Callable[[str], None]) -> DockerClient:
    """Install Docker with apt if it is missing, start it, and wait until it answers.

    The daemon runs in a session of its own and outlives the caller. Raises `EngineUnavailable`
    with what to do where this is not root on Debian or Ubuntu, or where the engine will not start.
    """
    if os.environ.get("DOCKER_HOST"):
        raise EngineUnavailable(
            f"the engine at DOCKER_HOST={os.environ['DOCKER_HOST']} does not answer; start it, "
            "or unset DOCKER_HOST to use one on this machine"
        )
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        raise EngineUnavailable(
            "no container engine answers, and installing one needs root on Debian or Ubuntu\n"
            f"{_remedy()}"
        )
    if shutil.which("dockerd") is None:
        say("installing docker.io")
        # Its unpacked init scripts may start it already: the wait below then finds it.
        apt_install("docker.io", "iptables")
        if shutil.which("docker") is None:  # newer releases keep the client apart
            apt_install("docker-cli")
    if Path("/run/systemd/system").is_dir():
        say("starting the docker service")
        subprocess.run(["systemctl", "start", "docker"], stdin=subprocess.DEVNULL, check=False)
        client = _wait(None, _SERVICE_PATIENCE_S)
        if client is not None:
            return client
    for command in _DAEMONS:
        say(f"starting {' '.join(command)} (log: {ENGINE_LOG})")
        client = _wait(_start(command), _DAEMON_PATIENCE_S)
        if client is not None:
            say("the engine answers; it keeps running until stopped or the machine restarts")
            return client
    raise EngineUnavailable(f"dockerd does not come up; its last words are in {ENGINE_LOG}")


def _answering(address: str | None, timeout_s: int, tried: list[str]) -> DockerClient | None:
    import docker
    from docker.errors import DockerException
    from requests.exceptions import RequestException

    name = address or os.environ.get("DOCKER_HOST") or "unix:///var/run/docker.sock"
    # The first word is quick or there is none; later calls may take their time.
    patience = 5
    try:
        if address is None:
            client = docker.from_env(timeout=patience, max_pool_size=_CONNECTIONS)
        else:
            client = docker.DockerClient(
                base_url=address, timeout=patience, max_pool_size=_CONNECTIONS
            )
    except (DockerException, RequestException) as error:
        tried.append(f"{name}: {_reason(error)}")
        return None
    try:
        client.ping()
    except (DockerException, RequestException) as error:
        client.close()
        tried.append(f"{name}: {_reason(error)}")
        return None
    client.api.timeout = timeout_s
    return client


def _reason(error: Exception) -> str:
    """The innermost cause in one line: the client wraps it several times."""
    text = str(error)
    for known in ("FileNotFoundError", "PermissionError", "ConnectionRefusedError"):
        if known in text:
            return {
                "FileNotFoundError": "no such socket",
                "PermissionError": "permission denied (is this user in the docker group?)",
                "ConnectionRefusedError": "nothing listens there",
            }[known]
    return text.splitlines()[0] if text else type(error).__name__


def _podman_sockets() -> list[str]:
    runtime = os.environ.get("XDG_RUNTIME_DIR") or f"/run/user/{os.geteuid()}"
    paths = [Path(runtime) / "podman" / "podman.sock", Path("/run/podman/podman.sock")]
    return [f"unix://{path}" for path in paths]


def _remedy() -> str:
    if os.geteuid() == 0 and shutil.which("apt-get") is not None:
        return f"install and start one: {SETUP_COMMAND}"
    if shutil.which("podman") is not None:
        return "start podman's socket: systemctl --user start podman.socket"
    return (
        "install Docker Engine or Docker Desktop and start it "
        f"(as root on Debian or Ubuntu: {SETUP_COMMAND})"
    )


def _start(command: list[str]) -> subprocess.Popen[bytes]:
    _drop_stale_pid_files()
    with ENGINE_LOG.open("ab") as log:
        return subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
        )


def _drop_stale_pid_files() -> None:
    """Forget daemons that were killed: another process may go by their number now."""
    for file, name in _PID_FILES.items():
        try:
            command = Path(f"/proc/{int(file.read_text())}/comm").read_text().strip()
        except FileNotFoundError:
            command = ""  # no such file, or no such process
        except ValueError:
            command = ""  # torn
        if command != name:
            file.unlink(missing_ok=True)


def _wait(daemon: subprocess.Popen[bytes] | None, patience_s: float) -> DockerClient | None:
    """A client once the engine answers; None if it ends or takes too long."""
    deadline = time.monotonic() + patience_s
    while time.monotonic() < deadline:
        client = _answering(None, 60, [])
        if client is not None:
            return client
        if daemon is not None and daemon.poll() is not None:
            return None
        time.sleep(0.3)
    if daemon is not None:
        daemon.terminate()
        daemon.wait()
    return None
