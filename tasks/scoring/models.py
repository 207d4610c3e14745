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
