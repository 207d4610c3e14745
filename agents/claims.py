"""Claims of an answer, what their citations show when opened again, and the fewest that suffice.

Pure functions. What a model has to judge comes in as a function: whether these citations support
that claim (`Supports`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from deskgym.agents.answers import AnswerFault, read_cites
from deskgym.agents.ranking import terms
from deskgym.agents.workings import BadWorking, explains, work_out
from deskgym.env.actions import Cite
from deskgym.env.observations import Media
from deskgym.tasks.scoring.answers import contains_run
from deskgym.tasks.scoring.normalise import (
    DayMonth,
    Fact,
    Value,
    YearMonth,
    canonical,
    facts,
    stated,
    tokens,
)

MAX_CLAIMS = 20
MAX_CLAIM = 2_000
_CLAIM_KEYS = ("claim", "text", "statement")
_CITE_KEYS = ("cites", "citations", "sources")
_SEGMENT = re.compile(r"^\[(?:file|page:|region:|lines:|turns:|time:|cells:).*\]$")
_MEDIUM = re.compile(r"^\[[a-z]+:?.*\] \w+/[\w.+-]+, \d+ bytes(?:, \d+ x \d+ pixels)?$")
_ASIDE = ("note: ", "there is more: ")
_GAP = re.compile(r"\s*(?:\.\.\.|…|\[\.\.\.\])\s*")


class Claim(BaseModel):
    """One statement of an answer and the citations that it is said to rest on.

    ``working`` is how a number or date that no file states comes about (`workings`).
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    text: str = Field(min_length=1, max_length=MAX_CLAIM)
    cites: tuple[Cite, ...] = ()
    working: str = ""


@dataclass(frozen=True)
class Opened:
    """What stands at a citation's place, as a tool returned it just now.

    ``text`` is without headings and notes; ``media`` holds pictures and sounds. Nothing of either
    means that nothing could be opened there; ``problem`` then says why.
    """

    cite: Cite
    text: str = ""
    media: tuple[Media, ...] = ()
    problem: str = ""

    @property
    def is_there(self) -> bool:
        return bool(self.text.strip() or self.media)


Supports = Callable[[Claim, tuple[Cite, ...]], bool]
"""Whether the claim follows from what stands at these of its citations, and nothing else."""


def read_claims(
    found: Mapping[str, Any], cites: Sequence[Cite]
) -> tuple[tuple[Claim, ...], tuple[AnswerFault, ...]]:
    """The claims in ``{"claims": [{"claim", "cites", "working"}]}``, and what was wrong.

    A cite is a number, which counts in ``cites`` from 1, or a citation with a path of its own. What
    is no claim, or no citation, is left out with a fault; a citation of the same place as one of
    ``cites`` is that one.
    """
    listed = found.get("claims")
    if not isinstance(listed, list):
        return (), (AnswerFault("malformed", "no list of claims"),)
    claims: list[Claim] = []
    faults: list[AnswerFault] = []
    for item in listed[:MAX_CLAIMS]:
        item = {"claim": item} if isinstance(item, str) else item
        text = _first(item, _CLAIM_KEYS) if isinstance(item, dict) else None
        if not isinstance(text, str) or not 0 < len(text.strip()) <= MAX_CLAIM:
            faults.append(AnswerFault("malformed", f"no claim: {item!r:.80}"))
            continue
        rests, wrong = _cites_of(_first(item, _CITE_KEYS), cites)
        working = item.get("working")
        faults += wrong
        claims.append(
            Claim(
                text=text.strip(),
                cites=rests,
                working=working if isinstance(working, str) else "",
            )
        )
    if len(listed) > MAX_CLAIMS:
        faults.append(AnswerFault("cut", f"{len(listed)} claims"))
    return tuple(claims), tuple(faults)


def body(observation: str) -> str:
    """What of a reading is the file's own: no headings, no places, no notes.

    An error has none.
    """
    if observation.startswith("error ("):
        return ""
    lines = observation.split("\n")
    begins = next((n for n, line in enumerate(lines) if _SEGMENT.match(line)), None)
    if begins is None:
        return ""
    return "\n".join(
        line
        for line in lines[begins:]
        if not (_SEGMENT.match(line) or _MEDIUM.match(line) or line.startswith(_ASIDE))
    ).strip()


def quote_stands(quote: str, text: str) -> bool:
    """Whether ``text`` holds ``quote`` word for word; where it has dots for a gap, its pieces in
    any order. Numbers and dates may be written otherwise."""
    forms = [tokens(text), tokens(canonical(text))]
    pieces = [piece for piece in _GAP.split(quote) if tokens(piece)]
    return bool(pieces) and all(
        contains_run(forms[0], tokens(piece)) or contains_run(forms[1], tokens(canonical(piece)))
        for piece in pieces
    )


def unusable(opened: Opened) -> str:
    """Why nothing can rest on this citation; empty if something may.

    It has to be there, and to say what is quoted. What a picture says or a sound, nobody checks
    here: its text is what a machine made of it.
    """
    place = f"{opened.cite.path} [{opened.cite.locator}]"
    if not opened.is_there:
        return f"{place} shows nothing" + (f": {opened.problem}" if opened.problem else "")
    quote = opened.cite.quote
    if quote and not opened.media and not quote_stands(quote, opened.text):
        return f"{place} does not say {quote!r:.120}"
    return ""


def missing_facts(claim: Claim, opened: Sequence[Opened], question: str = "") -> tuple[str, ...]:
    """The numbers, dates and times of ``claim`` that none of ``opened`` states, nor its working
    gives, as text. What the question states is given, and none are missing where a picture or
    sound may hold them."""
    if any(piece.media for piece in opened):
        return ()
    known = _stated(opened) | stated(question)
    missing = [fact for fact in facts(claim.text) if fact.isdisjoint(known)]
    if not missing:
        return ()
    results, why = [], ""
    for working in filter(str.strip, re.split(r"[;\n]", claim.working)):
        try:
            results.append(work_out(working, known))
        except BadWorking as error:
            why = f" ({error})"
    return tuple(
        f"{_written(fact)} is not stated there{why}"
        for fact in missing
        if not any(explains(result, fact) for result in results)
    )


def new_facts(text: str, sources: Sequence[str]) -> tuple[str, ...]:
    """The numbers, dates and times of ``text`` that none of ``sources`` states."""
    known: set[Value] = set().union(*map(stated, sources))
    return tuple(_written(fact) for fact in facts(text) if fact.isdisjoint(known))


def is_covered(text: str, sources: Sequence[str]) -> bool:
    """Whether every word of ``text`` that carries meaning stands in one of ``sources``."""
    known = {word for source in sources for word in terms(source)}
    return all(word in known for word in terms(text))


def minimal_sets(claims: Sequence[Claim], supports: Supports) -> tuple[tuple[Cite, ...], ...]:
    """For each claim the citations that it keeps, such that none of all of them can go.

    Every claim is supported by all of its citations; so it is by those that it keeps. Taking any
    citation out of the union of what is kept leaves a claim unsupported, as far as ``supports``
    has been asked. A citation that several claims can share is kept over one for each.
    """
    kept = [list(dict.fromkeys(claim.cites)) for claim in claims]
    _thin_union(claims, kept, supports)
    for claim, cites in zip(claims, kept, strict=True):
        _thin(claim, cites, supports)
    # With a judge that never prefers less, nothing is left to take; with a moody one, there may be.
    _thin_union(claims, kept, supports)
    return tuple(tuple(cites) for cites in kept)


def _thin_union(claims: Sequence[Claim], kept: list[list[Cite]], supports: Supports) -> None:
    """Take out, in place, each citation that no claim needs, until every one left is needed."""
    uses = {cite: sum(cite in cites for cites in kept) for cites in kept for cite in cites}
    thinned = True
    while thinned:
        thinned = False
        # Those go first that the fewest claims share, and of them the later ones.
        last_first = list(reversed(uses))
        for cite in sorted(last_first, key=uses.__getitem__):
            concerned = [n for n, cites in enumerate(kept) if cite in cites]
            if concerned and all(supports(claims[n], _without(kept[n], cite)) for n in concerned):
                for n in concerned:
                    kept[n].remove(cite)
                thinned = True


def _thin(claim: Claim, cites: list[Cite], supports: Supports) -> None:
    for cite in list(reversed(cites)):
        if supports(claim, _without(cites, cite)):
            cites.remove(cite)


def _without(cites: Sequence[Cite], cite: Cite) -> tuple[Cite, ...]:
    return tuple(other for other in cites if other != cite)


def _stated(opened: Sequence[Opened]) -> set[Value]:
    return set().union(*(stated(f"{piece.text}\n{piece.cite.quote or ''}") for piece in opened))


def _written(fact: Fact) -> str:
    """A statement of a number, date or time, in one of its readings."""
    value = min(fact, key=str)
    if isinstance(value, YearMonth):
        return f"{value.year}-{value.month:02}"
    if isinstance(value, DayMonth):
        return f"{value.day}/{value.month}"
    return str(value)


def _cites_of(
    listed: Any, cites: Sequence[Cite]
) -> tuple[tuple[Cite, ...], tuple[AnswerFault, ...]]:
    kept: list[Cite] = []
    faults: list[AnswerFault] = []
    listed = listed if isinstance(listed, list) else [] if listed is None else [listed]
    for item in listed:
        if isinstance(item, str) and item.strip(" []").isdecimal():
            item = int(item.strip(" []")[:9])
        if isinstance(item, int) and not isinstance(item, bool):
            if 1 <= item <= len(cites):
                kept.append(cites[item - 1])
            else:
                faults.append(AnswerFault("citation", f"no citation [{item}] of {len(cites)}"))
            continue
        own, wrong = read_cites([item])
        faults += wrong
        places = {(cite.path, str(cite.locator)): cite for cite in cites}
        kept += [places.get((cite.path, str(cite.locator)), cite) for cite in own]
    return tuple(dict.fromkeys(kept)), tuple(faults)


def _first(item: Mapping[str, Any], keys: Sequence[str]) -> Any:
    return next((item[key] for key in keys if key in item), None)
