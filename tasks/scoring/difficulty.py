"""How hard a task is, from its gold alone: HippoCamp's difficulty score (appendix C.6).

Eight counts are each set against the benchmark's own 90th percentile,

    x' = clip(log1p(x) / log1p(p90), 0, max(1, log1p(p98) / log1p(p90)) + 0.25),

and summed by weight, with three products for counts that are hard together and a bonus where
several are high. The sum goes through a logistic curve to 1..99.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from datetime import datetime

import numpy as np

from deskgym.tasks.schema import FileRecord, Task
from deskgym.tasks.scoring.models import DifficultyFeatures, DifficultyScale, Percentiles

WEIGHTS = {
    "evidence_files": 0.19,
    "modality_count": 0.10,
    "file_type_count": 0.08,
    "evidence_items": 0.18,
    "reasoning_steps": 0.20,
    "question_tokens": 0.10,
    "answer_tokens": 0.07,
    "time_span_days": 0.08,
}
_TOGETHER = (
    (0.10, "evidence_files", "reasoning_steps"),
    (0.07, "modality_count", "file_type_count"),
    (0.06, "evidence_items", "time_span_days"),
)
_HARD_AXES = ("evidence_files", "evidence_items", "reasoning_steps")
_TOKEN = re.compile(r"[A-Za-z0-9_]+|[\u4e00-\u9fff]")
_DAY_S = 86_400.0


def task_features(task: Task, files: Mapping[str, FileRecord]) -> DifficultyFeatures:
    """The eight counts of ``task``; ``files`` are its profile's records by path.

    Gold files that the profile does not have count as files, without modality, type or time. The
    time span runs from the earliest to the latest creation or modification of the gold files.
    """
    gold = [files[path] for path in task.files if path in files]
    times: list[datetime] = [time for f in gold for time in (f.created, f.modified)]
    span = (max(times) - min(times)).total_seconds() / _DAY_S if times else 0.0
    return DifficultyFeatures(
        evidence_files=len(task.files),
        modality_count=len({f.modality for f in gold}),
        file_type_count=len({f.type for f in gold}),
        evidence_items=len(task.evidence),
        reasoning_steps=len(task.rationale),
        question_tokens=len(_TOKEN.findall(task.question)),
        answer_tokens=len(_TOKEN.findall(task.answer)),
        time_span_days=span,
    )


def difficulty_scale(features: Iterable[DifficultyFeatures]) -> DifficultyScale | None:
    """The percentiles over a benchmark's tasks (linear interpolation); None if it has none.

    A percentile of 0 is no measure: p90 then counts as 1, and p98 as p90.
    """
    rows = [list(f.model_dump().values()) for f in features]
    if not rows:
        return None
    columns = np.percentile(np.asarray(rows, dtype=float), (90, 98), axis=0)
    scale = {}
    for name, p90, p98 in zip(DifficultyFeatures.model_fields, *columns.tolist(), strict=True):
        high = p90 if p90 > 0 else 1.0
        scale[name] = Percentiles(p90=high, p98=p98 if p98 > 0 else high)
    return DifficultyScale(**scale)


def difficulty(features: DifficultyFeatures, scale: DifficultyScale) -> float:
    """The score, in [1, 99]."""
    part = {name: _normal(getattr(features, name), getattr(scale, name)) for name in WEIGHTS}
    raw = sum(weight * part[name] for name, weight in WEIGHTS.items())
    raw += sum(weight * math.sqrt(part[a] * part[b]) for weight, a, b in _TOGETHER)
    hard = sum(part[name] >= 0.85 for name in _HARD_AXES)
    raw += 0.05 * (hard >= 2) + 0.03 * (hard >= 3)
    raw += 0.02 * (part["question_tokens"] >= 0.90 and part["answer_tokens"] >= 0.90)
    return min(max(100.0 / (1.0 + math.exp(-4.4 * (raw - 0.70))), 1.0), 99.0)


def _normal(value: float, percentiles: Percentiles) -> float:
    unit = math.log1p(percentiles.p90)
    cap = max(1.0, math.log1p(percentiles.p98) / unit) + 0.25
    return min(math.log1p(value) / unit, cap)
