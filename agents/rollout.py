"""Runs: agents over people's tasks, one episode each, logged so that a broken run can go on."""

from __future__ import annotations

import fnmatch
import hashlib
import queue
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from deskgym.agents.base import TaskView
from deskgym.agents.errors import AgentError
from deskgym.agents.registry import RunningAgent, check_agent_name, make_agent
from deskgym.env.actions import resolve_tools
from deskgym.env.sandbox.base import EngineUnavailable, ImageMissing, SandboxError
from deskgym.env.trajectory import EpisodeResult, RunConfig
from deskgym.env.trajectory_log import RunFolder, read_results
from deskgym.tasks.schema import Task

if TYPE_CHECKING:
    from deskgym.tasks.registry import Dataset

DESK_TRIES = 2  # an episode whose desk died is tried once more, in a new one


class NoTasks(KeyError):
    """None of the people's tasks is among those asked for."""

    def __str__(self) -> str:
        return str(self.args[0])


class RunMismatch(ValueError):
    """The run that is to be resumed was made with other settings."""


@dataclass(frozen=True)
class RunSpec:
    """What to run. ``profiles`` are ids of people; ``tasks`` ids or globs, all of them if empty.

    An episode's seed is ``seed`` plus a stable hash of its task, so that it does not depend on
    which other tasks are run, in what order, or by how many ``jobs``.
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


@dataclass(frozen=True)
class Episode:
    """One line of a run's plan."""

    agent: str
    task: Task
    seed: int

    @property
    def key(self) -> tuple[str, str, str]:
        return self.agent, self.task.profile_id, self.task.id


@dataclass(frozen=True)
class RunOutcome:
    """How a run ended: where it lies, its results in canonical order, whether it is whole."""

    folder: Path
    results: tuple[EpisodeResult, ...]
    planned: int
    interrupted: bool


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

    def abort(self, reason: str) -> EpisodeResult: ...

    def close(self) -> None: ...


MakeEnv = Callable[[RunSpec, RunFolder, str], Env]
Progress = Callable[[int, int, EpisodeResult | None], None]


def plan_episodes(spec: RunSpec, dataset: Dataset) -> list[Episode]:
    """The episodes of ``spec`` in canonical order: by agent, by person, by task.

    Raises:
        UnknownAgent, UnknownProfile: as their names say.
        NoTasks: an id or glob of ``spec.tasks`` fits no task of these people.
    """
    for name in spec.agents:
        check_agent_name(name)
    tasks = [task for profile in spec.profiles for task in dataset.tasks(profile)]
    for wanted in spec.tasks:
        if not any(fnmatch.fnmatchcase(task.id, wanted) for task in tasks):
            raise NoTasks(
                f"no task {wanted!r} of {', '.join(spec.profiles)}; "
                f"see: deskgym tasks list {spec.profiles[0]}"
            )
    chosen = [
        task
        for task in tasks
        if not spec.tasks or any(fnmatch.fnmatchcase(task.id, wanted) for wanted in spec.tasks)
    ]
    return [
        Episode(agent, task, task_seed(spec.seed, task)) for agent in spec.agents for task in chosen
    ]


def task_seed(seed: int, task: Task) -> int:
    """The seed of a task's episode; the same on every machine."""
    digest = hashlib.sha256(f"{task.profile_id}\0{task.id}".encode()).digest()
    return (seed + int.from_bytes(digest[:4], "big")) % 2**31


def run(
    spec: RunSpec,
    out: Path,
    *,
    resume: bool = False,
    progress: Progress | None = None,
    make_env: MakeEnv | None = None,
    dataset: Dataset | None = None,
    image_digest: str = "",
) -> RunOutcome:
    """Run ``spec`` into the folder ``out``; with ``resume``, only what is not finished there.

    ``progress`` is told how many episodes are done, of how many, and the last one's result. An
    agent that fails ends its episode as aborted, with the reason, and the run goes on with a new
    one. Ctrl-C ends the run between two steps: what is finished is kept, what is not will be run
    by a resume.

    Raises:
        RunMismatch: the run in ``out`` was made with other settings.
        EngineUnavailable, ImageMissing: no desk can be started at all.
    """
    if dataset is None:
        from deskgym.tasks.registry import load_dataset

        dataset = load_dataset(spec.dataset)
    episodes = plan_episodes(spec, dataset)
    config = run_config(spec, dataset, episodes, image_digest)
    if resume and (out / "run.json").exists():
        folder = RunFolder.open(out)
    else:
        folder = RunFolder.create(out, config)
    with folder:
        _check_same(folder.config, config)
        finished = folder.finished()
        left = [episode for episode in episodes if episode.key not in finished]
        crew = _Crew(spec, folder, make_env or _desk_env, [e.task for e in episodes])
        interrupted = crew.work(left, done=len(episodes) - len(left), progress=progress)
        folder.complete()
    return RunOutcome(out, tuple(read_results(out)), len(episodes), interrupted)


def run_config(
    spec: RunSpec, dataset: Dataset, episodes: Iterable[Episode], image_digest: str
) -> RunConfig:
    """What ``run.json`` says of a run."""
    return RunConfig(
        deskgym_version=version("deskgym"),
        dataset=spec.dataset,
        dataset_digest=dataset.digest,
        profiles=spec.profiles,
        tasks=tuple(dict.fromkeys(episode.task.id for episode in episodes)),
        agents=spec.agents,
        agent_config=dict(spec.agent_config),
        tools=tuple(sorted(_tools(spec.tools))),
        max_steps=spec.max_steps,
        reward=spec.reward,
        seed=spec.seed,
        sandbox="docker",
        image_digest=image_digest,
        started=datetime.now(UTC),
    )


def _tools(tools: str | tuple[str, ...] | None) -> frozenset[str]:
    return frozenset(resolve_tools(list(tools) if isinstance(tools, tuple) else tools))


def _check_same(old: RunConfig, new: RunConfig) -> None:
    ours, theirs = new.model_dump(exclude={"started"}), old.model_dump(exclude={"started"})
    for name, value in ours.items():
        if theirs[name] != value:
            raise RunMismatch(
                f"this run cannot be resumed: its {name} was {_short(theirs[name])}, now it is "
                f"{_short(value)}. Resume it with its own settings, or choose another --out"
            )


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 120 else f"{text[:117]}..."


def _desk_env(spec: RunSpec, folder: RunFolder, agent: str) -> Env:
    from deskgym.env.desk_env import DeskEnv  # late: it brings in the engine's client

    return DeskEnv(
        spec.dataset,
        tools=list(spec.tools) if isinstance(spec.tools, tuple) else spec.tools,
        max_steps=spec.max_steps,
        reward=spec.reward,
        run=folder,
        agent=agent,
    )


class _Stopped(Exception):
    """The run is being ended; the episode is left unfinished."""


class _Crew:
    """The threads of a run. Each has its own environment and its own agent."""

    def __init__(
        self, spec: RunSpec, folder: RunFolder, make_env: MakeEnv, tasks: Sequence[Task]
    ) -> None:
        self._spec = spec
        self._folder = folder
        self._make_env = make_env
        self._tasks = tasks
        self._todo: queue.SimpleQueue[Episode] = queue.SimpleQueue()
        self._done: queue.SimpleQueue[EpisodeResult | BaseException] = queue.SimpleQueue()
        self._stop = threading.Event()
        self._hands: list[_Hands] = []

    def work(self, episodes: Sequence[Episode], *, done: int, progress: Progress | None) -> bool:
        """Run ``episodes``; True if Ctrl-C ended it early."""
        total = done + len(episodes)
        tell = progress or (lambda done, total, result: None)
        tell(done, total, None)
        for episode in episodes:
            self._todo.put(episode)
        threads = [
            threading.Thread(target=self._worker, name=f"deskgym-run-{n}")
            for n in range(min(self._spec.jobs, len(episodes)))
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
        return interrupted

    def _end_early(self) -> None:
        self._stop.set()
        for hands in self._hands:
            hands.interrupt()

    def _worker(self) -> None:
        hands = _Hands(self._spec, self._folder, self._make_env, self._tasks, self._stop)
        self._hands.append(hands)
        try:
            while not self._stop.is_set():
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

    def __init__(
        self,
        spec: RunSpec,
        folder: RunFolder,
        make_env: MakeEnv,
        tasks: Sequence[Task],
        stop: threading.Event,
    ) -> None:
        self._spec = spec
        self._folder = folder
        self._make_env = make_env
        self._tasks = tasks
        self._stop = stop
        self._name = ""
        self._env: Env | None = None
        self._agent: RunningAgent | None = None

    def play(self, episode: Episode) -> EpisodeResult:
        """Play one episode to its end, in a new desk if the first one dies."""
        if episode.agent != self._name:
            self.close()
            self._name = episode.agent
        for last in (False,) * (DESK_TRIES - 1) + (True,):
            self._env = self._env or self._make_env(self._spec, self._folder, self._name)
            try:
                return self._play(self._env, episode)
            except (EngineUnavailable, ImageMissing):
                raise
            except SandboxError as error:
                env = self._env
                self._env = None
                try:
                    if last:
                        return env.abort(f"{type(error).__name__}: {error}")
                finally:
                    env.close()
        raise AssertionError("the last try returns or raises")

    def _play(self, env: Env, episode: Episode) -> EpisodeResult:
        task = episode.task
        agent = self._ready_agent()  # one that cannot even be made ends the run
        observation, _ = env.reset(seed=episode.seed, profile=task.profile_id, task=task.id)
        ended = False
        try:
            agent.reset(TaskView(task.id, task.profile_id, task.question), env.tools)
            while not ended:
                if self._stop.is_set():
                    raise _Stopped
                action = agent.act(observation)
                observation, _, terminated, truncated, _ = env.step(action)
                ended = terminated or truncated
        except AgentError as error:
            self._drop_agent()
            if self._stop.is_set():
                raise _Stopped from error
            return env.abort(f"{type(error).__name__}: {error}")
        if env.result is None:
            raise RuntimeError(f"the episode of {task.id} ended without a result")
        return env.result

    def interrupt(self) -> None:
        """From another thread: do not wait for the agent's next action."""
        if (agent := self._agent) is not None:
            agent.kill()

    def _ready_agent(self) -> RunningAgent:
        if self._agent is None:
            config = self._spec.agent_config.get(self._name, {})
            self._agent = make_agent(
                self._name, config, tasks=self._tasks, act_timeout_s=self._spec.act_timeout_s
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
