"""Whether gold evidence was shown, and how well citations meet it."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence

from deskgym.tasks.locators import AnyLocator, overlaps
from deskgym.tasks.schema import Evidence
from deskgym.tasks.scoring.answers import (
    common_subsequence,
    contains_run,
    number_match,
    token_masks,
)
from deskgym.tasks.scoring.models import EvidenceScores
from deskgym.tasks.scoring.normalise import tokens

TEXT_THRESHOLD = 0.85
"""From this score on, evidence counts as shown by an output that could be from anywhere."""
LOCATED_THRESHOLD = 0.6
"""From this score on, evidence counts as shown by text returned from its own place: the place
agrees already, so the text has only to show that it was readable there and not cut off."""
SHORT_EVIDENCE = 3
"""Evidence of fewer tokens than this has to stand in the text word for word."""
LOCATED_WORDS = 0.3
"""With all of the evidence's numbers and dates there, this share of its tokens is enough."""


class Haystack:
    """A text made ready to be searched for many pieces of evidence."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = tokens(text)
        self._positions: dict[str, list[int]] = {}
        for position, token in enumerate(self.tokens):
            self._positions.setdefault(token, []).append(position)

    def positions(self, token: str) -> Sequence[int]:
        """Where ``token`` stands, in order."""
        return self._positions.get(token, ())


def exposure_by_locator(evidence: Evidence, path: str, locator: AnyLocator) -> bool:
    """Whether a piece of ``path`` at ``locator`` touches the evidence's place."""
    return path == evidence.file_path and overlaps(evidence.locator, locator)


def exposure_by_text(
    evidence_text: str, output: str | Haystack, *, threshold: float = TEXT_THRESHOLD
) -> float:
    """How much of the evidence stands in the best window of the output, in [0, 1].

    The score is the share of the evidence's tokens found in order within a stretch of about twice
    its length, times the share of its tokens with digits that the stretch holds: the same
    sentence with another amount is another fact. Evidence of fewer than three tokens has to stand
    there unbroken and scores 1 or 0. Scores from ``threshold`` on are exact up to the choice of
    window; lower ones are a lower bound, since places that cannot reach it are not looked at.
    """
    output = output if isinstance(output, Haystack) else Haystack(output)
    wanted = tokens(evidence_text)
    if not wanted or not output.tokens:
        return 0.0
    if len(wanted) < SHORT_EVIDENCE:
        found = any(
            contains_run(output.tokens[at : at + len(wanted)], wanted)
            for at in output.positions(wanted[0])
        )
        return float(found)
    masks = token_masks(wanted)
    figures = [token for token in wanted if any(c.isdigit() for c in token)]
    best = 0.0
    for window in _windows(wanted, output, threshold):
        score = common_subsequence(wanted, window, masks) / len(wanted)
        if score > best and figures:
            there = set(window)
            score *= sum(token in there for token in figures) / len(figures)
        best = max(best, score)
        if best == 1.0:
            break
    return best


def _windows(wanted: list[str], output: Haystack, threshold: float) -> Iterator[list[str]]:
    """The stretches of the output that can reach ``threshold``, from overlapping ones all along.

    To reach it, at most ``spare`` of the wanted tokens may be missing: so one of the
    ``spare + 1`` rarest is there, and only stretches around those are worth a look.
    """
    spare = len(wanted) - math.ceil(threshold * len(wanted))
    rarest = sorted(wanted, key=lambda token: len(output.positions(token)))[: spare + 1]
    # Any run of up to 2 n + 8 tokens lies whole in one of the stretches.
    step, width = len(wanted) + 4, 3 * len(wanted) + 12
    starts = {
        start
        for token in set(rarest)
        for at in output.positions(token)
        for start in range(max(0, -(-(at - width + 1) // step)), at // step + 1)
    }
    for start in sorted(starts):
        yield output.tokens[start * step : start * step + width]


def exposure_in_place(evidence_text: str, text: str) -> float:
    """How surely ``text``, which comes from the evidence's own place, shows the evidence.

    As `exposure_by_text`; besides, text that states all of the evidence's numbers, dates and
    times and a third of its words scores at least `LOCATED_THRESHOLD`: in sheets and tables the
    same fact is seldom worded the same.
    """
    score = exposure_by_text(evidence_text, text, threshold=LOCATED_THRESHOLD)
    if score < LOCATED_THRESHOLD and number_match(text, evidence_text) == 1.0:
        wanted, there = tokens(evidence_text), set(tokens(text))
        if sum(token in there for token in wanted) >= LOCATED_WORDS * len(wanted):
            return LOCATED_THRESHOLD
    return score


def citation_scores(
    cites: Sequence[tuple[str, AnyLocator]], evidence: Sequence[Evidence]
) -> tuple[float, float, float]:
    """Precision over the cites, recall over the evidence units, and their F1.

    A cite meets a unit if both are in the same file and their locators overlap. The same cite
    given twice counts once. All are 0 where there is no cite or no evidence.
    """
    distinct = list(dict.fromkeys(cites))
    if not distinct or not evidence:
        return 0.0, 0.0, 0.0
    good = sum(any(exposure_by_locator(e, *cite) for e in evidence) for cite in distinct)
    met = sum(any(exposure_by_locator(e, *cite) for cite in distinct) for e in evidence)
    precision, recall = good / len(distinct), met / len(evidence)
    f1 = 2 * precision * recall / (precision + recall) if good else 0.0
    return precision, recall, f1


def evidence_scores(
    exposed: Collection[str],
    cites: Sequence[tuple[str, AnyLocator]],
    evidence: Sequence[Evidence],
) -> EvidenceScores | None:
    """Exposed and cited evidence against all of it; ``exposed`` holds evidence ids.

    ``None`` if there is no evidence to score against.
    """
    if not evidence:
        return None
    readable = [e for e in evidence if e.modality not in ("audio", "video")]
    precision, recall, f1 = citation_scores(cites, evidence)
    return EvidenceScores(
        exposed_recall=_share(exposed, evidence),
        cited_precision=precision,
        cited_recall=recall,
        cited_f1=f1,
        readable_recall=_share(exposed, readable) if readable else None,
    )


def _share(exposed: Collection[str], evidence: Sequence[Evidence]) -> float:
    return sum(e.evidence_id in exposed for e in evidence) / len(evidence)
