"""What a report keeps of each episode: its numbers, without the texts.

A run's results and scores are read one at a time, so that a long run needs little memory.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from deskgym.agents.attempts import failure_kind, failure_of
from deskgym.env.trajectory import EpisodeResult, EpisodeScore, ModelUse, Scores
from deskgym.tasks.schema import Capabilities
from deskgym.tasks.scoring.levels import TRAIT, level_in
from deskgym.tasks.scoring.models import Diagnosis, JudgeVerdict

Key = tuple[str, str, str]
"""Agent, profile id and task id: what names an episode within a run."""

SHORT: Final = 160
"""Characters of a question that are kept."""


class ReportError(ValueError):
    """A run that no report can be made of as it stands; says what to do."""


@dataclass(frozen=True, slots=True)
class Spent:
    """What an episode took of models, in all its executions."""

    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float


@dataclass(frozen=True, slots=True)
class Case:
    """One episode of a run. What ``deskgym score`` derives is None where it was not asked."""

    task_id: str
    profile: str
    agent: str
    family: str
    labels: tuple[str, ...]
    capabilities: Capabilities
    answerable: bool
    ended: str
    steps: int
    invalid_actions: int
    question: str
    coverage: tuple[float, ...]
    scores: Scores
    has_score: bool = False
    correct: bool | None = None
    judge: JudgeVerdict | None = None
    bleu: float | None = None
    difficulty: float | None = None
    diagnosis: Diagnosis | None = None
    seconds: float | None = None
    env_seconds: float | None = None
    model_seconds: float | None = None
    tool_uses: tuple[tuple[str, int], ...] = ()
    spent: Spent | None = None
    faults: tuple[tuple[str, int], ...] = ()
    attempts: int = 1
    failures: tuple[str, ...] = ()
    failed: bool = False
    injected: bool | None = None
    trait: tuple[float, float | None] | None = None
    """Of a question about a trait: the gold level and the one answered."""

    @classmethod
    def of(cls, result: EpisodeResult) -> Case:
        """The case of a result that has not been scored anew."""
        question = result.question
        return cls(
            task_id=result.task_id,
            profile=result.profile_id,
            agent=result.agent,
            family=result.family,
            labels=result.labels,
            capabilities=result.capabilities,
            answerable=result.answerable,
            ended=result.ended,
            steps=result.steps,
            invalid_actions=result.invalid_actions,
            question=question if len(question) <= SHORT else f"{question[: SHORT - 1]}…",
            coverage=result.coverage,
            scores=result.scores,
            model_seconds=result.use.seconds if result.use is not None else None,
            spent=_spent(result),
            faults=_faults(result),
            attempts=result.attempts,
            failures=tuple(failure_kind(failure) for failure in result.failures),
            failed=failure_of(result) is not None,
            injected=result.injected,
            trait=_trait(result),
        )

    def scored(self, score: EpisodeScore) -> Case:
        """The case with what was derived of its episode."""
        verdict = score.judge
        if verdict is not None and verdict.reason:
            verdict = verdict.model_copy(update={"reason": verdict.reason[:SHORT]})
        return replace(
            self,
            has_score=True,
            scores=score.scores,
            correct=score.correct,
            judge=verdict,
            bleu=score.bleu,
            difficulty=score.difficulty,
            diagnosis=score.diagnosis,
            seconds=score.seconds,
            env_seconds=score.env_seconds,
            tool_uses=tuple(score.tool_uses.items()),
        )

    @property
    def key(self) -> Key:
        """What names the episode."""
        return (self.agent, self.profile, self.task_id)

    @property
    def unscored(self) -> bool:
        """Whether a judge was to say if the answer is right, and could not."""
        return self.has_score and self.correct is None


def _trait(result: EpisodeResult) -> tuple[float, float | None] | None:
    if result.family != TRAIT or (gold := level_in(result.gold_answer)) is None:
        return None
    return gold, level_in(result.answer)


def _spent(result: EpisodeResult) -> Spent | None:
    if result.use is None and result.failed_use is None:
        return None
    both = (result.use or ModelUse()) + (result.failed_use or ModelUse())
    return Spent(both.calls, both.prompt_tokens, both.completion_tokens, both.cost_usd)


def _faults(result: EpisodeResult) -> tuple[tuple[str, int], ...]:
    """The faults of models by kind, in all executions."""
    uses = [use for use in (result.use, result.failed_use) if use is not None]
    return tuple(Counter(failure_kind(fault) for use in uses for fault in use.faults).items())


def make_cases(
    results: Iterable[EpisodeResult], scores: Iterable[EpisodeScore] | None = None
) -> list[Case]:
    """The cases of ``results``, in their order, with what ``scores`` say of each.

    Raises:
        ReportError: there are scores, but not exactly one for each result.
    """
    cases = {case.key: case for case in map(Case.of, results)}
    if scores is None:
        return list(cases.values())
    found = 0
    for score in scores:
        key = (score.agent, score.profile_id, score.task_id)
        case = cases.get(key)
        if case is None or case.has_score:
            raise ReportError(
                f"there is a score too many, of {' on '.join(key[:2])}, task {key[2]}; "
                "run 'deskgym score' on the run again"
            )
        cases[key] = case.scored(score)
        found += 1
    if found != len(cases):
        raise ReportError(
            f"{found} of {len(cases)} episodes have a score; run 'deskgym score' on the run again"
        )
    return list(cases.values())


def read_cases(run: Path) -> list[Case]:
    """The cases of the run in the folder ``run``, with the scores that stand in it, or else with
    scores made now and kept nowhere.

    Raises:
        TrajectoryError: there is no run, or a file of it cannot be read.
        ReportError: the scores are not of these results.
    """
    from deskgym.env.run_reader import SCORES, iter_results, iter_scores, read_config
    from deskgym.env.score_run import score_run

    read_config(run)  # says so if this is no run
    kept = (run / SCORES).exists()
    return make_cases(iter_results(run), iter_scores(run) if kept else score_run(run, bleu=False))


def judge_line(cases: Iterable[Case]) -> str:
    """How the answers were compared with the gold ones, as tables say it."""
    judges: dict[str, None] = {}
    unscored = 0
    for case in cases:
        if case.judge is not None:
            judges.setdefault(f"{case.judge.model} ({case.judge.rubric})")
        unscored += case.unscored
    if not judges:
        return LEXICAL
    return f"{', '.join(judges)}, {unscored} unscored"


LEXICAL: Final = "lexical"
