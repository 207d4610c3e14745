"""A stand-in for the environment, and tasks without a data set."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from deskgym.agents.rollout import RunSpec
from deskgym.env.actions import ALL_TOOLS, Answer, InvalidAction, parse_action
from deskgym.env.observations import Media, Observation
from deskgym.env.trajectory import EpisodeResult, ModelUse, Scores
from deskgym.env.trajectory_log import RunFolder
from deskgym.tasks.schema import Evidence, Profile, RationaleStep, Task
from deskgym.tasks.scoring import file_scores, score_answer
from deskgym.tasks.scoring.difficulty import task_features

GOLD_TEXT = "the zinc heron sleeps at quarter past nine"


def make_task(number: int, *, profile: str = "demo/ann", **changes: Any) -> Task:
    fields: dict[str, Any] = {
        "id": f"{profile.partition('/')[2]}-{number:03d}",
        "profile_id": profile,
        "question": f"What is number {number}?",
        "answer": f"It is {number * 111}",
        "qa_type": "factual_retention",
        "files": ("notes/a.txt",),
        "evidence": (
            Evidence(
                evidence_id="e1",
                file_path="notes/a.txt",
                modality="text",
                locator="lines:3-4",
                text=GOLD_TEXT,
            ),
        ),
        "rationale": (RationaleStep(step_id=1, text="Read it.", evidence_ids=("e1",)),),
    }
    return Task(**{**fields, **changes})


class FakeDataset:
    """People with tasks, as `deskgym.tasks.registry.Dataset` gives them."""

    digest = "d" * 64

    def __init__(self, tasks: dict[str, list[Task]]) -> None:
        self._tasks = tasks

    def profiles(self) -> list[str]:
        return list(self._tasks)

    def profile(self, profile_id: str) -> Profile:
        return Profile(id=profile_id, user="Ann", root=Path("/nowhere"), files=(), digest="e" * 64)

    def tasks(self, profile_id: str) -> tuple[Task, ...]:
        return tuple(self._tasks[profile_id])


class FakeEnv:
    """Answers every action with ``reply(action)`` and scores as the real one does."""

    def __init__(
        self,
        dataset: FakeDataset,
        spec: RunSpec,
        folder: RunFolder | None = None,
        agent: str = "",
        *,
        reply: Callable[[Any], str | Exception] = lambda action: "nothing",
    ) -> None:
        self.tools: frozenset[str] = frozenset(ALL_TOOLS)
        self.result: EpisodeResult | None = None
        self.actions: list[Any] = []
        self.seeds: list[int | None] = []
        self.closed = False
        self.uses: list[ModelUse] = []
        self._dataset, self._spec, self._folder, self._agent = dataset, spec, folder, agent
        self._reply = reply

    def reset(
        self, *, seed: int | None = None, profile: str | None = None, task: str | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        assert profile is not None
        self._task = next(t for t in self._dataset.tasks(profile) if t.id == task)
        self._step, self.actions, self.result = 0, [], None
        self.seeds.append(seed)
        return self._observation("welcome"), {}

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        self._step += 1
        try:
            parsed = parse_action(action)
        except InvalidAction as error:
            return self._observation(str(error)), 0.0, False, self._truncate(), {}
        self.actions.append(parsed)
        if isinstance(parsed, Answer):
            self._end("answered", parsed.text, tuple(c.path for c in parsed.cites))
            return self._observation(""), 1.0, True, False, {}
        reply = self._reply(parsed)
        if isinstance(reply, Exception):
            raise reply
        return self._observation(reply), 0.0, False, self._truncate(), {}

    def account(self, use: ModelUse) -> None:
        self.uses.append(use)

    def abort(self, reason: str) -> EpisodeResult:
        return self._end("aborted", None, (), reason)

    def close(self) -> None:
        self.closed = True

    def _truncate(self) -> bool:
        if self._step >= self._spec.max_steps:
            self._end("truncated", None, ())
            return True
        return False

    def _observation(self, text: str) -> Observation:
        left = self._spec.max_steps - self._step
        media = (Media("image/png", b"\x89PNG\0"),)
        return Observation(
            question=self._task.question, text=text, media=media, step=self._step, steps_left=left
        )

    def _end(
        self, ended: Any, answer: str | None, cited: tuple[str, ...], reason: str | None = None
    ) -> EpisodeResult:
        task = self._task
        scores = Scores(
            answer=score_answer(answer, task.answer, answerable=task.answerable),
            files_cited=file_scores(set(cited), set(task.files)),
            files_touched=file_scores(set(), set(task.files)),
            evidence=None,
        )
        self.result = EpisodeResult(
            task_id=task.id,
            profile_id=task.profile_id,
            agent=self._agent,
            qa_type=task.qa_type,
            profiling_type=task.profiling_type,
            answerable=task.answerable,
            family=task.family,
            capabilities=task.capabilities,
            features=task_features(task, {}),
            ended=ended,
            reason=reason,
            steps=self._step,
            invalid_actions=0,
            question=task.question,
            answer=answer,
            gold_answer=task.answer,
            cited_files=cited,
            touched_files=(),
            gold_files=task.files,
            coverage=(),
            scores=scores,
            rewards={},
        )
        if self._folder is not None:
            self._folder.append_result(self.result)
        return self.result
