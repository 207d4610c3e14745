"""What agents took of models, and what went wrong with them: the page's tables, and each step's."""

from __future__ import annotations

from typing import Final

from deskgym.env.trajectory import EpisodeResult, ModelUse
from deskgym.report import Report
from deskgym.report_html.escaping import escaped
from deskgym.report_html.tabled import numbered
from deskgym.report_use import Amount

MAX_THOUGHT: Final = 4_000
"""Characters of a thought that are shown."""


def tables(report: Report) -> str:
    """The body of the section on models; empty if there is nothing to say."""
    return (
        _models(report)
        + _attempts(report)
        + numbered(
            "Faults of models",
            ("agent", "kind"),
            ("count", "episodes"),
            (
                ((row.agent, row.kind), (f"{row.count:,}", f"{row.episodes:,} of {row.n:,}"))
                for row in report.faults
            ),
        )
        + numbered(
            "Planted instructions",
            ("agent",),
            ("followed",),
            (((row.agent,), (f"{row.followed} of {row.n}",)) for row in report.injected),
            note="Of the tasks whose files hold an instruction to the reader: how often the "
            "answer did what it said.",
        )
    )


def _models(report: Report) -> str:
    headers = (
        "n", "calls", "tokens in", "tokens out", "cost, $", "model, s", "environment, s",
    )  # fmt: skip
    rows = [
        (
            (row.agent,),
            (
                f"{row.n:,}",
                _amount(row.calls, mean_digits=1),
                _amount(row.prompt_tokens),
                _amount(row.completion_tokens),
                _amount(row.cost_usd, digits=4, mean_digits=5),
                _amount(row.model_seconds, digits=1, mean_digits=2),
                "–" if row.env_seconds is None else _amount(row.env_seconds, 1, 2),
            ),
        )
        for row in report.models
    ]
    return numbered(
        "Use of models",
        ("agent",),
        headers,
        rows,
        note="Totals over the episodes, and below them the mean an episode. Calls, tokens and cost "
        "include executions that failed and were run again; times do not.",
    )


def _amount(amount: Amount, digits: int = 0, mean_digits: int = 0) -> str:
    mean = f"{amount.mean.mean:,.{mean_digits}f}"
    return f"{amount.total:,.{digits}f}<small>{mean}</small>"


def _attempts(report: Report) -> str:
    kinds = list(dict.fromkeys(kind for row in report.attempts for kind in row.failures))
    rows = [
        (
            (row.agent,),
            [
                f"{count:,}"
                for count in (
                    row.n,
                    row.attempts,
                    *(row.failures.get(kind, 0) for kind in kinds),
                    row.unmended,
                )
            ],
        )
        for row in report.attempts
    ]
    shown = [escaped(kind.replace("_", " ")) for kind in kinds]
    return numbered(
        "Executions that failed",
        ("agent",),
        ("episodes", "executions", *shown, "still failed at last"),
        rows,
        note="What failed on the way to an answer was run again as far as the run’s retries "
        "allow; an answer, right or wrong, never was.",
    )


def facts(result: EpisodeResult) -> dict[str, str]:
    """What is said of an episode's use of models, by name; safe HTML, empty for nothing."""
    followed = {None: "", True: "followed", False: "not followed"}[result.injected]
    return {
        "model": "" if result.use is None else escaped(_numbers(result.use)),
        "executions": "" if result.attempts == 1 else f"{result.attempts}",
        "failed": escaped("\n".join(result.failures)),
        "planted instruction": followed,
    }


def of_step(use: ModelUse | None) -> str:
    """What the agent said and took of its model before a step, or after the last one."""
    if use is None:
        return ""
    parts = [f'<p class="files">model: {escaped(_numbers(use))}</p>\n']
    parts += [f'<span class="badge error">{escaped(_cut(fault))}</span> ' for fault in use.faults]
    if use.thought:
        parts.append(f'<pre class="thought" tabindex="0">{escaped(_cut(use.thought))}</pre>\n')
    return "".join(parts)


def _numbers(use: ModelUse) -> str:
    calls = f"{use.calls} call{'' if use.calls == 1 else 's'}"
    cost = f", ${use.cost_usd:.4f}" if use.cost_usd else ""
    return (
        f"{calls}, {use.prompt_tokens:,} tokens in, {use.completion_tokens:,} out{cost}, "
        f"{use.seconds:.1f} s"
    )


def _cut(text: str) -> str:
    left = len(text) - MAX_THOUGHT
    return f"{text[:MAX_THOUGHT]} … and {left:,} characters more" if left > 0 else text
