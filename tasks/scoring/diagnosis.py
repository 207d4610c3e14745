"""Why a wrong answer is wrong: the first of six failures that holds, from facts of the episode.

1. ``fabricated_evidence``: a citation names a file that does not exist, a place beyond the file's
   end, or a quote that what was seen of the file does not have. What cannot be told (`None`) is not
   held against the answer.
2. ``retrieval_mismatch``: no gold file was touched, that is opened or returned. One of several is
   enough to pass; a file that was only listed was not touched.
3. ``perception_failure``: gold files were touched, but no unit of gold evidence was shown. One of
   several shown is enough to pass, and the later rules say what became of it; their detail says
   how many were shown. A task that has gold files but no units passes.
4. ``grounding_avoidance``: evidence was shown, and there is no answer, or one that abstains or
   cites nothing.
5. ``entity_misattribution``: the answer's numbers, dates, times or names that neither the gold
   answer nor the question has clash with the gold answer (it has one of the same kind which the
   answer lacks), and all of that kind stand in what steps observed outside of the gold evidence: in
   a step that showed none of it, or in another file's part of one that did.
6. ``verification_deficit``: the rest. Evidence was shown and cited, and the conclusion is wrong.

An unanswerable task has no gold to find, show or cite: rules 2 and 3 do not apply, rule 4 only
where there is no answer at all, and rule 5 asks for no clash, as any item that an answer gives
instead of abstaining contradicts the gold.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from deskgym.tasks.scoring.models import Diagnosis
from deskgym.tasks.scoring.salient import Item, foreign_items, places

_MAX_SHOWN = 3  # files or items that a sentence lists


@dataclass(frozen=True)
class Citation:
    """A citation of the answer, and what became of it; None where that is not known."""

    path: str
    locator: str
    exists: bool
    in_range: bool | None
    quote_supported: bool | None


@dataclass(frozen=True)
class GoldFile:
    """A gold file: the first steps at which it was touched and its evidence shown; None: never."""

    path: str
    touched: int | None
    exposed: int | None


@dataclass(frozen=True)
class Observation:
    """What one step showed: its text, the files opened or returned, the evidence units shown."""

    step: int
    text: str
    files: tuple[str, ...]
    exposed: tuple[str, ...]


@dataclass(frozen=True)
class EpisodeFacts:
    """What a diagnosis is made from. ``units`` counts the task's evidence, shown or not;
    ``last_step`` is the answer's, or the last one of an episode without an answer."""

    question: str
    gold_answer: str
    answerable: bool
    answer: str | None
    abstained: bool
    citations: tuple[Citation, ...]
    gold: tuple[GoldFile, ...]
    units: int
    observations: tuple[Observation, ...]
    last_step: int | None

    @property
    def exposed(self) -> tuple[str, ...]:
        """The ids of the evidence units that were shown, in order of the first time."""
        return tuple(dict.fromkeys(i for o in self.observations for i in o.exposed))


def diagnose_facts(facts: EpisodeFacts) -> Diagnosis:
    """The first failure that holds of an episode whose answer is wrong (see the module)."""
    return (
        _fabricated(facts)
        or _not_retrieved(facts)
        or _not_perceived(facts)
        or _not_grounded(facts)
        or _misattributed(facts)
        or _not_verified(facts)
    )


def _fabricated(facts: EpisodeFacts) -> Diagnosis | None:
    for cite in facts.citations:
        place = f"{cite.path} ({cite.locator})"
        if not cite.exists:
            detail = f"The answer cites {cite.path}, and there is no such file."
        elif cite.in_range is False:
            detail = f"The answer cites {place}, which lies beyond the end of the file."
        elif cite.quote_supported is False:
            detail = f"The answer quotes from {place} what was not seen to stand in that file."
        else:
            continue
        return Diagnosis(
            failure="fabricated_evidence",
            step=facts.last_step,
            evidence=facts.exposed,
            detail=detail,
        )
    return None


def _not_retrieved(facts: EpisodeFacts) -> Diagnosis | None:
    if not _has_gold(facts) or any(file.touched for file in facts.gold):
        return None
    others = len({path for seen in facts.observations for path in seen.files})
    wanted = _listed([file.path for file in facts.gold])
    detail = f"Neither opened nor returned: {wanted}; {_count(others, 'other file')} touched."
    return Diagnosis(failure="retrieval_mismatch", detail=detail)


def _not_perceived(facts: EpisodeFacts) -> Diagnosis | None:
    if not _has_gold(facts) or not facts.units or facts.exposed:
        return None
    step, path = min((f.touched, f.path) for f in facts.gold if f.touched is not None)
    detail = (
        f"{path} was reached in step {step}, but none of the "
        f"{_count(facts.units, 'unit')} of evidence was shown."
    )
    return Diagnosis(failure="perception_failure", step=step, detail=detail)


def _not_grounded(facts: EpisodeFacts) -> Diagnosis | None:
    if facts.answer is None:
        what = "there is no answer"
    elif not _has_gold(facts):
        return None
    elif facts.abstained:
        what = "the answer abstains"
    elif not facts.citations:
        what = "the answer cites nothing"
    else:
        return None
    shown = _shown(facts)
    return Diagnosis(
        failure="grounding_avoidance",
        step=facts.last_step,
        evidence=facts.exposed,
        detail=f"{shown}, and {what}." if shown else f"{what[0].upper()}{what[1:]}.",
    )


def _misattributed(facts: EpisodeFacts) -> Diagnosis | None:
    if facts.answer is None or facts.abstained:
        return None
    given: dict[str, list[Item]] = {}
    for item in foreign_items(facts.answer, facts.gold_answer, facts.question):
        given.setdefault(item.kind, []).append(item)
    clashing: set[str] = set(given)
    if facts.answerable and given:
        lacking = foreign_items(facts.gold_answer, facts.answer, facts.question)
        clashing &= {item.kind for item in lacking}
    for kind in ("number", "date", "time", "name"):
        if kind not in clashing:
            continue
        sources = [_source(item, facts) for item in given[kind]]
        found = [source for source in sources if source is not None]
        if len(found) < len(sources):
            continue
        step, path = found[0]
        items = _listed([item.text for item in given[kind]])
        where = f"{path} in step {step}" if path else f"the output of step {step}"
        gold = f"; the gold answer is {_short(facts.gold_answer)!r}" if facts.answerable else ""
        return Diagnosis(
            failure="entity_misattribution",
            step=step,
            evidence=facts.exposed,
            detail=f"The answer's {items} comes from {where}, not from the gold evidence{gold}.",
        )
    return None


def _not_verified(facts: EpisodeFacts) -> Diagnosis:
    shown = _shown(facts)
    if not facts.answerable:
        detail = "The files do not say, and the answer does not leave it at that."
    elif shown:
        detail = f"{shown}, and the answer draws another conclusion from it."
    else:
        detail = "A gold file was reached, and the answer draws another conclusion from it."
    return Diagnosis(
        failure="verification_deficit",
        step=facts.last_step,
        evidence=facts.exposed,
        detail=detail,
    )


def _source(item: Item, facts: EpisodeFacts) -> tuple[int, str | None] | None:
    """The first step that showed ``item`` outside of the gold evidence, and the file; or None.

    The file is None if the step does not tell.
    """
    gold = {file.path for file in facts.gold}
    for seen in facts.observations:
        for at in places(item, seen.text):
            path = _file_at(seen.text, at, seen.files)
            # In a step that showed evidence, only what is of another file lies outside it.
            if not seen.exposed or (path is not None and path not in gold):
                return seen.step, path
    return None


def _file_at(text: str, at: int, files: Sequence[str]) -> str | None:
    """The file that the text at ``at`` is of: the one of ``files`` that it names last before, as
    listings of hits and readings do, else the only one."""
    named = max(((text.rfind(path, 0, at), len(path), path) for path in files), default=(-1, 0, ""))
    if named[0] >= 0:
        return named[2]
    return files[0] if len(files) == 1 else None


def _has_gold(facts: EpisodeFacts) -> bool:
    return facts.answerable and bool(facts.gold)


def _shown(facts: EpisodeFacts) -> str:
    """How a sentence on what was shown begins; empty if nothing was."""
    shown = len(facts.exposed)
    if not shown:
        return ""
    if shown >= facts.units:
        return "All evidence was shown"
    missing = _listed([file.path for file in facts.gold if file.exposed is None])
    where = f" (nothing of {missing})" if missing else ""
    return f"{shown} of {_count(facts.units, 'unit')} of evidence {_was(shown)} shown{where}"


def _was(number: int) -> Literal["was", "were"]:
    return "was" if number == 1 else "were"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _listed(names: Sequence[str]) -> str:
    def parts() -> Iterator[str]:
        yield from names[:_MAX_SHOWN]
        if len(names) > _MAX_SHOWN:
            yield f"{len(names) - _MAX_SHOWN} more"

    return ", ".join(parts())


def _short(text: str) -> str:
    joined = " ".join(text.split())
    return joined if len(joined) <= 80 else f"{joined[:79]}…"
