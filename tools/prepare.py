"""Preparing a whole profile: the program of the perception container.

``python3 -m deskgym.tools.prepare`` takes a plan, one line of JSON, from its standard input::

    {"run": ID, "tool_key": KEY, "ocr": "rapidocr" | null, "asr": "openai:/models/x.pt" | null,
     "jobs": 2, "memory": BYTES, "timeout_s": 600, "files": [{"path", "sha256", "size",
     "object"}, ...]}

The files lie below ``--desk``; the objects of `deskgym.tools.store` go below ``--out``. What is
being done is told on standard output, a line of JSON each: ``{"done": path, "error": null |
{"kind", "message", "remedy"}}``, at the end ``{"end": true}``, or ``{"fatal": why}``. When its
standard input ends, its owner is gone: it ends too.

Each file is read by a process of a crew (`_Member`), which may crash, hang or grow: it is ended
then, the failure is recorded, and a new one goes on with the next file.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import select
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from pathlib import Path
from typing import IO, Any

from deskgym.tools.crew import work
from deskgym.tools.result import ToolError
from deskgym.tools.store import Objects, as_json

_GLANCE_S = 0.1  # between looks at a process's memory
_SOUND = (".mp3", ".m4a", ".aac", ".wav", ".flac", ".ogg", ".opus", ".mp4", ".mkv", ".mov", ".avi",
          ".webm", ".m4v")  # fmt: skip
_MOST_EXTRA_S = 4 * 3600.0
EXIT_FATAL = 4


# -- the crew --------------------------------------------------------------------------------------


class _Died(Exception):
    """A process that was ended, or ended by itself, over its file; ``error`` is what to record."""

    def __init__(self, error: ToolError) -> None:
        super().__init__(error.message)
        self.error = error


class _Member:
    """One process of the crew and what is asked of it. Not for two threads."""

    def __init__(self, command: list[str], plan: dict[str, Any]) -> None:
        self._command, self._plan = command, plan
        self._process: subprocess.Popen[bytes] | None = None

    def read(self, file: dict[str, Any]) -> dict[str, Any]:
        """What became of ``file``.

        Raises:
            _Died: it took too long, or too much, or its reader crashed.
        """
        process = self._process or self._start()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(json.dumps(file).encode() + b"\n")
            process.stdin.flush()
            line = self._wait(process, process.stdout, self._patience(file))
        except _Died:
            self.end()
            raise
        except BrokenPipeError:
            line = b""
        if not line.endswith(b"\n"):
            status = process.wait()
            self.end()
            raise _Died(_crash(status))
        answer: dict[str, Any] = json.loads(line)
        return answer

    def _patience(self, file: dict[str, Any]) -> float:
        # What is said in an hour of sound takes its time: add to it by the megabyte.
        extra = min(60.0 * file["size"] / 1_000_000, _MOST_EXTRA_S)
        seconds: float = self._plan["timeout_s"] + extra
        return seconds

    def _start(self) -> subprocess.Popen[bytes]:
        # One thread each: sums then come out the same whatever else is going on, and two members
        # do twice as much as one.
        threads = dict.fromkeys(
            ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1"
        )
        self._process = subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | threads,
            start_new_session=True,
        )
        return self._process

    def _wait(
        self, process: subprocess.Popen[bytes], stream: IO[bytes], patience_s: float
    ) -> bytes:
        deadline = time.monotonic() + patience_s
        line = b""
        while not line.endswith(b"\n"):
            if select.select([stream], [], [], _GLANCE_S)[0]:
                piece = os.read(stream.fileno(), 1 << 16)
                if not piece:
                    return line
                line += piece
                continue
            if time.monotonic() > deadline:
                raise _Died(
                    ToolError("timeout", f"not read within {patience_s:.0f} s", "see --timeout")
                )
            if _memory(process.pid) > self._plan["memory"]:
                limit = self._plan["memory"] >> 20
                raise _Died(ToolError("out_of_memory", f"reading it takes more than {limit} MiB"))
        return line

    def end(self) -> None:
        """End the process and all that it started."""
        process, self._process = self._process, None
        if process is None:
            return
        for pid in _session(process.pid):
            _kill(pid)
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                try:
                    stream.close()
                except BrokenPipeError:
                    continue


def _crash(status: int) -> ToolError:
    if status == -signal.SIGKILL:
        return ToolError("out_of_memory", "the reader was ended by the system for want of memory")
    how = f"signal {-status}" if status < 0 else f"exit status {status}"
    return ToolError("corrupt", f"the reader crashed over this file ({how})")


def _session(leader: int) -> list[int]:
    """The processes of a session, as far as they still run."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                stat = (entry / "stat").read_text(errors="replace")
            except (FileNotFoundError, ProcessLookupError):
                continue  # it ended meanwhile
            # After the name, which may hold anything: state, parent, group, session.
            if int(stat.rpartition(")")[2].split()[3]) == leader:
                found.append(int(entry.name))
    return found


def _memory(leader: int) -> int:
    """Bytes that a session's processes hold; shared ones count once for each."""
    total = 0
    for pid in _session(leader):
        try:
            total += int(Path(f"/proc/{pid}/statm").read_text().split()[1])
        except (FileNotFoundError, ProcessLookupError):
            continue
    return total * resource.getpagesize()


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return


# -- the driver ------------------------------------------------------------------------------------


class Driver:
    """Has a crew read all files of a plan, each content once."""

    def __init__(self, desk: Path, out: Path, plan: dict[str, Any]) -> None:
        self._desk, self._plan = desk, plan
        self._objects = Objects(out / "objects")
        self._scratch = out / ".new" / str(plan["run"])
        self._left: deque[dict[str, Any]] = deque()
        self._say_lock = threading.Lock()
        self._fatal: str | None = None
        self._command = [
            sys.executable, "-m", "deskgym.tools.prepare", "--desk", str(desk), "--out", str(out),
            "--member", json.dumps({k: v for k, v in plan.items() if k != "files"}),
        ]  # fmt: skip

    def run(self) -> int:
        """Read everything; the exit status: 0, or `EXIT_FATAL` if it had to stop."""
        if missing := _missing_engine(self._plan):
            self._say({"fatal": missing})
            return EXIT_FATAL
        self._left.extend(self._in_order())
        jobs = [
            threading.Thread(target=self._keep_busy, args=(number,), daemon=True)
            for number in range(self._plan["jobs"])
        ]
        for job in jobs:
            job.start()
        for job in jobs:
            job.join()
        shutil.rmtree(self._scratch, ignore_errors=True)
        self._say({"fatal": self._fatal} if self._fatal else {"end": True})
        return EXIT_FATAL if self._fatal else 0

    def _in_order(self) -> list[dict[str, Any]]:
        """Each content once: sound, then the rest, the largest at either end.

        The crew works from both ends, so that not everyone loads what listens, and what takes
        longest is not begun last.
        """
        once = {file["object"]: file for file in self._plan["files"]}
        return sorted(
            once.values(),
            key=lambda f: (
                (0, -f["size"], f["path"])
                if f["path"].lower().endswith(_SOUND)
                else (1, f["size"], f["path"])
            ),
        )

    def _keep_busy(self, number: int) -> None:
        scratch = self._scratch / str(number)
        own = ["--scratch", str(scratch), "--core", str(number)]
        member = _Member([*self._command, *own], self._plan)
        try:
            while self._fatal is None:
                try:
                    file = self._left.pop() if number % 2 else self._left.popleft()
                except IndexError:  # nothing is left
                    return
                self._one(member, scratch, file)
        except OSError as error:
            self._fatal = str(error)
        finally:
            member.end()

    def _one(self, member: _Member, scratch: Path, file: dict[str, Any]) -> None:
        try:
            answer = member.read(file)
        except _Died as death:
            draft = self._objects.draft(scratch, file["object"])
            self._objects.finish(
                draft,
                file["object"],
                path=file["path"],
                sha256=file["sha256"],
                key=self._plan["tool_key"],
                info={},
                error=death.error,
            )
            answer = {"error": as_json(death.error)}
        if fatal := answer.get("fatal"):
            self._fatal = fatal
        elif answer.get("changed"):
            why = ToolError("unreadable", "it cannot be read, or is another since it was listed")
            self._say({"done": file["path"], "error": as_json(why)})
        else:
            self._say({"done": file["path"], "error": answer["error"]})

    def _say(self, message: dict[str, Any]) -> None:
        with self._say_lock:
            print(json.dumps(message), flush=True)


def _missing_engine(plan: dict[str, Any]) -> str | None:
    """What is asked for and not installed here, in words."""
    import importlib.util

    packages = {"rapidocr": "rapidocr", "openai": "whisper", "faster": "faster_whisper"}
    for wanted in (plan["ocr"], plan["asr"]):
        if wanted is None:
            continue
        package = packages.get(wanted.partition(":")[0])
        if package is None:
            return f"no engine {wanted!r}; there are {', '.join(packages)}"
        if importlib.util.find_spec(package) is None:
            return f"{package} is not in this image; build one with it: deskgym image build"
    return None


def _end_with_owner(stream: IO[bytes], crew_of: int) -> None:
    """Wait for the end of standard input, then end everything at once."""
    while stream.read(1 << 16):
        continue
    for pid in (int(p.name) for p in Path("/proc").iterdir() if p.name.isdigit()):
        if _parent(pid) == crew_of:
            for member in _session(pid):
                _kill(member)
    os._exit(EXIT_FATAL)


def _parent(pid: int) -> int:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return int(stat.rpartition(")")[2].split()[1])


def main(arguments: list[str] | None = None) -> int:
    """Carry out the plan on standard input; see the module."""
    parser = argparse.ArgumentParser(prog="deskgym.tools.prepare")
    parser.add_argument("--desk", type=Path, default=Path("/desk"))
    parser.add_argument("--out", type=Path, default=Path("/out"))
    parser.add_argument("--scratch", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--core", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--member", help=argparse.SUPPRESS)
    chosen = parser.parse_args(arguments)
    if chosen.member is not None:
        objects = Objects(chosen.out / "objects")
        work(chosen.desk, objects, chosen.scratch, chosen.core, json.loads(chosen.member))
        return 0
    stream = sys.stdin.buffer
    plan = json.loads(stream.readline())
    threading.Thread(target=_end_with_owner, args=(stream, os.getpid()), daemon=True).start()
    return Driver(chosen.desk, chosen.out, plan).run()


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    os._exit(status)  # not waiting for the thread that waits for the end of standard input
