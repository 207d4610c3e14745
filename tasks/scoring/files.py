"""Files against the gold set of files."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from deskgym.tasks.scoring.models import FileScores


def file_scores(predicted: Collection[str], gold: Collection[str]) -> FileScores | None:
    """Precision, recall and F1 of ``predicted`` as a set; all 0 if nothing is predicted.

    ``None`` if ``gold`` is empty: there is nothing to find, so nothing to score.
    """
    wanted, given = set(gold), set(predicted)
    if not wanted:
        return None
    hits = len(wanted & given)
    return FileScores(
        precision=hits / len(given) if given else 0.0,
        recall=hits / len(wanted),
        f1=2 * hits / (len(given) + len(wanted)),
    )


def mean_file_scores(scores: Iterable[FileScores | None]) -> FileScores | None:
    """Each value averaged over the instances.

    Instances without gold files (``None``) are left out, as HippoCamp's published figures do;
    ``None`` if none is left. The mean F1 is the mean of the F1s.
    """
    kept = [s for s in scores if s is not None]
    if not kept:
        return None
    return FileScores(
        precision=sum(s.precision for s in kept) / len(kept),
        recall=sum(s.recall for s in kept) / len(kept),
        f1=sum(s.f1 for s in kept) / len(kept),
    )
