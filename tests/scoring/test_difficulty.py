"""Difficulty by hand-computed values, and what holds of any task."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deskgym.tasks.schema import Evidence, FileRecord, RationaleStep, Task
from deskgym.tasks.scoring.difficulty import difficulty, difficulty_scale, task_features
from deskgym.tasks.scoring.models import DifficultyFeatures, DifficultyScale, Percentiles

NAMES = tuple(DifficultyFeatures.model_fields)


def features(value: float = 0.0, **changes: float) -> DifficultyFeatures:
    return DifficultyFeatures(**{**dict.fromkeys(NAMES, value), **changes})


def scale(p90: float, p98: float, **changes: tuple[float, float]) -> DifficultyScale:
    parts: dict[str, Any] = {name: Percentiles(p90=p90, p98=p98) for name in NAMES}
    parts |= {name: Percentiles(p90=a, p98=b) for name, (a, b) in changes.items()}
    return DifficultyScale(**parts)


class TestWorkedExamples:
    """Counts and percentiles are one less than a power of two, so that each normalised count
    ``log1p(x) / log1p(p90)`` is a simple fraction."""

    def test_nothing_at_all(self) -> None:
        # All parts are 0, raw = 0: 100 / (1 + e^3.08)
        assert difficulty(features(0), scale(3, 3)) == pytest.approx(4.394, abs=5e-4)

    def test_every_count_at_half_of_the_scale(self) -> None:
        # log1p(1) / log1p(3) = 1/2. The weights add up to 1.00, those of the products to 0.23:
        # raw = 0.5 + 0.115 = 0.615, no bonus: 100 / (1 + e^(4.4 * 0.085))
        assert difficulty(features(1), scale(3, 3)) == pytest.approx(40.7575, abs=5e-4)

    def test_every_count_at_the_90th_percentile(self) -> None:
        # raw = 1.00 + 0.23 + 0.05 + 0.03 + 0.02 = 1.33: 100 / (1 + e^(-4.4 * 0.63))
        assert difficulty(features(3), scale(3, 3)) == pytest.approx(94.1144, abs=5e-4)

    def test_counts_beyond_all_measure_are_cut_off(self) -> None:
        # The cap is log1p(15) / log1p(3) + 0.25 = 2.25: raw = 2.25 * 1.23 + 0.10 = 2.8675,
        # 100 / (1 + e^-9.537) = 99.993, which is clipped.
        assert difficulty(features(1e9), scale(3, 15)) == 99.0
        # One feature alone: 0.19 * 2.25 = 0.4275, and no product: 100 / (1 + e^(4.4 * 0.2725))
        alone = difficulty(features(0, evidence_files=1e9), scale(3, 15))
        assert alone == pytest.approx(23.165, abs=5e-4)

    def test_a_mixed_task(self) -> None:
        # files 3 of 3: 1; modalities 1 of 3: .5; types 0; items 7 of 7: 1; steps 1 of 3: .5;
        # question 3 of 15: .5; answer 15 of 15: 1; span 7 of 63: .5
        counts = features(
            evidence_files=3,
            modality_count=1,
            file_type_count=0,
            evidence_items=7,
            reasoning_steps=1,
            question_tokens=3,
            answer_tokens=15,
            time_span_days=7,
        )
        measure = scale(
            3,
            3,
            evidence_items=(7, 7),
            question_tokens=(15, 15),
            answer_tokens=(15, 15),
            time_span_days=(63, 63),
        )
        # .19 + .05 + 0 + .18 + .10 + .05 + .07 + .04 = .68; products .10 * sqrt(.5) = .070711,
        # .07 * 0, .06 * sqrt(.5) = .042426; two hard axes (files, items): .05.
        # raw = .843137: 100 / (1 + e^(-4.4 * .143137))
        assert difficulty(counts, measure) == pytest.approx(65.2445, abs=5e-4)


@pytest.mark.parametrize(
    ("hard", "bonus"),
    [
        (("evidence_files",), 0.0),
        (("evidence_files", "evidence_items"), 0.05),
        (("evidence_files", "evidence_items", "reasoning_steps"), 0.08),
        (("question_tokens",), 0.0),
        (("question_tokens", "answer_tokens"), 0.02),
    ],
)
def test_bonuses(hard: tuple[str, ...], bonus: float) -> None:
    weights = {
        "evidence_files": 0.19,
        "evidence_items": 0.18,
        "reasoning_steps": 0.20,
        "question_tokens": 0.10,
        "answer_tokens": 0.07,
    }
    raw = sum(weights[name] for name in hard) + bonus
    if {"evidence_files", "reasoning_steps"} <= set(hard):
        raw += 0.10
    expected = 100 / (1 + 2.718281828459045 ** (-4.4 * (raw - 0.70)))
    found = difficulty(features(0, **dict.fromkeys(hard, 3.0)), scale(3, 3))
    assert found == pytest.approx(expected)


counts = st.floats(0, 1e9, allow_nan=False)
any_features = st.builds(DifficultyFeatures, **dict.fromkeys(NAMES, counts))
percentiles = st.tuples(
    st.floats(1e-6, 1e6, allow_nan=False), st.floats(1e-6, 1e6, allow_nan=False)
).map(lambda pair: Percentiles(p90=min(pair), p98=max(pair)))
any_scale = st.builds(DifficultyScale, **dict.fromkeys(NAMES, percentiles))


@given(any_features, any_scale)
@settings(deadline=None)
def test_scores_stay_in_bounds(counts: DifficultyFeatures, measure: DifficultyScale) -> None:
    assert 1.0 <= difficulty(counts, measure) <= 99.0


@given(any_features, any_scale, st.sampled_from(NAMES), counts)
@settings(deadline=None)
def test_more_of_anything_is_never_easier(
    counts: DifficultyFeatures, measure: DifficultyScale, name: str, more: float
) -> None:
    harder = counts.model_copy(update={name: getattr(counts, name) + more})
    assert difficulty(harder, measure) >= difficulty(counts, measure) - 1e-9


@given(st.lists(any_features, min_size=1, max_size=20))
@settings(deadline=None)
def test_any_benchmark_has_a_scale_that_scores_its_own_tasks(
    benchmark: list[DifficultyFeatures],
) -> None:
    measure = difficulty_scale(benchmark)
    assert measure is not None
    assert all(1.0 <= difficulty(one, measure) <= 99.0 for one in benchmark)


class TestScale:
    def test_percentiles_are_interpolated(self) -> None:
        # Of 0..10 the 90th percentile is 9, the 98th 9.8.
        measure = difficulty_scale(features(float(n)) for n in range(11))
        assert measure is not None
        assert measure.reasoning_steps.p90 == pytest.approx(9.0)
        assert measure.reasoning_steps.p98 == pytest.approx(9.8)

    def test_a_percentile_of_0_is_no_measure(self) -> None:
        measure = difficulty_scale([features(0)] * 50)
        assert measure is not None
        assert (measure.time_span_days.p90, measure.time_span_days.p98) == (1.0, 1.0)

    def test_a_benchmark_without_tasks_has_none(self) -> None:
        assert difficulty_scale([]) is None


def test_features_are_counted_from_the_gold() -> None:
    def record(path: str, modality: Any, day: int) -> FileRecord:
        return FileRecord(
            id=day,
            path=path,
            type=path.rpartition(".")[2],
            modality=modality,
            size=1,
            sha256="0" * 64,
            created=datetime(2024, 3, day),
            modified=datetime(2024, 3, day, 12),
        )

    files = {
        r.path: r
        for r in (record("a.txt", "text", 1), record("b.png", "image", 4), record("c", "text", 30))
    }
    task = Task(
        id="t",
        profile_id="demo/ann",
        question="Which bank, 银行?",
        answer="Nordea_1 it is",
        qa_type="factual_retention",
        files=("a.txt", "b.png", "gone.pdf"),
        evidence=(
            Evidence(evidence_id="1", file_path="a.txt", modality="text", text="x"),
            Evidence(evidence_id="2", file_path="a.txt", modality="text", text="y"),
        ),
        rationale=(RationaleStep(step_id=1, text="r", evidence_ids=("1",)),),
    )
    assert task_features(task, files) == DifficultyFeatures(
        evidence_files=3,
        modality_count=2,
        file_type_count=2,
        evidence_items=2,
        reasoning_steps=1,
        question_tokens=4,
        answer_tokens=3,
        time_span_days=3.5,
    )
