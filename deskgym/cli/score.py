"""`deskgym score`: a run scored again, or the results of other agents."""

from __future__ import annotations

import json as json_module
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from deskgym.env.foreign import ForeignGroup, ForeignResult
    from deskgym.env.trajectory import EpisodeResult, EpisodeScore
    from deskgym.tasks.scoring.judge import Judge
    from deskgym.tasks.scoring.models import JudgeVerdict


class RubricName(StrEnum):
    auto = "auto"
    graded = "graded"
    strict = "strict"


@dataclass(frozen=True)
class JudgeOptions:
    """What the command line says of the judge."""

    model: str
    base_url: str | None
    rubric: RubricName
    concurrency: int
    price_in: float
    price_out: float
    cache: bool


def register(app: typer.Typer) -> None:
    app.command()(score)


def score(
    target: Annotated[
        Path,
        typer.Argument(metavar="RUN|FILE", help="A run's folder, or results in HippoCamp's shape."),
    ],
    judge_model: Annotated[
        str | None, typer.Option(help="The model that judges answers. Default: none does.")
    ] = None,
    base_url: Annotated[
        str | None, typer.Option(help="The judge's OpenAI-compatible endpoint.")
    ] = None,
    rubric: Annotated[
        RubricName,
        typer.Option(help="graded: 0 to 5; strict: right or wrong; auto: strict for rhelm."),
    ] = RubricName.auto,
    concurrency: Annotated[int, typer.Option(min=1, help="Requests at a time.")] = 8,
    price_in: Annotated[
        float, typer.Option(min=0, help="USD for a million tokens that the judge reads.")
    ] = 0.0,
    price_out: Annotated[
        float, typer.Option(min=0, help="USD for a million tokens that the judge writes.")
    ] = 0.0,
    no_cache: Annotated[
        bool, typer.Option("--no-cache", help="Ask even what was judged before.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="For a script.")] = False,
) -> None:
    """Score a finished run again, with today's scores and, if asked, a judge.

    Writes RUN/scores.jsonl, which reports and comparisons then use; results.jsonl stays as it is.
    Of a FILE (JSON or JSON lines with query_id, question, answer, ground_truth, ground_file_list,
    agent_file_list, time_ms) it shows the averages.
    """
    options = None
    if judge_model is not None:
        options = JudgeOptions(
            judge_model, base_url, rubric, concurrency, price_in, price_out, cache=not no_cache
        )
    elif base_url is not None or rubric is not RubricName.auto:
        raise typer.BadParameter("--base-url and --rubric go with --judge-model")
    if target.is_dir():
        _score_run(target, options, json=json)
    elif target.exists():
        _score_file(target, options, json=json)
    else:
        raise typer.BadParameter(f"{target} is neither a run's folder nor a file")


def _score_run(run: Path, options: JudgeOptions | None, *, json: bool) -> None:
    from deskgym.cli.report import show
    from deskgym.env.run_reader import iter_results, read_config
    from deskgym.env.score_run import score_run
    from deskgym.env.trajectory_log import write_scores
    from deskgym.report import report_of
    from deskgym.report_cases import read_cases

    config = read_config(run)
    _say_if_no_bleu()
    with ExitStack() as stack:
        judge = ask = None
        if options is not None:
            judge = stack.enter_context(_judge(options, config.dataset))
            tell = stack.enter_context(_progress(sum(1 for _ in iter_results(run))))
            ask = _asking(judge, tell)
        write_scores(run, _saying_what_lacks(score_run(run, judge=ask)))
    usage = _usage(judge, options)
    report = report_of(read_cases(run))
    if json:
        facts = {"run": str(run), **report.as_json()}
        print(json_module.dumps(facts | ({"judge_usage": usage} if usage else {}), indent=2))
    else:
        show(report)


def _score_file(file: Path, options: JudgeOptions | None, *, json: bool) -> None:
    from deskgym.env.foreign import foreign_groups, read_foreign, score_foreign
    from deskgym.tasks.scoring.bleu import bleu_available, bleu_scorer

    results = read_foreign(file)
    _say_if_no_bleu()
    bleu = bleu_scorer() if bleu_available() else None
    verdicts: Sequence[JudgeVerdict | None] = [None] * len(results)
    judge = None
    if options is not None:
        with _judge(options, "") as judge, _progress(len(results)) as tell:
            verdicts = _judge_file(judge, results, tell)
    scores = [
        score_foreign(result, bleu=bleu, verdict=verdict)
        for result, verdict in zip(results, verdicts, strict=True)
    ]
    usage, groups = _usage(judge, options), foreign_groups(scores)
    if json:
        facts: dict[str, Any] = {
            "file": str(file),
            "judge": _judge_name(judge),
            "groups": [group.model_dump(mode="json") for group in groups],
        }
        print(json_module.dumps(facts | ({"judge_usage": usage} if usage else {}), indent=2))
    else:
        _show_groups(groups, judge=_judge_name(judge))


def _judge(options: JudgeOptions, dataset: str) -> Judge:
    """The judge that was asked for, not yet entered."""
    from deskgym.tasks.scoring.judge import Judge

    strict = options.rubric is RubricName.strict
    strict = strict or (options.rubric is RubricName.auto and dataset == "rhelm")
    return Judge(
        options.model,
        base_url=options.base_url,
        rubric="strict" if strict else "graded",
        cache="default" if options.cache else None,
        concurrency=options.concurrency,
    )


def _asking(
    judge: Judge, tell: Callable[[int], None]
) -> Callable[[Sequence[EpisodeResult]], Iterable[JudgeVerdict]]:
    """Asks the judge about a batch of results; it sees question, gold and answer alone."""
    from deskgym.tasks.scoring.judge_rubric import JudgeItem

    done = 0

    def ask(results: Sequence[EpisodeResult]) -> Iterable[JudgeVerdict]:
        nonlocal done
        items = [
            JudgeItem(question=r.question, gold=r.gold_answer, prediction=r.answer) for r in results
        ]
        before = done
        verdicts = judge.verdicts(items, lambda judged, _: tell(before + judged))
        done += len(items)
        return verdicts

    return ask


def _judge_file(
    judge: Judge, results: Sequence[ForeignResult], tell: Callable[[int], None]
) -> list[JudgeVerdict | None]:
    """A verdict for each record; None where there is no gold answer to judge by."""
    from deskgym.tasks.scoring.judge_rubric import JudgeItem

    judged = [(n, r, r.ground_truth) for n, r in enumerate(results) if r.ground_truth is not None]
    items = [
        JudgeItem(question=result.question, gold=gold, prediction=result.answer)
        for _, result, gold in judged
    ]
    verdicts: list[JudgeVerdict | None] = [None] * len(results)
    found = judge.verdicts(items, lambda done, _: tell(done))
    for (n, _, _), verdict in zip(judged, found, strict=True):
        verdicts[n] = verdict
    return verdicts


def _saying_what_lacks(scores: Iterable[EpisodeScore]) -> Iterator[EpisodeScore]:
    """``scores`` as they are; at the end it says how many episodes had no log."""
    logless = 0
    for score in scores:
        logless += score.env_seconds is None
        yield score
    if logless:
        print(
            f"deskgym: {logless} episodes have no log, and so no latency, tool use or diagnosis",
            file=sys.stderr,
        )


def _say_if_no_bleu() -> None:
    from deskgym.tasks.scoring.bleu import bleu_available

    if not bleu_available():
        print(
            "deskgym: BLEU is left out; it needs sacrebleu: pip install 'deskgym[scores]'",
            file=sys.stderr,
        )


def _usage(judge: Judge | None, options: JudgeOptions | None) -> dict[str, Any] | None:
    """What judging took, said on standard error; None if nobody judged."""
    if judge is None or options is None:
        return None
    usage = judge.usage
    cost = usage.cost(options.price_in, options.price_out)
    priced = options.price_in > 0 or options.price_out > 0
    print(
        f"judge: {usage.calls} requests ({usage.retries} repeated), {usage.cached} known before, "
        f"{usage.prompt_tokens} tokens read, {usage.completion_tokens} written, "
        + (f"{cost:.4f} USD" if priced else "cost unknown (--price-in, --price-out)"),
        file=sys.stderr,
    )
    return {**asdict(usage), "cost_usd": cost if priced else None}


def _judge_name(judge: Judge | None) -> str:
    return f"{judge.model} ({judge.rubric})" if judge is not None else "lexical"


class _progress:  # noqa: N801  # used like a function
    """A bar of answers judged on standard error; nothing where that is no terminal."""

    def __init__(self, total: int) -> None:
        from rich.console import Console
        from rich.progress import Progress

        self._bar = Progress(console=Console(stderr=True), disable=not sys.stderr.isatty())
        self._row = self._bar.add_task("judging", total=total)

    def __enter__(self) -> Callable[[int], None]:
        self._bar.start()
        return lambda done: self._bar.update(self._row, completed=done)

    def __exit__(self, *_: object) -> None:
        self._bar.stop()


def _show_groups(groups: Sequence[ForeignGroup], *, judge: str) -> None:
    from deskgym.cli.wide import wide_console
    from deskgym.report_tables import plain_table

    judged = judge != "lexical"
    lexical = ("n", "score", "exact", "token F1", "ROUGE-L", "BLEU", "abstained")
    by_judge = ("accuracy", "grade", "unscored") if judged else ()
    answers = plain_table(f"Answers (judge: {judge})", ("QA type",), lexical + by_judge)
    averages = ("n", "precision", "recall\n= hit rate", "F1", "ms")
    files = plain_table("Files, as HippoCamp averages them", ("QA type",), averages)
    for group in groups:
        mean, found = group.answers, ("score", "exact_match", "token_f1", "rouge_l", "bleu")
        row = [str(mean.n), *(_cell(group, name, getattr(mean, name)) for name in found)]
        row.append(str(mean.abstained))
        if judged:
            row += [_cell(group, name, getattr(mean, name)) for name in ("accuracy", "mean_grade")]
            row.append(str(mean.unscored))
        answers.add_row(group.group, *row)
        names = ("average_precision", "average_recall", "average_f1_score")
        cells = [_cell(group, name, getattr(group.files, name)) for name in names]
        time = "-" if group.mean_time_ms is None else f"{group.mean_time_ms:.0f}"
        files.add_row(group.group, str(group.files.total_evaluated), *cells, time)
    console = wide_console([answers, files])
    console.print(answers)
    console.print()
    console.print(files)
    console.print("\nbelow each mean: its 95% bootstrap interval", style="dim", highlight=False)


def _cell(group: ForeignGroup, name: str, mean: float | None) -> str:
    if mean is None:
        return "-"
    low, high = group.intervals[name]
    return f"{mean:.3f}\n{low:.2f}-{high:.2f}"
