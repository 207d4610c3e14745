"""The threads of a run: each plays one episode after the other with its own agent and desk."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from deskgym.agents.attempts import DESK_TRIES, HeldBack, Tries
from deskgym.agents.base import TaskView
from deskgym.agents.budget import Budget
from deskgym.agents.errors import AgentError
from deskgym.agents.registry import RunningAgent, make_agent
from deskgym.env.sandbox.base import EngineUnavailable, ImageMissing, SandboxError
from deskgym.env.trajectory import EpisodeResult, ModelUse
from deskgym.env.trajectory_log import Recorder, RunFolder
from deskgym.tasks.schema import Task

ENGINES = ("local", "ray")


@dataclass(frozen=True)
class RunSpec:
    """What to run. ``profiles`` are ids of people; ``tasks`` ids or globs, all of them if empty.

    An episode's seed is ``seed`` plus a stable hash of its task, so that it does not depend on
    which other tasks are run, in what order, or by how many ``jobs``.

    An execution that failed is run again up to ``retries`` times (`deskgym.agents.attempts`).
    ``retrieval`` are the settings of searches beside the desk (`make_retriever`). When the models
    have taken ``budget_usd`` or ``budget_tokens``, no episode starts any more and those under way
    stop between two steps, as by Ctrl-C.

    ``sandbox`` says what desks are made by (`deskgym.env.sandbox.choose.resolve_kind`); a run's
    settings hold what ``auto`` came to on this computer, and so it is on all nodes of a cluster.

    ``engine`` says where: ``local`` is threads of this process; ``ray`` is every node of a Ray
    cluster, ``jobs`` episodes at a time on each, and ``address`` says which ("auto": the one that
    this computer belongs to; None: one of this process alone). Results do not depend on it.
    """

    profiles: tuple[str, ...]
    agents: tuple[str, ...]
    dataset: str = "demo"
    tasks: tuple[str, ...] = ()
    tools: str | tuple[str, ...] | None = None
    max_steps: int = 30
    reward: str = "sparse"
    seed: int = 0
    jobs: int = 1
    agent_config: Mapping[str, Any] = field(default_factory=dict)
    act_timeout_s: float = 600.0
    dataset_options: Mapping[str, Any] = field(default_factory=dict)
    retrieval: Mapping[str, Any] = field(default_factory=dict)
    retries: int = 0
    budget_usd: float | None = None
    budget_tokens: int | None = None
    sandbox: str = "auto"
    engine: str = "local"
    address: str | None = None


@dataclass(frozen=True)
class Episode:
    """One line of a run's plan."""

    agent: str
    task: Task
    seed: int

    @property
    def key(self) -> tuple[str, str, str]:
        return self.agent, self.task.profile_id, self.task.id


class Env(Protocol):
    """What of `deskgym.env.desk_env.DeskEnv` a run needs."""

    @property
    def tools(self) -> frozenset[str]: ...

    @property
    def result(self) -> EpisodeResult | None: ...

    def reset(
        self, *, seed: int | None = None, profile: str | None = None, task: str | None = None
    ) -> tuple[Any, dict[str, Any]]: ...

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]: ...

    def account(self, use: ModelUse) -> None: ...

    def abort(self, reason: str) -> EpisodeResult: ...

    def close(self) -> None: ...


MakeEnv = Callable[[RunSpec, Recorder, str], Env]
"""Makes the environment of an agent, which logs its episodes to the recorder."""
Progress = Callable[[int, int, EpisodeResult | None], None]


class Stopped(Exception):
    """The run is being ended; the episode is left unfinished."""


class Meter(Protocol):
    """What of `deskgym.agents.budget.Budget` a run needs."""

    def take(self, use: ModelUse) -> None: ...

    def reached(self) -> str | None: ...


@dataclass(frozen=True)
class Job:
    """What those who play a run's episodes share. Only ``stop`` kills agents that think."""

    spec: RunSpec
    make_env: MakeEnv
    tasks: Sequence[Task]
    budget: Meter
    stop: threading.Event

    @property
    def over(self) -> bool:
        """Whether nothing new is to be begun."""
        return self.stop.is_set() or self.budget.reached() is not None


class Crew:
    """The threads of a run. Each has its own environment and its own agent."""

    def __init__(
        self,
        spec: RunSpec,
        folder: RunFolder,
        make_env: MakeEnv,
        tasks: Sequence[Task],
        budget: Budget,
    ) -> None:
        self._job = Job(spec, make_env, tasks, budget, threading.Event())
        self._folder = folder
        self._todo: queue.SimpleQueue[Episode] = queue.SimpleQueue()
        self._done: Done = queue.SimpleQueue()
        self._hands: list[Hands] = []

    def work(self, episodes: Sequence[Episode], *, done: int, progress: Progress | None) -> bool:
        """Run ``episodes``; True if Ctrl-C or the budget ended it before all were played."""
        for episode in episodes:
            self._todo.put(episode)
        threads = [
            threading.Thread(target=self._worker, name=f"deskgym-run-{n}")
            for n in range(min(self._job.spec.jobs, len(episodes)))
        ]
        total = done + len(episodes)
        return see_through(threads, self._done, self._end_early, done, total, progress)

    def _end_early(self) -> None:
        self._job.stop.set()
        for hands in self._hands:
            hands.interrupt()

    def _worker(self) -> None:
        hands = Hands(self._job, self._folder)
        self._hands.append(hands)
        try:
            while not self._job.over:
                try:
                    episode = self._todo.get_nowait()
                except queue.Empty:
                    break
                self._done.put(self._play(hands, episode))
        except Stopped:
            pass  # as told; the episode is run again by a resume
        except BaseException as error:  # noqa: BLE001  (the main thread raises it)
            self._done.put(error)
        finally:
            try:
                hands.close()
            except Exception as error:  # noqa: BLE001  (the main thread raises it)
                self._done.put(error)

    def _play(self, hands: Hands, episode: Episode) -> EpisodeResult:
        """Play one episode to its end, again where an execution failed, and keep its result."""
        tries = Tries(self._job.spec.retries)
        while tries.again(result := hands.execute(episode)):
            self._folder.set_aside(*episode.key)
        result = tries.final(result)
        self._folder.append_result(result)
        return result


Done = queue.SimpleQueue[EpisodeResult | BaseException]
"""What the threads of a run tell the main thread: results as they come, and what went wrong."""


def see_through(
    threads: Sequence[threading.Thread],
    told: Done,
    end_early: Callable[[], None],
    done: int,
    total: int,
    progress: Progress | None,
) -> bool:
    """Start ``threads`` and wait for them; True if not all ``total`` episodes were played.

    Ctrl-C and anything that a thread, or ``progress``, raises call ``end_early``, which has the
    threads come home soon. The first such error is raised when they have.
    """
    tell = progress or (lambda done, total, result: None)
    tell(done, total, None)
    for thread in threads:
        thread.start()
    failure: BaseException | None = None
    interrupted = False
    while any(thread.is_alive() for thread in threads) or not told.empty():
        try:
            news = told.get(timeout=0.2)
            if isinstance(news, BaseException):
                raise news
            done += 1
            tell(done, total, news)
        except queue.Empty:
            continue
        except KeyboardInterrupt:
            interrupted = True
            end_early()
        except BaseException as error:  # noqa: BLE001  (raised when the threads are home)
            failure = failure or error
            end_early()
    for thread in threads:
        thread.join()
    if failure is not None:
        raise failure
    return interrupted or done < total


class Hands:
    """One episode at a time: an environment and an agent, made when first needed and replaced when
    broken. For one thread; `interrupt` from any. Events go to ``recorder``, results do not."""

    def __init__(self, job: Job, recorder: Recorder) -> None:
        self._job = job
        self._recorder = HeldBack(recorder)
        self._name = ""
        self._env: Env | None = None
        self._agent: RunningAgent | None = None
        self._begun = False  # whether the environment has an episode under way

    def execute(self, episode: Episode) -> EpisodeResult:
        """Play it once, to whatever end. A desk that cannot even be had is tried for again.

        Raises:
            Stopped: it was left unfinished, as the run is over.
            SandboxError: no desk can be had.
            AgentError: there is no agent to be had.
        """
        if episode.agent != self._name:
            self.close()
            self._name = episode.agent
        for left in reversed(range(DESK_TRIES)):
            env = self._env = self._env or self._job.make_env(
                self._job.spec, self._recorder, self._name
            )
            self._begun = False
            try:
                return self._play(env, episode)
            except (EngineUnavailable, ImageMissing):
                raise
            except SandboxError as error:
                self._env = None
                try:
                    if self._begun:
                        return env.abort(f"{type(error).__name__}: {error}")
                    if not left:
                        raise  # no desk even comes up: nothing to go on with
                finally:
                    env.close()
        raise AssertionError("the last try ends in a result or an error")

    def _play(self, env: Env, episode: Episode) -> EpisodeResult:
        task = episode.task
        if self._job.over:
            raise Stopped
        agent = self._ready_agent()  # one that cannot even be made ends the run
        observation, _ = env.reset(seed=episode.seed, profile=task.profile_id, task=task.id)
        self._begun, ended = True, False
        try:
            agent.reset(TaskView(task.id, task.profile_id, task.question), env.tools)
            while not ended:
                if self._job.over:
                    raise Stopped
                action = agent.act(observation)
                self._account(env, agent)
                observation, _, terminated, truncated, _ = env.step(action)
                ended = terminated or truncated
        except AgentError as error:
            self._account(env, agent)
            self._drop_agent()
            if self._job.stop.is_set():
                raise Stopped from error
            return env.abort(f"{type(error).__name__}: {error}")
        if env.result is None:
            raise RuntimeError(f"the episode of {task.id} ended without a result")
        return env.result

    def _account(self, env: Env, agent: RunningAgent) -> None:
        """Take what the agent took of a model into the books: the episode's and the run's."""
        use = agent.take_use()
        env.account(use)
        self._job.budget.take(use)

    def interrupt(self) -> None:
        """From another thread: do not wait for the agent's next action."""
        if (agent := self._agent) is not None:
            agent.kill()

    def _ready_agent(self) -> RunningAgent:
        if self._agent is None:
            spec = self._job.spec
            self._agent = make_agent(
                self._name,
                spec.agent_config.get(self._name, {}),
                tasks=self._job.tasks,
                act_timeout_s=spec.act_timeout_s,
            )
        return self._agent

    def _drop_agent(self) -> None:
        agent, self._agent = self._agent, None
        if agent is not None:
            agent.close()

    def close(self) -> None:
        env, self._env = self._env, None
        try:
            self._drop_agent()
        finally:
            if env is not None:
                env.close()
