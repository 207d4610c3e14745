"""A run's folder read: its configuration, results, scores and episodes."""

from __future__ import annotations

import glob
import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Final, TypeVar

from pydantic import TypeAdapter, ValidationError

from deskgym.env.trajectory import (
    FORMAT_VERSION,
    EpisodeResult,
    EpisodeScore,
    Event,
    RunConfig,
)

RUN: Final = "run.json"
RESULTS: Final = "results.jsonl"
SCORES: Final = "scores.jsonl"
MEDIA: Final = "media"
EPISODES: Final = "episodes"

_EVENT: TypeAdapter[Event] = TypeAdapter(Event)
_T = TypeVar("_T")
_MAX_NAME = 120


class TrajectoryError(RuntimeError):
    """A run's folder that cannot be written or read as asked; names the file and the remedy."""


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
        raise failed("read", file, error) from error
    version = data.get("format_version") if isinstance(data, dict) else None
    if version != FORMAT_VERSION:
        raise TrajectoryError(
            f"{file} has format version {version}; this version of deskgym reads "
            f"{FORMAT_VERSION}: use the one that made the run"
        )
    try:
        return RunConfig.model_validate(data)
    except ValidationError as error:
        raise failed("read", file, error) from error


def read_results(path: Path) -> list[EpisodeResult]:
    """The results in the run folder ``path``, as they stand; a torn last line is passed over.

    Raises:
        TrajectoryError: the file cannot be read, or a whole line of it is no result.
    """
    return list(iter_results(path))


def iter_results(path: Path) -> Iterator[EpisodeResult]:
    """As `read_results`, one at a time: of a long run, never all are in memory.

    Raises:
        TrajectoryError: the file cannot be read, or a whole line of it is no result.
    """
    return _models(path / RESULTS, EpisodeResult.model_validate_json)


def read_scores(path: Path) -> list[EpisodeScore]:
    """What `deskgym score` derived of the run in ``path``, in its order; empty if it was not asked.

    Raises:
        TrajectoryError: the file cannot be read, or a whole line of it is no score.
    """
    return list(iter_scores(path))


def iter_scores(path: Path) -> Iterator[EpisodeScore]:
    """As `read_scores`, one at a time.

    Raises:
        TrajectoryError: the file cannot be read, or a whole line of it is no score.
    """
    return _models(path / SCORES, EpisodeScore.model_validate_json)


def read_episode(file: Path) -> list[Event]:
    """The events of an episode's log; a torn last line is passed over.

    Raises:
        TrajectoryError: the file is missing or cannot be read, or a whole line is no event.
    """
    if not file.exists():
        raise TrajectoryError(f"there is no episode log {file}")
    return list(_models(file, _EVENT.validate_json))


def episode_path(run: Path, agent: str, profile_id: str, task_id: str) -> Path:
    """Where the run in the folder ``run`` keeps an episode's log."""
    profile = profile_id.rpartition("/")[2]
    # A task that is called like the log of an attempt must not share a file with one.
    name = re.sub(r"\.(attempt\d+)$", r"%2E\1", safe_name(task_id))
    return run / EPISODES / safe_name(agent) / safe_name(profile) / f"{name}.jsonl"


def attempt_paths(log: Path) -> list[Path]:
    """The logs of the executions of an episode that did not become its result, oldest first.

    ``log`` is the episode's own (`episode_path`). They lie beside it, and are no episodes.
    """
    return _attempts(log.parent.glob(f"{glob.escape(log.stem)}.attempt*.jsonl"))


def all_attempts(run: Path) -> list[Path]:
    """As `attempt_paths`, of all episodes of the run in the folder ``run``."""
    return _attempts((run / EPISODES).glob("*/*/*.attempt*.jsonl"))


def _attempts(files: Iterable[Path]) -> list[Path]:
    found = [
        (match[1], int(match[2]), file)
        for file in files
        if (match := re.fullmatch(r"(.+)\.attempt(\d+)\.jsonl", str(file)))
    ]
    return [file for _, _, file in sorted(found)]


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


def numbered_lines(file: Path) -> Iterator[tuple[int, bytes]]:
    """The whole lines of a file with their numbers, one at a time; none if there is no file.

    A torn last line (without its break, or no JSON) is passed over.

    Raises:
        TrajectoryError: the file cannot be read.
    """
    try:
        with file.open("rb") as stream:
            number, held = 0, b""
            for line in stream:
                if not line.endswith(b"\n"):
                    break
                if number:
                    yield number, held
                number, held = number + 1, line[:-1]
            if number and is_json(held):
                yield number, held
    except FileNotFoundError:
        return
    except OSError as error:
        raise failed("read", file, error) from error


def _models(file: Path, validate: Callable[[bytes], _T]) -> Iterator[_T]:
    for number, line in numbered_lines(file):
        try:
            yield validate(line)
        except ValidationError as error:
            raise TrajectoryError(f"{file}, line {number} cannot be read: {error}") from error


def is_json(line: bytes) -> bool:
    """Whether a line is whole JSON."""
    try:
        json.loads(line)
    except ValueError:
        return False
    return True


def failed(what: str, path: Path, error: Exception) -> TrajectoryError:
    """The error that says what could not be done to which file, why, and what to do."""
    reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return TrajectoryError(
        f"cannot {what} {path}: {reason}; free some space or mend the folder, then resume the run"
    )
