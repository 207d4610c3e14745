"""`deskgym judge`: whether a person agrees with the model that judged a run's answers."""

from __future__ import annotations

import json as json_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.table import Table

    from deskgym.judge_audit import AuditReport, Disagreement, Stratum

SHEET = "audit.csv"
MAX_SHOWN = 300

judge = typer.Typer(help="The model that judges answers.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    app.add_typer(judge, name="judge")


@judge.callback()
def _group() -> None:
    """Keeps `audit` a subcommand although it is the only one."""


@judge.command("audit")
def audit_command(
    run: Annotated[Path, typer.Argument(help="The folder of a run that a judge has scored.")],
    n: Annotated[int, typer.Option("--n", min=1, help="How many answers to draw.")] = 50,
    seed: Annotated[int, typer.Option(help="Of the draw.")] = 0,
    out: Annotated[
        Path | None, typer.Option(help="The sheet to write. Default: audit.csv in the run.")
    ] = None,
    show: Annotated[
        bool, typer.Option("--show", help="Tell the judge's verdicts; a blind check is better.")
    ] = False,
    filled: Annotated[
        Path | None, typer.Option(help="A sheet that was filled: compare it with the judge.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="For a script.")] = False,
) -> None:
    """Draw answers for a person to check; or, with --filled, compare person and judge.

    In the sheet, write yes or no into `human`, and if you like 0 to 5 into `human_grade`.
    """
    if filled is None:
        _draw(run, n, seed, out or run / SHEET, show=show, json=json)
    elif out is not None or show:
        raise typer.BadParameter("--filled reads a sheet: --out and --show do not go with it")
    else:
        _compare(run, filled, json=json)


def _draw(run: Path, n: int, seed: int, out: Path, *, show: bool, json: bool) -> None:
    from deskgym.judge_audit import draw, judged_answers, write_audit

    answers = judged_answers(run)
    drawn, strata = draw(answers, n, seed)
    write_audit(out, drawn, show=show)
    if json:
        facts = {
            "run": str(run),
            "sheet": str(out),
            "answers": len(answers),
            "drawn": len(drawn),
            "seed": seed,
            "strata": [stratum.model_dump() for stratum in strata],
        }
        print(json_module.dumps(facts, indent=2))
        return
    _print(_strata_table(strata))
    print(f"\n{len(drawn)} of {len(answers)} judged answers: {out}")
    print(f"fill its column `human` (yes, no), then: deskgym judge audit {run} --filled {out}")


def _compare(run: Path, filled: Path, *, json: bool) -> None:
    from deskgym.judge_audit import audit

    report = audit(run, filled)
    if json:
        facts = {"run": str(run), "sheet": str(filled), **report.model_dump(mode="json")}
        print(json_module.dumps(facts, indent=2))
        return
    _show(report)


def _show(report: AuditReport) -> None:
    found = report.verdicts
    same = found.confusion.yes_yes + found.confusion.no_no
    print(f"judge: {', '.join(report.judges)}")
    print(f"rows: {found.n} filled, {report.empty} empty")
    print(
        f"agreement: {_number(found.share)}, {same} of {found.n} "
        f"(95 % interval {_number(found.low)} to {_number(found.high)})"
    )
    undefined = "" if found.kappa is not None else " (not defined: both always say the same)"
    print(f"Cohen's kappa: {_number(found.kappa)}{undefined}\n")
    _print(_confusion_table(report))
    if grades := report.grades:
        print(
            f"\ngrades: {grades.n} pairs, {_number(grades.share)} the same; "
            f"judge less person {grades.mean_difference:+.2f}\n"
            f"quadratic weighted kappa: {_number(grades.quadratic_kappa)}; "
            f"Spearman: {_number(grades.spearman)}"
        )
    for one in report.disagreements:
        print(f"\n{_disagreement(one)}")


def _disagreement(one: Disagreement) -> str:
    words = {True: "yes", False: "no"}
    lines = [
        f"{_line(one.agent)} {_line(one.profile_id)} {_line(one.task_id)}: "
        f"judge {words[one.judge]}, person {words[one.human]}",
        f"  question: {_line(one.question)}",
        f"  gold:     {_line(one.gold)}",
        f"  answer:   {_line(one.answer)}",
    ]
    if one.judge_reason:
        lines.append(f"  judge:    {_line(one.judge_reason)}")
    return "\n".join(lines)


def _strata_table(strata: list[Stratum]) -> Table:
    from deskgym.report_tables import plain_table

    table = plain_table(None, ("task family", "judge"), ("answers", "drawn"))
    for one in strata:
        word = "yes" if one.correct else "no"
        table.add_row(_line(one.family), word, str(one.answers), str(one.drawn))
    return table


def _confusion_table(report: AuditReport) -> Table:
    from deskgym.report_tables import plain_table

    counts = report.verdicts.confusion
    table = plain_table(None, ("", "person"), ("yes", "no"))
    table.add_row("judge yes", "", str(counts.yes_yes), str(counts.yes_no))
    table.add_row("judge no", "", str(counts.no_yes), str(counts.no_no))
    return table


def _print(table: Table) -> None:
    from rich.console import Console

    Console(markup=False, highlight=False).print(table)


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _line(text: str) -> str:
    """One line of what others wrote, with nothing that a terminal would obey."""
    words = " ".join(text.split())
    shown = "".join(c if c.isprintable() else "�" for c in words)
    return shown if len(shown) <= MAX_SHOWN else f"{shown[: MAX_SHOWN - 1]}…"
