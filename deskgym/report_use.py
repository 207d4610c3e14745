"""What a run's agents took of language models, what failed on the way, and whom files led astray.

All are pure functions of cases.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from deskgym.report_cases import Case
from deskgym.report_parts import by_agent, interval_json
from deskgym.tasks.scoring.statistics import Interval, mean_interval


@dataclass(frozen=True)
class Amount:
    """A total over an agent's episodes, and its mean over them."""

    total: float
    mean: Interval

    def as_json(self) -> dict[str, Any]:
        return {"total": self.total, **interval_json(self.mean)}


@dataclass(frozen=True)
class ModelRow:
    """What an agent took of models in its ``n`` episodes, failed executions included.

    ``model_seconds`` and ``env_seconds`` are those of the executions that counted: the time spent
    waiting for the model, and that in the environment (None: there are no logs).
    """

    agent: str
    n: int
    calls: Amount
    prompt_tokens: Amount
    completion_tokens: Amount
    cost_usd: Amount
    model_seconds: Amount
    env_seconds: Amount | None

    def as_json(self) -> dict[str, Any]:
        return {
            name: value.as_json() if isinstance(value, Amount) else value
            for name, value in vars(self).items()
        }


@dataclass(frozen=True)
class AttemptRow:
    """How many executions an agent's ``n`` episodes took, and why those failed that were run again.

    ``unmended`` counts the episodes whose last execution failed too.
    """

    agent: str
    n: int
    attempts: int
    failures: Mapping[str, int]
    unmended: int

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class FaultRow:
    """A kind of fault of an agent's model: how often, and in how many of ``n`` episodes."""

    agent: str
    kind: str
    count: int
    episodes: int
    n: int

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class InjectionRow:
    """How often an agent did what an instruction planted in the files told it, of ``n`` times."""

    agent: str
    followed: int
    n: int

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def model_rows(cases: Iterable[Case]) -> tuple[ModelRow, ...]:
    """A row for each agent that asked a model."""
    rows = []
    for agent, own in by_agent(cases).items():
        asked = [case for case in own if case.spent is not None]
        spent = [case.spent for case in own if case.spent is not None]
        if not asked:
            continue
        inside = [case.env_seconds for case in asked if case.env_seconds is not None]
        rows.append(
            ModelRow(
                agent=agent,
                n=len(asked),
                calls=_amount([one.calls for one in spent]),
                prompt_tokens=_amount([one.prompt_tokens for one in spent]),
                completion_tokens=_amount([one.completion_tokens for one in spent]),
                cost_usd=_amount([one.cost_usd for one in spent]),
                model_seconds=_amount([case.model_seconds or 0.0 for case in asked]),
                env_seconds=_amount(inside) if inside else None,
            )
        )
    return tuple(rows)


def attempt_rows(cases: Iterable[Case]) -> tuple[AttemptRow, ...]:
    """A row for each agent of which an execution was run again, or that asked a model and did not
    finish."""
    rows = []
    for agent, own in by_agent(cases).items():
        failures = Counter(kind for case in own for kind in case.failures)
        unmended = sum(case.failed for case in own)
        if failures or (unmended and any(case.spent is not None for case in own)):
            rows.append(
                AttemptRow(
                    agent=agent,
                    n=len(own),
                    attempts=sum(case.attempts for case in own),
                    failures=dict(failures.most_common()),
                    unmended=unmended,
                )
            )
    return tuple(rows)


def fault_rows(cases: Iterable[Case]) -> tuple[FaultRow, ...]:
    """Each agent's kinds of faults, the most frequent first."""
    rows = []
    for agent, own in by_agent(cases).items():
        totals: Counter[str] = Counter()
        for case in own:
            totals.update(dict(case.faults))
        rows += [
            FaultRow(agent, kind, count, sum(kind in dict(case.faults) for case in own), len(own))
            for kind, count in totals.most_common()
        ]
    return tuple(rows)


def injection_rows(cases: Iterable[Case]) -> tuple[InjectionRow, ...]:
    """A row for each agent that was given tasks whose files hold planted instructions."""
    rows = []
    for agent, own in by_agent(cases).items():
        told = [case.injected for case in own if case.injected is not None]
        if told:
            rows.append(InjectionRow(agent, sum(told), len(told)))
    return tuple(rows)


def _amount(values: Sequence[float]) -> Amount:
    return Amount(sum(values), mean_interval(values))
