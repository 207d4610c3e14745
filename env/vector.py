"""Many desks at once, on Gymnasium's vector API."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import partial
from typing import Any, Literal, NamedTuple, get_args

import gymnasium as gym
import numpy as np
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv, VectorEnv
from gymnasium.vector.utils import batch_space, concatenate, create_empty_array, iterate

from deskgym.env.desk_env import DeskEnv
from deskgym.tasks.registry import Dataset

Env = gym.Env[Any, Any]
Mode = Literal["thread", "sync", "async"]


def make_vec(
    n: int,
    *,
    profiles: Sequence[str] = (),
    mode: Mode = "thread",
    dataset: str | Dataset = "demo",
    autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
    wrap: Callable[[Env], Env] | None = None,
    **options: Any,
) -> VectorEnv[Any, Any, Any]:
    """``n`` desk environments as one, on Gymnasium's vector API.

    Args:
        n: how many.
        profiles: the people, one an environment, in turn; by default each draws one at a reset.
        mode: ``thread``, all desks step at the same time, in threads of this process (what a step
            waits for is its desk, so these scale). ``sync``, one after the other. ``async``,
            each in a process of its own; ``dataset`` and ``options`` are pickled then.
        dataset: a data set's name, or a `Dataset`.
        autoreset_mode: as Gymnasium's, ``NextStep`` unless told otherwise.
        wrap: puts wrappers around each environment.
        options: what `DeskEnv` takes.

    Raises:
        ValueError: ``n`` is below 1, or there is no such mode.
        UnknownDataset, UnknownProfile: there is none of that name.
    """
    if n < 1:
        raise ValueError(f"n is at least 1, not {n}")
    if mode not in get_args(Mode):
        raise ValueError(f"no mode {mode!r}; there are {', '.join(get_args(Mode))}")
    people = [profiles[number % len(profiles)] for number in range(n)] if profiles else [None] * n
    makers = [partial(_make_env, wrap, dataset, person, options) for person in people]
    reset_mode = AutoresetMode(autoreset_mode)
    if mode == "thread":
        return ThreadVectorEnv(makers, autoreset_mode=reset_mode)
    if mode == "sync":
        return SyncVectorEnv(makers, autoreset_mode=reset_mode)
    return AsyncVectorEnv(makers, shared_memory=False, autoreset_mode=reset_mode)


def _make_env(
    wrap: Callable[[Env], Env] | None,
    dataset: str | Dataset,
    profile: str | None,
    options: dict[str, Any],
) -> Env:
    env: Env = DeskEnv(dataset, profile, **options)
    return wrap(env) if wrap is not None else env


class _Outcome(NamedTuple):
    """What one environment's turn came to; ``final`` is the end of an episode that another one
    has followed at once."""

    observation: Any
    reward: float
    terminated: bool
    truncated: bool
    info: dict[str, Any]
    final: tuple[Any, dict[str, Any]] | None = None


class ThreadVectorEnv(VectorEnv[Any, Any, Any]):
    """Environments that step at the same time, each in a thread. As Gymnasium's `SyncVectorEnv`.

    Where an environment raises, the others finish their turn first; then the first error is raised.

    Args:
        makers: make the environments, whose spaces must be equal.
        autoreset_mode: what happens after an episode's end, as Gymnasium's.
    """

    def __init__(
        self,
        makers: Sequence[Callable[[], Env]],
        *,
        autoreset_mode: AutoresetMode = AutoresetMode.NEXT_STEP,
    ) -> None:
        super().__init__()
        self.envs = [make() for make in makers]
        self.num_envs = len(self.envs)
        first = self.envs[0]
        for env in self.envs:
            for name in ("observation_space", "action_space"):
                if getattr(env, name) != getattr(first, name):
                    raise ValueError(f"the environments' {name}s differ: they need equal options")
        self.autoreset_mode = autoreset_mode
        self.metadata = {**first.metadata, "autoreset_mode": autoreset_mode}
        self.render_mode = first.render_mode
        self.single_observation_space = first.observation_space
        self.single_action_space = first.action_space
        self.observation_space = batch_space(first.observation_space, self.num_envs)
        self.action_space = batch_space(first.action_space, self.num_envs)
        self._threads = ThreadPoolExecutor(self.num_envs, thread_name_prefix="deskgym-vector")
        self._observations: list[Any] = [None] * self.num_envs
        self._over = np.zeros(self.num_envs, dtype=np.bool_)

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Any, dict[str, Any]]:
        """Begin an episode in each environment, or in those of ``options["reset_mask"]``.

        A single ``seed`` counts up from environment to environment.
        """
        chosen, rest = self._mask(options)
        seeds = self._seeds(seed)
        jobs = {
            number: partial(self.envs[number].reset, seed=seeds[number], options=rest)
            for number in map(int, np.flatnonzero(chosen))
        }
        infos: dict[str, Any] = {}
        for number, (observation, info) in self._all(jobs).items():
            self._observations[number] = observation
            self._over[number] = False
            infos = self._add_info(infos, info, number)
        return self._batch(), infos

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Do an action in each environment, all at the same time.

        Raises:
            ResetNeeded: an episode is over, and ``autoreset_mode`` leaves its reset to the caller.
        """
        each = list(iterate(self.action_space, actions))
        if len(each) != self.num_envs:
            raise ValueError(f"there are {len(each)} actions for {self.num_envs} environments")
        turns = {number: partial(self._turn, number, action) for number, action in enumerate(each)}
        rewards = np.zeros(self.num_envs, dtype=np.float64)
        terminated = np.zeros(self.num_envs, dtype=np.bool_)
        truncated = np.zeros(self.num_envs, dtype=np.bool_)
        infos: dict[str, Any] = {}
        for number, outcome in self._all(turns).items():
            self._observations[number] = outcome.observation
            rewards[number] = outcome.reward
            terminated[number], truncated[number] = outcome.terminated, outcome.truncated
            if outcome.final is not None:
                observation, info = outcome.final
                final = {"final_obs": observation, "final_info": info}
                infos = self._add_info(infos, final, number)
            infos = self._add_info(infos, outcome.info, number)
        if self.autoreset_mode != AutoresetMode.SAME_STEP:
            self._over = terminated | truncated
        return self._batch(), rewards, terminated, truncated, infos

    def _turn(self, number: int, action: Any) -> _Outcome:
        env = self.envs[number]
        if self._over[number] and self.autoreset_mode == AutoresetMode.NEXT_STEP:
            observation, info = env.reset()
            return _Outcome(observation, 0.0, False, False, info)
        observation, reward, terminated, truncated, info = env.step(action)
        outcome = _Outcome(observation, float(reward), terminated, truncated, info)
        if (terminated or truncated) and self.autoreset_mode == AutoresetMode.SAME_STEP:
            first, told = env.reset()
            return outcome._replace(observation=first, info=told, final=(observation, info))
        return outcome

    def _all(self, jobs: Mapping[int, Callable[[], Any]]) -> dict[int, Any]:
        """Do all ``jobs`` at the same time; their results by number, in order."""
        under_way: dict[int, Future[Any]] = {
            number: self._threads.submit(job) for number, job in jobs.items()
        }
        wait(under_way.values())
        return {number: future.result() for number, future in under_way.items()}

    def _batch(self) -> Any:
        space = self.single_observation_space
        empty: Any = create_empty_array(space, n=self.num_envs, fn=np.zeros)
        return concatenate(space, self._observations, empty)

    def _seeds(self, seed: int | Sequence[int | None] | None) -> Sequence[int | None]:
        if seed is None or isinstance(seed, int):
            return [None if seed is None else seed + number for number in range(self.num_envs)]
        if len(seed) != self.num_envs:
            raise ValueError(f"there are {len(seed)} seeds for {self.num_envs} environments")
        return seed

    def _mask(self, options: dict[str, Any] | None) -> tuple[Any, dict[str, Any] | None]:
        """Which environments to reset, and the options for them."""
        if options is None or "reset_mask" not in options:
            return np.ones(self.num_envs, dtype=np.bool_), options
        mask = np.asarray(options["reset_mask"])
        if mask.shape != (self.num_envs,) or mask.dtype != np.bool_ or not mask.any():
            raise ValueError(
                f"options['reset_mask'] is {self.num_envs} booleans, one of them true at least"
            )
        if any(self._observations[number] is None for number in np.flatnonzero(~mask)):
            raise ValueError("options['reset_mask'] leaves out one that was never reset")
        return mask, {name: value for name, value in options.items() if name != "reset_mask"}

    # -- the rest of Gymnasium's surface -------------------------------------------------------

    @property
    def np_random_seed(self) -> Any:
        """The seeds of the environments."""
        return self.get_attr("np_random_seed")

    @property  # type: ignore[misc]
    def np_random(self) -> Any:
        """The random generators of the environments."""
        return self.get_attr("np_random")

    def render(self) -> tuple[Any, ...]:
        return tuple(env.render() for env in self.envs)

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """What each environment's method (or attribute) of that name gives."""
        found = [env.get_wrapper_attr(name) for env in self.envs]
        return tuple(each(*args, **kwargs) if callable(each) else each for each in found)

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """Each environment's attribute of that name."""
        return self.call(name)

    def set_attr(self, name: str, values: Any) -> None:
        """Set an attribute, to one value for all or to a list or tuple of one for each."""
        each = values if isinstance(values, list | tuple) else [values] * self.num_envs
        if len(each) != self.num_envs:
            raise ValueError(f"there are {len(each)} values for {self.num_envs} environments")
        for env, value in zip(self.envs, each, strict=True):
            env.set_wrapper_attr(name, value)

    def close_extras(self, **kwargs: Any) -> None:
        """Close the environments. A step that is under way in another thread fails."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        failed = [error for env in self.envs if (error := _close(env)) is not None]
        self._threads.shutdown(wait=True)
        if failed:
            raise failed[0]


def _close(env: Env) -> Exception | None:
    try:
        env.close()
    except Exception as error:  # noqa: BLE001  (raised when all are closed)
        return error
    return None
