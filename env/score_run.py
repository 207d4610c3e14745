"""A finished run scored again, from its results and logs alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final, TypeVar

from deskgym.env.diagnose import diagnose
from deskgym.env.run_reader import (
    SCORES,
    TrajectoryError,
    episode_path,
    iter_results,
    iter_scores,
    read_config,
    read_episode,
)
from deskgym.env.trajectory import (
    EpisodeEnd,
    EpisodeResult,
    EpisodeScore,
    EpisodeStart,
    Event,
    EvidenceScores,
    Scores,
    StepEvent,
)
from deskgym.tasks.scoring import file_scores, score_answer
from deskgym.tasks.scoring.bleu import Bleu, bleu_available, bleu_scorer
from deskgym.tasks.scoring.difficulty import difficulty
from deskgym.tasks.scoring.models import DifficultyScale, JudgeVerdict

CORRECT_FROM: Final = 0.5
"""The lexical score from which an answer counts as right where no judge speaks."""
_BATCH: Final = 256
"""Episodes that are in memory, and before the judge, at a time."""

JudgeResults = Callable[[Sequence[EpisodeResult]], Iterable[JudgeVerdict | None]]
"""Says of each result, in order, what a judge said; None: it was not asked."""
_T = TypeVar("_T")


def score_run(
    run: Path, *, judge: JudgeResults | None = None, bleu: bool = True, logs: bool = True
) -> Iterator[EpisodeScore]:
    """The scores of the episodes of the run in the folder ``run``, in the order of its results.

    Answers and files are scored anew from the texts and paths in the results, the difficulty from
    the task's counts and the run's scale. What was shown of the gold evidence is counted again in
    the log; the other evidence scores stand as they were made, since they need the gold units
    themselves, which a run does not hold. With ``logs``, latency, tool use and diagnosis come from
    the log; without it, or where an episode has none, they are left out. ``bleu`` is left out too
    if sacrebleu is not installed.

    Raises:
        TrajectoryError: there is no run, or its results or a log cannot be read.
    """
    scale = read_config(run).difficulty_scale
    bleu_of = bleu_scorer() if bleu and bleu_available() else None
    for batch in batches(iter_results(run), _BATCH):
        verdicts = judge(batch) if judge is not None else [None] * len(batch)
        for result, verdict in zip(batch, verdicts, strict=True):
            events = _events(run, result) if logs else None
            yield score_episode(result, events, scale=scale, bleu=bleu_of, verdict=verdict)


def score_episode(
    result: EpisodeResult,
    events: Sequence[Event] | None,
    *,
    scale: DifficultyScale | None = None,
    bleu: Bleu | None = None,
    verdict: JudgeVerdict | None = None,
) -> EpisodeScore:
    """One episode's scores; ``events`` are its log, None if there is none."""
    scores = Scores(
        answer=score_answer(result.answer, result.gold_answer, answerable=result.answerable),
        files_cited=file_scores(result.cited_files, result.gold_files),
        files_touched=file_scores(result.touched_files, result.gold_files),
        evidence=_evidence(result, events),
    )
    correct = is_correct(scores, verdict)
    timing = _timing(events or ())
    return EpisodeScore(
        task_id=result.task_id,
        profile_id=result.profile_id,
        agent=result.agent,
        scores=scores,
        bleu=bleu(result.answer, result.gold_answer) if bleu is not None else None,
        judge=verdict,
        correct=correct,
        difficulty=difficulty(result.features, scale) if scale is not None else None,
        diagnosis=diagnose(events, result, correct=correct) if events else None,
        seconds=timing.seconds,
        env_seconds=timing.env_seconds,
        model_seconds=result.use.seconds if result.use is not None else None,
        tool_uses=timing.tool_uses,
    )


def is_correct(scores: Scores, verdict: JudgeVerdict | None) -> bool | None:
    """The judge's word if one was asked (None if it left the answer unscored), else whether the
    lexical score reaches `CORRECT_FROM`."""
    if verdict is not None:
        return verdict.correct if verdict.status == "scored" else None
    return scores.answer.score >= CORRECT_FROM


@dataclass(frozen=True)
class _Timing:
    seconds: float | None
    env_seconds: float | None
    tool_uses: dict[str, int]


def elapsed_s(events: Sequence[Event]) -> float | None:
    """Seconds from an episode's start to its end, by the clock; None if the log lacks one."""
    start = next((e.started for e in events if isinstance(e, EpisodeStart)), None)
    end = next((e.finished for e in events if isinstance(e, EpisodeEnd)), None)
    if start is None or end is None:
        return None
    # A clock that is set back in between is no reason for less than nothing.
    return max((end - start).total_seconds(), 0.0)


def _timing(events: Sequence[Event]) -> _Timing:
    steps = [e for e in events if isinstance(e, StepEvent)]
    return _Timing(
        seconds=elapsed_s(events),
        env_seconds=sum(step.duration_s for step in steps) if events else None,
        tool_uses=dict(sorted(Counter(s.action.tool for s in steps if s.action).items())),
    )


def _evidence(result: EpisodeResult, events: Sequence[Event] | None) -> EvidenceScores | None:
    stored, units = result.scores.evidence, result.features.evidence_items
    if stored is None or not events or not units:
        return stored
    shown = {x.evidence_id for e in events if isinstance(e, StepEvent) for x in e.exposed}
    return stored.model_copy(update={"exposed_recall": min(len(shown) / units, 1.0)})


def _events(run: Path, result: EpisodeResult) -> list[Event] | None:
    log = episode_path(run, result.agent, result.profile_id, result.task_id)
    if not log.exists():
        return None
    events = read_episode(log)
    if not events or not isinstance(events[-1], EpisodeEnd):
        raise TrajectoryError(
            f"{log} has no end, though {result.task_id} has a result; mend it, delete it, or "
            "score without logs"
        )
    return events


def batches(items: Iterable[_T], size: int) -> Iterator[list[_T]]:
    """``items`` in lists of ``size``, the last one shorter."""
    source = iter(items)
    while batch := list(islice(source, size)):
        yield batch


def scored_results(
    run: Path, *, logs: bool = True, bleu: bool = True
) -> Iterator[tuple[EpisodeResult, EpisodeScore]]:
    """Each result of a run with its scores: those of ``scores.jsonl``, else made now, of which
    ``logs`` and ``bleu`` say how much.

    Raises:
        TrajectoryError: as `score_run`; or the scores there are of other episodes.
    """
    if not (run / SCORES).exists():
        yield from zip(iter_results(run), score_run(run, logs=logs, bleu=bleu), strict=True)
        return
    scores = {(s.agent, s.profile_id, s.task_id): s for s in iter_scores(run)}
    for result in iter_results(run):
        score = scores.get((result.agent, result.profile_id, result.task_id))
        if score is None:
            raise TrajectoryError(
                f"{run / SCORES} does not hold {result.task_id} by {result.agent}, which was "
                f"played since; run: deskgym score {run}"
            )
        yield result, score
