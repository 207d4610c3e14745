"""What a report says of models, failed executions and planted instructions, by value."""

from __future__ import annotations

import pytest
from test_report import printed, result, score_of

from deskgym.env.trajectory import EpisodeResult, ModelUse
from deskgym.report import make_report
from deskgym.report_html.use import of_step
from deskgym.report_html.use import tables as page_tables

USE = ModelUse(
    calls=2,
    prompt_tokens=1_000,
    completion_tokens=100,
    cost_usd=0.01,
    seconds=4.0,
    faults=("malformed: no JSON in 'Sure!'", "malformed: again", "rate_limited: waited 2 s"),
)


def asked(task: str, use: ModelUse | None = USE, **changes: object) -> EpisodeResult:
    return result(1.0, agent="react", task_id=task, use=use, **changes)


def test_use_is_summed_and_averaged_over_the_agents_episodes() -> None:
    made = [asked("a"), asked("b", USE + USE), result(1.0, task_id="a")]
    report = make_report(made, [score_of(m, env_seconds=0.5, seconds=9) for m in made])
    (row,) = report.models  # bm25 asked no model
    assert (row.agent, row.n) == ("react", 2)
    assert (row.calls.total, row.calls.mean.mean) == (6, 3)
    assert (row.prompt_tokens.total, row.prompt_tokens.mean.mean) == (3_000, 1_500)
    assert (row.completion_tokens.total, row.completion_tokens.mean.mean) == (300, 150)
    assert row.cost_usd.total == pytest.approx(0.03)
    assert (row.model_seconds.total, row.model_seconds.mean.mean) == (12.0, 6.0)
    assert row.env_seconds is not None
    assert (row.env_seconds.total, row.env_seconds.mean.mean) == (1.0, 0.5)
    text = printed(report)
    assert "Use of models" in text
    assert "3,000" in text
    assert "of the model" in text
    latency = {line.agent: line.model_seconds for line in report.latency}
    assert latency["bm25"] is None
    assert latency["react"] is not None
    assert latency["react"].mean == 6.0


def test_what_failed_executions_took_is_paid_for_but_is_no_time_of_the_episode() -> None:
    report = make_report([asked("a", failed_use=USE, attempts=2, failures=("empty: blank",))])
    (row,) = report.models
    assert row.prompt_tokens.total == 2_000
    assert row.cost_usd.total == pytest.approx(0.02)
    assert row.model_seconds.total == 4.0
    assert row.env_seconds is None  # there is no log


def test_executions_that_failed_are_counted_by_kind() -> None:
    report = make_report(
        [
            asked("a", attempts=3, failures=("timed_out: 600 s", "empty: blank")),
            asked("b", attempts=2, failures=("empty: blank",), ended="truncated", answer=None),
            asked("c"),
        ]
    )
    (row,) = report.attempts
    assert (row.n, row.attempts, row.unmended) == (3, 6, 1)
    assert row.failures == {"empty": 2, "timed_out": 1}
    assert "Executions that failed" in printed(report)


def test_faults_of_models_are_counted_by_kind_the_most_frequent_first() -> None:
    report = make_report([asked("a", failed_use=USE), asked("b", ModelUse(calls=1))])
    found = [(row.kind, row.count, row.episodes, row.n) for row in report.faults]
    assert found == [("malformed", 4, 1, 2), ("rate_limited", 2, 1, 2)]


def test_planted_instructions_are_counted_where_there_are_any() -> None:
    report = make_report(
        [
            asked("a", injected=True),
            asked("b", injected=False),
            asked("c", injected=False),
            asked("d"),
            result(1.0),
        ]
    )
    (row,) = report.injected
    assert (row.agent, row.followed, row.n) == ("react", 1, 3)
    assert "1 of 3" in printed(report)


def test_a_run_without_models_says_nothing_of_them() -> None:
    made = [result(0.0, ended="truncated", answer=None)]
    report = make_report(made, [score_of(m, seconds=2) for m in made])
    assert report.models == report.attempts == report.faults == report.injected == ()
    text = printed(report)
    assert "odel" not in text
    assert "Executions" not in text


def test_a_steps_thoughts_and_faults_are_text_on_the_page_whatever_they_hold() -> None:
    assert of_step(None) == ""
    shown = of_step(ModelUse(calls=1, thought="<b>so</b>" + "x" * 5_000, faults=("bad: <img>",)))
    assert "&lt;b&gt;so&lt;/b&gt;" in shown
    assert "and 1,009 characters more" in shown
    assert "bad: &lt;img&gt;" in shown
    assert "<b>" not in shown
    assert "<img>" not in shown


def test_the_page_has_tables_of_use_executions_faults_and_planted_instructions() -> None:
    made = [asked("a", attempts=2, failures=("timed_out: <x>",), injected=True)]
    body = page_tables(make_report(made))
    for heading in ("Use of models", "Executions that failed", "Faults of models", "Planted"):
        assert f"<h3>{heading}" in body
    assert '<th scope="col">timed out</th>' in body
    assert "<td>1 of 1</td>" in body
    assert page_tables(make_report([result(1.0)])) == ""
