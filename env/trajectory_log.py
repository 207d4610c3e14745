"""A run's folder on disk: written so that a crash at any moment loses nothing that was finished.

::

    run.json                                    what the run was made with
    results.jsonl                               a line for each finished episode
    episodes/<agent>/<profile>/<task id>.jsonl  a line for each event of an episode

Lines are appended with one write each; results and the end of an episode are synced to the disk
before the call returns. One process writes to a run folder at a time; its threads may share it.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import threading
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self, TypeVar

from pydantic import BaseModel, TypeAdapter, ValidationError

from deskgym.env.trajectory import FORMAT_VERSION, EpisodeEnd, EpisodeResult, Event, RunConfig

RUN: Final = "run.json"
RESULTS: Final = "results.jsonl"
EPISODES: Final = "episodes"

Key = tuple[str, str, str]
"""Agent, profile id and task id: what names an episode within a run."""

_EVENT: TypeAdapter[Event] = TypeAdapter(Event)
_MAX_NAME = 120
_T = TypeVar("_T")


class TrajectoryError(RuntimeError):
    """A run's folder that cannot be written or read as asked; names the file and the remedy."""


class EpisodeLog:
    """The event log of one episode. A context manager; made by `RunFolder.episode`."""

    def __init__(self, path: Path) -> None:
        """Start the log anew: what an unfinished earlier attempt wrote is replaced."""
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = _LineFile(path, replace=True)
            _sync_folder(path.parent)
        except OSError as error:
            raise _failed("start the log", path, error) from error

    def write(self, event: Event) -> None:
        """Append ``event``; the end event is synced to the disk.

        Raises:
            TrajectoryError: it could not be written; the events before it are kept.
        """
        self._file.append(event, sync=isinstance(event, EpisodeEnd))

    def close(self) -> None:
        """Close the file. Harmless if repeated."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class RunFolder:
    """A run: its configuration, its results, its episodes. A context manager."""

    def __init__(self, path: Path, config: RunConfig) -> None:
        """Use `create` or `open`."""
        self.path = path
        self.config = config
        self._lock = threading.Lock()
        self._finished = {_key(r) for r in read_results(path)}
        try:
            self._results = _LineFile(path / RESULTS)
        except OSError as error:
            raise _failed("open", path / RESULTS, error) from error

    @classmethod
    def create(cls, path: Path, config: RunConfig) -> RunFolder:
        """A new run in the folder ``path``, which is made if it is not there.

        Raises:
            TrajectoryError: there is a run in it already, or it cannot be written.
        """
        if (path / RUN).exists() or (path / RESULTS).exists():
            raise TrajectoryError(f"{path} already holds a run; resume it or choose another folder")
        try:
            path.mkdir(parents=True, exist_ok=True)
            _replace(path / RUN, (config.model_dump_json(indent=1) + "\n").encode())
        except OSError as error:
            raise _failed("create a run in", path, error) from error
        return cls(path, config)

    @classmethod
    def open(cls, path: Path) -> RunFolder:
        """The run in ``path``, ready to go on. A torn last line of its results is cut.

        Raises:
            TrajectoryError: there is no run, it is of another format, or its files are damaged.
        """
        config = read_config(path)
        results = path / RESULTS
        try:
            if results.exists():
                _cut_torn_tail(results)
        except OSError as error:
            raise _failed("repair", results, error) from error
        return cls(path, config)

    def finished(self) -> set[Key]:
        """The (agent, profile id, task id) of the episodes that have a result."""
        with self._lock:
            return set(self._finished)

    def append_result(self, result: EpisodeResult) -> None:
        """Add the result of a finished episode and sync it to the disk.

        Raises:
            TrajectoryError: it has one already, or it could not be written; nothing is lost.
        """
        with self._lock:
            if _key(result) in self._finished:
                raise TrajectoryError(f"{_named(_key(result))} has a result already")
            self._results.append(result, sync=True)
            self._finished.add(_key(result))

    def episode(self, agent: str, profile_id: str, task_id: str) -> EpisodeLog:
        """A new log for the episode, in place of what an unfinished attempt left.

        Raises:
            TrajectoryError: the episode is finished, or its file cannot be written.
        """
        key = (agent, profile_id, task_id)
        if key in self.finished():
            raise TrajectoryError(f"{_named(key)} is finished; its log is not replaced")
        return EpisodeLog(self.episode_path(agent, profile_id, task_id))

    def episode_path(self, agent: str, profile_id: str, task_id: str) -> Path:
        """Where the episode's log is kept."""
        profile = profile_id.rpartition("/")[2]
        folder = self.path / EPISODES / safe_name(agent) / safe_name(profile)
        return folder / f"{safe_name(task_id)}.jsonl"

    def complete(self) -> None:
        """Put the results in canonical order: by agent, profile and task as configured.

        So a resumed run ends with the same file as an unbroken one. The file is replaced at once
        or not at all.

        Raises:
            TrajectoryError: it could not be written; the old file is kept.
        """
        with self._lock:
            file = self.path / RESULTS
            ordered = sorted(read_results(self.path), key=self._rank)
            try:
                _replace(file, b"".join(_line(result) for result in ordered))
                self._results.close()
                self._results = _LineFile(file)
            except OSError as error:
                raise _failed("rewrite", file, error) from error

    def close(self) -> None:
        """Close the files. Harmless if repeated."""
        self._results.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _rank(self, result: EpisodeResult) -> tuple[Any, ...]:
        config = self.config
        return (
            *_place(result.agent, config.agents),
            *_place(result.profile_id, config.profiles),
            *_place(result.task_id, config.tasks),
        )


def read_config(path: Path) -> RunConfig:
    """The configuration of the run in the folder ``path``.

    Raises:
        TrajectoryError: there is no run, or one of another format.
    """
    file = path / RUN
    try:
        data = json.loads(file.read_bytes())
    except FileNotFoundError as error:
        raise TrajectoryError(f"there is no run in {path}: {RUN} is missing") from error
    except (OSError, ValueError) as error:
        raise _failed("read", file, error) from error
    version = data.get("format_version") if isinstance(data, dict) else None
    if version != FORMAT_VERSION:
        raise TrajectoryError(
            f"{file} has format version {version}; this version of deskgym reads "
            f"{FORMAT_VERSION}: use the one that made the run"
        )
    try:
        return RunConfig.model_validate(data)
    except ValidationError as error:
        raise _failed("read", file, error) from error


def read_results(path: Path) -> list[EpisodeResult]:
    """The results in the run folder ``path``, as they stand; a torn last line is passed over.

    Raises:
        TrajectoryError: the file cannot be read, or a whole line of it is no result.
    """
    file = path / RESULTS
    return [_parsed(EpisodeResult.model_validate_json, *line) for line in _lines(file)]


def read_episode(file: Path) -> list[Event]:
    """The events of an episode's log; a torn last line is passed over.

    Raises:
        TrajectoryError: the file is missing or cannot be read, or a whole line is no event.
    """
    if not file.exists():
        raise TrajectoryError(f"there is no episode log {file}")
    return [_parsed(_EVENT.validate_json, *line) for line in _lines(file)]


def safe_name(text: str) -> str:
    """A file name that stands for ``text`` alone: no separators, never hidden, never too long."""
    name = re.sub(
        rb"[^A-Za-z0-9._-]", lambda m: b"%%%02X" % m[0][0], text.encode("utf-8", "surrogatepass")
    ).decode("ascii")
    name = f"%2E{name[1:]}" if name.startswith(".") else name or "%"
    if len(name) <= _MAX_NAME:
        return name
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return f"{name[: _MAX_NAME - 17]}~{digest}"


class _LineFile:
    """A file to which whole lines are appended. Not for several processes at once."""

    def __init__(self, path: Path, *, replace: bool = False) -> None:
        self.path = path
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
        self._fd: int | None = os.open(path, flags | (os.O_TRUNC if replace else 0), 0o644)

    def append(self, model: BaseModel, *, sync: bool) -> None:
        if self._fd is None:
            raise TrajectoryError(f"{self.path} is closed")
        line = _line(model)
        before = os.fstat(self._fd).st_size
        written = 0
        try:
            # One write takes it all, unless the disk is full: then the rest says so.
            while written < len(line):
                written += os.write(self._fd, line[written:])
            if sync:
                os.fsync(self._fd)
        except OSError as error:
            failure = _failed("write to", self.path, error)
            if written:
                self._take_back(before, failure)
            raise failure from error

    def _take_back(self, size: int, failure: TrajectoryError) -> None:
        """Cut what was written of a line, so that the next one does not run into it."""
        assert self._fd is not None
        try:
            os.ftruncate(self._fd, size)
        except OSError as error:
            failure.add_note(
                f"its torn last line could not be cut ({error}); opening it again will"
            )

    def close(self) -> None:
        if self._fd is not None:
            fd, self._fd = self._fd, None
            os.close(fd)


def _line(model: BaseModel) -> bytes:
    return model.model_dump_json().encode() + b"\n"


def _lines(file: Path) -> list[tuple[Path, int, bytes]]:
    """The whole lines of a file with their numbers; none if there is no file."""
    try:
        lines = file.read_bytes().split(b"\n")
    except FileNotFoundError:
        return []
    except OSError as error:
        raise _failed("read", file, error) from error
    # What stands behind the last line break is empty, or torn.
    whole = lines[:-1]
    if whole and not _is_json(whole[-1]):
        whole = whole[:-1]
    return [(file, number, line) for number, line in enumerate(whole, 1)]


def _parsed(validate: Callable[[bytes], _T], file: Path, number: int, line: bytes) -> _T:
    try:
        return validate(line)
    except ValidationError as error:
        raise TrajectoryError(f"{file}, line {number} cannot be read: {error}") from error


def _is_json(line: bytes) -> bool:
    try:
        json.loads(line)
    except ValueError:
        return False
    return True


def _cut_torn_tail(file: Path) -> None:
    """Cut a last line that a crash left half-written: without its break, or no JSON."""
    data = file.read_bytes()
    end = data.rfind(b"\n") + 1
    begin = data.rfind(b"\n", 0, max(end - 1, 0)) + 1
    if end and not _is_json(data[begin:end]):
        end = begin
    if end < len(data):
        with file.open("r+b") as stream:
            stream.truncate(end)
            os.fsync(stream.fileno())


def _replace(file: Path, data: bytes) -> None:
    """Put ``data`` in the file's place at once, or leave it as it was."""
    draft = file.with_name(f".{file.name}.new")
    try:
        with draft.open("wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        draft.replace(file)
    finally:
        draft.unlink(missing_ok=True)
    _sync_folder(file.parent)


def _sync_folder(folder: Path) -> None:
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def _key(result: EpisodeResult) -> Key:
    return (result.agent, result.profile_id, result.task_id)


def _named(key: Key) -> str:
    return "the episode of {} on {}, task {},".format(*key)


def _place(name: str, order: tuple[str, ...]) -> tuple[int, list[tuple[int, str]]]:
    """Sort key: the place in ``order``; what is not there comes last, numbers by value."""
    place = order.index(name) if name in order else len(order)
    parts = re.findall(r"\d+|\D+", name)
    return place, [(int(p), "") if p.isdigit() and len(p) < 20 else (-1, p) for p in parts]


def _failed(what: str, path: Path, error: Exception) -> TrajectoryError:
    reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return TrajectoryError(
        f"cannot {what} {path}: {reason}; free some space or mend the folder, then resume the run"
    )
