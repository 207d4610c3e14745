"""A desk as a Docker container, spoken to over its attached standard input and output.

Nothing listens anywhere. The container is created with auto-remove and "standard input once": when
this process ends, however it ends, the engine closes the runner's standard input, the runner exits
and the container is gone.
"""

from __future__ import annotations

import contextlib
import socket
import threading
import time
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deskgym.env.sandbox import podman
from deskgym.env.sandbox.base import EngineUnavailable, SandboxError
from deskgym.env.sandbox.images import ensure_image
from deskgym.env.sandbox.limits import DeskLimits
from deskgym.env.sandbox.stdio import Carrier, StdioSandbox
from deskgym.env.sandbox.sweep import ANY, RUN, owner_labels
from deskgym.env.sandbox.vacuum import container_config
from deskgym.env.sandbox.wire import STDOUT, StreamSplitter

if TYPE_CHECKING:
    from docker import DockerClient
    from docker.errors import APIError


class DockerSandbox(StdioSandbox):
    """One desk on a Docker engine (or podman's Docker socket). See `base.Sandbox`.

    Args:
        profile_root: the folder that becomes ``/desk``; the engine must see it under this path.
        prepared: the prepared folder of these files (`deskgym.env.prepared`), for the tools alone.
        limits: the desk's caps.
        client: an engine to use; by default the one that answers.
        run_id: the value of the ``org.deskgym.run`` label.
    """

    def __init__(
        self,
        profile_root: Path,
        *,
        prepared: Path | None = None,
        limits: DeskLimits | None = None,
        client: DockerClient | None = None,
        run_id: str | None = None,
    ) -> None:
        super().__init__(limits)
        self._root = profile_root.resolve()
        self._prepared = prepared.resolve() if prepared is not None else None
        self._client = client
        self._owns_client = client is None
        self._run_id = run_id or uuid.uuid4().hex[:12]
        self.container_id: str | None = None

    def _launch(self) -> Carrier:
        from docker.errors import APIError

        if self._client is None:
            from deskgym.env.sandbox.engine import connect

            self._client = connect()
        client = self._client
        self.image = ensure_image(client, build=False)
        try:
            self.container_id = self._create(client, self.image)
            carrier = _Attached(*attach_stdio(client, self.container_id))
            try:
                client.api.start(self.container_id)
            except BaseException:
                carrier.close()
                raise
        except APIError as error:
            raise SandboxError(_refused(error, self._limits)) from error
        return carrier

    def _create(self, client: DockerClient, image: str) -> str:
        name = f"deskgym-{uuid.uuid4().hex[:12]}"
        labels = {ANY: "desk", RUN: self._run_id, **owner_labels()}
        if podman.is_podman(client):
            spec = podman.desk_spec(image, self._root, self._limits, self._prepared)
            return podman.create(client, {**spec, "name": name, "labels": labels})
        config = container_config(image, self._root, self._limits, self._prepared)
        config["Labels"] = labels
        created = client.api.create_container_from_config(config, name=name)  # type: ignore[no-untyped-call]
        return str(created["Id"])

    def _exit_status(self) -> int | None:
        """The container's exit status, if the engine has not removed it yet."""
        from docker.errors import APIError
        from requests.exceptions import RequestException

        if self._client is None or self.container_id is None:
            return None
        try:
            if podman.is_podman(self._client):
                return podman.exit_status(self._client, self.container_id)
            return int(self._client.api.wait(self.container_id, timeout=3)["StatusCode"])
        except (APIError, RequestException):
            return None

    def end_commands(self) -> None:
        client, container = self._client, self.container_id
        if client is None or container is None:
            return
        made = client.api.exec_create(
            container, ["/bin/bash", "-c", "kill -KILL -1"], user="1000:1000", stdout=False
        )
        client.api.exec_start(made["Id"])

    def _end(self) -> None:
        container, self.container_id = self.container_id, None
        if container is None or self._client is None:
            return
        from requests.exceptions import RequestException

        try:
            wait_until_gone(self._client, container)
        except RequestException as error:
            raise EngineUnavailable(
                f"the engine no longer answers: {error}; see: deskgym doctor"
            ) from error
        if self._owns_client:
            self._client.close()
            self._client = None


class _Attached:
    """A container's attached streams: one connection that carries all three."""

    def __init__(self, stream: Any, connection: socket.socket) -> None:
        self._stream = stream  # a file object over the connection, which else stays open
        self._connection = connection
        self._splitter = StreamSplitter()
        self._in_use = threading.RLock()

    def send(self, data: bytes, timeout_s: float) -> None:
        with self._in_use:
            self._connection.settimeout(timeout_s)
            self._connection.sendall(data)

    def receive(self, timeout_s: float) -> tuple[bytes, bytes] | None:
        with self._in_use:
            self._connection.settimeout(timeout_s)
            data = self._connection.recv(1 << 18)
        if not data:
            return None
        pieces = self._splitter.feed(data)
        out = b"".join(piece for stream, piece in pieces if stream == STDOUT)
        return out, b"".join(piece for stream, piece in pieces if stream != STDOUT)

    def close(self) -> None:
        with contextlib.suppress(OSError):  # it may be broken already, which is all we want
            self._connection.shutdown(socket.SHUT_RDWR)
        # Whoever waits on it wakes up, and must have left before its number is given away: a
        # thread that begins to wait on a number waits for whoever has it next.
        with self._in_use:
            self.let_go()

    def let_go(self) -> None:
        self._stream.close()
        self._connection.close()


def attach_stdio(client: DockerClient, container: str) -> tuple[Any, socket.socket]:
    """A container's standard streams: docker-py's object, to be closed too, and its connection.

    Raises:
        SandboxError: the connection to this engine is of a kind that cannot be used.
    """
    stream = client.api.attach_socket(
        container, params={"stdin": 1, "stdout": 1, "stderr": 1, "stream": 1}
    )
    # docker-py hands out a file object over the connection; the connection is what we need.
    connection = getattr(stream, "_sock", stream)
    if not hasattr(connection, "sendall"):
        raise SandboxError(f"this engine's connection cannot be used: {type(connection).__name__}")
    return stream, connection


def wait_until_gone(client: DockerClient, container: str, patience_s: float = 5.0) -> None:
    """Wait for the container's own end and removal, then insist."""
    from docker.errors import APIError

    deadline = time.monotonic() + patience_s
    pause = 0.005
    try:
        while time.monotonic() < deadline:
            if client.api.inspect_container(container)["State"]["Status"] == "created":
                break  # never started: nothing in it can end
            time.sleep(pause)
            pause = min(pause * 1.5, 0.1)
        client.api.remove_container(container, force=True, v=True)
    except APIError as error:
        # 409: its removal is under way.
        if not _is_gone(error) and error.status_code != 409:
            raise


def _is_gone(error: APIError) -> bool:
    """Whether an engine says so that there is no such container: podman has two ways of its own."""
    text = str(error.explanation)
    return error.status_code == 404 or "no such container" in text or "container state" in text


def _refused(error: Exception, limits: DeskLimits) -> str:
    hint = ""
    if limits.profile_mount == "overlay" and "overlay" in str(error):
        hint = (
            "; this engine cannot mount an overlay over the files: use "
            "DeskLimits(profile_mount='bind')"
        )
    return f"the engine refused to start a desk: {error}{hint}"
