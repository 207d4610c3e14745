"""Episodes of clients in a run's folder.

A run has one result of an agent, person and task; clients play a task as often as they like. The
first episode of a task goes under the agent's name, the second under ``name-2``, and so on.
"""

from __future__ import annotations

import threading
from pathlib import Path

from deskgym.env.trajectory import EpisodeResult, EpisodeStart, Event
from deskgym.env.trajectory_log import EpisodeLog, RunFolder


class Recording:
    """What all sessions log to. For any thread."""

    def __init__(self, folder: RunFolder) -> None:
        self.folder = folder
        self._lock = threading.Lock()
        self._taken = folder.finished()

    def recorder(self) -> SessionRecorder:
        """What one session's environment logs to."""
        return SessionRecorder(self)

    def claim(self, agent: str, profile_id: str, task_id: str) -> str:
        """The name under which the next episode of this task goes."""
        number = 1
        with self._lock:
            while (name := _numbered(agent, number), profile_id, task_id) in self._taken:
                number += 1
            self._taken.add((name, profile_id, task_id))
        return name

    def free(self, agent: str, profile_id: str, task_id: str) -> None:
        """An episode did not become one, so that its name may be used again."""
        with self._lock:
            self._taken.discard((agent, profile_id, task_id))


class SessionRecorder:
    """A `deskgym.env.trajectory_log.Recorder` of one environment, one episode after the other."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._name = ""

    def episode(self, agent: str, profile_id: str, task_id: str) -> EpisodeLog:
        """A log for the episode that begins, under a name that no other has."""
        self._name = self._recording.claim(agent, profile_id, task_id)
        try:
            path = self._recording.folder.episode_path(self._name, profile_id, task_id)
            return _NamedLog(path, self._name)
        except Exception:
            self._recording.free(self._name, profile_id, task_id)
            raise

    def append_result(self, result: EpisodeResult) -> None:
        """Add the result of the episode that is over."""
        self._recording.folder.append_result(result.model_copy(update={"agent": self._name}))

    def keep_media(self, sha256: str, data: bytes) -> None:
        """Keep what an observation showed."""
        self._recording.folder.keep_media(sha256, data)


class _NamedLog(EpisodeLog):
    """A log whose first event has the name under which the episode goes."""

    def __init__(self, path: Path, agent: str) -> None:
        super().__init__(path)
        self._agent = agent

    def write(self, event: Event) -> None:
        if isinstance(event, EpisodeStart):
            event = event.model_copy(update={"agent": self._agent})
        super().write(event)


def _numbered(agent: str, number: int) -> str:
    return agent if number == 1 else f"{agent}-{number}"
