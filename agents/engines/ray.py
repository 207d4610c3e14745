"""A run on a Ray cluster: a pool on each node plays episodes, this process hands them out.

Each node has as many episodes at a time as the run has ``jobs``, and takes the next when one is
done. What is lost with a node or its process is played again, elsewhere if there is room.
"""

from __future__ import annotations

import logging
import queue
import re
import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from deskgym.agents.attempts import Tries
from deskgym.agents.budget import Budget
from deskgym.agents.crew import Done, Episode, Progress, see_through
from deskgym.agents.engines.cluster import ClusterUnavailable, joined
from deskgym.agents.engines.node import NodePool, Orders, unfit
from deskgym.agents.engines.wire import Finished, Intake
from deskgym.env.actions import resolve_tools
from deskgym.env.episode import Episode as Books
from deskgym.env.trajectory import EpisodeResult, ModelUse
from deskgym.env.trajectory_log import Key, RunFolder
from deskgym.tasks.registry import Dataset

TURN_S = 0.5  # how soon a Ctrl-C is seen
LOOK_S = 2.0  # between looks for new nodes
PATIENCE_S = 30.0  # for nodes to leave their episodes, before they are made to
RESTARTS = 20  # of a node's process; one that dies more often is no good
IN_FLIGHT = 64  # pieces of an episode that wait to be written

_IDS = re.compile(r" ?\b[0-9a-f]{16,}\b")

log = logging.getLogger(__name__)


class NoNodeLeft(ClusterUnavailable):
    """All nodes of the cluster were lost or left the run. Says why the last one did."""


class RayCrew:
    """The run's episodes, played on all nodes of a cluster that have a processor to spare."""

    def __init__(self, orders: Orders, folder: RunFolder, dataset: Dataset, budget: Budget) -> None:
        self._orders = orders
        self._folder = folder
        self._dataset = dataset
        self._budget = budget

    def work(self, episodes: Sequence[Episode], *, done: int, progress: Progress | None) -> bool:
        """Play ``episodes``; True if Ctrl-C or the budget ended it before all were played.

        Raises:
            RayMissing: Ray is not installed.
            ClusterUnavailable: there is no cluster, or no node of it (left) to play on.
            SandboxError: no node can have a desk.
        """
        if not episodes:
            return see_through([], queue.SimpleQueue(), lambda: None, done, done, progress)
        told: Done = queue.SimpleQueue()
        stop = threading.Event()
        with joined(self._orders.spec.address) as ray:
            shift = _Shift(ray, self, deque(episodes), told, stop)
            # The main thread only waits: so a Ctrl-C falls into nothing half written.
            thread = threading.Thread(target=shift.run, name="deskgym-run-ray")
            total = done + len(episodes)
            return see_through([thread], told, stop.set, done, total, progress)


@dataclass(eq=False)
class _Node:
    """A node and its pool.

    ``ready`` is what comes when the pool is ready, None once it is. One that has left is given no
    more episodes; those that it has may end well.
    """

    name: str
    pool: Any
    ready: Any
    playing: int = 0
    left: bool = False


@dataclass(eq=False)
class _Play:
    """An execution under way, and what comes of it."""

    episode: Episode
    node: _Node
    pieces: Any
    intake: Intake


class _Shift:
    """One call of `RayCrew.work`: what is to do, where it is done. For one thread."""

    def __init__(
        self, ray: Any, crew: RayCrew, todo: deque[Episode], told: Done, stop: threading.Event
    ) -> None:
        self._ray = ray
        self._crew = crew
        self._spec = crew._orders.spec
        self._todo = todo
        self._told = told
        self._stop = stop
        self._tries: dict[Key, Tries] = {}
        self._nodes: dict[str, _Node] = {}  # by Ray's ids, also those that left
        self._why: BaseException | None = None  # the last of them left
        self._plays: list[_Play] = []
        self._looked = -LOOK_S
        self._stopping: str | None = None
        self._deadline = 0.0

    def run(self) -> None:
        """Hand out what is to do until it is done, or the run is over."""
        try:
            while (self._todo and not self._over) or self._plays:
                if self._over:
                    self._wind_up(self._over)
                else:
                    with self._told_errors():
                        self._look_for_nodes()
                        self._hand_out()
                for waited in self._wait():
                    with self._told_errors():
                        self._hear(waited)
        except BaseException as error:  # noqa: BLE001  (the main thread raises it)
            self._told.put(error)
        finally:
            for play in self._plays:
                play.intake.close()
            self._close_pools()

    @property
    def _over(self) -> str | None:
        """Why nothing new is begun; None while something is."""
        return "stopped" if self._stop.is_set() else self._crew._budget.reached()

    @contextmanager
    def _told_errors(self) -> Iterator[None]:
        """An error ends the run, but not before what is under way was left in order."""
        try:
            yield
        except Exception as error:  # noqa: BLE001  (the main thread raises it)
            self._stop.set()
            self._told.put(error)

    # -- nodes ---------------------------------------------------------------------------------

    def _look_for_nodes(self) -> None:
        """Take in nodes that are new. One without processors for us is left alone."""
        if time.monotonic() - self._looked < LOOK_S:
            return
        self._looked = time.monotonic()
        for node in self._ray.nodes():
            name, cpus = node["NodeID"], node["Resources"].get("CPU", 0)
            if node["Alive"] and cpus >= 1 and name not in self._nodes:
                self._take_in(name, node["NodeManagerHostname"])
        if all(node.left for node in self._nodes.values()):
            if self._why is None:
                raise ClusterUnavailable(
                    "no node of the cluster has a processor: start one with `ray start "
                    "--address HOST:6379 --num-cpus 1`"
                )
            if unfit(self._why):
                raise self._why
            raise NoNodeLeft(
                f"no node of the cluster is left to play on; the last one: {_short(self._why)}"
            ) from self._why

    def _take_in(self, node_id: str, name: str) -> None:
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        # Orders are given, and the end is told, while all places are taken.
        pool = self._ray.remote(num_cpus=1, concurrency_groups={"orders": 1})(NodePool)
        here = NodeAffinitySchedulingStrategy(node_id, soft=False)
        actor = pool.options(
            scheduling_strategy=here,
            max_concurrency=self._spec.jobs,
            max_restarts=RESTARTS,
            max_task_retries=0,
        ).remote(self._crew._orders)
        self._nodes[node_id] = _Node(name, actor, _order(actor.prepare))

    def _drop(self, node: _Node, why: BaseException) -> None:
        if not node.left:
            node.left, node.ready, self._why = True, None, why
            self._looked = -LOOK_S
            log.warning("node %s leaves the run: %s", node.name, _short(why))

    # -- episodes ------------------------------------------------------------------------------

    def _hand_out(self) -> None:
        """Give every free place an episode, the emptiest node first."""
        while self._todo:
            free = [
                node
                for node in self._nodes.values()
                if not node.left and node.ready is None and node.playing < self._spec.jobs
            ]
            if not free:
                return
            node, episode = min(free, key=lambda node: node.playing), self._todo.popleft()
            pieces = node.pool.play.options(
                num_returns="streaming", _generator_backpressure_num_objects=IN_FLIGHT
            ).remote(episode.key)
            node.playing += 1
            intake = Intake(self._crew._folder, episode, self._crew._budget)
            self._plays.append(_Play(episode, node, pieces, intake))

    def _wait(self) -> list[_Node | _Play]:
        """Who has something to say, after a while at most."""
        waited: list[tuple[Any, _Node | _Play]] = [
            (node.ready, node) for node in self._nodes.values() if node.ready is not None
        ]
        waited += [(play.pieces, play) for play in self._plays]
        if not waited:
            self._stop.wait(TURN_S)
            return []
        refs = [ref for ref, _ in waited]
        ready, _ = self._ray.wait(refs, num_returns=1, timeout=TURN_S, fetch_local=False)
        return [who for ref, who in waited if any(ref is one for one in ready)]

    def _hear(self, who: _Node | _Play) -> None:
        if isinstance(who, _Node):
            self._hear_ready(who)
        else:
            self._hear_play(who)

    def _hear_ready(self, node: _Node) -> None:
        errors = self._ray.exceptions
        try:
            self._ray.get(node.ready)
            node.ready = None
        except errors.ActorUnavailableError:
            node.ready = _order(node.pool.prepare)  # it is being started again
        except errors.RayTaskError as error:
            self._drop(node, _cause(error))
        except errors.RayError as error:
            self._drop(node, error)

    def _hear_play(self, play: _Play) -> None:
        errors = self._ray.exceptions
        try:
            last = play.intake.take(self._ray.get(next(play.pieces)))
        except errors.RayTaskError as error:
            self._end_play(play)
            cause = _cause(error)
            if not unfit(cause):
                raise cause from None
            self._todo.appendleft(play.episode)
            self._drop(play.node, cause)
        except errors.RayError as error:
            self._end_play(play)
            self._lose(play, error)
        except BaseException:
            self._end_play(play)
            raise
        else:
            if last is None:
                return
            self._end_play(play)
            if isinstance(last, Finished):
                self._finish(play.episode, last.result)

    def _end_play(self, play: _Play) -> None:
        self._plays.remove(play)
        play.node.playing -= 1
        play.intake.close()

    def _finish(self, episode: Episode, result: EpisodeResult) -> None:
        tries = self._tries.setdefault(episode.key, Tries(self._spec.retries))
        if tries.again(result):
            self._crew._folder.set_aside(*episode.key)
            self._todo.appendleft(episode)
            return
        result = tries.final(result)
        self._crew._folder.append_result(result)
        self._told.put(result)

    def _lose(self, play: _Play, why: Exception) -> None:
        """An execution went down with its node's process: it is played again, unless it has been
        so often that it may be the cause."""
        node, episode = play.node, play.episode
        if node.ready is None and not node.left:
            node.ready = _order(node.pool.prepare)  # Ray starts it again, if it can
        if self._over:
            return  # as if it had been left
        reason = f"{node.name} was lost: {_short(why)}"
        tries = self._tries.setdefault(episode.key, Tries(self._spec.retries))
        if tries.lose(reason, play.intake.used):
            log.warning("%s of %s is played again: %s", episode.task.id, episode.agent, reason)
            self._crew._folder.set_aside(*episode.key)
            self._todo.appendleft(episode)
        else:
            self._finish(episode, self._aborted(episode, reason, play.intake.used))

    def _aborted(self, episode: Episode, reason: str, use: ModelUse) -> EpisodeResult:
        """The result of an episode that nobody is left to tell of."""
        task, spec = episode.task, self._spec
        log = self._crew._folder.episode(*episode.key)
        try:
            books = Books(
                task,
                self._crew._dataset.profile_for(task),
                tools=resolve_tools(
                    list(spec.tools) if isinstance(spec.tools, tuple) else spec.tools
                ),
                max_steps=spec.max_steps,
                reward=spec.reward,
                seed=episode.seed,
                agent=episode.agent,
                write=log.write,
            )
            books.end("aborted", None, f"NodeLost: {reason}", use=use)
        finally:
            log.close()
        assert books.result is not None
        return books.result

    # -- the end -------------------------------------------------------------------------------

    def _wind_up(self, why: str) -> None:
        """Have all nodes leave their episodes: tell them once, and end them if they do not."""
        stop = self._stop.is_set()
        if self._stopping is None or (stop and self._stopping != "stopped"):
            self._stopping = "stopped" if stop else why
            self._deadline = time.monotonic() + PATIENCE_S if stop else float("inf")
            for node in self._nodes.values():
                _order(node.pool.stop) if stop else _order(node.pool.wind_up, why)
        elif time.monotonic() > self._deadline:
            self._deadline = float("inf")
            for node in self._nodes.values():
                self._ray.kill(node.pool)

    def _close_pools(self) -> None:
        """End desks and agents, then the pools themselves."""
        # One that is not ready has none, or is no more.
        closing = [_order(node.pool.close) for node in self._nodes.values() if node.ready is None]
        if closing:
            self._ray.wait(closing, num_returns=len(closing), timeout=PATIENCE_S)
        for node in self._nodes.values():
            self._ray.kill(node.pool)


def _order(method: Any, *args: Any) -> Any:
    """Call a pool's method beside the episodes that it plays."""
    return method.options(concurrency_group="orders").remote(*args)


def _cause(error: Any) -> BaseException:
    """What was raised on a node, without Ray's wrapping."""
    cause = getattr(error, "cause", None)
    return cause if isinstance(cause, BaseException) else error


def _short(error: BaseException) -> str:
    """The first line of what an error says, with its kind; Ray's go on for pages, with ids that
    nobody else knows."""
    said = _IDS.sub("", str(error).strip().partition("\n")[0])
    return f"{type(error).__name__}: {said[:200]}"
