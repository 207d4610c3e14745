"""A run's folder on disk: written so that a crash at any moment loses nothing that was finished.

::

    run.json                                    what the run was made with
    results.jsonl                               a line for each finished episode
    scores.jsonl                                what is derived from them, by `deskgym score`
    media/<sha256>                              pictures, sounds and clips that were shown
    episodes/<agent>/<profile>/<task id>.jsonl  a line for each event of an episode
                     .../<task id>.attempt1.jsonl  of an execution that failed or was broken off

Lines are appended with one write each; results and the end of an episode are synced to the disk
before the call returns. One process writes to a run folder at a time; its threads may share it.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Protocol

from pydantic import BaseModel

from deskgym.env.closing import Closing
from deskgym.env.run_reader import (
    MEDIA,
    RESULTS,
    RUN,
    SCORES,
    TrajectoryError,
    attempt_paths,
    episode_path,
    failed,
    is_json,
    read_config,
    read_results,
)
from deskgym.env.trajectory import EpisodeEnd, EpisodeResult, EpisodeScore, Event, RunConfig
from deskgym.tasks.whole_file import replacing

Key = tuple[str, str, str]
"""Agent, profile id and task id: what names an episode within a run."""


class EpisodeLog(Closing):
    """The event log of one episode. A context manager; made by `RunFolder.episode`."""

    def __init__(self, path: Path) -> None:
        """Start the log anew: what an unfinished earlier attempt wrote is replaced."""
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = _LineFile(path, replace=True)
            _sync_folder(path.parent)
        except OSError as error:
            raise failed("start the log", path, error) from error

    def write(self, event: Event) -> None:
        """Append ``event``; the end event is synced to the disk.

        Raises:
            TrajectoryError: it could not be written; the events before it are kept.
        """
        self._file.append(event, sync=isinstance(event, EpisodeEnd))

    def close(self) -> None:
        """Close the file. Harmless if repeated."""
        self._file.close()


class Log(Protocol):
    """What the events of one episode are written to."""

    def write(self, event: Event) -> None: ...

    def close(self) -> None: ...


class Recorder(Protocol):
    """What an environment logs its episodes to."""

    def episode(self, agent: str, profile_id: str, task_id: str) -> Log: ...

    def append_result(self, result: EpisodeResult) -> None: ...

    def keep_media(self, sha256: str, data: bytes) -> None: ...


class RunFolder(Closing):
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
            raise failed("open", path / RESULTS, error) from error

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
            raise failed("create a run in", path, error) from error
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
            raise failed("repair", results, error) from error
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
        return episode_path(self.path, agent, profile_id, task_id)

    def set_aside(self, agent: str, profile_id: str, task_id: str) -> Path | None:
        """Keep the log of an execution that did not become the episode's result, beside its place.

        Returns where it lies now; None if nothing was logged.

        Raises:
            TrajectoryError: the episode is finished, or its log cannot be moved.
        """
        key = (agent, profile_id, task_id)
        if key in self.finished():
            raise TrajectoryError(f"{_named(key)} is finished; its log stays")
        log = self.episode_path(*key)
        if not log.exists():
            return None
        try:
            earlier = attempt_paths(log)
            number = int(earlier[-1].stem.rpartition("attempt")[2]) + 1 if earlier else 1
            aside = log.with_name(f"{log.stem}.attempt{number}.jsonl")
            log.rename(aside)
            _sync_folder(log.parent)
        except OSError as error:
            raise failed("set aside", log, error) from error
        return aside

    def keep_media(self, sha256: str, data: bytes) -> None:
        """Keep what an observation showed, once for all episodes.

        Raises:
            TrajectoryError: it could not be written.
        """
        file = self.path / MEDIA / sha256
        if file.exists():
            return
        try:
            file.parent.mkdir(exist_ok=True)
            with replacing(file) as draft:
                draft.write_bytes(data)
        except OSError as error:
            raise failed("write", file, error) from error

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
                raise failed("rewrite", file, error) from error

    def close(self) -> None:
        """Close the files. Harmless if repeated."""
        self._results.close()

    def _rank(self, result: EpisodeResult) -> tuple[Any, ...]:
        config = self.config
        return (
            *_place(result.agent, config.agents),
            *_place(result.profile_id, config.profiles),
            *_place(result.task_id, config.tasks),
        )


def write_scores(path: Path, scores: Iterable[EpisodeScore]) -> None:
    """Put ``scores`` in place of those of the run in ``path``, at once or not at all.

    Raises:
        TrajectoryError: they could not be written; the old file is kept.
    """
    file = path / SCORES
    try:
        _replace(file, b"".join(_line(score) for score in scores))
    except OSError as error:
        raise failed("write", file, error) from error


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
            failure = failed("write to", self.path, error)
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


def _cut_torn_tail(file: Path) -> None:
    """Cut a last line that a crash left half-written: without its break, or no JSON."""
    data = file.read_bytes()
    end = data.rfind(b"\n") + 1
    begin = data.rfind(b"\n", 0, max(end - 1, 0)) + 1
    if end and not is_json(data[begin:end]):
        end = begin
    if end < len(data):
        with file.open("r+b") as stream:
            stream.truncate(end)
            os.fsync(stream.fileno())


def _replace(file: Path, data: bytes) -> None:
    """Put ``data`` in the file's place at once, or leave it as it was."""
    with replacing(file) as draft, draft.open("wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())
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
