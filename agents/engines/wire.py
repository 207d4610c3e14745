"""What comes back of an episode that is played elsewhere, piece by piece.

The one who plays it has a `Wire` for a run's folder; what that sends, an `Intake` writes into the
real one, in the same order. So the folder of a run is written by one process alone, and is at every
moment what that of a local run would be: the log of an episode grows while it is played.
"""

from __future__ import annotations

import queue
from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from deskgym.agents.crew import Episode, Meter
from deskgym.env.trajectory import EpisodeResult, Event, ModelUse
from deskgym.env.trajectory_log import Log, RunFolder


class _Piece(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Begun(_Piece):
    """The episode's log begins."""

    piece: Literal["begun"] = "begun"


class Logged(_Piece):
    piece: Literal["logged"] = "logged"
    event: Event


class Shown(_Piece):
    """A picture, sound or clip that an observation held."""

    piece: Literal["shown"] = "shown"
    sha256: str
    data: bytes


class Used(_Piece):
    """What was taken of a model just now."""

    piece: Literal["used"] = "used"
    use: ModelUse


class Finished(_Piece):
    """The last piece of an execution that came to an end."""

    piece: Literal["finished"] = "finished"
    result: EpisodeResult


class Left(_Piece):
    """The last piece of one that was left unfinished, as the run is over."""

    piece: Literal["left"] = "left"


Piece = Annotated[Begun | Logged | Shown | Used | Finished | Left, Field(discriminator="piece")]
Last = Finished | Left


class Wire:
    """A run's folder and its books of models, to the one who plays an episode elsewhere.

    One thread plays, which ends with `end` or `fail`; another takes `pieces`. Satisfies
    `deskgym.env.trajectory_log.Recorder`.
    """

    def __init__(self) -> None:
        self._pieces: queue.SimpleQueue[Piece | Exception] = queue.SimpleQueue()
        self._sent: set[str] = set()

    def episode(self, agent: str, profile_id: str, task_id: str) -> Log:
        """A new log; which episode's, the other side knows."""
        self._pieces.put(Begun())
        return _FarLog(self._pieces)

    def append_result(self, result: EpisodeResult) -> None:
        """Not for an execution: its result is accepted, or not, by the other side.

        Raises:
            RuntimeError: always.
        """
        raise RuntimeError("the result of an execution goes through end()")

    def keep_media(self, sha256: str, data: bytes) -> None:
        """Send what an observation showed, once an episode."""
        if sha256 not in self._sent:
            self._sent.add(sha256)
            self._pieces.put(Shown(sha256=sha256, data=data))

    def use(self, use: ModelUse) -> None:
        """Send what was taken of a model."""
        if use != ModelUse():
            self._pieces.put(Used(use=use))

    def end(self, last: Last) -> None:
        """Send the last piece."""
        self._sent.clear()
        self._pieces.put(last)

    def fail(self, error: Exception) -> None:
        """End with ``error``, which `pieces` then raises."""
        self._sent.clear()
        self._pieces.put(error)

    def pieces(self) -> Iterator[tuple[Piece, ...]]:
        """All pieces up to the last one as they come, those that lie ready together.

        Raises:
            Exception: what `fail` was given.
        """
        while True:
            batch, error = [], None
            waiting = self._pieces.get()
            while True:
                if isinstance(waiting, Exception):
                    error = waiting
                    break
                batch.append(waiting)
                if isinstance(waiting, Last) or self._pieces.empty():
                    break
                waiting = self._pieces.get()
            if batch:
                yield tuple(batch)
            if error is not None:
                raise error
            if isinstance(batch[-1], Last):
                return


class _FarLog:
    def __init__(self, pieces: queue.SimpleQueue[Piece | Exception]) -> None:
        self._pieces = pieces

    def write(self, event: Event) -> None:
        self._pieces.put(Logged(event=event))

    def close(self) -> None:
        """Nothing: the other side closes its file after the last piece."""


class Intake:
    """Writes the pieces of one execution into the run's folder. For one thread; close it."""

    def __init__(self, folder: RunFolder, episode: Episode, budget: Meter) -> None:
        self._folder = folder
        self._episode = episode
        self._budget = budget
        self._log: Log | None = None
        self.used = ModelUse()
        """What the execution took of a model so far."""

    def take(self, pieces: tuple[Piece, ...]) -> Last | None:
        """Write ``pieces``; the last piece of all, once it is there.

        Raises:
            TrajectoryError: the folder cannot be written.
        """
        for piece in pieces:
            match piece:
                case Begun():
                    self.close()
                    self._log = self._folder.episode(*self._episode.key)
                case Logged(event=event):
                    if self._log is None:
                        raise RuntimeError("an event came before its log was begun")
                    self._log.write(event)
                case Shown(sha256=sha256, data=data):
                    self._folder.keep_media(sha256, data)
                case Used(use=use):
                    self.used += use
                    self._budget.take(use)
                case Finished() | Left():
                    self.close()
                    return piece
        return None

    def close(self) -> None:
        """Close the log. Harmless if repeated."""
        log, self._log = self._log, None
        if log is not None:
            log.close()
