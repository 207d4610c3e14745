"""Why a wrong answer is wrong, from an episode's log and result."""

from __future__ import annotations

from collections.abc import Sequence

from deskgym.env.actions import Answer
from deskgym.env.trajectory import EpisodeEnd, EpisodeResult, Event, StepEvent
from deskgym.tasks.scoring.diagnosis import (
    Citation,
    EpisodeFacts,
    GoldFile,
    Observation,
    diagnose_facts,
)
from deskgym.tasks.scoring.models import Diagnosis


def diagnose(
    events: Sequence[Event], result: EpisodeResult, *, correct: bool | None
) -> Diagnosis | None:
    """The failure of an episode that ended with ``result``, of which ``events`` is the log.

    The rules are those of `deskgym.tasks.scoring.diagnosis`. A correct answer has no failure. None
    if the answer is unscored (``correct`` is None), or if the log is missing or has no end, as what
    became of the citations is not known then.
    """
    end = next((event for event in reversed(events) if isinstance(event, EpisodeEnd)), None)
    if correct is None or end is None:
        return None
    if correct:
        return Diagnosis(failure=None)
    return diagnose_facts(episode_facts(events, end, result))


def episode_facts(events: Sequence[Event], end: EpisodeEnd, result: EpisodeResult) -> EpisodeFacts:
    """What the log and the result say that a diagnosis needs. Texts are referred to, not read."""
    steps = [event for event in events if isinstance(event, StepEvent)]
    return EpisodeFacts(
        question=result.question,
        gold_answer=result.gold_answer,
        answerable=result.answerable,
        answer=end.answer,
        abstained=result.scores.answer.abstained,
        citations=tuple(
            Citation(
                path=check.cite.path,
                locator=str(check.cite.locator),
                exists=check.exists,
                in_range=check.in_range,
                quote_supported=check.quote_supported,
            )
            for check in end.citations
        ),
        gold=tuple(
            GoldFile(
                path=first.path,
                touched=min(
                    (step for step in (first.opened, first.returned) if step is not None),
                    default=None,
                ),
                exposed=first.exposed,
            )
            for first in end.first_steps
        ),
        # The log names only the units that were shown.
        units=int(result.features.evidence_items),
        observations=tuple(_observation(step) for step in steps if _observes(step)),
        last_step=steps[-1].step if steps else None,
    )


def _observes(step: StepEvent) -> bool:
    """Whether a step showed something of the desk. What was refused may echo the agent's words."""
    return step.action is not None and step.error is None and not isinstance(step.action, Answer)


def _observation(step: StepEvent) -> Observation:
    files = dict.fromkeys((*step.opened, *(piece.path for piece in step.returned)))
    return Observation(
        step=step.step,
        text=step.text,
        files=tuple(files),
        exposed=tuple(exposure.evidence_id for exposure in step.exposed),
    )
