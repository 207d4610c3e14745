"""A desk as a Docker container, spoken to over its attached standard input and output.

Nothing listens anywhere. The container is created with auto-remove and "standard input once": when
this process ends, however it ends, the engine closes the runner's standard input, the runner exits
and the container is gone.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import socket
import time
import uuid
import weakref
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from pydantic import ValidationError

from deskgym.env.sandbox.base import (
    ConfigureRequest,
    DeskDied,
    DeskTimeout,
    ExecRequest,
    Request,
    ResetRequest,
    Response,
    SandboxError,
)
from deskgym.env.sandbox.images import ensure_image
from deskgym.env.sandbox.limits import DeskLimits
from deskgym.env.sandbox.sweep import ANY, RUN, owner_labels
from deskgym.env.sandbox.vacuum import container_config
from deskgym.env.sandbox.wire import STDOUT, StreamSplitter, pack_request, read_response
from deskgym.sandbox_images.desk.framing import FrameError, FrameReader

if TYPE_CHECKING:
    from docker import DockerClient

GRACE_S = 20.0  # beyond a command's own time: ending its processes, a slow engine
TOOL_TIMEOUT_S = 150.0  # its own 65 s, after those of one that is being answered already
RESET_TIMEOUT_S = 60.0
_STDERR_KEPT = 4_000

# Every live desk of this process, for the two moments in which no one else can close them: the
# interpreter's end, and a fork, whose child would otherwise hold the wire open beyond our death.
_live: weakref.WeakSet[DockerSandbox] = weakref.WeakSet()


def _close_all() -> None:
    for sandbox in list(_live):
        sandbox.close()


def _let_go_in_child() -> None:
    for sandbox in list(_live):
        sandbox._let_go()


atexit.register(_close_all)
os.register_at_fork(after_in_child=_let_go_in_child)


class DockerSandbox:
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
        self._root = profile_root.resolve()
        self._prepared = prepared.resolve() if prepared is not None else None
        self._limits = limits or DeskLimits()
        self._client = client
        self._owns_client = client is None
        self._run_id = run_id or uuid.uuid4().hex[:12]
        self._socket: socket.socket | None = None
        self._stream: Any = None
        self._owner = os.getpid()
        self._frames, self._splitter, self._stderr = FrameReader(), StreamSplitter(), b""
        self.container_id: str | None = None
        self.image: str | None = None

    def start(self) -> None:
        """Bring the desk up and wait until its runner says so.

        Raises:
            EngineUnavailable: no engine answers.
            ImageMissing: the image that this version needs is not built.
            SandboxError: the engine refused to create or start the container.
            DeskDied: the runner ended at once; the message holds what it said.
        """
        from docker.errors import APIError

        if self._socket is not None:
            raise SandboxError("this desk is already running")
        self._owner = os.getpid()
        self._frames, self._splitter, self._stderr = FrameReader(), StreamSplitter(), b""
        if self._client is None:
            from deskgym.env.sandbox.engine import connect

            self._client = connect()
        client = self._client
        self.image = ensure_image(client, build=False)
        config = container_config(self.image, self._root, self._limits, self._prepared)
        config["Labels"] = {ANY: "desk", RUN: self._run_id, **owner_labels()}
        try:
            created = client.api.create_container_from_config(  # type: ignore[no-untyped-call]
                config, name=f"deskgym-{uuid.uuid4().hex[:12]}"
            )
            self.container_id = str(created["Id"])
            _live.add(self)
            self._stream, self._socket = attach_stdio(client, self.container_id)
            client.api.start(self.container_id)
        except APIError as error:
            self.close()
            raise SandboxError(_refused(error, self._limits)) from error
        hello, _ = self._receive(self._limits.start_timeout_s, "start")
        if not hello.get("hello"):
            self.close()
            raise DeskDied(f"the desk said something else than hello: {hello}")

    def configure(
        self, user: str, files: tuple[dict[str, Any], ...], tools: tuple[str, ...]
    ) -> None:
        """Tell the runner whose files these are, what is known of them, and which tools are on."""
        self.request(ConfigureRequest(user=user, files=files, tools=tools))

    def request(self, request: Request) -> Response:
        """Send one request and wait for its answer. For one thread at a time.

        Raises:
            DeskDied: the desk is gone.
            DeskTimeout: no answer in the request's time and a margin; the desk has been ended.
        """
        timeout = TOOL_TIMEOUT_S
        if isinstance(request, ExecRequest):
            timeout = request.timeout_s + GRACE_S
        elif isinstance(request, ResetRequest):
            timeout = RESET_TIMEOUT_S
        if self._socket is None:
            raise DeskDied("this desk is not running")
        try:
            self._socket.settimeout(timeout)
            self._socket.sendall(pack_request(request))
        except OSError as error:
            raise self._died(f"cannot be reached ({error})") from error
        header, payload = self._receive(timeout, request.op)
        try:
            return read_response(header, payload)
        except ValidationError as error:
            self.close()
            raise DeskDied(f"the desk gave an answer that is none: {error}") from error

    def reset(self) -> None:
        """Make the desk as new, in place.

        Raises:
            DeskDied: it would not come clean, and has been ended.
        """
        response = self.request(ResetRequest())
        if not response.ok:
            self.close()
            message = response.error.message if response.error else "no reason given"
            raise DeskDied(f"the desk did not come clean: {message}")

    def _receive(self, timeout_s: float, what: str) -> tuple[dict[str, Any], bytes]:
        assert self._socket is not None
        deadline = time.monotonic() + timeout_s
        try:
            while (frame := self._frames.next()) is None:
                left = deadline - time.monotonic()
                if left <= 0:
                    raise TimeoutError
                self._socket.settimeout(left)
                data = self._socket.recv(1 << 18)
                if not data:
                    raise self._died("ended")
                for stream, piece in self._splitter.feed(data):
                    if stream == STDOUT:
                        self._frames.feed(piece)
                    else:
                        self._stderr = (self._stderr + piece)[-_STDERR_KEPT:]
        except TimeoutError as error:
            self.close()
            raise DeskTimeout(
                f"the desk did not answer {what!r} within {timeout_s:g} s and was ended"
            ) from error
        except FrameError as error:
            self.close()
            raise DeskDied(f"the desk's wire is broken: {error}") from error
        except ConnectionError as error:
            raise self._died(f"is gone ({error})") from error
        return frame

    def _died(self, how: str) -> DeskDied:
        status = self._exit_status()
        said = self._stderr.decode(errors="replace").strip()
        self.close()
        return DeskDied(
            f"the desk {how}; exit status {'unknown' if status is None else status}"
            + (f"; it said: {said}" if said else "")
        )

    def _exit_status(self) -> int | None:
        """The container's exit status, if the engine has not removed it yet."""
        from docker.errors import APIError
        from requests.exceptions import RequestException

        if self._client is None or self.container_id is None:
            return None
        try:
            return int(self._client.api.wait(self.container_id, timeout=3)["StatusCode"])
        except (APIError, RequestException):
            return None

    def _let_go(self) -> None:
        """Close our end of the wire without asking anything of the engine."""
        connection, self._socket = self._socket, None
        if connection is not None:
            self._stream.close()  # a file object over it, without whose end it stays open
            connection.close()
        _live.discard(self)

    def close(self) -> None:
        """End the desk and wait until it is gone. Idempotent."""
        connection, self._socket = self._socket, None
        _live.discard(self)
        container, self.container_id = self.container_id, None
        if connection is not None:
            with contextlib.suppress(OSError):  # it may be broken already, which is all we want
                connection.shutdown(socket.SHUT_RDWR)
            self._stream.close()
            connection.close()
        if container is None or self._client is None or os.getpid() != self._owner:
            return
        wait_until_gone(self._client, container)
        if self._owns_client:
            self._client.close()
            self._client = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


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
    from docker.errors import APIError, NotFound

    deadline = time.monotonic() + patience_s
    pause = 0.005
    while time.monotonic() < deadline:
        try:
            state = client.api.inspect_container(container)["State"]["Status"]
        except NotFound:
            return
        if state == "created":
            break  # never started: nothing in it can end
        time.sleep(pause)
        pause = min(pause * 1.5, 0.1)
    try:
        client.api.remove_container(container, force=True, v=True)
    except NotFound:
        return
    except APIError as error:
        if error.status_code != 409:  # its removal is under way
            raise


def _refused(error: Exception, limits: DeskLimits) -> str:
    hint = ""
    if limits.profile_mount == "overlay" and "overlay" in str(error):
        hint = (
            "; this engine cannot mount an overlay over the files: use "
            "DeskLimits(profile_mount='bind')"
        )
    return f"the engine refused to start a desk: {error}{hint}"
