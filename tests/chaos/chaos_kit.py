"""Runs in a process of their own, and ways of killing what belongs to them.

Nothing is killed but descendants of such a run and desks that they own, by their ids.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from docker import DockerClient
from docker.errors import APIError

from deskgym.env.run_reader import read_results
from deskgym.env.sandbox import sweep
from deskgym.env.trajectory import EpisodeResult

AGENT = "slow_agent:Slow"
TASKS = "adam-00*,adam-010,adam-011,adam-012,adam-013,adam-014,adam-015,adam-016"
EPISODES = 16
PATIENCE_S = 120.0
RAY_HELPERS = ("ray::DashboardAgent", "ray::RuntimeEnvAgent")
HELPS = Path(__file__).parent


class Run:
    """``deskgym run`` of 16 episodes, four at a time, into a folder."""

    def __init__(self, out: Path, *more: str, env: dict[str, str] | None = None) -> None:
        command = [sys.executable, "-m", "deskgym", "run", "demo/adam", "--agent", AGENT]
        command += ["--tasks", TASKS, "--jobs", "4", "--out", str(out), *more]
        self.out = out
        self._printed = out.with_name(f"{out.name}.out").open("w+b")
        self._said = out.with_name(f"{out.name}.err").open("w+b")
        self.process = subprocess.Popen(
            command,
            stdout=self._printed,
            stderr=self._said,
            env={**os.environ, "PYTHONPATH": str(HELPS), **(env or {})},
            start_new_session=True,
        )

    def printed(self) -> str:
        """Its standard output."""
        self._printed.seek(0)
        return self._printed.read().decode(errors="replace")

    def said(self) -> str:
        """What it has said beside that."""
        self._said.seek(0)
        return self._said.read().decode(errors="replace")

    def await_results(self, number: int) -> None:
        """Wait until so many episodes are finished."""
        results = self.out / "results.jsonl"

        def there() -> bool:
            assert self.process.poll() is None, self.said()
            return results.exists() and results.read_bytes().count(b"\n") >= number

        until(there)

    def end(self, status: int = 0) -> str:
        """Wait for its end, which must be that; what it said."""
        assert self.process.wait(PATIENCE_S) == status, self.said()
        return self.said()

    def kill(self) -> None:
        """SIGKILL its main process, if it still runs."""
        self.process.kill()
        self.process.wait()

    def results(self) -> list[EpisodeResult]:
        return read_results(self.out)


def until(true: Callable[[], bool], what: str = "") -> None:
    """Wait until it is so."""
    deadline = time.monotonic() + PATIENCE_S
    while not true():
        assert time.monotonic() < deadline, what or "it did not come to pass"
        time.sleep(0.02)


@dataclass(frozen=True)
class Process:
    """A process that there was: an id by itself is used again."""

    pid: int
    started: str
    line: str

    def lives(self) -> bool:
        now = _process(self.pid)
        return now is not None and now[0].started == self.started


def _process(pid: int) -> tuple[Process, int] | None:
    """A process and its parent's id; None if there is none, or it is merely waited for."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
        line = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ")
    except OSError:
        return None
    if stat[0] in "ZX":
        return None
    return Process(pid, stat[19], line.decode(errors="replace")), int(stat[1])


def family(pid: int) -> set[Process]:
    """A process, those that it started, and those that they started."""
    everyone = [
        found
        for name in os.listdir("/proc")  # noqa: PTH208  (names are all that is wanted)
        if name.isdigit() and (found := _process(int(name))) is not None
    ]
    ring = {process for process, _ in everyone if process.pid == pid}
    members = set(ring)
    while ring:
        pids = {process.pid for process in ring}
        ring = {process for process, parent in everyone if parent in pids} - members
        members |= ring
    return members


def those(pid: int, named: str) -> list[int]:
    """The ids in a process's family whose command line holds ``named``."""
    return sorted(process.pid for process in family(pid) if named in process.line)


def desks_of(client: DockerClient, owners: set[Process]) -> list[str]:
    """The ids of the desks that any of these processes owns, whether or not it still runs."""
    pids = {str(process.pid) for process in owners}
    found = client.containers.list(all=True, filters={"label": sweep.RUN}, ignore_removed=True)
    return [desk.id or "" for desk in found if desk.labels.get(sweep.OWNER_PID) in pids]


def busy_desk_of(
    client: DockerClient, owners: Callable[[], set[Process]], *, hold: bool = False
) -> str:
    """A desk of these processes that is in the middle of a command, once there is one.

    With ``hold`` the command is stopped there, so that whatever is done next meets it: for desks
    that are about to be ended.
    """
    found: list[str] = []

    def there() -> bool:
        for desk in desks_of(client, owners()):
            try:
                shown = client.api.top(desk)
            except APIError:
                continue  # it ended meanwhile
            column = shown["Titles"].index("PID")
            asleep = [int(row[column]) for row in shown["Processes"] if "sleep" in " ".join(row)]
            if any(not hold or _stopped(pid) for pid in asleep):
                found.append(desk)
                return True
        return False

    until(there, "no desk is at work")
    return found[0]


def _stopped(pid: int) -> bool:
    """Stop a process; False if it has ended meanwhile."""
    state = ""
    try:
        os.kill(pid, signal.SIGSTOP)
        while state not in ("T", "Z", "X"):
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state == "T"


def busy_desk(client: DockerClient, run: Run, *, hold: bool = False) -> str:
    """A desk of the run that is in the middle of a command."""
    return busy_desk_of(client, lambda: family(run.process.pid), hold=hold)


def kill(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)


def told_apart(result: EpisodeResult) -> EpisodeResult:
    """A result without what earlier executions of its episode came to."""
    return result.model_copy(update={"attempts": 1, "failures": (), "failed_use": None})


def same_results(run: Run, undisturbed: list[EpisodeResult]) -> bool:
    return [told_apart(r) for r in run.results()] == undisturbed


def check_gone(client: DockerClient, before: set[Process]) -> None:
    """No desk and no process is left of those that there were.

    But two helpers of Ray's own, which hold nothing of ours: when Ray is killed rather than ended
    they take a minute to find out.
    """
    before = {process for process in before if not process.line.startswith(RAY_HELPERS)}
    until(lambda: not desks_of(client, before), "desks are left")
    until(
        lambda: not any(process.lives() for process in before),
        f"processes are left: {[process for process in before if process.lives()]}",
    )
