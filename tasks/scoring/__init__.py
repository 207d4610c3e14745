"""Scores of answers, files and evidence. Pure: no state, no input or output, no clock."""

from deskgym.tasks.scoring.answers import abstains, number_match, rouge_l, score_answer, token_f1
from deskgym.tasks.scoring.evidence import (
    citation_scores,
    evidence_scores,
    exposure_by_locator,
    exposure_by_text,
)
from deskgym.tasks.scoring.files import file_scores, mean_file_scores
from deskgym.tasks.scoring.models import AnswerScores, EvidenceScores, FileScores

__all__ = [
    "AnswerScores",
    "EvidenceScores",
    "FileScores",
    "abstains",
    "citation_scores",
    "evidence_scores",
    "exposure_by_locator",
    "exposure_by_text",
    "file_scores",
    "mean_file_scores",
    "number_match",
    "rouge_l",
    "score_answer",
    "token_f1",
]
