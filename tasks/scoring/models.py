"""The shapes of scores. Every value lies in [0, 1]."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Score = Annotated[float, Field(ge=0, le=1)]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class AnswerScores(_Model):
    """How the answer compares with the gold answer."""

    judge: Literal["lexical"] = "lexical"
    score: Score
    exact_match: Score
    token_f1: Score
    rouge_l: Score
    number_match: Score | None = Field(description="None: the gold answer holds no number or date")
    abstained: bool


class FileScores(_Model):
    """Precision, recall and F1 of a set of files against the gold set."""

    precision: Score
    recall: Score
    f1: Score


class EvidenceScores(_Model):
    """Precision and recall of evidence units.

    ``exposed_recall``: share of the gold units that the episode's observations showed.
    ``cited_*``: the answer's citations against the gold units.
    ``readable_recall``: as ``exposed_recall``, over units that do not lie in sound or video
    (``None`` if there are no others).
    """

    exposed_recall: Score
    cited_precision: Score
    cited_recall: Score
    cited_f1: Score
    readable_recall: Score | None


class DifficultyFeatures(_Model):
    """What makes a task hard, as counts (`deskgym.tasks.scoring.difficulty`)."""

    evidence_files: float = Field(ge=0)
    modality_count: float = Field(ge=0)
    file_type_count: float = Field(ge=0)
    evidence_items: float = Field(ge=0)
    reasoning_steps: float = Field(ge=0)
    question_tokens: float = Field(ge=0)
    answer_tokens: float = Field(ge=0)
    time_span_days: float = Field(ge=0)


class Percentiles(_Model):
    """The 90th and 98th percentile of one feature over a benchmark's tasks; both above 0."""

    p90: float = Field(gt=0)
    p98: float = Field(gt=0)


class DifficultyScale(_Model):
    """The percentiles of each feature, over all tasks of a benchmark."""

    evidence_files: Percentiles
    modality_count: Percentiles
    file_type_count: Percentiles
    evidence_items: Percentiles
    reasoning_steps: Percentiles
    question_tokens: Percentiles
    answer_tokens: Percentiles
    time_span_days: Percentiles


class JudgeVerdict(_Model):
    """What a language model said of an answer. ``unscored``: it could not be had, and ``error``
    says why; such an answer is left out of the judge's averages, never a zero.

    ``graded`` asks for 0 to 5 and yes or no (HippoCamp), ``strict`` for yes or no (RHELM).
    """

    status: Literal["scored", "unscored"]
    rubric: Literal["graded", "strict"]
    model: str
    correct: bool | None = None
    grade: int | None = Field(default=None, ge=0, le=5)
    reason: str = ""
    error: str | None = None
    cached: bool = False
    prompt_tokens: int = Field(default=0, ge=0)
    completion_tokens: int = Field(default=0, ge=0)


Failure = Literal[
    "fabricated_evidence",
    "retrieval_mismatch",
    "perception_failure",
    "grounding_avoidance",
    "entity_misattribution",
    "verification_deficit",
]


class Diagnosis(_Model):
    """Why an answer is wrong; ``failure`` is None if it is right.

    ``step`` is the step that shows it (1-based; None if no single one does), ``evidence`` the ids
    of the gold units concerned, ``detail`` says it in a sentence.
    """

    failure: Failure | None
    step: int | None = Field(default=None, ge=1)
    evidence: tuple[str, ...] = ()
    detail: str = ""
