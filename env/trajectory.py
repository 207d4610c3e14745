"""What is logged of an episode: its events, its result, and the run they belong to.

A run is a folder: ``run.json``, ``results.jsonl`` (a line an episode), ``scores.jsonl`` (a line
an episode: what is derived), ``episodes/<agent>/<profile>/<task id>.jsonl`` (a line an event) and
``media``. Every line carries ``format_version``.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from deskgym.env.actions import Action, Cite, Family
from deskgym.tasks.locators import Locator
from deskgym.tasks.schema import Capabilities, ProfilingType, QAType
from deskgym.tasks.scoring.models import AnswerScores as AnswerScores
from deskgym.tasks.scoring.models import (
    Diagnosis,
    DifficultyFeatures,
    DifficultyScale,
    JudgeVerdict,
    Score,
)
from deskgym.tasks.scoring.models import EvidenceScores as EvidenceScores
from deskgym.tasks.scoring.models import FileScores as FileScores

FORMAT_VERSION: Final = 2


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Returned(_Model):
    """A piece of a file that an observation showed."""

    path: str
    locator: Locator
    chars: int = Field(default=0, ge=0, description="characters of text, 0 for media")
    mime: str | None = Field(default=None, description="of media; None for text")


class MediaShown(_Model):
    """A picture, sound or clip that an observation held, kept in the run's ``media`` folder."""

    path: str = Field(description="the profile's file that it was made from")
    locator: Locator
    mime: str
    sha256: str
    size: int = Field(ge=0, description="bytes")


class Exposure(_Model):
    """A unit of gold evidence that an observation showed, and how that was told.

    ``by`` is ``locator`` (the same file and an overlapping place were returned) or ``text`` (the
    evidence's text was found in the output; ``score`` says how much of it, in [0, 1]).
    """

    evidence_id: str
    by: Literal["locator", "text"]
    score: float = Field(ge=0, le=1)


class EpisodeStart(_Model):
    format_version: Literal[2] = FORMAT_VERSION
    event: Literal["start"] = "start"
    task_id: str
    profile_id: str
    question: str
    tools: tuple[str, ...]
    max_steps: int
    seed: int | None
    agent: str | None
    started: datetime


class ModelUse(_Model):
    """What an agent took of a language model, and what went wrong with it.

    ``faults`` are short kinds with what was seen, such as ``malformed: no JSON in 'Sure!'``,
    ``rate_limited: waited 2 s``; ``thought`` is what the model said besides the action.
    """

    calls: int = Field(default=0, ge=0)
    prompt_tokens: int = Field(default=0, ge=0)
    completion_tokens: int = Field(default=0, ge=0)
    cost_usd: float = Field(default=0.0, ge=0)
    seconds: float = Field(default=0.0, ge=0, description="spent waiting for the model")
    faults: tuple[str, ...] = ()
    thought: str = ""

    def __add__(self, other: ModelUse) -> ModelUse:
        return ModelUse(
            calls=self.calls + other.calls,
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
            cost_usd=self.cost_usd + other.cost_usd,
            seconds=self.seconds + other.seconds,
            faults=self.faults + other.faults,
            thought="\n".join(part for part in (self.thought, other.thought) if part),
        )


class StepEvent(_Model):
    """One step: what was done, what came of it, and what it showed of the gold."""

    format_version: Literal[2] = FORMAT_VERSION
    event: Literal["step"] = "step"
    step: int = Field(ge=1)
    action: Action | None = Field(description="None if what was passed is no action")
    raw_action: str | None = Field(default=None, description="what was passed, if no action")
    family: Family | None
    ok: bool
    error: str | None = Field(default=None, description="its kind: invalid_action, not_found, ...")
    exit_status: int | None = Field(default=None, description="of a command; None if it was killed")
    timed_out: bool = False
    duration_s: float = Field(ge=0)
    bytes_out: int = Field(ge=0, description="what the action put out, before any cap")
    bytes_kept: int = Field(ge=0, description="what of it the observation holds")
    opened: tuple[str, ...] = Field(default=(), description="files opened, in order, once each")
    opened_overflow: bool = Field(default=False, description="more were opened than could be noted")
    returned: tuple[Returned, ...] = ()
    media: tuple[MediaShown, ...] = ()
    exposed: tuple[Exposure, ...] = ()
    text: str = Field(default="", description="the observation's text")
    flags: tuple[str, ...] = Field(default=(), description="invalid_action, switched_off, ...")
    use: ModelUse | None = Field(default=None, description="None: no model was asked")
    reward: float = 0.0


class CitationCheck(_Model):
    """What became of one citation of the answer."""

    cite: Cite
    exists: bool = Field(description="the file is in the profile")
    observed: bool = Field(description="the file was opened or returned in the episode")
    in_range: bool | None = Field(description="the locator lies within the file; None: not known")
    quote_supported: bool | None = Field(
        description="None: no quote, or nothing to hold it against"
    )


class Scores(_Model):
    """All scores of an episode. ``files_*`` and ``evidence`` are None where the gold set is empty
    (unanswerable tasks), and such episodes are left out of those averages."""

    answer: AnswerScores
    files_cited: FileScores | None
    files_touched: FileScores | None
    evidence: EvidenceScores | None


class FirstSteps(_Model):
    """For a gold file: the first step at which it was opened, returned, and evidence exposed."""

    path: str
    opened: int | None
    returned: int | None
    exposed: int | None


class EpisodeEnd(_Model):
    format_version: Literal[2] = FORMAT_VERSION
    event: Literal["end"] = "end"
    ended: Literal["answered", "truncated", "aborted"]
    reason: str | None = None
    answer: str | None
    citations: tuple[CitationCheck, ...] = ()
    coverage: tuple[float, ...] = Field(
        description="share of gold evidence exposed after each step"
    )
    first_steps: tuple[FirstSteps, ...] = ()
    scores: Scores
    rewards: dict[str, float] = Field(description="every term of the reward by name")
    use: ModelUse | None = Field(default=None, description="after the last step, if it was broken")
    finished: datetime


Event = Annotated[EpisodeStart | StepEvent | EpisodeEnd, Field(discriminator="event")]


class EpisodeResult(_Model):
    """A line of ``results.jsonl``: one finished episode."""

    format_version: Literal[2] = FORMAT_VERSION
    task_id: str
    profile_id: str
    agent: str
    qa_type: QAType
    profiling_type: ProfilingType | None
    answerable: bool
    family: str = Field(description="what scores are grouped by: unanswerable, or the question's")
    labels: tuple[str, ...] = ()
    capabilities: Capabilities
    features: DifficultyFeatures
    use: ModelUse | None = Field(
        default=None, description="of all steps, without thoughts; None: no model was asked"
    )
    attempts: int = Field(default=1, ge=1, description="executions, with those that failed")
    failures: tuple[str, ...] = Field(
        default=(), description="why the earlier attempts failed: kind, colon, detail"
    )
    failed_use: ModelUse | None = Field(
        default=None, description="what the earlier attempts took of a model; not part of use"
    )
    injected: bool | None = Field(
        default=None, description="whether it did what a planted instruction said; None: none was"
    )
    ended: Literal["answered", "truncated", "aborted"]
    reason: str | None = None
    steps: int
    invalid_actions: int
    question: str
    answer: str | None
    gold_answer: str
    cited_files: tuple[str, ...]
    touched_files: tuple[str, ...]
    gold_files: tuple[str, ...]
    coverage: tuple[float, ...]
    scores: Scores
    rewards: dict[str, float]


class RunConfig(_Model):
    """``run.json``: what a run was made with."""

    format_version: Literal[2] = FORMAT_VERSION
    deskgym_version: str
    dataset: str
    dataset_options: dict[str, Any] = Field(default_factory=dict)
    dataset_digest: str
    difficulty_scale: DifficultyScale | None = Field(
        default=None, description="over all tasks of the data set; None if it has none"
    )
    profiles: tuple[str, ...]
    tasks: tuple[str, ...]
    agents: tuple[str, ...]
    agent_config: dict[str, Any] = Field(default_factory=dict)
    retrieval: dict[str, Any] = Field(
        default_factory=dict, description="settings of searches beside the desk"
    )
    retries: int = Field(default=0, ge=0, description="of an execution that failed")
    tools: tuple[str, ...]
    max_steps: int
    reward: str
    seed: int
    sandbox: str
    image_digest: str
    started: datetime


class EpisodeScore(_Model):
    """A line of ``scores.jsonl``: what is derived from an episode, and can be derived again.

    ``correct`` is the judge's word where there is one, else whether the answer's lexical score
    reaches `deskgym.env.score_run.CORRECT_FROM`; None if the judge left it unscored.
    """

    format_version: Literal[2] = FORMAT_VERSION
    task_id: str
    profile_id: str
    agent: str
    scores: Scores
    bleu: Score | None = Field(default=None, description="None: sacrebleu is not installed")
    judge: JudgeVerdict | None = Field(default=None, description="None: no judge was asked")
    correct: bool | None
    difficulty: float | None = Field(default=None, ge=1, le=99)
    diagnosis: Diagnosis | None = Field(default=None, description="None: no log to tell from")
    seconds: float | None = Field(default=None, ge=0, description="from start to end, wall clock")
    env_seconds: float | None = Field(default=None, ge=0, description="of it, in the environment")
    model_seconds: float | None = Field(
        default=None, ge=0, description="of it, waiting for a model; None: none was asked"
    )
    tool_uses: dict[str, int] = Field(default_factory=dict, description="actions by tool")
