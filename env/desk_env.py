"""The environment: one person's computer, one question, and an agent that looks for the answer."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gymnasium as gym
from gymnasium.envs.registration import EnvSpec
from gymnasium.error import ResetNeeded

from deskgym.env.actions import Action, Answer, Note, Search, resolve_tools
from deskgym.env.asking import Done, parsed, request_of
from deskgym.env.episode import Episode, Info, end_info, step_info
from deskgym.env.observations import Media, Observation
from deskgym.env.options import draw_profile, draw_task, named
from deskgym.env.render import observation_text, observed_media, welcome
from deskgym.env.retrieval import MakeRetriever, Retriever, search_beside
from deskgym.env.rewards import check_reward
from deskgym.env.sandbox.base import DeskDied, Response, Sandbox, SandboxError
from deskgym.env.sandbox.choose import check_choice
from deskgym.env.spaces import ActionSpace, observation_space
from deskgym.env.trajectory import EpisodeResult, Event, ModelUse
from deskgym.tasks.registry import Dataset, load_dataset
from deskgym.tasks.schema import Profile, Task

if TYPE_CHECKING:
    from deskgym.env.trajectory_log import Log, Recorder


ENV_ID = "DeskGym/Desk-v0"


class DeskEnv(gym.Env[Observation, Any]):
    """A sealed desk with one person's files, and one question an episode.

    An action is a model of `deskgym.env.actions`, a dict or a JSON string; what is none is answered
    with an observation that says so, and counts as a step. The episode terminates with an
    ``answer`` and is truncated after ``max_steps`` steps. The reward comes with the answer
    (`deskgym.env.rewards`).

    The observation is a dict: ``question`` and ``text`` (str), ``media`` (tuple of `Media`),
    ``step`` and ``steps_left`` (int). ``info`` says of the last action: ``tool``, ``family``,
    ``ok``, ``error`` (its kind or None), ``timed_out``, ``opened`` (the files opened, sorted),
    ``invalid_action``, and after a command ``exit_status`` (unless it was ended from outside); at
    the end also ``ended``, ``scores`` and ``rewards``. Neither ever holds gold answers or
    evidence. Equal seeds and actions give equal observations and infos, as far as the commands in
    them do.

    Args:
        dataset: a data set's name, or a `Dataset`.
        dataset_options: what `deskgym.tasks.registry.load_dataset` takes besides the name.
        profile: the person of every episode; by default one is drawn at each reset.
        tools: which tools are on: a preset (``config0`` to ``config3``), names, or None for all.
        max_steps: steps before the episode is truncated.
        reward: ``sparse``, ``grounded`` or ``shaped``.
        render_mode: ``ansi`` (`render` returns the last step as text), ``human`` (it is printed).
        sandbox: ``docker``, ``bwrap`` or ``auto``: desks of that kind, from the process's pool
            (`deskgym.env.pool.process_pool`). Or what makes the desk of a person, such as a pool's
            own ``desk``.
        prepared: the prepared folder of the person's files; "auto" for the one that there is, None
            to do without. Not for a ``sandbox`` of one's own.
        command_timeout_s: the most that a command may take, whatever it asks for, in seconds.
        max_output_bytes: the most that an observation holds of a command's output.
        run: what every episode is logged to: a run's folder, or what stands in for one.
        retriever: makes the retriever of a profile, for searches other than by ``words``.
        agent: the agent's name in the log.

    Raises:
        UnknownDataset, UnknownProfile: there is none of that name.
        ValueError: an unknown tool, reward or render mode.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi", "human"], "render_fps": 1}  # noqa: RUF012

    def __init__(
        self,
        dataset: str | Dataset = "demo",
        profile: str | None = None,
        *,
        tools: str | Collection[str] | None = None,
        max_steps: int = 30,
        reward: str = "sparse",
        render_mode: str | None = None,
        sandbox: str | Callable[[Profile], Sandbox] = "auto",
        prepared: str | Path | None = "auto",
        command_timeout_s: float = 60.0,
        max_output_bytes: int = 50_000,
        run: Recorder | None = None,
        agent: str | None = None,
        dataset_options: Mapping[str, Any] | None = None,
        retriever: MakeRetriever | None = None,
    ) -> None:
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            raise ValueError(f"no render mode {render_mode!r}; there are ansi and human")
        if max_steps < 1:
            raise ValueError(f"max_steps is at least 1, not {max_steps}")
        options = dict(dataset_options or {})
        if options and not isinstance(dataset, str):
            raise ValueError("dataset_options go with a data set's name, not with one that is made")
        self.dataset = load_dataset(dataset, **options) if isinstance(dataset, str) else dataset
        self._fixed_profile = self.dataset.profile(profile).id if profile is not None else None
        self.tools = resolve_tools(tools)
        self.max_steps = max_steps
        self.reward_name = check_reward(reward)
        self.render_mode = render_mode
        self.agent = agent
        # As `gymnasium.make` would set it: wrappers and checks make more of the kind from it. A
        # run's folder stays out, as one environment at a time writes an episode.
        self.spec = EnvSpec(
            ENV_ID,
            entry_point=f"{__name__}:DeskEnv",
            kwargs={
                "dataset": dataset,
                "profile": profile,
                "tools": tools,
                "max_steps": max_steps,
                "reward": reward,
                "render_mode": render_mode,
                "sandbox": sandbox,
                "prepared": prepared,
                "command_timeout_s": command_timeout_s,
                "max_output_bytes": max_output_bytes,
                "agent": agent,
                "dataset_options": options or None,
                "retriever": retriever,
            },
        )
        self._make_sandbox = (
            partial(_pooled, sandbox=check_choice(sandbox), prepared=prepared)
            if isinstance(sandbox, str)
            else sandbox
        )
        self._command_timeout_s = command_timeout_s
        self._max_output_bytes = max_output_bytes
        self._run = run
        self._make_retriever = retriever
        self._retriever: Retriever | None = None
        self._use = ModelUse()
        self._desk: Sandbox | None = None
        self._desk_used = False
        self._person: Profile | None = None
        self._shows: tuple[str, str, int] | None = None  # whose files, which, in which process
        self._episode: Episode | None = None
        self._under_way = False
        self._log: Log | None = None
        self._last_text = ""
        self.observation_space = observation_space(max_steps)
        self.action_space = ActionSpace(self.tools)

    # -- Gymnasium's surface -------------------------------------------------------------------

    def reset(
        self,
        *,
        seed: int | None = None,
        options: dict[str, Any] | None = None,
        profile: str | None = None,
        task: str | None = None,
    ) -> tuple[Observation, Info]:
        """Begin an episode: a person and one of their tasks, drawn with ``seed`` if not named.

        ``profile`` and ``task`` are short for the same keys of ``options``.

        Raises:
            UnknownProfile, UnknownTask: there is none of that name.
            ValueError: ``options`` has other keys, or contradicts the arguments.
            SandboxError: no desk can be had (see `deskgym.env.sandbox.base`).
        """
        super().reset(seed=seed)
        profile, name = named(options, profile, task)
        person = self._draw_profile(profile)
        chosen = draw_task(self.dataset, person.id, name, self.np_random)
        person = self._as_asked(person, chosen)
        self._leave()
        self._ready_desk(person)
        if self._run is not None:
            self._log = self._run.episode(self.agent or "unnamed", person.id, chosen.id)
        self._episode = Episode(
            chosen,
            person,
            tools=self.tools,
            max_steps=self.max_steps,
            reward=self.reward_name,
            seed=seed,
            agent=self.agent,
            write=self._write,
            keep=self._run.keep_media if self._run is not None else None,
        )
        self._under_way, self._use = True, ModelUse()
        text = welcome(person.user, self.tools, len(person.files))
        info: Info = {
            "profile": person.id,
            "task_id": chosen.id,
            "tools": tuple(sorted(self.tools)),
        }
        return self._observe(text, ()), info

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, Info]:
        """Do ``action``; see the class for what comes back.

        Raises:
            ResetNeeded: there is no episode under way.
            DeskDied, DeskTimeout: the desk is gone. The trajectory keeps all steps so far, and
                `abort` closes it.
            TrajectoryError: the step could not be logged; nothing already written is lost.
        """
        episode = self._episode
        if episode is None or not self._under_way:
            raise ResetNeeded("there is no episode under way: call reset()")
        started = time.perf_counter()
        done, raw, response, text, flags = self._act(action)
        use, self._use = self._use, ModelUse()
        reward = episode.step(
            done,
            raw,
            response,
            text,
            flags=flags,
            use=use,
            duration_s=round(time.perf_counter() - started, 6),
        )
        info = step_info(done, response, flags)
        terminated = isinstance(done, Answer) and response.ok
        truncated = not terminated and episode.steps >= self.max_steps
        if terminated or truncated:
            answer = done if isinstance(done, Answer) and response.ok else None
            reward += episode.end("answered" if terminated else "truncated", answer)
            info |= end_info(self._finish(episode))
        observation = self._observe(text, observed_media(response))
        if self.render_mode == "human":
            print(self._rendered())
        return observation, reward, terminated, truncated, info

    def render(self) -> str | None:
        """``ansi``: the last step as text. ``human``: None, as each step has been printed."""
        return self._rendered() if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Give back the desk. An episode under way stays without a result. Idempotent, and for any
        thread. With the last environment of a process its desks are gone."""
        try:
            self._leave()
        finally:
            self._drop_desk()

    # -- beyond Gymnasium ----------------------------------------------------------------------

    @property
    def result(self) -> EpisodeResult | None:
        """The scores of the last episode, gold answer included, once it has ended."""
        return self._episode.result if self._episode is not None else None

    @property
    def trajectory(self) -> tuple[Event, ...]:
        """The events of the last episode, with the gold evidence that each step exposed."""
        return tuple(self._episode.events) if self._episode is not None else ()

    def account(self, use: ModelUse) -> None:
        """Note what deciding on the next action took of a model; it is logged with that step."""
        self._use += use

    def abort(self, reason: str) -> EpisodeResult:
        """End the episode under way as a failure of whoever played it.

        Raises:
            ResetNeeded: there is none.
        """
        if self._episode is None or not self._under_way:
            raise ResetNeeded("there is no episode under way")
        self._episode.end("aborted", None, reason, use=self._use)
        return self._finish(self._episode)

    # -- inside --------------------------------------------------------------------------------

    def _act(self, action: Any) -> Done:
        """Parse and do ``action``."""
        asked = parsed(action, self.tools)
        if isinstance(asked, Done):
            return asked
        if isinstance(asked, Answer):
            return Done(asked, None, Response(ok=True), "", ())
        if isinstance(asked, Note):
            return Done(asked, None, Response(ok=True), "noted", ())
        if isinstance(asked, Search) and asked.ranking != "words":
            response = search_beside(asked, self._retriever)
        else:
            response = self._ask_desk(asked)
        flags = ("timed_out",) if response.timed_out else ()
        return Done(asked, None, response, observation_text(asked, response), flags)

    def _ask_desk(self, action: Action) -> Response:
        desk = self._desk
        if desk is None:
            raise DeskDied("this episode's desk is gone; abort() it, or reset() for a new one")
        self._desk_used = True
        try:
            return desk.request(
                request_of(
                    action, timeout_s=self._command_timeout_s, max_bytes=self._max_output_bytes
                )
            )
        except SandboxError:
            self._drop_desk()
            raise

    def _ready_desk(self, person: Profile) -> None:
        """A desk of ``person``, as new: the one there is if it comes clean, else another."""
        showing = (person.id, person.digest, os.getpid())  # a forked child has no desk yet
        if self._desk is not None and self._shows == showing:
            try:
                if self._desk_used:
                    self._desk.reset()
                self._desk_used = False
                return
            except SandboxError:
                # It died, or would not come clean: that is what replacing it is for.
                self._drop_desk()
        desk = self._make_sandbox(person)
        self._drop_desk()
        try:
            desk.start()
            records = tuple(record.model_dump(mode="json") for record in person.files)
            desk.configure(person.user, records, tuple(sorted(self.tools)))
        except BaseException:
            desk.close()
            raise
        self._desk, self._desk_used = desk, False
        self._retriever = self._make_retriever(person) if self._make_retriever else None
        self._shows = showing

    def _drop_desk(self) -> None:
        desk, self._desk = self._desk, None
        if desk is not None:
            desk.close()

    def _draw_profile(self, name: str | None) -> Profile:
        name = name or self._fixed_profile or draw_profile(self.dataset, self.np_random)
        if self._person is None or name not in (self._person.id, self._person.name):
            self._person = self.dataset.profile(name)
        return self._person

    def _as_asked(self, person: Profile, task: Task) -> Profile:
        """The person's computer when the task is asked."""
        shown = self.dataset.profile_for(task)
        return person if shown.digest == person.digest else shown

    def _write(self, event: Event) -> None:
        if self._log is not None:
            self._log.write(event)

    def _finish(self, episode: Episode) -> EpisodeResult:
        assert episode.result is not None
        self._leave()
        if self._run is not None:
            self._run.append_result(episode.result)
        return episode.result

    def _leave(self) -> None:
        """No more steps. An episode that is left without a result is played again by a resumed
        run."""
        self._under_way = False
        log, self._log = self._log, None
        if log is not None:
            log.close()

    def _observe(self, text: str, media: tuple[Media, ...]) -> Observation:
        episode = self._episode
        assert episode is not None
        self._last_text = text
        return {
            "question": episode.task.question,
            "text": text,
            "media": media,
            "step": episode.steps,
            "steps_left": self.max_steps - episode.steps,
        }

    def _rendered(self) -> str:
        if self._episode is None:
            return "(no episode yet)"
        head = f"{self._episode.profile.id} | {self._episode.task.question}"
        return f"{head}\n--- step {self._episode.steps} of {self.max_steps}\n{self._last_text}"


def _pooled(person: Profile, *, sandbox: str, prepared: str | Path | None) -> Sandbox:
    from deskgym.env.pool import process_pool

    return process_pool().desk(person, prepared=prepared, sandbox=sandbox)
