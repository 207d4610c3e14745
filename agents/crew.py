"""The threads of a run: each plays one episode after the other with its own agent and desk."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from deskgym.agents.attempts import DESK_FAILED, HeldBack, failure_kind, failure_of
from deskgym.agents.base import TaskView
from deskgym.agents.budget import Budget
from deskgym.agents.errors import AgentError
from deskgym.agents.registry import RunningAgent, make_agent
from deskgym.env.sandbox.base import EngineUnavailable, ImageMissing, SandboxError
from deskgym.env.trajectory import EpisodeResult, ModelUse
from deskgym.env.trajectory_log import Recorder, RunFolder
from deskgym.tasks.schema import Task

DESK_TRIES = 2  # an execution whose desk died is run once more in a new one, whatever `retries`


@dataclass(frozen=True)
class RunSpec:
    """What to run. ``profiles`` are ids of people; ``tasks`` ids or globs, all of them if empty.

    An episode's seed is ``seed`` plus a stable hash of its task, so that it does not depend on
    which other tasks are run, in what order, or by how many ``jobs``.

    An execution that failed is run again up to ``retries`` times (`deskgym.agents.attempts`).
    ``retrieval`` are the settings of searches beside the desk (`make_retriever`). When the models
    have taken ``budget_usd`` or ``budget_tokens``, no episode starts any more and those under way
    stop between two steps, as by Ctrl-C.
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


class _Stopped(Exception):
    """The run is being ended; the episode is left unfinished."""


@dataclass(frozen=True)
class _Job:
    """What the threads of a run share."""

    spec: RunSpec
    folder: RunFolder
    make_env: MakeEnv
    tasks: Sequence[Task]
    budget: Budget
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
        self._job = _Job(spec, folder, make_env, tasks, budget, threading.Event())
        self._todo: queue.SimpleQueue[Episode] = queue.SimpleQueue()
        self._done: queue.SimpleQueue[EpisodeResult | BaseException] = queue.SimpleQueue()
        self._hands: list[_Hands] = []

    def work(self, episodes: Sequence[Episode], *, done: int, progress: Progress | None) -> bool:
        """Run ``episodes``; True if Ctrl-C or the budget ended it before all were played."""
        total = done + len(episodes)
        tell = progress or (lambda done, total, result: None)
        tell(done, total, None)
        for episode in episodes:
            self._todo.put(episode)
        threads = [
            threading.Thread(target=self._worker, name=f"deskgym-run-{n}")
            for n in range(min(self._job.spec.jobs, len(episodes)))
        ]
        for thread in threads:
            thread.start()
        failure: BaseException | None = None
        interrupted = False
        while any(thread.is_alive() for thread in threads) or not self._done.empty():
            try:
                told = self._done.get(timeout=0.2)
                if isinstance(told, BaseException):
                    raise told
                done += 1
                tell(done, total, told)
            except queue.Empty:
                continue
            except KeyboardInterrupt:
                interrupted = True
                self._end_early()
            except BaseException as error:  # noqa: BLE001  (raised when the threads are home)
                failure = failure or error
                self._end_early()
        for thread in threads:
            thread.join()
        if failure is not None:
            raise failure
        return interrupted or done < total

    def _end_early(self) -> None:
        self._job.stop.set()
        for hands in self._hands:
            hands.interrupt()

    def _worker(self) -> None:
        hands = _Hands(self._job)
        self._hands.append(hands)
        try:
            while not self._job.over:
                try:
                    episode = self._todo.get_nowait()
                except queue.Empty:
                    break
                self._done.put(hands.play(episode))
        except _Stopped:
            pass  # as told; the episode is run again by a resume
        except BaseException as error:  # noqa: BLE001  (the main thread raises it)
            self._done.put(error)
        finally:
            try:
                hands.close()
            except Exception as error:  # noqa: BLE001  (the main thread raises it)
                self._done.put(error)


class _Hands:
    """One thread's environment and agent, made when first needed and replaced when broken."""

    def __init__(self, job: _Job) -> None:
        self._job = job
        self._recorder = HeldBack(job.folder)
        self._name = ""
        self._env: Env | None = None
        self._agent: RunningAgent | None = None
        self._begun = False  # whether the environment has an episode under way

    def play(self, episode: Episode) -> EpisodeResult:
        """Play one episode to its end, again where an execution failed, and keep its result."""
        if episode.agent != self._name:
            self.close()
            self._name = episode.agent
        failures: list[str] = []
        failed_use = ModelUse()
        while True:
            result = self._execute(episode)
            failure = failure_of(result)
            if failure is None or len(failures) >= self._retries(failure):
                break
            self._job.folder.set_aside(*episode.key)
            failures.append(failure)
            failed_use += result.use or ModelUse()
        result = result.model_copy(
            update={
                "attempts": len(failures) + 1,
                "failures": tuple(failures),
                "failed_use": failed_use if failed_use != ModelUse() else None,
            }
        )
        self._job.folder.append_result(result)
        return result

    def _retries(self, failure: str) -> int:
        retries = self._job.spec.retries
        return max(retries, DESK_TRIES - 1) if failure_kind(failure) == DESK_FAILED else retries

    def _execute(self, episode: Episode) -> EpisodeResult:
        """Play it once, to whatever end. A desk that cannot even be had is tried for again."""
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
            raise _Stopped
        agent = self._ready_agent()  # one that cannot even be made ends the run
        observation, _ = env.reset(seed=episode.seed, profile=task.profile_id, task=task.id)
        self._begun, ended = True, False
        try:
            agent.reset(TaskView(task.id, task.profile_id, task.question), env.tools)
            while not ended:
                if self._job.over:
                    raise _Stopped
                action = agent.act(observation)
                self._account(env, agent)
                observation, _, terminated, truncated, _ = env.step(action)
                ended = terminated or truncated
        except AgentError as error:
            self._account(env, agent)
            self._drop_agent()
            if self._job.stop.is_set():
                raise _Stopped from error
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
