"""The tasks of a data set as OpenEnv's task API counts them: by split and index."""

from __future__ import annotations

from dataclasses import dataclass, field

from deskgym.env.server.models import ALL_TASKS, ErrorCode, Reset, ServerError, Split, TaskInfo
from deskgym.tasks.registry import Dataset, Unknown, profile_id
from deskgym.tasks.schema import Task


@dataclass
class Tasks:
    """Everybody's tasks, read once. The splits are ``all``, and one for each person's bare name."""

    dataset: Dataset = field(repr=False)
    _by_split: dict[str, tuple[Task, ...]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        people = self.dataset.profiles()
        self._by_split = {person.partition("/")[2]: self.dataset.tasks(person) for person in people}
        everybody = tuple(task for tasks in self._by_split.values() for task in tasks)
        self._by_split = {ALL_TASKS: everybody, **self._by_split}

    def splits(self) -> tuple[Split, ...]:
        """What there is."""
        return tuple(Split(name=name) for name in self._by_split)

    def count(self, split: str) -> int:
        """How many tasks a split has. Raises `ServerError` if there is no such split."""
        return len(self._of(split))

    def some(
        self, split: str, start: int | None = None, stop: int | None = None, *, gold: bool = False
    ) -> tuple[TaskInfo, ...]:
        """The tasks of a slice of a split.

        Raises:
            ServerError: there is no such split.
        """
        tasks = self._of(split)
        return tuple(
            _info(split, index, tasks[index], gold) for index in range(len(tasks))[start:stop]
        )

    def one(self, split: str, index: int, *, gold: bool = False) -> TaskInfo:
        """One task of a split.

        Raises:
            ServerError: there is no such split or index.
        """
        return _info(split, index, self._at(split, index), gold)

    def named(self, wanted: Reset) -> tuple[str | None, str | None]:
        """The person and the task that a reset asks for; None: to be drawn.

        Raises:
            ServerError: they contradict each other, or there are none such.
        """
        profile, task = wanted.profile, wanted.task
        try:
            profile = profile_id(self.dataset, profile) if profile is not None else None
        except Unknown as error:
            raise ServerError(ErrorCode.VALIDATION_ERROR, str(error)) from error
        if wanted.index is not None:
            if wanted.split is None:
                raise _bad("index counts within a split: name one, see GET /deskgym/splits")
            chosen = self._at(wanted.split, wanted.index)
            if task not in (None, chosen.id) or profile not in (None, chosen.profile_id):
                raise _bad("split and index mean another task than profile and task")
            return chosen.profile_id, chosen.id
        if wanted.split is not None and wanted.split != ALL_TASKS:
            person = self._of(wanted.split)[0].profile_id if self.count(wanted.split) else None
            if person is None:
                raise _bad(f"the split {wanted.split!r} has no tasks")
            if profile not in (None, person):
                raise _bad(f"the split {wanted.split!r} is not of {profile}")
            profile = person
        if task is not None and profile is None:
            owners = [t.profile_id for t in self._by_split[ALL_TASKS] if t.id == task]
            if len(set(owners)) != 1:
                which = "no task" if not owners else "several people have a task"
                raise _bad(f"{which} {task!r}: name the profile too")
            profile = owners[0]
        return profile, task

    def _of(self, split: str) -> tuple[Task, ...]:
        if split not in self._by_split:
            there = ", ".join(self._by_split)
            raise ServerError(ErrorCode.NOT_FOUND, f"no split {split[:80]!r}; there are {there}")
        return self._by_split[split]

    def _at(self, split: str, index: int) -> Task:
        tasks = self._of(split)
        if index >= len(tasks):
            raise ServerError(
                ErrorCode.NOT_FOUND, f"no task {index} in {split!r}, which has {len(tasks)}"
            )
        return tasks[index]


def _info(split: str, index: int, task: Task, gold: bool) -> TaskInfo:
    return TaskInfo(
        id=task.id,
        split=split,
        index=index,
        profile=task.profile_id,
        question=task.question,
        gold=task.model_dump(mode="json") if gold else None,
    )


def _bad(message: str) -> ServerError:
    return ServerError(ErrorCode.VALIDATION_ERROR, message)
