"""A desk without any engine: bubblewrap around the same runner, on the same files.

As root it is as sealed as a container. Where an unprivileged user cannot have what that takes, the
desk's `Guarantees` say what is missing.

Nothing listens anywhere. When this process ends, however it ends, the kernel ends bubblewrap, and
the runner's standard input ends: it exits, and with it, as the first process of its pid namespace,
all that it started.
"""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import socket
import subprocess
import threading
from collections.abc import Callable
from functools import cache
from pathlib import Path

from deskgym.env.sandbox.base import EngineUnavailable, SandboxError
from deskgym.env.sandbox.base_image import apt_install
from deskgym.env.sandbox.bwrap_plan import desk_plan, namespaces
from deskgym.env.sandbox.cgroups import Groups, make_groups, sweep_groups
from deskgym.env.sandbox.guarantees import Guarantees, guarantees_of
from deskgym.env.sandbox.launcher import FAILED
from deskgym.env.sandbox.limits import DeskLimits
from deskgym.env.sandbox.rootfs import ensure_rootfs
from deskgym.env.sandbox.spawner import spawn
from deskgym.env.sandbox.stdio import Carrier, StdioSandbox
from deskgym.env.sandbox.syscalls import UnknownMachine, filter_program
from deskgym.env.sandbox.users import launched, own_users

_PATIENCE_S = 5.0


@cache
def why_not() -> str | None:
    """Why desks of this kind cannot run on this machine; None if they can. Tried once."""
    if shutil.which("bwrap") is None:
        return "bubblewrap is not installed (Debian: apt-get install bubblewrap)"
    try:
        filter_program()
    except UnknownMachine as error:
        return str(error)
    command = ["bwrap", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev"]
    command += [*namespaces(own_users()), "--", "/bin/true"]
    tried = subprocess.run(
        launched({**own_users().plan(), "argv": command}),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    if tried.returncode == 0:
        return None
    return f"bubblewrap cannot make namespaces here: {tried.stderr.strip()}{_switched_off()}"


# Settings that keep users from namespaces: the value that does, and one that does not.
_SETTINGS = {
    "kernel/unprivileged_userns_clone": ("0", "1"),
    "user/max_user_namespaces": ("0", "10000"),
    "kernel/apparmor_restrict_unprivileged_userns": ("1", "0"),
}


def _switched_off(settings: Path = Path("/proc/sys")) -> str:
    """Which of the system's settings may be why, and what root can do."""
    if os.geteuid() == 0:
        return " (is this a container without the right to make namespaces?)"
    found = []
    for name, (off, on) in _SETTINGS.items():
        file = settings / name
        if file.exists() and file.read_text().strip() == off:
            found.append(f"{name.replace('/', '.')}={on}")
    return f"; root can let this user: sysctl -w {' '.join(found)}" if found else ""


@cache
def _sweep_once() -> None:
    """Remove what owners that were killed have left, before this process's first desk."""
    sweep_groups()


def require() -> None:
    """Raise `EngineUnavailable` if desks of this kind cannot run here."""
    if (reason := why_not()) is not None:
        raise EngineUnavailable(f"no desk can be started: {reason}")


def expected_guarantees(limits: DeskLimits | None = None) -> Guarantees:
    """What a desk would be held to here; control groups are made for a moment to tell."""
    limits = limits or DeskLimits()
    groups = make_groups(limits)
    try:
        return guarantees_of(limits, own_users(), groups)
    finally:
        groups.remove()


def install(say: Callable[[str], None]) -> None:
    """Install bubblewrap, and mmdebstrap, with apt if they are missing and this is root.

    Raises:
        AptFailed: they could not be.
    """
    missing = [
        package
        for package, program in (("bubblewrap", "bwrap"), ("mmdebstrap", "mmdebstrap"))
        if shutil.which(program) is None
    ]
    if missing and os.geteuid() == 0 and shutil.which("apt-get") is not None:
        say(f"installing {' '.join(missing)}")
        apt_install(*missing, "debian-archive-keyring")
        why_not.cache_clear()


class BwrapSandbox(StdioSandbox):
    """One desk in namespaces that bubblewrap makes. See `base.Sandbox`.

    Args:
        profile_root: the folder that becomes ``/desk``.
        prepared: the prepared folder of these files (`deskgym.env.prepared`), for the tools alone.
        limits: the desk's caps; `guarantees` says which of them hold.
    """

    def __init__(
        self,
        profile_root: Path,
        *,
        prepared: Path | None = None,
        limits: DeskLimits | None = None,
    ) -> None:
        super().__init__(limits)
        self._root = profile_root.resolve()
        self._prepared = prepared.resolve() if prepared is not None else None
        self._process: subprocess.Popen[bytes] | None = None
        self._groups: Groups | None = None
        self._runner = -1
        self.guarantees: Guarantees | None = None
        """What holds, once it is started."""
        self.runner_pid: int | None = None
        """The runner's process id, seen from here."""

    def _launch(self) -> Carrier:
        require()
        rootfs = ensure_rootfs(build=False)
        self.image = rootfs.record.address
        if not self._root.is_dir():
            raise SandboxError(f"refused to start a desk: there is no folder {self._root}")
        users = own_users()
        _sweep_once()
        self._groups = make_groups(self._limits)
        self.guarantees = guarantees_of(self._limits, users, self._groups)
        ours, theirs = socket.socketpair()
        said, saying = socket.socketpair()
        info_r, info_w = os.pipe()
        try:
            plan = desk_plan(
                rootfs, self._root, self._limits, users, self._groups,
                prepared=self._prepared, info=info_w,
            )  # fmt: skip
            self._process = spawn(
                launched(plan),
                stdin=theirs,
                stdout=theirs,
                stderr=saying,
                env=rootfs.record.env | {"HOME": "/root"},
                cwd="/",
                pass_fds=(info_w,),
            )
        except BaseException:
            ours.close()
            said.close()
            os.close(info_r)
            raise
        finally:
            theirs.close()
            saying.close()
            os.close(info_w)
        carrier = _Streams(ours, said)
        try:
            self._take_runner(info_r, said)
        except BaseException:
            carrier.close()
            raise
        finally:
            os.close(info_r)
        return carrier

    def _take_runner(self, info: int, said: socket.socket) -> None:
        """Learn which process is the runner, and get hold of it.

        Raises:
            SandboxError: there is none: bubblewrap, or what prepares for it, failed.
        """
        told = b""
        while (pid := _child_of(told)) is None and (more := os.read(info, 4096)):
            told += more
        if pid is not None:
            try:
                self._runner, self.runner_pid = os.pidfd_open(pid), pid
                return
            except ProcessLookupError:
                pass  # it has ended already, and said why
        assert self._process is not None
        status = self._process.wait()
        said.setblocking(False)
        try:
            words = said.recv(1 << 16).decode(errors="replace").strip()
        except BlockingIOError:
            words = "nothing"
        who = "the launcher" if status == FAILED else "bubblewrap"
        raise SandboxError(f"refused to start a desk: {who} said {words} (exit status {status})")

    def _exit_status(self) -> int | None:
        process = self._process
        if process is None:
            return None
        try:
            status = process.wait(timeout=3)
        except subprocess.TimeoutExpired:
            return None
        return status if status >= 0 else 128 - status

    def end_commands(self) -> None:
        if (runner := self.runner_pid) is not None:
            for pid in descendants(runner):
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    continue

    def _end(self) -> None:
        process, self._process = self._process, None
        runner, self._runner = self._runner, -1
        self.runner_pid = None
        if runner >= 0:
            ended = select.poll()
            ended.register(runner, select.POLLIN)
            if not ended.poll(_PATIENCE_S * 1000):
                signal.pidfd_send_signal(runner, signal.SIGKILL)
                ended.poll()
            os.close(runner)
        if process is not None:
            try:
                process.wait(_PATIENCE_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        groups, self._groups = self._groups, None
        if groups is not None:
            groups.remove()


class _Streams:
    """The desk's standard input and output as one connection, and its standard error."""

    def __init__(self, wire: socket.socket, said: socket.socket) -> None:
        self._wire, self._said = wire, said
        self._poll = select.poll()
        self._poll.register(wire, select.POLLIN)
        self._poll.register(said, select.POLLIN)
        self._said_fd = said.fileno()
        self._silent = False
        self._in_use = threading.RLock()

    def send(self, data: bytes, timeout_s: float) -> None:
        with self._in_use:
            self._wire.settimeout(timeout_s)
            self._wire.sendall(data)

    def receive(self, timeout_s: float) -> tuple[bytes, bytes] | None:
        with self._in_use:
            return self._receive(timeout_s)

    def _receive(self, timeout_s: float) -> tuple[bytes, bytes] | None:
        ready = [fd for fd, _ in self._poll.poll(timeout_s * 1000)]
        if not ready:
            raise TimeoutError
        if self._said_fd in ready and not self._silent:
            if words := self._said.recv(1 << 16):
                return b"", words
            self._silent = True
            self._poll.unregister(self._said_fd)
        if ready == [self._said_fd]:
            return b"", b""
        data = self._wire.recv(1 << 18)
        return (data, b"") if data else None

    def close(self) -> None:
        for end in (self._wire, self._said):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue  # it may be broken already, which is all we want
        # Whoever waits on them wakes up, and must have left before their numbers are given away.
        with self._in_use:
            self.let_go()

    def let_go(self) -> None:
        self._wire.close()
        self._said.close()


def descendants(pid: int) -> list[int]:
    """Every process below ``pid``."""
    found: list[int] = []
    todo = [pid]
    while todo:
        for task in Path(f"/proc/{todo.pop()}/task").glob("*/children"):
            try:
                children = [int(word) for word in task.read_text().split()]
            except FileNotFoundError:
                continue  # gone meanwhile
            found += children
            todo += children
    return found


def _child_of(told: bytes) -> int | None:
    """The runner's process id out of what bubblewrap has written of its JSON so far."""
    try:
        return int(json.loads(told)["child-pid"])
    except ValueError:
        return None
