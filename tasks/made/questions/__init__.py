"""Questions about a life, with answers computed and evidence minimal by construction."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from deskgym.tasks.made.files.placed import Placed
from deskgym.tasks.made.models import Life
from deskgym.tasks.made.questions.behaviour import behaviour
from deskgym.tasks.made.questions.draft import Draft, Proposal, Source, task_of
from deskgym.tasks.made.questions.episodic import episodic
from deskgym.tasks.made.questions.facts import facts
from deskgym.tasks.made.questions.home import home
from deskgym.tasks.made.questions.perceived import perceived
from deskgym.tasks.made.questions.rhelm import rhelm
from deskgym.tasks.made.questions.semantic import semantic
from deskgym.tasks.made.questions.trait import trait
from deskgym.tasks.made.questions.wording import alternating
from deskgym.tasks.made.records.record import Record
from deskgym.tasks.made.spec import Difficulty, MadeSpec, Setting
from deskgym.tasks.schema import FileRecord

__all__ = ["Proposal", "propose"]

# Questions a level by difficulty, of a life of two months; longer lives have more.
_LEVELS: Mapping[Difficulty, tuple[int, int, int]] = {
    "easy": (850, 600, 420),
    "mixed": (700, 680, 490),
    "hard": (450, 800, 620),
}
_PERCEIVED = 100
"""Questions about pictures and sounds in two months."""
_MOST_MONTHS = 6
"""Questions grow with a life up to so many months."""


def propose(
    life: Life,
    records: Iterable[Record],
    places: Iterable[Placed],
    files: Iterable[FileRecord],
    spec: MadeSpec,
    profile: str,
) -> list[Proposal]:
    """All questions about a life in the order in which they are asked; the verifier has yet to
    say which of them the files answer."""
    source = Source(life, records, places, files, spec)
    drafts = _unique(_SETTINGS[spec.setting](source))
    chance = source.chance("order")
    order = alternating([(draft.template, draft) for draft in drafts], chance)
    return [task_of(draft, n, profile, source) for n, draft in enumerate(order, 1)]


def _setoka(source: Source) -> Iterator[Draft]:
    grown = min(max(source.spec.months, 1), _MOST_MONTHS) / 2
    one, linked, added = (round(n * grown) for n in _LEVELS[source.spec.difficulty])
    yield from semantic(source, round(one * 0.7))
    yield from facts(source, one - round(one * 0.7))
    yield from perceived(source, round(_PERCEIVED * grown))
    yield from episodic(source, linked)
    yield from behaviour(source, added)
    yield from trait(source)


_SETTINGS: Mapping[Setting, Callable[[Source], Iterator[Draft]]] = {
    "setoka": _setoka,
    "rhelm": rhelm,
    "home": home,
}


def _unique(drafts: Iterable[Draft]) -> list[Draft]:
    """The first of those that ask the same, and none that says its own answer."""
    first: dict[str, Draft] = {}
    for draft in drafts:
        if len(draft.answer) < 4 or draft.answer.casefold() not in draft.question.casefold():
            first.setdefault(draft.question, draft)
    return list(first.values())
