"""Runs: agents over people's tasks, one episode each, logged so that a broken run can go on."""

from __future__ import annotations

import fnmatch
import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deskgym.agents.budget import Budget, spent_by, use_of
from deskgym.agents.crew import ENGINES, Crew, Env, Episode, MakeEnv, Progress, RunSpec
from deskgym.agents.registry import check_agent_name
from deskgym.agents.settings import KeyInSettings, check_no_key
from deskgym.env.actions import resolve_tools
from deskgym.env.retrieval import MakeRetriever
from deskgym.env.run_reader import read_episode, read_results
from deskgym.env.sandbox.choose import resolve_kind
from deskgym.env.trajectory import EpisodeResult, ModelUse, RunConfig
from deskgym.env.trajectory_log import Recorder, RunFolder
from deskgym.tasks.schema import Task
from deskgym.tasks.scoring.difficulty import difficulty_scale, task_features
from deskgym.tasks.scoring.models import DifficultyScale

__all__ = [
    "Episode",
    "KeyInSettings",
    "NoTasks",
    "RunMismatch",
    "RunOutcome",
    "RunSpec",
    "plan_episodes",
    "run",
    "run_config",
    "task_seed",
]

if TYPE_CHECKING:
    from deskgym.agents.engines.ray import RayCrew
    from deskgym.tasks.registry import Dataset


class NoTasks(KeyError):
    """None of the people's tasks is among those asked for."""

    def __str__(self) -> str:
        return str(self.args[0])


class RunMismatch(ValueError):
    """The run that is to be resumed was made with other settings."""


@dataclass(frozen=True)
class RunOutcome:
    """How a run ended: where it lies, its results in canonical order, whether it is whole.

    ``reason`` says why it was interrupted, if it was because of its budget.
    """

    folder: Path
    results: tuple[EpisodeResult, ...]
    planned: int
    interrupted: bool
    reason: str | None = None


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
    one. Ctrl-C ends the run between two steps, and so does a budget that is used up: what is
    finished is kept, what is not will be run by a resume. What a resumed run has taken of models
    already counts towards its budget.

    Raises:
        KeyInSettings: a key stands in the settings.
        BadRetrieval: the settings of searches beside the desk do not fit.
        ValueError: there is no such engine or sandbox, or a budget is not above zero.
        RunMismatch: the run in ``out`` was made with other settings.
        EngineUnavailable, ImageMissing: no desk can be started at all.
        RayMissing, ClusterUnavailable: of the engine ``ray``, as their names say.
    """
    if spec.engine not in ENGINES:
        raise ValueError(f"no engine {spec.engine!r}; there are {', '.join(ENGINES)}")
    given = dataset
    if dataset is None:
        from deskgym.tasks.registry import load_dataset

        dataset = load_dataset(spec.dataset, **spec.dataset_options)
    check_no_key(spec.agent_config)
    check_no_key(spec.retrieval)
    _check_retrieval(spec.retrieval)
    if make_env is None:
        spec = replace(spec, sandbox=resolve_kind(spec.sandbox))
    budget = Budget(usd=spec.budget_usd, tokens=spec.budget_tokens)
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
        _keep_broken_off(folder, left)
        budget.take(spent_by(out))
        crew: Crew | RayCrew
        if spec.engine == "ray":
            from deskgym.agents.engines.node import Orders, facts_of
            from deskgym.agents.engines.ray import RayCrew

            orders = Orders(spec, facts_of(dataset), given, make_env)
            crew = RayCrew(orders, folder, dataset, budget)
        else:
            crew = Crew(spec, folder, make_env or desk_env, [e.task for e in episodes], budget)
        interrupted = crew.work(left, done=len(episodes) - len(left), progress=progress)
        folder.complete()
    reason = budget.reached() if interrupted else None
    return RunOutcome(out, tuple(read_results(out)), len(episodes), interrupted, reason)


def run_config(
    spec: RunSpec, dataset: Dataset, episodes: Iterable[Episode], image_digest: str
) -> RunConfig:
    """What ``run.json`` says of a run."""
    return RunConfig(
        deskgym_version=version("deskgym"),
        dataset=spec.dataset,
        dataset_options=dict(spec.dataset_options),
        dataset_digest=dataset.digest,
        difficulty_scale=scale_of(dataset),
        profiles=spec.profiles,
        tasks=tuple(dict.fromkeys(episode.task.id for episode in episodes)),
        agents=spec.agents,
        agent_config=dict(spec.agent_config),
        retrieval=dict(spec.retrieval),
        retries=spec.retries,
        tools=tuple(sorted(_tools(spec.tools))),
        max_steps=spec.max_steps,
        reward=spec.reward,
        seed=spec.seed,
        sandbox=spec.sandbox,
        image_digest=image_digest,
        started=datetime.now(UTC),
    )


def _keep_broken_off(folder: RunFolder, left: Iterable[Episode]) -> None:
    """Set aside what was broken off after it had asked a model: it has been paid for."""
    for episode in left:
        log = folder.episode_path(*episode.key)
        if log.exists() and use_of(read_episode(log)) != ModelUse():
            folder.set_aside(*episode.key)


def scale_of(dataset: Dataset) -> DifficultyScale | None:
    """What the difficulty of the data set's tasks is measured against: all its people's tasks.

    Where a data set has a part of a person as a person of its own (its ``part_of``, from id to id),
    that one's tasks are not counted beside those of the whole.
    """
    parts: Mapping[str, str] = getattr(dataset, "part_of", {})
    features = []
    for name in dataset.profiles():
        if name in parts:
            continue
        files = {record.path: record for record in dataset.profile(name).files}
        features += [task_features(task, files) for task in dataset.tasks(name)]
    return difficulty_scale(features)


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


def desk_env(spec: RunSpec, recorder: Recorder, agent: str) -> Env:
    """The environment of an agent, as the run's settings say."""
    from deskgym.env.desk_env import DeskEnv  # late: it brings in the engine's client

    return DeskEnv(
        spec.dataset,
        dataset_options=spec.dataset_options,
        tools=list(spec.tools) if isinstance(spec.tools, tuple) else spec.tools,
        max_steps=spec.max_steps,
        reward=spec.reward,
        sandbox=spec.sandbox,
        run=recorder,
        agent=agent,
        retriever=_retriever(spec.retrieval),
    )


def _check_retrieval(settings: Mapping[str, Any]) -> None:
    """Before anything is begun: an environment would find out at its first reset."""
    if settings:
        from deskgym.agents.rag.retriever import retrieval_config

        retrieval_config(settings)


def _retriever(settings: Mapping[str, Any]) -> MakeRetriever:
    """Searches beside the desk as the run's settings say. Without any, nothing is made of a person
    before somebody searches so."""
    from deskgym.agents.late_retriever import LateRetriever

    if not settings:
        return LateRetriever
    from deskgym.agents.rag.retriever import make_retriever

    return make_retriever(settings)
