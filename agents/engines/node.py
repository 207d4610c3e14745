"""A node's part of a run on a cluster: its desks and agents, and the episodes played with them.

Nothing here knows of Ray: `NodePool` is the class that becomes an actor there.
"""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version

from pydantic import BaseModel, ConfigDict

from deskgym.agents.crew import Episode, Hands, Job, MakeEnv, RunSpec, Stopped
from deskgym.agents.engines.wire import Finished, Left, Piece, Wire
from deskgym.env.sandbox.base import SandboxError
from deskgym.env.sandbox.choose import ensure_made, resolve_kind
from deskgym.env.sandbox.images import desk_image
from deskgym.env.trajectory import ModelUse
from deskgym.env.trajectory_log import Key
from deskgym.tasks.registry import Dataset, load_dataset


class NodeUnfit(RuntimeError):
    """A node that would not come to the results of the others. Says what differs."""


class Facts(BaseModel):
    """What must be the same on all nodes of a run for its results to be those of any one."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    deskgym_version: str
    desk: str
    """The address of all that goes into a desk, whatever the machine's kind."""
    dataset_digest: str


class Hello(BaseModel):
    """A node's pool that is ready: on which machine, and as which process."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    host: str
    pid: int


@dataclass(frozen=True)
class Orders:
    """What a node is sent of a run.

    ``dataset`` and ``make_env`` are those of a caller who brings their own, and can be pickled;
    without, both are made on the node as the spec says.
    """

    spec: RunSpec
    facts: Facts
    dataset: Dataset | None = None
    make_env: MakeEnv | None = None


def facts_of(dataset: Dataset) -> Facts:
    """The facts as they are on this machine."""
    return Facts(
        deskgym_version=version("deskgym"),
        desk=desk_image("any").tag,
        dataset_digest=dataset.digest,
    )


class NodePool:
    """Plays episodes in threads, each with an environment and an agent that are kept for the next.

    `prepare` comes first. `play` may be called as often at a time as the run has ``jobs``; the
    other methods from any thread meanwhile.
    """

    def __init__(self, orders: Orders) -> None:
        self._orders = orders
        self._episodes: dict[Key, Episode] = {}
        self._make_env: MakeEnv | None = None
        self._lock = threading.Lock()
        self._idle: list[_Place] = []
        self._busy: list[_Place] = []
        self._stop = threading.Event()
        self._over: str | None = None

    def prepare(self) -> Hello:
        """Load the data set, and make sure that there can be desks.

        Raises:
            NodeUnfit: the node's package or data set is not that of the run.
            Unknown: its data set is not there.
            SandboxError: no desk can be had here.
        """
        from deskgym.agents.rollout import desk_env, plan_episodes

        orders = self._orders
        spec = orders.spec
        dataset = orders.dataset or load_dataset(spec.dataset, **spec.dataset_options)
        check_facts(facts_of(dataset), orders.facts)
        if orders.make_env is None:
            ensure_made(resolve_kind(spec.sandbox))
        self._make_env = orders.make_env or desk_env
        self._episodes = {e.key: e for e in plan_episodes(spec, dataset)}
        return Hello(host=socket.gethostname(), pid=os.getpid())

    def play(self, key: Key) -> Iterator[tuple[Piece, ...]]:
        """One execution of an episode: its pieces as they come, up to a `Finished` or `Left`.

        Raises:
            SandboxError: no desk can be had.
            AgentError: there is no agent to be had.
        """
        place, episode = self._take_place(), self._episodes[key]
        thread = threading.Thread(target=place.play, args=(episode,), name="deskgym-play")
        thread.start()
        try:
            yield from place.wire.pieces()
        except BaseException:
            thread.join()
            with self._lock:
                self._busy.remove(place)
            place.hands.close()
            raise
        thread.join()
        with self._lock:
            self._busy.remove(place)
            self._idle.append(place)

    def wind_up(self, reason: str) -> None:
        """Leave episodes at their next step: the run's budget is reached."""
        self._over = reason

    def stop(self) -> None:
        """Leave episodes at once."""
        self._stop.set()
        with self._lock:
            busy = list(self._busy)
        for place in busy:
            place.hands.interrupt()

    def close(self) -> None:
        """End the desks and agents that no episode has."""
        with self._lock:
            idle, self._idle = self._idle, []
        for place in idle:
            place.hands.close()

    def _take_place(self) -> _Place:
        with self._lock:
            place = self._idle.pop() if self._idle else self._new_place()
            self._busy.append(place)
        return place

    def _new_place(self) -> _Place:
        if self._make_env is None:
            raise RuntimeError("prepare() comes before play()")
        wire = Wire()
        job = Job(
            self._orders.spec,
            self._make_env,
            [episode.task for episode in self._episodes.values()],
            _FarBudget(self, wire),
            self._stop,
        )
        return _Place(Hands(job, wire), wire)


@dataclass(eq=False)
class _Place:
    """Where one episode at a time is played."""

    hands: Hands
    wire: Wire

    def play(self, episode: Episode) -> None:
        try:
            result = self.hands.execute(episode)
        except Stopped:
            self.wire.end(Left())
        except Exception as error:  # noqa: BLE001  (the one who takes the pieces raises it)
            self.wire.fail(error)
        else:
            self.wire.end(Finished(result=result))


@dataclass(frozen=True)
class _FarBudget:
    """The run's budget, kept elsewhere: what is taken is sent there, and it says when to end."""

    pool: NodePool
    wire: Wire

    def take(self, use: ModelUse) -> None:
        self.wire.use(use)

    def reached(self) -> str | None:
        return self.pool._over


def check_facts(here: Facts, there: Facts) -> None:
    """Make sure that a node is like the one where the run was begun.

    Raises:
        NodeUnfit: it is not; names what differs and what to do.
    """
    remedies = {
        "deskgym_version": "install the same version of deskgym on all nodes",
        "desk": "install the same deskgym, from the same source, on all nodes",
        "dataset_digest": "put the same files of the data set on all nodes",
    }
    for name, remedy in remedies.items():
        ours, theirs = getattr(here, name), getattr(there, name)
        if ours != theirs:
            raise NodeUnfit(
                f"{socket.gethostname()} has another {name} ({ours}) than the run ({theirs}): "
                f"{remedy}"
            )


def unfit(error: BaseException) -> bool:
    """Whether ``error`` is a fault of the node it happened on, rather than of the run."""
    return isinstance(error, NodeUnfit | SandboxError)
