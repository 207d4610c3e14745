"""Results of other agents in HippoCamp's batch shape: read, scored, averaged.

A record says ``query_id``, ``question``, ``answer``, ``ground_truth``, ``ground_file_list``,
``agent_file_list`` and ``time_ms``. The published tools also write some of these as ``query``,
``file_list``, ``retrieved_file_list`` and ``execution_time_ms``; the first that holds something
counts. Other fields are passed over.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field

from deskgym.tasks.scoring import FileScores, file_scores, mean_file_scores, score_answer
from deskgym.tasks.scoring.bleu import Bleu
from deskgym.tasks.scoring.models import AnswerScores, JudgeVerdict
from deskgym.tasks.scoring.statistics import Interval, mean_interval

_ID: Final = ("query_id", "id")
_QUESTION: Final = ("question", "query")
_GOLD_FILES: Final = ("ground_file_list", "file_list")
_FILES: Final = ("agent_file_list", "retrieved_file_list")
_TIME: Final = ("time_ms", "execution_time_ms")
_MAX_MS: Final = 1e15


class BadResults(ValueError):
    """A file of results that cannot be read; names the file, the record and the field."""


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ForeignResult(_Model):
    """One record. Paths are as they were written, for they are compared as they are."""

    query_id: str
    question: str = ""
    answer: str | None
    ground_truth: str | None = Field(description="None: its answer cannot be scored")
    gold_files: tuple[str, ...] = ()
    agent_files: tuple[str, ...] = ()
    time_ms: float | None = Field(default=None, ge=0)
    agent: str | None = None
    qa_type: str | None = None
    answerable: bool = Field(default=True, description="our own addition to the shape")


class ForeignScore(_Model):
    """A record's scores; ``answer`` is None without a gold answer, ``files`` without gold files."""

    query_id: str
    answer: AnswerScores | None
    bleu: float | None
    judge: JudgeVerdict | None
    files: FileScores | None
    time_ms: float | None
    qa_type: str | None


class FileMetrics(_Model):
    """HippoCamp's file metrics, averaged over the records that have gold files.

    ``hit_rate`` is the mean recall. All are None where no record has any (the published code says
    0 there).
    """

    total_evaluated: int
    average_precision: float | None
    average_recall: float | None
    average_f1_score: float | None
    hit_rate: float | None


class AnswerMetrics(_Model):
    """Means over the ``n`` records that have a gold answer; None where there is none to average."""

    n: int
    score: float | None
    exact_match: float | None
    token_f1: float | None
    rouge_l: float | None
    bleu: float | None
    abstained: int
    judged: int = Field(description="answers that a judge scored")
    unscored: int = Field(description="answers that a judge was asked about in vain")
    accuracy: float | None = Field(description="the judge's; over those it scored")
    mean_grade: float | None = Field(description="the judge's, 0 to 5")


class ForeignGroup(_Model):
    """The averages of the records of one kind, or of all.

    ``intervals`` holds, by the names of the averages, the ends of their 95% bootstrap intervals.
    """

    group: str
    records: int
    answers: AnswerMetrics
    files: FileMetrics
    mean_time_ms: float | None
    intervals: dict[str, tuple[float, float]]


def read_foreign(file: Path) -> list[ForeignResult]:
    """The records of ``file``: a JSON list, an object with a list ``results``, or JSON lines.

    Raises:
        BadResults: it cannot be read as one of these, or a record lacks a field or has a wrong one.
    """
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise BadResults(f"cannot read {file}: {error}") from error
    return [foreign_result(record, f"{file}, record {n}") for n, record in _records(text, file)]


def foreign_result(record: object, where: str) -> ForeignResult:
    """The result that ``record`` states; ``where`` names it in messages.

    Raises:
        BadResults: a field is missing, or has a value that cannot be.
    """
    if not isinstance(record, dict):
        raise BadResults(f"{where} is not an object but {_kind(record)}")
    name, query_id = _first(record, _ID)
    if query_id is None:
        raise BadResults(f"{where} has no query_id; every record needs one")
    if not isinstance(query_id, str | int) or isinstance(query_id, bool):
        raise BadResults(f"{where}: {name} is text or a whole number, not {_kind(query_id)}")
    where = f"{where} ({query_id})"
    if "answer" not in record:
        raise BadResults(f"{where} has no answer; write null where the agent gave none")
    return ForeignResult(
        query_id=str(query_id),
        question=_text(record, _QUESTION, where) or "",
        answer=_text(record, ("answer",), where),
        ground_truth=_text(record, ("ground_truth",), where),
        gold_files=_paths(record, _GOLD_FILES, where),
        agent_files=_paths(record, _FILES, where),
        time_ms=_time(record, where),
        agent=_text(record, ("agent",), where),
        qa_type=_text(record, ("QA_type",), where),
        answerable=_answerable(record, where),
    )


def score_foreign(
    result: ForeignResult, *, bleu: Bleu | None = None, verdict: JudgeVerdict | None = None
) -> ForeignScore:
    """The scores of one record; ``verdict`` is what a judge said of it."""
    gold, answer = result.ground_truth, None
    if gold is not None:
        answer = score_answer(result.answer, gold, answerable=result.answerable)
    return ForeignScore(
        query_id=result.query_id,
        answer=answer,
        bleu=bleu(result.answer, gold) if bleu is not None and gold is not None else None,
        judge=verdict,
        files=file_scores(result.agent_files, result.gold_files),
        time_ms=result.time_ms,
        qa_type=result.qa_type,
    )


def foreign_groups(scores: Sequence[ForeignScore]) -> tuple[ForeignGroup, ...]:
    """The averages by ``QA_type``, if there are several, and last those of all."""
    kinds = list(dict.fromkeys(score.qa_type or "-" for score in scores))
    groups = []
    if len(kinds) > 1:
        for kind in kinds:
            groups.append(_group(kind, [s for s in scores if (s.qa_type or "-") == kind]))
    return (*groups, _group("all", scores))


def file_metrics(scores: Iterable[FileScores | None]) -> FileMetrics:
    """HippoCamp's averages of the file scores of instances; those without gold are skipped."""
    kept = [score for score in scores if score is not None]
    mean = mean_file_scores(kept)
    return FileMetrics(
        total_evaluated=len(kept),
        average_precision=mean.precision if mean else None,
        average_recall=mean.recall if mean else None,
        average_f1_score=mean.f1 if mean else None,
        hit_rate=mean.recall if mean else None,
    )


def _group(name: str, scores: Sequence[ForeignScore]) -> ForeignGroup:
    answers = [s.answer for s in scores if s.answer is not None]
    files = [s.files for s in scores if s.files is not None]
    asked = [s.judge for s in scores if s.judge is not None]
    judged = [verdict for verdict in asked if verdict.status == "scored"]
    values: dict[str, list[float]] = {
        "score": [a.score for a in answers],
        "exact_match": [a.exact_match for a in answers],
        "token_f1": [a.token_f1 for a in answers],
        "rouge_l": [a.rouge_l for a in answers],
        "bleu": [s.bleu for s in scores if s.bleu is not None],
        "accuracy": [float(v.correct) for v in judged if v.correct is not None],
        "mean_grade": [float(v.grade) for v in judged if v.grade is not None],
        "average_precision": [f.precision for f in files],
        "average_recall": [f.recall for f in files],
        "average_f1_score": [f.f1 for f in files],
        "mean_time_ms": [s.time_ms for s in scores if s.time_ms is not None],
    }
    means = {name: mean_interval(found) for name, found in values.items() if found}
    return ForeignGroup(
        group=name,
        records=len(scores),
        answers=AnswerMetrics(
            n=len(answers),
            score=_mean(means, "score"),
            exact_match=_mean(means, "exact_match"),
            token_f1=_mean(means, "token_f1"),
            rouge_l=_mean(means, "rouge_l"),
            bleu=_mean(means, "bleu"),
            abstained=sum(a.abstained for a in answers),
            judged=len(judged),
            unscored=len(asked) - len(judged),
            accuracy=_mean(means, "accuracy"),
            mean_grade=_mean(means, "mean_grade"),
        ),
        files=file_metrics(files),
        mean_time_ms=_mean(means, "mean_time_ms"),
        intervals={name: (mean.low, mean.high) for name, mean in means.items()},
    )


def _records(text: str, file: Path) -> list[tuple[int, Any]]:
    """The records with their numbers, from 1; in JSON lines, the number of the line."""
    try:
        data = json.loads(text)
    except RecursionError as error:
        raise BadResults(f"{file} is nested too deeply to be results") from error
    except ValueError as whole:
        return _json_lines(text, file, whole)
    if isinstance(data, dict):
        data = data.get("results", [data])
    if not isinstance(data, list):
        raise BadResults(f"{file} holds {_kind(data)}; results are a list of records")
    return list(enumerate(data, 1))


def _json_lines(text: str, file: Path, whole: ValueError) -> list[tuple[int, Any]]:
    # Only line breaks part records: a text may hold other separators as they are.
    lines = [(n, line) for n, line in enumerate(text.split("\n"), 1) if line.strip()]
    records = []
    for number, line in lines:
        try:
            records.append((number, json.loads(line)))
        except ValueError as error:
            if not records:
                raise BadResults(f"{file} is neither JSON nor JSON lines: {whole}") from error
            raise BadResults(f"{file}, line {number} is not JSON: {error}") from error
    if not records:
        raise BadResults(f"{file} is empty; results are a JSON list or JSON lines")
    return records


def _first(record: dict[str, Any], names: Sequence[str]) -> tuple[str, Any]:
    """The first of these fields that holds something, with its name."""
    for name in names:
        if record.get(name) is not None:
            return name, record[name]
    return names[0], None


def _text(record: dict[str, Any], names: Sequence[str], where: str) -> str | None:
    name, value = _first(record, names)
    if value is not None and not isinstance(value, str):
        raise BadResults(f"{where}: {name} is text or null, not {_kind(value)}")
    return value


def _paths(record: dict[str, Any], names: Sequence[str], where: str) -> tuple[str, ...]:
    name, value = _first(record, names)
    if value is None:
        return ()
    if isinstance(value, str):
        value = [value] if value else []
    if not isinstance(value, list):
        raise BadResults(f"{where}: {name} is a list of paths or null, not {_kind(value)}")
    if wrong := [one for one in value if not isinstance(one, str)]:
        raise BadResults(f"{where}: {name} holds {_kind(wrong[0])} among its paths")
    return tuple(value)


def _time(record: dict[str, Any], where: str) -> float | None:
    name, value = _first(record, _TIME)
    if value is None:
        return None
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not 0 <= value <= _MAX_MS:  # this is false of NaN too
        raise BadResults(f"{where}: {name} is milliseconds from 0 or null, not {value!r:.40}")
    return float(value)


def _answerable(record: dict[str, Any], where: str) -> bool:
    value = record.get("answerable", True)
    if not isinstance(value, bool):
        raise BadResults(f"{where}: answerable is true or false, not {_kind(value)}")
    return value


def _kind(value: object) -> str:
    names = {dict: "an object", list: "a list", str: "text", bool: "true or false"}
    names |= {int: "a number", float: "a number", type(None): "null"}
    return names[type(value)]


def _mean(means: Mapping[str, Interval], name: str) -> float | None:
    return means[name].mean if name in means else None
