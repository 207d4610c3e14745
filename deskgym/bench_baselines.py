"""What `deskgym bench` compares with: the engine's own ways, a web server, and the bare host."""

from __future__ import annotations

import csv
import io
import json
import shutil
import subprocess
import threading
import time
import urllib.request
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from docker import DockerClient

ECHO = "echo hi"
_PORT = 8000
_PATIENCE_S = 20.0
_GLANCE_S = 0.02  # between looks at memory

# One request, one bash: what a desk's peers do, with less around it. It ends with its input.
_SERVER = """
import http.server, json, os, subprocess, sys, threading

class Handler(http.server.BaseHTTPRequestHandler):
    disable_nagle_algorithm = True

    def do_POST(self):
        command = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["command"]
        done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
        body = json.dumps({"stdout": done.stdout, "stderr": done.stderr,
                           "exit_code": done.returncode}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass

server = http.server.ThreadingHTTPServer((sys.argv[1], int(sys.argv[2])), Handler)
print(server.server_port, flush=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
sys.stdin.read()
"""


class CannotMeasure(Exception):
    """This row's baseline is not to be had here; the message says why."""


def host_bash() -> None:
    """Start bash on the host and take what it prints."""
    subprocess.run(["bash", "-c", ECHO], capture_output=True, check=True)


def through_docker_cli(container: str) -> Callable[[], None]:
    """Run the command in ``container`` by the engine's command line.

    Raises:
        CannotMeasure: it is not installed.
    """
    program = shutil.which("docker")
    if program is None:
        raise CannotMeasure("there is no docker command here")
    argv = [program, "exec", container, "bash", "-c", ECHO]
    return lambda: _check(subprocess.run(argv, capture_output=True, check=False))


def through_docker_py(client: DockerClient, container: str) -> Callable[[], None]:
    """Run the command in ``container`` by docker-py, over the engine's own interface."""
    found = client.containers.get(container)

    def run() -> None:
        done = found.exec_run(["bash", "-c", ECHO])
        if done.exit_code != 0:
            raise CannotMeasure(f"docker-py's exec_run ends with {done.exit_code}")

    return run


def _check(done: subprocess.CompletedProcess[bytes]) -> None:
    if done.returncode != 0:
        said = done.stderr.decode(errors="replace").strip()
        raise CannotMeasure(f"the docker command fails: {said}")


def container_run(client: DockerClient, image: str, root: Path) -> tuple[Callable[[], None], str]:
    """``docker run --rm`` of a program that does nothing, with a desk's own flags; and what it is
    called: without the command line, the engine is asked for the same steps directly."""
    config = _desk_config(image, root)
    program = shutil.which("docker")
    if program is None:
        return lambda: _run_and_wait(client, config), "create, start, wait, remove by the engine"
    argv = [program, "run", "--rm", *_flags(config), "--entrypoint", "/bin/bash", image]
    return (
        lambda: _check(subprocess.run([*argv, "-c", "true"], capture_output=True, check=False)),
        "docker run --rm with the same flags, bash -c true",
    )


def _run_and_wait(client: DockerClient, config: dict[str, Any]) -> None:
    from docker.errors import NotFound

    program = {"Entrypoint": ["/bin/bash"], "Cmd": ["-c", "true"], "OpenStdin": False}
    container = _create(client, config | program)
    client.api.start(container)
    with suppress(NotFound):  # gone already, which is what is waited for
        client.api.wait(container, condition="removed")


def _flags(config: dict[str, Any]) -> list[str]:
    """The command line's flags for what `container_config` tells the engine."""
    host = config["HostConfig"]
    flags = {
        "user": config["User"],
        "workdir": config["WorkingDir"],
        "network": host["NetworkMode"],
        "ipc": host["IpcMode"],
        "log-driver": host["LogConfig"]["Type"],
        "memory": host["Memory"],
        "memory-swap": host["MemorySwap"],
        "pids-limit": host["PidsLimit"],
        "cpu-period": host["CpuPeriod"],
        "cpu-quota": host["CpuQuota"],
        "shm-size": host["ShmSize"],
    }
    argv = [
        "--read-only",
        *(["--init"] if host["Init"] else []),
        *(f"--{name}={value}" for name, value in flags.items()),
    ]
    argv += [f"--label={name}={value}" for name, value in config["Labels"].items()]
    argv += [f"--cap-drop={name}" for name in host["CapDrop"]]
    argv += [f"--cap-add={name}" for name in host["CapAdd"]]
    argv += [f"--security-opt={name}" for name in host["SecurityOpt"]]
    argv += [f"--ulimit={u['Name']}={u['Soft']}:{u['Hard']}" for u in host["Ulimits"]]
    argv += [f"--tmpfs={path}:{options}" for path, options in host["Tmpfs"].items()]
    return [*argv, *(f"--mount={_mount(mount)}" for mount in host["Mounts"])]


def _mount(mount: dict[str, Any]) -> str:
    fields = [f"type={mount['Type']}", f"dst={mount['Target']}"]
    if mount["Type"] == "bind":
        fields += [f"src={mount['Source']}", "readonly"]
    else:
        driver = mount["VolumeOptions"]["DriverConfig"]
        fields += ["volume-nocopy", f"volume-driver={driver['Name']}"]
        fields += [f"volume-opt={name}={value}" for name, value in driver["Options"].items()]
    # The flag is a line of comma-separated values, quoted as such.
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(fields)
    return line.getvalue()


@contextmanager
def peer_server(
    client: DockerClient, image: str, root: Path
) -> Iterator[tuple[Callable[[], None], str]]:
    """A web server in a container of the same image and limits that runs commands: a function that
    has it run one over a connection of its own, and how it is reached.

    Raises:
        CannotMeasure: the engine gives it no network that is reached from here.
    """
    from docker.errors import APIError

    reasons = []
    for network in ("bridge", "host"):
        container = None
        try:
            container = _start_server(client, image, root, network)
            ask = _asking(_address(client, container, network))
            _wait_for(ask)
        except (APIError, CannotMeasure) as error:
            reasons.append(f"{network}: {error}")
            if container is not None:
                _remove(client, container)
            continue
        try:
            yield ask, f"over the {network} network"
        finally:
            _remove(client, container)
        return
    raise CannotMeasure("no web server in a container is reached from here; " + "; ".join(reasons))


def _start_server(client: DockerClient, image: str, root: Path, network: str) -> str:
    host = network == "host"
    config = _desk_config(image, root) | {
        "NetworkDisabled": False,
        "Entrypoint": ["/usr/bin/python3", "-c", _SERVER],
        "Cmd": ["127.0.0.1", "0"] if host else ["0.0.0.0", str(_PORT)],
    }
    config["HostConfig"] |= {"NetworkMode": network, "LogConfig": {"Type": "json-file"}}
    container = _create(client, config)
    client.api.start(container)
    return container


def _address(client: DockerClient, container: str, network: str) -> str:
    if network == "bridge":
        address = client.api.inspect_container(container)["NetworkSettings"]["IPAddress"]
        return f"http://{address}:{_PORT}"
    deadline = time.monotonic() + _PATIENCE_S
    while time.monotonic() < deadline:
        said = client.api.logs(container, stdout=True, stderr=False).strip()
        if said:
            return f"http://127.0.0.1:{int(said)}"
        time.sleep(0.05)
    raise CannotMeasure("it does not come up")


def _wait_for(ask: Callable[[], None]) -> None:
    deadline = time.monotonic() + _PATIENCE_S
    while True:
        try:
            ask()
            return
        except OSError as error:
            if time.monotonic() > deadline:
                raise CannotMeasure(f"it does not answer: {error}") from error
        time.sleep(0.05)


def _asking(address: str) -> Callable[[], None]:
    body = json.dumps({"command": ECHO}).encode()
    # No proxy: the server is this machine's own.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def ask() -> None:
        with opener.open(urllib.request.Request(address, body, method="POST"), timeout=5) as answer:
            answer.read()

    return ask


def _desk_config(image: str, root: Path) -> dict[str, Any]:
    from deskgym.env.sandbox.limits import DeskLimits
    from deskgym.env.sandbox.sweep import ANY, RUN, owner_labels
    from deskgym.env.sandbox.vacuum import container_config

    config = container_config(image, root, DeskLimits())
    return config | {"Labels": {ANY: "bench", RUN: "bench", **owner_labels()}}


def _create(client: DockerClient, config: dict[str, Any]) -> str:
    created = client.api.create_container_from_config(  # type: ignore[no-untyped-call]
        config, name=f"deskgym-bench-{uuid.uuid4().hex[:12]}"
    )
    return str(created["Id"])


def _remove(client: DockerClient, container: str) -> None:
    from docker.errors import NotFound

    with suppress(NotFound):  # it may have ended, and was then removed by the engine
        client.api.remove_container(container, force=True, v=True)


def memory_of(client: DockerClient, container: str) -> int:
    """Bytes of memory of a container's control group, without file cache that is not in use."""
    stats = client.api.stats(container, stream=False, one_shot=True)["memory_stats"]
    if "usage" not in stats:
        raise CannotMeasure("the engine does not count a container's memory")
    detail = stats.get("stats", {})
    # The name under the first and under the second version of control groups.
    cache = detail.get("total_inactive_file", detail.get("inactive_file", 0))
    return int(stats["usage"]) - int(cache)


@contextmanager
def memory_peak(run: str) -> Iterator[Callable[[], int]]:
    """Watch the container that this process starts in the block under the label ``run``; the
    function yielded tells the most memory that it was seen to hold, in bytes, without file cache.

    Raises:
        CannotMeasure: by the function, if no container was seen.
    """
    from deskgym.env.sandbox.engine import connect
    from deskgym.env.sandbox.sweep import RUN, owner_labels

    labels = [f"{RUN}={run}", *(f"{name}={value}" for name, value in owner_labels().items())]
    seen: list[int] = []
    done = threading.Event()
    client = connect()

    def watch() -> None:
        while not done.wait(_GLANCE_S):
            for found in client.api.containers(filters={"label": labels}):
                _watch_one(client, found["Id"], seen, done)

    def peak() -> int:
        if not seen:
            raise CannotMeasure("the container was gone before its memory was seen")
        return max(seen)

    with closing(client), ThreadPoolExecutor(1) as pool:
        watching = pool.submit(watch)
        try:
            yield peak
        finally:
            done.set()
        watching.result()  # what went wrong there is raised here


def _watch_one(
    client: DockerClient, container: str, seen: list[int], done: threading.Event
) -> None:
    from docker.errors import APIError

    while not done.wait(_GLANCE_S):
        try:
            stats = client.api.stats(container, stream=False, one_shot=True)["memory_stats"]
        except (APIError, ValueError):
            return  # it is gone; the engine then answers with an error, or with nothing at all
        if "usage" not in stats:
            return  # it has ended
        detail = stats["stats"]
        # The names under the first and under the second version of control groups.
        kinds = ("total_active_file", "total_inactive_file")
        if kinds[0] not in detail:
            kinds = ("active_file", "inactive_file")
        seen.append(int(stats["usage"]) - sum(int(detail[kind]) for kind in kinds))


def shim_memory(container: str) -> int | None:
    """Resident bytes of the engine's process beside a container, if it is on this machine."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            argv = (folder / "cmdline").read_bytes().split(b"\0")
            if b"shim" in argv[0] and container.encode() in argv:
                status = (folder / "status").read_text()
                resident = next(line for line in status.splitlines() if line.startswith("VmRSS"))
                return int(resident.split()[1]) * 1024
        except OSError:
            continue  # it has ended meanwhile
    return None
