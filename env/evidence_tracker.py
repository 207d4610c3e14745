"""Which gold evidence an episode's observations showed, and whether citations hold.

A step shows a unit of evidence *by locator* if it returned a piece of the unit's file that touches
the unit's place and can be perceived as what it is:

* text: the returned text has to hold the evidence, at least in the main (an empty page or a piece
  cut off before it shows nothing); what the place gave in several pieces is taken together;
* a picture (``image/*``): shows evidence in images, pages and regions of documents, and, as a
  frame at a time, evidence in video;
* a clip (``audio/*``, ``video/*``) of a time span: shows evidence in sound and video. A whole raw
  file does not, since nobody perceives an encoded sound from its bytes.

It shows a unit *by text* if the evidence's words stand in the output and the step opened or
returned the unit's file. A file opened earlier is enough where the words cannot have come from
another file: for pictures, sound and video (read by the agent's own means), and if the step opened
no file of the profile (a copy in ``/scratch`` was read). Evidence of fewer than three tokens is
trusted only in the step that opens its file.
"""

from __future__ import annotations

import posixpath
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from deskgym.env.actions import Answer, Cite
from deskgym.env.trajectory import CitationCheck, Exposure, FirstSteps, Scores
from deskgym.tasks.extents import within
from deskgym.tasks.locators import (
    AnyLocator,
    Pages,
    Region,
    TimeSpan,
)
from deskgym.tasks.schema import Evidence, Task
from deskgym.tasks.scoring import evidence_scores, exposure_by_locator, file_scores, score_answer
from deskgym.tasks.scoring.evidence import (
    LOCATED_THRESHOLD,
    SHORT_EVIDENCE,
    TEXT_THRESHOLD,
    Haystack,
    exposure_by_text,
    exposure_in_place,
)
from deskgym.tasks.scoring.normalise import tokens

MAX_OBSERVED: Final = 2_000_000
"""Characters of observed text that are kept of one file, for checking quotes."""
_ROOTS = ("/desk/", "/hippocamp/data/")

TextPiece = tuple[str, AnyLocator, str]
MediaPiece = tuple[str, AnyLocator, str]
Extents = Callable[[str], Mapping[str, Any] | None]


def profile_path(path: str) -> str:
    """``path`` relative to the profile's root, however it was written."""
    for root in _ROOTS:
        if path.startswith(root):
            path = path[len(root) :]
            break
    return posixpath.normpath(path)


@dataclass
class _Observed:
    """The texts that were seen of one file; ``full`` if there was more than is kept."""

    texts: dict[str, None] = field(default_factory=dict)
    chars: int = 0
    full: bool = False

    def add(self, text: str) -> None:
        if not text or text in self.texts:
            return
        if self.chars + len(text) > MAX_OBSERVED:
            self.full = True
            return
        self.texts[text] = None
        self.chars += len(text)


class EvidenceTracker:
    """Follows one episode of ``task``; ``file_paths`` are all files of the profile."""

    def __init__(self, task: Task, file_paths: set[str]) -> None:
        self._task = task
        self._by_form = {unicodedata.normalize("NFC", path): path for path in file_paths}
        self._files = frozenset(file_paths)
        self._opened: dict[str, int] = {}
        self._returned: dict[str, int] = {}
        self._exposed: dict[str, int] = {}
        self._touched: dict[str, None] = {}
        self._coverage: list[float] = []
        self._last: tuple[Exposure, ...] = ()
        self._step = 0
        self._observed: dict[str, _Observed] = {}
        self._loose = _Observed()
        self._shown: set[str] = set()
        self._in_place: dict[str, dict[str, None]] = {}

    def observe(
        self,
        step: int,
        *,
        opened: Sequence[str] = (),
        segments: Sequence[TextPiece] = (),
        media: Sequence[MediaPiece] = (),
        output: str = "",
    ) -> tuple[Exposure, ...]:
        """Take in one step and return every unit of evidence that it shows, new or again.

        ``segments`` are the returned (path, locator, text), ``media`` the returned (path,
        locator, mime), ``output`` is the observation's text. Called once a step, in order.

        Raises:
            ValueError: ``step`` does not come after the step before.
        """
        if step <= self._step:
            raise ValueError(f"step {step} after step {self._step}: observe each step once")
        self._step = step
        segments = [(self.file_of(path), locator, text) for path, locator, text in segments]
        media = [(self.file_of(path), locator, mime) for path, locator, mime in media]
        here = self._touch(step, opened, segments, media)
        self._remember(here, segments, media, output)
        haystack: Haystack | None = None
        found: list[Exposure] = []
        for unit in self._task.evidence:
            exposure = self._by_locator(unit, segments, media)
            if exposure is None and self._may_match_text(unit, here):
                haystack = haystack or Haystack(output)
                exposure = _by_text(unit, haystack)
            if exposure is not None:
                found.append(exposure)
                self._exposed.setdefault(unit.evidence_id, step)
        total = len(self._task.evidence)
        self._coverage.append(len(self._exposed) / total if total else 0.0)
        self._last = tuple(found)
        return self._last

    @property
    def exposures(self) -> tuple[Exposure, ...]:
        """What the step observed last shows."""
        return self._last

    @property
    def coverage(self) -> tuple[float, ...]:
        """After each step, the share of the evidence shown so far; 0 where there is none."""
        return tuple(self._coverage)

    @property
    def touched(self) -> tuple[str, ...]:
        """The profile's files that were opened or returned, in the order of the first time."""
        return tuple(self._touched)

    @property
    def exposed_ids(self) -> tuple[str, ...]:
        """The units shown so far, in the order of the first time."""
        return tuple(self._exposed)

    def first_steps(self) -> tuple[FirstSteps, ...]:
        """For each gold file the first step that opened, returned, and exposed something of it."""
        return tuple(
            FirstSteps(
                path=path,
                opened=self._opened.get(path),
                returned=self._returned.get(path),
                exposed=min(
                    (
                        self._exposed[e.evidence_id]
                        for e in self._task.evidence
                        if e.file_path == path and e.evidence_id in self._exposed
                    ),
                    default=None,
                ),
            )
            for path in self._task.files
        )

    def check_citations(self, cites: Sequence[Cite], extents: Extents) -> tuple[CitationCheck, ...]:
        """What becomes of each cite. ``extents`` gives what is known of a file: ``pages``,
        ``lines``, ``turns``, ``duration`` (or ``duration_s``) in seconds, ``sheets``, ``mime``;
        or ``None``."""
        checks = []
        for cite in cites:
            path = self.file_of(cite.path)
            exists = path in self._files
            inside = profile_path(cite.path)  # a member has an extent of its own
            known = extents(inside if inside.startswith(f"{path}!/") else path)
            checks.append(
                CitationCheck(
                    cite=cite,
                    exists=exists,
                    observed=path in self._touched,
                    in_range=within(cite.locator, known or {}) if exists else None,
                    quote_supported=self._supports(path, cite.quote),
                )
            )
        return tuple(checks)

    def scores(self, answer: Answer | None) -> Scores:
        """All scores of the episode; ``None`` is an episode that ended without an answer."""
        cites = [(self.file_of(c.path), c.locator) for c in answer.cites] if answer else []
        return Scores(
            answer=score_answer(
                answer.text if answer else None,
                self._task.answer,
                answerable=self._task.answerable,
            ),
            files_cited=file_scores({path for path, _ in cites}, self._task.files),
            files_touched=file_scores(self._touched, self._task.files),
            evidence=evidence_scores(self._exposed, cites, self._task.evidence),
        )

    def file_of(self, path: str) -> str:
        """The profile's own spelling of ``path``, or ``path`` if it has no such file.

        What is inside of an archive or mail (``a.zip!/b.txt``) is of that file.
        """
        path = profile_path(path)
        outer = path
        while outer not in self._files:
            if (known := self._by_form.get(_nfc(outer))) is not None:
                return known
            outer, member, _ = outer.rpartition("!/")
            if not member:
                return path
        return outer

    def _touch(
        self,
        step: int,
        opened: Sequence[str],
        segments: Sequence[TextPiece],
        media: Sequence[MediaPiece],
    ) -> set[str]:
        """Note what the step opened and returned; the profile's files among both."""
        here: set[str] = set()
        returned = [path for path, *_ in (*segments, *media)]
        for paths, first in (
            ([self.file_of(path) for path in opened], self._opened),
            (returned, self._returned),
        ):
            for path in paths:
                if path in self._files:
                    first.setdefault(path, step)
                    self._touched.setdefault(path)
                    here.add(path)
        return here

    def _remember(
        self,
        here: set[str],
        segments: Sequence[TextPiece],
        media: Sequence[MediaPiece],
        output: str,
    ) -> None:
        for path, _, text in segments:
            self._observed.setdefault(path, _Observed()).add(text)
        for path in here:
            self._observed.setdefault(path, _Observed()).add(output)
        if not here:
            self._loose.add(output)
        self._shown.update(path for path, *_ in media)

    def _by_locator(
        self, unit: Evidence, segments: Sequence[TextPiece], media: Sequence[MediaPiece]
    ) -> Exposure | None:
        if any(
            exposure_by_locator(unit, path, locator) and _perceivable(unit, locator, mime)
            for path, locator, mime in media
        ):
            return Exposure(evidence_id=unit.evidence_id, by="locator", score=1.0)
        texts = [text for path, loc, text in segments if exposure_by_locator(unit, path, loc)]
        if not texts:
            return None
        score = exposure_in_place(unit.text, "\n".join(texts))
        # A unit that runs over several pages may be read a page at a time.
        so_far = self._in_place.setdefault(unit.evidence_id, {})
        so_far.update(dict.fromkeys(texts))
        if score < LOCATED_THRESHOLD and unit.evidence_id not in self._exposed:
            score = exposure_in_place(unit.text, "\n".join(so_far))
        if score < LOCATED_THRESHOLD:
            return None
        return Exposure(evidence_id=unit.evidence_id, by="locator", score=score)

    def _may_match_text(self, unit: Evidence, here: set[str]) -> bool:
        if unit.file_path in here:
            return True
        return (
            unit.file_path in self._touched
            and (unit.modality in ("image", "audio", "video") or not here)
            and len(tokens(unit.text)) >= SHORT_EVIDENCE
        )

    def _supports(self, path: str, quote: str | None) -> bool | None:
        """Whether text seen of the file holds the quote; ``None`` if that cannot be told."""
        seen = self._observed.get(path)
        if quote is None or not tokens(quote) or seen is None:
            return None
        texts = [*seen.texts, *self._loose.texts]
        if any(exposure_by_text(quote, text) >= TEXT_THRESHOLD for text in texts):
            return True
        # What was seen as a picture or heard, or is no longer kept, may well say it.
        unknown = path in self._shown or seen.full or self._loose.full or not seen.texts
        return None if unknown else False


def _nfc(path: str) -> str:
    return unicodedata.normalize("NFC", path)


def _by_text(unit: Evidence, output: Haystack) -> Exposure | None:
    score = exposure_by_text(unit.text, output)
    if score < TEXT_THRESHOLD:
        return None
    return Exposure(evidence_id=unit.evidence_id, by="text", score=score)


def _perceivable(unit: Evidence, locator: AnyLocator, mime: str) -> bool:
    """Whether media of this type and place lets one see or hear the unit."""
    kind = mime.partition("/")[0]
    if unit.modality in ("audio", "video"):
        clip = kind in ("audio", "video") or (kind == "image" and unit.modality == "video")
        return clip and isinstance(locator, TimeSpan)
    if kind != "image":
        return False
    return unit.modality == "image" or isinstance(unit.locator, Pages | Region)
