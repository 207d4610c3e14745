"""A run as a table for analysis: a row an episode, with all its scores, as Parquet."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pydantic import BaseModel

from deskgym.env.export import MissingLibrary, check_agent
from deskgym.env.run_reader import TrajectoryError, read_config
from deskgym.env.score_run import batches, scored_results
from deskgym.env.trajectory import EpisodeResult, EpisodeScore, RunConfig
from deskgym.tasks.scoring.models import (
    AnswerScores,
    DifficultyFeatures,
    EvidenceScores,
    FileScores,
)
from deskgym.tasks.whole_file import replacing

if TYPE_CHECKING:
    import pyarrow

_ROWS: Final = 1_000
"""Rows that are in memory, and in a group of the file, at a time."""


def export_parquet(run: Path, out: Path, *, agent: str | None = None) -> int:
    """Write a run's episodes as Parquet, one row each (`episode_row`); returns how many.

    Raises:
        MissingLibrary: pyarrow is not installed.
        TrajectoryError: the run cannot be read, has no such agent, or ``out`` cannot be written.
    """
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise MissingLibrary("Parquet needs pyarrow: pip install 'deskgym[export]'") from error
    config = read_config(run)
    check_agent(run, config, agent)
    schema, count = _schema(pyarrow), 0
    rows = (
        episode_row(config, result, score)
        for result, score in scored_results(run)
        if agent in (None, result.agent)
    )
    try:
        with replacing(out) as draft, pyarrow.parquet.ParquetWriter(draft, schema) as writer:
            for batch in batches(rows, _ROWS):
                writer.write_table(pyarrow.Table.from_pylist(batch, schema=schema))
                count += len(batch)
    except OSError as error:
        raise TrajectoryError(f"cannot write {out}: {error.strerror or error}") from error
    return count


def episode_row(config: RunConfig, result: EpisodeResult, score: EpisodeScore) -> dict[str, Any]:
    """An episode's values by column; None where there is none.

    Groups of scores are flat: ``answer_score``, ``files_cited_f1``, ``evidence_cited_recall``,
    ``judge_grade``, ``feature_reasoning_steps``. What has no fixed names (``rewards``,
    ``tool_uses``) is JSON.
    """
    judge, diagnosis, use = score.judge, score.diagnosis, result.use
    return {
        "dataset": config.dataset,
        "dataset_digest": config.dataset_digest,
        "agent": result.agent,
        "profile_id": result.profile_id,
        "task_id": result.task_id,
        "qa_type": result.qa_type,
        "profiling_type": result.profiling_type,
        "family": result.family,
        "answerable": result.answerable,
        "labels": result.labels,
        "capabilities_search": result.capabilities.search,
        "capabilities_perception": result.capabilities.perception,
        "capabilities_reasoning": result.capabilities.reasoning,
        "ended": result.ended,
        "reason": result.reason,
        "steps": result.steps,
        "invalid_actions": result.invalid_actions,
        "question": result.question,
        "answer": result.answer,
        "gold_answer": result.gold_answer,
        "cited_files": result.cited_files,
        "touched_files": result.touched_files,
        "gold_files": result.gold_files,
        "coverage": result.coverage,
        **_flat("answer", AnswerScores, score.scores.answer),
        **_flat("files_cited", FileScores, score.scores.files_cited),
        **_flat("files_touched", FileScores, score.scores.files_touched),
        **_flat("evidence", EvidenceScores, score.scores.evidence),
        "bleu": score.bleu,
        "correct": score.correct,
        "judge_model": judge.model if judge else None,
        "judge_rubric": judge.rubric if judge else None,
        "judge_status": judge.status if judge else None,
        "judge_correct": judge.correct if judge else None,
        "judge_grade": judge.grade if judge else None,
        "judge_reason": judge.reason if judge else None,
        "difficulty": score.difficulty,
        **_flat("feature", DifficultyFeatures, result.features),
        "failure": diagnosis.failure if diagnosis else None,
        "failure_step": diagnosis.step if diagnosis else None,
        "failure_detail": diagnosis.detail if diagnosis else None,
        "seconds": score.seconds,
        "env_seconds": score.env_seconds,
        "model_seconds": score.model_seconds,
        "model_calls": use.calls if use else None,
        "model_prompt_tokens": use.prompt_tokens if use else None,
        "model_completion_tokens": use.completion_tokens if use else None,
        "model_cost_usd": use.cost_usd if use else None,
        "model_faults": use.faults if use else (),
        "attempts": result.attempts,
        "attempt_failures": result.failures,
        "injected": result.injected,
        "tool_uses": json.dumps(score.tool_uses),
        "rewards": json.dumps(result.rewards),
    }


def _flat(prefix: str, model: type[BaseModel], values: Any) -> dict[str, Any]:
    return {f"{prefix}_{name}": getattr(values, name, None) for name in model.model_fields}


def _group(prefix: str, model: type[BaseModel]) -> tuple[tuple[str, str], ...]:
    return tuple(
        (f"{prefix}_{name}", _TYPES.get(f"{prefix}_{name}", "double"))
        for name in model.model_fields
    )


_TYPES: Final = {"answer_judge": "string", "answer_abstained": "bool"}
COLUMNS: Final[tuple[tuple[str, str], ...]] = (
    ("dataset", "string"),
    ("dataset_digest", "string"),
    ("agent", "string"),
    ("profile_id", "string"),
    ("task_id", "string"),
    ("qa_type", "string"),
    ("profiling_type", "string"),
    ("family", "string"),
    ("answerable", "bool"),
    ("labels", "strings"),
    ("capabilities_search", "strings"),
    ("capabilities_perception", "strings"),
    ("capabilities_reasoning", "strings"),
    ("ended", "string"),
    ("reason", "string"),
    ("steps", "int64"),
    ("invalid_actions", "int64"),
    ("question", "string"),
    ("answer", "string"),
    ("gold_answer", "string"),
    ("cited_files", "strings"),
    ("touched_files", "strings"),
    ("gold_files", "strings"),
    ("coverage", "doubles"),
    *_group("answer", AnswerScores),
    *_group("files_cited", FileScores),
    *_group("files_touched", FileScores),
    *_group("evidence", EvidenceScores),
    ("bleu", "double"),
    ("correct", "bool"),
    ("judge_model", "string"),
    ("judge_rubric", "string"),
    ("judge_status", "string"),
    ("judge_correct", "bool"),
    ("judge_grade", "int64"),
    ("judge_reason", "string"),
    ("difficulty", "double"),
    *_group("feature", DifficultyFeatures),
    ("failure", "string"),
    ("failure_step", "int64"),
    ("failure_detail", "string"),
    ("seconds", "double"),
    ("env_seconds", "double"),
    ("model_seconds", "double"),
    ("model_calls", "int64"),
    ("model_prompt_tokens", "int64"),
    ("model_completion_tokens", "int64"),
    ("model_cost_usd", "double"),
    ("model_faults", "strings"),
    ("attempts", "int64"),
    ("attempt_failures", "strings"),
    ("injected", "bool"),
    ("tool_uses", "string"),
    ("rewards", "string"),
)
"""The columns in their order, with their types: a column without values has its type too."""


def _schema(pyarrow: Any) -> pyarrow.Schema:
    types = {
        "string": pyarrow.string(),
        "strings": pyarrow.list_(pyarrow.string()),
        "bool": pyarrow.bool_(),
        "int64": pyarrow.int64(),
        "double": pyarrow.float64(),
        "doubles": pyarrow.list_(pyarrow.float64()),
    }
    return pyarrow.schema([(name, types[kind]) for name, kind in COLUMNS])
